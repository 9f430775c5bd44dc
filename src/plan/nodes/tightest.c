/* SPDX-License-Identifier: Apache-2.0
 * See tightest.h. */
#include "plan/nodes/tightest.h"

#include "cluster/folded.h"
#include "cluster/node.h"

int64_t tightest_procs(const struct cluster *c, uint32_t node)
{
    int64_t left = node_folded_left(c, node);
    const struct node *n = node_at(c, node);

    return left >= 0 ? left : n->cfg.v[RES_PROCS] - node_dedicated(c, n).v[RES_PROCS];
}

struct stretch *tightest_stretch(
    struct stretch *v, size_t n, uint64_t units, uint32_t nodes)
{
    struct stretch *best = NULL;
    bool holds = false; /* does the best one? */

    for (size_t i = 0; i < n; i++) {
        bool enough = v[i].units >= units && v[i].nodes >= nodes;

        if (v[i].done || (holds && !enough))
            continue;
        if (best == NULL || enough != holds
            || (enough ? v[i].procs < best->procs : v[i].procs > best->procs)) {
            best = &v[i];
            holds = enough;
        }
    }
    return best;
}
