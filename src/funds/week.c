/* SPDX-License-Identifier: Apache-2.0
 * See week.h. */
#include "funds/week.h"

#include "base/strbuf.h"
#include "base/xalloc.h"
#include "funds/price.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define DAY_S       86400
#define WEEK_DAYS   7
#define DAYS_EXACT  60   /* of a question; the rest goes by the mean week */
#define DAYS_BEFORE 30   /* laid out with an earlier day: others come before it */
#define DAYS_BRIDGE 3660 /* laid out in a row; beyond that it begins anew */
#define WINDOWS_MAX 64
#define FACTOR_MOST INT64_C(1000)
#define ALL_DAYS    0x7f

static const char *const day_names[] = {
    "Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};

/* ---- text ------------------------------------------------------------------------ */

/* "Mon", "monday"; -1 = none. */
static int read_day(const char *text, size_t len)
{
    static const char *const full[] = {
        "sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"};

    for (int i = 0; len >= 3 && i < 7; i++)
        if (len <= strlen(full[i]) && strncasecmp(text, full[i], len) == 0)
            return i;
    return -1;
}

/* "Mon-Fri|Sun", "Fri-Mon". 0 = it is none. */
static uint8_t read_days(const char *text, size_t len)
{
    uint8_t days = 0;

    for (size_t at = 0; at <= len;) {
        size_t part = 0, dash;
        int from, to;
        while (at + part < len && text[at + part] != '|')
            part++;
        const char *mid = memchr(text + at, '-', part);
        dash = mid ? (size_t)(mid - text) - at : part;
        from = read_day(text + at, dash);
        to = mid ? read_day(mid + 1, part - dash - 1) : from;
        if (from < 0 || to < 0)
            return 0;
        for (int d = from;; d = (d + 1) % 7) {
            days |= (uint8_t)(1 << d);
            if (d == to)
                break;
        }
        at += part + 1;
    }
    return days;
}

/* "8", "08:00", "18:30:15", up to "24:00"; -1 = it is none. */
static int32_t read_clock(const char *text, size_t len)
{
    int32_t seconds = 0, unit = 3600;
    size_t at = 0;

    for (; unit; unit /= 60) {
        int32_t n = 0;
        size_t digits = 0;
        while (at < len && digits < 2 && isdigit((unsigned char)text[at])) {
            n = n * 10 + (text[at++] - '0');
            digits++;
        }
        if (!digits || n >= (unit == 3600 ? 25 : 60))
            return -1;
        seconds += n * unit;
        if (at == len)
            return seconds <= DAY_S ? seconds : -1;
        if (text[at++] != ':')
            return -1;
    }
    return -1;
}

/* "08:00-18:00". */
static int read_hours(const char *text, size_t len, struct week_window *ret)
{
    const char *dash = memchr(text, '-', len);
    size_t first = dash ? (size_t)(dash - text) : len;

    if (!dash)
        return -1;
    ret->from_s = read_clock(text, first);
    ret->to_s = read_clock(dash + 1, len - first - 1);
    if (ret->from_s < 0 || ret->from_s >= DAY_S || ret->to_s < 0
        || ret->from_s == ret->to_s)
        return -1;
    if (ret->to_s < ret->from_s)
        ret->to_s += DAY_S;
    return 0;
}

static int read_factor(const char *text, size_t len, int64_t *ret, struct err *err)
{
    struct price_rates one = {0};
    struct strbuf number = {0};
    int status;

    strbuf_printf(&number, "x:%.*s", (int)len, text);
    status = price_rates_parse(number.text, &one, err);
    if (status == 0)
        *ret = one.v[0].rate;
    if (status == 0 && *ret > FACTOR_MOST * PRICE_ONE)
        status =
            err_set(err, ERR_INVALID, "'%.*s': expected a factor from 0 to %" PRId64,
                (int)len, text, FACTOR_MOST);
    price_rates_fini(&one);
    free(strbuf_take(&number));
    return status;
}

static int read_window(
    const char *text, size_t len, struct week_window *ret, struct err *err)
{
    const char *star = memchr(text, '*', len);
    size_t when = star ? (size_t)(star - text) : 0;
    const char *sign = memchr(text, '@', when);
    size_t days = sign ? (size_t)(sign - text) : 0;
    bool good;

    *ret = (struct week_window){ALL_DAYS, 0, DAY_S, 0};
    if (sign) {
        ret->days = read_days(text, days);
        good = ret->days && read_hours(sign + 1, when - days - 1, ret) == 0;
    } else {
        good = read_hours(text, when, ret) == 0;
        if (!good) {
            *ret = (struct week_window){read_days(text, when), 0, DAY_S, 0};
            good = when && ret->days;
        }
    }
    if (!good)
        return err_set(err, ERR_INVALID,
            "'%.*s': expected [DAYS@]FROM-TO*FACTOR or DAYS*FACTOR, as in "
            "Mon-Fri@08:00-18:00*2 or Sat|Sun*0.5",
            (int)len, text);
    return read_factor(star + 1, len - when - 1, &ret->factor, err);
}

int week_parse(const char *text, struct week_windows *ret, struct err *err)
{
    struct week_windows read = {0};

    for (const char *p = text; *p;) {
        size_t len = strcspn(p, ",");
        struct week_window w;
        int status = read.n == WINDOWS_MAX ? err_set(
                         err, ERR_INVALID, "expected %d windows at most", WINDOWS_MAX)
                                           : read_window(p, len, &w, err);
        if (status < 0) {
            week_fini(&read);
            return -1;
        }
        vec_push(&read, w);
        p += len + (p[len] == ',');
    }
    *ret = read;
    return 0;
}

static void add_clock(struct strbuf *b, int32_t seconds)
{
    seconds = seconds > DAY_S ? seconds - DAY_S : seconds;
    strbuf_printf(b, "%02d:%02d", seconds / 3600, seconds / 60 % 60);
    if (seconds % 60)
        strbuf_printf(b, ":%02d", seconds % 60);
}

char *week_text(const struct week_windows *windows)
{
    struct strbuf b = {0};

    for (size_t i = 0; i < windows->n; i++) {
        const struct week_window *w = &windows->v[i];
        bool first = true;
        strbuf_add(&b, i ? "," : "");
        for (int d = 0; d < 7 && w->days != ALL_DAYS; d++)
            if (w->days >> d & 1) {
                strbuf_printf(&b, "%s%s", first ? "" : "|", day_names[d]);
                first = false;
            }
        strbuf_add(&b, w->days != ALL_DAYS ? "@" : "");
        add_clock(&b, w->from_s);
        strbuf_add(&b, "-");
        add_clock(&b, w->to_s);
        strbuf_printf(&b, "*%" PRId64 ".%06" PRId64, w->factor / PRICE_ONE,
            w->factor % PRICE_ONE);
    }
    return strbuf_take(&b);
}

void week_fini(struct week_windows *windows)
{
    vec_fini(windows);
}

/* ---- laid out over time ---------------------------------------------------------- */

/* From there on another factor counts. */
struct stretch {
    int64_t at, factor;
    int64_t weight; /* of all stretches before it */
};

struct week {
    const struct week_windows *windows;
    struct zone zone;
    struct VEC(struct stretch) stretches;
    int64_t first_day, next_day; /* days that are laid out: [first, next) */
    int64_t until;               /* the midnight that begins next_day */
};

struct week *week_create(const struct week_windows *windows, struct zone zone)
{
    struct week *w = xcalloc(1, sizeof *w);

    w->windows = windows;
    w->zone = zone;
    return w;
}

void week_destroy(struct week *w)
{
    if (!w)
        return;
    vec_fini(&w->stretches);
    free(w);
}

/* A window on one day of its own, as instants. */
struct span {
    int64_t from, to, factor;
};
struct spans VEC(struct span);

/* Windows that may matter on that day, in the order of the list; those of the day
 * before may still go on. */
static void find_spans(const struct week *w, int64_t day, struct spans *ret)
{
    for (size_t i = 0; i < w->windows->n; i++) {
        const struct week_window *x = &w->windows->v[i];
        for (int64_t d = day - 1; d <= day; d++)
            if (x->days >> zone_weekday(d) & 1)
                vec_push(ret, ((struct span){w->zone.at(w->zone.ctx, d, x->from_s),
                                  w->zone.at(w->zone.ctx, d, x->to_s), x->factor}));
    }
}

static int64_t find_factor(const struct spans *spans, int64_t at)
{
    for (size_t i = 0; i < spans->n; i++)
        if (spans->v[i].from <= at && at < spans->v[i].to)
            return spans->v[i].factor;
    return PRICE_ONE;
}

static int compare_instants(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return x < y ? -1 : x > y;
}

static void add_stretch(struct week *w, int64_t at, int64_t factor)
{
    const struct stretch *last =
        w->stretches.n ? &w->stretches.v[w->stretches.n - 1] : NULL;
    int64_t weight = last ? last->weight + (at - last->at) * last->factor : 0;

    if (!last || last->factor != factor)
        vec_push(&w->stretches, ((struct stretch){at, factor, weight}));
}

/* The next day, hour by hour as windows begin and end. */
static void lay_day(struct week *w)
{
    int64_t day = w->next_day, from = w->until;
    int64_t to = w->zone.at(w->zone.ctx, day + 1, 0);
    struct VEC(int64_t) marks = {0};
    struct spans spans = {0};

    find_spans(w, day, &spans);
    vec_push(&marks, from);
    for (size_t i = 0; i < spans.n; i++) {
        vec_push(&marks, spans.v[i].from);
        vec_push(&marks, spans.v[i].to);
    }
    qsort(marks.v, marks.n, sizeof *marks.v, compare_instants);
    for (size_t i = 0; i < marks.n; i++)
        if (marks.v[i] >= from && marks.v[i] < to)
            add_stretch(w, marks.v[i], find_factor(&spans, marks.v[i]));
    vec_fini(&marks);
    vec_fini(&spans);
    w->next_day++;
    w->until = to;
}

/* From that day on nothing is known. */
static void begin_anew(struct week *w, int64_t day)
{
    w->stretches.n = 0;
    w->first_day = w->next_day = day;
    w->until = w->zone.at(w->zone.ctx, day, 0);
}

/* What is known grows in a row, so that questions about old and about new runs by turns
 * cost nothing more; for an earlier day it begins anew, some days before that one. */
static void lay_out(struct week *w, int64_t from, int64_t to)
{
    int64_t day = w->zone.day_of(w->zone.ctx, from);

    if (!w->stretches.n || day > w->next_day + DAYS_BRIDGE)
        begin_anew(w, day);
    else if (day < w->first_day)
        begin_anew(w, day - DAYS_BEFORE);
    while (w->until <= to)
        lay_day(w);
}

/* The last stretch that has begun by then. */
static size_t find_stretch(const struct week *w, int64_t at)
{
    size_t low = 0, high = w->stretches.n;

    while (high - low > 1) {
        size_t mid = low + (high - low) / 2;
        if (w->stretches.v[mid].at <= at)
            low = mid;
        else
            high = mid;
    }
    return low;
}

int64_t week_factor(struct week *w, int64_t at)
{
    lay_out(w, at, at);
    return w->stretches.v[find_stretch(w, at)].factor;
}

int64_t week_next(struct week *w, int64_t at)
{
    if (w->windows->n == 0)
        return INT64_MAX;
    lay_out(w, at, at);
    for (int days = 0; days < 9; days++) { /* each window comes once a week */
        size_t i = find_stretch(w, at) + 1;
        if (i < w->stretches.n)
            return w->stretches.v[i].at;
        lay_day(w);
    }
    return INT64_MAX;
}

static int64_t weigh_until(const struct week *w, int64_t at)
{
    const struct stretch *s = &w->stretches.v[find_stretch(w, at)];

    return s->weight + (at - s->at) * s->factor;
}

int64_t week_weigh(struct week *w, int64_t from, int64_t to)
{
    const int64_t exact = (int64_t)DAYS_EXACT * DAY_S, week = WEEK_DAYS * DAY_S;
    int64_t rest = 0, mean = 0;
    __int128 all;

    if (to <= from)
        return 0;
    if (to - from > exact) {
        rest = to - from - exact;
        to = from + exact;
    }
    lay_out(w, from, to);
    all = weigh_until(w, to) - weigh_until(w, from);
    if (rest)
        mean = weigh_until(w, to) - weigh_until(w, to - week);
    all += (__int128)rest * mean / week;
    return all > INT64_MAX ? INT64_MAX : (int64_t)all;
}
