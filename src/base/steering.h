/* SPDX-License-Identifier: Apache-2.0
 * Characters that steer a terminal, which somebody's text is not to do to who reads it.
 */
#ifndef MAUI_BASE_STEERING_H
#define MAUI_BASE_STEERING_H

#include <stddef.h>

/* Bytes of the UTF-8 character at `text` if it steers a terminal: a control character,
 * a line or paragraph separator (U+2028), a mark or override of the direction (U+200E,
 * U+202A, U+2066 ...), which shows a name backwards. 0 = it does not, or the text ends.
 */
size_t steering_bytes(const char *text);

/* The first of them in the text; NULL = there is none. */
const char *steering_find(const char *text);

/* Each byte of them becomes "?". */
void steering_replace(char *io_text);

#endif
