/* SPDX-License-Identifier: Apache-2.0
 * What of an old maui.cfg is a secret: attributes that the table calls so, sections of
 * peers, and comments that seem to hold one. */
#ifndef MAUI_CLIENT_IMPORT_SECRETS_H
#define MAUI_CLIENT_IMPORT_SECRETS_H

#include <stdbool.h>

struct grammar_line;
struct table_index;

/* May a comment, or a text of another language, hold one? */
bool secrets_may_be_in(const char *text);

/* The setting without the secrets in it, joined lines joined by backslashes; owned by
 * the caller. NULL: nothing is left of it. `*ret_cut`: something was left out; if not,
 * the line may stay as it is written. */
char *secrets_cut(
    const struct table_index *t, const struct grammar_line *line, bool *ret_cut);

#endif
