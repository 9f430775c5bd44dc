/* SPDX-License-Identifier: Apache-2.0
 * Instances of standing reservations. R.. = examples of the reference. */
#include "plan/standing.h"
#include "rsv_kit.h"

#include <stdlib.h>

#define HOUR INT64_C(3600)
#define DAY  INT64_C(86400)

/* 2024-01-01 is a Monday. */
static int64_t date(int month, int day, int hour)
{
    return zone_day_number(2024, month, day) * DAY + hour * HOUR;
}

/* "0:0104T12-17 1:..." : slot, day and hour of start and end in the zone. */
static const char *wanted(
    struct rk *k, const char *index, const struct zone *z, int64_t now)
{
    const struct sr_cfg *sr = srcfg_find(k->config->settings, index);
    struct standing_instances list = {0};
    size_t len = 0;

    k->text[0] = '\0';
    standing_wanted(sr, z, now, 0, &list);
    for (size_t i = 0; i < list.n; i++) {
        const struct standing_instance *s = &list.v[i];
        int64_t first = zone_day_number(2024, 1, 1) - 1;
        int64_t from = z->day_of(z->ctx, s->start_at),
                to = z->day_of(z->ctx, s->end_at);

        len += (size_t)snprintf(k->text + len, sizeof k->text - len,
            "%s%u:%lld+%lldh..%lld+%lldh", len ? " " : "", (unsigned)s->slot,
            (long long)(from - first),
            (long long)((s->start_at - z->at(z->ctx, from, 0)) / HOUR),
            (long long)(to - first),
            (long long)((s->end_at - z->at(z->ctx, to, 0)) / HOUR));
        assert_true(s->start_at >= now && s->end_at > s->start_at);
        assert_true(s->period_at <= s->start_at);
    }
    vec_fini(&list);
    return k->text;
}

static void days_roll_r27(void **state)
{
    struct rk k = rk_open("SRCFG[x] TASKCOUNT=1 STARTTIME=9:00:00 ENDTIME=17:00:00 "
                          "DAYS=MON,TUE,WED,THU,FRI DEPTH=2\n");
    struct zone z = zone_utc();

    (void)state;
    assert_string_equal(
        wanted(&k, "x", &z, date(1, 4, 12)), "0:4+12h..4+17h 1:5+9h..5+17h");
    assert_string_equal(wanted(&k, "x", &z, date(1, 4, 18)), "1:5+9h..5+17h");
    assert_string_equal(wanted(&k, "x", &z, date(1, 4, 17)), "1:5+9h..5+17h");
    assert_string_equal(wanted(&k, "x", &z, date(1, 5, 0)), "0:5+9h..5+17h");
    assert_string_equal(wanted(&k, "x", &z, date(1, 6, 0)), "");
    assert_string_equal(wanted(&k, "x", &z, date(1, 7, 0)), "1:8+9h..8+17h");
    assert_string_equal(
        wanted(&k, "x", &z, date(1, 8, 0)), "0:8+9h..8+17h 1:9+9h..9+17h");
    rk_close(&k);
}

static void weeks_begin_on_sunday_r28(void **state)
{
    struct rk k = rk_open("SRCFG[x] TASKCOUNT=1 PERIOD=WEEK STARTTIME=1:08:00:00 "
                          "ENDTIME=5:17:00:00 DEPTH=2\n");
    const struct sr_cfg *sr = &k.config->settings->standing.v[0];
    struct zone z = zone_utc();

    (void)state;
    assert_string_equal(
        wanted(&k, "x", &z, date(1, 3, 12)), "0:3+12h..5+17h 1:8+8h..12+17h");
    assert_string_equal(
        wanted(&k, "x", &z, date(1, 7, 0)), "0:8+8h..12+17h 1:15+8h..19+17h");
    assert_string_equal(wanted(&k, "x", &z, date(1, 6, 0)), "1:8+8h..12+17h");
    assert_int_equal(
        standing_period(sr, &z, date(1, 6, 23)), zone_day_number(2023, 12, 31) * DAY);
    assert_int_equal(standing_next_period(sr, &z, date(1, 6, 23)), date(1, 7, 0));
    rk_close(&k);
}

