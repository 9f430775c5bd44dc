/* SPDX-License-Identifier: Apache-2.0
 * The accounting of Slurm as a trace: what `sacct --parsable2` writes, a line of titles
 * and one of each job, fields between "|". */
#ifndef MAUI_SIM_SACCT_H
#define MAUI_SIM_SACCT_H

#include "sim/workload.h"
#include "trace/lines.h"

/* Is that its line of titles? */
bool sacct_is_titles(const char *line);

/* Read all records into `w` by the rules. The columns that count are found by their
 * titles, in any order: JobID, Submit, Start, a length of the run (ElapsedRaw or
 * Elapsed, else End), processors (AllocCPUS, else NCPUS, and ReqCPUS); as far as they
 * are there, TimelimitRaw or Timelimit, User, Group, Account, Partition (the class) and
 * QOS. Instants are seconds (SLURM_TIME_FORMAT=%s), or local times of the zone in force
 * here. Steps (JobID 17.0) are passed over. Jobs that did not start or have not ended
 * did not run. Other records that cannot be used are reported to `d` and left out.
 * Fails on read errors and where a column is missing. */
int sacct_read(struct lines *in, struct workload *w, const struct workload_rules *r,
    struct diag *d, struct err *err);

#endif
