/* SPDX-License-Identifier: Apache-2.0
 * Occupancy drawn as text. */
#include "sim/chart.h"

#include "base/zone.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define WIDTH            80
#define ROWS_MAX         32
#define LABEL_WIDTH      16
#define RIGHT_WIDTH      14 /* of the percentages behind a bar */
#define DAY_S            INT64_C(86400)
#define HOUR_S           INT64_C(3600)
#define DAYS_FOR_AVERAGE 3

/* What a bar is made of, in order. */
enum part { PART_JOBS, PART_RESERVED, PART_IDLE, PART_DOWN, PARTS };

static const struct part_row {
    char sign;
    const char *meaning;
} parts[PARTS] = {{'#', "jobs"}, {'@', "jobs inside reservations"},
    {'-', "reserved, idle"}, {'x', "down"}};

static double amount_of(const struct occupancy_use *u, int part)
{
    const double amounts[PARTS] = {u->jobs, u->reserved, u->idle, u->down};

    return amounts[part];
}

/* ---- time ---- */

static const char *const weekdays[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};

static void date_of(int64_t day, int64_t *ret_year, int *ret_month, int *ret_day)
{
    int64_t year = 1970 + day / 366;
    int month = 1;

    while (zone_day_number(year + 1, 1, 1) <= day)
        year++;
    while (month < 12 && zone_day_number(year, month + 1, 1) <= day)
        month++;
    *ret_year = year;
    *ret_month = month;
    *ret_day = (int)(day - zone_day_number(year, month, 1)) + 1;
}

/* "Mon 2024-01-08", "Mon 01-08 06:00"; without dates "Fri day 3", "Fri day 3 06:00". */
static void label(
    const struct chart_options *how, int64_t at, int64_t step_s, char *buf, size_t size)
{
    int64_t day = at / DAY_S, year;
    const char *weekday = weekdays[zone_weekday(day)];
    int hour = (int)(at % DAY_S / HOUR_S), minute = (int)(at % HOUR_S / 60);
    int month, of_month;
    size_t len;

    date_of(day, &year, &month, &of_month);
    if (how->dates && step_s % DAY_S == 0)
        snprintf(
            buf, size, "%s %04" PRId64 "-%02d-%02d", weekday, year, month, of_month);
    else if (how->dates)
        snprintf(buf, size, "%s %02d-%02d", weekday, month, of_month);
    else
        snprintf(buf, size, "%s day %" PRId64, weekday, (at - how->shift) / DAY_S + 1);
    len = strlen(buf);
    if (step_s % DAY_S != 0 && len < size)
        snprintf(buf + len, size - len, " %02d:%02d", hour, minute);
}

static int64_t floor_to(int64_t at, int64_t step)
{
    return at / step * step;
}

/* Where the first bar begins: at a multiple of it, or at a midnight. */
static int64_t first_bar(const struct occupancy *o, int64_t step)
{
    return floor_to(o->begin_at, step < DAY_S ? step : DAY_S);
}

/* The first of these that needs few enough bars. */
static int64_t choose_step(const struct occupancy *o)
{
    static const int64_t steps[] = {OCCUPANCY_SLOT_S, 1800, HOUR_S, 2 * HOUR_S,
        3 * HOUR_S, 6 * HOUR_S, 12 * HOUR_S, DAY_S, 2 * DAY_S, 7 * DAY_S, 14 * DAY_S,
        28 * DAY_S, 91 * DAY_S, 364 * DAY_S};
    size_t n = sizeof steps / sizeof *steps, i = 0;

    while (i + 1 < n && o->end_at - first_bar(o, steps[i]) > ROWS_MAX * steps[i])
        i++;
    return steps[i];
}

static const char *step_text(int64_t step_s, char *buf, size_t size)
{
    if (step_s % DAY_S == 0)
        snprintf(
            buf, size, step_s == DAY_S ? "a day" : "%" PRId64 " days", step_s / DAY_S);
    else if (step_s % HOUR_S == 0)
        snprintf(buf, size, step_s == HOUR_S ? "an hour" : "%" PRId64 " hours",
            step_s / HOUR_S);
    else
        snprintf(buf, size, "%" PRId64 " minutes", step_s / 60);
    return buf;
}

/* ---- bars ---- */

