/* SPDX-License-Identifier: Apache-2.0
 * What the files right in src/plan share: struct plan. Those in its folders do not know
 * it; they are told what they look at (life.c). Who answers, by how the pools of a
 * job's set (pools/fits.h) are planned; where they are of both kinds, node by node asks
 * the counted ones, too:
 *
 *     asked               by count              node by node
 *     plan_fits_now()     from_now_until()      sweep_free_until(), multireq_place()
 *     plan_first_fit()    first_fit_counted()   sweep_first_fit(), multireq_first_fit()
 *     plan_reserve()      reserve_units()       pick_at(), pintable_add()
 *     plan_place_now()    counted/place.c       pick_now()
 *     plan_windows()      from_now_procs()      single_procs_until()
 *
 * What is remembered from question to question, and until when:
 *
 *     pools, sets of pools, access classes    until layout_make()
 *     profiles of counted pools               they follow; until reserve_look_anew()
 *     lower bounds                            until something is given back
 *     pins                                    as long as their row of rsvtable
 *     sums from now on, windows, verdicts     until `version` grows */
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
    uint64_t version;          /* grows with every start, stop and reservation, with
                                  plan_begin() and plan_changed() */
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
    struct bynode *bynode;     /* pools that are planned node by node */
    struct rsvview *view;      /* reservations of other kinds, as one job sees them */
    struct windows_known *windows;
    struct licences *licences; /* in use over time */
    struct without without;    /* of a fork; empty in an original */
    bool rests;                /* those of suspended jobs have places */
};

/* lifted.c: the rest of a suspended job, with the nodes that it was on, as if it had
 * been lifted at 0; and whether it could be laid at that instant. */
struct lifted_rsv *lifted_rest(struct plan *p, const struct job *j);
bool lifted_fits(
    struct plan *p, const struct job *j, const struct lifted_rsv *l, int64_t at);

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

/* Make the collaborators that look at others of the plan, which are there: its view,
 * `counted` and `bynode`. They remember nothing yet; what is in use and reserved is as
 * in the original, if the plan is a fork (NULL = it is none). And end them. */
void plan_link(struct plan *p, const struct plan *original);
void plan_unlink(struct plan *p);

/* When a running job gives its resources back, as the plan sees it. */
static inline int64_t plan_job_end(const struct plan *p, const struct job *j)
{
    return endings_of(p->c, j, p->now);
}

#endif
