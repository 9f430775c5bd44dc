/* SPDX-License-Identifier: Apache-2.0
 * Arrays of which so many jobs may be on nodes at once. */
#include "cmocka_all.h"
#include "example.h"

static const char *const ids[] = {"12[0]", "12[1]", "12[2]", "12[3]", "12[4]", "12[5]",
    "12[6]", "12[7]", "12[8]", "12[9]", "12[10]", "12[11]", "12[12]"};

/* 12[1] to 12[n] of one processor and 100 s, `limit` at once, on 16 processors. */
static struct scenario *array_of(int n, int64_t limit, const char *settings)
{
    struct scenario *s = sc_create_with(settings);

    sc_nodes(s, 16, 1);
    for (int i = 1; i <= n; i++)
        sc_job(s, (struct sc_job){
                      .id = ids[i], .procs = 1, .limit_s = 100, .array_limit = limit});
    return s;
}

static void apply(struct scenario *s, struct event ev)
{
    struct err err;

    assert_int_equal(sc_apply(s, ev, &err), 0);
}

static uint32_t count_begun(struct scenario *s)
{
    const struct cluster *c = engine_cluster(sc_engine(s));
    uint32_t n = 0;

    for (size_t i = 0; i < c->jobs.n; i++)
        n += c->jobs.v[i] && job_has_begun((enum job_state)c->jobs.v[i]->state);
    return n;
}

static const char *const policies[] = {
    "", "BACKFILLPOLICY PLAN\nPROMISEHORIZON SUBMIT\n"};

static void so_many_run_at_once_whoever_of_them_is_cancelled(void **state)
{
    (void)state;
    for (int plan = 0; plan < 2; plan++) {
        struct scenario *s = array_of(12, 4, policies[plan]);

        sc_job(s, (struct sc_job){.id = "other", .procs = 1, .limit_s = 100});
        sc_at(s, 10);
        assert_int_equal(count_begun(s), 5);
        assert_string_equal(
            sc_why(s, "12[5]"), "of its array 4 may be on nodes at once, and 4 are");
        sc_cancel(s, "12[6]"); /* who waits leaves no place */
        sc_cycle(s);
        assert_int_equal(count_begun(s), 5);
        sc_cancel(s, "12[2]"); /* who runs leaves one */
        sc_cycle(s);
        assert_int_equal(count_begun(s), 5);
        assert_int_equal(sc_start(s, "12[5]"), 10);
        sc_run(s);
        assert_int_equal(sc_start(s, "12[7]"), 100);
        assert_int_equal(sc_start(s, "12[9]"), 100);
        assert_int_equal(sc_start(s, "12[10]"), 110);
        assert_int_equal(sc_start(s, "12[12]"), 200);
        sc_destroy(s);
    }
}

/* Who cannot go keeps no place, and comes in its turn when it can. */
static void a_held_job_of_an_array_keeps_no_place(void **state)
{
    (void)state;
    struct scenario *s = array_of(4, 2, "");

    sc_job(s, (struct sc_job){.id = "12[0]",
                  .procs = 1,
                  .limit_s = 100,
                  .array_limit = 2,
                  .holds = HOLD_USER});
    sc_at(s, 10);
    assert_int_equal(sc_start(s, "12[1]"), 0);
    assert_int_equal(sc_start(s, "12[2]"), 0);
    sc_release(s, "12[0]", HOLD_USER, "root");
    sc_run(s);
    assert_int_equal(sc_start(s, "12[0]"), 100);
    assert_int_equal(sc_start(s, "12[3]"), 100);
    assert_int_equal(sc_start(s, "12[4]"), 200);
    sc_destroy(s);
}

static void change_limit(struct scenario *s, const char *id, int64_t limit)
{
    apply(
        s, (struct event){.kind = EVENT_MODIFY,
               .u.modify = {.id = id,
                   .change = {.what = CHANGE_ARRAY_LIMIT, .job.array_limit = limit}}});
}

static void the_limit_of_an_array_changes(void **state)
{
    (void)state;
    struct scenario *s = array_of(6, 1, "");

    sc_at(s, 10);
    assert_int_equal(count_begun(s), 1);
    for (int i = 1; i <= 6; i++)
        change_limit(s, ids[i], 3);
    sc_cycle(s);
    assert_int_equal(count_begun(s), 3);
    for (int i = 1; i <= 6; i++)
        change_limit(s, ids[i], 0);
    sc_cycle(s);
    assert_int_equal(count_begun(s), 6);
    sc_destroy(s);
}

