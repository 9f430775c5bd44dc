/* SPDX-License-Identifier: Apache-2.0
 * Preemption: who may preempt whom, what becomes of the victims, and the return of
 * suspended jobs. Source: reference preemption, sections 2 to 5; backfill, section 8.
 */
#include "plan/preempt.h"

#include "engine/engine_private.h"
#include "policy/accrual.h"
#include "policy/acl.h"
#include "policy/fairshare.h"
#include "policy/priority.h"

#include <assert.h>

/* [S] A suspended job is not resumed before that. */
#define SUSPEND_MIN_S 10

/* ---- is there anything to preempt for? ---- */

static bool owner_preempts(const struct reservation *r)
{
    return r && reservation_is_live(r) && (r->flags & RSV_OWNERPREEMPT)
           && r->owner_kind < CRED_KINDS;
}

static bool settings_preempt(const struct engine *e)
{
    if (e->cfg->wc_action == WC_PREEMPT && e->cfg->preempt_policy == PREEMPT_SUSPEND)
        return true;
    for (size_t i = 0; i < e->c->partitions.n; i++)
        if (e->c->partitions.v[i]->par->bf_policy == BACKFILL_PREEMPT)
            return true;
    return false;
}

void preempt_notice_job(struct engine *e, const struct job *j)
{
    uint32_t qos_flags = job_cred(e->c, j, CRED_QOS)->cfg->qos_flags;

    if ((j->flags & JOB_PREEMPTOR) || (qos_flags & QOS_RESTARTPREEMPT))
        e->preempts = true;
}

void preempt_begin(struct engine *e)
{
    if (!e->preempts && e->preempt_config != e->c->config_epoch) {
        e->preempt_config = e->c->config_epoch;
        e->preempts = settings_preempt(e);
    }
    if (!e->preempts && e->preempt_rsv != e->c->rsv_epoch) {
        e->preempt_rsv = e->c->rsv_epoch;
        for (size_t i = 0; i < e->c->reservations.n; i++)
            e->preempts |= owner_preempts(e->c->reservations.v[i]);
    }
    if (!e->preempts && !e->c->suspended)
        return;
    e->preempts = true;
    plan_one_by_one(e->plan);
    plan_distrust(e->plan); /* who may be preempted changes from cycle to cycle */
}

/* ---- rights ---- */

enum right { BY_FLAGS, BY_OWNER, BY_PLACE };

struct claim {
    struct engine *e;
    const struct job *j;
    enum right right;
    bool fresh; /* a victim was left out because it started in this very cycle */
};

/* Is the job inside the reservation, as one that is not the owner's? */
static bool squats(const struct engine *e, struct reservation *r, const struct job *v)
{
    return v->cred[r->owner_kind] != r->owner
           && acl_decide_job(e->c, r, v, acl_overlap(r, v->start_at, v->end_at))
                  .granted;
}

/* Is the victim on the node by leave of a reservation that the job owns? */
static bool owns_there(void *ctx, const struct job *victim, const struct node *n)
{
    const struct claim *k = ctx;
    const struct rsv_list *list = reservations_on(k->e->c, n->index);

    for (size_t i = 0; i < list->n; i++) {
        struct reservation *r = k->e->c->reservations.v[list->v[i].rsv];
        if (owner_preempts(r) && r->state == RSV_ACTIVE
            && k->j->cred[r->owner_kind] == r->owner && squats(k->e, r, victim))
            return true;
    }
    return false;
}

/* Would it be by right of RESTARTPREEMPT alone, and so by requeueing? */
static bool only_restartable(const struct engine *e, const struct job *v)
{
    uint32_t qos_flags = job_cred(e->c, v, CRED_QOS)->cfg->qos_flags;
    bool spv = (qos_flags & QOS_PREEMPTSPV) && (v->flags & JOB_SPVIOLATION);

    return !spv && !(v->flags & (JOB_PREEMPTEE | JOB_OPTIMISTIC))
           && (v->flags & JOB_RESTARTABLE) && !(qos_flags & QOS_RESERVEALWAYS);
}

static bool preemptible(const struct engine *e, const struct job *v)
{
    uint32_t qos_flags = job_cred(e->c, v, CRED_QOS)->cfg->qos_flags;

    if (qos_flags & QOS_RESERVEALWAYS)
        return false;
    return (v->flags & (JOB_PREEMPTEE | JOB_OPTIMISTIC))
           || ((qos_flags & QOS_PREEMPTSPV) && (v->flags & JOB_SPVIOLATION));
}

static bool may_by_flags(const struct claim *k, const struct job *v)
{
    uint32_t qos_flags = job_cred(k->e->c, k->j, CRED_QOS)->cfg->qos_flags;

    if ((k->j->flags & JOB_PREEMPTOR) && preemptible(k->e, v))
        return true;
    return (qos_flags & QOS_RESTARTPREEMPT) && (v->flags & JOB_RESTARTABLE)
           && (preemptible(k->e, v) || only_restartable(k->e, v));
}

