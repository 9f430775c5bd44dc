/* SPDX-License-Identifier: Apache-2.0
 * Limits of one credential within another. Names of tests end in the section of the
 * reference whose example they are. */
#include "limits_kit.h"

static void each_group_runs_12_jobs_in_class_fast_5(void **state)
{
    struct kit *k = kit_new();
    struct reason r;

    (void)state;
    within(cfg(k, CRED_CLASS, "fast"), LIMIT_JOB, CRED_GROUP, NULL, BOTH(12));
    kit_ready(k);
    for (int i = 0; i < 12; i++) {
        assert_true(may_start(k, "steve/staff/-/fast", 1));
        run(k, "steve/staff/-/fast", 1);
    }
    r = why(k, job_of(k, "john/staff/-/fast", 1, 0, 60), CHECK_ACTIVE, LEVEL_HARD);
    assert_int_equal(r.kind, CRED_CLASS);
    assert_int_equal(r.kind2, CRED_GROUP);
    assert_string_equal(k->c->creds[CRED_CLASS].v[r.object]->name, "fast");
    assert_string_equal(k->c->creds[CRED_GROUP].v[r.object2]->name, "staff");
    assert_int_equal(r.used, 12);
    assert_true(may_start(k, "john/users/-/fast", 1));
    assert_true(may_start(k, "john/staff/-/slow", 1));
    kit_free(k);
}

static void steve_has_50_processors_in_class_fast_5(void **state)
{
    struct kit *k = kit_new();

    (void)state;
    within(cfg(k, CRED_CLASS, "fast"), LIMIT_PROC, CRED_USER, "steve", BOTH(50));
    kit_ready(k);
    run(k, "steve/-/-/fast", 30);
    run(k, "steve/-/-/slow", 30);
    assert_true(may_start(k, "steve/-/-/fast", 20));
    assert_false(may_start(k, "steve/-/-/fast", 21));
    assert_true(may_start(k, "bob/-/-/fast", 51));
    kit_free(k);
}

static void each_user_has_8_of_the_nodes_of_the_class_5(void **state)
{
    struct kit *k = kit_new();
    struct cred_cfg *batch = cfg(k, CRED_CLASS, "batch");

    (void)state;
    batch->active[LIMIT_JOB] = BOTH(3);
    within(batch, LIMIT_NODE, CRED_USER, NULL, BOTH(8));
    kit_ready(k);
    run(k, "steve/-/-/batch", 8);
    assert_false(may_start(k, "steve/-/-/batch", 1));
    assert_true(may_start(k, "bob/-/-/batch", 8));
    run(k, "bob/-/-/batch", 1);
    run(k, "bob/-/-/batch", 1);
    assert_false(may_start(k, "mary/-/-/batch", 1)); /* 3 jobs in all */
    kit_free(k);
}

static void named_values_differ_and_beat_the_general_one_5(void **state)
{
    struct kit *k = kit_new();
    struct cred_cfg *fast = cfg(k, CRED_CLASS, "fast");

    (void)state;
    within(fast, LIMIT_PROC, CRED_USER, "steve", BOTH(3));
    within(fast, LIMIT_PROC, CRED_USER, NULL, BOTH(2));
    within(fast, LIMIT_PROC, CRED_USER, "bob", BOTH(4));
    within(fast, LIMIT_PROC, CRED_USER, "boss", BOTH(-1));
    kit_ready(k);
    assert_true(may_start(k, "steve/-/-/fast", 3));
    assert_false(may_start(k, "steve/-/-/fast", 4));
    assert_true(may_start(k, "bob/-/-/fast", 4));
    assert_false(may_start(k, "bob/-/-/fast", 5));
    assert_true(may_start(k, "mary/-/-/fast", 2));
    assert_false(may_start(k, "mary/-/-/fast", 3));
    assert_true(may_start(k, "boss/-/-/fast", 300));
    kit_free(k);
}

