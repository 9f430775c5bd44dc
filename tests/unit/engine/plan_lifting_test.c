/* SPDX-License-Identifier: Apache-2.0
 * BACKFILLPOLICY PLAN, node by node: what came free early goes to those who wait,
 * though the time of a cycle is over before all of them have been lifted. */
#include "cmocka_all.h"
#include "scenario.h"

#include <stdio.h>

#define PLAN                                                                           \
    "BACKFILLPOLICY PLAN\nPROMISEHORIZON SUBMIT\nPLANEVALUATIONS 0\nDEFERTIME 0\n"     \
    "JOBMAXOVERRUN -1\n"
#define JOBS  20
#define BEGIN 1000 /* all nodes are taken from here on */
#define FREE  1100 /* until here, and not for an hour, as was known */

/* "J0", "J1" ...: the scenario borrows them. */
static const char *name_of(int job)
{
    static char names[JOBS][20];

    snprintf(names[job], sizeof names[job], "J%d", job);
    return names[job];
}

static int64_t pass_time(void)
{
    static int64_t ms;

    return ms += 1000;
}

static struct scenario *begin(uint32_t nodes, bool late)
{
    struct scenario *s = sc_create_with(PLAN);

    if (late)
        sc_options(s)->monotonic_ms = pass_time;
    sc_begin_at(s, BEGIN);
    sc_nodes(s, nodes, 1);
    sc_force_by_node(s);
    sc_job(
        s, (struct sc_job){
               .id = "first", .procs = nodes, .limit_s = 3600, .run_s = FREE - BEGIN});
    sc_at(s, BEGIN);
    for (int i = 0; i < JOBS; i++)
        sc_job(s, (struct sc_job){.id = name_of(i), .procs = 1, .limit_s = 1800});
    return s;
}

static void run_for_some_cycles(struct scenario *s)
{
    for (int64_t now = FREE; now <= FREE + 10; now++)
        sc_at(s, now);
}

static int64_t start_of(struct scenario *s, int i)
{
    return sc_start(s, name_of(i)) >= 0 ? FREE : sc_reserved(s, name_of(i));
}

static void all_are_lifted_in_some_cycles(void **state)
{
    (void)state;
    struct scenario *at_once = begin(4, false), *late = begin(4, true);
    run_for_some_cycles(at_once);
    run_for_some_cycles(late);
    for (int i = 0; i < JOBS; i++) {
        assert_int_equal(start_of(at_once, i), FREE + 1800 * (i / 4));
        assert_in_range(
            start_of(late, i), FREE + 1800 * (i / 4), FREE + 10 + 1800 * (i / 4));
    }
    sc_destroy(late);
    sc_destroy(at_once);
}

/* It comes when some have not been lifted yet. */
static void who_is_new_takes_nothing_from_them(void **state)
{
    (void)state;
    struct scenario *s = begin(JOBS, true);
    sc_job(s,
        (struct sc_job){.id = "new", .submit_at = FREE, .procs = 1, .limit_s = 1800});
    run_for_some_cycles(s);
    for (int i = 0; i < JOBS; i++)
        assert_int_equal(start_of(s, i), FREE);
    assert_int_equal(sc_start(s, "new"), -1);
    assert_int_equal(sc_reserved(s, "new"), FREE + 1800);
    sc_destroy(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_are_lifted_in_some_cycles),
        cmocka_unit_test(who_is_new_takes_nothing_from_them),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
