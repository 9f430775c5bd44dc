/* SPDX-License-Identifier: Apache-2.0
 * The engine's life and the events it is told. */
#include "engine/engine.h"

#include "cluster/folded.h"
#include "cluster/memory.h"
#include "engine/classes.h"
#include "engine/dependency.h"
#include "engine/engine_private.h"
#include "engine/events/events.h"
#include "engine/keeping.h"
#include "engine/occupancy.h"
#include "engine/preempt.h"
#include "policy/access.h"
#include "policy/accrual.h"
#include "policy/fairshare.h"
#include "policy/priority.h"
#include "policy/rsvuse.h"

#include <assert.h>
#include <string.h>

struct engine *engine_create(
    const struct settings *cfg, const struct engine_options *opt)
{
    struct engine *e = xcalloc(1, sizeof *e);

    e->cfg = cfg;
    e->opt = *opt;
    e->c = cluster_create(cfg);
    e->plan = plan_create(e->c);
    e->promises = promises_create(e->plan);
    e->limits = limits_create();
    e->queue = queue_create(e);
    e->groups = groups_create();
    e->calendar = calendar_create(opt->zone);
    e->losses = losses_create();
    e->preemption = preemption_create();
    e->leaving = leaving_create();
    e->told = told_create();
    e->wakeups = wakeups_create();
    if (opt->statistics)
        e->statistics = statistics_create(cfg);
    e->limits_epoch = UINT64_MAX;
    e->now = e->last_cycle_at = INT64_MIN / 4;
    e->origin = TIME_NEVER;
    admission_configure(e);
    return e;
}

