/* SPDX-License-Identifier: Apache-2.0
 * Sorting the nodes into pools: two usable nodes share a pool when no request
 * could tell them apart. Redone when nodes change, which is rare. */
#include "plan/pools/pools.h"

#include "base/hash.h"
#include "cluster/folded.h"
#include "cluster/reservation.h"
#include "plan/counted/free_intervals.h"

#include <string.h>

struct pools {
    struct cluster *c;
    struct closures *closures;
    struct VEC(struct pool) pools;
    struct VEC(struct pool) merged;
    struct VEC(uint32_t) at;            /* by node: its pool, or INDEX_NONE */
    struct VEC(struct pool_list) under; /* by reservation set */
    int64_t merge_at;                   /* TIME_NEVER = nothing is merged */
    struct demand demand;               /* what the pools are divided by */
    int64_t demand_at;                  /* when it is looked whether less would do */
    bool coarse;                        /* it grew since they were made */
    bool mixed;                         /* pools_mixed() */
    bool user_matters;                  /* pools_user_matters() */
    bool any_by_node;                   /* pools_any_by_node() */
    bool borrows_layout; /* `at` and `under`, of the pools that these are a copy of */
    uint64_t layout, units;  /* how often they, or a unit, came */
    struct demand_kind kind; /* scratch */
};

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

/* ---- the pools ------------------------------------------------------------------- */

uint32_t pools_count(const struct pools *ps)
{
    return (uint32_t)ps->pools.n;
}

struct pool *pools_at(const struct pools *ps, uint32_t i)
{
    return &ps->pools.v[i];
}

struct pool *pools_of_node(const struct pools *ps, uint32_t node)
{
    uint32_t i = node < ps->at.n ? ps->at.v[node] : INDEX_NONE;

    return i == INDEX_NONE ? NULL : &ps->pools.v[i];
}

struct pool *pools_only(const struct pools *ps)
{
    bool only = ps->pools.n == 1 && ps->pools.v[0].nodes.n == ps->at.n;

    return only ? &ps->pools.v[0] : NULL;
}

uint32_t pools_merged_count(const struct pools *ps)
{
    return (uint32_t)ps->merged.n;
}

struct pool *pools_merged(const struct pools *ps, uint32_t i)
{
    return &ps->merged.v[i];
}

int64_t pools_merge_at(const struct pools *ps)
{
    return ps->merge_at;
}

struct pool *pools_merged_of(const struct pools *ps, const struct pool *pool)
{
    return pool->merged == INDEX_NONE ? NULL : &ps->merged.v[pool->merged];
}

uint32_t pools_parts(const struct pools *ps)
{
    return (uint32_t)(ps->pools.n + ps->merged.n);
}

struct pool *pools_part(const struct pools *ps, uint32_t part)
{
    return part < ps->pools.n ? &ps->pools.v[part] : &ps->merged.v[part - ps->pools.n];
}

uint32_t pool_run(const struct pool *pool, uint32_t from, uint32_t end)
{
    uint32_t last = pool->nodes.v[pool->nodes.n - 1];

    if (last - pool->nodes.v[0] == pool->nodes.n - 1) /* all of them are */
        return (last < end ? last + 1 : end) - from;
    return bitset_gap_within(&pool->members, from + 1, end) - from;
}

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
    free_intervals_destroy(pool->free_intervals);
}

static void note_pool_under(struct pools *ps, uint32_t rsvset, uint32_t pool)
{
    while (ps->under.n <= rsvset)
        vec_push(&ps->under, (struct pool_list){0});
    vec_push(&ps->under.v[rsvset], pool);
}

const struct pool_list *pools_under(const struct pools *ps, uint32_t rsvset)
{
    static const struct pool_list none = {0};

    return rsvset < ps->under.n ? &ps->under.v[rsvset] : &none;
}

static struct pool *pool_add(struct pools *ps, const struct node *n, uint32_t rsvset)
{
    struct pool pool = {.index = (uint32_t)ps->pools.n,
        .partition = n->partition,
        .rsvset = rsvset,
        .merged = INDEX_NONE,
        .from = INT64_MIN,
        .to = TIME_NEVER,
        .rsv_latest = INT64_MIN,
        .has_gres = demand_has_gres(&ps->demand, n),
        .by_node = rsvset == INDEX_NONE};

    ps->user_matters |= n->maxjob_per_user >= 0 || n->maxproc_per_user >= 0;

