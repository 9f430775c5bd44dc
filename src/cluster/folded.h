/* SPDX-License-Identifier: Apache-2.0
 * Many nodes at once. Nodes that are alike and empty stand in rows; what a piece of a
 * job takes of such a row is written down once and not into each record.
 *
 *     nodes      0 1 2 3 4 5 6 7 8 9 ...        kind A: 0..5, kind B: 6...
 *     vacant     . . x x . . x x x x            nothing is on them
 *     folded     [ 0 1 ] job 7  [ 4 5 ] job 9   records are written when asked for
 *
 * How it is done: nodes/fold.c. */
#ifndef MAUI_CLUSTER_FOLDED_H
#define MAUI_CLUSTER_FOLDED_H

#include "base/bitset.h"
#include "base/rangeset.h"

#include <stdbool.h>
#include <stdint.h>

struct cluster;
struct node;

/* Add so many nodes told the same as `n`, as node_report() would one by one; names as
 * for node_desc.more. Only where that is simple: no node but `n`, which has no NODECFG
 * of its own, no lists, and never had a job. False: they have to be reported. */
bool node_repeat(struct cluster *c, const struct node *n, uint32_t count);

/* Nodes that a piece of an allocation takes vacant stay folded: what is on them follows
 * from the piece, and nobody touches their records, so that wide jobs start and end at
 * the cost of some bits. Where nothing but processors counts further jobs may join on
 * the nodes at its ends. So many nodes from `first` on, before `end`, are folded in one
 * run; they are equal in configuration and use. 0 = `first` is not folded. */
#define NODE_FOLDED_JOBS 4 /* at most so many are on a folded node */
uint32_t node_folded(const struct cluster *c, uint32_t first, uint32_t end);
/* Processors of a folded node that a job can have that asks for nothing else; -1 = that
 * is not known, or it is not folded. */
int64_t node_folded_left(const struct cluster *c, uint32_t node);

/* Nodes with nothing on their processors: reported Idle or Running, no job, no load and
 * no use measured. And those of which a processor can be dedicated all the same. */
const struct rangeset *nodes_vacant(const struct cluster *c);
const struct bitset *nodes_partly(const struct cluster *c);
static inline bool node_has_room(const struct cluster *c, uint32_t node)
{
    return rangeset_test(nodes_vacant(c), node) || bitset_test(nodes_partly(c), node);
}

#endif
