/* SPDX-License-Identifier: Apache-2.0
 * Which nodes reservations get. R.. = examples of the reference; jobs stand as plain
 * uses of nodes here. */
#include "plan/rsvnodes.h"
#include "rsv_kit.h"

/* ---- what is free ---- */

/* What a job uses of a node. */
struct job_use {
    const char *node;
    int64_t start_at, end_at, procs;
};

struct uses {
    const struct cluster *c;
    const struct job_use *jobs; /* node NULL ends */
};

static uint32_t free_tasks(
    void *ctx, const struct reservation *r, uint32_t node, int64_t start, int64_t end)
{
    const struct uses *u = ctx;
    struct rsvnodes_uses uses = {0};
    uint32_t tasks;

    rsvnodes_add_reservations(u->c, r, node, start, end, &uses);
    for (const struct job_use *j = u->jobs; j && j->node; j++)
        if (node_find(u->c, j->node)->index == node)
            vec_push(
                &uses, ((struct rsvnodes_use){j->start_at, j->end_at, {{j->procs}}}));
    tasks = rsvnodes_tasks_beside(u->c, r, node_at(u->c, node), start, end, &uses);
    vec_fini(&uses);
    return tasks;
}

static const char *place(
    struct rk *k, struct reservation *r, const struct job_use *jobs)
{
    struct uses u = {k->c, jobs};
    struct rsvnodes_free f = {free_tasks, &u};
    struct allocs alloc = {0};
    uint32_t tasks = rsvnodes_choose(k->c, r, &f, &alloc);

    reservation_set_nodes(k->c, r, &alloc);
    assert_int_equal(tasks, r->held_tasks);
    return rk_held(k, r);
}

/* A cluster with a standing reservation "x". */
static void open_x(struct rk *k, const char *attributes)
{
    char line[400];

    snprintf(line, sizeof line, "SRCFG[x] PERIOD=INFINITY %s\n", attributes);
    *k = rk_open(line);
}

static struct reservation *place_x(struct rk *k)
{
    struct reservation *r = rk_standing(k, "x", NULL, 0);

    place(k, r, NULL);
    return r;
}

static void set_state(struct rk *k, const char *name, enum node_state s)
{
    node_set_state(k->c, node_find(k->c, name), s, 0);
}

/* ---- host lists ---- */

static void a_list_alone_takes_every_host_in_any_state_r16(void **state)
{
    static const struct job_use eve[] = {{"n2", 0, 100, 4}, {NULL}};
    struct rk k;
    struct reservation *r;

    (void)state;
    open_x(&k, "HOSTLIST=n1,n2,n3 USERLIST=john");
    rk_nodes(&k, 4, 4, 4096);
    set_state(&k, "n3", NODE_DOWN);
    r = rk_standing(&k, "x", NULL, 0);
    assert_string_equal(place(&k, r, eve), "n1:1 n2:1 n3:1");
    assert_true(rsvnodes_is_fixed(r));
    assert_false(rsvnodes_incomplete(k.c, r));
    assert_int_equal(reservation_amount(r, node_at(k.c, 0), 1).v[RES_PROCS], 4);
    rk_close(&k);
}

static void a_list_alone_packs_what_is_configured_r17(void **state)
{
    struct rk k;
    struct reservation *r;

    (void)state;
    open_x(&k, "HOSTLIST=n1,n2 RESOURCES=PROCS:2");
    rk_nodes(&k, 4, 4, 4096);
    r = place_x(&k);
    assert_string_equal(rk_held(&k, r), "n1:2 n2:2");
    r->one_per_host = true; /* setres */
    assert_string_equal(place(&k, r, NULL), "n1:1 n2:1");
    rk_close(&k);
}

static void nothing_asked_is_nothing_reserved_5_1(void **state)
{
    struct rk k = rk_open("");
    struct reservation *r = rk_setres(&k, "r", ACL_USER, "a", 0, 100);

    (void)state;
    rk_nodes(&k, 2, 1, 0);
    assert_string_equal(place(&k, r, NULL), "");
    assert_false(rsvnodes_acceptable(r, 0));
    rk_close(&k);
}

