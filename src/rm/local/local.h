/* SPDX-License-Identifier: Apache-2.0
 * The local resource manager: real processes of this machine as jobs on virtual nodes.
 *
 * SPOOL/                 one driver at a time (lock)
 *   counter              no number up to this one is given to a job again
 *   new/ID/              a submission being written, not acknowledged; or a job that is
 *                        accounted for and goes, bit by bit
 *   jobs/ID/             a job: complete from the moment it has this name
 *     request.json       what was asked; never changes
 *     script environment as submitted
 *     state.json         what the scheduler changed since: holds, wall limit
 *     run.json           its keeper's: where and since when it runs
 *     end.json           its keeper's: how it ended, or that it is queued again
 *     lock control       its keeper's: held while it lives; commands to it
 *     nodes tmp/         PBS_NODEFILE, TMPDIR
 *   arrays/N/            a job array, whole: its jobs N[i] that have no folder yet
 *     request.json       what was asked for all, with their indexes; names of files are
 *                        patterns
 *     script environment as submitted
 *     log                "FIRST-LAST NAME TEXT", a line once something became of jobs:
 *                        their state.json, their end.json, or "left": nothing of them
 *                        is here any more, they have got a folder or are gone
 *   news/ID              "look at the end of job ID"; watched
 *   control              answers of keepers
 *
 * A file is whole or absent: written beside, then renamed. What a folder holds tells
 * the job's state, so nothing else needs to survive:
 *
 *   end.json, not requeued            it has ended
 *   run.json, lock held               it runs
 *   run.json, lock free, no end.json  its keeper was killed: to be cleaned up
 *   anything else                     it is queued
 *
 * Attributes of RMCFG[]: SPOOLDIR, NODES (N[xP]), KEEPTIME (of ended jobs' folders),
 * KILLGRACE (between TERM and KILL), CGROUP (folder to make a control group of each job
 * in; NONE). */
#ifndef MAUI_RM_LOCAL_LOCAL_H
#define MAUI_RM_LOCAL_LOCAL_H

#include "rm/rm.h"

const struct rm_driver *rm_local_driver(void);

#endif
