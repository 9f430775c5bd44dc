/* SPDX-License-Identifier: Apache-2.0
 * What settings, jobs and nodes have in common: kinds of credentials and of limits, how
 * nodes are shared, flags of jobs. */
#ifndef MAUI_CONFIG_KINDS_H
#define MAUI_CONFIG_KINDS_H

#include <stdint.h>

enum cred_kind {
    CRED_USER,
    CRED_GROUP,
    CRED_ACCOUNT,
    CRED_CLASS,
    CRED_QOS,
    CRED_KINDS
};

enum limit_res {
    LIMIT_JOB,
    LIMIT_PROC,
    LIMIT_NODE,
    LIMIT_PS,
    LIMIT_PE,
    LIMIT_WC,
    LIMIT_MEM,
    LIMIT_RES_COUNT
};

/* 0 = not set (fall back), -1 = explicitly unlimited (no fall back). */
struct limit {
    int64_t soft, hard;
};

#define FS_DEPTH_MAX 32 /* windows of fairshare */

enum access_policy { /* from the loosest to the strictest: they are compared */
    ACCESS_UNSET,
    ACCESS_SHARED,
    ACCESS_SINGLEUSER,
    ACCESS_SINGLEJOB,
    ACCESS_SINGLETASK
};

/* Job flags, as on FLAGS= of a credential and in a request (bits). */
enum job_flag {
    JOB_ADVRES = 1u << 0,
    JOB_BENCHMARK = 1u << 1,
    JOB_BESTEFFORT = 1u << 2,
    JOB_BYNAME = 1u << 3,
    JOB_DEDICATED = 1u << 4,
    JOB_NOQUEUE = 1u << 5,
    JOB_PREEMPTEE = 1u << 6,
    JOB_PREEMPTOR = 1u << 7,
    JOB_PRESTART = 1u << 8,
    JOB_RESTARTABLE = 1u << 9,
    JOB_SHAREDNODE = 1u << 10,
    JOB_SPAN = 1u << 11,
    JOB_HOSTLIST = 1u << 12,    /* has a host list */
    JOB_BACKFILL = 1u << 13,    /* set by the scheduler: started by backfill */
    JOB_SPVIOLATION = 1u << 14, /* set by the scheduler: over a soft limit */
    JOB_SYSPRIO_SET = 1u << 15, /* absolute system priority in force */
    JOB_SYSPRIO_REL = 1u << 16, /* relative system priority in force */
    JOB_IGNHOSTLIST = 1u << 17,
    JOB_OPTIMISTIC = 1u << 18, /* set by the scheduler: started by BACKFILLPOLICY
                                  PREEMPT, may be preempted like a PREEMPTEE */
    JOB_PARKED = 1u << 19,     /* set by the scheduler: suspended by order or by the
                                  resource manager; resumed by those only */
    JOB_APART = 1u << 20,  /* no two of its requests on one node: heterogeneous jobs of
                              Slurm */
    JOB_OWNPRIO = 1u << 21 /* has a user priority or a fixed one: the formula alone does
                              not say when it is its turn; see job_note_priority() */
};

enum nodealloc_policy { /* what nobody has set is 0, here and below */
    NODEALLOC_UNSET,
    NODEALLOC_FIRSTAVAILABLE,
    NODEALLOC_LASTAVAILABLE,
    NODEALLOC_MINRESOURCE,
    NODEALLOC_CPULOAD,
    NODEALLOC_PRIORITY,
    NODEALLOC_TIGHTEST,
    NODEALLOC_FASTEST,
    NODEALLOC_MAXBALANCE,
    NODEALLOC_CONTIGUOUS,
    NODEALLOC_LOCAL
};
/* What a job may use more of than it asked for. */
enum usage_res { USAGE_PROC, USAGE_MEM, USAGE_SWAP, USAGE_DISK, USAGE_RESOURCES };

#endif
