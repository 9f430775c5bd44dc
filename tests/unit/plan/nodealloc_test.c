/* SPDX-License-Identifier: Apache-2.0
 * The choice among candidates: policies, affinity, host lists, distribution. Worked
 * examples by their numbers in the reference. */
#include "select_fixture.h"

/* Candidates on nodes n1.. with those tasks (0 = none). */
static size_t offers(struct cand *ret, const uint32_t *tasks, size_t count)
{
    size_t n = 0;

    for (uint32_t i = 0; i < count; i++)
        if (tasks[i])
            ret[n++] = (struct cand){i, tasks[i], TIME_NEVER, AFFINITY_NONE};
    return n;
}

#define OFFERS(cands, ...)                                                             \
    offers(cands, (const uint32_t[]){__VA_ARGS__},                                     \
        sizeof(const uint32_t[]){__VA_ARGS__} / sizeof(uint32_t))

static const char *pick(
    struct world *w, const struct job *j, struct cand *cands, size_t n)
{
    struct nodealloc a = world_ask(w, j);

    return world_pick(w, &a, cands, n);
}

static const char *pick_tasks(
    struct world *w, uint32_t tasks, struct cand *cands, size_t n)
{
    return pick(w, world_tasks(w, tasks), cands, n);
}

/* ---- policies --------------------------------------------------------------- */

static void n1_firstavailable_packs_in_rm_order(void **state)
{
    struct world *w = world_open(NODEALLOC_FIRSTAVAILABLE);

    (void)state;
    world_nodes(w, 4, 4);
    world_occupy(w, "n1", 3, "a");
    world_occupy(w, "n2", 4, "a");
    assert_string_equal(world_choose(w, world_tasks(w, 6)), "n1:1 n3:4 n4:1");
    world_close(w);
}

static void n2_lastavailable_takes_the_best_fit_in_time(void **state)
{
    struct world *w = world_open(NODEALLOC_LASTAVAILABLE);
    struct cand cands[3];
    const int64_t hour = 3600;
    static const struct {
        int64_t hours;
        enum nodealloc_policy policy;
        const char *open, *want; /* nodes that can hold the job that long */
    } rows[] = {{3, NODEALLOC_LASTAVAILABLE, "123", "n2:1"},
        {5, NODEALLOC_LASTAVAILABLE, "13", "n1:1"},
        {1, NODEALLOC_LASTAVAILABLE, "3", "n3:1"},
        {3, NODEALLOC_FIRSTAVAILABLE, "123", "n1:1"},
        {5, NODEALLOC_FIRSTAVAILABLE, "3", "n3:1"},
        {1, NODEALLOC_FIRSTAVAILABLE, "2", "n2:1"}};

    (void)state;
    world_nodes(w, 3, 1);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct nodealloc a = world_ask(w, world_tasks(w, 1));
        const int64_t until[] = {5 * hour, 3 * hour, TIME_NEVER};
        size_t n = 0;
        for (const char *o = rows[i].open; *o; o++)
            cands[n++] =
                (struct cand){(uint32_t)(*o - '1'), 1, until[*o - '1'], AFFINITY_NONE};
        a.start_at = 0;
        a.end_at = rows[i].hours * hour;
        w->par->nodealloc = rows[i].policy;
        assert_string_equal(world_pick(w, &a, cands, n), rows[i].want);
    }
    world_close(w);
}

static void n3_lastavailable_ties_go_to_the_later_node(void **state)
{
    struct world *w = world_open(NODEALLOC_LASTAVAILABLE);

    (void)state;
    world_nodes(w, 4, 4);
    assert_string_equal(world_start(w, world_tasks(w, 1)), "n4:1");
    world_start(w, world_tasks(w, 3));
    assert_string_equal(world_start(w, world_tasks(w, 4)), "n3:4");
    world_close(w);
}

static void lastavailable_uses_the_newest_nodes_in_one_run(void **state)
{
    struct world *w = world_open(NODEALLOC_LASTAVAILABLE);
    struct allocs got = {0};
    struct cand cands[64];

    (void)state;
    world_nodes(w, 40, 1);
    struct job *j = world_tasks(w, 30);
    struct nodealloc a = world_ask(w, j);
    size_t n = world_cands(w, j, cands);
    assert_int_equal(nodealloc_choose(&a, cands, n, &got, &w->code), 0);
    assert_int_equal(got.n, 1);
    assert_int_equal(got.v[0].first, 10);
    assert_int_equal(got.v[0].count, 30);
    vec_fini(&got);
    world_close(w);
}

static void n4_minresource_takes_the_smallest_that_does(void **state)
{
    static const int64_t mem[] = {256, 1024, 512};
    struct world *w = world_open(NODEALLOC_MINRESOURCE);
    const char *names[] = {"n1", "n2", "n3"};

    (void)state;
    for (int i = 0; i < 3; i++)
        world_node(w, (struct node_desc){.name = names[i], .cfg = {{1, mem[i]}}});
    struct req_desc y = {.tasks = 1, .mem = {CMP_GE, 128}};
    struct req_desc x = {.tasks = 1, .mem = {CMP_GE, 512}};
    assert_string_equal(world_start(w, world_job(w, "y", y)), "n1:1");
    assert_string_equal(world_start(w, world_job(w, "x", x)), "n3:1");
    assert_string_equal(world_start(w, world_job(w, "z", x)), "n2:1");
    world_close(w);
}

