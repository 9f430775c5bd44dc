/* SPDX-License-Identifier: Apache-2.0
 * Sorting the nodes into pools: two usable nodes share a pool when no request
 * could tell them apart. Redone when nodes change, which is rare. */
#include "base/hash.h"
#include "cluster/folded.h"
#include "plan/plan_private.h"

#include <string.h>

#define MIX(h, x)                                                                      \
    ((h) = ((h) ^ (uint64_t)(x)) * UINT64_C(0x9E3779B97F4A7C15), (h) ^= (h) >> 29)

static uint64_t key_of(const struct demand_kind *kind, uint32_t rsvset)
{
    uint64_t h = 0x243F6A8885A308D3;

    for (size_t i = 0; i < kind->n; i++)
        MIX(h, kind->v[i]);
    MIX(h, rsvset);
    return h;
}

static void copy_kind(const struct demand_kind *from, struct demand_kind *to)
{
    to->n = 0;
    vec_reserve(to, from->n);
    memcpy(to->v, from->v, from->n * sizeof *to->v);
    to->n = from->n;
}

static bool same_kind(const struct demand_kind *a, const struct demand_kind *b)
{
    return a->n == b->n && memcmp(a->v, b->v, a->n * sizeof *a->v) == 0;
}

struct pool_key {
    uint64_t key;
    uint32_t pool;
    uint32_t next; /* another pool with the same key, or INDEX_NONE */
    UT_hash_handle hh;
};

/* Nodes that may be planned on at all: up, not draining, with processors. */
static bool is_usable(const struct node *n)
{
    return !n->global && n->cfg.v[RES_PROCS] > 0
           && (n->state == NODE_IDLE || n->state == NODE_RUNNING
               || n->state == NODE_BUSY);
}

static void pool_fini(struct pool *pool)
{
    if (!pool->borrows_nodes) {
        vec_fini(&pool->nodes);
        vec_fini(&pool->kind_of_nodes);
        bitset_fini(&pool->members);
    }
    vec_fini(&pool->releases);
    vec_fini(&pool->free_until);
    profile_fini(&pool->work);
    profile_fini(&pool->sum_of_kind);
    free_intervals_destroy(pool->free_intervals);
}

static void note_pool_under(struct plan *p, uint32_t rsvset, uint32_t pool)
{
    while (p->pools_under.n <= rsvset)
        vec_push(&p->pools_under, (struct pool_list){0});
    vec_push(&p->pools_under.v[rsvset], pool);
}

const struct pool_list *pools_under(const struct plan *p, uint32_t rsvset)
{
    static const struct pool_list none = {0};

    return rsvset < p->pools_under.n ? &p->pools_under.v[rsvset] : &none;
}

static struct pool *pool_add(struct plan *p, const struct node *n, uint32_t rsvset)
{
    struct pool pool = {.index = (uint32_t)p->pools.n,
        .partition = n->partition,
        .rsvset = rsvset,
        .merged = INDEX_NONE,
        .from = INT64_MIN,
        .to = TIME_NEVER,
        .rsv_latest = INT64_MIN,
        .has_gres = demand_has_gres(&p->demand, n),
        .by_node = rsvset == INDEX_NONE};

    p->user_matters |= n->maxjob_per_user >= 0 || n->maxproc_per_user >= 0;

    p->by_node |= pool.by_node;
    copy_kind(&p->kind, &pool.kind_of_nodes);
    vec_push(&p->pools, pool);
    if (rsvset != INDEX_NONE)
        note_pool_under(p, rsvset, pool.index);
    profile_init(&p->pools.v[pool.index].work);
    return &p->pools.v[pool.index];
}

static struct pool *pool_find(
    struct plan *p, struct pool_key **keys, const struct node *n)
{
    uint32_t rsvset = closures_set(p->closures, n);
    struct pool_key *k;

    demand_kind(p->c, &p->demand, n, &p->kind);
    uint64_t key = key_of(&p->kind, rsvset);
    HASH_FIND(hh, *keys, &key, sizeof key, k);
    if (!k) {
        struct pool *pool = pool_add(p, n, rsvset);
        k = xcalloc(1, sizeof *k);
        k->key = key;
        k->pool = pool->index;
        HASH_ADD(hh, *keys, key, sizeof key, k);
        return pool;
    }
    struct pool *pool = &p->pools.v[k->pool];
    if (pool->rsvset == rsvset && same_kind(&pool->kind_of_nodes, &p->kind))
        return pool;
    /* equal hash of different nodes: practically never; look at all pools */
    for (size_t i = 0; i < p->pools.n; i++)
        if (p->pools.v[i].rsvset == rsvset
            && same_kind(&p->pools.v[i].kind_of_nodes, &p->kind))
            return &p->pools.v[i];
    return pool_add(p, n, rsvset);
}

