/* SPDX-License-Identifier: Apache-2.0
 * Words of a query string as values. */
#include "server/http/request.h"

#include <errno.h>
#include <stdlib.h>

int request_query_int(const struct request *r, const char *name, int64_t otherwise,
    int64_t *ret, struct err *err)
{
    const char *text = request_query(r, name);
    char *end;

    *ret = otherwise;
    if (!text || !*text)
        return 0;
    errno = 0;
    long long n = strtoll(text, &end, 10);
    if (errno || *end)
        return err_set(
            err, ERR_INVALID, "%s: '%.40s' is not a whole number", name, text);
    *ret = n;
    return 0;
}
