/* SPDX-License-Identifier: Apache-2.0
 * Questions about jobs that nobody has submitted, and about single nodes. What a
 * question touches is put back, or is of a version of the plan that is over then. */
#include "base/xalloc.h"
#include "plan/plan_private.h"

/* What the plan says in a job, as it was before. */
struct mark {
    uint32_t job, slot, partition;
    int64_t start_at;
};

struct plan_trial {
    struct fit_trial fit;
    bool aside;       /* another plan answers meanwhile: */
    struct plan kept; /* the plan itself */
    struct VEC(struct mark) marks;
};

/* Does it ask for what the pools are not divided by? */
static bool asks_for_more(const struct plan *p, const struct taskdef *def)
{
    struct demand own = {0};

    demand_add(&own, def);
    bool more = demand_exceeds(&own, &p->demand);
    demand_fini(&own);
    return more;
}

static void keep_marks(struct plan_trial *t)
{
    for (uint32_t i = 0; i < t->kept.nrsv; i++) {
        struct job *j = NULL;
        if (t->kept.rsvs.v[i].job != INDEX_NONE)
            j = t->kept.c->jobs.v[t->kept.rsvs.v[i].job];
        if (!j)
            continue;
        vec_push(&t->marks,
            ((struct mark){j->index, j->rsv_slot, j->rsv_partition, j->rsv_start_at}));
        j->rsv_slot = INDEX_NONE;
        j->rsv_start_at = 0;
    }
}

/* Put in the place of `p` a plan with pools that the asker's request divides, with what
 * is reserved made anew in the same order: as the next cycle would if the job were
 * submitted. */
static void step_aside(struct plan *p, const struct job *j, struct plan_trial *t)
{
    struct plan *fresh = plan_create(p->c);
    const struct plan *kept = &t->kept;
    struct slot slot;

    t->aside = true;
    t->kept = *p;
    *p = *fresh;
    free(fresh);
    p->now = kept->now;
    p->asker = j;
    p->crossing = kept->crossing;
    vec_reserve(&p->ends, kept->ends.n);
    for (size_t i = 0; i < kept->ends.n; i++)
        vec_push(&p->ends, kept->ends.v[i]);
    p->node_epoch = p->c->node_epoch;
    keep_marks(t);
    pools_rebuild(p);
    away_see_suspended(p);
    count_again(p);
    for (size_t i = 0; i < t->marks.n; i++) {
        struct job *other = p->c->jobs.v[t->marks.v[i].job];
        if (plan_first_fit(p, other, p->now, &slot))
            plan_reserve(p, other, &slot);
    }
}

static void step_back(struct plan *p, struct plan_trial *t)
{
    struct plan *other = xmalloc(sizeof *other);

    *other = *p;
    *p = t->kept;
    plan_destroy(other);
    for (size_t i = 0; i < t->marks.n; i++) {
        const struct mark *m = &t->marks.v[i];
        struct job *j = p->c->jobs.v[m->job];
        j->rsv_slot = m->slot;
        j->rsv_partition = m->partition;
        j->rsv_start_at = m->start_at;
    }
    vec_fini(&t->marks);
}

struct plan_trial *plan_try(struct plan *p, const struct job *j)
{
    struct plan_trial *t = xcalloc(1, sizeof *t);

    if (asks_for_more(p, j->reqs[0].def))
        step_aside(p, j, t);
    p->version++; /* the asker's index may be that of another job */
    fit_try(p, j->reqs[0].def, &t->fit);
    return t;
}

void plan_try_end(struct plan *p, struct plan_trial *t)
{
    fit_try_end(p, &t->fit);
    if (t->aside)
        step_back(p, t);
    p->version++;
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

void plan_free_nodes(struct plan *p, const struct job *j, uint32_t partition, void *ctx,
    plan_free_fn *each)
{
    const struct taskdef *def = j->reqs[0].def;
    int64_t *given = xcalloc(p->pools.n + 1, sizeof *given);

    for (size_t i = 0; i < p->c->nodes.n; i++) {
        const struct node *n = node_at(p->c, i);
        struct pool *pool = pool_of(p, n->index);
        if (!pool || n->partition != partition || !feasible_node(p->c, def, n, NULL))
            continue;
        struct plan_free f = {
            .node = n, .tasks = bynode_tasks(p, j, def, n, p->now, p->now + 1)};
        if (!f.tasks)
            continue;
        f.until = bynode_holds_until(p, j, def, n, f.tasks, p->now);
        f.some_until = bynode_holds_until(p, j, def, n, 1, p->now);
        if (!pool->by_node && pool->unit)
            limit_to_count(p, pool, def, &given[pool->index], &f);
        if (f.some_until > p->now)
            each(ctx, &f);
    }
    free(given);
}
