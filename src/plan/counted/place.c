/* SPDX-License-Identifier: Apache-2.0
 * The usual cases, identical nodes taken in RM order or its reverse, or in bands of
 * equal priority, walk bit sets and never look at single vacant nodes. Everything else
 * collects candidates for nodealloc_choose(). */
#include "plan/counted/place.h"

#include "cluster/folded.h"
#include "cluster/partition.h"
#include "plan/counted/search.h"
#include "plan/feasible.h"
#include "plan/nodes/avail.h"
#include "plan/nodes/nodealloc_private.h"

#include <string.h>

static void push_run(struct allocs *ret, uint32_t first, uint32_t count, uint32_t tasks)
{
    if (ret->n) {
        struct alloc *last = &ret->v[ret->n - 1];
        if (last->tasks == tasks && last->first + last->count == first) {
            last->count += count;
            return;
        }
        if (last->tasks == tasks && first + count == last->first) {
            last->first = first;
            last->count += count;
            return;
        }
    }
    struct alloc run = {.first = first, .count = count, .tasks = tasks};
    vec_push(ret, run);
}

enum direction { DIR_NONE, DIR_UP, DIR_DOWN };

/* In which order a policy takes nodes of one pool that nothing distinguishes. */
static enum direction plain_direction(enum nodealloc_policy policy)
{
    switch (policy) {
    case NODEALLOC_FIRSTAVAILABLE:
    case NODEALLOC_FASTEST:
    case NODEALLOC_MAXBALANCE:
        return DIR_UP;
    case NODEALLOC_LASTAVAILABLE:
    case NODEALLOC_MINRESOURCE:
        return DIR_DOWN;
    case NODEALLOC_CPULOAD:
    case NODEALLOC_PRIORITY:
    case NODEALLOC_TIGHTEST:
    case NODEALLOC_CONTIGUOUS:
    case NODEALLOC_LOCAL:
    case NODEALLOC_UNSET:
        break;
    }
    return DIR_NONE;
}

static const struct par_settings *par_of(
    const struct counted *ct, const struct fitset *s)
{
    const struct pool *pool = pools_at(ct->pools, s->pools.v[0].pool);

    return ct->c->partitions.v[pool->partition]->par;
}

static enum nodealloc_policy policy_for(
    const struct counted *ct, const struct job *j, const struct fitset *s)
{
    enum nodealloc_policy policy = j->reqs[0].def->nodealloc;

    return policy == NODEALLOC_UNSET ? par_of(ct, s)->nodealloc : policy;
}

/* Does the job want so many nodes, or nodes of its own choice? */
static bool is_choosy(const struct job *j)
{
    return j->reqs[0].def->prefs.n || j->reqs[0].nodes || (j->flags & JOB_ADVRES);
}

static enum direction direction_for(
    struct counted *ct, const struct job *j, const struct fitset *s)
{
    const struct pool *pool = pools_at(ct->pools, s->pools.v[0].pool);
    enum nodealloc_policy policy = policy_for(ct, j, s);

    if (pool->by_node || is_choosy(j))
        return DIR_NONE;
    if (s->groups.n > 1
        || closures_any_grant(ct->closures, closures_access(ct->closures, j, *ct->now)))
        return DIR_NONE;
    if (policy == NODEALLOC_LASTAVAILABLE && closures_sets(ct->closures) > 1)
        return DIR_NONE; /* when reservations begin makes a difference */
    if (pools_mixed(ct->pools) && policy != NODEALLOC_FIRSTAVAILABLE
        && policy != NODEALLOC_LASTAVAILABLE)
        return DIR_NONE;
    return plain_direction(policy);
}

/* ---- what reservations in the plan leave ---- */

#define CAP_UNKNOWN (-1)
#define CAP_SHUT    (-2) /* for the time being */

