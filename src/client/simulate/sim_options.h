/* SPDX-License-Identifier: Apache-2.0
 * What `maui sim` was asked to do. */
#ifndef MAUI_CLIENT_SIM_OPTIONS_H
#define MAUI_CLIENT_SIM_OPTIONS_H

#include "base/err.h"
#include "sim/generate.h"
#include "sim/machine.h"
#include "sim/run.h"
#include "sim/workload.h"

#include <stdbool.h>

struct sim_options {
    struct VEC(const char *) traces;  /* borrowed from argv, as all texts here */
    struct VEC(const char *) configs; /* -c first (NULL: defaults), then --compare */
    struct VEC(const char *) scenarios;
    bool config_given; /* -c was */
    const char *resources;
    struct machine machine; /* nodes 0 = not given */
    bool generate;
    bool load_given;                  /* --load was: of a trace too */
    struct generate_options workload; /* of --generate; procs not filled */
    struct workload_rules rules;      /* procs not filled */
    struct run_options run;
    bool until_is_relative; /* run.until counts from the first submission */
    const char *jobs_out, *events_out, *stats_json, *trace_out;
    bool chart; /* draw the occupancy */
    int chart_width;
    int64_t chart_step_s;
    bool json; /* --format json */
    bool help;
};

/* Fill *ret, to be freed with sim_options_fini() in any case. -1 with a sentence when
 * the command line is wrong. */
int sim_options_parse(int argc, char **argv, struct sim_options *ret, struct err *err);
void sim_options_fini(struct sim_options *o);

void sim_options_help(void); /* to stdout */

#endif
