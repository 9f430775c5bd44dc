/* SPDX-License-Identifier: Apache-2.0
 * Who asks what a node can take.
 *
 *     job 9 asks, by its own definition     its own pins are not in its way
 *       without job 3                       as if that did not run: preemption
 *       without reservations                what is pinned for waiting jobs is free
 *
 * The value goes with each question about single nodes. */
#ifndef MAUI_PLAN_BYNODE_ASKER_H
#define MAUI_PLAN_BYNODE_ASKER_H

#include "cluster/job.h"
#include "plan/without.h"

struct bynode;

/* The interval a job wants. */
struct span {
    int64_t start, end;
};

/* For tasks of which definition, and what the answer leaves out of account. All are
 * borrowed; the job and the definition may be NULL where what is in use is asked. */
struct asker {
    struct bynode *b;
    const struct job *j;
    const struct taskdef *def;
    const struct without *without;
};

/* One that leaves out what the plan does: nothing, but in a fork without some jobs. */
struct asker asker_of(struct bynode *b, const struct job *j, const struct taskdef *def);

/* Is the running job gone, to the asker? */
static inline bool asker_lacks(const struct asker *a, const struct job *j)
{
    return without_job(a->without, j->index);
}

#endif
