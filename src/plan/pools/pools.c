/* SPDX-License-Identifier: Apache-2.0
 * Sorting the nodes into pools: two usable nodes share a pool when no request
 * could tell them apart. Redone when nodes change, which is rare. */
#include "plan/pools/pools.h"

#include "base/hash.h"
#include "base/xalloc.h"
#include "cluster/folded.h"
#include "cluster/job.h"
#include "cluster/reservation.h"
#include "config/settings.h"

#include <string.h>

/* Nodes [first, end) in a row, all of one pool. */
struct row {
    uint32_t first, end, pool;
};

/* A key and what it stands for: an entry of a hash table. */
struct number {
    uint64_t key;
    uint32_t number;
    UT_hash_handle hh;
};

struct pools {
    struct cluster *c;
    struct closures *closures;
    struct VEC(struct pool) pools;
    struct VEC(struct pool) merged;
    struct VEC(struct row) rows; /* of nodes, ascending; and by node its row, */
    struct VEC(uint32_t) row_of; /* INDEX_NONE = in no pool */
    bool borrows_nodes; /* both, `under`, and the nodes of pools, of what it copies */
    struct VEC(struct demand_kind) kinds; /* by number; of a copy not known any more */
    uint32_t nkinds;
    uint64_t kinds_epoch;
    struct number *kind_numbers;        /* by key_of() */
    struct VEC(struct pool_list) under; /* by reservation set */
    int64_t merge_at;                   /* TIME_NEVER = nothing is merged */
    struct demand demand;               /* what the pools are divided by */
    int64_t demand_at;                  /* when it is looked whether less would do */
    bool coarse;                        /* it grew since they were made */
    bool mixed;                         /* pools_mixed() */
    bool user_matters;                  /* pools_user_matters() */
    bool any_by_node;                   /* pools_any_by_node() */
    uint64_t layout, units;             /* how often they, or a unit, came */
    struct demand_kind kind;            /* scratch */
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

static bool same_kind(const struct demand_kind *a, const struct demand_kind *b)
{
    return a->n == b->n && memcmp(a->v, b->v, a->n * sizeof *a->v) == 0;
}

static struct number *add_number(struct number **io, uint64_t key, uint32_t number)
{
    struct number *x = xcalloc(1, sizeof *x);

    x->key = key;
    x->number = number;
    HASH_ADD(hh, *io, key, sizeof key, x);
    return x;
}

static void forget_numbers(struct number **io)
{
    struct number *x = *io, *next;

    HASH_CLEAR(hh, *io);
    for (; x; x = next) { /* still a list */
        next = x->hh.next;
        free(x);
    }
}

/* ---- kinds of nodes -------------------------------------------------------------- */

static void forget_kinds(struct pools *ps)
{
    forget_numbers(&ps->kind_numbers);
    for (size_t i = 0; i < ps->kinds.n; i++)
        vec_fini(&ps->kinds.v[i]);
    ps->kinds.n = ps->nkinds = 0;
    ps->kinds_epoch++;
}

/* The number of what the node is to those who ask. Kinds of equal hash share an entry,
 * and all are looked through: practically never. */
static uint32_t kind_of(struct pools *ps, const struct node *n)
{
    struct demand_kind fresh;
    struct number *x;

    demand_kind(ps->c, &ps->demand, n, &ps->kind);
    uint64_t key = key_of(&ps->kind, 0);
    HASH_FIND(hh, ps->kind_numbers, &key, sizeof key, x);
    if (x && same_kind(&ps->kinds.v[x->number], &ps->kind))
        return x->number;
    for (uint32_t i = 0; x && i < ps->kinds.n; i++)
        if (same_kind(&ps->kinds.v[i], &ps->kind))
            return i;
    vec_copy(&fresh, &ps->kind);
    vec_push(&ps->kinds, fresh);
    if (!x)
        add_number(&ps->kind_numbers, key, ps->nkinds);
    return ps->nkinds++;
}

uint32_t pools_kinds(const struct pools *ps, uint64_t *ret_epoch)
{
    *ret_epoch = ps->kinds_epoch;
    return ps->coarse ? 0 : ps->nkinds;
}

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
    uint32_t row = node < ps->row_of.n ? ps->row_of.v[node] : INDEX_NONE;

    return row == INDEX_NONE ? NULL : &ps->pools.v[ps->rows.v[row].pool];
}

