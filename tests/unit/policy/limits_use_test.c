/* SPDX-License-Identifier: Apache-2.0
 * What a job is counted as, and that it is counted once. Names of tests end in the
 * section of the reference whose example they are. */
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
        cmocka_unit_test(counting_twice_or_ending_unknown_jobs_does_no_harm),
        cmocka_unit_test(limits_have_the_names_of_the_configuration_file),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
