/* SPDX-License-Identifier: Apache-2.0
 * Durations and clock times, wrong inputs first (reference parameters.md 2,
 * commands.md 1.5, concepts.md 1). */
#include "base/duration.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void what_is_not_a_duration_is_refused(void **state)
{
    static const char *const wrong[] = {"", " ", ":", "1:", ":1", "1::2", "1:2:3:4:5",
        "-1", "+5", "1.5", "5s", "0x10", "1 2", " 1", "1 ", "INFINIT", "INFINITY1",
        "1:a", "a", "1:02:", "12:-3"};
    int64_t seconds = 42;

    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct err err = {0};

        if (duration_parse(wrong[i], &seconds, &err) == 0)
            fail_msg("'%s' was taken for %lld", wrong[i], (long long)seconds);
        assert_int_equal(err.code, ERR_INVALID);
        assert_non_null(strstr(err.text, "[[[DD:]HH:]MM:]SS"));
        assert_int_equal(seconds, 42);
    }
}

static void durations_are_read_and_shown(void **state)
{
    static const struct {
        const char *text;
        int64_t seconds;
        const char *shown;
    } rows[] = {{"0", 0, "00:00:00"}, {"90", 90, "00:01:30"}, {"5:00", 300, "00:05:00"},
        {"00:41:09", 2469, "00:41:09"}, {"2:44:11", 9851, "02:44:11"},
        {"0010", 10, "00:00:10"}, {"68:00:00", 244800, "2:20:00:00"},
        {"1:90", 150, "00:02:30"}, {"24:00:00", 86400, "1:00:00:00"},
        {"1:00:00:00", 86400, "1:00:00:00"}, {"10:00:00:00", 864000, "10:00:00:00"},
        {"99:23:59:59", 8639999, "99:23:59:59"}, {"100:00:00:00", 8640000, "INFINITY"},
        {"8640000", 8640000, "INFINITY"}, {"INFINITY", DURATION_UNLIMITED, "INFINITY"},
        {"infinity", DURATION_UNLIMITED, "INFINITY"}};
    char buf[DURATION_TEXT_MAX];

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct err err;
        int64_t seconds = -1;

        assert_int_equal(duration_parse(rows[i].text, &seconds, &err), 0);
        assert_int_equal(seconds, rows[i].seconds);
        assert_string_equal(duration_format(seconds, buf, sizeof buf), rows[i].shown);
    }
}

static void a_duration_of_any_length_saturates(void **state)
{
    struct err err;
    int64_t seconds;

    (void)state;
    assert_int_equal(
        duration_parse("99999999999999999999999999:00:00:00", &seconds, &err), 0);
    assert_true(seconds > 0 && seconds <= DURATION_UNLIMITED);
    assert_int_equal(duration_parse("99999999999999999999999999", &seconds, &err), 0);
    assert_true(seconds > 0 && seconds <= DURATION_UNLIMITED);
}

static void the_exact_form_reads_back_as_itself(void **state)
{
    static const int64_t values[] = {0, 1, 59, 60, 3599, 3600, 86399, 86400, 8639999,
        8640000, 123456789, INT64_C(1569999999999999999), DURATION_UNLIMITED - 1,
        DURATION_UNLIMITED};
    char buf[DURATION_TEXT_MAX];

    (void)state;
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        int64_t back;

        duration_format_exact(values[i], buf, sizeof buf);
        assert_int_equal(duration_parse(buf, &back, NULL), 0);
        assert_int_equal(back, values[i]);
    }
    assert_string_equal(duration_format(-3661, buf, sizeof buf), "-01:01:01");
    assert_string_equal(duration_format(INT64_MIN, buf, sizeof buf), "-INFINITY");
}

/* A calendar of 30-day months and 360-day years; the 31st does not exist. */
static int to_instant(void *ctx, const struct civil *w, int64_t *ret_at)
{
    (void)ctx;
    if (w->day > 30)
        return -1;
    *ret_at = ((((int64_t)w->year - 2000) * 360 + (w->month - 1) * 30 + w->day - 1) * 24
                  + w->hour)
                  * 3600
              + w->minute * 60 + w->second;
    return 0;
}

static int64_t at(int year, int month, int day, int hour, int minute, int second)
{
    struct civil when = {year, month, day, hour, minute, second};
    int64_t instant = 0;

    to_instant(NULL, &when, &instant);
    return instant;
}

static struct calendar fixed(void)
{
    return (struct calendar){.now = at(2026, 11, 21, 12, 30, 15),
        .today = {2026, 11, 21, 12, 30, 15},
        .to_instant = to_instant};
}

static void what_is_not_a_time_is_refused(void **state)
{
    static const char *const wrong[] = {"", "_", "24:00", "12:60", "12:00:60",
        "12:00:00:00", "12_13", "12_0", "12_1/32", "12_1/31", "12_1/2/", "12_1/2/100",
        "+", "+x", "-1", "12_1/2/3/4", "noon", "12:", "_1/", "1 2"};
    struct calendar cal = fixed();

    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        int64_t instant = 42;

        if (clock_parse(wrong[i], &cal, &instant, NULL) == 0)
            fail_msg("'%s' was taken", wrong[i]);
        assert_int_equal(instant, 42);
    }
}

static void times_are_read_against_the_callers_clock(void **state)
{
    const struct {
        const char *text;
        int64_t instant;
    } rows[] = {{"NOW", fixed().now}, {"INFINITY", TIME_NEVER},
        {"+90", fixed().now + 90}, {"+1:00:00", fixed().now + 3600},
        {"+INFINITY", TIME_NEVER}, {"14", at(2026, 11, 21, 14, 0, 0)},
        {"14:05", at(2026, 11, 21, 14, 5, 0)}, {"00:00:01", at(2026, 11, 21, 0, 0, 1)},
        {"8_12", at(2026, 12, 1, 8, 0, 0)}, {"8:30_12/24", at(2026, 12, 24, 8, 30, 0)},
        {"_12/24", at(2026, 12, 24, 0, 0, 0)}, {"8_1/2/27", at(2027, 1, 2, 8, 0, 0)},
        {"8_1/2/97", at(1997, 1, 2, 8, 0, 0)}, {"8_1/2/2030", at(2030, 1, 2, 8, 0, 0)}};
    struct calendar cal = fixed();

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int64_t instant = 0;

        assert_int_equal(clock_parse(rows[i].text, &cal, &instant, NULL), 0);
        assert_int_equal(instant, rows[i].instant);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_not_a_duration_is_refused),
        cmocka_unit_test(durations_are_read_and_shown),
        cmocka_unit_test(a_duration_of_any_length_saturates),
        cmocka_unit_test(the_exact_form_reads_back_as_itself),
        cmocka_unit_test(what_is_not_a_time_is_refused),
        cmocka_unit_test(times_are_read_against_the_callers_clock),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
