/* SPDX-License-Identifier: Apache-2.0
 * Where jobs run when several meet in time: the examples of reference node-allocation,
 * section 9, that need more than one job. */
#include "cmocka_all.h"
#include "example.h"

#include <stdio.h>

/* One job whose request says more than a number of processors, and a cycle. */
static void job(struct scenario *s, const char *id, int64_t limit, int64_t priority,
    const char *user, struct req_desc req)
{
    struct req_desc *kept = xcalloc(1, sizeof *kept); /* read when it is submitted */

    *kept = req;
    kept->nodealloc = NODEALLOC_UNSET;
    sc_job(s, (struct sc_job){.id = id,
                  .limit_s = limit,
                  .priority = priority,
                  .user = user,
                  .submit_at = sc_now(s),
                  .req = kept});
    sc_at(s, sc_now(s));
    free(kept);
}

static void assert_where(struct scenario *s, const char *id, const char *where)
{
    if (strcmp(sc_where(s, id), where) != 0)
        fail_msg("%s ran on '%s', expected '%s': %s", id, sc_where(s, id), where,
            sc_log(s, id));
}

static struct scenario *nodes(const char *cfg, uint32_t count, int64_t procs)
{
    struct scenario *s = sc_create_with(cfg);

    sc_nodes(s, count, procs);
    sc_at(s, 0);
    return s;
}

/* ---- N2: the smallest gap before the next reservation ---- */

#define HOUR 3600

/* n1 and n2 are claimed from 5 h and 3 h on: by jobs that need n4 and n5 besides. */
static struct scenario *n2(const char *policy, bool with_n3)
{
    char cfg[300];
    const char *n4[] = {"n4", NULL}, *n5[] = {"n5", NULL}, *n14[] = {"n1", "n4", NULL},
               *n25[] = {"n2", "n5", NULL};

    snprintf(cfg, sizeof cfg,
        "NODEALLOCATIONPOLICY %s\nRESERVATIONPOLICY HIGHEST\nRESERVATIONDEPTH 2\n",
        policy);
    struct scenario *s = nodes(cfg, 5, 1);
    if (!with_n3)
        sc_node_state(s, "n3", NODE_DOWN);
    job(s, "b4", 5 * HOUR, 900, NULL, (struct req_desc){.tasks = 1, .hosts = n4});
    job(s, "b5", 3 * HOUR, 900, NULL, (struct req_desc){.tasks = 1, .hosts = n5});
    job(s, "r1", HOUR, 800, NULL, (struct req_desc){.tasks = 2, .hosts = n14});
    job(s, "r2", HOUR, 800, NULL, (struct req_desc){.tasks = 2, .hosts = n25});
    assert_int_equal(sc_reserved(s, "r1"), 5 * HOUR);
    assert_int_equal(sc_reserved(s, "r2"), 3 * HOUR);
    job(s, "C", 3 * HOUR, 500, NULL, (struct req_desc){.tasks = 1});
    job(s, "D", 5 * HOUR, 400, NULL, (struct req_desc){.tasks = 1});
    job(s, "E", HOUR, 300, NULL, (struct req_desc){.tasks = 1});
    return s;
}

static void n2_lastavailable_fills_gaps(void **state)
{
    (void)state;
    struct scenario *s = n2("LASTAVAILABLE", true);
    assert_where(s, "C", "n2:1");
    assert_where(s, "D", "n1:1");
    assert_where(s, "E", "n3:1");
    sc_destroy(s);
    s = n2("FIRSTAVAILABLE", true);
    assert_where(s, "C", "n1:1");
    assert_where(s, "D", "n3:1");
    assert_where(s, "E", "n2:1");
    sc_destroy(s);
    s = n2("LASTAVAILABLE", false);
    assert_where(s, "C", "n2:1");
    assert_where(s, "D", "n1:1");
    sc_destroy(s);
    s = n2("FIRSTAVAILABLE", false);
    assert_where(s, "C", "n1:1");
    assert_int_equal(sc_start(s, "D"), -1);
    sc_destroy(s);
}

