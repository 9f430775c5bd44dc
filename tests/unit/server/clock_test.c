/* SPDX-License-Identifier: Apache-2.0
 * The daemon's clock. */
#include "server/clock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <cmocka.h>

static void a_clock_set_back_stands_still_until_it_has_caught_up(void **state)
{
    sd_event *loop = NULL;
    int64_t now = (int64_t)time(NULL);

    (void)state;
    assert_true(sd_event_new(&loop) >= 0);
    struct clock *k = clock_create(loop);
    assert_true(clock_now(k) >= now);
    clock_told(k, now + 3600); /* before it was set back */
    assert_int_equal(clock_now(k), now + 3600);
    assert_true(clock_is_ahead(k) && clock_is_wrong(k));
    clock_forget(k);
    assert_true(clock_now(k) >= now && clock_now(k) < now + 3600);
    assert_false(clock_is_ahead(k) || clock_is_wrong(k));
    clock_destroy(k);
    sd_event_unref(loop);
}

static void a_simulated_clock_is_what_it_was_told_last(void **state)
{
    struct clock *k = clock_create(NULL);

    (void)state;
    clock_stand_at(k, 1000);
    assert_int_equal(clock_now(k), 1000);
    clock_stand_at(k, 400);
    assert_int_equal(clock_now(k), 400);
    clock_destroy(k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_clock_set_back_stands_still_until_it_has_caught_up),
        cmocka_unit_test(a_simulated_clock_is_what_it_was_told_last),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
