/* SPDX-License-Identifier: Apache-2.0
 * The worked examples of reference preemption, section 9, and what follows from the
 * rules before them. Priorities are those of users: "p50" has 50. */
#include "cmocka_all.h"
#include "example.h"

#define BASE "RESERVATIONPOLICY NEVER\n" PRIORITIES
#define PRIORITIES                                                                     \
    "QUEUETIMEWEIGHT 0\nCREDWEIGHT 1\nUSERWEIGHT 1\n"                                  \
    "USERCFG[p1] PRIORITY=1\nUSERCFG[p5] PRIORITY=5\nUSERCFG[p10] PRIORITY=10\n"       \
    "USERCFG[p15] PRIORITY=15\nUSERCFG[p20] PRIORITY=20\nUSERCFG[p50] PRIORITY=50\n"   \
    "USERCFG[p100] PRIORITY=100\nUSERCFG[p500] PRIORITY=500\n"

#define LOW(name, p, s)                                                                \
    {                                                                                  \
        name, p, 1000, 0, s, .user = "p10", .flags = JOB_PREEMPTEE                     \
    }

static void example_p1_the_cheapest_of_equals_are_requeued(void **state)
{
    (void)state;
    struct example x = {.cfg = BASE,
        .nodes = 4,
        .jobs = {LOW("L1", 1, 1000), LOW("L2", 1, 1000), LOW("L3", 1, 0),
            LOW("L4", 1, 0),
            {"H", 2, 1000, 0, 50, "n1:1 n2:1", "p100", .flags = JOB_PREEMPTOR,
                .submit = 50}}};
    example_run(&x);
    BOTH_WAYS(s, x)
    {
        sc_run_until(s, 50);
        assert_int_equal(sc_find(s, "L1")->state, JOB_IDLE);
        assert_int_equal(sc_find(s, "L1")->queue_at, 50);
        assert_int_equal(sc_find(s, "L1")->preempt_count, 1);
        assert_int_equal(engine_stats(sc_engine(s))->preempted, 2);
        assert_int_equal(engine_stats(sc_engine(s))->preempted_ps, 100);
        sc_run(s);
        assert_string_equal(sc_log(s, "L1"), "start@0 requeue@50 start@1000");
        assert_string_equal(sc_log(s, "L2"), "start@0 requeue@50 start@1000");
        assert_string_equal(sc_where(s, "L1"), "n3:1");
        assert_string_equal(sc_where(s, "L2"), "n4:1");
    }
}

static void example_p2_both_flags_and_more_priority_are_needed(void **state)
{
    (void)state;
    static const struct {
        const char *user;
        uint32_t low, high;
    } c[] = {{"p100", JOB_PREEMPTEE, 0}, {"p10", JOB_PREEMPTEE, JOB_PREEMPTOR},
        {"p100", 0, JOB_PREEMPTOR}};
    for (size_t i = 0; i < 3; i++) {
        struct example x = {.cfg = BASE,
            .nodes = 1,
            .jobs = {{"L", 1, 1000, 0, 0, .user = "p10", .flags = c[i].low},
                {"H", 1, 1000, 0, 1000, .user = c[i].user, .flags = c[i].high,
                    .submit = 50}}};
        example_run(&x);
    }
}

/* PREEMPTBYTIER: the highest priority of a tier preempts nobody of it. */
static void by_tier_those_of_lower_tiers_alone_are_preempted(void **state)
{
    (void)state;
    for (int64_t low = 1; low <= 2; low++)
        for (int by_tier = 0; by_tier < 2; by_tier++) {
            bool goes = low < 2 || !by_tier;
            struct example x = {.cfg = by_tier ? BASE "PREEMPTBYTIER TRUE\n" : BASE,
                .nodes = 1,
                .jobs = {{"L", 1, 1000, 0, 0, .user = "p10", .flags = JOB_PREEMPTEE,
                             .tier = low},
                    {"H", 1, 1000, 0, goes ? 50 : 1000, .user = "p100",
                        .flags = JOB_PREEMPTOR, .submit = 50, .tier = 2}}};
            BOTH_WAYS(s, x)
            {
                sc_run(s);
                assert_string_equal(
                    sc_log(s, "L"), goes ? "start@0 requeue@50 start@1050" : "start@0");
            }
        }
}

