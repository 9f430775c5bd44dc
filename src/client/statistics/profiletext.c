/* SPDX-License-Identifier: Apache-2.0
 * Grids, distributions and tables of a profile. */
#include "client/statistics/profiletext.h"

#include "client/kit/gridtext.h"
#include "client/kit/layout.h"

#include <jansson.h>
#include <math.h>
#include <strings.h>

/* ---- which ---- */

enum what { GRID, MEMORY, ACCURACY };

/* In the order in which they are printed. */
static const struct report {
    const char *name; /* by which it can be chosen */
    enum what what;
    const char *grid;
} reports[] = {{"JobCount", GRID, "JOBCOUNT"}, {"JobCount", GRID, "BFCOUNT"},
    {"PSRequest", GRID, "PHREQUEST"}, {"PSRun", GRID, "PHRUN"},
    {"QueueTime", GRID, "AVGQTIME"}, {"WCAccuracy", GRID, "WCACCURACY"},
    {"XFactor", GRID, "AVGXFACTOR"}, {"XFactor", GRID, "MAXXFACTOR"},
    {"MemUsage", MEMORY, NULL}, {"WCAccuracyD", ACCURACY, NULL},
    {"JobEfficiency", GRID, "JOBEFFICIENCY"}, {"QOSSuccessRate", GRID, "QOSDELIVERED"}};
#define REPORTS (sizeof reports / sizeof reports[0])

const char *profiletext_name(size_t wanted)
{
    for (size_t i = 0, n = 0; i < REPORTS; i++)
        if ((i == 0 || strcmp(reports[i].name, reports[i - 1].name) != 0)
            && n++ == wanted)
            return reports[i].name;
    return NULL;
}

const char *profiletext_find(const char *name)
{
    for (size_t i = 0; i < REPORTS; i++)
        if (strcasecmp(reports[i].name, name) == 0)
            return reports[i].name;
    return NULL;
}

/* ---- distributions ---- */

struct bin {
    uint64_t jobs, procs;
    double ps_requested, ps_run;
};

static void count(struct bin *b, const struct tracestats_job *j)
{
    b->jobs++;
    b->procs += (uint64_t)j->procs;
    b->ps_requested += (double)j->procs * (double)j->limit_s;
    b->ps_run += (double)j->procs * (double)j->run_s;
}

static void print_bin(const struct bin *b, const struct stat_sums *all)
{
    printf(": %4llu Jobs (%5.2f) %6llu Procs (%5.2f) %13.1f PSRequest (%5.2f) %13.1f "
           "PSRun (%5.2f)\n",
        (unsigned long long)b->jobs, layout_percent((double)b->jobs, (double)all->jobs),
        (unsigned long long)b->procs,
        layout_percent((double)b->procs, (double)all->procs), b->ps_requested,
        layout_percent(b->ps_requested, all->ps_requested), b->ps_run,
        layout_percent(b->ps_run, all->ps_run));
}

/* 32 MB doubling to 2048, or as far as jobs ask. */
static void print_memory(const struct tracestats *p)
{
    struct bin bins[40] = {{0}};
    size_t last = 6;

    for (size_t i = 0; i < p->jobs.n; i++) {
        size_t k = 0;
        while (k < 39 && p->jobs.v[i].mem_mb > INT64_C(32) << k)
            k++;
        last = k > last ? k : last;
        count(&bins[k], &p->jobs.v[i]);
    }
    puts("Memory Request Distribution\n");
    for (size_t k = 0; k <= last; k++) {
        printf("%4lld MB", 32LL << k);
        print_bin(&bins[k], &p->total.sums);
    }
    puts("");
}

static void print_accuracy(const struct tracestats *p, int rows)
{
    struct bin *bins = xcalloc((size_t)rows, sizeof *bins);

    for (size_t i = 0; i < p->jobs.n; i++) {
        double place = ceil(p->jobs.v[i].accuracy * rows) - 1;
        count(&bins[place < 0       ? 0
                    : place >= rows ? rows - 1
                                    : (int)place],
            &p->jobs.v[i]);
    }
    puts("Accuracy Distribution (in percent)\n");
    for (int k = 0; k < rows; k++) {
        printf("%6.2f - %6.2f", 100.0 * k / rows, 100.0 * (k + 1) / rows);
        print_bin(&bins[k], &p->total.sums);
    }
    puts("");
    free(bins);
}

