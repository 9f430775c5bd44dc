/* SPDX-License-Identifier: Apache-2.0
 * Which pools are small, and their free intervals and cells put from their profiles. */
#include "plan/counted/small_pools.h"

#include "plan/counted/counted_private.h"
#include "plan/counted/free_cells.h"
#include "plan/counted/free_intervals.h"

/* Fewer are asked one by one. */
#define MANY 24

/* A pool with more than such a part of all nodes is no small one: too much of its
 * profile changes with each reservation. */
#define PART 8

struct small_pools {
    uint64_t layout;               /* of the pools: what is put is void with another */
    struct free_cells *free_cells; /* NULL until needed */
};

struct small_pools *small_pools_create(void)
{
    return xcalloc(1, sizeof(struct small_pools));
}

void small_pools_destroy(struct small_pools *s)
{
    if (!s)
        return;
    free_cells_destroy(s->free_cells);
    free(s);
}

/* Are free intervals put of all pools as they are? */
static bool all_put(const struct counted *ct)
{
    return !ct->unsettled.all && ct->small->layout == pools_layout(ct->pools);
}

bool small_pools_settled(const struct counted *ct)
{
    return all_put(ct) && ct->unsettled.parts.n == 0;
}

const struct bitset *small_pools_open(
    const struct counted *ct, int64_t start, int64_t end)
{
    return free_cells_during(ct->small->free_cells, start, end);
}

/* Pools with at most 1/PART of the nodes of their kind are small. Each merged
 * pool counts those that will be part of it. */
static void count_kinds(struct counted *ct)
{
    int64_t *nodes = xcalloc(pools_merged_count(ct->pools) + 1, sizeof *nodes);

    for (size_t i = 0; i < pools_count(ct->pools); i++) {
        const struct pool *merged = pools_merged_of(ct->pools, pools_at(ct->pools, i));
        if (merged)
            nodes[merged->kind] += (int64_t)pools_at(ct->pools, i)->nodes.n;
    }
    for (size_t i = 0; i < pools_count(ct->pools); i++) {
        struct pool *pool = pools_at(ct->pools, i),
                    *merged = pools_merged_of(ct->pools, pool);
        pool->small = merged && pool->rsvset != 0
                      && (int64_t)pool->nodes.n * PART <= nodes[merged->kind];
        if (pool->small)
            merged->nsmall++;
    }
    free(nodes);
}

/* The holder of a kind is its merged pool with most small pools; it counts those of the
 * whole kind. */
static void choose_holders(struct counted *ct)
{
    uint32_t *holders = xcalloc(pools_merged_count(ct->pools) + 1, sizeof *holders);

    for (size_t i = 0; i < pools_merged_count(ct->pools); i++)
        holders[i] = pools_merged(ct->pools, i)->kind;
    for (size_t i = 0; i < pools_merged_count(ct->pools); i++) {
        uint32_t *holder = &holders[pools_merged(ct->pools, i)->kind];
        if (pools_merged(ct->pools, i)->nsmall
            > pools_merged(ct->pools, *holder)->nsmall)
            *holder = (uint32_t)i;
    }
    for (size_t i = 0; i < pools_merged_count(ct->pools); i++) {
        struct pool *merged = pools_merged(ct->pools, i);
        merged->holder = holders[merged->kind];
        if (merged->holder == i)
            continue;
        pools_merged(ct->pools, merged->holder)->nsmall += merged->nsmall;
        merged->nsmall = 0;
    }
    free(holders);
}

void small_pools_choose(struct counted *ct)
{
    count_kinds(ct);
    choose_holders(ct);
    for (size_t i = 0; i < pools_merged_count(ct->pools); i++) {
        struct pool *merged = pools_merged(ct->pools, i);
        if (pools_merged(ct->pools, merged->holder)->nsmall < MANY)
            merged->holder = INDEX_NONE;
        else if (merged->holder == i)
            merged->free_intervals = free_intervals_create();
    }
    for (size_t i = 0; i < pools_count(ct->pools); i++) {
        struct pool *pool = pools_at(ct->pools, i),
                    *merged = pools_merged_of(ct->pools, pool);
        pool->small &= merged && merged->holder != INDEX_NONE;
    }
}

