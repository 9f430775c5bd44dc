/* SPDX-License-Identifier: Apache-2.0
 * Weights of priority, and fairshare. */
#ifndef MAUI_CONFIG_PRIOCFG_H
#define MAUI_CONFIG_PRIOCFG_H

#include "config/kinds.h"

#include <stdbool.h>
#include <stdint.h>

enum prio_comp {
    PRIO_CRED,
    PRIO_FS,
    PRIO_ATTR,
    PRIO_SERV,
    PRIO_TARG,
    PRIO_RES,
    PRIO_USAGE,
    PRIO_COMPS
};

enum prio_sub {
    /* CRED */ PRIO_USER,
    PRIO_GROUP,
    PRIO_ACCOUNT,
    PRIO_QOS,
    PRIO_CLASS,
    /* FS */ PRIO_FSUSER,
    PRIO_FSGROUP,
    PRIO_FSACCOUNT,
    PRIO_FSQOS,
    PRIO_FSCLASS,
    /* ATTR */ PRIO_ATTRATTR,
    PRIO_ATTRSTATE,
    /* SERV */ PRIO_QUEUETIME,
    PRIO_XFACTOR,
    PRIO_BYPASS,
    PRIO_SPVIOLATION,
    /* TARG */ PRIO_TARGETQUEUETIME,
    PRIO_TARGETXFACTOR,
    /* RES */ PRIO_NODE,
    PRIO_PROC,
    PRIO_MEM,
    PRIO_SWAP,
    PRIO_DISK,
    PRIO_PS,
    PRIO_PE,
    PRIO_WALLTIME,
    PRIO_UPROC,
    PRIO_UJOB,
    /* USAGE */ PRIO_CONSUMED,
    PRIO_REMAINING,
    PRIO_PERCENT,
    PRIO_EXECUTIONTIME,
    PRIO_SUBS
};

enum accrual { ACCRUE_QUEUEPOLICY, ACCRUE_ALWAYS, ACCRUE_FULLPOLICY };

struct prio_settings {
    double comp_weight[PRIO_COMPS], comp_cap[PRIO_COMPS];
    double weight[PRIO_SUBS], cap[PRIO_SUBS];
    int64_t xfminwclimit_s;
    enum accrual accrual;
    bool use_system_queue_time;
    bool enable_negative, reject_negative;
    double user_weight; /* of a job's user priority, added behind floor and ceiling */
    bool enable_positive_user;
};

enum fs_policy { FS_OFF, FS_DEDICATEDPS, FS_DEDICATEDPES, FS_UTILIZEDPS };

struct fs_settings {
    enum fs_policy policy;
    bool percent; /* FSPOLICY ends in %: ratio based factors */
    int64_t interval_s, depth;
    double decay;
    bool secondary_groups, use_machine_speed;
};

#endif
