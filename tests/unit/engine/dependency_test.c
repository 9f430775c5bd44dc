/* SPDX-License-Identifier: Apache-2.0
 * Dependencies (reference preemption, section 7) and release times. */
#include "cmocka_all.h"
#include "example.h"

/* D runs on n1 from 0 to 100, or is cancelled at 50; when does J start, which depends
 * on it and has n2 to itself? */
static int64_t start_after(enum dep_type type, bool cancelled, bool by_node)
{
    struct dep deps[] = {{type, (char *)"D"}, {0}};
    struct scenario *s = sc_create();

    sc_nodes(s, 2, 1);
    if (by_node)
        sc_force_by_node(s);
    sc_job(s, (struct sc_job){.id = "D", .procs = 1, .limit_s = 100});
    sc_job(s, (struct sc_job){.id = "J", .procs = 1, .limit_s = 10, .deps = deps});
    sc_job(
        s, (struct sc_job){.id = "later", .procs = 1, .limit_s = 10, .submit_at = 300});
    if (cancelled) {
        sc_at(s, 50);
        sc_cancel(s, "D");
        sc_cycle(s);
    }
    sc_run(s);
    int64_t start = sc_start(s, "J");
    if (start < 0) {
        assert_int_equal(sc_why_code(s, "J"), WAIT_DEPENDENCY);
        assert_string_equal(sc_why(s, "J"),
            type == DEP_FAILED
                ? "job D was successful: afternotok can no longer be satisfied"
                : "job D failed or was cancelled: afterok can no longer be satisfied");
    }
    sc_destroy(s);
    return start;
}

/* "Started" becomes true within the cycle at 0: one poll later it is seen. */
static void each_type_of_dependency_holds_when_it_should(void **state)
{
    (void)state;
    for (int by_node = 0; by_node < 2; by_node++) {
        assert_int_equal(start_after(DEP_STARTED, false, by_node), 60);
        assert_int_equal(start_after(DEP_COMPLETED, false, by_node), 100);
        assert_int_equal(start_after(DEP_SUCCESS, false, by_node), 100);
        assert_int_equal(start_after(DEP_FAILED, false, by_node), -1);
        assert_int_equal(start_after(DEP_COMPLETED, true, by_node), 50);
        assert_int_equal(start_after(DEP_SUCCESS, true, by_node), -1);
        assert_int_equal(start_after(DEP_FAILED, true, by_node), 50);
    }
}

static void all_of_several_dependencies_must_hold(void **state)
{
    (void)state;
    struct dep deps[] = {{DEP_SUCCESS, (char *)"A"}, {DEP_COMPLETED, (char *)"B"},
        {DEP_SUCCESS, (char *)"gone"}, {0}}; /* an unknown job counts as through */
    for (int by_node = 0; by_node < 2; by_node++) {
        struct scenario *s = sc_create();
        sc_nodes(s, 4, 1);
        if (by_node)
            sc_force_by_node(s);
        sc_job(s, (struct sc_job){.id = "A", .procs = 1, .limit_s = 100});
        sc_job(s, (struct sc_job){.id = "B", .procs = 1, .limit_s = 200});
        sc_job(s, (struct sc_job){.id = "J", .procs = 1, .limit_s = 10, .deps = deps});
        sc_at(s, 150);
        assert_string_equal(
            sc_why(s, "J"), "this job depends on job B and waits for it");
        sc_run(s);
        assert_int_equal(sc_start(s, "J"), 200);
        sc_destroy(s);
    }
}

static void a_chain_runs_one_after_the_other(void **state)
{
    (void)state;
    struct dep on_a[] = {{DEP_SUCCESS, (char *)"A"}, {0}};
    struct dep on_b[] = {{DEP_SUCCESS, (char *)"B"}, {0}};
    struct scenario *s = sc_create();
    sc_nodes(s, 4, 1);
    sc_job(s, (struct sc_job){.id = "A", .procs = 1, .limit_s = 100});
    sc_job(s, (struct sc_job){.id = "B", .procs = 1, .limit_s = 100, .deps = on_a});
    sc_job(s, (struct sc_job){.id = "C", .procs = 1, .limit_s = 100, .deps = on_b});
    sc_run(s);
    assert_int_equal(sc_start(s, "B"), 100);
    assert_int_equal(sc_start(s, "C"), 200);
    sc_destroy(s);
}