static bool runs_in(
    const struct engine *e, const struct job *v, const struct reservation *r)
{
    for (size_t i = 0; i < v->alloc.n; i++)
        for (uint32_t n = 0; n < v->alloc.v[i].count; n++)
            if (reservation_tasks_on(e->c, r, v->alloc.v[i].first + n))
                return true;
    return false;
}

/* Others do not take from an owner what it could take back at once: that would go on
 * for ever. */
static bool at_home(const struct claim *k, const struct job *v)
{
    for (size_t i = 0; i < k->e->c->reservations.n; i++) {
        const struct reservation *r = k->e->c->reservations.v[i];
        if (owner_preempts(r) && r->state == RSV_ACTIVE
            && v->cred[r->owner_kind] == r->owner
            && k->j->cred[r->owner_kind] != r->owner && runs_in(k->e, v, r))
            return true;
    }
    return false;
}

static bool may(void *ctx, const struct job *victim)
{
    struct claim *k = ctx;
    bool allowed = false;

    switch (k->right) {
    case BY_FLAGS:
        allowed = victim->priority < k->j->priority && may_by_flags(k, victim);
        break;
    case BY_OWNER:
        allowed = true; /* owns_there() has said so */
        break;
    case BY_PLACE:
        allowed = victim->priority < k->j->priority && (victim->flags & JOB_OPTIMISTIC);
        break;
    }
    allowed = allowed && !at_home(k, victim);
    if (allowed && victim->start_at == k->e->now) {
        k->fresh = true;
        return false;
    }
    return allowed;
}

static int64_t worth(void *ctx, const struct job *victim)
{
    const struct claim *k = ctx;

    return prio_run(k->e->c, victim, k->e->now);
}

static bool owns_something(const struct engine *e, const struct job *j)
{
    for (size_t i = 0; i < e->c->reservations.n; i++) {
        const struct reservation *r = e->c->reservations.v[i];
        if (owner_preempts(r) && r->state == RSV_ACTIVE
            && j->cred[r->owner_kind] == r->owner)
            return true;
    }
    return false;
}

static bool has_right(const struct engine *e, const struct job *j, enum right right)
{
    uint32_t qos_flags = job_cred(e->c, j, CRED_QOS)->cfg->qos_flags;

    switch (right) {
    case BY_FLAGS:
        return (j->flags & JOB_PREEMPTOR) || (qos_flags & QOS_RESTARTPREEMPT);
    case BY_OWNER:
        return owns_something(e, j);
    case BY_PLACE:
        return e->optimists > 0;
    }
    return false;
}

bool preempt_may(const struct engine *e, const struct job *j)
{
    if (!e->preempts || e->cfg->preempt_policy == PREEMPT_OVERCOMMIT)
        return false;
    return has_right(e, j, BY_FLAGS) || has_right(e, j, BY_OWNER)
           || has_right(e, j, BY_PLACE);
}

/* ---- what becomes of victims ---- */

static void back_to_queue(
    struct engine *e, struct job *j, enum action_kind kind, const char *text)
{
    stop_job(e, j, EV_REQUEUE, e->now);
    j->flags &= ~(uint32_t)(JOB_BACKFILL | JOB_OPTIMISTIC | JOB_SPVIOLATION);
    accrual_stop(&e->cfg->prio, j, ACCRUAL_REQUEUED, e->now);
    act(e, kind, j, e->now, text);
    resolve_job(e, j); /* its QOS or the settings may have changed while it ran */
}

void preempt_job(
    struct engine *e, struct job *j, enum preempt_policy policy, const char *text)
{
    int64_t used_s = e->now - j->start_at - j->suspended_s;

    if (j->preempt_count < UINT16_MAX)
        j->preempt_count++;
    e->stats.preempted++;
    if (policy == PREEMPT_SUSPEND && j->state == JOB_RUNNING) {
        stop_job(e, j, EV_SUSPEND, e->now);
        act(e, ACTION_SUSPEND, j, e->now, text);
        wake_at(e, e->now + SUSPEND_MIN_S);
    } else if (policy == PREEMPT_CHECKPOINT) {
        if (j->wclimit_s > used_s)
            j->saved_s += used_s;
        back_to_queue(e, j, ACTION_CHECKPOINT, text);
    } else {
        j->saved_s = 0;
        e->stats.preempted_ps += used_s > 0 ? (uint64_t)used_s * j->procs : 0;
        back_to_queue(e, j, ACTION_REQUEUE, text);
    }
}

/* The reasons an administrator reads in the log. */
static const char *because(enum right right)
{
    static const char *const texts[] = {
        [BY_FLAGS] = "preempted by a job of higher priority",
        [BY_OWNER] = "preempted by the owner of its reservation",
        [BY_PLACE] = "preempted by a job whose slot has come"};

    return texts[right];
}

static void stop_victims(
    struct engine *e, const struct victims *victims, enum right right)
{
    for (size_t i = 0; i < victims->n; i++) {
        struct job *v = e->c->jobs.v[victims->v[i]];
        enum preempt_policy policy = e->cfg->preempt_policy;
        if (right == BY_FLAGS && only_restartable(e, v))
            policy = PREEMPT_REQUEUE;
        preempt_job(e, v, policy, because(right));
    }
    wake_at(e, e->now + 1); /* for them, if they fit what is left */
}

