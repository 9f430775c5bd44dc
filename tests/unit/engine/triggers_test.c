/* SPDX-License-Identifier: Apache-2.0
 * Triggers of reservations over time (R43 of the reservations reference). */
#include "rsv_scene.h"

static struct scenario *open_at(const char *trigger, int64_t begin)
{
    char lines[300];
    struct scene x = {.lines = lines, .begin = begin};

    snprintf(lines, sizeof lines,
        "SRCFG[fast] STARTTIME=9:00:00 ENDTIME=15:00:00 DEPTH=1 HOSTLIST=ALL "
        "USERLIST=john TRIGGER=%s",
        trigger);
    struct scenario *s = scene_open(&x, false);
    sc_at(s, begin);
    return s;
}

static void expect_fired(struct scenario *s, const char *what, int64_t at)
{
    char text[200];

    snprintf(text, sizeof text, "%s@%lld", what, (long long)at);
    assert_string_equal(sc_fired(s), text);
}

static void each_instance_fires_once_r43(void **state)
{
    (void)state;
    struct scenario *s = open_at("start+5:00:00:exec@/x.pl", MONDAY);
    char both[200];

    sc_run_until(s, clock_of(0, 13, 59));
    assert_string_equal(sc_fired(s), "");
    sc_run_until(s, clock_of(0, 23, 0));
    expect_fired(s, "fast:exec(/x.pl)", clock_of(0, 14, 0));
    sc_run_until(s, clock_of(1, 23, 0));
    snprintf(both, sizeof both, "fast:exec(/x.pl)@%lld fast:exec(/x.pl)@%lld",
        (long long)clock_of(0, 14, 0), (long long)clock_of(1, 14, 0));
    assert_string_equal(sc_fired(s), both);
    sc_destroy(s);
}

static void a_release_before_the_event_prevents_it_r43(void **state)
{
    (void)state;
    struct scenario *s = open_at("start+5:00:00:exec@/x.pl", MONDAY);

    sc_at(s, clock_of(0, 13, 0));
    assert_int_equal(
        sc_releaseres(s, sc_standing(s, "fast", 0)->name, &(struct err){0}), 0);
    sc_run_until(s, clock_of(0, 23, 0));
    assert_string_equal(sc_fired(s), "");
    sc_destroy(s);
}

static void creation_fires_for_every_instance_r43(void **state)
{
    (void)state;
    struct scenario *s = open_at("create;exec@/y", MONDAY + 60);
    char both[200];

    sc_run_until(s, clock_of(1, 23, 0));
    snprintf(both, sizeof both, "fast:exec(/y)@%lld fast:exec(/y)@%lld",
        (long long)MONDAY + 60, (long long)clock_of(1, 0, 0));
    sc_at(s, clock_of(1, 23, 0));
    assert_string_equal(sc_fired(s), both);
    sc_destroy(s);
}

static void an_instance_cancels_itself_r43(void **state)
{
    (void)state;
    struct scenario *s = open_at("start+60;cancel", MONDAY);

    sc_job(s, (struct sc_job){.id = "eve",
                  .user = "eve",
                  .procs = 1,
                  .limit_s = 10 * HOUR_S,
                  .submit_at = MONDAY + HOUR_S});
    sc_at(s, clock_of(0, 9, 0));
    assert_non_null(sc_standing(s, "fast", 0));
    sc_run_until(s, clock_of(0, 9, 1));
    assert_null(sc_standing(s, "fast", 0));
    assert_int_equal(sc_start(s, "eve"), clock_of(0, 9, 1));
    expect_fired(s, "fast:cancel", clock_of(0, 9, 1));
    sc_run_until(s, clock_of(0, 23, 0));
    assert_null(sc_standing(s, "fast", 0));
    sc_run_until(s, clock_of(1, 9, 0));
    assert_non_null(sc_standing(s, "fast", 0));
    sc_destroy(s);
}

static void a_floating_one_that_cancelled_itself_stays_away(void **state)
{
    (void)state;
    struct scene x = {.lines = "SRCFG[fast] STARTTIME=9:00:00 ENDTIME=15:00:00 DEPTH=1 "
                               "TASKCOUNT=2 USERLIST=john TRIGGER=start+60;cancel",
        .begin = MONDAY};
    struct scenario *s = scene_open(&x, false);

    sc_at(s, MONDAY);
    sc_at(s, clock_of(0, 9, 0));
    assert_non_null(sc_standing(s, "fast", 0));
    sc_at(s, clock_of(0, 12, 0));
    assert_null(sc_standing(s, "fast", 0));
    sc_at(s, clock_of(1, 9, 0));
    assert_non_null(sc_standing(s, "fast", 0));
    sc_destroy(s);
}

static void the_end_fires_although_the_reservation_is_gone(void **state)
{
    (void)state;
    struct scenario *s = open_at("end+10:00:submit@/z.cmd", MONDAY);

    sc_run_until(s, clock_of(0, 15, 9));
    assert_string_equal(sc_fired(s), "");
    sc_run_until(s, clock_of(0, 23, 0));
    expect_fired(s, "fast:submit(/z.cmd)", clock_of(0, 15, 10));
    sc_destroy(s);
}

static void the_end_itself_fires_with_its_data(void **state)
{
    (void)state;
    struct scenario *s = open_at("end;exec@/bye", MONDAY);

    sc_run_until(s, clock_of(0, 23, 0));
    expect_fired(s, "fast:exec(/bye)", clock_of(0, 15, 0));
    sc_destroy(s);
}

static void idle_nodes_fire_minload_once_active_for_the_offset(void **state)
{
    (void)state;
    struct scenario *s = open_at("minload+10:00@0.3;cancel", MONDAY);

    sc_job(s, (struct sc_job){.id = "john",
                  .user = "john",
                  .procs = 4,
                  .limit_s = HOUR_S,
                  .submit_at = clock_of(0, 9, 0)});
    sc_at(s, clock_of(0, 9, 10));
    assert_string_equal(sc_fired(s), "");
    sc_run_until(s, clock_of(0, 10, 0));
    expect_fired(s, "fast:cancel", clock_of(0, 10, 0));
    sc_destroy(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_instance_fires_once_r43),
        cmocka_unit_test(a_release_before_the_event_prevents_it_r43),
        cmocka_unit_test(creation_fires_for_every_instance_r43),
        cmocka_unit_test(an_instance_cancels_itself_r43),
        cmocka_unit_test(a_floating_one_that_cancelled_itself_stays_away),
        cmocka_unit_test(the_end_fires_although_the_reservation_is_gone),
        cmocka_unit_test(the_end_itself_fires_with_its_data),
        cmocka_unit_test(idle_nodes_fire_minload_once_active_for_the_offset),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
