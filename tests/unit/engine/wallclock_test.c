/* SPDX-License-Identifier: Apache-2.0
 * Jobs that run beyond their wallclock limit, and machine speed (reference concepts,
 * section 7; preemption, P11). */
#include "cmocka_all.h"
#include "example.h"

/* One job of 100 s that would run for ever, and one that waits for its node. */
static void check_violation(const char *cfg, int64_t until, const char *log)
{
    struct example x = {.cfg = cfg,
        .nodes = 1,
        .jobs = {{"J", 1, 100, 50, 0, .run = 100000, .user = "u", .cls = "c"}}};

    BOTH_WAYS(s, x)
    {
        sc_run_until(s, until);
        assert_string_equal(sc_log(s, "J"), log);
    }
}

static void a_job_past_its_limit_is_cancelled_at_once_by_default(void **state)
{
    (void)state;
    check_violation("", 5000, "start@0 cancel@101");
    struct example x = {
        .nodes = 1, .jobs = {{"J", 1, 100, 50, 0}, {"K", 1, 100, 40, 100}}};
    example_run(&x); /* one that ends at its limit is none */
}

static void example_p11_an_overrun_is_granted_and_then_the_job_requeued(void **state)
{
    (void)state;
    check_violation("JOBMAXOVERRUN 60\n", 5000, "start@0 cancel@161");
    check_violation("JOBMAXOVERRUN 60\nWCVIOLATIONACTION PREEMPT\n", 330,
        "start@0 requeue@161 start@161 requeue@322 start@322");
}

static void a_requeued_job_has_its_whole_limit_again_and_waits_its_turn(void **state)
{
    (void)state;
    struct example x = {.cfg = "WCVIOLATIONACTION PREEMPT\n",
        .nodes = 1,
        .until = 450,
        .jobs = {
            {"J", 1, 100, 50, 401, .run = 1000}, {"K", 1, 300, 60, 101, .submit = 10}}};
    example_run(&x);
    BOTH_WAYS(s, x)
    {
        sc_run_until(s, 450);
        assert_string_equal(
            sc_log(s, "J"), "start@0 requeue@101 reserve(401)@101 start@401");
        assert_int_equal(sc_find(s, "J")->end_at, 501);
        assert_int_equal(sc_find(s, "J")->preempt_count, 1);
    }
}

static void the_overrun_of_a_credential_replaces_that_of_the_site(void **state)
{
    (void)state;
    check_violation(
        "JOBMAXOVERRUN 60\nCLASSCFG[c] OVERRUN=30\n", 5000, "start@0 cancel@131");
    check_violation("CLASSCFG[DEFAULT] OVERRUN=20\n", 5000, "start@0 cancel@121");
    check_violation("USERCFG[u] OVERRUN=90\n", 5000, "start@0 cancel@191");
}

/* What its resource manager lets it run on is foreseen once it does. */
static void overtime_is_foreseen_from_the_limit_on(void **state)
{
    (void)state;
    SC_BOTH_WAYS(s, "JOBMAXOVERRUN -1\n", 1)
    {
        sc_job(s, (struct sc_job){.id = "J",
                      .procs = 1,
                      .limit_s = 100,
                      .run_s = 500,
                      .overtime_s = 600});
        sc_job(s, (struct sc_job){.id = "K", .procs = 1, .limit_s = 100});
        sc_job(s,
            (struct sc_job){.id = "L", .procs = 1, .limit_s = 100, .release_at = 700});
        sc_run_until(s, 0);
        assert_int_equal(sc_reserved(s, "K"), 100);
        sc_at(s, 100);
        assert_int_equal(sc_reserved(s, "K"), 700);
        assert_int_equal(sc_find(s, "J")->end_at, 700);
        assert_int_equal(sc_find(s, "J")->wclimit_s, 100);
        sc_at(s, 300);
        assert_int_equal(sc_reserved(s, "K"), 700);
        sc_run(s);
        assert_int_equal(sc_start(s, "K"), 500);
    }
}

static void beyond_its_overtime_a_job_is_overdue(void **state)
{
    (void)state;
    SC_BOTH_WAYS(s, "JOBMAXOVERRUN -1\n", 1)
    {
        sc_job(s,
            (struct sc_job){
                .id = "J", .procs = 1, .limit_s = 100, .run_s = 500, .overtime_s = 60});
        sc_job(s, (struct sc_job){.id = "K", .procs = 1, .limit_s = 100});
        sc_run_until(s, 0);
        sc_at(s, 100);
        assert_int_equal(sc_reserved(s, "K"), 160);
        sc_at(s, 170);
        assert_int_equal(sc_reserved(s, "K"), 170 + 60);
        assert_int_equal(sc_find(s, "J")->end_at, 160);
    }
}

