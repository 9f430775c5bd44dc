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

/* Of a merged pool. */
struct holding {
    uint32_t holder; /* that one of its kind which keeps the free intervals of all small
                        pools of the kind; INDEX_NONE = too few are small */
    uint32_t nsmall; /* of a holder: small pools of its kind */
    struct free_intervals *free_intervals; /* of a holder */
};

struct small_pools {
    struct bitset small;               /* pools, by number */
    struct VEC(struct holding) merged; /* by merged pool */
    uint64_t layout;               /* of the pools: what is put is void with another */
    struct free_cells *free_cells; /* NULL until needed */
};

struct small_pools *small_pools_create(void)
{
    return xcalloc(1, sizeof(struct small_pools));
}

static void forget_holdings(struct small_pools *s)
{
    for (size_t i = 0; i < s->merged.n; i++)
        free_intervals_destroy(s->merged.v[i].free_intervals);
    s->merged.n = 0;
}

void small_pools_destroy(struct small_pools *s)
{
    if (!s)
        return;
    forget_holdings(s);
    vec_fini(&s->merged);
    bitset_fini(&s->small);
    free_cells_destroy(s->free_cells);
    free(s);
}

struct small_pools *small_pools_copy(const struct small_pools *from)
{
    struct small_pools *to = small_pools_create();

    bitset_copy(&to->small, &from->small);
    vec_copy(&to->merged, &from->merged);
    for (size_t i = 0; i < to->merged.n; i++)
        if (to->merged.v[i].free_intervals)
            to->merged.v[i].free_intervals = free_intervals_create();
    return to;
}

bool small_pools_has(const struct counted *ct, const struct pool *pool)
{
    return bitset_test(&ct->small->small, pool->index);
}

uint32_t small_pools_holder(const struct counted *ct, uint32_t merged)
{
    return ct->small->merged.v[merged].holder;
}

struct free_intervals *small_pools_intervals(const struct counted *ct, uint32_t merged)
{
    return ct->small->merged.v[merged].free_intervals;
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

/* ---- which they are ---- */

/* Pools with at most 1/PART of the nodes of their kind are small. Each merged
 * pool counts those that will be part of it. */
static void count_kinds(struct counted *ct)
{
    int64_t *nodes = xcalloc(pools_merged_count(ct->pools) + 1, sizeof *nodes);

    for (uint32_t i = 0; i < pools_count(ct->pools); i++) {
        const struct pool *merged = pools_merged_of(ct->pools, pools_at(ct->pools, i));
        if (merged)
            nodes[merged->kind] += (int64_t)pools_at(ct->pools, i)->nodes.n;
    }
    for (uint32_t i = 0; i < pools_count(ct->pools); i++) {
        const struct pool *pool = pools_at(ct->pools, i),
                          *merged = pools_merged_of(ct->pools, pool);
        if (!merged || pool->rsvset == 0
            || (int64_t)pool->nodes.n * PART > nodes[merged->kind])
            continue;
        bitset_set(&ct->small->small, i);
        ct->small->merged.v[pool->merged].nsmall++;
    }
    free(nodes);
}

/* The holder of a kind is its merged pool with most small pools; it counts those of the
 * whole kind. */
static void choose_holders(struct counted *ct)
{
    struct holding *m = ct->small->merged.v;
    uint32_t n = pools_merged_count(ct->pools);
    uint32_t *holders = xcalloc(n + 1, sizeof *holders);

    for (uint32_t i = 0; i < n; i++)
        holders[i] = pools_merged(ct->pools, i)->kind;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t *holder = &holders[pools_merged(ct->pools, i)->kind];
        if (m[i].nsmall > m[*holder].nsmall)
            *holder = i;
    }
    for (uint32_t i = 0; i < n; i++) {
        m[i].holder = holders[pools_merged(ct->pools, i)->kind];
        if (m[i].holder == i)
            continue;
        m[m[i].holder].nsmall += m[i].nsmall;
        m[i].nsmall = 0;
    }
    free(holders);
}