static void a_task_count_below_the_list_stays_inside_r18(void **state)
{
    static const int64_t procs[] = {2, 4};
    static const char *const want[] = {"n1:1 n2:1", "n1:2"};

    (void)state;
    for (int i = 0; i < 2; i++) {
        struct rk k;

        open_x(&k, "HOSTLIST=n1,n2,n3 RESOURCES=PROCS:2;MEM:512 TASKCOUNT=2");
        rk_nodes(&k, 3, procs[i], 1024);
        assert_string_equal(rk_held(&k, place_x(&k)), want[i]);
        rk_close(&k);
    }
}

static void six_tasks_on_four_hosts_r19(void **state)
{
    struct rk k;

    (void)state;
    open_x(&k, "HOSTLIST=n1,n2,n3,n4 RESOURCES=PROCS:2,MEM:256 TASKCOUNT=6");
    rk_nodes(&k, 4, 4, 4096);
    assert_string_equal(rk_held(&k, place_x(&k)), "n1:2 n2:2 n3:2");
    rk_close(&k);

    open_x(&k, "HOSTLIST=n1,n2,n3,n4 RESOURCES=PROCS:2,MEM:256 TASKCOUNT=4");
    rk_nodes(&k, 2, 8, 1024);
    rk_node(&k, (struct node_desc){.name = "n3", .cfg = {{4, 4096}}});
    rk_node(&k, (struct node_desc){.name = "n4", .cfg = {{4, 4096}}});
    assert_string_equal(rk_held(&k, place_x(&k)), "n1:4");
    rk_close(&k);
}

static void a_short_list_is_filled_up_from_outside_r20(void **state)
{
    struct rk k;

    (void)state;
    open_x(&k, "HOSTLIST=n1,n2 RESOURCES=PROCS:4 TASKCOUNT=3");
    rk_nodes(&k, 4, 4, 4096);
    assert_string_equal(rk_held(&k, place_x(&k)), "n1:1 n2:1 n3:1");
    rk_close(&k);
}

static void a_list_that_is_busy_but_large_enough_is_not_left(void **state)
{
    static const struct job_use busy[] = {{"n1", 0, 100, 4}, {NULL}};
    struct rk k;
    struct reservation *r;

    (void)state;
    open_x(&k, "HOSTLIST=n1,n2 TASKCOUNT=2");
    rk_nodes(&k, 4, 4, 0);
    r = rk_standing(&k, "x", NULL, 0);
    assert_string_equal(place(&k, r, busy), "n2:1");
    assert_true(rsvnodes_incomplete(k.c, r));
    assert_string_equal(place(&k, r, NULL), "n1:1 n2:1");
    rk_close(&k);
}

/* ---- floating ---- */

static void dedicated_reservations_keep_off_each_other_r21(void **state)
{
    struct rk k = rk_open("SRCFG[a] PERIOD=INFINITY TASKCOUNT=2 USERLIST=u1\n"
                          "SRCFG[b] PERIOD=INFINITY TASKCOUNT=2 USERLIST=u2\n"
                          "SRCFG[c] PERIOD=INFINITY TASKCOUNT=2 USERLIST=u1,u3\n");
    struct reservation *a = rk_standing(&k, "a", NULL, 0);
    struct reservation *b = rk_standing(&k, "b", NULL, 0);
    struct reservation *c = rk_standing(&k, "c", NULL, 0);

    (void)state;
    rk_nodes(&k, 4, 1, 1024);
    assert_string_equal(place(&k, a, NULL), "n1:1 n2:1");
    assert_string_equal(place(&k, b, NULL), "n3:1 n4:1");
    assert_string_equal(place(&k, c, NULL), "");
    assert_true(rsvnodes_incomplete(k.c, c));
    assert_true(rsvnodes_acceptable(c, 0));
    c->shared = true;
    assert_string_equal(place(&k, c, NULL), "n1:1 n2:1");
    rk_close(&k);
}

