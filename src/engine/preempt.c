/* SPDX-License-Identifier: Apache-2.0
 * Preemption: who may preempt whom, what becomes of the victims, and the return of
 * suspended jobs. Source: reference preemption, sections 2 to 5; backfill, section 8.
 */
#include "plan/preempt.h"

#include "base/bitset.h"
#include "engine/engine_private.h"
#include "engine/judge.h"
#include "engine/occupancy.h"
#include "engine/preempt.h"
#include "policy/accrual.h"
#include "policy/acl.h"
#include "policy/priority.h"

#include <assert.h>

/* Processors that preempting all jobs up to this priority would free. */
struct preemptable {
    int64_t priority, procs;
};

struct preemption {
    bool any;                 /* somebody may preempt somebody */
    bool any_preemptor;       /* some job had the right by its flags */
    bool optimistic;          /* BACKFILLPOLICY PREEMPT somewhere */
    bool summed;              /* in this cycle: the two below */
    struct bitset preemptors; /* jobs with the right by their flags */
    struct indexes owned;     /* reservations with OWNERPREEMPT ... */
    uint64_t owned_epoch;     /* ... at this epoch */
    struct VEC(struct preemptable) preemptable; /* by priority */
    int64_t idle_procs;
    uint32_t optimists; /* running jobs of BACKFILLPOLICY PREEMPT */
};

struct preemption *preemption_create(void)
{
    struct preemption *p = xcalloc(1, sizeof *p);

    p->owned_epoch = UINT64_MAX;
    return p;
}

void preemption_destroy(struct preemption *p)
{
    if (!p)
        return;
    vec_fini(&p->owned);
    vec_fini(&p->preemptable);
    bitset_fini(&p->preemptors);
    free(p);
}

bool preempt_any(const struct engine *e)
{
    return e->preemption->any;
}

bool preempt_may_job(const struct engine *e, uint32_t job)
{
    return e->preemption->owned.n || bitset_test(&e->preemption->preemptors, job);
}

/* [S] A suspended job is not resumed before that. */
#define SUSPEND_MIN_S 10

/* ---- is there anything to preempt for? ---- */

static bool owner_preempts(const struct reservation *r)
{
    return r && reservation_is_live(r) && (r->flags & RSV_OWNERPREEMPT)
           && r->owner_kind < CRED_KINDS;
}

static bool backfill_preempts(const struct engine *e)
{
    for (size_t i = 0; i < e->c->partitions.n; i++)
        if (e->c->partitions.v[i]->par->bf_policy == BACKFILL_PREEMPT)
            return true;
    return false;
}

static bool by_flags(const struct engine *e, const struct job *j)
{
    uint32_t qos_flags = job_cred(e->c, j, CRED_QOS)->cfg->qos_flags;

    return (j->flags & JOB_PREEMPTOR) || (qos_flags & QOS_RESTARTPREEMPT);
}

void preempt_notice_job(struct engine *e, const struct job *j)
{
    if (by_flags(e, j)) {
        e->preemption->any_preemptor = true;
        bitset_set(&e->preemption->preemptors, j->index);
    } else {
        bitset_clear(&e->preemption->preemptors, j->index);
    }
}

static void find_owned(struct engine *e)
{
    if (e->preemption->owned_epoch == e->c->rsv_epoch)
        return;
    e->preemption->owned_epoch = e->c->rsv_epoch;
    e->preemption->owned.n = 0;
    for (size_t i = 0; i < e->c->reservations.n; i++)
        if (owner_preempts(e->c->reservations.v[i]))
            vec_push(&e->preemption->owned, (uint32_t)i);
}

void preempt_begin(struct engine *e)
{
    find_owned(e);
    e->preemption->summed = false;
    e->preemption->optimistic = backfill_preempts(e);
    e->preemption->any = e->preemption->any_preemptor || e->preemption->owned.n
                         || e->preemption->optimistic;
    if (e->preemption->optimistic)
        plan_distrust(e->plan); /* what runs on approval may be in the way */
}

/* ---- rights ---- */

enum right { BY_FLAGS, BY_OWNER, BY_PLACE };

struct claim {
    struct engine *e;
    const struct job *j;
    enum right right;
    bool fresh; /* a victim was left out because it started in this very cycle */
};

/* Does the reservation let the job in from then to then, as one that is not the
 * owner's? */
static bool may_squat(const struct engine *e, struct reservation *r,
    const struct job *v, int64_t from, int64_t to)
{
    return v->cred[r->owner_kind] != r->owner
           && acl_decide_job(e->c, r, v, acl_overlap(r, from, to)).granted;
}

