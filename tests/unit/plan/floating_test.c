/* SPDX-License-Identifier: Apache-2.0
 * Licences over time: ten of them, and nodes enough for everybody. Asked through what a
 * job then gets. */
#include "planned_fixture.h"

#define NODES 8

static struct world *world_of_licences(int64_t licences)
{
    struct world *w = world_open(NODEALLOC_FIRSTAVAILABLE);

    vec_push(&settings_node(w->cfg, "GLOBAL")->gres,
        ((struct gres_cfg){xstrdup("lic"), licences}));
    world_nodes(w, NODES, 4);
    return w;
}

static struct job *ask(struct world *w, struct plan *p, uint32_t tasks, int64_t each,
    int64_t once, int64_t limit_s)
{
    const struct gres_cfg gres[] = {{(char *)"lic", each}, {NULL, 0}};
    const struct gres_cfg job_gres[] = {{(char *)"lic", once}, {NULL, 0}};
    struct job *j = world_job(w, "john",
        (struct req_desc){.tasks = tasks,
            .per_task = {{1}},
            .gres = each ? gres : NULL,
            .job_gres = once ? job_gres : NULL});

    j->wclimit_s = limit_s;
    plan_job_queued(p, j);
    return j;
}

/* One task with so many licences. */
static struct job *licensed(
    struct world *w, struct plan *p, int64_t licences, int64_t limit_s)
{
    return ask(w, p, 1, licences, 0, limit_s);
}

static int64_t first_fit(struct plan *p, const struct job *j, int64_t from)
{
    struct slot slot;

    return plan_first_fit(p, j, from, &slot) ? slot.at : TIME_NEVER;
}

static void stop(struct world *w, struct plan *p, struct job *j, enum job_event how)
{
    struct err err;

    plan_job_stopping(p, j, NOW);
    assert_int_equal(job_stop(w->c, j, how, NOW, &err), 0);
}

static void close_both(struct plan *p, struct world *w)
{
    plan_check(p);
    plan_destroy(p);
    world_close(w);
}

/* 4 + 3 of 10: three are left until 200, seven until 300. */
static void running_jobs_have_theirs_until_their_limits(void **state)
{
    struct world *w = world_of_licences(10);
    struct plan *p = world_plan(w);

    (void)state;
    assert_true(plan_start(w, p, licensed(w, p, 4, 100)));
    assert_true(plan_start(w, p, licensed(w, p, 3, 200)));
    assert_int_equal(first_fit(p, licensed(w, p, 3, 50), NOW), NOW);
    assert_true(plan_fits_now(p, licensed(w, p, 3, 50), 0));
    assert_false(plan_fits_now(p, licensed(w, p, 4, 50), 0));
    assert_int_equal(first_fit(p, licensed(w, p, 4, 50), NOW), NOW + 100);
    assert_int_equal(first_fit(p, licensed(w, p, 7, 50), NOW), NOW + 100);
    assert_int_equal(first_fit(p, licensed(w, p, 8, 50), NOW), NOW + 200);
    assert_int_equal(first_fit(p, licensed(w, p, 8, 50), NOW + 201), NOW + 201);
    close_both(p, w);
}

static void more_than_there_are_are_never_had(void **state)
{
    struct world *w = world_of_licences(10);
    struct plan *p = world_plan(w);

    (void)state;
    assert_int_equal(first_fit(p, licensed(w, p, 10, 50), NOW), NOW);
    assert_int_equal(first_fit(p, licensed(w, p, 11, 50), NOW), TIME_NEVER);
    assert_false(plan_fits_now(p, licensed(w, p, 11, 50), 0));
    close_both(p, w);
}

static void each_task_takes_its_number_and_the_job_its_own_once(void **state)
{
    struct world *w = world_of_licences(10);
    struct plan *p = world_plan(w);

    (void)state;
    assert_true(plan_fits_now(p, ask(w, p, 5, 2, 0, 50), 0));
    assert_false(plan_fits_now(p, ask(w, p, 6, 2, 0, 50), 0));
    assert_true(plan_fits_now(p, ask(w, p, 6, 0, 10, 50), 0));
    assert_false(plan_fits_now(p, ask(w, p, 6, 0, 11, 50), 0));
    assert_true(plan_fits_now(p, ask(w, p, 4, 2, 2, 50), 0)); /* 4 x 2 + 2 */
    assert_false(plan_fits_now(p, ask(w, p, 4, 2, 3, 50), 0));
    close_both(p, w);
}

/* All ten go at 200 for 300 s: a job before that has to end by then. */
static void reserved_licences_are_kept_for_the_whole_time(void **state)
{
    struct world *w = world_of_licences(10);
    struct plan *p = world_plan(w);

    (void)state;
    assert_true(plan_start(w, p, licensed(w, p, 1, 100)));
    assert_int_equal(plan_reserve_first(p, licensed(w, p, 10, 300)), NOW + 100);
    assert_int_equal(first_fit(p, licensed(w, p, 9, 100), NOW), NOW);
    assert_int_equal(first_fit(p, licensed(w, p, 1, 101), NOW), NOW + 400);
    assert_int_equal(first_fit(p, licensed(w, p, 1, 1), NOW + 100), NOW + 400);
    assert_int_equal(first_fit(p, plan_tasks(w, p, 1, 101), NOW), NOW); /* has none */
    assert_true(plan_fits_now(p, ask(w, p, 1, 0, 9, 100), 0)); /* the job's own, too */
    assert_false(plan_fits_now(p, ask(w, p, 1, 0, 1, 101), 0));
    assert_false(plan_fits_now(p, ask(w, p, 1, 0, 10, 50), 0));
    close_both(p, w);
}

