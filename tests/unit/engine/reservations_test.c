/* SPDX-License-Identifier: Apache-2.0
 * Reservations and the jobs around them over time: the worked examples R32 to R42 of
 * the reservations reference, B17 of the backfill one, and N2 and N14 of node
 * allocation; each planned by count and node by node. */
#include "config/settings.h"
#include "rsv_scene.h"

/* ---- priority reservations ---- */

/* A job of one group of examples: who, how wide, how long, since when. */
#define JOB(name, width, seconds, prio, at)                                            \
    .job = {.id = name,                                                                \
        .procs = width,                                                                \
        .limit_s = seconds,                                                            \
        .priority = prio,                                                              \
        .submit_at = at}

static void policies_treat_earlier_reservations_differently_r32(void **state)
{
    (void)state;
    static const struct {
        const char *policy;
        int64_t a_at, b_at, a, b; /* reserved at t=10, started */
    } rows[] = {{"CURRENTHIGHEST", NEVER, 100, 150, 100},
        {"HIGHEST", 100, 200, 100, 200}, {"NEVER", NEVER, NEVER, 150, 100}};

    for (int i = 0; i < 6; i++) {
        char lines[80];
        struct scene x = {.lines = lines};

        snprintf(lines, sizeof lines, "RESERVATIONPOLICY %s", rows[i / 2].policy);
        struct scenario *s = scene_open(&x, i % 2);
        sc_job(s,
            (struct sc_job){.id = "busy", .procs = 4, .limit_s = 100, .priority = 99});
        sc_job(
            s, (struct sc_job){.id = "A", .procs = 4, .limit_s = 100, .priority = 10});
        sc_job(s,
            (struct sc_job){
                .id = "B", .procs = 4, .limit_s = 50, .priority = 20, .submit_at = 10});
        sc_at(s, 10);
        assert_int_equal(sc_reserved(s, "A"), rows[i / 2].a_at);
        assert_int_equal(sc_reserved(s, "B"), rows[i / 2].b_at);
        sc_run(s);
        assert_int_equal(sc_start(s, "A"), rows[i / 2].a);
        assert_int_equal(sc_start(s, "B"), rows[i / 2].b);
        sc_destroy(s);
    }
}

/* It was cancelled and comes back before the next cycle, with the same index: that it
 * is reserved at the instant of the one before it is news. */
static void what_was_told_of_a_job_dies_with_it(void **state)
{
    (void)state;
    for (int by_node = 0; by_node < 2; by_node++) {
        struct scene x = {0};
        struct scenario *s = scene_open(&x, by_node);
        struct req_desc wide = {.tasks = 4, .per_task = {{1, 0, 0, 0}}};
        struct event cancel = {.kind = EVENT_CANCEL, .at = 10};
        struct event again = {.kind = EVENT_SUBMIT, .at = 10};
        struct actions acts = {0};
        struct err err;
        uint32_t told = 0;

        sc_job(s,
            (struct sc_job){.id = "busy", .procs = 4, .limit_s = 100, .priority = 99});
        sc_job(s, (struct sc_job){.id = "A", .procs = 4, .limit_s = 50});
        sc_at(s, 10);
        assert_string_equal(sc_log(s, "A"), "reserve(100)@0");
        uint32_t index = sc_find(s, "A")->index;
        cancel.u.end.id = "A";
        cancel.u.end.how = EV_CANCEL;
        assert_int_equal(engine_apply(sc_engine(s), &cancel, NULL, &err), 0);
        again.u.job = (struct job_desc){
            .id = "A", .submit_at = 10, .wclimit_s = 50, .reqs = &wide, .nreqs = 1};
        assert_int_equal(engine_apply(sc_engine(s), &again, NULL, &err), 0);
        assert_int_equal(sc_find(s, "A")->index, index);
        engine_cycle(sc_engine(s), 10, &acts);
        for (size_t i = 0; i < acts.n; i++)
            told += acts.v[i].kind == ACTION_RESERVE && acts.v[i].at == 100;
        assert_int_equal(told, 1);
        vec_fini(&acts);
        sc_destroy(s);
    }
}

