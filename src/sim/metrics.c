/* SPDX-License-Identifier: Apache-2.0
 * Sums and percentiles over a finished schedule. */
#include "sim/metrics.h"

#include "base/xalloc.h"

#include <math.h>
#include <stdlib.h>

#define BSLD_TAU 10 /* seconds: shorter runs count as that long */

static int compare_int64(const void *pa, const void *pb)
{
    int64_t a = *(const int64_t *)pa, b = *(const int64_t *)pb;

    return a < b ? -1 : a > b;
}

static int compare_double(const void *pa, const void *pb)
{
    double a = *(const double *)pa, b = *(const double *)pb;

    return a < b ? -1 : a > b;
}

/* Index of the percentile in a sorted array of n. */
static size_t percentile(size_t n, unsigned percent)
{
    return n / 100 * percent + n % 100 * percent / 100;
}

static double slowdown(const struct metric_job *j, double procs)
{
    int64_t run = j->end_at - j->start_at;
    double least = (double)(run > BSLD_TAU ? run : BSLD_TAU) * procs;
    double s = (double)(j->end_at - j->submit_at) / least;

    return s > 1.0 ? s : 1.0;
}

static void fill_waits(
    const struct metric_job *jobs, size_t n, int64_t *waits, struct metrics *m)
{
    double area = 0, weighted = 0, squares = 0;
    int64_t sum = 0, response = 0;

    for (size_t i = 0; i < n; i++) {
        int64_t wait = jobs[i].start_at - jobs[i].submit_at;
        double work = (double)(jobs[i].end_at - jobs[i].start_at) * jobs[i].procs;

        waits[i] = wait;
        sum += wait;
        response += jobs[i].end_at - jobs[i].submit_at;
        area += work;
        weighted += (double)wait * work;
        squares += (double)wait * (double)wait;
    }
    qsort(waits, n, sizeof *waits, compare_int64);
    m->mean_wait_s = (double)sum / (double)n;
    m->mean_response_s = (double)response / (double)n;
    m->median_wait_s = waits[percentile(n, 50)];
    m->p95_wait_s = waits[percentile(n, 95)];
    m->p99_wait_s = waits[percentile(n, 99)];
    m->max_wait_s = waits[n - 1];
    m->area_weighted_wait_s = area > 0 ? weighted / area : 0;
    m->quadratic_wait_s = sqrt(squares / (double)n);
    m->proc_hours = area / 3600.0;
}

static void fill_slowdowns(
    const struct metric_job *jobs, size_t n, double *b, struct metrics *m)
{
    double sum = 0, per_proc = 0;

    for (size_t i = 0; i < n; i++) {
        b[i] = slowdown(&jobs[i], 1.0);
        sum += b[i];
        per_proc += slowdown(&jobs[i], jobs[i].procs);
    }
    qsort(b, n, sizeof *b, compare_double);
    m->mean_bsld = sum / (double)n;
    m->mean_pp_bsld = per_proc / (double)n;
    m->median_bsld = b[percentile(n, 50)];
    m->p95_bsld = b[percentile(n, 95)];
    m->p99_bsld = b[percentile(n, 99)];
    m->max_bsld = b[n - 1];
}

/* Busy processor-seconds within [from, to]. */
static double busy(const struct metric_job *jobs, size_t n, int64_t from, int64_t to)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++) {
        int64_t begin = jobs[i].start_at > from ? jobs[i].start_at : from;
        int64_t end = jobs[i].end_at < to ? jobs[i].end_at : to;

        if (end > begin)
            sum += (double)(end - begin) * jobs[i].procs;
    }
    return sum;
}

static double share(double busy_s, int64_t procs, int64_t span)
{
    return procs > 0 && span > 0 ? busy_s / ((double)procs * (double)span) : 0;
}

void metrics_compute(
    const struct metric_job *jobs, size_t n, int64_t procs, struct metrics *ret)
{
    struct metrics m = {.jobs = n};
    int64_t first, last_submit, last_end;
    int64_t *waits;
    double *slowdowns;

    *ret = m;
    if (n == 0)
        return;
    first = last_submit = jobs[0].submit_at;
    last_end = jobs[0].end_at;
    for (size_t i = 1; i < n; i++) {
        if (jobs[i].submit_at < first)
            first = jobs[i].submit_at;
        if (jobs[i].submit_at > last_submit)
            last_submit = jobs[i].submit_at;
        if (jobs[i].end_at > last_end)
            last_end = jobs[i].end_at;
    }
    waits = xmalloc(n * sizeof *waits);
    slowdowns = xmalloc(n * sizeof *slowdowns);
    fill_waits(jobs, n, waits, &m);
    fill_slowdowns(jobs, n, slowdowns, &m);
    free(waits);
    free(slowdowns);
    m.makespan_s = last_end - first;
    m.utilization = share(busy(jobs, n, first, last_end), procs, m.makespan_s);
    m.utilization_window =
        share(busy(jobs, n, first, last_submit), procs, last_submit - first);
    *ret = m;
}
