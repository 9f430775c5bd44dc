/* SPDX-License-Identifier: Apache-2.0
 * Binding nodes to a job that starts now. The usual case, identical nodes taken in
 * RM order or its reverse, walks bit sets and never looks at single vacant nodes;
 * everything else collects candidates for nodealloc_choose(). */
#include "plan/plan_private.h"

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
    case NODEALLOC_CONTIGUOUS:
    case NODEALLOC_LOCAL:
    case NODEALLOC_UNSET:
        break;
    }
    return DIR_NONE;
}

static const struct par_settings *par_of(const struct plan *p, const struct fitset *s)
{
    const struct pool *pool = &p->pools.v[s->pools.v[0].pool];

    return p->c->partitions.v[pool->partition]->par;
}

static enum direction direction_for(
    struct plan *p, const struct job *j, const struct fitset *s)
{
    const struct taskdef *def = j->reqs[0].def;
    const struct pool *pool = &p->pools.v[s->pools.v[0].pool];
    enum nodealloc_policy policy = def->nodealloc;

    if (pool->by_node || def->prefs.n || j->reqs[0].nodes || (j->flags & JOB_ADVRES))
        return DIR_NONE;
    if (s->groups.n > 1 || walls_any_entered(p, walls_view(p, j)))
        return DIR_NONE;
    if (policy == NODEALLOC_UNSET)
        policy = par_of(p, s)->nodealloc;
    if (policy == NODEALLOC_LASTAVAILABLE && p->stacks.n > 1)
        return DIR_NONE; /* when reservations begin makes a difference */
    return plain_direction(policy);
}

/* So many tasks of the job every pool of the set leaves it until `end`, into p->caps;
 * the reservations in the plan may need the rest. */
static void cap_pools(
    struct plan *p, const struct job *j, const struct fitset *s, int64_t end)
{
    uint32_t view = walls_view(p, j);

    p->caps.n = 0;
    for (uint32_t i = 0; i < p->pools.n + p->later.n; i++)
        vec_push(&p->caps, 0);
    for (size_t i = 0; i < s->pools.n; i++) {
        struct pool *pool = &p->pools.v[s->pools.v[i].pool];
        int64_t *cap = &p->caps.v[pool->index];
        if (pool->by_node || walls_closed(p, view, pool->stack, p->now, end, NULL))
            continue;
        *cap = pool->nrsv || p->any_gone ? count_least(p, pool, p->now, end, NULL)
                                         : pool->free_now;
    }
    for (uint32_t i = 0; i < p->later.n; i++) {
        struct pool *later = &p->later.v[i];
        p->caps.v[p->pools.n + i] =
            later->nrsv ? count_least(p, later, p->now, end, NULL) : INT64_MAX;
    }
}

/* Of `k` tasks on a node of the pool, those that the caps leave; they are taken off. */
static int64_t under_caps(struct plan *p, const struct pool *pool, int64_t k)
{
    int64_t *cap = &p->caps.v[pool->index];
    int64_t *later =
        pool->later == INDEX_NONE ? NULL : &p->caps.v[p->pools.n + pool->later];

    k = *cap < k ? *cap : k;
    if (later && *later < k)
        k = *later;
    if (k <= 0)
        return 0;
    *cap -= k;
    if (later && *later < INT64_MAX)
        *later -= k;
    return k;
}

struct range {
    uint32_t low, high;
};

/* The nodes of all pools of the set lie in it. */
static struct range range_of(const struct plan *p, const struct fitset *s)
{
    struct range r = {UINT32_MAX, 0};

    for (size_t i = 0; i < s->pools.n; i++) {
        const struct pool *pool = &p->pools.v[s->pools.v[i].pool];
        uint32_t low = pool->nodes.v[0], high = pool->nodes.v[pool->nodes.n - 1];
        r.low = low < r.low ? low : r.low;
        r.high = high > r.high ? high : r.high;
    }
    return r;
}

/* The next nodes in [low, high] with a processor left from `at` on in this direction:
 * those with jobs one by one, vacant ones of one pool together; 0 = none. *ret_low =
 * the lowest. */
static uint32_t next_nodes(const struct plan *p, const struct range *in, uint32_t at,
    enum direction dir, uint32_t *ret_low)
{
    const struct bitset *vacant = nodes_vacant(p->c);
    uint32_t low = in->low, high = in->high;

    if (at < low || at > high)
        return 0;
    at = dir == DIR_UP ? bitset_next_within(&p->free_nodes, at, high + 1)
                       : bitset_prev(&p->free_nodes, at);
    *ret_low = at;
    if (at == BITSET_NONE || at < low || at > high)
        return 0;
    const struct node *n = p->c->nodes.v[at];
    if (!bitset_test(vacant, at) || n->pool == INDEX_NONE)
        return 1;
    const struct bitset *members = &p->pools.v[n->pool].members;
    if (dir == DIR_UP) {
        uint32_t end = bitset_gap_within(vacant, at, high + 1);
        return bitset_gap_within(members, at, end) - at;
    }
    low = bitset_run_down(vacant, at, low);
    *ret_low = low = bitset_run_down(members, at, low);
    return at - low + 1;
}

