/* SPDX-License-Identifier: Apache-2.0
 * What the files of the plan share: struct plan, and how long jobs stay in it. Private
 * to src/plan. Who answers, by how the pools of a job's set (pools/fits.h) are planned;
 * where they are of both kinds, node by node asks the counted ones, too:
 *
 *     asked               by count              node by node
 *     plan_fits_now()     from_now_until()      sweep_free_until(), multireq_place()
 *     plan_first_fit()    first_fit_counted()   sweep_first_fit(), multireq_first_fit()
 *     plan_reserve()      reserve_units()       bynode_place_at(), pintable_add()
 *     plan_place_now()    counted/place.c       bynode_place_now()
 *     plan_windows()      from_now_all()        bynode_procs_until() */
#ifndef MAUI_PLAN_PLAN_PRIVATE_H
#define MAUI_PLAN_PLAN_PRIVATE_H

#include "base/bitset.h"
#include "plan/closures/closures.h"
#include "plan/counted/count.h"
#include "plan/counted/counted.h"
#include "plan/counted/from_now.h"
#include "plan/counted/profile.h"
#include "plan/counted/reserve.h"
#include "plan/endings.h"
#include "plan/nodes/nodealloc.h"
#include "plan/plan.h"
#include "plan/pools/fits.h"
#include "plan/pools/pools.h"
#include "plan/reservations/pins.h"
#include "plan/reservations/table.h"
#include "plan/reservations/validity.h"
#include "plan/without.h"
#include "policy/acl.h"

#include <assert.h>

/* What is planned, at one moment: where two are equal, nothing has changed between. */
struct moment {
    int64_t now;
    uint64_t version, layout;
};

struct plan {
    struct cluster *c;
    int64_t now;
    uint64_t version;          /* grows with every start, stop and reservation */
    struct plan *original;     /* that this is a fork of; NULL = of none */
    struct moment made;        /* the original, as this is a copy of it */
    uint32_t forks;            /* of this one, alive */
    bool borrows_layout;       /* pools are the original's, with their numbers */
    struct closures *closures; /* when reservations keep whom out; shared with forks */
    struct pools *pools;       /* the nodes, sorted */
    struct fits *fits;         /* which pools a definition can use */
    struct counted *counted;   /* pools that are planned by count */
    struct endings ends;       /* active jobs */
    struct rsvtable *reserved; /* reservations of waiting jobs */
    struct validity validity;  /* whether they still hold */
    struct pintable *pins;     /* those on single nodes */
    struct bynode *bynode;     /* answers about single nodes */
    struct budget *budget;     /* of plan_rsv_begin(); NULL until asked */
    struct windows_known *windows;
    struct rsvview *rsvview; /* reservations as the job last looked at sees them */
    struct without without;  /* of a fork; empty in an original */
};

static inline struct moment moment_of(const struct plan *p)
{
    return (struct moment){p->now, p->version, pools_layout(p->pools)};
}

/* Each question begins with this: a fork answers only as long as its original is what
 * it was. O(1). */
static inline void check_answerable(const struct plan *p)
{
    if (!p->original)
        return;
    struct moment m = moment_of(p->original);
    assert(m.now == p->made.now && m.version == p->made.version
           && m.layout == p->made.layout && "the fork's original has changed");
}

/* A `counted` for the plan's pools, which remembers nothing yet. */
void plan_count(struct plan *p);

/* What is pinned to the node; NULL = nothing. */
static inline struct pins *pins_of(const struct plan *p, uint32_t node)
{
    return pintable_on(p->pins, node);
}

/* How long a job that is active or reserved stays in the plan. */
static inline int64_t plan_stay(const struct plan *p, const struct job *j)
{
    const struct rsv *r = rsvtable_of(p->reserved, j->index);

    if (r)
        return r->end_at - r->start_at;
    if (job_is_active(j) && j->eff_wclimit_s > 0)
        return j->eff_wclimit_s;
    return j->wclimit_s > 0 ? j->wclimit_s : 1;
}

/* When a running job gives its resources back, as the plan sees it: an overdue one
 * holds them one more poll interval. */
static inline int64_t plan_job_end(const struct plan *p, const struct job *j)
{
    if (j->end_at > p->now)
        return j->end_at;
    return time_add(p->now, p->c->cfg->rm_poll_interval_s);
}

#endif
