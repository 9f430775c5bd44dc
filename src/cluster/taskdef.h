/* SPDX-License-Identifier: Apache-2.0
 * A task definition: what one task of a request needs, and where it may run. Equal
 * requests share one record, so "can this run there" is answered once for all of them.
 *
 *     job 1: 4 x {1 proc, 2 GB, bigmem} --+
 *     job 2: 9 x {1 proc, 2 GB, bigmem} --+--> taskdef 0
 *     job 3: 1 x {8 procs}             ------> taskdef 1 */
#ifndef MAUI_CLUSTER_TASKDEF_H
#define MAUI_CLUSTER_TASKDEF_H

#include "cluster/resources.h"
#include "config/kinds.h"

#include <stdbool.h>
#include <stdint.h>

struct cluster;

enum cmp_op { CMP_NONE, CMP_LT, CMP_LE, CMP_EQ, CMP_GE, CMP_GT };
struct cmp {
    enum cmp_op op;
    int64_t value;
};

struct ids VEC(uint32_t);

/* What it means to a job that processors of a node are of several jobs (Slurm's
 * OverSubscribe). Who shares is not on a node with who does not. */
enum sharing {
    SHARING_NONE,   /* it has processors of its own */
    SHARING_STAYS,  /* the same, and where it is who shares none is of its class */
    SHARING_JOINS,  /* it shares; who comes later need not */
    SHARING_FORCED, /* it shares, and keeps off who does not */
    SHARINGS
};

/* Does it go to a node where the other is? Same: both are of one class. */
static inline bool sharing_allows(enum sharing newcomer, enum sharing there, bool same)
{
    if (newcomer >= SHARING_JOINS)
        return there >= SHARING_JOINS;
    return same || there == SHARING_NONE || there == SHARING_JOINS;
}

/* A task definition: what one task needs, and where it may run. Interned: equal
 * requests share one record, so "can this run there" is answered once. */
struct taskdef {
    uint32_t index;
    struct res per_task;      /* dedicated per task; -1 = all of the node */
    int64_t mem_per_node_mb;  /* besides, of each node, however many tasks are there */
    struct gres_amounts gres; /* per task, sorted by id */
    struct gres_amounts job_gres; /* floating ones needed once, however many tasks
                                     there are; sorted by id */
    uint32_t tpn;                 /* tasks per node, 0 = any */
    uint32_t cls;                 /* job class, for initiators; INDEX_NONE = none */
    struct ids features;          /* all needed; sorted name ids */
    struct ids prefs;             /* preferred features; sorted */
    struct ids hosts;             /* node indexes in list order; empty = any */
    struct ids exclude;           /* node indexes, sorted */
    uint32_t os, arch, network;   /* name ids or NAME_NONE */
    struct cmp procs, mem, swap, disk;  /* on configured amounts */
    enum access_policy access;          /* never UNSET: resolved at load */
    enum sharing sharing;               /* of processors, with jobs of whoever it is */
    enum nodealloc_policy nodealloc;    /* NODEALLOC_UNSET = the partition's */
    const struct nodeset_spec *nodeset; /* of the job, or NULL = the partition's; owned
                                           by the taskdef */
    bool exactnode, exactproc;
    bool exact;      /* asked for exactnode itself, whatever JOBNODEMATCHPOLICY says */
    bool procs_only; /* a task takes a number of processors and nothing else of a node,
                        which the job shares with any others */
    const struct taskdef *in_force; /* the last answer of taskdef_with_access() */
};

/* The one shared record equal to the draft, made if it is new; lives as long as the
 * cluster. The draft is borrowed (its lists get sorted); the caller frees it. To
 * change a request: taskdef_copy(), edit, taskdef_intern(), taskdef_fini(). */
const struct taskdef *taskdef_intern(struct cluster *c, struct taskdef *draft);
struct taskdef taskdef_copy(const struct taskdef *def); /* owned: taskdef_fini() */
void taskdef_fini(struct taskdef *draft);
/* Does it look at who is on a node, or keep anybody off? */
static inline bool taskdef_keeps_apart(const struct taskdef *def)
{
    return def->access > ACCESS_SHARED || def->sharing != SHARING_NONE;
}
/* Memory by node, which no task brings along, in one dimension. */
static inline int64_t taskdef_by_node(const struct taskdef *def, int dim)
{
    return dim == RES_MEM ? def->mem_per_node_mb : 0;
}
/* What so many tasks, at least one, take of a node that is configured with `cfg`. */
static inline int64_t taskdef_takes(
    const struct taskdef *def, const struct res *cfg, int dim, uint32_t tasks)
{
    int64_t each = def->per_task.v[dim];

    return each < 0 ? cfg->v[dim] : each * tasks + taskdef_by_node(def, dim);
}
static inline bool taskdef_whole_node(const struct taskdef *def)
{
    return def->access >= ACCESS_SINGLEJOB;
}

#endif
