/* SPDX-License-Identifier: Apache-2.0
 * Preemption: would it be enough, what becomes of the victims, and the return of
 * suspended jobs; preempt_rights.c says who may be one. Source: reference preemption,
 * sections 2 to 5; backfill, section 8. */
#include "plan/preempt.h"

#include "cluster/rmset.h"
#include "config/settings.h"
#include "engine/engine_private.h"
#include "engine/judge.h"
#include "engine/occupancy.h"
#include "engine/preempt_private.h"
#include "engine/rest.h"
#include "engine/start.h"
#include "engine/stop.h"
#include "policy/accrual.h"
#include "policy/priority.h"

#include <assert.h>

/* [S] A suspended job is not resumed before that. */
#define SUSPEND_MIN_S 10

/* ---- would it be enough? ---- */

static int by_priority(const void *pa, const void *pb)
{
    const struct preemptable *a = pa, *b = pb;

    if (a->priority != b->priority)
        return a->priority < b->priority ? -1 : 1;
    return (a->procs > b->procs) - (a->procs < b->procs);
}

/* Processors of what may be preempted by flags at all, by priority. */
static void sum_preemptable(struct engine *e)
{
    int64_t sum = 0;

    e->preemption->preemptable.n = 0;
    for (size_t i = 0; i < e->c->active.n; i++) {
        const struct job *v = e->c->jobs.v[e->c->active.v[i]];
        if (job_is_active(v)
            && (preempt_is_victim(e, v) || (v->flags & JOB_RESTARTABLE)))
            vec_push(&e->preemption->preemptable,
                ((struct preemptable){job_priority(e->c, v), v->procs}));
    }
    if (e->preemption->preemptable.n)
        qsort(e->preemption->preemptable.v, e->preemption->preemptable.n,
            sizeof *e->preemption->preemptable.v, by_priority);
    for (size_t i = 0; i < e->preemption->preemptable.n; i++)
        e->preemption->preemptable.v[i].procs = sum +=
            e->preemption->preemptable.v[i].procs;
    e->preemption->idle_procs = 0;
    for (uint32_t p = 0; p < e->c->partitions.n; p++)
        e->preemption->idle_procs += plan_free_procs(e->plan, p);
    e->preemption->summed = true;
}

/* Processors that jobs below the priority have, at most: as they were when first asked
 * for in this cycle. What started since has what was idle then. */
static int64_t preemptable_below(struct engine *e, int64_t priority)
{
    size_t lo = 0, hi;

    if (!e->preemption->summed)
        sum_preemptable(e);
    hi = e->preemption->preemptable.n;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (e->preemption->preemptable.v[mid].priority < priority)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo ? e->preemption->preemptable.v[lo - 1].procs : 0;
}

bool preempt_may_suffice(struct engine *e, const struct job *j)
{
    if (!e->preemption->any || e->cfg->preempt_policy == PREEMPT_OVERCOMMIT)
        return false;
    if (preempt_has_right(e, j, BY_OWNER))
        return true;
    if (!preempt_has_right(e, j, BY_FLAGS) && !preempt_has_right(e, j, BY_PLACE))
        return false;
    int64_t below = preemptable_below(e, job_priority(e->c, j));
    return (below > 0 || e->cycle.starts)
           && below + e->preemption->idle_procs >= j->procs;
}

/* ---- what becomes of victims ---- */

static void decide_victim(struct engine *e, enum action_kind kind, const struct job *j,
    const struct preempt_cause *cause)
{
    struct action *a = decisions_add(e, kind, j, e->now, cause->text);

    a->by = cause->by ? cause->by->index : INDEX_NONE;
    a->why = cause->why;
}

void preempt_to_queue(struct engine *e, struct job *j)
{
    stop_job(e, j, EV_REQUEUE);
    charging_await(e, j);
    promises_break(e->promises, j, PROMISE_RETRY); /* that start went well */
    j->flags &=
        ~(uint32_t)(JOB_BACKFILL | JOB_OPTIMISTIC | JOB_SPVIOLATION | JOB_PARKED);
    j->why = (struct reason){.code = WAIT_RESOURCES,
        .kind = CRED_KINDS,
        .kind2 = CRED_KINDS,
        .asked = j->tasks};
    accrual_stop(&e->cfg->prio, j, ACCRUAL_REQUEUED, e->now);
    judge_job(e, j); /* its QOS or the settings may have changed while it ran */
}

/* Seconds of its limit that the job has used: a fast node counts for more. */
static int64_t limit_used(const struct job *j, int64_t used_s)
{
    if (j->eff_wclimit_s <= 0 || j->eff_wclimit_s == j->wclimit_s)
        return used_s;
    return (int64_t)((double)used_s * (double)j->wclimit_s / (double)j->eff_wclimit_s);
}

