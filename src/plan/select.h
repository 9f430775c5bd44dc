/* SPDX-License-Identifier: Apache-2.0
 * Which nodes: static fit of a task definition on a node, tasks a node can take
 * right now, and the choice among candidates by NODEALLOCATIONPOLICY and node
 * sets. Pure functions of their arguments. Source: reference node-allocation. */
#ifndef MAUI_PLAN_SELECT_H
#define MAUI_PLAN_SELECT_H

#include "cluster/reason.h"

#include <stdbool.h>
#include <stddef.h>

struct allocs;
struct cluster;
struct job;
struct node;
struct nodeset_spec;
struct par_settings;
struct req;
struct res;
struct taskdef;

/* ---- feasible.c: could it ever run there? ----------------------------------- */

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

/* ---- avail.c: what can it take now? ----------------------------------------- */

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

/* ---- nodealloc.c: the choice ------------------------------------------------ */

/* Levels in the order in which they are used up (node-allocation.md 3). */
enum affinity {
    AFFINITY_REQUIRED,
    AFFINITY_POSITIVE,
    AFFINITY_NEUTRAL,
    AFFINITY_NONE,
    AFFINITY_NEGATIVE,
    AFFINITY_PREEMPTIBLE,
    AFFINITY_LEVELS
};

struct cand {
    uint32_t node;
    uint32_t tasks;     /* tasks it offers over the whole wanted interval, >= 1 */
    int64_t free_until; /* instant it stops offering them, TIME_NEVER = unlimited */
    enum affinity affinity;
};

struct nodealloc {
    const struct cluster *c;
    const struct job *j;
    const struct req *req;          /* tasks, nodes, task definition */
    const struct par_settings *par; /* policy unless the taskdef names its own */
    int64_t start_at, end_at;       /* wanted interval */
    bool immediate;                 /* start now, rather than a future reservation */
    uint32_t req_index;             /* copied to the allocation's pieces */
};

/* Choose from `n` candidates given in RM order (reordered in place) exactly
 * req->tasks tasks (on exactly req->nodes nodes when the task definition says
 * EXACTNODE; otherwise nodes may be packed), obeying host list, affinity levels,
 * policy, node sets and task distribution. With TPN every node carries a multiple of
 * it, so a task count that is not a multiple never succeeds. Appends runs to *ret
 * (RM order is not implied: the order is the order of choice; neighbours chosen one
 * after the other, upwards or downwards, are one run). -1 when they do not suffice;
 * then *ret is unchanged and *ret_code says WAIT_RESOURCES or WAIT_NODESET. O(n) while
 * few values decide the order, else O(n log n). */
int nodealloc_choose(const struct nodealloc *a, struct cand *cands, size_t n,
    struct allocs *ret, enum wait_code *ret_code);

/* What else is free of a candidate over the whole interval, besides amounts; for
 * requests that share it. */
#define NODEALLOC_GRES 16
struct nodealloc_rest {
    int64_t initiators;           /* of the job's class, INT32_MAX = any number */
    int64_t procs;                /* that limits of the node allow, INT64_MAX = any */
    double pe;                    /* that MAXPEPERJOB allows; read if the node has it */
    int64_t gres[NODEALLOC_GRES]; /* of nodealloc_multi.gres */
};

/* A job of several requests, to be placed together. */
struct nodealloc_multi {
    const struct nodealloc *reqs; /* one a request: same job, partition, interval */
    uint32_t nreqs;
    const struct cand *cands; /* in RM order; their `tasks` are not read */
    size_t n;
    const uint32_t *const *tasks; /* tasks[r][i]: of request r on candidate i, if it
                                     had the candidate to itself; 0 = unusable */
    const struct res *room;       /* per candidate: what is free of it over the whole
                                     interval. NULL = not known: then requests that
                                     share a node get proportional shares of it */
    const struct nodealloc_rest *rest; /* the same with room; NULL = not known: then so
                                     they do where a node limits more than amounts */
    const uint32_t *gres; /* with rest: ids of the node-locked resources asked for */
    uint32_t ngres;
};

/* Choose nodes for all requests, together never more than a node has. Each node goes
 * to the request that is then hungriest (tasks still needed / tasks still on offer),
 * what is left of it to the next. Requests with node counts, host lists, node sets,
 * CONTIGUOUS or MAXBALANCE choose one after the other, hungriest first. A heuristic:
 * with many tasks or nodes it may miss one that needs requests to give way. Appends
 * pieces to *ret; -1 leaves it unchanged, *ret_code as above. O(requests * n). */
int nodealloc_choose_multi(
    const struct nodealloc_multi *m, struct allocs *ret, enum wait_code *ret_code);

/* ---- nodeprio.c ------------------------------------------------------------- */

/* Node priority of policy PRIORITY (PRIORITYF) for one node; terms of the moment
 * (APROCS, LOAD, ...) count for immediate starts only. */
double nodeprio_value(const struct nodealloc *a, const struct cand *cand);

/* Does the function in force on the node contain RESAFFINITY? Then affinity levels
 * positive to negative are one pool in which the function decides. */
bool nodeprio_weighs_affinity(const struct node *n);

/* ---- nodeset.c -------------------------------------------------------------- */

/* Reduce the candidates (in place, order kept) to those that the node set in force
 * lets the job use; returns how many are left. `mandatory` = NODESETDELAY is not 0: 0
 * means no set suffices. Otherwise the candidates stay as they are when no set
 * suffices. */
size_t nodeset_filter(
    const struct nodealloc *a, struct cand *cands, size_t n, bool mandatory);

/* The node set in force for a request: of the job, else of the partition; NULL =
 * none (also for jobs with a host list). */
const struct nodeset_spec *nodeset_of(const struct nodealloc *a);

#endif
