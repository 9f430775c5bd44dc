/* SPDX-License-Identifier: Apache-2.0
 * What credentials do to jobs once submitted: QOS, flags, classes, accounts,
 * partitions (reference qos-credentials, sections 2 to 7). */
#include "cmocka_all.h"
#include "example.h"

static const char *qos_of(struct scenario *s, const char *id)
{
    return job_cred(engine_cluster(sc_engine(s)), sc_find(s, id), CRED_QOS)->name;
}

static const char *account_of(struct scenario *s, const char *id)
{
    return job_cred(engine_cluster(sc_engine(s)), sc_find(s, id), CRED_ACCOUNT)->name;
}

/* ---- QOS (section 3) ---- */

#define JOHN                                                                           \
    "USERCFG[john]     QDEF=geo QLIST=geo,chem,staff\n"                                \
    "GROUPCFG[systems] QDEF=development\n"                                             \
    "CLASSCFG[batch]   QDEF=normal\n"

static void johns_default_qos_is_his_own(void **state)
{
    (void)state;
    struct example x = {.cfg = JOHN,
        .nodes = 8,
        .jobs = {{"plain", 1, 100, 0, 0, .user = "john", .cls = "batch"},
            {"chem", 1, 100, 0, 0, .user = "john", .cls = "batch", .qos = "chem"},
            {"normal", 1, 100, 0, 0, .user = "john", .cls = "batch", .qos = "normal"},
            {"devel", 1, 100, 0, NEVER, .user = "john", .cls = "batch",
                .qos = "development"},
            {"sys", 1, 100, 0, 0, .user = "ann", .group = "systems"}}};
    example_run(&x);
    BOTH_WAYS(s, x)
    {
        sc_run_until(s, 0);
        assert_string_equal(qos_of(s, "plain"), "geo");
        assert_string_equal(qos_of(s, "chem"), "chem");
        assert_string_equal(qos_of(s, "normal"), "normal");
        assert_string_equal(qos_of(s, "devel"), "geo");
        assert_int_equal(sc_find(s, "devel")->hold_reason, REASON_QOSACCESS);
        assert_string_equal(sc_find(s, "devel")->extra->hold_text,
            "QOS development is not accessible to user john; accessible: DEFAULT, geo, "
            "chem, staff, normal");
        assert_string_equal(qos_of(s, "sys"), "development");
    }
}

static int setqos(struct scenario *s, const char *id, const char *qos, bool admin)
{
    struct event ev = {.kind = EVENT_QOS};
    struct err err;

    ev.u.qos.id = id;
    ev.u.qos.qos = qos;
    ev.u.qos.admin = admin;
    return sc_apply(s, ev, &err);
}

static void setqos_gives_an_owner_what_is_accessible_and_an_admin_anything(void **state)
{
    (void)state;
    struct example x = {.cfg =
                            JOHN "QOSCFG[gold] PRIORITY=100\nQOSCFG[chem] PRIORITY=50\n"
                                 "QOSWEIGHT 1\nCREDWEIGHT 1\n",
        .nodes = 1,
        .jobs = {{"busy", 1, 100, 900, 0}, {"a", 1, 100, 0, 300, .user = "ann"},
            {"j", 1, 100, 0, 200, .user = "john"},
            {"k", 1, 100, 0, 100, .user = "john"}}};
    BOTH_WAYS(s, x)
    {
        sc_at(s, 50);
        assert_int_equal(setqos(s, "j", "gold", false), -1);
        assert_int_equal(setqos(s, "j", "nosuch", true), -1);
        assert_int_equal(setqos(s, "j", "chem", false), 0);
        assert_int_equal(setqos(s, "k", "gold", true), 0);
        sc_cycle(s);
        assert_int_equal(sc_priority(s, "j"), 50);
        assert_int_equal(sc_priority(s, "k"), 100);
        sc_run(s);
        assert_int_equal(sc_start(s, "k"), 100);
        assert_int_equal(sc_start(s, "j"), 200);
        assert_int_equal(sc_start(s, "a"), 300);
    }
}

