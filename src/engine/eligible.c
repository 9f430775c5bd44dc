/* SPDX-License-Identifier: Apache-2.0
 * Which queued jobs are considered at all in a cycle. The tests and their order:
 * reference concepts, section 9.4; throttling, section 7. */
#include "engine/engine_private.h"
#include "policy/accrual.h"
#include "policy/fairshare.h"
#include "policy/reason.h"

#include <stdio.h>

void refuse(struct job *j, enum wait_code code, int64_t until)
{
    j->why = (struct reason){.code = (uint8_t)code,
        .kind = CRED_KINDS,
        .kind2 = CRED_KINDS,
        .asked = j->tasks,
        .until = until};
}

static bool dep_holds(const struct engine *e, const struct dep *d, uint32_t *ret_job)
{
    const struct job *on = job_find(e->c, d->job_id);

    if (dep_never(d->type))
        return false;
    if (!on)
        return true; /* unknown: counts as satisfied */
    *ret_job = on->index;
    bool ended = on->state >= JOB_COMPLETED;
    switch (d->type) {
    case DEP_STARTED:
        return ended || job_is_active(on) || on->state == JOB_SUSPENDED;
    case DEP_COMPLETED:
        return ended;
    case DEP_SUCCESS:
        return on->state == JOB_COMPLETED && !on->failed;
    case DEP_FAILED:
        return on->failed || on->state == JOB_REMOVED || on->state == JOB_VACATED;
    case DEP_NEVER_SUCCESS:
    case DEP_NEVER_FAILED:
        break;
    }
    return false;
}

bool deps_hold(struct engine *e, struct job *j)
{
    for (size_t i = 0; j->extra && i < j->extra->deps.n; i++)
        if (dep_never(j->extra->deps.v[i].type)) {
            refuse(j, WAIT_DEPENDENCY, 0);
            j->why.object = j->index;
            j->why.limit = 1;
            return false;
        }
    for (size_t i = 0; j->extra && i < j->extra->deps.n; i++) {
        uint32_t on = INDEX_NONE;
        if (!dep_holds(e, &j->extra->deps.v[i], &on)) {
            refuse(j, WAIT_DEPENDENCY, 0);
            j->why.object = on;
            e->look_again |= j->extra->deps.v[i].type == DEP_STARTED;
            return false;
        }
    }
    return true;
}

static void settle_deps(const struct engine *e, struct job *j)
{
    for (size_t i = j->extra->deps.n; i-- > 0;) {
        struct dep *d = &j->extra->deps.v[i];
        const struct job *on = job_find(e->c, d->job_id);
        uint32_t unused;
        if (!on || on->state < JOB_COMPLETED)
            continue;
        if (!dep_holds(e, d, &unused)) {
            d->type = d->type == DEP_FAILED ? DEP_NEVER_FAILED : DEP_NEVER_SUCCESS;
            continue;
        }
        free(d->job_id);
        vec_remove(&j->extra->deps, i);
    }
}

void settle_dependents(struct engine *e)
{
    for (size_t i = 0; i < e->c->queued.n; i++) {
        uint32_t index = e->c->queued.v[i];
        if (index != INDEX_NONE && e->c->jobs.v[index]->extra)
            settle_deps(e, e->c->jobs.v[index]);
    }
}

/* Why the job is not even queued for scheduling; the accrual event that goes with
 * it, or ACCRUAL_EVENTS when nothing is wrong. */
static enum accrual_event not_queued(struct engine *e, struct job *j)
{
    if (j->holds) {
        refuse(j, WAIT_HOLD, j->holds & HOLD_DEFER ? j->defer_until : 0);
        return ACCRUAL_HOLD;
    }
    if (j->state != JOB_IDLE) {
        refuse(j, WAIT_STATE, 0);
        return ACCRUAL_HOLD;
    }
    if (!job_cred(e->c, j, CRED_CLASS)->enabled) {
        refuse(j, WAIT_CLASS_DISABLED, 0);
        j->why.kind = CRED_CLASS;
        j->why.object = j->cred[CRED_CLASS];
        return ACCRUAL_NOT_QUEUED;
    }
    if (job_priority(e->c, j) < 0 && e->cfg->prio.reject_negative) {
        refuse(j, WAIT_NEGATIVE_PRIORITY, 0);
        return ACCRUAL_NOT_QUEUED;
    }
    if (j->release_at > e->now) {
        refuse(j, WAIT_RELEASE_TIME, j->release_at);
        wake_at(e, j->release_at);
        return ACCRUAL_DEPENDENCY;
    }
    if (j->extra && !deps_hold(e, j))
        return ACCRUAL_DEPENDENCY;
    if (e->any_cap && fs_blocks(e->c, j, &j->why)) {
        if (j->flags & JOB_NOQUEUE)
            cancel_unqueued(e, j);
        else if (j->why.until)
            wake_at(e, j->why.until);
        return ACCRUAL_DEPENDENCY;
    }
    return ACCRUAL_EVENTS;
}

bool over_system_limits(const struct engine *e, struct job *j)
{
    uint64_t every = (UINT64_C(1) << e->c->partitions.n) - 1, out = 0;

    if (!limits_any(e->limits, CHECK_SYSTEM))
        return false;
    for (uint64_t m = j->partitions & every; m; m &= m - 1) {
        uint32_t p = (uint32_t)__builtin_ctzll(m);
        if (limits_size_violated(e->limits, e->c, j, p, &j->why))
            out |= UINT64_C(1) << p;
    }
    if (out && (j->partitions & every) == out)
        return true;
    j->partitions &= ~out;
    return false;
}

