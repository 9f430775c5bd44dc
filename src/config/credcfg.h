/* SPDX-License-Identifier: Apache-2.0
 * Settings of a credential: USERCFG, GROUPCFG, ACCOUNTCFG, CLASSCFG, QOSCFG, SYSCFG. */
#ifndef MAUI_CONFIG_CREDCFG_H
#define MAUI_CONFIG_CREDCFG_H

#include "base/vec.h"
#include "config/kinds.h"
#include "config/texts.h"
#include "funds/price.h"

#include <stdbool.h>
#include <stdint.h>

/* MAXJOB[USER:steve]=3 on a class: a limit on one kind within another. */
struct limit_within {
    bool idle; /* MAXI* rather than MAX* */
    enum limit_res res;
    enum cred_kind other; /* kind in the brackets */
    char *name;           /* owned; NULL = every object of that kind separately */
    struct limit limit;
};

enum list_mode { LIST_OR, LIST_AND, LIST_ONLY };

/* QLIST, PLIST: names plus the set operator found in the value. `set` tells an
 * empty list (PLIST=) from an absent one. */
struct name_list {
    struct text_list names; /* owned */
    enum list_mode mode;
    bool set;
};

enum fs_target_type {
    FS_TARGET_NONE,
    FS_TARGET_PLAIN,
    FS_TARGET_FLOOR,   /* + */
    FS_TARGET_CEILING, /* - */
    FS_TARGET_ABS_CAP, /* ^ usage units */
    FS_TARGET_REL_CAP  /* % percent */
};

struct fs_target {
    enum fs_target_type type;
    double value;
};

/* QFLAGS of a QOS (bits). PER<KIND> flags are kept per kind, see cred_cfg. */
enum qos_flag {
    QOS_DEDICATED = 1u << 0,
    QOS_NOBF = 1u << 1,
    QOS_NORESERVATION = 1u << 2,
    QOS_RESERVEALWAYS = 1u << 3,
    QOS_USERESERVED = 1u << 4,
    QOS_PREEMPTOR = 1u << 5,
    QOS_PREEMPTEE = 1u << 6,
    QOS_PREEMPTSPV = 1u << 7,
    QOS_RESTARTPREEMPT = 1u << 8,
    QOS_IGNHOSTLIST = 1u << 9,
    QOS_RUNNOW = 1u << 10,
    QOS_NTR = 1u << 11,
    QOS_SPAN = 1u << 12,
    QOS_IGNSRMAXTIME = 1u << 13,
    QOS_IGNSYSMAXPROC = 1u << 14,
    QOS_IGNSYSMAXTIME = 1u << 15,
    QOS_IGNSYSMAXPS = 1u << 16,
    QOS_IGNUSER = 1u << 17, /* all limits of that kind */
    QOS_IGNGROUP = 1u << 18,
    QOS_IGNACCOUNT = 1u << 19,
    QOS_IGNALL = 1u << 20 /* all user, group, account limits */
};

/* One object of USERCFG, GROUPCFG, ACCOUNTCFG, CLASSCFG, QOSCFG or SYSCFG.
 * A field a kind does not have stays zero. */
struct cred_cfg {
    char *name; /* owned; "DEFAULT" for the DEFAULT object */
    int64_t priority;
    struct fs_target fstarget;
    struct name_list qlist, plist, alist;
    char *qdef, *pdef, *adef;       /* owned, NULL = not set */
    struct text_list managers;      /* account: who leads it */
    struct price_rates charge_rate; /* CHARGERATE, one without a name; none = 1 */
    uint32_t job_flags;             /* enum job_flag */
    struct text_list advres;        /* reservations named by ADVRES:a:b in FLAGS */
    struct limit active[LIMIT_RES_COUNT];
    struct limit idle[LIMIT_RES_COUNT]; /* hard only */
    struct VEC(struct limit_within) within;
    int64_t overrun_s;     /* -1 = not set, DURATION_UNLIMITED = never act */
    int64_t max_wclimit_s; /* MAX.WCLIMIT, 0 = none */
    int64_t def_wclimit_s; /* DEFAULT.WCLIMIT, 0 = none */
    int64_t min_proc;      /* MIN.PROC / MINPROC, 0 = none */
    int64_t max_proc_per_job, max_node_per_job; /* 0 = none */
    /* user only */
    int64_t max_submit; /* MAXSUBMITJOBS, 0 = not set, < 0 = any number */
    int64_t max_rsv;    /* MAXRSV, 0 = not set, < 0 = any number */
    /* group only */
    int64_t class_weight; /* CLASSWEIGHT, 0 = the global one */
    /* class only */
    struct text_list def_features; /* owned */
    enum access_policy access;
    int64_t max_proc_per_node; /* 0 = none */
    char *ocnode;              /* owned */
    /* QOS only */
    double qt_weight, xf_weight;
    int64_t qt_target_s; /* 0 = none */
    double xf_target;    /* 0 = none */
    uint32_t qos_flags;  /* enum qos_flag */
    /* IGN<RES>PER<KIND>: bit r set = active limit r of that kind ignored */
    uint32_t ignore_active[CRED_KINDS], ignore_idle[CRED_KINDS];
    struct text_list use_reserved;             /* USERESERVED:a:b, owned */
    struct text_list qos_features;             /* QOSFEATURES, owned */
    struct limit over_active[LIMIT_RES_COUNT]; /* OMAX<R> */
    struct limit over_idle[LIMIT_RES_COUNT];   /* OMAXI<R> */
    int64_t over_job[LIMIT_RES_COUNT];         /* OMAXJ<R>, 0 = none */
};

#endif