/* Is the victim on the node by leave of a reservation that the job owns? */
static bool owns_there(void *ctx, const struct job *victim, const struct node *n)
{
    const struct claim *k = ctx;
    const struct rsv_list *list = reservations_on(k->e->c, n->index);

    for (size_t i = 0; i < list->n; i++) {
        struct reservation *r = k->e->c->reservations.v[list->v[i].rsv];
        if (owner_preempts(r) && r->state == RSV_ACTIVE
            && k->j->cred[r->owner_kind] == r->owner
            && may_squat(k->e, r, victim, victim->start_at, victim->end_at))
            return true;
    }
    return false;
}

static bool reserved_always(const struct engine *e, const struct job *v)
{
    return job_cred(e->c, v, CRED_QOS)->cfg->qos_flags & QOS_RESERVEALWAYS;
}

/* Has it given its leave to be preempted, or lost its right not to be? */
static bool preemptible(const struct engine *e, const struct job *v)
{
    uint32_t qos_flags = job_cred(e->c, v, CRED_QOS)->cfg->qos_flags;

    return (v->flags & (JOB_PREEMPTEE | JOB_OPTIMISTIC))
           || ((qos_flags & QOS_PREEMPTSPV) && (v->flags & JOB_SPVIOLATION));
}

/* Would it go by right of RESTARTPREEMPT alone, and so by requeueing? */
static bool only_restartable(const struct engine *e, const struct job *v)
{
    return (v->flags & JOB_RESTARTABLE) && !preemptible(e, v);
}

static bool may_by_flags(const struct claim *k, const struct job *v)
{
    uint32_t qos_flags = job_cred(k->e->c, k->j, CRED_QOS)->cfg->qos_flags;

    if ((k->j->flags & JOB_PREEMPTOR) && preemptible(k->e, v))
        return true;
    return (qos_flags & QOS_RESTARTPREEMPT) && (v->flags & JOB_RESTARTABLE);
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

/* Would it be taken back at once, and so on for ever? An owner preempts those who came
 * to lie in its reservation: what it has there nobody takes, nor who may lie there
 * what it has elsewhere. */
static bool comes_back(const struct claim *k, const struct job *v)
{
    int64_t now = k->e->now, end = time_add(now, k->j->wclimit_s);

    for (size_t i = 0; i < k->e->preemption->owned.n; i++) {
        struct reservation *r = k->e->c->reservations.v[k->e->preemption->owned.v[i]];
        if (r->state == RSV_ACTIVE && v->cred[r->owner_kind] == r->owner
            && k->j->cred[r->owner_kind] != r->owner
            && (runs_in(k->e, v, r) || may_squat(k->e, r, k->j, now, end)))
            return true;
    }
    return false;
}

static bool is_below(const struct engine *e, const struct job *v, const struct job *j)
{
    return job_priority(e->c, v) < job_priority(e->c, j);
}

static bool may(struct claim *k, const struct job *victim)
{
    bool allowed = false;

    switch (k->right) {
    case BY_FLAGS:
        allowed = is_below(k->e, victim, k->j) && may_by_flags(k, victim);
        break;
    case BY_OWNER:
        allowed = true; /* owns_there() has said so */
        break;
    case BY_PLACE:
        allowed = is_below(k->e, victim, k->j) && (victim->flags & JOB_OPTIMISTIC);
        break;
    }
    allowed = allowed && !reserved_always(k->e, victim) && !comes_back(k, victim);
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
    for (size_t i = 0; i < e->preemption->owned.n; i++) {
        const struct reservation *r = e->c->reservations.v[e->preemption->owned.v[i]];
        if (r->state == RSV_ACTIVE && j->cred[r->owner_kind] == r->owner)
            return true;
    }
    return false;
}

static bool has_right(const struct engine *e, const struct job *j, enum right right)
{
    switch (right) {
    case BY_FLAGS:
        return bitset_test(&e->preemption->preemptors, j->index);
    case BY_OWNER:
        return e->preemption->owned.n && owns_something(e, j);
    case BY_PLACE:
        return e->preemption->optimists > 0;
    }
    return false;
}

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
        if (job_is_active(v) && (preemptible(e, v) || (v->flags & JOB_RESTARTABLE)))
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
    if (has_right(e, j, BY_OWNER))
        return true;
    if (!has_right(e, j, BY_FLAGS) && !has_right(e, j, BY_PLACE))
        return false;
    int64_t below = preemptable_below(e, job_priority(e->c, j));
    return (below > 0 || e->starts) && below + e->preemption->idle_procs >= j->procs;
}

/* ---- what becomes of victims ---- */

