/* SPDX-License-Identifier: Apache-2.0
 * Copies of a plan to ask. What only the layout of the nodes decides is borrowed from
 * the original; what is remembered of answers is not copied, but found out again. */
#include "base/xalloc.h"
#include "plan/bynode/bind.h"
#include "plan/bynode/bynode.h"
#include "plan/floating.h"
#include "plan/layout.h"
#include "plan/plan_private.h"
#include "plan/suspended.h"
#include "plan/window.h"

#include <assert.h>
#include <string.h>

/* A copy of all but reservations of waiting jobs. */
static struct plan *fork_unfilled(struct plan *p)
{
    struct plan *fork = xmalloc(sizeof *fork);

    *fork = *p;
    fork->original = p;
    fork->made = moment_of(p);
    fork->forks = 0;
    p->forks++;
    fork->borrows_layout = true;
    fork->closures = closures_share(p->closures);
    fork->windows = windows_create();
    fork->licences = licences_create();
    fork->pools = pools_copy(p->pools, p->closures);
    fork->fits = fits_copy(p->fits, fork->pools);
    vec_copy(&fork->ends, &p->ends);
    fork->without.jobs = (struct bitset){0};
    bitset_copy(&fork->without.jobs, &p->without.jobs);
    return fork;
}

static struct plan *fork_whole(struct plan *p)
{
    struct plan *fork = fork_unfilled(p);

    fork->reserved = rsvtable_copy(p->reserved, true);
    fork->pins = pintable_copy(p->pins);
    plan_link(fork, p);
    return fork;
}

/* Somebody has queued since the original began who ended the counting of pools: what is
 * reserved there by count gets nodes, as in the next plan_begin(). */
static void bind_reserved(struct plan *fork)
{
    if (fork->validity.layout == pools_layout(fork->pools))
        return;
    bind_counted(fork->bynode);
    reserve_recount(fork->counted);
}

struct plan *plan_fork(struct plan *p)
{
    struct plan *fork = fork_whole(p);

    bind_reserved(fork);
    return fork;
}

struct plan *plan_fork_bound(struct plan *p)
{
    struct plan *fork = fork_whole(p);

    bind_all(fork->bynode);
    reserve_recount(fork->counted);
    return fork;
}

/* ---- without some of what is there ---- */

struct plan *plan_fork_without(
    struct plan *p, const uint32_t *jobs, size_t n, bool keep_memory)
{
    struct plan *fork = fork_whole(p);

    fork->without.keep_memory = keep_memory;
    for (size_t i = 0; i < n; i++) {
        without_add(&fork->without, jobs[i]);
        count_start(fork->counted, p->c->jobs.v[jobs[i]], -1, false);
    }
    return fork;
}

struct plan *plan_fork_unreserved(struct plan *p)
{
    struct plan *fork = fork_unfilled(p);

    fork->reserved = rsvtable_copy(p->reserved, false);
    fork->pins = pintable_create();
    plan_link(fork, p);
    reserve_recount(fork->counted);
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
        p->validity.distrusted |= slot->at != old->start_at;
        pintable_remove(p->pins, old);
        rsvtable_remove(p->reserved, j->index, RSV_FORGOTTEN);
    }
    rsvtable_add(p->reserved, j->index, slot);
    return row;
}

void plan_follow(struct plan *fork, const struct job *j)
{
    fork->made = moment_of(fork->original);
    plan_job_started(fork, j);
}

void plan_adopt(struct plan *p, const struct plan *fork, const struct job *j)
{
    const struct rsv *from = rsvtable_of(fork->reserved, j->index);
    uint32_t partition = rsvtable_planned(fork->reserved, j->index)->partition;
    struct slot slot = {from->start_at, partition};

    check_answerable(fork);
    assert(fork->original == p && fork->borrows_layout); /* parts name pools */
    uint32_t row = renew_row(p, j, &slot);
    struct rsv *r = rsvtable_of(p->reserved, j->index);

    r->end_at = from->end_at;
    r->fitset = fits_for(p->fits, j, partition)->number;
    for (size_t i = 0; i < from->parts.n; i++)
        vec_push(&r->parts, from->parts.v[i]);
    for (size_t i = 0; i < from->alloc.n; i++)
        vec_push(&r->alloc, from->alloc.v[i]);
    pintable_add(p->pins, r);
    if (row != INDEX_NONE)
        rsvtable_move_last(p->reserved, row);
    p->validity.changes++;
    p->validity.confirmed = rsvtable_count(p->reserved);
    p->version++;
    reserve_recount(p->counted);
}

/* ---- for a job that nobody has submitted ---- */

/* Does it ask for what the pools are not divided by? */
static bool asks_for_more(const struct plan *p, const struct taskdef *def)
{
    struct demand own = {0};

    demand_add(&own, def);
    bool more = demand_exceeds(&own, pools_demanded(p->pools));
    demand_fini(&own);
    return more;
}

/* Of a suspended job. */
static void reserve_rest_again(struct plan *p, const struct job *j, int64_t from)
{
    int64_t at = plan_fit_rest(p, j, from, 0);

    if (at < TIME_NEVER)
        plan_reserve_rest(p, j, at);
}

/* Make what is reserved anew, in the same order. */
static void reserve_again(struct plan *p)
{
    struct rsvtable *before = rsvtable_take(p->reserved);
    struct slot slot;

    p->version++;
    pintable_forget(p->pins);
    reserve_recount(p->counted);
    for (uint32_t i = 0; i < rsvtable_count(before); i++) {
        const struct rsv *r = rsvtable_row(before, i);
        const struct job *other = r ? p->c->jobs.v[r->job] : NULL;
        if (other && job_has_begun((enum job_state)other->state))
            reserve_rest_again(p, other, r->start_at);
        else if (other && plan_first_fit(p, other, p->now, &slot))
            plan_reserve(p, other, &slot);
    }
    rsvtable_destroy(before);
}

/* Pools that the request divides: as the next cycle would have them if the job were
 * submitted. */
static void divide_for(struct plan *p, const struct job *j)
{
    layout_make(p, j);
    suspended_note(p);
    reserve_again(p);
}

struct plan *plan_fork_as(
    struct plan *p, const struct job *j, int64_t now, enum rsv_keep keep)
{
    struct plan *fork = fork_whole(p);

    plan_begin(fork, now, keep);
    plan_unreserve(fork, j); /* it is not in its own way */
    plan_owe(fork, j, 0);
    plan_job_queued(fork, j);
    bind_reserved(fork);
    return fork;
}

struct plan *plan_fork_for(struct plan *p, const struct job *j)
{
    struct plan *fork = plan_fork(p);

    if (asks_for_more(fork, j->reqs[0].def))
        divide_for(fork, j);
    fits_suppose(fork->fits, j->reqs[0].def);
    return fork;
}

struct plan *plan_fork_with(struct plan *p, const struct job *j)
{
    struct plan *fork = plan_fork(p);

    if (asks_for_more(fork, j->reqs[0].def))
        divide_for(fork, j);
    layout_learn(fork, j);
    bind_reserved(fork);
    return fork;
}
