/* SPDX-License-Identifier: Apache-2.0
 * A small cluster with a plan, at the instant 100. */
#ifndef MAUI_TESTS_PLAN_PLANNED_FIXTURE_H
#define MAUI_TESTS_PLAN_PLANNED_FIXTURE_H

#include "plan/plan_private.h"
#include "pools_fixture.h"

#define NOW 100

/* Of a world whose nodes are there already; settings are as they are. */
static inline struct plan *world_plan(struct world *w)
{
    struct plan *p = plan_create(w->c);

    plan_begin(p, NOW, RSV_KEEP);
    return p;
}

static inline struct job *plan_tasks(
    struct world *w, struct plan *p, uint32_t tasks, int64_t limit_s)
{
    struct job *j =
        world_job(w, "john", (struct req_desc){.tasks = tasks, .per_task = {{1}}});

    j->wclimit_s = limit_s;
    plan_job_queued(p, j);
    return j;
}

/* Start the job where the plan places it; false when it has no place. */
static inline bool plan_start(struct world *w, struct plan *p, struct job *j)
{
    enum wait_code code;
    struct err err;

    j->alloc.n = 0;
    if (plan_place_now(p, j, 0, &j->alloc, &code) != 0)
        return false;
    assert_int_equal(job_start(w->c, j, NOW, &err), 0);
    plan_job_started(p, j);
    return true;
}

/* Reserve the job as early as it can be; when that is. */
static inline int64_t plan_reserve_first(struct plan *p, struct job *j)
{
    struct slot slot;

    assert_true(plan_first_fit(p, j, NOW, &slot));
    plan_reserve(p, j, &slot);
    return slot.at;
}

/* 40 nodes n1..n40 of two processors. The i-th of the first 30 is reserved, for nobody,
 * in [1000 + 10 i, 2000 + 5 i). */
static inline struct world *world_of_small_pools(void)
{
    struct world *w = world_open(NODEALLOC_FIRSTAVAILABLE);

    world_nodes(w, 40, 2);
    for (uint32_t i = 0; i < 30; i++)
        world_reserve(w, i, 1000 + 10 * (int64_t)i, 2000 + 5 * (int64_t)i);
    return w;
}

#endif
