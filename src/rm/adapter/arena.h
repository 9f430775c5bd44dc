/* SPDX-License-Identifier: Apache-2.0
 * Memory of an answer: taken in small pieces, given back all at once. */
#ifndef MAUI_RM_ADAPTER_ARENA_H
#define MAUI_RM_ADAPTER_ARENA_H

#include "base/vec.h"

#include <stddef.h>

/* Zeroed: empty. */
struct arena {
    struct VEC(void *) blocks;
    size_t used, size; /* bytes of the last block */
};

/* Zeroed memory for so many of that size, aligned for anything; it lives until
 * arena_free(). */
void *arena_take(struct arena *a, size_t count, size_t size);
/* n bytes and a NUL. */
char *arena_text(struct arena *a, const char *text, size_t n);
/* Cut at 400 bytes. */
char *arena_printf(struct arena *a, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
void arena_free(struct arena *a);

#endif
