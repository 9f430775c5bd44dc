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
    const struct plan *p, const struct job *j, const struct fitset *s)
{
    const struct taskdef *def = j->reqs[0].def;
    const struct pool *pool = &p->pools.v[s->pools.v[0].pool];
    enum nodealloc_policy policy = def->nodealloc;

    if (s->pools.n != 1 || pool->by_node || def->prefs.n || j->reqs[0].nodes
        || (j->flags & JOB_ADVRES))
        return DIR_NONE;
    if (policy == NODEALLOC_UNSET)
        policy = par_of(p, s)->nodealloc;
    return plain_direction(policy);
}

/* The next nodes of the pool with a processor left from `at` on in this direction:
 * those with jobs one by one, vacant ones together; 0 = none. *ret_low = the lowest. */
static uint32_t next_nodes(const struct plan *p, const struct pool *pool, uint32_t at,
    enum direction dir, uint32_t *ret_low)
{
    const struct bitset *vacant = nodes_vacant(p->c);
    uint32_t low = pool->nodes.v[0], high = pool->nodes.v[pool->nodes.n - 1];

    if (at < low || at > high)
        return 0;
    if (dir == DIR_UP) {
        at = bitset_next_within(&p->free_nodes, at, high + 1);
        *ret_low = at;
        if (at > high)
            return 0;
        if (!bitset_test(vacant, at) || !bitset_test(&pool->members, at))
            return 1;
        uint32_t end = bitset_gap_within(vacant, at, high + 1);
        return bitset_gap_within(&pool->members, at, end) - at;
    }
    at = bitset_prev(&p->free_nodes, at);
    *ret_low = at;
    if (at == BITSET_NONE || at < low)
        return 0;
    if (!bitset_test(vacant, at) || !bitset_test(&pool->members, at))
        return 1;
    low = bitset_run_down(vacant, at, low);
    *ret_low = low = bitset_run_down(&pool->members, at, low);
    return at - low + 1;
}

/* Take tasks from `count` nodes of equal room from `low` on. */
static uint32_t take_tasks(struct allocs *ret, uint32_t low, uint32_t count,
    uint32_t each, uint32_t need, enum direction dir)
{
    uint32_t full = need / each < count ? need / each : count;

    if (full)
        push_run(ret, dir == DIR_UP ? low : low + count - full, full, each);
    need -= full * each;
    if (!need || full == count)
        return need;
    push_run(ret, dir == DIR_UP ? low + full : low + count - full - 1, 1, need);
    return 0;
}

/* The first nodes in this direction that hold the job; 0, or tasks left over. Vacant
 * nodes of a pool have the same room. */
static uint32_t take_nodes(struct plan *p, const struct job *j, const struct pool *pool,
    enum direction dir, struct allocs *ret)
{
    const struct cluster *c = p->c;
    uint32_t need = j->reqs[0].tasks, low, count;
    uint32_t at = dir == DIR_UP ? pool->nodes.v[0] : pool->nodes.v[pool->nodes.n - 1];

    while (need > 0 && (count = next_nodes(p, pool, at, dir, &low)) > 0) {
        if (bitset_test(&pool->members, low)) {
            uint32_t each = avail_tasks_now(c, j, j->reqs[0].def, c->nodes.v[low]);
            if (each)
                need = take_tasks(ret, low, count, each, need, dir);
        }
        if (dir == DIR_DOWN && low == 0)
            break;
        at = dir == DIR_UP ? low + count : low - 1;
    }
    return need;
}

/* Candidates of one pool planned by count: what its nodes can take, but in all no
 * more than `cap` tasks, which reservations leave for the whole interval. With one
 * pool alone the caller has tested the sum, and all candidates are offered. */
static void collect_pool(
    struct plan *p, const struct job *j, struct pool *pool, int64_t cap, bool alone)
{
    const struct taskdef *def = j->reqs[0].def;

    for (size_t i = 0; i < pool->nodes.n && cap > 0; i++) {
        uint32_t index = pool->nodes.v[i];
        if (!bitset_test(&p->free_nodes, index))
            continue;
        int64_t k = avail_tasks_now(p->c, j, def, p->c->nodes.v[index]);
        if (k > cap)
            k = cap;
        if (k <= 0)
            continue;
        struct cand cand = {.node = index,
            .tasks = (uint32_t)k,
            .free_until = TIME_NEVER,
            .affinity = AFFINITY_NONE};
        vec_push(&p->cands, cand);
        if (!alone)
            cap -= k;
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
    for (size_t i = 0; i < s->pools.n; i++) {
        struct pool *pool = &p->pools.v[s->pools.v[i].pool];
        if (pool->by_node)
            continue;
        int64_t cap = pool->nrsv ? count_stair(p, pool, end)->units : pool->free_now;
        collect_pool(p, j, pool, cap, s->pools.n == 1);
    }
    if (s->pools.n > 1 && p->cands.n)
        qsort(p->cands.v, p->cands.n, sizeof *p->cands.v, compare_cands);
}

static int place_by_policy(struct plan *p, const struct job *j, const struct fitset *s,
    struct allocs *ret, enum wait_code *ret_code)
{
    int64_t end = time_add(p->now, plan_duration(j));
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
    if (set_has_by_node(p, s) || rsvview_confined(p, j))
        return bynode_place_now(p, j, set_of(p, s), ret, ret_code);
    enum direction dir = direction_for(p, j, s);
    if (dir == DIR_NONE)
        return place_by_policy(p, j, s, ret, ret_code);
    if (take_nodes(p, j, &p->pools.v[s->pools.v[0].pool], dir, ret) == 0)
        return 0;
    ret->n = 0;
    *ret_code = WAIT_RESOURCES;
    return -1;
}