static void unusable_nodes_are_passed_over_r22(void **state)
{
    static const enum node_state states[] = {
        NODE_DOWN, NODE_DRAINING, NODE_DRAINED, NODE_UNKNOWN, NODE_FLUSH};
    static const enum node_state usable[] = {NODE_IDLE, NODE_RUNNING, NODE_BUSY};

    (void)state;
    for (size_t i = 0; i < sizeof states / sizeof *states; i++) {
        struct rk k;

        open_x(&k, "TASKCOUNT=3");
        rk_nodes(&k, 4, 1, 1024);
        set_state(&k, "n2", states[i]);
        assert_string_equal(rk_held(&k, place_x(&k)), "n1:1 n3:1 n4:1");
        rk_close(&k);
    }
    for (size_t i = 0; i < sizeof usable / sizeof *usable; i++) {
        struct rk k;

        open_x(&k, "TASKCOUNT=2");
        rk_nodes(&k, 4, 1, 1024);
        set_state(&k, "n2", usable[i]);
        assert_string_equal(rk_held(&k, place_x(&k)), "n1:1 n2:1");
        rk_close(&k);
    }
}

static void a_partial_reservation_is_completed_r23(void **state)
{
    static const struct job_use at0[] = {{"n3", 0, 100, 1}, {"n4", 0, 200, 1}, {NULL}};
    static const struct job_use at100[] = {{"n4", 0, 200, 1}, {NULL}};
    struct rk k;
    struct reservation *r;

    (void)state;
    open_x(&k, "TASKCOUNT=3 USERLIST=john");
    rk_nodes(&k, 4, 1, 1024);
    r = rk_standing(&k, "x", NULL, 0);
    assert_string_equal(place(&k, r, at0), "n1:1 n2:1");
    assert_true(rsvnodes_incomplete(k.c, r));
    assert_string_equal(place(&k, r, at100), "n1:1 n2:1 n3:1");
    assert_false(rsvnodes_incomplete(k.c, r));
    rk_close(&k);
}

static void tasks_are_not_split_over_nodes_r24(void **state)
{
    static const char *const counts[] = {"4", "6"};
    static const char *const want[] = {"X:2 Y:1 Z:1", "X:2 Y:1 Z:2"};

    (void)state;
    for (int i = 0; i < 2; i++) {
        char attributes[100];
        struct rk k;

        snprintf(attributes, sizeof attributes,
            "TASKCOUNT=%s RESOURCES=PROCS:1;MEM:1024", counts[i]);
        open_x(&k, attributes);
        rk_node(&k, (struct node_desc){.name = "X", .cfg = {{2, 3072}}});
        rk_node(&k, (struct node_desc){.name = "Y", .cfg = {{2, 1024}}});
        rk_node(&k, (struct node_desc){.name = "Z", .cfg = {{2, 2048}}});
        assert_string_equal(rk_held(&k, place_x(&k)), want[i]);
        rk_close(&k);
    }
}

static void the_task_definition_decides_what_is_collected_r25(void **state)
{
    struct rk k;
    struct reservation *r;

    (void)state;
    open_x(&k, "TASKCOUNT=6 RESOURCES=PROCS:2;MEM:512");
    rk_nodes(&k, 3, 4, 2048);
    r = place_x(&k);
    assert_string_equal(rk_held(&k, r), "n1:2 n2:2 n3:2");
    assert_int_equal(reservation_amount(r, node_at(k.c, 1), 2).v[RES_PROCS], 4);
    assert_int_equal(reservation_amount(r, node_at(k.c, 1), 2).v[RES_MEM], 1024);
    rk_close(&k);
}

