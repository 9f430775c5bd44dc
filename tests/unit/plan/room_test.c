/* SPDX-License-Identifier: Apache-2.0
 * What a node can still take, in parts and in tasks. */
#include "plan/feasible.h"
#include "plan/nodes/room.h"
#include "select_fixture.h"

/* One of two kinds of tasks on a node with everything that bounds them. */
struct bounded {
    struct world *w;
    const struct node *n;
    const struct taskdef *def;
    struct node_room room;
};

/* 8 processors, 100 MB, 4 initiators of batch, 6 of gadget. */
static struct bounded bounded_open(struct req_desc req)
{
    static const struct gres_cfg gadgets[] = {{"gadget", 6}, {NULL, 0}};
    static const struct gres_cfg classes[] = {{"batch", 4}, {NULL, 0}};
    struct world *w = world_open(NODEALLOC_FIRSTAVAILABLE);
    struct bounded b = {.w = w};

    b.n = world_node(
        w, (struct node_desc){
               .name = "n1", .cfg = {{8, 100}}, .gres = gadgets, .classes = classes});
    b.def = world_job(w, "john", req)->reqs[0].def;
    room_of_empty(&b.room, w->c, b.def, b.n);
    return b;
}

static void bounded_close(struct bounded *b)
{
    room_fini(&b->room);
    world_close(b->w);
}

static void the_scarcest_part_decides(void **state)
{
    static const struct gres_cfg two[] = {{"gadget", 2}, {NULL, 0}};
    static const struct {
        struct res per_task;
        const struct gres_cfg *gres;
        uint32_t tasks;
    } rows[] = {{{{1}}, NULL, 8}, {{{3}}, NULL, 2}, {{{1, 30}}, NULL, 3},
        {{{1}}, two, 3}, {{{-1}}, NULL, 1}, {{{9}}, NULL, 0}};

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct bounded b = bounded_open((struct req_desc){
            .tasks = 1, .per_task = rows[i].per_task, .gres = rows[i].gres});
        assert_int_equal(room_tasks(&b.room, b.def, b.n), rows[i].tasks);
        b.room.closed = true;
        assert_int_equal(room_tasks(&b.room, b.def, b.n), 0);
        bounded_close(&b);
    }
}

/* 100 MB: once for all of them, beside what each needs. */
static void memory_of_a_node_is_taken_once_however_many_tasks_there_are(void **state)
{
    static const struct {
        int64_t each, of_node;
        uint32_t tasks;
    } rows[] = {{0, 60, 8}, {0, 100, 8}, {0, 101, 0}, {20, 60, 2}, {20, 90, 0}};

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct bounded b = bounded_open((struct req_desc){.tasks = 1,
            .per_task = {{1, rows[i].each}},
            .mem_per_node_mb = rows[i].of_node});
        assert_int_equal(room_tasks(&b.room, b.def, b.n), rows[i].tasks);
        bounded_close(&b);
    }
    struct bounded b =
        bounded_open((struct req_desc){.tasks = 1, .mem_per_node_mb = 60});
    room_take(&b.room, b.def, b.n, 3);
    assert_int_equal(b.room.res.v[RES_MEM], 40);
    assert_int_equal(room_tasks(&b.room, b.def, b.n), 0);
    bounded_close(&b);
}

static void tasks_come_in_multiples_and_single_ones_alone(void **state)
{
    (void)state;
    struct bounded b = bounded_open((struct req_desc){.tasks = 3, .tpn = 3});
    assert_int_equal(room_tasks(&b.room, b.def, b.n), 6);
    bounded_close(&b);
    b = bounded_open((struct req_desc){.tasks = 3, .access = ACCESS_SINGLETASK});
    assert_int_equal(room_tasks(&b.room, b.def, b.n), 1);
    bounded_close(&b);
}

static void more_kinds_than_sixteen_count(void **state)
{
    struct gres_cfg have[21] = {{NULL, 0}}, want[21] = {{NULL, 0}};
    char names[20][8];
    struct world *w = world_open(NODEALLOC_FIRSTAVAILABLE);
    struct node_room room = {0};

    (void)state;
    for (int i = 0; i < 20; i++) {
        snprintf(names[i], sizeof names[i], "kind%d", i);
        have[i] = (struct gres_cfg){names[i], i == 19 ? 2 : 5};
        want[i] = (struct gres_cfg){names[i], 1};
    }
    const struct node *n =
        world_node(w, (struct node_desc){.name = "n1", .cfg = {{8}}, .gres = have});
    const struct taskdef *def =
        world_job(w, "john", (struct req_desc){.tasks = 1, .gres = want})->reqs[0].def;
    room_of_empty(&room, w->c, def, n);
    assert_int_equal(room_tasks(&room, def, n), 2);
    room_take(&room, def, n, 1);
    assert_int_equal(room_tasks(&room, def, n), 1);
    room_fini(&room);
    world_close(w);
}

