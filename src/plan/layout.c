/* SPDX-License-Identifier: Apache-2.0
 * Pools, what is asked of them and what runs in them, in that order. */
#include "plan/layout.h"

#include "plan/counted/small_pools.h"
#include "plan/plan_private.h"

void layout_learn(struct plan *p, const struct job *j)
{
    if (validity_world_changed(&p->validity, p->c) && pools_count(p->pools) == 0)
        return; /* the first cycle learns all */
    for (uint32_t i = 0; i < j->nreqs; i++) {
        const struct req *r = &j->reqs[i];
        if (fits_knows(p->fits, r->def) && j->nreqs == 1 && r->nodes == 0
            && !(j->flags & JOB_SPAN))
            continue;
        fits_learn_request(p->fits, j, r);
    }
}

/* Which shapes are in the system decides what can be planned by count; a running job
 * has the shape that it started with. */
static void learn_jobs(struct plan *p, const struct job *asker)
{
    const struct cluster *c = p->c;

    for (size_t i = 0; i < c->jobs.n; i++) {
        const struct job *j = c->jobs.v[i];
        if (!j || j->state >= JOB_COMPLETED || j == asker)
            continue;
        layout_learn(p, j);
        for (uint32_t r = 0; r < j->nreqs; r++)
            if (j->reqs[r].held)
                fits_learn(p->fits, j->reqs[r].held);
    }
}

/* New settings may keep a running job's shape off the nodes that it is on: there its
 * tasks are no units of anything. */
static void learn_strays(struct plan *p, const struct job *j)
{
    for (size_t i = 0; i < j->alloc.n; i++) {
        const struct alloc *a = &j->alloc.v[i];
        const struct req *r = &j->reqs[a->req];
        for (uint32_t k = 0; k < a->count; k++) {
            struct pool *pool = pools_of_node(p->pools, a->first + k);
            if (pool && !pool->by_node
                && !fits_has_pool(p->fits, r->held ? r->held : r->def, pool))
                fits_end_counting(p->fits, pool);
        }
    }
}

static void count_active(struct plan *p)
{
    const struct cluster *c = p->c;

    for (size_t i = 0; i < c->active.n; i++) {
        const struct job *j = c->jobs.v[c->active.v[i]];
        if (job_is_active(j))
            learn_strays(p, j);
    }
    for (size_t i = 0; i < c->active.n; i++) {
        const struct job *j = c->jobs.v[c->active.v[i]];
        if (job_is_active(j))
            count_start(p->counted, j, +1, false);
    }
}

/* Instead of what the fork borrows. */
static void own_layout(struct plan *p)
{
    p->borrows_layout = false;
    plan_unlink(p);
    fits_destroy(p->fits);
    pools_destroy(p->pools);
    closures_destroy(p->closures);
    p->closures = closures_create(p->c);
    p->pools = pools_create(p->c, p->closures);
    p->fits = fits_create(p->c, p->pools);
    plan_link(p, NULL);
    p->validity.layout = UINT64_MAX; /* of other pools */
}

void layout_make(struct plan *p, const struct job *asker)
{
    if (p->borrows_layout)
        own_layout(p);
    fits_forget(p->fits);
    closures_forget(p->closures);
    pools_sort(p->pools, p->now, asker);
    counted_forget(p->counted);
    small_pools_choose(p->counted);
    learn_jobs(p, asker);
    count_active(p);
    p->version++;
}
