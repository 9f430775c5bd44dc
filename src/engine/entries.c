/* SPDX-License-Identifier: Apache-2.0
 * The queue of a cycle: who is in it, in order of priority, within which limits.
 *
 * Jobs lie all over the memory, and nothing happens to most of them from one cycle to
 * the next but that time passes. So what a cycle needs to know of a job is kept in an
 * entry, and the job itself is looked at only when something happened to it
 * (entry_touch) or to what entries are made from (the stamp). */
#include "engine/engine_private.h"
#include "policy/accrual.h"
#include "policy/limits_use.h"

#include <assert.h>

void entries_fini(struct engine *e)
{
    vec_fini(&e->entries.v);
    vec_fini(&e->entries.own);
    vec_fini(&e->entries.uses);
    vec_fini(&e->entries.creds);
    credsets_fini(&e->entries.credsets);
    bitset_fini(&e->entries.reserved);
}

void entry_touch(struct engine *e, const struct job *j)
{
    if (j->index < e->entries.v.n)
        e->entries.v.v[j->index].quiet = false;
}

void entries_touch(struct engine *e)
{
    e->entries.stamp.able = false;
}

/* ---- what is kept ---- */

/* Numbers of credentials that nobody has any more cost time in every cycle. */
#define CREDSETS_KEPT 1000

static bool same_stamp(const struct entries_stamp *a, const struct entries_stamp *b)
{
    return a->able == b->able && a->priority == b->priority && a->config == b->config
           && a->access == b->access && a->layout == b->layout;
}

static void begin(struct engine *e)
{
    struct entries *all = &e->entries;
    const struct entries_stamp stamp = {
        .able = e->opt.order == ORDER_PRIORITY && !all->pass.counts && !e->any_cap,
        .priority = all->pass.epoch,
        .config = e->c->config_epoch,
        .access = plan_access_epoch(e->plan),
        .layout = plan_layout(e->plan)};
    bool crowded = all->credsets.sets.n > 2 * e->all.n + CREDSETS_KEPT;

    if (crowded)
        credsets_forget(&all->credsets);
    if (crowded || !same_stamp(&stamp, &all->stamp))
        for (size_t i = 0; i < all->v.n; i++)
            all->v.v[i].quiet = false;
    all->stamp = stamp;
    while (all->v.n < e->c->jobs.n) {
        vec_push(&all->v, (struct entry){0});
        vec_push(&all->own, (struct prio_own){0});
    }
    all->more = limits_walk_asks_more(e->limits);
    while (all->more && all->uses.n < e->c->jobs.n)
        vec_push(&all->uses, (struct usage){0});
    all->creds.n = 0;
    vec_reserve(&all->creds, all->credsets.sets.n);
    for (size_t i = 0; stamp.able && i < all->credsets.sets.n; i++)
        prio_creds_of(
            &all->pass, all->credsets.sets.v[i].cred, &all->creds.v[all->creds.n++]);
}

/* The job was admitted: would it be again, and with nothing to be done about it, as
 * long as nothing happens to it? */
static bool is_quiet(const struct engine *e, const struct job *j)
{
    static const uint32_t special =
        JOB_SYSPRIO_SET | JOB_SYSPRIO_REL | JOB_NOQUEUE | JOB_ADVRES;
    const struct job_extra *x = j->extra;

    if (!e->entries.stamp.able || j->holds || j->state != JOB_IDLE
        || j->release_at > e->now || (j->flags & special) || j->impossible
        || j->possible_layout != e->entries.stamp.layout
        || !job_cred(e->c, j, CRED_CLASS)->enabled)
        return false;
    if (x
        && (x->deps.n || x->advres || x->deadline_at || x->promised || x->retry_until
            || classes_several(j)))
        return false;
    return j->limited || (j->accruing && !j->paused && j->why.code == WAIT_RESOURCES);
}

void entry_note(struct engine *e, struct job *j)
{
    struct entries *all = &e->entries;
    struct entry *x = &all->v.v[j->index];

    prio_own_of(&all->pass, j, &all->own.v[j->index]);
    x->wclimit_s = j->wclimit_s;
    x->credset = credsets_number(&all->credsets, j->cred);
    x->procs = j->procs;
    x->access = plan_access(e->plan, j);
    x->limited = j->limited;
    x->quiet = is_quiet(e, j);
    if (all->more)
        limits_use_of(e->c, j, all->uses.v[j->index].v);
}

/* ---- the queue in order ---- */

uint64_t rank_key(const struct engine *e, uint32_t job, enum queue_order order)
{
    if (order == ORDER_PRIORITY)
        return ranking_key_of_priority(e->c->priorities.v[job]);
    return ranking_key_of(order_key(order, e->c->jobs.v[job], e->now, e->origin));
}

