/* SPDX-License-Identifier: Apache-2.0
 * Pools planned by count: releases of running jobs, the working profile of a cycle,
 * and reservations in it. Searches are in search.c. */
#include "plan/bynode/rsvview.h"
#include "plan/plan_private.h"
#include "plan/suspended.h"

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

static void forget_bounds(struct plan *p)
{
    for (size_t i = 0; i < p->sets.n; i++) {
        p->sets.v[i].base.bounds_valid = false;
        p->sets.v[i].base_merged.bounds_valid = false;
        for (size_t k = 0; k < p->sets.v[i].offers.n; k++)
            p->sets.v[i].offers.v[k].bounds_valid = false;
    }
}

static void pool_dirty(struct plan *p, struct pool *pool)
{
    small_pools_unknown(p, pool);
    p->merged_sum_known &= pool->from == INT64_MIN;
    pool->work_valid = false;
    pool->free_until.n = 0;
}

/* The part of [start, end) that matters to the pool is taken (or given back). A job
 * that has preempted others may take what is not there, until all is planned again. */
static void take_units(
    struct plan *p, struct pool *pool, int64_t start, int64_t end, int32_t units)
{
    start = start > pool->from ? start : pool->from;
    end = end < pool->to ? end : pool->to;
    if (start < end && pool->from <= p->now)
        profile_take(count_work(p, pool), start, end, units);
    else if (start < end)
        profile_claim(count_work(p, pool), start, end, units);
    if (start < end) {
        small_pools_changed(p, pool, start, end);
        merged_sum_take(p, pool, start, end, units);
    }
    pool->free_until.n = 0;
}

/* A job starts in the pool or stops; while the profile can follow, it stays in use. */
static void follow_job(struct plan *p, struct pool *pool, const struct job *j,
    int32_t units, int sign, bool as_planned)
{
    release_add(pool, j->end_at, sign * units);
    if (!as_planned || !pool->work_valid)
        pool_dirty(p, pool);
    else if (sign > 0)
        take_units(p, pool, p->now, plan_job_end(p, j), units);
    pool->free_until.n = 0; /* at its end: the profile knew of it */
}

static void pool_count(struct plan *p, struct pool *pool, const struct job *j,
    int32_t units, int sign, bool as_planned)
{
    struct pool *merged = count_merged(p, pool);

    pool->free_now -= sign * units;
    follow_job(p, pool, j, units, sign, as_planned);
    if (merged && j->end_at > merged->from)
        follow_job(p, merged, j, units, sign, as_planned);
}

/* Where all nodes are one pool. */
static void count_all(
    struct plan *p, const struct job *j, struct pool *pool, int sign, bool as_planned)
{
    uint32_t units = 0;

    for (size_t i = 0; i < j->alloc.n; i++)
        units += j->alloc.v[i].count * j->alloc.v[i].tasks;
    if (units && !pool->by_node)
        pool_count(p, pool, j, (int32_t)units, sign, as_planned);
}

/* Pieces in a row that are of one pool count together. */
void count_start(struct plan *p, const struct job *j, int sign, bool as_planned)
{
    struct pool *pool = NULL;
    uint32_t units = 0;

    if (p->pools.n == 1 && p->pools.v[0].nodes.n == p->pool_at.n) {
        count_all(p, j, &p->pools.v[0], sign, as_planned);
        return;
    }
    for (size_t i = 0; i < j->alloc.n; i++) {
        const struct alloc *a = &j->alloc.v[i];
        for (uint32_t at = a->first, end = at + a->count, k; at < end; at += k) {
            struct pool *here = pool_of(p, at);
            if (here != pool && units)
                pool_count(p, pool, j, (int32_t)units, sign, as_planned);
            units = here == pool ? units : 0;
            pool = here;
            k = pool ? pool_run(pool, at, end) : 1;
            units += pool && !pool->by_node ? k * a->tasks : 0;
        }
    }
    if (units)
        pool_count(p, pool, j, (int32_t)units, sign, as_planned);
}

