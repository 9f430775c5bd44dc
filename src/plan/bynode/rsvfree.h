/* SPDX-License-Identifier: Apache-2.0
 * What a node can give to a reservation that is not a job's: plan_rsv_begin() and
 * plan_rsv_tasks() in plan/plan.h. Source: reference reservations 5.2.
 *
 *     node 4, 8 processors   job 3: 2, let in by the reservation     8
 *                            job 5: 3, not let in                    5
 *                            a reservation that it must not lie on   4
 *     budget of its pool     2 units left                            2 tasks
 *
 * Waiting jobs whose reservations are units of a counted pool are on no node yet. So
 * what of such a pool is free throughout the window is a *budget*, which all its nodes
 * share. It is the least of the pool's profile: running jobs and reserved units are
 * taken off, whoever of them the reservation would let in; and so are nodes that got
 * other reservations since the pools were made. A pool of which nothing is reserved has
 * no budget: its nodes tell all. */
#ifndef MAUI_PLAN_BYNODE_RSVFREE_H
#define MAUI_PLAN_BYNODE_RSVFREE_H

#include <stdint.h>

struct bynode;
struct reservation;

/* Make the budget for the reservation's window. O(pools x steps + nodes under
 * reservations, where something has a budget). */
void rsvfree_begin(struct bynode *b, const struct reservation *r);

/* Tasks of the reservation that the node can hold throughout [start, end), the window
 * of rsvfree_begin(); what the budget gave for them is not given again. O(jobs, pins
 * and reservations on the node, squared). */
uint32_t rsvfree_tasks(struct bynode *b, const struct reservation *r, uint32_t node,
    int64_t start, int64_t end);

#endif
