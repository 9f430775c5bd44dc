/* SPDX-License-Identifier: Apache-2.0
 * Local days: fixed ones, and those of zones that change their clocks. */
#include "base/zone.h"
#include "cmocka_all.h"

#include <stdlib.h>

#define HOUR 3600
#define DAY  86400

/* Rules in the text itself, so that no time zone files are needed. */
static struct zone zone_of(const char *rules)
{
    setenv("TZ", rules, 1);
    return zone_system();
}

static struct zone berlin(void)
{
    return zone_of("CET-1CEST,M3.5.0,M10.5.0/3");
}

static void days_are_numbered_from_1970(void **state)
{
    (void)state;
    assert_int_equal(zone_day_number(1970, 1, 1), 0);
    assert_int_equal(zone_day_number(1969, 12, 31), -1);
    assert_int_equal(zone_day_number(2000, 3, 1), 11017);
    assert_int_equal(zone_day_number(2024, 1, 1) * DAY, 1704067200);
    assert_int_equal(zone_day_number(2024, 3, 1) - zone_day_number(2024, 2, 28), 2);
    assert_int_equal(zone_day_number(1900, 3, 1) - zone_day_number(1900, 2, 28), 1);
    assert_int_equal(zone_day_number(-1, 3, 1) - zone_day_number(-1, 2, 28), 1);
}

static void weekdays_count_from_sunday(void **state)
{
    (void)state;
    assert_int_equal(zone_weekday(0), 4);
    assert_int_equal(zone_weekday(-4), 0);
    assert_int_equal(zone_weekday(-5), 6);
    assert_int_equal(zone_weekday(zone_day_number(2024, 1, 1)), 1); /* a Monday */
}

static void utc_days_begin_at_multiples_of_86400(void **state)
{
    struct zone z = zone_utc();

    (void)state;
    assert_int_equal(z.day_of(z.ctx, -1), -1);
    assert_int_equal(zone_midnight(&z, 3 * DAY + 5), 3 * DAY);
    assert_int_equal(zone_next_midnight(&z, 3 * DAY), 4 * DAY);
    assert_int_equal(zone_midnight(&z, -1), -DAY);
    assert_int_equal(z.at(z.ctx, 2, DAY + 60), 3 * DAY + 60);
}

static void the_systems_zone_is_named_by_its_environment(void **state)
{
    char name[20];

    (void)state;
    setenv("TZ", "Europe/Vienna", 1);
    assert_true(zone_system_name(name, sizeof name));
    assert_string_equal(name, "Europe/Vienna");
    setenv("TZ", "", 1);
    assert_true(zone_system_name(name, sizeof name));
    assert_string_equal(name, "UTC");
}

static void the_offset_of_the_system_is_that_of_the_instant(void **state)
{
    (void)state;
    (void)berlin();
    assert_int_equal(zone_system_offset(1806188400), HOUR); /* 2027-03-28 00:00 */
    assert_int_equal(zone_system_offset(1806188400 + DAY), 2 * HOUR);
}

static void fixed_zones_are_shifted(void **state)
{
    int32_t east = 5 * HOUR + 1800;
    struct zone z = zone_fixed(&east);

    (void)state;
    assert_int_equal(zone_midnight(&z, 0), -east);
    assert_int_equal(z.day_of(z.ctx, 20 * HOUR), 1);
    assert_int_equal(z.at(z.ctx, 1, 9 * HOUR), DAY + 9 * HOUR - east);
}

static void spring_has_a_day_of_23_hours(void **state)
{
    struct zone z = berlin();
    int64_t day = zone_day_number(2024, 3, 31); /* 02:00 becomes 03:00 */
    int64_t midnight = z.at(z.ctx, day, 0);

    (void)state;
    assert_int_equal(midnight, day * DAY - HOUR);
    assert_int_equal(zone_next_midnight(&z, midnight) - midnight, 23 * HOUR);
    assert_int_equal(z.at(z.ctx, day, 9 * HOUR) - midnight, 8 * HOUR);
    assert_int_equal(z.at(z.ctx, day, DAY), zone_next_midnight(&z, midnight));
    /* 02:30 does not come: as much later as the clock jumps */
    assert_int_equal(z.at(z.ctx, day, 2 * HOUR + 1800) - midnight, 2 * HOUR + 1800);
    assert_int_equal(z.day_of(z.ctx, midnight), day);
    assert_int_equal(z.day_of(z.ctx, midnight - 1), day - 1);
}

