/* SPDX-License-Identifier: Apache-2.0
 * Nodes are told apart by what requests ask for, and by nothing else: plan/demand, and
 * the pools that are divided by it. */
#include "cmocka_all.h"
#include "engine/engine_private.h"
#include "engine/query.h"
#include "plan/plan_private.h"
#include "scenario.h"

#define HOUR 3600

/* n1 to n4, of one processor: a, b, b, a. */
static struct scenario *four_nodes(const char *lines)
{
    static const char *const a[] = {"a", NULL}, *const b[] = {"b", NULL};
    static const char *const names[] = {"n1", "n2", "n3", "n4"};
    struct scenario *s = sc_create_with(lines);

    for (int i = 0; i < 4; i++)
        sc_node(s, &(struct node_desc){.name = names[i],
                       .state = NODE_IDLE,
                       .features = i == 0 || i == 3 ? a : b,
                       .cfg = {{1, 100, 100, 100}}});
    return s;
}

/* A job of one task that asks for the feature a, or b. */
static void ask_for(
    struct scenario *s, const char *id, bool for_a, int64_t limit_s, unsigned holds)
{
    static const char *const features[2][2] = {{"b"}, {"a"}};
    static const struct req_desc reqs[2] = {{.tasks = 1,
                                                .per_task = {.v = {1}},
                                                .features = features[0],
                                                .nodealloc = NODEALLOC_UNSET},
        {.tasks = 1,
            .per_task = {.v = {1}},
            .features = features[1],
            .nodealloc = NODEALLOC_UNSET}};

    sc_job(s, (struct sc_job){.id = id,
                  .limit_s = limit_s,
                  .priority = 1,
                  .submit_at = sc_now(s),
                  .holds = holds,
                  .req = &reqs[for_a]});
    sc_at(s, sc_now(s));
}

static const struct plan *plan_of(struct scenario *s)
{
    return sc_engine(s)->plan;
}

/* Worked example B6 of the backfill rules. */
static void submit_b6(struct scenario *s)
{
    sc_job(s, (struct sc_job){.id = "R", .procs = 3, .limit_s = 100, .priority = 999});
    sc_job(s, (struct sc_job){.id = "A", .procs = 3, .limit_s = 100, .priority = 30});
    sc_job(s, (struct sc_job){.id = "B", .procs = 4, .limit_s = 100, .priority = 20});
    sc_job(s, (struct sc_job){.id = "C", .procs = 1, .limit_s = 250, .priority = 10});
}

static void labels_do_not_spoil_the_depth_of_reservations(void **state)
{
    struct scenario *s = four_nodes("");

    (void)state;
    submit_b6(s);
    sc_run(s);
    assert_int_equal(sc_start(s, "C"), 0);
    assert_int_equal(sc_start(s, "A"), 100);
    assert_int_equal(sc_start(s, "B"), 250);
    sc_destroy(s);
}

/* The reservation of A takes what comes free at 100, not n4, which C can have now. */
static void a_reservation_leaves_what_is_free_now_though_labels_are_asked_for(
    void **state)
{
    struct scenario *s = four_nodes("");

    (void)state;
    ask_for(s, "held", true, 10, HOLD_SYSTEM);
    submit_b6(s);
    sc_run_until(s, 250);
    assert_true(pools_count(plan_of(s)->pools) == 2);
    assert_int_equal(sc_start(s, "C"), 0);
    assert_int_equal(sc_start(s, "A"), 100);
    sc_destroy(s);
}

/* What others ask for by name is left to them. */
static void a_reservation_takes_what_the_fewest_ask_for(void **state)
{
    struct scenario *s = four_nodes("");

    (void)state;
    sc_job(s, (struct sc_job){.id = "R", .procs = 3, .limit_s = 100, .priority = 999});
    sc_job(s, (struct sc_job){.id = "A", .procs = 2, .limit_s = 100, .priority = 30});
    sc_at(s, 1);
    ask_for(s, "long", true, 500, 0);
    sc_run(s);
    assert_int_equal(sc_start(s, "long"), 1);
    assert_int_equal(sc_start(s, "A"), 100);
    sc_destroy(s);
}

static void pools_are_divided_when_somebody_asks_and_come_together(void **state)
{
    struct scenario *s = four_nodes("");

    (void)state;
    sc_job(s, (struct sc_job){.id = "x", .procs = 1, .limit_s = 10});
    sc_run(s);
    assert_int_equal(pools_count(plan_of(s)->pools), 1);
    ask_for(s, "y", false, 20, 0);
    assert_int_equal(pools_count(plan_of(s)->pools), 2);
    assert_string_equal(sc_where(s, "y"), "n2:1");
    sc_at(s, HOUR / 2);
    assert_int_equal(
        pools_count(plan_of(s)->pools), 2); /* the next one may come soon */
    sc_at(s, 2 * HOUR);
    assert_int_equal(pools_count(plan_of(s)->pools), 1);
    sc_destroy(s);
}

