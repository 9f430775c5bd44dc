/* SPDX-License-Identifier: Apache-2.0
 * When triggers fire. R43 = example of the reference. */
#include "plan/trigger.h"
#include "rsv_kit.h"

#define HOUR 3600

static struct reservation *with_trigger(
    struct rk *k, const char *trigger, int64_t start, int64_t end)
{
    struct reservation *r = rk_setres(k, "r", ACL_USER, "a", start, end);
    struct err err;

    if (triggertext_parse(trigger, &r->triggers, &err) < 0)
        fail_msg("%s", err.text);
    return r;
}

/* The instants of [from, to) at which something fires, asked every minute; what fires
 * is carried out as far as it is a cancellation. */
static const char *fires(struct rk *k, struct reservation *r, int64_t from, int64_t to)
{
    size_t len = 0;

    k->text[0] = '\0';
    for (int64_t now = from; now < to; now += 60) {
        uint32_t i;

        reservations_advance(k->c, now);
        while ((i = trigger_next_due(r, now, -1)) != INDEX_NONE) {
            len += (size_t)snprintf(k->text + len, sizeof k->text - len, "%s%lld:%s",
                len ? " " : "", (long long)now,
                trigger_action_name(r->triggers.v[i].action));
            trigger_fired(r, i, now);
            if (r->triggers.v[i].action == TRIGGER_CANCEL)
                reservation_move(k->c, r, RSV_EV_RELEASE, now, NULL);
        }
    }
    return k->text;
}

static void a_trigger_fires_once_each_instance_r43(void **state)
{
    struct rk k = rk_open("SRCFG[fast] TASKCOUNT=1 STARTTIME=9:00:00 ENDTIME=15:00:00 "
                          "TRIGGER=start+5:00:00:exec@/x.pl\n");
    struct reservation *first = rk_standing(&k, "fast", NULL, 0), *second;

    (void)state;
    second = reservation_find(k.c, "fast.1.0");
    assert_int_equal(trigger_next_at(first, 0), 14 * HOUR);
    assert_string_equal(fires(&k, first, 0, 48 * HOUR), "50400:exec"); /* 14:00 */
    assert_string_equal(fires(&k, second, 24 * HOUR, 48 * HOUR), "136800:exec");
    assert_int_equal(first->triggers.v[0].fired_at, 14 * HOUR);
    rk_close(&k);
}

static void a_release_before_the_event_prevents_it_r43(void **state)
{
    struct rk k = rk_open("");
    struct reservation *r =
        with_trigger(&k, "start+5:00:00:exec@/x.pl", 9 * HOUR, 15 * HOUR);

    (void)state;
    reservations_advance(k.c, 9 * HOUR);
    reservation_move(k.c, r, RSV_EV_RELEASE, 13 * HOUR, NULL);
    assert_string_equal(fires(&k, r, 13 * HOUR, 24 * HOUR), "");
    assert_false(trigger_outlives(r));
    rk_close(&k);
}

static void creation_is_an_event_r43(void **state)
{
    struct rk k = rk_open("SRCFG[fast] TASKCOUNT=1 TRIGGER=create;exec@/y\n");

    (void)state;
    rk_standing(&k, "fast", NULL, 600);
    assert_string_equal(fires(&k, k.c->reservations.v[0], 600, 1200), "600:exec");
    assert_string_equal(fires(&k, k.c->reservations.v[1], 600, 1200), "600:exec");
    rk_close(&k);
}

static void a_reservation_can_cancel_itself_r43(void **state)
{
    struct rk k = rk_open("");
    struct reservation *r =
        with_trigger(&k, "start+60;cancel,start+120;exec@/late", 9 * HOUR, 15 * HOUR);

    (void)state;
    assert_string_equal(fires(&k, r, 0, 24 * HOUR), "32460:cancel"); /* 09:01:00 */
    assert_int_equal(r->state, RSV_RELEASED);
    rk_close(&k);
}

