/* SPDX-License-Identifier: Apache-2.0
 * Times as the classic layouts have them. */
#include "client/kit/layout.h"

#include "base/duration.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define NEGATIVE_MAX 864000

const char *layout_span(int64_t seconds, char *buf)
{
    int64_t s = seconds < 0 ? -seconds : seconds;
    int64_t days = s / 86400, hours = s / 3600 % 24;
    const char *sign = seconds < 0 ? "-" : "";

    if (days)
        snprintf(buf, LAYOUT_REL_MAX, "%s%lld:%02lld:%02lld:%02lld", sign,
            (long long)days, (long long)hours, (long long)(s / 60 % 60),
            (long long)(s % 60));
    else if (hours)
        snprintf(buf, LAYOUT_REL_MAX, "%s%lld:%02lld:%02lld", sign, (long long)hours,
            (long long)(s / 60 % 60), (long long)(s % 60));
    else
        snprintf(buf, LAYOUT_REL_MAX, "%s00:%02lld:%02lld", sign,
            (long long)(s / 60 % 60), (long long)(s % 60));
    return buf;
}

const char *layout_rel(int64_t seconds, char *buf)
{
    if (seconds >= DURATION_SHOW_MAX)
        return "  INFINITY";
    if (seconds <= -NEGATIVE_MAX)
        return " -INFINITY";
    return layout_span(seconds, buf);
}

const char *layout_date(int64_t at, char *buf)
{
    time_t t = (time_t)at;
    struct tm tm;

    if (!localtime_r(&t, &tm)
        || !strftime(buf, LAYOUT_DATE_MAX, "%a %b %e %H:%M:%S", &tm))
        snprintf(buf, LAYOUT_DATE_MAX, "%lld", (long long)at);
    return buf;
}

const char *layout_date_near(int64_t at, struct layout_near *near)
{
    int64_t second = at - near->from;

    if (!near->known || second < 0 || second > 59) {
        layout_date(at, near->text);
        size_t n = strlen(near->text);
        near->known = n > 3 && near->text[n - 3] == ':';
        near->from = near->known ? at - strtol(near->text + n - 2, NULL, 10) : 0;
        return near->text;
    }
    size_t n = strlen(near->text);
    near->text[n - 2] = (char)('0' + second / 10);
    near->text[n - 1] = (char)('0' + second % 10);
    return near->text;
}

const char *layout_mb(int64_t mb, char *buf)
{
    if (mb == 0)
        snprintf(buf, LAYOUT_MB_MAX, "0");
    else if (mb < 10000)
        snprintf(buf, LAYOUT_MB_MAX, "%lldM", (long long)mb);
    else
        snprintf(buf, LAYOUT_MB_MAX, "%lldG", (long long)(mb / 1024));
    return buf;
}

int layout_width(const char *text, int width)
{
    int more = 0; /* bytes that begin no character */

    for (; *text != '\0'; text++)
        more += ((unsigned char)*text & 0xc0) == 0x80;
    return width < 0 ? width - more : width + more;
}

double layout_percent(double a, double b)
{
    return b > 0 ? 100 * a / b : 0;
}

const char *layout_credits(double credits, char *ret)
{
    size_t len;

    snprintf(ret, LAYOUT_CREDITS_MAX, "%.3f", credits);
    len = strlen(ret);
    while (len > 1 && ret[len - 1] == '0')
        ret[--len] = '\0';
    if (ret[len - 1] == '.')
        ret[--len] = '\0';
    return ret;
}
