/* SPDX-License-Identifier: Apache-2.0
 * Queue time: when it grows, when it is frozen, when it is lost.
 * Source: reference priority, section 4 (reset table), holds, section 7. */
#ifndef MAUI_POLICY_ACCRUAL_H
#define MAUI_POLICY_ACCRUAL_H

#include <stdbool.h>
#include <stdint.h>

struct job;
struct prio_settings;

/* What stops a job from accruing, or restarts its queue time. */
enum accrual_event {
    ACCRUAL_IDLE_LIMIT,   /* fails an idle limit at queue selection */
    ACCRUAL_ACTIVE_LIMIT, /* only one of active jobs: no less queued for that */
    ACCRUAL_HOLD,         /* hold in place: paused, the time on hold never counts */
    ACCRUAL_NOT_QUEUED,   /* class disabled, negative priority rejected */
    ACCRUAL_DEPENDENCY, /* dependency unmet, fairshare cap, active limit at partition */
    ACCRUAL_RM_RELEASED, /* RM state Hold/NotQueued -> Idle */
    ACCRUAL_DEFER_EXPIRED,
    ACCRUAL_REQUEUED, /* by preemption */
    ACCRUAL_EVENTS
};

/* Effective queue time in seconds at `now`, never negative. O(1).
 *
 * ALWAYS: since submission (since the requeue for a preempted job). Otherwise
 * since queue_at while the job accrues, and eff_queue_s while it does not. A job
 * that was never selected nor stopped (accruing false, eff_queue_s < 0) has waited
 * since queue_at with USESYSTEMQUEUETIME, else since submission. */
int64_t accrual_queue_s(
    const struct prio_settings *cfg, const struct job *j, int64_t now);
/* The same for any instant: true, and it grows from *ret_s on; false, and it stays
 * *ret_s seconds. O(1). */
bool accrual_grows(
    const struct prio_settings *cfg, const struct job *j, int64_t *ret_s);

/* The job passed selection at `now`: it accrues again. After a hold the time on
 * hold stays out; after a mere freeze it counts in full. O(1). */
void accrual_resume(const struct prio_settings *cfg, struct job *j, int64_t now);

/* Something of the table happened at `now`: freeze or reset as JOBPRIOACCRUALPOLICY
 * says. Idempotent while the cause lasts. O(1). */
void accrual_stop(
    const struct prio_settings *cfg, struct job *j, enum accrual_event e, int64_t now);

#endif