static void tasks_per_node_are_a_multiple_r26(void **state)
{
    struct rk k;
    struct reservation *r;

    (void)state;
    open_x(&k, "TPN=4 RESOURCES=PROCS:2;MEM:256 TASKCOUNT=8");
    rk_node(&k, (struct node_desc){.name = "n1", .cfg = {{8, 1024}}});
    rk_node(&k, (struct node_desc){.name = "n2", .cfg = {{8, 512}}});
    rk_node(&k, (struct node_desc){.name = "n3", .cfg = {{4, 2048}}});
    rk_node(&k, (struct node_desc){.name = "n4", .cfg = {{16, 4096}}});
    r = place_x(&k);
    assert_string_equal(rk_held(&k, r), "n1:4 n4:4");
    r->tasks = 11; /* three more make no multiple */
    assert_false(rsvnodes_incomplete(k.c, r));
    r->tasks = 12;
    assert_true(rsvnodes_incomplete(k.c, r));
    assert_string_equal(place(&k, r, NULL), "n1:4 n4:8");
    rk_close(&k);
}

static void every_feature_is_needed(void **state)
{
    const char *both[] = {"fast", "big", NULL}, *one[] = {"fast", NULL};
    struct rk k = rk_open("SRCFG[x] PERIOD=INFINITY TASKCOUNT=2 NODEFEATURES=big,fast\n"
                          "SRCFG[y] PERIOD=INFINITY HOSTLIST=ALL NODEFEATURES=big\n");

    (void)state;
    rk_node(&k, (struct node_desc){.name = "n1", .cfg = {{1}}, .features = one});
    rk_node(&k, (struct node_desc){.name = "n2", .cfg = {{1}}, .features = both});
    rk_node(&k, (struct node_desc){.name = "n3", .cfg = {{1}}});
    assert_string_equal(rk_held(&k, place_x(&k)), "n2:1");
    assert_string_equal(place(&k, rk_standing(&k, "y", NULL, 0), NULL), "n2:1");
    rk_close(&k);
}

/* n1 ib, n2 and n3 opa, n4 neither; "x" wants two tasks. */
static struct reservation *on_fabrics(struct rk *k, int tasks)
{
    static const char *const ib[] = {"ib", NULL}, *const opa[] = {"opa", NULL};
    char attributes[100];

    snprintf(attributes, sizeof attributes, "TASKCOUNT=%d RESOURCES=PROCS:1", tasks);
    open_x(k, attributes);
    rk_node(k, (struct node_desc){.name = "n1", .cfg = {{1}}, .features = ib});
    rk_node(k, (struct node_desc){.name = "n2", .cfg = {{1}}, .features = opa});
    rk_node(k, (struct node_desc){.name = "n3", .cfg = {{1}}, .features = opa});
    rk_node(k, (struct node_desc){.name = "n4", .cfg = {{1}}});
    return rk_standing(k, "x", NULL, 0);
}

static void one_of_several_features_may_do(void **state)
{
    struct rk k;
    struct reservation *r = on_fabrics(&k, 3);

    (void)state;
    vec_push(&r->def.features, names_intern(k.c->features, "ib"));
    vec_push(&r->def.features, names_intern(k.c->features, "opa"));
    assert_string_equal(place(&k, r, NULL), "");
    r->any_feature = true;
    assert_string_equal(place(&k, r, NULL), "n1:1 n2:1 n3:1");
    rk_close(&k);
}

static struct nodeset_spec *set_of(
    enum nodeset_policy policy, const char *a, const char *b)
{
    struct nodeset_spec *spec = xcalloc(1, sizeof *spec);

    spec->policy = policy;
    spec->attr = NODESET_FEATURE;
    text_list_add(&spec->list, a);
    text_list_add(&spec->list, b);
    return spec;
}

static void tasks_are_in_one_node_set_that_has_room_for_all(void **state)
{
    static const struct job_use busy[] = {{"n3", 0, 100, 1}, {NULL}};
    struct rk k;
    struct reservation *r = on_fabrics(&k, 2);

    (void)state;
    r->def.nodeset = set_of(NODESET_FIRSTOF, "ib", "opa");
    assert_string_equal(place(&k, r, NULL), "n2:1 n3:1");
    rk_close(&k);
    r = on_fabrics(&k, 2);
    r->def.nodeset = set_of(NODESET_ONEOF, "ib", "opa");
    r->end_at = 50;
    assert_string_equal(place(&k, r, busy), "");
    rk_close(&k);
    r = on_fabrics(&k, 3);
    r->def.nodeset = set_of(NODESET_ANYOF, "ib", "opa");
    assert_string_equal(place(&k, r, NULL), "n1:1 n2:1 n3:1");
    rk_close(&k);
}

