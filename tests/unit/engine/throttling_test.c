/* SPDX-License-Identifier: Apache-2.0
 * Throttling over time and over several jobs: the examples of reference throttling,
 * sections 3 to 8. */
#include "cmocka_all.h"
#include "example.h"

/* ---- where limits go (section 3) ---- */

static void a_default_limit_holds_for_each_user_by_itself(void **state)
{
    (void)state;
    struct example x = {.cfg = "USERCFG[DEFAULT] MAXJOB=4\n"
                               "USERCFG[john]    MAXJOB=8\n",
        .nodes = 20,
        .jobs = {{"j1", 1, 100, 99, 0, .user = "john"},
            {"j2", 7, 100, 98, 0, .user = "john"}, {"j3", 1, 100, 97, 0, .user = "ann"},
            {"j4", 1, 100, 96, 0, .user = "ann"}, {"j5", 1, 100, 95, 0, .user = "ann"},
            {"j6", 1, 100, 94, 0, .user = "ann"},
            {"j7", 1, 100, 93, 100, .user = "ann"},
            {"j8", 1, 100, 92, 0, .user = "bob"}, {"j9", 1, 100, 91, 0, .user = "bob"},
            {"j10", 1, 100, 90, 0, .user = "bob"},
            {"j11", 1, 100, 89, 0, .user = "bob"},
            {"j12", 1, 100, 88, 100, .user = "bob"}}};
    example_run(&x);
    struct example own = {.cfg = x.cfg,
        .nodes = 20,
        .jobs = {{"j1", 1, 100, 99, 0, .user = "john"},
            {"j2", 1, 100, 98, 0, .user = "john"},
            {"j3", 1, 100, 97, 0, .user = "john"},
            {"j4", 1, 100, 96, 0, .user = "john"},
            {"j5", 1, 100, 95, 0, .user = "john"},
            {"j6", 1, 100, 94, 0, .user = "john"},
            {"j7", 1, 100, 93, 0, .user = "john"},
            {"j8", 1, 100, 92, 0, .user = "john"},
            {"j9", 1, 100, 91, 100, .user = "john"}}};
    example_run(&own);
}

#define STEVE                                                                          \
    "USERCFG[steve]    MAXJOB=2 MAXNODE=30\n"                                          \
    "GROUPCFG[staff]   MAXJOB=5\n"                                                     \
    "CLASSCFG[DEFAULT] MAXNODE=16\n"                                                   \
    "CLASSCFG[batch]   MAXNODE=32\n"

static void a_default_class_limit_leaves_steve_two_nodes(void **state)
{
    (void)state;
    struct example two = {.cfg = STEVE,
        .nodes = 40,
        .jobs = {{"a", 14, 100, 99, 0, .cls = "interactive", .nodes = 14},
            {"s", 2, 100, 50, 0, .user = "steve", .cls = "interactive", .nodes = 2}}};
    example_run(&two);
    struct example three = {.cfg = STEVE,
        .nodes = 40,
        .jobs = {{"a", 14, 100, 99, 0, .cls = "interactive", .nodes = 14},
            {"s", 3, 100, 50, 100, .user = "steve", .cls = "interactive", .nodes = 3}}};
    example_run(&three);
}

static void steve_has_two_jobs_and_thirty_nodes_in_all(void **state)
{
    (void)state;
    struct example x = {.cfg = STEVE,
        .nodes = 80,
        .jobs = {{"s1", 16, 100, 99, 0, .user = "steve", .cls = "batch", .nodes = 16},
            {"s2", 15, 100, 98, 100, .user = "steve", .cls = "batch", .nodes = 15},
            {"s3", 14, 100, 97, 0, .user = "steve", .cls = "batch", .nodes = 14},
            {"s4", 1, 100, 96, 100, .user = "steve", .nodes = 1}}};
    example_run(&x);
}

/* ---- override limits (section 4.1) ---- */

#define HIPRIO                                                                         \
    STEVE                                                                              \
    "QOSCFG[hiprio] OMAXJOB=3 OMAXNODE=64\n"                                           \
    "SYSCFG[base] QLIST=DEFAULT,hiprio\n"

