/* SPDX-License-Identifier: Apache-2.0
 * From a request to its handler. */
#include "server/http/route.h"

#include "base/strbuf.h"
#include "server/http/http.h"

#include <string.h>

/* Does the path have the shape of the pattern? With `set`, sets the parameters. A name
 * at the end may have slashes: the label of a reservation is free text. */
static bool matches(const char *pattern, const char *path, struct request *set)
{
    while (*pattern && *path) {
        if (*pattern != '{') {
            if (*pattern++ != *path++)
                return false;
            continue;
        }
        bool rest = strcmp(pattern, "{name}") == 0;
        size_t name = strcspn(pattern, "}"), len = strcspn(path, rest ? "" : "/");
        char text[24] = "";
        if (len == 0 || name - 1 >= sizeof text)
            return false;
        memcpy(text, pattern + 1, name - 1);
        if (set)
            request_set_param(set, text, path, len);
        pattern += name + 1;
        path += len;
    }
    if (*path == 0 && path[-1] == '/' && strcmp(pattern, "{name}") == 0) {
        if (set) /* nothing has that name, and the answer says so */
            request_set_param(set, "name", path, 0);
        return true;
    }
    return *pattern == 0 && *path == 0;
}

const struct route *route_find(const struct route *routes, size_t n, struct request *r)
{
    const char *path = request_path(r);
    bool known = false;

    for (size_t i = 0; i < n; i++) {
        if (!matches(routes[i].path, path, NULL))
            continue;
        known = true;
        if (strcmp(routes[i].method, request_method(r)) == 0) {
            matches(routes[i].path, path, r);
            return &routes[i];
        }
    }
    struct strbuf text = {0};
    strbuf_printf(&text,
        known ? "%s cannot be used on %s; see /openapi.json"
              : "there is no %s %s; see /openapi.json",
        request_method(r), path);
    request_refuse_as(
        r, known ? 405 : 404, known ? "invalid" : "not_found", NULL, text.text);
    free(strbuf_take(&text));
    return NULL;
}
