/* SPDX-License-Identifier: Apache-2.0
 * RESERVATIONRETRYTIME: what a job keeps when its start fails. */
#include "cmocka_all.h"
#include "engine/engine_private.h"
#include "scenario.h"

#define KEEPS "RMPOLLINTERVAL 30\nDEFERTIME 1:00:00\nUSERCFG[DEFAULT] QLIST=hi\n"

/* Two processors; J wants both, then L one of them for long. */
static struct scenario *two(const char *lines, bool by_node)
{
    struct scenario *s = sc_create_with(lines);

    sc_nodes(s, 2, 1);
    if (by_node)
        sc_force_by_node(s);
    sc_job(s, (struct sc_job){
                  .id = "J", .procs = 2, .limit_s = 100, .priority = 9, .qos = "hi"});
    sc_job(s, (struct sc_job){.id = "L", .procs = 1, .limit_s = 1000, .priority = 1});
    return s;
}

static void nodes_are_kept_until_a_later_try_succeeds(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        struct scenario *s = two(i / 2 ? KEEPS "RESERVATIONRETRYTIME 300\n"
                                               "RESERVATIONPOLICY HIGHEST\n"
                                       : KEEPS "RESERVATIONRETRYTIME 300\n",
            i % 2);

        sc_refuse_starts(s, "J", 2);
        sc_run_until(s, 0);
        sc_at(s, 1);
        assert_int_equal(sc_reserved(s, "J"), 2);
        assert_int_equal(sc_why_code(s, "J"), WAIT_RESERVATION);
        sc_run(s);
        assert_string_equal(sc_log(s, "J"), "start@0 reserve(2)@1 start@30 start@60");
        assert_int_equal(sc_start(s, "L"), 160);
        sc_destroy(s);
    }
}

static void without_it_the_job_is_deferred_and_others_take_the_nodes(void **state)
{
    (void)state;
    struct scenario *s = two(KEEPS, false);

    sc_refuse_starts(s, "J", 1);
    sc_run_until(s, 0);
    sc_at(s, 1);
    assert_int_equal(sc_start(s, "L"), 1);
    sc_run(s);
    assert_int_equal(sc_start(s, "J"), 3600);
    sc_destroy(s);
}

/* The last try is at the very end. */
static void when_the_time_is_used_up_the_job_is_deferred(void **state)
{
    (void)state;
    struct scenario *s = two(KEEPS "RESERVATIONRETRYTIME 50\n", false);

    sc_refuse_starts(s, "J", 3);
    sc_run_until(s, 0);
    sc_at(s, 1);
    sc_at(s, 30);
    sc_at(s, 50);
    sc_at(s, 51);
    assert_int_equal(sc_starts(s, "J"), 3);
    assert_int_equal(sc_find(s, "J")->defer_until, 3650);
    assert_int_equal(sc_start(s, "L"), 50);
    sc_destroy(s);
}

static void each_depth_group_has_a_time_of_its_own(void **state)
{
    (void)state;
    for (int hi = 0; hi < 2; hi++) {
        struct scenario *s = two(hi ? KEEPS "RESERVATIONQOSLIST[0] lo\n"
                                            "RESERVATIONQOSLIST[1] hi\n"
                                            "RESERVATIONDEPTH[1] 1\n"
                                            "RESERVATIONRETRYTIME[1] 300\n"
                                    : KEEPS "RESERVATIONQOSLIST[0] hi\n"
                                            "RESERVATIONQOSLIST[1] lo\n"
                                            "RESERVATIONDEPTH[1] 1\n"
                                            "RESERVATIONRETRYTIME[1] 300\n",
            false);

        sc_refuse_starts(s, "J", 1);
        sc_run_until(s, 0);
        sc_at(s, 1);
        assert_int_equal(sc_start(s, "L"), hi ? -1 : 1);
        sc_destroy(s);
    }
}

/* The claim is that of one start: a later one has its own. */
static void a_start_that_went_well_ends_the_claim(void **state)
{
    (void)state;
    struct scenario *s = two(KEEPS "RESERVATIONRETRYTIME 40\n", false);
    struct event ev = {
        .kind = EVENT_PREEMPT, .u.preempt = {.id = "J", .how = PREEMPT_REQUEUE}};

    sc_refuse_starts(s, "J", 1);
    sc_run_until(s, 0);
    sc_at(s, 1);
    sc_at(s, 30);
    assert_int_equal(sc_starts(s, "J"), 2);
    sc_at(s, 60);
    assert_int_equal(sc_apply(s, ev, &(struct err){0}), 0);
    sc_at(s, 61);
    assert_int_equal(sc_starts(s, "J"), 3);
    assert_false(promises_has(sc_engine(s)->promises, sc_find(s, "J"), PROMISE_RETRY));
    sc_destroy(s);
}

static void a_hold_gives_the_nodes_up(void **state)
{
    (void)state;
    struct scenario *s = two(KEEPS "RESERVATIONRETRYTIME 300\n", false);

    sc_refuse_starts(s, "J", 1);
    sc_run_until(s, 0);
    sc_at(s, 10);
    assert_int_equal(sc_start(s, "L"), -1);
    assert_int_equal(sc_hold(s, "J", HOLD_USER, "root"), 0);
    sc_at(s, 11);
    assert_int_equal(sc_start(s, "L"), 11);
    sc_destroy(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nodes_are_kept_until_a_later_try_succeeds),
        cmocka_unit_test(without_it_the_job_is_deferred_and_others_take_the_nodes),
        cmocka_unit_test(when_the_time_is_used_up_the_job_is_deferred),
        cmocka_unit_test(each_depth_group_has_a_time_of_its_own),
        cmocka_unit_test(a_start_that_went_well_ends_the_claim),
        cmocka_unit_test(a_hold_gives_the_nodes_up),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
