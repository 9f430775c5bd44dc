/* SPDX-License-Identifier: Apache-2.0
 * Memory that is there, or the end: running out is reported and fatal, because
 * no state that was acknowledged depends on this process surviving it. */
#ifndef MAUI_BASE_XALLOC_H
#define MAUI_BASE_XALLOC_H

#include <stddef.h>

/* All return owned memory, never NULL; a size of 0 gives a unique pointer. */
void *xmalloc(size_t size) __attribute__((malloc, returns_nonnull));
/* `size` must be a multiple of `align`, a power of two. Free with free(). */
void *xmalloc_aligned(size_t align, size_t size)
    __attribute__((malloc, returns_nonnull));
void *xcalloc(size_t count, size_t size) __attribute__((malloc, returns_nonnull));
void *xrealloc(void *old, size_t count, size_t size) __attribute__((returns_nonnull));
/* Zeroed memory for many records that stay. Above some megabytes the system is asked
 * for large pages: the first touch of each page costs as much as filling many records.
 * Free it with the same size. */
void *xcalloc_chunk(size_t size) __attribute__((malloc, returns_nonnull));
void xfree_chunk(void *p, size_t size);
char *xstrdup(const char *text) __attribute__((malloc, returns_nonnull));
char *xstrndup(const char *text, size_t max) __attribute__((malloc, returns_nonnull));

/* From now on that is called where memory has run out, before the end: for a child that
 * its parent shall know by its exit status. NULL: nothing is. */
void xalloc_at_end(void (*will)(void));

#endif
