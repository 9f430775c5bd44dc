/* SPDX-License-Identifier: Apache-2.0
 * Text that grows. */
#ifndef MAUI_BASE_STRBUF_H
#define MAUI_BASE_STRBUF_H

#include <stddef.h>

/* A zeroed struct is the empty text. `text` is NULL or ends in a NUL. */
struct strbuf {
    char *text;
    size_t len, cap;
};

void strbuf_add(struct strbuf *b, const char *text);
void strbuf_add_n(struct strbuf *b, const char *bytes, size_t len);
void strbuf_printf(struct strbuf *b, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* The text, from now on owned by the caller; never NULL. Empties the buffer. */
char *strbuf_take(struct strbuf *b);

#endif
