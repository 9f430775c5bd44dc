/* SPDX-License-Identifier: Apache-2.0
 * Releases of active jobs, and profiles made of them. */
#include "plan/counted/count.h"

#include "plan/counted/counted_private.h"
#include "plan/endings.h"

#include <assert.h>
#include <string.h>

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

static void pool_dirty(struct counted *ct, struct pool *pool)
{
    if (pool->small)
        unsettled_all(&ct->unsettled);
    if (pool->from > INT64_MIN)
        merged_sum_forget(ct->merged_sum);
    pool->work_valid = false;
    pool->free_until.n = 0;
}

/* A job that has preempted others may take what is not there, until all is planned
 * again. */
void count_take(
    struct counted *ct, struct pool *pool, int64_t start, int64_t end, int32_t units)
{
    start = start > pool->from ? start : pool->from;
    end = end < pool->to ? end : pool->to;
    if (start < end && pool->from <= *ct->now)
        profile_take(count_work(ct, pool), start, end, units);
    else if (start < end)
        profile_claim(count_work(ct, pool), start, end, units);
    if (start < end) {
        if (pool->small)
            unsettled_add(&ct->unsettled, pool->index, start, end);
        merged_sum_take(ct->merged_sum, pool, start, end, units);
    }
    pool->free_until.n = 0;
}

/* A job starts in the pool or stops; while the profile can follow, it stays in use. */
static void follow_job(struct counted *ct, struct pool *pool, const struct job *j,
    int32_t units, int sign, bool as_planned)
{
    release_add(pool, j->end_at, sign * units);
    if (!as_planned || !pool->work_valid)
        pool_dirty(ct, pool);
    else if (sign > 0)
        count_take(ct, pool, *ct->now, endings_of(ct->c, j, *ct->now), units);
    pool->free_until.n = 0; /* at its end: the profile knew of it */
}

static void pool_count(struct counted *ct, struct pool *pool, const struct job *j,
    int32_t units, int sign, bool as_planned)
{
    struct pool *merged = pools_merged_of(ct->pools, pool);

    pool->free_now -= sign * units;
    follow_job(ct, pool, j, units, sign, as_planned);
    if (merged && j->end_at > merged->from)
        follow_job(ct, merged, j, units, sign, as_planned);
}

/* Where all nodes are one pool. */
static void count_all(struct counted *ct, const struct job *j, struct pool *pool,
    int sign, bool as_planned)
{
    uint32_t units = 0;

    for (size_t i = 0; i < j->alloc.n; i++)
        units += j->alloc.v[i].count * j->alloc.v[i].tasks;
    if (units && !pool->by_node)
        pool_count(ct, pool, j, (int32_t)units, sign, as_planned);
}

/* Pieces in a row that are of one pool count together. */
void count_start(struct counted *ct, const struct job *j, int sign, bool as_planned)
{
    struct pool *only = pools_only(ct->pools), *pool = NULL;
    uint32_t units = 0;

    if (only) {
        count_all(ct, j, only, sign, as_planned);
        return;
    }
    for (size_t i = 0; i < j->alloc.n; i++) {
        const struct alloc *a = &j->alloc.v[i];
        for (uint32_t at = a->first, end = at + a->count, k; at < end; at += k) {
            struct pool *here = pools_of_node(ct->pools, at);
            if (here != pool && units)
                pool_count(ct, pool, j, (int32_t)units, sign, as_planned);
            units = here == pool ? units : 0;
            pool = here;
            k = pool ? pools_run(ct->pools, at, end) : 1;
            units += pool && !pool->by_node ? k * a->tasks : 0;
        }
    }
    if (units)
        pool_count(ct, pool, j, (int32_t)units, sign, as_planned);
}

/* Running jobs as the plan sees them: an overdue one holds its units one more poll
 * interval. Where the pool's own profile does not matter, all of it is free. */
static void build_base(struct counted *ct, struct pool *pool)
{
    int64_t grace = time_add(*ct->now, ct->c->cfg->rm_poll_interval_s);
    int32_t free = pool->free_now, overdue = 0;
    size_t i = 0;

    profile_reset(&pool->work, *ct->now, free);
    for (; i < pool->releases.n && pool->releases.v[i].at <= *ct->now; i++)
        overdue += pool->releases.v[i].units;
    for (; i < pool->releases.n && pool->releases.v[i].at < pool->to; i++)
        profile_append(
            &pool->work, pool->releases.v[i].at, free += pool->releases.v[i].units);
    if (pool->to < TIME_NEVER)
        profile_append(&pool->work, pool->to, pool->total);
    if (overdue)
        profile_take(&pool->work, grace, pool->to, -overdue);
}

