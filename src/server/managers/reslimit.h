/* SPDX-License-Identifier: Apache-2.0
 * RESOURCELIMITPOLICY: jobs that use more processors, memory, swap or disk than they
 * asked for, as far as the resource manager tells, are told of and cancelled, requeued
 * or suspended. Processors: processor time between two reports, a few seconds apart at
 * least, over the time; a twentieth more than asked is let pass, as measuring is not
 * exact. The others: the most so far; a job that asked for none is not limited. Private
 * to src/server. */
#ifndef MAUI_SERVER_RESLIMIT_H
#define MAUI_SERVER_RESLIMIT_H

#include "config/kinds.h"

#include <stdbool.h>

struct job;
struct server;

/* Of one job; part of its notes. A zeroed one is of a job that was not looked at. */
struct job_usage {
    double cpu_s; /* of the report that the next is compared with ... */
    int64_t at;   /* ... and when that was; 0 = none yet */
    double procs; /* used since the one before */
    int64_t since[USAGE_RESOURCES]; /* it uses too much; 0 = it does not */
};

/* A report of its running: processor time so far, < 0 = not known. */
void reslimit_measure(struct job_usage *u, double cpu_s, int64_t now);

/* Does it use more than `asked`, by the tolerance above? */
bool reslimit_exceeded(enum usage_res res, double used, double asked);

/* Is it the policy that says what is done with the placed job when it uses more memory
 * than it asked for, and at once ending it is not what it says? */
bool reslimit_decides_memory(const struct server *s, const struct job *j);

/* Look at all active jobs and act. O(active jobs), nothing when no limit is in force.
 */
void reslimit_check(struct server *s);

#endif
