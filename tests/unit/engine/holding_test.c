/* SPDX-License-Identifier: Apache-2.0
 * Holds and deferral as jobs live through them: reference holds, sections 4, 7 and the
 * scenarios of section 9. */
#include "cmocka_all.h"
#include "example.h"

static const char *shown(struct scenario *s, const char *id)
{
    return hold_shown_state(sc_find(s, id));
}

/* ---- section 9 ---- */

static void scenario_1_deferred_released_deferred_again(void **state)
{
    (void)state;
    struct example x = {
        .cfg = "DEFERTIME 60\n", .nodes = 100, .jobs = {{"J", 1000, 100, 0, NEVER}}};
    BOTH_WAYS(s, x)
    {
        sc_run_until(s, 59);
        assert_string_equal(shown(s, "J"), "Deferred");
        assert_int_equal(sc_find(s, "J")->hold_reason, REASON_NORESOURCES);
        assert_string_equal(hold_reason_name(REASON_NORESOURCES), "NoResources");
        sc_run_until(s, 130);
        assert_string_equal(sc_log(s, "J"), "defer(60)@0 defer(120)@60 defer(180)@120");
        assert_int_equal(sc_find(s, "J")->defer_count, 3);
    }
}

static void deferrals_that_end_one_after_the_other_end_together(void **state)
{
    (void)state;
    struct example x = {.cfg = "DEFERTIME 600\nRMPOLLINTERVAL 60\n",
        .nodes = 100,
        .jobs = {{"A", 1000, 100, 0, NEVER}, {"B", 1000, 100, 0, NEVER, .submit = 10},
            {"C", 1000, 100, 0, NEVER, .submit = 20},
            {"D", 1000, 100, 0, NEVER, .submit = 90}}};
    BOTH_WAYS(s, x)
    {
        sc_run_until(s, 1270);
        assert_string_equal(
            sc_log(s, "A"), "defer(600)@0 defer(1200)@600 defer(1800)@1200");
        /* "checked at each RM update": within one poll interval of the last release */
        assert_string_equal(
            sc_log(s, "B"), "defer(610)@10 defer(1260)@660 defer(1860)@1260");
        assert_string_equal(
            sc_log(s, "C"), "defer(620)@20 defer(1260)@660 defer(1860)@1260");
        assert_string_equal(sc_log(s, "D"), "defer(690)@90 defer(1320)@720");
    }
}

static void scenario_2_the_third_failure_of_two_is_a_batch_hold(void **state)
{
    (void)state;
    struct example x = {.cfg = "DEFERTIME 60\nDEFERCOUNT 2\n",
        .nodes = 100,
        .jobs = {{"J", 1000, 100, 0, NEVER}}};
    BOTH_WAYS(s, x)
    {
        sc_run(s);
        assert_string_equal(
            sc_log(s, "J"), "defer(60)@0 defer(120)@60 defer(180)@120 hold@120");
        assert_string_equal(shown(s, "J"), "BatchHold");
    }
}

static void a_released_batch_hold_gives_all_deferrals_back(void **state)
{
    (void)state;
    struct example x = {.cfg = "DEFERTIME 60\nDEFERCOUNT 1\n",
        .nodes = 100,
        .jobs = {{"J", 1000, 100, 0, NEVER}}};
    BOTH_WAYS(s, x)
    {
        sc_run(s);
        assert_string_equal(sc_log(s, "J"), "defer(60)@0 defer(120)@60 hold@60");
        sc_at(s, 500);
        assert_int_equal(sc_release(s, "J", HOLD_BATCH, "root"), 0);
        sc_cycle(s);
        assert_string_equal(shown(s, "J"), "Deferred");
        sc_run(s);
        assert_string_equal(shown(s, "J"), "BatchHold");
        assert_string_equal(sc_log(s, "J"),
            "defer(60)@0 defer(120)@60 hold@60 defer(560)@500 defer(620)@560 hold@560");
    }
}

