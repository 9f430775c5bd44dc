/* SPDX-License-Identifier: Apache-2.0
 * Maui workload traces: the jobs of a simulation from their records, and back. */
#ifndef MAUI_SIM_MAUITRACE_H
#define MAUI_SIM_MAUITRACE_H

#include "sim/workload.h"
#include "trace/jobtrace.h"
#include "trace/lines.h"

#include <stdio.h>

/* Read all workload records into `w` by the rules; unusable ones are reported to `d`
 * and left out. The run time is max(1, completion - the later of dispatch and start).
 * Fails on read errors, and on a version that is not known. */
int mauitrace_read(struct lines *in, struct workload *w, const struct workload_rules *r,
    struct diag *d, struct err *err);

/* Write the workload as a workload trace, VERSION line and column titles included.
 * `start_at`, if not NULL, has the start of each job (< 0: not run) in trace time, as
 * the records of a simulation; else a job starts when it is submitted. -1 on write
 * errors (errno). */
int mauitrace_write(FILE *out, const struct workload *w, const int64_t *start_at);

/* What the record adds to the plain job made by workload_job_desc(). */
void mauitrace_job_desc(
    const struct jobtrace *m, int64_t at, struct job_desc *job, struct req_desc *req);

#endif