static void a_dependent_job_has_no_reservation(void **state)
{
    (void)state;
    struct dep deps[] = {{DEP_COMPLETED, (char *)"D"}, {0}};
    struct scenario *s = sc_create();
    sc_nodes(s, 1, 1);
    sc_job(s, (struct sc_job){.id = "D", .procs = 1, .limit_s = 100, .priority = 90});
    sc_job(s, (struct sc_job){
                  .id = "J", .procs = 1, .limit_s = 10, .deps = deps, .priority = 80});
    sc_job(s, (struct sc_job){.id = "K", .procs = 1, .limit_s = 10, .priority = 70});
    sc_run_until(s, 0);
    assert_int_equal(sc_reserved(s, "J"), -1);
    assert_int_equal(sc_reserved(s, "K"), 100);
    sc_run(s);
    assert_int_equal(sc_start(s, "J"), 100);
    assert_int_equal(sc_start(s, "K"), 110);
    sc_destroy(s);
}

static void a_job_waits_for_its_release_time(void **state)
{
    (void)state;
    struct example x = {.nodes = 2,
        .jobs = {{"J", 2, 100, 90, 150, .release_at = 150}, {"K", 1, 100, 80, 0}}};
    example_run(&x);
    BOTH_WAYS(s, x)
    {
        sc_run_until(s, 0);
        assert_string_equal(
            sc_why(s, "J"), "this job may not start before Thu Jan  1 00:02:30 UTC");
        assert_int_equal(sc_reserved(s, "J"), -1);
    }
}

/* D ends by itself at 50, with an exit status that is not 0. */
static int64_t start_after_failure(enum dep_type type)
{
    struct dep deps[] = {{type, (char *)"D"}, {0}};
    struct scenario *s = sc_create();
    struct err err;

    sc_nodes(s, 2, 1);
    sc_job(s, (struct sc_job){.id = "D", .procs = 1, .limit_s = 100});
    sc_job(s, (struct sc_job){.id = "J", .procs = 1, .limit_s = 10, .deps = deps});
    sc_at(s, 50);
    assert_int_equal(sc_apply(s,
                         (struct event){.kind = EVENT_END,
                             .u.end = {.id = "D", .how = EV_COMPLETE, .failed = true}},
                         &err),
        0);
    sc_cycle(s);
    int64_t start = sc_start(s, "J");
    sc_destroy(s);
    return start;
}

static void a_job_that_failed_is_no_success_to_those_after_it(void **state)
{
    (void)state;
    assert_int_equal(start_after_failure(DEP_SUCCESS), -1);
    assert_int_equal(start_after_failure(DEP_FAILED), 50);
    assert_int_equal(start_after_failure(DEP_COMPLETED), 50);
}

/* D ends at 50, and its id is given again in the same instant to one that runs until
 * 150, without an error. */
static int64_t start_after_namesake(enum dep_type type, bool failed)
{
    struct dep deps[] = {{type, (char *)"D"}, {0}};
    struct scenario *s = sc_create();
    struct err err;

    sc_nodes(s, 2, 1);
    sc_job(s, (struct sc_job){.id = "D", .procs = 1, .limit_s = 100});
    sc_job(s, (struct sc_job){.id = "J", .procs = 1, .limit_s = 10, .deps = deps});
    sc_at(s, 50);
    assert_int_equal(
        sc_apply(s,
            (struct event){.kind = EVENT_END,
                .u.end = {.id = "D", .how = EV_COMPLETE, .failed = failed}},
            &err),
        0);
    sc_job(s, (struct sc_job){.id = "D", .procs = 1, .limit_s = 100});
    sc_run(s);
    int64_t start = sc_start(s, "J");
    sc_destroy(s);
    return start;
}

static void nobody_waits_for_who_has_the_id_later(void **state)
{
    (void)state;
    assert_int_equal(start_after_namesake(DEP_COMPLETED, false), 50);
    assert_int_equal(start_after_namesake(DEP_SUCCESS, false), 50);
    assert_int_equal(start_after_namesake(DEP_SUCCESS, true), -1);
    assert_int_equal(start_after_namesake(DEP_FAILED, true), 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nobody_waits_for_who_has_the_id_later),
        cmocka_unit_test(each_type_of_dependency_holds_when_it_should),
        cmocka_unit_test(all_of_several_dependencies_must_hold),
        cmocka_unit_test(a_job_that_failed_is_no_success_to_those_after_it),
        cmocka_unit_test(a_chain_runs_one_after_the_other),
        cmocka_unit_test(a_dependent_job_has_no_reservation),
        cmocka_unit_test(a_job_waits_for_its_release_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
