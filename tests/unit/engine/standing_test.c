/* SPDX-License-Identifier: Apache-2.0
 * Standing reservations over time: which nodes they get (R16 to R26 of the
 * reservations reference) and which periods (R27 to R31). */
#include "config/settings.h"
#include "rsv_scene.h"

static const struct sc_job john = {.id = "john", .user = "john", .limit_s = 100};
static const struct sc_job eve = {.id = "eve", .user = "eve", .limit_s = 100};

static struct sc_job with(struct sc_job j, const char *id, uint32_t procs, int64_t at)
{
    j.id = id;
    j.procs = procs;
    j.submit_at = at;
    return j;
}

static void expect_held(struct scenario *s, const char *name, const char *nodes)
{
    if (strcmp(sc_held(s, name), nodes) != 0)
        fail_msg("%s holds %s, expected %s", name, sc_held(s, name), nodes);
}

static struct scenario *open_with(
    const char *lines, uint32_t nodes, int64_t procs, bool by_node)
{
    struct scene x = {.lines = lines, .nodes = nodes, .procs = procs};

    return scene_open(&x, by_node);
}

/* ---- which nodes ---- */

static void a_list_takes_its_hosts_whatever_goes_on_there_r16(void **state)
{
    (void)state;
    const char *hosts[] = {"n2", NULL};
    struct req_desc on_n2 = {.tasks = 4, .hosts = hosts};

    for (int by_node = 0; by_node < 2; by_node++) {
        struct scenario *s = open_with("", 4, 4, by_node);
        struct sc_job before = with(eve, "eve", 4, 0),
                      inside = with(john, "john", 4, 0);

        before.req = &on_n2;
        inside.limit_s = 400;
        sc_node_state(s, "n3", NODE_DOWN);
        sc_node_state(s, "n4", NODE_DOWN);
        sc_job(s, before);
        sc_at(s, 0);
        assert_int_equal(sc_start(s, "eve"), 0);
        sc_configure(s, "SRCFG[x] HOSTLIST=n1,n2,n3 PERIOD=INFINITY USERLIST=john");
        sc_job(s, inside);
        sc_at(s, 0);
        expect_held(s, "x", "n1:1 n2:1 n3:1");
        assert_int_equal(sc_start(s, "john"), 0);
        assert_string_equal(sc_where(s, "john"), "n1:4");
        sc_job(s, with(eve, "eve2", 4, 20));
        sc_job(s, with(john, "john2", 4, 20));
        sc_run_until(s, 400);
        assert_int_equal(sc_start(s, "eve2"), NEVER);
        assert_int_equal(sc_start(s, "john2"), 100);
        assert_string_equal(sc_where(s, "john2"), "n2:4");
        sc_destroy(s);
    }
}

/* A standing reservation made at the first cycle on nodes like these. */
struct placing {
    const char *attributes;
    const char *held;
    struct {
        int64_t procs, mem;
    } nodes[4];
};

static void place(const struct placing *x)
{
    char lines[300];

    snprintf(lines, sizeof lines, "SRCFG[x] PERIOD=INFINITY USERLIST=john %s",
        x->attributes);
    struct scenario *s = sc_create_with(lines);
    for (int i = 0; i < 4 && x->nodes[i].procs; i++) {
        char name[8];
        struct node_desc d = {.name = name,
            .state = NODE_IDLE,
            .cfg = {{x->nodes[i].procs, x->nodes[i].mem, 1000, 1000}}};

        snprintf(name, sizeof name, "n%d", i + 1);
        sc_node(s, &d);
    }
    sc_at(s, 0);
    expect_held(s, "x", x->held);
    sc_at(s, 1000);
    expect_held(s, "x", x->held);
    sc_destroy(s);
}

#define Q_NODES                                                                        \
    {                                                                                  \
        {4, 4096}, {4, 4096}, {4, 4096},                                               \
        {                                                                              \
            4, 4096                                                                    \
        }                                                                              \
    }

