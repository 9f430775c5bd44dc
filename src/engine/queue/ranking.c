/* SPDX-License-Identifier: Apache-2.0
 * See ranking.h. A queue handed out by submit time and id, sorted stably by priority
 * alone, has its ties as promised. Queues are usually sorted already, which costs one
 * look; otherwise a radix sort over the digits that differ. */
#include "engine/queue/ranking.h"

#include <string.h>

#define DIGIT_BITS 11
#define DIGITS     (1u << DIGIT_BITS)

/* A double as an integer of the same order. */
uint64_t ranking_key_of(double key)
{
    uint64_t bits;

    memcpy(&bits, &key, sizeof bits);
    return bits >> 63 ? ~bits : bits | UINT64_C(1) << 63;
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

static void sort(struct ranking *r)
{
    size_t n = r->v.n;

    if (n < 64) {
        insertion_sort(r->v.v, n);
        return;
    }
    for (size_t i = 0; i < n; i++)
        r->v.v[i].key -= r->low;
    r->spare.n = 0;
    vec_reserve(&r->spare, n);
    r->spare.n = n;
    for (unsigned shift = 0; shift < 64 && (r->high - r->low) >> shift;
         shift += DIGIT_BITS) {
        radix_pass(r->v.v, r->spare.v, n, shift);
        struct ranked_list unsorted = r->v;
        r->v = r->spare;
        r->spare = unsorted;
    }
}

void ranking_begin(struct ranking *r, size_t jobs)
{
    r->v.n = 0;
    vec_reserve(&r->v, jobs);
    r->low = UINT64_MAX;
    r->high = r->last = 0;
    r->sorted = true;
}

void ranking_end(struct ranking *r, struct indexes *ret)
{
    if (!r->sorted)
        sort(r);
    ret->n = 0;
    vec_reserve(ret, r->v.n);
    for (size_t i = 0; i < r->v.n; i++)
        ret->v[i] = r->v.v[i].job;
    ret->n = r->v.n;
}

void ranking_fini(struct ranking *r)
{
    vec_fini(&r->v);
    vec_fini(&r->spare);
}
