/* SPDX-License-Identifier: Apache-2.0
 * The daemon's clock. */
#include "server/server_private.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <cmocka.h>

static void a_clock_set_back_stands_still_until_it_has_caught_up(void **state)
{
    struct server *s = xcalloc(1, sizeof *s);
    int64_t now = (int64_t)time(NULL);

    (void)state;
    assert_true(sd_event_new(&s->loop) >= 0);
    assert_true(world_now(s) >= now);
    s->clock = now + 3600; /* told before it was set back */
    assert_int_equal(world_now(s), now + 3600);
    s->clock = now - 3600;
    assert_true(world_now(s) >= now);
    sd_event_unref(s->loop);
    free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_clock_set_back_stands_still_until_it_has_caught_up),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
