/* SPDX-License-Identifier: Apache-2.0
 * What a node can take at this moment. Source: reference concepts 3, 5, 6 and
 * node-allocation 5. */
#ifndef MAUI_PLAN_NODES_AVAIL_H
#define MAUI_PLAN_NODES_AVAIL_H

#include "cluster/cluster.h"
#include "cluster/job.h"
#include "cluster/node.h"

/* Tasks of the job's request that the node can take at this moment: state and
 * expected state, NODEAVAILABILITYPOLICY, NODELOADPOLICY, class initiators, generic
 * resources, NODEACCESSPOLICY of the job and of the jobs already there, MAXJOB and
 * the other node limits, TPN. Reservations and floating generic resources are not
 * looked at. The load counts as processors in use where the policy is COMBINED or
 * UTILIZED; a tenth of a processor is taken for noise. O(jobs on the node). */
uint32_t avail_tasks_now(const struct cluster *c, const struct job *j,
    const struct taskdef *def, const struct node *n);
/* May avail_by_procs() be asked for the job? It tells the same, at less cost where
 * nothing but processors counts on the node too: a folded one's record is not read. */
bool avail_procs_only(
    const struct cluster *c, const struct job *j, const struct taskdef *def);
uint32_t avail_by_procs(const struct cluster *c, const struct job *j,
    const struct taskdef *def, uint32_t node);

#endif
