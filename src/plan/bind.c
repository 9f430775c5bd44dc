/* SPDX-License-Identifier: Apache-2.0
 * When a new shape of request ends counting in a pool, reservations that were kept as
 * counts get nodes of their own, so that none of them has to move. Taken in order of
 * their starts that always succeeds: nothing of what has nodes by then begins later,
 * so a unit free at the start is free for good. */
#include "plan/plan_private.h"

/* Units of the node in use at `at`; nothing begins on it later. */
static uint32_t units_used(const struct plan *p, const struct node *n, int64_t at)
{
    const struct pins *pins = pins_of(p, n->index);
    uint32_t used = 0;

    for (size_t i = 0; i < p->c->active.n; i++) {
        const struct job *j = p->c->jobs.v[p->c->active.v[i]];
        if (!job_is_active(j) || plan_job_end(p, j) <= at)
            continue;
        for (size_t k = 0; k < j->alloc.n; k++)
            if (n->index - j->alloc.v[k].first < j->alloc.v[k].count)
                used += j->alloc.v[k].tasks;
    }
    for (size_t i = 0; pins && i < pins->v.n; i++)
        if (pins->v.v[i].end_at > at)
            used += pins->v.v[i].tasks;
    return used;
}

/* Nodes of one pool for up to `need` units; returns how many are missing. */
static uint32_t bind_in(
    struct plan *p, struct rsv *r, const struct pool *pool, uint32_t need)
{
    for (size_t i = 0; i < pool->nodes.n && need; i++) {
        const struct node *n = node_at(p->c, pool->nodes.v[i]);
        uint32_t used = units_used(p, n, r->start_at);
        uint32_t k = used < pool->per_node ? pool->per_node - used : 0;
        k = k < need ? k : need;
        if (k)
            vec_push(&r->alloc, ((struct alloc){n->index, 1, k, 0}));
        need -= k;
    }
    return need;
}

/* False when the pool does not have the units: a job that ran past its limit holds
 * some of them. What several pools have together is of any of them, if nothing begins
 * before they are together; else the units are those of the pools themselves. */
static bool bind_part(struct plan *p, struct rsv *r, const struct part *part)
{
    uint32_t need = (uint32_t)part->units;

    if (part->pool < p->pools.n)
        return bind_in(p, r, &p->pools.v[part->pool], need) == 0;
    if (r->start_at < p->merge_at)
        return true;
    for (size_t i = 0; i < p->pools.n && need; i++)
        if (p->pools.v[i].later == part->pool - p->pools.n)
            need = bind_in(p, r, &p->pools.v[i], need);
    return need == 0;
}

static bool counted(const struct plan *p, const struct part *part)
{
    if (part->pool < p->pools.n)
        return !p->pools.v[part->pool].by_node;
    const struct pool *later = &p->later.v[part->pool - p->pools.n];
    return !pool_of(p, later->nodes.v[0])->by_node;
}

static void bind_rsv(struct plan *p, struct rsv *r)
{
    bool bound = true;
    size_t left = 0;

    bynode_unpin(p, r);
    for (size_t i = 0; i < r->parts.n && bound; i++) {
        if (counted(p, &r->parts.v[i]))
            r->parts.v[left++] = r->parts.v[i];
        else
            bound = bind_part(p, r, &r->parts.v[i]);
    }
    r->parts.n = left;
    if (bound) {
        bynode_pin(p, r);
        return;
    }
    /* the job stays marked and is offered another one in this cycle */
    p->c->jobs.v[r->job]->rsv_slot = INDEX_NONE;
    r->job = INDEX_NONE;
    r->alloc.n = r->parts.n = 0;
}

static bool is_unbound(const struct plan *p, const struct rsv *r)
{
    for (size_t i = 0; r->job != INDEX_NONE && i < r->parts.n; i++)
        if (!counted(p, &r->parts.v[i]))
            return true;
    return false;
}

void bind_counted(struct plan *p)
{
    for (;;) {
        struct rsv *first = NULL;
        for (uint32_t i = 0; i < p->nrsv; i++) {
            struct rsv *r = &p->rsvs.v[i];
            if (is_unbound(p, r) && (!first || r->start_at < first->start_at))
                first = r;
        }
        if (!first)
            return;
        bind_rsv(p, first);
    }
}
