/* SPDX-License-Identifier: Apache-2.0
 * How long a job of a trace runs in a simulation. */
#ifndef MAUI_SIM_SCALING_H
#define MAUI_SIM_SCALING_H

#include "sim/workload.h"

struct cluster;
struct job;
struct settings;

/* SIMWCSCALINGPERCENT of a time of the trace, in seconds. */
int64_t scaling_time(const struct settings *cfg, int64_t seconds);

/* The run time of the job where it was started, in seconds: that of the trace, or of
 * its limit what SIMWCACCURACY says; where speed counts (USEMACHINESPEED, or
 * SIMSCALEJOBRUNTIME) half of it on a node of speed 2. `j` is the job as the engine has
 * it. */
int64_t scaling_run(const struct settings *cfg, const struct cluster *c,
    const struct trace_job *t, const struct job *j);

#endif
