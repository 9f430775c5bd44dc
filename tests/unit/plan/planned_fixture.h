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

/* A job that runs on that node from now on: tasks of one processor. */
static inline struct job *plan_run_on(
    struct world *w, struct plan *p, const char *node, uint32_t tasks, int64_t limit_s)
{
    struct job *j = plan_tasks(w, p, tasks, limit_s);
    struct alloc one = {
        .first = world_find(w, node)->index, .count = 1, .tasks = tasks};
    struct err err;

    vec_push(&j->alloc, one);
    assert_int_equal(job_start(w->c, j, NOW, &err), 0);
    plan_job_started(p, j);
    return j;
}

/* Reserve the job as early as it can be; when that is. */
static inline int64_t plan_reserve_first(struct plan *p, struct job *j)
{
    struct slot slot;

    assert_true(plan_first_fit(p, j, NOW, &slot));
    plan_reserve(p, j, &slot);
    return slot.at;
}

struct seen_places {
    uint32_t job;
    struct allocs nodes;
};

static inline void plan_see_place(
    void *ctx, uint32_t job, uint32_t node, uint32_t tasks)
{
    struct seen_places *seen = ctx;
    size_t i = seen->nodes.n;

    if (job != seen->job)
        return;
    vec_push(&seen->nodes, ((struct alloc){node, 1, tasks, 0}));
    for (; i > 0 && seen->nodes.v[i - 1].first > node; i--) {
        seen->nodes.v[i] = seen->nodes.v[i - 1];
        seen->nodes.v[i - 1] = (struct alloc){node, 1, tasks, 0};
    }
}

/* Where the job's reservation will be, as far as can be foreseen: "n1:2 n3:1". */
static inline const char *plan_where(
    struct world *w, const struct plan *p, const struct job *j)
{
    struct seen_places seen = {.job = j->index};

    plan_foresee(p, &seen, plan_see_place);
    world_text(w, &seen.nodes);
    vec_fini(&seen.nodes);
    return w->text;
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
