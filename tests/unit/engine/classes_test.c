/* SPDX-License-Identifier: Apache-2.0
 * Jobs that may run in any of several classes: two of two nodes each, a on n1 and n2, b
 * on n3 and n4. */
#include "cmocka_all.h"
#include "engine/engine_private.h"
#include "scenario.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const a_or_b[] = {"a", "b", NULL};
static const char *const b_or_a[] = {"b", "a", NULL};
static const char *const all_of_them[] = {"nowhere", "a", "b", NULL};

static void node(struct scenario *s, const char *name, const char *cls)
{
    const struct gres_cfg classes[] = {{.name = (char *)cls, .count = 1}, {0}};

    sc_node(s, &(struct node_desc){.name = name,
                   .state = NODE_IDLE,
                   .cfg = {{1, 1024, 1024, 1024}},
                   .classes = classes});
}

static struct scenario *begin(const char *cfg)
{
    struct scenario *s = sc_create_with(cfg);

    node(s, "n1", "a");
    node(s, "n2", "a");
    node(s, "n3", "b");
    node(s, "n4", "b");
    return s;
}

static void job(struct scenario *s, const char *id, const char *const *classes,
    uint32_t procs, int64_t limit, int64_t priority)
{
    sc_job(s, (struct sc_job){.id = id,
                  .classes = classes,
                  .cls = classes                     ? NULL
                         : strncmp(id, "a-", 2) == 0 ? "a"
                                                     : "b",
                  .procs = procs,
                  .limit_s = limit,
                  .priority = priority});
}

static void ran(struct scenario *s, const char *id, int64_t at, const char *where)
{
    if (sc_start(s, id) != at || strcmp(sc_where(s, id), where) != 0)
        fail_msg("%s started at %lld on %s, expected %lld on %s: %s", id,
            (long long)sc_start(s, id), sc_where(s, id), (long long)at, where,
            sc_log(s, id));
}

static void the_first_named_is_taken_where_both_are_free(void **state)
{
    (void)state;
    struct scenario *s = begin("");
    job(s, "x", b_or_a, 2, 100, 10);
    job(s, "y", b_or_a, 2, 100, 9);
    sc_run(s);
    ran(s, "x", 0, "n3:1 n4:1");
    ran(s, "y", 0, "n1:1 n2:1");
    sc_destroy(s);
}

static void a_job_never_has_nodes_of_two_classes(void **state)
{
    (void)state;
    struct scenario *s = begin("");
    job(s, "a-1", NULL, 1, 100, 20);
    job(s, "b-1", NULL, 1, 50, 19);
    job(s, "x", a_or_b, 2, 100, 10);
    sc_run(s);
    ran(s, "x", 50, "n3:1 n4:1");
    sc_destroy(s);
}

static void it_is_reserved_in_the_class_that_is_free_sooner(void **state)
{
    (void)state;
    struct scenario *s = begin("");
    job(s, "a-1", NULL, 2, 100, 20);
    job(s, "b-1", NULL, 2, 50, 19);
    job(s, "x", a_or_b, 2, 100, 10);
    job(s, "b-2", NULL, 2, 100, 9);
    sc_run_until(s, 10);
    assert_int_equal(sc_reserved(s, "x"), 50);
    assert_string_equal(
        job_cred(engine_cluster(sc_engine(s)), sc_find(s, "x"), CRED_CLASS)->name, "b");
    sc_run(s);
    ran(s, "x", 50, "n3:1 n4:1");
    ran(s, "b-2", 150, "n3:1 n4:1");
    sc_destroy(s);
}

static void it_changes_over_when_the_other_class_comes_free_early(void **state)
{
    (void)state;
    struct scenario *s = begin("");
    sc_job(s, (struct sc_job){.id = "a-1",
                  .cls = "a",
                  .procs = 2,
                  .limit_s = 100,
                  .run_s = 20,
                  .priority = 20});
    job(s, "b-1", NULL, 2, 50, 19);
    job(s, "x", a_or_b, 2, 100, 10);
    sc_run(s);
    ran(s, "x", 20, "n1:1 n2:1");
    sc_destroy(s);
}

