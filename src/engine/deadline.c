/* SPDX-License-Identifier: Apache-2.0
 * Deadline reservations: a job that has to be complete by an instant is reserved at the
 * earliest slot that ends in time, whatever its priority, and keeps that place: it is
 * planned before all reservations made later, so it may only move forward. Where
 * nothing ends in time the job waits by priority like any other, and is told so.
 * Source: reference reservations, section 1; users-ask, 85. */
#include "cluster/memory.h"
#include "engine/engine_private.h"

static struct job_extra *dated(const struct job *j)
{
    return j->extra && j->extra->deadline_at ? j->extra : NULL;
}

bool deadline_promised(const struct job *j)
{
    return j->extra && j->extra->promised;
}

bool deadline_stands(const struct job *j)
{
    return j->extra && j->extra->promise_stands;
}

bool deadline_fit(
    struct engine *e, const struct job *j, int64_t from, struct slot *ret_slot)
{
    if (!deadline_promised(j))
        return plan_first_fit(e->plan, j, from, ret_slot);
    return plan_fit_by(e->plan, j, from, j->extra->deadline_at, ret_slot);
}

void deadline_recall(struct engine *e, struct job *j, const struct job_memory *m)
{
    if (!m->promised || !dated(j))
        return;
    j->extra->promised = m->promised;
    j->extra->promised_at = m->promised_at;
    if (e->promises < m->promised)
        e->promises = m->promised;
}

/* Reserve the earliest slot from `from` on that ends in time. */
static bool reserve_by(struct engine *e, struct job *j, int64_t from)
{
    struct slot slot;

    preempt_plan_without_optimists(e, j);
    bool found = plan_fit_by(e->plan, j, from, j->extra->deadline_at, &slot);
    if (found)
        plan_reserve(e->plan, j, &slot);
    preempt_plan_with_all(e);
    if (!found)
        return false;
    reserve_note(e, j);
    wake_at(e, slot.at);
    return true;
}

/* Start it if it fits now; it has no reservation. */
static bool start_now(struct engine *e, struct job *j, bool backfill)
{
    struct slot slot;

    if (limits_any(e->limits, CHECK_ACTIVE) && !allowed_now(e, j, LEVEL_SOFT))
        return false;
    preempt_plan_without_optimists(e, j);
    bool now = plan_fit_by(e->plan, j, e->now, j->extra->deadline_at, &slot)
               && slot.at <= e->now;
    preempt_plan_with_all(e);
    return now && start_job(e, j, slot.partition, backfill);
}

/* The promise of an earlier cycle: started if it is time, else left as it is or
 * reserved again where it was. */
static void keep(struct engine *e, struct job *j)
{
    struct job_extra *x = j->extra;
    int64_t from = x->promised_at;

    x->promise_stands = plan_confirm(e->plan, j) && j->rsv_start_at > e->now;
    x->promise_anew = !x->promise_stands;
    if (x->promise_stands)
        return;
    plan_unreserve(e->plan, j);
    j->rsv_start_at = 0;
    if (from <= e->now) {
        if (start_now(e, j, false))
            return;
        from = e->now + 1;
    }
    x->promise_stands = reserve_by(e, j, from);
    if (!x->promise_stands)
        x->promised = 0;
    else
        x->promised_at = j->rsv_start_at;
}

static int by_promise(const void *a, const void *b)
{
    const struct job *const *x = a, *const *y = b;

    return ((*x)->extra->promised > (*y)->extra->promised)
           - ((*x)->extra->promised < (*y)->extra->promised);
}

void deadline_keep(struct engine *e)
{
    struct VEC(struct job *) promised = {0};

    e->dated.n = 0;
    if (!e->c->any_deadline)
        return;
    for (size_t i = 0; i < e->hard.n; i++) {
        struct job *j = e->c->jobs.v[e->hard.v[i].job];
        if (!dated(j) || retry_stands(e, j))
            continue;
        j->extra->promise_stands = false;
        vec_push(&e->dated, j->index);
        if (j->extra->promised && !e->keeps)
            vec_push(&promised, j);
    }
    if (promised.n)
        qsort(promised.v, promised.n, sizeof *promised.v, by_promise);
    for (size_t i = 0; i < promised.n; i++)
        keep(e, promised.v[i]);
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
static bool promise(struct engine *e, struct job *j)
{
    if (j->rsv_slot != INDEX_NONE)
        return plan_reserved_until(e->plan, j) <= j->extra->deadline_at;
    return start_now(e, j, true) || reserve_by(e, j, e->now + 1);
}

/* What others left may let it go earlier. */
static void move_forward(struct engine *e, struct job *j)
{
    preempt_plan_without_optimists(e, j);
    plan_move_forward(e->plan, j, j->extra->deadline_at);
    preempt_plan_with_all(e);
    if (j->rsv_start_at <= e->now) {
        plan_unreserve(e->plan, j);
        if (start_now(e, j, true))
            return;
        j->rsv_start_at = 0;
        if (!reserve_by(e, j, e->now + 1))
            return;
    }
    reserve_note(e, j);
    wake_at(e, j->rsv_start_at);
    j->extra->promised_at = j->rsv_start_at;
}

static void settle(struct engine *e, struct job *j)
{
    struct job_extra *x = j->extra;

    x->late = !promise(e, j);
    if (x->late || j->rsv_slot == INDEX_NONE) {
        x->promised = 0;
        return;
    }
    if (!x->promised) {
        x->promised = ++e->promises;
        vec_push(&e->changed, j->index);
    }
    x->promised_at = j->rsv_start_at;
}

void deadline_reserve(struct engine *e)
{
    for (size_t i = 0; i < e->dated.n; i++) {
        struct job *j = e->c->jobs.v[e->dated.v[i]];
        if (j->state != JOB_IDLE || j->holds)
            continue;
        if (!j->extra->promise_stands && may_be_reserved(e, j))
            settle(e, j);
        else if (j->extra->promise_stands && j->extra->promise_anew)
            move_forward(e, j);
    }
}
