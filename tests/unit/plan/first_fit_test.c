/* SPDX-License-Identifier: Apache-2.0
 * The earliest interval that counted pools have for a job: one pool, several, closed
 * ones, ones that are one later, long profiles. (Random worlds: first_fit_test of
 * tests/property/.) */
#include "planned_fixture.h"

static const char *const ib[] = {"ib", NULL};

static int64_t first_from(
    struct world *w, struct plan *p, uint32_t tasks, int64_t limit_s, int64_t from)
{
    struct job *j = plan_tasks(w, p, tasks, limit_s);
    struct slot slot;

    return plan_first_fit(p, j, from, &slot) ? slot.at : TIME_NEVER;
}

static int64_t first(struct world *w, struct plan *p, uint32_t tasks, int64_t limit_s)
{
    return first_from(w, p, tasks, limit_s, NOW);
}

static void close_both(struct plan *p, struct world *w)
{
    plan_check(p);
    plan_destroy(p);
    world_close(w);
}

/* ---- one pool ---- */

/* Four processors: two in use until 200, two reserved in [300, 400). */
static struct plan *plan_of_one_pool(struct world **ret_w)
{
    struct plan *p;

    *ret_w = world_open(NODEALLOC_FIRSTAVAILABLE);
    world_nodes(*ret_w, 2, 2);
    p = world_plan(*ret_w);
    plan_run_on(*ret_w, p, "n1", 2, 100);
    plan_reserve(p, plan_tasks(*ret_w, p, 2, 100), &(struct slot){300, 0});
    return p;
}

static void one_pool_is_worked_by_hand(void **state)
{
    struct world *w;
    struct plan *p = plan_of_one_pool(&w);

    (void)state;
    assert_int_equal(first(w, p, 2, 200), NOW);
    assert_int_equal(first(w, p, 2, 9000), NOW);
    assert_int_equal(first(w, p, 3, 100), 200);
    assert_int_equal(first(w, p, 3, 101), 400);
    assert_int_equal(first(w, p, 4, 100), 200);
    assert_int_equal(first(w, p, 4, 9000), 400);
    close_both(p, w);
}

static void nothing_fits_before_it_is_asked_for(void **state)
{
    struct world *w;
    struct plan *p = plan_of_one_pool(&w);
    struct job *j = plan_tasks(w, p, 1, 10);
    struct slot slot;

    (void)state;
    assert_int_equal(first_from(w, p, 1, 10, 250), 250);
    assert_int_equal(first_from(w, p, 3, 100, 201), 400);
    j->release_at = 333;
    assert_true(plan_first_fit(p, j, NOW, &slot));
    assert_int_equal(slot.at, 333);
    close_both(p, w);
}

static void more_than_there_is_is_never_free(void **state)
{
    struct world *w;
    struct plan *p = plan_of_one_pool(&w);

    (void)state;
    assert_int_equal(first(w, p, 5, 1), TIME_NEVER);
    close_both(p, w);
}

static void what_must_end_by_an_instant_begins_in_time_or_not_at_all(void **state)
{
    struct world *w;
    struct plan *p = plan_of_one_pool(&w);
    struct job *j = plan_tasks(w, p, 4, 100);
    struct slot slot = {7, 7};

    (void)state;
    assert_true(plan_fit_by(p, j, NOW, 300, &slot));
    assert_int_equal(slot.at, 200);
    slot = (struct slot){7, 7};
    assert_false(plan_fit_by(p, j, NOW, 299, &slot));
    assert_int_equal(slot.at, 7); /* untouched */
    close_both(p, w);
}

/* n2 is closed in [500, 900). */
static void a_closed_node_is_passed_by_who_would_still_be_there(void **state)
{
    struct world *w = world_open(NODEALLOC_FIRSTAVAILABLE);

    (void)state;
    world_nodes(w, 2, 1);
    world_reserve(w, 1, 500, 900);
    struct plan *p = world_plan(w);
    assert_int_equal(first(w, p, 2, 400), NOW);
    assert_int_equal(first(w, p, 2, 401), 900);
    assert_int_equal(first(w, p, 1, 5000), NOW);
    assert_int_equal(first_from(w, p, 2, 1, 499), 499);
    assert_int_equal(first_from(w, p, 2, 2, 499), 900);
    close_both(p, w);
}

/* ---- several ---- */

/* A task stays in its pool: a processor that is free in one until 300 and one that is
 * free in the other from 300 on are not one for the whole time. */