/* Would a policy choose between the two, though no request tells them apart? */
static bool looks_equal(const struct node *a, const struct node *b)
{
    return memcmp(&a->cfg, &b->cfg, sizeof a->cfg) == 0
           && a->procspeed_mhz == b->procspeed_mhz
           && memcmp(&a->speed, &b->speed, sizeof a->speed) == 0;
}

/* From `first` on: equal nodes with nothing on them and no reservation over them need
 * one look. */
static uint32_t run_of(const struct plan *p, uint32_t first)
{
    uint32_t end = first + 1;

    if (rangeset_test(nodes_vacant(p->c), first) && p->c->reservations.n == 0)
        end = rangeset_gap_within(nodes_vacant(p->c), end, node_kind_end(p->c, first));
    return end;
}

static void sort_nodes_into_pools(struct plan *p)
{
    struct pool_key *keys = NULL, *k, *next;

    p->pool_at.n = 0;
    vec_reserve(&p->pool_at, p->c->nodes.n);
    for (uint32_t i = 0, end; i < p->c->nodes.n; i = end) {
        const struct node *n = node_at(p->c, i);
        struct pool *pool = is_usable(n) ? pool_find(p, &keys, n) : NULL;
        end = run_of(p, i);
        for (uint32_t m = i; m < end; m++) /* reserved */
            p->pool_at.v[m] = pool ? pool->index : INDEX_NONE;
        p->pool_at.n = end;
        if (!pool)
            continue;
        p->mixed |= pool->nodes.n && !looks_equal(node_at(p->c, pool->nodes.v[0]), n);
        vec_reserve(&pool->nodes, end - i);
        for (uint32_t m = i; m < end; m++)
            pool->nodes.v[pool->nodes.n++] = m;
        bitset_set_range(&pool->members, i, end);
    }
    k = keys;
    HASH_CLEAR(hh, keys);
    for (; k; k = next) { /* still a list */
        next = k->hh.next;
        free(k);
    }
}

/* ---- pools that will be one ---- */

/* Few pools are searched as fast as one. */
#define MERGE_MIN_POOLS 16

