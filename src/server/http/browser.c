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
    if (!looks && (h->content_type ? !is_json(h->content_type) : h->has_body)) {
        err_set(err, ERR_INVALID,
            "Content-Type: '%.80s': a request is sent as application/json",
            h->content_type ? h->content_type : "");
        return 415;
    }
    return 0;
}