/* ---- the attempt ---- */

static bool preempt_by(struct engine *e, struct job *j, uint32_t partition,
    enum right right, bool backfill)
{
    struct claim k = {.e = e, .j = j, .right = right};
    struct preempt_ask ask = {.j = j,
        .partition = partition,
        .keep_memory = e->cfg->preempt_policy == PREEMPT_SUSPEND,
        .may = may,
        .worth = worth,
        .on_node = right == BY_OWNER ? owns_there : NULL,
        .ctx = &k};
    struct victims victims = {0};
    struct allocs alloc = {0};

    bool found = preempt_choose(e->plan, &ask, &victims, &alloc);
    if (found) {
        stop_victims(e, &victims, right);
        j->alloc.n = 0;
        for (size_t i = 0; i < alloc.n; i++)
            vec_push(&j->alloc, alloc.v[i]);
        found = start_placed(e, j, backfill);
    } else if (k.fresh) {
        wake_at(e, e->now + 1);
    }
    vec_fini(&victims);
    vec_fini(&alloc);
    return found;
}

bool preempt_in(struct engine *e, struct job *j, uint32_t partition, bool backfill)
{
    /* a place in the queue is defended by those in front, not by backfill */
    int rights = backfill ? BY_PLACE : BY_PLACE + 1;

    for (int right = BY_FLAGS; right < rights; right++)
        if (has_right(e, j, (enum right)right)
            && preempt_by(e, j, partition, (enum right)right, backfill))
            return true;
    return false;
}

bool preempt_start(struct engine *e, struct job *j, bool backfill)
{
    uint64_t parts = j->partitions & ((UINT64_C(1) << e->c->partitions.n) - 1);

    if (!preempt_may(e, j))
        return false;
    for (; parts; parts &= parts - 1) {
        uint32_t p = (uint32_t)__builtin_ctzll(parts);
        if (!e->par[p].blocked && preempt_in(e, j, p, backfill))
            return true;
    }
    return false;
}

/* ---- BACKFILLPOLICY PREEMPT ---- */

/* A job that is no longer below any waiting one has no need to fear. */
void preempt_settle_optimists(struct engine *e)
{
    e->optimists = 0;
    if (!e->preempts)
        return;
    for (size_t i = 0; i < e->c->active.n; i++) {
        struct job *j = e->c->jobs.v[e->c->active.v[i]];
        if (!(j->flags & JOB_OPTIMISTIC))
            continue;
        if (e->order.n == 0 || j->priority >= e->c->jobs.v[e->order.v[0]]->priority)
            j->flags &= ~(uint32_t)JOB_OPTIMISTIC;
        else
            e->optimists++;
    }
}

void preempt_plan_without_optimists(struct engine *e, const struct job *j)
{
    struct victims away = {0};

    for (size_t i = 0; e->optimists && i < e->c->active.n; i++) {
        const struct job *v = e->c->jobs.v[e->c->active.v[i]];
        if (job_is_active(v) && (v->flags & JOB_OPTIMISTIC)
            && v->priority < j->priority)
            vec_push(&away, v->index);
    }
    if (away.n)
        plan_think_away(
            e->plan, away.v, away.n, e->cfg->preempt_policy == PREEMPT_SUSPEND);
    vec_fini(&away);
}

/* ---- suspended jobs ---- */

static void resume(struct engine *e, struct job *j)
{
    struct err err;

    if (job_start(e->c, j, e->now, &err) < 0)
        return; /* it stays suspended until its nodes have what it needs */
    plan_job_started(e->plan, j);
    limits_count_active(e->limits, e->c, j, +1, e->now);
    fs_job_start(e->c, j, e->now);
    act(e, ACTION_RESUME, j, e->now, NULL);
}

/* The suspended job to look at after `before`, by priority. */
static struct job *next_suspended(const struct engine *e, const struct job *before)
{
    struct job *best = NULL;

    for (size_t i = 0; i < e->c->active.n; i++) {
        struct job *j = e->c->jobs.v[e->c->active.v[i]];
        if (j->state != JOB_SUSPENDED || j == before)
            continue;
        if (before
            && (j->priority > before->priority
                || (j->priority == before->priority && job_compare(j, before) < 0)))
            continue;
        if (!best || j->priority > best->priority
            || (j->priority == best->priority && job_compare(j, best) < 0))
            best = j;
    }
    return best;
}

void preempt_resume(struct engine *e)
{
    struct job *j = e->c->suspended ? next_suspended(e, NULL) : NULL;

    for (; j; j = next_suspended(e, j)) {
        if (e->now < j->suspend_at + SUSPEND_MIN_S)
            wake_at(e, j->suspend_at + SUSPEND_MIN_S);
        else if (plan_can_resume(e->plan, j))
            resume(e, j);
    }
}