/* ---- tables ---- */

static const char *const kinds[] = {[TRACESTATS_USER] = "User",
    [TRACESTATS_GROUP] = "Group",
    [TRACESTATS_ACCOUNT] = "Account"};

struct ranked {
    const char *name;
    const struct tracestats_sums *sums;
};

/* Most processor seconds first. */
static int by_use(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;

    if (x->sums->sums.ps_run != y->sums->sums.ps_run)
        return x->sums->sums.ps_run > y->sums->sums.ps_run ? -1 : 1;
    return name_compare(x->name, y->name);
}

/* The rows, ordered; to be freed. */
static struct ranked *rank(const struct tracestats_table *t)
{
    struct ranked *v = xcalloc(t->rows.n + 1, sizeof *v);

    for (uint32_t i = 0; i < t->rows.n; i++)
        v[i] = (struct ranked){names_text(t->names, i), &t->rows.v[i]};
    if (t->rows.n)
        qsort(v, t->rows.n, sizeof *v, by_use);
    return v;
}

static double deviation(const struct tracestats_sums *s, double jobs)
{
    double mean = s->sums.accuracy / jobs;

    return sqrt(fmax(0, s->accuracy_squares / jobs - mean * mean));
}

static void print_row(
    const char *name, const struct tracestats_sums *s, const struct stat_sums *all)
{
    double jobs = s->sums.jobs > 0 ? (double)s->sums.jobs : 1;
    double procs = s->sums.procs > 0 ? (double)s->sums.procs : 1;

    printf("%10s %10lld (%05.2f) %11.2f (%05.2f) %11.2f (%05.2f) %10.2f %10.2f %10.2f "
           "%10.3f %10.3f %10.3f %10.3f\n",
        name, (long long)s->sums.jobs,
        layout_percent((double)s->sums.jobs, (double)all->jobs),
        s->sums.ps_requested / 3600,
        layout_percent(s->sums.ps_requested, all->ps_requested), s->sums.ps_run / 3600,
        layout_percent(s->sums.ps_run, all->ps_run),
        (double)s->sums.queue_s / jobs / 3600, s->run_s / jobs / 3600,
        s->limit_s / jobs / 3600, s->sums.accuracy / jobs, deviation(s, jobs),
        s->sums.xfactor / jobs, s->sums.xfactor_procs / procs);
}

static void print_table(const struct tracestats *p, enum tracestats_kind kind)
{
    const struct tracestats_table *t = &p->tables[kind];
    struct ranked *rows = rank(t);

    printf("%s Statistics\n\n%10s %10s %7s %11s %7s %11s %7s %10s %10s %10s %10s %10s "
           "%10s %10s\n",
        kinds[kind], "Name", "JobCount", "(PCT)", "PHRequest", "(PCT)", "PHRun",
        "(PCT)", "QueueTime", "AvgRunTime", "AvgReqTime", "WCAccuracy", "WCAStdDev",
        "XFactor", "NodeXF");
    for (size_t i = 0; i < t->rows.n; i++)
        print_row(rows[i].name, rows[i].sums, &p->total.sums);
    print_row("Total", &p->total, &p->total.sums);
    puts("");
    free(rows);
}

/* ---- all of it ---- */

static void print_span(const struct tracestats *p)
{
    int64_t first = INT64_MAX, last = 0;
    char from[LAYOUT_DATE_MAX], to[LAYOUT_DATE_MAX];

    for (size_t i = 0; i < p->jobs.n; i++) {
        first = p->jobs.v[i].start_at < first ? p->jobs.v[i].start_at : first;
        last = p->jobs.v[i].end_at > last ? p->jobs.v[i].end_at : last;
    }
    if (p->jobs.n)
        printf("%zu job%s from %s to %s\n\n", p->jobs.n, p->jobs.n == 1 ? "" : "s",
            layout_date(first, from), layout_date(last, to));
    else
        puts("no jobs\n");
}

