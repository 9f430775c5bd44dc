/* SPDX-License-Identifier: Apache-2.0
 * Records of Maui workload traces, format version 230: 44 fields each. Source:
 * reference traces-and-simulation, sections 1 and 2.
 *
 * Comments begin with "#" anywhere; [NONE] stands for a missing value; an optional line
 * "VERSION 230" (or 310, the same fields) comes first. */
#ifndef MAUI_TRACE_JOBTRACE_H
#define MAUI_TRACE_JOBTRACE_H

#include "base/arena.h"
#include "cluster/taskdef.h"
#include "trace/tracefield.h"

#include <stdio.h>

enum jobtrace_state { JOBTRACE_COMPLETED, JOBTRACE_REMOVED, JOBTRACE_NOTRUN };

/* One workload record; the number is the field's. Texts are owned by the arena the
 * record was read into. Times are UTC. */
struct jobtrace {
    const char *id;                                   /* 1 */
    int64_t nodes;                                    /* 2, 0 = none */
    struct tf_choice tasks;                           /* 3 */
    const char *user, *group;                         /* 4, 5 */
    struct tf_choice wclimit_s;                       /* 6 */
    int state;                                        /* 7, enum jobtrace_state */
    const struct gres_cfg *classes;                   /* 8, name NULL ends */
    int64_t submit_at, dispatch_at, start_at, end_at; /* 9 to 12 */
    const char *network, *arch, *os;                  /* 13 to 15 */
    enum cmp_op mem_op, disk_op;                  /* 16, 18: on configured amounts */
    int64_t mem_mb, disk_mb;                      /* 17, 19 */
    const char *const *features;                  /* 20 */
    int64_t queue_at;                             /* 21, system queue time */
    int64_t tasks_allocated, tpn;                 /* 22, 23; tpn <= 0 = any */
    struct tf_pair qos;                           /* 24, requested and delivered */
    struct tf_flags flags;                        /* 25 */
    const char *account, *command, *rm_extension; /* 26 to 28 */
    int64_t bypass;                               /* 29, -1 = not known */
    double procseconds;                           /* 30, utilised */
    const char *partition;                        /* 31, name or number */
    const char *partitions[2];                    /* the same as a list, if it is a
                                                     name that restricts */
    int64_t procs;                                /* 32, per task */
    int64_t ded_mem_mb, ded_disk_mb, ded_swap_mb; /* 33 to 35, per task */
    int64_t release_at, deadline_at;              /* 36, 37; 0 = none */
    const char *const *allocated;                 /* 38, hosts */
    const char *rm;                               /* 39 */
    const char *const *hosts;                     /* 40, required */
    const char *reservation;                      /* 41 */
    const struct nodeset_spec *nodeset;           /* 42 */
    const char *simulator;                        /* 43 */
    const char *reserved;                         /* 44 */
};

/* Read one record line, which is changed. 1 = a record, 0 = nothing on the line, -1 =
 * unusable, with a sentence. A record of 43 fields has no field 38; where field 42 is
 * no node set it is taken for field 43, as older writers have it. */
int jobtrace_parse(char *line, struct jobtrace *ret, struct arena *a, struct err *err);

/* Write the record in the documented order, and a new line. */
void jobtrace_format(const struct jobtrace *j, FILE *out);

/* The line of a trace's begin, and column titles as a comment, with a new line each. */
#define JOBTRACE_VERSION "VERSION 230\n"
void jobtrace_titles(FILE *out);

#endif
