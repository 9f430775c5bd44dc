/* SPDX-License-Identifier: Apache-2.0
 * Blocks of 64 KiB, filled from the front; larger pieces get a block of their own. */
#include "base/arena.h"

#include "base/xalloc.h"

#include <stdalign.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK_SIZE ((size_t)65536)

struct arena_block {
    struct arena_block *next;
    size_t size;
    alignas(max_align_t) char bytes[];
};

void arena_free(struct arena *a)
{
    while (a->blocks != NULL) {
        struct arena_block *next = a->blocks->next;

        free(a->blocks);
        a->blocks = next;
    }
    a->left = 0;
}

/* The next `size` bytes, whatever their alignment. */
static char *take(struct arena *a, size_t size)
{
    if (size > a->left) {
        size_t room = size > BLOCK_SIZE ? size : BLOCK_SIZE;
        struct arena_block *b = xmalloc(sizeof *b + room);

        b->next = a->blocks;
        b->size = room;
        a->blocks = b;
        a->left = room;
    }
    a->left -= size;
    return a->blocks->bytes + a->blocks->size - a->left - size;
}

void *arena_take(struct arena *a, size_t count, size_t each)
{
    const size_t step = alignof(max_align_t);
    size_t rest = a->left % step, size;

    if (__builtin_mul_overflow(count > 0 ? count : 1, each, &size)
        || size > SIZE_MAX / 2)
        abort();   /* as xcalloc() does */
    if (rest != 0) /* blocks are multiples of `step`, so this aligns the next one */
        take(a, rest);
    size = (size + step - 1) / step * step;
    return memset(take(a, size), 0, size);
}

char *arena_text(struct arena *a, const char *text, size_t len)
{
    char *copy = take(a, len + 1);

    memcpy(copy, text, len);
    copy[len] = '\0';
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
