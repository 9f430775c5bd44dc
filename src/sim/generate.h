/* SPDX-License-Identifier: Apache-2.0
 * Workloads made up: sizes, run times and the daily cycle after
 *
 *   U. Lublin and D. Feitelson, The workload on parallel supercomputers: modeling the
 *   characteristics of rigid jobs, J. of Parallel and Distributed Computing 63(11),
 *   2003 (the parameters of the combined batch and interactive stream),
 *
 * and on top of it, as the model has none: users whose activity follows Zipf's law,
 * groups, accounts, estimates as people round them (D. Tsafrir and others, Modeling
 * user runtime estimates, 2005: few values, a good share asks for the maximum),
 * classes by estimate, and memory (of no effect where the machine tells none).
 *
 * Sizes: one processor with probability 0.244, else two-stage uniform in log2 of the
 * size between 0.8 and log2 P, with 0.86 below log2 P - 2.5; a power of two with
 * probability 0.576. Run time: e^x seconds, x from gamma(4.2, 0.94) with probability
 * 0.78 - 0.0054 size, else from gamma(312, 0.03), at most 12. Gaps between arrivals:
 * e^x, x from gamma(10.2303, 0.4871), stretched to reach the load asked for, and bent
 * to the daily cycle: the density of gamma(8.1737, 3.9631) over half hours from 5:30.
 *
 * The same parameters give the same bytes on every machine. */
#ifndef MAUI_SIM_GENERATE_H
#define MAUI_SIM_GENERATE_H

#include "sim/workload.h"

#include <stdint.h>

struct generate_options {
    uint64_t jobs;  /* that many jobs, or */
    int64_t span_s; /* as many as fill that time; the other is 0 */
    uint64_t seed;
    double load;    /* offered: work / (procs * span); > 0 */
    uint32_t users; /* >= 1 */
    int64_t procs;  /* of the machine, >= 1 */
};

/* "N" jobs or "Nd" days into jobs and span_s. */
int generate_parse(const char *text, struct generate_options *ret, struct err *err);

/* Fill `w`, which is empty, with jobs submitted from time 0 on, a midnight. Users are
 * "user1" (the busiest) and so on, groups "group1", accounts "account1", classes
 * "short" (at most 1 h), "batch" (12 h), "long" (48 h). Call workload_finish() after.
 */
void generate_workload(struct workload *w, const struct generate_options *o);

#endif
