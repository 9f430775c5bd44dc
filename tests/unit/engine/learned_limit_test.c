/* SPDX-License-Identifier: Apache-2.0
 * WCLIMITDEFAULT HISTORY: the limit of a job that asks for none. */
#include "cluster/job.h"
#include "cmocka_all.h"
#include "engine/engine_private.h"
#include "scenario.h"

#define ANN     1
#define BOB     2
#define HISTORY "WCLIMITDEFAULT HISTORY\nSYSTEMDEFAULTJOBWALLTIME 10:00:00\n"
#define DAY     86400

/* ---- what is learned ---- */

static void note(struct learned *r, uint32_t user, int64_t run_s, bool unasked)
{
    learned_note(r, user,
        &(struct job_run){
            .run_s = run_s, .limit_s = 5 * DAY, .procs = 1, .unasked = unasked});
}

static void nine_of_ten_of_the_runs_would_have_ended_within_half_of_it(void **state)
{
    struct learned *r = learned_create();

    (void)state;
    for (int i = 1; i <= 10; i++)
        note(r, ANN, 1000 * i, true);
    assert_int_equal(learned_limit(r, ANN), 18000);
    for (int i = 0; i < 50; i++)
        note(r, ANN, 100000, false); /* for these a limit was asked */
    assert_int_equal(learned_limit(r, ANN), 18000);
    learned_destroy(r);
}

static void few_runs_tell_nothing_and_then_those_of_all_users(void **state)
{
    struct learned *r = learned_create();

    (void)state;
    for (int i = 1; i < LEARNED_LEAST; i++)
        note(r, ANN, 1000, true);
    assert_int_equal(learned_limit(r, ANN), 0);
    assert_int_equal(learned_limit(r, BOB), 0);
    note(r, BOB, 1000, true);
    assert_int_equal(learned_limit(r, ANN), 2000);
    assert_int_equal(learned_limit(r, BOB), 2000);
    for (int i = 0; i < LEARNED_LEAST; i++)
        note(r, BOB, 5000, true);
    assert_int_equal(learned_limit(r, BOB), 10000);
    learned_destroy(r);
}

static void it_is_ten_minutes_at_least_and_a_day_at_most(void **state)
{
    struct learned *r = learned_create();

    (void)state;
    for (int i = 0; i < LEARNED_KEPT; i++) {
        note(r, ANN, 0, true);
        note(r, BOB, 3 * DAY, true);
    }
    assert_int_equal(learned_limit(r, ANN), 600);
    assert_int_equal(learned_limit(r, BOB), DAY);
    for (int i = 0; i < LEARNED_KEPT; i++) /* the others are forgotten */
        note(r, BOB, 700, true);
    assert_int_equal(learned_limit(r, BOB), 1400);
    learned_destroy(r);
}

/* ---- what a job has of it ---- */

static void add(struct scenario *s, const char *id, int64_t limit_s, int64_t run_s)
{
    sc_job(s, (struct sc_job){.id = id,
                  .user = "ann",
                  .cls = "c",
                  .procs = 1,
                  .submit_at = sc_now(s),
                  .limit_s = limit_s,
                  .run_s = run_s});
}

static void run_five(struct scenario *s, int64_t run_s)
{
    static const char *const ids[] = {"R1", "R2", "R3", "R4", "R5"};

    for (int i = 0; i < LEARNED_LEAST; i++)
        add(s, ids[i], 0, run_s);
    sc_run(s);
}

/* Five runs of 1000 s without a limit asked have told that 2000 s are enough. */
static struct scenario *begin(const char *lines)
{
    struct scenario *s = sc_create_with(lines);

    sc_nodes(s, 1, 1);
    add(s, "FIRST", 0, 1);
    sc_run_until(s, 0);
    assert_int_equal(sc_find(s, "FIRST")->wclimit_s, 36000); /* nothing is known yet */
    assert_false(sc_find(s, "FIRST")->wclimit_learned);
    run_five(s, 1000);
    return s;
}

static void check_limit(
    struct scenario *s, const char *id, int64_t limit_s, bool learned)
{
    assert_int_equal(sc_find(s, id)->wclimit_s, limit_s);
    assert_int_equal(sc_find(s, id)->wclimit_learned, learned);
}

static void who_asks_for_none_has_what_was_learned(void **state)
{
    struct scenario *s = begin(HISTORY);

    (void)state;
    add(s, "J", 0, 100);
    add(s, "ASKS", 30000, 100);
    add(s, "EXACT", 1999, 100);
    sc_run_until(s, sc_now(s));
    check_limit(s, "J", 2000, true);
    check_limit(s, "ASKS", 30000, false);
    check_limit(s, "EXACT", 1999, false);
    sc_destroy(s);
}

