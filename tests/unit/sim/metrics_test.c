/* SPDX-License-Identifier: Apache-2.0
 * Metrics by hand. */
#include "sim/metrics.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void near(double got, double expected)
{
    if (fabs(got - expected) > 1e-12 * fmax(1, fabs(expected)))
        fail_msg("%.17g, expected %.17g", got, expected);
}

static void no_jobs_give_zeros(void **state)
{
    struct metrics m, zero = {0};

    (void)state;
    metrics_compute(NULL, 0, 16, &m);
    assert_int_equal(m.jobs, 0);
    assert_memory_equal(&m, &zero, sizeof m);
}

/* wait 0, 30, 90; run 100, 5, 50; processors 4, 1, 2 on a machine of 4. */
static const struct metric_job three[] = {
    {0, 0, 100, 4}, {70, 100, 105, 1}, {10, 100, 150, 2}};

static void three_jobs_by_hand(void **state)
{
    struct metrics m;

    (void)state;
    metrics_compute(three, 3, 4, &m);
    assert_int_equal(m.jobs, 3);
    near(m.mean_wait_s, 40);
    assert_int_equal(m.median_wait_s, 30);
    assert_int_equal(m.p95_wait_s, 90);
    assert_int_equal(m.max_wait_s, 90);
    /* 1; (30 + 5) / 10; (90 + 50) / 50 */
    near(m.mean_bsld, (1 + 3.5 + 2.8) / 3);
    near(m.median_bsld, 2.8);
    near(m.max_bsld, 3.5);
    /* 100/400 -> 1; 35/10; 140/100 */
    near(m.mean_pp_bsld, (1 + 3.5 + 1.4) / 3);
    near(m.mean_response_s, (100 + 35 + 140) / 3.0);
    /* work 400, 5, 100 */
    near(m.area_weighted_wait_s, (30 * 5 + 90 * 100) / 505.0);
    near(m.quadratic_wait_s, sqrt((900 + 8100) / 3.0));
    assert_int_equal(m.makespan_s, 150);
    near(m.utilization, 505 / (4 * 150.0));
    /* submissions from 0 to 70: only the first ran then */
    near(m.utilization_window, 1);
    near(m.proc_hours, 505 / 3600.0);
}

static void a_percentile_is_the_value_at_the_floor_of_its_share(void **state)
{
    struct metric_job jobs[200];
    struct metrics m;

    (void)state;
    for (int i = 0; i < 200; i++) /* waits 0 to 199, backwards */
        jobs[i] = (struct metric_job){0, 199 - i, 200 - i, 1};
    metrics_compute(jobs, 200, 1, &m);
    assert_int_equal(m.median_wait_s, 100);
    assert_int_equal(m.p95_wait_s, 190);
    assert_int_equal(m.p99_wait_s, 198);
    assert_int_equal(m.max_wait_s, 199);
    metrics_compute(jobs, 1, 1, &m); /* of one, the one */
    assert_int_equal(m.median_wait_s, 199);
    assert_int_equal(m.p99_wait_s, 199);
}

static void short_runs_count_as_ten_seconds(void **state)
{
    const struct metric_job jobs[] = {{0, 0, 1, 1}, {0, 19, 20, 1}, {0, 9, 10, 1}};
    struct metrics m;

    (void)state;
    metrics_compute(jobs, 1, 1, &m);
    near(m.mean_bsld, 1); /* never below 1 */
    metrics_compute(jobs + 1, 1, 1, &m);
    near(m.mean_bsld, 2);
    metrics_compute(jobs + 2, 1, 1, &m);
    near(m.mean_bsld, 1);
}

static void a_single_instant_has_no_utilization_window(void **state)
{
    const struct metric_job jobs[] = {{5, 5, 15, 1}};
    struct metrics m;

    (void)state;
    metrics_compute(jobs, 1, 2, &m);
    near(m.utilization, 0.5);
    near(m.utilization_window, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_jobs_give_zeros),
        cmocka_unit_test(three_jobs_by_hand),
        cmocka_unit_test(a_percentile_is_the_value_at_the_floor_of_its_share),
        cmocka_unit_test(short_runs_count_as_ten_seconds),
        cmocka_unit_test(a_single_instant_has_no_utilization_window),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