static void what_is_completed_stays_in_its_node_set(void **state)
{
    struct rk k;
    struct reservation *r = on_fabrics(&k, 2);

    (void)state;
    r->def.nodeset = set_of(NODESET_ONEOF, "ib", "opa");
    r->tasks = 1;
    place(&k, r, NULL);
    bool on_ib = reservation_tasks_on(k.c, r, 0) > 0;
    r->tasks = 2;
    assert_string_equal(place(&k, r, NULL), on_ib ? "n1:1" : "n2:1 n3:1");
    rk_close(&k);
}

static void generic_resources_limit_tasks(void **state)
{
    const struct gres_cfg tapes[] = {{(char *)"tape", 3}, {NULL, 0}};
    struct rk k;

    (void)state;
    open_x(&k, "HOSTLIST=ALL RESOURCES=GRES=tape:2");
    rk_node(&k, (struct node_desc){.name = "n1", .cfg = {{4}}, .gres = tapes});
    rk_node(&k, (struct node_desc){.name = "n2", .cfg = {{4}}});
    assert_string_equal(rk_held(&k, place_x(&k)), "n1:1");
    rk_close(&k);
}

/* ---- partitions ---- */

static void in_partitions(struct rk *k, const char *attributes)
{
    static const char *const names[] = {"a1", "b1", "b2", "b3", "a2"};

    open_x(k, attributes);
    for (size_t i = 0; i < 5; i++)
        rk_node(k, (struct node_desc){.name = names[i],
                       .cfg = {{1}},
                       .partition = names[i][0] == 'a' ? "a" : "b"});
}

static void without_partition_the_one_offering_most_is_taken_5_2(void **state)
{
    static const struct {
        const char *attributes, *want;
    } cases[] = {
        {"TASKCOUNT=2", "b1:1 b2:1"}, {"TASKCOUNT=4", "b1:1 b2:1 b3:1"},
        {"TASKCOUNT=4 PARTITION=ALL", "a1:1 b1:1 b2:1 b3:1"},
        {"TASKCOUNT=4 PARTITION=a", "a1:1 a2:1"}, {"TASKCOUNT=1 PARTITION=nowhere", ""},
        {"HOSTLIST=ALL", "a1:1 b1:1 b2:1 b3:1 a2:1"},
        {"HOSTLIST=ALL PARTITION=a", "a1:1 a2:1"},
        {"HOSTLIST=a1 TASKCOUNT=3", "a1:1 a2:1"}, /* outside, but not in another */
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct rk k;

        in_partitions(&k, cases[i].attributes);
        assert_string_equal(rk_held(&k, place_x(&k)), cases[i].want);
        rk_close(&k);
    }
}

static void a_partial_reservation_stays_in_its_partition(void **state)
{
    struct rk k;
    struct reservation *r;

    (void)state;
    in_partitions(&k, "TASKCOUNT=2");
    set_state(&k, "b1", NODE_DOWN);
    set_state(&k, "b2", NODE_DOWN);
    set_state(&k, "a1", NODE_DOWN);
    r = place_x(&k); /* one each: the first partition */
    assert_string_equal(rk_held(&k, r), "a2:1");
    set_state(&k, "b1", NODE_IDLE);
    set_state(&k, "b2", NODE_IDLE);
    assert_string_equal(place(&k, r, NULL), "a2:1");
    set_state(&k, "a1", NODE_IDLE);
    assert_string_equal(place(&k, r, NULL), "a1:1 a2:1");
    rk_close(&k);
}

/* ---- flags ---- */

