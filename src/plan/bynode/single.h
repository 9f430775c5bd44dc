/* SPDX-License-Identifier: Apache-2.0
 * What one node can take throughout an interval.
 *
 *     node 4   |job 3: 2 tasks|      |pin of job 9: 3 tasks|       4 processors
 *              now           500    700                   900
 *     asked for [500, 800): at 500 it could take 4 tasks, from 700 on 1: it takes 1
 *
 * Jobs, pins (reservations of waiting jobs on single nodes) and other reservations
 * change what is free at few instants; the least at any of those inside counts. The
 * asker's own job and its pins never count. */
#ifndef MAUI_PLAN_BYNODE_SINGLE_H
#define MAUI_PLAN_BYNODE_SINGLE_H

#include "plan/bynode/asker.h"
#include "plan/nodes/room.h"

/* Tasks that the node can take throughout [start, end). O(jobs, pins and reservations
 * on it, squared). */
uint32_t single_tasks(
    const struct asker *a, const struct node *n, int64_t start, int64_t end);

/* First instant after `start` at which the node can no longer keep `tasks` tasks;
 * TIME_NEVER = it always can. The same cost. */
int64_t single_holds_until(
    const struct asker *a, const struct node *n, uint32_t tasks, int64_t start);

/* The least of what is free of the node at any instant of the span. Fills *ret. The
 * same cost. */
void single_room(const struct asker *a, const struct node *n, const struct span *span,
    struct node_room *ret);

/* Processors free on the node from now until `end`; `free` are free now. O(pins x what
 * is on it). */
int64_t single_procs_until(
    struct bynode *b, const struct node *n, int64_t free, int64_t end);

#endif
