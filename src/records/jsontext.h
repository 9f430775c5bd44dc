/* SPDX-License-Identifier: Apache-2.0
 * JSON values as text, compact, members in the order in which they were set: what
 * json_dumps() does, at a fifth of its cost, for what is written all the time. */
#ifndef MAUI_RECORDS_JSONTEXT_H
#define MAUI_RECORDS_JSONTEXT_H

#include <jansson.h>

/* Owned by the caller. The value must not contain itself. */
char *jsontext(const json_t *value);

#endif
