/* SPDX-License-Identifier: Apache-2.0
 * What the nodes of a set of pools offer a job during one interval, and which of them
 * it gets.
 *
 *     set {0, 1}      pool 0 by node          pool 1 by count
 *     offered         node 4: 2, node 5: 1    3 units (asked of counted/)
 *     wanted: 5       nodes 4 and 5, and 2 units */
#ifndef MAUI_PLAN_BYNODE_OFFERS_H
#define MAUI_PLAN_BYNODE_OFFERS_H

#include "base/vec.h"
#include "plan/nodes/nodealloc.h"

struct bynode;

struct offers {
    struct VEC(uint32_t) tasks;    /* by node index, 0 = none or not in the set */
    struct VEC(uint32_t) reserved; /* nodes with pins or other reservations on them */
    int64_t sum;                   /* of tasks */
};

/* Tasks of the job's first request that each node of the set (fits_set()) can take
 * throughout [start, end). Nodes of counted pools are left out: those are counted.
 * Valid until the next call; the caller may change it (a sweep does). O(nodes of the
 * set x single_tasks()). */
struct offers *offers_find(
    struct bynode *b, const struct job *j, uint32_t set, int64_t start, int64_t end);

/* Nodes (appended to *ret) and units of the set's counted pools (*ret_units) for a
 * reservation at `start`, out of what offers_find() has just found there. Nodes of
 * positive or neutral affinity come first, then units, then other nodes. False when
 * they do not suffice. O(nodes offered). */
bool offers_choose(struct bynode *b, const struct job *j, uint32_t set, int64_t start,
    struct allocs *ret, int64_t *ret_units);

/* Nodes for a start now, of all pools of the set: those of counted ones are asked of
 * counted/place.h. Appends to *ret; -1: they do not suffice, *ret_code says why.
 * O(nodes of the set). */
int offers_place_now(struct bynode *b, const struct job *j, uint32_t set,
    struct allocs *ret, enum wait_code *ret_code);

#endif