static void a_task_does_not_go_from_pool_to_pool(void **state)
{
    struct world *w = world_open(NODEALLOC_FIRSTAVAILABLE);
    struct req_desc of_ib = {.tasks = 1, .per_task = {{1}}, .features = ib};

    (void)state;
    world_node(w, (struct node_desc){.name = "n1", .cfg = {{1}}, .features = ib});
    world_node(w, (struct node_desc){.name = "n2", .cfg = {{1}}});
    struct job *reserved = world_job(w, "john", of_ib);
    struct plan *p = world_plan(w);
    plan_run_on(w, p, "n2", 1, 200);
    reserved->wclimit_s = 200;
    plan_reserve(p, reserved, &(struct slot){300, 0});
    assert_int_equal(first(w, p, 1, 200), NOW);
    assert_int_equal(first(w, p, 1, 201), 300);
    assert_int_equal(first(w, p, 2, 1), 500);
    close_both(p, w);
}

/* All are busy: n1 of ib until 200, n2 of ib until 900, the other three until 300. */
static void what_small_pools_gain_counts_when_the_biggest_comes_free(void **state)
{
    static const int64_t limits[] = {100, 800, 200, 200, 200};
    struct world *w = world_open(NODEALLOC_FIRSTAVAILABLE);
    struct plan *p;
    char name[16];

    (void)state;
    for (int i = 0; i < 5; i++) {
        snprintf(name, sizeof name, "n%d", i + 1);
        world_node(w, (struct node_desc){
                          .name = name, .cfg = {{1}}, .features = i < 2 ? ib : NULL});
    }
    world_job(
        w, "john", (struct req_desc){.tasks = 1, .per_task = {{1}}, .features = ib});
    p = world_plan(w);
    for (int i = 0; i < 5; i++) {
        snprintf(name, sizeof name, "n%d", i + 1);
        plan_run_on(w, p, name, 1, limits[i]);
    }
    assert_int_equal(first(w, p, 1, 10), 200);
    assert_int_equal(first(w, p, 2, 10), 300);
    assert_int_equal(first(w, p, 4, 10), 300);
    assert_int_equal(first(w, p, 5, 10), 900);
    close_both(p, w);
}

/* The i-th of the first 30 of 40 nodes of two processors is closed in [1000 + 10 i,
 * 2000 + 5 i): small pools, which are one from 2145 on. */
static int64_t first_by_seconds(uint32_t tasks, int64_t limit_s, int64_t from)
{
    for (int64_t at = from;; at++) {
        uint32_t sum = 20;
        for (int64_t i = 0; i < 30; i++)
            if (at + limit_s <= 1000 + 10 * i || at >= 2000 + 5 * i)
                sum += 2;
        if (sum >= tasks)
            return at;
    }
}

static void small_pools_are_searched_as_every_second_would_be(void **state)
{
    struct world *w = world_of_small_pools();
    struct plan *p = world_plan(w);

    (void)state;
    for (uint32_t tasks = 1; tasks <= 80; tasks += 13)
        for (int64_t limit = 1; limit < 1400; limit += 171)
            for (int64_t from = NOW; from < 2300; from += 377)
                assert_int_equal(first_from(w, p, tasks, limit, from),
                    first_by_seconds(tasks, limit, from));
    assert_int_equal(first(w, p, 81, 1), TIME_NEVER);
    close_both(p, w);
}

static void what_is_reserved_before_and_after_pools_are_one_is_passed(void **state)
{
    struct world *w = world_of_small_pools();
    struct plan *p = world_plan(w);

    (void)state;
    plan_reserve(p, plan_tasks(w, p, 80, 100), &(struct slot){2145, 0});
    assert_int_equal(first(w, p, 80, 900), NOW); /* until n1 is closed */
    assert_int_equal(first(w, p, 80, 901), 2245);
    assert_int_equal(first_from(w, p, 20, 100, 2045), 2045);
    assert_int_equal(first_from(w, p, 1, 101, 2045), 2245);
    close_both(p, w);
}

/* ---- partitions ---- */

static void the_partition_that_is_free_first_is_taken_the_lowest_of_equals(void **state)
{
    struct world *w = world_open(NODEALLOC_FIRSTAVAILABLE);
    struct slot slot;

    (void)state;
    world_node(w, (struct node_desc){.name = "n1", .cfg = {{1}}, .partition = "a"});
    world_node(w, (struct node_desc){.name = "n2", .cfg = {{1}}, .partition = "b"});
    struct plan *p = world_plan(w);
    struct job *j = plan_tasks(w, p, 1, 10);
    uint32_t a = world_find(w, "n1")->partition, b = world_find(w, "n2")->partition;
    assert_true(a < b);
    assert_true(plan_first_fit(p, j, NOW, &slot));
    assert_int_equal(slot.partition, a);
    plan_run_on(w, p, "n1", 1, 50);
    assert_true(plan_first_fit(p, j, NOW, &slot));
    assert_int_equal(slot.partition, b);
    assert_int_equal(slot.at, NOW);
    plan_run_on(w, p, "n2", 1, 60);
    assert_true(plan_first_fit(p, j, NOW, &slot));
    assert_int_equal(slot.partition, a);
    assert_int_equal(slot.at, NOW + 50);
    j->partitions = UINT64_C(1) << b;
    assert_true(plan_first_fit(p, j, NOW, &slot));
    assert_int_equal(slot.at, NOW + 60);
    close_both(p, w);
}

