/* SPDX-License-Identifier: Apache-2.0
 * Reservations in a world that changes: other settings, hosts that appear, and the
 * flags that let one move, give way or keep to itself (reference reservations 5.2,
 * 5.4, 6.1, 7). */
#include "rsv_scene.h"

#define SR "SRCFG[x] PERIOD=INFINITY "

static struct scenario *begin(const char *lines, uint32_t nodes, int64_t procs)
{
    struct scenario *s = sc_create_with(lines);

    sc_nodes(s, nodes, procs);
    sc_at(s, 0);
    return s;
}

static void expect_held(struct scenario *s, const char *name, const char *nodes)
{
    if (strcmp(sc_held(s, name), nodes) != 0)
        fail_msg("%s holds '%s', expected '%s'", name, sc_held(s, name), nodes);
}

static void configure(struct scenario *s, const char *lines)
{
    sc_configure(s, lines);
    sc_cycle(s);
}

/* ---- settings ---- */

static void an_instance_takes_over_other_lists_and_attributes(void **state)
{
    (void)state;
    struct scenario *s = begin(SR "TASKCOUNT=2 USERLIST=john", 2, 1);
    const struct reservation *r = sc_standing(s, "x", 0);
    const struct cluster *c = engine_cluster(sc_engine(s));

    configure(s, SR "TASKCOUNT=2 USERLIST=amy OWNER=USER:amy CHARGEACCOUNT=bio "
                    "PRIORITY=7 FLAGS=SINGLEUSE");
    assert_ptr_equal(sc_standing(s, "x", 0), r);
    expect_held(s, "x", "n1:1 n2:1");
    assert_string_equal(c->creds[CRED_USER].v[r->owner]->name, "amy");
    assert_string_equal(c->creds[CRED_ACCOUNT].v[r->charge[CRED_ACCOUNT]]->name, "bio");
    assert_int_equal(r->priority, 7);
    assert_int_equal(r->flags, RSV_SINGLEUSE);
    sc_job(s, (struct sc_job){.id = "j", .user = "john", .procs = 1, .limit_s = 10});
    sc_job(s, (struct sc_job){.id = "a", .user = "amy", .procs = 1, .limit_s = 10});
    sc_run_until(s, 50);
    assert_int_equal(sc_start(s, "j"), NEVER);
    assert_int_equal(sc_start(s, "a"), 0);
    sc_destroy(s);
}

static void another_place_makes_the_instance_anew(void **state)
{
    (void)state;
    static const struct {
        const char *lines, *nodes;
    } rows[] = {{SR "TASKCOUNT=3 USERLIST=john", "n1:1 n2:1 n3:1"},
        {SR "TASKCOUNT=1 USERLIST=john", "n1:1"},
        {SR "HOSTLIST=n3,n4 USERLIST=john", "n3:1 n4:1"},
        {SR "TASKCOUNT=2 RESOURCES=PROCS:1 USERLIST=john", "n1:2"},
        {SR "TASKCOUNT=2 USERLIST=john ACCESS=SHARED", "n1:1 n2:1"}};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct scenario *s = begin(SR "TASKCOUNT=2 USERLIST=john", 4, 2);

        expect_held(s, "x", "n1:1 n2:1");
        uint64_t serial = sc_standing(s, "x", 0)->serial;
        configure(s, rows[i].lines);
        assert_true(sc_standing(s, "x", 0)->serial != serial);
        expect_held(s, "x", rows[i].nodes);
        sc_destroy(s);
    }
}

static void a_section_that_is_gone_takes_its_instances_along(void **state)
{
    (void)state;
    struct scenario *s = begin(SR "TASKCOUNT=2 USERLIST=john", 2, 1);

    configure(s, "");
    assert_null(sc_standing(s, "x", 0));
    configure(s, SR "TASKCOUNT=1 USERLIST=john");
    expect_held(s, "x", "n1:1");
    sc_destroy(s);
}