static void example_p3_victims_go_by_priority_for_processors_freed(void **state)
{
    (void)state;
    struct example x = {.cfg = BASE,
        .nodes = 4,
        .until = 60,
        .jobs = {{"V2", 2, 1000, 0, 0, NULL, "p15", .flags = JOB_PREEMPTEE},
            {"V1", 1, 1000, 0, 0, NULL, "p10", .flags = JOB_PREEMPTEE},
            {"V3", 1, 1000, 0, 51, NULL, "p5", .flags = JOB_PREEMPTEE},
            {"H", 2, 1000, 0, 50, NULL, "p100", .flags = JOB_PREEMPTOR, .submit = 50}}};
    BOTH_WAYS(s, x)
    {
        sc_run_until(s, 60);
        assert_string_equal(sc_log(s, "V2"), "start@0 requeue@50");
        assert_string_equal(sc_log(s, "V3"), "start@0 requeue@50 backfill@51");
        assert_string_equal(sc_log(s, "V1"), "start@0");
        assert_string_equal(sc_log(s, "H"), "start@50");
    }
}

static void example_p4_all_or_nothing(void **state)
{
    (void)state;
    struct example x = {.cfg = BASE,
        .nodes = 4,
        .jobs = {LOW("L1", 1, 0), LOW("L2", 1, 0), {"X", 1, 1000, 0, 0, .user = "p1"},
            {"Y", 1, 1000, 0, 0, .user = "p1"},
            {"H", 3, 1000, 0, 1000, .user = "p100", .flags = JOB_PREEMPTOR,
                .submit = 50}}};
    example_run(&x);
}

static void example_p5_idle_resources_come_first(void **state)
{
    (void)state;
    struct example x = {.cfg = BASE,
        .nodes = 4,
        .until = 999,
        .jobs = {LOW("L1", 1, 0), LOW("L2", 1, 0),
            {"H", 3, 1000, 0, 50, "n1:1 n3:1 n4:1", "p100", .flags = JOB_PREEMPTOR,
                .submit = 50}}};
    example_run(&x);
    BOTH_WAYS(s, x)
    {
        sc_run_until(s, 999);
        assert_string_equal(sc_log(s, "L1"), "start@0 requeue@50");
        assert_string_equal(sc_log(s, "L2"), "start@0");
    }
}

static void example_p6_a_node_that_a_reservation_blocks_is_no_use(void **state)
{
    (void)state;
    struct example x = {.cfg =
                            BASE "SRCFG[sys] HOSTLIST=n1 PERIOD=DAY STARTTIME=0:08:20 "
                                 "ENDTIME=1:00:00 USERLIST=nobody\n",
        .nodes = 4,
        .jobs = {{"L1", 1, 500, 0, 0, NULL, "p10", .flags = JOB_PREEMPTEE},
            LOW("L2", 1, 0),
            {"H", 3, 1000, 0, 50, "n2:1 n3:1 n4:1", "p100", .flags = JOB_PREEMPTOR,
                .submit = 50}}};
    for (struct scenario *s = example_start(&x, false); s; sc_destroy(s), s = NULL) {
        sc_run_until(s, 400);
        assert_string_equal(sc_log(s, "L1"), "start@0");
        assert_string_equal(sc_log(s, "L2"), "start@0 requeue@50");
        assert_int_equal(sc_start(s, "H"), 50);
        assert_string_equal(sc_where(s, "H"), "n2:1 n3:1 n4:1");
    }
}

#define JUPITER                                                                        \
    "SRCFG[jupiter] HOSTLIST=n1,n2,n3,n4 PERIOD=INFINITY "                             \
    "ACCOUNTLIST=jupiter,saturn- OWNER=ACCOUNT:jupiter FLAGS=OWNERPREEMPT\n"

