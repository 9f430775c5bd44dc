/* SPDX-License-Identifier: Apache-2.0
 * A set of small numbers (node indexes) that lie in long ranges: a bitset of which
 * words that are all alike are not written, as two sets of words tell which those are.
 * To put in, take out or pass over a range costs a bit for each 64 numbers. A zeroed
 * struct is the empty set; numbers that are put in must be below what was reserved. */
#ifndef MAUI_BASE_RANGESET_H
#define MAUI_BASE_RANGESET_H

#include "base/bitset.h"

struct rangeset {
    struct bitset bits; /* words count only where they are in `some`, not in `all` */
    struct bitset some, all; /* words that are not all zeros; that are all ones */
};

void rangeset_fini(struct rangeset *s);
/* Make room for the numbers below `bits`. */
void rangeset_reserve(struct rangeset *s, uint32_t bits);

/* The word holding numbers 64 * k and up. */
static inline uint64_t rangeset_word(const struct rangeset *s, uint32_t k)
{
    uint64_t bit = UINT64_C(1) << (k & 63);

    if (k >> 6 >= s->some.words || !(s->some.w[k >> 6] & bit))
        return 0;
    return s->all.w[k >> 6] & bit ? UINT64_MAX : s->bits.w[k];
}

static inline bool rangeset_test(const struct rangeset *s, uint32_t i)
{
    return (rangeset_word(s, i >> 6) >> (i & 63) & 1) != 0;
}

/* Put in what is not in it, or take out what is. */
void rangeset_turn(struct rangeset *s, uint32_t i);
/* All numbers of [from, to). */
void rangeset_set_range(struct rangeset *s, uint32_t from, uint32_t to);
void rangeset_clear_range(struct rangeset *s, uint32_t from, uint32_t to);

uint32_t rangeset_count(const struct rangeset *s);

/* The smallest number of [from, end) that is in (not in) the set, or `end`. */
uint32_t rangeset_next_within(const struct rangeset *s, uint32_t from, uint32_t end);
uint32_t rangeset_gap_within(const struct rangeset *s, uint32_t from, uint32_t end);
/* The largest number <= from in the set, or BITSET_NONE. */
uint32_t rangeset_prev(const struct rangeset *s, uint32_t from);
/* The smallest number >= `low` from which on all up to `from` are in the set; `from`
 * must be, and low <= from. */
uint32_t rangeset_run_down(const struct rangeset *s, uint32_t from, uint32_t low);

#endif
