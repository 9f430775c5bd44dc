/* SPDX-License-Identifier: Apache-2.0
 * Copies of a plan to ask. What only the layout of the nodes decides is borrowed from
 * the original; what is remembered of answers is not copied, but found out again. */
#include "base/xalloc.h"
#include "plan/bynode/bynode.h"
#include "plan/bynode/rsvview.h"
#include "plan/plan_private.h"
#include "plan/suspended.h"
#include "plan/window.h"

#include <string.h>

/* The elements of one vector into another, which is overwritten. */
#define COPY_VEC(to, from)                                                             \
    do {                                                                               \
        (to)->v = NULL;                                                                \
        (to)->n = (to)->cap = 0;                                                       \
        vec_reserve(to, (from)->n);                                                    \
        if ((from)->n)                                                                 \
            memcpy((to)->v, (from)->v, (from)->n * sizeof *(to)->v);                   \
        (to)->n = (from)->n;                                                           \
    } while (0)

static void copy_pool(struct pool *to, const struct pool *from)
{
    *to = *from;
    to->borrows_nodes = true;
    COPY_VEC(&to->releases, &from->releases);
    profile_init(&to->work);
    if (from->work_valid)
        profile_copy(&to->work, &from->work);
    profile_init(&to->sum_of_kind);
    to->free_intervals = from->free_intervals ? free_intervals_create() : NULL;
    memset(&to->free_until, 0, sizeof to->free_until);
}

static void copy_set(struct fitset *to, const struct fitset *from)
{
    *to = *from;
    COPY_VEC(&to->pools, &from->pools);
    COPY_VEC(&to->groups, &from->groups);
    COPY_VEC(&to->holders, &from->holders);
    COPY_VEC(&to->large, &from->large);
    COPY_VEC(&to->elsewhere, &from->elsewhere);
    COPY_VEC(&to->group_of, &from->group_of);
    COPY_VEC(&to->order, &from->order);
    to->base = to->base_merged = (struct set_offer){0};
    memset(&to->offers, 0, sizeof to->offers);
}

static void copy_layout(struct plan *to, const struct plan *from)
{
    COPY_VEC(&to->pools, &from->pools);
    for (size_t i = 0; i < from->pools.n; i++)
        copy_pool(&to->pools.v[i], &from->pools.v[i]);
    COPY_VEC(&to->merged_pools, &from->merged_pools);
    for (size_t i = 0; i < from->merged_pools.n; i++)
        copy_pool(&to->merged_pools.v[i], &from->merged_pools.v[i]);
    COPY_VEC(&to->pool_at, &from->pool_at);
    COPY_VEC(&to->pools_under, &from->pools_under);
    for (size_t i = 0; i < from->pools_under.n; i++)
        COPY_VEC(&to->pools_under.v[i], &from->pools_under.v[i]);
    COPY_VEC(&to->sets, &from->sets);
    for (size_t i = 0; i < from->sets.n; i++)
        copy_set(&to->sets.v[i], &from->sets.v[i]);
    COPY_VEC(&to->fits, &from->fits);
    for (size_t i = 0; i < from->fits.n; i++)
        COPY_VEC(&to->fits.v[i].sets, &from->fits.v[i].sets);
    demand_copy(&to->demand, &from->demand);
}

/* Nothing is remembered yet. */
static void forget_answers(struct plan *p)
{
    p->windows = windows_create();
    p->search = search_memory_create();
    p->bynode = bynode_create();
    p->rsvview = rsvview_create();
    p->small = small_pools_create();
    p->budget = NULL;
    p->merged_sum_known = false;
    memset(&p->kind, 0, sizeof p->kind);
    memset(&p->handed, 0, sizeof p->handed);
    memset(&p->cands, 0, sizeof p->cands);
    memset(&p->caps, 0, sizeof p->caps);
}

struct plan *plan_fork(const struct plan *p)
{
    struct plan *fork = xmalloc(sizeof *fork);

    *fork = *p;
    fork->borrows_closures = true;
    forget_answers(fork);
    copy_layout(fork, p);
    COPY_VEC(&fork->ends, &p->ends);
    fork->reserved = rsvtable_copy(p->reserved);
    fork->pins = pintable_copy(p->pins);
    fork->without.jobs = (struct bitset){0};
    bitset_copy(&fork->without.jobs, &p->without.jobs);
    return fork;
}

/* ---- without some of what is there ---- */

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

/* ---- for a job that nobody has submitted ---- */

/* Does it ask for what the pools are not divided by? */
static bool asks_for_more(const struct plan *p, const struct taskdef *def)
{
    struct demand own = {0};

    demand_add(&own, def);
    bool more = demand_exceeds(&own, &p->demand);
    demand_fini(&own);
    return more;
}

/* Make what is reserved anew, in the same order. */
static void reserve_again(struct plan *p)
{
    struct rsvtable *before = p->reserved;
    struct slot slot;

    p->reserved = rsvtable_create();
    pintable_forget(p->pins);
    count_again(p);
    for (uint32_t i = 0; i < rsvtable_count(before); i++) {
        const struct rsv *r = rsvtable_row(before, i);
        const struct job *other = r ? p->c->jobs.v[r->job] : NULL;
        if (other && plan_first_fit(p, other, p->now, &slot))
            plan_reserve(p, other, &slot);
    }
    rsvtable_destroy(before);
}

/* Pools that the request divides: as the next cycle would have them if the job were
 * submitted. */
static void divide_for(struct plan *p, const struct job *j)
{
    p->asker = j;
    p->borrows_closures = false;
    p->signatures = signatures_create(p->c);
    p->closures = closures_create(p->c, p->signatures);
    demand_fini(&p->demand);
    p->demand = (struct demand){0};
    pools_rebuild(p);
    suspended_note(p);
    reserve_again(p);
}

struct plan *plan_fork_for(const struct plan *p, const struct job *j)
{
    struct plan *fork = plan_fork(p);

    if (asks_for_more(fork, j->reqs[0].def))
        divide_for(fork, j);
    fit_suppose(fork, j->reqs[0].def);
    return fork;
}