static void tasks_go_where_they_fit_r17_to_r20(void **state)
{
    (void)state;
    static const struct placing rows[] = {
        {"HOSTLIST=n1,n2 RESOURCES=PROCS:2", "n1:2 n2:2", Q_NODES},
        {"HOSTLIST=n1,n2,n3 RESOURCES=PROCS:2;MEM:512 TASKCOUNT=2", "n1:1 n2:1",
            {{2, 1024}, {2, 1024}, {2, 1024}}},
        {"HOSTLIST=n1,n2,n3 RESOURCES=PROCS:2;MEM:512 TASKCOUNT=2", "n1:2",
            {{4, 1024}, {4, 1024}, {4, 1024}}},
        {"HOSTLIST=n1,n2,n3,n4 RESOURCES=PROCS:2,MEM:256 TASKCOUNT=6", "n1:2 n2:2 n3:2",
            Q_NODES},
        {"HOSTLIST=n1,n2,n3,n4 RESOURCES=PROCS:2,MEM:256 TASKCOUNT=4", "n1:4",
            {{8, 1024}, {8, 1024}, {4, 4096}, {4, 4096}}},
        {"HOSTLIST=n1,n2 RESOURCES=PROCS:4 TASKCOUNT=3", "n1:1 n2:1 n3:1", Q_NODES}};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        place(&rows[i]);
}

static void a_host_expression_of_setres_takes_one_task_each_r17(void **state)
{
    (void)state;
    struct scene x = {
        .procs = 4, .rsv = {{.hosts = "^n[12]$", .resources = "PROCS=2"}}};
    struct scenario *s = scene_open(&x, false);

    expect_held(s, "SYSTEM.0", "n1:1 n2:1");
    sc_destroy(s);
}

static void tasks_are_atomic_r24(void **state)
{
    (void)state;
    struct placing four = {"TASKCOUNT=4 RESOURCES=PROCS:1;MEM:1024", "n1:2 n2:1 n3:1",
        {{2, 3072}, {2, 1024}, {2, 2048}}};
    struct placing six = {"TASKCOUNT=6 RESOURCES=PROCS:1;MEM:1024", "n1:2 n2:1 n3:2",
        {{2, 3072}, {2, 1024}, {2, 2048}}};
    place(&four);
    place(&six);
}

static void a_node_gives_a_multiple_of_tpn_r26(void **state)
{
    (void)state;
    struct placing x = {"TPN=4 RESOURCES=PROCS:2;MEM:256 TASKCOUNT=8", "n1:4 n4:4",
        {{8, 1024}, {8, 512}, {4, 2048}, {16, 4096}}};
    place(&x);
}

#define R21(name, rest)                                                                \
    "SRCFG[" name "] PERIOD=INFINITY TASKCOUNT=2 USERLIST=" rest "\n"

/* c gets nothing, and what it asks for as soon as there is some. */
static void dedicated_ones_keep_off_each_other_r21(void **state)
{
    (void)state;
    for (int by_node = 0; by_node < 2; by_node++) {
        struct scenario *s =
            open_with(R21("a", "u1") R21("b", "u2") R21("c", "u1,u3"), 6, 1, by_node);

        sc_node_state(s, "n5", NODE_DOWN);
        sc_node_state(s, "n6", NODE_DOWN);
        sc_at(s, 0);
        expect_held(s, "a", "n1:1 n2:1");
        expect_held(s, "b", "n3:1 n4:1");
        expect_held(s, "c", "");
        sc_node_state(s, "n6", NODE_IDLE);
        sc_at(s, 10);
        expect_held(s, "c", "n6:1");
        sc_node_state(s, "n5", NODE_IDLE);
        sc_at(s, 20);
        expect_held(s, "c", "n5:1 n6:1");
        expect_held(s, "a", "n1:1 n2:1");
        sc_destroy(s);
    }
}

static void shared_ones_stack_r21(void **state)
{
    (void)state;
    struct scene x = {
        .lines = R21("a", "u1") R21("b", "u2") R21("c", "u1,u3 ACCESS=SHARED")};
    struct ask asks[] = {
        {{.id = "j1", .user = "u1", .procs = 1, .limit_s = 100}, 0, "n1:1"},
        {{.id = "j3", .user = "u3", .procs = 1, .limit_s = 100}, NEVER},
        {{.id = "j2", .user = "u2", .procs = 1, .limit_s = 100}, 0, "n3:1"},
        {{.id = NULL}}};
    struct scenario *s = scene_open(&x, false);

    sc_at(s, 0);
    expect_held(s, "a", "n1:1 n2:1");
    expect_held(s, "b", "n3:1 n4:1");
    expect_held(s, "c", "n1:1 n2:1");
    sc_destroy(s);
    scene_apart(&x, asks);
    scene_run(&x, asks);
}

static void floating_ones_pass_over_unusable_nodes_r22(void **state)
{
    (void)state;
    for (int by_node = 0; by_node < 2; by_node++) {
        struct scenario *s = open_with(
            "SRCFG[x] TASKCOUNT=3 PERIOD=INFINITY USERLIST=john", 4, 1, by_node);

        sc_node_state(s, "n2", NODE_DOWN);
        sc_at(s, 0);
        expect_held(s, "x", "n1:1 n3:1 n4:1");
        sc_destroy(s);
    }
}