static void what_others_have_leaves_the_newcomers_limits_alone(void **state)
{
    struct world *w = world_open(NODEALLOC_FIRSTAVAILABLE);
    static const struct company nobody;
    struct node_room room = {0};

    (void)state;
    settings_node(w->cfg, "n1")->maxproc = 5;
    world_nodes(w, 1, 8);
    const struct node *n = world_find(w, "n1");
    const struct taskdef *def = world_tasks(w, 1)->reqs[0].def;
    room_of_empty(&room, w->c, def, n);
    assert_int_equal(room_tasks(&room, def, n), 8);
    room_meet(&room, w->c, n, &nobody);
    assert_int_equal(room_tasks(&room, def, n), 5);
    room_take(&room, def, n, 2);
    assert_int_equal(room_tasks(&room, def, n), 5);
    room_take(&room, def, n, 2);
    assert_int_equal(room_tasks(&room, def, n), 4);
    room_take_own(&room, def, n, 3);
    assert_int_equal(room_tasks(&room, def, n), 1);
    assert_int_equal(room.procs, 2);
    room_fini(&room);
    world_close(w);
}

static void others_close_a_node_by_access_and_by_number(void **state)
{
    static const struct {
        enum access_policy theirs, mine;
        const char *user;
        int32_t maxjob;
        bool closed;
    } rows[] = {{ACCESS_SHARED, ACCESS_SHARED, "mary", -1, false},
        {ACCESS_SINGLEUSER, ACCESS_SHARED, "mary", -1, true},
        {ACCESS_SINGLEUSER, ACCESS_SHARED, "john", -1, false},
        {ACCESS_SHARED, ACCESS_SINGLEUSER, "mary", -1, true},
        {ACCESS_SINGLEJOB, ACCESS_SHARED, "john", -1, true},
        {ACCESS_SHARED, ACCESS_SINGLEJOB, "john", -1, true},
        {ACCESS_SHARED, ACCESS_SHARED, "john", 1, true},
        {ACCESS_SHARED, ACCESS_SHARED, "john", 2, false}};

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct world *w = world_open(NODEALLOC_FIRSTAVAILABLE);
        struct node_room room = {0};
        struct company others = {0};

        if (rows[i].maxjob >= 0)
            settings_node(w->cfg, "n1")->maxjob = rows[i].maxjob;
        world_nodes(w, 1, 8);
        const struct node *n = world_find(w, "n1");
        struct req_desc theirs = {.tasks = 1, .access = rows[i].theirs};
        struct req_desc mine = {.tasks = 1, .access = rows[i].mine};
        const struct job *other = world_job(w, rows[i].user, theirs);
        const struct job *j = world_job(w, "john", mine);
        company_add(&others, j, other);
        room_of_empty(&room, w->c, j->reqs[0].def, n);
        room_meet(&room, w->c, n, &others);
        assert_int_equal(room.closed, rows[i].closed);
        room_fini(&room);
        world_close(w);
    }
}

/* What Slurm 22.05 was seen to do of jobs in partitions with FORCE, YES and neither. */
static void who_shares_processors_is_not_with_who_does_not(void **state)
{
    static const bool lets_in[SHARINGS][SHARINGS] = {
        /* newcomer; there: none, stays, joins, forced */
        [SHARING_NONE] = {true, false, true, false},
        [SHARING_STAYS] = {true, false, true, false},
        [SHARING_JOINS] = {false, false, true, true},
        [SHARING_FORCED] = {false, false, true, true}};

    (void)state;
    for (enum sharing mine = 0; mine < SHARINGS; mine++)
        for (enum sharing theirs = 0; theirs < SHARINGS; theirs++) {
            struct world *w = world_open(NODEALLOC_FIRSTAVAILABLE);
            struct company others = {0};
            world_nodes(w, 1, 8);
            struct req_desc there = {.tasks = 1, .sharing = theirs};
            struct req_desc new = {.tasks = 1, .sharing = mine};
            struct job *other = world_job(w, "mary", there);
            struct job *j = world_job(w, "john", new);

            other->cred[CRED_CLASS] = cred_get(w->c, CRED_CLASS, "own")->index;
            j->cred[CRED_CLASS] = cred_get(w->c, CRED_CLASS, "lent")->index;
            company_add(&others, j, other);
            assert_int_equal(others.closed, !lets_in[mine][theirs]);
            others = (struct company){0};
            j->cred[CRED_CLASS] = other->cred[CRED_CLASS];
            company_add(&others, j, other);
            assert_int_equal(
                others.closed, (mine >= SHARING_JOINS) != (theirs >= SHARING_JOINS)
                                   && (mine >= SHARING_JOINS));
            world_close(w);
        }
}