static void reservations_that_are_kept_stay_when_pools_are_divided(void **state)
{
    struct scenario *s = four_nodes("RESERVATIONPOLICY HIGHEST\nRESERVATIONDEPTH 9\n");

    (void)state;
    sc_job(s, (struct sc_job){.id = "R", .procs = 3, .limit_s = 100, .priority = 999});
    sc_job(s, (struct sc_job){.id = "A", .procs = 3, .limit_s = 100, .priority = 30});
    sc_job(s, (struct sc_job){.id = "B", .procs = 4, .limit_s = 100, .priority = 20});
    sc_run_until(s, 1);
    for (uint32_t f = 0; f < 2; f++) {
        ask_for(s, f ? "a" : "b", f == 1, 1000, 0);
        assert_int_equal(sc_reserved(s, "A"), 100);
        assert_int_equal(sc_reserved(s, "B"), 200);
        assert_int_equal(sc_reserved(s, f ? "a" : "b"), 300);
    }
    sc_run(s);
    assert_int_equal(sc_start(s, "B"), 200);
    sc_destroy(s);
}

static void a_question_for_what_nobody_asks_for_changes_nothing(void **state)
{
    static const char *const a[] = {"a", NULL};
    struct scenario *s = four_nodes("");
    struct query_ask ask = {.procs = 1, .duration_s = 400, .features = a};
    struct query_start q;
    struct err err;
    bool found;

    (void)state;
    submit_b6(s);
    sc_run_until(s, 1);
    uint64_t layout = pools_layout(plan_of(s)->pools);
    for (int64_t procs = 1; procs <= 3; procs++) {
        ask.procs = procs;
        assert_int_equal(query_start(sc_engine(s), &ask, 1, &found, &q, &err), 0);
        assert_int_equal(found, procs <= 2);
        /* n1 when A is there on n2 and n3 and C on n4; n4 as well when C is through */
        if (found)
            assert_int_equal(q.start_at, procs == 1 ? 200 : 250);
    }
    assert_int_equal(pools_count(plan_of(s)->pools), 1);
    assert_int_equal(pools_layout(plan_of(s)->pools), layout);
    assert_int_equal(sc_reserved(s, "A"), 100);
    sc_run(s);
    assert_int_equal(sc_start(s, "A"), 100);
    sc_destroy(s);
}

/* Initiators that keep nobody off are no difference, unless tasks take no processor. */
static void classes_count_by_what_they_let_in(void **state)
{
    static const struct gres_cfg many[] = {{"c", 9}, {NULL, 0}};
    static const struct gres_cfg one[] = {{"c", 1}, {"d", 1}, {NULL, 0}};
    struct scenario *s = sc_create_with("");
    struct demand d = {0};
    struct demand_kind all = {0}, k = {0};
    const struct cluster *c = engine_cluster(sc_engine(s));
    struct node_desc n = {.state = NODE_IDLE, .cfg = {{1, 100, 100, 100}}};
    struct taskdef def = {.os = NAME_NONE, .arch = NAME_NONE, .network = NAME_NONE};

    (void)state;
    n.name = "n1";
    sc_node(s, &n);
    n.name = "n2";
    n.classes = many;
    sc_node(s, &n);
    n.name = "n3";
    n.classes = one;
    sc_node(s, &n);
    sc_job(s, (struct sc_job){.id = "x", .procs = 1, .limit_s = 10, .cls = "c"});
    sc_run(s);
    def.cls = cred_find(c, CRED_CLASS, "c")->index;
    def.per_task.v[RES_PROCS] = 1;
    assert_true(demand_add(&d, &def));
    assert_false(demand_add(&d, &def));
    demand_kind(c, &d, node_at(c, 0), &all);
    for (uint32_t i = 1; i < 3; i++) {
        demand_kind(c, &d, node_at(c, i), &k);
        assert_memory_equal(k.v, all.v, all.n * sizeof *all.v);
    }
    def.per_task.v[RES_PROCS] = 0;
    assert_true(demand_add(&d, &def));
    demand_kind(c, &d, node_at(c, 2), &k);
    assert_memory_not_equal(k.v, all.v, all.n * sizeof *all.v);
    vec_fini(&k);
    vec_fini(&all);
    demand_fini(&d);
    sc_destroy(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(labels_do_not_spoil_the_depth_of_reservations),
        cmocka_unit_test(
            a_reservation_leaves_what_is_free_now_though_labels_are_asked_for),
        cmocka_unit_test(a_reservation_takes_what_the_fewest_ask_for),
        cmocka_unit_test(pools_are_divided_when_somebody_asks_and_come_together),
        cmocka_unit_test(reservations_that_are_kept_stay_when_pools_are_divided),
        cmocka_unit_test(a_question_for_what_nobody_asks_for_changes_nothing),
        cmocka_unit_test(classes_count_by_what_they_let_in),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
