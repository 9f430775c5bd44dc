/* SPDX-License-Identifier: Apache-2.0
 * What profiler makes of the records of workload traces. Source: reference
 * traces-and-simulation, sections 5 and 7. */
#ifndef MAUI_CLIENT_TRACESTATS_H
#define MAUI_CLIENT_TRACESTATS_H

#include "base/names.h"
#include "base/vec.h"
#include "engine/statistics/statistics.h"
#include "trace/jobtrace.h"

struct tracestats_options {
    int64_t begin_at, end_at;                    /* of starts; end 0 = none */
    const char *accounts, *groups, *users, *qos; /* colon lists, NULL = all */
    const char *master;                          /* first host, NULL = any */
    int64_t count;                               /* records to take, 0 = all */
    bool fix, removed, canonical, queue_time, by_run;
    /* bounds of the grid; steps of one ratio, or step_* apart when that is not 0 */
    int64_t procs_max, procs_steps, procs_step;
    int64_t time_max_s, time_steps, time_step_s;
};
struct tracestats_options tracestats_defaults(void);

/* A job that counts. Seconds; instants are UTC. */
struct tracestats_job {
    int64_t submit_at, start_at, end_at;
    int64_t queue_s, run_s, limit_s, procs, mem_mb;
    double xfactor, accuracy, util_ps; /* accuracy = run / limit; util < 0 = unknown */
};

/* Sums of some of the jobs. */
struct tracestats_sums {
    struct stat_sums sums;
    double accuracy_squares, run_s, limit_s;
};

enum tracestats_kind {
    TRACESTATS_USER,
    TRACESTATS_GROUP,
    TRACESTATS_ACCOUNT,
    TRACESTATS_KINDS
};

struct tracestats_table {
    struct names *names;
    struct VEC(struct tracestats_sums) rows; /* by id of the name */
};

struct tracestats {
    struct tracestats_options opt;
    struct stat_grid grid;
    struct tracestats_sums total;
    struct tracestats_table tables[TRACESTATS_KINDS];
    struct VEC(struct tracestats_job) jobs; /* in the order of the traces */
    int64_t last_start_at;
    uint64_t left_out, mended;
};

void tracestats_init(struct tracestats *p, const struct tracestats_options *opt);
void tracestats_fini(struct tracestats *p);

/* Count the record, if it is one that is wanted. -1 with a sentence when it contradicts
 * itself: left out, or with options.fix counted as it was probably meant. *ret_late_s:
 * not 0 when it started so long before the record in front of it that the trace is out
 * of order. */
int tracestats_add(struct tracestats *p, const struct jobtrace *record,
    int64_t *ret_late_s, struct err *err);

/* Enough records? */
bool tracestats_full(const struct tracestats *p);

#endif
