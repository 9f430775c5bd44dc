/* SPDX-License-Identifier: Apache-2.0
 * What a node can take now. */
#include "select_fixture.h"

static uint32_t takes(struct world *w, struct req_desc req, const char *node)
{
    struct job *j = world_job(w, "john", req);

    return avail_tasks_now(w->c, j, j->reqs[0].def, world_find(w, node));
}

static uint32_t takes_from(struct world *w, const char *user, const char *node)
{
    struct job *j = world_job(w, user, (struct req_desc){.tasks = 1});

    return avail_tasks_now(w->c, j, j->reqs[0].def, world_find(w, node));
}

static const struct req_desc plain = {.tasks = 1};

static void only_idle_and_running_nodes_take_tasks(void **state)
{
    struct world *w = world_open(NODEALLOC_FIRSTAVAILABLE);

    (void)state;
    world_nodes(w, 2, 4);
    for (int s = NODE_IDLE; s <= NODE_NONE; s++) {
        node_set_state(w->c, world_find(w, "n1"), (enum node_state)s, 50);
        bool usable = s == NODE_IDLE || s == NODE_RUNNING;
        assert_int_equal(takes(w, plain, "n1"), usable ? 4 : 0);
    }
    world_find(w, "n2")->expected = NODE_BUSY;
    assert_int_equal(takes(w, plain, "n2"), 0);
    world_close(w);
}

static void a_processor_takes_one_task(void **state)
{
    struct world *w = world_open(NODEALLOC_FIRSTAVAILABLE);

    (void)state;
    world_nodes(w, 2, 1);
    assert_int_equal(takes(w, plain, "n1"), 1);
    world_occupy(w, "n1", 1, "a");
    assert_int_equal(takes(w, plain, "n1"), 0);
    assert_int_equal(takes(w, plain, "n2"), 1);
    world_close(w);
}

static void amounts_left_follow_the_availability_policy(void **state)
{
    static const struct {
        enum avail_policy policy;
        uint32_t procs, mem; /* tasks by processors, by memory */
    } rows[] = {
        {AVAIL_DEDICATED, 3, 3}, {AVAIL_UTILIZED, 1, 1}, {AVAIL_COMBINED, 1, 1}};
    struct world *w = world_open(NODEALLOC_FIRSTAVAILABLE);
    struct res used = {{0, 3000}};

    (void)state;
    world_node(w, (struct node_desc){.name = "n1", .cfg = {{4, 4000}}});
    world_occupy(w, "n1", 1, "a");
    node_measure(w->c, world_find(w, "n1"), 2.5, &used);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct req_desc by_mem = {.per_task = {{1, 1000}}};
        for (int r = 0; r < AVAIL_RES_COUNT; r++)
            w->par->avail[r] = AVAIL_DEDICATED;
        w->par->avail[AVAIL_PROCS] = rows[i].policy;
        assert_int_equal(takes(w, plain, "n1"), rows[i].procs);
        w->par->avail[AVAIL_PROCS] = AVAIL_DEDICATED;
        w->par->avail[AVAIL_MEM] = rows[i].policy;
        assert_int_equal(takes(w, by_mem, "n1"), rows[i].mem);
    }
    world_close(w);
}

static void combined_equals_dedicated_where_nothing_is_measured(void **state)
{
    struct world *w = world_open(NODEALLOC_FIRSTAVAILABLE);

    (void)state;
    world_nodes(w, 1, 4);
    for (int r = 0; r < AVAIL_RES_COUNT; r++)
        w->par->avail[r] = AVAIL_COMBINED;
    assert_int_equal(takes(w, plain, "n1"), 4);
    assert_int_equal(takes(w, (struct req_desc){.per_task = {{-1}}}, "n1"), 1);
    world_close(w);
}

static void a_trace_of_load_costs_no_processor(void **state)
{
    struct world *w = world_open(NODEALLOC_FIRSTAVAILABLE);
    struct res none = {{0}};

    (void)state;
    world_nodes(w, 1, 4);
    w->par->avail[AVAIL_PROCS] = AVAIL_COMBINED;
    node_measure(w->c, world_find(w, "n1"), 0.04, &none);
    assert_int_equal(takes(w, (struct req_desc){.per_task = {{-1}}}, "n1"), 1);
    node_measure(w->c, world_find(w, "n1"), 0.4, &none);
    assert_int_equal(takes(w, plain, "n1"), 3);
    world_close(w);
}

