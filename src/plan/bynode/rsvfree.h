/* SPDX-License-Identifier: Apache-2.0
 * What a node can give to a reservation that is not a job's: plan_rsv_begin() and
 * plan_rsv_tasks() in plan/plan.h. Source: reference reservations 5.2.
 *
 *     node 4, 8 processors   job 3: 2, let in by the reservation     8
 *                            job 5: 3, not let in                    5
 *                            a reservation that it must not lie on   4
 *     budget of its pool     2 units left                            2 tasks
 *
 * Waiting jobs whose reservations are units of a counted pool are on no node yet, so
 * what they leave of a pool is a *budget*, which all nodes of the pool share. */
#ifndef MAUI_PLAN_BYNODE_RSVFREE_H
#define MAUI_PLAN_BYNODE_RSVFREE_H

#include <stdint.h>

struct bynode;
struct reservation;

/* Make the budget for the reservation's window. O(pools x steps). */
void rsvfree_begin(struct bynode *b, const struct reservation *r);

/* Tasks of the reservation that the node can hold throughout [start, end), the window
 * of rsvfree_begin(); what the budget gave for them is not given again. O(jobs, pins
 * and reservations on the node, squared). */
uint32_t rsvfree_tasks(struct bynode *b, const struct reservation *r, uint32_t node,
    int64_t start, int64_t end);

#endif