static void example_p7_an_owner_preempts_others_in_its_reservation(void **state)
{
    (void)state;
    struct example x = {.cfg = BASE JUPITER,
        .nodes = 4,
        .jobs = {{"S1", 1, 1000, 0, 0, NULL, "p10", .account = "saturn"},
            {"S2", 1, 1000, 0, 0, NULL, "p10", .account = "saturn"},
            {"S3", 1, 1000, 0, 0, NULL, "p10", .account = "saturn"},
            {"S4", 1, 1000, 0, 0, NULL, "p10", .account = "saturn"},
            {"J", 1, 1000, 0, 50, NULL, "p20", .account = "jupiter", .submit = 50},
            {"S5", 1, 1000, 0, 0, NULL, "p500", .account = "saturn", .submit = 60},
            {"J2", 2, 1000, 0, 70, NULL, "p1", .account = "jupiter", .submit = 70},
            {"J3", 2, 1000, 0, 0, NULL, "p1", .account = "jupiter", .submit = 80}}};
    for (struct scenario *s = example_start(&x, false); s; sc_destroy(s), s = NULL) {
        sc_run_until(s, 900);
        assert_string_equal(sc_log(s, "S1"), "start@0 requeue@50");
        assert_string_equal(sc_where(s, "J"), "n1:1");
        assert_int_equal(sc_start(s, "J"), 50);
        assert_int_equal(sc_start(s, "S5"), -1);
        assert_string_equal(sc_log(s, "S2"), "start@0 requeue@70");
        assert_string_equal(sc_log(s, "S3"), "start@0 requeue@70");
        assert_int_equal(sc_start(s, "J2"), 70);
        assert_string_equal(sc_where(s, "J2"), "n2:1 n3:1");
        assert_string_equal(sc_log(s, "S4"), "start@0");
        assert_int_equal(sc_start(s, "J3"), -1);
    }
}

static void example_p8_an_owner_waits_until_its_reservation_is_active(void **state)
{
    (void)state;
    struct example x = {.cfg = BASE
                        "SRCFG[jupiter] HOSTLIST=n1,n2 PERIOD=DAY STARTTIME=0:01:40 "
                        "ENDTIME=24:00:00 ACCOUNTLIST=jupiter,saturn- "
                        "OWNER=ACCOUNT:jupiter FLAGS=OWNERPREEMPT\n",
        .nodes = 2,
        .jobs = {{"S1", 1, 1000, 0, 0, NULL, "p10", .account = "saturn"},
            {"S2", 1, 1000, 0, 0, NULL, "p10", .account = "saturn"},
            {"J", 1, 1000, 0, 100, NULL, "p20", .account = "jupiter", .submit = 50}}};
    for (struct scenario *s = example_start(&x, false); s; sc_destroy(s), s = NULL) {
        sc_run_until(s, 300);
        assert_int_equal(sc_start(s, "J"), 100);
        assert_string_equal(sc_log(s, "S1"), "start@0 requeue@100");
        assert_string_equal(sc_log(s, "S2"), "start@0");
    }
}

#define BUSY(name)                                                                     \
    {                                                                                  \
        name, 1, 5000, 0, 0, NULL, "p5"                                                \
    }

static void example_p9_a_suspended_job_comes_back_to_its_node(void **state)
{
    (void)state;
    struct example x = {.cfg = BASE "PREEMPTPOLICY SUSPEND\n",
        .nodes = 4,
        .jobs = {LOW("L1", 1, 0), BUSY("b2"), BUSY("b3"), BUSY("b4"),
            {"H", 1, 200, 0, 300, "n1:1", "p100", .flags = JOB_PREEMPTOR,
                .submit = 300}}};
    BOTH_WAYS(s, x)
    {
        sc_run_until(s, 400);
        assert_int_equal(sc_find(s, "L1")->state, JOB_SUSPENDED);
        sc_run_until(s, 500);
        assert_string_equal(sc_log(s, "L1"), "start@0 suspend@300 resume@500");
        assert_string_equal(sc_where(s, "H"), "n1:1");
        assert_int_equal(sc_find(s, "L1")->end_at, 1200);
        sc_run_until(s, 1199);
        assert_non_null(sc_find(s, "L1"));
        sc_run_until(s, 1300);
        assert_null(sc_find(s, "L1"));
        assert_string_equal(sc_log(s, "L1"), "start@0 suspend@300 resume@500");
    }
}