static void scenario_3_without_defertime_the_job_stays_idle(void **state)
{
    (void)state;
    struct example x = {
        .cfg = "DEFERTIME 0\n", .nodes = 2, .jobs = {{"J", 3, 100, 0, NEVER}}};
    BOTH_WAYS(s, x)
    {
        sc_run(s);
        assert_string_equal(sc_log(s, "J"), "");
        assert_string_equal(shown(s, "J"), "Idle");
        assert_int_equal(sc_why_code(s, "J"), WAIT_TOO_LARGE);
        sc_at(s, 60);
        sc_nodes(s, 1, 1); /* the next iteration finds a third node */
        sc_at(s, 120);
        assert_int_equal(sc_start(s, "J"), 120);
    }
}

static void scenario_4_deferred_after_so_many_refused_starts(void **state)
{
    (void)state;
    struct example x = {
        .cfg = "DEFERSTARTCOUNT 3\n", .nodes = 2, .jobs = {{"J", 1, 100, 0, 3720}}};
    BOTH_WAYS(s, x)
    {
        sc_refuse_starts(s, "J", 3);
        sc_run_until(s, 0);
        assert_string_equal(shown(s, "J"), "Idle");
        sc_at(s, 60);
        assert_string_equal(shown(s, "J"), "Idle");
        sc_at(s, 120);
        assert_string_equal(shown(s, "J"), "Deferred");
        assert_int_equal(sc_find(s, "J")->hold_reason, REASON_RMFAILURE);
        assert_string_equal(sc_find(s, "J")->extra->hold_text, "cannot start job");
        sc_at(s, 121);
        assert_string_equal(
            sc_log(s, "J"), "start@0 start@60 start@120 defer(3720)@121");
        sc_run(s);
        assert_int_equal(sc_start(s, "J"), 3720);
    }
}

static void one_refused_start_defers_by_default(void **state)
{
    (void)state;
    struct example x = {.nodes = 2, .jobs = {{"J", 1, 100, 0, 3600}}};
    BOTH_WAYS(s, x)
    {
        sc_refuse_starts(s, "J", 1);
        sc_at(s, 0);
        assert_string_equal(shown(s, "J"), "Deferred");
        sc_at(s, 1);
        sc_run(s);
        assert_string_equal(sc_log(s, "J"), "start@0 defer(3600)@0 start@3600");
    }
}

static int refuse(struct scenario *s, const char *id, int64_t again_s)
{
    struct event ev = {.kind = EVENT_START_FAILED, .at = sc_now(s)};
    struct err err;

    ev.u.failed.id = id;
    ev.u.failed.reason = REASON_RMFAILURE;
    ev.u.failed.text = "not just now";
    ev.u.failed.again_s = again_s;
    return sc_apply(s, ev, &err);
}

static void a_start_to_be_tried_again_is_when_it_is_due_not_at_the_next_poll(
    void **state)
{
    (void)state;
    struct example x = {.nodes = 2, .jobs = {{"A", 1, 100, 0, 2}, {"B", 1, 100, 0, 3}}};
    BOTH_WAYS(s, x)
    {
        sc_at(s, 0);
        assert_int_equal(refuse(s, "A", 2), 0);
        sc_at(s, 1);
        assert_int_equal(refuse(s, "B", 2), 0);
        sc_run(s);
        assert_int_equal(sc_start(s, "A"), 2);
        assert_int_equal(sc_start(s, "B"), 3);
    }
}

static void scenario_5_an_owner_cannot_release_a_batch_hold(void **state)
{
    (void)state;
    struct example x = {
        .nodes = 2, .jobs = {{"J", 1, 100, 0, 50, .user = "u", .holds = HOLD_BATCH}}};
    BOTH_WAYS(s, x)
    {
        sc_at(s, 10);
        assert_int_equal(sc_release(s, "J", HOLD_BATCH, "u"), -1);
        sc_cycle(s);
        assert_string_equal(shown(s, "J"), "BatchHold");
        sc_at(s, 50);
        assert_int_equal(sc_release(s, "J", HOLD_BATCH, "root"), 0);
        sc_run(s);
        sc_cycle(s);
        assert_int_equal(sc_start(s, "J"), 50);
    }
}