static void omaxnode_replaces_the_node_limits_of_all_credentials(void **state)
{
    (void)state;
    struct example x = {.cfg = HIPRIO,
        .nodes = 100,
        .until = 1000,
        .jobs = {{"s", 64, 100, 50, 0, .user = "steve", .group = "staff",
                     .cls = "batch", .qos = "hiprio", .nodes = 64},
            {"t", 65, 100, 40, NEVER, .user = "steve", .group = "staff", .cls = "batch",
                .qos = "hiprio", .nodes = 65}}};
    example_run(&x);
}

/* Decision: the first reading of section 4.1, which gives all five rows. */
static void omaxjob_limits_the_qos_and_leaves_other_job_counts_alone(void **state)
{
    (void)state;
    struct example steve = {.cfg = HIPRIO,
        .nodes = 10,
        .jobs = {{"s1", 1, 100, 50, 0, .user = "steve", .qos = "hiprio"},
            {"s2", 1, 100, 40, 0, .user = "steve", .qos = "hiprio"},
            {"s3", 1, 100, 30, 100, .user = "steve", .qos = "hiprio"}}};
    example_run(&steve);
    struct example staff = {.cfg = HIPRIO,
        .nodes = 10,
        .jobs = {{"a", 1, 100, 60, 0, .user = "a", .group = "staff"},
            {"b", 1, 100, 50, 0, .user = "b", .group = "staff"},
            {"c", 1, 100, 40, 0, .user = "c", .group = "staff"},
            {"d", 1, 100, 30, 0, .user = "d", .group = "staff", .qos = "hiprio"},
            {"e", 1, 100, 20, 0, .user = "e", .group = "staff", .qos = "hiprio"},
            {"f", 1, 100, 10, 100, .user = "f", .group = "staff", .qos = "hiprio"}}};
    example_run(&staff);
    struct example qos = {.cfg = HIPRIO,
        .nodes = 10,
        .jobs = {{"a", 1, 100, 60, 0, .user = "a", .group = "ga", .qos = "hiprio"},
            {"b", 1, 100, 50, 0, .user = "b", .group = "gb", .qos = "hiprio"},
            {"c", 1, 100, 40, 0, .user = "c", .group = "gc", .qos = "hiprio"},
            {"d", 1, 100, 30, 100, .user = "d", .group = "gd", .qos = "hiprio"},
            {"e", 1, 100, 20, 0, .user = "e", .group = "gd"}}};
    example_run(&qos);
}

static void an_ignore_flag_frees_its_kind_of_credential_only(void **state)
{
    (void)state;
    struct example x = {.cfg = "USERCFG[DEFAULT] MAXJOB=1\n"
                               "GROUPCFG[g] MAXJOB=2\n"
                               "QOSCFG[free] QFLAGS=IGNJOBPERUSER\n"
                               "SYSCFG[base] QLIST=DEFAULT,free\n",
        .nodes = 10,
        .jobs = {{"a", 1, 100, 60, 0, .user = "u", .group = "g", .qos = "free"},
            {"b", 1, 100, 50, 0, .user = "u", .group = "g", .qos = "free"},
            {"c", 1, 100, 40, 100, .user = "u", .group = "g", .qos = "free"},
            {"d", 1, 100, 30, 200, .user = "u", .group = "h"}}};
    example_run(&x);
}

/* ---- one credential within another (section 5) ---- */

static void each_group_has_its_own_count_within_a_class(void **state)
{
    (void)state;
    struct example x = {.cfg = "CLASSCFG[fast] MAXJOB[GROUP]=2\n",
        .nodes = 10,
        .jobs = {{"a", 1, 100, 60, 0, .group = "g", .cls = "fast"},
            {"b", 1, 100, 50, 0, .group = "g", .cls = "fast"},
            {"c", 1, 100, 40, 100, .group = "g", .cls = "fast"},
            {"d", 1, 100, 30, 0, .group = "h", .cls = "fast"},
            {"e", 1, 100, 20, 0, .group = "g", .cls = "slow"}}};
    example_run(&x);
}

