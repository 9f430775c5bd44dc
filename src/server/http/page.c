/* SPDX-License-Identifier: Apache-2.0
 * The listener of the page: for browsers, which no other site may use for its ends. */
#include "server/http/bind.h"
#include "server/http/private.h"

#include <arpa/inet.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define LOOPBACK "127.0.0.1"

/* The page is the same for all, and so are its parts: no login is asked for. */
static bool is_asset(const char *path)
{
    return strcmp(path, "/") == 0 || strncmp(path, "/ui", 3) == 0;
}

int page_examine(struct request *r, struct err *err)
{
    struct http_page *page = &r->listener->http->page;
    struct browser_head head = http_head(r);
    int status =
        browser_refuse_site(&(struct browser_page){.method = r->method,
                                .host = head.host,
                                .origin = head.origin,
                                .content_type = head.content_type,
                                .fetch_site = request_header(r, "Sec-Fetch-Site"),
                                .fetch_mode = request_header(r, "Sec-Fetch-Mode"),
                                .fetch_dest = request_header(r, "Sec-Fetch-Dest"),
                                .has_body = head.has_body,
                                .document = is_asset(r->path),
                                .tls = page->tls,
                                .own = page->origin},
            err);

    if (status || is_asset(r->path))
        return status;
    status = page->admit(page->ctx, r, &r->who, err);
    if (status == 0 && r->who.session[0])
        connections_identify(r->listener->http->connections, r->owner, r->who.uid);
    return status;
}

void page_finish(struct request *r, int status, struct MHD_Response *response)
{
    static const struct reply_header all[] = {
        {"Content-Security-Policy",
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' "
            "blob: data:; connect-src 'self'; worker-src 'self'; base-uri 'none'; "
            "form-action 'none'; frame-ancestors 'none'; require-trusted-types-for "
            "'script'; trusted-types maui"},
        {"Referrer-Policy", "no-referrer"},
        {"Cross-Origin-Opener-Policy", "same-origin"},
        {"Cross-Origin-Resource-Policy", "same-origin"},
        {"Permissions-Policy",
            "camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), "
            "usb=()"},
        {"X-Frame-Options", "DENY"},
    };
    struct http_page *page = &r->listener->http->page;

    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        MHD_add_response_header(response, all[i].name, all[i].value);
    if (page->tls && browser_is_own(http_head(r).host, page->origin))
        MHD_add_response_header(
            response, "Strict-Transport-Security", "max-age=31536000");
    page->answered(page->ctx, r, status);
}

bool page_lives(const struct request *r)
{
    const struct http_page *page = &r->listener->http->page;

    return r->listener->door != DOOR_PAGE || page->lives(page->ctx, &r->who);
}

int http_open_page(struct http *h, const struct http_page *page, uint16_t port,
    uint16_t *ret_port, struct err *err)
{
    int fd =
        bind_tcp(page->address ? page->address : LOOPBACK, port, "WEBADDRESS", err);
    struct sockaddr_storage at;
    socklen_t len = sizeof at;

    if (fd < 0)
        return -1;
    if (getsockname(fd, (struct sockaddr *)&at, &len) < 0) {
        close(fd);
        return err_set(err, ERR_IO, "the kernel does not say which port the page has");
    }
    *ret_port =
        ntohs(at.ss_family == AF_INET6 ? ((const struct sockaddr_in6 *)&at)->sin6_port
                                       : ((const struct sockaddr_in *)&at)->sin_port);
    h->page = *page;
    int result = http_listen(h, fd, DOOR_PAGE, err);
    h->page.cert = h->page.key = NULL;
    return result;
}

bool http_close_page(struct http *h)
{
    struct listener *l = &h->listeners[DOOR_PAGE];

    if (l->open)
        return false;
    http_stop_listening(l);
    return true;
}
