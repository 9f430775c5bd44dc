/* SPDX-License-Identifier: Apache-2.0
 * Preemption: who may take the place of whom, and what becomes of the victims. In turn:
 *
 *     may anybody? -> has this job the right? -> would all that are preemptable be
 *     enough (a sum by priority, once a cycle)? -> plan/preempt.h chooses victims ->
 *     they are requeued, suspended, checkpointed or cancelled -> the job starts */
#ifndef MAUI_ENGINE_PREEMPT_H
#define MAUI_ENGINE_PREEMPT_H

#include "engine/engine.h"
#include "engine/occupancy.h"
#include "plan/plan.h"

struct preemption;
struct preemption *preemption_create(void);
void preemption_destroy(struct preemption *p);

void preempt_notice_job(struct engine *e, const struct job *j);
void preempt_begin(struct engine *e); /* before plan_begin() */
/* May anybody preempt anybody, in this cycle? O(1). */
bool preempt_any(const struct engine *e);
/* May that job have the right? O(1). */
bool preempt_may_job(const struct engine *e, uint32_t job);
/* Has the job the right to preempt, and would all that may go perhaps be enough? Never
 * false when preempt_start() would be true. O(log active jobs), once a cycle
 * O(active jobs). */
bool preempt_may_suffice(struct engine *e, const struct job *j);
/* Start the job at the cost of others, if it has the right and that is enough. */
bool preempt_start(struct engine *e, struct job *j, bool backfill);
bool preempt_in(struct engine *e, struct job *j, uint32_t partition, bool backfill);
/* Why it is stopped. */
struct preempt_cause {
    const struct job *by; /* NULL: nobody takes its place */
    const char *text;     /* as action.text */
    enum end_reason why;
};
/* Stop an active job as the policy says. */
void preempt_job(struct engine *e, struct job *j, enum preempt_policy policy,
    const struct preempt_cause *cause);
/* It waits again, from the beginning of the queue time that it is given then. */
void preempt_to_queue(struct engine *e, struct job *j);
/* A suspended job goes on where it was; -1: it stays suspended until its nodes have
 * what it needs. */
int preempt_resume_job(
    struct engine *e, struct job *j, enum occupancy_by by, struct err *err);
/* In a cycle: those that may, by priority. */
void preempt_resume(struct engine *e);
/* The suspended job to look at after `before`, by priority, NULL = the first; of those
 * that do not wait for somebody's word, nor for their end. O(active jobs). */
struct job *preempt_next_suspended(const struct engine *e, const struct job *before);
bool preempt_comes_back(const struct job *j);
/* Until when a suspended job is not resumed in any case, 0 = that is over. */
int64_t preempt_rests_until(const struct engine *e, const struct job *j);
void preempt_settle_optimists(struct engine *e); /* the queue is in order */
/* Reservations are made as if lower jobs that run on approval were not there: the plan
 * to ask then, the engine's own where none are, else a copy without them. To be closed
 * before anything starts, and asked nothing after anything has. */
struct plan *preempt_open_view(struct engine *e, const struct job *j);
void preempt_close_view(struct engine *e, struct plan *view);
/* A slot found in it, in the plan. */
void preempt_reserve(
    struct engine *e, struct plan *view, const struct job *j, const struct slot *slot);

#endif