static void scenario_6_the_system_hold_remains(void **state)
{
    (void)state;
    struct example x = {.nodes = 2,
        .jobs = {{"J", 1, 100, 0, 50, .user = "u", .holds = HOLD_USER | HOLD_SYSTEM}}};
    BOTH_WAYS(s, x)
    {
        sc_at(s, 10);
        assert_int_equal(sc_release(s, "J", HOLD_USER, "u"), 0);
        sc_cycle(s);
        assert_string_equal(shown(s, "J"), "SystemHold");
        assert_int_equal(sc_release(s, "J", HOLD_SYSTEM, "u"), -1);
        sc_at(s, 50);
        assert_int_equal(sc_start(s, "J"), -1);
        assert_int_equal(sc_release(s, "J", HOLDS_ALL, "root"), 0);
        sc_cycle(s);
        assert_int_equal(sc_start(s, "J"), 50);
    }
}

static void scenario_7_an_administrator_ends_a_deferral(void **state)
{
    (void)state;
    struct example x = {.nodes = 2, .jobs = {{"J", 1, 100, 0, 20, .qos = "gold"}}};
    BOTH_WAYS(s, x)
    {
        sc_at(s, 10);
        assert_string_equal(shown(s, "J"), "Deferred");
        sc_at(s, 20);
        assert_int_equal(sc_release(s, "J", HOLDS_ALL | HOLD_DEFER, "root"), 0);
        assert_int_equal(sc_find(s, "J")->defer_count, 0);
        sc_cycle(s);
        assert_int_equal(sc_start(s, "J"), 20);
    }
}

/* What checkjob shows, and what a restart has to bring back, is all in the job. */
static void scenario_8_hold_reason_text_and_time_stay_with_the_job(void **state)
{
    (void)state;
    struct example x = {.nodes = 2, .jobs = {{"J", 3, 100, 0, NEVER, .user = "u"}}};
    BOTH_WAYS(s, x)
    {
        sc_at(s, 10);
        const struct job *j = sc_find(s, "J");
        assert_int_equal(j->holds, HOLD_DEFER);
        assert_int_equal(j->hold_reason, REASON_NORESOURCES);
        assert_string_equal(j->extra->hold_text,
            "the job asks for more than the cluster has: this job asks for 3 "
            "processors and no partition has more than 2 on nodes that can run it");
        assert_int_equal(j->hold_at, 0);
        assert_int_equal(j->defer_until, 3600);
        assert_int_equal(sc_hold(s, "J", HOLD_BATCH, "root"), 0);
        assert_int_equal(j->hold_reason, REASON_ADMIN);
        assert_int_equal(j->hold_at, 10);
        sc_at(s, 4000); /* the deferral runs out beneath it */
        assert_int_equal(j->holds, HOLD_BATCH);
        assert_int_equal(j->hold_reason, REASON_ADMIN);
    }
}

static void scenario_9_a_job_beyond_its_class_limit_is_deferred_then_held(void **state)
{
    (void)state;
    struct example x = {.cfg = "CLASSCFG[c] MAX.WCLIMIT=1:00:00\n"
                               "DEFERTIME 60\nDEFERCOUNT 1\n",
        .nodes = 2,
        .jobs = {
            {"J", 1, 7200, 0, NEVER, .cls = "c"}, {"K", 1, 3600, 0, 0, .cls = "c"}}};
    example_run(&x);
    BOTH_WAYS(s, x)
    {
        sc_run_until(s, 0);
        assert_string_equal(shown(s, "J"), "Deferred");
        assert_int_equal(sc_find(s, "J")->hold_reason, REASON_POLICY);
        assert_int_equal(sc_find(s, "J")->hold_at, 0);
        sc_run(s);
        assert_string_equal(shown(s, "J"), "BatchHold");
        assert_string_equal(sc_log(s, "J"), "defer(60)@0 defer(120)@60 hold@60");
    }
}

