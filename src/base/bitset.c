/* SPDX-License-Identifier: Apache-2.0
 * A set of small numbers, one bit each. */
#include "base/bitset.h"

#include "base/xalloc.h"

#include <stdlib.h>
#include <string.h>

#define ALL_ONES UINT64_MAX

static uint32_t min_words(const struct bitset *a, const struct bitset *b)
{
    return a->words < b->words ? a->words : b->words;
}

void bitset_fini(struct bitset *b)
{
    free(b->w);
    *b = (struct bitset){0};
}

void bitset_reserve(struct bitset *b, uint32_t bits)
{
    uint32_t need = bits / 64 + (bits % 64 != 0), size;

    if (need <= b->words)
        return;
    size = b->words * 2 > need ? b->words * 2 : need;
    b->w = xrealloc(b->w, size, sizeof *b->w);
    memset(b->w + b->words, 0, (size - b->words) * sizeof *b->w);
    b->words = size;
}

/* The bits of word k that lie in [from, to); k must touch the range. */
static uint64_t range_mask(uint32_t k, uint32_t from, uint32_t to)
{
    uint64_t mask = ALL_ONES;

    if (k == from >> 6)
        mask &= ALL_ONES << (from & 63);
    if (k == to >> 6)
        mask &= (UINT64_C(1) << (to & 63)) - 1;
    return mask;
}

void bitset_set_range(struct bitset *b, uint32_t from, uint32_t to)
{
    uint32_t first = from >> 6, last = (to - 1) >> 6;

    if (from >= to)
        return;
    bitset_reserve(b, to);
    b->w[first] |= range_mask(first, from, to);
    if (last == first)
        return;
    memset(b->w + first + 1, 0xff, (last - first - 1) * sizeof *b->w);
    b->w[last] |= range_mask(last, from, to);
}

void bitset_clear_range(struct bitset *b, uint32_t from, uint32_t to)
{
    uint32_t first = from >> 6, last = (to - 1) >> 6;

    if (from >= to || first >= b->words)
        return;
    b->w[first] &= ~range_mask(first, from, to);
    if (last == first)
        return;
    if (last < b->words)
        b->w[last] &= ~range_mask(last, from, to);
    else
        last = b->words;
    memset(b->w + first + 1, 0, (last - first - 1) * sizeof *b->w);
}

void bitset_clear_all(struct bitset *b)
{
    if (b->words > 0)
        memset(b->w, 0, b->words * sizeof *b->w);
}

uint32_t bitset_count(const struct bitset *b)
{
    uint32_t n = 0;

    for (uint32_t k = 0; k < b->words; k++)
        n += (uint32_t)__builtin_popcountll(b->w[k]);
    return n;
}

uint32_t bitset_count_range(const struct bitset *b, uint32_t from, uint32_t to)
{
    uint32_t n = 0;

    if (from >= to)
        return 0;
    for (uint32_t k = from >> 6; k <= (to - 1) >> 6 && k < b->words; k++)
        n += (uint32_t)__builtin_popcountll(b->w[k] & range_mask(k, from, to));
    return n;
}

bool bitset_any(const struct bitset *b)
{
    for (uint32_t k = 0; k < b->words; k++)
        if (b->w[k] != 0)
            return true;
    return false;
}

/* ---- searching ---- */

/* Long runs of words that are all alike are passed over so many at once. */
#define STRIDE 8

/* Two words, which every processor of 64 bits compares at once. */
typedef uint64_t pair __attribute__((vector_size(16), aligned(8), may_alias));

/* Are STRIDE words from `w` on all equal to `same`? */
static bool all_same(const uint64_t *w, uint64_t same)
{
    const pair *p = (const pair *)w;
    const pair flip = {same, same};
    pair other = (p[0] ^ flip) | (p[1] ^ flip) | (p[2] ^ flip) | (p[3] ^ flip);

    return (other[0] | other[1]) == 0;
}

uint32_t bitset_next(const struct bitset *b, uint32_t from)
{
    uint32_t k = from >> 6;
    uint64_t word = bitset_word(b, k) & ALL_ONES << (from & 63);

    while (word == 0) {
        if (++k >= b->words)
            return BITSET_NONE;
        word = b->w[k];
    }
    return k * 64 + (uint32_t)__builtin_ctzll(word);
}

