/* SPDX-License-Identifier: Apache-2.0
 * Run times that are predicted, intervals that are learned, and starts that are
 * expected by both. */
#include "cmocka_all.h"
#include "engine/engine_private.h"
#include "scenario.h"

#include <math.h>
#include <stdio.h>

#define ANN 1
#define BOB 2

static void note(
    struct learned *r, uint32_t user, int64_t run_s, int64_t limit_s, uint32_t procs)
{
    learned_note(
        r, user, &(struct job_run){.run_s = run_s, .limit_s = limit_s, .procs = procs});
}

static double ask(struct learned *r, enum plan_prediction how, uint32_t user,
    int64_t limit_s, uint32_t procs)
{
    return learned_predict(
        r, how, user, &(struct job_run){.limit_s = limit_s, .procs = procs})
        .run_s;
}

static void close_to(double a, double b)
{
    if (fabs(a - b) > 0.01 * fabs(b))
        fail_msg("%g is not %g", a, b);
}

/* ---- runs ---- */

static void nothing_known_is_the_limit(void **state)
{
    struct learned *r = learned_create();

    (void)state;
    close_to(ask(r, PREDICTION_MIX, ANN, 3600, 4), 3600);
    close_to(ask(r, PREDICTION_LASTTWO, ANN, 3600, 4), 3600);
    note(r, ANN, 60, 3600, 4);
    close_to(ask(r, PREDICTION_LASTTWO, ANN, 3600, 4), 3600); /* one is not two */
    close_to(ask(r, PREDICTION_NONE, ANN, 3600, 4), 3600);
    learned_destroy(r);
}

static void the_last_two_are_their_mean_and_no_more_than_the_limit(void **state)
{
    struct learned *r = learned_create();

    (void)state;
    note(r, ANN, 9999, 99999, 1);
    note(r, ANN, 100, 3600, 1);
    note(r, ANN, 300, 7200, 8);
    close_to(ask(r, PREDICTION_LASTTWO, ANN, 3600, 4), 200);
    close_to(ask(r, PREDICTION_LASTTWO, ANN, 150, 4), 150);
    close_to(ask(r, PREDICTION_LASTTWO, BOB, 150, 4), 150);
    close_to(learned_predict(r, PREDICTION_LASTTWO, ANN,
                 &(struct job_run){.limit_s = 3600, .procs = 4})
                 .short_run,
        1.0 / 200);
    learned_destroy(r);
}

/* One whose runs are as long as their limits is predicted that. */
static void exact_estimates_are_believed(void **state)
{
    struct learned *r = learned_create();

    (void)state;
    for (int i = 0; i < 40; i++)
        note(r, ANN, 100 + 37 * i, 100 + 37 * i, 1 + (uint32_t)i % 3);
    close_to(ask(r, PREDICTION_MIX, ANN, 5000, 2), 5000);
    learned_destroy(r);
}

/* What is the same is the best guide where that has shown itself to be so. */
static void kinds_of_jobs_are_told_apart(void **state)
{
    struct learned *r = learned_create();

    (void)state;
    for (int i = 0; i < 30; i++) {
        note(r, ANN, 60, 3600, 4);
        note(r, ANN, 6000, 7200, 16);
    }
    double small = ask(r, PREDICTION_MIX, ANN, 3600, 4);
    double large = ask(r, PREDICTION_MIX, ANN, 7200, 16);
    assert_true(small < 70 && large > 5900);
    learned_destroy(r);
}

/* Who is new is predicted by what all others do with their limits; without a limit, by
 * nothing. */
static void all_users_tell_of_a_new_one(void **state)
{
    struct learned *r = learned_create();

    (void)state;
    for (int i = 0; i < 50; i++)
        note(r, ANN, 1000, 8000, 1);
    double run_s = ask(r, PREDICTION_MIX, BOB, 4000, 1);
    assert_true(run_s > 400 && run_s < 600);
    assert_true(ask(r, PREDICTION_MIX, BOB, 0, 1) >= (double)DURATION_UNLIMITED);
    close_to(ask(r, PREDICTION_MIX, ANN, 0, 1), 1000);
    learned_destroy(r);
}