    ps->any_by_node |= pool.by_node;
    copy_kind(&ps->kind, &pool.kind_of_nodes);
    vec_push(&ps->pools, pool);
    if (rsvset != INDEX_NONE)
        note_pool_under(ps, rsvset, pool.index);
    profile_init(&ps->pools.v[pool.index].work);
    return &ps->pools.v[pool.index];
}

static struct pool *pool_find(
    struct pools *ps, struct pool_key **keys, const struct node *n)
{
    uint32_t rsvset = closures_set(ps->closures, n);
    struct pool_key *k;

    demand_kind(ps->c, &ps->demand, n, &ps->kind);
    uint64_t key = key_of(&ps->kind, rsvset);
    HASH_FIND(hh, *keys, &key, sizeof key, k);
    if (!k) {
        struct pool *pool = pool_add(ps, n, rsvset);
        k = xcalloc(1, sizeof *k);
        k->key = key;
        k->pool = pool->index;
        HASH_ADD(hh, *keys, key, sizeof key, k);
        return pool;
    }
    struct pool *pool = &ps->pools.v[k->pool];
    if (pool->rsvset == rsvset && same_kind(&pool->kind_of_nodes, &ps->kind))
        return pool;
    /* equal hash of different nodes: practically never; look at all pools */
    for (size_t i = 0; i < ps->pools.n; i++)
        if (ps->pools.v[i].rsvset == rsvset
            && same_kind(&ps->pools.v[i].kind_of_nodes, &ps->kind))
            return &ps->pools.v[i];
    return pool_add(ps, n, rsvset);
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
static uint32_t run_of(const struct pools *ps, uint32_t first)
{
    uint32_t end = first + 1;

    if (rangeset_test(nodes_vacant(ps->c), first) && ps->c->reservations.n == 0)
        end =
            rangeset_gap_within(nodes_vacant(ps->c), end, node_kind_end(ps->c, first));
    return end;
}

static void sort_nodes_into_pools(struct pools *ps)
{
    struct pool_key *keys = NULL, *k, *next;

    ps->at.n = 0;
    vec_reserve(&ps->at, ps->c->nodes.n);
    for (uint32_t i = 0, end; i < ps->c->nodes.n; i = end) {
        const struct node *n = node_at(ps->c, i);
        struct pool *pool = is_usable(n) ? pool_find(ps, &keys, n) : NULL;
        end = run_of(ps, i);
        for (uint32_t m = i; m < end; m++) /* reserved */
            ps->at.v[m] = pool ? pool->index : INDEX_NONE;
        ps->at.n = end;
        if (!pool)
            continue;
        ps->mixed |= pool->nodes.n && !looks_equal(node_at(ps->c, pool->nodes.v[0]), n);
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

struct instants VEC(int64_t);

static int compare_times(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

/* The last of the instants but for a few that are more than twice as far off as those
 * before. */
static int64_t last_but_far(struct instants *io, int64_t now)
{
    size_t n = io->n > MERGE_MIN_POOLS ? io->n - MERGE_MIN_POOLS : 0;

    qsort(io->v, io->n, sizeof *io->v, compare_times);
    int64_t far = time_add(io->v[n], io->v[n] - now);
    while (n + 1 < io->n && io->v[n + 1] <= far)
        n++;
    return io->v[n];
}

/* The instant from which on pools are planned together: when all reservations are over,
 * but for a few that end more than twice as far off as those before. Any instant would
 * do; the fewer pools are left, the faster is what comes then. */
static int64_t merge_instant(const struct pools *ps, int64_t now)
{
    int64_t soonest = time_add(now, 2 * ps->c->cfg->rm_poll_interval_s + 1);
    struct instants ends = {0};
    int64_t at = TIME_NEVER;

    for (size_t i = 0; i < ps->c->reservations.n; i++) {
        const struct reservation *r = ps->c->reservations.v[i];
        if (r && reservation_is_live(r) && r->held_nodes > 0 && r->end_at < TIME_NEVER)
            vec_push(&ends, r->end_at);
    }
    if (ps->pools.n > MERGE_MIN_POOLS && ends.n > 0) {
        at = last_but_far(&ends, now);
        at = at > soonest ? at : soonest;
    }
    vec_fini(&ends);
    return at;
}

/* The pool of what is left of a pool after `merge_at`: nodes of the same kind under
 * the same reservations. */
static uint32_t find_merged(struct pools *ps, struct pool *pool, uint32_t rsvset)
{
    struct pool merged = {.index = (uint32_t)ps->merged.n,
        .partition = pool->partition,
        .rsvset = rsvset,
        .merged = INDEX_NONE,
        .from = ps->merge_at,
        .to = TIME_NEVER,
        .rsv_latest = INT64_MIN};

    merged.kind = merged.index;
    for (size_t i = 0; i < ps->merged.n; i++) {
        const struct pool *other = &ps->merged.v[i];
        if (!same_kind(&other->kind_of_nodes, &pool->kind_of_nodes))
            continue;
        if (other->rsvset == rsvset)
            return other->index;
        merged.kind = other->kind;
    }
    vec_push(&merged.nodes, pool->nodes.v[0]); /* a sample */
    copy_kind(&pool->kind_of_nodes, &merged.kind_of_nodes);
    vec_push(&ps->merged, merged);
    profile_init(&ps->merged.v[merged.index].work);
    return merged.index;
}

bool pools_merge_now(const struct pools *ps, int64_t now)
{
    /* a job past its limit is thought to hold on for a poll interval */
    return ps->merge_at < TIME_NEVER
           && time_add(now, ps->c->cfg->rm_poll_interval_s) >= ps->merge_at;
}

static void merge_pools(struct pools *ps, int64_t now)
{
    ps->merge_at = merge_instant(ps, now);
    for (size_t i = 0; ps->merge_at < TIME_NEVER && i < ps->pools.n; i++) {
        struct pool *pool = &ps->pools.v[i];
        if (pool->by_node)
            continue;
        uint32_t rsvset = closures_set_after(ps->closures, pool->rsvset, ps->merge_at);
        pool->merged = find_merged(ps, pool, rsvset);
        pool->to = ps->merge_at;
    }
}

static void forget_pools(struct pools *ps)
{
    for (uint32_t i = 0; i < pools_parts(ps); i++)
        pool_fini(pools_part(ps, i));
    for (size_t i = 0; !ps->borrows_layout && i < ps->under.n; i++)
        vec_fini(&ps->under.v[i]);
    ps->pools.n = ps->merged.n = ps->under.n = 0;
}

/* ---- what is asked for ------------------------------------------------------- */

static bool is_live(const struct job *j)
{
    return j && j->state < JOB_COMPLETED;
}

/* Adds what live jobs ask for, and hold. */
static void demand_add_jobs(
    const struct pools *ps, const struct job *asker, struct demand *io)
{
    for (size_t i = 0; i < ps->c->jobs.n; i++) {
        const struct job *j = ps->c->jobs.v[i];
        for (uint32_t r = 0; is_live(j) && j != asker && r < j->nreqs; r++) {
            demand_add(io, j->reqs[r].def);
            if (j->reqs[r].held)
                demand_add(io, j->reqs[r].held);
        }
    }
}

/* Is there a job that may ask for something else in the middle of a cycle? */
static bool any_changes_class(const struct pools *ps)
{
    for (size_t i = 0; i < ps->c->jobs.n; i++)
        if (is_live(ps->c->jobs.v[i]) && ps->c->jobs.v[i]->extra
            && ps->c->jobs.v[i]->extra->classes.n > 1)
            return true;
    return false;
}

static int compare_keys(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

/* Would two pools be one by that demand? */
static bool pools_would_join(struct pools *ps, const struct demand *d)
{
    struct VEC(uint64_t) keys = {0};
    bool join = false;

    for (size_t i = 0; i < ps->pools.n; i++) {
        demand_kind(ps->c, d, node_at(ps->c, ps->pools.v[i].nodes.v[0]), &ps->kind);
        vec_push(&keys, key_of(&ps->kind, ps->pools.v[i].rsvset));
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

bool pools_outlived(struct pools *ps, int64_t now)
{
    struct demand d = {0};

    if (ps->pools.n < 2 || now < ps->demand_at)
        return false;
    ps->demand_at = time_add(now, DEMAND_KEEP_S);
    if (any_changes_class(ps))
        return false;
    demand_add_jobs(ps, NULL, &d);
    bool join = demand_exceeds(&ps->demand, &d) && pools_would_join(ps, &d);
    if (join) {
        demand_fini(&ps->demand);
        ps->demand = d;
    } else {
        demand_fini(&d);
    }
    return join;
}

/* Is some node of the pool another kind than the first, by what is asked for now? */
static bool pool_divides(struct pools *ps, struct pool *pool)
{
    struct demand_kind own = {0};
    bool divides = pool->has_gres
                   != demand_has_gres(&ps->demand, node_at(ps->c, pool->nodes.v[0]));

    demand_kind(ps->c, &ps->demand, node_at(ps->c, pool->nodes.v[0]), &own);
    for (size_t i = 0; i < pool->nodes.n && !divides;) {
        uint32_t first = pool->nodes.v[i], end = node_kind_end(ps->c, first);
        demand_kind(ps->c, &ps->demand, node_at(ps->c, first), &ps->kind);
        divides = !same_kind(&own, &ps->kind);
        while (i < pool->nodes.n && pool->nodes.v[i] < end)
            i++;
    }
    if (pool->borrows_nodes) {
        vec_fini(&own);
        return divides;
    }
    vec_fini(&pool->kind_of_nodes);
    pool->kind_of_nodes = own;
    return divides;
}

bool pools_divide(struct pools *ps)
{
    bool divide = false;

    for (size_t i = 0; ps->coarse && i < ps->pools.n && !divide; i++)
        divide = pool_divides(ps, &ps->pools.v[i]);
    ps->coarse = false;
    return divide;
}

void pools_sort(struct pools *ps, int64_t now, const struct job *asker)
{
    ps->any_by_node = ps->user_matters = ps->mixed = ps->coarse = false;
    forget_pools(ps);
    demand_add_jobs(ps, asker, &ps->demand);
    if (asker)
        demand_add(&ps->demand, asker->reqs[0].def);
    ps->demand_at = time_add(now, DEMAND_KEEP_S);
    sort_nodes_into_pools(ps);
    merge_pools(ps, now);
    ps->layout++;
}

void pools_demand(struct pools *ps, const struct taskdef *def)
{
    ps->coarse |= demand_add(&ps->demand, def);
    ps->user_matters |= def->access == ACCESS_SINGLEUSER;
}

const struct demand *pools_demanded(const struct pools *ps)
{
    return &ps->demand;
}

bool pools_mixed(const struct pools *ps)
{
    return ps->mixed;
}

bool pools_user_matters(const struct pools *ps)
{
    return ps->user_matters;
}

/* ---- how they are planned ------------------------------------------------------ */

void pools_set_unit(
    struct pools *ps, struct pool *pool, int64_t unit, uint32_t per_node)
{
    ps->units++;
    pool->unit = unit;
    pool->per_node = per_node;
    pool->total = pool->free_now = (int32_t)(per_node * pool->nodes.n);
    if (pool->merged != INDEX_NONE)
        pools_merged_of(ps, pool)->total += pool->total;
}

void pools_begin_by_node(struct pools *ps, struct pool *pool)
{
    pool->by_node = ps->any_by_node = true;
}

void pools_end_counting(struct pools *ps, struct pool *pool)
{
    pools_begin_by_node(ps, pool);
    pool->small = false;
    pool->free_now = pool->total = 0;
    pool->releases.n = 0;
    ps->layout++;
}

bool pools_any_by_node(const struct pools *ps)
{
    return ps->any_by_node;
}

uint64_t pools_layout(const struct pools *ps)
{
    return ps->layout;
}

uint64_t pools_stamp(const struct pools *ps)
{
    return ps->layout + ps->units;
}

/* ---- their life ------------------------------------------------------------------ */

struct pools *pools_create(struct cluster *c, struct closures *closures)
{
    struct pools *ps = xcalloc(1, sizeof *ps);

    ps->c = c;
    ps->closures = closures;
    ps->merge_at = TIME_NEVER;
    return ps;
}

void pools_destroy(struct pools *ps)
{
    if (!ps)
        return;
    forget_pools(ps);
    vec_fini(&ps->pools);
    vec_fini(&ps->merged);
    if (!ps->borrows_layout) {
        vec_fini(&ps->under);
        vec_fini(&ps->at);
    }
    vec_fini(&ps->kind);
    demand_fini(&ps->demand);
    free(ps);
}

static void copy_pool(struct pool *to, const struct pool *from)
{
    *to = *from;
    to->borrows_nodes = true;
    vec_copy(&to->releases, &from->releases);
    profile_init(&to->work);
    if (from->work_valid)
        profile_copy(&to->work, &from->work);
    to->free_intervals = from->free_intervals ? free_intervals_create() : NULL;
    memset(&to->free_until, 0, sizeof to->free_until);
}

struct pools *pools_copy(const struct pools *from, struct closures *closures)
{
    struct pools *to = xmalloc(sizeof *to);

    *to = *from;
    to->closures = closures;
    to->borrows_layout = true;
    vec_copy(&to->pools, &from->pools);
    vec_copy(&to->merged, &from->merged);
    for (uint32_t i = 0; i < pools_parts(from); i++)
        copy_pool(pools_part(to, i), pools_part(from, i));
    demand_copy(&to->demand, &from->demand);
    memset(&to->kind, 0, sizeof to->kind);
    return to;
}
