/* SPDX-License-Identifier: Apache-2.0
 * What is wrong with a record of an input file: told to whoever asked, counted,
 * and the record left out. */
#ifndef MAUI_TRACE_DIAG_H
#define MAUI_TRACE_DIAG_H

#include <stdint.h>

/* Where complaints go. `tell` may be NULL: only counted. */
struct diag {
    void (*tell)(void *ctx, const char *file, uint64_t line, const char *text);
    void *ctx;
    uint64_t count;
};

/* Tell that line `line` of `file` is unusable. `d` may be NULL. Always returns -1. */
int diag_bad(struct diag *d, const char *file, uint64_t line, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

/* Tell something of the file that is no fault. `d` may be NULL. */
void diag_note(struct diag *d, const char *file, uint64_t line, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

#endif
