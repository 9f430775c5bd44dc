/* SPDX-License-Identifier: Apache-2.0
 * Queue orders: keys of reference scheduling-algorithms, section 3. */
#include "cluster/job.h"
#include "policy/order.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define NOW    20000
#define ORIGIN 9000

/* e = 3600, q = 16, w = 10000, r' = 1000 */
static struct job sample(void)
{
    return (struct job){.procs = 16, .wclimit_s = 3600, .submit_at = 10000};
}

static void assert_key(enum queue_order o, double expected)
{
    struct job j = sample();
    double key = order_key(o, &j, NOW, ORIGIN);

    if (fabs(key - expected) > 1e-9 * fabs(expected))
        fail_msg("%s: key %.17g, expected %.17g", order_name(o), key, expected);
}

static void every_key_is_that_of_the_table(void **state)
{
    double x = 10000.0 / 3600;

    (void)state;
    assert_key(ORDER_FCFS, 10000);
    assert_key(ORDER_SJF, 3600);
    assert_key(ORDER_LJF, -3600);
    assert_key(ORDER_SNF, 16);
    assert_key(ORDER_SAF, 57600);
    assert_key(ORDER_SQF, 3600.0 * 57600);
    assert_key(ORDER_LXF, -13600.0 / 3600);
    assert_key(ORDER_WFP3, -x * x * x * 16);
    assert_key(ORDER_UNICEP, -10000.0 / (3600 * 4));
    assert_key(ORDER_F1, log10(3600) * 16 + 870 * 3);
    assert_key(ORDER_F2, 60 * 16 + 25600 * 3);
    assert_key(ORDER_F3, 57600.0 + 6860000 * 3);
    assert_key(ORDER_F4, 3600 * 4 + 530000.0 * 3);
}

static void sqf_takes_no_job_for_shorter_than_ten_seconds(void **state)
{
    struct job j = sample();

    (void)state;
    j.wclimit_s = 5;
    assert_true(order_key(ORDER_SQF, &j, NOW, ORIGIN) == 10.0 * 5 * 16);
}

static void psqf_is_sqf_by_predicted_runs(void **state)
{
    struct job j = sample();

    (void)state;
    assert_true(order_predicts(ORDER_PSQF));
    assert_false(order_predicts(ORDER_SQF));
    assert_true(order_key_predicted(&j, 3600, 1.0 / 3600)
                == order_key(ORDER_SQF, &j, NOW, ORIGIN));
    assert_true(order_key_predicted(&j, 60, 1.0 / 50) == 16.0 * 60 * 50);
}

static void unicep_puts_serial_jobs_first(void **state)
{
    struct job serial = sample(), wide = sample();

    (void)state;
    serial.procs = 1;
    serial.submit_at = NOW;
    wide.submit_at = 0;
    wide.wclimit_s = 1;
    assert_true(order_key(ORDER_UNICEP, &serial, NOW, 0)
                < order_key(ORDER_UNICEP, &wide, NOW, 0));
}

static void submit_times_before_the_second_of_the_origin_count_as_one(void **state)
{
    struct job j = sample();
    double at_origin;

    (void)state;
    at_origin = order_key(ORDER_F1, &j, NOW, j.submit_at);
    assert_true(at_origin == log10(3600) * 16);
    assert_true(order_key(ORDER_F1, &j, NOW, j.submit_at - 1) == at_origin);
    assert_true(order_key(ORDER_F1, &j, NOW, j.submit_at + 50) == at_origin);
}

static void no_key_is_ever_not_a_number(void **state)
{
    struct job j = {0};

    (void)state;
    for (int o = ORDER_FCFS; o < ORDERS; o++) {
        if (order_predicts((enum queue_order)o))
            continue;
        assert_false(isnan(order_key((enum queue_order)o, &j, 0, 0)));
        assert_false(isnan(order_key((enum queue_order)o, &j, -5, 100)));
    }
    j.wclimit_s = DURATION_UNLIMITED;
    j.procs = UINT32_MAX;
    for (int o = ORDER_FCFS; o < ORDERS; o++)
        if (!order_predicts((enum queue_order)o))
            assert_false(isnan(order_key((enum queue_order)o, &j, TIME_NEVER, 0)));
}

static void a_static_key_does_not_change_while_waiting(void **state)
{
    struct job j = sample();

    (void)state;
    for (int o = ORDER_FCFS; o < ORDERS; o++) {
        if (order_predicts((enum queue_order)o))
            continue;
        bool same = order_key((enum queue_order)o, &j, NOW, ORIGIN)
                    == order_key((enum queue_order)o, &j, NOW + 999, ORIGIN);

        assert_int_equal(same, order_is_static((enum queue_order)o));
    }
    assert_false(order_is_static(ORDER_PRIORITY));
}

static void every_name_parses_in_any_case(void **state)
{
    struct err err;
    enum queue_order o;

    (void)state;
    for (int i = 0; i < ORDERS; i++) {
        assert_int_equal(order_parse(order_name((enum queue_order)i), &o, &err), 0);
        assert_int_equal(o, i);
    }
    assert_int_equal(order_parse("wfp3", &o, &err), 0);
    assert_int_equal(o, ORDER_WFP3);
}

static void a_mistyped_name_gets_the_nearest_one(void **state)
{
    enum queue_order o = ORDER_LXF;
    struct err err;

    (void)state;
    assert_int_equal(order_parse("unicef", &o, &err), -1);
    assert_int_equal(err.code, ERR_INVALID);
    assert_non_null(strstr(err.text, "'unicef'"));
    assert_non_null(strstr(err.text, "UNICEP"));
    assert_int_equal(o, ORDER_LXF); /* untouched */
}

static void a_name_like_no_other_gets_the_list(void **state)
{
    enum queue_order o;
    struct err err;

    (void)state;
    assert_int_equal(order_parse("alphabetical", &o, &err), -1);
    assert_non_null(strstr(err.text, "SQF"));
    assert_int_equal(order_parse("", &o, &err), -1);
    assert_int_equal(order_parse("alphabetical", &o, NULL), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_key_is_that_of_the_table),
        cmocka_unit_test(sqf_takes_no_job_for_shorter_than_ten_seconds),
        cmocka_unit_test(psqf_is_sqf_by_predicted_runs),
        cmocka_unit_test(unicep_puts_serial_jobs_first),
        cmocka_unit_test(submit_times_before_the_second_of_the_origin_count_as_one),
        cmocka_unit_test(no_key_is_ever_not_a_number),
        cmocka_unit_test(a_static_key_does_not_change_while_waiting),
        cmocka_unit_test(every_name_parses_in_any_case),
        cmocka_unit_test(a_mistyped_name_gets_the_nearest_one),
        cmocka_unit_test(a_name_like_no_other_gets_the_list),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
