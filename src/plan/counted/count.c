/* SPDX-License-Identifier: Apache-2.0
 * Releases of active jobs, and profiles made of them. */
#include "plan/counted/count.h"

#include "base/xalloc.h"
#include "cluster/folded.h"
#include "plan/counted/counted_private.h"
#include "plan/counted/profile.h"
#include "plan/endings.h"

#include <assert.h>
#include <string.h>

/* ---- what active jobs have ---- */

static uint32_t release_find(const struct pool_count *k, int64_t at)
{
    uint32_t lo = 0, hi = (uint32_t)k->releases.n;

    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (k->releases.v[mid].at < at)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

static void release_add(struct pool_count *k, int64_t at, int32_t units)
{
    uint32_t i = release_find(k, at);

    if (i < k->releases.n && k->releases.v[i].at == at) {
        k->releases.v[i].units += units;
        assert(k->releases.v[i].units >= 0);
        if (k->releases.v[i].units == 0)
            vec_remove(&k->releases, i);
        return;
    }
    assert(units > 0);
    vec_reserve(&k->releases, 1);
    memmove(k->releases.v + i + 1, k->releases.v + i,
        (k->releases.n - i) * sizeof *k->releases.v);
    k->releases.v[i] = (struct release){at, units};
    k->releases.n++;
}

/* Of a pool that is not counted any more nothing is noted. */
static bool is_noted(const struct pool_count *k, const struct pool *pool)
{
    return k->noted && !pool->by_node;
}

static void pool_dirty(struct counted *ct, struct pool *pool)
{
    struct pool_count *k = count_of(ct, pool);

    if (is_noted(k, pool))
        unsettled_all(&ct->unsettled);
    if (pool->from > INT64_MIN)
        merged_sum_forget(ct->merged_sum);
    k->work_valid = false;
    k->free_until.n = 0;
}

/* A job that has preempted others may take what is not there, until all is planned
 * again. */
void count_take(
    struct counted *ct, struct pool *pool, int64_t start, int64_t end, int32_t units)
{
    struct pool_count *k = count_of(ct, pool);

    start = start > pool->from ? start : pool->from;
    end = end < pool->to ? end : pool->to;
    if (start < end && pool->from <= *ct->now)
        profile_take(work_of(ct, pool), start, end, units);
    else if (start < end)
        profile_claim(work_of(ct, pool), start, end, units);
    if (start < end) {
        if (is_noted(k, pool))
            unsettled_add(&ct->unsettled, pool->index, start, end);
        merged_sum_take(ct->merged_sum, pool, start, end, units);
    }
    k->free_until.n = 0;
}

/* A job starts in the pool or stops; while the profile can follow, it stays in use. */
static void follow_job(struct counted *ct, struct pool *pool, const struct job *j,
    int32_t units, int sign, bool as_planned)
{
    struct pool_count *k = count_of(ct, pool);

    release_add(k, j->end_at, sign * units);
    if (!as_planned || !k->work_valid)
        pool_dirty(ct, pool);
    else if (sign > 0)
        count_take(ct, pool, *ct->now, endings_of(ct->c, j, *ct->now), units);
    k->free_until.n = 0; /* at its end: the profile knew of it */
}

static void pool_count(struct counted *ct, struct pool *pool, const struct job *j,
    int32_t units, int sign, bool as_planned)
{
    struct pool *merged = pools_merged_of(ct->pools, pool);

    count_of(ct, pool)->in_use += sign * units;
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

/* ---- what is free over time ---- */

/* Running jobs as the plan sees them, and nothing else, until the pool ends at `to`. */
static void lay_running(
    const struct counted *ct, const struct pool *pool, int64_t to, struct profile *ret)
{
    const struct pool_count *k = &ct->counts[pool->part];
    int32_t free = (int32_t)count_free_now(ct, pool), overdue = 0;
    size_t i = 0;

    profile_reset(ret, *ct->now, free);
    for (; i < k->releases.n && ending_is_overdue(k->releases.v[i].at, *ct->now); i++)
        overdue += k->releases.v[i].units;
    for (; i < k->releases.n && k->releases.v[i].at < to; i++)
        profile_append(ret, k->releases.v[i].at, free += k->releases.v[i].units);
    if (to < TIME_NEVER)
        profile_append(ret, to, pool->total);
    profile_claim(ret, endings_of_overdue(ct->c, *ct->now), to, -overdue);
}

void count_base(const struct counted *ct, const struct pool *pool, struct profile *ret)
{
    lay_running(ct, pool, TIME_NEVER, ret);
}

static void build_base_merged(
    struct counted *ct, struct pool *pool, struct pool_count *k)
{
    int32_t free = pool->total;

    for (size_t i = 0; i < k->releases.n; i++)
        free -= k->releases.v[i].units;
    profile_reset(&k->work, *ct->now, pool->total);
    profile_append(&k->work, pool->from, free);
    for (size_t i = 0; i < k->releases.n; i++)
        profile_append(&k->work, k->releases.v[i].at, free += k->releases.v[i].units);
}

static void rebuild_profile(struct counted *ct, struct pool *pool)
{
    struct pool_count *k = count_of(ct, pool);

    if (pool->from > *ct->now)
        build_base_merged(ct, pool, k);
    else
        lay_running(ct, pool, pool->to, &k->work);
    k->free_until.n = 0;
}

/* Nothing but running jobs in all profiles that are not in use, then what is reserved
 * in them. A job past its limit may hold what was kept for another, until that is
 * re-placed. */
static void rebuild_reserved(struct counted *ct)
{
    uint32_t n = pools_parts(ct->pools);

    for (uint32_t i = 0; i < n; i++)
        if (!ct->counts[i].work_valid && ct->counts[i].nrsv > 0)
            rebuild_profile(ct, pools_part(ct->pools, i));
    for (uint32_t i = 0; i < rsvtable_count(ct->reserved); i++) {
        const struct rsv *r = rsvtable_row(ct->reserved, i);
        for (size_t m = 0; r && m < r->parts.n; m++) {
            const struct pool *pool = pools_part(ct->pools, r->parts.v[m].pool);
            struct pool_count *k = count_of(ct, pool);
            int64_t start = r->start_at > pool->from ? r->start_at : pool->from;
            int64_t end = r->end_at < pool->to ? r->end_at : pool->to;
            if (!k->work_valid)
                profile_claim(&k->work, start, end, r->parts.v[m].units);
        }
    }
    for (uint32_t i = 0; i < n; i++)
        ct->counts[i].work_valid |= ct->counts[i].nrsv > 0;
}

void count_make_work(struct counted *ct, struct pool *pool)
{
    struct pool_count *k = count_of(ct, pool);

    if (k->nrsv > 0)
        rebuild_reserved(ct);
    else
        rebuild_profile(ct, pool);
    k->work_valid = true;
}

struct profile *count_work(struct counted *ct, struct pool *pool)
{
    return work_of(ct, pool);
}

void count_forget(struct counted *ct)
{
    for (uint32_t i = 0; i < pools_parts(ct->pools); i++)
        pool_dirty(ct, pools_part(ct->pools, i));
}

void count_advance(struct counted *ct)
{
    for (uint32_t i = 0; i < ct->ncounts; i++) {
        struct pool_count *k = &ct->counts[i];
        k->free_until.n = 0;
        if (k->work_valid)
            profile_advance(&k->work, *ct->now);
    }
    merged_sum_advance(ct->merged_sum, *ct->now);
}

int64_t count_free_now(const struct counted *ct, const struct pool *pool)
{
    return pool->by_node ? 0 : free_now_of(ct, pool);
}

/* The last instant at which what is free of the pool may decrease. */
static int64_t last_decrease(const struct pool_count *k, const struct pool *pool)
{
    return k->rsv_latest > pool->from ? k->rsv_latest : pool->from;
}

/* The running minimum of the profile seen from now. Beyond the latest start of a
 * reservation nothing can decrease any more. */
const struct free_untils *count_free_until(struct counted *ct, struct pool *pool)
{
    struct pool_count *k = count_of(ct, pool);

    if (k->free_until.n)
        return &k->free_until;
    const struct profile *work = work_of(ct, pool);
    int64_t last = last_decrease(k, pool);
    int32_t least = work->free[0];
    for (uint32_t i = 1; i < work->n && work->at[i] <= last; i++)
        if (work->free[i] < least) {
            vec_push(&k->free_until, ((struct free_until){work->at[i], least}));
            least = work->free[i];
        }
    vec_push(&k->free_until, ((struct free_until){TIME_NEVER, least}));
    return &k->free_until;
}

int64_t count_least(struct counted *ct, struct pool *pool, int64_t start, int64_t end,
    int64_t *ret_more)
{
    const struct pool_count *k = count_of(ct, pool);
    if (!k->work_valid)
        count_make_work(ct, pool);
    int64_t last = last_decrease(k, pool);

    /* running jobs only ever end: beyond the last reservation nothing shrinks */
    if (end > last)
        end = last < TIME_NEVER ? last + 1 : last;
    return profile_least(&k->work, start, end, ret_more);
}

/* ---- reservations ---- */

void count_hold(struct counted *ct, struct pool *pool, int64_t start)
{
    struct pool_count *k = count_of(ct, pool);

    if (k->nrsv++ == 0 || start > k->rsv_latest)
        k->rsv_latest = start;
}

void count_let_go(
    struct counted *ct, struct pool *pool, int64_t start, int64_t end, int32_t units)
{
    struct pool_count *k = count_of(ct, pool);

    k->nrsv--;
    if (k->work_valid)
        count_take(ct, pool, start, end, -units);
}

void count_hold_none(struct counted *ct)
{
    for (uint32_t i = 0; i < ct->ncounts; i++) {
        ct->counts[i].nrsv = 0;
        ct->counts[i].rsv_latest = INT64_MIN;
    }
}

bool count_is_reserved(const struct counted *ct, const struct pool *pool)
{
    return count_of(ct, pool)->nrsv > 0;
}

int64_t count_latest_start(const struct counted *ct, const struct pool *pool)
{
    return count_of(ct, pool)->rsv_latest;
}

void count_note_changes(struct counted *ct, const struct pool *pool)
{
    count_of(ct, pool)->noted = true;
}

void count_check(const struct counted *ct)
{
    for (uint32_t i = 0; i < pools_count(ct->pools); i++) {
        const struct pool *pool = pools_at(ct->pools, i);
        const struct pool_count *k = count_of(ct, pool);
        int64_t used = 0, listed = 0;
        if (pool->by_node || !pool->unit)
            continue;
        for (size_t m = 0; m < pool->nodes.n; m++)
            used +=
                node_dedicated(ct->c, node_at(ct->c, pool->nodes.v[m])).v[RES_PROCS];
        for (size_t m = 0; m < k->releases.n; m++)
            listed += k->releases.v[m].units;
        assert(used == k->in_use * pool->unit);
        assert(listed == k->in_use);
    }
}

/* ---- its memory ---- */

void count_begin(struct counted *ct)
{
    uint32_t parts = pools_parts(ct->pools);

    if (parts > ct->ncounts) {
        ct->counts = xrealloc(ct->counts, parts, sizeof *ct->counts);
        memset(ct->counts + ct->ncounts, 0, (parts - ct->ncounts) * sizeof *ct->counts);
        for (uint32_t i = ct->ncounts; i < parts; i++)
            profile_init(&ct->counts[i].work);
        ct->ncounts = parts;
    }
    for (uint32_t i = 0; i < ct->ncounts; i++) {
        struct pool_count *k = &ct->counts[i];
        k->in_use = 0;
        k->nrsv = 0;
        k->rsv_latest = INT64_MIN;
        k->noted = k->work_valid = false;
        k->free_until.n = k->releases.n = 0;
    }
}

void count_copy(struct counted *ct, const struct counted *from)
{
    ct->ncounts = pools_parts(ct->pools);
    ct->counts = xmalloc((ct->ncounts + 1) * sizeof *ct->counts);
    for (uint32_t i = 0; i < ct->ncounts; i++) {
        struct pool_count *k = &ct->counts[i];
        *k = from->counts[i];
        vec_copy(&k->releases, &from->counts[i].releases);
        profile_init(&k->work);
        if (k->work_valid)
            profile_copy(&k->work, &from->counts[i].work);
        memset(&k->free_until, 0, sizeof k->free_until);
    }
}

void count_end(struct counted *ct)
{
    for (uint32_t i = 0; i < ct->ncounts; i++) {
        vec_fini(&ct->counts[i].releases);
        vec_fini(&ct->counts[i].free_until);
        profile_fini(&ct->counts[i].work);
    }
    free(ct->counts);
}
