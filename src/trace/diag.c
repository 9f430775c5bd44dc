/* SPDX-License-Identifier: Apache-2.0
 * Complaints about records of input files. */
#include "trace/diag.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

int diag_bad(struct diag *d, const char *file, uint64_t line, const char *fmt, ...)
{
    char text[400];
    va_list args;

    if (d == NULL)
        return -1;
    d->count++;
    if (d->tell == NULL)
        return -1;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    d->tell(d->ctx, file, line, text);
    return -1;
}
