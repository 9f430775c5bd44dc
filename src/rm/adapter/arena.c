/* SPDX-License-Identifier: Apache-2.0
 * Blocks of at least 16 KB, each filled from its beginning. */
#include "rm/adapter/arena.h"

#include "base/xalloc.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK 16384
#define ALIGN 16

void *arena_take(struct arena *a, size_t count, size_t size)
{
    size_t bytes;
    char *at;

    if (__builtin_mul_overflow(count > 0 ? count : 1, size, &bytes)
        || bytes > SIZE_MAX / 2)
        abort(); /* as xcalloc() does */
    bytes = (bytes + ALIGN - 1) / ALIGN * ALIGN;
    if (a->blocks.n == 0 || bytes > a->size - a->used) {
        a->size = bytes > BLOCK ? bytes : BLOCK;
        a->used = 0;
        vec_push(&a->blocks, xcalloc(1, a->size));
    }
    at = (char *)a->blocks.v[a->blocks.n - 1] + a->used;
    a->used += bytes;
    return at;
}

char *arena_text(struct arena *a, const char *text, size_t n)
{
    char *copy = arena_take(a, n + 1, 1);

    memcpy(copy, text, n);
    return copy;
}

char *arena_printf(struct arena *a, const char *fmt, ...)
{
    char text[400];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    return arena_text(a, text, strlen(text));
}

void arena_free(struct arena *a)
{
    for (size_t i = 0; i < a->blocks.n; i++)
        free(a->blocks.v[i]);
    vec_fini(&a->blocks);
    *a = (struct arena){0};
}
