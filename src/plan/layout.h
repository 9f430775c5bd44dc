/* SPDX-License-Identifier: Apache-2.0
 * The layout of a plan, made anew: which pools there are, how each is planned, and what
 * runs in them.
 *
 *     sort the nodes into pools      pools/pools.h
 *     choose the small pools         counted/small_pools.h
 *     learn what every job asks for  pools/fits.h: a unit, or node by node
 *     count the active jobs          counted/count.h */
#ifndef MAUI_PLAN_LAYOUT_H
#define MAUI_PLAN_LAYOUT_H

struct plan;
struct job;

/* Reservations of waiting jobs are not looked at: what they have of pools is void.
 * `asker` is the job of a question, in the cluster but not in the system; NULL = none.
 * A fork has pools of its own from then on. O(nodes + jobs). */
void layout_make(struct plan *p, const struct job *asker);

/* What a job asks for is learned: plan_job_queued(), between two layouts. O(1) for
 * what is known, O(pools) for something new. */
void layout_learn(struct plan *p, const struct job *j);

#endif
