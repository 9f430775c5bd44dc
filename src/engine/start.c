/* SPDX-License-Identifier: Apache-2.0
 * Starting, stopping, deferring and cancelling one job: what changes hands between
 * cluster, plan and policy, in one place each. */
#include "cluster/folded.h"
#include "engine/engine_private.h"
#include "engine/events/events.h"
#include "engine/occupancy.h"
#include "policy/accrual.h"

#include <assert.h>
#include <string.h>

/* A text that lasts as long as what was decided is told. */
static const char *keep_text(struct job *j, const char *text)
{
    struct job_extra *x = job_extra(j);

    if (!text || (x->hold_text && strcmp(x->hold_text, text) == 0))
        return x->hold_text;
    free(x->hold_text);
    return x->hold_text = xstrdup(text);
}

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
    if (kind == ACTION_CANCEL && text)
        keep_text(e->c->jobs.v[j->index], text);
    vec_push(&e->pending, a);
}

void act_because(struct engine *e, enum end_reason why)
{
    struct actions *to = e->out ? e->out : &e->pending;

    to->v[to->n - 1].why = why;
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
        return (j->holds & HOLD_BATCH) || report_is_lost(j);
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
    wakeups_add(e->wakeups, e->now, at);
}

void deferral_goes_on(struct engine *e, const struct job *j)
{
    if (j->hold_reason == REASON_RMFAILURE)
        wake_at(e, j->defer_until); /* a start to be tried again: few, and soon */
    else
        wakeups_add_deferral(e->wakeups, j->defer_until);
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
    queue_touch(e->queue, j);
    j->why = (struct reason){.code = (uint8_t)code,
        .kind = CRED_KINDS,
        .kind2 = CRED_KINDS,
        .used = used,
        .asked = j->tasks};
}

bool allowed_now(struct engine *e, struct job *j, enum limit_level level)
{
    unsigned stage = level == LEVEL_SOFT ? ADMIT_SOFT : ADMIT_HARD;
    struct reason why;

    if (!admission_refusal(e, j, stage, &why))
        return true;
    j->why = why;
    queue_touch(e->queue, j);
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
    return start_job_by(e, e->plan, j, partition, backfill);
}

/* Nodes for the job; or why not. */
static bool place_job(
    struct engine *e, struct plan *plan, struct job *j, uint32_t partition)
{
    enum wait_code code;

    if (plan_place_now(plan, j, partition, &j->alloc, &code) == 0)
        return true;
    refuse_start(e, j, code, plan_free_now(plan, j, partition));
    return false;
}

bool start_job_by(struct engine *e, struct plan *plan, struct job *j,
    uint32_t partition, bool backfill)
{
    if (!place_job(e, plan, j, partition))
        return false;
    enum occupancy_by by = plan == e->plan ? OCCUPANCY_PLANNED : OCCUPANCY_FORCED;
    return start_placed(e, j, by, backfill);
}

bool start_placed(struct engine *e, struct job *j, enum occupancy_by by, bool backfill)
{
    struct err err;

    j->eff_wclimit_s = effective_limit(e, j);
    if (job_start(e->c, j, e->now, &err) < 0) {
        refuse_start(e, j, WAIT_RESOURCES, 0);
        return false;
    }
    if (!e->opt.starts_told)
        job_move(e->c, j, EV_STARTED, NULL);
    job_occupies(e, j, e->now, by);
    promises_break(e->promises, j, PROMISE_RETRY);
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

void start_take_nodes(struct job *j, const struct job *copy)
{
    j->alloc.n = 0;
    for (size_t i = 0; i < copy->alloc.n; i++)
        vec_push(&j->alloc, copy->alloc.v[i]);
}

bool place_if_possible(struct engine *e, struct job *j, uint32_t partition)
{
    return plan_fits_now(e->plan, j, partition) && place_job(e, e->plan, j, partition);
}

bool place_anywhere(struct engine *e, struct job *j)
{
    uint64_t rest = j->partitions & ((UINT64_C(1) << e->c->partitions.n) - 1);
    uint32_t first = j->pdef;

    if (first != INDEX_NONE && (rest >> first & 1)) {
        rest &= ~(UINT64_C(1) << first);
        if (!e->par[first].blocked && place_if_possible(e, j, first))
            return true;
    }
    for (; rest; rest &= rest - 1) {
        uint32_t p = (uint32_t)__builtin_ctzll(rest);
        if (!e->par[p].blocked && place_if_possible(e, j, p))
            return true;
    }
    return false;
}

bool start_if_possible(struct engine *e, struct job *j)
{
    return place_anywhere(e, j) && start_placed(e, j, OCCUPANCY_PLANNED, false);
}

void stop_job(struct engine *e, struct job *j, enum job_event how)
{
    int64_t limit_at = j->end_at, now = e->now;
    struct err err;

    leaving_note(e->leaving, j, now);
    if (j->state != JOB_SUSPENDED) /* else that was done when it was suspended */
        job_vacates(e, j, now);
    if (job_stop(e->c, j, how, now, &err) < 0)
        assert(!"a running job can always be stopped");
    if (how == EV_REQUEUE || how == EV_SUSPEND)
        job_changes(e, j, CHANGE_OF_STATE);
    else
        job_ended(
            e, j, now, how == EV_COMPLETE || (how == EV_CANCEL && now >= limit_at));
    if (e->cfg->bf_chunk_duration_s > 0)
        e->chunk_until = now + e->cfg->bf_chunk_duration_s;
}

void requeue_job(struct engine *e, struct job *j)
{
    stop_job(e, j, EV_REQUEUE);
    j->flags &= ~(uint32_t)JOB_PARKED;
    resolve_job(e, j); /* its QOS or the settings may have changed while it ran */
}

void cancel_job(struct engine *e, struct job *j, enum end_reason why, const char *text)
{
    if (report_is_active((enum job_state)j->state))
        stop_job(e, j, EV_CANCEL);
    else
        job_move(e->c, j, EV_CANCEL, NULL);
    job_changes(e, j, CHANGE_OF_STATE);
    e->stats.cancelled++;
    e->any_left = true;
    if (e->out) /* else when it has been told */
        vec_push(&e->ended, j->index);
    act(e, ACTION_CANCEL, j, e->now, text ? text : end_reason_text(why));
    act_because(e, why);
}

void cancel_unqueued(struct engine *e, struct job *j)
{
    cancel_job(e, j, ENDED_NOQUEUE, NULL);
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
    keep_text(j, text);
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
        job_extra(j)->deferred_in = engine_world(e);
    if (result != DEFER_SKIPPED)
        text = keep_text(j, text);
    after_deferral(e, j, result, text);
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
        cancel_job(e, j, ENDED_NOQUEUE, text);
        return;
    }
    job_changes(e, j, CHANGE_OF_STATE);
    e->stats.deferred++;
    e->any_left = true;
    accrual_stop(&e->cfg->prio, j, ACCRUAL_HOLD, e->now);
}