/* `whole` is what a full bar stands for. */
static void print_bar(
    FILE *out, const char *left, const struct occupancy_use *u, double whole, int width)
{
    int cells = width - LABEL_WIDTH - 2 - RIGHT_WIDTH;
    char bar[CHART_WIDTH_MAX + 1];
    double sum = 0;
    int used = 0;

    memset(bar, ' ', sizeof bar);
    for (int i = 0; i < PARTS; i++) {
        int end;

        sum += amount_of(u, i);
        end = (int)lround(sum / whole * cells);
        for (; used < end && used < cells; used++)
            bar[used] = parts[i].sign;
    }
    bar[cells] = '\0';
    fprintf(out, "%-*s|%s|%5.0f %% %4.0f %%\n", LABEL_WIDTH, left, bar,
        100 * (u->jobs + u->reserved) / whole, 100 * (u->reserved + u->idle) / whole);
}

static void print_bar_head(FILE *out, int width)
{
    int cells = width - LABEL_WIDTH - 2 - RIGHT_WIDTH;

    fprintf(out, "%-*s 0%*s   busy  rsvd\n", LABEL_WIDTH, "", cells - 1, "100 %");
}

static void print_timeline(
    FILE *out, const struct occupancy *o, const struct chart_options *how, int width)
{
    int64_t step = how->step_s > 0 ? how->step_s : choose_step(o);
    char text[80];

    fprintf(out, "Occupancy of %.0f processors, a line for %s:\n\n", o->procs,
        step_text(step, text, sizeof text));
    print_bar_head(out, width);
    for (int64_t at = first_bar(o, step); at < o->end_at; at += step) {
        struct occupancy_use u = occupancy_sum(o, at, at + step);

        label(how, at, step, text, sizeof text);
        print_bar(out, text, &u, o->procs * (double)step, width);
    }
    fputs("\n   ", out);
    for (int i = 0; i < PARTS; i++)
        fprintf(out, " %c %s%s", parts[i].sign, parts[i].meaning,
            i + 1 < PARTS ? "  " : "   (blank) free\n");
}

/* Where windows of every day show. Whole days only, so that no hour counts more. */
static void print_average_day(FILE *out, const struct occupancy *o, int width)
{
    int64_t first = floor_to(o->begin_at + DAY_S - 1, DAY_S);
    int64_t days = (floor_to(o->end_at, DAY_S) - first) / DAY_S;
    char text[24];

    if (days < DAYS_FOR_AVERAGE)
        return;
    fprintf(out, "\nAn average day (of %" PRId64 "):\n\n", days);
    print_bar_head(out, width);
    for (int64_t hour = 0; hour < 24; hour++) {
        struct occupancy_use sum = {0};

        for (int64_t day = 0; day < days; day++) {
            int64_t at = first + day * DAY_S + hour * HOUR_S;
            struct occupancy_use u = occupancy_sum(o, at, at + HOUR_S);

            sum.jobs += u.jobs;
            sum.reserved += u.reserved;
            sum.idle += u.idle;
            sum.down += u.down;
        }
        snprintf(text, sizeof text, "%02" PRId64 ":00", hour);
        print_bar(out, text, &sum, o->procs * (double)(days * HOUR_S), width);
    }
}

/* ---- reservations ---- */

static void print_reservations(FILE *out, const struct occupancy *o)
{
    if (o->rsvs.n == 0)
        return;
    fprintf(out, "\n%-18s %-14s %8s %11s %9s %9s %5s\n", "Reservation", "kind",
        "windows", "proc-hours", "by jobs", "idle", "used");
    for (size_t i = 0; i < o->rsvs.n; i++) {
        const struct occupancy_rsv *r = &o->rsvs.v[i];

        fprintf(out, "%-18s %-14s %8u %11.1f %9.1f %9.1f", r->name,
            reservation_kind_name(r->kind), r->windows, r->held_ps / 3600,
            r->used_ps / 3600, (r->held_ps - r->used_ps) / 3600);
        if (r->held_ps > 0)
            fprintf(out, " %3.0f %%\n", 100 * r->used_ps / r->held_ps);
        else
            fputs("     -\n", out);
    }
    fputs("By jobs: by those with access. Idle: the rest, though a job from before may "
          "still\n"
          "run there.\n",
        out);
}

void chart_print(FILE *out, const struct occupancy *o, const struct chart_options *how)
{
    int width = how->width > 0 ? how->width : WIDTH;

    if (o->end_at <= o->begin_at)
        return;
    print_timeline(out, o, how, width);
    print_average_day(out, o, width);
    print_reservations(out, o);
}
