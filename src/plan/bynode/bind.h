/* SPDX-License-Identifier: Apache-2.0
 * Priority reservations that were kept as counts get nodes, or units of other pools, so
 * that none of them has to move: plan_begin(), where a pool is counted no longer.
 *
 *     before  pool 0 by count    job 7: [400, 900) 3 units    job 9: [500, 600) 1 unit
 *     after   pool 0 by node     job 7: nodes 4, 5, 6         job 9: node 7
 *
 * They get nodes in order of their starts. What has nodes by then begins no later, so a
 * unit free at the start of one stays free: that always succeeds. Only a job that ran
 * past its limit may have what was kept for another, which is then owed a reservation.
 */
#ifndef MAUI_PLAN_BYNODE_BIND_H
#define MAUI_PLAN_BYNODE_BIND_H

#include <stdbool.h>

struct bynode;

/* Nodes for what is counted in pools that are counted no longer. O(reservations log
 * reservations + units of theirs x active jobs on a node), once a new shape. */
void bind_counted(struct bynode *b);

/* Pools are about to be others: nodes for all that is counted, of those that
 * reservations of other kinds, as they are now, leave to it. Who gets none is owed
 * another one. The same cost. */
void bind_all(struct bynode *b);
/* In a fork, of which only nodes are asked: also between reservations of other kinds,
 * node by node. False where one gets none: then nothing is known. O(reservations x
 * nodes x what is on them) at most. */
bool bind_supposed(struct bynode *b);
/* They are, after bind_all(): reservations that stay keep their nodes where those are
 * planned one by one, else as many units of the pool that has them; who cannot is owed
 * another one. False where somebody can use none of the pools: then all are to be
 * forgotten. O(nodes of reservations). */
bool bind_divided(struct bynode *b);

#endif
