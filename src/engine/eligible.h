/* SPDX-License-Identifier: Apache-2.0
 * A waiting job is admitted to the queue of a cycle, or kept back with what follows
 * from that: its reason, its queue time, a deferral, a hold. admission.h says what it
 * has to pass. */
#ifndef MAUI_ENGINE_ELIGIBLE_H
#define MAUI_ENGINE_ELIGIBLE_H

#include "engine/admission.h"
#include "plan/backfill.h"

/* Does it pass all that is asked before the queue is in order? A deferral that is due
 * ends; one that could never run is deferred. */
bool eligible_admit(struct engine *e, struct job *j);
/* The same for one of which it is known that no row of ADMIT_QUEUED refuses it. */
bool eligible_enqueue(struct engine *e, struct job *j);
/* The row keeps it back, until then: the engine is woken, or it goes. */
void eligible_follow(struct engine *e, struct job *j,
    const struct admission_check *check, int64_t until);

/* What of a waiting job changes by itself, and a restart has to know. */
struct waiting {
    uint8_t holds, limited;
    bool accruing, paused;
};
struct waiting waiting_of(const struct job *j);
/* Told by engine_changed() if it is other than before. */
void waiting_changed(struct engine *e, const struct job *j, struct waiting before);

/* From the job itself, wherever it is. */
struct candidate candidate_of(const struct engine *e, uint32_t job);
/* The reason for which it waits, without numbers. */
void refuse(struct job *j, enum wait_code code, int64_t until);
/* A WAIT_TOO_LARGE, which counts tasks, for people: in processors. */
void eligible_in_procs(const struct job *j, struct reason *r);
/* Processors of one task, where that can be said; else 1. */
int64_t eligible_procs_per_task(const struct job *j);

#endif
