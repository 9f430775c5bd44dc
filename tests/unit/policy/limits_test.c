/* SPDX-License-Identifier: Apache-2.0
 * Throttling limits. Names of tests end in the section of the reference whose
 * example they are. */
#include "base/duration.h"
#include "limits_kit.h"
#include "policy/limits_use.h"

#include <math.h>

/* ---- section 2: what a job consumes ------------------------------------------- */

/* What the job is counted as, found by a limit of 1 broken (or not) by usage. */
static const int64_t *active_of(struct kit *k, const char *user)
{
    return cred_find(k->c, CRED_USER, user)->active.v;
}

static void a_job_consumes_jobs_processors_nodes_and_their_time_2(void **state)
{
    struct kit *k = kit_new();
    struct job *j;
    const int64_t *v;

    (void)state;
    kit_ready(k);
    j = job_of(k, "steve", 4, 2, HOURS(1));
    j->pe = 5.9;
    j->mem_mb = 4096;
    limits_count_active(k->l, k->c, j, 1, 0);
    v = active_of(k, "steve");
    assert_int_equal(v[LIMIT_JOB], 1);
    assert_int_equal(v[LIMIT_PROC], 4);
    assert_int_equal(v[LIMIT_NODE], 2);
    assert_int_equal(v[LIMIT_PS], 4 * 3600);
    assert_int_equal(v[LIMIT_PE], 5900); /* in thousandths */
    assert_int_equal(v[LIMIT_WC], 3600);
    assert_int_equal(v[LIMIT_MEM], 4096);
    limits_count_active(k->l, k->c, j, -1, 50);
    for (int r = 0; r < LIMIT_RES_COUNT; r++)
        assert_int_equal(v[r], 0);
    kit_free(k);
}

static void outstanding_processor_seconds_are_57600_2(void **state)
{
    struct kit *k = kit_new();

    (void)state;
    cfg(k, CRED_USER, "DEFAULT")->active[LIMIT_PS] = BOTH(57600);
    kit_ready(k);
    run_at(k, job_of(k, "steve", 4, 0, HOURS(3)), 0);
    run_at(k, job_of(k, "steve", 2, 0, HOURS(8)), 0);
    limits_begin_cycle(k->l, k->c, HOURS(2)); /* 1 h and 6 h are left */
    assert_int_equal(active_of(k, "steve")[LIMIT_PS], 57600);
    assert_true(blocked(k, job_of(k, "steve", 1, 0, 1), CHECK_ACTIVE));
    assert_false(blocked(k, job_of(k, "john", 16, 0, 3600), CHECK_ACTIVE));
    assert_true(blocked(k, job_of(k, "john", 16, 0, 3601), CHECK_ACTIVE));
    kit_free(k);
}

static void remaining_time_grows_by_suspension_and_is_never_negative_2(void **state)
{
    struct kit *k = kit_new();
    struct job *j;

    (void)state;
    cfg(k, CRED_USER, "DEFAULT")->active[LIMIT_WC] = BOTH(HOURS(100));
    kit_ready(k);
    j = run_at(k, job_of(k, "steve", 1, 0, HOURS(10)), 0);
    j->suspended_s = 600;
    limits_begin_cycle(k->l, k->c, 3600);
    assert_int_equal(active_of(k, "steve")[LIMIT_WC], HOURS(9) + 600);
    limits_begin_cycle(k->l, k->c, HOURS(11));
    assert_int_equal(active_of(k, "steve")[LIMIT_WC], 0);
    limits_count_active(k->l, k->c, j, -1, HOURS(12));
    assert_int_equal(active_of(k, "steve")[LIMIT_WC], 0);
    kit_free(k);
}

static void an_unlimited_job_breaks_every_time_limit(void **state)
{
    struct kit *k = kit_new();

    (void)state;
    cfg(k, CRED_USER, "steve")->active[LIMIT_WC] = BOTH(HOURS(24 * 365));
    cfg(k, CRED_USER, "john")->idle[LIMIT_PS] = BOTH(INT64_C(1) << 45);
    kit_ready(k);
    assert_true(blocked(k, job_of(k, "steve", 1, 0, DURATION_UNLIMITED), CHECK_ACTIVE));
    for (int i = 0; i < 100; i++) { /* sums saturate instead of wrapping round */
        struct job *j = job_of(k, "john", 1000000, 0, DURATION_UNLIMITED);
        assert_true(blocked(k, j, CHECK_IDLE));
        limits_count_idle(k->l, k->c, j);
    }
    kit_free(k);
}

static void memory_limits_are_enforced_2(void **state)
{
    struct kit *k = kit_new();
    struct job *j;
    struct reason r;

    (void)state;
    cfg(k, CRED_GROUP, "staff")->active[LIMIT_MEM] = BOTH(8000);
    kit_ready(k);
    j = job_of(k, "steve/staff", 1, 0, 60);
    j->mem_mb = 6000;
    run_at(k, j, 0);
    j = job_of(k, "john/staff", 1, 0, 60);
    j->mem_mb = 2000;
    assert_false(blocked(k, j, CHECK_ACTIVE));
    j->mem_mb = 2001;
    r = why(k, j, CHECK_ACTIVE, LEVEL_HARD);
    assert_int_equal(r.res, LIMIT_MEM);
    assert_int_equal(r.kind, CRED_GROUP);
    assert_int_equal(r.limit, 8000);
    assert_int_equal(r.used, 6000);
    assert_int_equal(r.asked, 2001);
    kit_free(k);
}

static void nodeallocmaxps_counts_nodes_of_single_jobs_2(void **state)
{
    struct kit *k = kit_new();
    struct job *j;

    (void)state;
    k->s->node_alloc_max_ps = true;
    k->s->node_access = ACCESS_SINGLEJOB;
    kit_ready(k);
    j = job_of(k, "steve", 8, 2, 100);
    assert_int_equal(access_resolve(k->c, j, &k->fault), REASON_NONE);
    limits_count_active(k->l, k->c, j, 1, 0);
    assert_int_equal(active_of(k, "steve")[LIMIT_PS], 200);
    kit_free(k);
}

