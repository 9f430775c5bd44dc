/* SPDX-License-Identifier: Apache-2.0
 * The distribution report of profiler. */
#include "client/kit/layout.h"
#include "client/statistics/profiletext.h"

#include <math.h>

#define BINS_MAX  500
#define SLOT_S    3600
#define SLOTS_MAX 200000 /* hours: 22 years */

struct bin {
    uint64_t jobs;
    double ps, util_ps, measured_ps;
};

/* What is distributed: a value of each job, into bins. */
struct spread {
    const char *title, *label;
    double (*value)(const struct tracestats_job *j);
    double width;     /* of a bin; 0 = by the bounds of the grid */
    const char *form; /* of mean and median */
};

static double procs_of(const struct tracestats_job *j)
{
    return (double)j->procs;
}

static double hours_of(const struct tracestats_job *j)
{
    return (double)j->run_s / 3600;
}

static double accuracy_of(const struct tracestats_job *j)
{
    return 100 * j->accuracy;
}

static double queue_of(const struct tracestats_job *j)
{
    return (double)j->queue_s / 3600;
}

static double xfactor_of(const struct tracestats_job *j)
{
    return j->xfactor;
}

static const struct spread spreads[] = {
    {"Job Size Distribution", "Procs", procs_of, 0, "processors"},
    {"Job Length Distribution", "Hours", hours_of, 0, "hours"},
    {"Job Accuracy Distribution", "Percent", accuracy_of, 10, "percent"},
    {"QueueTime Distribution", "Hours", queue_of, 0.2, "hours"},
    {"XFactor Distribution", "XFactor", xfactor_of, 0.1, ""},
};

/* The upper bound of bin i; of the last one there is none. */
static double bound(const struct tracestats *p, const struct spread *s, size_t i)
{
    if (s->width > 0)
        return s->width * (double)(i + 1);
    return s->value == procs_of ? (double)p->grid.procs[i]
                                : (double)p->grid.times_s[i] / 3600;
}

static size_t bin_count(const struct tracestats *p, const struct spread *s)
{
    if (s->width > 0)
        return BINS_MAX;
    return s->value == procs_of ? p->grid.rows : p->grid.columns;
}

static size_t bin_of(
    const struct tracestats *p, const struct spread *s, double v, size_t n)
{
    if (s->width > 0) {
        double place =
            ceil(v / s->width - 1e-9) - 1; /* bounds belong to what is below */
        return place <= 0 ? 0 : place < (double)(n - 1) ? (size_t)place : n - 1;
    }
    size_t i = 0;
    while (i + 1 < n && v > bound(p, s, i))
        i++;
    return i;
}

static int ascending(const void *a, const void *b)
{
    const double *x = a, *y = b;

    return *x < *y ? -1 : *x > *y;
}

static void print_middle(const struct tracestats *p, const struct spread *s, FILE *out)
{
    size_t n = p->jobs.n;
    double *v = xcalloc(n + 1, sizeof *v), sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += v[i] = s->value(&p->jobs.v[i]);
    if (n)
        qsort(v, n, sizeof *v, ascending);
    fprintf(out, "Mean: %.3f  Median: %.3f%s%s\n\n", n ? sum / (double)n : 0,
        n ? (v[(n - 1) / 2] + v[n / 2]) / 2 : 0, *s->form ? " " : "", s->form);
    free(v);
}

static void print_spread(const struct tracestats *p, const struct spread *s, FILE *out)
{
    size_t n = bin_count(p, s), last = 0;
    struct bin *bins = xcalloc(n, sizeof *bins);
    double jobs = 0, ps = 0, all = p->total.sums.ps_run;

    for (size_t i = 0; i < p->jobs.n; i++) {
        const struct tracestats_job *j = &p->jobs.v[i];
        size_t k = bin_of(p, s, s->value(j), n);
        double used = (double)j->procs * (double)j->run_s;
        last = k > last ? k : last;
        bins[k].jobs++;
        bins[k].ps += used;
        if (j->util_ps >= 0) {
            bins[k].util_ps += j->util_ps;
            bins[k].measured_ps += used;
        }
    }
    fprintf(out, "%s\n\n%19s %8s %7s %7s %7s %7s %7s\n", s->title, s->label, "Jobs",
        "Effic", "PctJob", "PctPS", "CumJob", "CumPS");
    for (size_t k = 0; k <= last; k++) {
        double total = (double)p->jobs.n;
        jobs += (double)bins[k].jobs;
        ps += bins[k].ps;
        fprintf(out, "%9.2f-%9.2f %8llu %7.2f %7.2f %7.2f %7.2f %7.2f\n",
            k ? bound(p, s, k - 1) : 0, bound(p, s, k),
            (unsigned long long)bins[k].jobs,
            layout_percent(bins[k].util_ps, bins[k].measured_ps),
            layout_percent((double)bins[k].jobs, total),
            layout_percent(bins[k].ps, all), layout_percent(jobs, total),
            layout_percent(ps, all));
    }
    fputs("\n", out);
    print_middle(p, s, out);
    free(bins);
}

