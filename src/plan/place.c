/* SPDX-License-Identifier: Apache-2.0
 * Binding nodes to a job that starts now. The usual case, identical nodes taken in
 * RM order or its reverse, walks a bit set and never looks at single nodes of a
 * simple pool; everything else collects candidates for nodealloc_choose(). */
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

/* Lowest (highest) free nodes of a simple pool, as runs. */
static uint32_t take_up(
    const struct plan *p, const struct pool *pool, uint32_t need, struct allocs *ret)
{
    uint32_t last = pool->nodes.v[pool->nodes.n - 1];
    uint32_t at = bitset_next(&p->free_nodes, pool->nodes.v[0]);

    while (need && at != BITSET_NONE && at <= last) {
        uint32_t stop = bitset_next_clear(&p->free_nodes, at);
        if (stop > last + 1)
            stop = last + 1;
        uint32_t k = stop - at < need ? stop - at : need;
        push_run(ret, at, k, 1);
        need -= k;
        at = bitset_next(&p->free_nodes, stop);
    }
    return need;
}

static uint32_t take_down(
    const struct plan *p, const struct pool *pool, uint32_t need, struct allocs *ret)
{
    uint32_t first = pool->nodes.v[0];
    uint32_t at = bitset_prev(&p->free_nodes, pool->nodes.v[pool->nodes.n - 1]);

    while (need && at != BITSET_NONE && at >= first) {
        uint32_t k = 1;
        while (k < need && at - k + 1 > first && bitset_test(&p->free_nodes, at - k))
            k++;
        push_run(ret, at - k + 1, k, 1);
        need -= k;
        if (at - k + 1 <= first)
            break;
        at = bitset_prev(&p->free_nodes, at - k);
    }
    return need;
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

    if (s->pools.n != 1 || pool->by_node || def->prefs.n || j->reqs[0].nodes)
        return DIR_NONE;
    if (policy == NODEALLOC_UNSET)
        policy = par_of(p, s)->nodealloc;
    return plain_direction(policy);
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

/* The first candidates in the policy's order that hold the job: the policy would take
 * none of the others. */
static void collect_enough(
    struct plan *p, const struct job *j, const struct pool *pool, enum direction dir)
{
    const struct taskdef *def = j->reqs[0].def;
    const struct bitset *b = &p->free_nodes;
    int64_t need = j->reqs[0].tasks;
    uint32_t low = pool->nodes.v[0], high = pool->nodes.v[pool->nodes.n - 1];
    uint32_t at = dir == DIR_UP ? bitset_next(b, low) : bitset_prev(b, high);

    while (need > 0 && at != BITSET_NONE && at >= low && at <= high) {
        const struct node *n = p->c->nodes.v[at];
        uint32_t k = n->pool == pool->index ? avail_tasks_now(p->c, j, def, n) : 0;
        struct cand cand = {.node = at,
            .tasks = k,
            .free_until = TIME_NEVER,
            .affinity = AFFINITY_NONE};
        if (k > 0)
            vec_push(&p->cands, cand);
        need -= k;
        if (dir == DIR_DOWN && at == 0)
            break;
        at = dir == DIR_UP ? bitset_next(b, at + 1) : bitset_prev(b, at - 1);
    }
    for (size_t i = 0; dir == DIR_DOWN && i < p->cands.n / 2; i++) {
        struct cand swap = p->cands.v[i];
        p->cands.v[i] = p->cands.v[p->cands.n - 1 - i];
        p->cands.v[p->cands.n - 1 - i] = swap;
    }
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
    enum direction dir = direction_for(p, j, s);
    struct nodealloc a = {.c = p->c,
        .j = j,
        .req = &j->reqs[0],
        .par = par_of(p, s),
        .start_at = p->now,
        .end_at = end,
        .immediate = true};

    p->cands.n = 0;
    if (dir == DIR_NONE)
        place_collect_counted(p, j, s, end);
    else
        collect_enough(p, j, &p->pools.v[s->pools.v[0].pool], dir);
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
    const struct pool *pool = &p->pools.v[s->pools.v[0].pool];
    enum direction dir = direction_for(p, j, s);
    bool busy = p->c->partitions.v[pool->partition]->busy_nodes > 0;
    if (dir == DIR_NONE || !pool->simple || !pool->contiguous || busy)
        return place_by_policy(p, j, s, ret, ret_code);
    uint32_t need = j->reqs[0].tasks;
    need = dir == DIR_UP ? take_up(p, pool, need, ret) : take_down(p, pool, need, ret);
    *ret_code = WAIT_RESOURCES;
    return need ? -1 : 0;
}
