/* SPDX-License-Identifier: Apache-2.0
 * USEMACHINESPEED in planning: how long a job is thought to stay where nodes differ in
 * speed (reference concepts, section 7; backfill, section 3). */
#include "cmocka_all.h"
#include "scenario.h"

#define FAST2 "USEMACHINESPEED ON\nNODECFG[n1] SPEED=2\nNODECFG[n2] SPEED=2\n"

static void job(struct scenario *s, const char *id, uint32_t procs, int64_t limit,
    int64_t priority, int64_t submit)
{
    sc_job(s, (struct sc_job){.id = id,
                  .procs = procs,
                  .limit_s = limit,
                  .run_s = 100000, /* until its limit stops it */
                  .priority = priority,
                  .submit_at = submit});
}

static void an_hour_on_nodes_of_speed_1_5_is_40_minutes(void **state)
{
    (void)state;
    SC_BOTH_WAYS(s, "USEMACHINESPEED ON\nNODECFG[n1] SPEED=1.5\n", 1)
    {
        job(s, "hour", 1, 3600, 10, 0);
        sc_run_until(s, 5);
        assert_int_equal(sc_find(s, "hour")->end_at, 2400);
        sc_run(s);
        assert_string_equal(sc_log(s, "hour"), "start@0 cancel@2401");
    }
}

/* Three are reserved one after the other, each for as long as it will have. */
static void reservations_follow_each_other_at_the_effective_limit(void **state)
{
    (void)state;
    SC_BOTH_WAYS(s, FAST2 "RESERVATIONDEPTH 9\n", 2)
    {
        job(s, "a", 2, 1000, 90, 0);
        job(s, "b", 2, 600, 80, 0);
        job(s, "c", 2, 400, 70, 0);
        sc_run_until(s, 0);
        assert_int_equal(sc_reserved(s, "b"), 500);
        assert_int_equal(sc_reserved(s, "c"), 800);
    }
}

/* The gap before the reservation is 500 s: 1000 s of limit at speed 2. */
static void backfill_fills_a_gap_with_what_is_short_enough_there(void **state)
{
    (void)state;
    SC_BOTH_WAYS(s, FAST2, 2)
    {
        job(s, "a", 1, 1000, 90, 0);
        job(s, "wide", 2, 100, 80, 0);
        job(s, "long", 1, 1002, 70, 0);
        job(s, "short", 1, 1000, 60, 0);
        sc_run_until(s, 0);
        assert_int_equal(sc_reserved(s, "wide"), 500);
        assert_int_equal(sc_start(s, "short"), 0);
        assert_int_equal(sc_start(s, "long"), -1);
    }
}

/* The same for the policies that look at windows by themselves. */
static void every_backfill_policy_measures_the_gap_by_speed(void **state)
{
    (void)state;
    static const char *const policies[] = {FAST2 "BACKFILLPOLICY BESTFIT\n",
        FAST2 "BACKFILLPOLICY GREEDY\n", FAST2 "BACKFILLTYPE QUEUEORDER\n",
        FAST2 "BACKFILLTYPE LONGESTFIRST\n"};

    for (size_t i = 0; i < sizeof policies / sizeof *policies; i++)
        SC_BOTH_WAYS(s, policies[i], 2)
        {
            job(s, "a", 1, 1000, 90, 0);
            job(s, "wide", 2, 100, 80, 0);
            job(s, "long", 1, 1002, 70, 0);
            job(s, "short", 1, 1000, 60, 0);
            sc_run_until(s, 0);
            assert_int_equal(sc_start(s, "short"), 0);
            assert_int_equal(sc_start(s, "long"), -1);
        }
}

/* n3 is slow: a limit of 100 s is 200 s there. A job that might get it is planned for
 * 200 s, so it does not go before a reservation at 150. */
static void a_gap_must_do_for_the_slowest_nodes_a_job_might_get(void **state)
{
    (void)state;
    SC_BOTH_WAYS(s, "USEMACHINESPEED ON\nNODECFG[n3] SPEED=0.5\n", 3)
    {
        job(s, "a", 2, 150, 90, 0);
        job(s, "wide", 3, 100, 80, 10);
        job(s, "small", 1, 100, 70, 10);
        job(s, "tiny", 1, 70, 60, 10);
        sc_run_until(s, 10);
        assert_string_equal(sc_where(s, "a"), "n1:1 n2:1");
        assert_int_equal(sc_reserved(s, "wide"), 150);
        assert_int_equal(sc_start(s, "small"), -1);
        assert_int_equal(sc_start(s, "tiny"), 10);
        assert_int_equal(sc_find(s, "tiny")->end_at, 150);
    }
}

