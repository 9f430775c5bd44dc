/* SPDX-License-Identifier: Apache-2.0
 * Could it ever run there. */
#include "select_fixture.h"

static const char *why_not(struct world *w, const struct taskdef *def, const char *node)
{
    enum misfit why;

    return feasible_node(w->c, def, world_find(w, node), &why) ? "" : misfit_text(why);
}

static const char *why_not_job(struct world *w, struct req_desc req, const char *node)
{
    return why_not(w, world_job(w, "john", req)->reqs[0].def, node);
}

static uint32_t holds(struct world *w, struct req_desc req, const char *node)
{
    return feasible_tasks(
        w->c, world_job(w, "john", req)->reqs[0].def, world_find(w, node));
}

static void a_node_must_have_every_feature(void **state)
{
    const char *both[] = {"fast", "gpu", NULL}, *one[] = {"fast", NULL};
    struct world *w = world_open(NODEALLOC_FIRSTAVAILABLE);

    (void)state;
    world_node(w, (struct node_desc){.name = "n1", .cfg = {{4}}, .features = both});
    world_node(w, (struct node_desc){.name = "n2", .cfg = {{4}}, .features = one});
    assert_string_equal(why_not_job(w, (struct req_desc){.features = both}, "n1"), "");
    assert_string_equal(
        why_not_job(w, (struct req_desc){.features = both}, "n2"), "lacks a feature");
    assert_string_equal(why_not_job(w, (struct req_desc){.features = one}, "n2"), "");
    world_close(w);
}

static void system_architecture_and_network_must_match(void **state)
{
    const char *nets[] = {"ethernet", "via", NULL};
    struct world *w = world_open(NODEALLOC_FIRSTAVAILABLE);

    (void)state;
    world_node(w, (struct node_desc){.name = "n1",
                      .cfg = {{4}},
                      .os = "linux",
                      .arch = "x86",
                      .networks = nets});
    assert_string_equal(why_not_job(w, (struct req_desc){.os = "aix"}, "n1"),
        "has another operating system");
    assert_string_equal(why_not_job(w, (struct req_desc){.arch = "power"}, "n1"),
        "has another architecture");
    assert_string_equal(why_not_job(w, (struct req_desc){.network = "myrinet"}, "n1"),
        "is not on the network");
    assert_string_equal(
        why_not_job(
            w, (struct req_desc){.os = "linux", .arch = "x86", .network = "via"}, "n1"),
        "");
    world_close(w);
}

static void comparisons_look_at_configured_amounts(void **state)
{
    struct world *w = world_open(NODEALLOC_FIRSTAVAILABLE);

    (void)state;
    world_node(w, (struct node_desc){.name = "n1", .cfg = {{4, 512, 1024, 100}}});
    assert_string_equal(
        why_not_job(w, (struct req_desc){.mem = {CMP_GE, 512}}, "n1"), "");
    assert_string_equal(why_not_job(w, (struct req_desc){.mem = {CMP_GT, 512}}, "n1"),
        "has the wrong amount of memory");
    assert_string_equal(why_not_job(w, (struct req_desc){.procs = {CMP_LT, 4}}, "n1"),
        "has the wrong number of processors");
    assert_string_equal(
        why_not_job(w, (struct req_desc){.procs = {CMP_EQ, 4}}, "n1"), "");
    assert_string_equal(why_not_job(w, (struct req_desc){.swap = {CMP_LE, 1023}}, "n1"),
        "has the wrong amount of swap");
    assert_string_equal(why_not_job(w, (struct req_desc){.disk = {CMP_GE, 101}}, "n1"),
        "has the wrong amount of disk");
    world_close(w);
}

static void excluded_nodes_are_out_and_listed_ones_only_preferred(void **state)
{
    const char *n2[] = {"n2", NULL};
    struct world *w = world_open(NODEALLOC_FIRSTAVAILABLE);

    (void)state;
    world_nodes(w, 2, 4);
    assert_string_equal(why_not_job(w, (struct req_desc){.exclude = n2}, "n2"),
        "is excluded by the job");
    assert_string_equal(why_not_job(w, (struct req_desc){.exclude = n2}, "n1"), "");
    assert_string_equal(why_not_job(w, (struct req_desc){.hosts = n2}, "n1"), "");
    world_close(w);
}

