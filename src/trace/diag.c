/* SPDX-License-Identifier: Apache-2.0
 * Complaints about records of input files. */
#include "trace/diag.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

__attribute__((format(printf, 4, 0))) static void tell(const struct diag *d,
    const char *file, uint64_t line, const char *fmt, va_list args)
{
    char text[400];

    if (d->tell == NULL)
        return;
    vsnprintf(text, sizeof text, fmt, args);
    d->tell(d->ctx, file, line, text);
}

int diag_bad(struct diag *d, const char *file, uint64_t line, const char *fmt, ...)
{
    va_list args;

    if (d == NULL)
        return -1;
    d->count++;
    va_start(args, fmt);
    tell(d, file, line, fmt, args);
    va_end(args);
    return -1;
}

void diag_note(struct diag *d, const char *file, uint64_t line, const char *fmt, ...)
{
    va_list args;

    if (d == NULL)
        return;
    va_start(args, fmt);
    tell(d, file, line, fmt, args);
    va_end(args);
}
