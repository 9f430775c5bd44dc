/* SPDX-License-Identifier: Apache-2.0
 * Jobs of several requests: the requests share the candidates, and no node is
 * promised twice. Source: reference node-allocation 1. */
#include "cluster/job.h"
#include "config/settings.h"
#include "plan/nodes/nodealloc_private.h"

#include <assert.h>

static const struct taskdef *def_of(const struct joint *g, uint32_t r)
{
    return g->m->reqs[r].req->def;
}

/* ---- hunger ----------------------------------------------------------------- */

struct hunger {
    uint64_t need, offer; /* tasks still needed; still on offer */
};

/* Is request x hungrier than y? Of equals the earlier request. */
static bool hungrier(const struct hunger *x, const struct hunger *y)
{
    return (long double)x->need * (long double)y->offer
           > (long double)y->need * (long double)x->offer;
}

static struct hunger *hunger_at_first(const struct joint *g)
{
    struct hunger *h = xcalloc(g->m->nreqs, sizeof *h);

    for (uint32_t r = 0; r < g->m->nreqs; r++) {
        h[r].need = g->m->reqs[r].req->tasks;
        for (size_t i = 0; i < g->m->n; i++)
            h[r].offer += g->m->tasks[r][i];
    }
    return h;
}

/* ---- node by node ----------------------------------------------------------- */

/* Only requests that take nodes as they come can be served node by node. */
static bool takes_any(const struct nodealloc *a)
{
    enum nodealloc_policy p = nodealloc_policy_of(a);

    return !(a->req->def->exactnode && a->req->nodes) && !nodealloc_hosts(a)
           && !nodeset_of(a) && a->c->cfg->enable_multinode_jobs
           && p < NODEALLOC_MAXBALANCE && p != NODEALLOC_CPULOAD
           && !(a->j->flags & JOB_ADVRES);
}

/* The hungriest request that can use candidate i; nreqs = none. */
static uint32_t hungriest(const struct joint *g, const struct hunger *h, size_t i)
{
    uint32_t best = g->m->nreqs;

    for (uint32_t r = 0; r < g->m->nreqs; r++) {
        if (h[r].need == 0 || joint_left(g, r, i) == 0)
            continue;
        if (best == g->m->nreqs || hungrier(&h[r], &h[best]))
            best = r;
    }
    return best;
}

static uint32_t portion(const struct joint *g, uint32_t r, size_t i, uint64_t need)
{
    uint32_t tasks = joint_left(g, r, i), tpn = def_of(g, r)->tpn;

    if (tasks > need)
        tasks = (uint32_t)need;
    return tpn > 1 ? tasks - tasks % tpn : tasks;
}

/* Hand out candidate i until nobody hungry can use it. */
static void hand_out(struct joint *g, struct hunger *h, size_t i)
{
    uint32_t r;

    while ((r = hungriest(g, h, i)) < g->m->nreqs) {
        uint32_t tasks = portion(g, r, i, h[r].need);
        if (tasks == 0)
            break;
        nodealloc_emit(&g->pieces, g->m->cands[i].node, tasks, g->m->reqs[r].req_index);
        joint_promise(g, r, i, tasks);
        h[r].need -= tasks;
    }
    for (r = 0; r < g->m->nreqs; r++)
        h[r].offer -= g->m->tasks[r][i];
}

static size_t index_of(const struct nodealloc_multi *m, uint32_t node)
{
    size_t lo = 0, hi = m->n;

    while (hi - lo > 1) {
        size_t mid = lo + (hi - lo) / 2;
        if (m->cands[mid].node <= node)
            lo = mid;
        else
            hi = mid;
    }
    assert(m->cands[lo].node == node);
    return lo;
}

/* Serve all requests in one walk, in the order that the first one's policy wants. */
static bool node_by_node(struct joint *g)
{
    const struct nodealloc_multi *m = g->m;
    struct nodealloc_want all = {.unit = 1, .units = 1, .node_min = 1, .node_max = 1};
    struct cand *order = xmalloc(m->n * sizeof *order);
    struct hunger *h = hunger_at_first(g);
    size_t n = m->n;
    bool done = false;

    memcpy(order, m->cands, n * sizeof *order);
    int dir = nodealloc_order(&m->reqs[0], &all, order, &n);
    for (size_t k = 0; k < n && !done; k++) {
        hand_out(g, h, index_of(m, order[dir > 0 ? k : n - 1 - k].node));
        done = true;
        for (uint32_t r = 0; r < m->nreqs; r++)
            done &= h[r].need == 0;
    }
    free(order);
    free(h);
    return done;
}

