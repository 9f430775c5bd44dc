/* SPDX-License-Identifier: Apache-2.0
 * Pools planned node by node, over time. What a node can take changes at few instants
 * of its own; a sweep over all of them in order looks at a node only then.
 *
 *     node 4   4 tasks . . . . . 1 . . . . . 4      looked at: 0, 700, 900
 *     node 5   2 . . . . 4 . . . . . . . . . .      looked at: 0, 500
 *     sum      6         8       5           8      the first instant with 8: 500 */
#ifndef MAUI_PLAN_BYNODE_SWEEP_H
#define MAUI_PLAN_BYNODE_SWEEP_H

#include "cluster/cluster.h"
#include "cluster/job.h"

struct plan;
struct sweep;

/* Tasks of the job's first request that nodes of the set can take from now until `end`.
 * Remembered for all who see the same until the plan changes; then O(log changes). */
int64_t sweep_free_until(
    struct plan *p, const struct job *j, uint32_t set, int64_t end);

/* The earliest instant from `from` on at which the job finds its place on the set for
 * its whole limit, with counted pools of the set; TIME_NEVER = none. O(nodes) + O(nodes
 * of what ends and begins until then). */
int64_t sweep_first_fit(
    struct plan *p, const struct job *j, uint32_t set, int64_t from);

/* To be looked at: something is on the node in [begins, ends). */
void sweep_watch(struct sweep *w, uint32_t node, int64_t begins, int64_t ends);

#endif
