/* SPDX-License-Identifier: Apache-2.0
 * What a request wants of nodes, and whether candidates hold it. */
#include "config/settings.h"
#include "plan/nodes/nodealloc_private.h"

bool nodealloc_want_of(const struct nodealloc *a, struct nodealloc_want *ret)
{
    const struct taskdef *def = a->req->def;
    uint32_t unit = def->tpn > 1 ? def->tpn : 1;
    uint32_t nodes = def->exactnode ? a->req->nodes : 0;

    if (a->req->tasks % unit)
        return false;
    *ret = (struct nodealloc_want){.unit = unit,
        .units = a->req->tasks / unit,
        .node_min = 1,
        .node_max = def->access == ACCESS_SINGLETASK ? 1 : UINT32_MAX};
    ret->nodes = nodes < ret->units ? nodes : ret->units;
    if (!a->c->cfg->enable_multinode_jobs) {
        ret->node_min = ret->units;
        return ret->nodes <= 1;
    }
    return true;
}

enum nodealloc_policy nodealloc_policy_of(const struct nodealloc *a)
{
    enum nodealloc_policy p = a->req->def->nodealloc;

    if (p == NODEALLOC_UNSET)
        p = a->par->nodealloc;
    return p == NODEALLOC_CPULOAD && !a->immediate ? NODEALLOC_MINRESOURCE : p;
}

double nodealloc_idle_procs(const struct cluster *c, const struct node *n)
{
    node_unfold(c, n);
    double ded = (double)n->ded.v[RES_PROCS];
    return (double)n->cfg.v[RES_PROCS] - (ded > n->load ? ded : n->load);
}

const struct taskdef *nodealloc_hosts(const struct nodealloc *a)
{
    const struct taskdef *def = a->req->def;

    return def->hosts.n && !(a->j->flags & JOB_IGNHOSTLIST) ? def : NULL;
}

/* ---- pieces ----------------------------------------------------------------- */

void nodealloc_emit(
    struct nodealloc_pieces *p, uint32_t node, uint32_t tasks, uint32_t req)
{
    struct alloc *last = p->ret->n > p->first ? &p->ret->v[p->ret->n - 1] : NULL;

    if (last && last->tasks == tasks && last->req == req) {
        if (p->dir >= 0 && last->first + last->count == node) {
            last->count++;
            p->dir = 1;
            return;
        }
        if (p->dir <= 0 && node + 1 == last->first) {
            last->first--;
            last->count++;
            p->dir = -1;
            return;
        }
    }
    vec_push(p->ret, ((struct alloc){node, 1, tasks, req}));
    p->dir = 0;
}

/* ---- candidates for it ---- */

static int by_cap(const void *x, const void *y)
{
    const struct nodealloc_place *a = x, *b = y;

    if (a->cap != b->cap)
        return a->cap > b->cap ? -1 : 1;
    return a->at < b->at ? -1 : a->at > b->at;
}

static int by_place(const void *x, const void *y)
{
    const struct nodealloc_place *a = x, *b = y;

    return a->at < b->at ? -1 : a->at > b->at;
}

uint64_t nodealloc_sum_of(
    const struct nodealloc_want *w, const struct cand *cands, size_t n)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += nodealloc_cap(w, &cands[i]);
    return sum;
}

struct nodealloc_place *nodealloc_roomiest(
    const struct nodealloc_want *w, const struct cand *cands, size_t n, size_t pinned)
{
    struct nodealloc_place *p = xmalloc(n * sizeof *p);
    uint64_t sum = 0;

    for (size_t i = 0; i < n; i++)
        p[i] = (struct nodealloc_place){nodealloc_cap(w, &cands[i]), i};
    qsort(p + pinned, n - pinned, sizeof *p, by_cap);
    for (size_t i = 0; i < w->nodes; i++)
        sum += p[i].cap;
    if (sum < w->units) {
        free(p);
        return NULL;
    }
    qsort(p, w->nodes, sizeof *p, by_place);
    return p;
}

bool nodealloc_suffices(
    const struct nodealloc_want *w, const struct cand *cands, size_t n)
{
    if (w->nodes == 0)
        return nodealloc_sum_of(w, cands, n) >= w->units;
    if (n < w->nodes)
        return false;
    struct nodealloc_place *p = nodealloc_roomiest(w, cands, n, 0);
    bool enough = p != NULL;
    free(p);
    return enough;
}
