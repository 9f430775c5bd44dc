/* SPDX-License-Identifier: Apache-2.0
 * Promises (promises.h) are kept in each cycle, in the order of their ranks: what was
 * promised is planned before all that is not. */
#ifndef MAUI_ENGINE_KEEPING_H
#define MAUI_ENGINE_KEEPING_H

#include "cluster/memory.h"
#include "engine/promises.h"

struct engine;

struct keeping;
struct keeping *keeping_create(void);
void keeping_destroy(struct keeping *k);

/* Before anything else is planned: retry, highest, deadline. O(candidates) where there
 * are such, and a search for each. */
void keeping_promises(struct engine *e);
/* Does the promise of that rank stand in the plan of this cycle? */
bool keeping_stands(
    const struct engine *e, const struct job *j, enum promise_rank rank);
/* In the pass by priority: its reservation would come out the same, and stands or is
 * started. */
bool keeping_in_order(struct engine *e, struct job *j);
/* After that pass: new promises for deadlines. O(jobs with a deadline) searches. */
void keeping_deadlines(struct engine *e);
/* Its start failed: is it to be tried again, in `again_s` seconds (0 = at the next
 * poll)? It waits in the queue then. */
bool keeping_retry(struct engine *e, struct job *j, int64_t again_s);
/* RESERVATIONPOLICY HIGHEST somewhere. O(partitions). */
bool keeping_is_policy(const struct engine *e);
/* What it was promised before a restart. */
void keeping_recall(struct engine *e, struct job *j, const struct job_memory *m);

#endif
