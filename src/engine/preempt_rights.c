/* SPDX-License-Identifier: Apache-2.0
 * Who may preempt whom. Source: reference preemption, sections 2 to 4. */
#include "config/credcfg.h"
#include "config/settings.h"
#include "engine/engine_private.h"
#include "engine/preempt_private.h"
#include "policy/acl.h"

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
    vec_fini(&p->aside);
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

/* The nodes of who would be suspended are planned one by one in this cycle. */
static void look_at_nodes(struct engine *e)
{
    const struct indexes *aside = &e->preemption->aside;

    for (size_t i = 0; i < aside->n; i++) {
        const struct job *j =
            aside->v[i] < e->c->jobs.n ? e->c->jobs.v[aside->v[i]] : NULL;
        if (j && job_is_active(j))
            plan_end_counting(e->plan, j);
    }
    e->preemption->aside.n = 0;
}

void preempt_begin(struct engine *e)
{
    look_at_nodes(e);
    find_owned(e);
    e->preemption->summed = false;
    e->preemption->optimistic = backfill_preempts(e);
    e->preemption->any = e->preemption->any_preemptor || e->preemption->owned.n
                         || e->preemption->optimistic;
    if (e->preemption->optimistic)
        plan_distrust(e->plan); /* what runs on approval may be in the way */
}

/* ---- rights ---- */

/* Does the reservation let the job in from then to then, as one that is not the
 * owner's? */
static bool may_squat(const struct engine *e, struct reservation *r,
    const struct job *v, int64_t from, int64_t to)
{
    return v->cred[r->owner_kind] != r->owner
           && acl_decide_job(e->c, r, v, acl_overlap(r, from, to)).granted;
}

/* Is the victim on the node by leave of a reservation that the job owns? */
bool preempt_owns_there(void *ctx, const struct job *victim, const struct node *n)
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
bool preempt_is_victim(const struct engine *e, const struct job *v)
{
    uint32_t qos_flags = job_cred(e->c, v, CRED_QOS)->cfg->qos_flags;

    return (v->flags & (JOB_PREEMPTEE | JOB_OPTIMISTIC))
           || ((qos_flags & QOS_PREEMPTSPV) && (v->flags & JOB_SPVIOLATION));
}

/* Would it go by right of RESTARTPREEMPT alone, and so by requeueing? */
bool preempt_only_restartable(const struct engine *e, const struct job *v)
{
    return (v->flags & JOB_RESTARTABLE) && !preempt_is_victim(e, v);
}

static bool may_by_flags(const struct claim *k, const struct job *v)
{
    uint32_t qos_flags = job_cred(k->e->c, k->j, CRED_QOS)->cfg->qos_flags;

    if (k->e->cfg->preempt_by_tier && v->tier >= k->j->tier)
        return false;
    if ((k->j->flags & JOB_PREEMPTOR) && preempt_is_victim(k->e, v))
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

bool preempt_is_below(const struct engine *e, const struct job *v, const struct job *j)
{
    return job_priority(e->c, v) < job_priority(e->c, j);
}

bool preempt_may(struct claim *k, const struct job *victim)
{
    bool allowed = false;

    switch (k->right) {
    case BY_FLAGS:
        allowed = preempt_is_below(k->e, victim, k->j) && may_by_flags(k, victim);
        break;
    case BY_OWNER:
        allowed = true; /* preempt_owns_there() has said so */
        break;
    case BY_PLACE:
        allowed =
            preempt_is_below(k->e, victim, k->j) && (victim->flags & JOB_OPTIMISTIC);
        break;
    }
    allowed = allowed && !reserved_always(k->e, victim) && !comes_back(k, victim);
    if (allowed && victim->start_at == k->e->now) {
        k->fresh = true;
        return false;
    }
    return allowed;
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

bool preempt_has_right(const struct engine *e, const struct job *j, enum right right)
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
