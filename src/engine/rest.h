/* SPDX-License-Identifier: Apache-2.0
 * The rest of a suspended job, under BACKFILLPOLICY PLAN: what it has yet to run has a
 * place in the plan (plan_fit_rest()). planning/returns.c says which. */
#ifndef MAUI_ENGINE_REST_H
#define MAUI_ENGINE_REST_H

#include <stdint.h>

struct engine;
struct job;

/* The first instant from there on at which its nodes are free, and its limits have room
 * for it, where they ever have; `also` is looked at besides, 0 = nothing. It has no
 * place. TIME_NEVER: none. O(what is on its nodes, squared). */
int64_t rest_find(struct engine *e, const struct job *j, int64_t from, int64_t also);
/* It is there; TIME_NEVER: nowhere. */
void rest_reserve(struct engine *e, const struct job *j, int64_t at);
/* It is nowhere any more. */
void rest_drop(struct engine *e, const struct job *j);

#endif