static void a_list_that_holds_the_request_is_the_only_choice(void **state)
{
    const char *list[] = {"n3", "n4", NULL};
    struct world *w = world_open(NODEALLOC_FIRSTAVAILABLE);

    (void)state;
    world_nodes(w, 4, 1);
    struct req_desc req = {.tasks = 2, .hosts = list};
    assert_true(feasible_hosts_only(w->c, &world_job(w, "john", req)->reqs[0]));
    req.tasks = 3;
    assert_false(feasible_hosts_only(w->c, &world_job(w, "john", req)->reqs[0]));
    assert_false(feasible_hosts_only(w->c, &world_tasks(w, 1)->reqs[0]));
    world_close(w);
}

static void a_list_lets_in_its_nodes_and_others_where_it_is_too_short(void **state)
{
    const char *list[] = {"n3", NULL}, *without[] = {"n1", NULL};
    struct world *w = world_open(NODEALLOC_FIRSTAVAILABLE);

    (void)state;
    world_nodes(w, 3, 1);
    struct req_desc desc = {.tasks = 1, .hosts = list, .exclude = without};
    const struct req *r = &world_job(w, "john", desc)->reqs[0];
    assert_true(feasible_listed(w->c, r, true, world_find(w, "n3")));
    assert_false(feasible_listed(w->c, r, true, world_find(w, "n2")));
    assert_true(feasible_listed(w->c, r, false, world_find(w, "n2")));
    assert_false(feasible_listed(w->c, r, false, world_find(w, "n1")));
    world_close(w);
}

static void a_class_needs_initiators(void **state)
{
    const struct gres_cfg classes[] = {{"batch", 2}, {NULL, 0}};
    struct world *w = world_open(NODEALLOC_FIRSTAVAILABLE);

    (void)state;
    world_node(w, (struct node_desc){.name = "n1", .cfg = {{4}}, .classes = classes});
    world_node(w, (struct node_desc){.name = "n2", .cfg = {{4}}});
    struct taskdef def = *world_tasks(w, 1)->reqs[0].def;
    def.cls = cred_get(w->c, CRED_CLASS, "batch")->index;
    assert_string_equal(why_not(w, &def, "n1"), "");
    assert_int_equal(feasible_tasks(w->c, &def, world_find(w, "n1")), 2);
    assert_int_equal(feasible_tasks(w->c, &def, world_find(w, "n2")), 4);
    def.cls = cred_get(w->c, CRED_CLASS, "night")->index;
    assert_string_equal(why_not(w, &def, "n1"), "does not serve the class");
    assert_string_equal(why_not(w, &def, "n2"), "");
    world_close(w);
}

static void exactproc_wants_just_the_processors_per_node(void **state)
{
    struct world *w = world_open(NODEALLOC_FIRSTAVAILABLE);

    (void)state;
    world_node(w, (struct node_desc){.name = "n1", .cfg = {{4}}});
    world_node(w, (struct node_desc){.name = "n2", .cfg = {{2}}});
    struct taskdef def =
        *world_job(w, "john", (struct req_desc){.tasks = 4, .tpn = 2})->reqs[0].def;
    def.exactproc = true;
    assert_string_equal(
        why_not(w, &def, "n1"), "does not have exactly the processors asked per node");
    assert_string_equal(why_not(w, &def, "n2"), "");
    world_close(w);
}

static void tasks_are_the_least_over_all_resources(void **state)
{
    struct world *w = world_open(NODEALLOC_FIRSTAVAILABLE);

    (void)state;
    world_node(w, (struct node_desc){.name = "n1", .cfg = {{4, 1024}}});
    assert_int_equal(holds(w, (struct req_desc){.per_task = {{1, 512}}}, "n1"), 2);
    assert_int_equal(holds(w, (struct req_desc){.per_task = {{1}}}, "n1"), 4);
    assert_int_equal(holds(w, (struct req_desc){.per_task = {{-1}}}, "n1"), 1);
    assert_int_equal(holds(w, (struct req_desc){.tpn = 3}, "n1"), 3);
    assert_int_equal(holds(w, (struct req_desc){.access = ACCESS_SINGLETASK}, "n1"), 1);
    assert_int_equal(holds(w, (struct req_desc){.per_task = {{5}}}, "n1"), 0);
    assert_string_equal(why_not_job(w, (struct req_desc){.per_task = {{5}}}, "n1"),
        "is too small for one task");
    assert_string_equal(why_not_job(w, (struct req_desc){.tpn = 5}, "n1"),
        "cannot hold the tasks per node");
    world_close(w);
}