/* Deferred for what stands in its reason: which limit, of whom, with its numbers. */
static void defer_for(
    struct engine *e, struct job *j, enum hold_reason why, const char *what)
{
    struct reason shown = j->why;
    char text[240];
    int n = snprintf(text, sizeof text, "%s: ", what);

    if (shown.code == WAIT_TOO_LARGE)
        why_in_procs(j, &shown);
    reason_format(e->c, &shown, text + n, sizeof text - (size_t)n);
    defer_job(e, j, why, text);
}

/* Could it ever run: has the machine enough, do the limits on one job by itself allow
 * it? Asked again only when the answer may change. */
static bool possible(struct engine *e, struct job *j)
{
    uint32_t layout = plan_layout(e->plan);

    if (j->possible_layout == layout && !j->impossible)
        return true;
    j->possible_layout = layout;
    j->impossible = true;
    if (over_system_limits(e, j))
        defer_for(e, j, REASON_SYSTEMLIMITS, "the job is over a system limit");
    else if (!plan_possible(e->plan, j, &j->why))
        defer_for(
            e, j, REASON_NORESOURCES, "the job asks for more than the cluster has");
    else if (limits_never(e->limits, e->c, j, &j->why))
        defer_for(e, j, REASON_POLICY, "the job by itself is over a hard limit");
    else
        j->impossible = false;
    return !j->impossible;
}

uint64_t engine_world(const struct engine *e)
{
    return e->c->node_epoch + e->c->rsv_epoch
           + e->c->config_epoch; /* none ever falls */
}

bool engine_restless(const struct engine *e)
{
    return e->stats.cycles ? e->world_seen != engine_world(e) : e->reordered;
}

bool deferred_for_nodes(const struct engine *e, const struct job *j)
{
    return j->holds == HOLD_DEFER && j->hold_reason == REASON_NORESOURCES
           && j->defer_until < TIME_NEVER
           && (!j->extra || j->extra->deferred_in != engine_world(e));
}

/* Ends the deferral; defer_job() goes on with it if it has to be again. */
static void try_before_time(struct engine *e, struct job *j)
{
    struct job_extra *x = job_extra(j);

    x->deferred_in = engine_world(e);
    x->deferral = (struct job_deferral){.until = j->defer_until,
        .hold_at = j->hold_at,
        .queue_at = j->queue_at,
        .eff_queue_s = j->eff_queue_s,
        .paused_at = j->paused_at,
        .accruing = j->accruing,
        .paused = j->paused};
    x->tried_at = e->now;
    j->defer_until = e->now;
}

static bool expired(struct engine *e, struct job *j)
{
    if (j->extra && j->extra->deferred_in == WORLD_BEFORE)
        j->extra->deferred_in = e->reordered ? 0 : engine_world(e);
    if (deferred_for_nodes(e, j))
        try_before_time(e, j);
    bool retry = j->hold_reason == REASON_RMFAILURE;

    if (!(j->holds & HOLD_DEFER) || !hold_defer_expired(e->cfg, j, e->now)) {
        if (j->holds & HOLD_DEFER)
            deferral_goes_on(e, j);
        return false;
    }
    if (!retry)
        e->released_at = e->now;
    j->possible_layout = UINT32_MAX;
    resolve_job(e, j); /* what it asks for may not be allowed, as before or by now */
    return true;
}

/* One of its dependencies can never hold: what the site wants done, once. */
static void give_up(struct engine *e, struct job *j)
{
    char text[240];

    if (e->cfg->depend_failure == DEPEND_FAILURE_WAIT || j->extra->given_up)
        return;
    j->extra->given_up = true;
    reason_format(e->c, &j->why, text, sizeof text);
    hold_set(j, HOLD_BATCH, REASON_DEPENDENCY, text, e->now);
    if (e->cfg->depend_failure == DEPEND_FAILURE_CANCEL) {
        cancel_job(e, j, ENDED_DEPENDENCY, j->extra->hold_text);
        return;
    }
    act(e, ACTION_HOLD, j, e->now, j->extra->hold_text);
    e->any_left = true;
}

struct waiting waiting_of(const struct job *j)
{
    return (struct waiting){j->holds, j->limited, j->accruing, j->paused};
}

void waiting_changed(struct engine *e, const struct job *j, struct waiting before)
{
    struct waiting now = waiting_of(j);

    if (now.holds != before.holds || now.accruing != before.accruing
        || now.paused != before.paused || now.limited != before.limited)
        vec_push(&e->changed, j->index);
}

static bool admit(struct engine *e, struct job *j)
{
    if (j->holds)
        expired(e, j);
    enum accrual_event stop = not_queued(e, j);
    if (j->why.code == WAIT_DEPENDENCY && j->why.limit && j->state == JOB_IDLE
        && !j->holds)
        give_up(e, j);
    if (stop == ACCRUAL_EVENTS) {
        if (!possible(e, j))
            return false;
        if (!j->limited && (!j->accruing || j->paused))
            accrual_resume(&e->cfg->prio, j, e->now);
        if (!j->limited && j->why.code != WAIT_RESOURCES)
            refuse(j, WAIT_RESOURCES, 0);
        e->any_noqueue |= (j->flags & JOB_NOQUEUE) != 0;
        return true;
    }
    j->limited = false;
    accrual_stop(&e->cfg->prio, j, stop, e->now);
    if (promises_has_any(e->promises, j))
        promises_void(e->promises, j);
    return false;
}

bool eligible_admit(struct engine *e, struct job *j)
{
    struct waiting before = waiting_of(j);
    bool admitted = admit(e, j);

    waiting_changed(e, j, before);
    return admitted;
}

struct candidate candidate_of(const struct engine *e, uint32_t job)
{
    const struct job *j = e->c->jobs.v[job];

    return (struct candidate){job, j->procs, j->wclimit_s, plan_access(e->plan, j)};
}
