/* SPDX-License-Identifier: Apache-2.0
 * Which running jobs to preempt so that another one can start now. The plan in use is
 * asked, no fork: the jobs are thought away one by one (plan/without.h). The caller
 * then stops the victims and starts the job on the nodes returned. Source: reference
 * preemption, section 3.
 *
 *     victims by cost         job 7    job 3    job 9
 *     tasks without them      2        5        9          wanted: 4
 *     chosen                  job 7    job 3               job 9 stays */
#ifndef MAUI_PLAN_PREEMPT_H
#define MAUI_PLAN_PREEMPT_H

#include "plan/plan.h"

struct preempt_ask {
    const struct job *j;
    uint32_t partition;
    bool keep_memory; /* victims would be suspended: memory and swap stay theirs */
    const uint32_t *victims; /* active jobs that may be preempted, in any order */
    size_t nvictims;
    /* Run priority of one of them. */
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
 * *ret_alloc, when even all of them would not suffice, when there are no possible
 * victims, or for a job of several requests. The job must have no reservation. Changes
 * nothing.
 * O(nodes) + O(what runs on the nodes of possible victims), once more for the nodes of
 * each that is chosen. */
bool preempt_choose(struct plan *p, const struct preempt_ask *ask, struct victims *ret,
    struct allocs *ret_alloc);

#endif
