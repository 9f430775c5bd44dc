/* SPDX-License-Identifier: Apache-2.0
 * Local days, in UTC, at a fixed distance from it, and as the C library knows them. */
#include "base/zone.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define DAY_S INT64_C(86400)

/* Division that rounds down, also before 1970. */
static int64_t day_floor(int64_t seconds)
{
    return seconds / DAY_S - (seconds % DAY_S < 0);
}

/* ---- days ------------------------------------------------------------------------ */

unsigned zone_weekday(int64_t day)
{
    int64_t from_sunday = (day + 4) % 7; /* day 0 was a Thursday */

    return (unsigned)(from_sunday < 0 ? from_sunday + 7 : from_sunday);
}

/* Years are taken to begin in March, so that the leap day is their last; 400 of them
 * have 146097 days. */
int64_t zone_day_number(int64_t year, int month, int day)
{
    int64_t y = month > 2 ? year : year - 1;
    int64_t cycle = y / 400 - (y % 400 < 0);
    int64_t year_of_cycle = y - cycle * 400;
    int64_t day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;

    return cycle * 146097 + year_of_cycle * 365 + year_of_cycle / 4
           - year_of_cycle / 100 + day_of_year - 719468;
}

int64_t zone_midnight(const struct zone *z, int64_t at)
{
    return z->at(z->ctx, z->day_of(z->ctx, at), 0);
}

int64_t zone_next_midnight(const struct zone *z, int64_t at)
{
    return z->at(z->ctx, z->day_of(z->ctx, at) + 1, 0);
}

/* ---- fixed ----------------------------------------------------------------------- */

static int64_t fixed_offset(const void *ctx)
{
    return ctx != NULL ? *(const int32_t *)ctx : 0;
}

static int64_t fixed_day_of(void *ctx, int64_t at)
{
    return day_floor(at + fixed_offset(ctx));
}

static int64_t fixed_at(void *ctx, int64_t day, int64_t seconds)
{
    return day * DAY_S + seconds - fixed_offset(ctx);
}

struct zone zone_fixed(int32_t *seconds)
{
    return (struct zone){.day_of = fixed_day_of, .at = fixed_at, .ctx = seconds};
}

struct zone zone_utc(void)
{
    return zone_fixed(NULL);
}

/* ---- the system's ---------------------------------------------------------------- */

int64_t zone_system_offset(int64_t at)
{
    time_t t = (time_t)at;
    struct tm local;

    return localtime_r(&t, &local) != NULL ? local.tm_gmtoff : 0;
}

static int64_t system_day_of(void *ctx, int64_t at)
{
    (void)ctx;
    return day_floor(at + zone_system_offset(at));
}

static int64_t system_at(void *ctx, int64_t day, int64_t seconds)
{
    int64_t wall = day * DAY_S + seconds;
    /* No zone is a day away from UTC or changes twice within two: one of these is in
     * force at the instant looked for. */
    int64_t before = wall - zone_system_offset(wall - DAY_S);
    int64_t after = wall - zone_system_offset(wall + DAY_S);
    int64_t early = before < after ? before : after;
    int64_t late = before < after ? after : before;

    (void)ctx;
    if (early + zone_system_offset(early) == wall)
        return early;
    if (late + zone_system_offset(late) == wall)
        return late;
    return before; /* the clock skips it */
}

bool zone_system_name(char *name, size_t size)
{
    static const char folder[] = "/zoneinfo/";
    const char *found = getenv("TZ");
    char path[500];

    if (found && !*found)
        found = "UTC";
    if (!found) {
        ssize_t n = readlink("/etc/localtime", path, sizeof path - 1);

        path[n > 0 ? n : 0] = 0;
        found = strstr(path, folder);
        found = found ? found + strlen(folder) : "";
    }
    (void)snprintf(name, size, "%s", found);
    return name[0];
}

struct zone zone_system(void)
{
    tzset();
    return (struct zone){.day_of = system_day_of, .at = system_at};
}

static int system_instant(void *ctx, const struct civil *when, int64_t *ret_at)
{
    struct tm tm = {.tm_year = when->year - 1900,
        .tm_mon = when->month - 1,
        .tm_mday = when->day,
        .tm_hour = when->hour,
        .tm_min = when->minute,
        .tm_sec = when->second,
        .tm_isdst = -1};
    time_t at = mktime(&tm);

    (void)ctx;
    *ret_at = (int64_t)at;
    return at == (time_t)-1 ? -1 : 0;
}

struct calendar zone_system_calendar(int64_t now)
{
    time_t at = (time_t)now;
    struct tm tm;

    localtime_r(&at, &tm);
    return (struct calendar){.now = now,
        .today = {tm.tm_year + 1900, tm.tm_mon + 1, tm.tm_mday, tm.tm_hour, tm.tm_min,
            tm.tm_sec},
        .to_instant = system_instant};
}
