/* SPDX-License-Identifier: Apache-2.0
 * BACKFILLPOLICY PLAN: waiting jobs are planned together, by a search for the order
 * that costs least (plan/search/search.h), and each is promised a latest start. In a
 * cycle it stands in place of the pass by priority:
 *
 *     candidates, by priority
 *          |  the first PLANDEPTH, and who holds a promise
 *     members      wishes, with their weights            members.c
 *          |  listed as in the last plan, then by priority
 *     promises     latest starts                          promise.c
 *          |  if one of them fits now
 *     window       the search moves so many of them       window.c
 *          |  every one is reserved for, as the plan says, and who is due starts
 *     backfill     the others, where they delay none
 *
 * A plan is kept only when the plan of the nodes keeps every promise of it: counts
 * alone promise nothing. Source: reference plan-search. */
#ifndef MAUI_ENGINE_PLANNING_PLANNING_H
#define MAUI_ENGINE_PLANNING_PLANNING_H

#include "engine/queue/queue.h"

#include <stdbool.h>

struct engine;
struct planning;

struct planning *planning_create(void);
void planning_destroy(struct planning *p);

/* Plan the candidates, start who is due. O(members x steps x PLANEVALUATIONS) at most,
 * within PLANTIME. */
void planning_pass(struct engine *e, const struct queue_view *jobs);

#endif
