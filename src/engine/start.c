/* SPDX-License-Identifier: Apache-2.0
 * Starting, stopping, deferring and cancelling one job: what changes hands between
 * cluster, plan and policy, in one place each. */
#include "engine/engine_private.h"
#include "policy/accrual.h"
#include "policy/fairshare.h"

#include <assert.h>
#include <string.h>

void act(struct engine *e, enum action_kind kind, const struct job *j, int64_t at,
    const char *text)
{
    struct action a = {
        .kind = kind, .job = j->index, .at = at, .by = INDEX_NONE, .text = text};

    if (e->out) {
        vec_push(e->out, a);
        return;
    }
    /* Between cycles: told by the next one. The text may not last that long. */
    if (kind == ACTION_CANCEL && text) {
        struct job_extra *extra = job_extra(e->c->jobs.v[j->index]);
        free(extra->hold_text);
        extra->hold_text = xstrdup(text);
    }
    vec_push(&e->pending, a);
}

/* A hold or deferral that somebody took away before it was told is no news, nor is
 * one of a job that ended. */
static bool still_so(const struct action *a, const struct job *j)
{
    if (!j || (a->kind != ACTION_CANCEL && j->state >= JOB_COMPLETED))
        return false;
    if (a->kind == ACTION_START)
        return job_is_active(j);
    if (a->kind == ACTION_HOLD)
        return (j->holds & HOLD_BATCH) != 0;
    return a->kind != ACTION_DEFER || (j->holds & HOLD_DEFER);
}

void tell_pending(struct engine *e)
{
    for (size_t i = 0; i < e->pending.n; i++) {
        struct action *a = &e->pending.v[i];
        const struct job *j = e->c->jobs.v[a->job];
        if (!still_so(a, j))
            continue;
        if (a->kind == ACTION_CANCEL || a->kind == ACTION_HOLD
            || a->kind == ACTION_DEFER)
            a->text = j->extra ? j->extra->hold_text : NULL;
        if (a->kind == ACTION_CANCEL)
            vec_push(&e->ended, a->job);
        vec_push(e->out, *a);
    }
    e->pending.n = 0;
}

void wake_at(struct engine *e, int64_t at)
{
    if (at > e->now && at < e->wakeup)
        e->wakeup = at;
}

void deferral_goes_on(struct engine *e, const struct job *j)
{
    if (j->hold_reason == REASON_RMFAILURE)
        wake_at(e, j->defer_until); /* a start to be tried again: few, and soon */
    else
        note_expiry(e, j->defer_until);
}

void note_expiry(struct engine *e, int64_t at)
{
    if (at < e->next_expiry)
        e->next_expiry = at;
}

bool in_partition(const struct engine *e, const struct job *j, uint32_t partition)
{
    (void)e;
    return (j->partitions >> partition & 1) != 0;
}

/* No start now: these units are free for it. */
static void refuse_start(
    struct engine *e, struct job *j, enum wait_code code, int64_t used)
{
    entry_touch(e, j);
    j->why = (struct reason){.code = (uint8_t)code,
        .kind = CRED_KINDS,
        .kind2 = CRED_KINDS,
        .used = used,
        .asked = j->tasks};
}

bool allowed_now(struct engine *e, struct job *j, enum limit_level level)
{
    if (!limits_violated(e->limits, e->c, j, CHECK_ACTIVE, level, &j->why))
        return true;
    entry_touch(e, j);
    return false;
}

/* Wallclock limit on the nodes chosen: the slowest one counts. */
int64_t effective_limit(const struct engine *e, const struct job *j)
{
    if (!j->alloc.n || !node_at(e->c, j->alloc.v[0].first)->par->use_machine_speed)
        return j->wclimit_s; /* its partition does not count speed */
    return plan_scaled(j->wclimit_s, job_slowest_speed(e->c, j));
}

bool start_job(struct engine *e, struct job *j, uint32_t partition, bool backfill)
{
    enum wait_code code;

    if (plan_place_now(e->plan, j, partition, &j->alloc, &code) < 0) {
        refuse_start(e, j, code, plan_free_now(e->plan, j, partition));
        return false;
    }
    return start_placed(e, j, backfill);
}

bool start_placed(struct engine *e, struct job *j, bool backfill)
{
    struct err err;

    j->eff_wclimit_s = effective_limit(e, j);
    if (job_start(e->c, j, e->now, &err) < 0) {
        refuse_start(e, j, WAIT_RESOURCES, 0);
        return false;
    }
    entry_touch(e, j);
    job_move(e->c, j, EV_STARTED, NULL);
    plan_job_started(e->plan, j);
    limits_count_active(e->limits, e->c, j, +1, e->now);
    fs_job_start(e->c, j, e->now);
    statistics_started(e->statistics, e->c, j, e->now, e->now);
    rsvuse_job(e->c, j, +1, e->now);
    kept_started(e, j);
    if (j->extra)
        j->extra->retry_until = 0;
    if (backfill)
        j->flags |= JOB_BACKFILL;
    j->why.code = WAIT_NONE;
    e->starts++;
    e->stats.started++;
    e->stats.backfilled += backfill;
    act(e, ACTION_START, j, e->now, NULL);
    if (e->out)
        e->out->v[e->out->n - 1].backfill = backfill;
    return true;
}

