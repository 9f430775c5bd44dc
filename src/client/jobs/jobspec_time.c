/* SPDX-License-Identifier: Apache-2.0
 * Times as PBS and Slurm write them. */
#include "base/xalloc.h"
#include "client/jobs/jobspec.h"
#include "config/setres.h"

#include <string.h>
#include <strings.h>

static int two(const char *p)
{
    return (p[0] - '0') * 10 + (p[1] - '0');
}

static int from_civil(const struct jobspec *s, const struct civil *when,
    const char *text, int64_t *ret_at, struct err *err)
{
    if (when->month < 1 || when->month > 12 || when->day < 1 || when->day > 31
        || when->hour > 23 || when->minute > 59 || when->second > 60
        || s->cal->to_instant(s->cal->ctx, when, ret_at) < 0)
        return err_set(err, ERR_INVALID, "'%.40s' is not a date", text);
    return 0;
}

/* [[[[CC]YY]MM]DD]hhmm[.SS]: the next such time. */
static int pbs_date(const struct jobspec *s, const char *text, size_t digits,
    int64_t *ret_at, struct err *err)
{
    const char *end = text + digits;
    struct civil when = s->cal->today;

    when.hour = two(end - 4);
    when.minute = two(end - 2);
    when.second = *end == '.' ? two(end + 1) : 0;
    if (digits >= 6)
        when.day = two(end - 6);
    if (digits >= 8)
        when.month = two(end - 8);
    if (digits >= 10)
        when.year = two(end - 10) + (digits == 12 ? two(text) * 100 : 2000);
    if (from_civil(s, &when, text, ret_at, err) < 0)
        return -1;
    if (*ret_at >= s->cal->now || digits >= 10)
        return 0;
    if (digits == 4)
        when.day++;
    else if (digits == 6)
        when.month++;
    else
        when.year++;
    if (when.month > 12) {
        when.month = 1;
        when.year++;
    }
    if (s->cal->to_instant(s->cal->ctx, &when, ret_at) < 0)
        return err_set(err, ERR_INVALID, "'%.40s' is not a date", text);
    return 0;
}

/* The next number of at most `most` digits, stepped over; false where there is none. */
static bool take_number(const char **io, size_t most, int *ret)
{
    size_t n = strspn(*io, "0123456789");

    if (n == 0 || n > most)
        return false;
    for (*ret = 0; n > 0; n--)
        *ret = *ret * 10 + *(*io)++ - '0';
    return true;
}

static bool take_mark(const char **io, char mark)
{
    return **io == mark && (*io)++;
}

static bool read_slurm_date(const char *p, struct civil *ret)
{
    if (!take_number(&p, 4, &ret->year) || !take_mark(&p, '-')
        || !take_number(&p, 2, &ret->month) || !take_mark(&p, '-')
        || !take_number(&p, 2, &ret->day))
        return false;
    if (take_mark(&p, 'T')
        && (!take_number(&p, 2, &ret->hour) || !take_mark(&p, ':')
            || !take_number(&p, 2, &ret->minute)
            || (take_mark(&p, ':') && !take_number(&p, 2, &ret->second))))
        return false;
    return *p == '\0' && ret->year >= 1970;
}

/* 2026-11-21, 2026-11-21T12:00[:30] */
static int slurm_date(
    const struct jobspec *s, const char *text, int64_t *ret_at, struct err *err)
{
    struct civil when = {0};

    if (!read_slurm_date(text, &when))
        return err_set(err, ERR_INVALID,
            "'%.40s' is not a date: expected YYYY-MM-DD, with Thh:mm or Thh:mm:ss "
            "behind",
            text);
    return from_civil(s, &when, text, ret_at, err);
}

/* now+1hour */
static int from_now(
    const struct jobspec *s, const char *text, int64_t *ret_at, struct err *err)
{
    static const struct {
        const char *word;
        int64_t seconds;
    } units[] = {{"", 1}, {"second", 1}, {"minute", 60}, {"hour", 3600}, {"day", 86400},
        {"week", 604800}};
    const char *p = text + strlen("now+");
    int64_t n = 0;

    for (; *p >= '0' && *p <= '9' && n < 100000000; p++)
        n = n * 10 + (*p - '0');
    size_t len = strlen(p);
    if (len && p[len - 1] == 's')
        len--;
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        if (strlen(units[i].word) == len && strncasecmp(p, units[i].word, len) == 0) {
            *ret_at = time_add(s->cal->now, n * units[i].seconds);
            return 0;
        }
    return err_set(err, ERR_INVALID,
        "'%.40s': expected now+N, with seconds, minutes, hours, days or weeks behind",
        text);
}

int jobspec_instant(
    const struct jobspec *s, const char *text, int64_t *ret_at, struct err *err)
{
    const struct setres_clock clock = {.cal = s->cal};
    size_t digits = strspn(text, "0123456789");
    const char *rest = text + digits;
    bool seconds = *rest == '.' && strspn(rest + 1, "0123456789") == 2 && !rest[3];

    if (digits >= 4 && digits <= 12 && digits % 2 == 0 && (!*rest || seconds))
        return pbs_date(s, text, digits, ret_at, err);
    if (digits == 4 && *rest == '-')
        return slurm_date(s, text, ret_at, err);
    if (strncasecmp(text, "now+", 4) == 0)
        return from_now(s, text, ret_at, err);
    return setres_time(text, &clock, ret_at, err);
}

int jobspec_slurm_time(const char *text, int64_t *ret_s, struct err *err)
{
    unsigned long n[4] = {0};
    const char *dash = strchr(text, '-'), *p = text;
    int parts = 0;

    if (strcasecmp(text, "UNLIMITED") == 0 || strcasecmp(text, "INFINITE") == 0) {
        *ret_s = DURATION_UNLIMITED;
        return 0;
    }
    for (; parts < 4; parts++) {
        char *end;
        if (*p < '0' || *p > '9')
            break;
        n[parts] = strtoul(p, &end, 10);
        if (n[parts] > 100000000)
            break;
        p = end;
        if (!*p || !(*p == ':' || (*p == '-' && p == dash && parts == 0))) {
            parts++;
            break;
        }
        p++;
    }
    if (parts < 1 || *p || (!dash && parts > 3) || (dash && parts < 2))
        return err_set(err, ERR_INVALID,
            "'%.40s' is not a time: expected MINUTES, MM:SS, HH:MM:SS, D-HH, D-HH:MM "
            "or "
            "D-HH:MM:SS",
            text);
    if (dash)
        *ret_s = (int64_t)(n[0] * 86400 + n[1] * 3600 + n[2] * 60 + n[3]);
    else if (parts == 3)
        *ret_s = (int64_t)(n[0] * 3600 + n[1] * 60 + n[2]);
    else
        *ret_s = (int64_t)(n[0] * 60 + n[1]);
    return 0;
}