static void without_reservations_wide_jobs_starve_r33(void **state)
{
    (void)state;
    struct scene never = {.lines = "RESERVATIONPOLICY NEVER"};
    struct scene current = {.lines = "RESERVATIONPOLICY CURRENTHIGHEST"};
    struct ask starving[] = {{JOB("R", 2, 100, 99, 0), 0},
        {JOB("A", 4, 100, 50, 0), 250}, {JOB("s1", 2, 150, 10, 0), 0},
        {JOB("s2", 2, 100, 9, 100), 100}, {JOB("s3", 2, 100, 8, 150), 150},
        {.job = {.id = NULL}}};
    struct ask protected[] = {{JOB("R", 2, 100, 99, 0), 0},
        {JOB("A", 4, 100, 50, 0), 100}, {JOB("s1", 2, 150, 10, 0), 200},
        {JOB("s2", 2, 100, 9, 100), 200}, {JOB("s3", 2, 100, 8, 150), 300},
        {.job = {.id = NULL}}};
    scene_run(&never, starving);
    scene_run(&current, protected);
}

#define QOS_JOB(name, prio, q)                                                         \
    .job = {.id = name, .procs = 4, .limit_s = 100, .priority = prio, .qos = q}

static void run_groups(const char *lines, int64_t second)
{
    struct scene x = {.lines = lines};

    for (int by_node = 0; by_node < 2; by_node++) {
        struct scenario *s = scene_open(&x, by_node);
        const struct ask asks[] = {{QOS_JOB("R", 99, NULL), 0},
            {QOS_JOB("H1", 50, "hi"), 100}, {QOS_JOB("H2", 40, "hi"), 200},
            {QOS_JOB("B1", 30, "batch"), 300}, {QOS_JOB("B2", 20, "batch"), 400},
            {QOS_JOB("L", 10, "low"), 500}};

        for (int i = 0; i < 6; i++)
            sc_job(s, asks[i].job);
        sc_at(s, 0);
        assert_int_equal(sc_reserved(s, "H1"), 100);
        assert_int_equal(sc_reserved(s, "B1"), second);
        assert_int_equal(sc_reserved(s, "H2"), NEVER);
        assert_int_equal(sc_reserved(s, "B2"), NEVER);
        assert_int_equal(sc_reserved(s, "L"), NEVER);
        sc_run(s);
        for (int i = 0; i < 6; i++)
            scene_check(s, &asks[i], by_node);
        sc_destroy(s);
    }
}

static void every_group_has_a_depth_of_its_own_r34(void **state)
{
    (void)state;
    run_groups("USERCFG[DEFAULT] QLIST=hi,batch,low\n"
               "RESERVATIONDEPTH[0] 1\nRESERVATIONQOSLIST[0] hi\n"
               "RESERVATIONDEPTH[1] 1\nRESERVATIONQOSLIST[1] batch\n",
        200);
}

static void group_0_swallows_all_r35(void **state)
{
    (void)state;
    run_groups("USERCFG[DEFAULT] QLIST=hi,batch,low\n"
               "RESERVATIONDEPTH[1] 2\nRESERVATIONQOSLIST[1] batch\n",
        NEVER);
}

/* t=0 of the example is 23:59:50: at t=10 a new day brings an instance [200, 300). */
#define R36_ZERO (DAY_S - 10)
#define R36(rest)                                                                      \
    "CREDWEIGHT 1\nUSERWEIGHT 1\nQUEUETIMEWEIGHT 0\nUSERCFG[a] PRIORITY=50\n"          \
    "USERCFG[busy] PRIORITY=90\n"                                                      \
    "SRCFG[x] TASKCOUNT=4 STARTTIME=0:03:10 ENDTIME=0:04:50 DAYS=TUE DEPTH=1 "         \
    "USERLIST=john " rest

