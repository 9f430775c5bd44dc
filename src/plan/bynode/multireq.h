/* SPDX-License-Identifier: Apache-2.0
 * Jobs of several requests: all of them at one instant, in one partition, together
 * never more than a node has.
 *
 *     node 4: 4 processors, 8 GB        request 0: 2 tasks of 1 processor and 4 GB
 *     node 5: 4 processors, 2 GB        request 1: 4 tasks of 1 processor
 *     request 0 goes to node 4; what it leaves there, and node 5, is for request 1
 *
 * Pools that such a job can use are planned node by node (fits_learn_request()). Each
 * question looks at every node anew: such jobs are rare. `set` is that of the first
 * request (fits_for()). Only its partitions matter: other requests may go to nodes of
 * these that are in no pool of the set. */
#ifndef MAUI_PLAN_BYNODE_MULTIREQ_H
#define MAUI_PLAN_BYNODE_MULTIREQ_H

#include "cluster/job.h"
#include "cluster/reason.h"

struct bynode;
struct node;
struct span;

/* Nodes for all requests from `start` on. Appends to *ret; false: they do not suffice,
 * *ret_code says why. O(nodes x requests). */
bool multireq_place(struct bynode *b, const struct job *j, uint32_t set, int64_t start,
    struct allocs *ret, enum wait_code *ret_code);

/* The earliest instant from `from` on at which they do; TIME_NEVER = none. Looked at
 * are `from`, ends of jobs and of reservations, when suspended jobs could be over, and
 * starts of reservations of other kinds: multireq_place() at each. */
int64_t multireq_first_fit(
    struct bynode *b, const struct job *j, uint32_t set, int64_t from);

/* Tasks of a request on a node. */
struct on_node {
    uint32_t node, tasks, req;
};

/* Can the node take all these pieces of the job, one of each request, together
 * throughout the span? O(pieces x single_tasks()). */
bool multireq_node_holds(struct bynode *b, const struct job *j, const struct node *n,
    const struct on_node *pieces, size_t npieces, const struct span *span);

#endif