/* Which of them will be first is not known. */
static void who_is_to_begin_has_to_be_let_in_as_well(void **state)
{
    (void)state;
    for (enum sharing mine = 0; mine < SHARINGS; mine++)
        for (enum sharing theirs = 0; theirs < SHARINGS; theirs++) {
            struct world *w = world_open(NODEALLOC_FIRSTAVAILABLE);
            struct company others = {0};
            world_nodes(w, 1, 8);
            struct req_desc pinned = {.tasks = 1, .sharing = theirs};
            struct req_desc new = {.tasks = 1, .sharing = mine};
            const struct job *other = world_job(w, "mary", pinned);
            const struct job *j = world_job(w, "john", new);

            company_add_pinned(&others, j, other); /* of one class */
            assert_int_equal(
                others.closed, (mine >= SHARING_JOINS) != (theirs >= SHARING_JOINS));
            assert_int_equal(others.jobs, 1);
            world_close(w);
        }
}

/* 8 counted, 4 of them for who shares none: all of these together. */
static void processors_that_nobody_shares_are_fewer(void **state)
{
    static const struct nodelimit_procs used = {.all = 3};
    struct world *w = world_open(NODEALLOC_FIRSTAVAILABLE);
    struct node_desc d = {
        .name = "n1", .state = NODE_IDLE, .cfg = {{8, -1, -1, -1}}, .unshared = 4};
    struct err err = {0};
    struct node *n;

    (void)state;
    world_nodes(w, 1, 8);
    assert_int_equal(node_report(w->c, &d, 0, &n, &err), 0);
    const struct taskdef *own = world_tasks(w, 1)->reqs[0].def;
    struct req_desc whole = {.tasks = 1, .per_task = {{-1}}};
    struct req_desc forced = {.tasks = 1, .sharing = SHARING_FORCED};
    assert_int_equal(feasible_tasks(w->c, own, n), 4);
    assert_int_equal(nodelimit_procs_left(w->c, own, n, &used), 1);
    assert_int_equal(
        feasible_tasks(w->c, world_job(w, "john", whole)->reqs[0].def, n), 1);
    assert_int_equal(
        feasible_tasks(w->c, world_job(w, "john", forced)->reqs[0].def, n), 8);
    world_close(w);
}

static void the_least_of_two_instants_is_taken_part_by_part(void **state)
{
    (void)state;
    struct bounded b =
        bounded_open((struct req_desc){.tasks = 1, .per_task = {{1, 10}}});
    struct node_room then = {0};

    room_copy(&then, &b.room);
    b.room.res.v[RES_PROCS] = 3;
    then.res.v[RES_MEM] = 20;
    room_limit(&b.room, &then);
    assert_int_equal(b.room.res.v[RES_PROCS], 3);
    assert_int_equal(b.room.res.v[RES_MEM], 20);
    assert_int_equal(room_tasks(&b.room, b.def, b.n), 2);
    room_fini(&then);
    bounded_close(&b);
}

static void what_is_left_follows_what_is_dedicated(void **state)
{
    struct world *w = world_open(NODEALLOC_FIRSTAVAILABLE);
    struct node_room room = {0};

    (void)state;
    world_nodes(w, 1, 8);
    const struct node *n = world_find(w, "n1");
    const struct job *j = world_occupy(w, "n1", 3, "john");
    size_t next = 0;
    room_left(&room, w->c, j->reqs[0].def, n);
    assert_int_equal(room_tasks(&room, j->reqs[0].def, n), 5);
    assert_int_equal(job_piece_on(j, n->index, &next)->tasks, 3);
    assert_null(job_piece_on(j, n->index, &next));
    room_fini(&room);
    world_close(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_scarcest_part_decides),
        cmocka_unit_test(memory_of_a_node_is_taken_once_however_many_tasks_there_are),
        cmocka_unit_test(tasks_come_in_multiples_and_single_ones_alone),
        cmocka_unit_test(more_kinds_than_sixteen_count),
        cmocka_unit_test(what_others_have_leaves_the_newcomers_limits_alone),
        cmocka_unit_test(others_close_a_node_by_access_and_by_number),
        cmocka_unit_test(who_shares_processors_is_not_with_who_does_not),
        cmocka_unit_test(who_is_to_begin_has_to_be_let_in_as_well),
        cmocka_unit_test(processors_that_nobody_shares_are_fewer),
        cmocka_unit_test(the_least_of_two_instants_is_taken_part_by_part),
        cmocka_unit_test(what_is_left_follows_what_is_dedicated),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