static void scenario_10_a_qos_out_of_reach_defers_and_is_held_in_the_end(void **state)
{
    (void)state;
    struct example x = {.cfg = "USERCFG[u] QDEF=basic QLIST=basic\nDEFERCOUNT 1\n",
        .nodes = 2,
        .jobs = {{"J", 1, 100, 0, NEVER, .user = "u", .qos = "gold"}}};
    BOTH_WAYS(s, x)
    {
        sc_run_until(s, 10);
        assert_string_equal(shown(s, "J"), "Deferred");
        assert_int_equal(sc_find(s, "J")->hold_reason, REASON_QOSACCESS);
        assert_string_equal(
            job_cred(engine_cluster(sc_engine(s)), sc_find(s, "J"), CRED_QOS)->name,
            "basic");
        sc_run(s);
        assert_string_equal(sc_log(s, "J"), "defer(3600)@0 defer(7200)@3600 hold@3600");
    }
}

/* ---- section 4 ---- */

static void a_noqueue_job_is_cancelled_instead_of_deferred(void **state)
{
    (void)state;
    struct example x = {.nodes = 2,
        .jobs = {{"large", 3, 100, 0, NEVER, .flags = JOB_NOQUEUE},
            {"gold", 1, 100, 0, NEVER, .flags = JOB_NOQUEUE, .qos = "gold"},
            {"fits", 1, 100, 50, 0, .flags = JOB_NOQUEUE},
            {"waits", 2, 100, 40, NEVER, .flags = JOB_NOQUEUE},
            {"other", 2, 100, 30, 100}}};
    example_run(&x);
    BOTH_WAYS(s, x)
    {
        sc_run(s);
        assert_string_equal(sc_log(s, "large"), "cancel@0");
        assert_string_equal(sc_log(s, "gold"), "cancel@0");
        assert_string_equal(sc_log(s, "waits"), "cancel@0");
        assert_null(sc_find(s, "waits"));
        assert_int_equal(engine_stats(sc_engine(s))->cancelled, 3);
    }
}

/* It is cancelled by the first cycle that considers it, not before its time. */
static void a_noqueue_job_may_wait_for_its_release_time(void **state)
{
    (void)state;
    struct example x = {.nodes = 2,
        .jobs = {{"J", 2, 100, 50, 60, .flags = JOB_NOQUEUE, .release_at = 60},
            {"K", 2, 100, 40, NEVER, .flags = JOB_NOQUEUE, .release_at = 70}}};
    example_run(&x);
}

static void a_refused_noqueue_job_is_cancelled(void **state)
{
    (void)state;
    struct example x = {
        .nodes = 2, .jobs = {{"J", 1, 100, 0, 0, .flags = JOB_NOQUEUE}}};
    BOTH_WAYS(s, x)
    {
        sc_refuse_starts(s, "J", 1);
        sc_run(s);
        assert_null(sc_find(s, "J"));
        assert_int_equal(sc_starts(s, "J"), 1);
    }
}

static void a_deferral_costs_the_job_its_reservation(void **state)
{
    (void)state;
    struct example x = {.cfg = "USERCFG[u] MAXPROC=3\n",
        .nodes = 4,
        .jobs = {{"R", 4, 100, 99, 0}, {"J", 3, 100, 50, NEVER, .user = "u"},
            {"K", 2, 100, 40, 100}}};
    BOTH_WAYS(s, x)
    {
        sc_run_until(s, 0);
        assert_int_equal(sc_reserved(s, "J"), 100);
        sc_at(s, 10);
        assert_int_equal(sc_hold(s, "J", HOLD_DEFER, "root"), 0);
        sc_cycle(s);
        assert_int_equal(sc_reserved(s, "J"), -1);
        assert_int_equal(sc_reserved(s, "K"), 100);
        sc_run(s);
        assert_int_equal(sc_start(s, "K"), 100);
        assert_string_equal(shown(s, "J"), "Deferred"); /* a person's has no end */
    }
}

/* ---- section 7 ---- */

