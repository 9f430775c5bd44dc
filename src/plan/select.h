/* SPDX-License-Identifier: Apache-2.0
 * Which nodes: static fit of a task definition on a node, tasks a node can take
 * right now, and the choice among candidates by NODEALLOCATIONPOLICY and node
 * sets. Pure functions of their arguments. Source: reference node-allocation. */
#ifndef MAUI_PLAN_SELECT_H
#define MAUI_PLAN_SELECT_H

#include "cluster/cluster.h"

/* ---- feasible.c: could it ever run there? ----------------------------------- */

/* Does the node's configuration satisfy every constraint of `def` (features, OS,
 * arch, network, comparisons, class, EXACTPROC, hosts and exclude lists, room for
 * max(1, TPN) tasks)? State and present use do not matter here. On false, *ret_why
 * (if not NULL) names the first constraint in words (static text). O(features). */
bool feasible_node(const struct cluster *c, const struct taskdef *def,
    const struct node *n, const char **ret_why);

/* Tasks of `def` the node could hold when empty (0 = none). TPN: rounded down to a
 * multiple. Class initiators and generic resources count. */
uint32_t feasible_tasks(const struct cluster *c, const struct taskdef *def,
    const struct node *n);

/* ---- avail.c: what can it take now? ----------------------------------------- */

/* Tasks of the job's request that the node can take at this moment: state and
 * expected state, NODEAVAILABILITYPOLICY, NODELOADPOLICY, class initiators, generic
 * resources, NODEACCESSPOLICY of the job and of the jobs already there, MAXJOB and
 * the other node limits, TPN. Reservations are not looked at. O(jobs on the node). */
uint32_t avail_tasks_now(const struct cluster *c, const struct job *j,
    const struct taskdef *def, const struct node *n);

/* ---- nodealloc.c: the choice ------------------------------------------------ */

/* Levels in the order in which they are used up (node-allocation.md 3). */
enum affinity { AFFINITY_REQUIRED, AFFINITY_POSITIVE, AFFINITY_NEUTRAL, AFFINITY_NONE,
    AFFINITY_NEGATIVE, AFFINITY_PREEMPTIBLE, AFFINITY_LEVELS };

struct cand {
    uint32_t node;
    uint32_t tasks;       /* tasks it offers over the whole wanted interval, >= 1 */
    int64_t free_until;   /* instant it stops offering them, TIME_NEVER = unlimited */
    enum affinity affinity;
};

struct nodealloc {
    const struct cluster *c;
    const struct job *j;
    const struct req *req;           /* tasks, nodes, task definition */
    const struct par_settings *par;  /* policy unless the taskdef names its own */
    int64_t start_at, end_at;        /* wanted interval */
    bool immediate;                  /* start now, rather than a future reservation */
    uint32_t req_index;              /* copied to the allocation's pieces */
};

/* Choose from `n` candidates given in RM order (reordered in place) exactly
 * req->tasks tasks (on exactly req->nodes nodes when that is set and EXACTNODE or
 * the explicit count demands it), obeying host list, affinity levels, policy, node
 * sets and task distribution. Appends runs to *ret (RM order is not implied: the
 * order is the order of choice, neighbours merged). -1 when they do not suffice;
 * then *ret is unchanged and *ret_code says WAIT_RESOURCES or WAIT_NODESET.
 * O(n log n). */
int nodealloc_choose(const struct nodealloc *a, struct cand *cands, size_t n,
    struct allocs *ret, enum wait_code *ret_code);

/* Node priority of policy PRIORITY (PRIORITYF) for one node. */
double nodeprio_value(const struct nodealloc *a, const struct cand *cand);

/* ---- nodeset.c -------------------------------------------------------------- */

/* Reduce the candidates (in place) to those that NODESETPOLICY lets the job use;
 * returns how many are left. `mandatory` = NODESETDELAY is not 0: 0 means no set
 * suffices. Otherwise the candidates stay as they are when no set suffices. */
size_t nodeset_filter(const struct nodealloc *a, struct cand *cands, size_t n,
    bool mandatory);

/* The node set in force for a request: of the job, else of the partition; NULL =
 * none (also for jobs with a host list). */
const struct nodeset_spec *nodeset_of(const struct nodealloc *a);

#endif
