/* SPDX-License-Identifier: Apache-2.0
 * BACKFILLPOLICY PLAN with PREEMPTPOLICY SUSPEND: who was suspended for another comes
 * back, and no promise is broken by that.
 *
 *     n1     V from 1 to 200    W, 50 s, is promised 200 and PROMISESLACK
 *            P preempts V at 120, and ends at 150 of 170 */
#include "cmocka_all.h"
#include "scenario.h"

#define SUSPEND                                                                        \
    "BACKFILLPOLICY PLAN\nPROMISEHORIZON SUBMIT\nPROMISETIGHTEN FALSE\nDEFERTIME 0\n"  \
    "PREEMPTPOLICY SUSPEND\nCREDWEIGHT 1\nUSERWEIGHT 1\nUSERCFG[boss] PRIORITY=1000\n"

/* Until all have ended; all is forgotten but what is in the state meanwhile. */
static void play(struct scenario *s, bool restarts)
{
    sc_job(s, (struct sc_job){.id = "V",
                  .procs = 1,
                  .limit_s = 199,
                  .flags = JOB_PREEMPTEE,
                  .submit_at = 1});
    sc_job(s, (struct sc_job){.id = "W", .procs = 1, .limit_s = 50, .submit_at = 2});
    sc_job(s, (struct sc_job){.id = "P",
                  .procs = 1,
                  .limit_s = 50,
                  .run_s = 30,
                  .user = "boss",
                  .flags = JOB_PREEMPTOR,
                  .submit_at = 120});
    sc_run_until(s, 130);
    const struct job *v = sc_find(s, "V");
    assert_int_equal(v->state, JOB_SUSPENDED);
    assert_int_equal(engine_reserved_until(sc_engine(s), v)
                         - engine_reservation_of(sc_engine(s), v)->start_at,
        200 - sc_start(s, "P"));
    if (restarts)
        sc_restart(s);
    sc_run(s);
    assert_int_equal(engine_stats(sc_engine(s))->broken_promises, 0);
}

static void who_was_suspended_puts_off_nobody(void **state)
{
    (void)state;
    for (int restarts = 0; restarts < 2; restarts++)
        SC_BOTH_WAYS(s, SUSPEND "PROMISESLACK 0:00:20\n", 1)
        {
            play(s, restarts);
            assert_int_equal(sc_start(s, "W"), sc_start(s, "P") + 30);
            assert_non_null(strstr(
                sc_log(s, "V"), sc_start(s, "P") == 120 ? "resume@200" : "resume@201"));
        }
}

static void who_was_suspended_goes_on_where_promises_allow(void **state)
{
    (void)state;
    for (int restarts = 0; restarts < 2; restarts++)
        SC_BOTH_WAYS(s, SUSPEND "PROMISESLACK 0:00:40\n", 1)
        {
            play(s, restarts);
            assert_non_null(strstr(
                sc_log(s, "V"), sc_start(s, "P") == 120 ? "resume@150" : "resume@151"));
            assert_int_equal(sc_start(s, "W"), 230);
        }
}

/* One processor, 1024 MB: V and W have as much as told, P has 100. */
static void claim_memory(struct scenario *s, int64_t mb)
{
    const struct req_desc some = {.tasks = 1, .per_task = {{1, mb}}};
    const struct req_desc few = {.tasks = 1, .per_task = {{1, 100}}};

    sc_job(s, (struct sc_job){.id = "V",
                  .req = &some,
                  .limit_s = 199,
                  .flags = JOB_PREEMPTEE,
                  .submit_at = 1});
    sc_job(s, (struct sc_job){.id = "W", .req = &some, .limit_s = 50, .submit_at = 2});
    sc_job(s, (struct sc_job){.id = "P",
                  .req = &few,
                  .limit_s = 50,
                  .user = "boss",
                  .flags = JOB_PREEMPTOR,
                  .submit_at = 120});
    sc_run(s);
    assert_int_equal(engine_stats(sc_engine(s))->broken_promises, 0);
}

static void who_is_suspended_leaves_memory_to_who_is_planned(void **state)
{
    (void)state;
    SC_BOTH_WAYS(s, SUSPEND, 1)
    {
        claim_memory(s, 400);
        assert_non_null(strstr(sc_log(s, "V"), "suspend"));
        assert_true(sc_start(s, "P") <= 121);
    }
    SC_BOTH_WAYS(s, SUSPEND, 1)
    {
        claim_memory(s, 600);
        assert_null(strstr(sc_log(s, "V"), "suspend"));
        assert_int_equal(sc_start(s, "W"), 200);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_was_suspended_puts_off_nobody),
        cmocka_unit_test(who_was_suspended_goes_on_where_promises_allow),
        cmocka_unit_test(who_is_suspended_leaves_memory_to_who_is_planned),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
