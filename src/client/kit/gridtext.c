/* SPDX-License-Identifier: Apache-2.0
 * Grids: one table says what each type measures. */
#include "client/kit/gridtext.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define FIGURE(name)                                                                   \
    static double name(const struct stat_sums *s)                                      \
    {                                                                                  \
        return (double)s->name;                                                        \
    }
FIGURE(jobs)
FIGURE(procs)
FIGURE(queue_s)
FIGURE(bypass)
FIGURE(max_bypass)
FIGURE(qos_met)
FIGURE(backfilled)
FIGURE(ps_requested)
FIGURE(ps_run)
FIGURE(ps_utilized)
FIGURE(ps_measured)
FIGURE(ps_backfilled)
FIGURE(xfactor)
FIGURE(xfactor_procs)
FIGURE(xfactor_ps)
FIGURE(max_xfactor)

typedef double figure_fn(const struct stat_sums *s);

/* scale * of / by; by NULL = 1. */
struct measure {
    figure_fn *of, *by;
    double scale;
};

enum form { FORM_REAL, FORM_WHOLE, FORM_JOBS, FORM_SHORT, FORM_COUNTS, FORM_HOURS };

struct gridtext_type {
    const char *name, *title;
    struct measure cell;
    bool of_total; /* `by` is of all jobs, not of the cell */
    enum form form;
    struct {
        const char *label;
        struct measure measure;
        enum form form;
    } summary[3];
};

#define PERCENT(a, b)                                                                  \
    {                                                                                  \
        a, b, 100                                                                      \
    }
#define HOURS (1.0 / 3600)

static const struct gridtext_type types[] = {
    {"AVGXFACTOR", "Average XFactor Grid", {xfactor, jobs, 1}, false, FORM_REAL,
        {{"Job Weighted XFactor:", {xfactor, jobs, 1}, FORM_REAL},
            {"Proc Weighted XFactor:", {xfactor_procs, procs, 1}, FORM_REAL},
            {"PS Weighted XFactor:", {xfactor_ps, ps_run, 1}, FORM_REAL}}},
    {"MAXXFACTOR", "Maximum XFactor (hours)", {max_xfactor, NULL, 1}, false, FORM_REAL,
        {{"Overall Max XFactor:", {max_xfactor, NULL, 1}, FORM_REAL}}},
    {"AVGQTIME", "Average QueueTime (hours)", {queue_s, jobs, HOURS}, false, FORM_REAL,
        {{"Job Weighted QueueTime:", {queue_s, jobs, HOURS}, FORM_REAL}}},
    {"AVGBYPASS", "Average Bypass (bypass count)", {bypass, jobs, 1}, false, FORM_REAL,
        {{"Job Weighted X Bypass:", {bypass, jobs, 1}, FORM_REAL}}},
    {"MAXBYPASS", "Maximum Bypass (bypass count)", {max_bypass, NULL, 1}, false,
        FORM_WHOLE, {{"Overall Max Bypass:", {max_bypass, NULL, 1}, FORM_WHOLE}}},
    {"JOBCOUNT", "Job Count (jobs)", {jobs, NULL, 1}, false, FORM_JOBS,
        {{"Total Jobs:", {jobs, NULL, 1}, FORM_WHOLE}}},
    {"PHREQUEST", "ProcHour Request (percent of total)",
        PERCENT(ps_requested, ps_requested), true, FORM_REAL,
        {{"Total PH Requested:", {ps_requested, NULL, HOURS}, FORM_REAL}}},
    {"PHRUN", "ProcHour Run (percent of total)", PERCENT(ps_run, ps_run), true,
        FORM_REAL, {{"Total PH Run:", {ps_run, NULL, HOURS}, FORM_REAL}}},
    {"WCACCURACY", "WallClock Accuracy (percent)", PERCENT(ps_run, ps_requested), false,
        FORM_REAL,
        {{"Overall WallClock Accuracy:", PERCENT(ps_run, ps_requested), FORM_SHORT}}},
    {"BFCOUNT", "BackFill (percent of jobs run)", PERCENT(backfilled, jobs), false,
        FORM_REAL,
        {{"Job Weighted BackFill Job Percent:", PERCENT(backfilled, jobs),
            FORM_COUNTS}}},
    {"BFPHRUN", "BackFill (percent of prochours delivered)",
        PERCENT(ps_backfilled, ps_run), false, FORM_REAL,
        {{"PS Weighted BackFill PS Percent:", PERCENT(ps_backfilled, ps_run),
            FORM_HOURS}}},
    {"JOBEFFICIENCY", "Average Job Efficiency (percent CPU utilization)",
        PERCENT(ps_utilized, ps_measured), false, FORM_REAL,
        {{"PS Weighted Job Efficiency Percent:", PERCENT(ps_utilized, ps_measured),
            FORM_HOURS}}},
    {"QOSDELIVERED", "Quality of Service Delivered (percent of jobs meeting QOS)",
        PERCENT(qos_met, jobs), false, FORM_REAL,
        {{"Job Weighted QOS Success Rate:", PERCENT(qos_met, jobs), FORM_COUNTS}}},
};
#define TYPES (sizeof types / sizeof types[0])

const char *gridtext_name(size_t i)
{
    return i < TYPES ? types[i].name : NULL;
}

const char *gridtext_type_name(const struct gridtext_type *t)
{
    return t->name;
}

