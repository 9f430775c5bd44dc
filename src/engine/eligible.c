/* SPDX-License-Identifier: Apache-2.0
 * Which queued jobs are considered at all in a cycle, in priority order. The tests
 * and their order: reference concepts, section 9.4; throttling, section 7. */
#include "engine/engine_private.h"
#include "policy/accrual.h"
#include "policy/fairshare.h"
#include "policy/priority.h"

static void refuse(struct job *j, enum wait_code code, int64_t until)
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

    if (d->type == DEP_NEVER)
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
    case DEP_NEVER:
        break;
    }
    return false;
}

bool deps_hold(struct engine *e, struct job *j)
{
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
            d->type = DEP_NEVER;
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
        defer_job(e, j, REASON_SYSTEMLIMITS, "the job is over a system limit");
    else if (!plan_possible(e->plan, j, &j->why))
        defer_job(
            e, j, REASON_NORESOURCES, "the job asks for more than the cluster has");
    else if (limits_never(e->limits, e->c, j, &j->why))
        defer_job(e, j, REASON_POLICY, "the job by itself is over a hard limit");
    else
        j->impossible = false;
    return !j->impossible;
}

static bool expired(struct engine *e, struct job *j)
{
    bool retry = j->hold_reason == REASON_RMFAILURE;

    if (!(j->holds & HOLD_DEFER) || !hold_defer_expired(e->cfg, j, e->now)) {
        if (j->holds & HOLD_DEFER)
            deferral_goes_on(e, j);
        return false;
    }
    if (!retry)
        e->released_at = e->now;
    j->possible_layout = UINT32_MAX;
    return true;
}

bool eligible_admit(struct engine *e, struct job *j)
{
    if (j->holds)
        expired(e, j);
    enum accrual_event stop = not_queued(e, j);
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
    if (j->rsv_start_at != 0 || deadline_promised(j)
        || (j->extra && j->extra->retry_until))
        drop_reservation(e, j);
    return false;
}

void eligible_all(struct engine *e)
{
    e->all.n = 0;
    vec_reserve(&e->all, e->c->queued.n);
    for (size_t i = 0; i < e->c->queued.n; i++)
        if (e->c->queued.v[i] != INDEX_NONE)
            e->all.v[e->all.n++] = e->c->queued.v[i];
}

static void note_entry(struct engine *e, const struct job *j)
{
    struct entry *x = &e->entries.v[e->entries.n++];

    limits_ask_limited(e->limits, e->c, j, &x->ask);
    x->limited = j->limited;
    x->reserved = j->rsv_start_at != 0;
    x->wclimit_s = j->wclimit_s;
    x->access = plan_access(e->plan, j);
}

/* Jobs are looked at in blocks that stay in the cache from their priority to their
 * place in the queue. */
#define BLOCK 128

void eligible_queue(struct engine *e)
{
    bool limits = limits_any(e->limits, CHECK_ACTIVE | CHECK_IDLE);
    struct prio_pass pass;

    e->entries.n = 0;
    e->any_noqueue = false;
    queue_begin(e, e->all.n);
    if (limits)
        vec_reserve(&e->entries, e->all.n);
    if (e->opt.order == ORDER_PRIORITY)
        prio_begin(e->c, e->all.v, e->all.n, e->now, &pass);
    for (size_t from = 0; from < e->all.n; from += BLOCK) {
        size_t count = e->all.n - from < BLOCK ? e->all.n - from : BLOCK;
        for (size_t i = from; e->any_classes && i < from + count; i++)
            if (classes_several(e->c->jobs.v[e->all.v[i]]))
                classes_settle(e, e->c->jobs.v[e->all.v[i]]);
        if (e->opt.order == ORDER_PRIORITY)
            prio_set(&pass, e->all.v + from, count);
        for (size_t i = from; i < from + count; i++) {
            struct job *j = e->c->jobs.v[e->all.v[i]];
            if (!eligible_admit(e, j)) {
                if (j->idle_slot != INDEX_NONE)
                    kept_set_aside(e, j);
                continue;
            }
            queue_add(e, j, e->opt.order);
            if (limits)
                note_entry(e, j);
        }
    }
    queue_end(e, &e->order);
}

/* The verdict of the hard limits: only a change of it touches the job. */
static void note_hard(struct engine *e, struct job *j, bool violated)
{
    if (violated) {
        accrual_stop(&e->cfg->prio, j, ACCRUAL_IDLE_LIMIT, e->now);
    } else if (j->limited) {
        /* the time under the limit is lost: queue time begins now */
        accrual_stop(&e->cfg->prio, j, ACCRUAL_IDLE_LIMIT, e->now);
        accrual_resume(&e->cfg->prio, j, e->now);
        refuse(j, WAIT_RESOURCES, 0);
    }
    j->limited = violated;
}