void small_pools_note(const struct pools *ps, struct fitset *s)
{
    uint32_t small = 0, expected = 0;

    for (size_t i = 0; i < pools_merged_count(ps); i++)
        vec_push(&s->group_of, INDEX_NONE);
    for (uint32_t k = 0; k < s->groups.n; k++) {
        uint32_t merged = s->groups.v[k].merged;
        if (merged != INDEX_NONE)
            s->group_of.v[merged] = k;
        if (merged == INDEX_NONE || !pools_merged(ps, merged)->free_intervals)
            continue;
        vec_push(&s->holders, merged);
        expected += pools_merged(ps, merged)->nsmall;
    }
    for (size_t i = 0; i < s->pools.n; i++) {
        const struct pool *pool = pools_at(ps, s->pools.v[i].pool);
        small += pool->small;
        if (!pool->small)
            vec_push(&s->large, pool->index);
        else if (pools_merged(ps, pool->merged)->holder != pool->merged)
            vec_push(&s->elsewhere, pool->index);
    }
    s->deep =
        small > 0 && small == expected; /* free intervals are of all pools of a kind */
}

/* ---- from profile to free intervals ---- */

/* Levels that began and have not ended, each higher than the one before. */
struct level {
    int64_t since;
    int32_t units;
};
struct levels {
    struct free_intervals *free_intervals;
    uint32_t pool;
    struct VEC(struct level) v;
};

/* From `at` on so many units are free. */
static void step_levels(struct levels *l, int64_t at, int32_t units)
{
    int64_t since = at;

    while (l->v.n && l->v.v[l->v.n - 1].units > units) {
        struct level top = l->v.v[--l->v.n];
        int32_t below = l->v.n ? l->v.v[l->v.n - 1].units : 0;
        free_intervals_put(l->free_intervals, l->pool, top.since, at,
            top.units - (below > units ? below : units));
        since = top.since;
    }
    if (units > 0 && (l->v.n == 0 || l->v.v[l->v.n - 1].units < units))
        vec_push(&l->v, ((struct level){since, units}));
}

/* What a job without grants finds free of a small pool, step by step. */
struct stretch {
    const struct profile *work;
    const struct closure *closure, *end; /* closures that are not over */
    uint32_t i;                          /* step of the profile */
};

static struct stretch stretch_of(struct counted *ct, struct pool *pool, int64_t from)
{
    struct stretch s = {.work = count_work(ct, pool)};
    size_t n;

    s.i = profile_index(s.work, from);
    s.closure = closures_for_nobody(ct->closures, pool->rsvset, *ct->now, &n);
    s.end = s.closure + n;
    return s;
}

/* Units free from `at` on, and until when, at most `to`. */
static int32_t stretch_on(struct stretch *s, int64_t at, int64_t to, int64_t *ret_until)
{
    const struct profile *work = s->work;
    bool closed;

    while (s->closure < s->end && s->closure->end <= at)
        s->closure++;
    while (s->i + 1 < work->n && work->at[s->i + 1] <= at)
        s->i++;
    *ret_until =
        s->i + 1 < work->n && work->at[s->i + 1] < to ? work->at[s->i + 1] : to;
    closed = s->closure < s->end && s->closure->start <= at;
    if (s->closure < s->end) {
        int64_t turn = closed ? s->closure->end : s->closure->start;
        *ret_until = turn < *ret_until ? turn : *ret_until;
    }
    return closed || work->free[s->i] < 0 ? 0 : work->free[s->i];
}

