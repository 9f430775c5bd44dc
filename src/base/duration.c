/* SPDX-License-Identifier: Apache-2.0
 * Durations and clock times as text. */
#include "base/duration.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#define FIELDS_MAX 4

static const char *const duration_hint =
    "expected [[[DD:]HH:]MM:]SS, a number of seconds, or INFINITY";
static const char *const clock_hint =
    "expected [HH[:MM[:SS]]][_MO[/DD[/YY]]], +[[[DD:]HH:]MM:]SS, NOW or INFINITY";

/* More of any unit than this is for ever; sums of such fields still fit. */
#define FIELD_MOST (DURATION_UNLIMITED / 86400)

/* Digits at *text as a number, at most FIELD_MOST + 1, stepping over them. -1
 * without a digit. */
static int read_number(const char **text, int64_t *ret_value)
{
    const char *p = *text;
    int64_t value = 0;

    for (; *p >= '0' && *p <= '9'; p++) {
        value = value * 10 + (*p - '0');
        if (value > FIELD_MOST)
            value = FIELD_MOST + 1;
    }
    if (p == *text)
        return -1;
    *text = p;
    *ret_value = value;
    return 0;
}

/* Up to `max` numbers separated by `separator`; returns how many, 0 if the text
 * at *text does not begin with one or ends in a separator. */
static int read_fields(const char **text, char separator, int64_t *fields, int max)
{
    int n = 0;

    do {
        if (n > 0)
            ++*text;
        if (read_number(text, &fields[n]) < 0)
            return 0;
        n++;
    } while (**text == separator && n < max);
    return n;
}

int duration_parse(const char *text, int64_t *ret_seconds, struct err *err)
{
    static const int64_t unit[FIELDS_MAX] = {1, 60, 3600, 86400};
    int64_t field[FIELDS_MAX], total = 0;
    const char *p = text;
    int n;

    if (strcasecmp(text, "INFINITY") == 0) {
        *ret_seconds = DURATION_UNLIMITED;
        return 0;
    }
    n = read_fields(&p, ':', field, FIELDS_MAX);
    if (n == 0 || *p != '\0')
        return err_set(
            err, ERR_INVALID, "'%.60s' is not a duration; %s", text, duration_hint);
    for (int i = 0; i < n; i++)
        total +=
            field[i] > FIELD_MOST ? DURATION_UNLIMITED : field[i] * unit[n - 1 - i];
    *ret_seconds = total > DURATION_UNLIMITED ? DURATION_UNLIMITED : total;
    return 0;
}

const char *duration_format_exact(int64_t seconds, char *buf, size_t size)
{
    const char *sign = seconds < 0 ? "-" : "";
    uint64_t s = seconds < 0 ? 0 - (uint64_t)seconds : (uint64_t)seconds;
    unsigned hour = (unsigned)(s / 3600 % 24), min = (unsigned)(s / 60 % 60);

    if (s >= DURATION_UNLIMITED)
        snprintf(buf, size, "%sINFINITY", sign);
    else if (s >= 86400)
        snprintf(buf, size, "%s%llu:%02u:%02u:%02u", sign,
            (unsigned long long)(s / 86400), hour, min, (unsigned)(s % 60));
    else
        snprintf(buf, size, "%s%02u:%02u:%02u", sign, hour, min, (unsigned)(s % 60));
    return buf;
}

const char *duration_format(int64_t seconds, char *buf, size_t size)
{
    if (seconds >= DURATION_SHOW_MAX)
        seconds = DURATION_UNLIMITED;
    return duration_format_exact(seconds, buf, size);
}

static int in_range(int64_t value, int64_t low, int64_t high)
{
    return value >= low && value <= high;
}

/* `_MO[/DD[/YY]]` behind the time of day. */
static int read_date(const char **text, struct civil *when)
{
    int64_t field[3] = {0, 1, 0};
    int n;

    ++*text;
    n = read_fields(text, '/', field, 3);
    if (n == 0 || !in_range(field[0], 1, 12) || !in_range(field[1], 1, 31))
        return -1;
    when->month = (int)field[0];
    when->day = (int)field[1];
    if (n < 3)
        return 0;
    if (!in_range(field[2], 0, 99) && !in_range(field[2], 1970, 9999))
        return -1;
    when->year = (int)(field[2] + (field[2] > 99 ? 0 : field[2] < 97 ? 2000 : 1900));
    return 0;
}

static int read_clock(const char *text, struct civil *when)
{
    int64_t field[3] = {0, 0, 0};
    const char *p = text;

    when->hour = when->minute = when->second = 0;
    if (*p != '_' && read_fields(&p, ':', field, 3) == 0)
        return -1;
    if (!in_range(field[0], 0, 23) || !in_range(field[1], 0, 59)
        || !in_range(field[2], 0, 59))
        return -1;
    when->hour = (int)field[0];
    when->minute = (int)field[1];
    when->second = (int)field[2];
    if (*p == '_' && read_date(&p, when) < 0)
        return -1;
    return *p == '\0' ? 0 : -1;
}

int clock_parse(
    const char *text, const struct calendar *cal, int64_t *ret_at, struct err *err)
{
    struct civil when = cal->today;
    int64_t offset;

    if (strcasecmp(text, "NOW") == 0) {
        *ret_at = cal->now;
        return 0;
    }
    if (strcasecmp(text, "INFINITY") == 0) {
        *ret_at = TIME_NEVER;
        return 0;
    }
    if (*text == '+') {
        if (duration_parse(text + 1, &offset, err) < 0)
            return -1;
        *ret_at = time_add(cal->now, offset);
        return 0;
    }
    if (read_clock(text, &when) < 0)
        return err_set(err, ERR_INVALID, "'%.60s' is not a time; %s", text, clock_hint);
    if (cal->to_instant(cal->ctx, &when, ret_at) < 0)
        return err_set(err, ERR_INVALID, "'%.60s': there is no such day or hour", text);
    return 0;
}
