/* SPDX-License-Identifier: Apache-2.0
 * Jobs of which it was found that they could run some time. Beside the jobs, so that
 * asking all of them again, where the plan has another layout, writes none: in a
 * process that tries something each page of them would be copied. */
#ifndef MAUI_ENGINE_POSSIBLE_H
#define MAUI_ENGINE_POSSIBLE_H

#include "base/bitset.h"

#include <stdbool.h>

struct engine;
struct job;

struct possible_jobs {
    struct bitset jobs;
    uint32_t layout; /* of the plan with which it was found; starts as 0: none */
};

/* Was it found, with the plan as it is now? O(1). */
bool possible_found(const struct engine *e, const struct job *j);
void possible_note(struct engine *e, const struct job *j);
/* The answer may be another from now on. */
void possible_forget(struct engine *e, const struct job *j);

#endif
