/* SPDX-License-Identifier: Apache-2.0
 * Floating generic resources (licences): amounts of the whole system rather than of a
 * node, taken by a job for as long as it runs or is reserved, in any fork: nobody is
 * preempted for licences. What is used of one over time is added up once for each
 * version of the plan, O((jobs + reservations) log) of those that have any:
 *
 *     at      all time   50   100
 *     used    7          3    0         of 10: four are free until 50, seven until 100
 */
#ifndef MAUI_PLAN_FLOATING_H
#define MAUI_PLAN_FLOATING_H

#include "cluster/cluster.h"
#include "cluster/job.h"
#include "cluster/reason.h"

struct plan;

/* What is known of the use of each resource. */
struct licences *licences_create(void);
void licences_destroy(struct licences *l);

/* Does the job ask for any? */
bool floating_wanted(const struct plan *p, const struct job *j);

/* Has the cluster as many as the job asks for? Else *ret_why is WAIT_GRES. */
bool floating_possible(
    const struct plan *p, const struct job *j, struct reason *ret_why);

/* Is enough of them free throughout [start, end)? O(changes meanwhile). */
bool floating_fits(
    const struct plan *p, const struct job *j, int64_t start, int64_t end);

/* The first instant >= from from which on enough of them is free for `duration`
 * seconds, TIME_NEVER = none. O(changes passed). */
int64_t floating_first_fit(
    const struct plan *p, const struct job *j, int64_t from, int64_t duration);

/* The next instant after `after` at which a job or a reservation of one ends,
 * TIME_NEVER = none. */
int64_t floating_next(const struct plan *p, int64_t after);

#endif