static void a_named_value_beats_the_general_one(void **state)
{
    (void)state;
    struct example x = {.cfg =
                            "CLASSCFG[fast] MAXPROC[USER:steve]=3 MAXPROC[USER:bob]=4\n"
                            "CLASSCFG[fast] MAXPROC[USER]=2\n",
        .nodes = 20,
        .jobs = {{"s1", 3, 100, 60, 0, .user = "steve", .cls = "fast"},
            {"s2", 1, 100, 50, 100, .user = "steve", .cls = "fast"},
            {"b1", 4, 100, 40, 0, .user = "bob", .cls = "fast"},
            {"b2", 1, 100, 30, 100, .user = "bob", .cls = "fast"},
            {"e1", 2, 100, 20, 0, .user = "eve", .cls = "fast"},
            {"e2", 1, 100, 10, 100, .user = "eve", .cls = "fast"},
            {"e3", 1, 100, 5, 0, .user = "eve", .cls = "slow"}}};
    example_run(&x);
}

static void class_total_and_share_of_each_user_are_both_checked(void **state)
{
    (void)state;
    struct example x = {.cfg = "CLASSCFG[batch] MAXJOB=3 MAXNODE[USER]=8\n",
        .nodes = 40,
        .jobs = {{"a", 5, 100, 60, 0, .user = "u", .cls = "batch", .nodes = 5},
            {"b", 4, 100, 50, 100, .user = "u", .cls = "batch", .nodes = 4},
            {"c", 3, 100, 40, 0, .user = "u", .cls = "batch", .nodes = 3},
            {"d", 8, 100, 30, 0, .user = "v", .cls = "batch", .nodes = 8},
            {"e", 1, 100, 20, 100, .user = "w", .cls = "batch", .nodes = 1}}};
    example_run(&x);
}

/* ---- hard and soft (sections 6 and 7.2) ---- */

#define SOFT_AND_HARD                                                                  \
    .nodes = 10, .jobs = {{"A1", 1, 100, 60, 0, "n1:1", .user = "A"},                  \
                     {"A2", 1, 100, 50, 0, "n2:1", .user = "A"},                       \
                     {"A3", 1, 100, 40, 0, "n4:1", .user = "A"},                       \
                     {"A4", 1, 100, 30, 0, "n5:1", .user = "A"},                       \
                     {"A5", 1, 100, 20, 0, "n6:1", .user = "A"},                       \
                     {"A6", 1, 100, 10, 0, "n7:1", .user = "A"},                       \
                     {"B1", 1, 100, 5, 0, "n3:1", .user = "B"}}

static void example_7_2_soft_jobs_of_all_go_before_hard_ones(void **state)
{
    (void)state;
    struct example x = {.cfg = "USERCFG[DEFAULT] MAXJOB=2,8\n", SOFT_AND_HARD};
    example_run(&x);
}

/* BUILD mark of section 7: the hard pass is then a plain pass by priority. */
static void example_7_2_holds_without_backfill_too(void **state)
{
    (void)state;
    struct example x = {
        .cfg = "USERCFG[DEFAULT] MAXJOB=2,8\nBACKFILLPOLICY NONE\n", SOFT_AND_HARD};
    example_run(&x);
}

static void example_7_2_with_one_value_the_rest_waits(void **state)
{
    (void)state;
    struct example x = {.cfg = "USERCFG[DEFAULT] MAXJOB=2\n",
        .nodes = 10,
        .jobs = {{"A1", 1, 100, 60, 0, .user = "A"}, {"A2", 1, 100, 50, 0, .user = "A"},
            {"A3", 1, 100, 40, 100, .user = "A"}, {"A4", 1, 100, 30, 100, .user = "A"},
            {"A5", 1, 100, 20, 200, .user = "A"}, {"A6", 1, 100, 10, 200, .user = "A"},
            {"B1", 1, 100, 5, 0, .user = "B"}}};
    example_run(&x);
}

static void a_soft_value_looser_than_the_hard_one_counts_as_the_hard_one(void **state)
{
    (void)state;
    struct example x = {.cfg = "USERCFG[u] MAXJOB=9,2\n",
        .nodes = 10,
        .jobs = {{"a", 1, 100, 60, 0, .user = "u"}, {"b", 1, 100, 50, 0, .user = "u"},
            {"c", 1, 100, 40, 100, .user = "u"}}};
    example_run(&x);
}

static void without_backfill_nothing_passes_the_first_blocked_hard_job(void **state)
{
    (void)state;
    struct example x = {.cfg = "USERCFG[u] MAXJOB=1,8\nBACKFILLPOLICY NONE\n",
        .nodes = 4,
        .jobs = {{"a", 1, 100, 60, 0, .user = "u"}, {"b", 4, 100, 50, 100, .user = "u"},
            {"c", 1, 100, 40, 200, .user = "u"}}};
    example_run(&x);
    x.cfg = "USERCFG[u] MAXJOB=1,8\n";
    x.jobs[2].start = 0; /* backfilled at the hard level; b fits when both ended */
    example_run(&x);
}