static void force_goes_by_configuration_alone_7(void **state)
{
    static const struct job_use busy[] = {{"n1", 0, 100, 1}, {NULL}};
    struct rk k = rk_open("SRCFG[a] PERIOD=INFINITY HOSTLIST=n1\n"
                          "SRCFG[x] PERIOD=INFINITY TASKCOUNT=2 FLAGS=FORCE\n");
    struct reservation *x;

    (void)state;
    rk_nodes(&k, 3, 1, 0);
    place(&k, rk_standing(&k, "a", NULL, 0), NULL);
    set_state(&k, "n2", NODE_DOWN);
    x = rk_standing(&k, "x", NULL, 0);
    assert_string_equal(place(&k, x, busy), "n1:1 n2:1");
    assert_false(rsvnodes_incomplete(k.c, x));
    rk_close(&k);
}

static void placed_tasks_stay_unless_spaceflex_5_2(void **state)
{
    static const struct job_use busy[] = {{"n1", 0, 100, 1}, {NULL}};
    struct rk k;
    struct reservation *r;

    (void)state;
    open_x(&k, "TASKCOUNT=1");
    rk_nodes(&k, 3, 1, 0);
    r = rk_standing(&k, "x", NULL, 0);
    assert_string_equal(place(&k, r, busy), "n2:1");
    assert_string_equal(place(&k, r, NULL), "n2:1");
    r->flags |= RSV_SPACEFLEX;
    assert_string_equal(place(&k, r, NULL), "n1:1");
    rk_close(&k);
}

static void tasks_on_lost_nodes_are_replaced_while_active_5_2(void **state)
{
    struct rk k;
    struct reservation *r;

    (void)state;
    open_x(&k, "TASKCOUNT=2");
    rk_nodes(&k, 3, 1, 0);
    r = place_x(&k);
    set_state(&k, "n1", NODE_DOWN);
    assert_true(rsvnodes_incomplete(k.c, r));
    assert_string_equal(place(&k, r, NULL), "n2:1 n3:1");
    r->state = RSV_PLANNED; /* not yet begun: it may come back */
    set_state(&k, "n2", NODE_DOWN);
    assert_false(rsvnodes_incomplete(k.c, r));
    assert_string_equal(place(&k, r, NULL), "n2:1 n3:1");
    rk_close(&k);
}

static void all_or_nothing_unless_best_effort_11(void **state)
{
    struct rk k = rk_open("");
    struct reservation *r = rk_setres(&k, "r", ACL_USER, "john", 0, 50);

    (void)state;
    r->tasks = 2;
    assert_false(rsvnodes_acceptable(r, 1));
    assert_true(rsvnodes_acceptable(r, 2));
    r->flags = RSV_BESTEFFORT;
    assert_true(rsvnodes_acceptable(r, 1));
    rk_close(&k);
}

/* ---- windows ---- */

static void only_what_overlaps_conflicts_r40(void **state)
{
    static const struct job_use busy[] = {{"n3", 0, 100, 1}, {"n4", 0, 100, 1}, {NULL}};
    struct rk k = rk_open("");
    struct reservation *john = rk_setres(&k, "john", ACL_USER, "john", 0, 50);
    struct reservation *mary = rk_setres(&k, "mary", ACL_USER, "mary", 0, 50);
    struct reservation *later = rk_setres(&k, "mary", ACL_USER, "mary", 50, 100);

    (void)state;
    rk_nodes(&k, 4, 1, 0);
    john->tasks = mary->tasks = later->tasks = 2;
    assert_string_equal(place(&k, john, busy), "n1:1 n2:1");
    assert_string_equal(place(&k, mary, busy), "");
    assert_false(rsvnodes_acceptable(mary, 0));
    assert_string_equal(place(&k, later, busy), "n1:1 n2:1");
    rk_close(&k);
}

