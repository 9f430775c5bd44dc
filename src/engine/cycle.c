/* SPDX-License-Identifier: Apache-2.0
 * One scheduling cycle, as the checklist of reference concepts, section 9. */
#include "engine/engine_private.h"
#include "policy/accrual.h"
#include "policy/fairshare.h"

#include <string.h>

void forget_job(struct engine *e, struct job *j)
{
    if (j->index < e->told_at.n)
        e->told_at.v[j->index] = e->saved_at.v[j->index] = 0;
    job_remove(e->c, j);
}

/* Jobs that ended since the last cycle leave the cluster. */
static void remove_ended(struct engine *e)
{
    if (e->any_deps && e->ended.n)
        settle_dependents(e);
    for (size_t i = 0; i < e->ended.n && !e->opt.keep_ended; i++)
        forget_job(e, e->c->jobs.v[e->ended.v[i]]);
    e->ended.n = 0;
}

int64_t engine_overrun(const struct engine *e, const struct job *j)
{
    int64_t most = -1;

    for (int k = 0; k < CRED_KINDS; k++) {
        const struct cred *cred = job_cred(e->c, j, (enum cred_kind)k);
        int64_t s =
            cred->cfg->overrun_s >= 0 ? cred->cfg->overrun_s : cred->def->overrun_s;
        if (s > most)
            most = s;
    }
    return most >= 0 ? most : e->cfg->job_max_overrun_s;
}

static void enforce_wclimit(struct engine *e)
{
    if (plan_first_end(e->plan) >= e->now)
        return;
    for (size_t i = e->c->active.n; i-- > 0;) {
        struct job *j = e->c->jobs.v[e->c->active.v[i]];
        int64_t overrun = engine_overrun(e, j);
        if (!job_is_active(j) || overrun < 0)
            continue;
        if (j->state == JOB_STARTING && e->opt.starts_told)
            continue; /* its time begins when it runs */
        int64_t last = time_add(j->end_at, overrun);
        if (e->now <= last) {
            wake_at(e, last + 1);
            continue;
        }
        if (e->cfg->wc_action == WC_PREEMPT) {
            preempt_job(e, j, e->cfg->preempt_policy, NULL, WALLCLOCK_EXCEEDED);
        } else {
            cancel_job(e, j, WALLCLOCK_EXCEEDED);
        }
    }
}

bool keeps_reservations(const struct engine *e)
{
    for (size_t i = 0; i < e->c->partitions.n; i++)
        if (e->c->partitions.v[i]->par->rsv_policy == RSVPOLICY_HIGHEST)
            return true;
    return false;
}

void refresh_limits(struct engine *e)
{
    if (e->limits_epoch == e->c->config_epoch)
        return;
    limits_configure(e->limits, e->c);
    e->any_cap = fs_any_cap(e->c);
    e->limits_epoch = e->c->config_epoch;
}

static void note_remarked(struct engine *e)
{
    size_t n;
    const uint32_t *jobs = limits_remarked(e->limits, &n);

    for (size_t i = 0; i < n; i++)
        vec_push(&e->changed, jobs[i]);
}

static void refresh_policy(struct engine *e)
{
    refresh_limits(e);
    uint64_t groups = e->c->config_epoch * 1000003 + e->c->creds[CRED_QOS].n;
    if (e->group_epoch != groups) {
        reserve_configure(e);
        e->group_epoch = groups;
    }
    fs_charge(e->c, e->last_cycle_at, e->now);
    fs_roll(e->c, e->now);
    limits_begin_cycle(e->limits, e->c, e->now);
    note_remarked(e);
}

static void rank(struct engine *e)
{
    if (kept_rank(e))
        return;
    e->front = 0;
    cluster_tidy_queue(e->c);
    eligible_all(e);
    entries_queue(e);
    kept_capture(e);
}

/* NOQUEUE jobs that did not start in the first cycle that saw them. */
static void cancel_noqueue(struct engine *e)
{
    for (size_t i = e->front; i < e->order.n; i++) {
        struct job *j = e->c->jobs.v[e->order.v[i]];
        if ((j->flags & JOB_NOQUEUE) && j->state == JOB_IDLE && !j->holds)
            cancel_unqueued(e, j);
    }
}

static enum queue_order backfill_order(const struct engine *e)
{
    if (e->opt.backfill_order != ORDER_PRIORITY || e->cfg->bf_priority == BFPRIO_RANDOM)
        return e->opt.backfill_order;
    for (size_t i = 0; i < e->c->partitions.n; i++)
        if (e->c->partitions.v[i]->par->bf_policy == BACKFILL_PREEMPT)
            return ORDER_SJF; /* no history of users' accuracy is kept */
    return ORDER_PRIORITY;
}

/* Backfill may look at its candidates in another order than the queue's. */
static void backfill_soft(struct engine *e, const struct candidates *soft)
{
    struct indexes sorted = {0};
    struct candidates reordered = {0};

    enum queue_order order = backfill_order(e);

    if (order == ORDER_PRIORITY) {
        pass_backfill(e, soft, LEVEL_SOFT);
        return;
    }
    ranking_begin(&e->ranking, soft->n);
    for (size_t i = e->front; i < soft->n; i++)
        ranking_add(&e->ranking, soft->v[i].job, rank_key(e, soft->v[i].job, order));
    ranking_end(&e->ranking, &sorted);
    for (size_t i = 0; i < sorted.n; i++)
        vec_push(&reordered, candidate_of(e, sorted.v[i]));
    pass_backfill(e, &reordered, LEVEL_SOFT);
    vec_fini(&sorted);
    vec_fini(&reordered);
}