static void minresource_breaks_ties_by_other_amounts_then_latest(void **state)
{
    struct world *w = world_open(NODEALLOC_MINRESOURCE);
    struct cand cands[4];

    (void)state;
    world_node(w, (struct node_desc){.name = "n1", .cfg = {{2, 512, 64, 10}}});
    world_node(w, (struct node_desc){.name = "n2", .cfg = {{2, 512, 32, 20}}});
    world_node(w, (struct node_desc){.name = "n3", .cfg = {{2, 512, 32, 10}}});
    world_node(w, (struct node_desc){.name = "n4", .cfg = {{2, 512, 32, 10}}});
    assert_string_equal(
        pick_tasks(w, 7, cands, OFFERS(cands, 2, 2, 2, 2)), "n2:2 n3:2 n4:2 n1:1");
    assert_string_equal(pick_tasks(w, 1, cands, OFFERS(cands, 2, 2, 2, 2)), "n4:1");
    world_close(w);
}

static void set_loads(struct world *w, const double *loads, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        node_measure(w->c, node_at(w->c, i), loads[i], &(struct res){{0}});
}

static void n5_cpuload_takes_the_idlest_node(void **state)
{
    static const double loads[] = {0.5, 3.0, 1.0, 0.0};
    struct world *w = world_open(NODEALLOC_CPULOAD);
    struct cand cands[4];

    (void)state;
    world_nodes(w, 4, 4);
    set_loads(w, loads, 4);
    assert_string_equal(pick_tasks(w, 1, cands, OFFERS(cands, 4, 4, 4, 4)), "n4:1");
    struct req_desc two = {.tasks = 2, .access = ACCESS_SINGLETASK};
    assert_string_equal(
        pick(w, world_job(w, "a", two), cands, OFFERS(cands, 1, 1, 1, 1)), "n4:1 n1:1");
    struct nodealloc later = world_ask(w, world_tasks(w, 5));
    later.immediate = false;
    assert_string_equal(
        world_pick(w, &later, cands, OFFERS(cands, 4, 4, 4, 4)), "n4:4 n3:1");
    world_close(w);
}

static void cpuload_leaves_nodes_without_idle_processors(void **state)
{
    static const double loads[] = {4.0, 3.0};
    struct world *w = world_open(NODEALLOC_CPULOAD);
    struct cand cands[2];

    (void)state;
    world_nodes(w, 2, 4);
    set_loads(w, loads, 2);
    assert_string_equal(pick_tasks(w, 4, cands, OFFERS(cands, 4, 4)), "n2:4");
    assert_string_equal(pick_tasks(w, 5, cands, OFFERS(cands, 4, 4)), "");
    world_close(w);
}

static void set_function(struct world *w, const char *node, int count, ...)
{
    struct nodeprio *f = &settings_node(w->cfg, node)->priorityf;
    va_list ap;

    va_start(ap, count);
    f->set = true;
    for (int i = 0; i < count; i++) {
        int term = va_arg(ap, int);
        f->coef[term] = va_arg(ap, double);
        f->present |= 1u << term;
    }
    va_end(ap);
}

static double priority_of(struct world *w, const char *node, bool immediate)
{
    struct nodealloc a = world_ask(w, world_tasks(w, 1));
    struct cand k = {world_find(w, node)->index, 1, TIME_NEVER, AFFINITY_NONE};

    a.immediate = immediate;
    return nodeprio_value(&a, &k);
}

static void n6_priorityf_orders_by_the_function(void **state)
{
    static const struct {
        const char *name;
        double speed;
        int64_t mem;
        uint32_t jobs;
        double value, later;
    } rows[] = {{"n1", 1, 1024, 0, 11.24, 1}, {"n2", 2, 512, 0, 7.12, 2},
        {"n3", 1, 4096, 3, 11.96, 1}, {"n4", 1, 2048, 2, 1.48, 1}};
    struct world *w = world_open(NODEALLOC_PRIORITY);

    (void)state;
    set_function(w, "DEFAULT", 3, NP_SPEED, 1.0, NP_AMEM, 0.01, NP_JOBCOUNT, -10.0);
    for (int i = 0; i < 4; i++) {
        world_node(w, (struct node_desc){.name = rows[i].name,
                          .cfg = {{4, rows[i].mem}},
                          .speed = rows[i].speed});
        for (uint32_t k = 0; k < rows[i].jobs; k++)
            world_occupy(w, rows[i].name, 1, "a");
    }
    for (int i = 0; i < 4; i++) {
        assert_float_equal(priority_of(w, rows[i].name, true), rows[i].value, 1e-9);
        assert_float_equal(priority_of(w, rows[i].name, false), rows[i].later, 1e-9);
    }
    assert_string_equal(world_choose(w, world_tasks(w, 3)), "n3:1 n1:2");
    assert_string_equal(world_choose(w, world_tasks(w, 11)), "n3:1 n1:4 n2:4 n4:2");
    world_close(w);
}

