/* SPDX-License-Identifier: Apache-2.0
 * What of the profiles of small pools has changed since free intervals and free cells
 * were made of them (small_pools.h).
 *
 *     pool 7 [20, 60)     pool 9 [20, 60)     pool 7 [90, 95)
 *
 * count.c adds to it when it changes a profile. small_pools_settle() brings these pools
 * in step, in these intervals, and empties it. So the one need not know the other. */
#ifndef MAUI_PLAN_COUNTED_UNSETTLED_H
#define MAUI_PLAN_COUNTED_UNSETTLED_H

#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

/* The profile of a pool, in [from, to). */
struct unsettled_part {
    uint32_t pool;
    int64_t from, to;
};
/* Zeroed = nothing has changed. Owned. */
struct unsettled {
    bool all; /* then nothing is listed */
    struct VEC(struct unsettled_part) parts;
};
void unsettled_fini(struct unsettled *u);

/* The profile of the pool has changed in [from, to). O(1). */
void unsettled_add(struct unsettled *u, uint32_t pool, int64_t from, int64_t to);
/* All may have changed, or none has any more. O(1). */
void unsettled_all(struct unsettled *u);
void unsettled_none(struct unsettled *u);

#endif
