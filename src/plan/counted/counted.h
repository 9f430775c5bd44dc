/* SPDX-License-Identifier: Apache-2.0
 * The pools that are planned by count, as one collaborator of the plan: what the files
 * of the room remember, and what they look at.
 *
 *     plan --> first_fit, from_now, reserve, place
 *                      |
 *              deep, search, merged_work, small_pools    several pools together
 *                      |
 *                    count                               one pool over time
 *                      |
 *              unsettled, merged_sum, profile ...        what follows its changes
 *
 * Files call downward only. The pools themselves are in pools/pools.h. */
#ifndef MAUI_PLAN_COUNTED_COUNTED_H
#define MAUI_PLAN_COUNTED_COUNTED_H

#include <stdint.h>

struct closures;
struct cluster;
struct fits;
struct pools;
struct rsvtable;
struct rsvview;

/* What it looks at. All are borrowed. */
struct counted_uses {
    struct cluster *c;
    const int64_t *now; /* the plan's */
    uint64_t *version;  /* the plan's: grows with all that changes answers */
    struct closures *closures;
    struct pools *pools;
    struct fits *fits;
    const struct rsvtable *reserved;
    struct rsvview *view; /* reservations of other kinds: affinity */
};

struct counted;

/* Nothing is in use, reserved or remembered yet. */
struct counted *counted_create(const struct counted_uses *uses);
/* For a fork of the plan that `from` is of: what is in use and reserved is the same, of
 * answers nothing is remembered. `from` must live longer. O(pools x steps). */
struct counted *counted_fork(
    const struct counted *from, const struct counted_uses *uses);
void counted_destroy(struct counted *ct);
/* The pools were made anew: nothing is in use, and what is known by number of a pool or
 * of a set is void. O(pools + sets). */
void counted_forget(struct counted *ct);

#endif
