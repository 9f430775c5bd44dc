/* SPDX-License-Identifier: Apache-2.0
 * BACKFILLPOLICY PLAN: one job that has no place keeps nobody else from a better plan.
 */
#include "base/timeval.h"
#include "cmocka_all.h"
#include "scenario.h"

#define PLAN                                                                           \
    "BACKFILLPOLICY PLAN\nPROMISEHORIZON SUBMIT\nPLANEVALUATIONS 100\n"                \
    "PLANSHORTEXPONENT 0\nPREDICTION NONE\nDEFERTIME 0\nQUEUETIMEWEIGHT 1\n"

static void add(struct scenario *s, const char *id, uint32_t procs, int64_t limit_s,
    int64_t priority)
{
    sc_job(s, (struct sc_job){.id = id,
                  .submit_at = 1000,
                  .procs = procs,
                  .limit_s = limit_s,
                  .priority = priority});
}

/* "endless" gives its processor back to nobody. */
static struct scenario *begin(void)
{
    struct scenario *s = sc_begin(PLAN, 3, 1, false);

    sc_job(
        s, (struct sc_job){.id = "endless", .procs = 1, .limit_s = DURATION_UNLIMITED});
    sc_at(s, 0);
    return s;
}

/* By priority these start behind `last`: it is cheaper the other way round. */
static void check_order(struct scenario *s, const char *last)
{
    add(s, "s1", 2, 10, 600);
    add(s, "s2", 2, 20, 500);
    add(s, "s3", 2, 30, 400);
    add(s, "s4", 2, 40, 300);
    sc_at(s, 1000);
    assert_int_equal(sc_start(s, "endless"), 0);
    assert_int_equal(sc_start(s, "s1"), 1000);
    assert_int_equal(sc_reserved(s, "s4"), 1060);
    assert_int_equal(sc_reserved(s, last), 1100);
    sc_destroy(s);
}

static void who_never_has_a_place_is_left_out(void **state)
{
    struct scenario *s = begin();

    (void)state;
    add(s, "all", 3, 100, 800);
    add(s, "long", 2, 1000, 700);
    check_order(s, "long");
}

/* Each of them would have a place, but only one of them has. */
static void one_of_two_that_never_end_is_left_out(void **state)
{
    struct scenario *s = begin();

    (void)state;
    add(s, "e1", 2, DURATION_UNLIMITED, 800);
    add(s, "e2", 2, DURATION_UNLIMITED, 700);
    check_order(s, "e1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_never_has_a_place_is_left_out),
        cmocka_unit_test(one_of_two_that_never_end_is_left_out),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