static void a_held_job_loses_its_reservation_to_the_next(void **state)
{
    (void)state;
    struct example x = {.nodes = 4,
        .jobs = {{"R", 4, 100, 99, 0}, {"J", 4, 100, 50, 200}, {"K", 4, 100, 40, 100}}};
    BOTH_WAYS(s, x)
    {
        sc_run_until(s, 0);
        assert_int_equal(sc_reserved(s, "J"), 100);
        assert_int_equal(sc_reserved(s, "K"), -1);
        sc_at(s, 10);
        assert_int_equal(sc_hold(s, "J", HOLD_USER, "user"), 0);
        sc_cycle(s);
        assert_int_equal(sc_reserved(s, "J"), -1);
        assert_int_equal(sc_reserved(s, "K"), 100);
        sc_at(s, 150);
        assert_int_equal(sc_release(s, "J", HOLD_USER, "user"), 0);
        sc_run(s);
        assert_string_equal(sc_log(s, "J"), "reserve(100)@0 release@10 start@200");
        assert_int_equal(sc_start(s, "K"), 100);
    }
}

static void a_hold_does_not_touch_a_running_job_until_it_is_requeued(void **state)
{
    (void)state;
    struct example x = {.cfg = "WCVIOLATIONACTION PREEMPT\n",
        .nodes = 1,
        .jobs = {{"J", 1, 100, 50, 0}, {"K", 1, 100, 40, 100, .run = 5000}}};
    BOTH_WAYS(s, x)
    {
        sc_at(s, 10);
        assert_int_equal(sc_hold(s, "J", HOLD_SYSTEM, "root"), 0);
        sc_cycle(s);
        assert_string_equal(shown(s, "J"), "Running");
        sc_at(s, 100);
        assert_null(sc_find(s, "J"));
        sc_at(s, 150);
        assert_int_equal(sc_hold(s, "K", HOLD_SYSTEM, "root"), 0);
        sc_run(s);
        assert_string_equal(sc_log(s, "K"), "reserve(100)@0 start@100 requeue@201");
        assert_string_equal(shown(s, "K"), "SystemHold");
    }
}

static void a_job_held_at_the_resource_manager_is_not_considered(void **state)
{
    (void)state;
    struct scenario *s = sc_create();
    sc_nodes(s, 1, 1);
    sc_job(
        s, (struct sc_job){.id = "J", .procs = 1, .limit_s = 100, .state = JOB_HOLD});
    sc_run(s);
    assert_int_equal(sc_start(s, "J"), -1);
    assert_int_equal(sc_why_code(s, "J"), WAIT_STATE);
    sc_destroy(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scenario_1_deferred_released_deferred_again),
        cmocka_unit_test(deferrals_that_end_one_after_the_other_end_together),
        cmocka_unit_test(scenario_2_the_third_failure_of_two_is_a_batch_hold),
        cmocka_unit_test(a_released_batch_hold_gives_all_deferrals_back),
        cmocka_unit_test(scenario_3_without_defertime_the_job_stays_idle),
        cmocka_unit_test(scenario_4_deferred_after_so_many_refused_starts),
        cmocka_unit_test(one_refused_start_defers_by_default),
        cmocka_unit_test(
            a_start_to_be_tried_again_is_when_it_is_due_not_at_the_next_poll),
        cmocka_unit_test(scenario_5_an_owner_cannot_release_a_batch_hold),
        cmocka_unit_test(scenario_6_the_system_hold_remains),
        cmocka_unit_test(scenario_7_an_administrator_ends_a_deferral),
        cmocka_unit_test(scenario_8_hold_reason_text_and_time_stay_with_the_job),
        cmocka_unit_test(scenario_9_a_job_beyond_its_class_limit_is_deferred_then_held),
        cmocka_unit_test(scenario_10_a_qos_out_of_reach_defers_and_is_held_in_the_end),
        cmocka_unit_test(a_noqueue_job_is_cancelled_instead_of_deferred),
        cmocka_unit_test(a_noqueue_job_may_wait_for_its_release_time),
        cmocka_unit_test(a_refused_noqueue_job_is_cancelled),
        cmocka_unit_test(a_deferral_costs_the_job_its_reservation),
        cmocka_unit_test(a_held_job_loses_its_reservation_to_the_next),
        cmocka_unit_test(a_hold_does_not_touch_a_running_job_until_it_is_requeued),
        cmocka_unit_test(a_job_held_at_the_resource_manager_is_not_considered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
