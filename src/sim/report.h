/* SPDX-License-Identifier: Apache-2.0
 * What a replay leaves behind: job and decision files, figures as JSON, and a summary
 * for a person. */
#ifndef MAUI_SIM_REPORT_H
#define MAUI_SIM_REPORT_H

#include "sim/metrics.h"
#include "sim/run.h"

#include <jansson.h>
#include <stdio.h>

/* One configuration's replay and what it cost. */
struct outcome {
    const char *config; /* file, or "defaults"; borrowed */
    struct run_result result;
    struct metrics metrics;
    struct occupancy occupancy;    /* if it was asked for; owned */
    double wall_s, cpu_s;          /* of the replay alone */
    uint64_t later_1h, later_1day; /* jobs that start later than in the first outcome
                                      by more than that */
};

/* What was replayed, for the head of the summary. */
struct study {
    const struct workload *w;
    const struct machine *m;
    const char *source; /* file names, or how it was generated */
    const char *how;    /* cycle and overrun in words; may be NULL */
    uint64_t bad;       /* records that could not be read */
    double read_s;      /* wall time of reading */
    long peak_rss_kb;
};

void outcome_fini(struct outcome *o);
/* Fill metrics from the result. */
void outcome_judge(struct outcome *o, const struct workload *w, int64_t procs);
/* Fill later_1h and later_1day. */
void outcome_compare(struct outcome *o, const struct outcome *first, size_t jobs);

/* TSV with a head line: job_id submit start end procs user, sorted by job id in natural
 * order, of all jobs that were started. -1 on write errors (errno). */
int report_jobs(FILE *out, const struct workload *w, const struct run_result *r);

/* One JSON object and a new line for a decision: time, event, job, and by kind procs,
 * backfill, nodes, until, text. */
void report_decision(FILE *out, const struct run_decision *d);

/* The same for a line of the scenario: time, event "scenario", done, line, command,
 * text; or event "lost" and text. */
void report_told(FILE *out, const struct scenario *scenario, const struct run_told *t);

/* The figures of one outcome; owned by the caller (json_decref). */
json_t *report_json(const struct study *s, const struct outcome *o);

/* For a person: one outcome in words, several side by side. `n` >= 1. */
void report_summary(
    FILE *out, const struct study *s, const struct outcome *o, size_t n);

#endif
