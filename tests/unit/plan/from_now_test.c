/* SPDX-License-Identifier: Apache-2.0
 * What counted pools offer to a job that starts now, by how long it stays. The example
 * of the header, with n1 to n5 of the feature ib, and n6 to n9 closed from 300 on:
 *
 *     ib        5 free; 3 are reserved from 200 on, the other two from 400 on
 *     others    4 free until 300
 *     sum       until 200: 9   until 300: 6   until 400: 2   then 0   (it is 100) */
#include "planned_fixture.h"

static const char *const ib[] = {"ib", NULL};

static struct job *of_ib(
    struct world *w, struct plan *p, uint32_t tasks, int64_t limit_s)
{
    struct job *j = world_job(w, "john",
        (struct req_desc){.tasks = tasks, .per_task = {{1}}, .features = ib});

    j->wclimit_s = limit_s;
    if (p)
        plan_job_queued(p, j);
    return j;
}

static struct plan *plan_of_the_example(struct world **ret_w)
{
    struct world *w = *ret_w = world_open(NODEALLOC_FIRSTAVAILABLE);

    for (int i = 1; i <= 9; i++) {
        char name[16];
        snprintf(name, sizeof name, "n%d", i);
        world_node(w, (struct node_desc){
                          .name = name, .cfg = {{1}}, .features = i <= 5 ? ib : NULL});
    }
    for (uint32_t i = 5; i < 9; i++)
        world_reserve(w, i, 300, TIME_NEVER);
    of_ib(w, NULL, 1, 10);
    struct plan *p = world_plan(w);
    plan_reserve(p, of_ib(w, p, 3, 5000), &(struct slot){200, 0});
    plan_reserve(p, of_ib(w, p, 2, 5000), &(struct slot){400, 0});
    return p;
}

static void close_both(struct plan *p, struct world *w)
{
    plan_check(p);
    plan_destroy(p);
    world_close(w);
}

static int64_t free_for(struct world *w, struct plan *p, int64_t stay_s)
{
    struct job *j = plan_tasks(w, p, 1, stay_s);

    return plan_free_now(p, j, 0);
}

static int64_t by_hand(int64_t end)
{
    return end <= 200 ? 9 : end <= 300 ? 6 : end <= 400 ? 2 : 0;
}

static void the_example_of_the_header_is_right_for_every_end(void **state)
{
    struct world *w;
    struct plan *p = plan_of_the_example(&w);

    (void)state;
    for (int64_t stay = 1; stay < 400; stay++) {
        int64_t end = NOW + stay;
        assert_int_equal(free_for(w, p, stay), by_hand(end));
    }
    close_both(p, w);
}

static void a_single_question_gets_the_answer_of_many(void **state)
{
    struct world *w;
    struct plan *p = plan_of_the_example(&w);

    (void)state;
    for (int64_t stay = 1; stay < 400; stay += 3) {
        plan_changed(p); /* nothing is remembered */
        assert_int_equal(free_for(w, p, stay), by_hand(NOW + stay));
        assert_int_equal(free_for(w, p, stay), by_hand(NOW + stay));
    }
    close_both(p, w);
}

static void a_job_fits_exactly_until_the_offer_sinks(void **state)
{
    struct world *w;
    struct plan *p = plan_of_the_example(&w);

    (void)state;
    assert_true(plan_fits_now(p, plan_tasks(w, p, 9, 100), 0));
    assert_false(plan_fits_now(p, plan_tasks(w, p, 10, 100), 0));
    assert_false(plan_fits_now(p, plan_tasks(w, p, 9, 101), 0));
    assert_true(plan_fits_now(p, plan_tasks(w, p, 6, 200), 0));
    assert_true(plan_fits_now(p, plan_tasks(w, p, 2, 300), 0));
    assert_false(plan_fits_now(p, plan_tasks(w, p, 1, 301), 0));
    close_both(p, w);
}

static void only_pools_of_the_set_count(void **state)
{
    struct world *w;
    struct plan *p = plan_of_the_example(&w);

    (void)state;
    assert_int_equal(plan_free_now(p, of_ib(w, p, 1, 100), 0), 5);
    assert_int_equal(plan_free_now(p, of_ib(w, p, 1, 150), 0), 2);
    close_both(p, w);
}