static void a_part_is_kept_and_completed_r23(void **state)
{
    (void)state;
    const char *n3[] = {"n3", NULL}, *n4[] = {"n4", NULL};
    struct req_desc on_n3 = {.tasks = 1, .hosts = n3},
                    on_n4 = {.tasks = 1, .hosts = n4};

    for (int by_node = 0; by_node < 2; by_node++) {
        struct scenario *s = open_with("", 4, 1, by_node);

        sc_job(s,
            (struct sc_job){
                .id = "a", .user = "eve", .procs = 1, .limit_s = 100, .req = &on_n3});
        sc_job(s,
            (struct sc_job){
                .id = "b", .user = "eve", .procs = 1, .limit_s = 200, .req = &on_n4});
        sc_at(s, 0);
        sc_configure(s, "SRCFG[x] TASKCOUNT=3 PERIOD=INFINITY USERLIST=john");
        sc_at(s, 0);
        expect_held(s, "x", "n1:1 n2:1");
        sc_at(s, 99);
        expect_held(s, "x", "n1:1 n2:1");
        sc_at(s, 100);
        expect_held(s, "x", "n1:1 n2:1 n3:1");
        sc_at(s, 200);
        expect_held(s, "x", "n1:1 n2:1 n3:1");
        sc_destroy(s);
    }
}

static void the_task_definition_does_not_bind_jobs_r25(void **state)
{
    (void)state;
    struct req_desc small = {.tasks = 10, .per_task = {{1, 128}}};
    struct req_desc wide = {.tasks = 2, .per_task = {{4, 1024}}};

    for (int i = 0; i < 3; i++) {
        struct scenario *s = sc_create_with("SRCFG[x] TASKCOUNT=6 PERIOD=INFINITY "
                                            "RESOURCES=PROCS:2;MEM:512 USERLIST=john");
        for (int n = 1; n <= 3; n++) {
            char name[8];
            struct node_desc d = {
                .name = name, .state = NODE_IDLE, .cfg = {{4, 2048, 0, 0}}};
            snprintf(name, sizeof name, "n%d", n);
            sc_node(s, &d);
        }
        sc_job(s, (struct sc_job){.id = "j",
                      .user = i == 2 ? "eve" : "john",
                      .procs = 1,
                      .limit_s = 100,
                      .req = i == 0   ? &small
                             : i == 1 ? &wide
                                      : NULL});
        sc_run_until(s, 5000);
        expect_held(s, "x", "n1:2 n2:2 n3:2");
        assert_int_equal(sc_start(s, "j"), i == 2 ? NEVER : 0);
        assert_string_equal(sc_where(s, "j"), i == 0   ? "n1:4 n2:4 n3:2"
                                              : i == 1 ? "n1:1 n2:1"
                                                       : "");
        sc_destroy(s);
    }
}

/* ---- which periods ---- */

/* A slot and its window; start 0 = there is none. */
struct slot_row {
    uint32_t slot;
    int64_t start, end;
};

static void expect_slots(struct scenario *s, int64_t at, const struct slot_row rows[2])
{
    sc_at(s, at);
    for (uint32_t i = 0; i < 2; i++) {
        const struct reservation *r = sc_standing(s, "x", i);

        if (!r != !rows[i].start)
            fail_msg("at %lld: slot %u is %sthere", (long long)at, i, r ? "" : "not ");
        if (r && (r->start_at != rows[i].start || r->end_at != rows[i].end))
            fail_msg("at %lld: slot %u is [%lld, %lld)", (long long)at, i,
                (long long)r->start_at, (long long)r->end_at);
    }
}

#define R27                                                                            \
    "SRCFG[x] STARTTIME=9:00:00 ENDTIME=17:00:00 DAYS=MON,TUE,WED,THU,FRI DEPTH=2 "    \
    "HOSTLIST=ALL USERLIST=john"