static void every_pair_of_kinds_is_limited_active_and_idle_5(void **state)
{
    (void)state;
    for (int own = 0; own < CRED_KINDS; own++)
        for (int other = 0; other < CRED_KINDS; other++) {
            struct kit *k = kit_new();
            struct job *j;
            struct reason r;
            if (own == other)
                goto next;
            within(cfg(k, own, "x"), LIMIT_PROC, other, NULL, BOTH(10));
            within_idle(cfg(k, own, "x"), LIMIT_PE, other, NULL, BOTH(10));
            kit_ready(k);
            run(k, "x/x/x/x/x", 6);
            run(k, "y/y/y/y/y", 600);
            assert_true(may_start(k, "x/x/x/x/x", 4));
            assert_false(may_start(k, "x/x/x/x/x", 5));
            j = job_of(k, "x/x/x/x/x", 6, 0, 60);
            j->pe = 6;
            assert_false(blocked(k, j, CHECK_IDLE));
            limits_count_idle(k->l, k->c, j);
            r = why(k, j, CHECK_IDLE, LEVEL_HARD);
            assert_int_equal(r.kind, own);
            assert_int_equal(r.kind2, other);
            limits_begin_idle(k->l, k->c);
            assert_false(blocked(k, j, CHECK_IDLE));
        next:
            kit_free(k);
        }
}

static void default_and_system_sections_limit_pairs_5(void **state)
{
    struct kit *k = kit_new();
    struct reason r;

    (void)state;
    within(cfg(k, CRED_CLASS, "DEFAULT"), LIMIT_JOB, CRED_USER, NULL, BOTH(1));
    within(cfg(k, CRED_CLASS, "big"), LIMIT_JOB, CRED_USER, NULL, BOTH(2));
    within(&k->s->sys, LIMIT_PROC, CRED_GROUP, NULL, BOTH(10));
    kit_ready(k);
    run(k, "steve/-/-/a", 1);
    assert_false(may_start(k, "steve/-/-/a", 1));
    assert_true(may_start(k, "steve/-/-/b", 1)); /* each class by itself */
    run(k, "steve/-/-/big", 1);
    assert_true(may_start(k, "steve/-/-/big", 1));
    run(k, "mary/staff", 8);
    r = why(k, job_of(k, "john/staff", 3, 0, 60), CHECK_ACTIVE, LEVEL_HARD);
    assert_int_equal(r.kind, CRED_KINDS);
    assert_int_equal(r.kind2, CRED_GROUP);
    kit_free(k);
}

static void a_qos_override_and_ignore_flag_reach_pairs_5(void **state)
{
    struct kit *k = kit_new();

    (void)state;
    within(cfg(k, CRED_CLASS, "fast"), LIMIT_NODE, CRED_USER, NULL, BOTH(8));
    within(cfg(k, CRED_CLASS, "fast"), LIMIT_JOB, CRED_USER, NULL, BOTH(1));
    cfg(k, CRED_QOS, "hi")->over_active[LIMIT_NODE] = BOTH(16);
    cfg(k, CRED_QOS, "ign")->ignore_active[CRED_USER] = 1u << LIMIT_JOB;
    kit_ready(k);
    assert_false(may_start(k, "steve/-/-/fast", 16));
    assert_true(may_start(k, "steve/-/-/fast/hi", 16));
    run(k, "steve/-/-/fast", 1);
    assert_false(may_start(k, "steve/-/-/fast/hi", 1));
    assert_true(may_start(k, "steve/-/-/fast/ign", 1));
    kit_free(k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_group_runs_12_jobs_in_class_fast_5),
        cmocka_unit_test(steve_has_50_processors_in_class_fast_5),
        cmocka_unit_test(each_user_has_8_of_the_nodes_of_the_class_5),
        cmocka_unit_test(named_values_differ_and_beat_the_general_one_5),
        cmocka_unit_test(every_pair_of_kinds_is_limited_active_and_idle_5),
        cmocka_unit_test(default_and_system_sections_limit_pairs_5),
        cmocka_unit_test(a_qos_override_and_ignore_flag_reach_pairs_5),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
