/* SPDX-License-Identifier: Apache-2.0
 * The clock of the machine. */
#include "client/clock.h"

#include <time.h>

static int to_instant(void *ctx, const struct civil *when, int64_t *ret_at)
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

struct calendar clock_calendar(void)
{
    time_t now = time(NULL);
    struct tm tm;

    localtime_r(&now, &tm);
    return (struct calendar){.now = (int64_t)now,
        .today = {tm.tm_year + 1900, tm.tm_mon + 1, tm.tm_mday, tm.tm_hour, tm.tm_min,
            tm.tm_sec},
        .to_instant = to_instant};
}
