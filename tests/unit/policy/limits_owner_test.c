/* SPDX-License-Identifier: Apache-2.0
 * Whose jobs a limit counts: of a credential, of all by default, of the system. Names
 * of tests end in the section of the reference whose example they are. */
#include "limits_kit.h"

static void john_runs_8_jobs_and_everybody_else_4_3(void **state)
{
    static const struct {
        const char *user;
        int limit;
    } rows[] = {{"john", 8}, {"steve", 4}, {"mary", 4}};
    struct kit *k = kit_new();

    (void)state;
    cfg(k, CRED_USER, "DEFAULT")->active[LIMIT_JOB] = BOTH(4);
    cfg(k, CRED_USER, "john")->active[LIMIT_JOB] = BOTH(8);
    kit_ready(k);
    for (size_t u = 0; u < 3; u++) { /* DEFAULT holds for each user separately */
        for (int i = 0; i < rows[u].limit; i++) {
            assert_true(may_start(k, rows[u].user, 1));
            run(k, rows[u].user, 1);
        }
        assert_false(may_start(k, rows[u].user, 1));
    }
    kit_free(k);
}

static void with_14_nodes_in_use_a_job_of_the_class_may_ask_for_2_3(void **state)
{
    struct kit *k = kit_new();
    struct reason r;

    (void)state;
    kit_set_second_example(k);
    kit_ready(k);
    run(k, "mary/users/-/interactive", 14);
    assert_true(may_start(k, "steve/staff/-/interactive", 2));
    r = why(
        k, job_of(k, "steve/staff/-/interactive", 3, 3, 60), CHECK_ACTIVE, LEVEL_HARD);
    assert_int_equal(r.kind, CRED_CLASS);
    assert_string_equal(k->c->creds[CRED_CLASS].v[r.object]->name, "interactive");
    assert_int_equal(r.res, LIMIT_NODE);
    assert_int_equal(r.limit, 16);
    assert_int_equal(r.used, 14);
    assert_int_equal(r.asked, 3);
    assert_true(may_start(k, "steve/staff/-/batch", 30));
    assert_false(may_start(k, "steve/staff/-/batch", 31)); /* his own 30 nodes */
    assert_true(may_start(k, "john/staff/-/batch", 32));
    assert_false(may_start(k, "john/staff/-/batch", 33));
    run(k, "steve/staff/-/batch", 1);
    run(k, "steve/staff/-/batch", 1);
    assert_false(may_start(k, "steve/staff/-/batch", 1)); /* his own 2 jobs */
    assert_true(may_start(k, "john/staff/-/batch", 1));
    kit_free(k);
}

static void default_limits_every_kind_active_and_idle_3(void **state)
{
    static const char *const who[] = {"a", "a/b", "a/b/c", "a/b/c/d", "a/b/c/d/e"};
    static const char *const other[] = {"z", "a/z", "a/b/z", "a/b/c/z", "a/b/c/d/z"};

    (void)state;
    for (int kind = 0; kind < CRED_KINDS; kind++) {
        struct kit *k = kit_new();
        struct job *j;
        cfg(k, kind, "DEFAULT")->active[LIMIT_PROC] = BOTH(10);
        cfg(k, kind, "DEFAULT")->idle[LIMIT_PROC] = BOTH(20);
        kit_ready(k);
        run(k, who[kind], 6);
        assert_true(may_start(k, who[kind], 4));
        assert_false(may_start(k, who[kind], 5));
        assert_true(may_start(k, other[kind], 5));
        limits_begin_idle(k->l, k->c);
        limits_count_idle(k->l, k->c, job_of(k, who[kind], 16, 0, 60));
        j = job_of(k, who[kind], 4, 0, 60);
        assert_false(blocked(k, j, CHECK_IDLE));
        limits_count_idle(k->l, k->c, j);
        assert_true(blocked(k, j, CHECK_IDLE));
        assert_false(blocked(k, job_of(k, other[kind], 20, 0, 60), CHECK_IDLE));
        limits_begin_idle(k->l, k->c);
        assert_false(blocked(k, j, CHECK_IDLE));
        kit_free(k);
    }
}

static void jobs_without_an_account_share_no_limit(void **state)
{
    struct kit *k = kit_new();

    (void)state;
    cfg(k, CRED_ACCOUNT, "DEFAULT")->active[LIMIT_JOB] = BOTH(1);
    cfg(k, CRED_QOS, "DEFAULT")->active[LIMIT_JOB] = BOTH(3);
    kit_ready(k);
    run(k, "steve", 1);
    run(k, "john", 1);
    assert_true(may_start(k, "steve", 1));
    run(k, "steve", 1);
    assert_false(may_start(k, "steve", 1)); /* QOS DEFAULT is what all of them have */
    assert_true(may_start(k, "steve/-/-/-/low", 1));
    kit_free(k);
}

static void syscfg_limits_the_sum_over_all_jobs_3(void **state)
{
    struct kit *k = kit_new();
    struct reason r;

    (void)state;
    k->s->sys.active[LIMIT_PROC] = BOTH(10);
    k->s->sys.idle[LIMIT_JOB] = BOTH(1);
    kit_ready(k);
    run(k, "steve", 6);
    assert_true(may_start(k, "john", 4));
    r = why(k, job_of(k, "john", 5, 0, 60), CHECK_ACTIVE, LEVEL_HARD);
    assert_int_equal(r.kind, CRED_KINDS);
    assert_int_equal(r.used, 6);
    limits_count_idle(k->l, k->c, job_of(k, "mary", 1, 0, 60));
    assert_true(blocked(k, job_of(k, "john", 1, 0, 60), CHECK_IDLE));
    kit_free(k);
}

static void a_credential_seen_after_configuration_has_the_default_limit(void **state)
{
    struct kit *k = kit_new();

    (void)state;
    cfg(k, CRED_USER, "DEFAULT")->active[LIMIT_PROC] = BOTH(4);
    cfg(k, CRED_QOS, "hi")->over_active[LIMIT_PROC] = BOTH(8);
    kit_ready(k);
    assert_false(may_start(k, "newcomer", 5));
    assert_true(may_start(k, "newcomer/-/-/-/hi", 8));
    assert_false(may_start(k, "newcomer/-/-/-/unheard", 8));
    limits_begin_cycle(k->l, k->c, 0);
    assert_false(may_start(k, "newcomer", 5));
    assert_false(may_start(k, "another", 5));
    kit_free(k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(john_runs_8_jobs_and_everybody_else_4_3),
        cmocka_unit_test(with_14_nodes_in_use_a_job_of_the_class_may_ask_for_2_3),
        cmocka_unit_test(default_limits_every_kind_active_and_idle_3),
        cmocka_unit_test(jobs_without_an_account_share_no_limit),
        cmocka_unit_test(syscfg_limits_the_sum_over_all_jobs_3),
        cmocka_unit_test(a_credential_seen_after_configuration_has_the_default_limit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
