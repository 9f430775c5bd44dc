/* SPDX-License-Identifier: Apache-2.0
 * Who is within the limits: a walk over the queue in order of priority, in which each
 * job that passes counts as idle for those behind it. Source: reference throttling,
 * section 7. */
#include "config/settings.h"
#include "engine/bounds.h"
#include "engine/classes.h"
#include "engine/queue/queue_private.h"
#include "policy/accrual.h"
#include "policy/limits_use.h"

/* The verdict of the hard limits: only a change of it touches the job. The time under
 * an idle limit is lost: queue time begins when that is met. */
static void note_hard(struct queue *q, struct job *j, enum limited_by by)
{
    static const enum accrual_event stops[] = {
        [LIMITED_ACTIVE] = ACCRUAL_ACTIVE_LIMIT, [LIMITED_IDLE] = ACCRUAL_IDLE_LIMIT};
    struct engine *e = q->e;
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
    j->limited = q->notes.v.v[j->index].limited = (uint8_t)by;
    waiting_changed(e, j, before);
    queue_touch(q, j);
}

/* What the job would use, as far as limits look at that. */
static const int64_t *use_of(
    const struct queue *q, uint32_t job, int64_t room[LIMIT_RES_COUNT])
{
    if (q->notes.more)
        return q->notes.uses.v + job * q->notes.width;
    room[LIMIT_JOB] = 1;
    room[LIMIT_PROC] = q->notes.v.v[job].procs;
    return room;
}

/* For a job that is not within the limits in its class. */
struct elsewhere {
    struct queue *q;
    struct limits_walk *walk;
    int64_t *use; /* room for what it would use */
};

/* Is it within them as it would be in another class? */
static bool is_within(struct engine *e, const struct job *j, void *ctx)
{
    const struct elsewhere *x = ctx;

    limits_walk_use_of(e->limits, e->c, j, x->use);
    return !limits_walk_violated(
        x->walk, credsets_number(&x->q->notes.credsets, j->cred), x->use);
}

/* Does another of its classes take it? */
static bool moves_class(struct queue *q, struct limits_walk *w, struct job *j)
{
    struct elsewhere x = {q, w, NULL};
    bool moved;

    if (!classes_several(j))
        return false;
    x.use = xcalloc(limits_walk_resources(q->e->limits), sizeof *x.use);
    moved = classes_move(q->e, j, &x, is_within);
    free(x.use);
    if (moved)
        notes_take(q, j);
    return moved;
}

static bool has_reservation(const struct queue *q, uint32_t job)
{
    return q->e->uses.keeps ? plan_reserved_at(q->e->plan, q->e->c->jobs.v[job]) != 0
                            : bitset_test(&q->reserved, job);
}

/* Limits on what is active are planned ahead: it has a place behind who is active, as
 * one of the first, or as was promised. */
static bool has_turn(struct queue *q, const struct job *j, size_t ahead)
{
    struct engine *e = q->e;

    return bounds_plan(e, j)
           && (ahead < (size_t)e->cfg->plan.depth
               || promises_has(e->promises, j, PROMISE_START));
}

/* The job breaks a limit: does that keep it back? Not if it has a reservation, or is to
 * have one, nor if another of its classes takes it. */
static bool stays_out(
    struct queue *q, struct limits_walk *w, uint32_t job, size_t ahead)
{
    struct engine *e = q->e;
    const struct note *x = &q->notes.v.v[job];
    bool hard = w->level == LEVEL_HARD;
    int64_t room[LIMIT_RES_COUNT];

    if (has_reservation(q, job)) {
        e->cycle.limited = true;
        return false;
    }
    if (e->uses.classes && hard && moves_class(q, w, e->c->jobs.v[job])) {
        if (x->limited)
            note_hard(q, e->c->jobs.v[job], LIMITED_NOT);
        return false;
    }
    e->cycle.limited = true;
    if (!hard)
        return true;
    enum limited_by by = limits_walk_idle_violated(w, x->credset, use_of(q, job, room))
                             ? LIMITED_IDLE
                             : LIMITED_ACTIVE;
    if (x->limited != by)
        note_hard(q, e->c->jobs.v[job], by);
    return by != LIMITED_ACTIVE || !has_turn(q, e->c->jobs.v[job], ahead);
}

/* The job at one level: within the limits it becomes a candidate, and counts as idle.
 */
static inline void take_step(
    struct queue *q, struct limits_walk *w, uint32_t job, struct candidates *io)
{
    const struct note *x = &q->notes.v.v[job];
    int64_t room[LIMIT_RES_COUNT];
    const int64_t *use = use_of(q, job, room);

    if (limits_walk_violated(w, x->credset, use)) {
        if (stays_out(q, w, job, io->n))
            return;
        use = use_of(q, job, room); /* perhaps of another class */
    } else if (x->limited && w->level == LEVEL_HARD) {
        note_hard(q, q->e->c->jobs.v[job], LIMITED_NOT);
    }
    limits_walk_count(w, x->credset, use);
    io->v[io->n++] = notes_candidate(q, job);
}

/* Notes come from memory: ask for them some jobs ahead. */
#define AHEAD 16

/* One walk in order of priority, at `n` levels at once. */
static void walk_levels(struct queue *q, const enum limit_level *levels, size_t n)
{
    struct candidates *const ret[] = {[LEVEL_SOFT] = &q->soft, [LEVEL_HARD] = &q->hard};
    struct limits_walk *at[LEVEL_HARD + 1];
    const uint32_t *order = q->order.v;
    size_t jobs = q->order.n;

    for (size_t k = 0; k < n; k++) {
        ret[levels[k]]->n = 0;
        vec_reserve(ret[levels[k]], jobs);
        at[k] = limits_walk_begin(q->e->limits, q->e->c, &q->notes.credsets, levels[k]);
    }
    for (size_t i = 0; i < jobs; i++) {
        if (i + AHEAD < jobs)
            __builtin_prefetch(&q->notes.v.v[order[i + AHEAD]]);
        for (size_t k = 0; k < n; k++)
            take_step(q, at[k], order[i], ret[levels[k]]);
    }
    for (size_t k = 0; k < n; k++)
        limits_walk_end(at[k]);
}

static void take_all(const struct queue *q, struct candidates *ret)
{
    ret->n = 0;
    vec_reserve(ret, q->order.n);
    for (size_t i = 0; i < q->order.n; i++)
        ret->v[i] = notes_candidate(q, q->order.v[i]);
    ret->n = q->order.n;
}

static void note_reservations(struct queue *q)
{
    const struct plan *plan = q->e->plan;

    bitset_clear_all(&q->reserved);
    for (uint32_t i = 0; i < plan_reservations(plan); i++)
        if (plan_reserved_job(plan, i) != INDEX_NONE)
            bitset_set(&q->reserved, plan_reserved_job(plan, i));
}

void select_candidates(struct queue *q, bool soft)
{
    static const enum limit_level both[] = {LEVEL_HARD, LEVEL_SOFT};
    const struct limits *l = q->e->limits;

    if (!limits_any(l, CHECK_ACTIVE | CHECK_IDLE)) {
        take_all(q, &q->hard);
        if (soft)
            take_all(q, &q->soft);
        return;
    }
    note_reservations(q);
    if (soft && limits_walk_is_plain(l)) {
        walk_levels(q, both, 2);
    } else {
        walk_levels(q, &both[0], 1);
        if (soft)
            walk_levels(q, &both[1], 1);
    }
}
