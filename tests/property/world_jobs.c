/* SPDX-License-Identifier: Apache-2.0
 * Random jobs, and what happens to them and to the nodes. */
#include "rng.h"
#include "world.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- requests ---------------------------------------------------------------- */

static void make_hosts(const struct world *w, struct rng *r, struct w_req *q)
{
    uint32_t want = (uint32_t)rng_range(r, 1, w->nnodes < 4 ? w->nnodes : 4);
    unsigned seen = 0;

    while (q->nhosts < want) {
        uint8_t n = (uint8_t)rng_below(r, w->nnodes);
        if (!(seen >> n & 1))
            q->hosts[q->nhosts++] = n;
        seen |= 1u << n;
    }
}

static void make_amounts(const struct world *w, struct rng *r, struct w_req *q)
{
    const struct w_node *n = &w->nodes[rng_below(r, w->nnodes)];
    int64_t procs = n->cfg[RES_PROCS];

    if (rng_percent(r, 35))
        q->per_task[RES_PROCS] = rng_range(r, 1, procs);
    if (rng_percent(r, 4))
        q->per_task[RES_PROCS] = -1; /* all of the node */
    if (rng_percent(r, 40))
        q->per_task[RES_MEM] = n->cfg[RES_MEM] * rng_range(r, 1, 8) / 8;
    if (rng_percent(r, 10))
        q->mem_per_node = n->cfg[RES_MEM] * rng_range(r, 1, 8) / 8;
    if (rng_percent(r, 10))
        q->per_task[RES_SWAP] = n->cfg[RES_SWAP] * rng_range(r, 1, 4) / 4;
    if (rng_percent(r, 10))
        q->per_task[RES_DISK] = rng_range(r, 1, 4) * 250;
}

static void make_odd(const struct world *w, struct rng *r, struct w_req *q)
{
    if (rng_percent(r, 20)) {
        q->tpn = (uint32_t)rng_range(r, 1, 4);
        q->tasks = q->tpn * (uint32_t)rng_range(r, 1, 4);
    }
    if (rng_percent(r, 15))
        q->nodes = (uint32_t)rng_range(r, 1, q->tasks);
    if (rng_percent(r, 25))
        q->features = rng_below(r, 1u << W_FEATURES);
    if (rng_percent(r, 12))
        make_hosts(w, r, q);
    if (rng_percent(r, 8))
        q->exclude = (unsigned)rng_next(r) & ((1u << w->nnodes) - 1);
    if (rng_percent(r, 15))
        q->gpus = (int)rng_range(r, 1, 2);
    if (w->licences && rng_percent(r, 40))
        q->licences = (int)rng_range(r, 1, 2);
    if (rng_percent(r, 12))
        q->access = (enum access_policy)rng_range(r, ACCESS_SHARED, ACCESS_SINGLETASK);
}

static void make_req(const struct world *w, struct rng *r, struct w_req *q, bool plain)
{
    int64_t total = 0;

    for (uint32_t i = 0; i < w->nnodes; i++)
        total += w->nodes[i].cfg[RES_PROCS];
    *q = (struct w_req){.tasks = (uint32_t)rng_range(r, 1, total / 2 + 1)};
    q->per_task[RES_PROCS] = 1;
    if (rng_percent(r, 30))
        q->tasks = 1;
    if (plain)
        return;
    make_amounts(w, r, q);
    if (q->per_task[RES_PROCS] > 1)
        q->tasks = (q->tasks + 1) / 2;
    if (rng_percent(r, 40))
        make_odd(w, r, q);
}

/* ---- jobs -------------------------------------------------------------------- */

static void make_job(struct world *w, struct rng *r, uint32_t i, bool plain)
{
    static const int64_t limits[] = {10, 20, 30, 30, 50, 60, 100, 100, 120, 200};
    struct w_job *j = &w->jobs[i];
    bool calm = w->profile != W_WILD;

    snprintf(j->id, sizeof j->id, "j%u", i);
    j->dep = -1;
    j->limit_s = RNG_PICK(r, limits);
    j->run_s = rng_percent(r, 55) ? j->limit_s : rng_range(r, 1, j->limit_s / 5) * 5;
    for (uint32_t k = 0; k < CRED_KINDS; k++)
        j->cred[k] = rng_below(r, k == CRED_QOS ? W_OBJECTS : 3);
    j->cred[CRED_USER] += j->cred[CRED_USER] == 0;
    j->nreqs = 1;
    make_req(w, r, &j->reqs[0], plain);
    if (!plain && rng_percent(r, 7)) {
        j->nreqs = 2;
        make_req(w, r, &j->reqs[1], false);
        for (int q = 0; q < 2; q++) /* a half each, hosts are for single requests */
            j->reqs[q].tasks =
                j->reqs[q].tpn ? j->reqs[q].tpn : (j->reqs[q].tasks + 1) / 2,
            j->reqs[q].nhosts = 0, j->reqs[q].nodes = 0;
    }
    if (w->nparts > 1 && rng_percent(r, 30))
        j->partitions = (unsigned)rng_range(r, 1, (1 << w->nparts) - 1);
    if (rng_percent(r, 5))
        j->flags |= JOB_DEDICATED;
    if (w->nparts > 1 && rng_percent(r, 5))
        j->flags |= JOB_SPAN;
    if (calm)
        return;
    if (rng_percent(r, 5))
        j->flags |= JOB_NOQUEUE;
    if (rng_percent(r, 4))
        j->run_s = j->limit_s + rng_range(r, 1, 50); /* passes its limit */
    if (i && rng_percent(r, 10)) {
        j->dep = (int)rng_below(r, i);
        j->dep_type = (enum dep_type)rng_below(r, DEP_FAILED + 1);
    }
    if (rng_percent(r, 6)) {
        j->fails = (uint32_t)rng_range(r, 1, 3);
        j->fail_s = rng_below(r, 3) * 5;
    }
    if (rng_percent(r, 5))
        j->holds = rng_percent(r, 50) ? HOLD_USER : HOLD_SYSTEM;
}