/* Who asks, for how long, and what came of it so far. */
struct asking {
    const struct job *j;
    uint32_t access;
    int64_t end;
    uint32_t need;
    bool procs_only;         /* avail_procs_only() */
    const struct pool *seen; /* the last pool of which a vacant node was asked, */
    int64_t each;            /* and what it can take */
    const struct pool *pool; /* the last pool that take_nodes() was in, */
    int64_t *cap, *merged;   /* and its caps; NULL = no merged pool */
    struct nodealloc_pieces pieces; /* ret NULL: whole runs are pushed instead */
    int64_t *caps;                  /* by part (pools.h): tasks that it still leaves */
    struct cand_list cands;         /* of one level of affinity */
};

static struct asking begin_asking(
    struct counted *ct, const struct job *j, const struct fitset *s, int64_t end)
{
    uint32_t pools = pools_count(ct->pools), parts = pools_parts(ct->pools);
    struct asking ask = {.j = j,
        .access = closures_access(ct->closures, j, *ct->now),
        .end = end,
        .need = j->reqs[0].tasks,
        .procs_only = avail_procs_only(ct->c, j, j->reqs[0].def)};

    ct->search->caps.n = 0;
    vec_reserve(&ct->search->caps, parts + 1);
    ask.caps = ct->search->caps.v;
    for (uint32_t i = 0; i < parts; i++)
        ask.caps[i] = i < pools ? 0 : CAP_UNKNOWN;
    for (size_t i = 0; i < s->pools.n; i++)
        ask.caps[s->pools.v[i].pool] = CAP_UNKNOWN;
    return ask;
}

/* The tasks that the pool has for the job until its end: what reservations in the plan
 * leave. */
static int64_t *cap_of(struct counted *ct, const struct asking *ask, struct pool *pool)
{
    int64_t *cap = &ask->caps[pool->index];

    if (*cap != CAP_UNKNOWN)
        return cap;
    if (pool->by_node
        || closures_closed(
            ct->closures, ask->access, pool->rsvset, *ct->now, ask->end, NULL))
        *cap = 0;
    else
        *cap = is_reserved(ct, pool) ? count_least(ct, pool, *ct->now, ask->end, NULL)
                                     : free_now_of(ct, pool);
    *cap = *cap > 0 ? *cap : 0;
    return cap;
}

static int64_t *cap_merged(
    struct counted *ct, const struct asking *ask, struct pool *pool)
{
    struct pool *merged = pools_merged_of(ct->pools, pool);

    if (!merged)
        return NULL;
    int64_t *cap = &ask->caps[merged->part];
    if (*cap == CAP_UNKNOWN) {
        *cap = is_reserved(ct, merged)
                   ? count_least(ct, merged, *ct->now, ask->end, NULL)
                   : INT64_MAX;
        *cap = *cap > 0 ? *cap : 0;
    }
    return cap;
}

/* Takes up to `k` tasks off both caps. Returns how many there were. */
static int64_t take_off(int64_t *cap, int64_t *merged, int64_t k)
{
    k = *cap < k ? *cap : k;
    if (merged && *merged < k)
        k = *merged;
    if (k <= 0)
        return 0;
    *cap -= k;
    if (merged && *merged < INT64_MAX)
        *merged -= k;
    return k;
}

/* The same of tasks on a node of the pool. */
static int64_t under_caps(
    struct counted *ct, const struct asking *ask, struct pool *pool, int64_t k)
{
    return take_off(cap_of(ct, ask, pool), cap_merged(ct, ask, pool), k);
}

/* Has the pool anything for the job? Then its caps are in ask->cap and ask->merged. */
static bool enter_pool(struct counted *ct, struct asking *ask, struct pool *pool)
{
    if (pool && ask->pool != pool) {
        ask->pool = pool;
        ask->cap = cap_of(ct, ask, pool);
        ask->merged = *ask->cap > 0 ? cap_merged(ct, ask, pool) : NULL;
    }
    return pool && *ask->cap > 0;
}

/* ---- vacant nodes in a row ---- */

/* A walk over the nodes in [low, high] with a processor left. */
struct walk {
    const struct counted *ct;
    const struct rangeset *all_vacant;
    const struct bitset *partly;
    enum direction dir;
    uint32_t low, high;
    struct pool *pool; /* of the last nodes, NULL = they are not to be planned on */
    uint32_t vacant;   /* the next one that is vacant: beyond high (up), BITSET_NONE
                          (down) if there is none */
};