/* The free intervals of one pool within [from, to). */
static void put_intervals(
    struct counted *ct, struct pool *pool, int64_t from, int64_t to, struct levels *l)
{
    const struct pool *merged = pools_merged(ct->pools, pool->merged);
    struct stretch s = stretch_of(ct, pool, from);

    l->pool = pool->index;
    l->free_intervals = pools_merged(ct->pools, merged->holder)->free_intervals;
    if (merged->index != merged->holder && to > pools_merge_at(ct->pools))
        to = pools_merge_at(ct->pools);
    for (int64_t at = from, until; at < to; at = until) {
        int32_t units = stretch_on(&s, at, to, &until);
        step_levels(l, at, units);
    }
    if (from < to)
        step_levels(l, to, 0);
}

typedef void put_fn(struct free_cells *o, uint32_t pool, int64_t from, int64_t to);

/* The free cells of one pool within [from, to). */
static void put_cells(
    struct counted *ct, struct pool *pool, int64_t from, int64_t to, put_fn *put)
{
    struct stretch s = stretch_of(ct, pool, from);
    int64_t since = INT64_MAX, until;

    for (int64_t at = from; at < to; at = until) {
        bool open = stretch_on(&s, at, to, &until) > 0;
        if (open && since == INT64_MAX)
            since = at;
        if (!open && since < INT64_MAX) {
            put(ct->small->free_cells, pool->index, since, at);
            since = INT64_MAX;
        }
    }
    if (since < INT64_MAX)
        put(ct->small->free_cells, pool->index, since, to);
}

/* Anew: all that [from, to) lies in. */
static void renew_cells(struct counted *ct, struct pool *pool, int64_t from, int64_t to)
{
    to = to < pools_merge_at(ct->pools) ? to : pools_merge_at(ct->pools);
    if (from >= to)
        return;
    free_cells_cut(ct->small->free_cells, pool->index, &from, &to);
    put_cells(ct, pool, from, to, free_cells_put);
}

/* ---- keeping them ---- */

static void put_all(struct counted *ct, struct levels *l)
{
    if (!ct->small->free_cells)
        ct->small->free_cells = free_cells_create();
    free_cells_reset(ct->small->free_cells, (uint32_t)pools_count(ct->pools), *ct->now,
        pools_merge_at(ct->pools));
    for (size_t i = 0; i < pools_merged_count(ct->pools); i++)
        if (pools_merged(ct->pools, i)->free_intervals)
            free_intervals_reset(pools_merged(ct->pools, i)->free_intervals, *ct->now,
                pools_merge_at(ct->pools));
    for (size_t i = 0; i < pools_count(ct->pools); i++)
        if (pools_at(ct->pools, i)->small) {
            put_intervals(ct, pools_at(ct->pools, i), *ct->now, TIME_NEVER, l);
            put_cells(ct, pools_at(ct->pools, i), *ct->now, pools_merge_at(ct->pools),
                free_cells_load);
        }
    free_cells_loaded(ct->small->free_cells);
}

void small_pools_settle(struct counted *ct)
{
    struct levels l = {0};

    bool known = all_put(ct);

    if (!known)
        put_all(ct, &l);
    for (size_t i = 0; known && i < ct->unsettled.parts.n; i++) {
        struct unsettled_part u = ct->unsettled.parts.v[i];
        struct pool *pool = pools_at(ct->pools, u.pool);
        uint32_t holder = pools_merged(ct->pools, pool->merged)->holder;
        renew_cells(ct, pool, u.from, u.to);
        if (u.to >= pools_merge_at(
                ct->pools)) /* free intervals that begin there are not kept */
            u.to = TIME_NEVER;
        free_intervals_cut(
            pools_merged(ct->pools, holder)->free_intervals, u.pool, &u.from, &u.to);
        put_intervals(ct, pool, u.from, u.to, &l);
    }
    unsettled_none(&ct->unsettled);
    ct->small->layout = pools_layout(ct->pools);
    vec_fini(&l.v);
}