/* Others see the nodes of an overdue job busy for one more poll interval. */
static void a_negative_overrun_lets_jobs_run_on(void **state)
{
    (void)state;
    struct example x = {.cfg = "JOBMAXOVERRUN -1\n",
        .nodes = 1,
        .jobs = {{"J", 1, 100, 50, 0, .run = 250}, {"K", 1, 100, 40, 250}}};
    example_run(&x);
    BOTH_WAYS(s, x)
    {
        sc_run_until(s, 0);
        assert_int_equal(sc_reserved(s, "K"), 100);
        sc_at(s, 130);
        assert_int_equal(sc_reserved(s, "K"), 190);
        sc_at(s, 170);
        assert_int_equal(sc_reserved(s, "K"), 230);
    }
}

static void an_overdue_job_blocks_backfill_for_the_poll_interval_only(void **state)
{
    (void)state;
    struct example x = {.cfg = "JOBMAXOVERRUN 1000\nRMPOLLINTERVAL 30\n",
        .nodes = 2,
        .jobs = {{"J", 1, 100, 50, 0, .run = 300}, {"K", 2, 100, 40, 300},
            {"long", 1, 31, 30, 400, .submit = 150},
            {"short", 1, 30, 20, 150, .submit = 150}}};
    example_run(&x);
}

/* Limit 3600 on nodes of speed 1.5 is 2400; the slowest of several counts. */
static void machine_speed_scales_limits(void **state)
{
    (void)state;
    for (int by_node = 0; by_node < 2; by_node++) {
        struct scenario *s =
            sc_create_with("USEMACHINESPEED ON\nNODECFG[n1] SPEED=1.5\n"
                           "NODECFG[n2] SPEED=2.0\n");
        sc_nodes(s, 2, 1);
        if (by_node)
            sc_force_by_node(s);
        sc_job(
            s, (struct sc_job){.id = "a", .procs = 1, .limit_s = 3600, .run_s = 9999});
        sc_job(s, (struct sc_job){.id = "b",
                      .procs = 2,
                      .limit_s = 3600,
                      .run_s = 9999,
                      .priority = 10,
                      .submit_at = 10});
        sc_run(s);
        assert_string_equal(sc_where(s, "a"), "n1:1");
        assert_string_equal(sc_log(s, "a"), "start@0 cancel@2401");
        assert_int_equal(sc_start(s, "b"), 2401);
        assert_string_equal(sc_log(s, "b"), "reserve(2400)@10 start@2401 cancel@4802");
        sc_destroy(s);
    }
}

/* What it may have was changed while it ran: it is put back for its limit, and deferred
 * for that. */
static void the_limit_is_the_reason_of_the_requeueing_alone(void **state)
{
    (void)state;
    struct scenario *s =
        sc_create_with("WCVIOLATIONACTION PREEMPT\nUSERCFG[u] QDEF=basic QLIST=hi\n");
    struct actions decided = {0};

    sc_nodes(s, 1, 1);
    sc_job(s, (struct sc_job){.id = "J",
                  .procs = 1,
                  .limit_s = 100,
                  .run_s = 999,
                  .user = "u",
                  .qos = "hi"});
    sc_at(s, 50);
    sc_configure(s, "WCVIOLATIONACTION PREEMPT\nUSERCFG[u] QDEF=basic QLIST=basic\n");
    engine_cycle(sc_engine(s), 101, &decided);
    assert_int_equal(decided.n, 2);
    assert_int_equal(decided.v[0].kind, ACTION_REQUEUE);
    assert_int_equal(decided.v[0].why, ENDED_WALLCLOCK);
    assert_int_equal(decided.v[1].kind, ACTION_DEFER);
    assert_int_equal(decided.v[1].why, ENDED_UNKNOWN);
    vec_fini(&decided);
    sc_destroy(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_job_past_its_limit_is_cancelled_at_once_by_default),
        cmocka_unit_test(example_p11_an_overrun_is_granted_and_then_the_job_requeued),
        cmocka_unit_test(a_requeued_job_has_its_whole_limit_again_and_waits_its_turn),
        cmocka_unit_test(the_overrun_of_a_credential_replaces_that_of_the_site),
        cmocka_unit_test(overtime_is_foreseen_from_the_limit_on),
        cmocka_unit_test(beyond_its_overtime_a_job_is_overdue),
        cmocka_unit_test(a_negative_overrun_lets_jobs_run_on),
        cmocka_unit_test(an_overdue_job_blocks_backfill_for_the_poll_interval_only),
        cmocka_unit_test(machine_speed_scales_limits),
        cmocka_unit_test(the_limit_is_the_reason_of_the_requeueing_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
