/* SPDX-License-Identifier: Apache-2.0
 * Which running jobs to preempt so that another one can start now. */
#include "plan/preempt.h"

#include "plan/plan_private.h"

#include <string.h>

/* A job that might be preempted. */
struct prey {
    uint32_t job;
    uint32_t found; /* order of discovery */
    int64_t procs;  /* freed where it helps */
    int64_t cost;
};

/* Tasks that a node offers to the job. */
struct offer {
    uint32_t node;
    uint32_t idle;  /* as it is */
    uint32_t most;  /* without any job that may be preempted */
    uint32_t tasks; /* without those chosen so far */
};

struct hunt {
    struct plan *p;
    const struct preempt_ask *ask;
    const struct fitset *set;
    int64_t end;
    struct VEC(struct offer) offers; /* in RM order */
    struct VEC(struct prey) preys;
    struct victims away; /* as told to the plan */
    int64_t sum;         /* of offers[].tasks */
};

static uint32_t tasks_on(const struct hunt *h, uint32_t node)
{
    const struct job *j = h->ask->j;

    return bynode_tasks(
        h->p, j, j->reqs[0].def, h->p->c->nodes.v[node], h->p->now, h->end);
}

static void think_away(struct hunt *h)
{
    plan_think_away(h->p, h->away.v, h->away.n, h->ask->keep_memory);
}

/* ---- who might go ---- */

static bool counts(const struct hunt *h, const struct job *victim, const struct node *n)
{
    return !h->ask->on_node || h->ask->on_node(h->ask->ctx, victim, n);
}

static struct prey *prey_of(struct hunt *h, uint32_t job)
{
    for (size_t i = 0; i < h->preys.n; i++)
        if (h->preys.v[i].job == job)
            return &h->preys.v[i];
    return NULL;
}

/* The jobs on a node that may be preempted for what they have there. */
static void discover(struct hunt *h, const struct node *n)
{
    struct node_job list[64];
    uint32_t count = node_jobs(h->p->c, n, list, 64);

    for (uint32_t i = 0; i < count && i < 64; i++) {
        const struct job *j = h->p->c->jobs.v[list[i].job];
        if (!job_is_active(j) || j == h->ask->j || prey_of(h, j->index)
            || !counts(h, j, n) || !h->ask->may(h->ask->ctx, j))
            continue;
        vec_push(&h->preys, ((struct prey){j->index, (uint32_t)h->preys.n, 0, 0}));
        vec_push(&h->away, j->index);
    }
}

/* Nodes that the job could use at all, and what they offer as they are. */
static void collect(struct hunt *h)
{
    struct plan *p = h->p;

    for (size_t i = 0; i < p->c->nodes.n; i++) {
        const struct node *n = p->c->nodes.v[i];
        bool inside = false;
        for (size_t k = 0; k < h->set->pools.n && !inside; k++)
            inside = h->set->pools.v[k].pool == n->pool;
        if (!inside || !bynode_on_list(p, &h->ask->j->reqs[0], n))
            continue;
        uint32_t idle = tasks_on(h, n->index);
        vec_push(&h->offers, ((struct offer){n->index, idle, idle, idle}));
        h->sum += idle;
        discover(h, n);
    }
}

/* Processors of the job on the node. */
static int64_t procs_on(const struct hunt *h, const struct job *j, const struct node *n)
{
    int64_t procs = 0;

    for (size_t i = 0; i < j->alloc.n; i++) {
        const struct alloc *a = &j->alloc.v[i];
        const struct req *r = &j->reqs[a->req];
        const struct taskdef *def = r->held ? r->held : r->def;
        int64_t each = def->per_task.v[RES_PROCS];
        if (n->index - a->first >= a->count)
            continue;
        if (each < 0 || taskdef_whole_node(def))
            return n->cfg.v[RES_PROCS];
        procs += each * a->tasks;
    }
    (void)h;
    return procs;
}

/* What each would free where that helps. Returns the tasks on offer without all. */
static int64_t weigh(struct hunt *h)
{
    int64_t sum = 0;

    think_away(h);
    for (size_t i = 0; i < h->offers.n; i++) {
        struct offer *o = &h->offers.v[i];
        const struct node *n = h->p->c->nodes.v[o->node];
        o->most = tasks_on(h, o->node);
        sum += o->most;
        for (size_t k = 0; o->most > o->idle && k < h->preys.n; k++) {
            const struct job *j = h->p->c->jobs.v[h->preys.v[k].job];
            if (counts(h, j, n))
                h->preys.v[k].procs += procs_on(h, j, n);
        }
    }
    return sum;
}