void preempt_job(struct engine *e, struct job *j, enum preempt_policy policy,
    const struct preempt_cause *cause)
{
    int64_t used_s = e->now - j->start_at - j->suspended_s;

    if (policy == PREEMPT_CHECKPOINT && e->opt.no_checkpoints)
        policy = PREEMPT_REQUEUE;
    bool keeps = policy == PREEMPT_CHECKPOINT
                 || (policy == PREEMPT_SUSPEND && j->state == JOB_RUNNING);

    statistics_preempted(e->learned.statistics, e->c, j, keeps ? 0 : used_s);
    if (j->preempt_count < UINT16_MAX)
        j->preempt_count++;
    e->stats.preempted++;
    if (policy == PREEMPT_SUSPEND && j->state == JOB_RUNNING) {
        stop_job(e, j, EV_SUSPEND);
        decide_victim(e, ACTION_SUSPEND, j, cause);
        wake_at(e, e->now + SUSPEND_MIN_S);
    } else if (policy == PREEMPT_CHECKPOINT) {
        decide_victim(e, ACTION_CHECKPOINT, j, cause);
        if (j->wclimit_s > limit_used(j, used_s))
            j->saved_s += limit_used(j, used_s);
        preempt_to_queue(e, j);
    } else {
        j->saved_s = 0;
        e->stats.preempted_ps += used_s > 0 ? (uint64_t)used_s * j->procs : 0;
        decide_victim(e, ACTION_REQUEUE, j, cause);
        preempt_to_queue(e, j);
        if (cause->by)
            charging_displace(e, j);
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

static enum preempt_policy policy_for(
    const struct engine *e, const struct job *v, enum right right)
{
    return right == BY_FLAGS && preempt_only_restartable(e, v) ? PREEMPT_REQUEUE
                                                               : e->cfg->preempt_policy;
}

static void stop_victims(struct engine *e, const struct victims *victims,
    const struct job *by, enum right right)
{
    for (size_t i = 0; i < victims->n; i++) {
        struct job *v = e->c->jobs.v[victims->v[i]];
        preempt_job(e, v, policy_for(e, v, right),
            &(struct preempt_cause){.by = by, .text = because(right)});
    }
    wake_at(e, e->now + 1); /* for them, if they fit what is left */
}

/* ---- the attempt ---- */

static int64_t worth(void *ctx, const struct job *victim)
{
    const struct claim *k = ctx;

    return prio_run(k->e->c, victim, k->e->now);
}

/* Where starts are promised: could it be suspended without putting off any? If its
 * nodes are counted that is known in the next cycle. */
static bool may_stop(struct claim *k, const struct job *v, const struct bitset *others)
{
    bool counted;

    if (!settings_plan_together(k->e->cfg) || v->state != JOB_RUNNING
        || policy_for(k->e, v, k->right) != PREEMPT_SUSPEND)
        return true;
    bool may = plan_may_suspend(k->e->plan, v, others, &counted);
    if (counted)
        vec_push(&k->e->preemption->aside, v->index);
    k->fresh |= counted;
    return may;
}

/* They have places where they come back, before anything else is planned there. */
static void place_rests(struct engine *e, const struct victims *victims)
{
    for (size_t i = 0; settings_plan_together(e->cfg) && i < victims->n; i++) {
        const struct job *v = e->c->jobs.v[victims->v[i]];
        if (v->state == JOB_SUSPENDED)
            rest_reserve(e, v, rest_find(e, v, preempt_rests_until(e, v), 0));
    }
}

static void list_victims(struct claim *k, struct victims *ret)
{
    const struct cluster *c = k->e->c;
    struct bitset all = {0};
    size_t n = 0;

    for (size_t i = 0; i < c->active.n; i++) {
        const struct job *v = c->jobs.v[c->active.v[i]];
        if (job_is_active(v) && !v->cancelled && preempt_may(k, v)) {
            vec_push(ret, v->index);
            bitset_set(&all, v->index);
        }
    }
    for (size_t i = 0; i < ret->n; i++)
        if (may_stop(k, c->jobs.v[ret->v[i]], &all))
            ret->v[n++] = ret->v[i];
    ret->n = n;
    bitset_fini(&all);
}

static bool preempt_by(struct engine *e, struct job *j, uint32_t partition,
    enum right right, bool backfill)
{
    struct claim k = {.e = e, .j = j, .right = right};
    struct victims asked = {0}, victims = {0};
    struct allocs alloc = {0};

    list_victims(&k, &asked);
    struct preempt_ask ask = {.j = j,
        .partition = partition,
        .keep_memory = e->cfg->preempt_policy == PREEMPT_SUSPEND,
        .victims = asked.v,
        .nvictims = asked.n,
        .worth = worth,
        .on_node = right == BY_OWNER ? preempt_owns_there : NULL,
        .ctx = &k};
    bool found = preempt_choose(e->plan, &ask, &victims, &alloc);
    if (found) {
        stop_victims(e, &victims, j, right);
        j->alloc.n = 0;
        for (size_t i = 0; i < alloc.n; i++)
            vec_push(&j->alloc, alloc.v[i]);
        found = start_placed(e, j, OCCUPANCY_PLANNED, backfill);
        if (found) /* else its own place is yet to be laid back */
            place_rests(e, &victims);
    } else if (k.fresh) {
        wake_at(e, e->now + 1);
    }
    vec_fini(&asked);
    vec_fini(&victims);
    vec_fini(&alloc);
    return found;
}

bool preempt_in(struct engine *e, struct job *j, uint32_t partition, bool backfill)
{
    /* a place in the queue is defended by those in front, not by backfill */
    int rights = backfill ? BY_PLACE : BY_PLACE + 1;

    for (int right = BY_FLAGS; right < rights; right++)
        if (preempt_has_right(e, j, (enum right)right)
            && preempt_by(e, j, partition, (enum right)right, backfill))
            return true;
    return false;
}

bool preempt_start(struct engine *e, struct job *j, bool backfill)
{
    uint64_t parts = j->partitions & ((UINT64_C(1) << e->c->partitions.n) - 1);

    if (!preempt_may_suffice(e, j))
        return false;
    for (; parts; parts &= parts - 1) {
        uint32_t p = (uint32_t)__builtin_ctzll(parts);
        if (!e->passes.par[p].blocked && preempt_in(e, j, p, backfill))
            return true;
    }
    return false;
}

/* ---- BACKFILLPOLICY PREEMPT ---- */

/* A job that is no longer below any waiting one has no need to fear. */
void preempt_settle_optimists(struct engine *e)
{
    size_t n;
    const uint32_t *queue = queue_admitted(e->queue, &n);

    e->preemption->optimists = 0;
    if (!e->preemption->optimistic)
        return;
    for (size_t i = 0; i < e->c->active.n; i++) {
        struct job *j = e->c->jobs.v[e->c->active.v[i]];
        if (!(j->flags & JOB_OPTIMISTIC))
            continue;
        if (n == 0 || job_priority(e->c, j) >= e->c->priorities.v[queue[0]])
            j->flags &= ~(uint32_t)JOB_OPTIMISTIC;
        else
            e->preemption->optimists++;
    }
}

struct plan *preempt_open_view(struct engine *e, const struct job *j)
{
    struct victims away = {0};
    struct plan *view = e->plan;

    for (size_t i = 0; e->preemption->optimists && i < e->c->active.n; i++) {
        const struct job *v = e->c->jobs.v[e->c->active.v[i]];
        if (job_is_active(v) && (v->flags & JOB_OPTIMISTIC)
            && preempt_is_below(e, v, j))
            vec_push(&away, v->index);
    }
    if (away.n)
        view = plan_fork_without(
            e->plan, away.v, away.n, e->cfg->preempt_policy == PREEMPT_SUSPEND);
    vec_fini(&away);
    return view;
}

void preempt_close_view(struct engine *e, struct plan *view)
{
    if (view != e->plan)
        plan_destroy(view);
}

void preempt_reserve(
    struct engine *e, struct plan *view, const struct job *j, const struct slot *slot)
{
    plan_reserve(view, j, slot);
    if (view != e->plan)
        plan_adopt(e->plan, view, j);
}

/* ---- suspended jobs ---- */

int preempt_resume_job(
    struct engine *e, struct job *j, enum occupancy_by by, struct err *err)
{
    if (job_start(e->c, j, e->now, err) < 0)
        return -1;
    j->flags &= ~(uint32_t)JOB_PARKED;
    job_occupies(e, j, e->now, by);
    decisions_add(e, ACTION_RESUME, j, e->now, NULL);
    return 0;
}

int64_t preempt_rests_until(const struct engine *e, const struct job *j)
{
    int64_t until = j->suspend_at + SUSPEND_MIN_S;

    if (j->extra && j->extra->rests_until > until)
        until = j->extra->rests_until;
    return e->now < until ? until : 0;
}

static bool precedes(const struct engine *e, const struct job *a, const struct job *b)
{
    return preempt_is_below(e, b, a)
           || (!preempt_is_below(e, a, b) && job_compare(a, b) < 0);
}

bool preempt_comes_back(const struct job *j)
{
    return j->state == JOB_SUSPENDED && !(j->flags & JOB_PARKED) && !j->cancelled;
}

struct job *preempt_next_suspended(const struct engine *e, const struct job *before)
{
    struct job *best = NULL;

    for (size_t i = 0; i < e->c->active.n; i++) {
        struct job *j = e->c->jobs.v[e->c->active.v[i]];
        if (!preempt_comes_back(j) || j == before || (before && precedes(e, j, before)))
            continue;
        if (!best || precedes(e, j, best))
            best = j;
    }
    return best;
}

void preempt_resume(struct engine *e)
{
    struct job *j = e->c->suspended ? preempt_next_suspended(e, NULL) : NULL;
    uint32_t before = e->c->suspended;
    struct reason lack;
    struct err err;

    for (; j; j = preempt_next_suspended(e, j)) {
        int64_t until = preempt_rests_until(e, j);
        if (until)
            wake_at(e, until);
        else if (!rmset_is_away(e->c, job_rm(j)) && !charging_lacks(e, j, &lack)
                 && plan_can_resume(e->plan, j, !e->uses.keeps))
            preempt_resume_job(e, j, OCCUPANCY_RESUMED, &err);
    }
    if (!e->uses.keeps && e->c->suspended != before)
        plan_confirm_rest(e->plan);
}
