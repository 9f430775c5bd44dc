/* SPDX-License-Identifier: Apache-2.0
 * Keeping promises, in the order of their ranks (promises.h), before anything else is
 * planned; and those for deadlines, made after the pass by priority.
 *
 * Retry (RESERVATIONRETRYTIME): a job whose start failed keeps its claim for so long.
 * It is planned before all others, from the next second on, and its start is tried
 * again at the pace of the resource manager; when the time is used up it is a failed
 * start like any other.
 *
 * Highest (RESERVATIONPOLICY HIGHEST): whoever got a reservation keeps it and may slide
 * forward, in priority order, all others in place.
 *
 * Deadline: a job that has to be complete by an instant is reserved at the earliest
 * slot that ends in time, whatever its priority, and keeps that place: it is planned
 * before all reservations made later, so it may only move forward. Where nothing ends
 * in time the job waits by priority like any other, and is told so.
 *
 * Source: reference reservations, sections 1, 8 and 8.5; rm-interfaces, section 7;
 * users-ask, 85. */
#include "engine/keeping.h"

#include "config/settings.h"
#include "engine/bounds.h"
#include "engine/engine_private.h"
#include "engine/preempt.h"
#include "engine/promises.h"
#include "engine/reserve.h"
#include "engine/start.h"
#include "engine/stop.h"

struct keeping {
    struct indexes dated; /* eligible jobs with a deadline, in this cycle */
};

struct keeping *keeping_create(void)
{
    return xcalloc(1, sizeof(struct keeping));
}

void keeping_destroy(struct keeping *k)
{
    if (!k)
        return;
    vec_fini(&k->dated);
    free(k);
}

static bool is_dated(const struct job *j)
{
    return j->extra && j->extra->deadline_at;
}

/* What it was promised for its deadline, which may be another than then. */
static struct promise *find_deadline(const struct engine *e, const struct job *j)
{
    struct promise *row = promises_row(e->promises, j, PROMISE_DEADLINE);

    if (!row)
        return NULL;
    if (!is_dated(j)) {
        promises_break(e->promises, j, PROMISE_DEADLINE);
        return NULL;
    }
    row->end_by = j->extra->deadline_at;
    return row;
}

/* ---- what all ranks do ---- */

/* The earliest slot from `from` on that ends by `by`. */
static bool find_slot(struct engine *e, const struct job *j, int64_t from, int64_t by,
    struct slot *ret_slot)
{
    struct plan *view = preempt_open_view(e, j);
    bool found = bounds_fit_by(e, view, j, from, by, ret_slot);

    preempt_close_view(e, view);
    return found;
}

static void hold_slot(struct engine *e, struct job *j, const struct slot *slot)
{
    struct plan *view = preempt_open_view(e, j);

    preempt_reserve(e, view, j, slot);
    preempt_close_view(e, view);
    wake_at(e, slot->at);
}

/* What it has in the plan is not in its own way. */
static void take_back(struct engine *e, const struct job *j)
{
    plan_unreserve(e->plan, j);
    plan_owe(e->plan, j, 0);
}

/* ---- retry ---- */

/* Of the group whose depth its reservation counts against. */
static int64_t retry_time_of(const struct engine *e, const struct job *j)
{
    int group = groups_of(e->groups.depth, j->cred[CRED_QOS]);

    return e->cfg->rsv_retry_s[group < 0 ? 0 : group];
}

/* When to try again, not later than the end of the claim. */
static int64_t next_try(
    const struct engine *e, const struct promise *p, int64_t again_s)
{
    int64_t gap = again_s > 0 ? again_s : e->cfg->rm_poll_interval_s;
    int64_t at = time_add(e->now, gap > 0 ? gap : 1);

    return at < p->latest_start ? at : p->latest_start;
}

bool keeping_retry(struct engine *e, struct job *j, int64_t again_s)
{
    int64_t keep = retry_time_of(e, j);

    if (keep <= 0 || (j->flags & JOB_NOQUEUE))
        return false;
    struct promise *p = promises_row(e->promises, j, PROMISE_RETRY);
    if (!p) {
        p = promises_make(e->promises, j, PROMISE_RETRY);
        p->latest_start = time_add(e->now, keep);
    }
    if (e->now >= p->latest_start) {
        promises_break(e->promises, j, PROMISE_RETRY);
        return false;
    }
    p->not_before = next_try(e, p, again_s);
    wake_at(e, p->not_before);
    return true;
}

static void break_claim(struct engine *e, const struct job *j)
{
    promises_break(e->promises, j, PROMISE_RETRY);
    decisions_changed(e, j->index);
}

