/* SPDX-License-Identifier: Apache-2.0
 * BACKFILLPOLICY PLAN: the waiting jobs are planned together, by a search for the order
 * that costs least (plan/search/search.h), and each is promised a latest start.
 *
 *     waiting jobs --by priority--> planned set --search--> starts: now, later
 *                                        |
 *                          promised: start + slack, once and for all
 *
 * Source: reference plan-search. */
#ifndef MAUI_ENGINE_PLANNING_H
#define MAUI_ENGINE_PLANNING_H

#include "engine/queue/queue.h"

#include <stdbool.h>

struct planning;

struct planning *planning_create(void);
void planning_destroy(struct planning *p);
bool planning_is_policy(const struct engine *e);
/* Plan who waits, start who is due. In place of the passes by priority and of backfill.
 */
void planning_pass(struct engine *e, const struct queue_view *jobs);
/* The job leaves the cluster. */
void planning_forget(struct planning *p, const struct job *j);

#endif