static void run_r36(const char *lines, int64_t start_a, uint32_t held)
{
    struct scene x = {.lines = lines, .begin = MONDAY + R36_ZERO};

    for (int by_node = 0; by_node < 2; by_node++) {
        struct scenario *s = scene_open(&x, by_node);

        sc_job(
            s, (struct sc_job){.id = "R", .user = "busy", .procs = 4, .limit_s = 100});
        sc_job(s, (struct sc_job){.id = "A", .user = "a", .procs = 4, .limit_s = 150});
        sc_at(s, x.begin);
        assert_int_equal(sc_start(s, "R"), x.begin);
        assert_int_equal(sc_reserved(s, "A"), x.begin + 100);
        sc_at(s, x.begin + 10);
        assert_int_equal(sc_standing(s, "x", 0)->held_tasks, held);
        sc_run_until(s, x.begin + 250);
        assert_int_equal(sc_standing(s, "x", 0)->held_tasks, 4);
        sc_run_until(s, x.begin + 400);
        assert_int_equal(sc_start(s, "A"), x.begin + start_a);
        sc_destroy(s);
    }
}

static void a_standing_priority_takes_the_place_of_lower_jobs_r36(void **state)
{
    (void)state;
    run_r36(R36(""), 100, 0);
    run_r36(R36("PRIORITY=100"), 300, 4);
    run_r36(R36("PRIORITY=50"), 100, 0); /* not lower */
}

/* ---- jobs inside ---- */

static void sees_beside(uint32_t amys, struct sc_job asker, uint32_t procs)
{
    for (uint32_t more = 0; more < 2; more++)
        for (int by_node = 0; by_node < 2 && procs + more > 0; by_node++) {
            struct scene x = {.procs = 4,
                .down = "n2 n3 n4",
                .rsv = {{.base = "r",
                    .hosts = "n1",
                    .resources = "PROCS=3",
                    .lists = {[ACL_GROUP] = "staff"}}}};
            struct scenario *s = scene_open(&x, by_node);

            sc_job(s, (struct sc_job){.id = "amy",
                          .user = "amy",
                          .group = "staff",
                          .procs = amys,
                          .limit_s = 1000});
            asker.id = "asker";
            asker.procs = procs + more;
            asker.submit_at = 10;
            sc_job(s, asker);
            sc_run_until(s, 10);
            assert_int_equal(sc_start(s, "amy"), 0);
            assert_int_equal(sc_start(s, "asker") == 10, more == 0);
            sc_destroy(s);
        }
}

static void a_job_inside_is_counted_once_r37(void **state)
{
    (void)state;
    struct sc_job eve = {.user = "eve", .group = "users", .limit_s = 100};
    struct sc_job bea = {.user = "bea", .group = "staff", .limit_s = 100};

    sees_beside(2, eve, 1);
    sees_beside(2, bea, 2);
    sees_beside(4, eve, 0);
    sees_beside(4, bea, 0);
}

/* Beside one reservation a processor is left. Two of them lie on one another no more
 * than they must, so they take all three, and john's job inside both changes nothing:
 * were it counted in full in each, eve would get what somebody of only one of them may
 * want when it ends early. */
static void a_job_inside_two_on_one_another_leaves_nothing_to_outsiders(void **state)
{
    (void)state;
    struct scene x = {.nodes = 1,
        .procs = 3,
        .rsv = {{.base = "a",
                    .hosts = "n1",
                    .resources = "PROCS=2",
                    .end_at = 1000,
                    .lists = {[ACL_USER] = "john"}},
            {.base = "b",
                .hosts = "n1",
                .resources = "PROCS=2",
                .start_at = 100,
                .end_at = 1000,
                .lists = {[ACL_USER] = "john"}}}};
    struct ask john = {{.id = "john", .user = "john", .procs = 2, .limit_s = 200}, 0};
    struct ask after[] = {john,
        {{.id = "eve", .user = "eve", .procs = 1, .limit_s = 190, .submit_at = 10},
            1000},
        {{.id = NULL}}};
    struct ask before[] = {john,
        {{.id = "eve", .user = "eve", .procs = 1, .limit_s = 90, .submit_at = 10}, 10},
        {{.id = NULL}}};
    scene_run(&x, after);
    scene_run(&x, before);
}

