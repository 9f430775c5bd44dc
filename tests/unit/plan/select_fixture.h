/* SPDX-License-Identifier: Apache-2.0
 * A small cluster to choose nodes in. Settings are changed between world_open() and
 * the first node; amounts are DEDICATED, as in the reference's worked examples. */
#ifndef MAUI_TESTS_PLAN_SELECT_FIXTURE_H
#define MAUI_TESTS_PLAN_SELECT_FIXTURE_H

#include "cluster/job.h"
#include "cluster/node.h"
#include "config/config.h"
#include "config/settings.h"
#include "plan/feasible.h"
#include "plan/nodes/avail.h"
#include "plan/nodes/nodealloc.h"
#include "plan/nodes/nodeprio.h"
#include "plan/nodes/nodeset.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

struct world {
    struct settings *cfg;
    struct par_settings *par;
    struct cluster *c;
    unsigned jobs;
    char text[4096];
    enum wait_code code;
};

static inline struct world *world_open(enum nodealloc_policy policy)
{
    struct world *w = xcalloc(1, sizeof *w);

    w->cfg = settings_create();
    w->par = settings_par(w->cfg, NULL);
    w->par->nodealloc = policy;
    for (int i = 0; i < AVAIL_RES_COUNT; i++)
        w->par->avail[i] = AVAIL_DEDICATED;
    return w;
}

static inline void world_close(struct world *w)
{
    cluster_destroy(w->c);
    settings_destroy(w->cfg);
    free(w);
}

static inline struct node *world_node(struct world *w, struct node_desc d)
{
    struct node *n;
    struct err err;

    if (!w->c)
        w->c = cluster_create(w->cfg);
    for (int i = RES_MEM; i < RES_DIMS; i++)
        if (d.cfg.v[i] == 0)
            d.cfg.v[i] = 1000000;
    assert_int_equal(node_report(w->c, &d, 1, &n, &err), 0);
    return n;
}

/* Nodes n1..ncount of `procs` processors. */
static inline void world_nodes(struct world *w, int count, int procs)
{
    for (int i = 1; i <= count; i++) {
        char name[16];
        snprintf(name, sizeof name, "n%d", i);
        world_node(w, (struct node_desc){.name = name, .cfg = {{procs}}});
    }
}

static inline struct node *world_find(struct world *w, const char *name)
{
    struct node *n = node_find(w->c, name);

    assert_non_null(n);
    return n;
}

static inline struct job *world_job(
    struct world *w, const char *user, struct req_desc req)
{
    struct job_desc d = {.cred[CRED_USER] = user,
        .submit_at = 1,
        .wclimit_s = 3600,
        .reqs = &req,
        .nreqs = 1};
    struct job *j;
    struct err err;
    char id[16];

    snprintf(id, sizeof id, "job%u", ++w->jobs);
    d.id = id;
    if (req.access == ACCESS_UNSET)
        req.access = ACCESS_SHARED;
    if (req.nodealloc == 0)
        req.nodealloc = NODEALLOC_UNSET;
    assert_int_equal(job_add(w->c, &d, 1, &j, &err), 0);
    return j;
}

static inline struct job *world_tasks(struct world *w, uint32_t tasks)
{
    return world_job(w, "john", (struct req_desc){.tasks = tasks});
}

/* "n1:2 n2:1", in the order of choice; neighbours with equal counts ascending. */
static inline const char *world_text(struct world *w, const struct allocs *a)
{
    size_t len = 0;

    w->text[0] = '\0';
    for (size_t i = 0; i < a->n; i++)
        for (uint32_t k = 0; k < a->v[i].count; k++)
            len += (size_t)snprintf(w->text + len, sizeof w->text - len, "%s%s:%u",
                len ? " " : "", node_at(w->c, a->v[i].first + k)->name, a->v[i].tasks);
    return w->text;
}

/* Everything the job's request could use right now, in RM order. */
static inline size_t world_cands(struct world *w, const struct job *j, struct cand *ret)
{
    const struct taskdef *def = j->reqs[0].def;
    size_t n = 0;

    for (uint32_t i = 0; i < w->c->nodes.n; i++) {
        const struct node *node = node_at(w->c, i);
        uint32_t tasks = feasible_node(w->c, def, node, NULL)
                             ? avail_tasks_now(w->c, j, def, node)
                             : 0;
        if (tasks)
            ret[n++] = (struct cand){i, tasks, TIME_NEVER, AFFINITY_NONE};
    }
    return n;
}

static inline struct nodealloc world_ask(struct world *w, const struct job *j)
{
    return (struct nodealloc){.c = w->c,
        .j = j,
        .req = &j->reqs[0],
        .par = w->par,
        .start_at = 100,
        .end_at = 100 + j->wclimit_s,
        .immediate = true};
}

/* Choose among given candidates; "" and w->code when they do not suffice. */
static inline const char *world_pick(
    struct world *w, const struct nodealloc *a, struct cand *cands, size_t n)
{
    struct allocs got = {0};

    int rc = nodealloc_choose(a, cands, n, &got, &w->code);
    assert_true(rc == 0 || got.n == 0);
    world_text(w, &got);
    vec_fini(&got);
    return w->text;
}

/* Choose for a start now. */
static inline const char *world_choose(struct world *w, const struct job *j)
{
    struct cand cands[64];
    struct nodealloc a = world_ask(w, j);

    return world_pick(w, &a, cands, world_cands(w, j, cands));
}

/* Choose and start. */
static inline const char *world_start(struct world *w, struct job *j)
{
    struct cand cands[64];
    struct nodealloc a = world_ask(w, j);
    struct err err;
    size_t n = world_cands(w, j, cands);

    j->alloc.n = 0;
    if (nodealloc_choose(&a, cands, n, &j->alloc, &w->code) != 0)
        return "";
    world_text(w, &j->alloc);
    assert_int_equal(job_start(w->c, j, 100, &err), 0);
    return w->text;
}

/* Run a job of `tasks` one-processor tasks of that user on the node. */
static inline struct job *world_occupy(
    struct world *w, const char *node, uint32_t tasks, const char *user)
{
    struct job *j = world_job(w, user, (struct req_desc){.tasks = tasks});
    struct alloc one = {world_find(w, node)->index, 1, tasks, 0};
    struct err err;

    vec_push(&j->alloc, one);
    assert_int_equal(job_start(w->c, j, 100, &err), 0);
    return j;
}

#endif