/* ---- long profiles: answers are remembered as lower bounds ---- */

#define JOBS 200

/* On the i-th of 200 nodes a job runs until 200 + 10 i. */
static struct plan *plan_of_many(struct world **ret_w, struct job **ret_jobs)
{
    struct plan *p;

    *ret_w = world_open(NODEALLOC_FIRSTAVAILABLE);
    world_nodes(*ret_w, JOBS, 1);
    p = world_plan(*ret_w);
    for (int i = 0; i < JOBS; i++) {
        char name[16];
        snprintf(name, sizeof name, "n%d", i + 1);
        ret_jobs[i] = plan_run_on(*ret_w, p, name, 1, 100 + 10 * i);
    }
    return p;
}

static void long_profiles_give_the_same_however_often_and_in_which_order(void **state)
{
    struct job *jobs[JOBS];
    struct world *w;
    struct plan *p = plan_of_many(&w, jobs);

    (void)state;
    for (int round = 0; round < 3; round++)
        for (uint32_t k = 1; k <= JOBS; k++) {
            uint32_t tasks = round == 1 ? JOBS + 1 - k : k;
            assert_int_equal(first(w, p, tasks, 77), 200 + 10 * (tasks - 1));
        }
    close_both(p, w);
}

static void what_comes_free_early_is_found_although_a_later_fit_was_known(void **state)
{
    struct job *jobs[JOBS];
    struct world *w;
    struct plan *p = plan_of_many(&w, jobs);
    struct err err;

    (void)state;
    assert_int_equal(first(w, p, JOBS, 77), 2190);
    assert_int_equal(first(w, p, 2, 77), 210);
    for (int i = JOBS - 1; i >= JOBS - 2; i--) {
        plan_job_stopping(p, jobs[i], NOW);
        assert_int_equal(job_stop(w->c, jobs[i], EV_CANCEL, NOW, &err), 0);
    }
    plan_begin(p, NOW, RSV_REPLAN);
    assert_int_equal(first(w, p, 2, 77), NOW);
    assert_int_equal(first(w, p, 3, 77), 200);
    assert_int_equal(first(w, p, JOBS, 77), 2170);
    close_both(p, w);
}

static void reservations_that_are_taken_back_leave_no_bound(void **state)
{
    struct job *jobs[JOBS];
    struct world *w;
    struct plan *p = plan_of_many(&w, jobs);
    struct job *wide = plan_tasks(w, p, JOBS, 1000);

    (void)state;
    plan_reserve(p, wide, &(struct slot){2190, 0});
    assert_int_equal(first(w, p, 1, 1991), 3190);
    assert_int_equal(first(w, p, 1, 1990), 200);
    plan_unreserve(p, wide);
    assert_int_equal(first(w, p, 1, 1991), 200);
    close_both(p, w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_pool_is_worked_by_hand),
        cmocka_unit_test(nothing_fits_before_it_is_asked_for),
        cmocka_unit_test(more_than_there_is_is_never_free),
        cmocka_unit_test(what_must_end_by_an_instant_begins_in_time_or_not_at_all),
        cmocka_unit_test(a_closed_node_is_passed_by_who_would_still_be_there),
        cmocka_unit_test(a_task_does_not_go_from_pool_to_pool),
        cmocka_unit_test(what_small_pools_gain_counts_when_the_biggest_comes_free),
        cmocka_unit_test(small_pools_are_searched_as_every_second_would_be),
        cmocka_unit_test(what_is_reserved_before_and_after_pools_are_one_is_passed),
        cmocka_unit_test(
            the_partition_that_is_free_first_is_taken_the_lowest_of_equals),
        cmocka_unit_test(long_profiles_give_the_same_however_often_and_in_which_order),
        cmocka_unit_test(what_comes_free_early_is_found_although_a_later_fit_was_known),
        cmocka_unit_test(reservations_that_are_taken_back_leave_no_bound),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