static int by_cost(const void *pa, const void *pb)
{
    const struct prey *a = pa, *b = pb;

    if (a->cost != b->cost)
        return a->cost < b->cost ? -1 : 1;
    return a->found < b->found ? -1 : a->found > b->found;
}

/* Those that free nothing useful are left alone. */
static void order(struct hunt *h)
{
    size_t n = 0;

    for (size_t i = 0; i < h->preys.n; i++) {
        struct prey x = h->preys.v[i];
        if (x.procs <= 0)
            continue;
        x.cost = h->ask->worth(h->ask->ctx, h->p->c->jobs.v[x.job]) / x.procs;
        h->preys.v[n++] = x;
    }
    h->preys.n = n;
    if (n)
        qsort(h->preys.v, n, sizeof *h->preys.v, by_cost);
}

/* ---- the choice ---- */

/* Nodes for the job as things are thought to be; what was idle goes first. */
static bool place(struct hunt *h, struct allocs *ret)
{
    struct plan *p = h->p;
    const struct job *j = h->ask->j;
    const struct pool *first = &p->pools.v[h->set->pools.v[0].pool];
    struct nodealloc a = {.c = p->c,
        .j = j,
        .req = &j->reqs[0],
        .par = p->c->partitions.v[first->partition]->par,
        .start_at = p->now,
        .end_at = h->end,
        .immediate = true};
    enum wait_code code;

    if (h->sum < j->reqs[0].tasks)
        return false;
    p->cands.n = 0;
    for (size_t i = 0; i < h->offers.n; i++) {
        const struct offer *o = &h->offers.v[i];
        const struct node *n = p->c->nodes.v[o->node];
        if (o->tasks == 0)
            continue;
        struct cand cand = {.node = o->node,
            .tasks = o->tasks,
            .free_until = bynode_holds_until(p, j, j->reqs[0].def, n, o->tasks, p->now),
            .affinity =
                o->idle ? rsvview_affinity(p, j, n, p->now) : AFFINITY_PREEMPTIBLE};
        vec_push(&p->cands, cand);
    }
    return nodealloc_choose(&a, p->cands.v, p->cands.n, ret, &code) == 0;
}

/* Look again at the nodes of one more job that is thought away. */
static void offer_again(struct hunt *h, const struct job *j)
{
    for (size_t i = 0; i < h->offers.n; i++) {
        struct offer *o = &h->offers.v[i];
        const struct node *n = h->p->c->nodes.v[o->node];
        if (o->tasks == o->most || procs_on(h, j, n) == 0)
            continue;
        h->sum -= o->tasks;
        o->tasks = tasks_on(h, o->node);
        h->sum += o->tasks;
    }
}

static bool choose(struct hunt *h, struct victims *ret, struct allocs *ret_alloc)
{
    h->away.n = 0;
    for (size_t i = 0; i < h->preys.n; i++) {
        vec_push(&h->away, h->preys.v[i].job);
        think_away(h);
        offer_again(h, h->p->c->jobs.v[h->preys.v[i].job]);
        if (!place(h, ret_alloc))
            continue;
        for (size_t k = 0; k < h->away.n; k++)
            vec_push(ret, h->away.v[k]);
        return true;
    }
    return false;
}

bool preempt_choose(struct plan *p, const struct preempt_ask *ask, struct victims *ret,
    struct allocs *ret_alloc)
{
    const struct job *j = ask->j;
    struct hunt h = {.p = p, .ask = ask, .end = time_add(p->now, plan_duration(j))};
    bool found = false;

    ret->n = ret_alloc->n = 0;
    if (j->nreqs > 1 || (floating_wanted(p, j) && !floating_fits(p, j, p->now)))
        return false;
    h.set = fit_for(p, j, ask->partition);
    if (h.set)
        collect(&h);
    if (h.away.n && weigh(&h) >= j->reqs[0].tasks) {
        order(&h);
        found = choose(&h, ret, ret_alloc);
    }
    plan_think_away(p, NULL, 0, false);
    vec_fini(&h.offers);
    vec_fini(&h.preys);
    vec_fini(&h.away);
    return found;
}
