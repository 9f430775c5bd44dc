/* SPDX-License-Identifier: Apache-2.0
 * What a node can give to a reservation that is not a job's: configured amounts less
 * jobs that may not use it, and less other reservations it must not lie on. Source:
 * reference reservations 5.2. */
#include "plan/bynode/rsvfree.h"

#include "plan/bynode/bynode_private.h"
#include "plan/counted/count.h"
#include "plan/counted/profile.h"
#include "plan/rsvnodes.h"

/* Do the pools know the reservation, as they were made? */
static bool is_known(struct bynode *b, const struct pool *pool, uint32_t rsv)
{
    size_t n;
    const struct set_member *m = closures_members(b->closures, pool->rsvset, &n);

    for (size_t i = 0; i < n; i++)
        if (m[i].rsv == rsv)
            return true;
    return false;
}

/* The budgets that a node of the pool is part of: the pool's and that of its merged
 * one; those without limit are left out. Returns how many. */
static int find_budgets(struct bynode *b, const struct pool *pool, int64_t *ret[2])
{
    uint32_t parts[2] = {pool->part, pool->part};
    int n = 0;

    if (pool->merged != INDEX_NONE)
        parts[1] = pools_merged_of(b->pools, pool)->part;
    for (int i = 0; i < (parts[1] != parts[0] ? 2 : 1); i++)
        if (b->budget.v[parts[i]] != INT64_MAX)
            ret[n++] = &b->budget.v[parts[i]];
    return n;
}

static void take_units(struct bynode *b, const struct pool *pool, int64_t units)
{
    int64_t *budget[2];

    for (int i = find_budgets(b, pool, budget); i-- > 0;)
        *budget[i] = *budget[i] > units ? *budget[i] - units : 0;
}

/* One that got its nodes since the pools were made: they are missing to the pool. */
static void take_newcomer(struct bynode *b, const struct reservation *other)
{
    for (size_t i = 0; i < other->alloc.n; i++)
        for (uint32_t k = 0; k < other->alloc.v[i].count; k++) {
            const struct node *n = node_at(b->c, other->alloc.v[i].first + k);
            const struct pool *pool = pools_of_node(b->pools, n->index);
            if (!pool || pool->by_node || !pool->unit
                || is_known(b, pool, other->index))
                continue;
            int64_t procs =
                reservation_amount(other, n, other->alloc.v[i].tasks).v[RES_PROCS];
            int64_t units = (procs + pool->unit - 1) / pool->unit;
            take_units(b, pool, units < pool->per_node ? units : pool->per_node);
        }
}

static void take_newcomers(struct bynode *b, const struct reservation *r)
{
    for (size_t i = 0; i < b->c->reservations.n; i++) {
        const struct reservation *other = b->c->reservations.v[i];
        if (other && other != r && reservation_is_live(other)
            && other->start_at < r->end_at && other->end_at > r->start_at
            && rsvnodes_conflict(r, other))
            take_newcomer(b, other);
    }
}

void rsvfree_begin(struct bynode *b, const struct reservation *r)
{
    bool limited = false;

    b->budget.n = 0;
    for (uint32_t i = 0; i < pools_parts(b->pools); i++) {
        struct pool *pool = pools_part(b->pools, i);
        int64_t units = INT64_MAX;
        if (!pool->by_node && count_is_reserved(b->counted, pool))
            units = profile_min(count_work(b->counted, pool), r->start_at, r->end_at);
        vec_push(&b->budget, units);
        limited |= units != INT64_MAX;
    }
    if (limited)
        take_newcomers(b, r);
}

/* Of so many tasks on the node, those that the budget leaves; they are taken off it. */
static int64_t spend(struct bynode *b, const struct reservation *r,
    const struct node *n, const struct pool *pool, int64_t k)
{
    int64_t procs = r->def.per_task.v[RES_PROCS];
    int64_t each = procs < 0 ? n->cfg.v[RES_PROCS] : procs;
    int64_t units = each > 0 && pool->unit ? (each + pool->unit - 1) / pool->unit : 0;
    int64_t *budget[2];
    int n_budgets = find_budgets(b, pool, budget);

    for (int i = 0; i < n_budgets && units > 0; i++)
        if (k > *budget[i] / units)
            k = *budget[i] / units;
    for (int i = 0; i < n_budgets; i++)
        *budget[i] -= k * units;
    return k;
}

/* Does the job keep its resources from the reservation? */
static bool in_the_way(
    struct bynode *b, const struct reservation *r, const struct job *j)
{
    if (r->exclusive)
        return true;
    int64_t overlap = acl_overlap(r, occupant_start(b, j), occupant_end(b, j));

    return !acl_decide_job(b->c, (struct reservation *)r, j, overlap).granted;
}

static struct res used_at(
    struct bynode *b, const struct reservation *r, const struct node *n, int64_t at)
{
    const struct rsv_list *list = reservations_on(b->c, n->index);
    const struct asker nobody = asker_of(b, NULL, NULL);
    struct occupants *all = &b->occupants;
    struct res used = {{0}};

    occupants_at(&nobody, n, at, all);
    for (size_t i = 0; i < all->n; i++)
        if (in_the_way(b, r, all->v[i].job))
            res_add(&used, &all->v[i].amount, 1);
    for (size_t i = 0; i < list->n; i++) {
        const struct reservation *other = b->c->reservations.v[list->v[i].rsv];
        if (other == r || !reservation_is_live(other) || other->start_at > at
            || other->end_at <= at || !rsvnodes_conflict(r, other))
            continue;
        struct res amount = reservation_amount(other, n, list->v[i].tasks);
        res_add(&used, &amount, 1);
    }
    return used;
}

static int64_t tasks_at(
    struct bynode *b, const struct reservation *r, const struct node *n, int64_t at)
{
    struct res have = n->cfg, used = used_at(b, r, n, at);

    for (int i = 0; i < RES_DIMS; i++) {
        if (used.v[i] > 0 && (r->flags & RSV_DEDICATEDNODE))
            return 0;
        have.v[i] = have.v[i] > used.v[i] ? have.v[i] - used.v[i] : 0;
    }
    return res_tasks(&have, &n->cfg, &r->def.per_task);
}

/* Instants inside the window at which something on the node begins. */
static int64_t tasks_over(struct bynode *b, const struct reservation *r,
    const struct node *n, int64_t start, int64_t end)
{
    const struct rsv_list *list = reservations_on(b->c, n->index);
    const struct pins *pins = pintable_on(b->pins, n->index);
    int64_t k = tasks_at(b, r, n, start);

    for (size_t i = 0; k > 0 && pins && i < pins->v.n; i++) {
        int64_t at = pins->v.v[i].start_at;
        int64_t then = at > start && at < end ? tasks_at(b, r, n, at) : k;
        k = then < k ? then : k;
    }
    for (size_t i = 0; k > 0 && i < list->n; i++) {
        int64_t at = b->c->reservations.v[list->v[i].rsv]->start_at;
        int64_t then = at > start && at < end ? tasks_at(b, r, n, at) : k;
        k = then < k ? then : k;
    }
    return k;
}

uint32_t rsvfree_tasks(struct bynode *b, const struct reservation *r, uint32_t node,
    int64_t start, int64_t end)
{
    const struct node *n = node_at(b->c, node);
    struct pool *pool = pools_of_node(b->pools, node);
    int64_t k = tasks_over(b, r, n, start, end);

    if (k > 0 && pool && b->budget.n == pools_parts(b->pools))
        k = spend(b, r, n, pool, k);
    return k > 0 ? (uint32_t)(k < UINT32_MAX ? k : UINT32_MAX) : 0;
}
