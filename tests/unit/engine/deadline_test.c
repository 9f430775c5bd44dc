/* SPDX-License-Identifier: Apache-2.0
 * Deadline reservations (reference reservations, section 1: not displaced by standing
 * ones; users-ask, 85: deadline jobs end in time). */
#include "cmocka_all.h"
#include "rsv_scene.h"

static void job(struct scenario *s, const char *id, uint32_t procs, int64_t limit,
    int64_t priority, int64_t submit, int64_t deadline)
{
    sc_job(s, (struct sc_job){.id = id,
                  .procs = procs,
                  .limit_s = limit,
                  .priority = priority,
                  .submit_at = submit,
                  .deadline_at = deadline});
}

/* Both policies keep a promise; the depth is used up by "top". */
static const char *const policies[] = {"RESERVATIONPOLICY CURRENTHIGHEST\n",
    "RESERVATIONPOLICY HIGHEST\n", "RESERVATIONPOLICY HIGHEST\nRESERVATIONDEPTH 0\n"};
#define POLICIES (sizeof policies / sizeof *policies)

static void a_job_with_a_deadline_is_reserved_beyond_the_depth(void **state)
{
    (void)state;
    for (size_t i = 0; i < POLICIES; i++)
        SC_BOTH_WAYS(s, policies[i], 2)
        {
            job(s, "runs", 2, 100, 99, 0, 0);
            job(s, "top", 2, 100, 90, 0, 0);
            job(s, "plain", 2, 100, 50, 0, 0);
            job(s, "dated", 2, 100, 10, 0, 300);
            sc_run_until(s, 0);
            assert_int_equal(sc_reserved(s, "plain"), -1);
            assert_int_equal(sc_reserved(s, "dated"), i == 2 ? 100 : 200);
            sc_run(s);
            assert_int_equal(sc_start(s, "dated"), i == 2 ? 100 : 200);
        }
}

/* Jobs of higher priority that come later do not delay it, nor those whose turn for a
 * reservation comes later. */
static void what_was_promised_is_not_taken_by_later_jobs(void **state)
{
    (void)state;
    for (size_t i = 0; i < POLICIES; i++)
        SC_BOTH_WAYS(s, policies[i], 2)
        {
            job(s, "runs", 2, 100, 99, 0, 0);
            job(s, "dated", 2, 100, 10, 0, 250);
            for (int k = 0; k < 4; k++)
                job(s, (const char *[]){"a", "b", "c", "d"}[k], 2, 100, 90 + k, 10 + k,
                    0);
            sc_run(s);
            assert_int_equal(sc_start(s, "dated"), 100);
            assert_string_equal(sc_log(s, "dated"), "reserve(100)@0 start@100");
        }
}

static void a_place_that_comes_free_earlier_is_taken(void **state)
{
    (void)state;
    for (size_t i = 0; i < POLICIES; i++)
        SC_BOTH_WAYS(s, policies[i], 1)
        {
            sc_job(s, (struct sc_job){.id = "runs",
                          .procs = 1,
                          .limit_s = 100,
                          .run_s = 30,
                          .priority = 99});
            job(s, "dated", 1, 100, 10, 0, 250);
            job(s, "high", 1, 100, 90, 20, 0);
            sc_run(s);
            assert_int_equal(sc_start(s, "dated"), 30);
            assert_int_equal(sc_start(s, "high"), 130);
        }
}

