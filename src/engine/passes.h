/* SPDX-License-Identifier: Apache-2.0
 * The two passes over candidates: by priority without those that need no look; then
 * backfill, which leaves them out where it goes by the order of the queue. */
#ifndef MAUI_ENGINE_PASSES_H
#define MAUI_ENGINE_PASSES_H

#include "cluster/partition.h"
#include "engine/queue/queue.h"

struct bounds_now;
struct engine;
struct planning;

/* Of the engine: what the passes of a cycle leave each other. */
struct passes {
    struct par_state par[PARTITIONS_MAX + 1]; /* of those who start and reserve, too */
    struct indexes out_of_order;              /* started while a higher one waits */
    struct candidates candidates;             /* scratch */
    struct planning *planning;                /* in place of the first one */
    struct bounds_now *bounds_now; /* what limits leave, of the present plan */
    int64_t chunk_until;           /* BFCHUNKDURATION after the last job end */
};
void passes_fini(struct passes *p);

void pass_priority(
    struct engine *e, const struct queue_view *jobs, enum limit_level level);
/* One job alone, behind all that is planned: it starts, or is reserved for. */
void pass_place(struct engine *e, struct job *j, enum limit_level level);
void pass_backfill(
    struct engine *e, const struct queue_view *jobs, enum limit_level level);

#endif