static void the_end_fires_although_the_reservation_is_gone(void **state)
{
    struct rk k = rk_open("");
    struct reservation *r = with_trigger(&k, "end;exec@/a,end+2:00;exec@/b", 60, 600);
    struct reservation *early = with_trigger(&k, "end+1:00;exec@/c", 60, 600);

    (void)state;
    assert_int_equal(trigger_next_at(r, 0), 600);
    assert_string_equal(fires(&k, r, 0, 660), "600:exec");
    assert_int_equal(r->state, RSV_ENDED);
    assert_true(trigger_outlives(r));
    assert_int_equal(trigger_next_at(r, 660), 720);
    assert_string_equal(fires(&k, r, 660, 1200), "720:exec");
    assert_false(trigger_outlives(r));
    (void)early;
    rk_close(&k);
}

static void a_release_is_an_end_as_well(void **state)
{
    struct rk k = rk_open("");
    struct reservation *r = with_trigger(&k, "end+1:00;exec@/c", 60, 6000);

    (void)state;
    reservation_move(k.c, r, RSV_EV_RELEASE, 120, NULL);
    assert_string_equal(fires(&k, r, 120, 7000), "180:exec");
    rk_close(&k);
}

static void an_infinite_reservation_has_no_end_to_wait_for(void **state)
{
    struct rk k = rk_open("");
    struct reservation *r = with_trigger(&k, "end;exec@/c", 0, TIME_NEVER);

    (void)state;
    assert_int_equal(trigger_next_at(r, 0), TIME_NEVER);
    assert_int_equal(trigger_next_due(r, 1000000, -1), INDEX_NONE);
    rk_close(&k);
}

static void low_load_fires_once_active_for_the_offset(void **state)
{
    struct rk k = rk_open("");
    struct reservation *r = with_trigger(&k, "minload+10:00@0.5;cancel", 600, 6000);
    struct reservation *zero = with_trigger(&k, "minload;cancel", 0, 6000);

    (void)state;
    assert_int_equal(trigger_next_due(r, 599, 0), INDEX_NONE);
    reservations_advance(k.c, 600);
    assert_int_equal(trigger_next_at(r, 600), 1200);
    assert_int_equal(trigger_next_due(r, 1199, 0), INDEX_NONE);
    assert_int_equal(trigger_next_due(r, 1200, 0.5), INDEX_NONE);
    assert_int_equal(trigger_next_due(r, 1200, -1), INDEX_NONE);
    assert_int_equal(trigger_next_due(r, 1200, 0.49), 0);
    assert_int_equal(trigger_next_at(r, 1200), TIME_NEVER);
    assert_int_equal(trigger_next_due(zero, 1200, 0), INDEX_NONE); /* not below 0 */
    reservations_advance(k.c, 6000);
    assert_int_equal(trigger_next_due(r, 6000, 0), INDEX_NONE);
    rk_close(&k);
}

static void the_load_is_that_of_the_reserved_processors(void **state)
{
    struct rk k = rk_open("");
    struct reservation *r = rk_setres(&k, "r", ACL_USER, "a", 0, 100);

    (void)state;
    assert_true(trigger_load(k.c, r) < 0);
    rk_node(&k,
        (struct node_desc){.name = "n1", .cfg = {{4}}, .measured = true, .load = 3});
    rk_node(&k,
        (struct node_desc){.name = "n2", .cfg = {{4}}, .measured = true, .load = 1});
    rk_hold(&k, r, "n1 n2", 1);
    assert_true(trigger_load(k.c, r) == 0.5);
    rk_close(&k);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_trigger_fires_once_each_instance_r43),
        cmocka_unit_test(a_release_before_the_event_prevents_it_r43),
        cmocka_unit_test(creation_is_an_event_r43),
        cmocka_unit_test(a_reservation_can_cancel_itself_r43),
        cmocka_unit_test(the_end_fires_although_the_reservation_is_gone),
        cmocka_unit_test(a_release_is_an_end_as_well),
        cmocka_unit_test(an_infinite_reservation_has_no_end_to_wait_for),
        cmocka_unit_test(low_load_fires_once_active_for_the_offset),
        cmocka_unit_test(the_load_is_that_of_the_reserved_processors),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