/* ---- by hours ---- */

/* At the beginning of an hour, and how many came and ended in it. */
struct slot {
    double submits, ends, queued, queued_ps, running, running_procs, running_ps;
};

#define FIGURES (sizeof(struct slot) / sizeof(double))

/* Differences: the job counts from the first slot that begins at `from` or later to the
 * last one that begins before `to`. */
static void enter(struct slot *slots, int64_t base, int64_t from, int64_t to,
    const struct slot *amount)
{
    int64_t first = (from - base + SLOT_S - 1) / SLOT_S;
    int64_t end = (to - base + SLOT_S - 1) / SLOT_S;
    const double *a = (const double *)amount;

    for (size_t i = 0; first < end && i < FIGURES; i++) {
        ((double *)&slots[first])[i] += a[i];
        ((double *)&slots[end])[i] -= a[i];
    }
}

static void fill(const struct tracestats *p, struct slot *slots, int64_t base, size_t n)
{
    for (size_t i = 0; i < p->jobs.n; i++) {
        const struct tracestats_job *j = &p->jobs.v[i];
        double procs = (double)j->procs, ps = procs * (double)j->limit_s;
        enter(slots, base, j->submit_at, j->start_at,
            &(struct slot){.queued = 1, .queued_ps = ps});
        enter(slots, base, j->start_at, j->end_at,
            &(struct slot){.running = 1, .running_procs = procs, .running_ps = ps});
    }
    for (size_t k = 1; k < n; k++)
        for (size_t i = 0; i < FIGURES; i++)
            ((double *)&slots[k])[i] += ((double *)&slots[k - 1])[i];
    for (size_t i = 0; i < p->jobs.n; i++) {
        slots[(p->jobs.v[i].submit_at - base) / SLOT_S].submits++;
        slots[(p->jobs.v[i].end_at - base) / SLOT_S].ends++;
    }
}

static void print_slot(FILE *out, const char *name, const struct slot *s, int digits)
{
    fprintf(out, "%19s %8.*f %8.*f %14.*f %8.*f %8.*f %14.*f %8.*f\n", name, digits,
        s->submits, digits, s->queued, digits, s->queued_ps, digits, s->running, digits,
        s->running_procs, digits, s->running_ps, digits, s->ends);
}

static void print_slots(FILE *out, const struct slot *slots, int64_t base, size_t n)
{
    struct slot mean = {0}, most = {0};
    size_t active = 0, backlog = 0;
    char date[LAYOUT_DATE_MAX];

    for (size_t k = 0; k < n; k++) {
        print_slot(out, layout_date(base + (int64_t)k * SLOT_S, date), &slots[k], 0);
        for (size_t i = 0; i < FIGURES; i++) {
            double v = ((const double *)&slots[k])[i];
            ((double *)&mean)[i] += v / (double)n;
            if (v > ((double *)&most)[i])
                ((double *)&most)[i] = v;
        }
        active += slots[k].running > 0;
        backlog += slots[k].queued > 0;
    }
    print_slot(out, "Average", &mean, 2);
    print_slot(out, "Maximum", &most, 0);
    fprintf(out, "\nTotal Slots: %zu  Active: %.2f%%  BackLog: %.2f%%\n", n,
        layout_percent((double)active, (double)n),
        layout_percent((double)backlog, (double)n));
}

static void print_hours(const struct tracestats *p, FILE *out)
{
    int64_t base = INT64_MAX, end = 0;

    for (size_t i = 0; i < p->jobs.n; i++) {
        base = p->jobs.v[i].submit_at < base ? p->jobs.v[i].submit_at : base;
        end = p->jobs.v[i].end_at > end ? p->jobs.v[i].end_at : end;
    }
    fprintf(out, "Time Distribution\n\n%19s %8s %8s %14s %8s %8s %14s %8s\n", "Hour",
        "Submit", "QJobs", "QPS", "RJobs", "RProcs", "RPS", "CmplCt");
    if (p->jobs.n == 0)
        return;
    base -= base % SLOT_S;
    int64_t n = (end - base) / SLOT_S + 1;
    if (n > SLOTS_MAX) {
        fprintf(out, "%lld hours are too many\n", (long long)n);
        return;
    }
    struct slot *slots = xcalloc((size_t)n + 2, sizeof *slots);
    fill(p, slots, base, (size_t)n);
    print_slots(out, slots, base, (size_t)n);
    free(slots);
}

void profiledist_print(const struct tracestats *p, FILE *out)
{
    for (size_t i = 0; i < sizeof spreads / sizeof spreads[0]; i++)
        print_spread(p, &spreads[i], out);
    print_hours(p, out);
}
