/* SPDX-License-Identifier: Apache-2.0
 * Which value applies: override of a QOS, own, default; flags that ignore it. Names of
 * tests end in the section of the reference whose example they are. */
#include "limits_kit.h"

static struct kit *override_example(void)
{
    struct kit *k = kit_new();

    kit_set_second_example(k);
    cfg(k, CRED_QOS, "hiprio")->over_active[LIMIT_JOB] = BOTH(3);
    cfg(k, CRED_QOS, "hiprio")->over_active[LIMIT_NODE] = BOTH(64);
    kit_ready(k);
    return k;
}

static void hiprio_gives_user_steve_64_nodes_4_1(void **state)
{
    struct kit *k = override_example();

    (void)state;
    run(k, "steve/other/-/plain/low", 30);
    assert_true(may_start(k, "steve/staff/-/batch/hiprio", 34));
    assert_false(may_start(k, "steve/staff/-/batch/hiprio", 35));
    kit_free(k);
}

static void hiprio_leaves_user_steve_2_jobs_4_1(void **state)
{
    struct kit *k = override_example();

    (void)state;
    run(k, "steve/staff/-/batch/hiprio", 1);
    assert_true(may_start(k, "steve/staff/-/batch/hiprio", 1));
    run(k, "steve/staff/-/batch/hiprio", 1);
    assert_false(may_start(k, "steve/staff/-/batch/hiprio", 1));
    kit_free(k);
}

static void hiprio_leaves_group_staff_5_jobs_4_1(void **state)
{
    struct kit *k = override_example();

    (void)state;
    for (int i = 0; i < 4; i++)
        run(k, "john/staff/-/batch/low", 1);
    assert_true(may_start(k, "steve/staff/-/batch/hiprio", 1));
    run(k, "john/staff/-/batch/low", 1);
    assert_false(may_start(k, "steve/staff/-/batch/hiprio", 1));
    kit_free(k);
}

static void hiprio_gives_class_batch_64_nodes_4_1(void **state)
{
    struct kit *k = override_example();

    (void)state;
    run(k, "john/other/-/batch/hiprio", 60); /* usage is that of the class */
    assert_true(may_start(k, "steve/staff/-/batch/hiprio", 4));
    assert_false(may_start(k, "steve/staff/-/batch/hiprio", 5));
    assert_false(may_start(k, "steve/staff/-/batch/low", 1));
    kit_free(k);
}

static void hiprio_itself_runs_3_jobs_4_1(void **state)
{
    struct kit *k = override_example();
    struct reason r;

    (void)state;
    for (int i = 0; i < 3; i++)
        run(k, "john/other/-/batch/hiprio", 1);
    r = why(
        k, job_of(k, "steve/staff/-/batch/hiprio", 1, 1, 60), CHECK_ACTIVE, LEVEL_HARD);
    assert_int_equal(r.kind, CRED_QOS);
    assert_int_equal(r.res, LIMIT_JOB);
    assert_int_equal(r.limit, 3);
    assert_true(may_start(k, "steve/staff/-/batch/low", 1));
    kit_free(k);
}

static void an_override_makes_no_limit_where_there_is_none_4_1(void **state)
{
    struct kit *k = override_example();

    (void)state;
    /* john and group other have no node limit; nor has the QOS itself */
    run(k, "mary/other/-/-/hiprio", 200);
    assert_true(may_start(k, "john/other/-/-/hiprio", 200));
    kit_free(k);
}

static void a_plain_limit_on_a_qos_is_its_own_4_1(void **state)
{
    struct kit *k = kit_new();

    (void)state;
    cfg(k, CRED_QOS, "staff")->active[LIMIT_JOB] = BOTH(2);
    cfg(k, CRED_USER, "steve")->active[LIMIT_JOB] = BOTH(1);
    kit_ready(k);
    run(k, "john/-/-/-/staff", 1);
    assert_true(may_start(k, "steve/-/-/-/staff", 1));
    run(k, "steve/-/-/-/staff", 1);
    assert_false(may_start(k, "mary/-/-/-/staff", 1));
    assert_false(may_start(k, "steve", 1));
    kit_free(k);
}

