/* SPDX-License-Identifier: Apache-2.0
 * Which nodes a reservation that is not a job's gets over its window. What is free when
 * is asked of the caller; all else is a pure function of the arguments. Source:
 * reference reservations 5.
 *
 *     setres      choose for the draft; not acceptable: refused; then it is added
 *     standing    an instance is added without nodes, then placed: choose, hold
 *     each cycle  incomplete ones choose again, before pools are made
 *
 * The window is not searched for. Jobs that run on nodes taken all the same (a fixed
 * host list, FORCE) run on; priority reservations there are planned anew. */
#ifndef MAUI_PLAN_RSVNODES_H
#define MAUI_PLAN_RSVNODES_H

#include "cluster/reservation.h"

/* Tasks of r->def that node `node` can give to `r` over the whole of [start, end),
 * before TPN is applied: configured amounts less what conflicts with `r`, which is
 *   - jobs and reservations of jobs, except jobs that satisfy r's access list (all of
 *     them conflict when r is exclusive);
 *   - other reservations where rsvnodes_conflict() says so;
 *   - never what `r` itself holds already.
 * See rsvnodes_tasks_configured() for an empty node. */
struct rsvnodes_free {
    uint32_t (*tasks)(void *ctx, const struct reservation *r, uint32_t node,
        int64_t start, int64_t end); /* plan_rsv_tasks(), after plan_rsv_begin() */
    void *ctx;                       /* the struct plan */
};

/* Choose nodes for `r` anew, or complete what it holds: then tasks held stay where
 * they are (unless SPACEFLEX), except on nodes that can no longer be used (not Idle,
 * Running or Busy, unless FORCE or IGNSTATE) while r is active. Writes all that r
 * should hold to *ret (empty before), in RM order; returns the tasks in it. 0 is
 * possible.
 *
 *     host list  task count
 *     no         no          nothing
 *     yes        no          every listed host, whatever its state and use: as many
 *                            tasks as its configuration holds (or one, one_per_host)
 *     no         yes         up to that many on nodes that can be used and are free
 *     yes        yes         the same within the list; outside of it only when the
 *                            list could not hold them all; with no host too many
 *                            (all_hosts) as without a task count
 *
 * FORCE places by configuration alone. O(nodes), plus a sort by the allocation
 * policy. */
uint32_t rsvnodes_choose(const struct cluster *c, const struct reservation *r,
    const struct rsvnodes_free *free, struct allocs *ret);

/* Does a standing reservation ask for exactly the tasks that its hosts can hold, so
 * that there is nothing to choose? What `all_hosts` is to be. O(hosts). */
bool rsvnodes_asks_for_all(const struct cluster *c, const struct reservation *r);

/* Is every listed host taken, whatever goes on there? (Then no task moves.) */
bool rsvnodes_is_fixed(const struct reservation *r);

/* Could more be held than is: tasks missing, or (with `c`'s node states) held nodes
 * that must be replaced? Then rsvnodes_choose() is worth while. O(nodes held). */
bool rsvnodes_incomplete(const struct cluster *c, const struct reservation *r);

/* May it exist with so many tasks? A standing one and BESTEFFORT may have any number,
 * a fixed one any but none; others what they want, or r->least_tasks where that is set.
 */
bool rsvnodes_acceptable(const struct reservation *r, uint32_t tasks);

/* Does `other` (another reservation that is not a job's) keep `r` off resources that
 * it holds? Not when r is fixed, FORCE, or SHARED without DEDICATEDRESOURCE; always
 * when it is exclusive. What `other` is does not matter, if it is live. */
bool rsvnodes_conflict(const struct reservation *r, const struct reservation *other);

/* Tasks of the definition on the node when empty, TPN not applied; 0 when it lacks a
 * feature, is the pseudo node, or the definition reserves nothing. */
uint32_t rsvnodes_tasks_configured(
    const struct cluster *c, const struct reservation *r, const struct node *n);

/* Something that is used on one node for a while. */
struct rsvnodes_use {
    int64_t start_at, end_at;
    struct res amount;
};
struct rsvnodes_uses VEC(struct rsvnodes_use);

/* Tasks that fit into what such uses leave of the node at every instant of
 * [start, end). For tests of rsvnodes_choose(), in place of plan_rsv_tasks(): that
 * has its own way (bynode/rsvfree.h). O(uses^2). */
uint32_t rsvnodes_tasks_beside(const struct cluster *c, const struct reservation *r,
    const struct node *n, int64_t start, int64_t end, const struct rsvnodes_uses *uses);

/* Append what conflicting reservations (rsvnodes_conflict()) hold on the node within
 * [start, end). */
void rsvnodes_add_reservations(const struct cluster *c, const struct reservation *r,
    uint32_t node, int64_t start, int64_t end, struct rsvnodes_uses *ret);

#endif