/* ---- N11: nodes side by side ---- */

static void n11_a_run_is_waited_for(void **state)
{
    (void)state;
    static const struct {
        uint32_t tasks;
        int64_t start;
        const char *where;
    } rows[] = {
        {3, 0, "n4:1 n5:1 n6:1"}, {2, 0, "n1:1 n2:1"}, {4, 100, "n1:1 n2:1 n3:1 n4:1"}};
    const char *n3[] = {"n3", NULL};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct scenario *s = nodes("NODEALLOCATIONPOLICY CONTIGUOUS\n", 6, 1);
        job(s, "busy", 100, 900, NULL, (struct req_desc){.tasks = 1, .hosts = n3});
        job(s, "J", 100, 50, NULL, (struct req_desc){.tasks = rows[i].tasks});
        if (rows[i].start)
            assert_int_equal(sc_reserved(s, "J"), rows[i].start);
        sc_run(s);
        assert_int_equal(sc_start(s, "J"), rows[i].start);
        assert_where(s, "J", rows[i].where);
        sc_destroy(s);
    }
}

/* ---- N12: node sets, at once or in time ---- */

#define SETS                                                                           \
    "NODECFG[n1] FEATURES=A\nNODECFG[n2] FEATURES=A\n"                                 \
    "NODECFG[n3] FEATURES=B\nNODECFG[n4] FEATURES=B\nNODECFG[n5] FEATURES=B\n"         \
    "NODESETATTRIBUTE FEATURE\n"
#define ONEOF "NODESETPOLICY ONEOF\nNODESETLIST A B\n"

static struct scenario *sets(const char *cfg, bool delay)
{
    char text[500];

    snprintf(text, sizeof text, "%s%s%s", SETS, cfg, delay ? "NODESETDELAY 10\n" : "");
    return nodes(text, 6, 1);
}

static void check_n12(const char *cfg, uint32_t tasks, const char *where)
{
    for (int delay = 0; delay < 2; delay++) {
        struct scenario *s = sets(cfg, delay);
        job(s, "J", 100, 50, NULL, (struct req_desc){.tasks = tasks});
        assert_where(s, "J", where);
        sc_destroy(s);
    }
}

static void n12_one_set_or_another(void **state)
{
    (void)state;
    check_n12(ONEOF, 2, "n1:1 n2:1");
    check_n12(ONEOF "NODESETPRIORITYTYPE BESTFIT\n", 2, "n1:1 n2:1");
    check_n12(ONEOF "NODESETPRIORITYTYPE WORSTFIT\n", 2, "n3:1 n4:1");
    check_n12(ONEOF, 3, "n3:1 n4:1 n5:1");
    check_n12("NODESETPOLICY ANYOF\nNODESETLIST B\n", 2, "n3:1 n4:1");
}

/* n5 is busy till 100: without a delay any nodes do, with one the job waits. */
static void n12_a_delay_means_a_whole_set_always(void **state)
{
    (void)state;
    const char *n5[] = {"n5", NULL};
    for (int delay = 0; delay < 2; delay++) {
        struct scenario *s = sets(ONEOF, delay);
        job(s, "busy", 100, 900, NULL, (struct req_desc){.tasks = 1, .hosts = n5});
        job(s, "J", 100, 50, NULL, (struct req_desc){.tasks = 3});
        if (delay)
            assert_int_equal(sc_reserved(s, "J"), 100);
        sc_run(s);
        assert_int_equal(sc_start(s, "J"), delay ? 100 : 0);
        assert_where(s, "J", delay ? "n3:1 n4:1 n5:1" : "n1:1 n2:1 n3:1");
        sc_destroy(s);
    }
}