static void zero_is_no_limit_and_negative_stops_the_fall_back_2(void **state)
{
    struct kit *k = kit_new();

    (void)state;
    cfg(k, CRED_USER, "DEFAULT")->active[LIMIT_JOB] = BOTH(1);
    cfg(k, CRED_USER, "boss")->active[LIMIT_JOB] = BOTH(-1);
    cfg(k, CRED_USER, "john")->active[LIMIT_PROC] = BOTH(100); /* MAXJOB not set */
    kit_ready(k);
    for (int i = 0; i < 5; i++) {
        assert_true(may_start(k, "boss", 1));
        run(k, "boss", 1);
    }
    run(k, "john", 1);
    assert_false(may_start(k, "john", 1));
    kit_free(k);
}

/* ---- section 3: where limits go ------------------------------------------------- */

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

static void set_second_example(struct kit *k)
{
    cfg(k, CRED_USER, "steve")->active[LIMIT_JOB] = BOTH(2);
    cfg(k, CRED_USER, "steve")->active[LIMIT_NODE] = BOTH(30);
    cfg(k, CRED_GROUP, "staff")->active[LIMIT_JOB] = BOTH(5);
    cfg(k, CRED_CLASS, "DEFAULT")->active[LIMIT_NODE] = BOTH(16);
    cfg(k, CRED_CLASS, "batch")->active[LIMIT_NODE] = BOTH(32);
}