static void infinity_is_one_instance_r29(void **state)
{
    struct rk k =
        rk_open("SRCFG[x] TASKCOUNT=1 PERIOD=INFINITY DEPTH=7 DAYS=MON STARTTIME=9\n");
    const struct sr_cfg *sr = &k.config->settings->standing.v[0];
    struct standing_instances list = {0};
    struct zone z = zone_utc();

    (void)state;
    standing_wanted(sr, &z, date(1, 3, 5), 0, &list);
    assert_int_equal(list.n, 1);
    assert_int_equal(list.v[0].start_at, date(1, 3, 5));
    assert_int_equal(list.v[0].end_at, TIME_NEVER);
    assert_int_equal(list.v[0].period_at, 0);
    assert_int_equal(standing_next_period(sr, &z, date(1, 3, 5)), TIME_NEVER);
    vec_fini(&list);
    rk_close(&k);
}

static void months_and_years_end_like_any_day(void **state)
{
    struct rk k = rk_open("SRCFG[x] TASKCOUNT=1 STARTTIME=20:00:00 DEPTH=3\n"
                          "SRCFG[w] TASKCOUNT=1 PERIOD=WEEK DEPTH=2\n");
    struct zone z = zone_utc();

    (void)state;
    assert_string_equal(wanted(&k, "x", &z, date(2, 28, 0)),
        "0:59+20h..60+0h 1:60+20h..61+0h 2:61+20h..62+0h"); /* 29 February */
    assert_string_equal(wanted(&k, "x", &z, date(1, 31, 21)),
        "0:31+21h..32+0h 1:32+20h..33+0h 2:33+20h..34+0h");
    assert_string_equal(wanted(&k, "x", &z, date(12, 31, 0)),
        "0:366+20h..367+0h 1:367+20h..368+0h 2:368+20h..369+0h");
    assert_string_equal(
        wanted(&k, "w", &z, date(12, 30, 5)), "0:365+5h..371+0h 1:371+0h..378+0h");
    rk_close(&k);
}

static void whole_days_meet_without_gap_or_overlap(void **state)
{
    struct rk k = rk_open("SRCFG[x] TASKCOUNT=1 DEPTH=30\n");
    struct standing_instances list = {0};
    struct zone z;

    (void)state;
    setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3", 1);
    z = zone_system();
    standing_wanted(&k.config->settings->standing.v[0], &z, date(3, 15, 0), 0, &list);
    assert_int_equal(list.n, 30);
    for (size_t i = 1; i < list.n; i++) {
        int64_t length = list.v[i].end_at - list.v[i].start_at;

        assert_int_equal(list.v[i].start_at, list.v[i - 1].end_at);
        assert_int_equal(length, (i == 16 ? 23 : 24) * HOUR); /* 31 March */
    }
    vec_fini(&list);
    rk_close(&k);
}

static void hours_are_those_of_the_clock_on_the_wall(void **state)
{
    struct rk k = rk_open("SRCFG[x] TASKCOUNT=1 STARTTIME=9:00:00 ENDTIME=17:00:00\n"
                          "SRCFG[gone] TASKCOUNT=1 STARTTIME=2:00:00 ENDTIME=3:00:00\n"
                          "SRCFG[w] TASKCOUNT=1 PERIOD=WEEK STARTTIME=1:08:00:00 "
                          "ENDTIME=5:17:00:00 DEPTH=1\n");
    struct standing_instances list = {0};
    const struct sr_cfg *sr = k.config->settings->standing.v;
    int64_t spring, autumn;
    struct zone z;

    (void)state;
    setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3", 1);
    z = zone_system();
    spring = z.at(z.ctx, zone_day_number(2024, 3, 31), 0);
    autumn = z.at(z.ctx, zone_day_number(2024, 10, 27), 0);
    standing_wanted(&sr[0], &z, spring, 0, &list);
    assert_int_equal(list.v[0].start_at - spring, 8 * HOUR);
    assert_int_equal(list.v[0].end_at - list.v[0].start_at, 8 * HOUR);
    assert_int_equal(list.v[1].start_at - spring, (23 + 9) * HOUR);
    list.n = 0;
    standing_wanted(&sr[0], &z, autumn, 0, &list);
    assert_int_equal(list.v[0].start_at - autumn, 10 * HOUR);
    assert_int_equal(list.v[1].start_at - autumn, (25 + 9) * HOUR);
    list.n = 0;
    standing_wanted(&sr[1], &z, spring, 0, &list); /* that hour is left out */
    assert_int_equal(list.n, 1);
    assert_int_equal(list.v[0].slot, 1);
    list.n = 0;
    standing_wanted(&sr[2], &z, spring, 0, &list); /* Sunday begins the week */
    assert_int_equal(list.v[0].period_at, spring);
    assert_int_equal(list.v[0].start_at - spring, (23 + 8) * HOUR);
    vec_fini(&list);
    rk_close(&k);
}

