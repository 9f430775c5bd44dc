/* SPDX-License-Identifier: Apache-2.0
 * A set of small numbers (node indexes), one bit each. Grows as numbers are
 * put in; whatever lies beyond its end is not in the set. A zeroed struct is
 * the empty set. */
#ifndef MAUI_BASE_BITSET_H
#define MAUI_BASE_BITSET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BITSET_NONE UINT32_MAX

struct bitset {
    uint64_t *w;    /* owned; bit i of word k is number 64 * k + i */
    uint32_t words; /* words in use; those beyond are taken as zero */
};

void bitset_fini(struct bitset *b);

/* Make room for the numbers below `bits`. */
void bitset_reserve(struct bitset *b, uint32_t bits);

/* The word holding numbers 64 * k and up; 0 beyond the end. */
static inline uint64_t bitset_word(const struct bitset *b, uint32_t k)
{
    return k < b->words ? b->w[k] : 0;
}

static inline bool bitset_test(const struct bitset *b, uint32_t i)
{
    return (bitset_word(b, i >> 6) >> (i & 63) & 1) != 0;
}

static inline void bitset_set(struct bitset *b, uint32_t i)
{
    if (i >> 6 >= b->words)
        bitset_reserve(b, i + 1);
    b->w[i >> 6] |= UINT64_C(1) << (i & 63);
}

static inline void bitset_clear(struct bitset *b, uint32_t i)
{
    if (i >> 6 < b->words)
        b->w[i >> 6] &= ~(UINT64_C(1) << (i & 63));
}

/* Put in, or take out, all numbers of [from, to). */
void bitset_set_range(struct bitset *b, uint32_t from, uint32_t to);
void bitset_clear_range(struct bitset *b, uint32_t from, uint32_t to);
void bitset_clear_all(struct bitset *b);

/* How many numbers are in the set; in [from, to) of it. */
uint32_t bitset_count(const struct bitset *b);
uint32_t bitset_count_range(const struct bitset *b, uint32_t from, uint32_t to);
bool bitset_any(const struct bitset *b);

/* The smallest number >= from (largest <= from) in the set, or BITSET_NONE. */
uint32_t bitset_next(const struct bitset *b, uint32_t from);
uint32_t bitset_prev(const struct bitset *b, uint32_t from);
/* The smallest number >= from that is not in the set; always exists. */
uint32_t bitset_next_clear(const struct bitset *b, uint32_t from);
/* The smallest number of [from, end) that is in (not in) the set, or `end`. Looks no
 * further. */
uint32_t bitset_next_within(const struct bitset *b, uint32_t from, uint32_t end);
uint32_t bitset_gap_within(const struct bitset *b, uint32_t from, uint32_t end);
/* The smallest number >= `low` from which on all up to `from` are in the set; `from`
 * must be, and low <= from. */
uint32_t bitset_run_down(const struct bitset *b, uint32_t from, uint32_t low);

/* b = b AND other, b OR other, b AND NOT other; b = other. */
void bitset_and(struct bitset *b, const struct bitset *other);
void bitset_or(struct bitset *b, const struct bitset *other);
void bitset_andnot(struct bitset *b, const struct bitset *other);
void bitset_copy(struct bitset *b, const struct bitset *other);

bool bitset_equal(const struct bitset *a, const struct bitset *b);
bool bitset_intersects(const struct bitset *a, const struct bitset *b);
/* Every number of `a` is in `b`. */
bool bitset_subset(const struct bitset *a, const struct bitset *b);

/* Walk the set in rising order:
 *     for (uint32_t i = bitset_next(b, 0); i != BITSET_NONE; i = bitset_next(b, i + 1))
 */

#endif