uint32_t bitset_prev(const struct bitset *b, uint32_t from)
{
    uint32_t k = from >> 6;
    uint64_t word = bitset_word(b, k) & ALL_ONES >> (63 - (from & 63));

    if (k >= b->words) {
        if (b->words == 0)
            return BITSET_NONE;
        k = b->words - 1;
        word = b->w[k];
    }
    while (word == 0) {
        while (k >= STRIDE && all_same(b->w + k - STRIDE, 0))
            k -= STRIDE;
        if (k == 0)
            return BITSET_NONE;
        word = b->w[--k];
    }
    return k * 64 + 63 - (uint32_t)__builtin_clzll(word);
}

uint32_t bitset_next_clear(const struct bitset *b, uint32_t from)
{
    uint32_t k = from >> 6;
    uint64_t word = ~bitset_word(b, k) & ALL_ONES << (from & 63);

    while (word == 0)
        word = ~bitset_word(b, ++k);
    return k * 64 + (uint32_t)__builtin_ctzll(word);
}

/* The first bit from `from` on, before `end`, in words that are turned over where
 * `flip` is all ones. */
static uint32_t first_within(
    const struct bitset *b, uint32_t from, uint32_t end, uint64_t flip)
{
    uint32_t k = from >> 6;

    if (from >= end)
        return end;
    uint64_t word = (bitset_word(b, k) ^ flip) & ALL_ONES << (from & 63);
    if (word == 0) {
        uint32_t last = (end - 1) >> 6, known = last < b->words ? last + 1 : b->words;
        k++;
        while (k + STRIDE <= known && all_same(b->w + k, flip))
            k += STRIDE;
        while (k < known && (word = b->w[k] ^ flip) == 0)
            k++;
        if (k >= known)
            return flip && known <= last ? known * 64 : end;
    }
    uint32_t found = k * 64 + (uint32_t)__builtin_ctzll(word);
    return found < end ? found : end;
}

uint32_t bitset_next_within(const struct bitset *b, uint32_t from, uint32_t end)
{
    return first_within(b, from, end, 0);
}

uint32_t bitset_gap_within(const struct bitset *b, uint32_t from, uint32_t end)
{
    return first_within(b, from, end, ALL_ONES);
}

uint32_t bitset_run_down(const struct bitset *b, uint32_t from, uint32_t low)
{
    uint32_t k = from >> 6;
    uint64_t gaps = ~bitset_word(b, k) & ALL_ONES >> (63 - (from & 63));

    if (gaps == 0) {
        uint32_t least = low >> 6;
        while (k >= least + STRIDE && all_same(b->w + k - STRIDE, ALL_ONES))
            k -= STRIDE;
        do {
            if (k-- <= least)
                return low;
            gaps = ~bitset_word(b, k);
        } while (gaps == 0);
    }
    uint32_t run = k * 64 + 64 - (uint32_t)__builtin_clzll(gaps);
    return run > low ? run : low;
}

void bitset_and(struct bitset *b, const struct bitset *other)
{
    uint32_t n = min_words(b, other);

    for (uint32_t k = 0; k < n; k++)
        b->w[k] &= other->w[k];
    if (b->words > n)
        memset(b->w + n, 0, (b->words - n) * sizeof *b->w);
}

void bitset_or(struct bitset *b, const struct bitset *other)
{
    if (other->words > b->words)
        bitset_reserve(b, other->words * 64);
    for (uint32_t k = 0; k < other->words; k++)
        b->w[k] |= other->w[k];
}

void bitset_andnot(struct bitset *b, const struct bitset *other)
{
    uint32_t n = min_words(b, other);

    for (uint32_t k = 0; k < n; k++)
        b->w[k] &= ~other->w[k];
}

void bitset_copy(struct bitset *b, const struct bitset *other)
{
    bitset_clear_all(b);
    bitset_or(b, other);
}

bool bitset_equal(const struct bitset *a, const struct bitset *b)
{
    return bitset_subset(a, b) && bitset_subset(b, a);
}

bool bitset_intersects(const struct bitset *a, const struct bitset *b)
{
    uint32_t n = min_words(a, b);

    for (uint32_t k = 0; k < n; k++)
        if ((a->w[k] & b->w[k]) != 0)
            return true;
    return false;
}

bool bitset_subset(const struct bitset *a, const struct bitset *b)
{
    for (uint32_t k = 0; k < a->words; k++)
        if ((a->w[k] & ~bitset_word(b, k)) != 0)
            return false;
    return true;
}