static void find_vacant(struct walk *w, uint32_t at)
{
    w->vacant = w->dir == DIR_UP ? rangeset_next_within(w->all_vacant, at, w->high + 1)
                                 : rangeset_prev(w->all_vacant, at);
}

/* Over all nodes of the pools of the set. */
static struct walk walk_over(
    const struct counted *ct, const struct fitset *s, enum direction dir)
{
    struct walk w = {.ct = ct,
        .all_vacant = nodes_vacant(ct->c),
        .partly = nodes_partly(ct->c),
        .dir = dir,
        .low = UINT32_MAX};

    for (size_t i = 0; i < s->pools.n; i++) {
        const struct pool *pool = pools_at(ct->pools, s->pools.v[i].pool);
        uint32_t low = pool->nodes.v[0], high = pool->nodes.v[pool->nodes.n - 1];
        w.low = low < w.low ? low : w.low;
        w.high = high > w.high ? high : w.high;
    }
    find_vacant(&w, dir == DIR_UP ? w.low : w.high);
    return w;
}

/* Over those of them in [first, last] only. False: there are none. */
static bool narrow_walk(struct walk *w, uint32_t first, uint32_t last)
{
    w->low = first > w->low ? first : w->low;
    w->high = last < w->high ? last : w->high;
    if (w->low > w->high)
        return false;
    find_vacant(w, w->dir == DIR_UP ? w->low : w->high);
    return true;
}

/* The next node, BITSET_NONE = there is none. */
static uint32_t next_up(struct walk *w, uint32_t at)
{
    if (w->vacant < at)
        find_vacant(w, at);
    at = bitset_next_within(w->partly, at, w->vacant);
    return at <= w->high ? at : BITSET_NONE;
}

static uint32_t next_down(struct walk *w, uint32_t at)
{
    if (w->vacant != BITSET_NONE && w->vacant > at)
        find_vacant(w, at);
    at = bitset_prev(w->partly, at);
    if (at == BITSET_NONE || (w->vacant != BITSET_NONE && w->vacant > at))
        at = w->vacant;
    return at != BITSET_NONE && at >= w->low ? at : BITSET_NONE;
}

/* The next nodes from `at` on: those with jobs one by one, vacant ones of one pool
 * together, at most so many; 0 = none. *ret_low = the lowest. */
static uint32_t next_nodes(
    struct walk *w, uint32_t at, uint32_t most, uint32_t *ret_low)
{
    uint32_t low = w->low, high = w->high;

    if (at < low || at > high)
        return 0;
    *ret_low = at = w->dir == DIR_UP ? next_up(w, at) : next_down(w, at);
    if (at == BITSET_NONE)
        return 0;
    struct pool *pool = w->pool = pools_of_node(w->ct->pools, at);
    if (at != w->vacant || !pool)
        return 1;
    if (w->dir == DIR_UP) {
        high = high - at < most ? high : at + most - 1;
        return rangeset_gap_within(
                   w->all_vacant, at, at + pools_run(w->ct->pools, at, high + 1))
               - at;
    }
    low = at - low < most ? low : at - most + 1;
    *ret_low = low =
        rangeset_run_down(w->all_vacant, at, pools_run_down(w->ct->pools, at, low));
    return at - low + 1;
}

/* Take `tasks` from `count` nodes of equal room from `low` on, which hold them. */
static void take_tasks(struct asking *ask, const struct span_of_nodes *at,
    uint32_t tasks, enum direction dir, struct allocs *ret)
{
    uint32_t each = at->each, low = at->low;
    uint32_t full = tasks < each ? 0 : at->count == 1 ? 1 : tasks / each;

    full = full < at->count ? full : at->count;
    ask->need -= tasks;
    if (ask->pieces.ret) {
        for (uint32_t i = 0; i < at->count && tasks > 0; i++) {
            uint32_t k = each < tasks ? each : tasks;
            nodealloc_emit(&ask->pieces, low + i, k, 0);
            tasks -= k;
        }
        return;
    }
    if (full)
        push_run(ret, dir == DIR_UP ? low : low + at->count - full, full, each);
    tasks -= full * each;
    if (tasks)
        push_run(
            ret, dir == DIR_UP ? low + full : low + at->count - full - 1, 1, tasks);
}

