/* SPDX-License-Identifier: Apache-2.0
 * Jobs that are content with less than their limit if they start sooner by that, as by
 * --time-min of Slurm. They are planned, reserved for and shown with the whole of it.
 * Where nothing is free for so long they are tried with less, before anything is
 * reserved for them and among the candidates of backfill:
 *
 *     limit 3600, at least 600; its nodes are free for 1000 s
 *     started with 960: 600 and as many whole minutes as fit, with half a minute to
 *     spare
 *
 * In minutes, as the resource managers count that know such jobs. What is reserved for
 * others is not free, so nobody is delayed. Source: reference slurm-integration, table
 * of requests (minimum time). */
#ifndef MAUI_ENGINE_SHORTEN_H
#define MAUI_ENGINE_SHORTEN_H

#include "cluster/job.h"
#include "engine/occupancy.h"

#include <stdbool.h>

struct engine;
struct plan;

/* May it be started with less than its limit? */
static inline bool shorten_may(const struct job *j)
{
    return job_least_limit(j) < j->wclimit_s;
}

/* Would it fit now into that partition with the least of it? (plan_fits_now().) */
bool shorten_fits(struct plan *plan, const struct job *j, uint32_t partition);
/* Start it there with as much of its limit as fits, as `plan` says: the engine's or
 * another (start_job_by()). False: it waits on, with the limit it had. At most a search
 * for nodes for each halving of the minutes between. */
bool shorten_start(struct engine *e, struct plan *plan, struct job *j,
    uint32_t partition, bool backfill);
/* The same in the first partition of the pass in which it can. */
bool shorten_start_anywhere(struct engine *e, struct job *j);
/* For a job that has a reservation, which is in its way as those of others are. */
bool shorten_start_reserved(struct engine *e, struct job *j, enum limit_level level);

/* Nodes and limit for such a start, of a copy (job_copy()): nodes that are free for the
 * longest time that it may have; in that partition, or in the first one of the pass in
 * which there are some. */
bool shorten_place(struct plan *plan, struct job *as, uint32_t partition);
bool shorten_place_anywhere(struct engine *e, struct job *as);
/* The job takes the nodes of its copy, and its limit, and starts. */
bool shorten_start_as(struct engine *e, struct job *j, const struct job *as,
    enum occupancy_by by, bool backfill);

#endif