/* False: it is not admitted. */
static bool look_at(struct engine *e, struct job *j)
{
    e->entries.v.v[j->index].quiet = false;
    if (e->any_classes && classes_several(j))
        classes_settle(e, j);
    if (e->opt.order == ORDER_PRIORITY)
        prio_set(&e->entries.pass, &j->index, 1);
    if (eligible_admit(e, j)) {
        entry_note(e, j);
        return true;
    }
    if (j->idle_slot != INDEX_NONE)
        kept_set_aside(e, j);
    return false;
}

/* Its priority from what was noted. False: that is not enough to admit it. */
static bool take_noted(struct engine *e, uint32_t job)
{
    const struct entries *all = &e->entries;
    const struct prio_creds *of = &all->creds.v[all->v.v[job].credset];
    int64_t priority = prio_from(&all->pass, &all->own.v[job], of);

    e->c->priorities.v[job] = priority;
    return priority >= 0 || !e->cfg->prio.reject_negative;
}

/* Jobs to be looked at come from memory: ask for them some jobs ahead. */
#define AHEAD 16

static void fetch(const struct engine *e, uint32_t job)
{
    const struct job *j = e->c->jobs.v[job];

    __builtin_prefetch(&j->index);
    __builtin_prefetch(&j->queue_at);
}

void entries_queue(struct engine *e)
{
    struct entries *all = &e->entries;
    const uint32_t *jobs = e->all.v;
    size_t n = e->all.n;

    e->any_noqueue = false;
    prio_begin(e->c, jobs, n, e->now, &all->pass);
    begin(e);
    ranking_begin(&e->ranking, n);
    for (size_t i = 0; i < n; i++) {
        if (i + AHEAD < n && !all->v.v[jobs[i + AHEAD]].quiet)
            fetch(e, jobs[i + AHEAD]);
        if ((all->v.v[jobs[i]].quiet && take_noted(e, jobs[i]))
            || look_at(e, e->c->jobs.v[jobs[i]]))
            ranking_add(&e->ranking, jobs[i], rank_key(e, jobs[i], e->opt.order));
    }
    ranking_end(&e->ranking, &e->order);
}

/* ---- within which limits ---- */

/* The verdict of the hard limits: only a change of it touches the job. The time under
 * an idle limit is lost: queue time begins when that is met. */
static void note_hard(struct engine *e, struct job *j, enum limited_by by)
{
    static const enum accrual_event stops[] = {
        [LIMITED_ACTIVE] = ACCRUAL_ACTIVE_LIMIT, [LIMITED_IDLE] = ACCRUAL_IDLE_LIMIT};
    struct waiting before = waiting_of(j);

    if (j->limited) {
        accrual_stop(&e->cfg->prio, j, stops[j->limited], e->now);
        accrual_resume(&e->cfg->prio, j, e->now);
    }
    if (by != LIMITED_NOT) {
        accrual_stop(&e->cfg->prio, j, stops[by], e->now);
        limits_violated(
            e->limits, e->c, j, CHECK_ACTIVE | CHECK_IDLE, LEVEL_HARD, &j->why);
        if (j->why.code != WAIT_LIMIT)
            refuse(j, WAIT_LIMIT, 0); /* numbers on demand: engine_why() */
    } else if (j->limited) {
        refuse(j, WAIT_RESOURCES, 0);
    }
    j->limited = e->entries.v.v[j->index].limited = (uint8_t)by;
    waiting_changed(e, j, before);
    entry_touch(e, j);
}

/* What it would use, as far as limits look at that. */
static const int64_t *use_of(
    const struct engine *e, uint32_t job, int64_t room[LIMIT_RES_COUNT])
{
    if (e->entries.more)
        return e->entries.uses.v[job].v;
    room[LIMIT_JOB] = 1;
    room[LIMIT_PROC] = e->entries.v.v[job].procs;
    return room;
}

static bool breaks(const struct engine *e, const struct limits_walk *w, uint32_t job)
{
    int64_t room[LIMIT_RES_COUNT];

    return limits_walk_violated(w, e->entries.v.v[job].credset, use_of(e, job, room));
}

/* Not in its class; in another of its own? `ctx`: the walk. */
static bool within_there(struct engine *e, const struct job *j, void *ctx)
{
    entry_note(e, e->c->jobs.v[j->index]);
    return !breaks(e, ctx, j->index);
}

static bool elsewhere(struct engine *e, struct limits_walk *w, struct job *j)
{
    if (!classes_several(j) || classes_move(e, j, w, within_there))
        return classes_several(j);
    entry_note(e, j);
    return false;
}

static bool has_reservation(const struct engine *e, uint32_t job)
{
    return e->keeps ? e->c->jobs.v[job]->rsv_start_at != 0
                    : bitset_test(&e->entries.reserved, job);
}

/* It breaks a limit: does that keep it back? Not if it has a reservation, nor if
 * another of its classes takes it. */