/* Take tasks from `count` nodes of equal room from `low` on, which hold them. */
static void take_tasks(struct allocs *ret, uint32_t low, uint32_t count, uint32_t each,
    uint32_t need, enum direction dir)
{
    uint32_t full = need / each < count ? need / each : count;

    if (full)
        push_run(ret, dir == DIR_UP ? low : low + count - full, full, each);
    need -= full * each;
    if (need)
        push_run(ret, dir == DIR_UP ? low + full : low + count - full - 1, 1, need);
}

/* The first nodes in this direction that hold the job, of pools under their caps; 0, or
 * tasks left over. Vacant nodes of a pool have the same room. */
static uint32_t take_nodes(struct plan *p, const struct job *j, const struct fitset *s,
    enum direction dir, struct allocs *ret)
{
    const struct cluster *c = p->c;
    const struct range in = range_of(p, s);
    uint32_t need = j->reqs[0].tasks, low, count;
    uint32_t at = dir == DIR_UP ? in.low : in.high;

    while (need > 0 && (count = next_nodes(p, &in, at, dir, &low)) > 0) {
        const struct node *n = c->nodes.v[low];
        bool open = n->pool != INDEX_NONE && p->caps.v[n->pool] > 0;
        int64_t each = open ? avail_tasks_now(c, j, j->reqs[0].def, n) : 0;
        int64_t all = each * count < need ? each * count : need;
        uint32_t k = all ? (uint32_t)under_caps(p, &p->pools.v[n->pool], all) : 0;
        if (k)
            take_tasks(ret, low, count, (uint32_t)each, k, dir);
        need -= k;
        if (dir == DIR_DOWN && low == 0)
            break;
        at = dir == DIR_UP ? low + count : low - 1;
    }
    return need;
}

/* Candidates of one pool planned by count: what its nodes can take, but in all no
 * more than reservations leave for the whole interval. With one pool alone the caller
 * has tested the sum, and all candidates are offered. */
static void collect_pool(struct plan *p, const struct job *j, const struct pool *pool,
    int64_t end, bool alone)
{
    const struct taskdef *def = j->reqs[0].def;
    const struct node *sample = p->c->nodes.v[pool->nodes.v[0]];
    uint32_t view = walls_view(p, j);
    struct cand cand = {.free_until = walls_next(p, view, pool->stack, p->now),
        .affinity = rsvview_affinity(p, j, sample, p->now, end)};

    for (size_t i = 0; i < pool->nodes.n && p->caps.v[pool->index] > 0; i++) {
        cand.node = pool->nodes.v[i];
        if (!bitset_test(&p->free_nodes, cand.node))
            continue;
        int64_t k = avail_tasks_now(p->c, j, def, p->c->nodes.v[cand.node]);
        if (!alone)
            k = under_caps(p, pool, k);
        cand.tasks = (uint32_t)k;
        if (k > 0)
            vec_push(&p->cands, cand);
    }
}

static int compare_cands(const void *a, const void *b)
{
    uint32_t x = ((const struct cand *)a)->node, y = ((const struct cand *)b)->node;

    return (x > y) - (x < y);
}

void place_collect_counted(
    struct plan *p, const struct job *j, const struct fitset *s, int64_t end)
{
    cap_pools(p, j, s, end);
    for (size_t i = 0; i < s->pools.n; i++) {
        const struct pool *pool = &p->pools.v[s->pools.v[i].pool];
        if (!pool->by_node && p->caps.v[pool->index] > 0)
            collect_pool(p, j, pool, end, s->pools.n == 1);
    }
    if (s->pools.n > 1 && p->cands.n)
        qsort(p->cands.v, p->cands.n, sizeof *p->cands.v, compare_cands);
}

static int place_by_policy(struct plan *p, const struct job *j, const struct fitset *s,
    struct allocs *ret, enum wait_code *ret_code)
{
    int64_t end = time_add(p->now, plan_duration(s, j));
    struct nodealloc a = {.c = p->c,
        .j = j,
        .req = &j->reqs[0],
        .par = par_of(p, s),
        .start_at = p->now,
        .end_at = end,
        .immediate = true};

    p->cands.n = 0;
    place_collect_counted(p, j, s, end);
    return nodealloc_choose(&a, p->cands.v, p->cands.n, ret, ret_code);
}

uint32_t set_of(const struct plan *p, const struct fitset *s)
{
    return (uint32_t)(s - p->sets.v);
}

int plan_place_now(struct plan *p, const struct job *j, uint32_t partition,
    struct allocs *ret, enum wait_code *ret_code)
{
    struct fitset *s = fit_for(p, j, partition);

    ret->n = 0;
    *ret_code = WAIT_FEASIBLE;
    if (!s)
        return -1;
    if (set_has_by_node(p, s))
        return bynode_place_now(p, j, set_of(p, s), ret, ret_code);
    *ret_code = WAIT_RESOURCES;
    int64_t end = time_add(p->now, plan_duration(s, j));
    if (search_free_until(p, s, walls_view(p, j), end) < j->reqs[0].tasks)
        return -1; /* the caller has looked through what is there */
    enum direction dir = direction_for(p, j, s);
    if (dir == DIR_NONE)
        return place_by_policy(p, j, s, ret, ret_code);
    cap_pools(p, j, s, end);
    if (take_nodes(p, j, s, dir, ret) == 0)
        return 0;
    ret->n = 0;
    return -1;
}