static void n21_utilized_counts_measured_load_only(void **state)
{
    static const struct {
        double load;
        uint32_t takes;
    } rows[] = {{1.6, 2}, {2.4, 1}, {2.8, 1}, {3.2, 0}, {4.0, 0}, {0, 4}};
    struct world *w = world_open(NODEALLOC_FIRSTAVAILABLE);
    struct res none = {{0}};

    (void)state;
    w->par->avail[AVAIL_PROCS] = AVAIL_UTILIZED;
    world_nodes(w, 1, 4);
    world_occupy(w, "n1", 4, "a");
    assert_int_equal(takes(w, plain, "n1"), 0); /* artificial load 4.0 */
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        node_measure(w->c, world_find(w, "n1"), rows[i].load, &none);
        assert_int_equal(takes(w, plain, "n1"), rows[i].takes);
    }
    node_measure(w->c, world_find(w, "n1"), 1.6, &none);
    world_occupy(w, "n1", 1, "a"); /* raises the load by 1.0 */
    assert_int_equal(takes(w, plain, "n1"), 1);
    world_occupy(w, "n1", 1, "a");
    assert_int_equal(takes(w, plain, "n1"), 0);
    w->par->avail[AVAIL_PROCS] = AVAIL_COMBINED;
    assert_int_equal(takes(w, plain, "n1"), 0);
    world_close(w);
}

static void adjuststate_closes_a_node_at_its_maxload(void **state)
{
    struct world *w = world_open(NODEALLOC_FIRSTAVAILABLE);
    struct res none = {{0}};

    (void)state;
    settings_node(w->cfg, "n1")->maxload = 2.0;
    world_nodes(w, 2, 4);
    node_measure(w->c, world_find(w, "n1"), 1.9, &none);
    assert_int_equal(takes(w, plain, "n1"), 4);
    node_measure(w->c, world_find(w, "n1"), 2.0, &none);
    node_measure(w->c, world_find(w, "n2"), 2.0, &none);
    assert_int_equal(takes(w, plain, "n1"), 0);
    assert_int_equal(takes(w, plain, "n2"), 4);
    world_close(w);
}

static void adjustprocs_offers_what_is_left_to_maxload(void **state)
{
    struct world *w = world_open(NODEALLOC_FIRSTAVAILABLE);
    struct res none = {{0}};

    (void)state;
    w->par->load_policy = LOAD_ADJUSTPROCS;
    w->cfg->node_untracked_load_factor = 1.0;
    settings_node(w->cfg, "n1")->maxload = 3.0;
    world_nodes(w, 1, 4);
    node_measure(w->c, world_find(w, "n1"), 0.5, &none);
    assert_int_equal(takes(w, plain, "n1"), 2); /* min(4, 2.5) */
    world_occupy(w, "n1", 2, "a");
    node_measure(w->c, world_find(w, "n1"), 0.2, &none);
    assert_int_equal(takes(w, plain, "n1"), 2); /* min(2, 2.8) */
    node_measure(w->c, world_find(w, "n1"), 3.5, &none);
    assert_int_equal(takes(w, plain, "n1"), 0);
    world_close(w);
}

static void load_that_no_job_explains_counts_by_its_factor(void **state)
{
    struct world *w = world_open(NODEALLOC_FIRSTAVAILABLE);
    struct res none = {{0}};

    (void)state;
    w->par->load_policy = LOAD_ADJUSTPROCS;
    w->cfg->node_untracked_load_factor = 1.2;
    settings_node(w->cfg, "n1")->maxload = 4.0;
    world_nodes(w, 1, 4);
    node_measure(w->c, world_find(w, "n1"), 1.0, &none);
    assert_int_equal(takes(w, plain, "n1"), 2); /* 4 - 1.2 */
    world_occupy(w, "n1", 1, "a");
    node_measure(w->c, world_find(w, "n1"), 1.0, &none);
    assert_int_equal(takes(w, plain, "n1"), 3); /* all of it is tracked */
    world_close(w);
}