static void autumn_has_a_day_of_25_hours(void **state)
{
    struct zone z = berlin();
    int64_t day = zone_day_number(2024, 10, 27); /* 03:00 becomes 02:00 */
    int64_t midnight = z.at(z.ctx, day, 0);

    (void)state;
    assert_int_equal(midnight, day * DAY - 2 * HOUR);
    assert_int_equal(zone_next_midnight(&z, midnight) - midnight, 25 * HOUR);
    assert_int_equal(z.at(z.ctx, day, 9 * HOUR) - midnight, 10 * HOUR);
    /* 02:30 comes twice: the first */
    assert_int_equal(z.at(z.ctx, day, 2 * HOUR + 1800) - midnight, 2 * HOUR + 1800);
    assert_int_equal(zone_midnight(&z, midnight + 25 * HOUR - 1), midnight);
}

static void south_of_the_equator_summer_ends_in_april(void **state)
{
    struct zone z = zone_of("AEST-10AEDT,M10.1.0,M4.1.0/3");
    int64_t autumn = zone_midnight(&z, z.at(z.ctx, zone_day_number(2024, 4, 7), HOUR));
    int64_t spring = zone_midnight(&z, z.at(z.ctx, zone_day_number(2024, 10, 6), HOUR));

    (void)state;
    assert_int_equal(zone_next_midnight(&z, autumn) - autumn, 25 * HOUR);
    assert_int_equal(zone_next_midnight(&z, spring) - spring, 23 * HOUR);
}

static void a_midnight_that_does_not_come_is_the_first_instant_of_the_day(void **state)
{
    struct zone z =
        zone_of("EET-2EEST,M4.5.5/0,M10.5.4/24"); /* Cairo: 00:00 to 01:00 */
    int64_t day = zone_day_number(2024, 4, 26), first = z.at(z.ctx, day, 0);

    (void)state;
    assert_int_equal(z.day_of(z.ctx, first), day);
    assert_int_equal(z.day_of(z.ctx, first - 1), day - 1);
    assert_int_equal(z.at(z.ctx, day, HOUR), first);
}

static void every_day_of_ten_years_is_whole(void **state)
{
    struct zone z = berlin();
    int64_t day = zone_day_number(2020, 1, 1);
    int hours[3] = {0};

    (void)state;
    for (int64_t d = day; d < day + 3653; d++) {
        int64_t from = z.at(z.ctx, d, 0), to = z.at(z.ctx, d + 1, 0);

        assert_true(to - from >= 23 * HOUR && to - from <= 25 * HOUR);
        hours[(to - from) / HOUR - 23]++;
        assert_int_equal(z.day_of(z.ctx, from), d);
        assert_int_equal(z.day_of(z.ctx, to - 1), d);
    }
    assert_int_equal(hours[0], 10);
    assert_int_equal(hours[2], 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(days_are_numbered_from_1970),
        cmocka_unit_test(weekdays_count_from_sunday),
        cmocka_unit_test(utc_days_begin_at_multiples_of_86400),
        cmocka_unit_test(fixed_zones_are_shifted),
        cmocka_unit_test(the_systems_zone_is_named_by_its_environment),
        cmocka_unit_test(the_offset_of_the_system_is_that_of_the_instant),
        cmocka_unit_test(spring_has_a_day_of_23_hours),
        cmocka_unit_test(autumn_has_a_day_of_25_hours),
        cmocka_unit_test(south_of_the_equator_summer_ends_in_april),
        cmocka_unit_test(a_midnight_that_does_not_come_is_the_first_instant_of_the_day),
        cmocka_unit_test(every_day_of_ten_years_is_whole),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
