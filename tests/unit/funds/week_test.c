/* SPDX-License-Identifier: Apache-2.0
 * Rates by time of day: what is read, which factor counts when, and what a time that
 * goes over several of them weighs. */
#include "base/strbuf.h"
#include "base/xalloc.h"
#include "cmocka_all.h"
#include "funds/price.h"
#include "funds/week.h"

#include <stdio.h>
#include <stdlib.h>

#define H      INT64_C(3600)
#define DAY    (24 * H)
#define MONDAY (4 * DAY) /* 1970-01-05 */
#define X(n)   ((int64_t)((n)*PRICE_ONE))
#define OFFICE "Mon-Fri@08:00-18:00*2,Sat|Sun*0.5"

static struct week_windows windows_of(const char *text)
{
    struct week_windows w;
    struct err err;

    if (week_parse(text, &w, &err) < 0)
        fail_msg("%s", err.text);
    return w;
}

static void the_first_window_that_an_instant_lies_in_counts(void **state)
{
    struct week_windows w = windows_of(OFFICE ",17:00-19:00*3");
    struct week *week = week_create(&w, zone_utc());

    (void)state;
    assert_int_equal(week_factor(week, MONDAY), X(1));
    assert_int_equal(week_factor(week, MONDAY + 8 * H), X(2));
    assert_int_equal(week_factor(week, MONDAY + 8 * H - 1), X(1));
    assert_int_equal(week_factor(week, MONDAY + 17 * H), X(2));
    assert_int_equal(week_factor(week, MONDAY + 18 * H), X(3));
    assert_int_equal(week_factor(week, MONDAY + 5 * DAY + 18 * H), X(0.5));
    assert_int_equal(week_factor(week, MONDAY + 7 * DAY - 1), X(0.5));
    week_destroy(week);
    week_fini(&w);
}

static void a_window_may_go_on_into_the_next_day(void **state)
{
    struct week_windows w = windows_of("Fri@22:00-06:00*0.25");
    struct week *week = week_create(&w, zone_utc());

    (void)state;
    assert_int_equal(week_factor(week, MONDAY + 4 * DAY + 22 * H), X(0.25));
    assert_int_equal(week_factor(week, MONDAY + 5 * DAY + 6 * H - 1), X(0.25));
    assert_int_equal(week_factor(week, MONDAY + 5 * DAY + 6 * H), X(1));
    assert_int_equal(week_factor(week, MONDAY + 4 * DAY + 5 * H), X(1));
    week_destroy(week);
    week_fini(&w);
}

static void a_time_over_several_rates_is_the_sum_of_its_pieces(void **state)
{
    struct week_windows w = windows_of(OFFICE);
    struct week *week = week_create(&w, zone_utc());

    (void)state;
    /* an hour before, ten in, two after */
    assert_int_equal(week_weigh(week, MONDAY + 7 * H, MONDAY + 20 * H),
        (H + 10 * H * 2 + 2 * H) * PRICE_ONE);
    /* any cut gives the same */
    for (int64_t cut = 1; cut < 9 * DAY; cut += 7331)
        assert_int_equal(week_weigh(week, MONDAY, MONDAY + cut)
                             + week_weigh(week, MONDAY + cut, MONDAY + 9 * DAY),
            week_weigh(week, MONDAY, MONDAY + 9 * DAY));
    assert_int_equal(week_weigh(week, MONDAY, MONDAY + 7 * DAY),
        (5 * (14 * H + 10 * H * 2) + 2 * 12 * H) * PRICE_ONE);
    /* what lies before all that was asked for so far */
    assert_int_equal(week_weigh(week, MONDAY - DAY, MONDAY), 12 * H * PRICE_ONE);
    assert_int_equal(week_weigh(week, MONDAY, MONDAY), 0);
    assert_int_equal(week_weigh(week, MONDAY, MONDAY - 5), 0);
    assert_true(week_weigh(week, 0, INT64_MAX / 2) == INT64_MAX);
    /* beyond sixty days by the mean week: the same where whole weeks are left */
    assert_int_equal(week_weigh(week, MONDAY, MONDAY + 60 * DAY + 700 * DAY),
        week_weigh(week, MONDAY, MONDAY + 60 * DAY)
            + 100 * week_weigh(week, MONDAY, MONDAY + 7 * DAY));
    week_destroy(week);
    week_fini(&w);
}

static void the_next_change_is_told(void **state)
{
    struct week_windows w = windows_of(OFFICE), none = {0};
    struct week *week = week_create(&w, zone_utc());
    struct week *flat = week_create(&none, zone_utc());

    (void)state;
    assert_int_equal(week_next(week, MONDAY), MONDAY + 8 * H);
    assert_int_equal(week_next(week, MONDAY + 8 * H), MONDAY + 18 * H);
    assert_int_equal(week_next(week, MONDAY + 4 * DAY + 18 * H), MONDAY + 5 * DAY);
    assert_int_equal(week_next(week, MONDAY + 5 * DAY), MONDAY + 7 * DAY);
    assert_true(week_next(flat, MONDAY) == INT64_MAX);
    assert_int_equal(week_weigh(flat, 5, 15), 10 * PRICE_ONE);
    week_destroy(flat);
    week_destroy(week);
    week_fini(&w);
}

/* East of UTC by two hours: the clock on the wall counts. */
static void hours_are_those_of_the_site(void **state)
{
    struct week_windows w = windows_of("08:00-18:00*2");
    int32_t east = 7200;
    struct week *week = week_create(&w, zone_fixed(&east));

    (void)state;
    assert_int_equal(week_factor(week, MONDAY + 6 * H), X(2));
    assert_int_equal(week_factor(week, MONDAY + 16 * H), X(1));
    assert_int_equal(week_next(week, MONDAY), MONDAY + 6 * H);
    week_destroy(week);
    week_fini(&w);
}

