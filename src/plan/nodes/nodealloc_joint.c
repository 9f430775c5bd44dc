/* SPDX-License-Identifier: Apache-2.0
 * What several requests have been promised of shared candidates, and what is left. */
#include "plan/nodes/nodealloc_private.h"

#include <math.h>

#define ROUNDING 1e-9

static const struct taskdef *def_of(const struct joint *g, uint32_t r)
{
    return g->m->reqs[r].req->def;
}

static const struct node *node_of(const struct joint *g, size_t i)
{
    return node_at(g->m->reqs[0].c, g->m->cands[i].node);
}

/* Is something limited on this node that amounts do not show? Then a request that
 * could have k tasks alone has taken 1/k of the node with each of them, which is
 * never too little, whatever it is that is limited. */
static bool proportional(const struct joint *g, uint32_t r, size_t i)
{
    const struct node *n = node_of(g, i);

    if (g->rest)
        return false;
    return !g->room || def_of(g, r)->gres.n || n->classes.n || n->maxproc >= 0
           || n->maxproc_per_user >= 0 || n->maxpe_per_job > 0
           || feasible_class_procs(g->m->reqs[r].c, n, def_of(g, r)->cls) < INT64_MAX;
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t task_procs(const struct taskdef *def, const struct node *n)
{
    int64_t procs = def->per_task.v[RES_PROCS];

    return procs < 0 ? n->cfg.v[RES_PROCS] : procs;
}

/* Of one generic resource per task; 0 also where it floats. */
static int64_t task_gres(const struct taskdef *def, uint32_t id)
{
    for (size_t i = 0; i < def->gres.n; i++)
        if (def->gres.v[i].id == id)
            return def->gres.v[i].count;
    return 0;
}

/* Tasks that what is left besides amounts lets in. */
static int64_t rest_fit(const struct joint *g, const struct taskdef *def, size_t i)
{
    const struct nodealloc_rest *rest = &g->rest[i];
    const struct node *n = node_of(g, i);
    int64_t k = rest->initiators, procs = task_procs(def, n);

    if (procs > 0 && rest->procs < INT64_MAX)
        k = least(k, rest->procs / procs);
    for (uint32_t x = 0; x < g->m->ngres; x++) {
        int64_t each = task_gres(def, g->m->gres[x]);
        if (each > 0)
            k = least(k, rest->gres[x] / each);
    }
    double pe = n->maxpe_per_job > 0 ? feasible_task_pe(def, n) : 0;
    if (pe > 0)
        k = least(k, (int64_t)floor(rest->pe / pe + ROUNDING));
    return k > 0 ? k : 0;
}

static void rest_take(
    const struct joint *g, const struct taskdef *def, size_t i, uint32_t tasks)
{
    struct nodealloc_rest *rest = &g->rest[i];
    const struct node *n = node_of(g, i);

    if (rest->initiators < INT32_MAX)
        rest->initiators -= tasks;
    if (rest->procs < INT64_MAX)
        rest->procs -= task_procs(def, n) * tasks;
    for (uint32_t x = 0; x < g->m->ngres; x++)
        rest->gres[x] -= task_gres(def, g->m->gres[x]) * tasks;
    rest->pe -= feasible_task_pe(def, n) * tasks;
}

uint32_t joint_left(const struct joint *g, uint32_t r, size_t i)
{
    uint32_t tasks = g->m->tasks[r][i];
    const struct taskdef *def = def_of(g, r);

    if (tasks == 0 || g->share[i] <= ROUNDING
        || (g->share[i] < 1 && def->access == ACCESS_SINGLETASK))
        return 0;
    if (g->share[i] < 1 && proportional(g, r, i))
        tasks = (uint32_t)floor(g->share[i] * tasks + ROUNDING);
    if (g->room && g->share[i] < 1) {
        int64_t fit = res_tasks(&g->room[i], &node_of(g, i)->cfg, &def->per_task);
        if (g->rest)
            fit = least(fit, rest_fit(g, def, i));
        if (fit < tasks)
            tasks = fit > 0 ? (uint32_t)fit : 0;
    }
    return def->tpn > 1 ? tasks - tasks % def->tpn : tasks;
}

void joint_promise(struct joint *g, uint32_t r, size_t i, uint32_t tasks)
{
    const struct taskdef *def = def_of(g, r);
    double share = g->share[i] - (double)tasks / g->m->tasks[r][i];

    if (def->access == ACCESS_SINGLETASK)
        share = 0;
    else if (g->room && share <= ROUNDING && !proportional(g, r, i))
        share = 2 * ROUNDING; /* the amounts tell what is left */
    g->share[i] = share;
    if (g->rest)
        rest_take(g, def, i, tasks);
    for (int d = 0; g->room && d < RES_DIMS; d++)
        g->room[i].v[d] -=
            def->per_task.v[d] < 0 ? g->room[i].v[d] : def->per_task.v[d] * tasks;
}

void joint_reset(struct joint *g)
{
    g->pieces.ret->n = g->pieces.first;
    g->pieces.dir = 0;
    for (size_t i = 0; i < g->m->n; i++)
        g->share[i] = 1;
    if (g->room)
        memcpy(g->room, g->m->room, g->m->n * sizeof *g->room);
    if (g->rest)
        memcpy(g->rest, g->m->rest, g->m->n * sizeof *g->rest);
}

void joint_init(struct joint *g, const struct nodealloc_multi *m, struct allocs *ret)
{
    *g = (struct joint){.m = m, .pieces = {ret, ret->n, 0}};
    g->share = xmalloc(m->n * sizeof *g->share);
    if (m->room)
        g->room = xmalloc(m->n * sizeof *g->room);
    if (m->room && m->rest)
        g->rest = xmalloc(m->n * sizeof *g->rest);
    joint_reset(g);
}

void joint_fini(struct joint *g)
{
    free(g->share);
    free(g->room);
    free(g->rest);
}