void small_pools_choose(struct counted *ct)
{
    struct small_pools *s = ct->small;

    forget_holdings(s);
    bitset_clear_all(&s->small);
    vec_push_zeros(&s->merged, pools_merged_count(ct->pools));
    count_kinds(ct);
    choose_holders(ct);
    for (uint32_t i = 0; i < s->merged.n; i++) {
        if (s->merged.v[s->merged.v[i].holder].nsmall < MANY)
            s->merged.v[i].holder = INDEX_NONE;
        else if (s->merged.v[i].holder == i)
            s->merged.v[i].free_intervals = free_intervals_create();
    }
    for (uint32_t i = bitset_next(&s->small, 0); i != BITSET_NONE;
         i = bitset_next(&s->small, i + 1)) {
        const struct pool *pool = pools_at(ct->pools, i);
        if (s->merged.v[pool->merged].holder == INDEX_NONE)
            bitset_clear(&s->small, i);
        else
            count_note_changes(ct, pool);
    }
}

/* The lists of the set in the plan that this is a fork of, if they are known there. */
static bool borrow_lists(
    const struct counted *ct, const struct fitset *s, struct set_small *ret)
{
    uint32_t number = s->number;

    if (number >= ct->shared_sets || number >= ct->original->sets.n
        || !ct->original->sets.v[number] || !ct->original->sets.v[number]->small.known)
        return false;
    *ret = ct->original->sets.v[number]->small;
    ret->borrowed = true;
    return true;
}

static void list_pools(
    const struct counted *ct, const struct fitset *s, struct set_small *ret)
{
    const struct holding *m = ct->small->merged.v;
    uint32_t small = 0, expected = 0;

    for (size_t i = 0; i < pools_merged_count(ct->pools); i++)
        vec_push(&ret->group_of, INDEX_NONE);
    for (uint32_t k = 0; k < s->groups.n; k++) {
        uint32_t merged = s->groups.v[k].merged;
        if (merged != INDEX_NONE)
            ret->group_of.v[merged] = k;
        if (merged == INDEX_NONE || !m[merged].free_intervals)
            continue;
        vec_push(&ret->holders, merged);
        expected += m[merged].nsmall;
    }
    for (size_t i = 0; i < s->pools.n; i++) {
        const struct pool *pool = pools_at(ct->pools, s->pools.v[i].pool);
        bool is_small = small_pools_has(ct, pool);
        small += is_small;
        if (!is_small)
            vec_push(&ret->large, pool->index);
        else if (m[pool->merged].holder != pool->merged)
            vec_push(&ret->elsewhere, pool->index);
    }
    ret->deep =
        small > 0 && small == expected; /* free intervals are of all pools of a kind */
}

static void learn_lists(
    const struct counted *ct, const struct fitset *s, struct set_small *ret)
{
    if (!borrow_lists(ct, s, ret))
        list_pools(ct, s, ret);
    ret->known = true;
}

const struct set_small *small_pools_of_set(
    struct counted *ct, const struct fitset *s, struct set_memory *m)
{
    if (!m->small.known)
        learn_lists(ct, s, &m->small);
    return &m->small;
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

static inline struct stretch stretch_of(
    struct counted *ct, struct pool *pool, int64_t from)
{
    struct stretch s = {.work = work_of(ct, pool)};
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
    uint32_t holder = small_pools_holder(ct, pool->merged);
    struct stretch s = stretch_of(ct, pool, from);

    l->pool = pool->index;
    l->free_intervals = small_pools_intervals(ct, holder);
    if (pool->merged != holder && to > pools_merge_at(ct->pools))
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
    for (uint32_t i = 0; i < ct->small->merged.n; i++)
        if (ct->small->merged.v[i].free_intervals)
            free_intervals_reset(ct->small->merged.v[i].free_intervals, *ct->now,
                pools_merge_at(ct->pools));
    for (uint32_t i = bitset_next(&ct->small->small, 0); i != BITSET_NONE;
         i = bitset_next(&ct->small->small, i + 1)) {
        struct pool *pool = pools_at(ct->pools, i);
        if (pool->by_node)
            continue;
        put_intervals(ct, pool, *ct->now, TIME_NEVER, l);
        put_cells(ct, pool, *ct->now, pools_merge_at(ct->pools), free_cells_load);
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
        uint32_t holder = small_pools_holder(ct, pool->merged);
        renew_cells(ct, pool, u.from, u.to);
        if (u.to >= pools_merge_at(
                ct->pools)) /* free intervals that begin there are not kept */
            u.to = TIME_NEVER;
        free_intervals_cut(small_pools_intervals(ct, holder), u.pool, &u.from, &u.to);
        put_intervals(ct, pool, u.from, u.to, &l);
    }
    unsettled_none(&ct->unsettled);
    ct->small->layout = pools_layout(ct->pools);
    vec_fini(&l.v);
}
