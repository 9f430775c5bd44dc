/* SPDX-License-Identifier: Apache-2.0
 * See tightest.h. */
#include "plan/nodes/tightest.h"

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
            || (enough ? v[i].units < best->units : v[i].units > best->units)) {
            best = &v[i];
            holds = enough;
        }
    }
    return best;
}
