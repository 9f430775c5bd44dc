/* SPDX-License-Identifier: Apache-2.0
 * What the parameters SIM... make of a trace: of its nodes, of each job as it is
 * submitted, and of when that is. The same for maui sim and for a simulation that is
 * served. Source: reference parameters, section 5.18; traces-and-simulation, section 4.
 */
#ifndef MAUI_SIM_EXPERIMENT_H
#define MAUI_SIM_EXPERIMENT_H

#include "config/simcfg.h"
#include "sim/machine.h"
#include "sim/workload.h"

/* SIMNODECONFIGURATION, SIMNODECOUNT, and of SIMFLAGS IGNFRAME. `nodes` is what
 * m->trace points to, if anything: what is left out is taken from it. To be called
 * before the workload is read, and again when only that told the machine. */
void experiment_machine(
    const struct settings *cfg, struct machine *m, struct restrace *nodes);

/* Processors of the job: SIMRANDOMIZEJOBSIZE. */
uint32_t experiment_procs(
    const struct settings *cfg, const struct workload *w, const struct trace_job *t);

/* What workload_job_desc() has made of the job, as it is to be submitted:
 * SIMWCSCALINGPERCENT, SIMWCACCURACYCHANGE, SIMRANDOMIZEJOBSIZE, SIMFLAGS,
 * SIMDEFAULTJOBFLAGS, SIMIGNOREJOBFLAGS. */
void experiment_job(const struct settings *cfg, const struct workload *w,
    const struct trace_job *t, struct job_desc *job, struct req_desc *req);

/* The first instant: that of the first submission (with `shift` added), or
 * SIMSTARTTIME. -1 when that is no time. */
int experiment_start(const struct settings *cfg, const struct workload *w,
    int64_t shift, int64_t *ret_at, struct err *err);

/* ---- when jobs are submitted: SIMJOBSUBMISSIONPOLICY ---- */

struct submission {
    enum sim_submission policy; /* not UNSET */
    int64_t jobs;               /* how many wait, or */
    double ps;                  /* how many processor seconds: of the first so many */
};

/* `otherwise`: where nothing is configured. -1 when nothing would ever be submitted. */
int submission_of(const struct settings *cfg, const struct workload *w,
    enum sim_submission otherwise, struct submission *ret, struct err *err);

/* Is one more to be submitted, whatever its time, when so much waits? */
bool submission_wants(const struct submission *s, size_t jobs, double ps);

#endif