static void what_starts_or_is_reserved_is_seen_at_once(void **state)
{
    struct world *w;
    struct plan *p = plan_of_the_example(&w);

    (void)state;
    assert_int_equal(free_for(w, p, 100), 9);
    plan_run_on(w, p, "n9", 1, 50);
    assert_int_equal(free_for(w, p, 100), 8);
    plan_reserve(p, of_ib(w, p, 1, 10), &(struct slot){150, 0});
    assert_int_equal(free_for(w, p, 50), 8);
    assert_int_equal(free_for(w, p, 51), 7);
    close_both(p, w);
}

/* A job past its limit has what was kept for another: its pool offers nothing, and
 * takes nothing from others. */
static void a_pool_that_owes_units_offers_none_and_takes_none(void **state)
{
    struct world *w = world_open(NODEALLOC_FIRSTAVAILABLE);

    (void)state;
    for (int i = 1; i <= 4; i++) {
        char name[16];
        snprintf(name, sizeof name, "n%d", i);
        world_node(w, (struct node_desc){
                          .name = name, .cfg = {{1}}, .features = i <= 2 ? ib : NULL});
    }
    of_ib(w, NULL, 1, 10);
    struct plan *p = world_plan(w);
    plan_run_on(w, p, "n1", 1, 50);
    plan_reserve(p, of_ib(w, p, 2, 500), &(struct slot){150, 0});
    assert_int_equal(free_for(w, p, 50), 3);
    assert_int_equal(free_for(w, p, 51), 2);
    plan_begin(p, 150, RSV_KEEP); /* ib: one runs on, two are reserved, of two */
    assert_int_equal(free_for(w, p, 1), 2);
    assert_int_equal(free_for(w, p, 2), 2);
    assert_int_equal(free_for(w, p, 500), 2);
    close_both(p, w);
}

/* Nodes of which each but the first is closed in [200, 300), so that they are pools of
 * their own, and one pool from 300 on. Where all of that are reserved then, n1 is free
 * until then, too. */
static void what_is_reserved_of_pools_that_are_one_later_bounds_all_of_them(
    void **state)
{
    enum { NODES = 20 }; /* fewer are not planned together */
    struct world *w = world_open(NODEALLOC_FIRSTAVAILABLE);

    (void)state;
    world_nodes(w, NODES, 1);
    for (uint32_t i = 1; i < NODES; i++)
        world_reserve(w, i, 200, 300);
    struct plan *p = world_plan(w);
    struct job *later = plan_tasks(w, p, NODES, 100);
    plan_reserve(p, later, &(struct slot){300, 0});
    for (int round = 0; round < 2; round++)
        for (int64_t stay = 1; stay < 400; stay++) {
            int64_t end = NOW + stay;
            if (round == 0)
                plan_changed(p);
            assert_int_equal(free_for(w, p, stay), end <= 200   ? NODES
                                                   : end <= 300 ? 1
                                                                : 0);
        }
    plan_unreserve(p, later);
    plan_reserve(p, plan_tasks(w, p, NODES - 1, 100), &(struct slot){300, 0});
    assert_int_equal(free_for(w, p, 201), 1); /* any of them is left */
    close_both(p, w);
}

/* Windows are of processors: two nodes of four, in units of two. */
static void windows_weigh_units_by_their_processors(void **state)
{
    struct world *w = world_open(NODEALLOC_FIRSTAVAILABLE);
    struct req_desc two = {.tasks = 1, .per_task = {{2}}};

    (void)state;
    world_nodes(w, 2, 4);
    world_job(w, "john", two);
    struct plan *p = world_plan(w);
    assert_int_equal(plan_unit(p, 0), 2);
    struct job *j = world_job(w, "john", two);
    j->wclimit_s = 100;
    plan_reserve(p, j, &(struct slot){400, 0});
    const struct windows *all = plan_windows(p, 0, plan_access(p, j));
    assert_int_equal(all->n, 2);
    assert_int_equal(all->v[0].procs, 8);
    assert_int_equal(all->v[0].duration_s, 300);
    assert_int_equal(all->v[1].procs, 6);
    assert_int_equal(all->v[1].duration_s, DURATION_UNLIMITED);
    close_both(p, w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_example_of_the_header_is_right_for_every_end),
        cmocka_unit_test(a_single_question_gets_the_answer_of_many),
        cmocka_unit_test(a_job_fits_exactly_until_the_offer_sinks),
        cmocka_unit_test(only_pools_of_the_set_count),
        cmocka_unit_test(what_starts_or_is_reserved_is_seen_at_once),
        cmocka_unit_test(a_pool_that_owes_units_offers_none_and_takes_none),
        cmocka_unit_test(
            what_is_reserved_of_pools_that_are_one_later_bounds_all_of_them),
        cmocka_unit_test(windows_weigh_units_by_their_processors),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
