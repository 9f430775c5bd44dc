/* SPDX-License-Identifier: Apache-2.0
 * Why a job waits: a code with its numbers. Made where the decision is made, printed
 * elsewhere (policy/reason.h has the sentences). */
#ifndef MAUI_CLUSTER_REASON_H
#define MAUI_CLUSTER_REASON_H

#include <stdint.h>

enum wait_code {
    WAIT_NONE,
    WAIT_STATE, /* RM state is not Idle */
    WAIT_HOLD,
    WAIT_CLASS_DISABLED,
    WAIT_NEGATIVE_PRIORITY,
    WAIT_RELEASE_TIME, /* until */
    WAIT_DEPENDENCY,   /* object = job; limit 1: of this job one can never hold */
    WAIT_LIMIT,        /* level, dim, res, kind, object, limit, used, asked; of the
                          manager: quota, quota_limit; planned: until, claimant */
    WAIT_FS_CAP,       /* kind, object, limit, used, asked */
    WAIT_PARTITION,    /* no accessible partition: object = job */
    WAIT_TOO_LARGE,    /* more than the partition has: limit, asked; object: of its
                          first request (0), of several the second (1) ... */
    WAIT_FEASIBLE,     /* no node satisfies the request's constraints */
    WAIT_RESOURCES,    /* not enough free now: used = free, asked */
    WAIT_RESERVATION,  /* has a reservation: until = its start */
    WAIT_NODESET,
    WAIT_PRIORITY, /* a higher job waits and BACKFILLPOLICY is NONE */
    WAIT_BACKFILL_DEPTH,
    WAIT_BACKFILL_WINDOW, /* would delay a reservation: limit = window seconds */
    WAIT_NOBF,
    WAIT_CHUNK,
    WAIT_SUSPENDED, /* preempted: its own nodes do not carry it yet; until. limit 1:
                       it waits for somebody to resume it; 2: until = its place in the
                       plan */
    WAIT_PREEMPTED, /* as WAIT_RESOURCES, after `limit` preemptions */
    WAIT_DEADLINE,  /* too late for its deadline, limit; until = its reservation */
    WAIT_GRES,      /* more of a floating generic resource, object, than there is:
                       limit, asked */
    WAIT_RM_LIMIT,  /* the resource manager refused to start it, or object, another job
                       like it: until */
    WAIT_FUNDS,     /* its account cannot pay: lack, object (the account); 1/1000 of a
                       credit: asked, limit = what is left, used = kept of that for
                       others */
    WAIT_MANAGER,   /* its resource manager, object, does not answer */
    WAIT_ARRAY, /* of its array `limit` may be on nodes at once: used = are there, asked
                   = go before it */
    WAIT_CODES
};

/* Why an account cannot pay. */
enum funds_lack {
    LACK_CREDITS,   /* there are too few */
    LACK_DEPOSIT,   /* none that could be used now */
    LACK_ACCOUNT,   /* the job has no account */
    LACK_KNOWN,     /* the bank does not know the account */
    LACK_OPEN,      /* it is closed */
    LACK_PERMISSION /* it is for others */
};

enum limit_dim { DIM_ACTIVE, DIM_IDLE, DIM_SYSTEM };
enum limit_level { LEVEL_SOFT, LEVEL_HARD };

struct reason {
    uint8_t code;  /* enum wait_code */
    uint8_t level; /* enum limit_level */
    uint8_t dim;   /* enum limit_dim */
    uint8_t res;   /* enum limit_res */
    uint8_t kind;  /* enum cred_kind, CRED_KINDS = system */
    uint8_t kind2; /* second credential of a limit within, CRED_KINDS = none */
    uint8_t lack;  /* enum funds_lack */
    uint8_t same;  /* of a hard limit: the soft one is the same */
    uint32_t object, object2; /* credential index, job index ... */
    uint32_t quota;           /* number of a quota of the resource manager, from 1; 0 =
                                 none: cluster/quota.h */
    union {
        uint32_t quota_limit; /* which of its limits */
        uint32_t claimant;    /* without a quota: the job, by index, for whose start the
                                 limit is planned to be full at `until` */
    };
    int64_t limit, used, asked;
    int64_t until; /* instant at which it could change, 0 = unknown */
};

#endif