static void with_14_nodes_in_use_a_job_of_the_class_may_ask_for_2_3(void **state)
{
    struct kit *k = kit_new();
    struct reason r;

    (void)state;
    set_second_example(k);
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

/* ---- section 4: which value applies ---- */

static struct kit *override_example(void)
{
    struct kit *k = kit_new();

    set_second_example(k);
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

/* ---- section 5: one credential within another ---- */

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

/* ---- section 6: hard and soft ---- */

static struct limit effective(struct limit written, enum limit_dim dim)
{
    struct kit *k = kit_new();
    struct limit v;

    if (dim == DIM_IDLE)
        cfg(k, CRED_USER, "u")->idle[LIMIT_JOB] = written;
    else
        cfg(k, CRED_USER, "u")->active[LIMIT_JOB] = written;
    kit_ready(k);
    v = limits_value(k->c, cred_find(k->c, CRED_USER, "u"), NULL, dim, LIMIT_JOB);
    kit_free(k);
    return v;
}

static void soft_and_hard_values_are_put_in_order_6(void **state)
{
    static const struct {
        struct limit written, meant;
        enum limit_dim dim;
    } rows[] = {
        {{2, 8}, {2, 8}, DIM_ACTIVE},
        {{8, 8}, {8, 8}, DIM_ACTIVE},
        {{0, 8}, {8, 8}, DIM_ACTIVE}, /* soft missing */
        {{9, 8}, {8, 8}, DIM_ACTIVE}, /* looser than hard */
        {{-1, 8}, {8, 8}, DIM_ACTIVE},
        {{2, -1}, {2, 0}, DIM_ACTIVE}, /* hard explicitly unlimited */
        {{4, 0}, {4, 4}, DIM_ACTIVE},  /* hard missing */
        {{-1, -1}, {0, 0}, DIM_ACTIVE},
        {{2, 8}, {8, 8}, DIM_IDLE}, /* idle limits are hard only */
        {{2, 0}, {0, 0}, DIM_IDLE},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct limit v = effective(rows[i].written, rows[i].dim);
        assert_int_equal(v.soft, rows[i].meant.soft);
        assert_int_equal(v.hard, rows[i].meant.hard);
    }
}

static void the_soft_pass_differs_only_if_some_soft_limit_is_tighter(void **state)
{
    struct kit *k = kit_new();

    (void)state;
    kit_ready(k);
    assert_false(limits_soft_differs(k->l));
    assert_false(limits_any(k->l, CHECK_ACTIVE | CHECK_IDLE | CHECK_SYSTEM));
    assert_false(blocked(k, job_of(k, "steve", 1, 0, 60), ~0u));

    cfg(k, CRED_USER, "a")->active[LIMIT_JOB] = BOTH(8);
    cfg(k, CRED_USER, "a")->idle[LIMIT_JOB] = SOFT_HARD(2, 8);
    cluster_configure(k->c, k->s);
    limits_configure(k->l, k->c);
    assert_false(limits_soft_differs(k->l));
    assert_true(limits_any(k->l, CHECK_ACTIVE));
    assert_true(limits_any(k->l, CHECK_IDLE));
    assert_false(limits_any(k->l, CHECK_SYSTEM));

    within(cfg(k, CRED_USER, "a"), LIMIT_JOB, CRED_CLASS, NULL, SOFT_HARD(1, 2));
    cluster_configure(k->c, k->s);
    limits_configure(k->l, k->c);
    assert_true(limits_soft_differs(k->l));
    kit_free(k);
}

static void usage_survives_new_settings(void **state)
{
    struct kit *k = kit_new();
    struct job *j;

    (void)state;
    cfg(k, CRED_USER, "steve"); /* so that its section does not move later */
    kit_ready(k);
    j = run(k, "steve/-/-/fast", 6);
    cfg(k, CRED_USER, "steve")->active[LIMIT_PROC] = BOTH(10);
    within(cfg(k, CRED_USER, "steve"), LIMIT_PROC, CRED_CLASS, NULL, BOTH(8));
    cluster_configure(k->c, k->s);
    limits_configure(k->l, k->c);
    assert_true(may_start(k, "steve", 4));
    assert_false(may_start(k, "steve", 5));
    assert_false(may_start(k, "steve/-/-/fast", 3));
    limits_count_active(k->l, k->c, j, -1, 10);
    assert_true(may_start(k, "steve/-/-/fast", 8));
    kit_free(k);
}

/* ---- section 7: order ---- */

static void the_first_violation_in_the_documented_order_is_told_7(void **state)
{
    /* Broken all at once; each step lifts what was told and finds the next. */
    struct kit *k = kit_new();
    struct job *j;
    struct reason r;

    (void)state;
    for (int kind = 0; kind < CRED_KINDS; kind++)
        for (int res = 0; res < LIMIT_RES_COUNT; res++) {
            cfg(k, kind, "x")->active[res] = BOTH(1);
            cfg(k, kind, "x")->idle[res] = BOTH(1);
        }
    within(cfg(k, CRED_USER, "x"), LIMIT_PROC, CRED_CLASS, NULL, BOTH(1));
    within_idle(cfg(k, CRED_USER, "x"), LIMIT_PROC, CRED_CLASS, NULL, BOTH(1));
    k->s->sys.active[LIMIT_PROC] = k->s->sys.idle[LIMIT_PROC] = BOTH(1);
    k->s->par.v[0].max_proc_per_job = 1;
    kit_ready(k);
    j = job_of(k, "x/x/x/x/x", 4, 4, 60);
    j->pe = 4;
    j->mem_mb = 4;
    limits_count_active(k->l, k->c, j, 1, 0);
    limits_count_idle(k->l, k->c, j);
    for (int dim = DIM_ACTIVE; dim <= DIM_IDLE; dim++) {
        for (int kind = 0; kind < CRED_KINDS; kind++)
            for (int res = 0; res < LIMIT_RES_COUNT; res++) {
                struct cred_cfg *x = cfg(k, kind, "x");
                r = why(k, j, ~0u, LEVEL_HARD);
                assert_int_equal(r.dim, dim);
                assert_int_equal(r.kind, kind);
                assert_int_equal(r.kind2, CRED_KINDS);
                assert_int_equal(r.res, res);
                *(dim == DIM_IDLE ? &x->idle[res] : &x->active[res]) = BOTH(0);
                limits_configure(k->l, k->c);
                limits_count_idle(k->l, k->c, j);
            }
        r = why(k, j, ~0u, LEVEL_HARD);
        assert_int_equal(r.kind, CRED_KINDS);
        assert_int_equal(r.kind2, CRED_KINDS);
        (dim == DIM_IDLE ? k->s->sys.idle : k->s->sys.active)[LIMIT_PROC] = BOTH(0);
        limits_configure(k->l, k->c);
        limits_count_idle(k->l, k->c, j);
        r = why(k, j, ~0u, LEVEL_HARD);
        assert_int_equal(r.kind, CRED_USER);
        assert_int_equal(r.kind2, CRED_CLASS);
        assert_int_equal(r.dim, dim);
        cfg(k, CRED_USER, "x")->within.v[dim].limit = BOTH(0);
        limits_configure(k->l, k->c);
        limits_count_idle(k->l, k->c, j);
    }
    r = why(k, j, ~0u, LEVEL_HARD);
    assert_int_equal(r.dim, DIM_SYSTEM);
    kit_free(k);
}

/* Selection: survivors are counted before the next job is tested. */
static bool select_idle(struct kit *k, const char *who, uint32_t tasks)
{
    struct job *j = job_of(k, who, tasks, 0, 60);

    if (blocked(k, j, CHECK_IDLE))
        return false;
    limits_count_idle(k->l, k->c, j);
    return true;
}

static void idle_limits_cut_the_queue_in_priority_order_7_1(void **state)
{
    struct kit *k = kit_new();

    (void)state;
    cfg(k, CRED_USER, "DEFAULT")->idle[LIMIT_JOB] = BOTH(20);
    cfg(k, CRED_USER, "steve")->idle[LIMIT_JOB] = BOTH(2);
    cfg(k, CRED_USER, "steve")->idle[LIMIT_PROC] = BOTH(30);
    cfg(k, CRED_GROUP, "staff")->idle[LIMIT_JOB] = BOTH(5);
    cfg(k, CRED_CLASS, "DEFAULT")->idle[LIMIT_PROC] = BOTH(16);
    cfg(k, CRED_CLASS, "batch")->idle[LIMIT_PROC] = BOTH(32);
    cfg(k, CRED_QOS, "hiprio")->idle[LIMIT_JOB] = BOTH(3);
    cfg(k, CRED_QOS, "hiprio")->idle[LIMIT_PROC] = BOTH(64);
    kit_ready(k);
    limits_begin_idle(k->l, k->c);
    assert_true(select_idle(k, "steve/staff/-/batch/hiprio", 20));
    assert_false(select_idle(k, "steve/staff/-/batch/hiprio", 12)); /* 30 of steve */
    assert_true(select_idle(k, "steve/staff/-/batch/hiprio", 10));  /* a smaller one */
    assert_false(select_idle(k, "steve/staff/-/small/hiprio", 1)); /* 2 jobs of steve */
    assert_false(select_idle(k, "john/staff/-/batch/low", 3));     /* 32 of batch */
    assert_true(select_idle(k, "john/staff/-/small/hiprio", 16));
    assert_false(select_idle(k, "john/staff/-/small/low", 1));    /* 16 of the class */
    assert_false(select_idle(k, "john/staff/-/other/hiprio", 1)); /* 3 of hiprio */
    assert_true(select_idle(k, "john/staff/-/other/low", 1));
    assert_true(select_idle(k, "john/staff/-/third/low", 1));
    assert_false(select_idle(k, "mary/staff/-/fourth/low", 1)); /* 5 of staff */
    for (int i = 0; i < 20; i++)
        assert_true(select_idle(k, "mary/users", 1));
    assert_false(select_idle(k, "mary/users", 1));
    limits_begin_idle(k->l, k->c); /* the soft walk begins with fresh usage */
    assert_true(select_idle(k, "steve/staff/-/batch/hiprio", 30));
    kit_free(k);
}

/* Start what the level lets, in order, while processors last. */
static int pass(
    struct kit *k, struct job **jobs, int n, int *io_free, enum limit_level level)
{
    int started = 0;

    for (int i = 0; i < n; i++) {
        if (jobs[i]->state == JOB_RUNNING || *io_free < 1
            || limits_violated(k->l, k->c, jobs[i], CHECK_ACTIVE, level, NULL))
            continue;
        run_at(k, jobs[i], 0);
        *io_free -= 1;
        started |= 1 << i;
    }
    return started;
}

static void soft_pass_starts_two_of_a_and_b_then_hard_pass_the_rest_7_2(void **state)
{
    static const struct {
        struct limit maxjob;
        int soft, hard; /* bits: A1..A6 = 0..5, B1 = 6 */
    } rows[] = {{{2, 8}, 0x43, 0x3c}, {{2, 2}, 0x43, 0}};

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct kit *k = kit_new();
        struct job *jobs[7];
        int idle_procs = 10;
        cfg(k, CRED_USER, "DEFAULT")->active[LIMIT_JOB] = rows[i].maxjob;
        kit_ready(k);
        for (int n = 0; n < 7; n++)
            jobs[n] = job_of(k, n < 6 ? "A" : "B", 1, 0, 60);
        assert_int_equal(limits_soft_differs(k->l), i == 0);
        assert_int_equal(pass(k, jobs, 7, &idle_procs, LEVEL_SOFT), rows[i].soft);
        assert_int_equal(pass(k, jobs, 7, &idle_procs, LEVEL_HARD), rows[i].hard);
        assert_int_equal(idle_procs, i == 0 ? 3 : 7);
        kit_free(k);
    }
}

static void running_jobs_over_a_soft_limit_are_marked_7(void **state)
{
    struct kit *k = kit_new();
    struct job *a[3], *b;

    (void)state;
    cfg(k, CRED_USER, "DEFAULT")->active[LIMIT_JOB] = SOFT_HARD(2, 8);
    kit_ready(k);
    for (int i = 0; i < 3; i++)
        a[i] = run(k, "a", 1);
    b = run(k, "b", 1);
    limits_begin_cycle(k->l, k->c, 10);
    for (int i = 0; i < 3; i++)
        assert_true(a[i]->flags & JOB_SPVIOLATION);
    assert_false(b->flags & JOB_SPVIOLATION);
    limits_count_active(k->l, k->c, a[2], -1, 20);
    assert_false(a[2]->flags & JOB_SPVIOLATION);
    a[2]->state = JOB_COMPLETED;
    limits_begin_cycle(k->l, k->c, 30);
    assert_false(a[0]->flags & JOB_SPVIOLATION);

    run(k, "a", 1);
    limits_begin_cycle(k->l, k->c, 40);
    assert_true(a[0]->flags & JOB_SPVIOLATION);
    cfg(k, CRED_USER, "DEFAULT")->active[LIMIT_JOB] = BOTH(0);
    limits_configure(k->l, k->c);
    limits_begin_cycle(k->l, k->c, 50); /* no limit any more: no mark stays */
    assert_false(a[0]->flags & JOB_SPVIOLATION);
    kit_free(k);
}

/* ---- section 8: limits on one job ---- */

static void system_limits_hold_globally_and_by_partition_8(void **state)
{
    struct kit *k = kit_new();
    struct job *j;
    struct reason r;
    uint32_t small;

    (void)state;
    k->s->par.v[0].max_proc_per_job = 64;
    k->s->par.v[0].max_ps_per_job = 64 * 3600;
    k->s->par.v[0].max_wclimit_s = HOURS(24);
    settings_par(k->s, "small")->max_proc_per_job = 8;
    kit_ready(k);
    small = partition_get(k->c, "small")->index;
    j = job_of(k, "steve", 64, 0, 3600);
    assert_false(blocked(k, j, CHECK_SYSTEM));
    assert_true(limits_size_violated(k->l, k->c, j, small, &r));
    assert_int_equal(r.dim, DIM_SYSTEM);
    assert_int_equal(r.res, LIMIT_PROC);
    assert_int_equal(r.limit, 8);
    assert_int_equal(r.asked, 64);
    assert_int_equal(r.object, small);
    assert_true(blocked(k, job_of(k, "steve", 65, 0, 60), CHECK_SYSTEM));
    r = why(k, job_of(k, "steve", 64, 0, 3601), CHECK_SYSTEM, LEVEL_HARD);
    assert_int_equal(r.res, LIMIT_PS);
    r = why(k, job_of(k, "steve", 1, 0, HOURS(24) + 1), CHECK_SYSTEM, LEVEL_HARD);
    assert_int_equal(r.res, LIMIT_WC);
    assert_false(blocked(k, job_of(k, "steve", 65, 0, 60), CHECK_ACTIVE | CHECK_IDLE));
    kit_free(k);
}

static void a_qos_overrides_or_ignores_system_limits_8(void **state)
{
    struct kit *k = kit_new();
    struct reason r;

    (void)state;
    k->s->par.v[0].max_proc_per_job = 64;
    k->s->par.v[0].max_wclimit_s = HOURS(24);
    cfg(k, CRED_QOS, "wide")->over_job[LIMIT_PROC] = 128;
    cfg(k, CRED_QOS, "lean")->over_job[LIMIT_MEM] = 100;
    cfg(k, CRED_QOS, "free")->qos_flags = QOS_IGNSYSMAXPROC;
    kit_ready(k);
    assert_false(blocked(k, job_of(k, "s/-/-/-/wide", 128, 0, 60), CHECK_SYSTEM));
    r = why(k, job_of(k, "s/-/-/-/wide", 129, 0, 60), CHECK_SYSTEM, LEVEL_HARD);
    assert_int_equal(r.kind, CRED_QOS);
    assert_int_equal(r.limit, 128);
    assert_false(blocked(k, job_of(k, "s/-/-/-/free", 9999, 0, 60), CHECK_SYSTEM));
    assert_true(blocked(k, job_of(k, "s/-/-/-/free", 1, 0, HOURS(25)), CHECK_SYSTEM));
    struct job *j = job_of(k, "s/-/-/-/lean", 1, 0, 60);
    j->mem_mb = 101;
    assert_true(blocked(k, j, CHECK_SYSTEM));
    kit_free(k);
}

static void class_user_and_group_limit_the_size_of_a_job_8(void **state)
{
    static const struct {
        const char *who;
        uint32_t tasks, nodes;
        int64_t wclimit_s;
        const char *text; /* NULL = allowed */
    } rows[] = {
        {"steve/staff/-/batch", 4, 2, HOURS(24), NULL},
        {"steve/staff/-/batch", 3, 2, 60,
            "the job asks for 3 processors but class batch requires at least 4 "
            "(MIN.PROC)"},
        {"steve/staff/-/batch", 33, 2, 60,
            "the job asks for 33 processors but class batch requires at most 32 "
            "(MAXPROCPERJOB)"},
        {"steve/staff/-/batch", 9, 9, 60,
            "the job asks for 9 nodes but class batch requires at most 8 "
            "(MAXNODEPERJOB)"},
        {"steve/staff/-/batch", 4, 2, HOURS(24) + 1,
            "the job asks for a wallclock limit of 1:00:00:01 but class batch allows "
            "at most 1:00:00:00 (MAX.WCLIMIT)"},
        {"john/staff/-/batch", 4, 2, HOURS(13),
            "the job asks for a wallclock limit of 13:00:00 but user john allows at "
            "most 12:00:00 (MAX.WCLIMIT)"}, /* the strictest counts */
        {"john/guests/-/batch", 4, 2, HOURS(7),
            "the job asks for a wallclock limit of 07:00:00 but group guests allows "
            "at most 06:00:00 (MAX.WCLIMIT)"},
        {"steve/staff/-/debug", 1, 1, HOURS(2),
            "the job asks for a wallclock limit of 02:00:00 but class debug allows at "
            "most 01:00:00 (MAX.WCLIMIT)"}, /* DEFAULT's */
        {"steve/staff/-/debug", 1, 1, DURATION_UNLIMITED,
            "the job asks for a wallclock limit of INFINITY but class debug allows at "
            "most 01:00:00 (MAX.WCLIMIT)"},
    };
    struct kit *k = kit_new();
    struct cred_cfg *batch = cfg(k, CRED_CLASS, "batch");

    (void)state;
    batch->min_proc = 4;
    batch->max_proc_per_job = 32;
    batch->max_node_per_job = 8;
    batch->max_wclimit_s = HOURS(24);
    cfg(k, CRED_CLASS, "DEFAULT")->max_wclimit_s = HOURS(1);
    cfg(k, CRED_USER, "john")->max_wclimit_s = HOURS(12);
    cfg(k, CRED_GROUP, "guests")->max_wclimit_s = HOURS(6);
    kit_ready(k);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct job *j =
            job_of(k, rows[i].who, rows[i].tasks, rows[i].nodes, rows[i].wclimit_s);
        bool bad = limits_class_violated(k->c, j, &k->fault);
        assert_int_equal(bad, rows[i].text != NULL);
        if (bad)
            assert_string_equal(k->fault.text, rows[i].text);
    }
    kit_free(k);
}

