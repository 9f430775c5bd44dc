/* SPDX-License-Identifier: Apache-2.0
 * The machine a workload is replayed on: nodes all alike, or those of a resource
 * trace. */
#ifndef MAUI_SIM_MACHINE_H
#define MAUI_SIM_MACHINE_H

#include "engine/engine.h"
#include "trace/restrace.h"

#include <stdint.h>

struct machine {
    int64_t nodes, procs_per_node, mem_mb; /* alike: n1, n2 ...; memory 0 = untold */
    const struct restrace *trace;          /* borrowed; instead of the above */
    bool no_frames;                        /* leave out where nodes are mounted */
};

/* "N" or "NxP": N nodes of P processors (1). */
int machine_parse(const char *text, struct machine *ret, struct err *err);

/* Processors of all nodes; of a resource trace, of those that are available. */
int64_t machine_procs(const struct machine *m);
int64_t machine_nodes(const struct machine *m);

/* The node number `i`, from 0; `name` is room for its name. */
#define MACHINE_NODE_NAME 24
struct node_desc machine_node(
    const struct machine *m, int64_t i, char name[MACHINE_NODE_NAME]);

/* Tell the engine of every node, in order. */
int machine_build(
    const struct machine *m, struct engine *e, int64_t now, struct err *err);

/* "128 nodes of 1 processor" into `buf`, which is returned. */
const char *machine_text(const struct machine *m, char *buf, size_t size);

#endif