static void n7_batch_nodes_first(void **state)
{
    const char *names[] = {"batch1", "batch2", "d1", "d2"};
    struct world *w = world_open(NODEALLOC_PRIORITY);

    (void)state;
    set_function(w, "DEFAULT", 2, NP_LOAD, -1.0, NP_USAGE, -5.0);
    for (int i = 0; i < 2; i++) {
        settings_node(w->cfg, names[i])->priority = 1000;
        settings_node(w->cfg, names[i])->priority_set = true;
        set_function(w, names[i], 2, NP_PRIORITY, 1.0, NP_APROCS, 1.0);
    }
    for (int i = 0; i < 4; i++)
        world_node(w, (struct node_desc){.name = names[i], .cfg = {{4}}});
    world_occupy(w, "batch1", 1, "a");
    node_measure(w->c, world_find(w, "d1"), 0.2, &(struct res){{0}});
    node_measure(w->c, world_find(w, "d2"), 0.1, &(struct res){{0}});
    world_find(w, "d1")->usage_fraction = 0.5;
    world_find(w, "d2")->usage_fraction = 0.1;
    assert_float_equal(priority_of(w, "batch1", true), 1003, 1e-9);
    assert_float_equal(priority_of(w, "batch2", true), 1004, 1e-9);
    assert_float_equal(priority_of(w, "d1", true), -2.7, 1e-9);
    assert_float_equal(priority_of(w, "d2", true), -0.6, 1e-9);
    assert_string_equal(world_choose(w, world_tasks(w, 8)), "batch2:4 batch1:3 d2:1");
    world_close(w);
}

static void n8_jobcount_packs_busy_nodes(void **state)
{
    struct world *w = world_open(NODEALLOC_PRIORITY);

    (void)state;
    set_function(w, "DEFAULT", 1, NP_JOBCOUNT, 1.0);
    world_nodes(w, 4, 4);
    world_occupy(w, "n1", 1, "a");
    world_occupy(w, "n2", 1, "a");
    world_occupy(w, "n2", 1, "a");
    assert_string_equal(world_choose(w, world_tasks(w, 3)), "n2:2 n1:1");
    world_close(w);
}

static void without_a_function_priority_and_preference_count(void **state)
{
    const char *fast[] = {"fast", NULL};
    struct world *w = world_open(NODEALLOC_PRIORITY);

    (void)state;
    settings_node(w->cfg, "n3")->priority = 99;
    settings_node(w->cfg, "n3")->priority_set = true;
    world_node(w, (struct node_desc){.name = "n1", .cfg = {{1}}});
    world_node(w, (struct node_desc){.name = "n2", .cfg = {{1}}, .features = fast});
    world_node(w, (struct node_desc){.name = "n3", .cfg = {{1}}});
    struct req_desc req = {.tasks = 3, .prefs = fast};
    assert_string_equal(world_choose(w, world_job(w, "a", req)), "n2:1 n3:1 n1:1");
    world_close(w);
}

/* What such a job gets of nodes n1.. with so many processors, all free; 0: none there.
 */
static const char *tightest(struct req_desc req, int64_t high, const int64_t *procs)
{
    static char text[200];
    struct world *w = world_open(NODEALLOC_TIGHTEST);
    struct cand k[16];
    size_t n = 0;

    for (int i = 0; procs[i] >= 0; i++) {
        char name[8];
        snprintf(name, sizeof name, "n%d", i + 1);
        settings_node(w->cfg, name)->priority = i + 1 >= high ? 1 : 0;
        settings_node(w->cfg, name)->priority_set = true;
        world_node(
            w, (struct node_desc){.name = name, .cfg = {{procs[i] ? procs[i] : 1}}});
        if (procs[i])
            k[n++] = (struct cand){
                (uint32_t)i, (uint32_t)procs[i], TIME_NEVER, AFFINITY_NONE};
    }
    snprintf(text, sizeof text, "%s", pick(w, world_job(w, "a", req), k, n));
    world_close(w);
    return text;
}

#define TIGHTEST(wanted, ...)                                                          \
    tightest((struct req_desc){.tasks = wanted}, 99, (const int64_t[]){__VA_ARGS__, -1})

static void tightest_takes_the_node_that_is_just_large_enough(void **state)
{
    (void)state;
    assert_string_equal(TIGHTEST(4, 2, 4, 3, 8), "n2:4");
    assert_string_equal(TIGHTEST(3, 2, 4, 3, 8), "n3:3");
    assert_string_equal(TIGHTEST(1, 2, 1, 1, 8), "n2:1");
    assert_string_equal(TIGHTEST(9, 2, 4, 3, 8), "n1:2 n2:4 n3:3");
}

static void tightest_takes_the_smallest_stretch_that_suffices(void **state)
{
    (void)state;
    assert_string_equal(TIGHTEST(4, 4, 4, 4, 0, 2, 4), "n6:4");
    assert_string_equal(TIGHTEST(4, 8, 0, 2, 2, 0, 6), "n3:2 n4:2");
    assert_string_equal(TIGHTEST(5, 4, 0, 4, 4), "n3:4 n4:1");
    /* none suffices: the largest, then the next */
    assert_string_equal(TIGHTEST(9, 1, 0, 4, 4, 0, 3, 0, 1), "n3:4 n4:4 n1:1");
    assert_string_equal(TIGHTEST(14, 1, 0, 4, 4, 0, 3), "");
}