static void local_days_decide_and_not_those_of_utc(void **state)
{
    struct rk k = rk_open("SRCFG[x] TASKCOUNT=1 DAYS=TUE DEPTH=1\n");
    int32_t west = -8 * 3600;
    struct zone pacific = zone_fixed(&west);

    (void)state;
    /* Tuesday 02:00 UTC is still Monday; Wednesday 05:00 UTC is still Tuesday */
    assert_string_equal(wanted(&k, "x", &pacific, date(1, 2, 2)), "");
    assert_string_equal(wanted(&k, "x", &pacific, date(1, 3, 5)), "0:2+21h..3+0h");
    rk_close(&k);
}

static size_t refresh(struct rk *k, const struct zone *z, int64_t now)
{
    struct rsv_indexes fresh = {0};
    size_t added;

    reservations_advance(k->c, now);
    standing_refresh(k->c, z, now, 0, &fresh, NULL);
    added = fresh.n;
    vec_fini(&fresh);
    return added;
}

static void there_are_never_two_for_one_period(void **state)
{
    struct rk k = rk_open("SRCFG[x] TASKCOUNT=1 PERIOD=WEEK STARTTIME=1:08:00:00 "
                          "ENDTIME=5:17:00:00 DEPTH=2\n");
    struct zone z = zone_utc();
    size_t added = 0;

    (void)state;
    for (int hour = 12; hour < 24 * 18; hour++)
        added += refresh(&k, &z, date(1, 3, 0) + hour * HOUR);
    assert_int_equal(added, 4); /* weeks of 31 Dec, 7, 14 and 21 Jan */
    assert_int_equal(k.c->reservations.n, 4);
    assert_string_equal(k.c->reservations.v[3]->name, "x.1.2");
    assert_int_equal(k.c->reservations.v[0]->state, RSV_ENDED);
    assert_int_equal(k.c->reservations.v[0]->start_at, date(1, 3, 12));
    assert_int_equal(k.c->reservations.v[2]->slot, 0); /* x.1.1, and now the present */
    rk_close(&k);
}

static void a_released_instance_comes_back_if_it_floats_6_2(void **state)
{
    struct rk k = rk_open("SRCFG[f] PERIOD=INFINITY TASKCOUNT=1\n"
                          "SRCFG[h] HOSTLIST=n1 DEPTH=1\n"
                          "SRCFG[t] TASKCOUNT=1 DEPTH=1 TRIGGER=start+60;cancel\n");
    struct zone z = zone_utc();
    struct reservation *r[3];

    (void)state;
    rk_nodes(&k, 1, 1, 0);
    assert_int_equal(refresh(&k, &z, 0), 3);
    for (size_t i = 0; i < 3; i++) {
        r[i] = k.c->reservations.v[i];
        assert_false(standing_may_forget(r[i], 0));
        reservation_move(k.c, r[i], RSV_EV_RELEASE, 60, NULL);
    }
    r[2]->triggers.v[0].fired = true;
    assert_true(standing_may_forget(r[0], 60));
    assert_false(standing_may_forget(r[1], 60));
    assert_false(standing_may_forget(r[2], 60));
    reservation_remove(k.c, r[0]);
    assert_int_equal(refresh(&k, &z, 61), 1);
    assert_string_equal(k.c->reservations.v[0]->name, "f.0.0");
    assert_true(standing_may_forget(r[1], DAY));
    assert_int_equal(refresh(&k, &z, DAY), 2); /* the next period */
    rk_close(&k);
}

static void instances_follow_their_section_to_other_settings(void **state)
{
    static const char text[] = "SRCFG[b] PERIOD=INFINITY TASKCOUNT=1\n"
                               "SRCFG[c] TASKCOUNT=0\n";
    struct rk k = rk_open("SRCFG[a] PERIOD=INFINITY TASKCOUNT=1\n"
                          "SRCFG[b] PERIOD=INFINITY TASKCOUNT=1\n"
                          "SRCFG[c] PERIOD=INFINITY TASKCOUNT=1\n");
    struct config *other = config_load_text("maui.cfg", text, sizeof text - 1);
    struct zone z = zone_utc();

    (void)state;
    refresh(&k, &z, 0);
    cluster_configure(k.c, other->settings);
    standing_relink(k.c);
    assert_int_equal(k.c->reservations.v[0]->standing, INDEX_NONE);
    assert_int_equal(k.c->reservations.v[1]->standing, 0);
    assert_int_equal(k.c->reservations.v[2]->standing, INDEX_NONE);
    assert_int_equal(refresh(&k, &z, 10), 0);
    rk_close(&k);
    config_destroy(other);
}