static void a_node_almost_out_of_swap_is_left_alone(void **state)
{
    struct world *w = world_open(NODEALLOC_FIRSTAVAILABLE);

    (void)state;
    world_node(w, (struct node_desc){.name = "n1", .cfg = {{4, 0, 1000}}});
    node_measure(w->c, world_find(w, "n1"), 0, &(struct res){{0, 0, 990}});
    assert_int_equal(takes(w, plain, "n1"), 4);
    node_measure(w->c, world_find(w, "n1"), 0, &(struct res){{0, 0, 991}});
    assert_int_equal(takes(w, plain, "n1"), 0);
    world_close(w);
}

static void n18_access_policies_bind_newcomers(void **state)
{
    struct world *w = world_open(NODEALLOC_FIRSTAVAILABLE);

    (void)state;
    world_nodes(w, 4, 4);
    assert_string_equal(
        world_start(w, world_job(w, "a", (struct req_desc){.tasks = 1})), "n1:1");
    struct req_desc b1 = {.tasks = 4, .access = ACCESS_SINGLEUSER};
    assert_string_equal(world_start(w, world_job(w, "a", b1)), "n1:3 n2:1");
    assert_string_equal(
        world_start(w, world_job(w, "b", (struct req_desc){.tasks = 1})), "n3:1");
    struct req_desc d = {.tasks = 2, .access = ACCESS_SINGLEJOB};
    assert_string_equal(world_start(w, world_job(w, "b", d)), "n4:2");
    assert_int_equal(takes_from(w, "b", "n4"), 0);
    assert_string_equal(
        world_start(w, world_job(w, "a", (struct req_desc){.tasks = 1})), "n2:1");
    world_close(w);
}

static void a_singleuser_job_keeps_away_from_other_users(void **state)
{
    struct world *w = world_open(NODEALLOC_FIRSTAVAILABLE);
    struct req_desc alone = {.tasks = 1, .access = ACCESS_SINGLEUSER};

    (void)state;
    world_nodes(w, 1, 4);
    world_occupy(w, "n1", 1, "a");
    struct job *mine = world_job(w, "a", alone), *other = world_job(w, "b", alone);
    struct node *n1 = world_find(w, "n1");
    assert_int_equal(avail_tasks_now(w->c, mine, mine->reqs[0].def, n1), 3);
    assert_int_equal(avail_tasks_now(w->c, other, other->reqs[0].def, n1), 0);
    world_close(w);
}

static void n19_singletask_takes_whole_idle_nodes(void **state)
{
    struct world *w = world_open(NODEALLOC_FIRSTAVAILABLE);
    struct req_desc single = {.tasks = 2, .access = ACCESS_SINGLETASK};

    (void)state;
    world_nodes(w, 4, 4);
    assert_string_equal(world_start(w, world_job(w, "john", single)), "n1:1 n2:1");
    assert_string_equal(world_start(w, world_tasks(w, 1)), "n3:1");
    single.tasks = 1;
    assert_string_equal(world_start(w, world_job(w, "john", single)), "n4:1");
    world_close(w);
}

static void n20_maxjob_and_maxjobperuser_count_the_newcomer(void **state)
{
    struct world *w = world_open(NODEALLOC_FIRSTAVAILABLE);

    (void)state;
    settings_node(w->cfg, "n1")->maxjob = 2;
    settings_node(w->cfg, "n1")->maxjob_per_user = 1;
    world_nodes(w, 2, 4);
    world_occupy(w, "n1", 1, "a");
    struct req_desc one = {.tasks = 1};
    assert_string_equal(world_start(w, world_job(w, "a", one)), "n2:1");
    assert_string_equal(world_start(w, world_job(w, "b", one)), "n1:1");
    assert_string_equal(world_start(w, world_job(w, "c", one)), "n2:1");
    world_close(w);
}

static void maxproc_counts_what_jobs_already_have(void **state)
{
    struct world *w = world_open(NODEALLOC_FIRSTAVAILABLE);

    (void)state;
    settings_node(w->cfg, "n1")->maxproc = 5;
    settings_node(w->cfg, "n2")->maxproc_per_user = 3;
    world_nodes(w, 2, 8);
    world_occupy(w, "n1", 2, "a");
    world_occupy(w, "n2", 2, "a");
    assert_int_equal(takes_from(w, "b", "n1"), 3);
    assert_int_equal(takes_from(w, "a", "n1"), 3);
    assert_int_equal(takes_from(w, "b", "n2"), 3);
    assert_int_equal(takes_from(w, "a", "n2"), 1);
    world_close(w);
}