static void set_times(struct world *w, struct rng *r)
{
    int64_t spread = RNG_PICK(r, ((const int64_t[]){0, 5, 10, 30, 60}));
    int64_t at = 0;

    for (uint32_t i = 0; i < w->njobs; i++) {
        struct w_job *j = &w->jobs[i];
        if (!rng_percent(r, 40))
            at += spread ? rng_range(r, 0, spread) : 0;
        j->submit_at = at;
        if (w->profile == W_WILD && rng_percent(r, 8))
            j->release_at = at + rng_range(r, 1, 20) * 5;
        /* priorities by order of arrival alone, where a promise depends on it */
        if (w->profile != W_TOP && rng_percent(r, 30))
            j->priority = rng_range(r, 1, 1000);
    }
}

/* ---- events ------------------------------------------------------------------ */

static void add(struct world *w, struct w_event e)
{
    if (w->nevents < W_EVENTS)
        w->events[w->nevents++] = e;
}

static void add_job_trouble(struct world *w, struct rng *r, uint32_t i)
{
    const struct w_job *j = &w->jobs[i];
    int64_t at = j->submit_at + rng_range(r, 0, 30) * 5;

    if (j->holds)
        add(w, (struct w_event){.at = at, .kind = W_RELEASE, .job = i, .arg = 15});
    if (rng_percent(r, 5)) {
        add(w, (struct w_event){.at = at, .kind = W_HOLD, .job = i, .arg = HOLD_USER});
        at += rng_range(r, 0, 20) * 5;
        add(w, (struct w_event){.at = at, .kind = W_RELEASE, .job = i, .arg = 15});
    }
    if (rng_percent(r, 5))
        add(w,
            (struct w_event){
                .at = at, .kind = W_SETSPRI, .job = i, .arg = rng_range(r, 0, 1000)});
    if (rng_percent(r, 5))
        add(w, (struct w_event){.at = at,
                   .kind = W_SETQOS,
                   .job = i,
                   .arg = rng_range(r, 1, W_OBJECTS - 1)});
    if (rng_percent(r, 4))
        add(w, (struct w_event){.at = at, .kind = W_CANCEL, .job = i});
}

static void add_node_trouble(struct world *w, struct rng *r)
{
    uint32_t n = rng_below(r, w->nnodes);
    int64_t at = rng_range(r, 0, 60) * 5;

    add(w, (struct w_event){.at = at,
               .kind = rng_percent(r, 70) ? W_NODE_DOWN : W_NODE_DRAIN,
               .node = n});
    add(w, (struct w_event){
               .at = at + rng_range(r, 1, 40) * 5, .kind = W_NODE_UP, .node = n});
}

static int by_time(const void *a, const void *b)
{
    const struct w_event *x = a, *y = b;

    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    if (x->job != y->job)
        return x->job < y->job ? -1 : 1;
    if (x->node != y->node)
        return x->node < y->node ? -1 : 1;
    return (x->arg > y->arg) - (x->arg < y->arg);
}

void world_add_jobs(struct world *w, struct rng *r, bool plain)
{
    w->njobs = (uint32_t)(rng_percent(r, 20) ? rng_range(r, 1, W_JOBS)
                                             : rng_range(r, 1, W_JOBS / 2));
    for (uint32_t i = 0; i < w->njobs; i++)
        make_job(w, r, i, plain);
    set_times(w, r);
    for (uint32_t i = 0; i < w->njobs; i++) {
        add(w,
            (struct w_event){.at = w->jobs[i].submit_at, .kind = W_SUBMIT, .job = i});
        if (w->profile == W_WILD)
            add_job_trouble(w, r, i);
    }
    if (w->profile == W_WILD && rng_percent(r, 30))
        for (int64_t k = rng_range(r, 1, 3); k > 0; k--)
            add_node_trouble(w, r);
    if (w->nsettings > 1) {
        int64_t at = rng_range(r, 0, 60) * 5;
        add(w, (struct w_event){.at = at, .kind = W_RELOAD, .arg = 1});
        if (rng_percent(r, 50))
            add(w, (struct w_event){.at = at + 100, .kind = W_RELOAD, .arg = 0});
    }
    qsort(w->events, w->nevents, sizeof *w->events, by_time);
}