/* Hold nodes from the next second on. */
static void hold_claim(struct engine *e, struct job *j, struct promise *p)
{
    struct slot slot;

    plan_owe(e->plan, j, 0);
    if (!plan_first_fit(e->plan, j, e->now + 1, &slot)) {
        break_claim(e, j);
        return;
    }
    plan_reserve(e->plan, j, &slot);
    p->stands = true;
    wake_at(e, p->not_before > slot.at ? p->not_before : slot.at);
}

/* This start may fail as well: the claim outlives it. */
static bool try_claim(struct engine *e, struct job *j)
{
    const struct promise claim = *promises_row(e->promises, j, PROMISE_RETRY);
    struct slot slot;

    if (!allowed_now(e, j, LEVEL_SOFT) || !plan_first_fit(e->plan, j, e->now, &slot)
        || slot.at > e->now || !start_job(e, j, slot.partition, false))
        return false;
    *promises_make(e->promises, j, PROMISE_RETRY) = claim;
    return true;
}

static void keep_claim(struct engine *e, struct job *j)
{
    struct promise *p = promises_row(e->promises, j, PROMISE_RETRY);

    if (e->now >= p->not_before) {
        if (try_claim(e, j))
            return;
        if (e->now >= p->latest_start) {
            break_claim(e, j);
            return;
        }
        p->not_before = next_try(e, p, 0);
        decisions_changed(e, j->index);
    }
    hold_claim(e, j, p);
}

/* A claim slides on with the time, into what is reserved behind it: that is planned
 * anew after it, also where it would keep its place. */
static void make_way(struct engine *e)
{
    struct queue_view all = queue_candidates(e->queue, LEVEL_HARD);

    if (!e->uses.keeps)
        plan_confirm_rest(e->plan);
    for (size_t i = 0; i < all.n; i++)
        plan_unreserve(e->plan, e->c->jobs.v[all.v[i].job]);
}

static void keep_claims(struct engine *e)
{
    struct queue_view all = queue_candidates(e->queue, LEVEL_HARD);
    struct indexes claims = {0};

    for (size_t i = 0; i < all.n; i++)
        if (promises_row(e->promises, e->c->jobs.v[all.v[i].job], PROMISE_RETRY))
            vec_push(&claims, all.v[i].job);
    if (claims.n) {
        make_way(e);
        queue_touch_order(e->queue);
    }
    for (size_t i = 0; i < claims.n; i++)
        keep_claim(e, e->c->jobs.v[claims.v[i]]);
    vec_fini(&claims);
}

/* ---- highest ---- */

/* Where it has to end, in whichever rank it is kept. */
static int64_t end_of(const struct engine *e, const struct job *j)
{
    const struct promise *p = find_deadline(e, j);

    return p ? p->end_by : TIME_NEVER;
}

/* In a plan that begins anew all that were kept come back into their places, before
 * anybody slides into that of another. */
static void put_back(struct engine *e)
{
    struct queue_view all = queue_candidates(e->queue, LEVEL_HARD);

    for (size_t i = 0; i < all.n; i++) {
        struct job *j = e->c->jobs.v[all.v[i].job];
        int64_t from = plan_reserved_at(e->plan, j);
        struct slot slot;
        if (from == 0 || plan_is_reserved(e->plan, j))
            continue;
        from = from > e->now ? from : e->now;
        struct plan *view = preempt_open_view(e, j);
        if (plan_fit_by(view, j, from, end_of(e, j), &slot))
            preempt_reserve(e, view, j, &slot);
        preempt_close_view(e, view);
    }
}

/* Its time has come. True: it is settled, by a start or by a deferral. `own`: nodes for
 * a start now; none = those that the plan finds in the slot. */
static bool start_due(
    struct engine *e, struct job *j, uint32_t partition, const struct allocs *own)
{
    if (!allowed_now(e, j, LEVEL_SOFT)) {
        if (j->why.code == WAIT_FUNDS) { /* JFACTION says what follows (unfunded.h) */
            promises_void(e->promises, j);
            return true;
        }
        put_off_job(e, j, REASON_POLICY, "a limit is reached at its reservation");
        return true;
    }
    if (!own->n)
        return start_job(e, j, partition, false);
    j->alloc.n = 0;
    for (size_t i = 0; i < own->n; i++)
        vec_push(&j->alloc, own->v[i]);
    return start_placed(e, j, OCCUPANCY_PLANNED, false);
}

/* It waits for the slot. */
static void hold_place(struct engine *e, struct job *j, struct slot *slot)
{
    if (slot->at <= e->now) { /* claim kept: nodes are not ready yet */
        int64_t by = end_of(e, j);
        bool found = by < TIME_NEVER ? plan_fit_by(e->plan, j, e->now + 1, by, slot)
                                     : plan_first_fit(e->plan, j, e->now + 1, slot);
        if (!found)
            return;
    }
    hold_slot(e, j, slot);
}

