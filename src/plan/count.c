/* SPDX-License-Identifier: Apache-2.0
 * Pools planned by count: releases of running jobs, the working profile of a cycle,
 * searches and reservations in it. */
#include "plan/plan_private.h"

#include <assert.h>
#include <string.h>

/* Hints pay when the profile is long; a short one is searched faster than they are
 * looked up. */
#define HINT_MIN_STEPS 160

static uint32_t release_find(const struct pool *pool, int64_t at)
{
    uint32_t lo = 0, hi = (uint32_t)pool->releases.n;

    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (pool->releases.v[mid].at < at)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

static void release_add(struct pool *pool, int64_t at, int32_t units)
{
    uint32_t i = release_find(pool, at);

    if (i < pool->releases.n && pool->releases.v[i].at == at) {
        pool->releases.v[i].units += units;
        assert(pool->releases.v[i].units >= 0);
        if (pool->releases.v[i].units == 0)
            vec_remove(&pool->releases, i);
        return;
    }
    assert(units > 0);
    vec_reserve(&pool->releases, 1);
    memmove(pool->releases.v + i + 1, pool->releases.v + i,
        (pool->releases.n - i) * sizeof *pool->releases.v);
    pool->releases.v[i] = (struct release){at, units};
    pool->releases.n++;
}

static void pool_dirty(struct pool *pool)
{
    pool->work_valid = false;
    pool->stairs.n = 0;
}

static void pool_count(struct plan *p, struct pool *pool, const struct job *j,
    int32_t units, int sign, bool as_planned)
{
    pool->free_now -= sign * units;
    release_add(pool, j->end_at, sign * units);
    if (!as_planned || !pool->work_valid) {
        pool_dirty(pool);
        return;
    }
    /* the profile stays in use: it already knew of this end, or learns of this start */
    if (sign > 0)
        profile_take(&pool->work, p->now, plan_job_end(p, j), units);
    pool->stairs.n = 0;
}

/* Nodes of one piece that lie in the pool of its first node. */
static uint32_t piece_in_pool(uint32_t first, uint32_t count, const struct pool *pool)
{
    if (!pool)
        return 1;
    return bitset_gap_within(&pool->members, first + 1, first + count) - first;
}

void count_start(struct plan *p, const struct job *j, int sign, bool as_planned)
{
    for (size_t i = 0; i < j->alloc.n; i++) {
        const struct alloc *a = &j->alloc.v[i];
        for (uint32_t done = 0; done < a->count;) {
            struct pool *pool = pool_of(p, a->first + done);
            uint32_t k = piece_in_pool(a->first + done, a->count - done, pool);
            if (pool && !pool->by_node)
                pool_count(p, pool, j, (int32_t)(k * a->tasks), sign, as_planned);
            done += k;
        }
    }
}

/* Running jobs as the plan sees them: an overdue one holds its units one more
 * poll interval. */
static void build_base(struct plan *p, struct pool *pool)
{
    int64_t grace = time_add(p->now, p->c->cfg->rm_poll_interval_s);
    int32_t free = pool->free_now, overdue = 0;
    size_t i = 0;

    profile_reset(&pool->work, p->now, free);
    for (; i < pool->releases.n && pool->releases.v[i].at <= p->now; i++)
        overdue += pool->releases.v[i].units;
    for (; i < pool->releases.n; i++)
        profile_append(
            &pool->work, pool->releases.v[i].at, free += pool->releases.v[i].units);
    if (overdue)
        profile_take(&pool->work, grace, TIME_NEVER, -overdue);
    if (p->any_gone)
        away_give_back(p, pool);
}

struct profile *count_work(struct plan *p, struct pool *pool)
{
    if (pool->work_valid)
        return &pool->work;
    build_base(p, pool);
    pool->work_valid = true;
    pool->stairs.n = 0;
    if (pool->nrsv == 0 || p->crossing)
        return &pool->work;
    /* a job past its limit may hold what was kept for another, until that is re-placed
     */
    for (uint32_t i = 0; i < p->nrsv; i++) {
        const struct rsv *r = &p->rsvs.v[i];
        for (size_t k = 0; r->job != INDEX_NONE && k < r->parts.n; k++)
            if (r->parts.v[k].pool == pool->index)
                profile_claim(&pool->work, r->start_at, r->end_at, r->parts.v[k].units);
    }
    return &pool->work;
}

/* The running minimum of the profile seen from now. Beyond the latest start of a
 * reservation nothing can decrease any more. */
static void build_stairs(struct plan *p, struct pool *pool)
{
    const struct profile *work = count_work(p, pool);
    int32_t least = work->free[0];

    pool->stairs.n = 0;
    for (uint32_t i = 1; i < work->n && work->at[i] <= pool->rsv_latest; i++)
        if (work->free[i] < least) {
            vec_push(&pool->stairs, ((struct stair){work->at[i], least}));
            least = work->free[i];
        }
    vec_push(&pool->stairs, ((struct stair){TIME_NEVER, least}));
}

const struct stair *count_stair(struct plan *p, struct pool *pool, int64_t end)
{
    size_t i = 0;

    if (pool->stairs.n == 0)
        build_stairs(p, pool);
    while (pool->stairs.v[i].until < end)
        i++;
    return &pool->stairs.v[i];
}

int64_t count_free_until(struct plan *p, const struct fitset *s, int64_t end)
{
    int64_t sum = 0;

    if (end > TIME_NEVER)
        end = TIME_NEVER;
    for (size_t i = 0; i < s->pools.n; i++) {
        struct pool *pool = &p->pools.v[s->pools.v[i].pool];
        if (pool->by_node)
            continue;
        int64_t units = pool->nrsv || p->any_gone ? count_stair(p, pool, end)->units
                                                  : pool->free_now;
        sum += units > 0 ? units : 0;
    }
    return sum;
}

/* Next instant after `at` at which some pool of the set changes. */
static int64_t next_change(struct plan *p, const struct fitset *s, int64_t at)
{
    int64_t next = TIME_NEVER;

    for (size_t i = 0; i < s->pools.n; i++) {
        const struct profile *work = count_work(p, &p->pools.v[s->pools.v[i].pool]);
        uint32_t k = profile_index(work, at) + 1;
        if (k < work->n && work->at[k] < next)
            next = work->at[k];
    }
    return next;
}

/* Several pools: a task cannot move between them, so what counts is the sum of
 * what each has free throughout. */
static int64_t fit_several(struct plan *p, const struct fitset *s, int32_t need,
    int64_t from, int64_t duration)
{
    for (int64_t at = from; at < TIME_NEVER; at = next_change(p, s, at)) {
        int64_t sum = 0;
        for (size_t i = 0; i < s->pools.n && sum < need; i++) {
            struct pool *pool = &p->pools.v[s->pools.v[i].pool];
            int32_t units =
                profile_min(count_work(p, pool), at, time_add(at, duration));
            sum += units > 0 ? units : 0;
        }
        if (sum >= need)
            return at;
    }
    return TIME_NEVER;
}

static bool hint_ready(struct plan *p, struct fitset *s)
{
    if (p->pools.v[s->pools.v[0].pool].work.n < HINT_MIN_STEPS)
        return false;
    if (!s->hint)
        s->hint = hint_create();
    if (!s->hint_valid)
        hint_clear(s->hint);
    s->hint_valid = true;
    return true;
}

int64_t count_first_fit(
    struct plan *p, struct fitset *s, int32_t need, int64_t from, int64_t duration)
{
    if (need > s->tasks_max)
        return TIME_NEVER;
    for (size_t i = 0; i < s->pools.n; i++)
        count_work(p, &p->pools.v[s->pools.v[i].pool]);
    bool hinted = from <= p->now && hint_ready(p, s);
    int64_t begin = from;

    if (hinted) {
        int64_t bound = hint_bound(s->hint, need, duration);
        begin = bound > from ? bound : from;
        if (begin >= TIME_NEVER)
            return TIME_NEVER;
    }
    int64_t at = s->pools.n == 1 ? profile_fit(
                     &p->pools.v[s->pools.v[0].pool].work, begin, need, duration)
                                 : fit_several(p, s, need, begin, duration);
    if (hinted)
        hint_learn(s->hint, need, duration, at);
    return at;
}

static void take(
    struct plan *p, uint32_t index, int64_t start, int64_t end, int32_t units)
{
    struct pool *pool = &p->pools.v[index];

    profile_take(count_work(p, pool), start, end, units);
    pool->stairs.n = 0;
}

static void hints_invalid(struct plan *p)
{
    for (size_t i = 0; i < p->sets.n; i++)
        p->sets.v[i].hint_valid = false;
}

int64_t count_free_at(
    struct plan *p, const struct fitset *s, int64_t start, int64_t end)
{
    int64_t sum = 0;

    for (size_t i = 0; i < s->pools.n; i++) {
        struct pool *pool = &p->pools.v[s->pools.v[i].pool];
        if (pool->by_node)
            continue;
        /* running jobs only ever end: beyond the last reservation nothing shrinks */
        int64_t last = pool->nrsv == 0 || pool->rsv_latest < start
                           ? start + 1
                           : time_add(pool->rsv_latest, 1);
        int32_t units =
            profile_min(count_work(p, pool), start, last < end ? last : end);
        sum += units > 0 ? units : 0;
    }
    return sum;
}

void count_reserve(struct plan *p, struct rsv *r, int64_t need)
{
    const struct fitset *s = &p->sets.v[r->fitset];

    r->parts.n = 0;
    for (size_t i = 0; i < s->pools.n && need > 0; i++) {
        struct pool *pool = &p->pools.v[s->pools.v[i].pool];
        if (pool->by_node)
            continue;
        int64_t have = s->pools.n == 1
                           ? need /* the search has just found them */
                           : profile_min(count_work(p, pool), r->start_at, r->end_at);
        struct part part = {pool->index, (int32_t)(have < need ? have : need)};
        if (part.units <= 0)
            continue;
        take(p, pool->index, r->start_at, r->end_at, part.units);
        if (pool->nrsv++ == 0 || r->start_at > pool->rsv_latest)
            pool->rsv_latest = r->start_at;
        vec_push(&r->parts, part);
        need -= part.units;
    }
    assert(need == 0);
}

static void give_back(struct plan *p, struct rsv *r)
{
    for (size_t i = 0; i < r->parts.n; i++) {
        struct pool *pool = &p->pools.v[r->parts.v[i].pool];
        pool->nrsv--;
        if (pool->work_valid)
            take(p, pool->index, r->start_at, r->end_at, -r->parts.v[i].units);
    }
    r->parts.n = 0;
}

void count_unreserve(struct plan *p, struct rsv *r)
{
    give_back(p, r);
    hints_invalid(p);
}

/* What is given back is taken again at once, so bounds on others still hold. */
void count_hand_over(struct plan *p, struct rsv *r)
{
    give_back(p, r);
}

bool count_overdue(const struct plan *p)
{
    return p->ends.n > 0 && p->ends.v[0].at <= p->now;
}