/* Its classes are tried on copies: what is known of it stays known. */
static void one_that_no_class_lets_start_is_as_it_was(void **state)
{
    (void)state;
    struct scenario *s = begin("RESERVATIONPOLICY NEVER\n");
    job(s, "a-busy", NULL, 2, 1000, 10);
    job(s, "b-busy", NULL, 1, 1000, 10);
    job(s, "x", a_or_b, 2, 100, 5);
    sc_at(s, 10);
    const struct job before = *sc_find(s, "x");
    assert_true(possible_found(sc_engine(s), &before));
    assert_int_equal(before.alloc.n, 0);
    sc_cycle(s);
    assert_memory_equal(&before, sc_find(s, "x"), sizeof before);
    sc_destroy(s);
}

static void a_limit_of_one_class_leaves_the_other(void **state)
{
    (void)state;
    struct scenario *s = begin("CLASSCFG[a] MAXJOB=1\n");
    job(s, "a-1", NULL, 1, 100, 20);
    job(s, "x", a_or_b, 1, 100, 10);
    job(s, "y", a_or_b, 1, 100, 9);
    job(s, "z", a_or_b, 1, 100, 8);
    sc_run(s);
    ran(s, "x", 0, "n3:1");
    ran(s, "y", 0, "n4:1");
    ran(s, "z", 100, "n1:1");
    sc_destroy(s);
}

static void a_class_that_could_never_run_it_is_passed_over(void **state)
{
    (void)state;
    struct scenario *s = begin("CLASSCFG[b] MAXPROC=1\n");
    job(s, "x", all_of_them, 1, 100, 10);
    job(s, "y", all_of_them, 2, 100, 9);
    sc_run(s);
    ran(s, "x", 0, "n1:1");
    ran(s, "y", 100, "n1:1 n2:1");
    sc_destroy(s);
}

static void one_that_no_class_could_run_is_deferred_with_the_reason(void **state)
{
    (void)state;
    struct scenario *s = begin("");
    job(s, "x", a_or_b, 3, 100, 10);
    sc_run_until(s, 10);
    assert_true(sc_find(s, "x")->holds & HOLD_DEFER);
    sc_destroy(s);
}

static void backfill_tries_each_class_and_delays_nobody(void **state)
{
    (void)state;
    struct scenario *s = begin("RESERVATIONDEPTH 1\n");
    job(s, "a-1", NULL, 1, 100, 50);
    job(s, "b-1", NULL, 2, 10, 49);
    job(s, "a-wide", NULL, 2, 100, 40);
    job(s, "long", b_or_a, 1, 200, 9); /* in a it would delay the wide one */
    job(s, "short", b_or_a, 1, 50, 8);
    sc_run(s);
    ran(s, "short", 0, "n2:1");
    ran(s, "long", 10, "n3:1");
    ran(s, "a-wide", 100, "n1:1 n2:1");
    sc_destroy(s);
}

static void a_class_changed_by_order_is_the_only_one_from_then_on(void **state)
{
    (void)state;
    struct scenario *s = begin("");
    struct err err;
    job(s, "a-1", NULL, 2, 100, 20);
    job(s, "b-1", NULL, 2, 50, 19);
    job(s, "x", a_or_b, 2, 100, 10);
    sc_run_until(s, 10);
    struct event ev = {.kind = EVENT_MODIFY, .at = 10};
    ev.u.modify.id = "x";
    ev.u.modify.change =
        (struct job_change){.what = CHANGE_CLASS, .job.cred[CRED_CLASS] = "a"};
    assert_int_equal(sc_apply(s, ev, &err), 0);
    sc_run(s);
    ran(s, "x", 100, "n1:1 n2:1");
    sc_destroy(s);
}

