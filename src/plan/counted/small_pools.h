/* SPDX-License-Identifier: Apache-2.0
 * Small pools under reservations, of which there may be thousands, looked at together.
 *
 *     profile of a pool    4444 2222 4444       its closures   ----xx------
 *     free intervals       2 units before and after the closure, 2 more at both ends
 *     kept with            the holder: one of the merged pools of its kind
 *     free cells           when the pool has anything at all
 *
 * Free intervals (free_intervals.h) and free cells (free_cells.h) are those that a job
 * finds which no reservation lets in. deep.c adds up free intervals; reserve.c looks
 * for pools by free cells. They are kept in step with the profiles while a plan is made
 * (unsettled.h).
 *
 * The holder of a kind of nodes is that merged pool of the kind which most small pools
 * become part of. Free intervals of the other small pools end at pools_merge_at(). */
#ifndef MAUI_PLAN_COUNTED_SMALL_POOLS_H
#define MAUI_PLAN_COUNTED_SMALL_POOLS_H

#include "base/bitset.h"

#include <stdbool.h>
#include <stdint.h>

struct counted;
struct fitset;
struct free_intervals;
struct pool;
struct set_memory;
struct set_small;

/* ---- which they are ---- */

/* After the pools were made: which of them are so small, and so many, that they are
 * looked at together. O(pools). */
void small_pools_choose(struct counted *ct);
/* Is it one of them? O(1). */
bool small_pools_has(const struct counted *ct, const struct pool *pool);
/* The merged pool (by number) that holds the free intervals of the kind of that one;
 * INDEX_NONE = too few are small. O(1). */
uint32_t small_pools_holder(const struct counted *ct, uint32_t merged);
/* Those that it holds; NULL = it is no holder. O(1). */
struct free_intervals *small_pools_intervals(const struct counted *ct, uint32_t merged);

/* Of a set: which of its pools are not small, where free intervals are kept, and
 * whether deep.h may search it. O(1); O(its pools + merged pools) the first time. */
const struct set_small *small_pools_of_set(
    struct counted *ct, const struct fitset *s, struct set_memory *m);

/* ---- in step with the profiles ---- */

/* Bring free intervals and cells in step with the profiles. O(small pools x steps) when
 * all are unknown, else of the pools that changed. */
void small_pools_settle(struct counted *ct);
/* Are they in step? O(1). */
bool small_pools_settled(const struct counted *ct);

/* When they are: small pools that may have something throughout [start, end), which
 * begins before pools_merge_at(); no other small ones have. By number of the pool.
 * Valid until the next question. O(cells x pools / 64). */
const struct bitset *small_pools_open(
    const struct counted *ct, int64_t start, int64_t end);

/* ---- its memory ---- */

struct small_pools;

struct small_pools *small_pools_create(void);
void small_pools_destroy(struct small_pools *s);
/* The same choice; no free intervals are known yet. O(pools). */
struct small_pools *small_pools_copy(const struct small_pools *from);

#endif