static void node_limits_bound_what_an_empty_node_holds(void **state)
{
    struct world *w = world_open(NODEALLOC_FIRSTAVAILABLE);

    (void)state;
    settings_node(w->cfg, "n1")->maxproc = 3;
    settings_node(w->cfg, "n2")->maxpe_per_job = 0.5;
    settings_node(w->cfg, "n3")->maxpe_per_job = 3;
    settings_node(w->cfg, "n4")->maxproc_per_user = 1;
    world_nodes(w, 4, 4);
    assert_int_equal(holds(w, (struct req_desc){0}, "n1"), 3);
    assert_int_equal(holds(w, (struct req_desc){0}, "n2"), 2);
    assert_int_equal(holds(w, (struct req_desc){0}, "n3"), 3);
    assert_int_equal(holds(w, (struct req_desc){0}, "n4"), 1);
    world_close(w);
}

static void class_limits_bound_the_processors_of_a_node(void **state)
{
    struct world *w = world_open(NODEALLOC_FIRSTAVAILABLE);
    struct gres_cfg two = {xstrdup("big"), 2};

    (void)state;
    settings_cred(w->cfg, CRED_CLASS, "small")->max_proc_per_node = 1;
    vec_push(&settings_node(w->cfg, "DEFAULT")->maxproc_class, two);
    world_nodes(w, 1, 4);
    struct taskdef def = *world_tasks(w, 1)->reqs[0].def;
    def.cls = cred_get(w->c, CRED_CLASS, "small")->index;
    assert_int_equal(feasible_tasks(w->c, &def, world_find(w, "n1")), 1);
    def.cls = cred_get(w->c, CRED_CLASS, "big")->index;
    assert_int_equal(feasible_tasks(w->c, &def, world_find(w, "n1")), 2);
    def.cls = cred_get(w->c, CRED_CLASS, "other")->index;
    assert_int_equal(feasible_tasks(w->c, &def, world_find(w, "n1")), 4);
    world_close(w);
}

static void n16_generic_resources_are_locked_to_their_node(void **state)
{
    const struct gres_cfg tapes[] = {{"tape", 4}, {NULL, 0}},
                          two[] = {{"tape", 2}, {NULL, 0}};
    struct world *w = world_open(NODEALLOC_FIRSTAVAILABLE);

    (void)state;
    world_node(w, (struct node_desc){.name = "n1", .cfg = {{8}}, .gres = tapes});
    world_node(w, (struct node_desc){.name = "n2", .cfg = {{8}}});
    assert_int_equal(holds(w, (struct req_desc){.gres = two}, "n1"), 2);
    assert_int_equal(holds(w, (struct req_desc){.gres = two}, "n2"), 0);
    world_close(w);
}

static void floating_resources_do_not_tie_a_job_to_nodes(void **state)
{
    const struct gres_cfg one[] = {{"lic", 1}, {NULL, 0}};
    struct world *w = world_open(NODEALLOC_FIRSTAVAILABLE);
    struct gres_cfg lic = {xstrdup("lic"), 10};

    (void)state;
    vec_push(&settings_node(w->cfg, "GLOBAL")->gres, lic);
    world_nodes(w, 1, 4);
    assert_int_equal(holds(w, (struct req_desc){.gres = one}, "n1"), 4);
    assert_string_equal(why_not_job(w, (struct req_desc){.gres = one}, "GLOBAL"),
        "only carries floating resources");
    world_close(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_node_must_have_every_feature),
        cmocka_unit_test(system_architecture_and_network_must_match),
        cmocka_unit_test(comparisons_look_at_configured_amounts),
        cmocka_unit_test(excluded_nodes_are_out_and_listed_ones_only_preferred),
        cmocka_unit_test(a_list_that_holds_the_request_is_the_only_choice),
        cmocka_unit_test(a_list_lets_in_its_nodes_and_others_where_it_is_too_short),
        cmocka_unit_test(a_class_needs_initiators),
        cmocka_unit_test(exactproc_wants_just_the_processors_per_node),
        cmocka_unit_test(tasks_are_the_least_over_all_resources),
        cmocka_unit_test(node_limits_bound_what_an_empty_node_holds),
        cmocka_unit_test(class_limits_bound_the_processors_of_a_node),
        cmocka_unit_test(n16_generic_resources_are_locked_to_their_node),
        cmocka_unit_test(floating_resources_do_not_tie_a_job_to_nodes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
