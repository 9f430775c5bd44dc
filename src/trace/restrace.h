/* SPDX-License-Identifier: Apache-2.0
 * Maui resource traces: the nodes of a machine, 21 fields each. Source: reference
 * traces-and-simulation, sections 1 and 3. */
#ifndef MAUI_TRACE_RESTRACE_H
#define MAUI_TRACE_RESTRACE_H

#include "cluster/node.h"
#include "trace/diag.h"
#include "trace/lines.h"
#include "trace/tracefield.h"

#include <stdio.h>

/* One resource record. */
struct restrace_node {
    int type;                                /* 1: 0 = COMPUTENODE, else not a node */
    int event;                               /* 2: AVAILABLE, DEFINED, DRAINED */
    int64_t at;                              /* 3, ignored */
    const char *name, *rm;                   /* 4, 5 */
    int64_t swap_mb, mem_mb, disk_mb, procs; /* 6 to 9 */
    int64_t frame, slot, slots;              /* 10 to 12, -1 = none */
    const char *os, *arch;                   /* 13, 14 */
    const char *const *features;             /* 15 */
    const struct gres_cfg *classes;          /* 16, NULL = every class */
    const char *const *networks;             /* 17 */
    const char *speed_or_gres;               /* 18: relative speed, or generic
                                                resources as gpu:2,lic:1 */
    double speed;                            /* of it: 0 = not told */
    const struct gres_cfg *gres;             /* of it: NULL = none */
    const char *reserved[3];                 /* 19 to 21 */
};

/* The nodes of a resource trace, owned. */
struct restrace {
    struct VEC(struct restrace_node) nodes;
    struct arena texts;
};
void restrace_fini(struct restrace *n);

/* Read one record line, which is changed. 1 = a record, 0 = nothing on the line, -1 =
 * unusable, with a sentence. */
int restrace_parse(
    char *line, struct restrace_node *ret, struct arena *a, struct err *err);
void restrace_format(const struct restrace_node *n, FILE *out);

/* Read the compute nodes into a zeroed *ret, to be freed with restrace_fini(); other
 * types are skipped, unusable records and names seen before are reported to `d` and
 * left out. */
int restrace_read(
    struct lines *in, struct restrace *ret, struct diag *d, struct err *err);

/* The node as the engine takes it, pointing into the record. */
struct node_desc restrace_node_desc(const struct restrace_node *n);

#endif