static void suspended_jobs_rest_for_a_while(void **state)
{
    (void)state;
    struct example x = {.cfg = BASE "PREEMPTPOLICY SUSPEND\n",
        .nodes = 1,
        .jobs = {LOW("L", 1, 0),
            {"H", 1, 3, 0, 300, NULL, "p100", .flags = JOB_PREEMPTOR, .submit = 300}}};
    BOTH_WAYS(s, x)
    {
        sc_run(s);
        assert_string_equal(sc_log(s, "L"), "start@0 suspend@300 resume@310");
    }
}

static void check_p10(const char *policy, bool starts)
{
    struct example x = {.cfg = policy, .nodes = 1};
    struct req_desc big = {.tasks = 1, .per_task = {{1, 700, 0, 0}}};
    struct req_desc mid = {.tasks = 1, .per_task = {{1, 512, 0, 0}}};

    BOTH_WAYS(s, x)
    {
        sc_job(s, (struct sc_job){.id = "L1",
                      .limit_s = 1000,
                      .user = "p10",
                      .flags = JOB_PREEMPTEE,
                      .req = &big});
        sc_job(s, (struct sc_job){.id = "H",
                      .limit_s = 200,
                      .user = "p100",
                      .flags = JOB_PREEMPTOR,
                      .req = &mid,
                      .submit_at = 300});
        sc_run_until(s, 400);
        assert_int_equal(sc_start(s, "H"), starts ? 300 : -1);
        assert_true(starts || strcmp(sc_log(s, "L1"), "start@0") == 0);
    }
}

static void example_p10_memory_of_a_suspended_job_stays_its_own(void **state)
{
    (void)state;
    check_p10(BASE "PREEMPTPOLICY SUSPEND\n", false);
    check_p10(BASE "PREEMPTPOLICY REQUEUE\n", true);
}

static void a_checkpointed_job_has_the_rest_of_its_limit(void **state)
{
    (void)state;
    struct example x = {.cfg = BASE "PREEMPTPOLICY CHECKPOINT\n",
        .nodes = 1,
        .jobs = {LOW("L", 1, 0), {"H", 1, 200, 0, 300, NULL, "p100",
                                     .flags = JOB_PREEMPTOR, .submit = 300}}};
    BOTH_WAYS(s, x)
    {
        sc_run_until(s, 500);
        assert_string_equal(sc_log(s, "L"), "start@0 checkpoint@300 start@500");
        assert_int_equal(sc_find(s, "L")->end_at, 1200);
    }
}

static void check_p12(
    int64_t r_runs, int64_t b_runs, int64_t a_starts, int64_t b_starts)
{
    struct example x = {.cfg = PRIORITIES "RESERVATIONPOLICY CURRENTHIGHEST\n"
                                          "BACKFILLPOLICY PREEMPT\n",
        .nodes = 4,
        .jobs = {{"R", 2, 100, 0, 0, "n1:1 n2:1", "p500", .run = r_runs},
            {"A", 4, 100, 0, a_starts, NULL, "p50"},
            {"B", 2, 300, 0, b_starts, NULL, "p10", .run = b_runs}}};

    BOTH_WAYS(s, x)
    {
        sc_run_until(s, 0);
        assert_int_equal(sc_reserved(s, "A"), 100);
        assert_string_equal(sc_log(s, "B"), "backfill@0");
        assert_string_equal(sc_where(s, "B"), "n3:1 n4:1");
        sc_run_until(s, 30);
        assert_int_equal(sc_reserved(s, "A"), 100);
    }
    example_run(&x);
}

static void example_p12_optimistic_backfill_gives_way(void **state)
{
    (void)state;
    check_p12(100, 300, 100, 200);
    check_p12(40, 300, 40, 140);
    check_p12(100, 60, 100, 0);
}

static void example_p13_only_the_low_are_stolen_from(void **state)
{
    (void)state;
    struct example x = {.cfg = BASE,
        .nodes = 4,
        .jobs = {LOW("l1", 1, 1050), LOW("l2", 1, 1050),
            {"m1", 1, 2000, 0, 0, .user = "p50"}, {"m2", 1, 2000, 0, 0, .user = "p50"},
            {"high", 2, 1000, 0, 50, "n1:1 n2:1", "p100", .flags = JOB_PREEMPTOR,
                .submit = 50}}};
    /* med goes first, on n1 and n2 */
    x.jobs[4].where = "n3:1 n4:1";
    example_run(&x);
    x.jobs[4].procs = 3;
    x.jobs[0].start = x.jobs[1].start = 0;
    x.jobs[4].start = 2000;
    x.jobs[4].where = NULL;
    example_run(&x);
}

