/* SPDX-License-Identifier: Apache-2.0
 * Which running jobs to preempt so that another one can start now. Source: reference
 * preemption, section 3. */
#ifndef MAUI_PLAN_PREEMPT_H
#define MAUI_PLAN_PREEMPT_H

#include "plan/plan.h"

struct preempt_ask {
    const struct job *j;
    uint32_t partition;
    bool keep_memory; /* victims would be suspended: memory and swap stay theirs */
    /* May the active job be a victim? */
    bool (*may)(void *ctx, const struct job *victim);
    /* Its run priority. */
    int64_t (*worth)(void *ctx, const struct job *victim);
    /* May it be one for what it has on this node? NULL = on any node. */
    bool (*on_node)(void *ctx, const struct job *victim, const struct node *n);
    void *ctx;
};

struct victims VEC(uint32_t);

/* Choose victims by cost = run priority / processors freed where it helps the job,
 * lowest first (ties: order of discovery, nodes in RM order and jobs in order on the
 * node), until idle and freed resources carry the job over its whole limit; and the
 * nodes the job then gets, idle ones first. Nodes where others' reservations would
 * still block the job count for nothing. All or nothing: false, and nothing in *ret and
 * *ret_alloc, when even all of them would not suffice, when none are needed, or for a
 * job of several requests. Changes nothing. O(nodes x jobs on them), once more for the
 * nodes of each victim. */
bool preempt_choose(struct plan *p, const struct preempt_ask *ask, struct victims *ret,
    struct allocs *ret_alloc);

#endif
