/* SPDX-License-Identifier: Apache-2.0
 * Changes of what a job asks for, after its submission (mjobctl -m). What follows from
 * them (access, limits, priority, the plan) is the engine's to do. */
#ifndef MAUI_CLUSTER_CHANGE_H
#define MAUI_CLUSTER_CHANGE_H

#include "cluster/job.h"

/* Which members count. */
enum change_bit {
    CHANGE_WCLIMIT = 1u << 0,
    CHANGE_CLASS = 1u << 1,
    CHANGE_ACCOUNT = 1u << 2,
    CHANGE_QOS = 1u << 3, /* as asked for by the owner: access decides */
    CHANGE_USER_PRIORITY = 1u << 4,
    CHANGE_RELEASE = 1u << 5,
    CHANGE_DEADLINE = 1u << 6,
    CHANGE_PARTITIONS = 1u << 7,
    CHANGE_DEPS = 1u << 8,
    /* of one request */
    CHANGE_TASKS = 1u << 9,
    CHANGE_NODES = 1u << 10,
    CHANGE_TPN = 1u << 11,
    CHANGE_PROCS = 1u << 12, /* per_task.v[RES_PROCS] and so on: in this order */
    CHANGE_MEM = 1u << 13,
    CHANGE_SWAP = 1u << 14,
    CHANGE_DISK = 1u << 15,
    CHANGE_FEATURES = 1u << 16,
    CHANGE_HOSTS = 1u << 17,
    CHANGE_GRES = 1u << 18,
    /* of the job again */
    CHANGE_FLAGS = 1u << 19,
    CHANGE_ADVRES = 1u << 20,
    CHANGE_GROUP = 1u << 21,
    CHANGE_COMMENT = 1u << 22,
    CHANGE_MAIL = 1u << 23,
    CHANGE_MAIL_WHEN = 1u << 24,
    CHANGE_QUOTE = 1u << 25,
    CHANGE_ARRAY_LIMIT = 1u << 26,
    /* `job` says all that it asks for, its requests too: what stood there before is
     * over. With no other. */
    CHANGE_WHOLE = 1u << 27
};

/* Those of one request. */
#define CHANGES_OF_REQUEST ((CHANGE_FLAGS - 1u) & ~(CHANGE_TASKS - 1u))

/* Those that make sense while the job is on nodes. */
#define CHANGES_OF_ACTIVE                                                              \
    (CHANGE_WCLIMIT | CHANGE_USER_PRIORITY | CHANGE_DEADLINE | CHANGE_ARRAY_LIMIT      \
        | CHANGES_OF_NOTHING)

/* Those that a resource manager which has a mind of its own runs jobs by. */
#define CHANGES_KEPT                                                                   \
    (CHANGE_CLASS | CHANGE_TASKS | CHANGE_NODES | CHANGE_TPN | CHANGE_PROCS            \
        | CHANGE_MEM | CHANGE_SWAP | CHANGE_DISK | CHANGE_FEATURES | CHANGE_GRES)

/* Those that no decision depends on. */
#define CHANGES_OF_NOTHING (CHANGE_COMMENT | CHANGE_MAIL | CHANGE_MAIL_WHEN)

struct job_change {
    unsigned what;       /* enum change_bit: which members of `job` and `to` count */
    struct job_desc job; /* its new values; lists replace the old ones */
    uint32_t req;        /* which request */
    struct req_desc to;  /* its new values */
};

/* Is the change usable? Changes nothing. */
int job_change_check(const struct cluster *c, const struct job *j,
    const struct job_change *ch, struct err *err);

/* Make a checked change: what the job asks for, its totals. Not for jobs on nodes,
 * except for CHANGES_OF_ACTIVE; their limit in force and their end are not touched.
 * What the scheduler knows of a job (holds, priority, time in the queue, what happened
 * to it) stays under CHANGE_WHOLE as well. */
void job_change_apply(struct cluster *c, struct job *j, const struct job_change *ch);

#endif
