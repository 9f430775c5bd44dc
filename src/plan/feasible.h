/* SPDX-License-Identifier: Apache-2.0
 * Could it ever run there? What a node's configuration lets a task definition do,
 * whatever is on the node now. Pure functions of their arguments. */
#ifndef MAUI_PLAN_FEASIBLE_H
#define MAUI_PLAN_FEASIBLE_H

#include "cluster/cluster.h"
#include "cluster/node.h"
#include "cluster/taskdef.h"

/* Why a node can never run a task. */
enum misfit {
    MISFIT_NONE,
    MISFIT_GLOBAL,
    MISFIT_EXCLUDED,
    MISFIT_OS,
    MISFIT_ARCH,
    MISFIT_FEATURE,
    MISFIT_NETWORK,
    MISFIT_PROCS, /* the node's own amounts are not those compared with */
    MISFIT_MEM,
    MISFIT_SWAP,
    MISFIT_DISK,
    MISFIT_CLASS,
    MISFIT_EXACTPROC,
    MISFIT_TASKS_PER_NODE,
    MISFIT_TOO_SMALL,
    MISFIT_PARTITION, /* nobody here says so, but who knows the job's partitions */
    MISFITS
};

/* What the node is or does, to follow its name: "lacks a feature". Static. */
const char *misfit_text(enum misfit why);

/* Does the node's configuration satisfy every constraint of `def` (features, OS,
 * arch, network, comparisons, class, EXACTPROC, exclude list, node limits, room for
 * max(1, TPN) tasks)? State and present use do not matter here. The host list does
 * not either: a list too short for the request is filled up with other nodes, which
 * only the request can tell; see feasible_hosts_only(). *ret_why (if not NULL) says why
 * not. O(features). */
bool feasible_node(const struct cluster *c, const struct taskdef *def,
    const struct node *n, enum misfit *ret_why);

/* Tasks of `def` the node could hold when empty (0 = none). TPN: rounded down to a
 * multiple. Class initiators, node-locked generic resources and the node's limits on
 * processors count; floating generic resources do not. */
uint32_t feasible_tasks(
    const struct cluster *c, const struct taskdef *def, const struct node *n);

/* Has the request a host list that can hold all of it? Then only listed nodes may be
 * used. False without a list, and for a short list: then every listed node must be
 * used, and others as well. (JOB_IGNHOSTLIST is the caller's to look at.)
 * O(hosts log hosts). */
bool feasible_hosts_only(const struct cluster *c, const struct req *r);

/* Do the request's lists let it use the node: the hosts to leave out, and a host list
 * that can hold all of it? For those who know the answer of feasible_node() for nodes
 * of that kind, but for what names single ones. `hosts_only` is what
 * feasible_hosts_only() says of the request: asked once, not for each node. O(hosts) */
bool feasible_listed(const struct cluster *c, const struct req *r, bool hosts_only,
    const struct node *n);

#endif
