/* SPDX-License-Identifier: Apache-2.0
 * Suspended jobs: what they keep, and whether they can come back. */
#include "plan/suspended.h"

#include "plan/bynode/single.h"
#include "plan/floating.h"
#include "plan/plan_private.h"

bool suspended_keeps_memory(const struct taskdef *def)
{
    return def->per_task.v[RES_MEM] != 0 || def->mem_per_node_mb != 0
           || def->per_task.v[RES_SWAP] != 0;
}

static void end_counting_on(struct plan *p, const struct alloc *a)
{
    for (uint32_t n = a->first; n < a->first + a->count; n++) {
        struct pool *pool = pools_of_node(p->pools, n);
        if (pool && !pool->by_node)
            fits_end_counting(p->fits, pool);
    }
}

void suspended_note(struct plan *p)
{
    for (size_t i = 0; p->c->suspended && i < p->c->active.n; i++) {
        const struct job *j = p->c->jobs.v[p->c->active.v[i]];
        for (size_t k = 0; j->state == JOB_SUSPENDED && k < j->alloc.n; k++)
            if (p->rests || suspended_keeps_memory(j->reqs[j->alloc.v[k].req].def))
                end_counting_on(p, &j->alloc.v[k]);
    }
}

void plan_end_counting(struct plan *p, const struct job *j)
{
    for (size_t k = 0; !validity_world_changed(&p->validity, p->c) && k < j->alloc.n;
         k++)
        end_counting_on(p, &j->alloc.v[k]);
}

/* Pools planned by count know of reservations only how many units they hold. */
static bool units_suffice(struct plan *p, const struct job *j, int64_t end)
{
    for (size_t i = 0; i < pools_count(p->pools); i++) {
        struct pool *pool = pools_at(p->pools, i);
        if (pool->by_node || !count_is_reserved(p->counted, pool))
            continue;
        if (pool_units_of(j, pool) > count_least(p->counted, pool, p->now, end, NULL))
            return false;
    }
    return true;
}

/* It gave them back when it was suspended. Those of running jobs job_start() counts. */
static bool licences_suffice(const struct plan *p, const struct job *j, int64_t end)
{
    return !floating_wanted(p, j) || floating_fits(p, j, p->now, end);
}

bool plan_can_resume(struct plan *p, const struct job *j, bool cross)
{
    const struct without without = {.reservations = cross};
    int64_t end = time_add(p->now, job_left_s(j));

    check_answerable(p);
    for (size_t i = 0; i < j->alloc.n; i++) {
        const struct alloc *a = &j->alloc.v[i];
        for (uint32_t k = 0; k < a->count; k++) {
            const struct node *n = node_at(p->c, a->first + k);
            const struct asker by = {p->bynode, j, j->reqs[a->req].def, &without};
            if (!pools_of_node(p->pools, n->index)
                || single_tasks(&by, n, p->now, end) < a->tasks)
                return false;
        }
    }
    return j->alloc.n > 0
           && (cross || (units_suffice(p, j, end) && licences_suffice(p, j, end)));
}