/* Tasks that a node of the pool can take now; all vacant ones of a pool as many. */
static int64_t room_on(
    const struct counted *ct, struct asking *ask, uint32_t node, bool vacant)
{
    const struct job *j = ask->j;

    if (vacant && ask->seen == ask->pool)
        return ask->each;
    const struct taskdef *def = j->reqs[0].def;
    int64_t each = ask->procs_only
                       ? avail_by_procs(ct->c, j, def, node)
                       : avail_tasks_now(ct->c, j, def, node_at(ct->c, node));
    if (vacant) {
        ask->seen = ask->pool;
        ask->each = each;
    }
    return each;
}

/* The first nodes of the walk that hold what is needed, of pools under their caps. */
static void take_along(
    struct counted *ct, struct asking *ask, struct walk *walk, struct allocs *ret)
{
    enum direction dir = walk->dir;
    uint32_t at = dir == DIR_UP ? walk->low : walk->high, most = ask->need, low, count;

    while (ask->need > 0 && (count = next_nodes(walk, at, most, &low)) > 0) {
        bool vacant = walk->vacant - low < count; /* this one, and so all of them */
        int64_t each =
            enter_pool(ct, ask, walk->pool) ? room_on(ct, ask, low, vacant) : 0;
        int64_t all = each * count < ask->need ? each * count : ask->need;
        struct span_of_nodes span = {low, count, (uint32_t)each};
        uint32_t k = all ? (uint32_t)take_off(ask->cap, ask->merged, all) : 0;
        if (k)
            take_tasks(ask, &span, k, dir, ret);
        most = k ? ask->need : UINT32_MAX; /* the rest of a run of no use is passed */
        if (dir == DIR_DOWN && low == 0)
            break;
        at = dir == DIR_UP ? low + count : low - 1;
    }
}

static void take_nodes(struct counted *ct, struct asking *ask, const struct fitset *s,
    enum direction dir, struct allocs *ret)
{
    struct walk walk = walk_over(ct, s, dir);

    take_along(ct, ask, &walk, ret);
}

/* Candidates of one pool planned by count: what its nodes can take, but in all no
 * more than reservations leave for the whole interval. With one pool alone the caller
 * has tested the sum, and all candidates are offered. */
static void collect_pool(struct counted *ct, const struct asking *ask,
    struct pool *pool, bool alone, struct cand_list *io)
{
    const struct job *j = ask->j;
    const struct taskdef *def = j->reqs[0].def;
    const struct node *sample = node_at(ct->c, pool->nodes.v[0]);
    struct cand cand = {
        .free_until = closures_next(ct->closures, ask->access, pool->rsvset, *ct->now),
        .affinity = rsvview_affinity(ct->view, j, sample, *ct->now, ask->end)};

    for (size_t i = 0; i<pool->nodes.n && * cap_of(ct, ask, pool)> 0; i++) {
        cand.node = pool->nodes.v[i];
        if (!node_has_room(ct->c, cand.node))
            continue;
        int64_t k = avail_tasks_now(ct->c, j, def, node_at(ct->c, cand.node));
        if (!alone)
            k = under_caps(ct, ask, pool, k);
        cand.tasks = (uint32_t)k;
        if (k > 0)
            vec_push(io, cand);
    }
}

static int compare_cands(const void *a, const void *b)
{
    uint32_t x = ((const struct cand *)a)->node, y = ((const struct cand *)b)->node;

    return (x > y) - (x < y);
}

void place_collect_counted(struct counted *ct, const struct job *j,
    const struct fitset *s, int64_t end, struct cand_list *io)
{
    struct asking ask = begin_asking(ct, j, s, end);

    for (size_t i = 0; i < s->pools.n; i++) {
        struct pool *pool = pools_at(ct->pools, s->pools.v[i].pool);
        if (!pool->by_node && *cap_of(ct, &ask, pool) > 0)
            collect_pool(ct, &ask, pool, s->pools.n == 1, io);
    }
    if (s->pools.n > 1 && io->n)
        qsort(io->v, io->n, sizeof *io->v, compare_cands);
}