static void run_passes(struct engine *e)
{
    bool differs = limits_soft_differs(e->limits);
    const struct candidates *soft = &e->hard;

    preempt_settle_optimists(e);
    if (!e->kept.in_use)
        entries_select(e, differs);
    if (differs)
        soft = &e->soft;
    retry_keep(e);
    if (e->keeps)
        reserve_kept(e);
    deadline_keep(e);
    kept_settle(e);
    pass_priority(e, soft, LEVEL_SOFT);
    kept_note_pass(e);
    if (!e->keeps)
        plan_confirm_rest(e->plan);
    deadline_reserve(e);
    backfill_soft(e, soft);
    if (!differs)
        return;
    e->settled = e->front;
    for (size_t i = 0; i < e->c->partitions.n; i++)
        e->par[i] = (struct par_state){
            .blocked = e->c->partitions.v[i]->par->bf_policy != BACKFILL_NONE};
    pass_priority(e, &e->hard, LEVEL_HARD);
    pass_backfill(e, &e->hard, LEVEL_HARD);
}

/* Tell the shell about priority reservations that are new, moved or gone: first those
 * of waiting jobs that have none any more. O(reservations). */
static void report_reservations(struct engine *e)
{
    uint32_t n = plan_reservations(e->plan);

    while (e->told_at.n < e->c->jobs.n) {
        vec_push(&e->told_at, 0);
        vec_push(&e->saved_at, 0);
    }
    for (size_t i = 0; i < e->told.n; i++) {
        const struct job *j = e->c->jobs.v[e->told.v[i]];
        if (j && j->rsv_start_at != 0)
            continue;
        if (j && j->state == JOB_IDLE && e->told_at.v[j->index] != 0)
            act(e, ACTION_RELEASE, j, e->now, NULL);
        e->told_at.v[e->told.v[i]] = 0;
    }
    e->told.n = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t job = plan_reserved_job(e->plan, i);
        if (job == INDEX_NONE)
            continue;
        const struct job *j = e->c->jobs.v[job];
        if (e->told_at.v[job] != j->rsv_start_at)
            act(e, ACTION_RESERVE, j, j->rsv_start_at, NULL);
        if (e->saved_at.v[job] != j->rsv_start_at)
            vec_push(&e->changed, job);
        e->told_at.v[job] = e->saved_at.v[job] = j->rsv_start_at;
        vec_push(&e->told, job);
    }
}

/* The first deferral to end is released when it does; while they end one after the
 * other, a poll interval of them at a time. Source: reference holds, section 4. */
static void wake_for_expiry(struct engine *e)
{
    int64_t soonest = e->released_at > INT64_MIN
                          ? time_add(e->released_at, e->cfg->rm_poll_interval_s)
                          : e->next_expiry;

    if (e->next_expiry < TIME_NEVER)
        wake_at(e, e->next_expiry > soonest ? e->next_expiry : soonest);
}

void engine_decided(struct engine *e, struct actions *ret)
{
    e->out = ret;
    tell_pending(e);
    e->out = NULL;
}

const uint32_t *engine_changed(const struct engine *e, size_t *ret_n)
{
    *ret_n = e->changed.n;
    return e->changed.v;
}

/* A job has a reservation: it would start if it could. */
static bool someone_waits(const struct engine *e)
{
    for (uint32_t i = 0; i < plan_reservations(e->plan); i++)
        if (plan_reserved_job(e->plan, i) != INDEX_NONE)
            return true;
    return false;
}

void engine_cycle(struct engine *e, int64_t now, struct actions *ret)
{
    e->now = now > e->now ? now : e->now;
    e->out = ret;
    e->out_from = ret->n;
    e->wakeup = e->next_expiry = TIME_NEVER;
    e->starts = 0;
    e->look_again = e->any_limited = e->any_left = false;
    e->changed.n = 0;
    memset(e->par, 0, (e->c->partitions.n + 1) * sizeof *e->par);
    remove_ended(e);
    tell_pending(e);
    refresh_policy(e);
    calendar_refresh(e);
    e->keeps = keeps_reservations(e);
    lost_jobs(e);
    enforce_wclimit(e);
    look_who_leaves(e);
    preempt_begin(e);
    plan_begin(e->plan, e->now, e->keeps ? RSV_KEEP : RSV_REPLAN);
    preempt_resume(e);
    e->world_seen = engine_world(e);
    if (e->c->queued.n) {
        rank(e);
        run_passes(e);
        if (e->any_noqueue)
            cancel_noqueue(e);
        if (e->opt.report_reservations)
            report_reservations(e);
        kept_end(e);
    }
    /* idle jobs that started, or left, make room for others under idle limits */
    bool room = e->any_limited && limits_any(e->limits, CHECK_IDLE);
    if ((e->starts && (e->look_again || room)) || (e->any_left && room))
        wake_at(e, time_add(e->now, e->cfg->rm_poll_interval_s));
    if (plan_first_end(e->plan) < TIME_NEVER)
        wake_at(e, plan_first_end(e->plan) + 1);
    wake_for_expiry(e);
    e->last_cycle_at = e->now;
    e->reordered = false;
    e->stats.cycles++;
    if (e->statistics && someone_waits(e))
        statistics_cycle(e->statistics, (int64_t)e->stats.cycles);
    e->out = NULL;
}