static void initiators_and_generic_resources_in_use_are_gone(void **state)
{
    const struct gres_cfg tapes[] = {{"tape", 4}, {NULL, 0}},
                          two[] = {{"tape", 2}, {NULL, 0}},
                          one[] = {{"tape", 1}, {NULL, 0}};
    struct world *w = world_open(NODEALLOC_FIRSTAVAILABLE);

    (void)state;
    world_node(w, (struct node_desc){.name = "n1", .cfg = {{8}}, .gres = tapes});
    world_node(w, (struct node_desc){.name = "n2", .cfg = {{8}}});
    struct req_desc n16 = {.tasks = 3, .gres = two};
    assert_string_equal(world_choose(w, world_job(w, "a", n16)), "");
    n16.tasks = 2;
    assert_string_equal(world_start(w, world_job(w, "a", n16)), "n1:2");
    assert_int_equal(takes(w, (struct req_desc){.gres = one}, "n1"), 0);
    assert_int_equal(takes(w, plain, "n1"), 6);
    world_close(w);
}

static void class_initiators_are_used_up_by_tasks(void **state)
{
    const struct gres_cfg classes[] = {{"batch", 3}, {"fast", 3}, {NULL, 0}};
    struct world *w = world_open(NODEALLOC_FIRSTAVAILABLE);

    (void)state;
    world_node(w, (struct node_desc){.name = "n1", .cfg = {{8}}, .classes = classes});
    struct req_desc req = {.tasks = 2};
    struct job_desc d = {.id = "x",
        .cred = {[CRED_USER] = "a", [CRED_CLASS] = "batch"},
        .reqs = &req,
        .nreqs = 1};
    struct job *j;
    struct err err;
    req.access = ACCESS_SHARED;
    req.nodealloc = NODEALLOC_UNSET;
    assert_int_equal(job_add(w->c, &d, 1, &j, &err), 0);
    assert_string_equal(world_start(w, j), "n1:2");
    d.id = "y";
    assert_int_equal(job_add(w->c, &d, 1, &j, &err), 0);
    assert_int_equal(avail_tasks_now(w->c, j, j->reqs[0].def, node_at(w->c, 0)), 1);
    d.id = "z";
    d.cred[CRED_CLASS] = "fast";
    assert_int_equal(job_add(w->c, &d, 1, &j, &err), 0);
    assert_int_equal(avail_tasks_now(w->c, j, j->reqs[0].def, node_at(w->c, 0)), 3);
    world_close(w);
}

static void tasks_per_node_round_down_to_a_multiple(void **state)
{
    struct world *w = world_open(NODEALLOC_FIRSTAVAILABLE);

    (void)state;
    world_nodes(w, 1, 4);
    world_occupy(w, "n1", 1, "a");
    assert_int_equal(takes(w, (struct req_desc){.tpn = 2}, "n1"), 2);
    assert_int_equal(takes(w, (struct req_desc){.tpn = 4}, "n1"), 0);
    world_close(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_idle_and_running_nodes_take_tasks),
        cmocka_unit_test(a_processor_takes_one_task),
        cmocka_unit_test(amounts_left_follow_the_availability_policy),
        cmocka_unit_test(combined_equals_dedicated_where_nothing_is_measured),
        cmocka_unit_test(a_trace_of_load_costs_no_processor),
        cmocka_unit_test(n21_utilized_counts_measured_load_only),
        cmocka_unit_test(adjuststate_closes_a_node_at_its_maxload),
        cmocka_unit_test(adjustprocs_offers_what_is_left_to_maxload),
        cmocka_unit_test(load_that_no_job_explains_counts_by_its_factor),
        cmocka_unit_test(a_node_almost_out_of_swap_is_left_alone),
        cmocka_unit_test(n18_access_policies_bind_newcomers),
        cmocka_unit_test(a_singleuser_job_keeps_away_from_other_users),
        cmocka_unit_test(n19_singletask_takes_whole_idle_nodes),
        cmocka_unit_test(n20_maxjob_and_maxjobperuser_count_the_newcomer),
        cmocka_unit_test(maxproc_counts_what_jobs_already_have),
        cmocka_unit_test(initiators_and_generic_resources_in_use_are_gone),
        cmocka_unit_test(class_initiators_are_used_up_by_tasks),
        cmocka_unit_test(tasks_per_node_round_down_to_a_multiple),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