/* As soon as it fits now, and not later than where it is: where the search finds no
 * place as early, the job has its own nodes again. */
static void keep_place(struct engine *e, struct job *j)
{
    struct lifted_rsv *old = plan_lift(e->plan, j);
    int64_t at = old ? lifted_rsv_at(old) : 0;
    struct allocs own = {0};
    struct slot slot;
    bool found = find_slot(e, j, e->now, end_of(e, j), &slot);
    bool is_now = found && slot.at <= e->now;

    if (at > e->now && (!found || slot.at > at) && plan_lay_back(e->plan, j, old)) {
        wake_at(e, at);
    } else if (((is_now
                    || (old && at <= e->now
                        && plan_place_lifted(e->plan, j, old, &own)))
                   && start_due(e, j, is_now ? slot.partition : 0, &own))
               || (found && !is_now && preempt_any(e) && allowed_now(e, j, LEVEL_SOFT)
                   && preempt_start(e, j, false))) {
        ; /* started, also by taking from others, or put off */
    } else if (found) {
        hold_place(e, j, &slot);
    } else {
        promises_void(e->promises, j);
    }
    vec_fini(&own);
    lifted_rsv_free(old);
}

static void keep_places(struct engine *e)
{
    struct queue_view all = queue_candidates(e->queue, LEVEL_HARD);

    put_back(e);
    for (size_t i = 0; i < all.n; i++) {
        struct job *j = e->c->jobs.v[all.v[i].job];
        if (plan_reserved_at(e->plan, j) != 0 && !keeping_stands(e, j, PROMISE_RETRY))
            keep_place(e, j);
    }
}

/* ---- deadline ---- */

/* Start it if it fits now; it has no reservation. */
static bool start_dated(struct engine *e, struct job *j, bool backfill)
{
    struct slot slot;

    return allowed_now(e, j, LEVEL_SOFT)
           && find_slot(e, j, e->now, j->extra->deadline_at, &slot) && slot.at <= e->now
           && start_job(e, j, slot.partition, backfill);
}

/* Reserve the earliest slot from `from` on that ends in time. */
static bool reserve_dated(struct engine *e, struct job *j, int64_t from)
{
    struct slot slot;

    if (!find_slot(e, j, from, j->extra->deadline_at, &slot))
        return false;
    hold_slot(e, j, &slot);
    return true;
}

/* Started if it is time, else left as it is or reserved again where it was. */
static void keep_dated(struct engine *e, struct job *j, struct promise *p)
{
    int64_t from = p->latest_start;

    p->stands = plan_confirm(e->plan, j) && plan_reserved_at(e->plan, j) > e->now;
    p->anew = !p->stands;
    if (p->stands)
        return;
    plan_confirm_rest(e->plan); /* what was made after it is planned after it */
    take_back(e, j);
    if (from <= e->now) {
        if (start_dated(e, j, false))
            return;
        from = e->now + 1;
    }
    p->stands = reserve_dated(e, j, from);
    if (p->stands)
        p->latest_start = plan_reserved_at(e->plan, j);
    else
        promises_break(e->promises, j, PROMISE_DEADLINE);
}

struct made {
    uint64_t at;
    uint32_t job;
};

static int compare_made(const void *a, const void *b)
{
    const struct made *x = a, *y = b;

    return (x->at > y->at) - (x->at < y->at);
}

static void keep_dates(struct engine *e)
{
    struct queue_view all = queue_candidates(e->queue, LEVEL_HARD);
    struct VEC(struct made) promised = {0};

    e->keeping->dated.n = 0;
    if (!e->c->any_deadline)
        return;
    promises_begin(e->promises, PROMISE_DEADLINE);
    for (size_t i = 0; i < all.n; i++) {
        const struct job *j = e->c->jobs.v[all.v[i].job];
        const struct promise *p = find_deadline(e, j);
        /* not one that was just started, or deferred, by another of its promises */
        if (!is_dated(j) || !job_waits(j) || keeping_stands(e, j, PROMISE_RETRY))
            continue;
        vec_push(&e->keeping->dated, j->index);
        if (p && !e->uses.keeps)
            vec_push(&promised, ((struct made){p->made, j->index}));
    }
    if (promised.n)
        qsort(promised.v, promised.n, sizeof *promised.v, compare_made);
    for (size_t i = 0; i < promised.n; i++) {
        struct job *j = e->c->jobs.v[promised.v[i].job];
        keep_dated(e, j, promises_row(e->promises, j, PROMISE_DEADLINE));
    }
    vec_fini(&promised);
}

