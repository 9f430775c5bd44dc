/* SPDX-License-Identifier: Apache-2.0
 * Settings of a node: NODECFG. */
#ifndef MAUI_CONFIG_NODECFG_H
#define MAUI_CONFIG_NODECFG_H

#include "config/texts.h"

#include <stdbool.h>
#include <stdint.h>

/* One term a node priority function may have (PRIORITYF). */
enum nodeprio_term {
    NP_CPROCS,
    NP_CMEM,
    NP_CSWAP,
    NP_CDISK,
    NP_APROCS,
    NP_AMEM,
    NP_ASWAP,
    NP_ADISK,
    NP_JOBCOUNT,
    NP_LOAD,
    NP_USAGE,
    NP_PREF,
    NP_PRIORITY,
    NP_RESAFFINITY,
    NP_SPEED,
    NP_TERMS
};

struct nodeprio {
    bool set;
    double coef[NP_TERMS];
    uint32_t present; /* bit per term that was written */
};

/* NODECFG[name]. Integers: -1 = not set. */
struct node_cfg {
    char *name;                          /* owned; DEFAULT, GLOBAL or a node */
    char *partition, *nodetype;          /* owned, NULL = not set */
    struct text_list features, networks; /* owned */
    struct gres_list gres;
    int64_t procspeed_mhz;
    double speed;        /* 0 = not set */
    int64_t charge_rate; /* CHARGERATE in millionths, -1 = not set */
    int64_t frame, slot, size;
    char *frame_name; /* owned */
    int64_t maxjob, maxjob_per_user, maxproc, maxproc_per_user;
    double maxpe_per_job; /* <= 0 not set; in (0,1] a fraction of the node */
    double maxload;       /* 0 = not set */
    int64_t priority;     /* 0 default */
    bool priority_set;
    struct nodeprio priorityf;
    int64_t cfg_procs, cfg_mem_mb, cfg_swap_mb, cfg_disk_mb, ra_disk_mb;
    struct gres_list maxproc_class; /* MAXPROC[CLASS:c] */
};

#endif
