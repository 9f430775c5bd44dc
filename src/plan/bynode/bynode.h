/* SPDX-License-Identifier: Apache-2.0
 * Pools planned node by node: where requests differ in shape, what is free of a pool is
 * no number, and each node is asked what it can take throughout an interval.
 *
 *     node 4   |job 3: 2 tasks|      |pin of job 9: 3 tasks|       4 processors
 *              now           500    700                   900
 *     asked for [500, 800): at 500 it could take 4 tasks, from 700 on 1: it takes 1
 *
 * Jobs, pins (reservations of waiting jobs on single nodes) and other reservations
 * change what is free at few instants; the least at any of those inside counts. The
 * asker's own job and its pins never count. The sum over all nodes, over time:
 * bynode/sweep.h. */
#ifndef MAUI_PLAN_BYNODE_BYNODE_H
#define MAUI_PLAN_BYNODE_BYNODE_H

#include "plan/nodes/nodealloc.h"
#include "plan/reservations/pins.h"
#include "plan/without.h"

/* The interval a job wants. */
struct span {
    int64_t start, end;
};

/* Who asks what a node can take, for tasks of which definition, and what the answer
 * leaves out of account. All borrowed. */
struct asker {
    struct plan *p;
    const struct job *j;
    const struct taskdef *def;
    const struct without *without;
};
/* One that leaves out what the plan does: nothing, but in a fork without some jobs. */
struct asker asker_of(struct plan *p, const struct job *j, const struct taskdef *def);
/* Is the running job gone, to the asker? */
static inline bool asker_lacks(const struct asker *a, const struct job *j)
{
    return without_job(a->without, j->index);
}

/* ---- one node ---- */

/* Tasks that the node can take throughout [start, end). O(jobs, pins and reservations
 * on it, squared). */
uint32_t bynode_tasks(
    const struct asker *a, const struct node *n, int64_t start, int64_t end);

/* First instant after `start` at which the node can no longer keep `tasks` tasks. */
int64_t bynode_holds_until(
    const struct asker *a, const struct node *n, uint32_t tasks, int64_t start);

/* The least of what is free of the node at any instant of the span. Fills *ret. */
void bynode_room(const struct asker *a, const struct node *n, const struct span *span,
    struct node_room *ret);

/* Processors free on the node from now until `end`; `free` are free now. */
int64_t bynode_procs_until(
    struct plan *p, const struct node *n, int64_t free, int64_t end);

/* Does the request's list of hosts, or of hosts to leave out, let it use the node? */
bool bynode_on_list(const struct plan *p, const struct req *r, const struct node *n);

/* ---- all nodes of a set of pools ---- */

struct bynode_offers {
    struct VEC(uint32_t) tasks;    /* by node index, 0 = none or not in the set */
    struct VEC(uint32_t) reserved; /* nodes with pins or other reservations on them */
    int64_t sum;                   /* of tasks */
};

/* Tasks of the job's first request that each node of the set can take throughout
 * [start, end). Nodes of counted pools are left out: those are counted. Valid until the
 * next call; the caller may change it (a sweep does). O(nodes of the set). */
struct bynode_offers *bynode_all(
    struct plan *p, const struct job *j, uint32_t set, int64_t start, int64_t end);

/* Nodes (appended to *ret) and units of the set's counted pools (*ret_units) for a
 * reservation at `start`, out of what bynode_all() has just found there. Nodes of
 * positive or neutral affinity come first, then units, then other nodes. False when
 * they do not suffice. */
bool bynode_choose(struct plan *p, const struct job *j, uint32_t set, int64_t start,
    struct allocs *ret, int64_t *ret_units);

/* Nodes for a start now, out of pools of both kinds. Appends to *ret. -1: they do not
 * suffice, *ret_code says why. */
int bynode_place_now(struct plan *p, const struct job *j, uint32_t set,
    struct allocs *ret, enum wait_code *ret_code);

/* Nodes for a reservation that was found to be possible, into r->alloc; what these lack
 * is taken from counted pools. Pinning them (pintable_add()) is the caller's. */
void bynode_place_at(struct plan *p, const struct job *j, struct rsv *r);

/* ---- its memory ---- */

struct bynode;

struct bynode *bynode_create(void);
void bynode_destroy(struct bynode *b);

#endif