/* Not in its class; in another of its own? `ctx`: its entry. */
static bool within_there(struct engine *e, const struct job *j, void *ctx)
{
    struct entry *x = ctx;

    limits_ask_limited(e->limits, e->c, j, &x->ask);
    x->wclimit_s = j->wclimit_s;
    x->access = plan_access(e->plan, j);
    return !limits_walk_violated(e->limits, e->c, &x->ask, LEVEL_HARD);
}

static bool elsewhere(struct engine *e, struct entry *x)
{
    struct job *j = e->c->jobs.v[x->ask.job];

    if (!classes_several(j) || classes_move(e, j, x, within_there))
        return classes_several(j);
    within_there(e, j, x);
    return false;
}

static bool within_limits(struct engine *e, struct entry *x, enum limit_level level)
{
    bool violated = limits_walk_violated(e->limits, e->c, &x->ask, level);

    if (violated && e->any_classes && level == LEVEL_HARD && !x->reserved)
        violated = !elsewhere(e, x);

    e->any_limited |= violated;
    if (violated && x->reserved)
        return true; /* a reservation keeps its job eligible */
    if (level == LEVEL_HARD && violated != x->limited) {
        struct job *j = e->c->jobs.v[x->ask.job];
        note_hard(e, j, violated);
        if (violated)
            limits_ask_violated(
                e->limits, e->c, &x->ask, CHECK_ACTIVE | CHECK_IDLE, level, &j->why);
        if (violated && j->why.code != WAIT_LIMIT)
            refuse(j, WAIT_LIMIT, 0); /* numbers on demand: engine_why() */
    }
    return !violated;
}

struct candidate candidate_of(const struct engine *e, uint32_t job)
{
    const struct job *j = e->c->jobs.v[job];

    return (struct candidate){job, j->procs, j->wclimit_s, plan_access(e->plan, j)};
}

static void select_all(struct engine *e, struct candidates *ret)
{
    ret->n = 0;
    vec_reserve(ret, e->order.n);
    for (size_t i = 0; i < e->order.n; i++)
        ret->v[i] = candidate_of(e, e->order.v[i]);
    ret->n = e->order.n;
}

/* Entries ahead of the walk, which jumps about among them. */
#define AHEAD 16

/* One walk in order of priority, at `n` levels at once. */
static void walk(struct engine *e, const enum limit_level *levels, size_t n)
{
    struct candidates *const ret[] = {[LEVEL_SOFT] = &e->soft, [LEVEL_HARD] = &e->hard};
    const struct ranked *order = e->ranked.v;
    size_t jobs = e->ranked.n;

    for (size_t k = 0; k < n; k++) {
        ret[levels[k]]->n = 0;
        vec_reserve(ret[levels[k]], jobs);
        limits_walk_begin(e->limits, e->c, levels[k]);
    }
    for (size_t i = 0; i < jobs; i++) {
        struct entry *x = &e->entries.v[order[i].place];
        if (i + AHEAD < jobs) {
            const char *next = (const char *)&e->entries.v[order[i + AHEAD].place];
            __builtin_prefetch(next);
            __builtin_prefetch(next + sizeof *x - 1);
        }
        for (size_t k = 0; k < n; k++) {
            struct candidates *to = ret[levels[k]];
            if (!within_limits(e, x, levels[k]))
                continue;
            limits_walk_count(e->limits, e->c, &x->ask, levels[k]);
            to->v[to->n++] = (struct candidate){
                x->ask.job, (uint32_t)x->ask.v[LIMIT_PROC], x->wclimit_s, x->access};
        }
    }
    for (size_t k = 0; k < n; k++)
        limits_walk_end(e->limits, e->c, levels[k]);
}

void eligible_select(struct engine *e, bool soft)
{
    static const enum limit_level both[] = {LEVEL_HARD, LEVEL_SOFT};

    if (!limits_any(e->limits, CHECK_ACTIVE | CHECK_IDLE)) {
        select_all(e, &e->hard);
        if (soft)
            select_all(e, &e->soft);
    } else if (soft && limits_walk_is_plain(e->limits)) {
        walk(e, both, 2);
    } else {
        walk(e, &both[0], 1);
        if (soft)
            walk(e, &both[1], 1);
    }
}
