/* SPDX-License-Identifier: Apache-2.0
 * What the files of the plan share: struct plan, and how long jobs stay in it. Private
 * to src/plan. */
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

struct plan {
    struct cluster *c;
    int64_t now;
    uint64_t version;          /* grows with every start, stop and reservation */
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
    struct without without;  /* of a fork; nothing in the plan that it is one of */
};

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
