/* SPDX-License-Identifier: Apache-2.0
 * Text that grows. */
#include "base/strbuf.h"

#include "base/xalloc.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void reserve(struct strbuf *b, size_t more)
{
    if (b->len + more + 1 <= b->cap)
        return;
    b->cap = b->cap * 2 > b->len + more + 1 ? b->cap * 2 : b->len + more + 64;
    b->text = xrealloc(b->text, b->cap, 1);
}

void strbuf_add_n(struct strbuf *b, const char *bytes, size_t len)
{
    reserve(b, len);
    memcpy(b->text + b->len, bytes, len);
    b->len += len;
    b->text[b->len] = 0;
}

void strbuf_add(struct strbuf *b, const char *text)
{
    strbuf_add_n(b, text, strlen(text));
}

void strbuf_printf(struct strbuf *b, const char *fmt, ...)
{
    va_list ap;
    int len;

    reserve(b, 80); /* most lines fit at once; the others are written twice */
    va_start(ap, fmt);
    len = vsnprintf(b->text + b->len, b->cap - b->len, fmt, ap);
    va_end(ap);
    if (len < 0)
        return;
    if ((size_t)len >= b->cap - b->len) {
        reserve(b, (size_t)len);
        va_start(ap, fmt);
        vsnprintf(b->text + b->len, b->cap - b->len, fmt, ap);
        va_end(ap);
    }
    b->len += (size_t)len;
}

char *strbuf_take(struct strbuf *b)
{
    char *text = b->text != NULL ? b->text : xstrdup("");

    *b = (struct strbuf){0};
    return text;
}
