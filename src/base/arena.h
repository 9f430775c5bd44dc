/* SPDX-License-Identifier: Apache-2.0
 * Many small pieces of memory that live and die together: the texts of a
 * trace, what is read of an answer. */
#ifndef MAUI_BASE_ARENA_H
#define MAUI_BASE_ARENA_H

#include <stddef.h>

struct arena_block;

/* A zeroed struct is an empty arena. */
struct arena {
    struct arena_block *blocks; /* owned; the first one is being filled */
    size_t left;                /* bytes free in the first one */
};

/* Zeroed memory for so many (at least one) of that size, aligned for any type; valid
 * until arena_free(). */
void *arena_take(struct arena *a, size_t count, size_t each);

/* A terminated copy of `len` bytes. */
char *arena_text(struct arena *a, const char *text, size_t len);

/* Cut at 400 bytes. */
char *arena_printf(struct arena *a, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* Gives all back; it is empty then. */
void arena_free(struct arena *a);

#endif