static void restartable_jobs_are_requeued_for_restartpreempt(void **state)
{
    (void)state;
    struct example x = {.cfg = BASE
                        "PREEMPTPOLICY SUSPEND\nQOSCFG[q] QFLAGS=RESTARTPREEMPT\n"
                        "USERCFG[p100] QLIST=q QDEF=q\n",
        .nodes = 1,
        .jobs = {{"L", 1, 1000, 0, 0, NULL, "p10", .flags = JOB_RESTARTABLE},
            {"H", 1, 200, 0, 300, NULL, "p100", .qos = "q", .submit = 300}}};
    BOTH_WAYS(s, x)
    {
        sc_run_until(s, 600);
        assert_string_equal(sc_log(s, "L"), "start@0 requeue@300 start@500");
    }
}

static void order(
    struct scenario *s, enum event_kind kind, enum preempt_policy how, const char *says)
{
    struct event ev = {.kind = kind, .u.preempt = {"J", how}};
    struct err err = {0};

    if (!says) {
        assert_int_equal(sc_apply(s, ev, &err), 0);
        return;
    }
    assert_int_equal(sc_apply(s, ev, &err), -1);
    assert_string_equal(err.text, says);
}

/* MINADMINSTIME: J goes on at 200, not at 110 when preempted jobs might. */
static void a_suspension_of_a_given_length_ends_by_itself(void **state)
{
    (void)state;
    struct example x = {.nodes = 1, .jobs = {{"J", 1, 1000, 0, 0, .submit = 10}}};
    struct event ev = {.kind = EVENT_PREEMPT,
        .u.preempt = {.id = "J", .how = PREEMPT_SUSPEND, .rests_s = 100}};
    BOTH_WAYS(s, x)
    {
        sc_at(s, 100);
        assert_int_equal(sc_apply(s, ev, &(struct err){0}), 0);
        sc_cycle(s);
        sc_at(s, 150);
        assert_int_equal(sc_find(s, "J")->state, JOB_SUSPENDED);
        sc_run(s);
        assert_string_equal(sc_log(s, "J"), "start@10 suspend@100 resume@200");
    }
}

static void administrators_suspend_and_resume_by_order(void **state)
{
    (void)state;
    struct example x = {.nodes = 1, .jobs = {{"J", 1, 1000, 0, 0, .submit = 10}}};
    BOTH_WAYS(s, x)
    {
        sc_at(s, 100);
        order(s, EVENT_RESUME, 0,
            "cannot resume job 'J': it is Running, expected Suspended");
        order(s, EVENT_PREEMPT, PREEMPT_OVERCOMMIT,
            "job 'J': expected to be requeued, suspended or checkpointed");
        order(s, EVENT_PREEMPT, PREEMPT_SUSPEND, NULL);
        order(s, EVENT_PREEMPT, PREEMPT_SUSPEND,
            "cannot preempt non-active job 'J' (it is Suspended)");
        assert_string_equal(
            sc_why(s, "J"), "this job is suspended until somebody resumes it");
        order(s, EVENT_RESUME, 0, NULL);
        sc_cycle(s);
        assert_string_equal(sc_log(s, "J"), "start@10 suspend@100 resume@100");
        order(s, EVENT_PREEMPT, PREEMPT_SUSPEND, NULL);
        sc_cycle(s);
        sc_at(s, 2000);
        assert_int_equal(sc_find(s, "J")->state, JOB_SUSPENDED);
        order(s, EVENT_RESUME, 0, NULL);
        sc_cycle(s);
        assert_string_equal(
            sc_log(s, "J"), "start@10 suspend@100 resume@100 suspend@100 resume@2000");
        assert_int_equal(sc_find(s, "J")->end_at, 2910);
    }
}

