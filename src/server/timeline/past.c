/* SPDX-License-Identifier: Apache-2.0
 * Jobs that are over: a ring. */
#include "server/timeline/past.h"

#include "base/xalloc.h"
#include "cluster/jobnodes.h"

#include <stdlib.h>

struct past {
    struct past_job ring[PAST_MAX];
    size_t oldest, n, nodes;
};

static size_t count_nodes(const struct past_job *o)
{
    size_t n = 0;

    for (size_t i = 0; i < o->on.n; i++)
        n += o->on.v[i].count;
    return n;
}

/* What the job is dedicated of each of those nodes, as node_job_share() tells it. */
static uint32_t procs_on(const struct job *j, const struct alloc *a)
{
    int64_t each = req_def(&j->reqs[a->req])->per_task.v[RES_PROCS];

    if (job_access(j) >= ACCESS_SINGLEJOB || each < 0)
        return PAST_WHOLE;
    return (uint32_t)(each * a->tasks);
}

struct past *past_new(void)
{
    return xcalloc(1, sizeof(struct past));
}

static void drop_oldest(struct past *p)
{
    struct past_job *o = &p->ring[p->oldest];

    p->nodes -= count_nodes(o);
    free(o->id);
    vec_fini(&o->on);
    *o = (struct past_job){0};
    p->oldest = (p->oldest + 1) % PAST_MAX;
    p->n--;
}

void past_free(struct past *p)
{
    while (p && p->n)
        drop_oldest(p);
    free(p);
}

void past_note(struct past *p, const struct job *j, int64_t end_at, bool failed)
{
    size_t nodes = job_node_count(j);

    if (!nodes || nodes > PAST_NODES || !j->nreqs || !j->start_at
        || end_at <= j->start_at)
        return;
    while (p->n == PAST_MAX || p->nodes + nodes > PAST_NODES)
        drop_oldest(p);
    struct past_job *o = &p->ring[(p->oldest + p->n++) % PAST_MAX];
    *o = (struct past_job){.id = xstrdup(j->id),
        .submit_at = j->submit_at,
        .start_at = j->start_at,
        .end_at = end_at,
        .procs = (uint32_t)j->procs,
        .failed = failed};
    for (int k = 0; k < CRED_KINDS; k++)
        o->cred[k] = j->cred[k];
    for (size_t i = 0; i < j->alloc.n; i++) {
        const struct alloc *a = &j->alloc.v[i];
        vec_push(&o->on, ((struct past_piece){a->first, a->count, procs_on(j, a)}));
    }
    p->nodes += nodes;
}

size_t past_count(const struct past *p)
{
    return p->n;
}

const struct past_job *past_at(const struct past *p, size_t i)
{
    return &p->ring[(p->oldest + i) % PAST_MAX];
}