/* ---- the order of an iteration (section 7) ---- */

static void earlier_starts_of_a_cycle_count_at_once(void **state)
{
    (void)state;
    struct example x = {.cfg = "USERCFG[DEFAULT] MAXPROC=4 MAXPS=500\n",
        .nodes = 10,
        .jobs = {{"a", 3, 100, 60, 0}, {"b", 2, 50, 50, 100}, {"c", 1, 100, 40, 0},
            {"d", 1, 200, 30, 0, .user = "v"}, {"e", 4, 100, 29, 200, .user = "v"}}};
    example_run(&x);
}

/* MAXPS counts what is left to run: 4 processors for 100 s are 400, 60 s later 160. */
static void outstanding_processor_seconds_shrink_as_jobs_run(void **state)
{
    (void)state;
    struct example x = {.cfg = "USERCFG[u] MAXPS=500\n",
        .nodes = 10,
        .jobs = {{"a", 4, 100, 60, 0, .user = "u"}, {"b", 3, 100, 50, 60, .user = "u"},
            {"tick", 1, 30, 40, 60, .user = "v", .submit = 60}}};
    example_run(&x);
    x.jobs[1].procs = 4; /* 160 + 400 > 500 until 75, when nothing happens */
    x.jobs[1].start = 90;
    example_run(&x);
}

/* Step 4: whoever holds a reservation and is over a soft limit when it begins loses
 * it and is deferred. */
static void a_reserved_job_over_a_soft_limit_is_deferred(void **state)
{
    (void)state;
    struct example x = {.cfg = "RESERVATIONPOLICY HIGHEST\nUSERCFG[u] MAXJOB=1,2\n",
        .nodes = 4,
        .jobs = {{"R", 3, 100, 99, 0, .user = "v"},
            {"J", 3, 100, 50, 3700, .user = "u"},
            {"K", 1, 500, 40, 10, .user = "u", .submit = 10}}};
    example_run(&x);

    struct scenario *s = example_start(&x, false);
    sc_run_until(s, 100);
    assert_string_equal(sc_log(s, "J"), "reserve(100)@0 defer(3700)@100 release@100");
    assert_int_equal(sc_find(s, "J")->hold_reason, REASON_POLICY);
    sc_destroy(s);
}

static void a_soft_limit_keeps_a_job_from_being_reserved(void **state)
{
    (void)state;
    struct example x = {.cfg = "USERCFG[u] MAXJOB=1,2\n",
        .nodes = 4,
        .jobs = {{"R", 2, 100, 99, 0, .user = "u"}, {"J", 3, 100, 50, 0, .user = "u"},
            {"K", 2, 300, 40, 0, .user = "v"}}};
    x.jobs[1].start = 300; /* in the way of nobody, and of no use to it */
    example_run(&x);
}

/* ---- idle limits (section 7.1) ---- */

#define BUSY                                                                           \
    {                                                                                  \
        "busy", 8, 1000, 900, 0, .user = "root"                                        \
    }

static void only_so_many_idle_jobs_of_a_user_are_considered(void **state)
{
    (void)state;
    struct example x = {
        .cfg = "USERCFG[DEFAULT] MAXIJOB=20\nUSERCFG[steve] MAXIJOB=2\n",
        .nodes = 8,
        .jobs = {BUSY, {"a", 1, 100, 60, 1000, .user = "steve"},
            {"b", 1, 100, 50, 1000, .user = "steve"},
            {"c", 1, 100, 40, NEVER, .user = "steve"},
            {"d", 1, 100, 30, 1000, .user = "eve"}}};
    for (int by_node = 0; by_node < 2; by_node++) {
        struct scenario *s = example_start(&x, by_node);
        sc_at(s, 10);
        assert_int_equal(sc_why_code(s, "a"), WAIT_RESERVATION);
        assert_int_equal(sc_why_code(s, "b"), WAIT_RESOURCES);
        assert_int_equal(sc_why_code(s, "c"), WAIT_LIMIT);
        assert_string_equal(sc_why(s, "c"),
            "user steve has 2 of MAXIJOB 2 (hard) jobs idle and this job would be one "
            "more");
        assert_int_equal(sc_why_code(s, "d"), WAIT_RESOURCES);
        sc_destroy(s);
    }
    /* the third is considered once the others run: one poll interval later */
    x.jobs[3].start = 1060;
    example_run(&x);
}

