/* SPDX-License-Identifier: Apache-2.0
 * See stop.h. */
#include "engine/stop.h"

#include "config/settings.h"
#include "engine/engine_private.h"
#include "engine/occupancy.h"
#include "engine/rest.h"
#include "policy/accrual.h"

#include <assert.h>

void stop_job(struct engine *e, struct job *j, enum job_event how)
{
    int64_t limit_at = j->end_at, now = e->now;
    struct err err;

    leaving_note(e->troubles.leaving, j, now);
    if (j->state != JOB_SUSPENDED) {
        job_vacates(e, j, now);
    } else { /* that was done then; and it does not come back */
        rest_drop(e, j);
    }
    if (job_stop(e->c, j, how, now, &err) < 0)
        assert(!"a running job can always be stopped");
    if (how == EV_REQUEUE || how == EV_SUSPEND)
        job_changes(e, j, CHANGE_OF_STATE);
    else
        job_ended(
            e, j, now, how == EV_COMPLETE || (how == EV_CANCEL && now >= limit_at));
    if (e->cfg->bf_chunk_duration_s > 0)
        e->passes.chunk_until = now + e->cfg->bf_chunk_duration_s;
}

void cancel_job(struct engine *e, struct job *j, enum end_reason why, const char *text)
{
    if (job_has_begun((enum job_state)j->state))
        stop_job(e, j, EV_CANCEL);
    else
        job_move(e->c, j, EV_CANCEL, NULL);
    job_changes(e, j, CHANGE_OF_STATE);
    e->stats.cancelled++;
    e->cycle.left = true;
    decisions_cancelled(e, j);
    decisions_add(e, ACTION_CANCEL, j, e->now, text ? text : end_reason_text(why))
        ->why = why;
}

/* ---- deferrals ---- */

void deferral_goes_on(struct engine *e, const struct job *j)
{
    if (j->hold_reason == REASON_RMFAILURE)
        wake_at(e, j->defer_until); /* a start to be tried again: few, and soon */
    else
        wakeups_add_deferral(e->wakeups, j->defer_until);
}

/* Tried before its time and found wanting again: the deferral goes on, and counts as
 * the one that it is. */
static bool resume_deferral(struct engine *e, struct job *j, const char *text)
{
    const struct job_extra *x = j->extra;
    const struct job_deferral *d = x ? &x->deferral : NULL;

    if (!x || x->tried_at != e->now || d->until <= e->now || j->holds
        || e->cfg->defer_time_s <= 0)
        return false;
    hold_set(j, HOLD_DEFER, REASON_NORESOURCES, text, d->hold_at);
    j->defer_until = d->until;
    j->queue_at = d->queue_at;
    j->eff_queue_s = d->eff_queue_s;
    j->paused_at = d->paused_at;
    j->accruing = d->accruing;
    j->paused = d->paused;
    decisions_keep_text(j, text);
    deferral_goes_on(e, j);
    job_changes(e, j, CHANGE_OF_STATE);
    return true;
}

void defer_job(struct engine *e, struct job *j, enum hold_reason why, const char *text)
{
    promises_void(e->promises, j);
    if (why == REASON_NORESOURCES && resume_deferral(e, j, text))
        return;
    enum defer_result result = hold_defer(e->cfg, j, why, text, 0, e->now);
    if (why == REASON_NORESOURCES && result == DEFER_DEFERRED)
        job_extra(j)->deferred_in = world_stamp(e);
    if (result != DEFER_SKIPPED)
        text = decisions_keep_text(j, text);
    after_deferral(e, j, result, text);
}

void put_off_job(
    struct engine *e, struct job *j, enum hold_reason why, const char *text)
{
    if (j->admitted && !(j->flags & JOB_NOQUEUE))
        promises_void(e->promises, j);
    else
        defer_job(e, j, why, text);
}

void pause_job(
    struct engine *e, struct job *j, int64_t s, enum hold_reason why, const char *text)
{
    hold_set(j, HOLD_DEFER, why, text, e->now);
    j->retries = true;
    j->defer_until = time_add(e->now, s);
    after_deferral(e, j, DEFER_DEFERRED, text);
}

void after_deferral(
    struct engine *e, struct job *j, enum defer_result result, const char *text)
{
    switch (result) {
    case DEFER_SKIPPED:
        return;
    case DEFER_DEFERRED:
        decisions_add(e, ACTION_DEFER, j, j->defer_until, text);
        deferral_goes_on(e, j);
        break;
    case DEFER_BATCH:
        decisions_add(e, ACTION_DEFER, j, j->defer_until, text);
        decisions_add(e, ACTION_HOLD, j, e->now, text);
        break;
    case DEFER_CANCEL:
        cancel_job(e, j, ENDED_NOQUEUE, text);
        return;
    }
    job_changes(e, j, CHANGE_OF_STATE);
    e->stats.deferred++;
    e->cycle.left = true;
    accrual_stop(&e->cfg->prio, j, ACCRUAL_HOLD, e->now);
}