static void a_job_larger_than_a_hard_limit_can_never_run_8(void **state)
{
    struct kit *k = kit_new();
    struct reason r;

    (void)state;
    cfg(k, CRED_USER, "DEFAULT")->active[LIMIT_PROC] = SOFT_HARD(4, 8);
    cfg(k, CRED_GROUP, "staff")->idle[LIMIT_PS] = BOTH(3600);
    k->s->par.v[0].max_proc_per_job = 2;
    kit_ready(k);
    run(k, "steve", 8);
    /* blocked by usage or by a soft limit: it can run one day */
    assert_true(blocked(k, job_of(k, "steve", 8, 0, 60), CHECK_ACTIVE));
    assert_false(limits_never(k->l, k->c, job_of(k, "steve", 8, 0, 60), &r));
    assert_true(limits_never(k->l, k->c, job_of(k, "steve", 9, 0, 60), &r));
    assert_int_equal(r.limit, 8);
    assert_int_equal(r.used, 0);
    assert_int_equal(r.asked, 9);
    assert_true(limits_never(k->l, k->c, job_of(k, "j/staff", 1, 0, 3601), &r));
    assert_int_equal(r.dim, DIM_IDLE);
    assert_true(limits_never(k->l, k->c, job_of(k, "j/staff", 1, 0, 3601), NULL));
    kit_free(k);
}