static void n12_no_set_large_enough(void **state)
{
    (void)state;
    for (int delay = 0; delay < 2; delay++) {
        struct scenario *s = sets(ONEOF, delay);
        job(s, "J", 100, 50, NULL, (struct req_desc){.tasks = 4});
        assert_string_equal(sc_log(s, "J"), delay ? "defer(3600)@0" : "start@0");
        if (delay)
            assert_int_equal(sc_find(s, "J")->hold_reason, REASON_NORESOURCES);
        else
            assert_where(s, "J", "n1:1 n2:1 n3:1 n4:1");
        sc_destroy(s);
    }
}

/* J's three of B are kept free for it. */
static void reservations_obey_mandatory_sets(void **state)
{
    (void)state;
    const char *n5[] = {"n5", NULL};
    struct scenario *s = sets(ONEOF, true);
    job(s, "busy", 100, 900, NULL, (struct req_desc){.tasks = 1, .hosts = n5});
    job(s, "J", 100, 50, NULL, (struct req_desc){.tasks = 3});
    job(s, "long", 200, 40, NULL, (struct req_desc){.tasks = 2});
    job(s, "more", 200, 30, NULL, (struct req_desc){.tasks = 2});
    job(s, "short", 100, 20, NULL, (struct req_desc){.tasks = 2});
    sc_run(s);
    assert_where(s, "long", "n1:1 n2:1");
    assert_where(s, "short", "n3:1 n4:1");
    assert_int_equal(sc_start(s, "short"), 0);
    assert_int_equal(sc_start(s, "J"), 100);
    assert_where(s, "J", "n3:1 n4:1 n5:1");
    assert_int_equal(sc_start(s, "more"), 200);
    sc_destroy(s);
}

/* ---- N15: partitions ---- */

#define TWO_PARTITIONS                                                                 \
    "NODECFG[n1] PARTITION=P1\nNODECFG[n2] PARTITION=P1\n"                             \
    "NODECFG[n3] PARTITION=P2\nNODECFG[n4] PARTITION=P2\n"                             \
    "USERCFG[pdef] PDEF=P2\nUSERCFG[only] PLIST=P1^\n"

static void n15_no_partition_is_large_enough_without_span(void **state)
{
    (void)state;
    struct example x = {.cfg = TWO_PARTITIONS,
        .nodes = 4,
        .until = 10,
        .jobs = {{"J", 3, 100, 50, NEVER}}};
    example_run(&x);
    BOTH_WAYS(s, x)
    {
        sc_run_until(s, 0);
        assert_string_equal(sc_log(s, "J"), "defer(3600)@0");
    }
    x.jobs[0].flags = JOB_SPAN;
    x.jobs[0].start = 0;
    x.jobs[0].where = "n1:1 n2:1 n3:1";
    example_run(&x);
}

static void n15_another_partition_or_only_the_own(void **state)
{
    (void)state;
    struct example any = {.cfg = TWO_PARTITIONS,
        .nodes = 4,
        .jobs = {{"busy", 1, 100, 90, 0, "n1:1", .user = "only"},
            {"two", 2, 100, 50, 0, "n3:1 n4:1"}}};
    example_run(&any);
    struct example pdef = {.cfg = TWO_PARTITIONS,
        .nodes = 4,
        .jobs = {{"one", 1, 100, 50, 0, "n3:1", .user = "pdef"}}};
    example_run(&pdef);
    struct example only = any;
    only.jobs[1] =
        (struct example_job){"two", 2, 100, 50, 100, "n1:1 n2:1", .user = "only"};
    example_run(&only);
    BOTH_WAYS(s, only)
    {
        sc_run_until(s, 0);
        assert_int_equal(sc_reserved(s, "two"), 100);
    }
}