/* john holds 3 + 1 of the 6 processors reserved; 2 of them and 2 beside are left. */
static void requests_of_a_job_inside_are_charged_each_by_its_size(void **state)
{
    (void)state;
    struct req_desc reqs[] = {{.tasks = 1, .per_task = {{3}}}, {.tasks = 1}};
    struct scene x = {.lines = "ENABLEMULTIREQJOBS TRUE\n",
        .nodes = 1,
        .procs = 8,
        .rsv = {{.hosts = "n1",
            .resources = "PROCS=6",
            .end_at = 1000,
            .lists = {[ACL_USER] = "john"}}}};
    struct ask asks[] = {
        {{.id = "john", .user = "john", .limit_s = 500, .req = reqs, .nreqs = 2}, 0},
        {{.id = "three", .user = "eve", .procs = 3, .limit_s = 50, .submit_at = 10},
            1000},
        {{.id = "two", .user = "eve", .procs = 2, .limit_s = 50, .submit_at = 10}, 10},
        {{.id = NULL}}};
    scene_run(&x, asks);
}

static void a_job_may_leave_its_reservation_r38(void **state)
{
    (void)state;
    struct scene x = {.down = "n2 n3 n4",
        .rsv = {{.base = "r",
            .hosts = "n1",
            .end_at = 100,
            .lists = {[ACL_USER] = "john"}}}};
    struct scene wall = {.down = "n2 n3 n4",
        .rsv = {
            {.base = "r", .hosts = "n1", .end_at = 100, .lists = {[ACL_USER] = "john"}},
            {.hosts = "n1", .start_at = 150, .end_at = 160}}};
    struct ask asks[] = {
        {{.id = "john", .user = "john", .procs = 1, .limit_s = 300, .submit_at = 50},
            50},
        {{.id = "eve", .user = "eve", .procs = 1, .limit_s = 40, .submit_at = 50}, 100},
        {{.id = NULL}}};
    struct ask blocked[] = {
        {{.id = "john", .user = "john", .procs = 1, .limit_s = 300, .submit_at = 50},
            160},
        {{.id = NULL}}};
    scene_apart(&x, asks);
    scene_run(&wall, blocked);
}

/* Nobody but the name tells them apart, and the second has the place in memory that the
 * first had. */
static void a_job_is_not_taken_for_one_that_named_another_and_ended(void **state)
{
    (void)state;
    struct scene x = {.nodes = 2,
        .rsv = {{.base = "a", .hosts = "n1", .lists = {[ACL_USER] = "john"}},
            {.base = "b", .hosts = "n2", .lists = {[ACL_USER] = "john"}}}};
    struct ask asks[] = {
        {{.id = "first", .user = "john", .procs = 1, .limit_s = 10, .advres = "a.0"}, 0,
            "n1:1"},
        {{.id = "second",
             .user = "john",
             .procs = 1,
             .limit_s = 10,
             .submit_at = 20,
             .advres = "b.0"},
            20, "n2:1"},
        {{.id = NULL}}};
    scene_run(&x, asks);
}

static void single_use_goes_with_the_job_that_named_it_r39(void **state)
{
    (void)state;
    const char *hosts[] = {"n1", NULL};
    struct req_desc on_n1 = {.tasks = 1, .hosts = hosts};
    struct scene x = {.rsv = {{.base = "bob",
                          .hosts = "n1",
                          .end_at = 1000,
                          .flags = RSV_SINGLEUSE,
                          .lists = {[ACL_USER] = "bob"}}}};
    struct ask asks[] = {
        {{.id = "first", .user = "bob", .procs = 1, .limit_s = 100, .advres = "bob.0"},
            0, "n1:1"},
        {{.id = "second",
             .user = "bob",
             .procs = 1,
             .limit_s = 10,
             .submit_at = 10,
             .advres = "bob.0"},
            NEVER},
        {{.id = "eve",
             .user = "eve",
             .procs = 1,
             .limit_s = 50,
             .submit_at = 10,
             .req = &on_n1},
            100},
        {{.id = NULL}}};
    scene_run(&x, asks);
}

