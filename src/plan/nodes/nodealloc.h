/* SPDX-License-Identifier: Apache-2.0
 * The choice among candidates: host lists, affinity, NODEALLOCATIONPOLICY, node sets,
 * and how the tasks spread over the nodes. Pure functions of their arguments. Source:
 * reference node-allocation 1-3.
 *
 *     candidates    node 4: 2 tasks    node 5: 4    node 6: 4    node 7: 1
 *     wanted        6 tasks, policy MAXBALANCE
 *     chosen        node 6: 4 tasks    node 5: 2
 */
#ifndef MAUI_PLAN_NODES_NODEALLOC_H
#define MAUI_PLAN_NODES_NODEALLOC_H

#include "base/vec.h"
#include "cluster/cluster.h"
#include "cluster/job.h"
#include "cluster/node.h"
#include "cluster/reason.h"
#include "cluster/taskdef.h"
#include "plan/nodes/room.h"

/* Levels, in the order of use. Source: reference node-allocation 3. */
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
struct cand_list VEC(struct cand);

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

/* A job of several requests, to be placed together. */
struct nodealloc_multi {
    const struct nodealloc *reqs; /* one a request: same job, partition, interval */
    uint32_t nreqs;
    const struct cand *cands; /* in RM order; their `tasks` are not read */
    size_t n;
    const uint32_t *const *tasks; /* tasks[r][i]: of request r on candidate i, if it
                                     had the candidate to itself; 0 = unusable */
    const struct node_room *room; /* per candidate: what is left of it over the whole
                                     interval, with the generic resources of all
                                     requests. NULL = not known: then requests that
                                     share a node get proportional shares of it */
};

/* Choose nodes for all requests, together never more than a node has. Each node goes
 * to the request that is then hungriest (tasks still needed / tasks still on offer),
 * what is left of it to the next. Requests with node counts, host lists, node sets,
 * CONTIGUOUS or MAXBALANCE choose one after the other, hungriest first. Of a job with
 * JOB_APART no two have the same node. A heuristic:
 * with many tasks or nodes it may miss one that needs requests to give way. Appends
 * pieces to *ret; -1 leaves it unchanged, *ret_code as above. O(requests * n). */
int nodealloc_choose_multi(
    const struct nodealloc_multi *m, struct allocs *ret, enum wait_code *ret_code);

#endif
