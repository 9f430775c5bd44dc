/* SPDX-License-Identifier: Apache-2.0
 * A workload to replay: jobs in order of submission, whatever they were read from,
 * and the rules by which records become jobs (reference golden schedules, and
 * scheduling-algorithms section 2). */
#ifndef MAUI_SIM_WORKLOAD_H
#define MAUI_SIM_WORKLOAD_H

#include "base/arena.h"
#include "base/err.h"
#include "base/names.h"
#include "base/vec.h"
#include "config/kinds.h"
#include "trace/diag.h"

#include <stdbool.h>
#include <stdint.h>

struct job_desc;
struct jobtrace;
struct req_desc;

/* A run longer than its estimate is cut at the estimate, or the estimate raised. The
 * rules of the two differ in more than that: see workload_rules. */
enum overrun { OVERRUN_KILL, OVERRUN_EXTEND };

/* One job. Texts and `more` are owned by the workload. Times are on the clock of the
 * trace. */
struct trace_job {
    const char *id;
    int64_t submit_at;
    int64_t run_s;
    int64_t wclimit_s; /* the estimate; DURATION_UNLIMITED; 0 = missing, only before
                          workload_finish() */
    uint32_t procs;    /* all tasks together */
    uint32_t mem_mb;   /* per processor, 0 = not asked */
    uint32_t cred[CRED_KINDS]; /* ids in workload.names, or NAME_NONE */
    uint32_t file, line;       /* where it was read: index into `files` */
    bool admitted; /* its resource manager let its user have what `cred` names */
    const struct jobtrace *more; /* what only a Maui trace tells, or NULL */
};

/* Why a record did not become a job. */
enum drop_reason {
    DROP_SUBMIT,    /* submitted before time 0 */
    DROP_RUN,       /* did not run or run still */
    DROP_PROCS,     /* no processors */
    DROP_WIDE,      /* more processors than the machine has */
    DROP_STATE,     /* Maui trace: state NotRun */
    DROP_DUPLICATE, /* the id was seen before */
    DROP_BAD,       /* unreadable; was reported */
    DROPS
};

struct workload {
    struct VEC(struct trace_job) jobs; /* sorted by submit_at, then as read */
    struct names *names;               /* users, groups, accounts, classes, QOS */
    struct arena texts;
    struct VEC(const char *) files; /* names of the sources */
    uint64_t dropped[DROPS];
    uint64_t overran;             /* runs longer than their estimate: cut or raised */
    uint64_t no_estimate;         /* jobs that came without one */
    double stretched;             /* by workload_set_load(); 0 = not */
    int64_t epoch;                /* UTC of time 0 of the trace, 0 = unknown */
    int64_t max_procs, max_nodes; /* machine size in the header, 0 = not told */
    bool ids_rising;              /* ids rose strictly in each file: none twice */
    bool ignore_memory;           /* set by the caller for a machine whose memory is not
                                     told: workload_job_desc() leaves mem_mb out */
    bool number_ids;              /* set by the caller when there are several files:
                                     ids get the file's number in front ("2.17") */
};

/* How records are taken. With `procs` P, the machine's processors:
 *
 * OVERRUN_KILL: processors = requested, if > 0, else allocated; wider than P is
 * dropped. A missing estimate (<= 0) is the run time. A run longer than its estimate
 * is cut to it.
 * OVERRUN_EXTEND: processors = max(requested, allocated), at most P. An estimate <= 0
 * or over 14 days is missing; where every job lacks one it is the run time, else
 * max(24 h, run time). A run longer than its estimate raises the estimate.
 *
 * Both drop jobs with submit < 0, run <= 0 or processors <= 0. */
struct workload_rules {
    enum overrun overrun;
    int64_t procs;     /* 0 = take the header's, else no limit */
    uint64_t max_jobs; /* stop after that many jobs; 0 = all */
    bool use_memory;   /* SWF: take the requested memory; else it is left out */
};

/* What a reader knows of a job before the rules. <= 0 = not told. */
struct raw_job {
    int64_t requested_procs, allocated_procs;
    int64_t estimate_s; /* DURATION_UNLIMITED allowed */
};

void workload_init(struct workload *w);
void workload_fini(struct workload *w);

/* Read the file, SWF, Maui workload trace or sacct's, plain or gzip'd; which, its first
 * lines tell. Unusable records go to `d` and are left out. May be called for several
 * files before workload_finish(); if it is, set w->number_ids first. Fails when the
 * file cannot be read or is none of them. */
int workload_read(struct workload *w, const char *path, const struct workload_rules *r,
    struct diag *d, struct err *err);

/* For readers: add a job if the rules take it, else count why not. `j` has everything
 * but procs and wclimit_s, which `raw` and the rules give; its id is copied, with the
 * number of the file in front if there are several. False = enough jobs: stop. */
bool workload_add(struct workload *w, const struct workload_rules *r,
    struct trace_job *j, const struct raw_job *raw);

/* After the last file: estimates and overruns by the rules, order by submission,
 * jobs with an id seen before dropped. */
void workload_finish(
    struct workload *w, const struct workload_rules *r, struct diag *d);

/* Drop jobs wider than that, where the machine was not known before. */
void workload_narrow(struct workload *w, int64_t procs);

/* The work of all jobs, as a share of what `procs` processors can do between the first
 * and the last submission; 0 without jobs or without time between. */
double workload_load(const struct workload *w, int64_t procs);

/* Draw submissions together, or apart, until the load is `load`: the same jobs in the
 * same order. Returns what all distances were multiplied by, 1 when there are none. */
double workload_set_load(struct workload *w, int64_t procs, double load);

/* What the engine's clock (UTC) is ahead of that of the trace, in seconds. */
int64_t workload_shift(const struct workload *w);

/* The job as the engine takes it, at `at` added to all trace times. *ret_job points
 * into *ret_req and the workload, and is good as long as they are. */
void workload_job_desc(const struct workload *w, const struct trace_job *j, int64_t at,
    struct job_desc *ret_job, struct req_desc *ret_req);

/* "user", "group" ... of a job, or NULL. */
const char *workload_cred(
    const struct workload *w, const struct trace_job *j, enum cred_kind kind);

const char *drop_reason_text(enum drop_reason r); /* "did not run or run still" */

#endif