/* ---- setres ---- */

static void tasks_are_had_at_once_or_refused_r40(void **state)
{
    (void)state;
    const char *hosts[] = {"n3", "n4", NULL};
    struct req_desc on_n34 = {.tasks = 2, .hosts = hosts};

    for (int by_node = 0; by_node < 2; by_node++) {
        struct scene x = {.lines = ""};
        struct scenario *s = scene_open(&x, by_node);
        struct sc_rsv john = {
            .base = "john", .tasks = 2, .end_at = 50, .lists = {[ACL_USER] = "john"}};
        struct sc_rsv mary = {
            .base = "mary", .tasks = 2, .end_at = 50, .lists = {[ACL_USER] = "mary"}};
        struct err err = {0};

        sc_job(
            s, (struct sc_job){.id = "R", .procs = 2, .limit_s = 100, .req = &on_n34});
        sc_at(s, 0);
        assert_string_equal(sc_where(s, "R"), "n3:1 n4:1");
        scene_setres(s, &john);
        assert_string_equal(sc_held(s, "john.0"), "n1:1 n2:1");
        assert_int_equal(sc_setres(s, &mary, &err), -1);
        assert_string_equal(err.text, "cannot select 2 tasks for a reservation that "
                                      "begins now: 0 can be had; the "
                                      "first possible start is in 00:00:50");
        assert_string_equal(sc_held(s, "mary.0"), "none");
        mary.start_at = 50;
        mary.end_at = 100;
        scene_setres(s, &mary);
        assert_string_equal(sc_held(s, "mary.0"), "n1:1 n2:1");
        sc_run_until(s, 200);
        assert_string_equal(sc_held(s, "mary.0"), "none");
        sc_destroy(s);
    }
}

static void host_expressions_are_unanchored_r41(void **state)
{
    (void)state;
    static const char *const names[] = {"node1", "node2", "node10", "node11"};
    static const struct {
        const char *expr, *held;
    } rows[] = {{"node[1-2]", "node1:1 node2:1 node10:1 node11:1"},
        {"^node1$", "node1:1"}, {"node1[01]", "node10:1 node11:1"},
        {"node1", "node1:1"}};
    struct scenario *s = sc_create();

    for (int i = 0; i < 4; i++) {
        struct node_desc d = {
            .name = names[i], .state = NODE_IDLE, .cfg = {{1, 1024, 0, 0}}};
        sc_node(s, &d);
    }
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char name[16];

        scene_setres(s, &(struct sc_rsv){.base = "r", .hosts = rows[i].expr});
        snprintf(name, sizeof name, "r.%zu", i);
        assert_string_equal(sc_held(s, name), rows[i].held);
    }
    sc_destroy(s);
}

static void a_standing_host_list_names_hosts_exactly_r41(void **state)
{
    (void)state;
    struct scenario *s =
        sc_create_with("SRCFG[x] HOSTLIST=node1 PERIOD=INFINITY USERLIST=john");

    for (int i = 0; i < 2; i++) {
        struct node_desc d = {.name = i ? "node10" : "node1",
            .state = NODE_IDLE,
            .cfg = {{1, 1024, 0, 0}}};
        sc_node(s, &d);
    }
    sc_at(s, 0);
    assert_string_equal(sc_held(s, "x"), "node1:1");
    sc_destroy(s);
}

/* ---- examples of other documents ---- */

static void a_reservation_of_all_is_a_wall_b17(void **state)
{
    (void)state;
    const char *hosts[] = {"n1", NULL};
    struct req_desc on_n1 = {.tasks = 1, .hosts = hosts};
    struct scene x = {.rsv = {{.hosts = "ALL", .start_at = 100, .end_at = 200}}};
    struct ask asks[] = {
        {{.id = "R", .procs = 1, .limit_s = 60, .priority = 99, .req = &on_n1}, 0},
        {JOB("A", 4, 100, 50, 0), 200}, {JOB("B", 1, 60, 40, 0), 0},
        {JOB("C", 1, 200, 30, 0), 300}, {.job = {.id = NULL}}};
    scene_run(&x, asks);
}

