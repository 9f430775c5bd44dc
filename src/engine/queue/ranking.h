/* SPDX-License-Identifier: Apache-2.0
 * Putting jobs in the order of the queue: begin, add them by submit time and id, end.
 */
#ifndef MAUI_ENGINE_QUEUE_RANKING_H
#define MAUI_ENGINE_QUEUE_RANKING_H

#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

struct ranked {
    uint64_t key; /* smaller goes first */
    uint32_t job;
};

struct ranked_list VEC(struct ranked);

struct ranking {
    struct ranked_list v, spare;
    uint64_t low, high, last; /* keys */
    bool sorted;
};

void ranking_begin(struct ranking *r, size_t jobs);

/* At most as many as announced. Equal keys stay in the order in which they come. O(1).
 */
static inline void ranking_add(struct ranking *r, uint32_t job, uint64_t key)
{
    r->v.v[r->v.n++] = (struct ranked){key, job};
    r->sorted &= key >= r->last;
    r->last = key;
    r->low = key < r->low ? key : r->low;
    r->high = key > r->high ? key : r->high;
}

/* The highest goes first. */
static inline uint64_t ranking_key_of_priority(int64_t priority)
{
    return (uint64_t)INT64_MAX - (uint64_t)priority;
}
/* The smallest goes first. */
uint64_t ranking_key_of(double key);

/* *ret: the jobs in order. O(jobs). */
void ranking_end(struct ranking *r, struct indexes *ret);
void ranking_fini(struct ranking *r);

#endif