#define DAILY "SRCFG[x] HOSTLIST=n1 USERLIST=john STARTTIME=9:00:00 ENDTIME="

static void another_window_is_another_instance(void **state)
{
    (void)state;
    struct scenario *s = sc_create_with(DAILY "17:00:00 DEPTH=3");

    sc_begin_at(s, clock_of(0, 12, 0));
    sc_nodes(s, 1, 1);
    sc_at(s, clock_of(0, 12, 0));
    const struct reservation *today = sc_standing(s, "x", 0);
    assert_non_null(sc_standing(s, "x", 2));
    configure(s, DAILY "17:00:00 DEPTH=2");
    assert_ptr_equal(sc_standing(s, "x", 0), today);
    assert_null(sc_standing(s, "x", 2));
    configure(s, DAILY "15:00:00 DEPTH=2");
    assert_int_equal(sc_standing(s, "x", 0)->end_at, clock_of(0, 15, 0));
    assert_int_equal(sc_standing(s, "x", 1)->end_at, clock_of(1, 15, 0));
    configure(s, DAILY "15:00:00 DEPTH=2 DAYS=TUE");
    assert_null(sc_standing(s, "x", 0));
    assert_non_null(sc_standing(s, "x", 1));
    sc_destroy(s);
}

static void triggers_taken_over_do_not_fire_twice(void **state)
{
    (void)state;
    struct scenario *s =
        begin(SR "TASKCOUNT=1 USERLIST=john TRIGGER=create;exec@/a", 1, 1);

    assert_string_equal(sc_fired(s), "x:exec(/a)@0");
    configure(s, SR "TASKCOUNT=1 USERLIST=john "
                    "TRIGGER=create;exec@/a,start+100;exec@/b,create;exec@/late");
    sc_run_until(s, 200);
    assert_string_equal(sc_fired(s), "x:exec(/a)@0 x:exec(/b)@100");
    sc_destroy(s);
}

/* ---- hosts ---- */

static void a_list_grows_when_its_hosts_appear(void **state)
{
    (void)state;
    struct scenario *s = begin(SR "HOSTLIST=n[1-3] USERLIST=john", 2, 1);
    struct sc_rsv all = {.hosts = "ALL"}, floating = {.base = "f",
                                              .hosts = "n[23]",
                                              .tasks = 1,
                                              .flags = RSV_BESTEFFORT};

    scene_setres(s, &all);
    scene_setres(s, &floating);
    expect_held(s, "x", "n1:1 n2:1");
    expect_held(s, "SYSTEM.0", "n1:1 n2:1");
    expect_held(s, "f.0", "");
    sc_node(s, &(struct node_desc){.name = "n3", .cfg = {{1, 1024, 1024, 1024}}});
    sc_cycle(s);
    expect_held(s, "x", "n1:1 n2:1 n3:1");
    expect_held(s, "SYSTEM.0", "n1:1 n2:1 n3:1");
    expect_held(s, "f.0", "");
    sc_destroy(s);
}

static void a_listed_host_that_grows_gives_more_tasks(void **state)
{
    (void)state;
    struct scenario *s = begin(SR "HOSTLIST=n1 RESOURCES=PROCS:1 USERLIST=john", 2, 2);

    expect_held(s, "x", "n1:2");
    sc_node(s, &(struct node_desc){.name = "n1", .cfg = {{4, 1024, 1024, 1024}}});
    sc_cycle(s);
    expect_held(s, "x", "n1:4");
    sc_destroy(s);
}

static void tasks_of_a_node_that_went_down_move(void **state)
{
    (void)state;
    struct scenario *s = begin("", 4, 1);
    struct sc_rsv two = {.base = "two", .tasks = 2};

    scene_setres(s, &two);
    expect_held(s, "two.0", "n1:1 n2:1");
    sc_node_state(s, "n1", NODE_DOWN);
    sc_cycle(s);
    expect_held(s, "two.0", "n2:1 n3:1");
    sc_destroy(s);
}

/* ---- flags ---- */

