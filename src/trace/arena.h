/* SPDX-License-Identifier: Apache-2.0
 * Many small pieces of memory that live and die together: the texts of a trace. */
#ifndef MAUI_TRACE_ARENA_H
#define MAUI_TRACE_ARENA_H

#include <stddef.h>

struct arena_block;

/* A zeroed struct is an empty arena. */
struct arena {
    struct arena_block *blocks; /* owned; the first one is being filled */
    size_t left;                /* bytes free in the first one */
};

void arena_fini(struct arena *a);

/* `size` bytes, zeroed and aligned for any type; valid until arena_fini(). */
void *arena_alloc(struct arena *a, size_t size);

/* A terminated copy of `len` bytes. */
char *arena_text(struct arena *a, const char *text, size_t len);

#endif