static void a_job_too_large_for_what_is_left_is_skipped_for_a_smaller_one(void **state)
{
    (void)state;
    struct example x = {.cfg = "CLASSCFG[DEFAULT] MAXIPROC=16\n",
        .nodes = 20,
        .jobs = {{"busy", 20, 1000, 900, 0}, {"a", 10, 100, 60, 0, .cls = "c"},
            {"b", 10, 100, 50, 0, .cls = "c"}, {"c", 4, 100, 40, 0, .cls = "c"},
            {"d", 4, 100, 30, 0, .cls = "c"}}};
    for (int by_node = 0; by_node < 2; by_node++) {
        struct scenario *s = example_start(&x, by_node);
        sc_at(s, 10);
        assert_int_equal(sc_why_code(s, "a"), WAIT_RESERVATION);
        assert_int_equal(sc_why_code(s, "b"), WAIT_LIMIT);
        assert_int_equal(sc_why_code(s, "c"), WAIT_RESOURCES);
        assert_int_equal(sc_why_code(s, "d"), WAIT_LIMIT);
        sc_destroy(s);
    }
}

static void held_jobs_do_not_count_as_idle(void **state)
{
    (void)state;
    struct example x = {.cfg = "USERCFG[u] MAXIJOB=1\n",
        .nodes = 8,
        .jobs = {{"a", 1, 100, 60, NEVER, .user = "u", .holds = HOLD_USER},
            {"b", 1, 100, 50, 0, .user = "u"}}};
    example_run(&x);
}

/* J can never run: it had the only idle place, and a poll after it was deferred the
 * place is K's. */
static void a_deferred_job_leaves_its_idle_place_to_another(void **state)
{
    (void)state;
    const char *n1[] = {"n1", NULL};
    const struct req_desc large = {
        .tasks = 1, .per_task = {{1, 6000}}, .hosts = n1, .nodealloc = NODEALLOC_UNSET};
    struct scenario *s = sc_create_with("SYSCFG MAXIJOB=1\nDEFERTIME 1000\n");

    sc_nodes(s, 1, 4); /* too small, but it has to be this one */
    sc_nodes(s, 1, 8);
    sc_job(
        s, (struct sc_job){.id = "J", .limit_s = 100, .priority = 90, .req = &large});
    sc_job(s, (struct sc_job){.id = "K", .limit_s = 100, .priority = 50, .procs = 1});
    sc_run_until(s, 900);
    assert_string_equal(sc_log(s, "J"), "defer(1000)@0");
    assert_int_equal(sc_start(s, "K"), 60);
    sc_destroy(s);
}

static void idle_limits_of_a_qos_and_of_a_group(void **state)
{
    (void)state;
    struct example x = {.cfg = "GROUPCFG[staff] MAXIJOB=2\n"
                               "QOSCFG[hiprio] MAXIJOB=1\n"
                               "SYSCFG[base] QLIST=DEFAULT,hiprio\n",
        .nodes = 8,
        .jobs = {BUSY, {"a", 1, 9, 60, 0, .group = "staff"},
            {"b", 1, 9, 50, 0, .group = "other", .qos = "hiprio"},
            {"c", 1, 9, 40, 0, .group = "third", .qos = "hiprio"},
            {"d", 1, 9, 30, 0, .group = "staff"},
            {"e", 1, 9, 20, 0, .group = "staff"}}};
    struct scenario *s = example_start(&x, false);
    sc_at(s, 10);
    assert_int_not_equal(sc_why_code(s, "a"), WAIT_LIMIT);
    assert_int_not_equal(sc_why_code(s, "b"), WAIT_LIMIT);
    assert_string_equal(sc_why(s, "c"), "QOS hiprio has 1 of MAXIJOB 1 (hard) jobs "
                                        "idle and this job would be one more");
    assert_int_not_equal(sc_why_code(s, "d"), WAIT_LIMIT);
    assert_string_equal(sc_why(s, "e"),
        "group staff has 2 of MAXIJOB 2 (hard) jobs idle and this job would be one "
        "more");
    sc_destroy(s);
}

