/* SPDX-License-Identifier: Apache-2.0
 * Slurm's header, with a prefix before those of its names that the scheduler has, too;
 * or what stands for it where scontrol is spoken instead (text/api.h). */
#ifndef MAUI_RM_SLURM_SLURM_NAMES_H
#define MAUI_RM_SLURM_SLURM_NAMES_H

#ifdef MAUI_SLURM_TEXT
#include "cluster/job.h"
#include "rm/slurm/text/api.h"
#define ADAPTER_RELEASE 0
#else
#define JOB_RUNNING      SLURM_JOB_RUNNING
#define JOB_SUSPENDED    SLURM_JOB_SUSPENDED
#define WAIT_DEPENDENCY  SLURM_WAIT_DEPENDENCY
#define WAIT_PRIORITY    SLURM_WAIT_PRIORITY
#define WAIT_RESOURCES   SLURM_WAIT_RESOURCES
#define WAIT_RESERVATION SLURM_WAIT_RESERVATION

#include <slurm/slurm.h>
#include <slurm/slurm_errno.h>
/* after what it needs */
#include "rm/slurm/releases.h"
#define ADAPTER_RELEASE    SLURM_VERSION_NUMBER /* 0x160508: 22.05.8 */
#define ENFORCES_LIMITS    2                    /* of accounting_storage_enforce */
#define TAKES_NEW_JOBS     1                    /* kept by a begin time, in one order */
#define UPDATE_TAKES_TASKS 1                    /* "63_[0-9]" */
/* Do jobs with processors of their own keep jobs of other partitions off, where theirs
 * lets them share? Not seen of the releases between. */
#define OWN_KEEP_OFF       (!SLURM_SINCE(26, 5))
#define TELLS_TIME         1 /* with a list of jobs */
#define UPDATE_TAKES_MARKS 1 /* the site factor */
#define UPDATE_TAKES_PARTS 1 /* "63+1", and nodes for it */
/* From 23.11 on a topology is what its plugin makes of it. */
#define TELLS_SWITCHES     (!SLURM_SINCE(23, 11))
#undef JOB_RUNNING
#undef JOB_SUSPENDED
#undef WAIT_DEPENDENCY
#undef WAIT_PRIORITY
#undef WAIT_RESOURCES
#undef WAIT_RESERVATION
#endif

#endif
