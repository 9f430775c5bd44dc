/* SPDX-License-Identifier: Apache-2.0
 * Lists of names within records, as the classic layouts write them. */
#ifndef MAUI_CLIENT_LISTS_H
#define MAUI_CLIENT_LISTS_H

#include "base/strbuf.h"

#include <jansson.h>
#include <stdint.h>

/* Append "[a][b]", or `none` when the list is empty or not there. */
void list_brackets(struct strbuf *out, const json_t *list, const char *none);
/* Append "a<sep>b". */
void list_joined(
    struct strbuf *out, const json_t *list, const char *sep, const char *none);

/* Append "PROCS: 4  MEM: 8192M  SWAP: 16G  DISK: 39G", what is 0 left out; -1 is
 * [ALL]. "[NONE]" when nothing is left. */
void list_amounts(struct strbuf *out, const json_t *amounts);

/* Print what was collected and a line end; empties it. */
void list_print(struct strbuf *out);

/* Sort records of reservations: those of jobs first, then by name, numbers in it as
 * numbers. */
void list_sort_reservations(json_t *list);

#endif
