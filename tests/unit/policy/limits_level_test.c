/* SPDX-License-Identifier: Apache-2.0
 * Hard and soft limits, and the order in which violations are found. Names of tests end
 * in the section of the reference whose example they are. */
#include "limits_kit.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(soft_and_hard_values_are_put_in_order_6),
        cmocka_unit_test(the_soft_pass_differs_only_if_some_soft_limit_is_tighter),
        cmocka_unit_test(usage_survives_new_settings),
        cmocka_unit_test(the_first_violation_in_the_documented_order_is_told_7),
        cmocka_unit_test(idle_limits_cut_the_queue_in_priority_order_7_1),
        cmocka_unit_test(soft_pass_starts_two_of_a_and_b_then_hard_pass_the_rest_7_2),
        cmocka_unit_test(running_jobs_over_a_soft_limit_are_marked_7),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
