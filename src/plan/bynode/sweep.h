/* SPDX-License-Identifier: Apache-2.0
 * Pools planned node by node, over time: tasks that each node can take throughout an
 * interval, by the instant at which the interval begins. That changes when something on
 * the node ends, or when the end of the interval first meets something that begins.
 *
 *     wanted: 200 s    node 4: a pin of 3 tasks in [700, 900): met from 501 on
 *                      node 5: a job of 2 tasks, until 500
 *     begins   0         500 501         900
 *     node 4   4 tasks . . . 1 . . . . . 4 . .      looked at: 0, 501, 900
 *     node 5   2 . . . . 4 . . . . . . . . . .      looked at: 0, 500
 *     sum      6         8   5           8          the first instant with 8: 500 */
#ifndef MAUI_PLAN_BYNODE_SWEEP_H
#define MAUI_PLAN_BYNODE_SWEEP_H

#include "cluster/cluster.h"
#include "cluster/job.h"

struct bynode;

/* For plan_fits_now(): tasks of the job's first request that nodes of the set can take
 * from now until `end`.
 * Remembered for all who see the same until the plan changes; then O(log changes). */
int64_t sweep_free_until(
    struct bynode *b, const struct job *j, uint32_t set, int64_t end);

/* For plan_first_fit(): the earliest instant from `from` on at which the set has room
 * for the job's whole limit; TIME_NEVER = none. Its nodes and its counted pools must
 * have enough tasks in sum, and offers_choose() must find nodes (node sets, host
 * lists). O(nodes) + O(nodes of what ends and begins until then). */
int64_t sweep_first_fit(
    struct bynode *b, const struct job *j, uint32_t set, int64_t from);

/* ---- what it remembers from question to question ---- */

struct sweep_memory;

struct sweep_memory *sweep_memory_create(void);
void sweep_memory_destroy(struct sweep_memory *m);

#endif