static void tightest_is_asked_of_nodes_of_one_priority(void **state)
{
    (void)state;
    assert_string_equal(tightest((struct req_desc){.tasks = 2}, 4,
                            (const int64_t[]){2, 2, 2, 4, 3, -1}),
        "n5:2");
    assert_string_equal(tightest((struct req_desc){.tasks = 9}, 4,
                            (const int64_t[]){1, 5, 2, 4, 3, -1}),
        "n4:4 n5:3 n3:2");
}

static void tightest_with_a_number_of_nodes(void **state)
{
    (void)state;
    assert_string_equal(
        tightest((struct req_desc){.tasks = 2, .nodes = 2, .exact = true}, 99,
            (const int64_t[]){1, 0, 8, 8, 8, 0, 4, 4, -1}),
        "n7:1 n8:1");
    assert_string_equal(
        tightest((struct req_desc){.tasks = 4, .nodes = 1, .exact = true}, 99,
            (const int64_t[]){3, 3, 0, 5, 6, 8, -1}),
        "n4:4");
}

/* Nodes are measured by their processors, not by what else the job wants of them. */
static void tightest_does_not_use_up_the_last_device_first(void **state)
{
    struct world *w = world_open(NODEALLOC_TIGHTEST);
    struct cand k[8];

    (void)state;
    world_nodes(w, 3, 8);
    assert_string_equal(pick_tasks(w, 1, k, OFFERS(k, 2, 1, 2)), "n1:1");
    world_close(w);
}

static void n9_fastest_by_speed_then_procspeed_then_rm_order(void **state)
{
    static const struct {
        double speed[4];
        int64_t mhz[4];
        const char *want;
    } rows[] = {{{1.0, 1.5, 1.2, 1.5}, {0}, "n2:4 n4:1"},
        {{1, 1, 1, 1}, {500, 750, 900, 750}, "n3:4 n2:1"}, {{0}, {0}, "n1:4 n2:1"}};
    const char *names[] = {"n1", "n2", "n3", "n4"};

    (void)state;
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        struct world *w = world_open(NODEALLOC_FASTEST);
        for (int i = 0; i < 4; i++)
            world_node(w, (struct node_desc){.name = names[i],
                              .cfg = {{4}},
                              .speed = rows[r].speed[i],
                              .procspeed_mhz = rows[r].mhz[i]});
        assert_string_equal(world_choose(w, world_tasks(w, 5)), rows[r].want);
        world_close(w);
    }
}

static void n10_maxbalance_takes_the_least_span(void **state)
{
    static const int64_t mhz[] = {500, 500, 750, 900};
    const char *names[] = {"n1", "n2", "n3", "n4"};
    struct world *w = world_open(NODEALLOC_MAXBALANCE);
    struct cand cands[4];

    (void)state;
    for (int i = 0; i < 4; i++)
        world_node(w, (struct node_desc){
                          .name = names[i], .cfg = {{1}}, .procspeed_mhz = mhz[i]});
    assert_string_equal(
        pick_tasks(w, 2, cands, OFFERS(cands, 1, 1, 1, 1)), "n1:1 n2:1");
    assert_string_equal(
        pick_tasks(w, 3, cands, OFFERS(cands, 1, 1, 1, 1)), "n1:1 n2:1 n3:1");
    assert_string_equal(
        pick_tasks(w, 2, cands, OFFERS(cands, 0, 1, 1, 1)), "n3:1 n4:1");
    assert_string_equal(pick_tasks(w, 5, cands, OFFERS(cands, 1, 1, 1, 1)), "");
    world_close(w);
}

static void maxbalance_fills_whole_levels_before_it_balances(void **state)
{
    static const int64_t mhz[] = {100, 500, 900, 950};
    const char *names[] = {"n1", "n2", "n3", "n4"};
    struct world *w = world_open(NODEALLOC_MAXBALANCE);
    struct cand cands[4];

    (void)state;
    for (int i = 0; i < 4; i++)
        world_node(w, (struct node_desc){
                          .name = names[i], .cfg = {{1}}, .procspeed_mhz = mhz[i]});
    OFFERS(cands, 1, 1, 1, 1);
    cands[1].affinity = AFFINITY_POSITIVE;
    assert_string_equal(pick_tasks(w, 3, cands, 4), "n2:1 n3:1 n4:1");
    world_close(w);
}

static void n11_contiguous_takes_the_first_run_that_holds_all(void **state)
{
    struct world *w = world_open(NODEALLOC_CONTIGUOUS);

    (void)state;
    world_nodes(w, 6, 1);
    world_occupy(w, "n3", 1, "a");
    assert_string_equal(world_choose(w, world_tasks(w, 3)), "n4:1 n5:1 n6:1");
    assert_string_equal(world_choose(w, world_tasks(w, 2)), "n1:1 n2:1");
    assert_string_equal(world_choose(w, world_tasks(w, 4)), "");
    assert_int_equal(w->code, WAIT_RESOURCES);
    world_close(w);
}

