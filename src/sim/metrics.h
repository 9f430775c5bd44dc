/* SPDX-License-Identifier: Apache-2.0
 * What a schedule is judged by. Definitions: reference scheduling-algorithms section 1
 * and golden schedules. Over the jobs that completed, nothing trimmed at either end. */
#ifndef MAUI_SIM_METRICS_H
#define MAUI_SIM_METRICS_H

#include <stddef.h>
#include <stdint.h>

/* One completed job; wait = start - submit, run = end - start. */
struct metric_job {
    int64_t submit_at, start_at, end_at;
    uint32_t procs;
};

/* Times in seconds. Percentile k: sorted ascending, the value at index floor(k * n).
 * Bounded slowdown: max(1, (wait + run) / max(run, 10)); its per-processor form has
 * procs * max(run, 10) below. All 0 when there are no jobs. */
struct metrics {
    uint64_t jobs;
    double mean_wait_s;
    int64_t median_wait_s, p95_wait_s, p99_wait_s, max_wait_s;
    double mean_bsld, median_bsld, p95_bsld, p99_bsld, max_bsld;
    double mean_pp_bsld;
    double mean_response_s;      /* wait + run */
    double area_weighted_wait_s; /* sum of wait * run * procs / sum of run * procs */
    double quadratic_wait_s;     /* sqrt(sum of wait^2 / n) */
    double utilization;          /* over the makespan */
    double utilization_window;   /* from the first submit to the last */
    int64_t makespan_s;          /* last end - first submit */
    double proc_hours;           /* delivered */
};

/* `procs` of the machine. O(n log n). */
void metrics_compute(
    const struct metric_job *jobs, size_t n, int64_t procs, struct metrics *ret);

#endif
