/* SPDX-License-Identifier: Apache-2.0
 * The plan without some of what is there: running jobs that would be preempted,
 * reservations of jobs that are looked through; and suspended jobs on their way back.
 */
#include "plan/plan_private.h"

void plan_think_away(struct plan *p, const uint32_t *jobs, size_t n, bool keep_memory)
{
    if (n == 0 && !p->without.any_job)
        return;
    without_begin(&p->without, keep_memory);
    for (size_t i = 0; i < n; i++)
        bitset_set(&p->without.gone, jobs[i]);
    if (n == 0)
        without_end(&p->without);
    count_look_anew(p);
}

void plan_cross_reservations(struct plan *p, bool cross)
{
    if (p->without.reservations == cross)
        return;
    p->without.reservations = cross;
    if (rsvtable_count(p->reserved))
        count_look_anew(p);
}

int32_t away_units(const struct job *j, const struct pool *pool)
{
    uint32_t first = pool->nodes.v[0], last = pool->nodes.v[pool->nodes.n - 1];
    int32_t units = 0;

    for (size_t i = 0; i < j->alloc.n; i++) {
        const struct alloc *a = &j->alloc.v[i];
        uint32_t from = a->first > first ? a->first : first;
        uint32_t to = a->first + a->count - 1 < last ? a->first + a->count - 1 : last;
        if (from <= to)
            units +=
                (int32_t)(bitset_count_range(&pool->members, from, to + 1) * a->tasks);
    }
    return units;
}

void away_give_back(struct plan *p, const struct pool *of, struct pool *into)
{
    for (uint32_t i = bitset_next(&p->without.gone, 0); i != BITSET_NONE;
         i = bitset_next(&p->without.gone, i + 1)) {
        const struct job *j = p->c->jobs.v[i];
        int64_t start = into->from > p->now ? into->from : p->now;
        int64_t end = plan_job_end(p, j);
        end = end < into->to ? end : into->to;
        profile_claim(&into->work, start, end, -away_units(j, of));
    }
}

/* ---- suspended jobs ---- */

static bool keeps_memory(const struct taskdef *def)
{
    return def->per_task.v[RES_MEM] != 0 || def->per_task.v[RES_SWAP] != 0;
}

void away_see_suspended(struct plan *p)
{
    for (size_t i = 0; p->c->suspended && i < p->c->active.n; i++) {
        const struct job *j = p->c->jobs.v[p->c->active.v[i]];
        for (size_t k = 0; j->state == JOB_SUSPENDED && k < j->alloc.n; k++) {
            const struct alloc *a = &j->alloc.v[k];
            if (!keeps_memory(j->reqs[a->req].def))
                continue;
            for (uint32_t n = a->first; n < a->first + a->count; n++)
                if (pool_of(p, n))
                    pool_by_node(p, pool_of(p, n));
        }
    }
}

/* Pools planned by count know of reservations only how many units they hold. */
static bool units_suffice(struct plan *p, const struct job *j, int64_t end)
{
    for (size_t i = 0; i < p->pools.n; i++) {
        struct pool *pool = &p->pools.v[i];
        if (pool->by_node || pool->nrsv == 0)
            continue;
        if (away_units(j, pool) > count_least(p, pool, p->now, end, NULL))
            return false;
    }
    return true;
}

bool plan_can_resume(struct plan *p, const struct job *j)
{
    int64_t left_s = j->end_at - j->suspend_at;
    int64_t end = time_add(p->now, left_s > 0 ? left_s : 1);

    for (size_t i = 0; i < j->alloc.n; i++) {
        const struct alloc *a = &j->alloc.v[i];
        for (uint32_t k = 0; k < a->count; k++) {
            const struct node *n = node_at(p->c, a->first + k);
            const struct taskdef *def = j->reqs[a->req].def;
            if (!pool_of(p, n->index)
                || bynode_tasks(p, j, def, n, p->now, end) < a->tasks)
                return false;
        }
    }
    return j->alloc.n > 0 && units_suffice(p, j, end);
}
