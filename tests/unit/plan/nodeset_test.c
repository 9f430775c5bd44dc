/* SPDX-License-Identifier: Apache-2.0
 * Node sets. */
#include "select_fixture.h"

static void use_sets(struct world *w, enum nodeset_policy policy,
    enum nodeset_attr attr, const char *list)
{
    struct nodeset_spec *spec = &w->par->nodeset;
    char text[64], *save = NULL;

    snprintf(text, sizeof text, "%s", list);
    spec->policy = policy;
    spec->attr = attr;
    text_list_fini(&spec->list);
    for (char *v = strtok_r(text, " ", &save); v; v = strtok_r(NULL, " ", &save))
        text_list_add(&spec->list, v);
}

/* n1,n2 with feature A, n3..n5 with B, n6 with none. */
static struct world *open_ab(void)
{
    const char *a[] = {"A", NULL}, *b[] = {"B", NULL}, *none[] = {NULL};
    const char *const *features[] = {a, a, b, b, b, none};
    struct world *w = world_open(NODEALLOC_FIRSTAVAILABLE);

    for (int i = 0; i < 6; i++) {
        char name[8];
        snprintf(name, sizeof name, "n%d", i + 1);
        world_node(
            w, (struct node_desc){.name = name, .cfg = {{1}}, .features = features[i]});
    }
    use_sets(w, NODESET_ONEOF, NODESET_FEATURE, "A B");
    return w;
}

static const char *choose_with(struct world *w, int64_t delay, uint32_t tasks)
{
    w->par->nodeset_delay_s = delay;
    return world_choose(w, world_tasks(w, tasks));
}

static void n12_two_tasks_take_the_first_listed_set(void **state)
{
    static const struct {
        enum nodeset_prio prio;
        const char *want;
    } rows[] = {{NODESET_MINLOSS, "n1:1 n2:1"}, {NODESET_BESTFIT, "n1:1 n2:1"},
        {NODESET_WORSTFIT, "n3:1 n4:1"}, {NODESET_BESTRESOURCE, "n1:1 n2:1"}};
    struct world *w = open_ab();

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (int64_t delay = 0; delay <= 60; delay += 60) {
            w->par->nodeset_prio = rows[i].prio;
            assert_string_equal(choose_with(w, delay, 2), rows[i].want);
        }
    world_close(w);
}

static void n12_three_tasks_need_the_larger_set(void **state)
{
    struct world *w = open_ab();

    (void)state;
    assert_string_equal(choose_with(w, 0, 3), "n3:1 n4:1 n5:1");
    assert_string_equal(choose_with(w, 60, 3), "n3:1 n4:1 n5:1");
    world_close(w);
}

static void n12_a_set_in_use_is_waited_for_only_if_mandatory(void **state)
{
    struct world *w = open_ab();

    (void)state;
    world_occupy(w, "n5", 1, "a");
    assert_string_equal(choose_with(w, 0, 3), "n1:1 n2:1 n3:1");
    assert_string_equal(choose_with(w, 60, 3), "");
    assert_int_equal(w->code, WAIT_NODESET);
    world_close(w);
}

static void n12_no_set_is_large_enough(void **state)
{
    struct world *w = open_ab();

    (void)state;
    assert_string_equal(choose_with(w, 0, 4), "n1:1 n2:1 n3:1 n4:1");
    assert_string_equal(choose_with(w, 60, 4), "");
    assert_int_equal(w->code, WAIT_NODESET);
    assert_string_equal(choose_with(w, 60, 7), "");
    assert_int_equal(w->code, WAIT_RESOURCES);
    world_close(w);
}

static void n12_anyof_mixes_the_listed_sets(void **state)
{
    struct world *w = open_ab();

    (void)state;
    use_sets(w, NODESET_ANYOF, NODESET_FEATURE, "B");
    assert_string_equal(choose_with(w, 0, 2), "n3:1 n4:1");
    assert_string_equal(choose_with(w, 60, 2), "n3:1 n4:1");
    use_sets(w, NODESET_ANYOF, NODESET_FEATURE, "B A");
    assert_string_equal(choose_with(w, 60, 5), "n1:1 n2:1 n3:1 n4:1 n5:1");
    assert_string_equal(choose_with(w, 60, 6), "");
    assert_string_equal(choose_with(w, 0, 6), "n1:1 n2:1 n3:1 n4:1 n5:1 n6:1");
    world_close(w);
}

static void firstof_takes_the_first_adequate_set_of_the_list(void **state)
{
    struct world *w = open_ab();

    (void)state;
    w->par->nodeset_prio = NODESET_BESTFIT;
    use_sets(w, NODESET_FIRSTOF, NODESET_FEATURE, "B A");
    assert_string_equal(choose_with(w, 60, 2), "n3:1 n4:1");
    use_sets(w, NODESET_FIRSTOF, NODESET_FEATURE, "A B");
    assert_string_equal(choose_with(w, 60, 3), "n3:1 n4:1 n5:1");
    world_close(w);
}

