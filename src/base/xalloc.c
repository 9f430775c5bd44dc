/* SPDX-License-Identifier: Apache-2.0
 * Memory that is there, or the end. */
#include "base/xalloc.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void (*last_will)(void); /* NULL = none */

void xalloc_at_end(void (*will)(void))
{
    last_will = will;
}

/* Plain write: whatever formats or buffers may want memory itself. */
static void out_of_memory(void) __attribute__((noreturn));
static void out_of_memory(void)
{
    static const char text[] = "maui: out of memory\n";

    if (last_will)
        last_will();
    if (write(STDERR_FILENO, text, sizeof text - 1) < 0)
        abort();
    abort();
}

void *xmalloc(size_t size)
{
    void *p = malloc(size > 0 ? size : 1);

    if (p == NULL)
        out_of_memory();
    return p;
}

void *xcalloc(size_t count, size_t size)
{
    void *p = calloc(count > 0 ? count : 1, size > 0 ? size : 1);

    if (p == NULL)
        out_of_memory();
    return p;
}

void *xrealloc(void *old, size_t count, size_t size)
{
    void *p;

    if (size > 0 && count > SIZE_MAX / size)
        out_of_memory();
    p = realloc(old, count * size > 0 ? count * size : 1);
    if (p == NULL)
        out_of_memory();
    return p;
}

void *xmalloc_aligned(size_t align, size_t size)
{
    void *p = aligned_alloc(align, size);

    if (p == NULL)
        out_of_memory();
    return p;
}

#define LARGE_PAGE ((size_t)2 << 20)

static size_t large_pages(size_t size)
{
    return (size + LARGE_PAGE - 1) & ~(LARGE_PAGE - 1);
}

/* Mapped with room to begin at the border of a large page; what is over goes back. */
static void *map_large(size_t size)
{
    char *p = mmap(NULL, size + LARGE_PAGE, PROT_READ | PROT_WRITE,
        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (p == MAP_FAILED)
        out_of_memory();
    size_t before = -(uintptr_t)p & (LARGE_PAGE - 1);
    if (before > 0)
        munmap(p, before);
    if (before < LARGE_PAGE)
        munmap(p + before + size, LARGE_PAGE - before);
    madvise(p + before, size, MADV_HUGEPAGE); /* a wish: small pages do as well */
    return p + before;
}

void *xcalloc_chunk(size_t size)
{
    return size < LARGE_PAGE ? xcalloc(1, size) : map_large(large_pages(size));
}

void xfree_chunk(void *p, size_t size)
{
    if (size < LARGE_PAGE)
        free(p);
    else if (p != NULL)
        munmap(p, large_pages(size));
}

char *xstrdup(const char *text)
{
    size_t size = strlen(text) + 1;

    return memcpy(xmalloc(size), text, size);
}

char *xstrndup(const char *text, size_t max)
{
    size_t len = strnlen(text, max);
    char *copy = xmalloc(len + 1);

    memcpy(copy, text, len);
    copy[len] = '\0';
    return copy;
}
