/* SPDX-License-Identifier: Apache-2.0
 * What suspended jobs keep of the nodes they ran on: memory and swap, which no signal
 * gives back. Source: reference preemption, section 2. */
#include "cluster/nodes/private.h"

static void add_held(struct res *held, const struct node *n, const struct job *j)
{
    static const enum res_dim kept[] = {RES_MEM, RES_SWAP};
    const struct alloc *a;

    for (size_t i = 0; (a = job_piece_on(j, n->index, &i));) {
        const struct taskdef *d = j->reqs[a->req].def;
        for (size_t k = 0; k < sizeof kept / sizeof *kept; k++)
            held->v[kept[k]] += taskdef_takes(d, &n->cfg, (int)kept[k], a->tasks);
    }
}

struct res node_held(
    const struct cluster *c, const struct node *n, const struct job *but)
{
    struct res held = {{0}};

    for (size_t i = 0; c->suspended && i < c->active.n; i++) {
        const struct job *j = c->jobs.v[c->active.v[i]];
        if (j->state == JOB_SUSPENDED && j != but)
            add_held(&held, n, j);
    }
    return held;
}