/* At the very second it is in time, one later it is not. */
static void a_deadline_that_cannot_be_met_is_told_and_priority_rules(void **state)
{
    (void)state;
    for (size_t i = 0; i < POLICIES; i++)
        SC_BOTH_WAYS(s, policies[i], 1)
        {
            job(s, "runs", 1, 100, 99, 0, 0);
            job(s, "top", 1, 100, 90, 0, 0);
            job(s, "late", 1, 100, 10, 0, i == 2 ? 199 : 299);
            sc_run_until(s, 0);
            assert_int_equal(sc_reserved(s, "late"), -1);
            assert_int_equal(sc_why_code(s, "late"), WAIT_DEADLINE);
            assert_string_equal(sc_why(s, "late"),
                i == 2 ? "nothing is free in time for it to end by its deadline, "
                         "Thu Jan  1 00:03:19 UTC; it waits by priority"
                       : "nothing is free in time for it to end by its deadline, "
                         "Thu Jan  1 00:04:59 UTC; it waits by priority");
            job(s, "other", 1, 100, 80, 10, 0);
            sc_run(s);
            assert_int_equal(sc_start(s, "top"), 100);
            assert_int_equal(sc_start(s, "other"), 200);
            assert_int_equal(sc_start(s, "late"), 300);
        }
}

static void a_late_job_may_have_an_ordinary_reservation(void **state)
{
    (void)state;
    SC_BOTH_WAYS(s, "", 1)
    {
        job(s, "runs", 1, 100, 99, 0, 0);
        job(s, "late", 1, 100, 90, 0, 150);
        sc_run_until(s, 0);
        assert_int_equal(sc_reserved(s, "late"), 100);
        assert_int_equal(sc_why_code(s, "late"), WAIT_DEADLINE);
        job(s, "higher", 1, 100, 95, 10, 0);
        sc_run(s);
        assert_int_equal(sc_start(s, "higher"), 100);
        assert_int_equal(sc_start(s, "late"), 200);
    }
}

/* Two that are promised: the first to be promised is served first, although the second
 * has the earlier deadline; nobody's promise is broken for another's. */
static void promises_are_kept_in_the_order_they_were_made(void **state)
{
    (void)state;
    for (size_t i = 0; i < POLICIES; i++)
        SC_BOTH_WAYS(s, policies[i], 1)
        {
            job(s, "runs", 1, 100, 99, 0, 0);
            job(s, "first", 1, 100, 10, 0, 210);
            job(s, "second", 1, 100, 5, 10, 205);
            job(s, "third", 1, 100, 20, 20, 300);
            sc_run(s);
            assert_int_equal(sc_start(s, "first"), 100);
            /* HIGHEST keeps the ordinary reservation that "second" got */
            assert_int_equal(sc_start(s, "third"), i == 1 ? 300 : 200);
            assert_int_equal(sc_start(s, "second"), i == 1 ? 200 : 300);
        }
}

/* Backfill goes around a promise as around any reservation. */
static void backfill_does_not_delay_it(void **state)
{
    (void)state;
    SC_BOTH_WAYS(s, "RESERVATIONDEPTH 0\n", 2)
    {
        job(s, "runs", 1, 100, 99, 0, 0);
        job(s, "dated", 2, 100, 10, 0, 200);
        job(s, "long", 1, 101, 50, 5, 0);
        job(s, "short", 1, 90, 40, 5, 0);
        sc_run(s);
        assert_int_equal(sc_start(s, "short"), 5);
        assert_int_equal(sc_start(s, "dated"), 100);
        assert_int_equal(sc_start(s, "long"), 200);
    }
}

/* As example R36: with a deadline the job of lower priority than the standing
 * reservation keeps its place. */
static void standing_reservations_do_not_displace_it(void **state)
{
    (void)state;
    int64_t zero = DAY_S - 10;
    struct scene x = {.lines = "CREDWEIGHT 1\nUSERWEIGHT 1\nQUEUETIMEWEIGHT 0\n"
                               "USERCFG[a] PRIORITY=50\nUSERCFG[busy] PRIORITY=90\n"
                               "SRCFG[x] TASKCOUNT=4 STARTTIME=0:03:10 "
                               "ENDTIME=0:04:50 DAYS=TUE DEPTH=1 USERLIST=john "
                               "PRIORITY=100\n",
        .begin = MONDAY + zero};

    for (int i = 0; i < 4; i++) {
        bool by_node = i % 2, dated = i / 2;
        struct scenario *s = scene_open(&x, by_node);
        sc_job(
            s, (struct sc_job){.id = "R", .user = "busy", .procs = 4, .limit_s = 100});
        sc_job(s, (struct sc_job){.id = "A",
                      .user = "a",
                      .procs = 4,
                      .limit_s = 150,
                      .deadline_at = dated ? x.begin + 260 : 0});
        sc_run_until(s, x.begin + 400);
        assert_int_equal(sc_start(s, "A"), x.begin + (dated ? 100 : 300));
        sc_destroy(s);
    }
}

