/* SPDX-License-Identifier: Apache-2.0
 * Questions about single nodes. */
#include "base/xalloc.h"
#include "plan/bynode/bind.h"
#include "plan/bynode/rsvfree.h"
#include "plan/bynode/single.h"
#include "plan/feasible.h"
#include "plan/floating.h"
#include "plan/plan_private.h"

int64_t plan_unit(const struct plan *p, uint32_t partition)
{
    int64_t unit = 0;
    size_t most = 0;

    for (size_t i = 0; i < pools_count(p->pools); i++) {
        const struct pool *pool = pools_at(p->pools, i);
        if (pool->partition == partition && !pool->by_node && pool->unit
            && pool->nodes.n > most) {
            most = pool->nodes.n;
            unit = pool->unit;
        }
    }
    return unit;
}

/* Until when the pool has so many units for whoever starts now. */
static int64_t units_until(struct plan *p, struct pool *pool, int64_t units)
{
    const struct free_untils *list = count_free_until(p->counted, pool);
    int64_t until = p->now;

    for (size_t i = 0; i < list->n && list->v[i].units >= units; i++)
        until = list->v[i].until;
    return until;
}

static int64_t earlier(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* What the counted pool of the node leaves of it, when so many units were given of the
 * pool before. */
static void limit_to_count(struct plan *p, struct pool *pool, const struct taskdef *def,
    int64_t *given, struct plan_free *f)
{
    int64_t each_procs = def->per_task.v[RES_PROCS];
    int64_t procs = each_procs < 0 ? f->node->cfg.v[RES_PROCS] : f->tasks * each_procs;
    int64_t one = each_procs < 0 ? procs : each_procs;

    f->some_until = earlier(f->some_until,
        units_until(p, pool, *given + (one + pool->unit - 1) / pool->unit));
    *given += (procs + pool->unit - 1) / pool->unit;
    f->until = earlier(f->until, units_until(p, pool, *given));
}

uint32_t plan_tasks_on(
    struct plan *p, const struct job *j, uint32_t request, const struct node *n)
{
    const struct without without = {.reservations = true};
    const struct asker by = {p->bynode, j, j->reqs[request].def, &without};
    int64_t limit_s = plan_scaled(j->wclimit_s > 0 ? j->wclimit_s : 1,
        n->par->use_machine_speed && n->speed > 0 ? n->speed : 1);

    check_answerable(p);
    return single_tasks(&by, n, p->now, time_add(p->now, limit_s));
}

void plan_free_nodes(struct plan *p, const struct job *j, uint32_t partition, void *ctx,
    plan_free_fn *each)
{
    const struct taskdef *def = j->reqs[0].def;
    const struct asker by = asker_of(p->bynode, j, def);
    int64_t *given = xcalloc(pools_count(p->pools) + 1, sizeof *given);

    check_answerable(p);
    for (size_t i = 0; i < p->c->nodes.n; i++) {
        const struct node *n = node_at(p->c, i);
        struct pool *pool = pools_of_node(p->pools, n->index);
        if (!pool || n->partition != partition || !feasible_node(p->c, def, n, NULL))
            continue;
        struct plan_free f = {
            .node = n, .tasks = single_tasks(&by, n, p->now, p->now + 1)};
        if (!f.tasks)
            continue;
        f.until = single_holds_until(&by, n, f.tasks, p->now);
        f.some_until = single_holds_until(&by, n, 1, p->now);
        if (!pool->by_node && pool->unit)
            limit_to_count(p, pool, def, &given[pool->index], &f);
        if (f.some_until > p->now)
            each(ctx, &f);
    }
    free(given);
}

/* ---- nodes for a job that nobody has submitted ---- */

/* Looking at so many nodes for reservations is too much: some 0.02 s. It is longer
 * where reservations of other kinds are looked at as well. */
#define SUPPOSED_MAX        4000000u
#define SUPPOSED_CLOSED_MAX 400000u

static bool can_suppose(const struct plan *p)
{
    uint64_t looks = (uint64_t)rsvtable_count(p->reserved) * p->c->nodes.n;

    return looks
           <= (closures_sets(p->closures) > 1 ? SUPPOSED_CLOSED_MAX : SUPPOSED_MAX);
}

static bool suppose_now(struct plan *p, const struct job *j, uint32_t partition,
    void *ctx, plan_place_fn *each)
{
    struct allocs found = {0};
    enum wait_code code;
    bool placed = plan_place_now(p, j, partition, &found, &code) == 0;

    for (size_t i = 0; placed && i < found.n; i++)
        for (uint32_t k = 0; k < found.v[i].count; k++)
            each(ctx, INDEX_NONE, found.v[i].first + k, found.v[i].tasks);
    vec_fini(&found);
    return placed;
}

static void suppose_later(struct plan *p, const struct job *j, const struct slot *slot,
    void *ctx, plan_place_fn *each)
{
    const struct taskdef *def = j->reqs[0].def;
    const struct asker by = asker_of(p->bynode, j, def);
    const struct fitset *s = fits_for(p->fits, j, slot->partition);
    int64_t until = time_add(slot->at, plan_duration(s, j));
    uint32_t need = j->reqs[0].tasks;

    for (size_t i = 0; i < p->c->nodes.n && need; i++) {
        const struct node *n = node_at(p->c, i);
        if (n->partition != slot->partition || !pools_of_node(p->pools, n->index)
            || !feasible_node(p->c, def, n, NULL))
            continue;
        uint32_t tasks = single_tasks(&by, n, slot->at, until);
        tasks = tasks < need ? tasks : need;
        if (tasks)
            each(ctx, INDEX_NONE, n->index, tasks);
        need -= tasks;
    }
}

bool plan_suppose(struct plan *fork, const struct job *j, const struct slot *slot,
    void *ctx, plan_place_fn *each)
{
    check_answerable(fork);
    assert(fork->original);
    if (slot->at <= fork->now)
        return suppose_now(fork, j, slot->partition, ctx, each);
    if (!can_suppose(fork) || !bind_supposed(fork->bynode))
        return false;
    suppose_later(fork, j, slot, ctx, each);
    return true;
}

/* ---- nodes for a reservation that is not a job's ---- */

void plan_rsv_begin(struct plan *p, const struct reservation *r)
{
    check_answerable(p);
    rsvfree_begin(p->bynode, r);
}

uint32_t plan_rsv_tasks(
    void *plan, const struct reservation *r, uint32_t node, int64_t start, int64_t end)
{
    struct plan *p = plan;

    return rsvfree_tasks(p->bynode, r, node, start, end);
}

int64_t plan_rsv_next(const struct plan *p, int64_t after)
{
    int64_t next = floating_next(p, after);

    for (size_t i = 0; i < p->c->reservations.n; i++) {
        const struct reservation *r = p->c->reservations.v[i];
        if (r && reservation_is_live(r) && r->end_at > after && r->end_at < next)
            next = r->end_at;
    }
    return next;
}