/* ---- counting ---- */

static void counting_twice_or_ending_unknown_jobs_does_no_harm(void **state)
{
    struct kit *k = kit_new();
    struct job *j;

    (void)state;
    kit_ready(k);
    j = job_of(k, "steve/staff", 4, 0, 60);
    limits_count_active(k->l, k->c, j, -1, 0);
    limits_count_active(k->l, k->c, j, 1, 0);
    limits_count_active(k->l, k->c, j, 1, 0);
    assert_int_equal(active_of(k, "steve")[LIMIT_PROC], 4);
    j->cred[CRED_USER] = cred_get(k->c, CRED_USER, "john")->index;
    j->pe = 40;                               /* the machine shrank meanwhile */
    limits_count_active(k->l, k->c, j, 1, 0); /* moves what was counted */
    assert_int_equal(active_of(k, "steve")[LIMIT_PROC], 0);
    assert_int_equal(active_of(k, "john")[LIMIT_PROC], 4);
    assert_int_equal(active_of(k, "john")[LIMIT_PE], 40000);
    j->pe = 2;
    limits_count_active(k->l, k->c, j, -1, 0);
    assert_int_equal(active_of(k, "john")[LIMIT_PE], 0);
    kit_free(k);
}

static void limits_have_the_names_of_the_configuration_file(void **state)
{
    (void)state;
    assert_string_equal(limit_name(DIM_ACTIVE, LIMIT_JOB), "MAXJOB");
    assert_string_equal(limit_name(DIM_ACTIVE, LIMIT_MEM), "MAXMEM");
    assert_string_equal(limit_name(DIM_IDLE, LIMIT_PROC), "MAXIPROC");
    assert_string_equal(limit_name(DIM_SYSTEM, LIMIT_WC), "SYSTEMMAXJOBWALLTIME");
}

