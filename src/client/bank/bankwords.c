/* SPDX-License-Identifier: Apache-2.0
 * See bankwords.h. */
#include "client/bank/bankwords.h"

#include "base/zone.h"
#include "client/kit/request.h"
#include "config/setres.h"

#include <stdio.h>
#include <time.h>

const char *bankwords_credits(
    const struct command_line *l, const json_t *o, const char *key, char *ret)
{
    return layout_credits(get_real(o, key, 0) / (command_has(l, 'h') ? 3600 : 1), ret);
}

const char *bankwords_date(const json_t *o, const char *key, char *ret)
{
    int64_t at = get_int(o, key, 0);
    time_t t = (time_t)at;
    struct tm tm;

    if (at <= 0)
        return "-";
    if (!localtime_r(&t, &tm)
        || !strftime(ret, LAYOUT_DATE_MAX, "%a %b %e %H:%M:%S %Y", &tm))
        snprintf(ret, LAYOUT_DATE_MAX, "%lld", (long long)at);
    return ret;
}

int bankwords_read_date(const struct command_line *l, char letter, int64_t *ret)
{
    const char *text = command_value(l, letter);
    const struct calendar cal = zone_system_calendar(text ? request_now(l) : 0);
    const struct setres_clock clock = {.cal = &cal};
    struct err err;

    *ret = 0;
    if (text && setres_time(text, &clock, ret, &err) < 0)
        return command_wrong(l, "-%c: %s", letter, err.text);
    return 0;
}