static void a_reservation_that_goes_gives_them_back(void **state)
{
    struct world *w = world_of_licences(10);
    struct plan *p = world_plan(w);
    struct job *reserved = licensed(w, p, 10, 300);

    (void)state;
    assert_true(plan_start(w, p, licensed(w, p, 1, 100)));
    plan_reserve_first(p, reserved);
    assert_int_equal(first_fit(p, licensed(w, p, 9, 200), NOW), NOW + 400);
    plan_unreserve(p, reserved);
    assert_int_equal(first_fit(p, licensed(w, p, 9, 200), NOW), NOW);
    close_both(p, w);
}

static void a_job_past_its_limit_has_them_one_poll_longer(void **state)
{
    struct world *w = world_of_licences(10);
    struct plan *p = world_plan(w);
    int64_t poll = w->cfg->rm_poll_interval_s;

    (void)state;
    assert_true(plan_start(w, p, licensed(w, p, 10, 100)));
    plan_begin(p, NOW + 150, RSV_KEEP);
    assert_int_equal(first_fit(p, licensed(w, p, 1, 10), NOW + 150), NOW + 150 + poll);
    close_both(p, w);
}

static void an_end_and_a_suspension_free_them(void **state)
{
    static const enum job_event how[] = {EV_COMPLETE, EV_SUSPEND, EV_REQUEUE};

    (void)state;
    for (size_t i = 0; i < sizeof how / sizeof *how; i++) {
        struct world *w = world_of_licences(10);
        struct plan *p = world_plan(w);
        struct job *runs = licensed(w, p, 10, 100), *j = licensed(w, p, 10, 10);
        struct err err;
        assert_true(plan_start(w, p, runs));
        assert_int_equal(job_move(w->c, runs, EV_STARTED, &err), 0);
        assert_false(plan_fits_now(p, j, 0));
        stop(w, p, runs, how[i]);
        assert_true(plan_fits_now(p, j, 0));
        close_both(p, w);
    }
}

/* Its nodes are free in such a fork, and its licences are not. */
static void a_job_thought_to_be_preempted_keeps_its_licences(void **state)
{
    struct world *w = world_of_licences(10);
    struct plan *p = world_plan(w);
    struct job *low = ask(w, p, 4 * NODES, 0, 8, 100);

    (void)state;
    assert_true(plan_start(w, p, low));
    struct plan *fork = plan_fork_without(p, &low->index, 1, false);
    assert_int_equal(first_fit(fork, plan_tasks(w, p, 1, 10), NOW), NOW);
    assert_int_equal(first_fit(fork, licensed(w, p, 2, 10), NOW), NOW);
    assert_int_equal(first_fit(fork, licensed(w, p, 3, 10), NOW), NOW + 100);
    plan_destroy(fork);
    close_both(p, w);
}

static void reservations_looked_through_keep_their_licences(void **state)
{
    struct world *w = world_of_licences(10);
    struct plan *p = world_plan(w);

    (void)state;
    plan_reserve_first(p, ask(w, p, 4 * NODES, 0, 8, 100));
    struct plan *fork = plan_fork_unreserved(p);
    assert_true(plan_fits_now(fork, plan_tasks(w, p, 1, 10), 0));
    assert_true(plan_fits_now(fork, licensed(w, p, 2, 10), 0));
    assert_false(plan_fits_now(fork, licensed(w, p, 3, 10), 0));
    plan_destroy(fork);
    close_both(p, w);
}

/* Nodes are free from 150 on, licences from 200 on, both from 300 on. */
static void nodes_and_licences_are_had_together(void **state)
{
    struct world *w = world_of_licences(10);
    struct plan *p = world_plan(w);

    (void)state;
    assert_true(plan_start(w, p, ask(w, p, 4 * NODES, 0, 1, 50)));
    assert_true(plan_fits_now(p, licensed(w, p, 1, 1), 0) == false); /* no node */
    assert_int_equal(plan_reserve_first(p, ask(w, p, 4 * NODES, 0, 9, 50)), NOW + 50);
    assert_int_equal(first_fit(p, licensed(w, p, 1, 10), NOW), NOW + 100);
    assert_int_equal(plan_reserve_first(p, ask(w, p, 1, 0, 10, 100)), NOW + 100);
    assert_int_equal(first_fit(p, licensed(w, p, 1, 10), NOW), NOW + 200);
    assert_int_equal(first_fit(p, plan_tasks(w, p, 1, 10), NOW), NOW + 100);
    close_both(p, w);
}

static void without_a_global_node_nobody_asks_for_licences(void **state)
{
    struct world *w = world_open(NODEALLOC_FIRSTAVAILABLE);

    (void)state;
    world_nodes(w, 2, 4);
    struct plan *p = world_plan(w);
    assert_false(plan_fits_now(p, licensed(w, p, 1, 10), 0)); /* no node has any */
    assert_true(plan_fits_now(p, plan_tasks(w, p, 1, 10), 0));
    close_both(p, w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(running_jobs_have_theirs_until_their_limits),
        cmocka_unit_test(more_than_there_are_are_never_had),
        cmocka_unit_test(each_task_takes_its_number_and_the_job_its_own_once),
        cmocka_unit_test(reserved_licences_are_kept_for_the_whole_time),
        cmocka_unit_test(a_reservation_that_goes_gives_them_back),
        cmocka_unit_test(a_job_past_its_limit_has_them_one_poll_longer),
        cmocka_unit_test(an_end_and_a_suspension_free_them),
        cmocka_unit_test(a_job_thought_to_be_preempted_keeps_its_licences),
        cmocka_unit_test(reservations_looked_through_keep_their_licences),
        cmocka_unit_test(nodes_and_licences_are_had_together),
        cmocka_unit_test(without_a_global_node_nobody_asks_for_licences),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