static void contiguous_goes_by_slots_where_all_nodes_have_one(void **state)
{
    static const int64_t slots[] = {1, 4, 2, 5};
    const char *names[] = {"n1", "n2", "n3", "n4"};
    struct world *w = world_open(NODEALLOC_CONTIGUOUS);
    struct cand cands[4];

    (void)state;
    for (int i = 0; i < 4; i++)
        world_node(
            w, (struct node_desc){
                   .name = names[i], .cfg = {{1}}, .frame = 1, .slot = slots[i]});
    assert_string_equal(
        pick_tasks(w, 2, cands, OFFERS(cands, 1, 1, 1, 1)), "n1:1 n3:1");
    assert_string_equal(
        pick_tasks(w, 2, cands, OFFERS(cands, 0, 1, 1, 1)), "n2:1 n4:1");
    assert_string_equal(pick_tasks(w, 3, cands, OFFERS(cands, 1, 1, 1, 1)), "");
    world_close(w);
}

static void local_finds_nothing_without_a_site_hook(void **state)
{
    struct world *w = world_open(NODEALLOC_LOCAL);

    (void)state;
    world_nodes(w, 2, 4);
    assert_string_equal(world_choose(w, world_tasks(w, 1)), "");
    assert_int_equal(w->code, WAIT_RESOURCES);
    world_close(w);
}

static void a_job_may_name_its_own_policy(void **state)
{
    struct world *w = world_open(NODEALLOC_FIRSTAVAILABLE);
    struct req_desc req = {.tasks = 1, .nodealloc = NODEALLOC_LASTAVAILABLE};

    (void)state;
    world_nodes(w, 3, 1);
    assert_string_equal(world_choose(w, world_job(w, "a", req)), "n3:1");
    world_close(w);
}

/* ---- affinity --------------------------------------------------------------- */

static void n14_levels_come_before_the_policy(void **state)
{
    const char *names[] = {"n1", "n2", "n3", "n4"};
    struct world *w = world_open(NODEALLOC_FIRSTAVAILABLE);
    struct cand cands[4];

    (void)state;
    for (int i = 0; i < 4; i++)
        world_node(w, (struct node_desc){
                          .name = names[i], .cfg = {{1}}, .speed = i == 0 ? 2.0 : 1.0});
    for (uint32_t tasks = 3; tasks <= 4; tasks++)
        for (int fastest = 0; fastest < 2; fastest++) {
            OFFERS(cands, 1, 1, 1, 1);
            cands[0].affinity = AFFINITY_NEGATIVE;
            cands[3].affinity = AFFINITY_POSITIVE;
            w->par->nodealloc = fastest ? NODEALLOC_FASTEST : NODEALLOC_FIRSTAVAILABLE;
            assert_string_equal(pick_tasks(w, tasks, cands, 4),
                tasks == 3 ? "n4:1 n2:1 n3:1" : "n4:1 n2:1 n3:1 n1:1");
        }
    world_close(w);
}

static void levels_are_used_up_from_required_to_preemptible(void **state)
{
    static const enum affinity levels[] = {AFFINITY_PREEMPTIBLE, AFFINITY_NEGATIVE,
        AFFINITY_NONE, AFFINITY_NEUTRAL, AFFINITY_POSITIVE, AFFINITY_REQUIRED};
    struct world *w = world_open(NODEALLOC_LASTAVAILABLE);
    struct cand cands[6];

    (void)state;
    world_nodes(w, 6, 2);
    OFFERS(cands, 2, 2, 2, 2, 2, 2);
    for (int i = 0; i < 6; i++)
        cands[i].affinity = levels[i];
    assert_string_equal(pick_tasks(w, 11, cands, 6), "n2:2 n3:2 n4:2 n5:2 n6:2 n1:1");
    OFFERS(cands, 2, 2, 2, 2, 2, 2);
    for (int i = 0; i < 6; i++)
        cands[i].affinity = levels[i];
    assert_string_equal(pick_tasks(w, 3, cands, 6), "n6:2 n5:1");
    world_close(w);
}

static void resaffinity_in_the_function_makes_one_pool(void **state)
{
    struct world *w = world_open(NODEALLOC_PRIORITY);
    struct cand cands[3];

    (void)state;
    set_function(w, "DEFAULT", 2, NP_RESAFFINITY, 10.0, NP_PRIORITY, 1.0);
    settings_node(w->cfg, "n1")->priority = 30;
    settings_node(w->cfg, "n1")->priority_set = true;
    world_nodes(w, 3, 1);
    OFFERS(cands, 1, 1, 1);
    cands[0].affinity = AFFINITY_NEGATIVE; /* 20 */
    cands[2].affinity = AFFINITY_POSITIVE; /* 10 */
    assert_string_equal(pick_tasks(w, 2, cands, 3), "n1:1 n3:1");
    world_close(w);
}

static void a_function_without_resaffinity_keeps_the_levels(void **state)
{
    struct world *w = world_open(NODEALLOC_PRIORITY);
    struct cand cands[3];

    (void)state;
    set_function(w, "DEFAULT", 1, NP_PRIORITY, 1.0);
    settings_node(w->cfg, "n1")->priority = 30;
    settings_node(w->cfg, "n1")->priority_set = true;
    world_nodes(w, 3, 1);
    OFFERS(cands, 1, 1, 1);
    cands[0].affinity = AFFINITY_NEGATIVE;
    cands[2].affinity = AFFINITY_POSITIVE;
    assert_string_equal(pick_tasks(w, 2, cands, 3), "n2:1 n3:1");
    world_close(w);
}

