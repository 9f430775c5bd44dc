/* SPDX-License-Identifier: Apache-2.0
 * The engine's life, and the door for events (events/events.h). */
#include "engine/engine.h"

#include "engine/arrays.h"
#include "engine/bounds.h"
#include "engine/calendar_private.h"
#include "engine/decisions.h"
#include "engine/engine_private.h"
#include "engine/events/events.h"
#include "engine/occupancy.h"
#include "engine/planning/planning.h"
#include "engine/preempt.h"

struct engine *engine_create(
    const struct settings *cfg, const struct engine_options *opt)
{
    struct engine *e = xcalloc(1, sizeof *e);

    e->cfg = cfg;
    e->opt = *opt;
    e->c = cluster_create(cfg);
    e->plan = plan_create(e->c);
    e->promises = promises_create(e->plan);
    e->groups.arrays = arrays_create();
    e->learned.predictions = predictions_create();
    e->passes.planning = planning_create();
    e->limits = limits_create();
    e->passes.bounds_now = bounds_now_create();
    e->decisions = decisions_create();
    e->keeping = keeping_create();
    e->queue = queue_create(e);
    e->groups.depth = groups_create();
    e->calendar = calendar_create(opt->zone);
    cluster_set_zone(e->c, e->calendar->zone);
    e->troubles.losses = losses_create();
    e->troubles.refusals = refusals_create();
    e->preemption = preemption_create();
    e->money.charging = charging_create();
    e->money.unfunded = unfunded_create();
    e->money.rents = rents_create();
    e->troubles.leaving = leaving_create();
    e->told = told_create();
    e->wakeups = wakeups_create();
    if (opt->statistics)
        e->learned.statistics = statistics_create(cfg);
    e->uses.settings_epoch = UINT64_MAX;
    e->now = e->cycle.last_at = INT64_MIN / 4;
    e->origin = TIME_NEVER;
    admission_configure(e);
    return e;
}

void engine_keep_ended(struct engine *e)
{
    decisions_keep_ended(e);
}

void engine_account_life(
    const struct engine *e, uint32_t account, int64_t *ret_charged, int64_t *ret_dry_at)
{
    struct account_life life = charging_life(e, account);

    *ret_charged = life.charged;
    *ret_dry_at = life.first_refused_at;
}

void engine_destroy(struct engine *e)
{
    if (!e)
        return;
    planning_destroy(e->passes.planning);
    promises_destroy(e->promises);
    arrays_destroy(e->groups.arrays);
    predictions_destroy(e->learned.predictions);
    plan_destroy(e->plan);
    limits_destroy(e->limits);
    bounds_now_destroy(e->passes.bounds_now);
    statistics_destroy(e->learned.statistics);
    access_cache_destroy(e->c);
    cluster_destroy(e->c);
    decisions_destroy(e->decisions);
    queue_destroy(e->queue);
    groups_destroy(e->groups.depth);
    calendar_destroy(e->calendar);
    losses_destroy(e->troubles.losses);
    refusals_destroy(e->troubles.refusals);
    preemption_destroy(e->preemption);
    charging_destroy(e->money.charging);
    unfunded_destroy(e->money.unfunded);
    rents_destroy(e->money.rents);
    leaving_destroy(e->troubles.leaving);
    told_destroy(e->told);
    wakeups_destroy(e->wakeups);
    keeping_destroy(e->keeping);
    bitset_fini(&e->admission.possible.jobs);
    passes_fini(&e->passes);
    free(e);
}

const char *action_kind_name(enum action_kind k)
{
    static const char names[][12] = {[ACTION_START] = "start",
        [ACTION_CANCEL] = "cancel",
        [ACTION_REQUEUE] = "requeue",
        [ACTION_HOLD] = "hold",
        [ACTION_DEFER] = "defer",
        [ACTION_RESERVE] = "reserve",
        [ACTION_RELEASE] = "release",
        [ACTION_PUT_OFF] = "put off",
        [ACTION_SUSPEND] = "suspend",
        [ACTION_RESUME] = "resume",
        [ACTION_CHECKPOINT] = "checkpoint",
        [ACTION_TRIGGER] = "trigger"};

    return names[k];
}

struct cluster *engine_cluster(struct engine *e)
{
    return e->c;
}

const struct engine_stats *engine_stats(const struct engine *e)
{
    return &e->stats;
}

struct statistics *engine_statistics(struct engine *e)
{
    return e->learned.statistics;
}

void engine_set_priorities(struct engine *e)
{
    queue_set_priorities(e->queue);
}

void engine_doubt_queue(struct engine *e)
{
    queue_touch_jobs(e->queue);
}

int64_t engine_next_wakeup(const struct engine *e)
{
    return wakeups_next(e->wakeups);
}

const struct money_move *engine_money(const struct engine *e, size_t *ret_n)
{
    return charging_moves(e, ret_n);
}

void engine_money_told(struct engine *e)
{
    charging_told(e);
}

/* ---- events ---- */

static struct job *find_job(
    struct engine *e, const struct event *ev, size_t at, struct err *err)
{
    const char *id = *(const char *const *)(const void *)((const char *)ev + at);
    struct job *j = id ? job_find(e->c, id) : NULL;

    if (j && j->state < JOB_COMPLETED)
        return j;
    err_set(err, ERR_NOT_FOUND, "job '%s' is not in the queue", id ? id : "");
    return NULL;
}

static int apply_by_row(struct engine *e, const struct event_row *row,
    const struct event *ev, struct event_result *ret, struct err *err)
{
    if (!row->job_id)
        return row->apply(e, ev, ret, err);
    ret->job = find_job(e, ev, row->job_id, err);
    return ret->job ? row->apply_to_job(e, ret->job, ev, err) : -1;
}

/* Does it change reservations or settings, other than by making those of before? */
static bool is_order_of_world(const struct event_row *row, const struct event *ev)
{
    return (row->touches & TOUCHES_WORLD)
           && !(ev->kind == EVENT_RESERVE && ev->u.reserve.draft->created_at);
}

/* What came, and what ran and ended, has been told; so it is not touched by that. */
static void tell_touched(
    struct engine *e, const struct event_row *row, struct job *j, bool done)
{
    if (row->touches & TOUCHES_STATE)
        job_changes(e, j, CHANGE_OF_STATE);
    if (done)
        told_saved(e->told, j->index, plan_reserved_at(e->plan, j));
}

int engine_apply(
    struct engine *e, const struct event *ev, struct event_result *ret, struct err *err)
{
    const struct event_row *row = event_row_of(ev->kind);
    struct event_result found = {NULL, NULL};

    if (!row)
        return err_set(err, ERR_INVALID, "unknown kind of event");
    if (ev->at > e->now)
        e->now = ev->at;
    e->world.applied++;
    if (row->touches & TOUCHES_ORDER)
        queue_touch_order(e->queue);
    /* before any job comes, that is as it was */
    bool orders = e->c->jobs.n > 0 && is_order_of_world(row, ev);
    int result = apply_by_row(e, row, ev, &found, err);
    if (found.job)
        tell_touched(e, row, found.job, result == 0);
    charging_settle(e);
    arrays_changed(e->groups.arrays);
    e->world.reordered |= orders && result == 0;
    plan_changed(e->plan); /* nodes are measured, jobs ask for something else ... */
    if (ret && result == 0)
        *ret = found;
    return result;
}
