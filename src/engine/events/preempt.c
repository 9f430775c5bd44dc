/* SPDX-License-Identifier: Apache-2.0
 * EVENT_PREEMPT, EVENT_RESUME: an active job is stopped by order, a suspended one goes
 * on. */
#include "engine/preempt.h"

#include "engine/engine_private.h"
#include "engine/events/events.h"
#include "engine/occupancy.h"

int order_preemption(
    struct engine *e, struct job *j, const struct event *ev, struct err *err)
{
    enum preempt_policy how = ev->u.preempt.how;
    int64_t rests_s = ev->u.preempt.rests_s;

    static const char *const texts[] = {[PREEMPT_REQUEUE] = "requeued by order",
        [PREEMPT_SUSPEND] = "suspended by order",
        [PREEMPT_CHECKPOINT] = "checkpointed by order"};

    if (how >= sizeof texts / sizeof *texts)
        return err_set(err, ERR_INVALID,
            "job '%s': expected to be requeued, suspended or checkpointed", j->id);
    if (j->cancelled)
        return err_set(err, ERR_CONFLICT,
            "job '%s' was cancelled, and its resource manager does not end it", j->id);
    if (!job_is_active(j))
        return err_set(err, ERR_CONFLICT,
            "cannot preempt non-active job '%s' (it is %s)", j->id,
            job_state_name((enum job_state)j->state));
    if (how == PREEMPT_SUSPEND && j->state != JOB_RUNNING)
        return err_set(err, ERR_CONFLICT,
            "job '%s' cannot be suspended while it is %s: expected Running", j->id,
            job_state_name((enum job_state)j->state));
    preempt_job(e, j, how, &(struct preempt_cause){.text = texts[how]});
    if (j->state != JOB_SUSPENDED)
        return 0;
    if (rests_s <= 0)
        j->flags |= JOB_PARKED;
    else
        job_extra(j)->rests_until = time_add(e->now, rests_s);
    return 0;
}

int order_resumption(
    struct engine *e, struct job *j, const struct event *ev, struct err *err)
{
    (void)ev;
    if (j->state != JOB_SUSPENDED)
        return err_set(err, ERR_CONFLICT,
            "cannot resume job '%s': it is %s, expected Suspended", j->id,
            job_state_name((enum job_state)j->state));
    return preempt_resume_job(e, j, OCCUPANCY_REPORTED, err);
}
