/* SPDX-License-Identifier: Apache-2.0
 * When the engine is woken: engine/wakeups. */
#include "base/timeval.h"
#include "cmocka_all.h"
#include "engine/wakeups.h"

static void the_earliest_of_all_that_lies_ahead_counts(void **state)
{
    (void)state;
    struct wakeups *w = wakeups_create();

    assert_true(wakeups_next(w) == TIME_NEVER);
    wakeups_add(w, 100, 300);
    wakeups_add(w, 100, 200);
    wakeups_add(w, 100, 250);
    wakeups_add(w, 100, 100); /* that is now */
    wakeups_add(w, 100, 50);
    assert_int_equal(wakeups_next(w), 200);
    wakeups_begin_cycle(w);
    assert_true(wakeups_next(w) == TIME_NEVER);
    wakeups_destroy(w);
}

static void the_first_deferral_is_released_when_it_ends(void **state)
{
    (void)state;
    struct wakeups *w = wakeups_create();

    wakeups_begin_cycle(w);
    wakeups_add_deferral(w, 130);
    wakeups_add_deferral(w, 110);
    wakeups_end_cycle(w, 100, 30);
    assert_int_equal(wakeups_next(w), 110);
    wakeups_destroy(w);
}

static void those_that_follow_are_waited_for_together(void **state)
{
    (void)state;
    struct wakeups *w = wakeups_create();

    wakeups_begin_cycle(w);
    wakeups_deferral_ended(w, 110);
    wakeups_add_deferral(w, 112);
    wakeups_end_cycle(w, 110, 30);
    assert_int_equal(wakeups_next(w), 140);
    wakeups_begin_cycle(w);
    wakeups_add_deferral(w, 500); /* later than that */
    wakeups_end_cycle(w, 140, 30);
    assert_int_equal(wakeups_next(w), 500);
    wakeups_begin_cycle(w);
    wakeups_end_cycle(w, 150, 30); /* none is left */
    assert_true(wakeups_next(w) == TIME_NEVER);
    wakeups_destroy(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_earliest_of_all_that_lies_ahead_counts),
        cmocka_unit_test(the_first_deferral_is_released_when_it_ends),
        cmocka_unit_test(those_that_follow_are_waited_for_together),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
