/* SPDX-License-Identifier: Apache-2.0
 * One request of a job: so many tasks of one task definition; how it is told; and
 * where tasks are once they have nodes. */
#ifndef MAUI_CLUSTER_REQUEST_H
#define MAUI_CLUSTER_REQUEST_H

#include "cluster/taskdef.h"

#include <stdbool.h>
#include <stdint.h>

struct req {
    const struct taskdef *def;   /* in force: request + class, QOS, policies */
    const struct taskdef *asked; /* as requested (access may be UNSET here);
                                    policy/access starts from it */
    const struct taskdef *held;  /* what the job's nodes are dedicated by while it is
                                    active; else NULL */
    uint32_t tasks;              /* >= 1 */
    uint32_t nodes;              /* explicit node count, 0 = none */
};

/* One piece of an allocation: `tasks` tasks of request `req` on each of `count`
 * nodes with consecutive indexes from `first`. Runs keep wide jobs small. */
struct alloc {
    uint32_t first, count;
    uint32_t tasks;
    uint32_t req;
};

struct allocs VEC(struct alloc);

/* One request of a job as told by the RM, a trace or msub. */
struct req_desc {
    struct res per_task;     /* procs 0 = 1 */
    int64_t mem_per_node_mb; /* of each node besides, however many tasks are there */
    uint32_t tasks;          /* 0 = 1 */
    uint32_t nodes, tpn;
    bool exact; /* neither more nor fewer nodes, whatever JOBNODEMATCHPOLICY says */
    const char *const *features, *const *prefs; /* NULL-terminated or NULL */
    const char *const *hosts, *const *exclude;
    const struct gres_cfg *gres;     /* name NULL ends; or NULL */
    const struct gres_cfg *job_gres; /* floating, once for all tasks; as gres */
    const char *os, *arch, *network;
    struct cmp procs, mem, swap, disk;
    enum access_policy access; /* ACCESS_UNSET = class, QOS, global */
    enum sharing sharing;
    enum nodealloc_policy nodealloc;    /* NODEALLOC_UNSET = the partition's */
    const struct nodeset_spec *nodeset; /* copied; NULL = the partition's */
};

/* What a request is or will be dedicated by: as it was when the job started, if it has.
 */
static inline const struct taskdef *req_def(const struct req *r)
{
    return r->held ? r->held : r->def;
}

#endif
