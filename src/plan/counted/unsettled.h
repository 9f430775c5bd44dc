/* SPDX-License-Identifier: Apache-2.0
 * What of the profiles of small pools has changed since their free intervals were put
 * (small_pools.h).
 *
 *     pool 7 [20, 60)     pool 9 [20, 60)     pool 7 [90, 95)
 *
 * Whoever changes a profile adds to it; whoever puts free intervals empties it. */
#ifndef MAUI_PLAN_COUNTED_UNSETTLED_H
#define MAUI_PLAN_COUNTED_UNSETTLED_H

#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

struct unsettled_part {
    uint32_t pool;
    int64_t from, to;
};
struct unsettled {
    bool all; /* then nothing is listed */
    struct VEC(struct unsettled_part) parts;
};
void unsettled_fini(struct unsettled *u);

/* The profile of the pool has changed in [from, to). O(1). */
void unsettled_add(struct unsettled *u, uint32_t pool, int64_t from, int64_t to);
/* All are unknown, or none is any more. */
void unsettled_all(struct unsettled *u);
void unsettled_none(struct unsettled *u);

#endif