/* Where a job gets faster nodes than planned, others move forward. */
static void what_is_planned_too_long_is_planned_anew_at_the_start(void **state)
{
    (void)state;
    SC_BOTH_WAYS(s,
        "USEMACHINESPEED ON\nNODECFG[n2] SPEED=0.5\nRESERVATIONDEPTH 9\n"
        "NODEALLOCATIONPOLICY FASTEST\n",
        2)
    {
        job(s, "all", 2, 50, 90, 0); /* to 100 */
        job(s, "one", 1, 100, 80, 0);
        job(s, "last", 2, 10, 70, 0);
        sc_run_until(s, 0);
        assert_int_equal(sc_reserved(s, "one"), 100);
        assert_int_equal(sc_reserved(s, "last"), 300);
        sc_run_until(s, 110);
        assert_string_equal(sc_where(s, "one"), "n1:1");
        assert_int_equal(sc_find(s, "one")->end_at, sc_start(s, "one") + 100);
        assert_int_equal(sc_reserved(s, "last"), sc_start(s, "one") + 100);
    }
}

static void partitions_that_do_not_ask_for_it_plan_the_plain_limit(void **state)
{
    (void)state;
    SC_BOTH_WAYS(s,
        "USEMACHINESPEED[fast] ON\nNODECFG[n1] PARTITION=fast SPEED=2\n"
        "NODECFG[n2] PARTITION=plain SPEED=2\nRESERVATIONDEPTH 9\n",
        2)
    {
        static const char *const fast[] = {"fast", NULL}, *const plain[] = {
                                                              "plain", NULL};
        for (int i = 0; i < 4; i++)
            sc_job(s, (struct sc_job){.id = (const char *[]){"f1", "p1", "f2", "p2"}[i],
                          .procs = 1,
                          .limit_s = 100,
                          .priority = 90 - i,
                          .partitions = i % 2 ? plain : fast});
        sc_run_until(s, 0);
        assert_int_equal(sc_reserved(s, "f2"), 50);
        assert_int_equal(sc_reserved(s, "p2"), 100);
    }
}

static void an_unlimited_job_stays_unlimited(void **state)
{
    (void)state;
    SC_BOTH_WAYS(s, "USEMACHINESPEED ON\nNODECFG[n1] SPEED=0.01\n", 1)
    {
        job(s, "ever", 1, DURATION_UNLIMITED, 10, 0);
        sc_run_until(s, 10);
        assert_int_equal(sc_start(s, "ever"), 0);
        assert_int_equal(sc_find(s, "ever")->eff_wclimit_s, DURATION_UNLIMITED);
    }
}

/* Several requests go to sets of their own: the slowest node of any counts. */
static void several_requests_are_planned_for_the_slowest_node_of_all(void **state)
{
    (void)state;
    static const char *const feature[] = {"big", NULL};
    const struct req_desc reqs[] = {
        {.tasks = 1, .per_task = {{1}}, .features = feature},
        {.tasks = 1, .per_task = {{1}}}};

    SC_BOTH_WAYS(s,
        "USEMACHINESPEED ON\nENABLEMULTIREQJOBS TRUE\n"
        "NODECFG[n1] FEATURES=big\nNODECFG[n2] SPEED=0.5\n"
        "RESERVATIONDEPTH 9\n",
        2)
    {
        job(s, "a", 2, 100, 90, 0); /* to 200 */
        sc_job(s,
            (struct sc_job){
                .id = "two", .limit_s = 100, .priority = 80, .req = reqs, .nreqs = 2});
        job(s, "b", 2, 100, 70, 0);
        sc_run_until(s, 0);
        assert_int_equal(sc_reserved(s, "two"), 200);
        assert_int_equal(sc_reserved(s, "b"), 400);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_hour_on_nodes_of_speed_1_5_is_40_minutes),
        cmocka_unit_test(reservations_follow_each_other_at_the_effective_limit),
        cmocka_unit_test(backfill_fills_a_gap_with_what_is_short_enough_there),
        cmocka_unit_test(every_backfill_policy_measures_the_gap_by_speed),
        cmocka_unit_test(a_gap_must_do_for_the_slowest_nodes_a_job_might_get),
        cmocka_unit_test(what_is_planned_too_long_is_planned_anew_at_the_start),
        cmocka_unit_test(partitions_that_do_not_ask_for_it_plan_the_plain_limit),
        cmocka_unit_test(an_unlimited_job_stays_unlimited),
        cmocka_unit_test(several_requests_are_planned_for_the_slowest_node_of_all),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
