/* SPDX-License-Identifier: Apache-2.0
 * What limits of a node (NODECFG, CLASSCFG) let jobs have of it, besides what there is.
 *
 *     node 4, 8 processors, MAXPROC 6, MAXPROCPERUSER 3
 *     dedicated       4 processors, 2 of them to john
 *     john may have   1 = 3 - 2          mary may have   2 = 6 - 4
 *
 * Pure functions of their arguments. Source: reference concepts 5. */
#ifndef MAUI_PLAN_NODES_NODELIMIT_H
#define MAUI_PLAN_NODES_NODELIMIT_H

#include "cluster/cluster.h"
#include "cluster/node.h"
#include "cluster/taskdef.h"

/* Processors that jobs dedicate on a node: of all, of the newcomer's user, of its
 * class. */
struct nodelimit_procs {
    int64_t all, user, cls;
};

/* Processors a newcomer may take before a limit of the node (MAXPROC, MAXPROCPERUSER,
 * MAXPROC[CLASS:c], the class's MAXPROCPERNODE, those for who shares none) is passed;
 * INT64_MAX = no limit. */
int64_t nodelimit_procs_left(const struct cluster *c, const struct taskdef *def,
    const struct node *n, const struct nodelimit_procs *used);

/* Most processors jobs of the class may use on the node; INT64_MAX = no limit. */
int64_t nodelimit_class_procs(
    const struct cluster *c, const struct node *n, uint32_t cls);

/* Are there fewer processors for jobs like this, which share none, than there are? */
bool nodelimit_has_unshared(const struct taskdef *def, const struct node *n);

/* Does the class itself say so for every node? */
bool nodelimit_class_limited(const struct cluster *c, uint32_t cls);

/* Processor equivalents of one task on the node: its largest share of any resource. */
double nodelimit_task_pe(const struct taskdef *def, const struct node *n);
/* What MAXPEPERJOB lets one job have, in processor equivalents. */
double nodelimit_maxpe(const struct node *n);

#endif
