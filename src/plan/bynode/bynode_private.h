/* SPDX-License-Identifier: Apache-2.0
 * What the files of this folder share: the collaborators of bynode.h, and their own.
 * Private to src/plan/bynode. */
#ifndef MAUI_PLAN_BYNODE_BYNODE_PRIVATE_H
#define MAUI_PLAN_BYNODE_BYNODE_PRIVATE_H

#include "plan/bynode/bynode.h"
#include "plan/bynode/occupants.h"
#include "plan/bynode/offers.h"
#include "plan/bynode/sweep.h"
#include "plan/closures/closures.h"
#include "plan/endings.h"
#include "plan/nodes/rsvview.h"
#include "plan/pools/fits.h"
#include "plan/pools/pools.h"
#include "plan/reservations/pins.h"
#include "plan/reservations/table.h"

struct suspended_on {
    uint32_t node, job;
};

struct bynode {
    struct cluster *c;
    const int64_t *now;
    const uint64_t *version;
    struct closures *closures;
    struct pools *pools;
    struct fits *fits;
    struct counted *counted;
    struct rsvtable *reserved;
    struct pintable *pins;
    struct rsvview *view;
    const struct endings *ends;
    const struct without *without;

    struct sweep_memory *sweeps; /* sweep.c */
    struct offers offers;        /* offers.c: of the last question, */
    struct cand_list cands;      /* and for one choice */
    struct VEC(int64_t) budget;  /* rsvfree.c */

    struct VEC(struct suspended_on) suspended; /* single.c: by node, */
    uint64_t suspended_version;                /* of this version of the plan */

    /* scratch */
    struct node_room room;      /* single.c */
    struct occupants occupants; /* single.c, rsvfree.c */
    struct occupants charged;   /* kept.c: what of theirs is in no reservation yet */
};

/* When an active job gives its resources back, as the plan sees it. */
static inline int64_t bynode_job_end(const struct bynode *b, const struct job *j)
{
    return endings_of(b->c, j, *b->now);
}

/* Until when a suspended job keeps its memory: where the rest of it is planned that has
 * it from then on, else it could be over. TIME_NEVER = the job is not suspended. */
static inline int64_t bynode_kept_until(const struct bynode *b, const struct job *j)
{
    const struct rsv *rest;

    if (j->state != JOB_SUSPENDED)
        return TIME_NEVER;
    rest = rsvtable_of(b->reserved, j->index);
    return rest ? rest->start_at : time_add(*b->now, job_left_s(j));
}

/* What is pinned to the node, as far as it counts for the asker; NULL = nothing. */
static inline const struct pins *asker_pins(const struct asker *a, uint32_t node)
{
    return a->without->reservations ? NULL : pintable_on(a->b->pins, node);
}

#endif
