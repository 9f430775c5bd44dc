/* SPDX-License-Identifier: Apache-2.0
 * What counted/ remembers of a set of pools (struct fitset in pools/fits.h). The set
 * itself says which pools a task definition can use, and knows nothing of this.
 *
 *     offers        [open] until 100: 9, until 200: 6     [class 3] until 100: 2
 *     lower bounds  by access class, of searches from now on
 *     small pools   which of its pools are looked at together
 *     order         its pools, those first that the fewest sets have
 *
 * All of it can be found out again. Private to counted/. */
#ifndef MAUI_PLAN_COUNTED_SET_MEMORY_H
#define MAUI_PLAN_COUNTED_SET_MEMORY_H

#include "plan/counted/count.h"

#include <stddef.h>

struct fitset;
struct lower_bounds;

/* A pool's place in a set: its group, and where in the set's list of pools. */
struct place_in_set {
    uint32_t group, at;
};

/* Of its counted pools, as one access class (closures/closures.h) sees them. */
struct set_offer {
    uint64_t version;              /* of the plan, for `free_until` */
    struct free_untils free_until; /* from_now.c: of all pools together */
    uint64_t asked; /* version at which one end was asked for; that end; the answer: */
    int64_t asked_end, asked_units;
    struct lower_bounds *bounds; /* search.c; NULL = not needed yet */
    bool bounds_valid;
    bool grants_known;
    struct VEC(struct place_in_set) grants; /* its pools with a grant, in its order:
                                               reserve.c takes these by affinity */
};

/* Small pools among its own: small_pools.c finds them, deep.c and reserve.c use them.
 */
struct set_small {
    bool known;
    bool borrowed; /* the lists are those of the plan that this is a fork of */
    bool deep; /* deep.h may search the set: it has all small pools of their kinds */
    struct VEC(uint32_t) holders;   /* its merged pools that keep free intervals */
    struct VEC(uint32_t) large;     /* pools that are not small */
    struct VEC(uint32_t) elsewhere; /* small pools of merged pools that are no holders:
                                       their free intervals end at pools_merge_at() */
    struct VEC(uint32_t) group_of;  /* its group, by merged pool; INDEX_NONE = none */
};

/* A counted pool, and how many sets it is in. */
struct asked_pool {
    uint32_t sets, pool;
};
struct asked_pools VEC(struct asked_pool);

struct set_memory {
    struct VEC(struct set_offer) offers; /* [0]: ACCESS_OPEN, [1 + i]: class i */
    struct set_offer base, base_merged;  /* deep.c, of jobs without grants: for starts
                                            before pools_merge_at(), and later */
    struct set_small small;
    struct asked_pools order; /* reserve.c: those of fewest sets first */
    size_t order_of;          /* as of so many sets; 0 = unknown */
};

struct set_memory *set_memory_create(void);
void set_memory_destroy(struct set_memory *m);

/* That of an access class, empty at first. Valid until another class asks. */
struct set_offer *set_memory_offer(struct set_memory *m, uint32_t access);
/* Something was given back: no lower bound holds. O(classes). */
void set_memory_forget_bounds(struct set_memory *m);

/* ---- of all sets of a `counted`, by number ---- */

struct counted;

/* That of the set (its number). O(1). */
struct set_memory *set_memory_of(struct counted *ct, const struct fitset *s);
/* Sets are void. O(sets). */
void set_memory_forget(struct counted *ct);

#endif