static void a_spanning_job_is_reserved_over_both_partitions(void **state)
{
    (void)state;
    struct example x = {.cfg = TWO_PARTITIONS,
        .nodes = 4,
        .jobs = {{"busy", 2, 100, 90, 0, "n1:1 n2:1", .user = "only"},
            {"span", 3, 100, 50, 100, .flags = JOB_SPAN}, {"one", 1, 200, 40, 0},
            {"two", 1, 200, 30, 200}}};
    example_run(&x); /* one of n3 and n4 may go; the other is kept for the three */
}

/* ---- N16: generic resources of a node ---- */

static void n16_generic_resources(void **state)
{
    (void)state;
    const struct gres_cfg two[] = {{(char *)"tape", 2}, {0}},
                          one[] = {{(char *)"tape", 1}, {0}},
                          none[] = {{(char *)"nosuch", 1}, {0}};
    struct scenario *s = nodes("NODECFG[n1] GRES=tape:4\n", 4, 8);
    job(s, "three", 100, 90, NULL, (struct req_desc){.tasks = 3, .gres = two});
    assert_string_equal(sc_log(s, "three"), "defer(3600)@0");
    job(s, "two", 100, 80, NULL, (struct req_desc){.tasks = 2, .gres = two});
    assert_where(s, "two", "n1:2");
    job(s, "one", 100, 70, NULL, (struct req_desc){.tasks = 1, .gres = one});
    assert_int_equal(sc_start(s, "one"), -1);
    assert_int_equal(sc_reserved(s, "one"), 100);
    job(s, "unknown", 100, 60, NULL, (struct req_desc){.tasks = 1, .gres = none});
    assert_string_equal(sc_log(s, "unknown"), "defer(3600)@0");
    sc_run_until(s, 200);
    assert_int_equal(sc_start(s, "one"), 100);
    sc_destroy(s);
}

/* ---- N17: what a node count means ---- */

static void check_n17(const char *cfg, uint32_t count, uint32_t tpn, const char *where)
{
    static const int procs[] = {4, 2, 2};
    struct scenario *s = sc_create_with(cfg);

    for (int i = 0; i < 3; i++) {
        char name[8];

        snprintf(name, sizeof name, "n%d", i + 1);
        sc_node(s, &(struct node_desc){.name = name,
                       .state = NODE_IDLE,
                       .cfg = {{tpn == 1 ? 4 : procs[i], 1024, 1024, 1024}}});
    }
    job(s, "J", 100, 50, NULL,
        (struct req_desc){.tasks = count * tpn, .nodes = count, .tpn = tpn});
    assert_where(s, "J", where);
    sc_destroy(s);
}

static void n17_match_policies(void **state)
{
    (void)state;
    check_n17("", 3, 1, "n1:3");
    check_n17("JOBNODEMATCHPOLICY EXACTNODE\n", 3, 1, "n1:1 n2:1 n3:1");
    check_n17("", 2, 2, "n1:4");
    check_n17("JOBNODEMATCHPOLICY EXACTNODE\n", 2, 2, "n1:2 n2:2");
    check_n17("JOBNODEMATCHPOLICY EXACTPROC\n", 2, 2, "n2:2 n3:2");
}

/* ---- N18, N19: access policies ---- */

static void n18_access_policies(void **state)
{
    (void)state;
    struct scenario *s = nodes("", 4, 4);
    job(s, "a", 1000, 90, "a", (struct req_desc){.tasks = 1});
    assert_where(s, "a", "n1:1");
    job(s, "b1", 1000, 80, "a",
        (struct req_desc){.tasks = 4, .access = ACCESS_SINGLEUSER});
    assert_where(s, "b1", "n1:3 n2:1");
    job(s, "c", 1000, 70, "b", (struct req_desc){.tasks = 1});
    assert_where(s, "c", "n3:1");
    job(s, "d", 1000, 60, "a",
        (struct req_desc){.tasks = 2, .access = ACCESS_SINGLEJOB});
    assert_where(s, "d", "n4:2");
    job(s, "e", 1000, 50, "a", (struct req_desc){.tasks = 1});
    assert_where(s, "e", "n2:1");
    /* b may not use what is left of n1, n2 and n4 until they are empty again */
    job(s, "f", 10, 40, "b", (struct req_desc){.tasks = 4});
    assert_int_equal(sc_start(s, "f"), -1);
    sc_run(s);
    assert_int_equal(sc_start(s, "f"), 1000);
    sc_destroy(s);
}