static void build_base_merged(struct counted *ct, struct pool *pool)
{
    int32_t free = pool->total;

    for (size_t i = 0; i < pool->releases.n; i++)
        free -= pool->releases.v[i].units;
    profile_reset(&pool->work, *ct->now, pool->total);
    profile_append(&pool->work, pool->from, free);
    for (size_t i = 0; i < pool->releases.n; i++)
        profile_append(
            &pool->work, pool->releases.v[i].at, free += pool->releases.v[i].units);
}

static void rebuild_profile(struct counted *ct, struct pool *pool)
{
    if (pool->from > *ct->now)
        build_base_merged(ct, pool);
    else
        build_base(ct, pool);
    pool->free_until.n = 0;
}

/* Nothing but running jobs in all profiles that are not in use, then what is reserved
 * in them. A job past its limit may hold what was kept for another, until that is
 * re-placed. */
static void rebuild_reserved(struct counted *ct)
{
    size_t n = pools_parts(ct->pools);

    for (uint32_t i = 0; i < n; i++) {
        struct pool *pool = pools_part(ct->pools, i);
        if (!pool->work_valid && pool->nrsv > 0)
            rebuild_profile(ct, pool);
    }
    for (uint32_t i = 0; i < rsvtable_count(ct->reserved); i++) {
        const struct rsv *r = rsvtable_row(ct->reserved, i);
        for (size_t k = 0; r && k < r->parts.n; k++) {
            struct pool *pool = pools_part(ct->pools, r->parts.v[k].pool);
            int64_t start = r->start_at > pool->from ? r->start_at : pool->from;
            int64_t end = r->end_at < pool->to ? r->end_at : pool->to;
            if (!pool->work_valid)
                profile_claim(&pool->work, start, end, r->parts.v[k].units);
        }
    }
    for (uint32_t i = 0; i < n; i++)
        pools_part(ct->pools, i)->work_valid |= pools_part(ct->pools, i)->nrsv > 0;
}

struct profile *count_work(struct counted *ct, struct pool *pool)
{
    if (pool->work_valid)
        return &pool->work;
    if (pool->nrsv > 0)
        rebuild_reserved(ct);
    else
        rebuild_profile(ct, pool);
    pool->work_valid = true;
    return &pool->work;
}

void count_forget(struct counted *ct)
{
    for (uint32_t i = 0; i < pools_parts(ct->pools); i++)
        pool_dirty(ct, pools_part(ct->pools, i));
}

void count_advance(struct counted *ct)
{
    for (uint32_t i = 0; i < pools_parts(ct->pools); i++) {
        struct pool *pool = pools_part(ct->pools, i);
        pool->free_until.n = 0;
        if (pool->work_valid)
            profile_advance(&pool->work, *ct->now);
    }
    merged_sum_advance(ct->merged_sum, *ct->now);
}

/* The running minimum of the profile seen from now. Beyond the latest start of a
 * reservation nothing can decrease any more. */
void count_free_until(struct counted *ct, struct pool *pool)
{
    const struct profile *work = count_work(ct, pool);
    int64_t last = pool->rsv_latest > pool->from ? pool->rsv_latest : pool->from;
    int32_t least = work->free[0];

    if (pool->free_until.n)
        return;
    for (uint32_t i = 1; i < work->n && work->at[i] <= last; i++)
        if (work->free[i] < least) {
            vec_push(&pool->free_until, ((struct free_until){work->at[i], least}));
            least = work->free[i];
        }
    vec_push(&pool->free_until, ((struct free_until){TIME_NEVER, least}));
}

int64_t count_least(struct counted *ct, struct pool *pool, int64_t start, int64_t end,
    int64_t *ret_more)
{
    const struct profile *work = count_work(ct, pool);
    uint32_t i = profile_index(work, start), low = i;
    int64_t last = pool->rsv_latest > pool->from ? pool->rsv_latest : pool->from;

    /* running jobs only ever end: beyond the last reservation nothing shrinks */
    if (end > last)
        end = last < TIME_NEVER ? last + 1 : last;
    for (i++; i < work->n && work->at[i] < end; i++)
        if (work->free[i] <= work->free[low])
            low = i;
    if (ret_more)
        *ret_more = low + 1 < work->n ? work->at[low + 1] : TIME_NEVER;
    return work->free[low];
}
