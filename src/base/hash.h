/* SPDX-License-Identifier: Apache-2.0
 * uthash with our memory: xmalloc() does not return when memory runs out, so the
 * library's own way out (which would end the process) is never taken. */
#ifndef MAUI_BASE_HASH_H
#define MAUI_BASE_HASH_H

#include "base/xalloc.h"

#include <assert.h>
#include <stdint.h>
#include <string.h>

#define uthash_malloc(size)     xmalloc(size)
#define uthash_free(area, size) free(area)
#define uthash_fatal(text)      assert(!(text))

/* Keys here are short (ids, a handful of numbers): eight bytes at a time. Nothing is
 * ordered by it. */
static inline unsigned hash_bytes(const void *key, size_t size)
{
    const unsigned char *p = key;
    uint64_t h = size, word;

    for (; size >= 8; size -= 8, p += 8) {
        memcpy(&word, p, 8);
        h = (h ^ word) * UINT64_C(0x9E3779B97F4A7C15);
        h ^= h >> 32;
    }
    for (word = 0; size > 0; size--)
        word = word << 8 | *p++;
    h = (h ^ word) * UINT64_C(0x9E3779B97F4A7C15);
    return (unsigned)(h ^ h >> 32);
}
/* One more number into a hash of several. */
static inline uint64_t hash_mix(uint64_t h, uint64_t v)
{
    h = (h ^ v) * UINT64_C(0x9E3779B97F4A7C15);
    return h ^ h >> 32;
}
#define HASH_FUNCTION(key, size, ret) ((ret) = hash_bytes((key), (size)))

#include <uthash.h>

#endif