static void n19_singletask(void **state)
{
    (void)state;
    struct scenario *s = nodes("", 4, 4);
    job(s, "a", 100, 90, "a",
        (struct req_desc){.tasks = 2, .access = ACCESS_SINGLETASK});
    assert_where(s, "a", "n1:1 n2:1");
    job(s, "b", 100, 80, "b", (struct req_desc){.tasks = 1});
    assert_where(s, "b", "n3:1");
    sc_destroy(s);
}

/* ---- N20: limits of a node ---- */

static void n20_maxjob(void **state)
{
    (void)state;
    struct scenario *s = nodes("NODECFG[n1] MAXJOB=2 MAXJOBPERUSER=1\n", 2, 4);
    job(s, "first", 100, 90, "a", (struct req_desc){.tasks = 1});
    assert_where(s, "first", "n1:1");
    job(s, "a", 100, 80, "a", (struct req_desc){.tasks = 1});
    assert_where(s, "a", "n2:1");
    job(s, "b", 100, 70, "b", (struct req_desc){.tasks = 1});
    assert_where(s, "b", "n1:1");
    job(s, "c", 100, 60, "c", (struct req_desc){.tasks = 1});
    assert_where(s, "c", "n2:1");
    sc_destroy(s);
}

static void a_node_limit_lets_go_when_its_jobs_end(void **state)
{
    (void)state;
    struct scenario *s = nodes("NODECFG[DEFAULT] MAXJOB=1\n", 2, 4);
    job(s, "a", 100, 90, "a", (struct req_desc){.tasks = 1});
    job(s, "b", 50, 80, "b", (struct req_desc){.tasks = 1});
    job(s, "c", 100, 70, "c", (struct req_desc){.tasks = 1});
    assert_int_equal(sc_reserved(s, "c"), 50);
    sc_run(s);
    assert_int_equal(sc_start(s, "c"), 50);
    assert_where(s, "c", "n2:1");
    sc_destroy(s);
}

/* ---- nodes told in a row ---- */

static int tell_row(
    struct scenario *s, const char *first, uint32_t more, struct err *err)
{
    struct event ev = {.kind = EVENT_NODE};

    ev.u.node = (struct node_desc){
        .name = first, .state = NODE_IDLE, .cfg = {{2, -1, -1, -1}}, .more = more};
    return sc_apply(s, ev, err);
}

static void a_row_is_told_at_once_or_one_by_one(void **state)
{
    struct scenario *s = sc_create_with("");
    struct cluster *c = engine_cluster(sc_engine(s));
    struct err err;

    (void)state;
    assert_int_equal(tell_row(s, "n1", 9, &err), 0); /* nothing else is there */
    assert_int_equal(tell_row(s, "n9", 3, &err), 0); /* two are */
    assert_int_equal(c->nodes.n, 12);
    assert_int_equal(c->cfg_total.v[RES_PROCS], 24);
    assert_non_null(node_find(c, "n12"));
    assert_null(node_find(c, "n13"));
    assert_int_equal(tell_row(s, "gate", 2, &err), -1);
    assert_non_null(strstr(err.text, "'gate' does not end in a number"));
    cluster_check(c);
    sc_destroy(s);
}

/* ---- N21: what is free by dedicated and by measured use ---- */

static void measure(struct scenario *s, double load)
{
    struct event ev = {.kind = EVENT_NODE};
    struct err err;

    ev.u.node = (struct node_desc){.name = "n1",
        .state = NODE_RUNNING,
        .cfg = {{4, 4096, 4096, 4096}},
        .measured = true,
        .load = load};
    assert_int_equal(sc_apply(s, ev, &err), 0);
}

