/* SPDX-License-Identifier: Apache-2.0
 * BACKFILLPOLICY PLAN, node by node: what came free early goes to those who wait,
 * though the time of a cycle is over before all of them have been lifted; and who has
 * not been, when another is past its limit, is put off. */
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

#define USERS                                                                          \
    "PROMISESLACK 0\nRMPOLLINTERVAL 60\n"                                              \
    "QUEUETIMEWEIGHT 0\nCREDWEIGHT 1\nUSERWEIGHT 1\n"                                  \
    "USERCFG[low] PRIORITY=1\nUSERCFG[high] PRIORITY=10\nUSERCFG[top] PRIORITY=20\n"

static void add_running(struct scenario *s, const char *id, uint32_t procs, int64_t to)
{
    sc_job(s, (struct sc_job){.id = id,
                  .procs = procs,
                  .user = "low",
                  .limit_s = to - BEGIN,
                  .run_s = 5000,
                  .flags = JOB_PREEMPTEE});
}

/* K, which is planned by count on nodes of two kinds, would preempt, but others are
 * planned before it. It has no turn to be lifted in the cycle in which "late" is found
 * past its limit, and has a place where that is then. */
static void who_is_behind_one_past_its_limit_is_put_off(void **state)
{
    struct scenario *s = sc_create_with(PLAN USERS);
    const char *why, *cause;

    (void)state;
    sc_options(s)->monotonic_ms = pass_time;
    sc_begin_at(s, BEGIN);
    sc_node(s, &(struct node_desc){
                   .name = "n1", .state = NODE_IDLE, .cfg = {.v = {10, -1, -1, -1}}});
    sc_node(s, &(struct node_desc){
                   .name = "n2", .state = NODE_IDLE, .cfg = {.v = {11, -1, -1, -1}}});
    add_running(s, "late", 1, BEGIN + 100);
    add_running(s, "first", 9, BEGIN + 120);
    add_running(s, "second", 11, BEGIN + 130);
    sc_at(s, BEGIN);
    for (int i = 0; i < 9; i++)
        sc_job(s, (struct sc_job){
                      .id = name_of(i), .user = "top", .procs = 1, .limit_s = 10});
    sc_job(s, (struct sc_job){.id = "K",
                  .user = "high",
                  .procs = 21,
                  .limit_s = 100,
                  .flags = JOB_PREEMPTOR});
    sc_at(s, BEGIN + 10);
    assert_int_equal(sc_reserved(s, "K"), BEGIN + 130);
    sc_at(s, BEGIN + 100);
    assert_int_equal(sc_reserved(s, "K"), BEGIN + 160);
    assert_int_equal(
        engine_promised_before(sc_engine(s), sc_find(s, "K"), &why, &cause),
        BEGIN + 130);
    assert_string_equal(cause, "overrun");
    sc_destroy(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_are_lifted_in_some_cycles),
        cmocka_unit_test(who_is_new_takes_nothing_from_them),
        cmocka_unit_test(who_is_behind_one_past_its_limit_is_put_off),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
