/* SPDX-License-Identifier: Apache-2.0
 * Policies of backfill, one window at a time, where a start may fail though the window
 * has room. Four nodes of two processors. */
#include "plan/backfill.h"
#include "planned_fixture.h"

struct pass {
    struct world *w;
    struct plan *p;
    const struct job *refused; /* it cannot start after all */
    unsigned asked;            /* how often it was to */
};

static bool always(void *ctx, struct job *j)
{
    (void)ctx;
    (void)j;
    return true;
}

static bool start_unless_refused(void *ctx, struct job *j)
{
    struct pass *pass = ctx;

    if (j != pass->refused)
        return plan_start(pass->w, pass->p, j);
    pass->asked++;
    return false;
}

static uint32_t run_policy(
    struct pass *pass, enum backfill_policy policy, struct job *const *jobs, size_t n)
{
    struct candidate all[8];
    struct backfill b = {.plan = pass->p,
        .c = pass->w->c,
        .par = pass->w->par,
        .now = NOW,
        .speed = 1,
        .placeable = always,
        .start = start_unless_refused,
        .ctx = pass};

    pass->w->par->bf_policy = policy;
    pass->w->par->bf_metric = BFMETRIC_PROCS;
    for (size_t i = 0; i < n; i++)
        all[i] = (struct candidate){jobs[i]->index, jobs[i]->procs, jobs[i]->wclimit_s,
            plan_access(pass->p, jobs[i])};
    return backfill_run(&b, all, n);
}

static void who_is_refused_keeps_nobody_else_from_the_window(void **state)
{
    static const enum backfill_policy policies[] = {
        BACKFILL_FIRSTFIT, BACKFILL_BESTFIT, BACKFILL_GREEDY};

    (void)state;
    for (size_t i = 0; i < sizeof policies / sizeof *policies; i++) {
        struct pass pass = {.w = world_open(NODEALLOC_FIRSTAVAILABLE)};
        world_nodes(pass.w, 4, 2);
        pass.p = world_plan(pass.w);
        struct job *jobs[] = {plan_tasks(pass.w, pass.p, 5, 50),
            plan_tasks(pass.w, pass.p, 3, 50), plan_tasks(pass.w, pass.p, 2, 50)};
        pass.refused = jobs[0];
        assert_int_equal(run_policy(&pass, policies[i], jobs, 3), 2);
        assert_in_range(pass.asked, 1, 2);
        plan_check(pass.p);
        plan_destroy(pass.p);
        world_close(pass.w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_is_refused_keeps_nobody_else_from_the_window),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
