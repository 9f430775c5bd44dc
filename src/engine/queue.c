/* SPDX-License-Identifier: Apache-2.0
 * The order of the queue: highest priority first, ties by submit time, then id.
 *
 * The cluster hands out queued jobs by (submit time, id); a stable sort by priority
 * alone therefore breaks ties as promised. Queues are usually sorted already, which
 * costs one look; otherwise a radix sort over the digits that differ. */
#include "engine/engine_private.h"
#include "policy/priority.h"

#include <string.h>

#define DIGIT_BITS 11
#define DIGITS     (1u << DIGIT_BITS)

/* A double as an integer of the same order. */
static uint64_t sortable(double x)
{
    uint64_t bits;

    memcpy(&bits, &x, sizeof bits);
    return bits >> 63 ? ~bits : bits | UINT64_C(1) << 63;
}

static uint64_t key_of(
    const struct engine *e, const struct job *j, enum queue_order order)
{
    if (order == ORDER_PRIORITY)
        return (uint64_t)INT64_MAX - (uint64_t)job_priority(e->c, j);
    return sortable(order_key(order, j, e->now, e->origin));
}

/* One stable counting pass by the digit at `shift`. */
static void radix_pass(
    const struct ranked *from, struct ranked *to, size_t n, unsigned shift)
{
    uint32_t place[DIGITS] = {0};
    uint32_t sum = 0;

    for (size_t i = 0; i < n; i++)
        place[from[i].key >> shift & (DIGITS - 1)]++;
    for (uint32_t d = 0; d < DIGITS; d++) {
        uint32_t count = place[d];
        place[d] = sum;
        sum += count;
    }
    for (size_t i = 0; i < n; i++)
        to[place[from[i].key >> shift & (DIGITS - 1)]++] = from[i];
}

/* Short queues: insertion keeps ties in place and needs no tables. */
static void insertion_sort(struct ranked *v, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        struct ranked item = v[i];
        size_t k = i;
        for (; k > 0 && v[k - 1].key > item.key; k--)
            v[k] = v[k - 1];
        v[k] = item;
    }
}

static void sort_ranked(struct engine *e, uint64_t low, uint64_t high)
{
    size_t n = e->ranked.n;

    if (n < 64) {
        insertion_sort(e->ranked.v, n);
        return;
    }
    for (size_t i = 0; i < n; i++)
        e->ranked.v[i].key -= low;
    e->spare.n = 0;
    vec_reserve(&e->spare, n);
    e->spare.n = n;
    for (unsigned shift = 0; shift < 64 && (high - low) >> shift; shift += DIGIT_BITS) {
        radix_pass(e->ranked.v, e->spare.v, n, shift);
        struct ranked *v = e->ranked.v;
        size_t cap = e->ranked.cap;
        e->ranked.v = e->spare.v;
        e->ranked.cap = e->spare.cap;
        e->spare.v = v;
        e->spare.cap = cap;
    }
}

void queue_begin(struct engine *e, size_t jobs)
{
    e->ranked.n = 0;
    vec_reserve(&e->ranked, jobs);
    e->rank_low = UINT64_MAX;
    e->rank_high = e->rank_last = 0;
    e->rank_sorted = true;
}

void queue_add(struct engine *e, const struct job *j, enum queue_order order)
{
    uint64_t key = key_of(e, j, order);

    e->ranked.v[e->ranked.n] = (struct ranked){key, j->index, (uint32_t)e->ranked.n};
    e->ranked.n++;
    e->rank_sorted &= key >= e->rank_last;
    e->rank_last = key;
    e->rank_low = key < e->rank_low ? key : e->rank_low;
    e->rank_high = key > e->rank_high ? key : e->rank_high;
}

void queue_end(struct engine *e, struct indexes *ret)
{
    if (!e->rank_sorted)
        sort_ranked(e, e->rank_low, e->rank_high);
    ret->n = 0;
    vec_reserve(ret, e->ranked.n);
    for (size_t i = 0; i < e->ranked.n; i++)
        ret->v[i] = e->ranked.v[i].job;
    ret->n = e->ranked.n;
}
