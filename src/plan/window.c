/* SPDX-License-Identifier: Apache-2.0
 * Windows for backfill: what any request of one processor a task might get from now on
 * of a job that the same reservations let in. */
#include "plan/window.h"

#include "cluster/folded.h"
#include "plan/bynode/single.h"
#include "plan/counted/from_now.h"
#include "plan/plan_private.h"

/* plan_windows() as last asked for one access class. */
struct outlook {
    uint64_t version; /* of the plan */
    uint32_t partition;
    struct windows windows;
};

struct windows_known {
    struct VEC(uint32_t) uncounted;      /* pools in no known unit, or by node */
    uint64_t stamp;                      /* of the pools */
    struct VEC(struct outlook) outlooks; /* by access class + 1 */
};

struct windows_known *windows_create(void)
{
    return xcalloc(1, sizeof(struct windows_known));
}

void windows_destroy(struct windows_known *w)
{
    if (!w)
        return;
    vec_fini(&w->uncounted);
    for (size_t i = 0; i < w->outlooks.n; i++)
        vec_fini(&w->outlooks.v[i].windows);
    vec_fini(&w->outlooks);
    free(w);
}

/* Planned by count, in units that are known? */
static bool counts(const struct pool *pool)
{
    return !pool->by_node && pool->unit;
}

/* Pools of which not even a unit is known are not in counted/'s answer. */
static void find_uncounted(struct plan *p)
{
    if (p->windows->stamp == pools_stamp(p->pools))
        return;
    p->windows->uncounted.n = 0;
    for (uint32_t i = 0; i < pools_count(p->pools); i++)
        if (!counts(pools_at(p->pools, i)))
            vec_push(&p->windows->uncounted, i);
    p->windows->stamp = pools_stamp(p->pools);
}

/* The first stair that ends after `at`. */
static const struct free_until *stair_after(
    const struct free_untils *stairs, int64_t at)
{
    size_t lo = 0, hi = stairs->n - 1; /* the last ends never */

    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (stairs->v[mid].until <= at)
            lo = mid + 1;
        else
            hi = mid;
    }
    return &stairs->v[lo];
}

/* The first instant after `at` at which something reserved begins on the pool. */
static int64_t next_pin(const struct plan *p, const struct pool *pool, int64_t at)
{
    int64_t next = TIME_NEVER;

    for (size_t k = 0; k < pool->nodes.n; k++) {
        const struct pins *pins = pintable_on(p->pins, pool->nodes.v[k]);
        for (size_t i = 0; pins && i < pins->v.n; i++)
            if (pins->v.v[i].start_at > at && pins->v.v[i].start_at < next)
                next = pins->v.v[i].start_at;
    }
    return next;
}

/* Processors of the pool free from now until `end`, node by node. */
static int64_t procs_until(struct plan *p, const struct pool *pool, int64_t end)
{
    int64_t sum = 0;

    for (size_t k = 0; k < pool->nodes.n; k++) {
        const struct node *n = node_at(p->c, pool->nodes.v[k]);
        if (!node_has_room(p->c, n->index))
            continue;
        int64_t free = n->cfg.v[RES_PROCS] - node_dedicated(p->c, n).v[RES_PROCS];
        sum += single_procs_until(p->bynode, n, free, end);
    }
    return sum;
}

uint32_t plan_access(struct plan *p, const struct job *j)
{
    return closures_access(p->closures, j, p->now);
}

uint64_t plan_access_epoch(struct plan *p)
{
    if (closures_sets(p->closures) <= 1)
        return 0;
    return closures_epoch(p->closures) << 32
           | signatures_types(closures_signatures(p->closures));
}

bool plan_window(struct plan *p, uint32_t partition, uint32_t access, int64_t after_s,
    struct window *ret_window)
{
    int64_t after = time_add(p->now, after_s);

    check_answerable(p);
    if (after_s >= DURATION_UNLIMITED)
        return false;
    const struct free_untils *stairs = from_now_procs(p->counted, partition, access);
    find_uncounted(p);
    int64_t end = stair_after(stairs, after)->until;
    for (size_t i = 0; i < p->windows->uncounted.n; i++) {
        const struct pool *pool = pools_at(p->pools, p->windows->uncounted.v[i]);
        if (pool->partition != partition || !pool->by_node)
            continue;
        int64_t pin = next_pin(p, pool, after);
        end = pin < end ? pin : end;
    }
    ret_window->duration_s = end < TIME_NEVER ? end - p->now : DURATION_UNLIMITED;
    ret_window->procs =
        stair_after(stairs, end < TIME_NEVER ? end - 1 : TIME_NEVER)->units;
    for (size_t i = 0; i < p->windows->uncounted.n; i++) {
        const struct pool *pool = pools_at(p->pools, p->windows->uncounted.v[i]);
        if (pool->partition == partition)
            ret_window->procs += procs_until(p, pool, end);
    }
    return true;
}

const struct windows *plan_windows(struct plan *p, uint32_t partition, uint32_t access)
{
    size_t place = access + 1u; /* PLAN_ACCESS_ANY is the first */
    struct window w = {0};

    check_answerable(p);
    while (p->windows->outlooks.n <= place)
        vec_push(&p->windows->outlooks, (struct outlook){0});
    struct outlook *o = &p->windows->outlooks.v[place];
    if (o->version == p->version && o->partition == partition)
        return &o->windows;
    o->version = p->version;
    o->partition = partition;
    o->windows.n = 0;
    while (plan_window(p, partition, access, w.duration_s, &w))
        vec_push(&o->windows, w);
    return &o->windows;
}