const struct gridtext_type *gridtext_find(const char *name)
{
    static const char *const older[][2] = {
        {"NHREQUEST", "PHREQUEST"}, {"NHRUN", "PHRUN"}, {"BFNHRUN", "BFPHRUN"}};

    for (size_t i = 0; i < sizeof older / sizeof older[0]; i++)
        if (strcasecmp(name, older[i][0]) == 0)
            name = older[i][1];
    for (size_t i = 0; i < TYPES; i++)
        if (strcasecmp(name, types[i].name) == 0)
            return &types[i];
    return NULL;
}

/* NAN: nothing is known. */
static double value(
    const struct measure *m, const struct stat_sums *s, const struct stat_sums *by)
{
    double share = m->by ? m->by(by) : 1;

    return share > 0 ? m->scale * m->of(s) / share : (double)NAN;
}

double gridtext_value(const struct gridtext_type *t, const struct stat_sums *cell,
    const struct stat_sums *total)
{
    return value(&t->cell, cell, t->of_total ? total : cell);
}

static void add(struct stat_sums *to, const struct stat_sums *s)
{
    to->jobs += s->jobs;
    to->procs += s->procs;
    to->queue_s += s->queue_s;
    to->bypass += s->bypass;
    to->qos_met += s->qos_met;
    to->backfilled += s->backfilled;
    to->ps_requested += s->ps_requested;
    to->ps_run += s->ps_run;
    to->ps_utilized += s->ps_utilized;
    to->ps_measured += s->ps_measured;
    to->ps_backfilled += s->ps_backfilled;
    to->xfactor += s->xfactor;
    to->max_xfactor = fmax(to->max_xfactor, s->max_xfactor);
    to->max_bypass = s->max_bypass > to->max_bypass ? s->max_bypass : to->max_bypass;
}

struct sheet {
    const struct gridtext_type *t;
    const struct stat_grid *g;
    const struct stat_sums *total;
    char open, close; /* around a cell */
};

static void print_cell(const struct sheet *p, const struct stat_sums *s)
{
    char text[16] = "------------";
    double v = s->jobs ? gridtext_value(p->t, s, p->total) : 0;

    if (s->jobs && p->t->form == FORM_JOBS)
        snprintf(text, sizeof text, "  %8lld  ", (long long)s->jobs);
    else if (s->jobs && isnan(v))
        snprintf(text, sizeof text, "%7s %4lld", "-------", (long long)s->jobs);
    else if (s->jobs && p->t->form == FORM_WHOLE)
        snprintf(text, sizeof text, "%7.0f %4lld", v, (long long)s->jobs);
    else if (s->jobs)
        snprintf(text, sizeof text, "%7.2f %4lld", v, (long long)s->jobs);
    printf("%c%s%c", p->open, text, p->close);
}

static void print_heading(const struct sheet *p)
{
    printf("%c PROCS %c", p->open, p->close);
    for (uint32_t i = 0; i < p->g->columns; i++) {
        int64_t s = p->g->times_s[i];
        char time[24];
        snprintf(time, sizeof time, "%lld:%02lld:%02lld", (long long)(s / 3600),
            (long long)(s / 60 % 60), (long long)(s % 60));
        printf("%c  %8s  %c", p->open, time, p->close);
    }
    printf("%c  %8s  %c\n", p->open, "TOTAL", p->close);
}

static void print_row(const struct sheet *p, uint32_t row)
{
    struct stat_sums sum = {0};

    printf("%c %4lld  %c", p->open, (long long)p->g->procs[row], p->close);
    for (uint32_t i = 0; i < p->g->columns; i++) {
        const struct stat_sums *cell = &p->g->cells[row * p->g->columns + i];
        add(&sum, cell);
        print_cell(p, cell);
    }
    print_cell(p, &sum);
    puts("");
}

/* Without a total of totals: the summary has it. */
static void print_totals(const struct sheet *p)
{
    printf("%c TOTAL %c", p->open, p->close);
    for (uint32_t i = 0; i < p->g->columns; i++) {
        struct stat_sums sum = {0};
        for (uint32_t row = 0; row < p->g->rows; row++)
            add(&sum, &p->g->cells[row * p->g->columns + i]);
        print_cell(p, &sum);
    }
    puts("");
}

static void print_summary(const struct gridtext_type *t, const struct stat_sums *total)
{
    for (int i = 0; i < 3 && t->summary[i].label; i++) {
        const struct measure *m = &t->summary[i].measure;
        double v = value(m, total, total);
        enum form form = t->summary[i].form;
        printf("%-26s %8.*f", t->summary[i].label,
            form == FORM_WHOLE   ? 0
            : form == FORM_SHORT ? 3
                                 : 4,
            isnan(v) ? 0 : v);
        if (form == FORM_COUNTS)
            printf(" (%.0f / %.0f)", m->of(total), m->by(total));
        else if (form == FORM_HOURS)
            printf(" (%.2f / %.2f)", m->of(total) * HOURS, m->by(total) * HOURS);
        puts("");
    }
    printf("%-26s %8lld\n", "Total Samples:", (long long)total->jobs);
}

void gridtext_print(const struct gridtext_type *t, const struct stat_grid *g,
    const struct stat_sums *total, bool plain)
{
    struct sheet p = {t, g, total, plain ? ' ' : '[', plain ? ' ' : ']'};

    printf("%s\n\n", t->title);
    print_heading(&p);
    for (uint32_t row = 0; row < g->rows; row++)
        print_row(&p, row);
    print_totals(&p);
    print_summary(t, total);
}
