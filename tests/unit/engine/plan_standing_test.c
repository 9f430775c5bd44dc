/* SPDX-License-Identifier: Apache-2.0
 * BACKFILLPOLICY PLAN beside a standing reservation of few periods: what is promised
 * beyond them holds when the next one comes. */
#include "cmocka_all.h"
#include "scenario.h"

#define PLAN                                                                           \
    "BACKFILLPOLICY PLAN\nPROMISEHORIZON SUBMIT\nPROMISESLACK 0\nPREDICTION NONE\n"    \
    "DEFERTIME 0\nQUEUETIMEWEIGHT 1\n"
#define DAILY                                                                          \
    "SRCFG[day] PERIOD=DAY STARTTIME=8:00:00 ENDTIME=18:00:00 DEPTH=1 HOSTLIST=^n "    \
    "CLASSLIST=nobody\n"
#define HOUR 3600

static int64_t promised(struct scenario *s, const char *id)
{
    return engine_promised_by(sc_engine(s), sc_find(s, id));
}

static size_t count_instances(struct scenario *s)
{
    const struct cluster *c = engine_cluster(sc_engine(s));
    size_t n = 0;

    for (size_t i = 0; i < c->reservations.n; i++)
        n += c->reservations.v[i] && reservation_is_live(c->reservations.v[i]);
    return n;
}

/* From 18 to 28 somebody runs. From 28 to 34 there is room as long as nobody thinks of
 * tomorrow. */
static void a_promise_knows_of_tomorrow(void **state)
{
    struct scenario *s = sc_begin(PLAN DAILY, 2, 1, false);

    (void)state;
    sc_at(s, 18 * HOUR);
    assert_int_equal(count_instances(s), 0);
    sc_job(
        s, (struct sc_job){
               .id = "runs", .submit_at = 18 * HOUR, .procs = 2, .limit_s = 10 * HOUR});
    sc_at(s, 18 * HOUR + 1);
    sc_job(s, (struct sc_job){.id = "waits",
                  .submit_at = 18 * HOUR + 2,
                  .procs = 2,
                  .limit_s = 6 * HOUR});
    sc_at(s, 18 * HOUR + 2);
    assert_int_equal(sc_start(s, "runs"), 18 * HOUR);
    assert_int_equal(promised(s, "waits"), 0); /* not before tomorrow is known ... */
    assert_int_equal(engine_next_wakeup(sc_engine(s)), 18 * HOUR + 3);
    sc_at(s, 18 * HOUR + 3);
    assert_int_equal(promised(s, "waits"), 42 * HOUR); /* ... which takes a second */
    assert_in_range(count_instances(s), 1, 2);
    sc_at(s, 24 * HOUR);
    assert_int_equal(promised(s, "waits"), 42 * HOUR);
    assert_int_equal(sc_reserved(s, "waits"), 42 * HOUR);
    sc_destroy(s);
}

/* Nobody waits: no more is made than DEPTH says. */
static void what_starts_needs_no_tomorrow(void **state)
{
    struct scenario *s = sc_begin(PLAN DAILY, 2, 1, false);

    (void)state;
    sc_at(s, 18 * HOUR);
    sc_job(
        s, (struct sc_job){
               .id = "runs", .submit_at = 18 * HOUR, .procs = 2, .limit_s = 10 * HOUR});
    sc_at(s, 18 * HOUR + 1);
    sc_at(s, 18 * HOUR + 2);
    assert_int_equal(sc_start(s, "runs"), 18 * HOUR);
    assert_int_equal(count_instances(s), 0);
    sc_destroy(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_promise_knows_of_tomorrow),
        cmocka_unit_test(what_starts_needs_no_tomorrow),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
