/* SPDX-License-Identifier: Apache-2.0
 * Characters of UTF-8, found and kept whole. */
#include "base/utf8.h"

#include <string.h>

size_t utf8_length(const char *p, size_t left)
{
    const unsigned char *u = (const unsigned char *)p;
    size_t n = *u < 0x80 ? 1 : *u < 0xc2 ? 0 : *u < 0xe0 ? 2 : *u < 0xf0 ? 3 : 4;

    if (n == 0 || n > left || *u > 0xf4)
        return 0;
    for (size_t i = 1; i < n; i++)
        if ((u[i] & 0xc0) != 0x80)
            return 0;
    if ((*u == 0xe0 && u[1] < 0xa0) || (*u == 0xed && u[1] > 0x9f)
        || (*u == 0xf0 && u[1] < 0x90) || (*u == 0xf4 && u[1] > 0x8f))
        return 0;
    return n;
}

void utf8_add_line(struct strbuf *io, const char *text, size_t most, const char *barred)
{
    size_t n;

    for (const char *p = text; *p != '\0'; p += n > 0 ? n : 1) {
        unsigned char c = (unsigned char)*p;

        n = utf8_length(p, strnlen(p, 4));
        if (io->len + (n > 0 ? n : 1) > most)
            return;
        if (n == 0)
            strbuf_add(io, "?");
        else if (c < ' ' || c == 0x7f || strchr(barred, c) != NULL)
            strbuf_add(io, " ");
        else
            strbuf_add_n(io, p, n);
    }
}