static void a_hold_ends_a_promise(void **state)
{
    (void)state;
    for (size_t i = 0; i < POLICIES; i++)
        SC_BOTH_WAYS(s, policies[i], 1)
        {
            job(s, "runs", 1, 100, 99, 0, 0);
            job(s, "dated", 1, 100, 10, 0, 250);
            sc_at(s, 10);
            assert_int_equal(sc_hold(s, "dated", HOLD_USER, "root"), 0);
            job(s, "high", 1, 100, 90, 20, 0);
            sc_at(s, 20);
            assert_int_equal(sc_reserved(s, "dated"), -1);
            sc_at(s, 30);
            assert_int_equal(sc_release(s, "dated", HOLD_USER, "root"), 0);
            sc_cycle(s);
            sc_run(s);
            /* without a depth there is nothing that lies before it again */
            assert_int_equal(sc_start(s, "dated"), i == 2 ? 100 : 200);
        }
}

/* A node fails: what was promised is no longer possible. */
static void a_promise_that_nodes_break_is_told(void **state)
{
    (void)state;
    for (size_t i = 0; i < POLICIES; i++)
        SC_BOTH_WAYS(s, policies[i], 2)
        {
            job(s, "runs", 1, 100, 99, 0, 0);
            job(s, "side", 1, 300, 98, 0, 0);
            job(s, "dated", 1, 100, 10, 0, 250);
            sc_run_until(s, 10);
            assert_int_equal(sc_reserved(s, "dated"), 100);
            sc_node_state(s, "n1", NODE_DRAINED);
            sc_at(s, 20);
            assert_int_equal(sc_why_code(s, "dated"), WAIT_DEADLINE);
            sc_run(s);
            assert_int_equal(sc_start(s, "dated"), 300);
        }
}

static void sites_that_reserve_nothing_reserve_for_no_deadline(void **state)
{
    (void)state;
    static const char *const none[] = {"RESERVATIONPOLICY NEVER\n",
        "BACKFILLPOLICY NONE\n",
        "QOSCFG[q] QFLAGS=NORESERVATION\nUSERCFG[u] QLIST=q\n"};

    for (int i = 0; i < 3; i++)
        SC_BOTH_WAYS(s, none[i], 1)
        {
            job(s, "runs", 1, 100, 99, 0, 0);
            sc_job(s, (struct sc_job){.id = "dated",
                          .procs = 1,
                          .limit_s = 100,
                          .deadline_at = 500,
                          .user = "u",
                          .qos = i == 2 ? "q" : NULL});
            sc_run_until(s, 0);
            assert_int_equal(sc_reserved(s, "dated"), -1);
            sc_run(s);
            assert_int_equal(sc_start(s, "dated"), 100);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_job_with_a_deadline_is_reserved_beyond_the_depth),
        cmocka_unit_test(what_was_promised_is_not_taken_by_later_jobs),
        cmocka_unit_test(a_place_that_comes_free_earlier_is_taken),
        cmocka_unit_test(a_deadline_that_cannot_be_met_is_told_and_priority_rules),
        cmocka_unit_test(a_late_job_may_have_an_ordinary_reservation),
        cmocka_unit_test(promises_are_kept_in_the_order_they_were_made),
        cmocka_unit_test(backfill_does_not_delay_it),
        cmocka_unit_test(standing_reservations_do_not_displace_it),
        cmocka_unit_test(a_hold_ends_a_promise),
        cmocka_unit_test(a_promise_that_nodes_break_is_told),
        cmocka_unit_test(sites_that_reserve_nothing_reserve_for_no_deadline),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