static int compare_times(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

/* The last of the instants but for a few that are more than twice as far off as those
 * before. */
static int64_t last_but_far(const struct plan *p, struct instants *io)
{
    size_t n = io->n > MERGE_MIN_POOLS ? io->n - MERGE_MIN_POOLS : 0;

    qsort(io->v, io->n, sizeof *io->v, compare_times);
    int64_t far = time_add(io->v[n], io->v[n] - p->now);
    while (n + 1 < io->n && io->v[n + 1] <= far)
        n++;
    return io->v[n];
}

/* The instant from which on pools are planned together: when all reservations are over,
 * but for a few that end more than twice as far off as those before. Any instant would
 * do; the fewer pools are left, the faster is what comes then. */
static int64_t merge_instant(const struct plan *p)
{
    int64_t soonest = time_add(p->now, 2 * p->c->cfg->rm_poll_interval_s + 1);
    struct instants ends = {0};
    int64_t at = TIME_NEVER;

    for (size_t i = 0; i < p->c->reservations.n; i++) {
        const struct reservation *r = p->c->reservations.v[i];
        if (r && reservation_is_live(r) && r->held_nodes > 0 && r->end_at < TIME_NEVER)
            vec_push(&ends, r->end_at);
    }
    if (p->pools.n > MERGE_MIN_POOLS && ends.n > 0) {
        at = last_but_far(p, &ends);
        at = at > soonest ? at : soonest;
    }
    vec_fini(&ends);
    return at;
}

/* The pool of what is left of a pool after `merge_at`: nodes of the same kind under
 * the same reservations. */
static uint32_t later_find(struct plan *p, struct pool *pool, uint32_t rsvset)
{
    struct pool merged = {.index = (uint32_t)p->merged_pools.n,
        .partition = pool->partition,
        .rsvset = rsvset,
        .merged = INDEX_NONE,
        .from = p->merge_at,
        .to = TIME_NEVER,
        .rsv_latest = INT64_MIN};

    merged.kind = merged.index;
    for (size_t i = 0; i < p->merged_pools.n; i++) {
        const struct pool *other = &p->merged_pools.v[i];
        if (!same_kind(&other->kind_of_nodes, &pool->kind_of_nodes))
            continue;
        if (other->rsvset == rsvset)
            return other->index;
        merged.kind = other->kind;
    }
    vec_push(&merged.nodes, pool->nodes.v[0]); /* a sample */
    copy_kind(&pool->kind_of_nodes, &merged.kind_of_nodes);
    vec_push(&p->merged_pools, merged);
    profile_init(&p->merged_pools.v[merged.index].work);
    profile_init(&p->merged_pools.v[merged.index].sum_of_kind);
    return merged.index;
}

bool pools_merge_now(const struct plan *p, int64_t now)
{
    /* a job past its limit is thought to hold on for a poll interval */
    return p->merge_at < TIME_NEVER
           && time_add(now, p->c->cfg->rm_poll_interval_s) >= p->merge_at;
}

static void merge_later(struct plan *p)
{
    p->merge_at = merge_instant(p);
    for (size_t i = 0; p->merge_at < TIME_NEVER && i < p->pools.n; i++) {
        struct pool *pool = &p->pools.v[i];
        if (pool->by_node)
            continue;
        uint32_t rsvset = closures_set_after(p->closures, pool->rsvset, p->merge_at);
        pool->merged = later_find(p, pool, rsvset);
        pool->to = p->merge_at;
    }
}

static void forget_fits(struct plan *p)
{
    for (size_t i = 0; i < p->fits.n; i++)
        vec_fini(&p->fits.v[i].sets);
    p->fits.n = 0;
    for (size_t i = 0; i < p->sets.n; i++)
        set_fini(&p->sets.v[i]);
    p->sets.n = 0;
}

static void forget_pools(struct plan *p)
{
    forget_fits(p);
    for (size_t i = 0; i < p->pools.n; i++)
        pool_fini(&p->pools.v[i]);
    for (size_t i = 0; i < p->merged_pools.n; i++)
        pool_fini(&p->merged_pools.v[i]);
    for (size_t i = 0; i < p->pools_under.n; i++)
        vec_fini(&p->pools_under.v[i]);
    p->pools.n = p->merged_pools.n = p->pools_under.n = 0;
    p->merged_sum_known = false;
}

void pools_fini(struct plan *p)
{
    forget_pools(p);
    vec_fini(&p->fits);
    vec_fini(&p->sets);
    vec_fini(&p->pools);
    vec_fini(&p->merged_pools);
    vec_fini(&p->pools_under);
    vec_fini(&p->pool_at);
    vec_fini(&p->kind);
    demand_fini(&p->demand);
}

/* ---- what is asked for ------------------------------------------------------- */

static bool is_live(const struct plan *p, const struct job *j)
{
    return j && j->state < JOB_COMPLETED && j != p->asker;
}

/* Adds what live jobs ask for, and hold. */
static void demand_add_jobs(const struct plan *p, struct demand *io)
{
    for (size_t i = 0; i < p->c->jobs.n; i++) {
        const struct job *j = p->c->jobs.v[i];
        for (uint32_t r = 0; is_live(p, j) && r < j->nreqs; r++) {
            demand_add(io, j->reqs[r].def);
            if (j->reqs[r].held)
                demand_add(io, j->reqs[r].held);
        }
    }
}

/* Is there a job that may ask for something else in the middle of a cycle? */
static bool any_changes_class(const struct plan *p)
{
    for (size_t i = 0; i < p->c->jobs.n; i++)
        if (is_live(p, p->c->jobs.v[i]) && p->c->jobs.v[i]->extra
            && p->c->jobs.v[i]->extra->classes.n > 1)
            return true;
    return false;
}

static int compare_keys(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

/* Would two pools be one by that demand? */
static bool pools_would_join(struct plan *p, const struct demand *d)
{
    struct VEC(uint64_t) keys = {0};
    bool join = false;

    for (size_t i = 0; i < p->pools.n; i++) {
        demand_kind(p->c, d, node_at(p->c, p->pools.v[i].nodes.v[0]), &p->kind);
        vec_push(&keys, key_of(&p->kind, p->pools.v[i].rsvset));
    }
    qsort(keys.v, keys.n, sizeof *keys.v, compare_keys);
    for (size_t i = 1; i < keys.n; i++)
        join |= keys.v[i] == keys.v[i - 1];
    vec_fini(&keys);
    return join;
}

/* Pools come together again when nobody asks for what divides them: looked at often
 * enough, and not with each such job that comes and goes. */
#define DEMAND_KEEP_S 3600

bool pools_outlived(struct plan *p, int64_t now)
{
    struct demand d = {0};

    if (p->pools.n < 2 || now < p->demand_at)
        return false;
    p->demand_at = time_add(now, DEMAND_KEEP_S);
    if (any_changes_class(p))
        return false;
    demand_add_jobs(p, &d);
    bool join = demand_exceeds(&p->demand, &d) && pools_would_join(p, &d);
    if (join) {
        demand_fini(&p->demand);
        p->demand = d;
    } else {
        demand_fini(&d);
    }
    return join;
}

/* Is some node of the pool another kind than the first, by what is asked for now? */
static bool pool_divides(struct plan *p, struct pool *pool)
{
    struct demand_kind own = {0};
    bool divides =
        pool->has_gres != demand_has_gres(&p->demand, node_at(p->c, pool->nodes.v[0]));

    demand_kind(p->c, &p->demand, node_at(p->c, pool->nodes.v[0]), &own);
    for (size_t i = 0; i < pool->nodes.n && !divides;) {
        uint32_t first = pool->nodes.v[i], end = node_kind_end(p->c, first);
        demand_kind(p->c, &p->demand, node_at(p->c, first), &p->kind);
        divides = !same_kind(&own, &p->kind);
        while (i < pool->nodes.n && pool->nodes.v[i] < end)
            i++;
    }
    vec_fini(&pool->kind_of_nodes);
    pool->kind_of_nodes = own;
    return divides;
}

bool pools_divide(struct plan *p)
{
    bool divide = false;

    for (size_t i = 0; p->coarse && i < p->pools.n && !divide; i++)
        divide = pool_divides(p, &p->pools.v[i]);
    p->coarse = false;
    return divide;
}

/* Which shapes are in the system decides what can be planned by count; a running job
 * has the shape that it started with. */
static void learn_all_jobs(struct plan *p)
{
    const struct cluster *c = p->c;

    for (size_t i = 0; i < c->jobs.n; i++) {
        const struct job *j = c->jobs.v[i];
        if (!is_live(p, j))
            continue;
        plan_job_queued(p, j);
        for (uint32_t r = 0; r < j->nreqs; r++)
            if (j->reqs[r].held)
                fit_get(p, j->reqs[r].held);
    }
}

/* New settings may keep a running job's shape off the nodes that it is on: there its
 * tasks are no units of anything. */
static void learn_strays(struct plan *p, const struct job *j)
{
    for (size_t i = 0; i < j->alloc.n; i++) {
        const struct alloc *a = &j->alloc.v[i];
        const struct req *r = &j->reqs[a->req];
        for (uint32_t k = 0; k < a->count; k++) {
            struct pool *pool = pool_of(p, a->first + k);
            if (pool && !pool->by_node
                && !fit_has_pool(p, r->held ? r->held : r->def, pool))
                pool_by_node(p, pool);
        }
    }
}

void pools_rebuild(struct plan *p)
{
    const struct cluster *c = p->c;

    p->by_node = p->user_matters = p->mixed = p->coarse = false;
    forget_pools(p);
    demand_add_jobs(p, &p->demand);
    if (p->asker)
        demand_add(&p->demand, p->asker->reqs[0].def);
    p->demand_at = time_add(p->now, DEMAND_KEEP_S);
    closures_forget(p->closures);
    sort_nodes_into_pools(p);
    merge_later(p);
    small_pools_choose(p);
    learn_all_jobs(p);
    for (size_t i = 0; i < p->pools.n; i++)
        p->pools.v[i].free_now = p->pools.v[i].total;
    for (size_t i = 0; i < c->active.n; i++) {
        const struct job *j = c->jobs.v[c->active.v[i]];
        if (job_is_active(j))
            learn_strays(p, j);
    }
    for (size_t i = 0; i < c->active.n; i++) {
        const struct job *j = c->jobs.v[c->active.v[i]];
        if (job_is_active(j))
            count_start(p, j, +1, false);
    }
    p->version++;
    p->layout++;
}
