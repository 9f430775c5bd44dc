/* SPDX-License-Identifier: Apache-2.0
 * Starting one job: nodes from the plan, then it is active in the cluster, whoever
 * counts is told (occupancy.h), and the action is decided. */
#ifndef MAUI_ENGINE_START_H
#define MAUI_ENGINE_START_H

#include "cluster/cluster.h"
#include "cluster/reason.h"
#include "engine/occupancy.h"

struct engine;
struct plan;

/* False: it could not, and waits on, its reason says why. */
bool start_job(struct engine *e, struct job *j, uint32_t partition, bool backfill);
/* The same where another plan says, so that what is reserved may be in its way. */
bool start_job_by(struct engine *e, struct plan *plan, struct job *j,
    uint32_t partition, bool backfill);
/* In the first partition of the pass in which it can: its own default one, then the
 * others in order. */
bool start_if_possible(struct engine *e, struct job *j);
/* On the nodes of j->alloc, chosen already. */
bool start_placed(struct engine *e, struct job *j, enum occupancy_by by, bool backfill);

/* Nodes for a start now, into j->alloc, in that partition or as start_if_possible();
 * false, and why: there are none. *j may be a copy (job_copy()), whose nodes the job
 * takes when it starts (start_placed()). */
bool place_if_possible(struct engine *e, struct job *j, uint32_t partition);
bool place_anywhere(struct engine *e, struct job *j);
void start_take_nodes(struct job *j, const struct job *copy);

/* Does it pass what is asked before a start (admission.h), which starts of this cycle
 * may have changed; and what is planned for others leaves it its limits (bounds.h)? */
bool allowed_now(struct engine *e, struct job *j, enum limit_level level);
bool in_partition(const struct engine *e, const struct job *j, uint32_t partition);
/* Its wallclock limit on the nodes of j->alloc: the slowest counts. */
int64_t effective_limit(const struct engine *e, const struct job *j);

#endif