/* ---- QOS and job flags (sections 4 and 5) ---- */

static void a_job_without_reservation_is_passed_by_a_long_one(void **state)
{
    (void)state;
    struct example x = {
        .cfg = "QOSCFG[q] QFLAGS=NORESERVATION\nSYSCFG[base] QLIST=DEFAULT,q\n",
        .nodes = 4,
        .jobs = {{"R", 2, 100, 99, 0}, {"A", 4, 100, 50, 300, .qos = "q"},
            {"B", 2, 300, 40, 0}}};
    example_run(&x);
    x.jobs[1].qos = NULL;
    x.jobs[1].start = 100;
    x.jobs[2].start = 200;
    example_run(&x);
}

static void reservealways_reserves_beyond_the_depth(void **state)
{
    (void)state;
    struct example x = {
        .cfg = "QOSCFG[q] QFLAGS=RESERVEALWAYS\nSYSCFG[base] QLIST=DEFAULT,q\n",
        .nodes = 4,
        .jobs = {{"R", 3, 100, 99, 0}, {"A", 3, 100, 60, 100}, {"B", 4, 100, 50, 250},
            {"Z", 4, 100, 40, 350, .qos = "q"}, {"C", 1, 250, 30, 0}}};
    /* Z is reserved after A and before B gets anything */
    x.jobs[2].start = 200; /* at 100 B is the first to be reserved */
    x.jobs[3].start = 300;
    x.jobs[4].start = 400;
    example_run(&x);
    BOTH_WAYS(s, x)
    {
        sc_run_until(s, 0);
        assert_int_equal(sc_reserved(s, "A"), 100);
        assert_int_equal(sc_reserved(s, "B"), -1);
        assert_int_equal(sc_reserved(s, "Z"), 200);
    }
}

static void a_dedicated_job_has_its_nodes_to_itself(void **state)
{
    (void)state;
    struct example x = {
        .cfg = "QOSCFG[ded] QFLAGS=DEDICATED\nSYSCFG[base] QLIST=DEFAULT,ded\n",
        .nodes = 2,
        .procs = 4,
        .jobs = {{"d", 1, 100, 60, 0, "n1:1", .qos = "ded"},
            {"e", 3, 200, 50, 0, "n2:3"}, {"f", 2, 50, 40, 100, "n1:2"},
            {"g", 1, 50, 30, 0, "n2:1"}, {"h", 1, 50, 20, 200, "n2:1", .qos = "ded"}}};
    /* h needs a node that is quite empty: n1 at 150, when f is through */
    x.jobs[4].start = 150;
    x.jobs[4].where = "n1:1";
    example_run(&x);
    x.cfg = NULL;
    for (int i = 0; i < 5; i++)
        if (x.jobs[i].qos) {
            x.jobs[i].qos = NULL;
            x.jobs[i].flags = JOB_DEDICATED;
        }
    example_run(&x);
}

static void flags_of_a_credential_are_the_jobs(void **state)
{
    (void)state;
    struct example x = {.cfg = "USERCFG[u] FLAGS=NOQUEUE\n",
        .nodes = 1,
        .jobs = {{"a", 1, 100, 60, 0, .user = "u"},
            {"b", 1, 100, 50, NEVER, .user = "u"},
            {"c", 1, 100, 40, 100, .user = "v"}}};
    example_run(&x);
}

/* ---- classes (section 6) ---- */

static void check_wclimit(const char *cfg, const char *qos, int64_t limit)
{
    struct example x = {.cfg = cfg,
        .nodes = 1,
        .jobs = {{"J", 1, 0, 0, 0, .cls = "c", .qos = qos, .run = 1}}};
    struct scenario *s = example_start(&x, false);
    sc_run_until(s, 0);
    assert_int_equal(sc_find(s, "J")->wclimit_s, limit);
    sc_destroy(s);
}