/* ---- against a naive recount ---- */

#define NAMES 5
#define LIVE  40

struct oracle {
    struct kit *k;
    struct job *jobs[LIVE]; /* NULL = none */
    bool active[LIVE], idle[LIVE];
    uint64_t rng;
    int64_t now;
};

static uint32_t roll(struct oracle *o, uint32_t n)
{
    o->rng = o->rng * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(o->rng >> 33) % n;
}

static struct limit random_limit(struct oracle *o)
{
    switch (roll(o, 4)) {
    case 0:
        return (struct limit){-1, -1};
    case 1:
        return (struct limit){roll(o, 30) + 1, roll(o, 60) + 1};
    default:
        return BOTH(roll(o, 40) + 1);
    }
}

static const char *const some_names[NAMES] = {"DEFAULT", "p", "q", "r", "s"};

static void random_section(struct oracle *o, struct cred_cfg *c, bool qos)
{
    for (int i = roll(o, 3); i > 0; i--)
        c->active[roll(o, LIMIT_RES_COUNT)] = random_limit(o);
    for (int i = roll(o, 3); i > 0; i--)
        c->idle[roll(o, LIMIT_RES_COUNT)] = random_limit(o);
    if (roll(o, 3) == 0)
        within(c, roll(o, 4), roll(o, CRED_KINDS),
            roll(o, 2) ? NULL : some_names[1 + roll(o, NAMES - 1)], random_limit(o));
    if (roll(o, 3) == 0)
        within_idle(c, roll(o, 4), roll(o, CRED_KINDS), NULL, random_limit(o));
    if (!qos || roll(o, 2))
        return;
    c->over_active[roll(o, LIMIT_RES_COUNT)] = random_limit(o);
    c->over_idle[roll(o, LIMIT_RES_COUNT)] = random_limit(o);
    c->ignore_active[roll(o, CRED_KINDS)] = roll(o, 128);
}

/* The naive answer: sums over all jobs, one limit after the other, by the text of
 * the reference. */
static int64_t naive_use(const struct oracle *o, int i, enum limit_res r, bool active)
{
    const struct job *j = o->jobs[i];
    int64_t left = j->wclimit_s;

    if (active)
        left = j->start_at + j->wclimit_s > o->now ? j->start_at + j->wclimit_s - o->now
                                                   : 0;
    const int64_t v[] = {[LIMIT_JOB] = 1,
        [LIMIT_PROC] = j->procs,
        [LIMIT_NODE] = j->reqs[0].nodes,
        [LIMIT_PS] = j->procs * left,
        [LIMIT_PE] = llround(1000 * j->pe),
        [LIMIT_WC] = left,
        [LIMIT_MEM] = j->mem_mb};
    return v[r];
}

/* Sum over the jobs that share the given credentials (kind CRED_KINDS = any). */
static int64_t naive_sum(const struct oracle *o, const struct job *with, int kind,
    int kind2, enum limit_res r, bool idle)
{
    int64_t sum = 0;

    for (int i = 0; i < LIVE; i++) {
        const struct job *j = o->jobs[i];
        if (!j || !(idle ? o->idle[i] : o->active[i]))
            continue;
        if (kind < CRED_KINDS && j->cred[kind] != with->cred[kind])
            continue;
        if (kind2 < CRED_KINDS && j->cred[kind2] != with->cred[kind2])
            continue;
        sum += naive_use(o, i, r, !idle);
    }
    return sum;
}

/* Hard value of a written limit, 0 = none. */
static int64_t naive_value(struct limit v, bool idle, enum limit_level level)
{
    int64_t hard = v.hard ? v.hard : (idle ? 0 : v.soft);
    int64_t soft = v.soft;

    hard = hard < 0 ? INT64_MAX : hard;
    if (soft <= 0 || soft > hard || idle)
        soft = hard;
    return level == LEVEL_SOFT ? soft : hard;
}

static bool is_set(struct limit v)
{
    return v.soft || v.hard;
}

static bool naive_over(const struct oracle *o, const struct job *j, int64_t limit,
    int64_t want, const int kinds[2], enum limit_res r, bool idle)
{
    return limit && limit != INT64_MAX
           && naive_sum(o, j, kinds[0], kinds[1], r, idle) + want
                  > limit * (r == LIMIT_PE ? 1000 : 1);
}

static int64_t naive_override(const struct cred *qos, enum limit_res r, bool idle,
    enum limit_level level, int64_t own)
{
    struct limit over = idle ? qos->cfg->over_idle[r] : qos->cfg->over_active[r];

    if (!is_set(over))
        over = idle ? qos->def->over_idle[r] : qos->def->over_active[r];
    if (r == LIMIT_JOB || !own || own == INT64_MAX || !is_set(over))
        return own;
    return naive_value(over, idle, level);
}

static bool naive_one(const struct oracle *o, const struct job *j, int kind,
    enum limit_res r, bool idle, enum limit_level level)
{
    const struct cred *k = job_cred(o->k->c, j, kind);
    const struct cred *qos = job_cred(o->k->c, j, CRED_QOS);
    const int kinds[2] = {kind, CRED_KINDS};
    struct limit v = idle ? k->cfg->idle[r] : k->cfg->active[r];

