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

/* Where it is not known what is left, a request that could have k tasks alone has taken
 * 1/k of the node with each of them: that is never too little, whatever is limited. */
uint32_t joint_left(const struct joint *g, uint32_t r, size_t i)
{
    uint32_t tasks = g->m->tasks[r][i];
    const struct taskdef *def = def_of(g, r);

    if (tasks == 0 || g->share[i] <= ROUNDING
        || (g->share[i] < 1
            && (def->access == ACCESS_SINGLETASK
                || g->m->reqs[r].j->flags & JOB_APART)))
        return 0;
    if (g->share[i] < 1 && !g->room)
        tasks = (uint32_t)floor(g->share[i] * tasks + ROUNDING);
    if (g->share[i] < 1 && g->room) {
        uint32_t fit = room_tasks(&g->room[i], def, node_of(g, i));
        tasks = fit < tasks ? fit : tasks;
    }
    return def->tpn > 1 ? tasks - tasks % def->tpn : tasks;
}

void joint_promise(struct joint *g, uint32_t r, size_t i, uint32_t tasks)
{
    const struct taskdef *def = def_of(g, r);
    double share = g->share[i] - (double)tasks / g->m->tasks[r][i];

    if (def->access == ACCESS_SINGLETASK || (!g->room && def->mem_per_node_mb > 0))
        share = 0;
    else if (g->room && share <= ROUNDING)
        share = 2 * ROUNDING; /* the amounts tell what is left */
    g->share[i] = share;
    if (g->room)
        room_take_own(&g->room[i], def, node_of(g, i), tasks);
}

void joint_reset(struct joint *g)
{
    g->pieces.ret->n = g->pieces.first;
    g->pieces.dir = 0;
    for (size_t i = 0; i < g->m->n; i++)
        g->share[i] = 1;
    for (size_t i = 0; g->room && i < g->m->n; i++)
        room_copy(&g->room[i], &g->m->room[i]);
}

void joint_init(struct joint *g, const struct nodealloc_multi *m, struct allocs *ret)
{
    *g = (struct joint){.m = m, .pieces = {ret, ret->n, 0}};
    g->share = xmalloc(m->n * sizeof *g->share);
    if (m->room)
        g->room = xcalloc(m->n, sizeof *g->room);
    joint_reset(g);
}

void joint_fini(struct joint *g)
{
    for (size_t i = 0; g->room && i < g->m->n; i++)
        room_fini(&g->room[i]);
    free(g->share);
    free(g->room);
}