/* ---- system job limits, and limits that can never be met (section 8) ---- */

/* One job, submitted at 0; what happened to it by 3600, a deferral's length. */
static void check_kept_out(
    const char *cfg, struct example_job job, const char *log, enum hold_reason reason)
{
    for (int by_node = 0; by_node < 2; by_node++) {
        struct example x = {.cfg = cfg, .nodes = 10, .jobs = {job}};
        struct scenario *s = example_start(&x, by_node);
        sc_run_until(s, 3600);
        assert_string_equal(sc_log(s, job.id), log);
        assert_int_equal(sc_find(s, job.id)->hold_reason, reason);
        sc_destroy(s);
    }
}

/* Decision: the manual calls such jobs rejected; as holds, section 5 has it, they are
 * deferred again and again and end in a batch hold. */
static void jobs_over_a_system_limit_are_deferred(void **state)
{
    (void)state;
    const char *twice = "defer(3600)@0 defer(7200)@3600";

    check_kept_out("SYSTEMMAXPROCPERJOB 4\n", (struct example_job){"J", 5, 100}, twice,
        REASON_SYSTEMLIMITS);
    check_kept_out("SYSTEMMAXPROCSECONDPERJOB 400\n", (struct example_job){"J", 5, 100},
        twice, REASON_SYSTEMLIMITS);
    check_kept_out("SYSTEMMAXJOBWALLTIME 1:00:00\n", (struct example_job){"J", 1, 3601},
        twice, REASON_SYSTEMLIMITS);
    struct example within = {.cfg = "SYSTEMMAXPROCPERJOB 4\n"
                                    "SYSTEMMAXPROCSECONDPERJOB 400\n"
                                    "SYSTEMMAXJOBWALLTIME 100\n",
        .nodes = 10,
        .jobs = {{"J", 4, 100, 0, 0}}};
    example_run(&within);
}

static void repeated_system_limit_deferrals_end_in_a_batch_hold(void **state)
{
    (void)state;
    struct example x = {.cfg = "SYSTEMMAXPROCPERJOB 4\nDEFERTIME 60\nDEFERCOUNT 2\n",
        .nodes = 10,
        .jobs = {{"J", 5, 100, 0, NEVER}}};
    struct scenario *s = example_start(&x, false);
    sc_run(s);
    assert_string_equal(
        sc_log(s, "J"), "defer(60)@0 defer(120)@60 defer(180)@120 hold@120");
    sc_destroy(s);
}

static void a_system_limit_may_differ_by_partition(void **state)
{
    (void)state;
    struct scenario *s = sc_create_with("SYSTEMMAXPROCPERJOB[P1] 1\n"
                                        "NODECFG[n1] PARTITION=P1\n"
                                        "NODECFG[n2] PARTITION=P1\n"
                                        "NODECFG[n3] PARTITION=P2\n"
                                        "NODECFG[n4] PARTITION=P2\n");
    sc_nodes(s, 4, 1);
    sc_job(s, (struct sc_job){.id = "a", .procs = 2, .limit_s = 100, .priority = 50});
    sc_job(s, (struct sc_job){.id = "b", .procs = 2, .limit_s = 100, .priority = 40});
    sc_job(s, (struct sc_job){.id = "c", .procs = 1, .limit_s = 100, .priority = 30});
    sc_run(s);
    assert_string_equal(sc_where(s, "a"), "n3:1 n4:1");
    assert_int_equal(sc_start(s, "b"), 100);
    assert_string_equal(sc_where(s, "b"), "n3:1 n4:1");
    assert_string_equal(sc_where(s, "c"), "n1:1");
    sc_destroy(s);
}

static void a_job_over_a_hard_limit_by_itself_is_deferred(void **state)
{
    (void)state;
    const char *twice = "defer(3600)@0 defer(7200)@3600";

    check_kept_out("USERCFG[user] MAXPROC=4\n", (struct example_job){"J", 5, 100},
        twice, REASON_POLICY);
    check_kept_out("USERCFG[user] MAXIPROC=4\n", (struct example_job){"J", 5, 100},
        twice, REASON_POLICY);
    check_kept_out("CLASSCFG[c] MAXPROC[USER]=4\n",
        (struct example_job){"J", 5, 100, .cls = "c"}, twice, REASON_POLICY);
}