/* Running jobs as the plan sees them: an overdue one holds its units one more poll
 * interval. Where the pool's own profile does not matter, all of it is free. */
static void build_base(struct plan *p, struct pool *pool)
{
    int64_t grace = time_add(p->now, p->c->cfg->rm_poll_interval_s);
    int32_t free = pool->free_now, overdue = 0;
    size_t i = 0;

    profile_reset(&pool->work, p->now, free);
    for (; i < pool->releases.n && pool->releases.v[i].at <= p->now; i++)
        overdue += pool->releases.v[i].units;
    for (; i < pool->releases.n && pool->releases.v[i].at < pool->to; i++)
        profile_append(
            &pool->work, pool->releases.v[i].at, free += pool->releases.v[i].units);
    if (pool->to < TIME_NEVER)
        profile_append(&pool->work, pool->to, pool->total);
    if (overdue)
        profile_take(&pool->work, grace, pool->to, -overdue);
}

static void build_base_later(struct plan *p, struct pool *pool)
{
    int32_t free = pool->total;

    for (size_t i = 0; i < pool->releases.n; i++)
        free -= pool->releases.v[i].units;
    profile_reset(&pool->work, p->now, pool->total);
    profile_append(&pool->work, pool->from, free);
    for (size_t i = 0; i < pool->releases.n; i++)
        profile_append(
            &pool->work, pool->releases.v[i].at, free += pool->releases.v[i].units);
}

static void rebuild_profile(struct plan *p, struct pool *pool)
{
    if (pool->from > p->now)
        build_base_later(p, pool);
    else
        build_base(p, pool);
    pool->free_until.n = 0;
}

/* Nothing but running jobs in all profiles that are not in use, then what is reserved
 * in them. A job past its limit may hold what was kept for another, until that is
 * re-placed. */
static void rebuild_reserved(struct plan *p)
{
    size_t n = p->pools.n + p->merged_pools.n;

    for (uint32_t i = 0; i < n; i++) {
        struct pool *pool = count_pool(p, i);
        if (!pool->work_valid && pool->nrsv > 0)
            rebuild_profile(p, pool);
    }
    for (uint32_t i = 0; i < rsvtable_count(p->reserved); i++) {
        const struct rsv *r = rsvtable_row(p->reserved, i);
        for (size_t k = 0; r && k < r->parts.n; k++) {
            struct pool *pool = count_pool(p, r->parts.v[k].pool);
            int64_t start = r->start_at > pool->from ? r->start_at : pool->from;
            int64_t end = r->end_at < pool->to ? r->end_at : pool->to;
            if (!pool->work_valid)
                profile_claim(&pool->work, start, end, r->parts.v[k].units);
        }
    }
    for (uint32_t i = 0; i < n; i++)
        count_pool(p, i)->work_valid |= count_pool(p, i)->nrsv > 0;
}

struct profile *count_work(struct plan *p, struct pool *pool)
{
    if (pool->work_valid)
        return &pool->work;
    if (pool->nrsv > 0)
        rebuild_reserved(p);
    else
        rebuild_profile(p, pool);
    pool->work_valid = true;
    return &pool->work;
}

void count_look_anew(struct plan *p)
{
    for (uint32_t i = 0; i < p->pools.n + p->merged_pools.n; i++)
        pool_dirty(p, count_pool(p, i));
    forget_bounds(p);
    p->version++;
}

void count_again(struct plan *p)
{
    for (uint32_t i = 0; i < p->pools.n + p->merged_pools.n; i++) {
        count_pool(p, i)->nrsv = 0;
        count_pool(p, i)->rsv_latest = INT64_MIN;
    }
    count_look_anew(p);
    for (uint32_t i = 0; i < rsvtable_count(p->reserved); i++) {
        const struct rsv *r = rsvtable_row(p->reserved, i);
        for (size_t k = 0; r && k < r->parts.n; k++) {
            struct pool *pool = count_pool(p, r->parts.v[k].pool);
            pool->nrsv++;
            if (r->start_at > pool->rsv_latest)
                pool->rsv_latest = r->start_at;
        }
    }
}