/* A run of another user changes nothing of hers, until there are many more. */
static void predictions_change_when_they_say(void **state)
{
    struct learned *r = learned_create();

    (void)state;
    for (int i = 0; i < 100; i++)
        note(r, ANN, 100 + i, 1000, 1);
    uint64_t version = learned_version(r, ANN);
    double before = ask(r, PREDICTION_MIX, ANN, 1000, 2);
    for (int i = 0; i < 1000; i++) {
        note(r, BOB, 7, 1000, 1);
        if (learned_version(r, ANN) == version)
            assert_true(ask(r, PREDICTION_MIX, ANN, 1000, 2) == before);
    }
    assert_true(learned_version(r, ANN) != version);
    learned_destroy(r);
}

static void users_are_bounded(void **state)
{
    struct learned *r = learned_create();

    (void)state;
    for (uint32_t user = 1; user <= LEARNED_USERS_MAX + 10; user++) {
        note(r, user, 10, 100, 1);
        note(r, user, 10, 100, 1);
    }
    close_to(ask(r, PREDICTION_LASTTWO, 1, 100, 1), 100); /* forgotten */
    close_to(ask(r, PREDICTION_LASTTWO, 11, 100, 1), 10);
    note(r, 1, 20, 100, 1);
    note(r, 1, 20, 100, 1);
    close_to(ask(r, PREDICTION_LASTTWO, 1, 100, 1), 20);
    close_to(ask(r, PREDICTION_LASTTWO, 11, 100, 1), 100);
    learned_destroy(r);
}

/* ---- intervals ---- */

static void few_values_are_no_interval(void **state)
{
    struct misses *m = misses_create();
    int64_t from, until;

    (void)state;
    for (int i = 0; i < MISSES_LEAST - 1; i++)
        misses_note(m, 600, 600, false, false);
    assert_false(misses_interval(m, 600, &from, &until));
    misses_note(m, 600, 600, false, false);
    assert_true(misses_interval(m, 600, &from, &until));
    assert_in_range(from, 599, 600);
    assert_in_range(until, 599, 600);
    assert_false(misses_interval(m, 60000, &from, &until)); /* another bucket */
    misses_destroy(m);
}

/* Waits of a third to three times what was expected: most of them are in it. */
static void the_interval_holds_for_four_of_five(void **state)
{
    struct misses *m = misses_create();
    int64_t from, until;
    int within = 0;

    (void)state;
    for (int i = 0; i < 1000; i++) {
        int64_t wait = (int64_t)(1800 * exp((i * 7919 % 1000 - 500) / 450.0));
        if (i >= 500) {
            assert_true(misses_interval(m, 1800, &from, &until));
            within += wait >= from && wait <= until;
        }
        misses_note(m, 1800, wait, i >= 500, true);
    }
    assert_in_range(within, 390, 450);
    struct misses_sum sum = misses_sum(m);
    assert_int_equal(sum.n, 1000);
    assert_int_equal(sum.told, 500);
    assert_int_equal(sum.within, 500);
    assert_true(sum.factor > 1.5 && sum.factor < 2);
    misses_destroy(m);
}

static void load_into(void *ctx, const struct misses_record *r)
{
    misses_load(ctx, r);
}

/* Record by record, whenever they are written: what comes back is the same. */
static void intervals_outlive_a_restart(void **state)
{
    struct misses *m = misses_create(), *again = misses_create();
    int64_t from, until, from2, until2;

    (void)state;
    for (int i = 0; i < 1000; i++) {
        misses_note(m, 60 << i % 9, (60 << i % 9) + i, i % 2, i % 3);
        if (i % 97 && i != 999)
            continue;
        assert_true(misses_changed(m));
        misses_each(m, again, load_into);
        misses_saved(m);
        assert_false(misses_changed(m));
    }
    for (int i = 0; i < 9; i++) {
        assert_true(misses_interval(m, 60 << i, &from, &until));
        assert_true(misses_interval(again, 60 << i, &from2, &until2));
        assert_int_equal(from, from2);
        assert_int_equal(until, until2);
    }
    struct misses_sum a = misses_sum(m), b = misses_sum(again);
    assert_memory_equal(&a, &b, sizeof a);
    misses_load(again,
        &(struct misses_record){.bucket = 3, .block = 4, .of = 7, .n = MISSES_BLOCK});
    misses_load(again, &(struct misses_record){.bucket = 77});
    misses_load(
        again, &(struct misses_record){.bucket = 1, .of = 1, .n = 1, .values = {NAN}});
    b = misses_sum(again);
    assert_memory_equal(&a, &b, sizeof a);
    misses_destroy(m);
    misses_destroy(again);
}

