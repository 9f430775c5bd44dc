/* SPDX-License-Identifier: Apache-2.0
 * Reservations over a restart: plan/rsvmemory through the engine. */
#include "cmocka_all.h"
#include "example.h"

#include <stdio.h>

#define DAY   86400
#define START (19723 * (int64_t)DAY) /* Monday 2024-01-01 */

static struct scenario *life(const char *lines, int64_t at)
{
    struct scenario *s = sc_create_with(lines);

    sc_begin_at(s, at);
    sc_nodes(s, 4, 1);
    return s;
}

static struct job_places places; /* of the last memory() */

static struct rsv_memory memory(struct scenario *s, const struct reservation *r)
{
    places.n = 0;
    return rsvmemory_of(engine_cluster(sc_engine(s)), r, sc_now(s), &places);
}

static int tell(struct scenario *s, const struct rsv_memory *m, struct err *err)
{
    return sc_apply(s, (struct event){.kind = EVENT_INSTANCE, .u.instance = m}, err);
}

static int done(void **state)
{
    (void)state;
    vec_fini(&places);
    return 0;
}

static const char daily[] =
    "SRCFG[fast] USERLIST=ann HOSTLIST=n1 PERIOD=DAY STARTTIME=8:00:00 "
    "ENDTIME=18:00:00 TRIGGER=start;exec@/x";

static void a_released_instance_stays_away_over_a_restart(void **state)
{
    (void)state;
    struct scenario *a = life(daily, START + 9 * 3600);
    struct err err;

    sc_cycle(a);
    struct reservation *r = sc_standing(a, "fast", 0);
    assert_non_null(r);
    char name[40];
    snprintf(name, sizeof name, "%s", r->name);
    assert_int_equal(sc_releaseres(a, name, &err), 0);
    r = reservation_find(engine_cluster(sc_engine(a)), name);
    struct rsv_memory m = memory(a, r);
    assert_true(rsvmemory_wanted(r));
    assert_true(m.released);

    struct scenario *b = life(daily, START + 10 * 3600);
    assert_int_equal(tell(b, &m, &err), 0);
    sc_at(b, START + 11 * 3600);
    assert_null(sc_standing(b, "fast", 0));
    sc_at(b, START + DAY + 9 * 3600); /* the next day it is back */
    assert_non_null(sc_standing(b, "fast", 0));
    sc_destroy(a);
    sc_destroy(b);
}

static void what_fired_does_not_fire_again(void **state)
{
    (void)state;
    struct scenario *a = life(daily, START + 9 * 3600);
    struct err err;

    sc_cycle(a);
    assert_string_not_equal(sc_fired(a), "");
    struct reservation *r = sc_standing(a, "fast", 0);
    struct rsv_memory m = memory(a, r);

    struct scenario *b = life(daily, START + 10 * 3600);
    assert_int_equal(tell(b, &m, &err), 0);
    sc_at(b, START + 11 * 3600);
    assert_string_equal(sc_fired(b), "");
    struct reservation *again = sc_standing(b, "fast", 0);
    assert_string_equal(again->name, r->name);
    assert_int_equal(again->start_at, r->start_at);
    assert_int_equal(again->created_at, r->created_at);
    assert_string_equal(sc_held(b, "fast"), "n1:1");
    sc_at(b, START + DAY + 9 * 3600); /* another instance, another trigger */
    assert_string_not_equal(sc_fired(b), "");
    sc_destroy(a);
    sc_destroy(b);
}

static void names_of_new_instances_are_not_those_of_old_ones(void **state)
{
    (void)state;
    static const char two[] = "SRCFG[fast] USERLIST=ann HOSTLIST=n1 PERIOD=DAY DEPTH=2";
    struct err err;
    struct rsv_memory m = {.name = "fast.1.2",
        .section = "fast",
        .period_at = START,
        .start_at = START,
        .end_at = START + DAY};
    struct scenario *s = life(two, START + 100);

    assert_int_equal(tell(s, &m, &err), 0);
    sc_cycle(s);
    assert_non_null(sc_standing(s, "fast", 0));
    assert_string_equal(sc_standing(s, "fast", 1)->name, "fast.1.3");
    sc_destroy(s);
}

static void use_counted_before_counts_on(void **state)
{
    (void)state;
    struct scenario *a = life(daily, START + 9 * 3600);
    struct err err;

    sc_cycle(a);
    sc_at(a, START + 10 * 3600);
    struct rsv_memory m = memory(a, sc_standing(a, "fast", 0));
    assert_true(m.idle_ps == 3600);

    struct scenario *b = life(daily, START + 10 * 3600);
    assert_int_equal(tell(b, &m, &err), 0);
    sc_cycle(b);
    sc_at(b, START + 11 * 3600);
    assert_true(memory(b, sc_standing(b, "fast", 0)).idle_ps == 7200);
    sc_destroy(a);
    sc_destroy(b);
}

static void a_floating_one_stays_on_its_nodes_and_grows(void **state)
{
    (void)state;
    static const char some[] = "SRCFG[fast] USERLIST=ann TASKCOUNT=3 PERIOD=DAY";
    struct err err;
    const struct job_place had[] = {{"n4", 1}, {"n3", 1}, {"gone", 1}, {"n4", 1}};
    struct rsv_memory m = {.name = "fast.0.1",
        .section = "fast",
        .period_at = START,
        .start_at = START,
        .end_at = START + DAY,
        .places = had,
        .nplaces = 4};
    struct scenario *s = life(some, START + 100);

    assert_int_equal(tell(s, &m, &err), 0);
    assert_string_equal(sc_held(s, "fast"), "n3:1 n4:1");
    sc_cycle(s);
    assert_int_equal(sc_standing(s, "fast", 0)->held_tasks, 3);
    assert_int_equal(reservation_tasks_on(
                         engine_cluster(sc_engine(s)), sc_standing(s, "fast", 0), 3),
        1);
    sc_destroy(s);
}

static void what_cannot_come_back_is_refused(void **state)
{
    (void)state;
    struct scenario *s = life(daily, START + 9 * 3600);
    struct err err;
    struct rsv_memory m = {.name = "old.0.1",
        .section = "old",
        .period_at = START,
        .start_at = START,
        .end_at = START + DAY};

    assert_int_equal(tell(s, &m, &err), -1);
    assert_string_equal(err.text,
        "reservation 'old.0.1': there is no standing reservation 'old' any more");
    sc_cycle(s);
    m.section = "fast";
    assert_int_equal(tell(s, &m, &err), -1);
    assert_non_null(strstr(err.text, "has an instance in that period already"));
    m.period_at = START - DAY;
    m.end_at = START;
    assert_int_equal(tell(s, &m, &err), -1);
    assert_string_equal(err.text, "reservation 'old.0.1' is over");
    sc_destroy(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_released_instance_stays_away_over_a_restart),
        cmocka_unit_test(what_fired_does_not_fire_again),
        cmocka_unit_test(names_of_new_instances_are_not_those_of_old_ones),
        cmocka_unit_test(use_counted_before_counts_on),
        cmocka_unit_test(a_floating_one_stays_on_its_nodes_and_grows),
        cmocka_unit_test(what_cannot_come_back_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, done);
}