/* ---- by affinity ---- */

/* Do the merged pools have enough for all that is free now? Then their caps, which are
 * shared in another order than that of the nodes, make no difference. */
static bool later_is_ample(struct counted *ct, const struct asking *ask)
{
    if (ask->end <= pools_merge_at(ct->pools))
        return true;
    ct->search->merged_free.n = 0;
    vec_push_zeros(&ct->search->merged_free, pools_merged_count(ct->pools));
    int64_t *free = ct->search->merged_free.v;
    for (uint32_t i = 0; i < pools_count(ct->pools); i++) {
        const struct pool *pool = pools_at(ct->pools, i);
        int64_t units = count_free_now(ct, pool);
        if (pool->merged != INDEX_NONE && units > 0)
            free[pool->merged] += units;
    }
    for (uint32_t i = 0; i < pools_merged_count(ct->pools); i++) {
        struct pool *merged = pools_merged(ct->pools, i);
        if (is_reserved(ct, merged) && free[i] > 0
            && count_least(ct, merged, *ct->now, ask->end, NULL) < free[i])
            return false;
    }
    return true;
}

/* Are nodes taken level by level, those of each in RM order? */
static bool in_levels(
    struct counted *ct, const struct asking *ask, const struct fitset *s)
{
    return !is_choosy(ask->j) && ask->access < ACCESS_NOWHERE
           && policy_for(ct, ask->j, s) == NODEALLOC_FIRSTAVAILABLE
           && later_is_ample(ct, ask);
}

/* Pools behind grants of the access that have this affinity to the job, or with
 * AFFINITY_LEVELS any but none. */
static void each_behind(struct counted *ct, struct asking *ask, enum affinity level,
    void (*each)(struct counted *ct, struct asking *ask, struct pool *pool))
{
    size_t n;
    const struct grant *grants = closures_grants(ct->closures, ask->access, &n);

    for (size_t i = 0; i < n; i++) {
        const struct pool_list *under = pools_under(ct->pools, grants[i].rsvset);
        for (size_t k = 0; k < under->n; k++) {
            struct pool *pool = pools_at(ct->pools, under->v[k]);
            const struct node *sample = node_at(ct->c, pool->nodes.v[0]);
            if (ask->caps[pool->index] == 0)
                continue;
            enum affinity here =
                rsvview_affinity(ct->view, ask->j, sample, *ct->now, ask->end);
            if (here == level || (level == AFFINITY_LEVELS && here != AFFINITY_NONE))
                each(ct, ask, pool);
        }
    }
}

static void collect_capped(struct counted *ct, struct asking *ask, struct pool *pool)
{
    if (ask->caps[pool->index] == CAP_SHUT)
        ask->caps[pool->index] = CAP_UNKNOWN;
    if (*cap_of(ct, ask, pool) > 0)
        collect_pool(ct, ask, pool, false, &ask->cands);
}

static void shut_pool(struct counted *ct, struct asking *ask, struct pool *pool)
{
    (void)ct;
    ask->caps[pool->index] = CAP_SHUT;
}

static void take_level(struct counted *ct, struct asking *ask, enum affinity level)
{
    ask->cands.n = 0;
    if (ask->need > 0)
        each_behind(ct, ask, level, collect_capped);
    if (ask->cands.n)
        qsort(ask->cands.v, ask->cands.n, sizeof *ask->cands.v, compare_cands);
    for (size_t i = 0; i < ask->cands.n && ask->need > 0; i++) {
        uint32_t k = ask->cands.v[i].tasks;
        k = k < ask->need ? k : ask->need;
        nodealloc_emit(&ask->pieces, ask->cands.v[i].node, k, 0);
        ask->need -= k;
    }
}

static int take_levels(
    struct counted *ct, struct asking *ask, const struct fitset *s, struct allocs *ret)
{
    ask->pieces = (struct nodealloc_pieces){ret, 0, 0};
    take_level(ct, ask, AFFINITY_POSITIVE);
    take_level(ct, ask, AFFINITY_NEUTRAL);
    if (ask->need > 0) {
        each_behind(ct, ask, AFFINITY_LEVELS, shut_pool);
        take_nodes(ct, ask, s, DIR_UP, ret);
    }
    take_level(ct, ask, AFFINITY_NEGATIVE);
    if (ask->need == 0)
        return 0;
    ret->n = 0;
    return -1;
}