static bool may_be_reserved(const struct engine *e, const struct job *j)
{
    uint64_t m = j->partitions & ((UINT64_C(1) << e->c->partitions.n) - 1);

    if (job_cred(e->c, j, CRED_QOS)->cfg->qos_flags & QOS_NORESERVATION)
        return false;
    for (; m; m &= m - 1) {
        const struct par_settings *par = e->c->partitions.v[__builtin_ctzll(m)]->par;
        if (par->bf_policy != BACKFILL_NONE && par->rsv_policy != RSVPOLICY_NEVER)
            return true;
    }
    return false;
}

/* One that was passed over in priority order, or was reserved there like any other. */
static bool reach_deadline(struct engine *e, struct job *j)
{
    if (plan_is_reserved(e->plan, j))
        return plan_reserved_until(e->plan, j) <= j->extra->deadline_at;
    return start_dated(e, j, true) || reserve_dated(e, j, e->now + 1);
}

/* What others left may let it go earlier; not where that would take of limits what is
 * planned for others. */
static void move_forward(struct engine *e, struct job *j)
{
    if (settings_plan_together(e->cfg) && limits_any(e->limits, CHECK_ACTIVE))
        return;
    struct plan *view = preempt_open_view(e, j);

    plan_move_forward(view, j, j->extra->deadline_at);
    if (view != e->plan)
        plan_adopt(e->plan, view, j);
    preempt_close_view(e, view);
    if (plan_reserved_at(e->plan, j) <= e->now) {
        plan_unreserve(e->plan, j);
        if (start_dated(e, j, true))
            return;
        plan_owe(e->plan, j, 0);
        if (!reserve_dated(e, j, e->now + 1))
            return;
    }
    wake_at(e, plan_reserved_at(e->plan, j));
    promises_row(e->promises, j, PROMISE_DEADLINE)->latest_start =
        plan_reserved_at(e->plan, j);
}

static void promise_deadline(struct engine *e, struct job *j)
{
    bool late = !reach_deadline(e, j);

    promises_note_late(e->promises, j, late);
    if (late || !plan_is_reserved(e->plan, j)) {
        promises_break(e->promises, j, PROMISE_DEADLINE);
        return;
    }
    if (!promises_has(e->promises, j, PROMISE_DEADLINE))
        decisions_changed(e, j->index);
    struct promise *p = promises_make(e->promises, j, PROMISE_DEADLINE);
    p->end_by = j->extra->deadline_at;
    p->latest_start = plan_reserved_at(e->plan, j);
}

void keeping_deadlines(struct engine *e)
{
    for (size_t i = 0; i < e->keeping->dated.n; i++) {
        struct job *j = e->c->jobs.v[e->keeping->dated.v[i]];
        const struct promise *p = find_deadline(e, j);
        if (!job_waits(j))
            continue;
        if (!(p && p->stands) && may_be_reserved(e, j))
            promise_deadline(e, j);
        else if (p && p->stands && p->anew)
            move_forward(e, j);
    }
}

/* ---- priority ---- */

bool keeping_in_order(struct engine *e, struct job *j)
{
    if (!plan_confirm(e->plan, j))
        return false;
    if (plan_reserved_at(e->plan, j) > e->now) {
        reserve_count(e, j);
        return true;
    }
    plan_make_way(e->plan, j);
    if (start_job(e, j, plan_reservation_of(e->plan, j)->partition, false))
        return true;
    plan_unplanned(e->plan);
    plan_confirm_rest(e->plan); /* what was made after it is planned after it */
    promises_void(e->promises, j);
    return false;
}

/* ---- over a restart ---- */

bool keeping_is_policy(const struct engine *e)
{
    if (settings_plan_together(e->cfg)) /* promises latest starts instead of places */
        return false;
    for (size_t i = 0; i < e->c->partitions.n; i++)
        if (e->c->partitions.v[i]->par->rsv_policy == RSVPOLICY_HIGHEST)
            return true;
    return false;
}

void keeping_recall(struct engine *e, struct job *j, const struct job_memory *m)
{
    promises_set_policy(e->promises, keeping_is_policy(e));
    promises_recall(e->promises, e->c, j, m);
    predictions_recall(e, j, m);
}

/* ---- the cycle ---- */

void keeping_promises(struct engine *e)
{
    promises_begin(e->promises, PROMISE_RETRY);
    if (promises_count(e->promises, PROMISE_RETRY))
        keep_claims(e);
    if (e->uses.keeps)
        keep_places(e);
    keep_dates(e);
}

bool keeping_stands(const struct engine *e, const struct job *j, enum promise_rank rank)
{
    const struct promise *p = promises_row(e->promises, j, rank);

    return p && p->stands;
}
