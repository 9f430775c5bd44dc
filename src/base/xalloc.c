/* SPDX-License-Identifier: Apache-2.0
 * Memory that is there, or the end. */
#include "base/xalloc.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Plain write: whatever formats or buffers may want memory itself. */
static void out_of_memory(void) __attribute__((noreturn));
static void out_of_memory(void)
{
    static const char text[] = "maui: out of memory\n";

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
