/* SPDX-License-Identifier: Apache-2.0
 * What the engine is told of a world's nodes and jobs. */
#include "tell.h"

#include "engine/engine_private.h"
#include "plan/plan_private.h"
#include "rng.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const feature_names[W_FEATURES] = {"f0", "f1", "f2"};
static const char *const class_names[W_CLASSES + 1] = {NULL, "c1", "c2"};

/* Descriptions hold owned texts, which the engine only reads. */
#define TEXT(t) ((char *)(t))

static void features_of(unsigned bits, const char **ret)
{
    for (uint32_t f = 0; f < W_FEATURES; f++)
        if (bits >> f & 1)
            *ret++ = feature_names[f];
    *ret = NULL;
}

/* ---- labels that no job asks for ---------------------------------------------- */

static const char *const label_names[W_LABELS] = {"x0", "x1", "x2", "x3"};

static void add_names(struct rng *r, const char **ret)
{
    while (*ret)
        ret++;
    for (uint32_t i = 0; i < W_LABELS; i++)
        if (rng_percent(r, 40))
            *ret++ = label_names[i];
    *ret = NULL;
}

static struct gres_cfg *amounts_end(struct gres_cfg *list)
{
    while (list->name)
        list++;
    return list;
}

static void add_amounts(struct rng *r, struct gres_cfg *list)
{
    struct gres_cfg *end = amounts_end(list);

    for (uint32_t i = 0; i < W_LABELS; i++)
        if (rng_percent(r, 40))
            *end++ = (struct gres_cfg){TEXT(label_names[i]), (int)rng_range(r, 1, 4)};
    *end = (struct gres_cfg){NULL, 0};
}

/* A node that limits no class may as well name them all. */
static void add_classes(struct rng *r, struct tell_node *t)
{
    if (!t->classes[0].name && rng_percent(r, 50))
        return;
    for (uint32_t c = 1; !t->classes[0].name && c <= W_CLASSES; c++)
        t->classes[W_CLASSES - c] = (struct gres_cfg){TEXT(class_names[c]), 99};
    add_amounts(r, t->classes);
}

static void add_labels(
    const struct world *w, uint32_t node, struct tell_node *t, struct node_desc *io)
{
    static const char *const systems[] = {NULL, "linux", "aix"};
    struct rng r = {w->seed * W_NODES + node};

    rng_next(&r);
    add_names(&r, t->features);
    add_names(&r, t->networks);
    add_amounts(&r, t->gres);
    add_classes(&r, t);
    io->networks = t->networks;
    io->gres = t->gres;
    io->classes = t->classes[0].name ? t->classes : NULL;
    io->os = RNG_PICK(&r, systems);
    io->arch = RNG_PICK(&r, systems);
}

struct node_desc tell_node(const struct world *w, uint32_t node, struct tell_node *t)
{
    const struct w_node *n = &w->nodes[node];
    struct node_desc d = {.name = n->name, .state = NODE_IDLE};
    uint32_t k = 0;

    memset(t, 0, sizeof *t);
    memcpy(d.cfg.v, n->cfg, sizeof d.cfg.v);
    if (n->partition)
        d.partition = world_part_name(n->partition);
    features_of(n->features, t->features);
    d.features = t->features;
    if (n->gpus) {
        t->gres[0] = (struct gres_cfg){TEXT("gpu"), n->gpus};
        t->gres[1] = (struct gres_cfg){NULL, 0};
        d.gres = t->gres;
    }
    for (uint32_t c = 1; n->limits_classes && c <= W_CLASSES; c++)
        if (n->initiators[c])
            t->classes[k++] = (struct gres_cfg){TEXT(class_names[c]), n->initiators[c]};
    t->classes[k] = (struct gres_cfg){NULL, 0};
    d.classes = k ? t->classes : NULL;
    if (w->labelled)
        add_labels(w, node, t, &d);
    return d;
}

static void tell_req(
    const struct world *w, const struct w_req *q, uint32_t r, struct tell_job *t)
{
    struct req_desc *d = &t->reqs[r];
    uint32_t n = 0, g = 0;

    *d = (struct req_desc){.tasks = q->tasks,
        .nodes = q->nodes,
        .tpn = q->tpn,
        .access = q->access,
        .mem_per_node_mb = q->mem_per_node};
    d->nodealloc = NODEALLOC_UNSET;
    memcpy(d->per_task.v, q->per_task, sizeof d->per_task.v);
    features_of(q->features, t->features[r]);
    d->features = t->features[r];
    for (uint32_t i = 0; i < q->nhosts; i++)
        t->hosts[r][i] = w->nodes[q->hosts[i]].name;
    d->hosts = q->nhosts ? t->hosts[r] : NULL;
    for (uint32_t i = 0; i < w->nnodes; i++)
        if (q->exclude >> i & 1)
            t->exclude[r][n++] = w->nodes[i].name;
    d->exclude = n ? t->exclude[r] : NULL;
    if (q->gpus)
        t->gres[r][g++] = (struct gres_cfg){TEXT("gpu"), q->gpus};
    if (q->licences)
        t->gres[r][g++] = (struct gres_cfg){TEXT("lic"), q->licences};
    d->gres = g ? t->gres[r] : NULL;
}

