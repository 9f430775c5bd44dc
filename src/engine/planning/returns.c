/* SPDX-License-Identifier: Apache-2.0
 * The rest of suspended jobs, under BACKFILLPOLICY PLAN: each has a place of its own in
 * the plan, on the nodes that it was on, from the moment on in which it is suspended.
 * It comes after all that was planned there, so that its return puts off nobody; and it
 * is in the plan before all that comes later, so that it does return. As soon as its
 * nodes are free it goes on before its place, if those that are planned there can be
 * kept their promises elsewhere, or later.
 *
 *     node 4     V, until 200      | W, 50 s, is planned at 200
 *     at 120     P preempts V until 170: W stays; V has 80 s yet, at 250
 *     at 150     P ends. W is promised 240: V goes on, W is planned at 230
 *                        W is promised 220: it starts, V goes on at 200
 *
 * A place moves forward as the nodes come free, and back only where some of it is there
 * no more: a node, or a job is past its limit. */
#include "cluster/rmset.h"
#include "engine/charging/charging.h"
#include "engine/planning/private.h"
#include "engine/preempt.h"
#include "engine/rest.h"

static bool go_on(struct engine *e, struct job *j)
{
    struct err err;

    return !rmset_is_away(e->c, job_rm(j))
           && preempt_resume_job(e, j, OCCUPANCY_RESUMED, &err) == 0;
}

/* It goes on, or has a place; in a plan that begins anew that of before, as others have
 * theirs there again. */
static void keep_rest(struct engine *e, struct job *j)
{
    int64_t was = plan_reserved_at(e->plan, j), rests = preempt_rests_until(e, j);
    bool had = plan_is_reserved(e->plan, j);
    int64_t from = rests > e->now ? rests : e->now;
    struct reason lack;

    if (rests)
        wake_at(e, rests);
    rest_drop(e, j);
    if (charging_lacks(e, j, &lack))
        return;
    int64_t at = rest_find(e, j, !had && was > from ? was : from, was);
    if (at > e->now || !go_on(e, j))
        rest_reserve(e, j, at > e->now ? at : rest_find(e, j, e->now + 1, was));
    e->passes.planning->rests += plan_is_reserved(e->plan, j);
    e->passes.planning->lift_again |= had && plan_reserved_at(e->plan, j) != was;
}

static void drop_rests(struct engine *e, bool all)
{
    for (size_t i = 0; e->c->suspended && i < e->c->active.n; i++) {
        const struct job *j = e->c->jobs.v[e->c->active.v[i]];
        if (j->state == JOB_SUSPENDED && (all || !preempt_comes_back(j)))
            rest_drop(e, j);
    }
}

void returns_drop(struct engine *e)
{
    drop_rests(e, true);
}

void returns_keep(struct engine *e)
{
    e->passes.planning->rests = 0;
    if (!e->c->suspended)
        return;
    drop_rests(e, false); /* who waits for somebody's word, or is to end, has none */
    for (struct job *j = preempt_next_suspended(e, NULL); j;
         j = preempt_next_suspended(e, j))
        keep_rest(e, j);
}

static bool may_return(struct engine *e, const struct job *j)
{
    return plan_is_reserved(e->plan, j) && plan_reserved_at(e->plan, j) > e->now
           && !preempt_rests_until(e, j) && !rmset_is_away(e->c, job_rm(j));
}

void returns_try(struct engine *e, const struct search_terms *t)
{
    struct bitset in_way = {0};

    if (!e->passes.planning->rests)
        return;
    for (struct job *j = preempt_next_suspended(e, NULL); j;
         j = preempt_next_suspended(e, j))
        if (may_return(e, j) && plan_in_way_of_rest(e->plan, j, &in_way)
            && kept_move_aside(e, j, &in_way, t))
            go_on(e, j);
    bitset_fini(&in_way);
}