static void administrators_requeue_and_checkpoint_by_order(void **state)
{
    (void)state;
    struct example x = {
        .nodes = 1, .jobs = {{"J", 1, 1000, 0, 0, .submit = 10}, {"K", 1, 50, 0, 0}}};
    BOTH_WAYS(s, x)
    {
        sc_at(s, 20);
        order(s, EVENT_PREEMPT, PREEMPT_REQUEUE,
            "cannot preempt non-active job 'J' (it is Idle)");
        sc_at(s, 100);
        order(s, EVENT_PREEMPT, PREEMPT_REQUEUE, NULL);
        assert_int_equal(sc_find(s, "J")->state, JOB_IDLE);
        assert_int_equal(engine_stats(sc_engine(s))->preempted_ps, 50);
        sc_cycle(s);
        sc_at(s, 300);
        order(s, EVENT_PREEMPT, PREEMPT_CHECKPOINT, NULL);
        sc_cycle(s);
        assert_string_equal(sc_log(s, "J"),
            "reserve(50)@10 start@50 requeue@100 start@100 checkpoint@300 "
            "start@300");
        assert_int_equal(sc_find(s, "J")->end_at, 1100);
    }
}

static void a_preempted_job_tells_why_it_waits(void **state)
{
    (void)state;
    struct example x = {.cfg = BASE,
        .nodes = 2,
        .jobs = {LOW("L", 2, 0),
            {"H", 1, 1000, 0, 50, NULL, "p100", .flags = JOB_PREEMPTOR, .submit = 50}}};
    BOTH_WAYS(s, x)
    {
        sc_run_until(s, 60);
        assert_int_equal(sc_why_code(s, "L"), WAIT_PREEMPTED);
        assert_string_equal(sc_why(s, "L"),
            "this job was preempted (1 time); it asks for 2 processors and 1 is free "
            "for it now");
    }
}

static void a_suspended_job_may_end_or_be_cancelled(void **state)
{
    (void)state;
    struct example x = {.cfg = BASE "PREEMPTPOLICY SUSPEND\n",
        .nodes = 2,
        .jobs = {LOW("L", 1, 0), LOW("M", 1, 0),
            {"H", 2, 1000, 0, 50, NULL, "p100", .flags = JOB_PREEMPTOR, .submit = 50}}};
    BOTH_WAYS(s, x)
    {
        struct event end = {.kind = EVENT_END, .u.end = {"M", 0, EV_COMPLETE}};
        sc_run_until(s, 70);
        assert_int_equal(sc_why_code(s, "L"), WAIT_SUSPENDED);
        sc_cancel(s, "L");
        assert_int_equal(sc_apply(s, end, NULL), 0);
        sc_cycle(s);
        assert_null(sc_find(s, "L"));
        assert_null(sc_find(s, "M"));
        assert_int_equal(engine_cluster(sc_engine(s))->suspended, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(example_p1_the_cheapest_of_equals_are_requeued),
        cmocka_unit_test(example_p2_both_flags_and_more_priority_are_needed),
        cmocka_unit_test(by_tier_those_of_lower_tiers_alone_are_preempted),
        cmocka_unit_test(example_p3_victims_go_by_priority_for_processors_freed),
        cmocka_unit_test(example_p4_all_or_nothing),
        cmocka_unit_test(example_p5_idle_resources_come_first),
        cmocka_unit_test(example_p6_a_node_that_a_reservation_blocks_is_no_use),
        cmocka_unit_test(example_p7_an_owner_preempts_others_in_its_reservation),
        cmocka_unit_test(example_p8_an_owner_waits_until_its_reservation_is_active),
        cmocka_unit_test(example_p9_a_suspended_job_comes_back_to_its_node),
        cmocka_unit_test(suspended_jobs_rest_for_a_while),
        cmocka_unit_test(example_p10_memory_of_a_suspended_job_stays_its_own),
        cmocka_unit_test(a_checkpointed_job_has_the_rest_of_its_limit),
        cmocka_unit_test(example_p12_optimistic_backfill_gives_way),
        cmocka_unit_test(example_p13_only_the_low_are_stolen_from),
        cmocka_unit_test(restartable_jobs_are_requeued_for_restartpreempt),
        cmocka_unit_test(a_suspension_of_a_given_length_ends_by_itself),
        cmocka_unit_test(administrators_suspend_and_resume_by_order),
        cmocka_unit_test(administrators_requeue_and_checkpoint_by_order),
        cmocka_unit_test(a_preempted_job_tells_why_it_waits),
        cmocka_unit_test(a_suspended_job_may_end_or_be_cancelled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