/* Eight jobs of one processor, each a load of 0.4; how many run after each of four
 * iterations, a minute apart. */
static void check_n21(const char *policy, const uint32_t *running)
{
    static const char *const ids[] = {"1", "2", "3", "4", "5", "6", "7", "8"};
    char cfg[100];

    snprintf(cfg, sizeof cfg, "NODEAVAILABILITYPOLICY %s\n", policy);
    struct scenario *s = sc_create_with(cfg);
    sc_nodes(s, 1, 4);
    for (int i = 0; i < 8; i++)
        sc_job(s, (struct sc_job){
                      .id = ids[i], .procs = 1, .limit_s = 9000, .priority = 100 - i});
    for (int i = 0; i < 4; i++) {
        if (i)
            measure(s, 0.4 * running[i - 1]);
        sc_at(s, 60 * i);
        assert_int_equal(engine_stats(sc_engine(s))->started, running[i]);
    }
    sc_destroy(s);
}

static void n21_dedicated_and_combined(void **state)
{
    (void)state;
    check_n21("DEDICATED", (uint32_t[]){4, 4, 4, 4});
    check_n21("COMBINED", (uint32_t[]){4, 4, 4, 4});
}

static void n21_utilized(void **state)
{
    (void)state;
    check_n21("UTILIZED", (uint32_t[]){4, 6, 7, 8});
}

/* A load that no job explains. */
static void a_node_with_a_load_of_its_own_is_not_free(void **state)
{
    (void)state;
    for (int by_node = 0; by_node < 2; by_node++) {
        struct scenario *s = sc_create_with("NODEAVAILABILITYPOLICY COMBINED\n");
        sc_nodes(s, 2, 4);
        if (by_node)
            sc_force_by_node(s);
        measure(s, 3.0);
        sc_job(s,
            (struct sc_job){.id = "six", .procs = 6, .limit_s = 100, .priority = 50});
        sc_job(s,
            (struct sc_job){.id = "four", .procs = 4, .limit_s = 100, .priority = 40});
        sc_at(s, 0);
        assert_int_equal(sc_start(s, "six"), -1);
        assert_where(s, "four", "n1:1 n2:3");
        sc_destroy(s);
    }
}

static void nothing_starts_on_a_node_reported_busy(void **state)
{
    (void)state;
    for (int procs = 1; procs <= 2; procs++)
        for (int by_node = 0; by_node < 2; by_node++) {
            struct scenario *s = sc_create();
            sc_nodes(s, 2, procs);
            if (by_node)
                sc_force_by_node(s);
            sc_at(s, 0);
            sc_node_state(s, "n1", NODE_BUSY);
            sc_job(s, (struct sc_job){.id = "J", .procs = 1, .limit_s = 100});
            sc_at(s, 10);
            assert_where(s, "J", "n2:1");
            sc_destroy(s);
        }
}

/* ---- N23: host lists ---- */

static void n23_host_lists(void **state)
{
    (void)state;
    const char *n34[] = {"n3", "n4", NULL};
    struct scenario *s = nodes("", 4, 1);
    job(s, "one", 100, 90, NULL, (struct req_desc){.tasks = 1, .hosts = n34});
    assert_where(s, "one", "n3:1");
    job(s, "three", 100, 80, NULL, (struct req_desc){.tasks = 3, .hosts = n34});
    assert_int_equal(sc_reserved(s, "three"), 100); /* n3 is demanded */
    sc_run(s);
    assert_int_equal(sc_start(s, "three"), 100);
    assert_where(s, "three", "n1:1 n3:1 n4:1");
    sc_destroy(s);
}