static void a_limit_not_asked_comes_from_qos_then_class_then_system(void **state)
{
    (void)state;
    check_wclimit("", NULL, 864000);
    check_wclimit("SYSTEMDEFAULTJOBWALLTIME 500\n", NULL, 500);
    check_wclimit("SYSTEMDEFAULTJOBWALLTIME 500\nWCLIMITDEFAULT 400\n", NULL, 400);
    check_wclimit("WCLIMITDEFAULT 400\nCLASSCFG[c] DEFAULT.WCLIMIT=200\n", NULL, 200);
    check_wclimit(
        "SYSTEMDEFAULTJOBWALLTIME 500\nCLASSCFG[c] DEFAULT.WCLIMIT=200\n", NULL, 200);
    check_wclimit("CLASSCFG[c] DEFAULT.WCLIMIT=200\nQOSCFG[q] DEFAULT.WCLIMIT=100\n"
                  "SYSCFG[base] QLIST=DEFAULT,q\n",
        "q", 100);
}

static void default_features_of_a_class_choose_the_nodes(void **state)
{
    (void)state;
    struct example x = {.cfg = "NODECFG[n2] FEATURES=fast\nNODECFG[n3] FEATURES=fast\n"
                               "CLASSCFG[c] DEFAULT.FEATURES=fast\n",
        .nodes = 3,
        .jobs = {{"a", 1, 100, 60, 0, "n2:1", .cls = "c"},
            {"b", 2, 100, 50, 100, "n2:1 n3:1", .cls = "c"},
            {"d", 1, 50, 40, 0, "n1:1"}}};
    example_run(&x);
}

static void check_class_hold(const char *cfg, struct example_job job, bool held)
{
    struct example x = {.cfg = cfg, .nodes = 20, .jobs = {job}};

    BOTH_WAYS(s, x)
    {
        sc_run_until(s, 0);
        const struct job *j = sc_find(s, job.id);
        assert_int_equal(j->holds, held ? HOLD_DEFER : 0);
        assert_int_equal(j->hold_reason, held ? REASON_POLICY : REASON_NONE);
        assert_int_equal(sc_start(s, job.id), held ? -1 : 0);
    }
}