void count_advance(struct plan *p)
{
    for (uint32_t i = 0; i < p->pools.n + p->merged_pools.n; i++) {
        struct pool *pool = count_pool(p, i);
        pool->free_until.n = 0;
        if (pool->work_valid)
            profile_advance(&pool->work, p->now);
    }
    merged_sum_advance(p);
}

/* The running minimum of the profile seen from now. Beyond the latest start of a
 * reservation nothing can decrease any more. */
void count_free_until(struct plan *p, struct pool *pool)
{
    const struct profile *work = count_work(p, pool);
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

int64_t count_least(
    struct plan *p, struct pool *pool, int64_t start, int64_t end, int64_t *ret_more)
{
    const struct profile *work = count_work(p, pool);
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

/* ---- reservations ---- */

static void add_part(
    struct plan *p, struct rsv *r, struct pool *pool, uint32_t index, int32_t units)
{
    if (r->start_at >= pool->to || r->end_at <= pool->from)
        return;
    take_units(p, pool, r->start_at, r->end_at, units);
    for (size_t k = 0; k < r->parts.n; k++)
        if (r->parts.v[k].pool == index) { /* or what several pools have together */
            r->parts.v[k].units += units;
            return;
        }
    vec_push(&r->parts, ((struct part){index, units}));
    if (pool->nrsv++ == 0 || r->start_at > pool->rsv_latest)
        pool->rsv_latest = r->start_at;
}

/* Reserve up to `need` units of one pool of the set; returns how many. */
static int64_t reserve_in(
    struct plan *p, struct rsv *r, struct pool *pool, uint32_t access, int64_t need)
{
    struct pool *merged = count_merged(p, pool);
    bool after_merge = merged && r->start_at >= merged->from;
    uint32_t rsvset = after_merge ? merged->rsvset : pool->rsvset;
    const struct fitset *s = &p->sets.v[r->fitset];
    bool sure =
        s->pools.n == 1 || (after_merge && s->groups.n == 1); /* as just found */

    if (closures_closed(p->closures, access, rsvset, r->start_at, r->end_at, NULL))
        return 0;
    int64_t have = sure ? need : INT64_MAX;
    if (!sure && !after_merge)
        have = count_least(p, pool, r->start_at, r->end_at, NULL);
    if (!sure && merged && have > 0) {
        int64_t then = count_least(p, merged, r->start_at, r->end_at, NULL);
        have = then < have ? then : have;
    }
    if (have <= 0)
        return 0;
    int32_t units = (int32_t)(have < need ? have : need);
    add_part(p, r, pool, pool->index, units);
    if (merged)
        add_part(p, r, merged, (uint32_t)p->pools.n + pool->merged, units);
    return units;
}

/* A reservation that is being made in counted pools. */
struct taking {
    const struct job *j;
    struct rsv *r;
    struct fitset *s;
    uint32_t access;
    int64_t need;
    bool open;   /* which small pools have something is known */
    bool grants; /* some reservation lets it in meanwhile */
};

/* From then on the pools of the group are one: the first stands for all. */
static bool is_merged(
    const struct plan *p, const struct taking *t, const struct group *g)
{
    return g->merged != INDEX_NONE
           && t->r->start_at >= p->merged_pools.v[g->merged].from;
}

static enum affinity affinity_of(struct plan *p, const struct taking *t, uint32_t pool)
{
    const struct node *n = node_at(p->c, p->pools.v[pool].nodes.v[0]);

    return rsvview_affinity(p, t->j, n, t->r->start_at, t->r->end_at);
}

/* Pools of the set that have a reservation that lets the job in. */
static struct set_offer *find_grants(struct plan *p, struct taking *t)
{
    struct set_offer *offer = search_offer_of(t->s, t->access);

    for (uint32_t k = 0; !offer->grants_known && k < t->s->groups.n; k++) {
        const struct group *g = &t->s->groups.v[k];
        for (uint32_t i = g->first; i < g->first + g->n; i++) {
            uint32_t rsvset = p->pools.v[t->s->pools.v[i].pool].rsvset;
            if (rsvset != INDEX_NONE
                && closures_has_grant(p->closures, t->access, rsvset))
                vec_push(&offer->grants, ((struct place_in_set){k, i}));
        }
    }
    offer->grants_known = true;
    return offer;
}

/* From pools to which the job has that affinity. */
static void take_attracted(struct plan *p, struct taking *t, enum affinity level)
{
    const struct set_offer *offer = find_grants(p, t);

    for (size_t i = 0; i < offer->grants.n && t->need > 0; i++) {
        const struct place_in_set *x = &offer->grants.v[i];
        const struct group *g = &t->s->groups.v[x->group];
        uint32_t pool = t->s->pools.v[x->at].pool;
        if (p->pools.v[pool].by_node || (is_merged(p, t, g) && x->at != g->first))
            continue;
        if (affinity_of(p, t, pool) == level)
            t->need -= reserve_in(p, t->r, &p->pools.v[pool], t->access, t->need);
    }
}

/* From a pool, if the job has no affinity to it. */
static void take_other(struct plan *p, struct taking *t, struct pool *pool)
{
    if (pool->by_node)
        return;
    if (t->grants && closures_has_grant(p->closures, t->access, pool->rsvset)
        && affinity_of(p, t, pool->index) != AFFINITY_NONE)
        return;
    t->need -= reserve_in(p, t->r, pool, t->access, t->need);
}

/* The same of small pools under reservations, of which most have nothing: to where the
 * job has no affinity it has no access either. */
static void take_walled(struct plan *p, struct taking *t)
{
    const struct bitset *open = small_pools_open(p, t->r->start_at, t->r->end_at);

    for (uint32_t i = bitset_next(open, 0); i != BITSET_NONE && t->need > 0;
         i = bitset_next(open, i + 1))
        if (t->s->group_of.v[p->pools.v[i].merged] != INDEX_NONE)
            take_other(p, t, &p->pools.v[i]);
}

/* ---- from pools of several kinds ---- */

static int compare_askers(const void *a, const void *b)
{
    const struct asked_pool *x = a, *y = b;

    if (x->sets != y->sets)
        return x->sets < y->sets ? -1 : 1;
    return (x->pool > y->pool) - (x->pool < y->pool);
}

/* The pools of the set, those first that the fewest other requests could use. */
static const struct asked_pools *least_asked(struct plan *p, struct fitset *s)
{
    if (s->order_of == p->sets.n)
        return &s->order;
    s->order_of = p->sets.n;
    s->order.n = 0;
    for (size_t i = 0; i < s->pools.n; i++) {
        uint32_t pool = s->pools.v[i].pool, sets = 0;
        for (size_t k = 0; k < p->sets.n; k++)
            for (size_t m = 0; m < p->sets.v[k].pools.n; m++)
                sets += p->sets.v[k].pools.v[m].pool == pool;
        if (!p->pools.v[pool].by_node)
            vec_push(&s->order, ((struct asked_pool){sets, pool}));
    }
    if (s->order.n)
        qsort(s->order.v, s->order.n, sizeof *s->order.v, compare_askers);
    return &s->order;
}

/* Units that are free from now on serve whoever is to start now: first those that come
 * free later, of pools that the fewest can use. */
static void take_by_kind(struct plan *p, struct taking *t)
{
    const struct asked_pools *order = least_asked(p, t->s);

    for (size_t i = 0; i < order->n && t->need > 0; i++) {
        struct pool *pool = &p->pools.v[order->v[i].pool];
        int64_t here = count_least(p, pool, t->r->start_at, t->r->end_at, NULL);
        int64_t now = count_least(p, pool, p->now, t->r->end_at, NULL);
        int64_t delayed = here - (now > 0 ? now : 0);
        delayed = delayed < t->need ? delayed : t->need;
        if (delayed > 0)
            add_part(p, t->r, pool, pool->index, (int32_t)delayed);
        t->need -= delayed > 0 ? delayed : 0;
    }
    for (size_t i = 0; i < order->n && t->need > 0; i++) {
        struct pool *pool = &p->pools.v[order->v[i].pool];
        t->need -= reserve_in(p, t->r, pool, t->access, t->need);
    }
}

/* From all pools to which it has none. */
static void take_others(struct plan *p, struct taking *t)
{
    if (closures_sets(p->closures) <= 1 && t->s->pools.n > 1) {
        take_by_kind(p, t);
        return;
    }
    for (size_t i = 0; t->open && i < t->s->large.n && t->need > 0; i++)
        take_other(p, t, &p->pools.v[t->s->large.v[i]]);
    if (t->open) {
        take_walled(p, t);
        return;
    }
    for (size_t k = 0; k < t->s->groups.n && t->need > 0; k++) {
        const struct group *g = &t->s->groups.v[k];
        uint32_t n = is_merged(p, t, g) ? 1 : g->n;
        for (uint32_t i = g->first; i < g->first + n && t->need > 0; i++)
            take_other(p, t, &p->pools.v[t->s->pools.v[i].pool]);
    }
}

void count_reserve(struct plan *p, const struct job *j, struct rsv *r, int64_t need)
{
    struct taking t = {.j = j,
        .r = r,
        .s = &p->sets.v[r->fitset],
        .access = closures_access(p->closures, j, p->now),
        .need = need};

    r->parts.n = 0;
    t.open = t.s->deep && small_pools_settled(p) && r->start_at < p->merge_at
             && t.access < ACCESS_NOWHERE
             && !closures_is_confined(p->closures, t.access);
    t.grants = closures_grant_during(p->closures, t.access, r->start_at, r->end_at);
    if (t.grants) {
        take_attracted(p, &t, AFFINITY_POSITIVE);
        take_attracted(p, &t, AFFINITY_NEUTRAL);
    }
    take_others(p, &t);
    if (t.grants)
        take_attracted(p, &t, AFFINITY_NEGATIVE);
    assert(t.need == 0);
}

bool count_reserve_in(struct plan *p, struct rsv *r, struct pool *pool, int32_t units)
{
    if (count_least(p, pool, r->start_at, r->end_at, NULL) < units)
        return false;
    add_part(p, r, pool, pool->index, units);
    return true;
}

static void give_back(struct plan *p, struct rsv *r)
{
    for (size_t i = 0; i < r->parts.n; i++) {
        struct pool *pool = count_pool(p, r->parts.v[i].pool);
        pool->nrsv--;
        if (pool->work_valid)
            take_units(p, pool, r->start_at, r->end_at, -r->parts.v[i].units);
    }
    r->parts.n = 0;
}

void count_unreserve(struct plan *p, struct rsv *r)
{
    give_back(p, r);
    forget_bounds(p);
}

void count_hand_over(struct plan *p, struct rsv *r)
{
    if (r->parts.n || p->handed_job != r->job) { /* else it has made way before */
        p->handed_job = r->job;
        p->handed.n = 0;
        for (size_t i = 0; i < r->parts.n; i++)
            vec_push(&p->handed, r->parts.v[i]);
    }
    give_back(p, r);
}

/* Has the job started in the pools where it was planned? */
static bool went_as_planned(const struct plan *p, const struct job *j, uint32_t set)
{
    if (p->sets.v[set].pools.n == 1)
        return true;
    for (size_t i = 0; i < p->handed.n; i++) {
        const struct part *part = &p->handed.v[i];
        if (part->pool < p->pools.n
            && pool_units_of(j, &p->pools.v[part->pool]) != part->units)
            return false;
    }
    return true;
}

bool count_handed_over(struct plan *p, const struct job *j, const struct rsv *r)
{
    bool same = r->start_at == p->now && r->end_at == j->end_at
                && went_as_planned(p, j, r->fitset);

    if (!same) /* else bounds on others still hold */
        forget_bounds(p);
    return same;
}

bool count_overdue(const struct plan *p)
{
    return endings_first(&p->ends) <= p->now;
}