static void a_job_over_a_soft_limit_by_itself_runs_at_the_hard_level(void **state)
{
    (void)state;
    struct example x = {.cfg = "USERCFG[user] MAXPROC=4,6\n",
        .nodes = 10,
        .jobs = {{"J", 5, 100, 0, 0}}};
    example_run(&x);
}

static void a_job_blocked_by_present_usage_is_never_deferred(void **state)
{
    (void)state;
    struct example x = {.cfg = "USERCFG[user] MAXPROC=4\n",
        .nodes = 10,
        .jobs = {{"a", 4, 10000, 50, 0}, {"b", 4, 100, 40, 10000}}};
    example_run(&x);
    struct scenario *s = example_start(&x, false);
    sc_run(s);
    assert_string_equal(sc_log(s, "b"), "start@10000");
    sc_destroy(s);
}

static void a_changed_limit_is_looked_at_again_when_the_deferral_ends(void **state)
{
    (void)state;
    struct example x = {
        .cfg = "SYSTEMMAXPROCPERJOB 4\n", .nodes = 10, .jobs = {{"J", 5, 100, 0, 0}}};
    struct scenario *s = example_start(&x, false);
    struct scenario *other = sc_create();
    struct event ev = {.kind = EVENT_SETTINGS};
    struct err err;
    sc_run_until(s, 100);
    ev.u.settings = sc_settings(other);
    assert_int_equal(sc_apply(s, ev, &err), 0);
    sc_run(s);
    assert_int_equal(sc_start(s, "J"), 3600);
    sc_destroy(s);
    sc_destroy(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_default_limit_holds_for_each_user_by_itself),
        cmocka_unit_test(a_default_class_limit_leaves_steve_two_nodes),
        cmocka_unit_test(steve_has_two_jobs_and_thirty_nodes_in_all),
        cmocka_unit_test(omaxnode_replaces_the_node_limits_of_all_credentials),
        cmocka_unit_test(omaxjob_limits_the_qos_and_leaves_other_job_counts_alone),
        cmocka_unit_test(an_ignore_flag_frees_its_kind_of_credential_only),
        cmocka_unit_test(each_group_has_its_own_count_within_a_class),
        cmocka_unit_test(a_named_value_beats_the_general_one),
        cmocka_unit_test(class_total_and_share_of_each_user_are_both_checked),
        cmocka_unit_test(example_7_2_soft_jobs_of_all_go_before_hard_ones),
        cmocka_unit_test(example_7_2_holds_without_backfill_too),
        cmocka_unit_test(example_7_2_with_one_value_the_rest_waits),
        cmocka_unit_test(a_soft_value_looser_than_the_hard_one_counts_as_the_hard_one),
        cmocka_unit_test(without_backfill_nothing_passes_the_first_blocked_hard_job),
        cmocka_unit_test(earlier_starts_of_a_cycle_count_at_once),
        cmocka_unit_test(outstanding_processor_seconds_shrink_as_jobs_run),
        cmocka_unit_test(a_reserved_job_over_a_soft_limit_is_deferred),
        cmocka_unit_test(a_soft_limit_keeps_a_job_from_being_reserved),
        cmocka_unit_test(only_so_many_idle_jobs_of_a_user_are_considered),
        cmocka_unit_test(a_job_too_large_for_what_is_left_is_skipped_for_a_smaller_one),
        cmocka_unit_test(held_jobs_do_not_count_as_idle),
        cmocka_unit_test(a_deferred_job_leaves_its_idle_place_to_another),
        cmocka_unit_test(idle_limits_of_a_qos_and_of_a_group),
        cmocka_unit_test(jobs_over_a_system_limit_are_deferred),
        cmocka_unit_test(repeated_system_limit_deferrals_end_in_a_batch_hold),
        cmocka_unit_test(a_system_limit_may_differ_by_partition),
        cmocka_unit_test(a_job_over_a_hard_limit_by_itself_is_deferred),
        cmocka_unit_test(a_job_over_a_soft_limit_by_itself_runs_at_the_hard_level),
        cmocka_unit_test(a_job_blocked_by_present_usage_is_never_deferred),
        cmocka_unit_test(a_changed_limit_is_looked_at_again_when_the_deferral_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
