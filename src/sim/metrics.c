/* SPDX-License-Identifier: Apache-2.0
 * Sums and percentiles over a finished schedule. */
#include "sim/metrics.h"

#include "base/xalloc.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>

#define BSLD_TAU 10 /* seconds: shorter runs count as that long */

/* The value that would be at place `at` if v[first..last] were sorted; then none before
 * it is larger and none behind it smaller (Hoare's selection, as Wirth wrote it). O(n),
 * where sorting would be a thirtieth of a whole replay. */
static double select_value(double *v, ptrdiff_t first, ptrdiff_t last, ptrdiff_t at)
{
    while (first < last) {
        double pivot = v[at];
        ptrdiff_t i = first, k = last;

        do {
            while (v[i] < pivot)
                i++;
            while (v[k] > pivot)
                k--;
            if (i <= k) {
                double low = v[k];

                v[k--] = v[i];
                v[i++] = low;
            }
        } while (i <= k);
        if (k < at)
            first = i;
        if (at < i)
            last = k;
    }
    return v[at];
}

/* What is told of the distribution of n > 0 values, which get another order. */
struct spread {
    double median, p95, p99, max;
};

/* Index of the percentile in a sorted array of n. */
static ptrdiff_t percentile(size_t n, unsigned percent)
{
    return (ptrdiff_t)(n / 100 * percent + n % 100 * percent / 100);
}

static struct spread spread_of(double *v, size_t n)
{
    ptrdiff_t last = (ptrdiff_t)n - 1;
    ptrdiff_t median = percentile(n, 50), p95 = percentile(n, 95);
    struct spread s;

    s.median = select_value(v, 0, last, median);
    s.p95 = select_value(v, median, last, p95);
    s.p99 = select_value(v, p95, last, percentile(n, 99));
    s.max = select_value(v, percentile(n, 99), last, last);
    return s;
}

static double slowdown(const struct metric_job *j, double procs)
{
    int64_t run = j->end_at - j->start_at;
    double least = (double)(run > BSLD_TAU ? run : BSLD_TAU) * procs;
    double s = (double)(j->end_at - j->submit_at) / least;

    return s > 1.0 ? s : 1.0;
}

static void fill_waits(
    const struct metric_job *jobs, size_t n, double *waits, struct metrics *m)
{
    struct spread s;
    double area = 0, weighted = 0, squares = 0;
    int64_t sum = 0, response = 0;

    for (size_t i = 0; i < n; i++) {
        int64_t wait = jobs[i].start_at - jobs[i].submit_at;
        double work = (double)(jobs[i].end_at - jobs[i].start_at) * jobs[i].procs;

        waits[i] = (double)wait; /* exact: less than 2^53 s */
        sum += wait;
        response += jobs[i].end_at - jobs[i].submit_at;
        area += work;
        weighted += (double)wait * work;
        squares += (double)wait * (double)wait;
    }
    s = spread_of(waits, n);
    m->mean_wait_s = (double)sum / (double)n;
    m->mean_response_s = (double)response / (double)n;
    m->median_wait_s = (int64_t)s.median;
    m->p95_wait_s = (int64_t)s.p95;
    m->p99_wait_s = (int64_t)s.p99;
    m->max_wait_s = (int64_t)s.max;
    m->area_weighted_wait_s = area > 0 ? weighted / area : 0;
    m->quadratic_wait_s = sqrt(squares / (double)n);
    m->proc_hours = area / 3600.0;
}

static void fill_slowdowns(
    const struct metric_job *jobs, size_t n, double *b, struct metrics *m)
{
    double sum = 0, per_proc = 0;
    struct spread s;

    for (size_t i = 0; i < n; i++) {
        b[i] = slowdown(&jobs[i], 1.0);
        sum += b[i];
        per_proc += slowdown(&jobs[i], jobs[i].procs);
    }
    s = spread_of(b, n);
    m->mean_bsld = sum / (double)n;
    m->mean_pp_bsld = per_proc / (double)n;
    m->median_bsld = s.median;
    m->p95_bsld = s.p95;
    m->p99_bsld = s.p99;
    m->max_bsld = s.max;
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
    double *values;

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
    values = xmalloc(n * sizeof *values);
    fill_waits(jobs, n, values, &m);
    fill_slowdowns(jobs, n, values, &m);
    free(values);
    m.makespan_s = last_end - first;
    m.utilization = share(busy(jobs, n, first, last_end), procs, m.makespan_s);
    m.utilization_window =
        share(busy(jobs, n, first, last_submit), procs, last_submit - first);
    *ret = m;
}
