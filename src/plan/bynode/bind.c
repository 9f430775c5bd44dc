/* SPDX-License-Identifier: Apache-2.0
 * When a new shape of request ends counting in a pool, reservations that were kept as
 * counts get nodes of their own, so that none of them has to move. Taken in order of
 * their starts that always succeeds: nothing of what has nodes by then begins later,
 * so a unit free at the start is free for good. The same holds when pools are divided:
 * then they get units of the parts. */
#include "plan/bynode/bind.h"

#include "plan/counted/search.h"
#include "plan/plan_private.h"

/* Units of the node in use at `at`; nothing begins on it later. */
static uint32_t units_used(const struct plan *p, const struct node *n, int64_t at)
{
    const struct pins *pins = pins_of(p, n->index);
    struct node_job on;
    uint32_t used = 0;

    for (uint32_t i = 0; node_job_at(p->c, n, i, &on); i++)
        if (plan_job_end(p, p->c->jobs.v[on.job]) > at)
            used += on.tasks;
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

    if (part->pool < pools_count(p->pools))
        return bind_in(p, r, pools_at(p->pools, part->pool), need) == 0;
    if (r->start_at < pools_merge_at(p->pools))
        return true;
    for (size_t i = 0; i < pools_count(p->pools) && need; i++)
        if (pools_at(p->pools, i)->merged == part->pool - pools_count(p->pools))
            need = bind_in(p, r, pools_at(p->pools, i), need);
    return need == 0;
}

static bool is_counted(const struct plan *p, const struct part *part)
{
    if (part->pool < pools_count(p->pools))
        return !pools_at(p->pools, part->pool)->by_node;
    const struct pool *merged =
        pools_merged(p->pools, part->pool - pools_count(p->pools));
    return !pools_of_node(p->pools, merged->nodes.v[0])->by_node;
}

/* The job is owed another one, in this cycle. */
static void drop_rsv(struct plan *p, struct rsv *r)
{
    rsvtable_remove(p->reserved, r->job, RSV_OWED);
}

static void bind_rsv(struct plan *p, struct rsv *r)
{
    bool bound = true;
    size_t left = 0;

    pintable_remove(p->pins, r);
    for (size_t i = 0; i < r->parts.n && bound; i++) {
        if (is_counted(p, &r->parts.v[i]))
            r->parts.v[left++] = r->parts.v[i];
        else
            bound = bind_part(p, r, &r->parts.v[i]);
    }
    r->parts.n = left;
    if (bound)
        pintable_add(p->pins, r);
    else
        drop_rsv(p, r);
}

static bool is_unbound(const struct plan *p, const struct rsv *r)
{
    for (size_t i = 0; r && i < r->parts.n; i++)
        if (!is_counted(p, &r->parts.v[i]))
            return true;
    return false;
}

void bind_counted(struct plan *p)
{
    for (;;) {
        struct rsv *first = NULL;
        for (uint32_t i = 0; i < rsvtable_count(p->reserved); i++) {
            struct rsv *r = rsvtable_row(p->reserved, i);
            if (is_unbound(p, r) && (!first || r->start_at < first->start_at))
                first = r;
        }
        if (!first)
            return;
        bind_rsv(p, first);
    }
}

/* ---- other pools -------------------------------------------------------------- */

/* Units that a reservation is to get: of a pool that its nodes are in, or of any. */
struct moving {
    int64_t start_at;
    uint32_t rsv, pool; /* INDEX_NONE = any */
    int64_t units;
};

struct movings VEC(struct moving);

static int compare_moving(const void *a, const void *b)
{
    const struct moving *x = a, *y = b;

    if ((x->pool == INDEX_NONE) != (y->pool == INDEX_NONE))
        return x->pool == INDEX_NONE ? 1 : -1;
    if (x->start_at != y->start_at)
        return x->start_at < y->start_at ? -1 : 1;
    return (x->rsv > y->rsv) - (x->rsv < y->rsv);
}

