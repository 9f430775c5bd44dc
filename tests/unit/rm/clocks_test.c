/* SPDX-License-Identifier: Apache-2.0
 * How far another machine's clock is ahead, by its answers. */
#include "cmocka_all.h"
#include "rm/adapter/clocks.h"

#define NOW 1764081000

static void clocks_that_agree_differ_by_nothing(void **state)
{
    (void)state;
    for (int late = 0; late < 100; late++)
        for (int said = 0; said <= late; said++)
            assert_int_equal(clocks_ahead(0, NOW, NOW + said, NOW + late), 0);
    assert_int_equal(clocks_ahead(0, NOW, NOW + 1, NOW), 0);
    assert_int_equal(clocks_ahead(0, NOW, NOW - 1, NOW), 0);
}

static void a_clock_that_is_wrong_is_known_by_a_quick_answer(void **state)
{
    (void)state;
    assert_int_equal(clocks_ahead(0, NOW, NOW + 100, NOW), 100);
    assert_int_equal(clocks_ahead(0, NOW, NOW - 100, NOW), -100);
    assert_int_equal(clocks_ahead(100, NOW, NOW + 101, NOW), 100);
    assert_int_equal(clocks_ahead(100, NOW, NOW, NOW), 0);
    assert_int_equal(clocks_ahead(-100, NOW, NOW - 50, NOW), -50);
}

static void a_late_answer_moves_it_no_more_than_is_certain(void **state)
{
    (void)state;
    /* it came 30 s after it was asked for, and was said at any moment of them */
    assert_int_equal(clocks_ahead(100, NOW, NOW + 100, NOW + 30), 100);
    assert_int_equal(clocks_ahead(100, NOW, NOW + 130, NOW + 30), 100);
    assert_int_equal(clocks_ahead(0, NOW, NOW - 50, NOW + 30), -50);
    assert_int_equal(clocks_ahead(0, NOW, NOW + 50, NOW + 30), 20);
    /* then a quick one */
    assert_int_equal(clocks_ahead(20, NOW, NOW + 35, NOW), 35);
}

static void a_clock_of_ours_that_is_set_back_says_nothing(void **state)
{
    (void)state;
    assert_int_equal(clocks_ahead(7, NOW, NOW, NOW - 3600), 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clocks_that_agree_differ_by_nothing),
        cmocka_unit_test(a_clock_that_is_wrong_is_known_by_a_quick_answer),
        cmocka_unit_test(a_late_answer_moves_it_no_more_than_is_certain),
        cmocka_unit_test(a_clock_of_ours_that_is_set_back_says_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
