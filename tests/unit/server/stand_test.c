/* SPDX-License-Identifier: Apache-2.0
 * What a change comes to for a job: every pair of where it stands before and after. */
#include "cmocka_all.h"
#include "server/whatif/stand.h"

#include <string.h>

/* Rows: before. Columns: after, in the order of enum stand. '.' nothing, e earlier or
 * l later (by when), c cut, h held, f freed, n never, g gone, p placed. */
static const char *const table[STANDS] = {
    /*               none running promised forecast beyond waiting never held */
    [STAND_NONE] = ".ppppppp",
    [STAND_RUNNING] = "c.cccccc",
    [STAND_PROMISED] = "gllll.nh",
    [STAND_FORECAST] = "gllll.nh",
    [STAND_BEYOND] = "geee..nh",
    [STAND_WAITING] = "gfff..nh",
    [STAND_NEVER] = "gfff....",
    [STAND_HELD] = "gfff..n.",
};

static char letter_of(enum shift s)
{
    static const char letters[SHIFTS] = {[SHIFT_NONE] = '.',
        [SHIFT_EARLIER] = 'e',
        [SHIFT_LATER] = 'l',
        [SHIFT_CUT] = 'c',
        [SHIFT_HELD] = 'h',
        [SHIFT_FREED] = 'f',
        [SHIFT_NEVER] = 'n',
        [SHIFT_GONE] = 'g',
        [SHIFT_PLACED] = 'p'};

    return letters[s];
}

static void each_pair_comes_to_what_the_table_says(void **state)
{
    (void)state;
    for (int b = 0; b < STANDS; b++)
        for (int a = 0; a < STANDS; a++) {
            struct standing before = {.stand = (enum stand)b, .at = 100},
                            after = {.stand = (enum stand)a, .at = 200};
            char is = letter_of(shift_of(before, after));
            if (is != table[b][a])
                fail_msg("%s -> %s: %c, expected %c", stand_name(before.stand),
                    stand_name(after.stand), is, table[b][a]);
        }
}

static void a_start_moves_by_the_seconds_between(void **state)
{
    struct standing at100 = {.stand = STAND_FORECAST, .at = 100},
                    at70 = {.stand = STAND_PROMISED, .at = 70};
    struct standing now = {.stand = STAND_RUNNING, .at = 40},
                    unknown = {.stand = STAND_WAITING, .at = 0};
    int64_t s = 0;

    (void)state;
    assert_int_equal(shift_of(at100, at70), SHIFT_EARLIER);
    assert_true(shift_delta(at100, at70, &s));
    assert_int_equal(s, -30);
    assert_int_equal(shift_of(at70, at100), SHIFT_LATER);
    assert_int_equal(
        shift_of(at70, (struct standing){.stand = STAND_FORECAST, .at = 70}),
        SHIFT_NONE);
    assert_true(shift_delta(at70, now, &s));
    assert_int_equal(s, -30);
    /* of one that runs nothing moves */
    assert_false(shift_delta(now, at100, &s));
    assert_false(shift_delta(at100, unknown, &s));
}

static void only_promises_can_be_broken(void **state)
{
    struct standing promised = {.stand = STAND_PROMISED, .at = 100, .promised_at = 100},
                    forecast = {.stand = STAND_FORECAST, .at = 100};

    (void)state;
    for (int a = 0; a < STANDS; a++) {
        struct standing later = {.stand = (enum stand)a, .at = 101},
                        same = {.stand = (enum stand)a, .at = 100};
        bool known = a == STAND_RUNNING || a == STAND_PROMISED || a == STAND_FORECAST;
        bool waits_on = a == STAND_BEYOND; /* it is broken by that instant */
        assert_false(shift_breaks(forecast, later));
        assert_int_equal(shift_breaks(promised, later), a != STAND_NONE);
        assert_int_equal(shift_breaks(promised, same), a != STAND_NONE && !known);
        if (waits_on) {
            later.at = 99;
            assert_false(shift_breaks(promised, later));
        }
    }
    /* one that was not kept without the change either is not broken by it */
    struct standing late = {.stand = STAND_FORECAST, .at = 150, .promised_at = 100};
    struct standing later = {.stand = STAND_FORECAST, .at = 200};
    assert_false(shift_breaks(late, later));
}

/* Whoever was behind the last that was planned is not freed by being reached. */
static void of_what_was_not_reached_nothing_is_told(void **state)
{
    static const char row[] = "ge.....h";

    (void)state;
    for (int a = 0; a < STANDS; a++) {
        struct standing before = {.stand = STAND_WAITING, .unreached = true};
        struct standing after = {.stand = (enum stand)a, .at = 200};
        assert_int_equal(letter_of(shift_of(before, after)), row[a]);
        assert_false(shift_breaks(before, after));
    }
}

static void each_has_a_word(void **state)
{
    (void)state;
    for (int a = 0; a < STANDS; a++)
        assert_true(strlen(stand_name((enum stand)a)) > 0);
    for (int k = SHIFT_EARLIER; k < SHIFTS; k++)
        assert_true(strlen(shift_name((enum shift)k)) > 0);
    assert_null(shift_name(SHIFT_NONE));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_pair_comes_to_what_the_table_says),
        cmocka_unit_test(a_start_moves_by_the_seconds_between),
        cmocka_unit_test(only_promises_can_be_broken),
        cmocka_unit_test(of_what_was_not_reached_nothing_is_told),
        cmocka_unit_test(each_has_a_word),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