/* Nodes planned one by one stay what they are; of others it keeps the number. */
static void lift_pins(struct plan *p, struct rsv *r, uint32_t index, struct movings *io)
{
    struct allocs old = r->alloc;

    r->alloc = (struct allocs){0};
    for (size_t i = 0; i < old.n; i++)
        for (uint32_t k = 0; k < old.v[i].count; k++) {
            struct alloc one = {old.v[i].first + k, 1, old.v[i].tasks, old.v[i].req};
            const struct pool *pool = pools_of_node(p->pools, one.first);
            if (!pool || pool->by_node)
                vec_push(&r->alloc, one);
            else
                vec_push(
                    io, ((struct moving){r->start_at, index, pool->index, one.tasks}));
        }
    vec_fini(&old);
}

/* Nodes of the pools of the set that are planned one by one. */
static bool bind_rest(struct plan *p, struct rsv *r, uint32_t need)
{
    const struct fitset *s = fits_set(p->fits, r->fitset);

    for (size_t i = 0; i < s->pools.n && need; i++) {
        struct pool *pool = pools_at(p->pools, s->pools.v[i].pool);
        if (!pool->by_node)
            continue;
        pool->per_node = s->pools.v[i].per_node;
        need = bind_in(p, r, pool, need);
    }
    pintable_remove(p->pins, r); /* those that it had before */
    pintable_add(p->pins, r);
    return need == 0;
}

/* A job that ran past its limit may have what was kept for another. */
static bool move_rsv(struct plan *p, const struct moving *m)
{
    struct rsv *r = rsvtable_row(p->reserved, m->rsv);

    if (!r)
        return true;
    if (m->pool != INDEX_NONE)
        return reserve_in_pool(
            p->counted, r, pools_at(p->pools, m->pool), (int32_t)m->units);
    const struct job *j = p->c->jobs.v[r->job];
    int64_t have = search_free_at(p->counted, fits_set(p->fits, r->fitset),
        closures_access(p->closures, j, p->now), r->start_at, r->end_at, m->units);
    have = have < m->units ? have : m->units;
    if (have > 0)
        reserve_units(p->counted, j, r, have);
    return have == m->units || bind_rest(p, r, (uint32_t)(m->units - have));
}

/* The new pools that each may use. */
static bool find_sets(struct plan *p)
{
    for (uint32_t i = 0; i < rsvtable_count(p->reserved); i++) {
        struct rsv *r = rsvtable_row(p->reserved, i);
        if (!r)
            continue;
        const struct planned *at = rsvtable_planned(p->reserved, r->job);
        const struct fitset *s = fits_for(p->fits, p->c->jobs.v[r->job], at->partition);
        if (!s)
            return false;
        r->fitset = fits_number(p->fits, s);
    }
    return true;
}

bool bind_divided(struct plan *p)
{
    struct movings moving = {0};

    if (closures_sets(p->closures) > 1 || !find_sets(p))
        return false;
    for (uint32_t i = 0; i < rsvtable_count(p->reserved); i++) {
        struct rsv *r = rsvtable_row(p->reserved, i);
        if (!r)
            continue;
        struct moving all = {r->start_at, i, INDEX_NONE, 0};
        for (size_t k = 0; k < r->parts.n; k++)
            all.units += r->parts.v[k].units;
        r->parts.n = 0;
        if (all.units > 0)
            vec_push(&moving, all);
        pintable_remove(p->pins, r);
        lift_pins(p, r, i, &moving);
        pintable_add(p->pins, r);
    }
    reserve_recount(p->counted);
    if (moving.n)
        qsort(moving.v, moving.n, sizeof *moving.v, compare_moving);
    for (size_t i = 0; i < moving.n; i++) {
        struct rsv *r = rsvtable_row(p->reserved, moving.v[i].rsv);
        if (move_rsv(p, &moving.v[i]))
            continue;
        pintable_remove(p->pins, r);
        reserve_give_back(p->counted, r);
        drop_rsv(p, r);
    }
    vec_fini(&moving);
    return true;
}
