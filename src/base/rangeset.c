/* SPDX-License-Identifier: Apache-2.0
 * A set of small numbers that lie in long ranges. */
#include "base/rangeset.h"

#define ALL_ONES UINT64_MAX

void rangeset_fini(struct rangeset *s)
{
    bitset_fini(&s->bits);
    bitset_fini(&s->some);
    bitset_fini(&s->all);
}

void rangeset_reserve(struct rangeset *s, uint32_t bits)
{
    bitset_reserve(&s->bits, bits);
    bitset_reserve(&s->some, s->bits.words);
    bitset_reserve(&s->all, s->bits.words);
}

/* ---- changing -------------------------------------------------------------------- */

static void put_word(struct rangeset *s, uint32_t k, uint64_t word)
{
    uint64_t bit = UINT64_C(1) << (k & 63);
    uint64_t *some = &s->some.w[k >> 6], *all = &s->all.w[k >> 6];

    s->bits.w[k] = word;
    *some = word != 0 ? *some | bit : *some & ~bit;
    *all = word == ALL_ONES ? *all | bit : *all & ~bit;
}

void rangeset_turn(struct rangeset *s, uint32_t i)
{
    uint32_t k = i >> 6;
    uint64_t old = rangeset_word(s, k), word = old ^ UINT64_C(1) << (i & 63);

    s->bits.w[k] = word;
    if (old == 0 || word == 0)
        s->some.w[k >> 6] ^= UINT64_C(1) << (k & 63);
    else if (old == ALL_ONES || word == ALL_ONES)
        s->all.w[k >> 6] ^= UINT64_C(1) << (k & 63);
}

/* Bits of the first and the last word of a range. */
static uint64_t mask_from(uint32_t from)
{
    return ALL_ONES << (from & 63);
}

static uint64_t mask_to(uint32_t to)
{
    return ALL_ONES >> (63 - ((to - 1) & 63));
}

void rangeset_set_range(struct rangeset *s, uint32_t from, uint32_t to)
{
    uint32_t first = from >> 6, last = (to - 1) >> 6;

    if (from >= to)
        return;
    if (first == last) {
        put_word(s, first, rangeset_word(s, first) | (mask_from(from) & mask_to(to)));
        return;
    }
    put_word(s, first, rangeset_word(s, first) | mask_from(from));
    put_word(s, last, rangeset_word(s, last) | mask_to(to));
    bitset_set_range(&s->some, first + 1, last);
    bitset_set_range(&s->all, first + 1, last);
}

void rangeset_clear_range(struct rangeset *s, uint32_t from, uint32_t to)
{
    uint32_t room = s->bits.words * 64, first = from >> 6;

    to = to < room ? to : room;
    if (from >= to)
        return;
    uint32_t last = (to - 1) >> 6;
    if (first == last) {
        put_word(s, first, rangeset_word(s, first) & ~(mask_from(from) & mask_to(to)));
        return;
    }
    put_word(s, first, rangeset_word(s, first) & ~mask_from(from));
    put_word(s, last, rangeset_word(s, last) & ~mask_to(to));
    bitset_clear_range(&s->some, first + 1, last);
    bitset_clear_range(&s->all, first + 1, last);
}

/* ---- asking ---------------------------------------------------------------------- */

uint32_t rangeset_count(const struct rangeset *s)
{
    uint32_t n = 0;

    for (uint32_t k = 0; k < s->bits.words; k++)
        n += (uint32_t)__builtin_popcountll(rangeset_word(s, k));
    return n;
}

static uint32_t lowest(uint32_t k, uint64_t word, uint32_t end)
{
    uint32_t found = k * 64 + (uint32_t)__builtin_ctzll(word);

    return found < end ? found : end;
}

uint32_t rangeset_next_within(const struct rangeset *s, uint32_t from, uint32_t end)
{
    uint32_t k = from >> 6, words = ((end - 1) >> 6) + 1;

    if (from >= end)
        return end;
    uint64_t word = rangeset_word(s, k) & mask_from(from);
    if (word == 0) {
        k = bitset_next_within(&s->some, k + 1, words);
        if (k >= words)
            return end;
        word = rangeset_word(s, k);
    }
    return lowest(k, word, end);
}

uint32_t rangeset_gap_within(const struct rangeset *s, uint32_t from, uint32_t end)
{
    uint32_t k = from >> 6, words = ((end - 1) >> 6) + 1;

    if (from >= end)
        return end;
    uint64_t gaps = ~rangeset_word(s, k) & mask_from(from);
    if (gaps == 0) {
        k = bitset_gap_within(&s->all, k + 1, words);
        if (k >= words)
            return end;
        gaps = ~rangeset_word(s, k);
    }
    return lowest(k, gaps, end);
}

uint32_t rangeset_prev(const struct rangeset *s, uint32_t from)
{
    uint32_t k = from >> 6;
    uint64_t word = rangeset_word(s, k) & mask_to(from + 1);

    if (word == 0) {
        k = k > 0 ? bitset_prev(&s->some, k - 1) : BITSET_NONE;
        if (k == BITSET_NONE)
            return BITSET_NONE;
        word = rangeset_word(s, k);
    }
    return k * 64 + 63 - (uint32_t)__builtin_clzll(word);
}

uint32_t rangeset_run_down(const struct rangeset *s, uint32_t from, uint32_t low)
{
    uint32_t k = from >> 6, least = low >> 6;
    uint64_t gaps = ~rangeset_word(s, k) & mask_to(from + 1);

    if (gaps == 0) {
        if (k > least && bitset_test(&s->all, k - 1))
            k = bitset_run_down(&s->all, k - 1, least);
        if (k <= least)
            return low;
        gaps = ~rangeset_word(s, --k);
    }
    uint32_t run = k * 64 + 64 - (uint32_t)__builtin_clzll(gaps);
    return run > low ? run : low;
}