/* ---- starts ---- */

#define PLAN  "BACKFILLPOLICY PLAN\nDEFERTIME 0\nNODEACCESSPOLICY SHARED\n"
#define BEGIN 100000

static struct expected_start expected(struct scenario *s, const char *id)
{
    return engine_expected(sc_engine(s), sc_find(s, id));
}

static const char *name_of(int i)
{
    static char names[200][10];

    snprintf(names[i], sizeof names[i], "P%d", i);
    return names[i];
}

static void add_job(struct scenario *s, const char *id, uint32_t procs, int64_t at,
    int64_t limit_s, int64_t run_s)
{
    sc_job(s, (struct sc_job){.id = id,
                  .user = "ann",
                  .procs = procs,
                  .submit_at = at,
                  .limit_s = limit_s,
                  .run_s = run_s});
}

/* Her jobs take a tenth of their limits: those behind are expected that much sooner,
 * and promised by limits all the same. */
static void starts_are_expected_by_what_jobs_took(void **state)
{
    (void)state;
    for (int by_node = 0; by_node < 2; by_node++) {
        struct scenario *s = sc_create_with(PLAN);
        sc_begin_at(s, BEGIN);
        sc_nodes(s, 4, 1);
        if (by_node)
            sc_force_by_node(s);
        for (int i = 0; i < 20; i++) {
            const char *id = name_of(i);
            add_job(s, id, 4, BEGIN, 1000, 100);
        }
        sc_run(s);
        int64_t now = sc_now(s) + 10;
        add_job(s, "A", 4, now, 1000, 100);
        add_job(s, "B", 4, now, 1000, 100);
        add_job(s, "C", 4, now, 1000, 100);
        sc_run_until(s, now);
        assert_int_equal(expected(s, "A").at, 0); /* it runs */
        assert_in_range(expected(s, "B").at, now + 90, now + 115);
        assert_in_range(expected(s, "C").at, now + 190, now + 225);
        assert_int_equal(
            plan_reserved_at(sc_engine(s)->plan, sc_find(s, "C")), now + 2000);
        assert_true(engine_promised_by(sc_engine(s), sc_find(s, "C")) >= now + 2000);
        sc_destroy(s);
    }
}

/* What runs longer than expected is expected to run on for a while, again and again,
 * and not beyond its limit. */
static void who_outlives_a_prediction_is_given_more(void **state)
{
    struct scenario *s = sc_create_with(PLAN);

    (void)state;
    sc_begin_at(s, BEGIN);
    sc_nodes(s, 1, 1);
    for (int i = 0; i < 10; i++) {
        const char *id = name_of(i);
        add_job(s, id, 1, BEGIN, 1000, 100);
    }
    sc_run(s);
    int64_t now = sc_now(s);
    add_job(s, "A", 1, now, 1000, 1000);
    add_job(s, "B", 1, now, 1000, 100);
    sc_at(s, now + 150);
    assert_in_range(expected(s, "B").at, now + 151, now + 170);
    sc_at(s, now + 400);
    assert_in_range(expected(s, "B").at, now + 401, now + 470);
    sc_at(s, now + 900);
    assert_int_equal(expected(s, "B").at, now + 1000);
    sc_destroy(s);
}