static void a_long_host_list_waits_for_its_own_nodes_only(void **state)
{
    (void)state;
    const char *n12[] = {"n1", "n2", NULL};
    struct scenario *s = nodes("", 4, 1);
    job(s, "a", 100, 90, NULL, (struct req_desc){.tasks = 1});
    job(s, "b", 200, 80, NULL, (struct req_desc){.tasks = 1});
    job(s, "J", 100, 70, NULL, (struct req_desc){.tasks = 1, .hosts = n12});
    assert_int_equal(sc_reserved(s, "J"), 100);
    job(s, "c", 300, 60, NULL, (struct req_desc){.tasks = 2});
    assert_where(s, "c", "n3:1 n4:1");
    sc_run(s);
    assert_where(s, "J", "n1:1");
    sc_destroy(s);
}

/* J has nodes whole; new settings let its class have one processor of each, so that
 * its tasks no longer are what the others' tasks are counted in. */
static void a_running_job_fills_nodes_that_new_settings_keep_it_from(void **state)
{
    (void)state;
    const struct req_desc whole = {
        .tasks = 4, .per_task = {{-1}}, .nodealloc = NODEALLOC_UNSET};
    struct scenario *s = nodes("", 4, 4);

    sc_job(s, (struct sc_job){.id = "J", .limit_s = 1000, .cls = "c", .req = &whole});
    sc_at(s, 10);
    assert_where(s, "J", "n1:1 n2:1 n3:1 n4:1");
    sc_configure(s, "CLASSCFG[c] MAXPROCPERNODE=1\n");
    sc_job(s, (struct sc_job){.id = "K", .submit_at = 10, .limit_s = 100, .procs = 8});
    sc_at(s, 20);
    assert_int_equal(sc_reserved(s, "K"), 1000);
    sc_destroy(s);
}

/* What a node count means is decided by the settings in force, also for jobs that
 * were submitted under others. */
static void a_waiting_job_follows_the_match_policy_of_today(void **state)
{
    (void)state;
    for (int exact = 0; exact < 2; exact++) {
        struct scenario *s = nodes(exact ? "" : "JOBNODEMATCHPOLICY EXACTNODE\n", 2, 4);
        sc_job(s,
            (struct sc_job){.id = "busy", .limit_s = 100, .procs = 8, .priority = 9});
        sc_job(s, (struct sc_job){.id = "K", .limit_s = 100, .procs = 4, .nodes = 2});
        sc_at(s, 10);
        sc_configure(s, exact ? "JOBNODEMATCHPOLICY EXACTNODE\n" : "");
        sc_run(s);
        assert_where(s, "K", exact ? "n1:2 n2:2" : "n1:4");
        sc_destroy(s);
    }
}

#define MANY 30

/* Jobs of random widths on twelve nodes of four processors and several weights. */
static struct scenario *weighed(const char *lines, uint32_t seed, char (*ids)[8])
{
    struct scenario *s = sc_create_with(lines);
    char names[12][8];

    for (int i = 0; i < 12; i++) {
        snprintf(names[i], sizeof names[i], "n%d", i + 1);
        sc_node(s, &(struct node_desc){.name = names[i],
                       .state = NODE_IDLE,
                       .cfg = {{4, 1024, 1024, 1024}},
                       .weight = seed >> i / 3 * 2 & 3});
    }
    for (int i = 0; i < MANY; i++) {
        seed = seed * 1103515245 + 12345;
        snprintf(ids[i], sizeof ids[i], "j%d", i);
        sc_job(s, (struct sc_job){.id = ids[i],
                      .procs = 1 + (seed >> 16) % 14,
                      .limit_s = 10 + (seed >> 20) % 50,
                      .submit_at = i * 7});
    }
    return s;
}

