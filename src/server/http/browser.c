/* SPDX-License-Identifier: Apache-2.0
 * Requests that a web site could have made. */
#include "server/http/browser.h"

#include <string.h>
#include <strings.h>
#include <unistd.h>

/* `host` is NAME or NAME:PORT. */
static bool is_named(const char *host, const char *name)
{
    size_t n = name ? strlen(name) : 0;

    return n && strncasecmp(host, name, n) == 0 && (host[n] == 0 || host[n] == ':');
}

static bool is_our_name(const char *host, const char *own_name)
{
    static const char *const usual[] = {"maui", "localhost", "127.0.0.1", "[::1]"};
    char machine[256] = "";

    for (size_t i = 0; i < sizeof usual / sizeof usual[0]; i++)
        if (is_named(host, usual[i]))
            return true;
    return is_named(host, own_name)
           || (gethostname(machine, sizeof machine - 1) == 0
               && is_named(host, machine));
}

/* application/json, whatever parameters follow. */
static bool is_json(const char *type)
{
    static const char json[] = "application/json";
    size_t n = sizeof json - 1;

    return strncasecmp(type, json, n) == 0 && strchr("; \t", type[n]);
}

/* A body such as a form sends. */
static int refuse_content(const char *content_type, bool has_body, struct err *err)
{
    if (content_type ? is_json(content_type) : !has_body)
        return 0;
    err_set(err, ERR_INVALID,
        "Content-Type: '%.80s': a request is sent as application/json",
        content_type ? content_type : "");
    return 415;
}

int browser_refuse(const struct browser_head *h, struct err *err)
{
    bool looks = strcmp(h->method, "GET") == 0 || strcmp(h->method, "HEAD") == 0;

    if (h->origin || h->fetch) {
        err_set(err, ERR_DENIED,
            "requests of web sites (header %s) are not answered on this socket",
            h->origin ? "Origin" : h->fetch);
        return 403;
    }
    if (h->host && !is_our_name(h->host, h->own_name)) {
        err_set(err, ERR_INVALID,
            "Host: '%.80s' is not a name of this service: expected maui or localhost",
            h->host);
        return 421;
    }
    return looks ? 0 : refuse_content(h->content_type, h->has_body, err);
}

/* ---- the listener of the page ---- */

static bool is_loopback(const char *host)
{
    static const char *const names[] = {"localhost", "127.0.0.1", "[::1]"};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        size_t n = strlen(names[i]);
        if (strncasecmp(host, names[i], n) != 0)
            continue;
        host += n;
        return !*host
               || (*host == ':' && strspn(host + 1, "0123456789") == strlen(host + 1));
    }
    return false;
}

/* NAME[:PORT] of SCHEME://NAME[:PORT]. */
static const char *host_of(const char *origin)
{
    const char *at = origin ? strstr(origin, "://") : NULL;

    return at ? at + 3 : "";
}

bool browser_is_own(const char *host, const char *own)
{
    return host && own && strncasecmp(own, "https://", 8) == 0 && !is_loopback(host)
           && strcasecmp(host, host_of(own)) == 0;
}

static bool is_same_origin(const struct browser_page *h)
{
    if (h->own && *h->own && strcasecmp(h->origin, h->own) == 0)
        return true;
    const char *scheme = h->tls ? "https://" : "http://";
    size_t n = strlen(scheme);
    return is_loopback(h->host) && strncasecmp(h->origin, scheme, n) == 0
           && strcasecmp(h->origin + n, h->host) == 0;
}

/* Somebody follows a link, a bookmark or what `maui dashboard` opened: the browser
 * shows the page as itself, to its user alone, and whoever sent them learns nothing. */
static bool is_visit(const struct browser_page *h)
{
    return h->document && strcmp(h->method, "GET") == 0
           && (strcmp(h->fetch_site, "none") == 0
               || (h->fetch_mode && strcmp(h->fetch_mode, "navigate") == 0
                   && h->fetch_dest && strcmp(h->fetch_dest, "document") == 0));
}

int browser_refuse_site(const struct browser_page *h, struct err *err)
{
    bool looks = strcmp(h->method, "GET") == 0 || strcmp(h->method, "HEAD") == 0;

    if (!h->host || !*h->host
        || (!is_loopback(h->host) && strcasecmp(h->host, host_of(h->own)) != 0)) {
        err_set(err, ERR_INVALID,
            "Host: '%.80s' is not a name of the page: expected localhost, or WEBORIGIN",
            h->host ? h->host : "");
        return 421;
    }
    if (h->origin && !is_same_origin(h)) {
        err_set(err, ERR_DENIED,
            "requests of other web sites (Origin: %.80s) are not answered", h->origin);
        return 403;
    }
    if (h->fetch_site && strcmp(h->fetch_site, "same-origin") != 0 && !is_visit(h)) {
        err_set(err, ERR_DENIED,
            "requests of other web sites (Sec-Fetch-Site: %.40s) are not answered",
            h->fetch_site);
        return 403;
    }
    return looks ? 0 : refuse_content(h->content_type, h->has_body, err);
}