/* It was learned from when it was cancelled. */
static void what_runs_on_after_its_cancel_is_not_learned_again(void **state)
{
    struct scenario *s = sc_create_with(PLAN);
    struct err err;

    (void)state;
    sc_begin_at(s, BEGIN);
    sc_nodes(s, 1, 1);
    for (int i = 0; i < 10; i++) {
        const char *id = name_of(i);
        add_job(s, id, 1, BEGIN, 1000, 100);
    }
    sc_run(s);
    int64_t now = sc_now(s);
    struct req_desc one = {.tasks = 1, .per_task.v[RES_PROCS] = 1};
    struct job_place on = {.node = "n1", .tasks = 1};
    struct event submit = {.kind = EVENT_SUBMIT,
        .u.job = {.id = "X",
            .cred[CRED_USER] = "ann",
            .state = JOB_RUNNING,
            .cancelled = true,
            .submit_at = BEGIN,
            .start_at = now - 900,
            .wclimit_s = 1000,
            .reqs = &one,
            .nreqs = 1,
            .places = &on,
            .nplaces = 1}};
    struct event end = {.kind = EVENT_END, .u.end = {.id = "X", .how = EV_CANCEL}};
    assert_int_equal(sc_apply(s, submit, &err), 0);
    double before = predictions_run(sc_engine(s), sc_find(s, "X")).run_s;
    assert_int_equal(sc_apply(s, end, &err), 0);
    add_job(s, "Y", 1, now, 1000, 100);
    sc_at(s, now);
    close_to(predictions_run(sc_engine(s), sc_find(s, "Y")).run_s, before);
    sc_destroy(s);
}

static void how_good_it_was_is_counted_and_an_interval_told(void **state)
{
    struct scenario *s = sc_create_with(PLAN "PROMISEHORIZON SUBMIT\n");

    (void)state;
    sc_begin_at(s, BEGIN);
    sc_nodes(s, 1, 1);
    for (int i = 0; i < 130; i++) {
        const char *id = name_of(i);
        add_job(s, id, 1, BEGIN + i * 100, 1000, 90 + i % 20);
    }
    add_job(s, "X", 1, BEGIN + 12905, 1000, 100);
    add_job(s, "Y", 1, BEGIN + 12905, 1000, 100);
    sc_run_until(s, BEGIN + 12905);
    struct misses_sum sum = misses_sum(engine_misses(sc_engine(s)));
    assert_true(sum.n > 60 && sum.factor >= 1 && sum.factor < 3);
    sc_cancel(s, "Y"); /* it counts nowhere */
    sc_run(s);
    sc_destroy(s);
}

static void without_prediction_nothing_is_expected(void **state)
{
    struct scenario *s = sc_create_with(PLAN "PREDICTION NONE\n");

    (void)state;
    sc_begin_at(s, BEGIN);
    sc_nodes(s, 1, 1);
    add_job(s, "A", 1, BEGIN, 1000, 100);
    add_job(s, "B", 1, BEGIN, 1000, 100);
    sc_run_until(s, BEGIN);
    assert_int_equal(expected(s, "B").at, 0);
    sc_destroy(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_known_is_the_limit),
        cmocka_unit_test(the_last_two_are_their_mean_and_no_more_than_the_limit),
        cmocka_unit_test(exact_estimates_are_believed),
        cmocka_unit_test(kinds_of_jobs_are_told_apart),
        cmocka_unit_test(all_users_tell_of_a_new_one),
        cmocka_unit_test(predictions_change_when_they_say),
        cmocka_unit_test(users_are_bounded),
        cmocka_unit_test(few_values_are_no_interval),
        cmocka_unit_test(the_interval_holds_for_four_of_five),
        cmocka_unit_test(intervals_outlive_a_restart),
        cmocka_unit_test(starts_are_expected_by_what_jobs_took),
        cmocka_unit_test(who_outlives_a_prediction_is_given_more),
        cmocka_unit_test(what_runs_on_after_its_cancel_is_not_learned_again),
        cmocka_unit_test(how_good_it_was_is_counted_and_an_interval_told),
        cmocka_unit_test(without_prediction_nothing_is_expected),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