static void the_fullest_instant_of_the_window_counts(void **state)
{
    static const struct job_use jobs[] = {
        {"n1", 0, 20, 2}, {"n1", 10, 30, 3}, {"n1", 30, 40, 4}, {NULL}};
    struct uses u = {.jobs = jobs};
    struct rk k = rk_open("");
    struct reservation *r = rk_setres(&k, "r", ACL_USER, "a", 0, 100);

    (void)state;
    rk_nodes(&k, 1, 8, 0);
    u.c = k.c;
    r->def.per_task = (struct res){{1}};
    assert_int_equal(free_tasks(&u, r, 0, 0, 10), 6);
    assert_int_equal(free_tasks(&u, r, 0, 0, 11), 3);
    assert_int_equal(free_tasks(&u, r, 0, 20, 30), 5);
    assert_int_equal(free_tasks(&u, r, 0, 20, 31), 4);
    assert_int_equal(free_tasks(&u, r, 0, 40, 100), 8);
    r->def.per_task = (struct res){{-1}};
    assert_int_equal(free_tasks(&u, r, 0, 39, 100), 0);
    assert_int_equal(free_tasks(&u, r, 0, 40, 100), 1);
    rk_close(&k);
}

/* ---- order ---- */

static void nodes_are_taken_by_the_allocation_policy_5_2(void **state)
{
    static const struct {
        const char *policy, *want;
    } cases[] = {
        {"FIRSTAVAILABLE", "n1:1 n2:1"},
        {"LASTAVAILABLE", "n3:1 n4:1"},
        {"MINRESOURCE", "n1:1 n3:1"},
        {"CONTIGUOUS", "n1:1 n2:1"},
    };
    static const int64_t mem[] = {20, 30, 10, 40};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char lines[200];
        struct rk k;

        snprintf(lines, sizeof lines,
            "NODEALLOCATIONPOLICY %s\nSRCFG[x] PERIOD=INFINITY TASKCOUNT=2\n",
            cases[i].policy);
        k = rk_open(lines);
        for (int n = 0; n < 4; n++) {
            char name[8];

            snprintf(name, sizeof name, "n%d", n + 1);
            rk_node(&k, (struct node_desc){.name = name, .cfg = {{1, mem[n]}}});
        }
        assert_string_equal(rk_held(&k, place_x(&k)), cases[i].want);
        rk_close(&k);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_list_alone_takes_every_host_in_any_state_r16),
        cmocka_unit_test(a_list_alone_packs_what_is_configured_r17),
        cmocka_unit_test(nothing_asked_is_nothing_reserved_5_1),
        cmocka_unit_test(a_task_count_below_the_list_stays_inside_r18),
        cmocka_unit_test(six_tasks_on_four_hosts_r19),
        cmocka_unit_test(a_short_list_is_filled_up_from_outside_r20),
        cmocka_unit_test(a_list_that_is_busy_but_large_enough_is_not_left),
        cmocka_unit_test(dedicated_reservations_keep_off_each_other_r21),
        cmocka_unit_test(unusable_nodes_are_passed_over_r22),
        cmocka_unit_test(a_partial_reservation_is_completed_r23),
        cmocka_unit_test(tasks_are_not_split_over_nodes_r24),
        cmocka_unit_test(the_task_definition_decides_what_is_collected_r25),
        cmocka_unit_test(tasks_per_node_are_a_multiple_r26),
        cmocka_unit_test(every_feature_is_needed),
        cmocka_unit_test(one_of_several_features_may_do),
        cmocka_unit_test(tasks_are_in_one_node_set_that_has_room_for_all),
        cmocka_unit_test(what_is_completed_stays_in_its_node_set),
        cmocka_unit_test(generic_resources_limit_tasks),
        cmocka_unit_test(without_partition_the_one_offering_most_is_taken_5_2),
        cmocka_unit_test(a_partial_reservation_stays_in_its_partition),
        cmocka_unit_test(force_goes_by_configuration_alone_7),
        cmocka_unit_test(placed_tasks_stay_unless_spaceflex_5_2),
        cmocka_unit_test(tasks_on_lost_nodes_are_replaced_while_active_5_2),
        cmocka_unit_test(all_or_nothing_unless_best_effort_11),
        cmocka_unit_test(only_what_overlaps_conflicts_r40),
        cmocka_unit_test(the_fullest_instant_of_the_window_counts),
        cmocka_unit_test(nodes_are_taken_by_the_allocation_policy_5_2),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
