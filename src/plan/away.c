/* SPDX-License-Identifier: Apache-2.0
 * The plan without some of what is there: copies in which jobs are gone, or in which
 * nothing is reserved; and suspended jobs on their way back. */
#include "plan/plan_private.h"

/* ---- copies ---- */

struct plan *plan_fork_without(
    const struct plan *p, const uint32_t *jobs, size_t n, bool keep_memory)
{
    struct plan *fork = plan_fork(p);

    fork->without.keep_memory = keep_memory;
    for (size_t i = 0; i < n; i++) {
        without_add(&fork->without, jobs[i]);
        count_start(fork, p->c->jobs.v[jobs[i]], -1, false);
    }
    return fork;
}

struct plan *plan_fork_unreserved(const struct plan *p)
{
    struct plan *fork = plan_fork(p);

    for (uint32_t i = 0; i < rsvtable_count(fork->reserved); i++) {
        struct rsv *r = rsvtable_row(fork->reserved, i);
        if (r)
            r->parts.n = r->alloc.n = 0;
    }
    pintable_forget(fork->pins);
    count_again(fork);
    return fork;
}

/* A row for the job at that slot, and the old one, if it had any, is gone; the row that
 * it had, INDEX_NONE = none. */
static uint32_t renew_row(struct plan *p, const struct job *j, const struct slot *slot)
{
    const struct rsv *old = rsvtable_of(p->reserved, j->index);
    uint32_t row = INDEX_NONE;

    if (old) {
        row = rsvtable_planned(p->reserved, j->index)->row;
        p->given_back |= slot->at != old->start_at;
        pintable_remove(p->pins, old);
        rsvtable_remove(p->reserved, j->index, RSV_FORGOTTEN);
    }
    rsvtable_add(p->reserved, j->index, slot);
    return row;
}

void plan_adopt(struct plan *p, const struct plan *fork, const struct job *j)
{
    const struct rsv *from = rsvtable_of(fork->reserved, j->index);
    uint32_t partition = rsvtable_planned(fork->reserved, j->index)->partition;
    struct slot slot = {from->start_at, partition};
    uint32_t row = renew_row(p, j, &slot);
    struct rsv *r = rsvtable_of(p->reserved, j->index);

    r->end_at = from->end_at;
    r->fitset = set_of(p, fit_for(p, j, partition));
    for (size_t i = 0; i < from->parts.n; i++)
        vec_push(&r->parts, from->parts.v[i]);
    for (size_t i = 0; i < from->alloc.n; i++)
        vec_push(&r->alloc, from->alloc.v[i]);
    pintable_add(p->pins, r);
    if (row != INDEX_NONE)
        rsvtable_move_last(p->reserved, row);
    p->changes++;
    p->confirmed = rsvtable_count(p->reserved);
    count_again(p);
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

bool plan_can_resume(struct plan *p, const struct job *j, bool cross)
{
    const struct without without = {.reservations = cross};
    int64_t left_s = j->end_at - j->suspend_at;
    int64_t end = time_add(p->now, left_s > 0 ? left_s : 1);

    for (size_t i = 0; i < j->alloc.n; i++) {
        const struct alloc *a = &j->alloc.v[i];
        for (uint32_t k = 0; k < a->count; k++) {
            const struct node *n = node_at(p->c, a->first + k);
            const struct asker by = {p, j, j->reqs[a->req].def, &without};
            if (!pool_of(p, n->index) || bynode_tasks(&by, n, p->now, end) < a->tasks)
                return false;
        }
    }
    return j->alloc.n > 0 && (cross || units_suffice(p, j, end));
}