    if (k->index == 0 && kind != CRED_QOS)
        return false;
    if (!idle && (qos->cfg->ignore_active[kind] >> r & 1))
        return false;
    if (!is_set(v))
        v = idle ? k->def->idle[r] : k->def->active[r];
    if (kind == CRED_QOS && r == LIMIT_JOB) {
        struct limit over = idle ? k->cfg->over_idle[r] : k->cfg->over_active[r];
        if (!is_set(over))
            over = idle ? k->def->over_idle[r] : k->def->over_active[r];
        if (is_set(over))
            v = over;
    }
    int64_t want[LIVE];
    int me = 0;
    while (o->jobs[me] != j)
        me++;
    want[0] = naive_use(o, me, r, false);
    return naive_over(o, j,
        naive_override(qos, r, idle, level, naive_value(v, idle, level)), want[0],
        kinds, r, idle);
}

static struct limit naive_within(
    const struct cred_cfg *c, int other, const char *name, enum limit_res r, bool idle)
{
    struct limit general = {0, 0}, named = {0, 0};

    for (size_t i = 0; i < c->within.n; i++) {
        const struct limit_within *w = &c->within.v[i];
        if (w->idle != idle || w->res != r || (int)w->other != other
            || !is_set(w->limit))
            continue;
        if (!w->name)
            general = w->limit;
        else if (!strcmp(w->name, name))
            named = w->limit;
    }
    return is_set(named) ? named : general;
}

static bool naive_pair(const struct oracle *o, const struct job *j, const int kinds[2],
    enum limit_res r, bool idle, enum limit_level level)
{
    const struct cred *k = job_cred(o->k->c, j, kinds[0]);
    const struct cred *k2 = job_cred(o->k->c, j, kinds[1]);
    const struct cred *qos = job_cred(o->k->c, j, CRED_QOS);
    struct limit v = naive_within(k->cfg, kinds[1], k2->name, r, idle);
    int me = 0;

    if ((k->index == 0 && kinds[0] != CRED_QOS)
        || (k2->index == 0 && kinds[1] != CRED_QOS))
        return false;
    if (!idle
        && ((qos->cfg->ignore_active[kinds[0]] | qos->cfg->ignore_active[kinds[1]]) >> r
            & 1))
        return false;
    if (!is_set(v))
        v = naive_within(k->def, kinds[1], k2->name, r, idle);
    while (o->jobs[me] != j)
        me++;
    return naive_over(o, j,
        naive_override(qos, r, idle, level, naive_value(v, idle, level)),
        naive_use(o, me, r, false), kinds, r, idle);
}

static bool naive_violated(
    const struct oracle *o, const struct job *j, bool idle, enum limit_level level)
{
    for (int r = 0; r < LIMIT_RES_COUNT; r++)
        for (int kind = 0; kind < CRED_KINDS; kind++) {
            if (naive_one(o, j, kind, r, idle, level))
                return true;
            for (int other = 0; other < CRED_KINDS; other++) {
                const int kinds[2] = {kind, other};
                if (naive_pair(o, j, kinds, r, idle, level))
                    return true;
            }
        }
    return false;
}

static void compare(struct oracle *o, unsigned seed, int step)
{
    struct kit *k = o->k;

    for (int i = 0; i < LIVE; i++) {
        if (!o->jobs[i] || o->active[i] || o->idle[i])
            continue;
        for (int what = 0; what < 4; what++) {
            bool idle = what & 1;
            enum limit_level level = what & 2 ? LEVEL_SOFT : LEVEL_HARD;
            bool want = naive_violated(o, o->jobs[i], idle, level);
            bool got = limits_violated(
                k->l, k->c, o->jobs[i], idle ? CHECK_IDLE : CHECK_ACTIVE, level, NULL);
            int64_t use[LIMIT_RES_COUNT];
            limits_use_of(k->c, o->jobs[i], use);
            assert_int_equal(got, limits_use_violated(k->l, k->c,
                                      (struct limits_use){o->jobs[i]->cred, use, 0},
                                      idle ? CHECK_IDLE : CHECK_ACTIVE, level, NULL));
            if (want != got)
                fail_msg("seed %u step %d job %d what %d: naive %d, got %d", seed, step,
                    i, what, want, got);
        }
    }
}

static void begin_cycle(struct oracle *o)
{
    o->now += roll(o, 10);
    limits_begin_cycle(o->k->l, o->k->c, o->now);
    limits_begin_idle(o->k->l, o->k->c);
    memset(o->idle, 0, sizeof o->idle);
}

static void random_job(struct oracle *o, int i)
{
    char who[64];
    uint32_t tasks;
    struct job *j;

    snprintf(who, sizeof who, "%s/%s/%s/%s/%s", some_names[1 + roll(o, 4)],
        some_names[roll(o, NAMES)], some_names[roll(o, NAMES)],
        some_names[roll(o, NAMES)], some_names[roll(o, NAMES)]);
    tasks = 1 + roll(o, 8);
    j = job_of(o->k, who, tasks, roll(o, tasks + 1), 1 + roll(o, 30));
    j->pe = roll(o, 100) / 10.0;
    j->mem_mb = roll(o, 10);
    o->jobs[i] = j;
}

static void stop(struct oracle *o, int i)
{
    struct cluster *c = o->k->c;

    limits_count_active(o->k->l, c, o->jobs[i], -1, o->now);
    for (size_t n = 0; n < c->active.n; n++)
        if (c->active.v[n] == o->jobs[i]->index) {
            vec_remove(&c->active, n);
            break;
        }
    o->jobs[i]->state = JOB_COMPLETED;
    o->jobs[i] = NULL;
    o->active[i] = false;
}