/* ---- request by request ----------------------------------------------------- */

/* Let request r choose among candidates from..to what the others left. */
static bool serve(
    struct joint *g, uint32_t r, size_t from, size_t to, enum wait_code *ret_code)
{
    struct cand *cands = xmalloc((to - from) * sizeof *cands);
    struct allocs mine = {0};
    size_t n = 0;

    for (size_t i = from; i < to; i++) {
        uint32_t tasks = joint_left(g, r, i);
        if (tasks) {
            cands[n] = g->m->cands[i];
            cands[n++].tasks = tasks;
        }
    }
    int rc = nodealloc_choose(&g->m->reqs[r], cands, n, &mine, ret_code);
    for (size_t k = 0; k < mine.n; k++) {
        size_t at = index_of(g->m, mine.v[k].first);
        for (uint32_t i = 0; i < mine.v[k].count; i++)
            joint_promise(g, r, at + i, mine.v[k].tasks);
        vec_push(g->pieces.ret, mine.v[k]);
    }
    vec_fini(&mine);
    free(cands);
    return rc == 0;
}

/* Requests in order of hunger. Owned by the caller. */
static uint32_t *queue_of(const struct joint *g)
{
    uint32_t *queue = xmalloc(g->m->nreqs * sizeof *queue);
    struct hunger *h = hunger_at_first(g);

    for (uint32_t r = 0; r < g->m->nreqs; r++) {
        uint32_t k = r;
        for (; k > 0 && hungrier(&h[r], &h[queue[k - 1]]); k--)
            queue[k] = queue[k - 1];
        queue[k] = r;
    }
    free(h);
    return queue;
}

/* Bring the k-th of the queue to its front. */
static void promote(uint32_t *queue, uint32_t k)
{
    uint32_t r = queue[k];

    memmove(queue + 1, queue, k * sizeof *queue);
    queue[0] = r;
}

/* In the order of the queue; a request that finds too little left goes first in the
 * next try. */
static bool in_turn(
    struct joint *g, uint32_t *queue, size_t from, size_t to, enum wait_code *ret_code)
{
    for (uint32_t tries = 0; tries < g->m->nreqs; tries++) {
        uint32_t k = 0;
        joint_reset(g);
        while (k < g->m->nreqs && serve(g, queue[k], from, to, ret_code))
            k++;
        if (k == g->m->nreqs)
            return true;
        if (k == 0)
            return false; /* it had all to choose from */
        promote(queue, k);
    }
    return false;
}

static bool request_by_request(struct joint *g, enum wait_code *ret_code)
{
    uint32_t *queue = queue_of(g);
    bool done = false;

    if (g->m->reqs[0].c->cfg->enable_multinode_jobs) {
        done = in_turn(g, queue, 0, g->m->n, ret_code);
    } else {
        /* all of the job on one node */
        for (size_t i = 0; i < g->m->n && !done; i++)
            done = in_turn(g, queue, i, i + 1, ret_code);
    }
    free(queue);
    return done;
}

int nodealloc_choose_multi(
    const struct nodealloc_multi *m, struct allocs *ret, enum wait_code *ret_code)
{
    bool plain = true, done = false;
    struct joint g;

    *ret_code = WAIT_RESOURCES;
    if (m->n == 0)
        return -1;
    joint_init(&g, m, ret);
    for (uint32_t r = 0; r < m->nreqs; r++)
        plain &= takes_any(&m->reqs[r]);
    if (plain)
        done = node_by_node(&g);
    if (!done)
        done = request_by_request(&g, ret_code) || joint_search(&g);
    if (!done)
        ret->n = g.pieces.first;
    else
        *ret_code = WAIT_NONE;
    joint_fini(&g);
    return done ? 0 : -1;
}
