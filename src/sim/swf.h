/* SPDX-License-Identifier: Apache-2.0
 * The Standard Workload Format of the Parallel Workloads Archive, version 2: 18
 * numbers a line, comments and header after ";". */
#ifndef MAUI_SIM_SWF_H
#define MAUI_SIM_SWF_H

#include "sim/workload.h"
#include "trace/lines.h"

#include <stdio.h>

/* Read all records into `w` by the rules. Numbers become names: user 12 is "user12",
 * group 3 "group3", queue 1 class "q1". Partition, executable, status, wait time and
 * what the job used are ignored; so is requested memory (KB a processor, rounded up to
 * MB) unless the rules say otherwise. Fractions are tolerated and cut off. Records
 * that cannot be used are reported to `d` and left out. Fails on read errors only.
 * Cost: about 0.1 us a record plus decompression. */
int swf_read(struct lines *in, struct workload *w, const struct workload_rules *r,
    struct diag *d, struct err *err);

/* Write the workload as SWF: a header (`procs` = MaxProcs, `note` one line) and a
 * record for each job. Names that are not of the reader's form are numbered by first
 * appearance. -1 on write errors (errno). */
int swf_write(FILE *out, const struct workload *w, int64_t procs, const char *note);

#endif