static void spaceflex_moves_to_nodes_the_policy_prefers(void **state)
{
    (void)state;
    for (int flex = 0; flex < 2; flex++) {
        struct scenario *s = begin("", 4, 1);
        struct sc_rsv r = {.base = "r", .tasks = 2, .flags = flex ? RSV_SPACEFLEX : 0};

        sc_job(s, (struct sc_job){.id = "J", .procs = 2, .limit_s = 100});
        sc_at(s, 0);
        scene_setres(s, &r);
        expect_held(s, "r.0", "n3:1 n4:1");
        sc_run_until(s, 100);
        expect_held(s, "r.0", flex ? "n1:1 n2:1" : "n3:1 n4:1");
        sc_destroy(s);
    }
}

static void timeflex_moves_to_an_earlier_start(void **state)
{
    (void)state;
    for (int flex = 0; flex < 2; flex++) {
        struct scenario *s = begin("", 4, 1);
        struct sc_rsv r = {.base = "r",
            .tasks = 4,
            .start_at = 500,
            .end_at = 600,
            .flags = flex ? RSV_TIMEFLEX : 0};

        sc_job(s, (struct sc_job){.id = "J", .procs = 2, .limit_s = 400, .run_s = 100});
        sc_at(s, 0);
        scene_setres(s, &r);
        sc_cycle(s);
        assert_int_equal(sc_rsv(s, "r.0")->start_at, flex ? 400 : 500);
        sc_run_until(s, 100);
        assert_int_equal(sc_rsv(s, "r.0")->start_at, flex ? 100 : 500);
        assert_int_equal(sc_rsv(s, "r.0")->end_at, flex ? 200 : 600);
        assert_int_equal(sc_rsv(s, "r.0")->state, flex ? RSV_ACTIVE : RSV_PLANNED);
        sc_run_until(s, 250); /* an active one stays where it is */
        assert_int_equal(sc_rsv(s, "r.0") == NULL, flex);
        sc_destroy(s);
    }
}

static void a_preemptee_gives_way_to_a_higher_priority(void **state)
{
    (void)state;
    static const struct {
        const char *low, *high, *low_held, *high_held;
    } rows[] = {
        {"TASKCOUNT=3 FLAGS=PREEMPTEE", "PRIORITY=10", "n3:1", "n1:1 n2:1 n4:1"},
        {"TASKCOUNT=3", "PRIORITY=10", "n1:1 n2:1 n3:1", "n4:1"},
        {"TASKCOUNT=3 FLAGS=PREEMPTEE PRIORITY=10", "PRIORITY=10", "n1:1 n2:1 n3:1",
            "n4:1"},
        {"HOSTLIST=n1,n2 FLAGS=PREEMPTEE", "PRIORITY=10", "none", "n1:1 n3:1 n4:1"}};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char lines[300];
        int low = snprintf(lines, sizeof lines,
            "SRCFG[low] PERIOD=INFINITY USERLIST=john %s\n", rows[i].low);
        struct scenario *s = begin(lines, 4, 1);

        sc_cycle(s);
        snprintf(lines + low, sizeof lines - (size_t)low,
            "SRCFG[high] PERIOD=INFINITY USERLIST=amy TASKCOUNT=3 %s", rows[i].high);
        configure(s, lines); /* the one that is there first */
        expect_held(s, "high", rows[i].high_held);
        expect_held(s, "low", rows[i].low_held);
        sc_destroy(s);
    }
}

static void of_those_that_begin_together_the_higher_priority_goes_first(void **state)
{
    (void)state;
    struct scenario *s =
        begin("SRCFG[low] PERIOD=INFINITY USERLIST=john TASKCOUNT=3 PRIORITY=1\n"
              "SRCFG[high] PERIOD=INFINITY USERLIST=amy TASKCOUNT=3 PRIORITY=2\n"
              "SRCFG[equal] PERIOD=INFINITY USERLIST=eve TASKCOUNT=3 PRIORITY=1",
            6, 1);

    expect_held(s, "high", "n1:1 n2:1 n3:1");
    expect_held(s, "low", "n4:1 n5:1 n6:1");
    expect_held(s, "equal", "");
    sc_destroy(s);
}

