/* SPDX-License-Identifier: Apache-2.0
 * The table of showstats. */
#include "client/statistics/statstable.h"

#include "base/xalloc.h"
#include "client/kit/layout.h"

#include <stdio.h>
#include <string.h>

struct stats_row *statstable_add(
    struct stats_table *t, const char *name, const json_t *target)
{
    vec_push(&t->rows, ((struct stats_row){.name = xstrdup(name),
                           .target = json_incref((json_t *)target)}));
    return &t->rows.v[t->rows.n - 1];
}

void statstable_sum(const struct stats_table *t, struct stat_figures *ret)
{
    struct stat_sums *to = &ret->sums;

    *ret = (struct stat_figures){0};
    for (size_t i = 0; i < t->rows.n; i++) {
        const struct stat_figures *f = &t->rows.v[i].f;
        const struct stat_sums *s = &f->sums;
        ret->active_jobs += f->active_jobs;
        ret->active_procs += f->active_procs;
        ret->active_ps += f->active_ps;
        to->jobs += s->jobs;
        to->successful += s->successful;
        to->queue_s += s->queue_s;
        to->ps_requested += s->ps_requested;
        to->ps_run += s->ps_run;
        to->ps_dedicated += s->ps_dedicated;
        to->ps_utilized += s->ps_utilized;
        to->ps_measured += s->ps_measured;
        to->xfactor += s->xfactor;
        to->accuracy += s->accuracy;
        to->max_xfactor =
            s->max_xfactor > to->max_xfactor ? s->max_xfactor : to->max_xfactor;
        to->max_queue_s =
            s->max_queue_s > to->max_queue_s ? s->max_queue_s : to->max_queue_s;
    }
}

static int by_use(const void *a, const void *b)
{
    const struct stats_row *x = a, *y = b;

    if (x->f.sums.ps_dedicated != y->f.sums.ps_dedicated)
        return x->f.sums.ps_dedicated > y->f.sums.ps_dedicated ? -1 : 1;
    return strcmp(x->name, y->name);
}

static const char *number(bool known, double v, char *buf)
{
    snprintf(buf, 16, "%.2f", v);
    return known ? buf : "-----";
}

static void print_row(const char *name, const json_t *target,
    const struct stat_figures *f, const struct stat_sums *all)
{
    const struct stat_sums *s = &f->sums;
    double jobs = s->jobs > 0 ? (double)s->jobs : 1;
    bool any = s->jobs > 0;
    char text[6][16];

    printf("%-9s %4lld %5lld %9.2f %4lld %6.2f %6.1f %6.2f %6.1f %6.2f %5s %6s %6s %6s "
           "%6s %6s\n",
        name, (long long)f->active_jobs, (long long)f->active_procs,
        f->active_ps / 3600, (long long)s->jobs,
        layout_percent((double)s->jobs, (double)all->jobs), s->ps_requested / 3600,
        layout_percent(s->ps_requested, all->ps_requested), s->ps_dedicated / 3600,
        layout_percent(s->ps_dedicated, all->ps_dedicated),
        number(target != NULL, json_number_value(target), text[0]),
        number(any, s->xfactor / jobs, text[1]), number(any, s->max_xfactor, text[2]),
        number(any, (double)s->queue_s / jobs / 3600, text[3]),
        number(s->ps_measured > 0, layout_percent(s->ps_utilized, s->ps_measured),
            text[4]),
        number(any, 100 * s->accuracy / jobs, text[5]));
}

void statstable_print(struct stats_table *t, const struct stat_sums *all)
{
    struct stat_figures sum;

    if (t->rows.n)
        qsort(t->rows.v, t->rows.n, sizeof *t->rows.v, by_use);
    printf("%9s|------ Active ------|--------------------------------- Completed "
           "-----------------------------------|\n",
        "");
    printf(
        "%-9s Jobs Procs ProcHours Jobs    %%    PHReq    %%    PHDed    %%   FSTgt  "
        "AvgXF  MaxXF  AvgQH  Effic  WCAcc\n",
        t->label);
    for (size_t i = 0; i < t->rows.n; i++)
        print_row(t->rows.v[i].name, t->rows.v[i].target, &t->rows.v[i].f, all);
    statstable_sum(t, &sum);
    if (t->total)
        print_row("TOTAL", NULL, &sum, all);
}

void statstable_fini(struct stats_table *t)
{
    for (size_t i = 0; i < t->rows.n; i++) {
        free(t->rows.v[i].name);
        json_decref(t->rows.v[i].target);
    }
    vec_fini(&t->rows);
}