static void a_draft_has_all_that_is_configured(void **state)
{
    struct rk k = rk_open(
        "SRCFG[1] NAME=fast HOSTLIST=n3,n1 TASKCOUNT=2 TPN=1 RESOURCES=PROCS=1;MEM=64 "
        "NODEFEATURES=big ACCESS=SHARED OWNER=ACCOUNT:phys CHARGEACCOUNT=bank\n"
        "SRCFG[1] PRIORITY=7 FLAGS=OWNERPREEMPT USERLIST=a,b TRIGGER=end;exec@/x\n"
        "SRCFG[p] TASKCOUNT=1 PARTITION=[ALL]\nSRCFG[q] TASKCOUNT=1 PARTITION=gone\n"
        "SRCFG[h] HOSTLIST=nobody,n2 PERIOD=INFINITY RESOURCES=GRES=tape:2\n");
    struct standing_instance i = {
        .period_at = 0, .start_at = 10, .end_at = 20, .slot = 1};
    struct reservation r;
    struct err alert;

    (void)state;
    rk_nodes(&k, 3, 1, 1024);
    r = standing_draft(k.c, 0, &i, &alert);
    assert_int_equal(alert.code, ERR_NONE);
    assert_string_equal(r.base, "fast");
    assert_int_equal(r.hosts.n, 2);
    assert_int_equal(r.hosts.v[0], 2);
    assert_int_equal(r.tasks, 2);
    assert_int_equal(r.def.tpn, 1);
    assert_int_equal(r.def.per_task.v[RES_MEM], 64);
    assert_int_equal(r.def.features.n, 1);
    assert_true(r.shared);
    assert_int_equal(r.owner, cred_find(k.c, CRED_ACCOUNT, "phys")->index);
    assert_int_equal(
        r.charge[CRED_ACCOUNT], cred_find(k.c, CRED_ACCOUNT, "bank")->index);
    assert_int_equal(r.priority, 7);
    assert_int_equal(r.acl.entries.n, 2);
    assert_int_equal(r.triggers.n, 1);
    assert_int_equal(r.partition, RSV_PARTITION_ONE);
    reservation_fini(&r);
    r = standing_draft(k.c, 1, &i, &alert);
    assert_int_equal(r.partition, RSV_PARTITION_ALL);
    reservation_fini(&r);
    r = standing_draft(k.c, 2, &i, &alert);
    assert_int_equal(r.partition, INDEX_NONE);
    reservation_fini(&r);
    r = standing_draft(k.c, 3, &i, &alert);
    assert_int_equal(alert.code, ERR_NOT_FOUND);
    assert_non_null(strstr(alert.text, "nobody"));
    assert_int_equal(r.hosts.n, 1);
    assert_int_equal(r.def.gres.n, 1);
    reservation_fini(&r);
    rk_close(&k);
}

static void what_is_unusable_has_no_instances(void **state)
{
    struct rk k = rk_open("SRCFG[x] TASKCOUNT=1\n");
    struct zone z = zone_utc();

    (void)state;
    k.config->settings->standing.v[0].usable = false;
    assert_string_equal(wanted(&k, "x", &z, 0), "");
    rk_close(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(days_roll_r27),
        cmocka_unit_test(weeks_begin_on_sunday_r28),
        cmocka_unit_test(infinity_is_one_instance_r29),
        cmocka_unit_test(months_and_years_end_like_any_day),
        cmocka_unit_test(whole_days_meet_without_gap_or_overlap),
        cmocka_unit_test(hours_are_those_of_the_clock_on_the_wall),
        cmocka_unit_test(local_days_decide_and_not_those_of_utc),
        cmocka_unit_test(there_are_never_two_for_one_period),
        cmocka_unit_test(a_released_instance_comes_back_if_it_floats_6_2),
        cmocka_unit_test(instances_follow_their_section_to_other_settings),
        cmocka_unit_test(a_draft_has_all_that_is_configured),
        cmocka_unit_test(what_is_unusable_has_no_instances),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
