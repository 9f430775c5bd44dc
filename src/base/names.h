/* SPDX-License-Identifier: Apache-2.0
 * Names as small numbers: each distinct text gets the next id, for ever. */
#ifndef MAUI_BASE_NAMES_H
#define MAUI_BASE_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NAME_NONE UINT32_MAX

struct names;

struct names *names_create(void);
void names_destroy(struct names *n);

/* The id of `text`, given one now if it is new. O(1). Case-sensitive. */
uint32_t names_intern(struct names *n, const char *text);

/* The next ids for `count` names that are known to be new: those that count on from the
 * number that `text` ends in, as name_next() does. They are made when names_row_text()
 * asks for one, or something is looked up. One such row a table. O(1). */
void names_append_row(struct names *n, const char *text, uint32_t count);
const char *names_row_text(
    struct names *n, uint32_t id); /* names_text(), of any name */

/* The id of `text`, or NAME_NONE. O(1). */
uint32_t names_find(struct names *n, const char *text);

/* The text of an id that was interned; borrowed, valid as long as the table. */
const char *names_text(const struct names *n, uint32_t id);

uint32_t names_count(const struct names *n);

/* Make the number that the name ends in larger by one: "n9" becomes "n10", "n09" also.
 * False, and nothing changed, where there is none or `room` bytes do not suffice. */
bool name_next(char *name, size_t room);

/* Natural order of identifiers: runs of digits compare as numbers
 * ("job9" before "job10"). A total order: 0 only for equal text. */
int name_compare(const char *a, const char *b);

#endif
