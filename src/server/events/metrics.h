/* SPDX-License-Identifier: Apache-2.0
 * Figures of the daemon itself for monitoring, as Prometheus reads them (text format
 * 0.0.4). What is counted here costs O(1) each time; the page itself O(jobs), of which
 * the walk over the jobs is made anew each five seconds at most. Private to src/server.
 */
#ifndef MAUI_SERVER_METRICS_H
#define MAUI_SERVER_METRICS_H

#include "base/strbuf.h"
#include "rm/rm.h"

struct server;

#define HISTOGRAM_BUCKETS 12

/* Durations by upper bounds, in seconds. A zeroed one with its bounds is empty. */
struct histogram {
    const double *bounds; /* ascending, 0 ends */
    uint64_t counts[HISTOGRAM_BUCKETS + 1];
    double sum;
};

struct metrics {
    struct histogram cycle, commit, wait, rm[RM_MODIFY + 1];
    /* the walk over the jobs */
    int64_t walked_at;
    uint64_t jobs[16]; /* by what they do: metrics.c */
};

void metrics_open(struct server *s);
void histogram_add(struct histogram *h, double seconds);
/* NAME_bucket{LABELS,le="..."} and so on; labels "" or `a="b"`. */
void histogram_print(const struct histogram *h, const char *name, const char *labels,
    struct strbuf *out);

/* The page; appends. */
void metrics_print(struct server *s, struct strbuf *out);

#endif
