/* SPDX-License-Identifier: Apache-2.0
 * Priority reservations: who gets one. Source: reference
 * reservations, section 8. */
#include "engine/reserve.h"

#include "config/settings.h"
#include "engine/bounds.h"
#include "engine/eligible.h"
#include "engine/engine_private.h"
#include "engine/preempt.h"
#include "engine/start.h"
#include "engine/stop.h"
#include "policy/accrual.h"

static const struct par_settings *par_of(const struct engine *e, uint32_t partition)
{
    return e->c->partitions.v[partition]->par;
}

static bool past_threshold(
    const struct engine *e, const struct job *j, const struct par_settings *par)
{
    if (par->rsv_threshold == RSVTHRESHOLD_NONE)
        return true;
    int64_t value = par->rsv_threshold_value;
    int64_t queued = accrual_queue_s(&e->cfg->prio, j, e->now);
    int64_t limit = j->wclimit_s > e->cfg->prio.xfminwclimit_s
                        ? j->wclimit_s
                        : e->cfg->prio.xfminwclimit_s;

    switch (par->rsv_threshold) {
    case RSVTHRESHOLD_NONE:
        break;
    case RSVTHRESHOLD_BYPASS:
        return job_bypass(e->c, j) > value;
    case RSVTHRESHOLD_QUEUETIME:
        return queued > value;
    case RSVTHRESHOLD_XFACTOR:
        return 1.0 + (double)queued / (double)(limit > 0 ? limit : 1) > (double)value;
    }
    return true;
}

static bool may_in(const struct engine *e, const struct job *j, uint32_t partition)
{
    const struct par_settings *par = par_of(e, partition);
    uint32_t qos_flags = job_cred(e->c, j, CRED_QOS)->cfg->qos_flags;
    int group = groups_of(e->groups.depth, j->cred[CRED_QOS]);

    if (settings_plan_together(e->cfg))
        return true;
    if (par->bf_policy == BACKFILL_NONE || par->rsv_policy == RSVPOLICY_NEVER
        || (qos_flags & QOS_NORESERVATION))
        return false;
    if (qos_flags & QOS_RESERVEALWAYS)
        return true;
    return group >= 0
           && e->passes.par[partition].reserved[group] < e->cfg->rsv_groups[group].depth
           && past_threshold(e, j, par);
}

bool reserve_may(const struct engine *e, const struct job *j)
{
    uint64_t m = j->partitions & ((UINT64_C(1) << e->c->partitions.n) - 1);

    for (; m; m &= m - 1)
        if (may_in(e, j, (uint32_t)__builtin_ctzll(m)))
            return true;
    return false;
}

static bool never_in(const struct engine *e, const struct job *j, uint32_t partition)
{
    const struct par_settings *par = par_of(e, partition);
    uint32_t qos_flags = job_cred(e->c, j, CRED_QOS)->cfg->qos_flags;

    if (par->bf_policy == BACKFILL_NONE || par->rsv_policy == RSVPOLICY_NEVER)
        return false; /* for nobody: the order is all there is */
    if (qos_flags & QOS_RESERVEALWAYS && !(qos_flags & QOS_NORESERVATION))
        return false;
    return qos_flags & QOS_NORESERVATION || !past_threshold(e, j, par)
           || (groups_any(e->groups.depth)
               && groups_of(e->groups.depth, j->cred[CRED_QOS]) < 0);
}

bool reserve_never(const struct engine *e, const struct job *j)
{
    uint64_t m = j->partitions & ((UINT64_C(1) << e->c->partitions.n) - 1);

    for (; m; m &= m - 1)
        if (!never_in(e, j, (uint32_t)__builtin_ctzll(m)))
            return false;
    return true;
}

/* No instant is good enough for it. It is told so where it is not deferred, too. */
static void never(struct engine *e, struct job *j)
{
    refuse(j, WAIT_FEASIBLE, 0);
    queue_touch(e->queue, j);
    put_off_job(
        e, j, REASON_NORESOURCES, "at no time is all it asks for free together");
}

bool reserve_test(struct engine *e, struct job *j)
{
    uint64_t m = j->partitions & ((UINT64_C(1) << e->c->partitions.n) - 1);
    struct slot slot;

    for (; m; m &= m - 1) {
        const struct par_settings *par = par_of(e, (uint32_t)__builtin_ctzll(m));
        if (par->bf_policy != BACKFILL_NONE && par->rsv_policy != RSVPOLICY_NEVER)
            return true;
    }
    if (plan_first_fit(e->plan, j, e->now, &slot)
        || plan_first_fit(e->plan, j, e->now + 1, &slot))
        return true;
    never(e, j);
    return false;
}

static void count_reserved(struct engine *e, const struct job *j, uint32_t partition)
{
    int group = groups_of(e->groups.depth, j->cred[CRED_QOS]);

    if (group >= 0)
        e->passes.par[partition].reserved[group]++;
}

void reserve_count(struct engine *e, const struct job *j)
{
    if (!promises_has(e->promises, j, PROMISE_DEADLINE))
        count_reserved(e, j, plan_reservation_of(e->plan, j)->partition);
}

/* Offer the job the earliest slot: started if that is now, else reserved. False when
 * it got neither. What is measured on nodes keeps jobs from starting and is known for
 * this moment only, so what cannot be now may be in the next. Where a job is leaving
 * those nodes the claim is kept, or others would take what is free of them; nobody
 * knows how long somebody else will use them. */
static bool reserve_in(struct engine *e, struct plan *view, struct job *j)
{
    struct slot slot;
    bool left = leaving_any(e->troubles.leaving);
    bool found = bounds_fit_by(e, view, j, e->now, TIME_NEVER, &slot);

    if (found && slot.at <= e->now && start_job(e, j, slot.partition, false))
        return true;
    if (!found || slot.at <= e->now || left) {
        bool certain = found && slot.at > e->now;
        if (!bounds_fit_by(e, view, j, e->now + 1, TIME_NEVER, &slot)) {
            never(e, j);
            return true;
        }
        if (!left && !certain)
            return false;
    }
    if (!may_in(e, j, slot.partition))
        return false;
    preempt_reserve(e, view, j, &slot);
    e->stats.reserved++;
    count_reserved(e, j, slot.partition);
    return true;
}

bool reserve_job(struct engine *e, struct job *j)
{
    struct plan *view = preempt_open_view(e, j);
    bool given = reserve_in(e, view, j);

    preempt_close_view(e, view);
    return given;
}