void profiletext_print(const struct tracestats *p, const struct profiletext_options *o)
{
    print_span(p);
    for (size_t i = 0; i < REPORTS; i++) {
        const struct report *r = &reports[i];
        if (o->only && strcmp(o->only, r->name) != 0)
            continue;
        if (r->what == MEMORY) {
            print_memory(p);
        } else if (r->what == ACCURACY) {
            print_accuracy(p, o->accuracy_rows);
        } else {
            gridtext_print(gridtext_find(r->grid), &p->grid, &p->total.sums, o->plain);
            puts("");
        }
    }
    for (int k = 0; !o->only && k < TRACESTATS_KINDS; k++)
        print_table(p, (enum tracestats_kind)k);
}

void profiletext_plot(const struct tracestats *p, FILE *out)
{
    const struct stat_grid *g = &p->grid;

    for (size_t i = 0; i < REPORTS; i++) {
        if (reports[i].what != GRID)
            continue;
        fprintf(out, "# %s: processors, seconds, value, jobs\n", reports[i].grid);
        for (uint32_t k = 0; k < g->rows * g->columns; k++)
            if (g->cells[k].jobs)
                fprintf(out, "%lld %lld %.4f %lld\n",
                    (long long)g->procs[k / g->columns],
                    (long long)g->times_s[k % g->columns],
                    gridtext_value(
                        gridtext_find(reports[i].grid), &g->cells[k], &p->total.sums),
                    (long long)g->cells[k].jobs);
        fputs("\n\n", out);
    }
}

static void print_record(json_t *o, const struct tracestats_sums *s)
{
    double jobs = s->sums.jobs > 0 ? (double)s->sums.jobs : 1;
    json_t *rest = json_pack("{s:I, s:I, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:f, s:I}",
        "jobs", (json_int_t)s->sums.jobs, "procs", (json_int_t)s->sums.procs,
        "ps_requested", s->sums.ps_requested, "ps_run", s->sums.ps_run, "queue_s",
        (double)s->sums.queue_s / jobs, "run_s", s->run_s / jobs, "limit_s",
        s->limit_s / jobs, "accuracy", s->sums.accuracy / jobs, "accuracy_deviation",
        deviation(s, jobs), "xfactor", s->sums.xfactor / jobs, "backfilled",
        (json_int_t)s->sums.backfilled);

    json_object_update(o, rest);
    json_decref(rest);
    json_dumpf(o, stdout, JSON_COMPACT);
    putchar('\n');
    json_decref(o);
}

void profiletext_json(const struct tracestats *p)
{
    const struct stat_grid *g = &p->grid;

    print_record(json_pack("{s:s}", "kind", "total"), &p->total);
    for (int k = 0; k < TRACESTATS_KINDS; k++) {
        struct ranked *rows = rank(&p->tables[k]);
        const char *kind = k == TRACESTATS_USER    ? "user"
                           : k == TRACESTATS_GROUP ? "group"
                                                   : "account";
        for (size_t i = 0; i < p->tables[k].rows.n; i++)
            print_record(json_pack("{s:s, s:s}", "kind", kind, "name", rows[i].name),
                rows[i].sums);
        free(rows);
    }
    for (uint32_t k = 0; k < g->rows * g->columns; k++) {
        const struct stat_sums *c = &g->cells[k];
        if (!c->jobs)
            continue;
        json_t *o = json_pack("{s:s, s:I, s:I, s:I, s:f, s:f, s:f, s:f}", "kind",
            "cell", "procs_up_to", (json_int_t)g->procs[k / g->columns], "time_up_to_s",
            (json_int_t)g->times_s[k % g->columns], "jobs", (json_int_t)c->jobs,
            "ps_requested", c->ps_requested, "ps_run", c->ps_run, "queue_s",
            (double)c->queue_s / (double)c->jobs, "xfactor",
            c->xfactor / (double)c->jobs);
        json_dumpf(o, stdout, JSON_COMPACT);
        putchar('\n');
        json_decref(o);
    }
}
