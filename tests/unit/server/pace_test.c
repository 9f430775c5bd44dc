/* SPDX-License-Identifier: Apache-2.0
 * How often the process may be copied. */
#include "cmocka_all.h"
#include "server/whatif/pace.h"

#define SECOND UINT64_C(1000000)

static void copies_of_a_small_process_follow_each_other(void **state)
{
    struct pace p = {0};

    (void)state;
    for (int i = 0; i < 40; i++) {
        assert_int_equal(pace_wait_us(&p, SECOND), 0);
        pace_spend(&p, SECOND, 1000);
    }
}

static void a_long_copy_is_paid_for_before_the_next(void **state)
{
    struct pace p = {0};

    (void)state;
    assert_int_equal(pace_wait_us(&p, 5 * SECOND), 0);
    pace_spend(&p, 5 * SECOND, SECOND / 5);
    assert_int_equal(pace_wait_us(&p, 5 * SECOND), 3 * SECOND);
    assert_int_equal(pace_wait_us(&p, 7 * SECOND), SECOND);
    assert_int_equal(pace_wait_us(&p, 8 * SECOND), 0);
}

/* However often it is asked for: a twentieth of the time, and the burst. */
static void copies_take_a_twentieth_of_the_time(void **state)
{
    uint64_t now = 5 * SECOND, took = 30000, spent = 0;
    struct pace p = {0};

    (void)state;
    for (; now < 105 * SECOND; now += 10000) {
        if (pace_wait_us(&p, now))
            continue;
        pace_spend(&p, now, took);
        spent += took;
    }
    assert_in_range(spent, 49 * SECOND / 10, 52 * SECOND / 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_of_a_small_process_follow_each_other),
        cmocka_unit_test(a_long_copy_is_paid_for_before_the_next),
        cmocka_unit_test(copies_take_a_twentieth_of_the_time),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