static void do_step(struct oracle *o)
{
    int i = (int)roll(o, LIVE);

    if (!o->jobs[i]) {
        random_job(o, i);
    } else if (o->active[i]) {
        stop(o, i);
    } else if (!o->idle[i] && roll(o, 2)) {
        limits_count_idle(o->k->l, o->k->c, o->jobs[i]);
        o->idle[i] = true;
    } else if (!o->idle[i]) {
        run_at(o->k, o->jobs[i], o->now);
        o->active[i] = true;
    }
}

static void no_usage_is_left(struct oracle *o)
{
    struct cluster *c = o->k->c;

    for (int i = 0; i < LIVE; i++)
        if (o->jobs[i] && o->active[i])
            stop(o, i);
    limits_begin_idle(o->k->l, c);
    for (int r = 0; r < LIMIT_RES_COUNT; r++) {
        assert_int_equal(c->sys_active.v[r], 0);
        assert_int_equal(c->sys_idle.v[r], 0);
        for (int kind = 0; kind < CRED_KINDS; kind++)
            for (size_t n = 0; n < c->creds[kind].n; n++) {
                assert_int_equal(c->creds[kind].v[n]->active.v[r], 0);
                assert_int_equal(c->creds[kind].v[n]->idle.v[r], 0);
            }
    }
}

static void reconfigure(struct oracle *o)
{
    limits_configure(o->k->l, o->k->c);
    memset(o->idle, 0, sizeof o->idle);
}

static void run_seed(unsigned seed)
{
    struct oracle o = {.k = kit_new(), .rng = seed * UINT64_C(7919) + 1};

    for (int kind = 0; kind < CRED_KINDS; kind++)
        for (int n = 0; n < NAMES; n++)
            if (roll(&o, 2))
                random_section(&o, cfg(o.k, kind, some_names[n]), kind == CRED_QOS);
    kit_ready(o.k);
    for (int step = 0; step < 200; step++) {
        if (step % 20 == 0)
            begin_cycle(&o);
        if (step == 100)
            reconfigure(&o);
        do_step(&o);
        if (step % 10 == 9)
            compare(&o, seed, step);
    }
    no_usage_is_left(&o);
    kit_free(o.k);
}

static void random_limits_agree_with_a_naive_recount(void **state)
{
    (void)state;
    print_message("# seeds 1 to 150\n");
    for (unsigned seed = 1; seed <= 150; seed++)
        run_seed(seed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_job_consumes_jobs_processors_nodes_and_their_time_2),
        cmocka_unit_test(outstanding_processor_seconds_are_57600_2),
        cmocka_unit_test(remaining_time_grows_by_suspension_and_is_never_negative_2),
        cmocka_unit_test(an_unlimited_job_breaks_every_time_limit),
        cmocka_unit_test(memory_limits_are_enforced_2),
        cmocka_unit_test(nodeallocmaxps_counts_nodes_of_single_jobs_2),
        cmocka_unit_test(zero_is_no_limit_and_negative_stops_the_fall_back_2),
        cmocka_unit_test(john_runs_8_jobs_and_everybody_else_4_3),
        cmocka_unit_test(with_14_nodes_in_use_a_job_of_the_class_may_ask_for_2_3),
        cmocka_unit_test(default_limits_every_kind_active_and_idle_3),
        cmocka_unit_test(jobs_without_an_account_share_no_limit),
        cmocka_unit_test(syscfg_limits_the_sum_over_all_jobs_3),
        cmocka_unit_test(a_credential_seen_after_configuration_has_the_default_limit),
        cmocka_unit_test(hiprio_gives_user_steve_64_nodes_4_1),
        cmocka_unit_test(hiprio_leaves_user_steve_2_jobs_4_1),
        cmocka_unit_test(hiprio_leaves_group_staff_5_jobs_4_1),
        cmocka_unit_test(hiprio_gives_class_batch_64_nodes_4_1),
        cmocka_unit_test(hiprio_itself_runs_3_jobs_4_1),
        cmocka_unit_test(an_override_makes_no_limit_where_there_is_none_4_1),
        cmocka_unit_test(a_plain_limit_on_a_qos_is_its_own_4_1),
        cmocka_unit_test(limits_come_from_override_own_default_in_that_order_4),
        cmocka_unit_test(ignore_flags_free_only_the_named_kind_and_limit_4_2),
        cmocka_unit_test(each_group_runs_12_jobs_in_class_fast_5),
        cmocka_unit_test(steve_has_50_processors_in_class_fast_5),
        cmocka_unit_test(each_user_has_8_of_the_nodes_of_the_class_5),
        cmocka_unit_test(named_values_differ_and_beat_the_general_one_5),
        cmocka_unit_test(every_pair_of_kinds_is_limited_active_and_idle_5),
        cmocka_unit_test(default_and_system_sections_limit_pairs_5),
        cmocka_unit_test(a_qos_override_and_ignore_flag_reach_pairs_5),
        cmocka_unit_test(soft_and_hard_values_are_put_in_order_6),
        cmocka_unit_test(the_soft_pass_differs_only_if_some_soft_limit_is_tighter),
        cmocka_unit_test(usage_survives_new_settings),
        cmocka_unit_test(the_first_violation_in_the_documented_order_is_told_7),
        cmocka_unit_test(idle_limits_cut_the_queue_in_priority_order_7_1),
        cmocka_unit_test(soft_pass_starts_two_of_a_and_b_then_hard_pass_the_rest_7_2),
        cmocka_unit_test(running_jobs_over_a_soft_limit_are_marked_7),
        cmocka_unit_test(system_limits_hold_globally_and_by_partition_8),
        cmocka_unit_test(a_qos_overrides_or_ignores_system_limits_8),
        cmocka_unit_test(class_user_and_group_limit_the_size_of_a_job_8),
        cmocka_unit_test(a_job_larger_than_a_hard_limit_can_never_run_8),
        cmocka_unit_test(counting_twice_or_ending_unknown_jobs_does_no_harm),
        cmocka_unit_test(limits_have_the_names_of_the_configuration_file),
        cmocka_unit_test(random_limits_agree_with_a_naive_recount),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