static void sizes_that_a_class_refuses_are_deferrals(void **state)
{
    (void)state;
    const char *cfg =
        "CLASSCFG[c] MAXPROCPERJOB=8 MAXNODEPERJOB=4 MIN.PROC=2\n"
        "CLASSCFG[DEFAULT] MAX.WCLIMIT=3600\nUSERCFG[u] MAX.WCLIMIT=1800\n"
        "GROUPCFG[g] MAX.WCLIMIT=900\n";
    static const struct {
        struct example_job job;
        bool held;
    } rows[] = {
        {{"J", 8, 100, .cls = "c"}, false},
        {{"J", 9, 100, .cls = "c"}, true},
        {{"J", 2, 100, .cls = "c"}, false},
        {{"J", 1, 100, .cls = "c"}, true},
        {{"J", 4, 100, .cls = "c", .nodes = 4}, false},
        {{"J", 5, 100, .cls = "c", .nodes = 5}, true},
        {{"J", 2, 3600, .cls = "c"}, false},
        {{"J", 2, 3601, .cls = "c"}, true},
        {{"J", 2, 1800, .cls = "c", .user = "u"}, false},
        {{"J", 2, 1801, .cls = "c", .user = "u"}, true},
        {{"J", 2, 900, .cls = "c", .user = "u", .group = "g"}, false},
        {{"J", 2, 901, .cls = "c", .user = "u", .group = "g"}, true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        check_class_hold(cfg, rows[i].job, rows[i].held);
}

static void several_requests_need_to_be_enabled(void **state)
{
    (void)state;
    struct req_desc two[] = {{.tasks = 1}, {.tasks = 2}};
    for (int enabled = 0; enabled < 2; enabled++) {
        struct scenario *s = sc_create_with(enabled ? "ENABLEMULTIREQJOBS TRUE\n" : "");
        sc_nodes(s, 4, 1);
        sc_job(s, (struct sc_job){.id = "J", .limit_s = 100, .req = two, .nreqs = 2});
        sc_run_until(s, 0);
        assert_int_equal(sc_start(s, "J"), enabled ? 0 : -1);
        assert_int_equal(sc_find(s, "J")->holds, enabled ? 0 : HOLD_DEFER);
        sc_destroy(s);
    }
}

static void jobs_of_a_disabled_class_stay_queued(void **state)
{
    (void)state;
    struct example x = {
        .nodes = 1, .jobs = {{"a", 1, 100, 60, 200, .cls = "c"}, {"b", 1, 50, 50, 0}}};
    BOTH_WAYS(s, x)
    {
        struct cred *c = cred_get(engine_cluster(sc_engine(s)), CRED_CLASS, "c");
        class_enable(engine_cluster(sc_engine(s)), c, false);
        sc_at(s, 100);
        assert_int_equal(sc_start(s, "b"), 0);
        assert_int_equal(sc_why_code(s, "a"), WAIT_CLASS_DISABLED);
        assert_string_equal(sc_why(s, "a"), "class c is disabled or stopped");
        class_enable(engine_cluster(sc_engine(s)), c, true);
        sc_at(s, 200);
        assert_int_equal(sc_start(s, "a"), 200);
    }
}

/* ---- accounts (section 2) ---- */

static void an_account_not_named_is_the_default_one(void **state)
{
    (void)state;
    struct example x = {.cfg = "USERCFG[u] ADEF=own\nGROUPCFG[g] ADEF=grp\n"
                               "USERCFG[DEFAULT] ADEF=any\n",
        .nodes = 4,
        .jobs = {{"a", 1, 100, 60, 0, .user = "u", .group = "g"},
            {"b", 1, 100, 50, 0, .user = "v", .group = "g"},
            {"c", 1, 100, 40, 0, .user = "v"},
            {"d", 1, 100, 30, 0, .user = "u", .account = "other"}}};
    BOTH_WAYS(s, x)
    {
        sc_run_until(s, 0);
        assert_string_equal(account_of(s, "a"), "own");
        assert_string_equal(account_of(s, "b"), "grp");
        assert_string_equal(account_of(s, "c"), "any");
        assert_string_equal(account_of(s, "d"), "other");
    }
}

static void an_account_out_of_reach_defers(void **state)
{
    (void)state;
    struct example x = {.cfg = "USERCFG[u] ALIST=one,two\n",
        .nodes = 4,
        .jobs = {{"a", 1, 100, 60, 0, .user = "u", .account = "two"},
            {"b", 1, 100, 50, 3600, .user = "u", .account = "three"}}};
    BOTH_WAYS(s, x)
    {
        sc_run_until(s, 0);
        assert_int_equal(sc_start(s, "a"), 0);
        assert_int_equal(sc_find(s, "b")->hold_reason, REASON_CREDACCESS);
        assert_int_equal(sc_find(s, "b")->holds, HOLD_DEFER);
    }
}

/* ---- partitions (section 7) ---- */

#define GENERAL_AND_TEST                                                               \
    "NODECFG[n1] PARTITION=general\n"                                                  \
    "NODECFG[n2] PARTITION=general\n"                                                  \
    "NODECFG[n3] PARTITION=test\n"                                                     \
    "NODECFG[n4] PARTITION=test\n"

#define TEST_FOR_SOME                                                                  \
    GENERAL_AND_TEST                                                                   \
    "SYSCFG[base] PLIST=\n"                                                            \
    "USERCFG[DEFAULT] PLIST=general\n"                                                 \
    "USERCFG[steve] PLIST=general:test PDEF=test\n"                                    \
    "GROUPCFG[staff] PLIST=general:test PDEF=general\n"

static void general_for_all_test_for_some(void **state)
{
    (void)state;
    struct example all = {.cfg = TEST_FOR_SOME,
        .nodes = 4,
        .jobs = {{"a", 1, 100, 60, 0, "n1:1", .user = "eve"},
            {"b", 2, 100, 50, 100, "n1:1 n2:1", .user = "eve"},
            {"c", 1, 100, 40, 0, "n2:1", .user = "eve"}}};
    example_run(&all);
    struct example some = {.cfg = TEST_FOR_SOME,
        .nodes = 4,
        .jobs = {{"a", 1, 100, 60, 0, "n3:1", .user = "steve"},
            {"b", 2, 100, 50, 0, "n1:1 n2:1", .user = "steve"}, /* a preference only */
            {"c", 1, 100, 40, 0, "n4:1", .user = "bob", .group = "staff"},
            {"d", 1, 100, 30, 100, "n1:1", .user = "bob", .group = "staff"}}};
    example_run(&some);
    struct example large = {.cfg = TEST_FOR_SOME,
        .nodes = 4,
        .until = 100,
        .jobs = {{"a", 3, 100, 60, NEVER, .user = "steve"}}};
    example_run(&large); /* no partition has three nodes */
}

static void restrictive_lists_leave_what_all_of_them_have(void **state)
{
    (void)state;
    struct example x = {.cfg = GENERAL_AND_TEST "SYSCFG[base] PLIST=general,test&\n"
                                                "USERCFG[demo] PLIST=test&\n"
                                                "GROUPCFG[staff] PLIST=general&\n",
        .nodes = 4,
        .until = 3000,
        .jobs = {{"demo", 1, 100, 60, 0, "n3:1", .user = "demo"},
            {"staff", 1, 100, 50, 0, "n1:1", .user = "bob", .group = "staff"},
            {"both", 1, 100, 40, NEVER, .user = "demo", .group = "staff"},
            {"e1", 1, 100, 30, 0, "n2:1", .user = "eve"},
            {"e2", 1, 100, 20, 0, "n4:1", .user = "eve"}}};
    example_run(&x);
    /* Decision: a job with no partition left is deferred for want of resources. */
    struct scenario *s = example_start(&x, false);
    sc_run_until(s, 0);
    assert_string_equal(sc_log(s, "both"), "defer(3600)@0");
    assert_int_equal(sc_find(s, "both")->hold_reason, REASON_NORESOURCES);
    sc_destroy(s);
}

static void partitions_asked_for_narrow_those_allowed(void **state)
{
    (void)state;
    const char *test[] = {"test", NULL};
    struct scenario *s = sc_create_with(TEST_FOR_SOME);
    sc_nodes(s, 4, 1);
    sc_job(s, (struct sc_job){.id = "a", .procs = 1, .limit_s = 100, .user = "steve"});
    sc_job(s, (struct sc_job){.id = "b",
                  .procs = 1,
                  .limit_s = 100,
                  .user = "bob",
                  .group = "staff",
                  .partitions = test});
    sc_job(s,
        (struct sc_job){
            .id = "c", .procs = 1, .limit_s = 100, .user = "eve", .partitions = test});
    sc_run_until(s, 0);
    assert_string_equal(sc_where(s, "a"), "n3:1");
    assert_string_equal(sc_where(s, "b"), "n4:1");
    assert_int_equal(sc_start(s, "c"), -1);
    sc_destroy(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(johns_default_qos_is_his_own),
        cmocka_unit_test(
            setqos_gives_an_owner_what_is_accessible_and_an_admin_anything),
        cmocka_unit_test(a_job_without_reservation_is_passed_by_a_long_one),
        cmocka_unit_test(reservealways_reserves_beyond_the_depth),
        cmocka_unit_test(a_dedicated_job_has_its_nodes_to_itself),
        cmocka_unit_test(flags_of_a_credential_are_the_jobs),
        cmocka_unit_test(a_limit_not_asked_comes_from_qos_then_class_then_system),
        cmocka_unit_test(default_features_of_a_class_choose_the_nodes),
        cmocka_unit_test(sizes_that_a_class_refuses_are_deferrals),
        cmocka_unit_test(several_requests_need_to_be_enabled),
        cmocka_unit_test(jobs_of_a_disabled_class_stay_queued),
        cmocka_unit_test(an_account_not_named_is_the_default_one),
        cmocka_unit_test(an_account_out_of_reach_defers),
        cmocka_unit_test(general_for_all_test_for_some),
        cmocka_unit_test(restrictive_lists_leave_what_all_of_them_have),
        cmocka_unit_test(partitions_asked_for_narrow_those_allowed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
