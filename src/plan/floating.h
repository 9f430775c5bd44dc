/* SPDX-License-Identifier: Apache-2.0
 * Floating generic resources (licences): amounts of the whole system rather than of a
 * node, taken by a job for as long as it runs or is reserved. Each question adds up all
 * active jobs and reservations anew, in any fork: nobody is preempted for licences. */
#ifndef MAUI_PLAN_FLOATING_H
#define MAUI_PLAN_FLOATING_H

#include "cluster/cluster.h"
#include "cluster/job.h"
#include "cluster/reason.h"

struct plan;

/* Does the job ask for any? */
bool floating_wanted(const struct plan *p, const struct job *j);

/* Has the cluster as many as the job asks for? Else *ret_why is WAIT_GRES. */
bool floating_possible(
    const struct plan *p, const struct job *j, struct reason *ret_why);

/* Is enough of them free throughout [start, end)? O((jobs + reservations) x
 * reservations that begin meanwhile). */
bool floating_fits(
    const struct plan *p, const struct job *j, int64_t start, int64_t end);

/* The next instant after `after` at which a job or a reservation of one ends,
 * TIME_NEVER = none. */
int64_t floating_next(const struct plan *p, int64_t after);

#endif