/* The job's own default partition first, then the others in order. */
bool start_if_possible(struct engine *e, struct job *j, bool backfill)
{
    uint64_t rest = j->partitions & ((UINT64_C(1) << e->c->partitions.n) - 1);
    uint32_t first = j->pdef;

    if (first != INDEX_NONE && (rest >> first & 1)) {
        rest &= ~(UINT64_C(1) << first);
        if (!e->par[first].blocked && plan_fits_now(e->plan, j, first)
            && start_job(e, j, first, backfill))
            return true;
    }
    for (; rest; rest &= rest - 1) {
        uint32_t p = (uint32_t)__builtin_ctzll(rest);
        if (!e->par[p].blocked && plan_fits_now(e->plan, j, p)
            && start_job(e, j, p, backfill))
            return true;
    }
    return false;
}

void stop_charging(struct engine *e, struct job *j, int64_t now)
{
    rsvuse_job(e->c, j, -1, now);
    fs_roll(e->c, now); /* what was used before a new window belongs to the old ones */
    fs_job_stop(e->c, j, now);
}

void stop_job(struct engine *e, struct job *j, enum job_event how, int64_t now)
{
    int64_t limit_at = j->end_at;
    struct err err;

    if (j->state != JOB_SUSPENDED) { /* else that was done when it was suspended */
        plan_job_stopping(e->plan, j, now);
        limits_count_active(e->limits, e->c, j, -1, now);
        stop_charging(e, j, now);
        statistics_stopped(e->statistics, e->c, j, now);
    }
    if (job_stop(e->c, j, how, now, &err) < 0)
        assert(!"a running job can always be stopped");
    if (how == EV_REQUEUE || how == EV_SUSPEND) {
        kept_touch(e);
    } else {
        calendar_job_ended(e, j);
        statistics_ended(e->statistics, e->c, j,
            how == EV_COMPLETE || (how == EV_CANCEL && now >= limit_at), now);
    }
    statistics_queued(e->statistics, j, now);
    if (e->cfg->bf_chunk_duration_s > 0)
        e->chunk_until = now + e->cfg->bf_chunk_duration_s;
}

void requeue_job(struct engine *e, struct job *j)
{
    stop_job(e, j, EV_REQUEUE, e->now);
    j->flags &= ~(uint32_t)JOB_PARKED;
    resolve_job(e, j); /* its QOS or the settings may have changed while it ran */
}

void drop_reservation(struct engine *e, struct job *j)
{
    plan_unreserve(e->plan, j);
    j->rsv_start_at = 0;
    if (j->extra)
        j->extra->promised = j->extra->retry_until = 0;
}

void cancel_job(struct engine *e, struct job *j, const char *text)
{
    drop_reservation(e, j);
    if (report_is_active((enum job_state)j->state))
        stop_job(e, j, EV_CANCEL, e->now);
    else
        job_move(e->c, j, EV_CANCEL, NULL);
    statistics_queued(e->statistics, j, e->now);
    kept_touch(e);
    e->stats.cancelled++;
    e->any_left = true;
    if (e->out) /* else when it has been told */
        vec_push(&e->ended, j->index);
    act(e, ACTION_CANCEL, j, e->now, text);
}

void cancel_unqueued(struct engine *e, struct job *j)
{
    cancel_job(e, j, "the job asked to start at once or not at all");
}

void defer_job(struct engine *e, struct job *j, enum hold_reason why, const char *text)
{
    drop_reservation(e, j);
    after_deferral(e, j, hold_defer(e->cfg, j, why, text, 0, e->now), text);
}

void after_deferral(
    struct engine *e, struct job *j, enum defer_result result, const char *text)
{
    switch (result) {
    case DEFER_SKIPPED:
        return;
    case DEFER_DEFERRED:
        act(e, ACTION_DEFER, j, j->defer_until, text);
        deferral_goes_on(e, j);
        break;
    case DEFER_BATCH:
        act(e, ACTION_DEFER, j, j->defer_until, text);
        act(e, ACTION_HOLD, j, e->now, text);
        break;
    case DEFER_CANCEL:
        cancel_job(e, j, text);
        return;
    }
    kept_touch(e);
    entry_touch(e, j);
    e->stats.deferred++;
    e->any_left = true;
    accrual_stop(&e->cfg->prio, j, ACCRUAL_HOLD, e->now);
}