/* Jobs C, D and E at once; "" = does not start. */
static void run_n2(
    enum nodealloc_policy policy, const char *down, const char *const where[3])
{
    static const char *const names[] = {"C", "D", "E"};
    const int64_t hours[3] = {3, 5, 1};

    for (int by_node = 0; by_node < 2; by_node++) {
        struct scenario *s = sc_create();

        sc_settings(s)->par.v[0].nodealloc = policy;
        sc_nodes(s, 3, 1);
        if (down)
            sc_node_state(s, down, NODE_DOWN);
        scene_setres(s, &(struct sc_rsv){.hosts = "n1", .start_at = 5 * HOUR_S});
        scene_setres(s, &(struct sc_rsv){.hosts = "n2", .start_at = 3 * HOUR_S});
        if (by_node)
            sc_force_by_node(s);
        for (int i = 0; i < 3 && where[i]; i++)
            sc_job(s, (struct sc_job){.id = names[i],
                          .procs = 1,
                          .limit_s = hours[i] * HOUR_S,
                          .priority = 90 - i});
        sc_run_until(s, 60);
        for (int i = 0; i < 3 && where[i]; i++) {
            assert_int_equal(sc_start(s, names[i]), *where[i] ? 0 : NEVER);
            assert_string_equal(sc_where(s, names[i]), where[i]);
        }
        sc_destroy(s);
    }
}

static void the_last_available_nodes_are_those_with_the_least_gap_n2(void **state)
{
    (void)state;
    run_n2(NODEALLOC_LASTAVAILABLE, NULL, (const char *[]){"n2:1", "n1:1", "n3:1"});
    run_n2(NODEALLOC_FIRSTAVAILABLE, NULL, (const char *[]){"n1:1", "n3:1", "n2:1"});
    run_n2(NODEALLOC_LASTAVAILABLE, "n3", (const char *[]){"n2:1", "n1:1", NULL});
    run_n2(NODEALLOC_FIRSTAVAILABLE, "n3", (const char *[]){"n1:1", "", NULL});
}

static void affinity_goes_before_the_policy_n14(void **state)
{
    (void)state;
    struct scene x = {
        .rsv = {{.base = "plus", .hosts = "n4", .lists = {[ACL_USER] = "john"}},
            {.base = "minus", .hosts = "n1", .lists = {[ACL_USER] = "john-"}}}};
    struct ask asks[] = {{{.id = "three", .user = "john", .procs = 3, .limit_s = 100},
                             0, "n2:1 n3:1 n4:1"},
        {{.id = "four", .user = "john", .procs = 4, .limit_s = 100}, 0,
            "n1:1 n2:1 n3:1 n4:1"},
        {{.id = "one", .user = "john", .procs = 1, .limit_s = 100}, 0, "n4:1"},
        {{.id = NULL}}};
    scene_apart(&x, asks);
}

/* ---- jobs of several requests ---- */

#define MULTIREQ "ENABLEMULTIREQJOBS TRUE\n"

static void several_requests_wait_for_the_end_of_a_reservation(void **state)
{
    (void)state;
    struct req_desc reqs[] = {{.tasks = 1}, {.tasks = 2}};
    struct scene x = {.lines = MULTIREQ, .rsv = {{.hosts = "ALL", .end_at = 100}}};
    struct ask asks[] = {
        {{.id = "a", .procs = 3, .limit_s = 50, .req = reqs, .nreqs = 2}, 100},
        {{.id = NULL}}};
    scene_run(&x, asks);
}