static void best_effort_takes_what_there_is_and_grows(void **state)
{
    (void)state;
    struct scenario *s = begin("", 4, 1);
    struct sc_rsv r = {.base = "r", .tasks = 4};
    struct err err = {0};

    sc_job(s, (struct sc_job){.id = "J", .procs = 2, .limit_s = 100});
    sc_at(s, 0);
    assert_int_equal(sc_setres(s, &r, &err), -1);
    r.flags = RSV_BESTEFFORT;
    scene_setres(s, &r);
    expect_held(s, "r.0", "n3:1 n4:1");
    sc_run_until(s, 100);
    expect_held(s, "r.0", "n1:1 n2:1 n3:1 n4:1");
    sc_destroy(s);
}

static void a_dedicated_node_belongs_to_the_reservation_alone(void **state)
{
    (void)state;
    for (int dedicated = 0; dedicated < 2; dedicated++) {
        struct scenario *s = begin("", 3, 4);
        struct sc_rsv r = {.base = "r",
            .tasks = 2,
            .resources = "PROCS=1",
            .lists = {[ACL_USER] = "john"},
            .flags = dedicated ? RSV_DEDICATEDNODE : 0};

        sc_job(s, (struct sc_job){.id = "J", .procs = 1, .limit_s = 100});
        sc_at(s, 0);
        scene_setres(s, &r);
        expect_held(s, "r.0", dedicated ? "n2:2" : "n1:2");
        /* left to eve: 3 of n1 and all of n3, or 1 of n1 and all of n2 and n3 */
        sc_job(s, (struct sc_job){.id = "E", .user = "eve", .procs = 8, .limit_s = 50});
        sc_at(s, 1);
        assert_int_equal(sc_start(s, "E"), dedicated ? NEVER : 0);
        sc_destroy(s);
    }
}

static void dedicated_resources_are_not_shared(void **state)
{
    (void)state;
    struct scenario *s =
        begin("SRCFG[a] PERIOD=INFINITY USERLIST=u1 TASKCOUNT=2\n"
              "SRCFG[b] PERIOD=INFINITY USERLIST=u2 TASKCOUNT=2 ACCESS=SHARED\n"
              "SRCFG[c] PERIOD=INFINITY USERLIST=u3 TASKCOUNT=2 ACCESS=SHARED "
              "FLAGS=DEDICATEDRESOURCE\n",
            4, 1);

    expect_held(s, "a", "n1:1 n2:1");
    expect_held(s, "b", "n1:1 n2:1");
    expect_held(s, "c", "n3:1 n4:1");
    sc_destroy(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_instance_takes_over_other_lists_and_attributes),
        cmocka_unit_test(another_place_makes_the_instance_anew),
        cmocka_unit_test(a_section_that_is_gone_takes_its_instances_along),
        cmocka_unit_test(another_window_is_another_instance),
        cmocka_unit_test(triggers_taken_over_do_not_fire_twice),
        cmocka_unit_test(a_list_grows_when_its_hosts_appear),
        cmocka_unit_test(a_listed_host_that_grows_gives_more_tasks),
        cmocka_unit_test(tasks_of_a_node_that_went_down_move),
        cmocka_unit_test(spaceflex_moves_to_nodes_the_policy_prefers),
        cmocka_unit_test(timeflex_moves_to_an_earlier_start),
        cmocka_unit_test(a_preemptee_gives_way_to_a_higher_priority),
        cmocka_unit_test(of_those_that_begin_together_the_higher_priority_goes_first),
        cmocka_unit_test(best_effort_takes_what_there_is_and_grows),
        cmocka_unit_test(a_dedicated_node_belongs_to_the_reservation_alone),
        cmocka_unit_test(dedicated_resources_are_not_shared),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