static void days_roll_at_midnight_r27(void **state)
{
    (void)state;
    struct scene x = {.lines = R27, .begin = clock_of(3, 12, 0)};
    struct scenario *s = scene_open(&x, false);
    const struct {
        int64_t at;
        struct slot_row rows[2];
    } steps[] = {{clock_of(3, 12, 0), {{0, clock_of(3, 12, 0), clock_of(3, 17, 0)},
                                          {1, clock_of(4, 9, 0), clock_of(4, 17, 0)}}},
        {clock_of(4, 0, 0), {{0, clock_of(4, 9, 0), clock_of(4, 17, 0)}, {1, 0, 0}}},
        {clock_of(5, 0, 0), {{0, 0, 0}, {1, 0, 0}}},
        {clock_of(6, 0, 0), {{0, 0, 0}, {1, clock_of(7, 9, 0), clock_of(7, 17, 0)}}},
        {clock_of(7, 0, 0), {{0, clock_of(7, 9, 0), clock_of(7, 17, 0)},
                                {1, clock_of(8, 9, 0), clock_of(8, 17, 0)}}}};

    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        expect_slots(s, steps[i].at, steps[i].rows);
    sc_destroy(s);
}

static void a_window_that_is_over_leaves_the_next_day_r27(void **state)
{
    (void)state;
    struct scene x = {.lines = R27, .begin = clock_of(3, 18, 0)};
    struct scenario *s = scene_open(&x, false);
    const struct slot_row rows[2] = {
        {0, 0, 0}, {1, clock_of(4, 9, 0), clock_of(4, 17, 0)}};

    expect_slots(s, clock_of(3, 18, 0), rows);
    sc_destroy(s);
}

static void weeks_roll_on_sunday_r28(void **state)
{
    (void)state;
    struct scene x = {.lines = "SRCFG[x] PERIOD=WEEK STARTTIME=1:08:00:00 "
                               "ENDTIME=5:17:00:00 DEPTH=2 HOSTLIST=ALL USERLIST=john",
        .begin = clock_of(2, 12, 0)};
    struct scenario *s = scene_open(&x, false);
    const struct slot_row first[2] = {{0, clock_of(2, 12, 0), clock_of(4, 17, 0)},
        {1, clock_of(7, 8, 0), clock_of(11, 17, 0)}};
    const struct slot_row saturday[2] = {
        {0, 0, 0}, {1, clock_of(7, 8, 0), clock_of(11, 17, 0)}};
    const struct slot_row second[2] = {{0, clock_of(7, 8, 0), clock_of(11, 17, 0)},
        {1, clock_of(14, 8, 0), clock_of(18, 17, 0)}};

    expect_slots(s, clock_of(2, 12, 0), first);
    expect_slots(s, clock_of(5, 23, 0), saturday);
    expect_slots(s, clock_of(6, 0, 0), second);
    sc_destroy(s);
}

static void infinity_is_one_instance_for_good_r29(void **state)
{
    (void)state;
    struct scene x = {.lines = "SRCFG[x] PERIOD=INFINITY HOSTLIST=ALL USERLIST=john",
        .begin = clock_of(2, 12, 0)};
    struct scenario *s = scene_open(&x, false);
    const struct slot_row rows[2] = {{0, clock_of(2, 12, 0), TIME_NEVER}, {1, 0, 0}};

    /* as text the two are warned of */
    sc_settings(s)->standing.v[0].depth = 7;
    sc_settings(s)->standing.v[0].days = 1u << 1;
    expect_slots(s, clock_of(2, 12, 0), rows);
    expect_slots(s, clock_of(30, 0, 0), rows);
    assert_int_equal(engine_cluster(sc_engine(s))->rsv_serial, 1);
    sc_destroy(s);
}

static void a_job_runs_across_the_seam_r30(void **state)
{
    (void)state;
    struct scene x = {.lines =
                          "SRCFG[A] STARTTIME=20:00:00 ENDTIME=24:00:00 HOSTLIST=n1 "
                          "USERLIST=john DEPTH=2\n"
                          "SRCFG[B] STARTTIME=0:00:00 ENDTIME=6:00:00 HOSTLIST=n1 "
                          "USERLIST=john DEPTH=2\n",
        .nodes = 1,
        .begin = clock_of(0, 23, 0)};
    struct ask asks[] = {
        {{.id = "john", .user = "john", .procs = 1, .limit_s = 3 * HOUR_S},
            clock_of(0, 23, 0)},
        {{.id = "eve", .user = "eve", .procs = 1, .limit_s = 1800}, clock_of(1, 6, 0)},
        {{.id = NULL}}};
    scene_apart(&x, asks);
}

#define R31(depth)                                                                     \
    "SRCFG[x] TASKCOUNT=4 STARTTIME=0:00:00 ENDTIME=24:00:00 USERLIST=john "           \
    "DEPTH=" depth

static struct scenario *open_r31(const char *lines, bool by_node)
{
    struct scene x = {.lines = lines, .begin = MONDAY};
    struct scenario *s = scene_open(&x, by_node);