static void without_a_list_every_value_present_makes_a_set(void **state)
{
    struct world *w = open_ab();

    (void)state;
    use_sets(w, NODESET_ONEOF, NODESET_FEATURE, "");
    assert_string_equal(choose_with(w, 60, 2), "n1:1 n2:1");
    assert_string_equal(choose_with(w, 60, 3), "n3:1 n4:1 n5:1");
    use_sets(w, NODESET_ANYOF, NODESET_FEATURE, "");
    assert_string_equal(choose_with(w, 60, 6), "");
    world_close(w);
}

static void values_nobody_has_make_no_set(void **state)
{
    struct world *w = open_ab();

    (void)state;
    use_sets(w, NODESET_ONEOF, NODESET_FEATURE, "C");
    assert_string_equal(choose_with(w, 60, 1), "");
    assert_string_equal(choose_with(w, 0, 1), "n1:1");
    use_sets(w, NODESET_ONEOF, NODESET_PROCSPEED, "fast 12x -3");
    assert_string_equal(choose_with(w, 60, 1), "");
    world_close(w);
}

/* n1 500, n2 750, n3 900, n4 500 MHz; tolerance 0.5, mandatory, MAXBALANCE. */
static struct world *open_speeds(void)
{
    static const int64_t mhz[] = {500, 750, 900, 500};
    const char *names[] = {"n1", "n2", "n3", "n4"};
    struct world *w = world_open(NODEALLOC_MAXBALANCE);

    for (int i = 0; i < 4; i++)
        world_node(w, (struct node_desc){
                          .name = names[i], .cfg = {{1}}, .procspeed_mhz = mhz[i]});
    w->par->nodeset_tolerance = 0.5;
    use_sets(w, NODESET_ONEOF, NODESET_PROCSPEED, "");
    return w;
}

static void n13_tolerance_widens_a_set_upwards(void **state)
{
    struct world *w = open_speeds();

    (void)state;
    assert_string_equal(choose_with(w, 60, 3), "n1:1 n4:1 n2:1");
    assert_string_equal(choose_with(w, 60, 4), "");
    assert_int_equal(w->code, WAIT_NODESET);
    world_close(w);
}

static void n13_priority_types_choose_the_set_and_the_policy_the_nodes(void **state)
{
    static const struct {
        enum nodeset_prio prio;
        const char *balanced, *first;
    } rows[] = {{NODESET_MINLOSS, "n1:1 n4:1", "n1:1 n2:1"},
        {NODESET_BESTRESOURCE, "n2:1 n3:1", "n2:1 n3:1"},
        {NODESET_BESTFIT, "n2:1 n3:1", "n2:1 n3:1"},
        {NODESET_WORSTFIT, "n1:1 n4:1", "n1:1 n2:1"}};
    struct world *w = open_speeds();

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        w->par->nodeset_prio = rows[i].prio;
        w->par->nodealloc = NODEALLOC_MAXBALANCE;
        assert_string_equal(choose_with(w, 60, 2), rows[i].balanced);
        w->par->nodealloc = NODEALLOC_FIRSTAVAILABLE;
        assert_string_equal(choose_with(w, 60, 2), rows[i].first);
    }
    world_close(w);
}

static void without_tolerance_speeds_must_be_equal(void **state)
{
    struct world *w = open_speeds();

    (void)state;
    w->par->nodeset_tolerance = 0;
    assert_string_equal(choose_with(w, 60, 2), "n1:1 n4:1");
    assert_string_equal(choose_with(w, 60, 3), "");
    use_sets(w, NODESET_FIRSTOF, NODESET_PROCSPEED, "900 750");
    assert_string_equal(choose_with(w, 60, 1), "n3:1");
    world_close(w);
}

static void memory_sets_want_equal_memory_whatever_the_tolerance(void **state)
{
    static const int64_t mem[] = {512, 1024, 512, 768};
    const char *names[] = {"n1", "n2", "n3", "n4"};
    struct world *w = world_open(NODEALLOC_FIRSTAVAILABLE);

    (void)state;
    for (int i = 0; i < 4; i++)
        world_node(w, (struct node_desc){.name = names[i], .cfg = {{1, mem[i]}}});
    w->par->nodeset_tolerance = 1;
    use_sets(w, NODESET_ONEOF, NODESET_MEMORY, "");
    assert_string_equal(choose_with(w, 60, 2), "n1:1 n3:1");
    assert_string_equal(choose_with(w, 60, 3), "");
    w->par->nodeset_prio = NODESET_BESTRESOURCE;
    assert_string_equal(choose_with(w, 60, 1), "n2:1");
    world_close(w);
}