static bool stays_out(struct engine *e, struct limits_walk *w, uint32_t job)
{
    const struct entry *x = &e->entries.v.v[job];
    bool hard = w->level == LEVEL_HARD;
    int64_t room[LIMIT_RES_COUNT];

    if (has_reservation(e, job)) {
        e->any_limited = true;
        return false;
    }
    if (e->any_classes && hard && elsewhere(e, w, e->c->jobs.v[job])) {
        if (x->limited)
            note_hard(e, e->c->jobs.v[job], LIMITED_NOT);
        return false;
    }
    e->any_limited = true;
    if (!hard)
        return true;
    enum limited_by by = limits_walk_idle_violated(w, x->credset, use_of(e, job, room))
                             ? LIMITED_IDLE
                             : LIMITED_ACTIVE;
    if (x->limited != by)
        note_hard(e, e->c->jobs.v[job], by);
    return true;
}

static struct candidate noted(const struct engine *e, uint32_t job)
{
    const struct entry *x = &e->entries.v.v[job];

    return (struct candidate){job, x->procs, x->wclimit_s, x->access};
}

/* The job at one level: within the limits it becomes a candidate, and counts as idle.
 */
static inline void step(
    struct engine *e, struct limits_walk *w, uint32_t job, struct candidates *io)
{
    const struct entry *x = &e->entries.v.v[job];
    int64_t room[LIMIT_RES_COUNT];
    const int64_t *use = use_of(e, job, room);

    if (limits_walk_violated(w, x->credset, use)) {
        if (stays_out(e, w, job))
            return;
        use = use_of(e, job, room); /* perhaps of another class */
    } else if (x->limited && w->level == LEVEL_HARD) {
        note_hard(e, e->c->jobs.v[job], LIMITED_NOT);
    }
    limits_walk_count(w, x->credset, use);
    io->v[io->n++] = noted(e, job);
}

/* One walk in order of priority, at `n` levels at once. */
static void walk(struct engine *e, const enum limit_level *levels, size_t n)
{
    struct candidates *const ret[] = {[LEVEL_SOFT] = &e->soft, [LEVEL_HARD] = &e->hard};
    struct limits_walk *at[LEVEL_HARD + 1];
    const uint32_t *order = e->order.v;
    size_t jobs = e->order.n;

    for (size_t k = 0; k < n; k++) {
        ret[levels[k]]->n = 0;
        vec_reserve(ret[levels[k]], jobs);
        at[k] = limits_walk_begin(e->limits, e->c, &e->entries.credsets, levels[k]);
    }
    for (size_t i = 0; i < jobs; i++) {
        if (i + AHEAD < jobs)
            __builtin_prefetch(&e->entries.v.v[order[i + AHEAD]]);
        for (size_t k = 0; k < n; k++)
            step(e, at[k], order[i], ret[levels[k]]);
    }
    for (size_t k = 0; k < n; k++)
        limits_walk_end(at[k]);
}

static void select_all(struct engine *e, struct candidates *ret)
{
    ret->n = 0;
    vec_reserve(ret, e->order.n);
    for (size_t i = 0; i < e->order.n; i++)
        ret->v[i] = noted(e, e->order.v[i]);
    ret->n = e->order.n;
}

static void note_reservations(struct engine *e)
{
    struct bitset *reserved = &e->entries.reserved;

    bitset_clear_all(reserved);
    for (uint32_t i = 0; i < plan_reservations(e->plan); i++)
        if (plan_reserved_job(e->plan, i) != INDEX_NONE)
            bitset_set(reserved, plan_reserved_job(e->plan, i));
}

void entries_select(struct engine *e, bool soft)
{
    static const enum limit_level both[] = {LEVEL_HARD, LEVEL_SOFT};

    if (!limits_any(e->limits, CHECK_ACTIVE | CHECK_IDLE)) {
        select_all(e, &e->hard);
        if (soft)
            select_all(e, &e->soft);
        return;
    }
    note_reservations(e);
    if (soft && limits_walk_is_plain(e->limits)) {
        walk(e, both, 2);
    } else {
        walk(e, &both[0], 1);
        if (soft)
            walk(e, &both[1], 1);
    }
}

/* ---- invariants ---- */

void entries_check(struct engine *e)
{
    struct entries *all = &e->entries;
    bool current = all->stamp.able && all->stamp.config == e->c->config_epoch
                   && all->stamp.layout == plan_layout(e->plan)
                   && all->stamp.access == plan_access_epoch(e->plan);

    for (size_t i = 0; current && i < e->c->queued.n; i++) {
        uint32_t job = e->c->queued.v[i];
        if (job == INDEX_NONE || job >= all->v.n || !all->v.v[job].quiet)
            continue;
        struct job *j = e->c->jobs.v[job];
        const struct prio_own own = all->own.v[job], *own_now = &all->own.v[job];
        const struct entry kept = all->v.v[job], *now = &all->v.v[job];
        entry_note(e, j);
        assert(is_quiet(e, j));
        assert(own.fixed == own_now->fixed && own.res == own_now->res
               && own.queue_s == own_now->queue_s && own.grows == own_now->grows
               && own.wclimit_s == own_now->wclimit_s);
        assert(kept.credset == now->credset && kept.procs == now->procs
               && kept.wclimit_s == now->wclimit_s && kept.access == now->access
               && kept.limited == now->limited);
    }
}