static void tell(struct engine *e, enum action_kind kind, const struct job *j,
    const struct job *by, const char *text)
{
    struct actions *told = e->out ? e->out : &e->pending;

    act(e, kind, j, e->now, text);
    told->v[told->n - 1].by = by ? by->index : INDEX_NONE;
}

void preempt_to_queue(struct engine *e, struct job *j)
{
    stop_job(e, j, EV_REQUEUE);
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
    const struct job *by, const char *text)
{
    int64_t used_s = e->now - j->start_at - j->suspended_s;
    bool keeps = policy == PREEMPT_CHECKPOINT
                 || (policy == PREEMPT_SUSPEND && j->state == JOB_RUNNING);

    statistics_preempted(e->statistics, e->c, j, keeps ? 0 : used_s);
    if (j->preempt_count < UINT16_MAX)
        j->preempt_count++;
    e->stats.preempted++;
    if (policy == PREEMPT_SUSPEND && j->state == JOB_RUNNING) {
        stop_job(e, j, EV_SUSPEND);
        tell(e, ACTION_SUSPEND, j, by, text);
        wake_at(e, e->now + SUSPEND_MIN_S);
    } else if (policy == PREEMPT_CHECKPOINT) {
        tell(e, ACTION_CHECKPOINT, j, by, text);
        if (j->wclimit_s > limit_used(j, used_s))
            j->saved_s += limit_used(j, used_s);
        preempt_to_queue(e, j);
    } else {
        j->saved_s = 0;
        e->stats.preempted_ps += used_s > 0 ? (uint64_t)used_s * j->procs : 0;
        tell(e, ACTION_REQUEUE, j, by, text);
        preempt_to_queue(e, j);
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

static void stop_victims(struct engine *e, const struct victims *victims,
    const struct job *by, enum right right)
{
    for (size_t i = 0; i < victims->n; i++) {
        struct job *v = e->c->jobs.v[victims->v[i]];
        enum preempt_policy policy = e->cfg->preempt_policy;
        if (right == BY_FLAGS && only_restartable(e, v))
            policy = PREEMPT_REQUEUE;
        preempt_job(e, v, policy, by, because(right));
    }
    wake_at(e, e->now + 1); /* for them, if they fit what is left */
}

/* ---- the attempt ---- */

static void list_victims(struct claim *k, struct victims *ret)
{
    const struct cluster *c = k->e->c;

    for (size_t i = 0; i < c->active.n; i++) {
        const struct job *v = c->jobs.v[c->active.v[i]];
        if (job_is_active(v) && may(k, v))
            vec_push(ret, v->index);
    }
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
        .on_node = right == BY_OWNER ? owns_there : NULL,
        .ctx = &k};
    bool found = preempt_choose(e->plan, &ask, &victims, &alloc);
    if (found) {
        stop_victims(e, &victims, j, right);
        j->alloc.n = 0;
        for (size_t i = 0; i < alloc.n; i++)
            vec_push(&j->alloc, alloc.v[i]);
        found = start_placed(e, j, OCCUPANCY_PLANNED, backfill);
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
        if (has_right(e, j, (enum right)right)
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
        if (!e->par[p].blocked && preempt_in(e, j, p, backfill))
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
        if (job_is_active(v) && (v->flags & JOB_OPTIMISTIC) && is_below(e, v, j))
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
    act(e, ACTION_RESUME, j, e->now, NULL);
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
    return is_below(e, b, a) || (!is_below(e, a, b) && job_compare(a, b) < 0);
}

/* The suspended job to look at after `before`, by priority; not those that wait for
 * somebody's word. */
static struct job *next_suspended(const struct engine *e, const struct job *before)
{
    struct job *best = NULL;

    for (size_t i = 0; i < e->c->active.n; i++) {
        struct job *j = e->c->jobs.v[e->c->active.v[i]];
        if (j->state != JOB_SUSPENDED || (j->flags & JOB_PARKED) || j == before)
            continue;
        if (before && precedes(e, j, before))
            continue;
        if (!best || precedes(e, j, best))
            best = j;
    }
    return best;
}

void preempt_resume(struct engine *e)
{
    struct job *j = e->c->suspended ? next_suspended(e, NULL) : NULL;
    uint32_t before = e->c->suspended;
    struct err err;

    if (!j)
        return;
    for (; j; j = next_suspended(e, j)) {
        int64_t until = preempt_rests_until(e, j);
        if (until)
            wake_at(e, until);
        else if (plan_can_resume(e->plan, j, !e->keeps))
            preempt_resume_job(e, j, OCCUPANCY_RESUMED, &err);
    }
    if (!e->keeps && e->c->suspended != before)
        plan_confirm_rest(e->plan);
}
