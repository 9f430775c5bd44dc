/* SPDX-License-Identifier: Apache-2.0
 * Errors a person reads. */
#include "base/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int err_set(struct err *err, enum err_code code, const char *fmt, ...)
{
    va_list ap;

    if (err == NULL)
        return -1;
    err->code = code;
    va_start(ap, fmt);
    vsnprintf(err->text, sizeof err->text, fmt, ap);
    va_end(ap);
    return -1;
}

int err_prefix(struct err *err, const char *fmt, ...)
{
    char old[sizeof err->text];
    va_list ap;
    size_t used;

    if (err == NULL)
        return -1;
    memcpy(old, err->text, sizeof old);
    va_start(ap, fmt);
    vsnprintf(err->text, sizeof err->text, fmt, ap);
    va_end(ap);
    used = strlen(err->text);
    snprintf(err->text + used, sizeof err->text - used, "%s", old);
    return -1;
}