struct job_desc tell_job(const struct world *w, uint32_t job, struct tell_job *t)
{
    const struct w_job *j = &w->jobs[job];
    struct job_desc d = {.id = j->id,
        .submit_at = j->submit_at,
        .wclimit_s = j->limit_s,
        .release_at = j->release_at,
        .flags = j->flags,
        .reqs = t->reqs,
        .nreqs = j->nreqs};
    uint32_t n = 0;

    for (uint32_t k = 0; k < CRED_KINDS; k++)
        d.cred[k] = world_cred_name((enum cred_kind)k, j->cred[k]);
    for (uint32_t r = 0; r < j->nreqs; r++)
        tell_req(w, &j->reqs[r], r, t);
    for (uint32_t p = 0; p < w->nparts; p++)
        if (j->partitions >> p & 1)
            t->partitions[n++] = world_part_name(p);
    d.partitions = n ? t->partitions : NULL;
    if (j->dep >= 0) {
        t->deps[0] = (struct dep){j->dep_type, TEXT(w->jobs[j->dep].id)};
        d.deps = t->deps;
    }
    return d;
}

uint32_t tell_job_number(const char *id)
{
    return id[0] == 'j' ? (uint32_t)strtoul(id + 1, NULL, 10) : UINT32_MAX;
}

uint32_t tell_node_number(const char *name)
{
    return name[0] == 'n' ? (uint32_t)strtoul(name + 1, NULL, 10) - 1 : UINT32_MAX;
}

void tell_spoiler(struct engine *e)
{
    const char *hosts[] = {"n1", NULL};
    struct req_desc req = {.tasks = 1, .hosts = hosts, .nodealloc = NODEALLOC_UNSET};
    struct event ev = {.kind = EVENT_SUBMIT};
    struct event hold = {.kind = EVENT_HOLD};
    struct err err;

    ev.u.job =
        (struct job_desc){.id = "spoiler", .wclimit_s = 1, .reqs = &req, .nreqs = 1};
    ev.u.job.cred[CRED_USER] = "spoiler";
    hold.u.hold.id = "spoiler";
    hold.u.hold.kinds = HOLD_SYSTEM;
    hold.u.hold.who = (struct actor){"root", 1};
    if (engine_apply(e, &ev, NULL, &err) < 0 || engine_apply(e, &hold, NULL, &err) < 0)
        abort();
}

/* ---- the plan's pins --------------------------------------------------------- */

static void add_tasks(
    const struct node *n, const struct taskdef *def, uint32_t tasks, struct res *io)
{
    for (int d = 0; d < RES_DIMS; d++)
        io->v[d] += (def->per_task.v[d] < 0 ? n->cfg.v[d] : def->per_task.v[d] * tasks)
                    + (d == RES_MEM ? def->mem_per_node_mb : 0);
}

static void add_running(
    const struct plan *p, const struct node *n, int64_t at, struct res *io)
{
    for (size_t i = 0; i < p->c->active.n; i++) {
        const struct job *j = p->c->jobs.v[p->c->active.v[i]];
        if (plan_job_end(p, j) <= at)
            continue;
        for (size_t k = 0; k < j->alloc.n; k++) {
            const struct alloc *a = &j->alloc.v[k];
            if (n->index >= a->first && n->index - a->first < a->count)
                add_tasks(n, j->reqs[a->req].def, a->tasks, io);
        }
    }
}

static void add_pins(
    const struct plan *p, const struct node *n, int64_t at, struct res *io)
{
    for (uint32_t i = 0; i < rsvtable_count(p->reserved); i++) {
        const struct rsv *r = rsvtable_row(p->reserved, i);
        if (!r || r->start_at > at || r->end_at <= at)
            continue;
        const struct job *j = p->c->jobs.v[r->job];
        for (size_t k = 0; k < r->alloc.n; k++) {
            const struct alloc *a = &r->alloc.v[k];
            if (n->index >= a->first && n->index - a->first < a->count)
                add_tasks(n, j->reqs[a->req].def, a->tasks, io);
        }
    }
}

bool tell_plan_fits(const struct engine *e, char *ret_text, size_t size)
{
    const struct plan *p = e->plan;

    for (uint32_t i = 0; i < rsvtable_count(p->reserved); i++) {
        const struct rsv *r = rsvtable_row(p->reserved, i);
        if (!r || r->start_at < p->now)
            continue;
        for (size_t k = 0; k < p->c->nodes.n; k++) {
            const struct node *n = node_at(p->c, k);
            struct res used = {{0}};
            if (n->global)
                continue;
            add_running(p, n, r->start_at, &used);
            add_pins(p, n, r->start_at, &used);
            for (int d = 0; d < RES_DIMS; d++)
                if (used.v[d] > n->cfg.v[d]) {
                    snprintf(ret_text, size,
                        "%s is promised %lld of resource %d at %lld", n->name,
                        (long long)used.v[d], d, (long long)r->start_at);
                    return false;
                }
        }
    }
    return true;
}
