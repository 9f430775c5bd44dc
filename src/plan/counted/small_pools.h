/* SPDX-License-Identifier: Apache-2.0
 * Small pools under reservations, of which there may be thousands, looked at together.
 *
 *     profile of a pool    4444 2222 4444       its closures   ----xx------
 *     free intervals       2 units over all of it but the closure, 2 more at both ends
 *     kept with            the holder: one merged pool for all small pools of its kind
 *     free cells           when the pool has anything at all
 *
 * Free intervals (free_intervals.h) and free cells (free_cells.h) are those that a job
 * finds which no reservation lets in. They are kept in step with the profiles while a
 * plan is made (unsettled.h). Free intervals of pools whose merged pool is not the
 * holder end at pools_merge_at(). */
#ifndef MAUI_PLAN_COUNTED_SMALL_POOLS_H
#define MAUI_PLAN_COUNTED_SMALL_POOLS_H

#include "base/bitset.h"

#include <stdbool.h>
#include <stdint.h>

struct fitset;
struct counted;
struct pool;
struct pools;
struct small_pools;

struct small_pools *small_pools_create(void);
void small_pools_destroy(struct small_pools *s);

/* After the pools were made: which of them are so small, and so many, that they are
 * looked at together. O(pools). */
void small_pools_choose(struct counted *ct);
/* Which pools of a new set are not; is a search among free intervals worth while? */
void small_pools_note(const struct pools *ps, struct fitset *s);

/* Make all as the profiles say. O(pools x steps), or of what changed. */
void small_pools_settle(struct counted *ct);
/* Is all as the profiles say? */
bool small_pools_settled(const struct counted *ct);

/* When it is: no other small pools have something throughout [start, end), which begins
 * before pools_merge_at(). Valid until the next question. */
const struct bitset *small_pools_open(
    const struct counted *ct, int64_t start, int64_t end);

#endif