struct pool *pools_only(const struct pools *ps)
{
    bool only = ps->pools.n == 1 && ps->pools.v[0].nodes.n == ps->row_of.n;

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

uint32_t pools_run(const struct pools *ps, uint32_t from, uint32_t end)
{
    const struct row *row = &ps->rows.v[ps->row_of.v[from]];

    return (row->end < end ? row->end : end) - from;
}

uint32_t pools_run_down(const struct pools *ps, uint32_t from, uint32_t low)
{
    const struct row *row = &ps->rows.v[ps->row_of.v[from]];

    return row->first > low ? row->first : low;
}

static size_t nodes_below(const struct pool *pool, uint32_t node)
{
    size_t lo = 0, hi = pool->nodes.n;

    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (pool->nodes.v[mid] < node)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

uint32_t pool_nodes_in(const struct pool *pool, uint32_t from, uint32_t end)
{
    return (uint32_t)(nodes_below(pool, end) - nodes_below(pool, from));
}

int32_t pool_units_of(const struct job *j, const struct pool *pool)
{
    uint32_t first = pool->nodes.v[0], last = pool->nodes.v[pool->nodes.n - 1];
    int32_t units = 0;

    for (size_t i = 0; i < j->alloc.n; i++) {
        const struct alloc *a = &j->alloc.v[i];
        uint32_t from = a->first > first ? a->first : first;
        uint32_t to = a->first + a->count - 1 < last ? a->first + a->count - 1 : last;
        if (from <= to)
            units += (int32_t)(pool_nodes_in(pool, from, to + 1) * a->tasks);
    }
    return units;
}

/* Nodes that may be planned on at all: up, not draining, with processors. */
static bool is_usable(const struct node *n)
{
    return !n->global && n->cfg.v[RES_PROCS] > 0
           && (n->state == NODE_IDLE || n->state == NODE_RUNNING
               || n->state == NODE_BUSY);
}

static void pool_fini(const struct pools *ps, struct pool *pool)
{
    if (!ps->borrows_nodes)
        vec_fini(&pool->nodes);
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

/* A pool of such nodes. */
static struct pool *pool_add(
    struct pools *ps, const struct node *n, uint32_t kind, uint32_t rsvset)
{
    struct pool pool = {.index = (uint32_t)ps->pools.n,
        .part = (uint32_t)ps->pools.n,
        .partition = n->partition,
        .nodes_kind = kind,
        .rsvset = rsvset,
        .merged = INDEX_NONE,
        .from = INT64_MIN,
        .to = TIME_NEVER,
        .has_gres = demand_has_gres(&ps->demand, n),
        .by_node = rsvset == INDEX_NONE};

    ps->user_matters |= n->maxjob_per_user >= 0 || n->maxproc_per_user >= 0;

    ps->any_by_node |= pool.by_node;
    vec_push(&ps->pools, pool);
    if (rsvset != INDEX_NONE)
        note_pool_under(ps, rsvset, pool.index);
    return &ps->pools.v[pool.index];
}

/* What is known while nodes are sorted: pools by kind of nodes and reservation set, and
 * the kind of nodes up to some node. */
struct sorting {
    struct number *pools;
    uint32_t kind, kind_end;
};

static struct pool *pool_find(
    struct pools *ps, struct sorting *io, const struct node *n)
{
    uint32_t rsvset = closures_set(ps->closures, n);
    struct number *x;

    if (n->index >= io->kind_end) {
        io->kind = kind_of(ps, n);
        io->kind_end = node_kind_end(ps->c, n->index);
    }
    uint64_t key = (uint64_t)io->kind << 32 | rsvset;
    HASH_FIND(hh, io->pools, &key, sizeof key, x);
    if (x)
        return &ps->pools.v[x->number];
    struct pool *pool = pool_add(ps, n, io->kind, rsvset);
    add_number(&io->pools, key, pool->index);
    return pool;
}

/* Would a policy choose between the two, though no request tells them apart? */
static bool looks_equal(const struct node *a, const struct node *b)
{
    return memcmp(&a->cfg, &b->cfg, sizeof a->cfg) == 0
           && a->procspeed_mhz == b->procspeed_mhz
           && memcmp(&a->speed, &b->speed, sizeof a->speed) == 0;
}

static bool same_reservations(const struct cluster *c, uint32_t a, uint32_t b)
{
    const struct rsv_list *x = reservations_on(c, a), *y = reservations_on(c, b);

    if (x->n != y->n)
        return false;
    for (size_t i = 0; i < x->n; i++)
        if (x->v[i].rsv != y->v[i].rsv || x->v[i].tasks != y->v[i].tasks)
            return false;
    return true;
}

/* From `first` on: equal nodes with nothing on them and the same reservations over them
 * need one look. */
static uint32_t run_of(const struct pools *ps, uint32_t first)
{
    uint32_t end = first + 1;

    if (!rangeset_test(nodes_vacant(ps->c), first))
        return end;
    uint32_t last =
        rangeset_gap_within(nodes_vacant(ps->c), end, node_kind_end(ps->c, first));
    if (ps->c->reservations.n == 0)
        return last;
    while (end < last && same_reservations(ps->c, first, end))
        end++;
    return end;
}

/* The nodes [first, end) are of that pool (NULL = of none). */
static void add_row(struct pools *ps, struct pool *pool, uint32_t first, uint32_t end)
{
    struct row *last = ps->rows.n ? &ps->rows.v[ps->rows.n - 1] : NULL;
    uint32_t row = INDEX_NONE;

    if (pool && last && last->pool == pool->index && last->end == first)
        last->end = end;
    else if (pool)
        vec_push(&ps->rows, ((struct row){first, end, pool->index}));
    if (pool)
        row = (uint32_t)ps->rows.n - 1;
    for (uint32_t m = first; m < end; m++) /* reserved */
        ps->row_of.v[m] = row;
    ps->row_of.n = end;
    if (!pool)
        return;
    vec_reserve(&pool->nodes, end - first);
    for (uint32_t m = first; m < end; m++)
        pool->nodes.v[pool->nodes.n++] = m;
}

static void sort_nodes_into_pools(struct pools *ps)
{
    struct sorting sorting = {0};

    vec_reserve(&ps->row_of, ps->c->nodes.n);
    for (uint32_t i = 0, end; i < ps->c->nodes.n; i = end) {
        const struct node *n = node_at(ps->c, i);
        struct pool *pool = is_usable(n) ? pool_find(ps, &sorting, n) : NULL;
        end = run_of(ps, i);
        if (pool)
            ps->mixed |=
                pool->nodes.n && !looks_equal(node_at(ps->c, pool->nodes.v[0]), n);
        add_row(ps, pool, i, end);
    }
    forget_numbers(&sorting.pools);
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
        .part = pools_parts(ps),
        .partition = pool->partition,
        .nodes_kind = pool->nodes_kind,
        .rsvset = rsvset,
        .merged = INDEX_NONE,
        .from = ps->merge_at,
        .to = TIME_NEVER};

    merged.kind = merged.index;
    for (size_t i = 0; i < ps->merged.n; i++) {
        const struct pool *other = &ps->merged.v[i];
        if (other->nodes_kind != pool->nodes_kind)
            continue;
        if (other->rsvset == rsvset)
            return other->index;
        merged.kind = other->kind;
    }
    vec_push(&merged.nodes, pool->nodes.v[0]); /* a sample */
    vec_push(&ps->merged, merged);
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
        pool_fini(ps, pools_part(ps, i));
    for (size_t i = 0; !ps->borrows_nodes && i < ps->under.n; i++)
        vec_fini(&ps->under.v[i]);
    ps->pools.n = ps->merged.n = ps->under.n = 0;
    if (!ps->borrows_nodes)
        ps->rows.n = ps->row_of.n = 0;
    forget_kinds(ps);
}

/* ---- what is asked for ------------------------------------------------------- */

static bool is_live(const struct job *j)
{
    return j && j->state < JOB_COMPLETED;
}

/* Many jobs ask by one definition: it is looked at once. */
static void demand_add_once(
    struct demand *io, struct bitset *seen, const struct taskdef *def)
{
    if (bitset_test(seen, def->index))
        return;
    bitset_set(seen, def->index);
    demand_add(io, def);
}

/* Adds what live jobs ask for, and hold. */
static void demand_add_jobs(
    const struct pools *ps, const struct job *asker, struct demand *io)
{
    struct bitset seen = {0}; /* definitions */

    for (size_t i = 0; i < ps->c->jobs.n; i++) {
        const struct job *j = ps->c->jobs.v[i];
        for (uint32_t r = 0; is_live(j) && j != asker && r < j->nreqs; r++) {
            demand_add_once(io, &seen, j->reqs[r].def);
            if (j->reqs[r].held)
                demand_add_once(io, &seen, j->reqs[r].held);
        }
    }
    bitset_fini(&seen);
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
    const struct node *sample = node_at(ps->c, pool->nodes.v[0]);

    if (pool->has_gres != demand_has_gres(&ps->demand, sample))
        return true;
    pool->nodes_kind = kind_of(ps, sample);
    for (size_t i = 0; i < pool->nodes.n;) {
        uint32_t first = pool->nodes.v[i], end = node_kind_end(ps->c, first);
        if (kind_of(ps, node_at(ps->c, first)) != pool->nodes_kind)
            return true;
        while (i < pool->nodes.n && pool->nodes.v[i] < end)
            i++;
    }
    return false;
}

bool pools_divide(struct pools *ps)
{
    bool divide = false;

    if (ps->coarse)
        forget_kinds(ps);
    for (size_t i = 0; ps->coarse && i < ps->pools.n && !divide; i++)
        divide = pool_divides(ps, &ps->pools.v[i]);
    ps->coarse = divide; /* until they are */
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
    pool->total = (int32_t)(per_node * pool->nodes.n);
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
    pool->total = 0;
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
    if (!ps->borrows_nodes) {
        vec_fini(&ps->under);
        vec_fini(&ps->rows);
        vec_fini(&ps->row_of);
    }
    vec_fini(&ps->kinds);
    vec_fini(&ps->kind);
    demand_fini(&ps->demand);
    free(ps);
}

struct pools *pools_copy(const struct pools *from, struct closures *closures)
{
    struct pools *to = xmalloc(sizeof *to);

    *to = *from;
    to->closures = closures;
    to->borrows_nodes = true;
    to->kind_numbers = NULL;
    vec_copy(&to->pools, &from->pools);
    vec_copy(&to->merged, &from->merged);
    demand_copy(&to->demand, &from->demand);
    memset(&to->kind, 0, sizeof to->kind);
    memset(&to->kinds, 0, sizeof to->kinds);
    return to;
}
