/* SPDX-License-Identifier: Apache-2.0
 * Generic resources: which float, and what jobs have of those. A resource that no
 * real node has is taken from the pseudo node GLOBAL (NODECFG[GLOBAL] GRES=...).
 * Source: reference node-allocation 8. */
#include "cluster/nodes/private.h"

void gres_set(struct gres_amounts *l, uint32_t id, int64_t count)
{
    struct gres g = {id, count};
    size_t i = 0;

    while (i < l->n && l->v[i].id < id)
        i++;
    if (i == l->n || l->v[i].id != id) {
        vec_push(l, g);
        memmove(l->v + i + 1, l->v + i, (l->n - 1 - i) * sizeof *l->v);
    }
    l->v[i] = g;
}

int64_t node_gres(const struct node *n, uint32_t id)
{
    for (size_t i = 0; i < n->gres_cfg.n; i++)
        if (n->gres_cfg.v[i].id == id)
            return n->gres_cfg.v[i].count;
    return 0;
}

bool gres_count_node(struct cluster *c, const struct node *n, int sign)
{
    struct node_store *p = c->node_store;
    bool turned = false;

    for (size_t i = 0; !n->global && i < n->gres_cfg.n; i++) {
        uint32_t id = n->gres_cfg.v[i].id;
        while (p->gres_nodes.n <= id)
            vec_push(&p->gres_nodes, 0);
        p->gres_nodes.v[id] = (uint32_t)(p->gres_nodes.v[id] + sign);
        turned |= p->gres_nodes.v[id] == (sign > 0 ? 1u : 0u);
    }
    return turned;
}

static struct node *global(const struct cluster *c)
{
    return c->global_node == INDEX_NONE ? NULL : node_at(c, c->global_node);
}

bool gres_is_floating(const struct cluster *c, uint32_t id)
{
    const struct node *g = global(c);

    if (!g || (id < c->node_store->gres_nodes.n && c->node_store->gres_nodes.v[id]))
        return false;
    return node_gres(g, id) > 0;
}

int64_t gres_floating_free(const struct cluster *c, uint32_t id)
{
    const struct node *g = global(c);

    for (size_t i = 0; gres_is_floating(c, id) && i < g->gres_cfg.n; i++)
        if (g->gres_cfg.v[i].id == id)
            return g->gres_cfg.v[i].count - g->gres_ded.v[i].count;
    return 0;
}

/* No more than GRES_MOST, of which several can be summed: of each a job may ask for
 * 2^31 in as many tasks, and that in hundreds of requests. */
#define GRES_MOST (INT64_C(1) << 60)

static void add_most(int64_t *io_sum, int64_t n)
{
    *io_sum += n < GRES_MOST - *io_sum ? n : GRES_MOST - *io_sum;
}

int64_t gres_of_job(const struct job *j, uint32_t id)
{
    int64_t sum = 0;

    for (uint32_t r = 0; r < j->nreqs; r++) {
        const struct taskdef *d = req_def(&j->reqs[r]);
        for (size_t i = 0; i < d->gres.n; i++)
            if (d->gres.v[i].id == id)
                add_most(&sum, d->gres.v[i].count * (int64_t)j->reqs[r].tasks);
        for (size_t i = 0; i < d->job_gres.n; i++)
            if (d->job_gres.v[i].id == id)
                add_most(&sum, d->job_gres.v[i].count);
    }
    return sum;
}

/* Add the job's floating resources to what is dedicated, without a check. True when
 * it has any. */
static bool add(const struct cluster *c, struct node *g, const struct job *j, int sign)
{
    bool any = false;

    for (size_t i = 0; i < g->gres_ded.n; i++) {
        struct gres *used = &g->gres_ded.v[i];
        int64_t n = gres_is_floating(c, used->id) ? gres_of_job(j, used->id) : 0;
        used->count += sign * n;
        any |= n > 0;
    }
    return any;
}

static int check_left(
    const struct cluster *c, const struct node *g, const struct job *j, struct err *err)
{
    for (size_t i = 0; i < g->gres_ded.n; i++) {
        uint32_t id = g->gres_ded.v[i].id;
        int64_t left = gres_floating_free(c, id);
        int64_t n = gres_is_floating(c, id) ? gres_of_job(j, id) : 0;
        if (n > 0 && n > left)
            return err_set(err, ERR_CONFLICT,
                "job '%s' needs %lld of floating resource '%s', %lld are left", j->id,
                (long long)n, names_text(c->gres, id), (long long)left);
    }
    return 0;
}

static void list_users(struct node *g, const struct job *j, int sign)
{
    if (sign > 0) {
        vec_push(&g->jobs, ((struct node_job){j->index, j->tasks}));
        return;
    }
    for (size_t i = 0; i < g->jobs.n; i++) {
        if (g->jobs.v[i].job == j->index) {
            vec_remove(&g->jobs, i);
            return;
        }
    }
}

int gres_float_use(struct cluster *c, const struct job *j, int sign, struct err *err)
{
    struct node *g = global(c);

    if (!g)
        return 0;
    if (sign > 0 && check_left(c, g, j, err))
        return -1;
    if (add(c, g, j, sign))
        list_users(g, j, sign);
    return 0;
}

void gres_recount(struct cluster *c)
{
    struct node *g = global(c);

    for (size_t i = 0; i < c->nodes.n; i++)
        node_recount(c, node_at(c, i));
    if (!g)
        return;
    g->jobs.n = 0;
    for (size_t i = 0; i < g->gres_ded.n; i++)
        g->gres_ded.v[i].count = 0;
    for (size_t i = 0; i < c->active.n; i++) {
        const struct job *j = c->jobs.v[c->active.v[i]];
        if (job_state_holds(j->state) && add(c, g, j, +1))
            list_users(g, j, +1);
    }
}
