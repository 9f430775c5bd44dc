/* SPDX-License-Identifier: Apache-2.0
 * Partitions: by name and by index, with their settings and the totals over their
 * nodes. */
#ifndef MAUI_CLUSTER_PARTITION_H
#define MAUI_CLUSTER_PARTITION_H

#include "base/err.h"
#include "cluster/index.h"
#include "cluster/resources.h"
#include "config/kinds.h"

#include <stdbool.h>
#include <stdint.h>

struct cluster;
struct par_settings;

#define PARTITIONS_MAX 63 /* a job's partitions are one 64-bit mask */

struct partition {
    uint32_t index;
    const char *name;
    const struct par_settings *par; /* own set, else the global one */
    struct res cfg;                 /* configured on its nodes */
    struct res up;                  /* configured on nodes that are up */
    uint32_t node_count, up_nodes;
};

/* The partition of that name, created if new; NULL when there are
 * PARTITIONS_MAX already. NULL name = DEFAULT. */
struct partition *partition_get(struct cluster *c, const char *name);
/* The same for nodes of that resource manager, whose it is from then on (rmset.h). NULL
 * name = DEFAULT of the first one, of another the partition of its own name. Where
 * another manager has a partition of that name it is RM.NAME. */
struct partition *partition_for(struct cluster *c, const char *name, uint32_t rm);
uint32_t partition_find(const struct cluster *c, const char *name); /* or INDEX_NONE */
/* The same sentence of a partition. Returns -1. */
int partition_missing(const struct cluster *c, const char *name, struct err *err);

#endif
