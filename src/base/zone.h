/* SPDX-License-Identifier: Apache-2.0
 * Local days: which day it is where the site is, and when its hours are. The core is
 * handed a zone and asks nothing else about the calendar. */
#ifndef MAUI_BASE_ZONE_H
#define MAUI_BASE_ZONE_H

#include "base/duration.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Days are counted from 1970-01-01 (day 0, a Thursday). */
struct zone {
    /* The local day that the instant is in. */
    int64_t (*day_of)(void *ctx, int64_t at);
    /* The instant at which the clock on the wall shows `seconds` past the midnight
     * that began `day`; 86400 and more are in later days. An hour that comes twice is
     * the first of them; one that is left out is as much later as the clock jumps. */
    int64_t (*at)(void *ctx, int64_t day, int64_t seconds);
    void *ctx;
};

/* The same everywhere and always. */
struct zone zone_utc(void);
/* Always so many seconds east of UTC; *seconds is borrowed. */
struct zone zone_fixed(int32_t *seconds);
/* By the C library's rules (TZ, /etc/localtime), daylight saving included. For shells
 * only: it reads the environment. */
struct zone zone_system(void);
/* What that zone is called: $TZ, else what /etc/localtime points to. False: it has no
 * name, and an empty one is in its place. */
bool zone_system_name(char *name, size_t size);
/* Seconds east of UTC that are in force there at the instant. */
int64_t zone_system_offset(int64_t at);
/* The clock on the wall at `now` by the same rules, for times that people write. */
struct calendar zone_system_calendar(int64_t now);

/* Local midnight that began the day of `at`, and the next one. Not always 24 hours
 * apart. */
int64_t zone_midnight(const struct zone *z, int64_t at);
int64_t zone_next_midnight(const struct zone *z, int64_t at);

/* 0 = Sunday ... 6 = Saturday. */
unsigned zone_weekday(int64_t day);

/* The day number of a date of the Gregorian calendar: month 1..12, day 1... */
int64_t zone_day_number(int64_t year, int month, int day);

#endif
