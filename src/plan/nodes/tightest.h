/* SPDX-License-Identifier: Apache-2.0
 * The choice of NODEALLOCATIONPOLICY TIGHTEST among nodes of equal priority: neighbours
 * with room are a stretch; the smallest stretch that holds the request is taken, and in
 * it the smallest node that does. So one node carries what two would, and wide gaps are
 * left for wide jobs. Where no stretch holds it the largest is used up, then the next.
 *
 *     free      n1: 2   n2: 4   n3: -   n4: 3   n5: 4       two stretches: 6, 7
 *     4 tasks   n2                                          not n1 and n2
 *     7 tasks   n4, n5
 *
 * So does Slurm's select/cons_tres without a topology. Source: tests/slurm/twin. */
#ifndef MAUI_PLAN_NODES_TIGHTEST_H
#define MAUI_PLAN_NODES_TIGHTEST_H

#include "base/vec.h"
#include "cluster/cluster.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct stretch {
    size_t first, count; /* of the caller's list of nodes or runs of nodes */
    uint64_t units;      /* that its nodes can carry */
    int64_t procs;       /* that are free there, whatever else the request wants */
    uint32_t nodes;
    bool done; /* taken, or of no use: not to be given again */
};
struct stretches VEC(struct stretch);

/* How large a node is for this choice: its processors that are free. O(1). */
int64_t tightest_procs(const struct cluster *c, uint32_t node);

/* Of `n` stretches that are not done the one to take next for so many units on at least
 * so many nodes; NULL when all are done. Of equal ones the first. O(n). */
struct stretch *tightest_stretch(
    struct stretch *v, size_t n, uint64_t units, uint32_t nodes);

#endif
