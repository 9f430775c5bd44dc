/* SPDX-License-Identifier: Apache-2.0
 * Questions about jobs that nobody has submitted, and about single nodes. What a
 * question touches is put back, or is of a version of the plan that is over then. */
#include "base/xalloc.h"
#include "plan/plan_private.h"

struct plan_trial {
    struct fit_trial fit;
};

struct plan_trial *plan_try(struct plan *p, const struct job *j)
{
    struct plan_trial *t = xcalloc(1, sizeof *t);

    p->version++; /* the asker's index may be that of another job */
    fit_try(p, j->reqs[0].def, &t->fit);
    return t;
}

void plan_try_end(struct plan *p, struct plan_trial *t)
{
    fit_try_end(p, &t->fit);
    free(t);
}

int64_t plan_unit(const struct plan *p, uint32_t partition)
{
    int64_t unit = 0;
    size_t most = 0;

    for (size_t i = 0; i < p->pools.n; i++) {
        const struct pool *pool = &p->pools.v[i];
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
    int64_t until = p->now;

    if (pool->stairs.n == 0)
        count_stairs(p, pool);
    for (size_t i = 0; i < pool->stairs.n && pool->stairs.v[i].units >= units; i++)
        until = pool->stairs.v[i].until;
    return until;
}

void plan_free_nodes(struct plan *p, const struct job *j, uint32_t partition, void *ctx,
    void (*each)(void *ctx, const struct node *n, uint32_t tasks, int64_t until))
{
    const struct taskdef *def = j->reqs[0].def;
    int64_t *given = xcalloc(p->pools.n + 1, sizeof *given);

    for (size_t i = 0; i < p->c->nodes.n; i++) {
        const struct node *n = node_at(p->c, i);
        struct pool *pool = pool_of(p, n->index);
        if (!pool || n->partition != partition || !feasible_node(p->c, def, n, NULL))
            continue;
        uint32_t tasks = bynode_tasks(p, j, def, n, p->now, p->now + 1);
        if (!tasks)
            continue;
        int64_t until = bynode_holds_until(p, j, def, n, tasks, p->now);
        if (!pool->by_node && pool->unit) {
            int64_t each_procs = def->per_task.v[RES_PROCS];
            int64_t procs = each_procs < 0 ? n->cfg.v[RES_PROCS] : tasks * each_procs;
            given[pool->index] += (procs + pool->unit - 1) / pool->unit;
            int64_t kept = units_until(p, pool, given[pool->index]);
            until = kept < until ? kept : until;
        }
        if (until > p->now)
            each(ctx, n, tasks, until);
    }
    free(given);
}