static void nothing_is_learned_unless_a_site_wants_it(void **state)
{
    struct scenario *s = begin("SYSTEMDEFAULTJOBWALLTIME 10:00:00\n");

    (void)state;
    add(s, "J", 0, 100);
    sc_run_until(s, sc_now(s));
    check_limit(s, "J", 36000, false);
    sc_destroy(s);
}

static void the_default_of_a_class_goes_before_it(void **state)
{
    struct scenario *s = begin(HISTORY);

    (void)state;
    sc_configure(s, HISTORY "CLASSCFG[c] DEFAULT.WCLIMIT=700\n");
    add(s, "J", 0, 100);
    sc_run_until(s, sc_now(s));
    check_limit(s, "J", 700, false);
    sc_destroy(s);
}

/* Or a job would be refused that was not before. */
static void it_is_never_longer_than_the_default_of_the_site(void **state)
{
    struct scenario *s = begin(HISTORY);

    (void)state;
    sc_configure(s, "WCLIMITDEFAULT HISTORY\nSYSTEMDEFAULTJOBWALLTIME 1500\n");
    add(s, "J", 0, 100);
    sc_run_until(s, sc_now(s));
    check_limit(s, "J", 1500, false);
    sc_destroy(s);
}

/* Others learn of what ran meanwhile, and the site may change its mind. */
static void it_stays_what_it_was_at_the_submission(void **state)
{
    struct scenario *s = begin(HISTORY);

    (void)state;
    add(s, "A", 0, 5000);
    add(s, "J", 0, 100);
    int64_t now = sc_now(s);
    sc_run_until(s, now);
    for (int restarts = 0; restarts < 2; restarts++) { /* A runs, J waits */
        sc_configure(s, "SYSTEMDEFAULTJOBWALLTIME 10:00:00\n");
        sc_restart(s);
        sc_cycle(s);
        check_limit(s, "A", 2000, true);
        check_limit(s, "J", 2000, true);
    }
    assert_int_equal(sc_find(s, "A")->end_at, now + 2000);
    add(s, "K", 0, 100);
    sc_run_until(s, sc_now(s));
    check_limit(s, "K", 36000, false);
    sc_destroy(s);
}

static void who_passes_it_runs_on_to_what_it_would_have_had(void **state)
{
    (void)state;
    for (int longer = 0; longer < 2; longer++) {
        struct scenario *s = begin(longer ? HISTORY "JOBMAXOVERRUN 60\n" : HISTORY);
        add(s, "A", 0, 30000);
        add(s, "B", 0, 10 * DAY);
        add(s, "C", 0, 100);
        sc_run(s);
        assert_int_equal(sc_start(s, "B") - sc_start(s, "A"), 30000);
        assert_int_equal(sc_start(s, "C") - sc_start(s, "B"), longer ? 36061 : 36001);
        sc_destroy(s);
    }
}

/* Then it is a limit like others. */
static void a_limit_that_somebody_changes_is_asked_for(void **state)
{
    struct scenario *s = begin(HISTORY);
    struct event longer = {.kind = EVENT_MODIFY,
        .u.modify = {
            .id = "J", .change = {.what = CHANGE_WCLIMIT, .job = {.wclimit_s = 3000}}}};
    struct err err;

    (void)state;
    add(s, "J", 0, 5000);
    add(s, "NEXT", 0, 100);
    sc_run_until(s, sc_now(s));
    check_limit(s, "J", 2000, true);
    assert_int_equal(sc_apply(s, longer, &err), 0);
    check_limit(s, "J", 3000, false);
    assert_true(job_asked_limit(sc_find(s, "J")));
    sc_run(s);
    assert_int_equal(sc_start(s, "NEXT") - sc_start(s, "J"), 3001);
    sc_destroy(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nine_of_ten_of_the_runs_would_have_ended_within_half_of_it),
        cmocka_unit_test(few_runs_tell_nothing_and_then_those_of_all_users),
        cmocka_unit_test(it_is_ten_minutes_at_least_and_a_day_at_most),
        cmocka_unit_test(who_asks_for_none_has_what_was_learned),
        cmocka_unit_test(nothing_is_learned_unless_a_site_wants_it),
        cmocka_unit_test(the_default_of_a_class_goes_before_it),
        cmocka_unit_test(it_is_never_longer_than_the_default_of_the_site),
        cmocka_unit_test(it_stays_what_it_was_at_the_submission),
        cmocka_unit_test(who_passes_it_runs_on_to_what_it_would_have_had),
        cmocka_unit_test(a_limit_that_somebody_changes_is_asked_for),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
