/* SPDX-License-Identifier: Apache-2.0
 * Nodes in the order of policy PRIORITY, as long as nothing but their priorities
 * counts: those in a row with the same one are a band.
 *
 *     nodes       0-99   100-119   120-199         first the bands of 5, then that of
 * -1 priority    5      -1        5
 *
 * A start then walks over the bands instead of sorting all that is free. Source:
 * reference node-allocation 4. */
#ifndef MAUI_PLAN_COUNTED_BANDS_H
#define MAUI_PLAN_COUNTED_BANDS_H

#include "base/vec.h"
#include "cluster/cluster.h"

#include <stdbool.h>

struct band {
    int64_t priority;
    uint32_t first, last;
};
/* As they were when the cluster had these epochs. Zeroed: nothing is known. */
struct bands {
    struct VEC(struct band) v;
    uint64_t nodes, config;
    bool known, usable;
};

void bands_fini(struct bands *b);
/* In the order in which nodes are taken. NULL: some node has a function of its own, or
 * there are too many bands for the walk to be worth it. O(1), O(nodes) when nodes or
 * settings have changed. */
const struct band *bands_of(struct bands *b, const struct cluster *c, size_t *ret_n);

#endif
