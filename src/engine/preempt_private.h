/* SPDX-License-Identifier: Apache-2.0
 * What preempt.c and preempt_rights.c share. Private to them. */
#ifndef MAUI_ENGINE_PREEMPT_PRIVATE_H
#define MAUI_ENGINE_PREEMPT_PRIVATE_H

#include "base/bitset.h"
#include "engine/preempt.h"

/* Processors that preempting all jobs up to this priority would free. */
struct preemptable {
    int64_t priority, procs;
};

struct preemption {
    bool any;                 /* somebody may preempt somebody */
    bool any_preemptor;       /* some job had the right by its flags */
    bool optimistic;          /* BACKFILLPOLICY PREEMPT somewhere */
    bool summed;              /* in this cycle: the two below */
    struct bitset preemptors; /* jobs with the right by their flags */
    struct indexes owned;     /* reservations with OWNERPREEMPT ... */
    uint64_t owned_epoch;     /* ... at this epoch */
    struct VEC(struct preemptable) preemptable; /* by priority */
    int64_t idle_procs;
    struct indexes aside; /* jobs that would be suspended if that could be planned */
    uint32_t optimists;   /* running jobs of BACKFILLPOLICY PREEMPT */
};

enum right { BY_FLAGS, BY_OWNER, BY_PLACE };

/* A job wants the place of others, by one of its rights. */
struct claim {
    struct engine *e;
    const struct job *j;
    enum right right;
    bool fresh; /* a victim was left out because it started in this very cycle */
};

/* Has the job that right at all? */
bool preempt_has_right(const struct engine *e, const struct job *j, enum right right);
/* May the claim take that victim? */
bool preempt_may(struct claim *k, const struct job *victim);
/* ctx: a claim. Is the victim on the node by leave of a reservation that its job owns?
 */
bool preempt_owns_there(void *ctx, const struct job *victim, const struct node *n);
/* Has it given its leave to be preempted, or lost its right not to be? */
bool preempt_is_victim(const struct engine *e, const struct job *v);
/* Would it go by right of RESTARTPREEMPT alone, and so by requeueing? */
bool preempt_only_restartable(const struct engine *e, const struct job *v);
bool preempt_is_below(const struct engine *e, const struct job *v, const struct job *j);

#endif
