/* SPDX-License-Identifier: Apache-2.0
 * Limits on one job: of the system, and of credentials. Names of tests end in the
 * section of the reference whose example they are. */
#include "cluster/partition.h"
#include "limits_kit.h"

#include <math.h>

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(system_limits_hold_globally_and_by_partition_8),
        cmocka_unit_test(a_qos_overrides_or_ignores_system_limits_8),
        cmocka_unit_test(class_user_and_group_limit_the_size_of_a_job_8),
        cmocka_unit_test(a_job_larger_than_a_hard_limit_can_never_run_8),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