static void advres_jobs_use_reserved_nodes_only(void **state)
{
    struct world *w = world_open(NODEALLOC_FIRSTAVAILABLE);
    struct cand cands[4];

    (void)state;
    world_nodes(w, 4, 1);
    struct job *j = world_tasks(w, 1);
    j->flags |= JOB_ADVRES;
    OFFERS(cands, 1, 1, 1, 1);
    cands[1].affinity = AFFINITY_PREEMPTIBLE;
    cands[2].affinity = AFFINITY_NEGATIVE;
    cands[3].affinity = AFFINITY_NEUTRAL;
    assert_string_equal(pick(w, j, cands, 4), "n4:1");
    assert_string_equal(pick(w, j, cands, OFFERS(cands, 1, 1, 1, 1)), "");
    world_close(w);
}

/* ---- node counts and distribution ------------------------------------------- */

/* Pick with EXACTNODE. */
static const char *pick_exact(
    struct world *w, uint32_t tasks, uint32_t nodes, struct cand *cands, size_t n)
{
    struct nodealloc a = world_ask(w, world_tasks(w, tasks));
    struct taskdef def = *a.req->def;
    struct req req = {.def = &def, .tasks = tasks, .nodes = nodes};

    def.exactnode = true;
    a.req = &req;
    return world_pick(w, &a, cands, n);
}

static void n17_node_counts_pack_unless_exact(void **state)
{
    struct world *w = world_open(NODEALLOC_FIRSTAVAILABLE);
    struct req_desc req = {.tasks = 3, .nodes = 3};
    struct cand cands[4];

    (void)state;
    world_nodes(w, 4, 4);
    assert_string_equal(world_choose(w, world_job(w, "a", req)), "n1:3");
    assert_string_equal(
        pick_exact(w, 3, 3, cands, OFFERS(cands, 4, 4, 4, 4)), "n1:1 n2:1 n3:1");
    world_close(w);
}

static void n17_exactproc_takes_nodes_of_just_that_size(void **state)
{
    static const int procs[] = {4, 2, 2};
    const char *names[] = {"n1", "n2", "n3"};
    struct world *w = world_open(NODEALLOC_FIRSTAVAILABLE);
    struct cand cands[3];
    size_t n = 0;

    (void)state;
    for (int i = 0; i < 3; i++)
        world_node(w, (struct node_desc){.name = names[i], .cfg = {{procs[i]}}});
    struct nodealloc a = world_ask(
        w, world_job(w, "a", (struct req_desc){.tasks = 4, .nodes = 2, .tpn = 2}));
    struct taskdef def = *a.req->def;
    struct req req = {.def = &def, .tasks = 4, .nodes = 2};
    def.exactproc = true;
    a.req = &req;
    for (uint32_t i = 0; i < 3; i++)
        if (feasible_node(w->c, &def, node_at(w->c, i), NULL))
            cands[n++] = (struct cand){i, 2, TIME_NEVER, AFFINITY_NONE};
    assert_string_equal(world_pick(w, &a, cands, n), "n2:2 n3:2");
    world_close(w);
}

static void tasks_spread_evenly_over_the_nodes_asked_for(void **state)
{
    struct world *w = world_open(NODEALLOC_FIRSTAVAILABLE);
    struct cand cands[4];

    (void)state;
    world_nodes(w, 4, 4);
    assert_string_equal(
        pick_exact(w, 8, 3, cands, OFFERS(cands, 4, 4, 4, 4)), "n1:3 n2:3 n3:2");
    assert_string_equal(
        pick_exact(w, 7, 3, cands, OFFERS(cands, 2, 4, 4, 4)), "n1:2 n2:3 n3:2");
    world_close(w);
}

static void uneven_nodes_take_what_they_can_and_leave_one_for_each(void **state)
{
    struct world *w = world_open(NODEALLOC_FIRSTAVAILABLE);
    struct cand cands[4];

    (void)state;
    world_nodes(w, 4, 4);
    /* floor(8/3) = 2 does not fit on n1: 1 + 8 - 3 = 6, 1 + 7 - 2 = 6, the rest */
    assert_string_equal(
        pick_exact(w, 8, 3, cands, OFFERS(cands, 1, 4, 4, 0)), "n1:1 n2:4 n3:3");
    assert_string_equal(
        pick_exact(w, 5, 3, cands, OFFERS(cands, 4, 0, 4, 1)), "n1:2 n3:2 n4:1");
    assert_string_equal(
        pick_exact(w, 6, 3, cands, OFFERS(cands, 4, 4, 1, 0)), "n1:4 n2:1 n3:1");
    world_close(w);
}

static void roomier_nodes_are_used_when_the_first_do_not_hold_all(void **state)
{
    struct world *w = world_open(NODEALLOC_FIRSTAVAILABLE);
    struct cand cands[4];

    (void)state;
    world_nodes(w, 4, 4);
    assert_string_equal(
        pick_exact(w, 7, 2, cands, OFFERS(cands, 1, 4, 1, 3)), "n2:4 n4:3");
    assert_string_equal(pick_exact(w, 8, 2, cands, OFFERS(cands, 1, 4, 1, 3)), "");
    assert_string_equal(pick_exact(w, 4, 4, cands, OFFERS(cands, 4, 4, 4, 0)), "");
    world_close(w);
}