/* ---- by priority ---- */

/* The bands in which nodes are taken where their priorities are all that counts: then
 * none is nearer to the job by a reservation, or liked by it. NULL: something else
 * does. */
static const struct band *bands_for(
    struct counted *ct, const struct asking *ask, const struct fitset *s, size_t *ret_n)
{
    enum nodealloc_policy policy = policy_for(ct, ask->j, s);

    if (is_choosy(ask->j)
        || (policy != NODEALLOC_PRIORITY && policy != NODEALLOC_TIGHTEST)
        || closures_any_grant(ct->closures, ask->access)
        || (s->groups.n > 1 && !later_is_ample(ct, ask)))
        return NULL;
    return bands_of(&ct->search->bands, ct->c, ret_n);
}

static void take_in_order(struct counted *ct, struct asking *ask,
    const struct fitset *s, const struct band *v, size_t n, struct allocs *ret)
{
    for (size_t i = 0; i < n && ask->need > 0; i++) {
        struct walk walk = walk_over(ct, s, DIR_UP);
        if (narrow_walk(&walk, v[i].first, v[i].last))
            take_along(ct, ask, &walk, ret);
    }
}

static int take_bands(struct counted *ct, struct asking *ask, const struct fitset *s,
    const struct band *v, size_t n, struct allocs *ret)
{
    ask->pieces = (struct nodealloc_pieces){ret, 0, 0};
    take_in_order(ct, ask, s, v, n, ret);
    if (ask->need == 0)
        return 0;
    ret->n = 0;
    return -1;
}

/* ---- the tightest of equal priority ---- */

#define LOOKED_AT                                                                      \
    2048 /* spans of a level; what lies behind them is taken as it comes */

/* Note what the nodes of the walk have room for, and where neighbours begin. Returns
 * how much that is in all. The walk is left where it was cut off, if it was. */
static uint64_t note_room(struct counted *ct, struct asking *ask, struct walk *walk)
{
    struct room_spans *spans = &ct->search->spans;
    struct stretches *found = &ct->search->stretches;
    uint32_t at = walk->low, end = BITSET_NONE, low, count;
    uint64_t sum = 0;

    while (
        spans->n < LOOKED_AT && (count = next_nodes(walk, at, UINT32_MAX, &low)) > 0) {
        bool vacant = walk->vacant - low < count;
        int64_t each =
            enter_pool(ct, ask, walk->pool) ? room_on(ct, ask, low, vacant) : 0;

        at = low + count;
        if (each <= 0)
            continue;
        if (low != end)
            vec_push(found, ((struct stretch){.first = spans->n}));
        struct stretch *last = &found->v[found->n - 1];
        last->count++;
        last->nodes += count;
        last->units += (uint64_t)each * count;
        sum += (uint64_t)each * count;
        int64_t procs = tightest_procs(ct->c, low);
        last->procs += procs * count;
        vec_push(spans,
            ((struct room_span){{low, count, (uint32_t)each}, procs, walk->pool}));
        end = at;
    }
    walk->low = at;
    return sum;
}

static void take_span(struct counted *ct, struct asking *ask, const struct room_span *s,
    struct allocs *ret)
{
    int64_t all = (int64_t)s->at.each * s->at.count;

    if (!enter_pool(ct, ask, s->pool))
        return;
    all = all < ask->need ? all : ask->need;
    uint32_t k = (uint32_t)take_off(ask->cap, ask->merged, all);
    if (k)
        take_tasks(ask, &s->at, k, DIR_UP, ret);
}

/* One node for all, if the stretch has one; else its first ones. */
static void take_stretch(
    struct counted *ct, struct asking *ask, const struct stretch *s, struct allocs *ret)
{
    const struct room_span *from = ct->search->spans.v + s->first, *single = NULL;