static void several_requests_are_drawn_and_confined_alike(void **state)
{
    (void)state;
    struct req_desc reqs[] = {{.tasks = 1}, {.tasks = 1}};
    struct scene x = {.lines = MULTIREQ,
        .rsv = {{.base = "r", .hosts = "n3,n4", .lists = {[ACL_USER] = "john"}}}};
    struct ask asks[] = {
        {{.id = "drawn", .user = "john", .limit_s = 50, .req = reqs, .nreqs = 2}, 0,
            "n3:1 n4:1"},
        {{.id = "confined",
             .user = "john",
             .limit_s = 50,
             .req = reqs,
             .nreqs = 2,
             .advres = "r.0"},
            0, "n3:1 n4:1"},
        {{.id = "outside", .user = "eve", .limit_s = 50, .req = reqs, .nreqs = 2}, 0,
            "n1:1 n2:1"},
        {{.id = NULL}}};
    scene_apart(&x, asks);
}

/* Windows of one minute on one node from minute 1 to 601, in turn for john and mary. */
static void hundreds_of_reservations_lie_on_one_node(void **state)
{
    (void)state;
    for (int by_node = 0; by_node < 2; by_node++) {
        struct scenario *s = sc_create_with("");
        sc_nodes(s, 1, 4);
        for (int i = 0; i < 600; i++)
            scene_setres(s, &(struct sc_rsv){.base = "turn",
                                .hosts = "n1",
                                .lists[ACL_USER] = i % 2 ? "mary" : "john",
                                .start_at = 60 * i + 60,
                                .end_at = 60 * i + 120});
        if (by_node)
            sc_force_by_node(s);
        sc_job(s,
            (struct sc_job){.id = "first", .user = "john", .limit_s = 120, .procs = 4});
        sc_job(
            s, (struct sc_job){.id = "one", .user = "john", .limit_s = 60, .procs = 4});
        sc_job(
            s, (struct sc_job){.id = "two", .user = "john", .limit_s = 61, .procs = 4});
        sc_job(s,
            (struct sc_job){.id = "other", .user = "mary", .limit_s = 30, .procs = 4});
        sc_run(s);
        assert_int_equal(sc_start(s, "first"), 0);
        assert_int_equal(sc_start(s, "other"), 120);
        assert_int_equal(sc_start(s, "one"), 180);
        assert_int_equal(sc_start(s, "two"), 60 * 601);
        sc_destroy(s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(policies_treat_earlier_reservations_differently_r32),
        cmocka_unit_test(what_was_told_of_a_job_dies_with_it),
        cmocka_unit_test(without_reservations_wide_jobs_starve_r33),
        cmocka_unit_test(every_group_has_a_depth_of_its_own_r34),
        cmocka_unit_test(group_0_swallows_all_r35),
        cmocka_unit_test(a_standing_priority_takes_the_place_of_lower_jobs_r36),
        cmocka_unit_test(a_job_inside_is_counted_once_r37),
        cmocka_unit_test(a_job_inside_two_on_one_another_leaves_nothing_to_outsiders),
        cmocka_unit_test(requests_of_a_job_inside_are_charged_each_by_its_size),
        cmocka_unit_test(a_job_may_leave_its_reservation_r38),
        cmocka_unit_test(a_job_is_not_taken_for_one_that_named_another_and_ended),
        cmocka_unit_test(single_use_goes_with_the_job_that_named_it_r39),
        cmocka_unit_test(tasks_are_had_at_once_or_refused_r40),
        cmocka_unit_test(host_expressions_are_unanchored_r41),
        cmocka_unit_test(a_standing_host_list_names_hosts_exactly_r41),
        cmocka_unit_test(a_reservation_of_all_is_a_wall_b17),
        cmocka_unit_test(the_last_available_nodes_are_those_with_the_least_gap_n2),
        cmocka_unit_test(affinity_goes_before_the_policy_n14),
        cmocka_unit_test(several_requests_wait_for_the_end_of_a_reservation),
        cmocka_unit_test(several_requests_are_drawn_and_confined_alike),
        cmocka_unit_test(hundreds_of_reservations_lie_on_one_node),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