static void exact_node_counts_hold_for_every_policy(void **state)
{
    static const struct {
        enum nodealloc_policy policy;
        const char *want;
    } rows[] = {{NODEALLOC_LASTAVAILABLE, "n3:2 n4:2"},
        {NODEALLOC_CONTIGUOUS, "n1:2 n2:2"}, {NODEALLOC_MAXBALANCE, "n1:2 n2:2"}};
    struct world *w = world_open(NODEALLOC_FIRSTAVAILABLE);
    struct cand cands[4];

    (void)state;
    world_nodes(w, 4, 4);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        w->par->nodealloc = rows[i].policy;
        assert_string_equal(
            pick_exact(w, 4, 2, cands, OFFERS(cands, 4, 4, 4, 4)), rows[i].want);
    }
    world_close(w);
}

static void n22_tasks_per_node_are_multiples(void **state)
{
    struct world *w = world_open(NODEALLOC_FIRSTAVAILABLE);
    struct req_desc req = {.tasks = 4, .tpn = 2};
    struct cand cands[4];

    (void)state;
    world_nodes(w, 4, 4);
    world_occupy(w, "n1", 1, "a");
    assert_string_equal(world_choose(w, world_job(w, "a", req)), "n1:2 n2:2");
    struct job *two = world_job(w, "a", req);
    assert_string_equal(pick(w, two, cands, OFFERS(cands, 3, 1, 3, 4)), "n1:2 n3:2");
    req.tpn = 4;
    assert_string_equal(world_choose(w, world_job(w, "a", req)), "n2:4");
    world_close(w);
}

static void a_count_that_is_no_multiple_of_tpn_never_fits(void **state)
{
    struct world *w = world_open(NODEALLOC_FIRSTAVAILABLE);
    struct cand cands[2];

    (void)state;
    world_nodes(w, 2, 4);
    struct nodealloc a =
        world_ask(w, world_job(w, "a", (struct req_desc){.tasks = 4, .tpn = 2}));
    struct req req = {.def = a.req->def, .tasks = 5};
    a.req = &req;
    assert_string_equal(world_pick(w, &a, cands, OFFERS(cands, 4, 4)), "");
    world_close(w);
}

static void singletask_puts_one_task_on_a_node(void **state)
{
    struct world *w = world_open(NODEALLOC_FIRSTAVAILABLE);
    struct req_desc req = {.tasks = 2, .access = ACCESS_SINGLETASK};
    struct cand cands[3];

    (void)state;
    world_nodes(w, 3, 4);
    struct job *j = world_job(w, "a", req);
    assert_string_equal(pick(w, j, cands, OFFERS(cands, 4, 4, 4)), "n1:1 n2:1");
    world_close(w);
}

static void without_multinode_jobs_one_node_carries_all(void **state)
{
    struct world *w = world_open(NODEALLOC_FIRSTAVAILABLE);
    struct cand cands[3];

    (void)state;
    w->cfg->enable_multinode_jobs = false;
    world_nodes(w, 3, 4);
    assert_string_equal(pick_tasks(w, 3, cands, OFFERS(cands, 2, 2, 4)), "n3:3");
    assert_string_equal(pick_tasks(w, 5, cands, OFFERS(cands, 4, 4, 4)), "");
    world_close(w);
}

static void n24_memory_limits_tasks_per_node(void **state)
{
    struct world *w = world_open(NODEALLOC_FIRSTAVAILABLE);
    struct req_desc req = {.tasks = 3, .per_task = {{1, 512}}};

    (void)state;
    world_node(w, (struct node_desc){.name = "n1", .cfg = {{4, 1024}}});
    world_node(w, (struct node_desc){.name = "n2", .cfg = {{4, 4096}}});
    assert_string_equal(world_choose(w, world_job(w, "a", req)), "n1:2 n2:1");
    world_close(w);
}

/* ---- host lists -------------------------------------------------------------- */

static void n23_listed_hosts_come_first_in_list_order(void **state)
{
    const char *list[] = {"n3", "n4", NULL}, *back[] = {"n4", "n3", NULL};
    struct world *w = world_open(NODEALLOC_FIRSTAVAILABLE);
    struct req_desc req = {.tasks = 1, .hosts = list};

    (void)state;
    world_nodes(w, 4, 1);
    assert_string_equal(world_choose(w, world_job(w, "a", req)), "n3:1");
    req.tasks = 3;
    assert_string_equal(world_choose(w, world_job(w, "a", req)), "n3:1 n4:1 n1:1");
    req.tasks = 1;
    req.hosts = back;
    assert_string_equal(world_choose(w, world_job(w, "a", req)), "n4:1");
    world_close(w);
}