/* The clock is set forward by an hour on day 87, back on day 297 (1970, by rule). */
static int64_t summer_day_of(void *ctx, int64_t at)
{
    int64_t east = at >= 87 * DAY + H && at < 297 * DAY + H ? 2 * H : H;

    (void)ctx;
    return (at + east) / DAY;
}

static int64_t summer_at(void *ctx, int64_t day, int64_t seconds)
{
    int64_t summer = day * DAY + seconds - 2 * H;

    (void)ctx;
    return summer >= 87 * DAY + H && summer < 297 * DAY + H ? summer
                                                            : day * DAY + seconds - H;
}

static void a_day_of_23_or_25_hours_weighs_as_much_as_it_lasts(void **state)
{
    struct week_windows w = windows_of("00:00-06:00*3");
    struct week *week =
        week_create(&w, (struct zone){.day_of = summer_day_of, .at = summer_at});
    const int64_t days[] = {86, 87, 88, 296, 297, 298};

    (void)state;
    for (size_t i = 0; i < sizeof days / sizeof *days; i++) {
        int64_t from = summer_at(NULL, days[i], 0),
                to = summer_at(NULL, days[i] + 1, 0);
        int64_t morning = summer_at(NULL, days[i], 6 * H) - from;
        assert_int_equal(week_weigh(week, from, to),
            (morning * 3 + (to - from - morning)) * PRICE_ONE);
    }
    week_destroy(week);
    week_fini(&w);
}

struct counted_zone {
    long asked;
};

static int64_t counted_day_of(void *ctx, int64_t at)
{
    ((struct counted_zone *)ctx)->asked++;
    return at / DAY;
}

static int64_t counted_at(void *ctx, int64_t day, int64_t seconds)
{
    ((struct counted_zone *)ctx)->asked++;
    return day * DAY + seconds;
}

/* As many windows as there may be, of the largest factor; old and new runs by turns. */
static void the_longest_time_at_the_largest_factor_is_counted_at_once(void **state)
{
    struct counted_zone zone = {0};
    struct strbuf text = {0};
    struct week_windows w;
    struct week *week;
    int64_t before;

    (void)state;
    for (int i = 0; i < 64; i++)
        strbuf_printf(&text, "%s%d:%02d-24:00*1000", i ? "," : "", i / 4, i % 4 * 15);
    w = windows_of(text.text);
    week = week_create(
        &w, (struct zone){.day_of = counted_day_of, .at = counted_at, .ctx = &zone});
    assert_int_equal(
        week_weigh(week, MONDAY, MONDAY + 36600 * DAY), 36600 * DAY * X(1000));
    assert_true(zone.asked < 62 * 260); /* sixty days of 64 windows */
    before = zone.asked;
    for (int i = 0; i < 100; i++) {
        int64_t old = MONDAY - 200 * DAY, new = MONDAY + i *H;
        assert_int_equal(week_weigh(week, old, old + 90 * DAY), 90 * DAY * X(1000));
        assert_int_equal(week_weigh(week, new, new + 90 * DAY), 90 * DAY * X(1000));
    }
    assert_true(zone.asked - before < 300 * 260);
    week_destroy(week);
    week_fini(&w);
    strbuf_add(&text, ",1-2*1");
    struct err err;
    assert_int_equal(week_parse(text.text, &w, &err), -1);
    assert_non_null(strstr(err.text, "64 windows at most"));
    free(strbuf_take(&text));
}

static void what_is_read_can_be_written_and_read_again(void **state)
{
    static const char *const texts[] = {OFFICE, "Fri-Mon@6-7:30*1.5", "9:00:01-24:00*0",
        "Tuesday|thu@0-1*2", "0:00-24:00*7", "22:00-06:00*0.25", ""};

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct week_windows a = windows_of(texts[i]);
        char *text = week_text(&a);
        struct week_windows b = windows_of(text);
        char *again = week_text(&b);
        assert_string_equal(text, again);
        free(text);
        free(again);
        week_fini(&a);
        week_fini(&b);
    }
}

static void what_is_none_is_refused(void **state)
{
    static const char *const wrong[] = {"x", "*2", "Mon", "Mon*", "Mon*x", "Mon@*2",
        "Mon@8*2", "Mon@8-8*2", "8-25*2", "24:00-1:00*2", "Mo*2", "Mon|*2", "Mon-*2",
        "8:60-9*2", "8:00:00:00-9*2", "Mon*2,,Tue*2", "@8-9*2", "Mon*-1",
        "Mon*1000000001", "Mon*1000.000001", "8-9*1.2345678", "-*1", "Mon@-*1"};
    struct week_windows w;
    struct err err;

    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        if (week_parse(wrong[i], &w, &err) == 0)
            fail_msg("'%s' was taken", wrong[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_window_that_an_instant_lies_in_counts),
        cmocka_unit_test(a_window_may_go_on_into_the_next_day),
        cmocka_unit_test(a_time_over_several_rates_is_the_sum_of_its_pieces),
        cmocka_unit_test(the_next_change_is_told),
        cmocka_unit_test(hours_are_those_of_the_site),
        cmocka_unit_test(the_longest_time_at_the_largest_factor_is_counted_at_once),
        cmocka_unit_test(a_day_of_23_or_25_hours_weighs_as_much_as_it_lasts),
        cmocka_unit_test(what_is_read_can_be_written_and_read_again),
        cmocka_unit_test(what_is_none_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