/* Every job is where its class is, and what is wider than a class waits for nobody. */
static void random_queues_run_to_the_end_within_their_classes(void **state)
{
    (void)state;
    for (unsigned seed = 1; seed <= 30; seed++) {
        char ids[60][8];
        struct scenario *s = begin("CLASSCFG[b] MAXJOB=1\n");
        unsigned dice = seed;

        for (int i = 0; i < 60; i++) {
            snprintf(ids[i], sizeof ids[i], "%s%d", i % 3 == 0 ? "a-" : "x", i);
            sc_job(s, (struct sc_job){.id = ids[i],
                          .classes = i % 3 == 0   ? NULL
                                     : i % 3 == 1 ? a_or_b
                                                  : b_or_a,
                          .cls = i % 3 == 0 ? "a" : NULL,
                          .procs = 1 + (unsigned)rand_r(&dice) % 2,
                          .limit_s = 10 + rand_r(&dice) % 90,
                          .run_s = 5 + rand_r(&dice) % 5,
                          .submit_at = rand_r(&dice) % 300});
        }
        sc_run(s);
        for (int i = 0; i < 60; i++) {
            const char *where = sc_where(s, ids[i]);
            bool in_a = strstr(where, "n1") || strstr(where, "n2");
            bool in_b = strstr(where, "n3") || strstr(where, "n4");
            assert_true(sc_start(s, ids[i]) >= 0);
            assert_true(in_a != in_b);
            assert_true(i % 3 != 0 || in_a);
        }
        sc_destroy(s);
    }
}

/* Class slots are of tasks: two on each node are not enough for four on one. Where such
 * a job is not deferred it is told so, and holds nobody up, not even at the hard level.
 */
static void a_job_wider_than_the_class_slots_of_a_node_blocks_nobody(void **state)
{
    (void)state;
    static const char *const soft_limits[] = {"", "SYSCFG[base] MAXPE=1,4\n"};
    static const struct gres_cfg two[] = {{.name = (char *)"c", .count = 2}, {0}};

    for (int i = 0; i < 2; i++) {
        char cfg[100];
        snprintf(cfg, sizeof cfg,
            "BACKFILLPOLICY NONE\nDEFERTIME 0\nENABLEMULTINODEJOBS FALSE\n%s",
            soft_limits[i]);
        struct scenario *s = sc_create_with(cfg);
        for (int n = 0; n < 3; n++)
            sc_node(
                s, &(struct node_desc){.name = (const char *[]){"n1", "n2", "n3"}[n],
                       .state = NODE_IDLE,
                       .cfg = {{4, 512, 512, 512}},
                       .classes = two});
        sc_job(s, (struct sc_job){
                      .id = "x", .cls = "c", .procs = 4, .nodes = 1, .limit_s = 50});
        sc_job(s, (struct sc_job){
                      .id = "y", .cls = "c", .procs = 2, .nodes = 1, .limit_s = 50});
        sc_run_until(s, 100);
        assert_int_equal(sc_start(s, "x"), -1);
        assert_int_equal(sc_why_code(s, "x"), WAIT_FEASIBLE);
        assert_int_equal(sc_start(s, "y"), 0);
        sc_destroy(s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_named_is_taken_where_both_are_free),
        cmocka_unit_test(a_job_never_has_nodes_of_two_classes),
        cmocka_unit_test(it_is_reserved_in_the_class_that_is_free_sooner),
        cmocka_unit_test(it_changes_over_when_the_other_class_comes_free_early),
        cmocka_unit_test(one_that_no_class_lets_start_is_as_it_was),
        cmocka_unit_test(a_limit_of_one_class_leaves_the_other),
        cmocka_unit_test(a_class_that_could_never_run_it_is_passed_over),
        cmocka_unit_test(one_that_no_class_could_run_is_deferred_with_the_reason),
        cmocka_unit_test(backfill_tries_each_class_and_delays_nobody),
        cmocka_unit_test(a_class_changed_by_order_is_the_only_one_from_then_on),
        cmocka_unit_test(random_queues_run_to_the_end_within_their_classes),
        cmocka_unit_test(a_job_wider_than_the_class_slots_of_a_node_blocks_nobody),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
