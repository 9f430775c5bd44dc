/* SPDX-License-Identifier: Apache-2.0
 * Text of UTF-8: where its characters end (RFC 3629). */
#ifndef MAUI_BASE_UTF8_H
#define MAUI_BASE_UTF8_H

#include "base/strbuf.h"

/* How many bytes the character has that begins there, of so many that are left; 0: none
 * does. A NUL is a character of one byte. */
size_t utf8_length(const char *p, size_t left);

/* Append a sentence as one line: whole characters only, until there would be more than
 * `most` bytes in all. Control characters and those of `barred` become spaces, bytes
 * that are no text '?'. */
void utf8_add_line(
    struct strbuf *io, const char *text, size_t most, const char *barred);

#endif