/* The same as by sorting all that is free, which a function of a node's own wants. */
static void walk_and_sort(const char *policy)
{
    char lines[60], sorted[120];

    snprintf(lines, sizeof lines, "NODEALLOCATIONPOLICY %s\n", policy);
    snprintf(sorted, sizeof sorted, "%sNODECFG[n12] PRIORITYF='PRIORITY'\n", lines);
    for (uint32_t seed = 1; seed <= 60; seed++) {
        char ids[2][MANY][8];
        struct scenario *a = weighed(lines, seed * 2654435761u, ids[0]),
                        *b = weighed(sorted, seed * 2654435761u, ids[1]);

        sc_run(a);
        sc_run(b);
        for (int i = 0; i < MANY; i++) {
            assert_int_equal(sc_start(a, ids[0][i]), sc_start(b, ids[1][i]));
            char *where = xstrdup(sc_where(a, ids[0][i]));
            assert_string_equal(where, sc_where(b, ids[1][i]));
            free(where);
        }
        sc_destroy(a);
        sc_destroy(b);
    }
}

static void bands_of_equal_priority_are_walked_as_they_are_sorted(void **state)
{
    (void)state;
    walk_and_sort("PRIORITY");
}

static void the_tightest_is_the_same_by_walking_and_by_sorting(void **state)
{
    (void)state;
    walk_and_sort("TIGHTEST");
}

static void nodes_of_little_weight_are_taken_first(void **state)
{
    (void)state;
    struct scenario *s = sc_create_with("NODEALLOCATIONPOLICY PRIORITY\n");
    static const char *const names[] = {"n1", "n2", "n3", "n4"};

    for (int i = 0; i < 4; i++)
        sc_node(s, &(struct node_desc){.name = names[i],
                       .state = NODE_IDLE,
                       .cfg = {{2, 1024, 1024, 1024}},
                       .weight = i == 2   ? 0
                                 : i == 0 ? 9
                                          : 5});
    sc_job(s, (struct sc_job){.id = "a", .procs = 3, .limit_s = 10, .priority = 9});
    sc_job(s, (struct sc_job){.id = "b", .procs = 4, .limit_s = 10, .priority = 8});
    sc_run_until(s, 0);
    assert_string_equal(sc_where(s, "a"), "n2:1 n3:2");
    assert_string_equal(sc_where(s, "b"), "n1:1 n2:1 n4:2");
    sc_destroy(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(n2_lastavailable_fills_gaps),
        cmocka_unit_test(n11_a_run_is_waited_for),
        cmocka_unit_test(n12_one_set_or_another),
        cmocka_unit_test(n12_a_delay_means_a_whole_set_always),
        cmocka_unit_test(n12_no_set_large_enough),
        cmocka_unit_test(reservations_obey_mandatory_sets),
        cmocka_unit_test(n15_no_partition_is_large_enough_without_span),
        cmocka_unit_test(n15_another_partition_or_only_the_own),
        cmocka_unit_test(a_spanning_job_is_reserved_over_both_partitions),
        cmocka_unit_test(n16_generic_resources),
        cmocka_unit_test(n17_match_policies),
        cmocka_unit_test(n18_access_policies),
        cmocka_unit_test(n19_singletask),
        cmocka_unit_test(n20_maxjob),
        cmocka_unit_test(a_node_limit_lets_go_when_its_jobs_end),
        cmocka_unit_test(n21_dedicated_and_combined),
        cmocka_unit_test(n21_utilized),
        cmocka_unit_test(a_node_with_a_load_of_its_own_is_not_free),
        cmocka_unit_test(nothing_starts_on_a_node_reported_busy),
        cmocka_unit_test(n23_host_lists),
        cmocka_unit_test(a_long_host_list_waits_for_its_own_nodes_only),
        cmocka_unit_test(a_running_job_fills_nodes_that_new_settings_keep_it_from),
        cmocka_unit_test(a_waiting_job_follows_the_match_policy_of_today),
        cmocka_unit_test(a_row_is_told_at_once_or_one_by_one),
        cmocka_unit_test(nodes_of_little_weight_are_taken_first),
        cmocka_unit_test(bands_of_equal_priority_are_walked_as_they_are_sorted),
        cmocka_unit_test(the_tightest_is_the_same_by_walking_and_by_sorting),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
