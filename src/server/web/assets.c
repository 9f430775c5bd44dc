/* SPDX-License-Identifier: Apache-2.0
 * The files of the page. */
#include "server/web/assets.h"

#include "base/xalloc.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

int assets_built(struct err *err)
{
    size_t n;

    assets_all(&n);
    return n ? 0
             : err_set(err, ERR_NOT_FOUND,
                 "this program was built without the web page: that needs esbuild and "
                 "node-react of Debian (scripts/deps build), or -Dweb_bundle=DIR");
}

/* Views have addresses of their own, and the page looks at them itself. */
static const struct asset *find_asset(const char *path)
{
    size_t n;
    const struct asset *all = assets_all(&n), *page = NULL;

    for (size_t i = 0; i < n; i++) {
        if (strcmp(all[i].path, path) == 0)
            return &all[i];
        if (strcmp(all[i].path, "/ui/") == 0)
            page = &all[i];
    }
    return strncmp(path, "/ui/", 4) == 0 && strncmp(path, "/ui/assets/", 11) != 0
               ? page
               : NULL;
}

static bool takes_gzip(struct request *r)
{
    const char *accept = request_header(r, "Accept-Encoding");

    return accept && strstr(accept, "gzip");
}

static unsigned char *inflate_asset(const struct asset *a)
{
    unsigned char *plain = xcalloc(1, a->len + 1);
    z_stream z = {.next_in = (unsigned char *)(uintptr_t)a->gzip,
        .avail_in = (unsigned)a->gzip_len,
        .next_out = plain,
        .avail_out = (unsigned)a->len};

    if (inflateInit2(&z, 15 + 16) == Z_OK) { /* 16: as gzip writes it */
        inflate(&z, Z_FINISH);
        inflateEnd(&z);
    }
    return plain;
}

static void send_asset(struct request *r, const struct asset *a)
{
    bool hashed = strncmp(a->path, "/ui/assets/", 11) == 0;
    bool packed = takes_gzip(r);
    struct reply_header headers[] = {{"Content-Type", a->type},
        {"Cache-Control", hashed ? "public, max-age=31536000, immutable" : "no-store"},
        {"Vary", "Accept-Encoding"}, {packed ? "Content-Encoding" : NULL, "gzip"},
        {NULL, NULL}};

    if (packed)
        request_reply_bytes(
            r, 200, (void *)(uintptr_t)a->gzip, a->gzip_len, false, headers);
    else
        request_reply_bytes(r, 200, inflate_asset(a), a->len, true, headers);
}

void assets_answer(struct request *r)
{
    static const struct reply_header to_page[] = {
        {"Location", "/ui/"}, {"Cache-Control", "no-store"}, {NULL, NULL}};
    const char *path = request_path(r), *method = request_method(r);
    const struct asset *a = find_asset(path);
    struct err err;

    if (strcmp(method, "GET") != 0 && strcmp(method, "HEAD") != 0)
        request_refuse_as(r, 405, "invalid", NULL, "the page is only read");
    else if (assets_built(&err) < 0)
        request_refuse(r, &err);
    else if (strcmp(path, "/") == 0 || strcmp(path, "/ui") == 0)
        request_reply_bytes(r, 303, NULL, 0, false, to_page);
    else if (a)
        send_asset(r, a);
    else
        request_refuse_as(r, 404, "not_found", NULL,
            "there is no such file of the page; the page itself is /ui/");
}
