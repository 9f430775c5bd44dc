/* SPDX-License-Identifier: Apache-2.0
 * Errors a person reads: one code, one sentence. */
#ifndef MAUI_BASE_ERR_H
#define MAUI_BASE_ERR_H

enum err_code {
    ERR_NONE,
    ERR_INVALID,
    ERR_NOT_FOUND,
    ERR_DENIED,
    ERR_CONFLICT,
    ERR_IO
};

/* Filled by the callee on failure only; lives on the caller's stack. */
struct err {
    enum err_code code;
    char text[400]; /* one sentence for a person, no trailing newline */
};

/* Record a failure. Always returns -1, so callers write: return err_set(...).
 * `err` may be NULL when nobody will read the sentence. */
int err_set(struct err *err, enum err_code code, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* Put context in front of a recorded sentence ("FILE:12: ..."). Returns -1. */
int err_prefix(struct err *err, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

#endif
