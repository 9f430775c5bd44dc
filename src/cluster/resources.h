/* SPDX-License-Identifier: Apache-2.0
 * Amounts of consumable resources: processors, memory, swap, disk, and generic
 * resources by name. Whole numbers; memory, swap and disk in MB. */
#ifndef MAUI_CLUSTER_RESOURCES_H
#define MAUI_CLUSTER_RESOURCES_H

#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

/* Elementary dimensions, in this order everywhere. */
enum res_dim { RES_PROCS, RES_MEM, RES_SWAP, RES_DISK, RES_DIMS };

/* In a request, -1 asks for all that the node has of that resource. */
struct res {
    int64_t v[RES_DIMS];
};

/* One generic resource: name id (cluster.gres names) and amount. */
struct gres {
    uint32_t id;
    int64_t count;
};
struct gres_amounts VEC(struct gres);

static inline void res_add(struct res *a, const struct res *b, int64_t times)
{
    for (int i = 0; i < RES_DIMS; i++)
        a->v[i] += b->v[i] * times;
}

/* How many tasks needing `task` each fit into `have`, whose configured amounts
 * are `cfg` (for -1 requests: one task if that resource is completely free, else
 * none). Dimensions with a request of 0 do not count; a request of nothing at
 * all fits INT32_MAX times. */
int64_t res_tasks(
    const struct res *have, const struct res *cfg, const struct res *task);

#endif