    for (size_t i = 0; i < s->count; i++)
        if (from[i].at.each >= ask->need
            && (single == NULL || from[i].procs < single->procs))
            single = &from[i];
    if (single) {
        struct room_span one = *single;
        one.at.count = 1;
        take_span(ct, ask, &one, ret);
    }
    /* more is needed where reservations leave less than there is: not of that node, as
     * nothing is left of its pool */
    for (size_t i = 0; i < s->count && ask->need > 0; i++)
        take_span(ct, ask, &from[i], ret);
}

/* Of the nodes of one priority, those of `n` bands. */
static void take_tightest(struct counted *ct, struct asking *ask,
    const struct fitset *s, const struct band *v, size_t n, struct allocs *ret)
{
    struct room_spans *spans = &ct->search->spans;
    struct stretches *found = &ct->search->stretches;
    struct walk walk = {0};
    struct stretch *next;
    uint64_t sum = 0;
    size_t seen = 0;

    spans->n = found->n = 0;
    for (; seen < n && spans->n < LOOKED_AT; seen++) {
        walk = walk_over(ct, s, DIR_UP);
        if (narrow_walk(&walk, v[seen].first, v[seen].last))
            sum += note_room(ct, ask, &walk);
    }
    bool whole = sum <= ask->need;
    for (size_t i = 0; i < spans->n && whole; i++)
        take_span(ct, ask, &spans->v[i], ret);
    while (!whole && ask->need > 0
           && (next = tightest_stretch(found->v, found->n, ask->need, 0))) {
        next->done = true;
        take_stretch(ct, ask, next, ret);
    }
    if (spans->n == LOOKED_AT) {
        if (narrow_walk(&walk, walk.low, walk.high))
            take_along(ct, ask, &walk, ret);
        take_in_order(ct, ask, s, v + seen, n - seen, ret);
    }
}

static int take_levels_tightest(struct counted *ct, struct asking *ask,
    const struct fitset *s, const struct band *v, size_t n, struct allocs *ret)
{
    ask->pieces = (struct nodealloc_pieces){ret, 0, 0};
    for (size_t i = 0, end; i < n && ask->need > 0; i = end) {
        for (end = i + 1; end < n && v[end].priority == v[i].priority;)
            end++;
        take_tightest(ct, ask, s, v + i, end - i, ret);
    }
    if (ask->need == 0)
        return 0;
    ret->n = 0;
    return -1;
}

static int place_by_policy(struct counted *ct, const struct job *j,
    const struct fitset *s, struct allocs *ret, enum wait_code *ret_code)
{
    int64_t end = time_add(*ct->now, plan_duration(s, j));
    struct nodealloc a = {.c = ct->c,
        .j = j,
        .req = &j->reqs[0],
        .par = par_of(ct, s),
        .start_at = *ct->now,
        .end_at = end,
        .immediate = true};
    struct cand_list cands = {0};

    place_collect_counted(ct, j, s, end, &cands);
    int rc = nodealloc_choose(&a, cands.v, cands.n, ret, ret_code);
    vec_fini(&cands);
    return rc;
}

int place_counted(struct counted *ct, const struct job *j, const struct fitset *s,
    struct allocs *ret, enum wait_code *ret_code)
{
    struct asking ask = begin_asking(ct, j, s, time_add(*ct->now, plan_duration(s, j)));
    enum direction dir = direction_for(ct, j, s);
    size_t n = 0;
    const struct band *bands = bands_for(ct, &ask, s, &n);
    int rc = 0;

    if (bands && policy_for(ct, j, s) == NODEALLOC_TIGHTEST)
        rc = take_levels_tightest(ct, &ask, s, bands, n, ret);
    else if (bands)
        rc = take_bands(ct, &ask, s, bands, n, ret);
    else if (dir == DIR_NONE && in_levels(ct, &ask, s))
        rc = take_levels(ct, &ask, s, ret);
    else if (dir == DIR_NONE)
        rc = place_by_policy(ct, j, s, ret, ret_code);
    else
        take_nodes(ct, &ask, s, dir, ret);
    if (dir != DIR_NONE && ask.need > 0) {
        ret->n = 0;
        rc = -1;
    }
    vec_fini(&ask.cands);
    return rc;
}