static void limits_come_from_override_own_default_in_that_order_4(void **state)
{
    struct kit *k = kit_new();
    struct cred *steve, *john, *qos;

    (void)state;
    cfg(k, CRED_USER, "DEFAULT")->active[LIMIT_PROC] = BOTH(4);
    cfg(k, CRED_USER, "steve")->active[LIMIT_PROC] = SOFT_HARD(6, 8);
    cfg(k, CRED_QOS, "hi")->over_active[LIMIT_PROC] = BOTH(16);
    cfg(k, CRED_QOS, "free")->over_active[LIMIT_PROC] = BOTH(-1);
    cfg(k, CRED_QOS, "ign")->ignore_active[CRED_USER] = 1u << LIMIT_PROC;
    k->s->sys.active[LIMIT_PROC] = BOTH(99);
    k->s->par.v[0].max_proc_per_job = 12;
    kit_ready(k);
    steve = cred_get(k->c, CRED_USER, "steve");
    john = cred_get(k->c, CRED_USER, "john");
#define VALUE(cred, qos_of) limits_value(k->c, cred, qos_of, DIM_ACTIVE, LIMIT_PROC)
    assert_int_equal(VALUE(john, NULL).hard, 4);
    assert_int_equal(VALUE(steve, NULL).hard, 8);
    assert_int_equal(VALUE(steve, NULL).soft, 6);
    qos = cred_get(k->c, CRED_QOS, "hi");
    assert_int_equal(VALUE(steve, qos).hard, 16);
    assert_int_equal(VALUE(john, qos).hard, 16);
    assert_int_equal(VALUE(qos, qos).hard, 0);
    assert_int_equal(VALUE(steve, cred_get(k->c, CRED_QOS, "free")).hard, 0);
    assert_int_equal(VALUE(steve, cred_get(k->c, CRED_QOS, "ign")).hard, 0);
    assert_int_equal(VALUE(NULL, qos).hard, 99);
    assert_int_equal(limits_value(k->c, john, NULL, DIM_ACTIVE, LIMIT_JOB).hard, 0);
    assert_int_equal(limits_value(k->c, NULL, NULL, DIM_SYSTEM, LIMIT_PROC).hard, 12);
#undef VALUE
    assert_true(may_start(k, "steve/-/-/-/free", 50));
    assert_false(may_start(k, "steve/-/-/-/free", 100)); /* SYSCFG stands */
    kit_free(k);
}

static void ignore_flags_free_only_the_named_kind_and_limit_4_2(void **state)
{
    struct kit *k = kit_new();

    (void)state;
    for (int kind = CRED_USER; kind <= CRED_ACCOUNT; kind++) {
        cfg(k, kind, "DEFAULT")->active[LIMIT_JOB] = BOTH(1);
        cfg(k, kind, "DEFAULT")->active[LIMIT_PROC] = BOTH(4);
        cfg(k, kind, "DEFAULT")->idle[LIMIT_JOB] = BOTH(1);
    }
    cfg(k, CRED_QOS, "a")->ignore_active[CRED_USER] = 1u << LIMIT_JOB;
    cfg(k, CRED_QOS, "b")->qos_flags = QOS_IGNUSER;
    cfg(k, CRED_QOS, "c")->qos_flags = QOS_IGNALL;
    cfg(k, CRED_QOS, "d")->ignore_idle[CRED_USER] = 1u << LIMIT_JOB;
    kit_ready(k);
    run(k, "steve", 1);
    assert_true(may_start(k, "steve/-/-/-/a", 3));
    assert_false(may_start(k, "steve/-/-/-/a", 4)); /* MAXPROC of the user stands */
    assert_true(may_start(k, "steve/-/-/-/b", 4));
    run(k, "john/staff", 1);
    assert_false(may_start(k, "steve/staff/-/-/a", 1)); /* MAXJOB of the group */
    assert_false(may_start(k, "steve/staff/-/-/b", 1));
    assert_true(may_start(k, "steve/staff/proj/-/c", 400));
    limits_count_idle(k->l, k->c, job_of(k, "steve", 1, 0, 60));
    assert_true(blocked(k, job_of(k, "steve/-/-/-/a", 1, 0, 60), CHECK_IDLE));
    assert_false(blocked(k, job_of(k, "steve/-/-/-/d", 1, 0, 60), CHECK_IDLE));
    kit_free(k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hiprio_gives_user_steve_64_nodes_4_1),
        cmocka_unit_test(hiprio_leaves_user_steve_2_jobs_4_1),
        cmocka_unit_test(hiprio_leaves_group_staff_5_jobs_4_1),
        cmocka_unit_test(hiprio_gives_class_batch_64_nodes_4_1),
        cmocka_unit_test(hiprio_itself_runs_3_jobs_4_1),
        cmocka_unit_test(an_override_makes_no_limit_where_there_is_none_4_1),
        cmocka_unit_test(a_plain_limit_on_a_qos_is_its_own_4_1),
        cmocka_unit_test(limits_come_from_override_own_default_in_that_order_4),
        cmocka_unit_test(ignore_flags_free_only_the_named_kind_and_limit_4_2),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