void engine_destroy(struct engine *e)
{
    if (!e)
        return;
    promises_destroy(e->promises);
    plan_destroy(e->plan);
    limits_destroy(e->limits);
    statistics_destroy(e->statistics);
    access_cache_destroy(e->c);
    cluster_destroy(e->c);
    vec_fini(&e->ended);
    vec_fini(&e->changed);
    queue_destroy(e->queue);
    groups_destroy(e->groups);
    calendar_destroy(e->calendar);
    losses_destroy(e->losses);
    preemption_destroy(e->preemption);
    leaving_destroy(e->leaving);
    told_destroy(e->told);
    wakeups_destroy(e->wakeups);
    vec_fini(&e->dated);
    vec_fini(&e->out_of_order);
    vec_fini(&e->backfill);
    vec_fini(&e->pending);
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
    return e->statistics;
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

/* ---- events ---- */

static int find_job(struct engine *e, const char *id, struct job **ret, struct err *err)
{
    *ret = id ? job_find(e->c, id) : NULL;
    if (*ret && (*ret)->state < JOB_COMPLETED)
        return 0;
    return err_set(err, ERR_NOT_FOUND, "job '%s' is not in the queue", id ? id : "");
}

/* It may not run as it asks: deferred, and in the end held. Where nobody is deferred it
 * is held at once, or it would run with what it did not ask for. */
static void turn_away(
    struct engine *e, struct job *j, enum hold_reason why, const char *text)
{
    if (e->cfg->defer_time_s > 0 || (j->flags & JOB_NOQUEUE)) {
        defer_job(e, j, why, text);
        return;
    }
    hold_set(j, HOLD_BATCH, why, text, e->now);
    act(e, ACTION_HOLD, j, e->now, job_extra(j)->hold_text);
}

static enum hold_reason find_fault(
    struct engine *e, struct job *j, struct access_fault *ret)
{
    return classes_several(j) ? classes_resolve(e, j, ret)
                              : access_resolve(e->c, j, ret);
}

/* Has an administrator let it pass with that? Who is kept back already is judged when
 * that ends. */
static bool is_let_be(const struct job *j, const struct access_fault *fault)
{
    return j->holds & (HOLD_DEFER | HOLD_BATCH)
           || (j->extra && j->extra->let_pass
               && strcmp(j->extra->let_pass, fault->code) == 0);
}

/* May it run as it asks? What follows from its credentials is made anew. */
static void judge(struct engine *e, struct job *j, bool pass)
{
    struct access_fault fault;
    enum hold_reason why = find_fault(e, j, &fault);

    if (why != REASON_NONE && pass) {
        free(job_extra(j)->let_pass);
        j->extra->let_pass = xstrdup(fault.code);
    } else if (why != REASON_NONE && !is_let_be(j, &fault)) {
        turn_away(e, j, why, fault.text);
    }
    job_changes(e, j, CHANGE_OF_RULES);
}

void resolve_job(struct engine *e, struct job *j)
{
    judge(e, j, false);
}

/* An id may come back in the cycle in which it ended: changed by its owner, or run
 * once more. Jobs that depend on it then depend on what came. */
static void forget_namesake(struct engine *e, const char *id)
{
    struct job *j = id ? job_find(e->c, id) : NULL;

    if (!j || j->state < JOB_COMPLETED)
        return;
    for (size_t i = 0; i < e->ended.n; i++) {
        if (e->ended.v[i] != j->index)
            continue;
        vec_remove(&e->ended, i);
        forget_job(e, j);
        return;
    }
}

static int on_submit(
    struct engine *e, const struct job_desc *d, struct job **ret, struct err *err)
{
    bool active = report_is_active(d->state);
    struct job_desc waiting = *d;
    struct job *j;

    if (active)
        waiting.state = JOB_IDLE; /* until it is taken over */
    if (e->ended.n && !e->opt.keep_ended)
        forget_namesake(e, d->id);
    if (job_add(e->c, &waiting, e->now, &j, err) < 0)
        return -1;
    *ret = j;
    promises_forget(e->promises, j); /* of whoever had its index */
    if (j->submit_at < e->origin)
        e->origin = j->submit_at;
    dependency_notice(e, j);
    if (d->memory) {
        job_recall(e->c, j, d->memory);
        if ((j->holds & HOLD_DEFER) && !d->memory->world_changed)
            job_extra(j)->deferred_in = WORLD_BEFORE;
    }
    if (j->limited)
        refuse(j, WAIT_LIMIT, 0);
    resolve_job(e, j);
    if (active)
        report_take_over(e, j, d);
    else
        queue_arrived(e->queue, j);
    if (d->memory && (active || !j->holds))
        keeping_recall(e, j, d->memory);
    return 0;
}

static int on_end(struct engine *e, struct job *j, enum job_event how, struct err *err)
{
    if (!report_is_active((enum job_state)j->state) && how != EV_CANCEL
        && how != EV_VANISH)
        return err_set(err, ERR_CONFLICT, "job '%s' is not active (it is %s)", j->id,
            job_state_name((enum job_state)j->state));
    if (report_is_active((enum job_state)j->state)) {
        stop_job(e, j, how);
    } else {
        if (job_move(e->c, j, how, err) < 0)
            return -1;
        job_changes(e, j, CHANGE_OF_STATE);
    }
    vec_push(&e->ended, j->index);
    return 0;
}

/* What the resource manager says of the time it used, as a rate. */
static void measured(const struct engine *e, struct job *j, double cpu_s)
{
    int64_t run_s = e->now - j->start_at - j->suspended_s;

    if (cpu_s <= 0 || !report_is_active((enum job_state)j->state) || run_s <= 0)
        return;
    j->util_known = true;
    j->util_procs = cpu_s / (double)run_s;
}

static int on_end_event(
    struct engine *e, const struct event *ev, struct job **ret, struct err *err)
{
    enum job_event how = ev->kind == EVENT_CANCEL ? EV_CANCEL : ev->u.end.how;

    if (ev->u.end.id) {
        if (find_job(e, ev->u.end.id, ret, err) < 0)
            return -1;
    } else {
        uint32_t i = ev->u.end.job;
        *ret = i < e->c->jobs.n ? e->c->jobs.v[i] : NULL;
        if (!*ret || (*ret)->state >= JOB_COMPLETED)
            return err_set(err, ERR_NOT_FOUND, "no job has index %u", i);
    }
    measured(e, *ret, ev->u.end.cpu_s);
    int result = on_end(e, *ret, how, err);
    if (result == 0)
        (*ret)->failed = ev->u.end.failed;
    return result;
}

static int on_start_failed(
    struct engine *e, struct job *j, const struct event *ev, struct err *err)
{
    if (!job_is_active(j))
        return err_set(err, ERR_CONFLICT, "job '%s' is not starting", j->id);
    requeue_job(e, j);
    if (keeping_retry(e, j, ev->u.failed.again_s))
        return 0;
    if (ev->u.failed.again_s > 0) {
        hold_set(j, HOLD_DEFER, ev->u.failed.reason, ev->u.failed.text, e->now);
        j->defer_until = time_add(e->now, ev->u.failed.again_s);
        after_deferral(e, j, DEFER_DEFERRED, ev->u.failed.text);
        return 0;
    }
    enum defer_result how =
        hold_start_failed(e->cfg, j, ev->u.failed.reason, ev->u.failed.text, e->now);
    if (how == DEFER_SKIPPED && j->start_count >= e->cfg->defer_start_count
        && !(j->holds & HOLD_BATCH)) {
        /* without deferrals too it is not tried in a circle */
        hold_set(j, HOLD_DEFER, ev->u.failed.reason, ev->u.failed.text, e->now);
        j->defer_until = time_add(e->now, e->cfg->rm_poll_interval_s);
        how = DEFER_DEFERRED;
    }
    after_deferral(e, j, how, "the resource manager could not start it");
    return 0;
}

/* An administrator who ends a deferral or batch hold lets the job pass, for good with
 * the fault it has now; for its owner it is no more allowed than before. */
static int release_holds(
    struct engine *e, struct job *j, const struct event *ev, struct err *err)
{
    const struct actor *who = &ev->u.hold.who;
    bool admin = hold_permitted(e->c, j, who) & HOLD_DEFER;
    unsigned kept_back = j->holds & (HOLD_DEFER | HOLD_BATCH);

    if (hold_release_by(e->c, j, ev->u.hold.kinds, who, e->now, err) < 0)
        return -1;
    if (!kept_back || j->holds & kept_back
        || report_is_active((enum job_state)j->state))
        return 0;
    judge(e, j, admin);
    return 0;
}

static int on_hold(
    struct engine *e, struct job *j, const struct event *ev, struct err *err)
{
    unsigned kinds = ev->u.hold.kinds;
    const struct actor *who = &ev->u.hold.who;

    if (ev->kind == EVENT_RELEASE_HOLD)
        return release_holds(e, j, ev, err);
    if (hold_allowed(e->c, j, kinds, who, err) < 0)
        return -1;
    hold_set(j, kinds, ev->u.hold.reason, ev->u.hold.text, e->now);
    accrual_stop(&e->cfg->prio, j, ACCRUAL_HOLD, e->now);
    return 0;
}

static int on_priority(struct job *j, const struct event *ev, struct err *err)
{
    return prio_set_system(j, ev->u.priority.relative, ev->u.priority.n, err);
}

static int on_qos(
    struct engine *e, struct job *j, const struct event *ev, struct err *err)
{
    if (j->state == JOB_SUSPENDED)
        return access_set_qos(e->c, j, ev->u.qos.qos, ev->u.qos.admin, err);
    bool counted = job_change_begins(e, j, e->now);
    int result = access_set_qos(e->c, j, ev->u.qos.qos, ev->u.qos.admin, err);
    job_change_ends(e, j, counted);
    if (!counted && result == 0) {
        job_changes(e, j, CHANGE_OF_REQUEST);
        resolve_job(e, j);
    }
    return result;
}

static void on_settings(struct engine *e, const struct settings *cfg)
{
    e->cfg = cfg;
    cluster_configure(e->c, cfg);
    statistics_configure(e->statistics, cfg);
    statistics_nodes(e->statistics, e->c, e->now);
    for (size_t i = 0; i < e->c->jobs.n; i++) {
        struct job *j = e->c->jobs.v[i];
        if (!j || j->state >= JOB_COMPLETED)
            continue;
        if (!job_is_active(j) && j->state != JOB_SUSPENDED)
            resolve_job(e, j);
    }
    fs_refresh(e->c);
}

static void count_node(struct engine *e, const struct node *n)
{
    statistics_nodes(e->statistics, e->c, e->now);
    statistics_node_changed(e->statistics, e->c, n, e->now);
    rsvuse_node(e->c, n->index, e->now);
}

static int report_node(struct engine *e, const struct node_desc *d, struct err *err)
{
    struct node *n;

    if (node_report(e->c, d, e->now, &n, err) < 0)
        return -1;
    count_node(e, n);
    return 0;
}

static int on_node(struct engine *e, const struct node_desc *d, struct err *err)
{
    struct node_desc each = *d;
    char name[256];

    if (report_node(e, d, err) < 0)
        return -1;
    if (!d->more
        || (!e->statistics && node_repeat(e->c, node_find(e->c, d->name), d->more)))
        return 0;
    assert(strlen(d->name) < sizeof name); /* or it were no node now */
    memcpy(name, d->name, strlen(d->name) + 1);
    each.name = name;
    for (uint32_t i = 0; i < d->more; i++) {
        if (!name_next(name, sizeof name))
            return err_set(err, ERR_INVALID,
                "node '%s' does not end in a number that others could count on from",
                d->name);
        if (report_node(e, &each, err) < 0)
            return -1;
    }
    return 0;
}

static int on_node_state(struct engine *e, const struct event *ev, struct err *err)
{
    struct node *n = node_find(e->c, ev->u.node_state.name);

    if (!n)
        return err_set(err, ERR_NOT_FOUND, "node '%s' is unknown",
            ev->u.node_state.name ? ev->u.node_state.name : "");
    if (ev->kind == EVENT_NODE_GONE) {
        node_set_gone(e->c, n, e->now);
        count_node(e, n);
        return 0;
    }
    if (n->gone)
        return err_set(err, ERR_CONFLICT,
            "node '%s' is no longer known to the resource manager", n->name);
    node_set_state(e->c, n, ev->u.node_state.state, e->now);
    count_node(e, n);
    return 0;
}

/* Events about one job, which *ret becomes; none of it for those about a node. */
static int on_job_event(
    struct engine *e, const struct event *ev, struct job **ret, struct err *err)
{
    switch (ev->kind) {
    case EVENT_SUBMIT:
        return on_submit(e, &ev->u.job, ret, err);
    case EVENT_JOB_STATE:
        return find_job(e, ev->u.job_state.id, ret, err) < 0
                   ? -1
                   : report_state(e, *ret, ev, err);
    case EVENT_MISSED:
        return report_missed(e, ev, ret, err);
    case EVENT_END:
    case EVENT_CANCEL:
        return on_end_event(e, ev, ret, err);
    case EVENT_PREEMPT:
        return find_job(e, ev->u.preempt.id, ret, err) < 0
                   ? -1
                   : preempt_on_event(e, *ret, ev, err);
    case EVENT_RESUME:
        return find_job(e, ev->u.preempt.id, ret, err) < 0
                   ? -1
                   : preempt_resume_on_event(e, *ret, err);
    case EVENT_START_FAILED:
        return find_job(e, ev->u.failed.id, ret, err) < 0
                   ? -1
                   : on_start_failed(e, *ret, ev, err);
    case EVENT_HOLD:
    case EVENT_RELEASE_HOLD:
        return find_job(e, ev->u.hold.id, ret, err) < 0 ? -1
                                                        : on_hold(e, *ret, ev, err);
    case EVENT_PRIORITY:
        return find_job(e, ev->u.priority.id, ret, err) < 0
                   ? -1
                   : on_priority(*ret, ev, err);
    case EVENT_QOS:
        return find_job(e, ev->u.qos.id, ret, err) < 0 ? -1 : on_qos(e, *ret, ev, err);
    case EVENT_RUN:
        return find_job(e, ev->u.run.id, ret, err) < 0 ? -1 : run_job(e, *ret, ev, err);
    case EVENT_MODIFY:
        return find_job(e, ev->u.modify.id, ret, err) < 0
                   ? -1
                   : modify_job(e, *ret, &ev->u.modify.change, err);
    case EVENT_DEADLINE:
        return find_job(e, ev->u.deadline.id, ret, err) < 0
                   ? -1
                   : orders_deadline(e, *ret, ev->u.deadline.at, err);
    case EVENT_USER_PRIORITY:
        return find_job(e, ev->u.user_priority.id, ret, err) < 0
                   ? -1
                   : orders_user_priority(*ret, ev->u.user_priority.n, err);
    case EVENT_NODE:
    case EVENT_NODE_STATE:
    case EVENT_NODE_GONE:
    case EVENT_RESERVE:
    case EVENT_CHANGE_RESERVATION:
    case EVENT_UNRESERVE:
    case EVENT_SETTINGS:
    case EVENT_RESET_STATISTICS:
    case EVENT_RESET_FAIRSHARE:
    case EVENT_FAIRSHARE:
    case EVENT_INSTANCE:
        break;
    }
    return err_set(err, ERR_INVALID, "unknown kind of event");
}

static int apply_to_job(
    struct engine *e, const struct event *ev, uint32_t *ret_job, struct err *err)
{
    struct job *j = NULL;
    int result = on_job_event(e, ev, &j, err);

    /* what came, and what ran and ended, has been told */
    if (j && ev->kind != EVENT_SUBMIT && ev->kind != EVENT_END)
        job_changes(e, j, CHANGE_OF_STATE);
    if (result < 0)
        return -1;
    assert(j);
    told_saved(e->told, j->index, plan_reserved_at(e->plan, j));
    if (ret_job)
        *ret_job = j->index;
    return 0;
}

/* Events about the world: the order of the queue may be another. */
static int apply_to_world(
    struct engine *e, const struct event *ev, uint32_t *ret_made, struct err *err)
{
    queue_touch_order(e->queue);
    switch (ev->kind) {
    case EVENT_NODE:
        if (ev->u.node.measured)
            leaving_measures(e->leaving);
        return on_node(e, &ev->u.node, err);
    case EVENT_NODE_STATE:
    case EVENT_NODE_GONE:
        return on_node_state(e, ev, err);
    case EVENT_RESERVE:
        return setres(e, ev, ret_made, err);
    case EVENT_CHANGE_RESERVATION:
        return change_reservation(e, ev, err);
    case EVENT_UNRESERVE:
        return releaseres(e, ev, err);
    case EVENT_SETTINGS:
        on_settings(e, ev->u.settings);
        return 0;
    case EVENT_RESET_STATISTICS:
        statistics_reset(e->statistics, e->now);
        return 0;
    case EVENT_RESET_FAIRSHARE:
        fs_reset(e->c, e->now);
        return 0;
    case EVENT_FAIRSHARE:
        for (size_t i = 0; i < ev->u.fairshare.n; i++)
            fsmemory_load(e->c, &ev->u.fairshare.rows[i], e->now);
        return 0;
    case EVENT_INSTANCE:
        return setres_instance(e, ev->u.instance, err);
    case EVENT_MISSED:
    case EVENT_SUBMIT:
    case EVENT_JOB_STATE:
    case EVENT_END:
    case EVENT_CANCEL:
    case EVENT_PREEMPT:
    case EVENT_RESUME:
    case EVENT_START_FAILED:
    case EVENT_HOLD:
    case EVENT_RELEASE_HOLD:
    case EVENT_PRIORITY:
    case EVENT_QOS:
    case EVENT_RUN:
    case EVENT_MODIFY:
    case EVENT_DEADLINE:
    case EVENT_USER_PRIORITY:
        break;
    }
    return err_set(err, ERR_INVALID, "unknown kind of event");
}

static bool is_about_a_job(enum event_kind kind)
{
    return (kind >= EVENT_SUBMIT && kind <= EVENT_QOS) || kind == EVENT_MISSED;
}

static int apply_event(
    struct engine *e, const struct event *ev, uint32_t *ret, struct err *err)
{
    if (ev->at > e->now)
        e->now = ev->at;
    e->applied++;
    return is_about_a_job(ev->kind) ? apply_to_job(e, ev, ret, err)
                                    : apply_to_world(e, ev, ret, err);
}

/* Does it change reservations or settings, other than by telling those of before? */
static bool is_order_of_world(const struct event *ev)
{
    return ev->kind == EVENT_CHANGE_RESERVATION || ev->kind == EVENT_UNRESERVE
           || ev->kind == EVENT_SETTINGS
           || (ev->kind == EVENT_RESERVE && !ev->u.reserve.draft->created_at);
}

int engine_apply(
    struct engine *e, const struct event *ev, uint32_t *ret, struct err *err)
{
    /* before any job is told, that is as it was */
    bool orders = e->c->jobs.n > 0 && is_order_of_world(ev);
    int result = apply_event(e, ev, ret, err);

    e->reordered |= orders && result == 0;
    plan_changed(e->plan); /* nodes are measured, jobs ask for something else ... */
    return result;
}