/* In whatever order they are found. */
static void the_first_of_an_array_by_priority_go(void **state)
{
    (void)state;
    static const int64_t orders[][12] = {{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12},
        {12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1},
        {5, 10, 3, 8, 1, 6, 11, 4, 9, 2, 7, 12}};

    for (size_t k = 0; k < 3; k++)
        for (int limit = 1; limit <= 4; limit++) {
            struct scenario *s = sc_create_with("");
            sc_nodes(s, 16, 1);
            for (int i = 1; i <= 12; i++)
                sc_job(s, (struct sc_job){.id = ids[i],
                              .procs = 1,
                              .limit_s = 100,
                              .priority = orders[k][i - 1],
                              .array_limit = limit});
            sc_run(s);
            for (int i = 1; i <= 12; i++)
                assert_int_equal(
                    sc_start(s, ids[i]), 100 * ((12 - orders[k][i - 1]) / limit));
            sc_destroy(s);
        }
}

/* A suspended job goes on without being asked again, so it counts; who goes back to the
 * queue does not, and is before those who come after it. */
static void who_makes_room_counts_while_suspended(void **state)
{
    (void)state;
    for (int requeue = 0; requeue < 2; requeue++) {
        struct scenario *s = array_of(4, 2, "");

        sc_at(s, 10);
        apply(s, (struct event){.kind = EVENT_PREEMPT,
                     .u.preempt = {.id = "12[1]",
                         .how = requeue ? PREEMPT_REQUEUE : PREEMPT_SUSPEND,
                         .rests_s = requeue ? 0 : 50}});
        sc_cycle(s);
        assert_int_equal(count_begun(s), 2);
        assert_int_equal(sc_start(s, "12[3]"), -1);
        sc_run(s);
        assert_int_equal(sc_start(s, "12[3]"), 100);
        assert_int_equal(sc_start(s, "12[4]"), requeue ? 110 : 150);
        sc_destroy(s);
    }
}

/* The one that comes back was promised nothing; who was keeps its place. */
static void a_promise_keeps_its_place_in_the_array(void **state)
{
    (void)state;
    struct scenario *s = sc_create_with(policies[1]);

    sc_nodes(s, 16, 1);
    sc_job(s, (struct sc_job){.id = "wide", .procs = 16, .limit_s = 100});
    for (int i = 0; i <= 4; i++)
        sc_job(s, (struct sc_job){.id = ids[i],
                      .submit_at = 5,
                      .procs = 1,
                      .limit_s = 100,
                      .array_limit = 2,
                      .holds = i == 0 ? HOLD_USER : 0});
    sc_at(s, 10);
    assert_int_equal(sc_start(s, "wide"), 0);
    assert_int_equal(sc_why_code(s, "12[1]"), WAIT_RESERVATION);
    sc_release(s, "12[0]", HOLD_USER, "root");
    sc_cycle(s);
    assert_int_equal(sc_why_code(s, "12[0]"), WAIT_ARRAY);
    sc_run(s);
    assert_int_equal(sc_start(s, "12[2]"), 100);
    assert_int_equal(sc_start(s, "12[0]"), 200);
    sc_destroy(s);
}

static void places_are_the_same_after_a_restart(void **state)
{
    (void)state;
    struct scenario *s = array_of(5, 2, "");

    sc_at(s, 10);
    sc_cancel(s, "12[1]");
    sc_restart(s);
    sc_cycle(s);
    assert_int_equal(count_begun(s), 2);
    assert_int_equal(sc_start(s, "12[3]"), 10);
    sc_run(s);
    assert_int_equal(sc_start(s, "12[5]"), 110);
    sc_destroy(s);
}

/* Jobs of other arrays, single jobs, and those without a limit are no concern of it. */
static void arrays_are_told_apart(void **state)
{
    (void)state;
    struct scenario *s = array_of(3, 1, "");

    sc_job(
        s, (struct sc_job){.id = "1[2]", .procs = 1, .limit_s = 100, .array_limit = 1});
    sc_job(s,
        (struct sc_job){.id = "13[1]", .procs = 1, .limit_s = 100, .array_limit = 1});
    sc_job(
        s, (struct sc_job){.id = "12", .procs = 1, .limit_s = 100, .array_limit = 1});
    sc_at(s, 10);
    assert_int_equal(count_begun(s), 4);
    sc_destroy(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(so_many_run_at_once_whoever_of_them_is_cancelled),
        cmocka_unit_test(a_held_job_of_an_array_keeps_no_place),
        cmocka_unit_test(the_limit_of_an_array_changes),
        cmocka_unit_test(the_first_of_an_array_by_priority_go),
        cmocka_unit_test(who_makes_room_counts_while_suspended),
        cmocka_unit_test(a_promise_keeps_its_place_in_the_array),
        cmocka_unit_test(places_are_the_same_after_a_restart),
        cmocka_unit_test(arrays_are_told_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
