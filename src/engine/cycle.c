/* SPDX-License-Identifier: Apache-2.0
 * One scheduling cycle, as the checklist of reference concepts, section 9. */
#include "engine/cycle.h"

#include "cluster/rmset.h"
#include "config/settings.h"
#include "engine/arrays.h"
#include "engine/charging/unfunded.h"
#include "engine/decisions.h"
#include "engine/dependency.h"
#include "engine/engine_private.h"
#include "engine/keeping.h"
#include "engine/passes.h"
#include "engine/planning/planning.h"
#include "engine/preempt.h"
#include "engine/start.h"
#include "engine/stop.h"
#include "policy/accrual.h"
#include "policy/fairshare.h"
#include "policy/overrun.h"

#include <string.h>

static void forget_promises(struct engine *e, const struct job *j)
{
    told_forget(e->told, j->index);
    promises_forget(e->promises, j);
}

void forget_job(struct engine *e, struct job *j)
{
    forget_promises(e, j);
    job_remove(e->c, j);
}

/* Jobs that ended since the last cycle leave the cluster. */
static void remove_ended(struct engine *e)
{
    size_t n;
    const uint32_t *ended = decisions_of_ended(e, &n);

    if (e->uses.deps && n)
        dependency_settle_all(e);
    for (size_t i = 0; i < n; i++) {
        struct job *j = e->c->jobs.v[ended[i]];
        if (decisions_keeps_ended(e))
            forget_promises(e, j);
        else
            forget_job(e, j);
    }
    decisions_forget_ended(e);
}

int64_t engine_overrun(const struct engine *e, const struct job *j)
{
    return overrun_of(e->c, j);
}

/* A job at its limit that its resource manager lets run on: from now on its end is
 * foreseen for when that is over. */
static void foresee_overtime(struct engine *e)
{
    if (plan_first_end(e->plan) > e->now)
        return;
    for (size_t i = e->c->active.n; i-- > 0;) {
        struct job *j = e->c->jobs.v[e->c->active.v[i]];
        int64_t overtime_s = j->extra ? j->extra->overtime_s : 0;
        if (!job_is_active(j) || j->end_at > e->now || overtime_s == 0
            || j->eff_wclimit_s > effective_limit(e, j))
            continue;
        bool counted = job_change_begins(e, j, e->now);
        j->eff_wclimit_s = time_add(j->eff_wclimit_s, overtime_s);
        j->end_at = time_add(j->end_at, overtime_s);
        job_change_ends(e, j, counted);
    }
}

static void enforce_wclimit(struct engine *e)
{
    if (plan_first_end(e->plan) >= e->now)
        return;
    for (size_t i = e->c->active.n; i-- > 0;) {
        struct job *j = e->c->jobs.v[e->c->active.v[i]];
        int64_t overrun = engine_overrun(e, j);
        if (!job_is_active(j) || overrun < 0 || rmset_is_away(e->c, job_rm(j)))
            continue; /* it may be over long since, for all that is known */
        if (j->cancelled || (j->state == JOB_STARTING && e->opt.starts_told))
            continue; /* its end is decided; or its time begins when it runs */
        int64_t last = time_add(j->end_at, overrun);
        if (e->now <= last) {
            wake_at(e, last + 1);
            continue;
        }
        if (e->cfg->wc_action == WC_PREEMPT) {
            preempt_job(e, j, e->cfg->preempt_policy,
                &(struct preempt_cause){
                    .text = end_reason_text(ENDED_WALLCLOCK), .why = ENDED_WALLCLOCK});
        } else {
            cancel_job(e, j, ENDED_WALLCLOCK, NULL);
        }
    }
}

void refresh_limits(struct engine *e)
{
    if (e->uses.settings_epoch == e->c->config_epoch)
        return;
    limits_configure(e->limits, e->c);
    e->uses.cap = fs_any_cap(e->c);
    e->uses.settings_epoch = e->c->config_epoch;
    admission_configure(e);
}

static void note_remarked(struct engine *e)
{
    size_t n;
    const uint32_t *jobs = limits_remarked(e->limits, &n);

    for (size_t i = 0; i < n; i++)
        decisions_changed(e, jobs[i]);
}

static void refresh_policy(struct engine *e)
{
    refresh_limits(e);
    groups_refresh(e->groups.depth, e->c, e->cfg);
    fs_charge(e->c, e->cycle.last_at, e->now);
    fs_roll(e->c, e->now);
    limits_begin_cycle(e->limits, e->c, e->now);
    note_remarked(e);
}

