/* SPDX-License-Identifier: Apache-2.0
 * See expected.h. */
#include "plan/expected.h"

#include "plan/endings.h"
#include "plan/floating.h"
#include "plan/plan_private.h"
#include "plan/supply.h"

/* Processors of a pool come free. */
struct return_of {
    uint32_t pool;
    int64_t at;
    int32_t procs;
};
struct returns VEC(struct return_of);

static int compare_returns(const void *left, const void *right)
{
    const struct return_of *a = left, *b = right;

    if (a->pool != b->pool)
        return a->pool < b->pool ? -1 : 1;
    return a->at < b->at ? -1 : a->at > b->at;
}

static void add_piece(const struct plan *p, const struct job *j, const struct alloc *a,
    int64_t at, struct returns *io)
{
    int64_t procs = j->reqs[a->req].def->per_task.v[RES_PROCS];

    if (procs < 0) /* all of a node */
        procs = node_at(p->c, a->first)->cfg.v[RES_PROCS];
    for (uint32_t node = a->first, end = a->first + a->count, k; node < end;
         node += k) {
        const struct pool *pool = pools_of_node(p->pools, node);
        k = pool ? pools_run(p->pools, node, end) : 1;
        if (pool)
            vec_push(io,
                ((struct return_of){pool->index, at, (int32_t)(procs * a->tasks * k)}));
    }
}

static struct returns list_returns(
    const struct plan *p, expected_end_fn *end_of, void *ctx)
{
    struct returns all = {0};

    for (size_t i = 0; i < p->ends.n; i++) {
        const struct job *j = p->c->jobs.v[p->ends.v[i].job];
        int64_t at = end_of(ctx, j);
        for (size_t k = 0; k < j->alloc.n; k++)
            add_piece(p, j, &j->alloc.v[k], at > p->now ? at : p->now + 1, &all);
    }
    if (all.n)
        qsort(all.v, all.n, sizeof *all.v, compare_returns);
    return all;
}

static int64_t unit_of(const struct pool *pool)
{
    return pool->unit > 0 ? pool->unit : 1;
}

/* Processors that nobody has now. */
static int32_t count_free(const struct plan *p, const struct pool *pool)
{
    int64_t free = 0;

    if (!pool->by_node)
        return (int32_t)(count_free_now(p->counted, pool) * unit_of(pool));
    for (size_t i = 0; i < pool->nodes.n; i++) {
        const struct node *n = node_at(p->c, pool->nodes.v[i]);
        int64_t left = n->cfg.v[RES_PROCS] - node_dedicated(p->c, n).v[RES_PROCS];
        if (node_is_up(n) && left > 0)
            free += left;
    }
    return (int32_t)free;
}

static void take_reserved(struct plan *p, const struct rsv *r, struct wishes *io)
{
    for (size_t i = 0; i < r->parts.n; i++) {
        const struct pool *pool = pools_part(p->pools, r->parts.v[i].pool);
        if (pool->from <= p->now)
            profile_claim(&io->parts.v[pool->index], r->start_at, r->end_at,
                (int32_t)(r->parts.v[i].units * unit_of(pool)));
    }
}

void expected_parts(struct plan *p, const struct bitset *jobs, expected_end_fn *end_of,
    void *ctx, struct wishes *ret)
{
    struct returns all = list_returns(p, end_of, ctx);
    uint32_t n = pools_count(p->pools);
    size_t next = 0;

    supply_begin(p, ret);
    for (; ret->parts.n > n; ret->parts.n--)
        profile_fini(&ret->parts.v[ret->parts.n - 1]);
    while (ret->parts.n < n)
        vec_push(&ret->parts, ((struct profile){0}));
    for (uint32_t i = 0; i < n; i++) {
        int32_t free = count_free(p, pools_at(p->pools, i));
        profile_reset(&ret->parts.v[i], p->now, free);
        for (; next < all.n && all.v[next].pool == i; next++)
            profile_append(&ret->parts.v[i], all.v[next].at, free += all.v[next].procs);
    }
    vec_fini(&all);
    for (uint32_t i = 0; i < rsvtable_count(p->reserved); i++) {
        const struct rsv *r = rsvtable_row(p->reserved, i);
        if (r && !bitset_test(jobs, r->job))
            take_reserved(p, r, ret);
    }
}

bool expected_wish(struct plan *p, const struct job *j, uint32_t partition,
    int64_t duration_s, struct wishes *io, struct wish *ret)
{
    const struct fitset *s = fits_for(p->fits, j, partition);
    uint32_t set;

    if (!s || j->nreqs != 1 || floating_wanted(p, j) || !supply_set(p, j, s, io, &set))
        return false;
    *ret = (struct wish){.units = (int32_t)j->procs,
        .duration_s = duration_s > 0 ? duration_s : 1,
        .set = set,
        .latest = TIME_NEVER};
    return true;
}