    sc_job(s, (struct sc_job){.id = "eve",
                  .user = "eve",
                  .procs = 4,
                  .limit_s = DAY_S,
                  .submit_at = clock_of(0, 1, 0)});
    sc_at(s, clock_of(0, 1, 0));
    expect_held(s, "x", "n1:1 n2:1 n3:1 n4:1");
    return s;
}

static void a_small_depth_loses_far_days_to_jobs_r31(void **state)
{
    (void)state;
    for (int by_node = 0; by_node < 2; by_node++) {
        struct scenario *s = open_r31(R31("2"), by_node);

        assert_int_equal(sc_standing(s, "x", 1)->held_tasks, 4);
        assert_int_equal(sc_reserved(s, "eve"), clock_of(2, 0, 0));
        sc_at(s, clock_of(1, 0, 0));
        assert_int_equal(sc_standing(s, "x", 1)->held_tasks, 0);
        sc_run_until(s, clock_of(4, 1, 0));
        assert_int_equal(sc_start(s, "eve"), clock_of(2, 0, 0));
        assert_int_equal(sc_standing(s, "x", 0)->held_tasks, 4);
        sc_destroy(s);
    }
}

static void a_large_depth_keeps_the_days_r31(void **state)
{
    (void)state;
    for (int by_node = 0; by_node < 2; by_node++) {
        struct scenario *s = open_r31(R31("4"), by_node);

        assert_int_equal(sc_reserved(s, "eve"), clock_of(4, 0, 0));
        sc_destroy(s);
    }
}

/* ---- released ones (section 6.2) ---- */

static void a_released_floating_instance_comes_back_at_once(void **state)
{
    (void)state;
    struct scenario *s =
        open_with("SRCFG[x] TASKCOUNT=2 PERIOD=INFINITY USERLIST=john", 4, 1, false);

    sc_at(s, 0);
    assert_int_equal(sc_releaseres(s, "x.0.0", &(struct err){0}), 0);
    expect_held(s, "x", "none");
    sc_at(s, 10);
    expect_held(s, "x.0.0", "n1:1 n2:1");
    sc_destroy(s);
}

static void a_released_fixed_instance_comes_back_with_the_next_roll(void **state)
{
    (void)state;
    struct scene x = {.lines = "SRCFG[x] HOSTLIST=n1 USERLIST=john", .begin = MONDAY};
    struct scenario *s = scene_open(&x, false);

    sc_at(s, MONDAY);
    assert_int_equal(sc_releaseres(s, "x.0.0", &(struct err){0}), 0);
    assert_int_equal(sc_releaseres(s, "x.1.0", &(struct err){0}), 0);
    sc_at(s, clock_of(0, 12, 0));
    assert_null(sc_standing(s, "x", 0));
    assert_null(sc_standing(s, "x", 1));
    sc_at(s, clock_of(1, 0, 0));
    expect_held(s, "x", "n1:1");
    assert_non_null(sc_standing(s, "x", 1));
    sc_destroy(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_list_takes_its_hosts_whatever_goes_on_there_r16),
        cmocka_unit_test(tasks_go_where_they_fit_r17_to_r20),
        cmocka_unit_test(a_host_expression_of_setres_takes_one_task_each_r17),
        cmocka_unit_test(dedicated_ones_keep_off_each_other_r21),
        cmocka_unit_test(shared_ones_stack_r21),
        cmocka_unit_test(floating_ones_pass_over_unusable_nodes_r22),
        cmocka_unit_test(a_part_is_kept_and_completed_r23),
        cmocka_unit_test(tasks_are_atomic_r24),
        cmocka_unit_test(the_task_definition_does_not_bind_jobs_r25),
        cmocka_unit_test(a_node_gives_a_multiple_of_tpn_r26),
        cmocka_unit_test(days_roll_at_midnight_r27),
        cmocka_unit_test(a_window_that_is_over_leaves_the_next_day_r27),
        cmocka_unit_test(weeks_roll_on_sunday_r28),
        cmocka_unit_test(infinity_is_one_instance_for_good_r29),
        cmocka_unit_test(a_job_runs_across_the_seam_r30),
        cmocka_unit_test(a_small_depth_loses_far_days_to_jobs_r31),
        cmocka_unit_test(a_large_depth_keeps_the_days_r31),
        cmocka_unit_test(a_released_floating_instance_comes_back_at_once),
        cmocka_unit_test(a_released_fixed_instance_comes_back_with_the_next_roll),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
