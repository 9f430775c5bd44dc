/* SPDX-License-Identifier: Apache-2.0
 * What the files of the room share: the collaborators of counted.h, and their own. */
#ifndef MAUI_PLAN_COUNTED_COUNTED_PRIVATE_H
#define MAUI_PLAN_COUNTED_COUNTED_PRIVATE_H

#include "plan/closures/closures.h"
#include "plan/counted/count.h"
#include "plan/counted/counted.h"
#include "plan/counted/merged_sum.h"
#include "plan/counted/profile.h"
#include "plan/counted/set_memory.h"
#include "plan/counted/unsettled.h"
#include "plan/nodes/rsvview.h"
#include "plan/pools/fits.h"
#include "plan/pools/pools.h"
#include "plan/reservations/table.h"

/* Units that come free when jobs reach their limits. */
struct release {
    int64_t at;
    int32_t units;
};

/* Of one pool. It is count.c's: others ask count.h, or the functions below. */
struct pool_count {
    int32_t in_use; /* units of active jobs; of a merged pool not known */
    uint32_t nrsv;  /* reservations that hold units here */
    int64_t
        rsv_latest; /* none of them starts later: beyond it the profile only grows */
    bool noted;     /* changes of `work` go to unsettled.h */
    bool work_valid;
    struct profile work;           /* the cycle's: running jobs and reservations */
    struct free_untils free_until; /* of `work`; empty = to be computed */
    struct VEC(struct release) releases; /* by time; one entry an instant */
};

struct counted {
    struct cluster *c;
    const int64_t *now;
    uint64_t *version;
    struct closures *closures;
    struct pools *pools;
    struct fits *fits;
    const struct rsvtable *reserved;
    struct rsvview *view;

    /* each is known to the file named, and to nobody else */
    struct pool_count *counts; /* count.c: by part (pools_part()) */
    uint32_t ncounts;
    struct small_pools *small;       /* small_pools.c */
    struct merged_sum *merged_sum;   /* merged_sum.c */
    struct search_memory *search;    /* search.h: buffers of one question */
    struct whole_partitions *wholes; /* from_now.c */

    /* between files */
    struct unsettled unsettled;           /* count.c notes, small_pools.c reads */
    struct VEC(struct set_memory *) sets; /* set_memory.h: by number; NULL = nobody has
                                             asked yet */
    const struct counted *original; /* small_pools.c: of a fork, whose first sets are */
    uint32_t shared_sets;           /* the same; 0 = of none */
};

/* ---- what is asked most, without a call ---- */

static inline struct pool_count *count_of(
    const struct counted *ct, const struct pool *pool)
{
    return &ct->counts[pool->part];
}

/* Make the profile that nobody has made yet. Use work_of(). */
void count_make_work(struct counted *ct, struct pool *pool);

/* count_work() */
static inline struct profile *work_of(struct counted *ct, struct pool *pool)
{
    struct pool_count *k = count_of(ct, pool);

    if (!k->work_valid)
        count_make_work(ct, pool);
    return &k->work;
}

/* count_free_now() of a pool that is counted. */
static inline int64_t free_now_of(const struct counted *ct, const struct pool *pool)
{
    return pool->total - count_of(ct, pool)->in_use;
}

/* count_is_reserved() */
static inline bool is_reserved(const struct counted *ct, const struct pool *pool)
{
    return count_of(ct, pool)->nrsv > 0;
}

/* What is remembered of the set. */
static inline struct set_memory *memory_of(struct counted *ct, const struct fitset *s)
{
    struct set_memory *m = s->number < ct->sets.n ? ct->sets.v[s->number] : NULL;

    return m ? m : set_memory_of(ct, s);
}

#endif