/* NOQUEUE jobs that did not start in the first cycle that saw them. */
static void cancel_noqueue(struct engine *e)
{
    size_t n;
    const uint32_t *queue = queue_admitted(e->queue, &n);

    for (size_t i = 0; i < n; i++) {
        struct job *j = e->c->jobs.v[queue[i]];
        if ((j->flags & JOB_NOQUEUE) && job_waits(j))
            cancel_job(e, j, ENDED_NOQUEUE, NULL);
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
static void backfill_soft(struct engine *e, const struct queue_view *soft)
{
    enum queue_order order = backfill_order(e);
    struct candidates reordered = {0};

    if (order == ORDER_PRIORITY) {
        pass_backfill(e, soft, LEVEL_SOFT);
        return;
    }
    queue_reorder(e->queue, soft, order, &reordered);
    const struct queue_view view = {reordered.v, reordered.n, 0};
    pass_backfill(e, &view, LEVEL_SOFT);
    vec_fini(&reordered);
}

/* By priority, or as a search for a better plan finds. */
static struct queue_view pass_in_order(struct engine *e)
{
    if (settings_plan_together(e->cfg)) {
        struct queue_view all = queue_candidates(e->queue, LEVEL_SOFT);
        queue_forget_pass(e->queue);
        planning_pass(e, &all);
        return all;
    }
    planning_drop(e);
    queue_skip_refused(e->queue, e->passes.par);
    struct queue_view soft = queue_candidates(e->queue, LEVEL_SOFT);
    pass_priority(e, &soft, LEVEL_SOFT);
    queue_note_pass(e->queue, e->passes.par);
    if (!e->uses.keeps)
        plan_confirm_rest(e->plan);
    return soft;
}

static void run_passes(struct engine *e)
{
    preempt_settle_optimists(e);
    queue_select(e->queue);
    keeping_promises(e);
    /* a promise may have moved behind the end of a suspended job whose memory it needs:
       that job is to come back before it, or it moves for ever */
    if (e->uses.keeps)
        preempt_resume(e);
    struct queue_view soft = pass_in_order(e);
    keeping_deadlines(e);
    backfill_soft(e, &soft);
    if (!limits_soft_differs(e->limits))
        return;
    for (size_t i = 0; i < e->c->partitions.n; i++)
        e->passes.par[i] = (struct par_state){
            .blocked = e->c->partitions.v[i]->par->bf_policy != BACKFILL_NONE};
    struct queue_view hard = queue_candidates(e->queue, LEVEL_HARD);
    pass_priority(e, &hard, LEVEL_HARD);
    pass_backfill(e, &hard, LEVEL_HARD);
}

/* A job has a reservation: it would start if it could. */
static bool someone_waits(const struct engine *e)
{
    for (uint32_t i = 0; i < plan_reservations(e->plan); i++)
        if (plan_reserved_job(e->plan, i) != INDEX_NONE)
            return true;
    return false;
}

static void begin_cycle(struct engine *e, struct actions *ret)
{
    decisions_open(e, ret);
    decisions_forget_changed(e);
    wakeups_begin_cycle(e->wakeups);
    e->cycle = (struct cycle_marks){.last_at = e->cycle.last_at};
    memset(e->passes.par, 0, (e->c->partitions.n + 1) * sizeof *e->passes.par);
}

/* When to come again, even if nothing happens. */
static void note_wakeups(struct engine *e)
{
    const struct cycle_marks *m = &e->cycle;
    /* idle jobs that started, or left, make room for others under idle limits */
    bool room = m->limited && limits_any(e->limits, CHECK_IDLE);

    if ((m->starts && (m->look_again || room)) || (m->left && room))
        wake_at(e, time_add(e->now, e->cfg->rm_poll_interval_s));
    if (plan_first_end(e->plan) < TIME_NEVER)
        wake_at(e, plan_first_end(e->plan) + 1);
    wake_at(e, unfunded_until(e));
    wakeups_end_cycle(e->wakeups, e->now, e->cfg->rm_poll_interval_s);
}

void engine_cycle(struct engine *e, int64_t now, struct actions *ret)
{
    e->now = now > e->now ? now : e->now;
    begin_cycle(e, ret);
    remove_ended(e);
    decisions_tell_pending(e);
    refresh_policy(e);
    calendar_refresh(e);
    e->uses.keeps = keeping_is_policy(e);
    promises_set_policy(e->promises, e->uses.keeps);
    lost_jobs(e);
    foresee_overtime(e);
    enforce_wclimit(e);
    leaving_look(e->troubles.leaving, e->c, e->now, 2 * e->cfg->rm_poll_interval_s);
    preempt_begin(e);
    plan_begin(e->plan, e->now,
        settings_plan_together(e->cfg) ? RSV_PROMISED
        : e->uses.keeps                ? RSV_KEEP
                                       : RSV_REPLAN);
    charging_ease(e); /* who comes back has to pay for the rest */
    if (settings_plan_together(e->cfg)) {
        returns_keep(e);
    } else {
        returns_drop(e);
        preempt_resume(e);
    }
    e->world.seen = world_stamp(e);
    unfunded_begin(e);
    if (e->c->queued.n) {
        arrays_changed(e->groups.arrays);
        queue_rank(e->queue);
        run_passes(e);
        unfunded_follow(e);
        if (e->uses.noqueue)
            cancel_noqueue(e);
        if (e->opt.report_reservations)
            told_report(e->told, e);
        queue_end_cycle(e->queue);
    }
    planning_end_cycle(e);
    charging_settle(e);
    note_wakeups(e);
    e->cycle.last_at = e->now;
    e->world.reordered = false;
    e->stats.cycles++;
    arrays_changed(e->groups.arrays);
    if (e->learned.statistics && someone_waits(e))
        statistics_cycle(e->learned.statistics, (int64_t)e->stats.cycles);
    decisions_close(e);
}
