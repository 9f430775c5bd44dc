/* SPDX-License-Identifier: Apache-2.0
 * Looks at jobs: each record of Slurm is told as the jobs that it is. */
#ifndef MAUI_RM_SLURM_LOOKS_H
#define MAUI_RM_SLURM_LOOKS_H

#include "rm/slurm/adapter.h"

/* Look at all jobs, if anything has changed. 0; -1 where Slurm does not answer, which
 * is told. Cost: the table is read whole. */
int looks_poll(struct adapter *a);
/* Has somebody ended just now, and may a dependency be fulfilled by it that Slurm alone
 * can judge? Slurm tells of that nowhere but in the table. */
bool looks_await_fulfilment(const struct adapter *a);
/* Look at one job, whose order is pending. 0, or -1 with errno. */
int looks_job(struct adapter *a, const char *id);

#endif