static void network_sets_go_by_network(void **state)
{
    const char *via[] = {"via", NULL}, *both[] = {"ethernet", "via", NULL},
               *eth[] = {"ethernet", NULL};
    const char *const *nets[] = {via, eth, both, eth};
    const char *names[] = {"n1", "n2", "n3", "n4"};
    struct world *w = world_open(NODEALLOC_FIRSTAVAILABLE);

    (void)state;
    for (int i = 0; i < 4; i++)
        world_node(
            w, (struct node_desc){.name = names[i], .cfg = {{1}}, .networks = nets[i]});
    use_sets(w, NODESET_ONEOF, NODESET_NETWORK, "via ethernet");
    assert_string_equal(choose_with(w, 60, 2), "n1:1 n3:1");
    assert_string_equal(choose_with(w, 60, 3), "n2:1 n3:1 n4:1");
    world_close(w);
}

static void a_jobs_own_set_replaces_the_partitions(void **state)
{
    struct world *w = open_ab();
    struct nodeset_spec own = {.policy = NODESET_ONEOF, .attr = NODESET_FEATURE};

    (void)state;
    text_list_add(&own.list, "B");
    w->par->nodeset_delay_s = 60;
    struct req_desc req = {.tasks = 2, .nodeset = &own};
    assert_string_equal(world_choose(w, world_job(w, "a", req)), "n3:1 n4:1");
    own.policy = NODESET_OFF;
    req.tasks = 4;
    assert_string_equal(world_choose(w, world_job(w, "a", req)), "n1:1 n2:1 n3:1 n4:1");
    text_list_fini(&own.list);
    world_close(w);
}

static void jobs_with_a_host_list_ignore_node_sets(void **state)
{
    const char *list[] = {"n2", "n3", NULL};
    struct world *w = open_ab();
    struct req_desc req = {.tasks = 2, .hosts = list};

    (void)state;
    w->par->nodeset_delay_s = 60;
    struct job *j = world_job(w, "a", req);
    struct nodealloc a = world_ask(w, j);
    assert_null(nodeset_of(&a));
    assert_string_equal(world_choose(w, j), "n2:1 n3:1");
    world_close(w);
}

static void a_wished_set_the_policy_cannot_use_is_left(void **state)
{
    struct world *w = open_ab();
    const char *c[] = {"C", NULL};

    (void)state;
    /* n2 and n6 would be a set, but CONTIGUOUS finds no run in it */
    use_sets(w, NODESET_ONEOF, NODESET_FEATURE, "C");
    w->par->nodealloc = NODEALLOC_CONTIGUOUS;
    world_node(w, (struct node_desc){.name = "n2", .cfg = {{1}}, .features = c});
    world_node(w, (struct node_desc){.name = "n6", .cfg = {{1}}, .features = c});
    assert_string_equal(choose_with(w, 0, 2), "n1:1 n2:1");
    assert_string_equal(choose_with(w, 60, 2), "");
    assert_int_equal(w->code, WAIT_NODESET);
    world_close(w);
}

static void the_filter_keeps_rm_order_and_says_how_many(void **state)
{
    struct world *w = open_ab();
    struct cand cands[8];

    (void)state;
    struct job *j = world_tasks(w, 3);
    struct nodealloc a = world_ask(w, j);
    assert_int_equal(nodeset_filter(&a, cands, world_cands(w, j, cands), true), 3);
    for (uint32_t i = 0; i < 3; i++)
        assert_int_equal(cands[i].node, 2 + i);
    j = world_tasks(w, 4);
    a = world_ask(w, j);
    assert_int_equal(nodeset_filter(&a, cands, world_cands(w, j, cands), false), 6);
    assert_int_equal(nodeset_filter(&a, cands, world_cands(w, j, cands), true), 0);
    world_close(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(n12_two_tasks_take_the_first_listed_set),
        cmocka_unit_test(n12_three_tasks_need_the_larger_set),
        cmocka_unit_test(n12_a_set_in_use_is_waited_for_only_if_mandatory),
        cmocka_unit_test(n12_no_set_is_large_enough),
        cmocka_unit_test(n12_anyof_mixes_the_listed_sets),
        cmocka_unit_test(firstof_takes_the_first_adequate_set_of_the_list),
        cmocka_unit_test(without_a_list_every_value_present_makes_a_set),
        cmocka_unit_test(values_nobody_has_make_no_set),
        cmocka_unit_test(n13_tolerance_widens_a_set_upwards),
        cmocka_unit_test(n13_priority_types_choose_the_set_and_the_policy_the_nodes),
        cmocka_unit_test(without_tolerance_speeds_must_be_equal),
        cmocka_unit_test(memory_sets_want_equal_memory_whatever_the_tolerance),
        cmocka_unit_test(network_sets_go_by_network),
        cmocka_unit_test(a_jobs_own_set_replaces_the_partitions),
        cmocka_unit_test(jobs_with_a_host_list_ignore_node_sets),
        cmocka_unit_test(a_wished_set_the_policy_cannot_use_is_left),
        cmocka_unit_test(the_filter_keeps_rm_order_and_says_how_many),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