static void a_long_host_list_never_spills_over(void **state)
{
    const char *list[] = {"n3", "n4", NULL};
    struct world *w = world_open(NODEALLOC_LASTAVAILABLE);
    struct req_desc req = {.tasks = 2, .hosts = list};

    (void)state;
    world_nodes(w, 4, 1);
    world_occupy(w, "n3", 1, "a");
    assert_string_equal(world_choose(w, world_job(w, "a", req)), "");
    req.tasks = 1;
    assert_string_equal(world_choose(w, world_job(w, "a", req)), "n4:1");
    world_close(w);
}

static void a_short_host_list_waits_for_every_listed_host(void **state)
{
    const char *list[] = {"n2", "n3", NULL};
    struct world *w = world_open(NODEALLOC_LASTAVAILABLE);
    struct req_desc req = {.tasks = 3, .hosts = list};

    (void)state;
    world_nodes(w, 4, 1);
    struct job *j = world_job(w, "a", req);
    assert_string_equal(world_choose(w, j), "n2:1 n3:1 n4:1");
    world_occupy(w, "n3", 1, "a");
    assert_string_equal(world_choose(w, j), "");
    j->flags |= JOB_IGNHOSTLIST;
    assert_string_equal(world_choose(w, j), "n4:1 n1:1 n2:1");
    world_close(w);
}

static void a_host_list_is_no_matter_to_who_may_ignore_it(void **state)
{
    const char *list[] = {"n2", NULL};
    struct world *w = world_open(NODEALLOC_FIRSTAVAILABLE);

    (void)state;
    world_nodes(w, 3, 1);
    struct job *j = world_job(w, "a", (struct req_desc){.tasks = 1, .hosts = list});
    assert_string_equal(world_choose(w, j), "n2:1");
    j->flags |= JOB_IGNHOSTLIST;
    assert_string_equal(world_choose(w, j), "n1:1");
    world_close(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(n1_firstavailable_packs_in_rm_order),
        cmocka_unit_test(n2_lastavailable_takes_the_best_fit_in_time),
        cmocka_unit_test(n3_lastavailable_ties_go_to_the_later_node),
        cmocka_unit_test(lastavailable_uses_the_newest_nodes_in_one_run),
        cmocka_unit_test(n4_minresource_takes_the_smallest_that_does),
        cmocka_unit_test(minresource_breaks_ties_by_other_amounts_then_latest),
        cmocka_unit_test(n5_cpuload_takes_the_idlest_node),
        cmocka_unit_test(cpuload_leaves_nodes_without_idle_processors),
        cmocka_unit_test(n6_priorityf_orders_by_the_function),
        cmocka_unit_test(n7_batch_nodes_first),
        cmocka_unit_test(n8_jobcount_packs_busy_nodes),
        cmocka_unit_test(without_a_function_priority_and_preference_count),
        cmocka_unit_test(tightest_takes_the_node_that_is_just_large_enough),
        cmocka_unit_test(tightest_takes_the_smallest_stretch_that_suffices),
        cmocka_unit_test(tightest_is_asked_of_nodes_of_one_priority),
        cmocka_unit_test(tightest_with_a_number_of_nodes),
        cmocka_unit_test(tightest_does_not_use_up_the_last_device_first),
        cmocka_unit_test(n9_fastest_by_speed_then_procspeed_then_rm_order),
        cmocka_unit_test(n10_maxbalance_takes_the_least_span),
        cmocka_unit_test(maxbalance_fills_whole_levels_before_it_balances),
        cmocka_unit_test(n11_contiguous_takes_the_first_run_that_holds_all),
        cmocka_unit_test(contiguous_goes_by_slots_where_all_nodes_have_one),
        cmocka_unit_test(local_finds_nothing_without_a_site_hook),
        cmocka_unit_test(a_job_may_name_its_own_policy),
        cmocka_unit_test(n14_levels_come_before_the_policy),
        cmocka_unit_test(levels_are_used_up_from_required_to_preemptible),
        cmocka_unit_test(resaffinity_in_the_function_makes_one_pool),
        cmocka_unit_test(a_function_without_resaffinity_keeps_the_levels),
        cmocka_unit_test(advres_jobs_use_reserved_nodes_only),
        cmocka_unit_test(n17_node_counts_pack_unless_exact),
        cmocka_unit_test(n17_exactproc_takes_nodes_of_just_that_size),
        cmocka_unit_test(tasks_spread_evenly_over_the_nodes_asked_for),
        cmocka_unit_test(uneven_nodes_take_what_they_can_and_leave_one_for_each),
        cmocka_unit_test(roomier_nodes_are_used_when_the_first_do_not_hold_all),
        cmocka_unit_test(exact_node_counts_hold_for_every_policy),
        cmocka_unit_test(n22_tasks_per_node_are_multiples),
        cmocka_unit_test(a_count_that_is_no_multiple_of_tpn_never_fits),
        cmocka_unit_test(singletask_puts_one_task_on_a_node),
        cmocka_unit_test(without_multinode_jobs_one_node_carries_all),
        cmocka_unit_test(n24_memory_limits_tasks_per_node),
        cmocka_unit_test(n23_listed_hosts_come_first_in_list_order),
        cmocka_unit_test(a_long_host_list_never_spills_over),
        cmocka_unit_test(a_short_host_list_waits_for_every_listed_host),
        cmocka_unit_test(a_host_list_is_no_matter_to_who_may_ignore_it),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
