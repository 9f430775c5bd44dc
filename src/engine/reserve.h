/* SPDX-License-Identifier: Apache-2.0
 * Priority reservations: which waiting job gets one. Its depth group has to have a
 * place left (groups.h), its QOS and the policy have to allow it. */
#ifndef MAUI_ENGINE_RESERVE_H
#define MAUI_ENGINE_RESERVE_H

#include "plan/plan.h"

struct engine;

bool reserve_job(struct engine *e, struct job *j);
/* Where no reservations are made at all: could the job ever run? If not it is deferred
 * and false returned (reference reservations, section 8.3). */
bool reserve_test(struct engine *e, struct job *j);
bool reserve_may(const struct engine *e, const struct job *j);
/* It keeps its place, which counts against the depth of its group. */
void reserve_count(struct engine *e, const struct job *j);
/* Is the job, as it is, none that could be reserved for, however deep that goes? */
bool reserve_never(const struct engine *e, const struct job *j);

#endif
