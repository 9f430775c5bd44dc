/* SPDX-License-Identifier: Apache-2.0
 * The settings in force, typed. Filled from maui.cfg by config/load; read by
 * everybody; changed by nobody else. Every field is the target of one row of
 * the parameter table, which alone knows names, defaults and ranges.
 *
 * Units: seconds, MB, processors. A weight or cap of 0 is off. */
#ifndef MAUI_CONFIG_SETTINGS_H
#define MAUI_CONFIG_SETTINGS_H

#include "base/vec.h"
#include "config/srcfg.h"
#include "config/texts.h"
#include "funds/price.h"
#include "funds/week.h"

#include <stdbool.h>
#include <stdint.h>

struct names;

/* ---- credentials ---------------------------------------------------------- */

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

/* ---- nodes ------------------------------------------------------------------ */

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

/* ---- priority --------------------------------------------------------------- */

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

/* ---- fairshare -------------------------------------------------------------- */

enum fs_policy { FS_OFF, FS_DEDICATEDPS, FS_DEDICATEDPES, FS_UTILIZEDPS };

#define FS_DEPTH_MAX 32

struct fs_settings {
    enum fs_policy policy;
    bool percent; /* FSPOLICY ends in %: ratio based factors */
    int64_t interval_s, depth;
    double decay;
    bool secondary_groups, use_machine_speed;
};

/* ---- scheduling policies that may differ by partition ------------------------ */

enum backfill_policy {
    BACKFILL_FIRSTFIT,
    BACKFILL_BESTFIT,
    BACKFILL_GREEDY,
    BACKFILL_PREEMPT,
    BACKFILL_NONE
};
enum backfill_metric {
    BFMETRIC_PROCS,
    BFMETRIC_PROCSECONDS,
    BFMETRIC_SECONDS,
    BFMETRIC_PE,
    BFMETRIC_PESECONDS,
    BFMETRIC_NODES
};
/* Order in which backfill looks at its windows. QUEUEORDER: no windows, every
 * candidate once, in priority order (textbook EASY). */
enum backfill_order { BFORDER_WIDESTFIRST, BFORDER_LONGESTFIRST, BFORDER_QUEUEORDER };
enum bf_priority_policy { BFPRIO_RANDOM, BFPRIO_DURATION, BFPRIO_HWDURATION };
enum reservation_policy {
    RSVPOLICY_CURRENTHIGHEST,
    RSVPOLICY_HIGHEST,
    RSVPOLICY_NEVER
};
/* What becomes of a job that waits for what can no longer be. */
enum depend_failure { DEPEND_FAILURE_WAIT, DEPEND_FAILURE_HOLD, DEPEND_FAILURE_CANCEL };
enum rsv_threshold {
    RSVTHRESHOLD_NONE,
    RSVTHRESHOLD_BYPASS,
    RSVTHRESHOLD_QUEUETIME,
    RSVTHRESHOLD_XFACTOR
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
enum avail_policy { AVAIL_COMBINED, AVAIL_DEDICATED, AVAIL_UTILIZED };
enum avail_res { AVAIL_PROCS, AVAIL_MEM, AVAIL_SWAP, AVAIL_DISK, AVAIL_RES_COUNT };
enum rsv_makers { RSV_BY_ADMINS, RSV_BY_ANYBODY };
enum rsv_limits { RSVLIMITS_OFF, RSVLIMITS_SOFT, RSVLIMITS_HARD };
enum load_policy { LOAD_ADJUSTSTATE, LOAD_ADJUSTPROCS };
enum nodeset_policy { NODESET_OFF, NODESET_ONEOF, NODESET_FIRSTOF, NODESET_ANYOF };
enum nodeset_attr {
    NODESET_ATTR_UNSET,
    NODESET_FEATURE,
    NODESET_MEMORY,
    NODESET_PROCSPEED,
    NODESET_NETWORK
};
enum nodeset_prio {
    NODESET_MINLOSS,
    NODESET_BESTFIT,
    NODESET_WORSTFIT,
    NODESET_BESTRESOURCE
};

struct nodeset_spec {
    enum nodeset_policy policy;
    enum nodeset_attr attr;
    struct text_list list; /* owned; empty = all values present */
    bool always;           /* never outside a set, whatever NODESETDELAY says */
};

/* RESOURCELIMITPOLICY: jobs that use more than they asked for. */
enum usage_res { USAGE_PROC, USAGE_MEM, USAGE_SWAP, USAGE_DISK, USAGE_RESOURCES };
enum usage_policy {
    USAGE_IGNORED,
    USAGE_ALWAYS,  /* act at once */
    USAGE_EXTENDED /* act when it has lasted */
};
enum usage_action { USAGE_CANCEL, USAGE_REQUEUE, USAGE_SUSPEND };
struct usage_limit {
    enum usage_policy policy;
    enum usage_action action;
    int64_t lasting_s;
};

struct par_settings {
    char *name; /* owned; NULL for the global set, which is entry 0 */
    enum backfill_policy bf_policy;
    enum backfill_metric bf_metric;
    enum backfill_order bf_order;
    int64_t bf_depth, bf_max_schedules, bf_proc_factor;
    enum reservation_policy rsv_policy;
    enum rsv_threshold rsv_threshold;
    int64_t rsv_threshold_value;
    enum nodealloc_policy nodealloc;
    enum avail_policy avail[AVAIL_RES_COUNT];
    enum load_policy load_policy;
    struct nodeset_spec nodeset;
    int64_t nodeset_delay_s;
    enum nodeset_prio nodeset_prio;
    double nodeset_tolerance;
    bool use_machine_speed;
    int64_t max_proc_per_job, max_ps_per_job, max_wclimit_s; /* SYSTEMMAX*, 0 none */
    int64_t max_start_time_s; /* JOBMAXSTARTTIME, 0 none */
    struct usage_limit usage[USAGE_RESOURCES];
};

/* One stack of priority reservations: RESERVATIONDEPTH[X] and its QOS list. */
struct rsv_group {
    int64_t depth;
    bool all;             /* [ALL] */
    struct text_list qos; /* owned names */
};

#define RSV_GROUPS_MAX 64

enum wc_action { WC_CANCEL, WC_PREEMPT };
enum preempt_policy {
    PREEMPT_REQUEUE,
    PREEMPT_SUSPEND,
    PREEMPT_CHECKPOINT,
    PREEMPT_OVERCOMMIT
};

/* A section of maui.cfg that a later room reads whole (SRCFG, RMCFG, AMCFG,
 * SCHEDCFG, CLIENTCFG): attributes kept as written, in file order. */
struct raw_attr {
    char *name, *value; /* owned */
    char *file;         /* owned */
    uint32_t line;
};
struct raw_object {
    char *kind, *name; /* owned: "SRCFG", "debug" */
    struct VEC(struct raw_attr) attrs;
};

/* What the daemon alone reads. Texts are owned; NULL = none. */
struct daemon_settings {
    char *log_dir, *log_file, *stat_dir, *tools_dir;
    int64_t log_size_max, log_roll_depth, log_level;
    int64_t journal_size_max;
    struct text_list log_facilities;
    char *syslog; /* BOOL[:facility] */
    char *notification_program, *feedback_program;
    char *mail_program; /* NULL = sendmail, where there is one; NONE = no mail */
    int64_t max_submit, max_submit_user; /* jobs at a time; 0 = any number */
    int64_t rm_failures_max; /* in a row, before an administrator is notified */
};

/* AMCFG: the bank. */
enum bank_type {
    BANK_NONE,
    BANK_BUILTIN,
    BANK_FILE, /* this one and the next are elsewhere: bank_is_elsewhere() */
    BANK_NATIVE,
    BANK_GOLD,
    BANK_UNKNOWN
};
enum charge_policy {
    CHARGE_WC,        /* dedicated processors x seconds on nodes */
    CHARGE_CPU,       /* processor seconds used */
    CHARGE_PE,        /* processor equivalents x seconds */
    CHARGE_REQUESTED, /* as CHARGE_WC, of the limit */
    CHARGE_SUCCESSFUL =
        8 /* a bit: only jobs that end by themselves or at their limit */
};
enum jf_action { JF_NONE, JF_DEFER, JF_CANCEL };
enum rates_at { RATES_AT_START, RATES_AT_USE };
struct bank_settings {
    char *name; /* of the section, owned; NULL = none */
    enum bank_type type;
    enum charge_policy charge;
    enum jf_action jfaction;
    char *fallback; /* owned or NULL */
    /* of one that is elsewhere; owned or NULL */
    char *server, *host, *backup_host, *key_file;
    int64_t port, timeout_s;
    int64_t flush_s;        /* between debits of jobs that run on; 0 = none */
    int64_t suspend_most_s; /* LIENMAXSUSPEND; 0 = as long as it takes */
    bool defer_on_failure, refund_on_requeue;
    struct price_rates rates;  /* credits a second; none = PROCS:1 */
    struct week_windows times; /* by time of day; none = always the same */
    enum rates_at rates_at;    /* whose rates a run is charged at */
    int64_t node_most; /* the largest NODECFG CHARGERATE, in millionths; 0 = none */
};

/* SIMJOBSUBMISSIONPOLICY. */
enum sim_submission {
    SIM_SUBMIT_UNSET,         /* maui sim: at times; served: a constant depth */
    SIM_SUBMIT_AT_TIMES,      /* NORMAL: of the trace */
    SIM_SUBMIT_CONSTANT_JOBS, /* so many wait, always */
    SIM_SUBMIT_CONSTANT_PS    /* so much work waits */
};

/* SIMFLAGS: what is ignored of a trace. */
enum sim_ignore {
    SIM_IGN_HOSTLIST = 1 << 0,
    SIM_IGN_CLASS = 1 << 1,
    SIM_IGN_QOS = 1 << 2,
    SIM_IGN_MODE = 1 << 3, /* how jobs share nodes */
    SIM_IGN_FEATURES = 1 << 4,
    SIM_IGN_FRAME = 1 << 5, /* frames and slots of nodes */
    SIM_IGN_ALL = (1 << 6) - 1
};

struct settings {
    struct prio_settings prio;
    struct fs_settings fs;
    struct VEC(struct cred_cfg) creds[CRED_KINDS];     /* [0] is always DEFAULT */
    struct cred_cfg sys;                               /* SYSCFG */
    struct VEC(struct node_cfg) nodes;                 /* [0] is always DEFAULT */
    struct names *cred_index[CRED_KINDS], *node_index; /* name -> index above */
    struct VEC(struct par_settings) par;               /* [0] is the global set */
    struct rsv_group rsv_groups[RSV_GROUPS_MAX];
    int64_t rsv_retry_s[RSV_GROUPS_MAX]; /* RESERVATIONRETRYTIME[X] */
    int64_t res_depth;                   /* RESDEPTH: reported, no limit here */
    int64_t bf_chunk_duration_s, bf_chunk_size;
    enum bf_priority_policy bf_priority;

    /* jobs */
    int64_t default_wclimit_s; /* SYSTEMDEFAULTJOBWALLTIME */
    int64_t job_max_overrun_s; /* -1 = never act */
    enum wc_action wc_action;
    enum preempt_policy preempt_policy;
    int64_t min_admin_suspend_s; /* MINADMINSTIME; 0 = until somebody resumes the job */
    bool enable_multinode_jobs, enable_multireq_jobs;
    bool use_job_regex; /* job expressions match parts of ids */
    bool match_exactnode, match_exactproc;
    enum access_policy node_access;
    int64_t job_purge_s, node_purge_s, job_sync_s, node_sync_s;

    /* holds */
    int64_t defer_time_s, defer_count, defer_start_count;
    enum depend_failure depend_failure; /* DEPENDFAILUREPOLICY */

    /* nodes */
    double node_maxload, node_untracked_load_factor;
    double node_cpu_overcommit, node_mem_overcommit; /* 0 = off */
    bool node_alloc_max_ps;
    int64_t node_down_delay_s;
    char *feature_nodetype_header, *feature_partition_header,
        *feature_procspeed_header;    /* owned or NULL */
    struct gres_list default_classes; /* DEFAULTCLASSLIST; -1 = one a processor */

    /* cycle */
    int64_t rm_poll_interval_s, job_aggregation_s;
    int64_t notification_interval_s;
    struct daemon_settings daemon;
    struct bank_settings bank;

    /* simulation */
    int64_t plot_min_proc, plot_max_proc, plot_proc_scale; /* of the statistics grid */
    int64_t plot_min_time_s, plot_max_time_s, plot_time_scale;
    int64_t sim_initial_queue_depth, sim_stop_iteration, sim_exit_iteration;
    int64_t sim_node_count;
    double sim_wc_scaling_percent, sim_wc_accuracy, sim_wc_accuracy_change;
    unsigned sim_submission;                            /* enum sim_submission */
    unsigned sim_ignore;                                /* enum sim_ignore, bits */
    unsigned sim_default_job_flags, sim_drop_job_flags; /* JOB_... */
    unsigned sim_uniform; /* 1: only nodes like the first */
    bool sim_random_sizes, sim_scale_run;
    char *sim_start_time; /* owned or NULL; see setres_time() */

    /* reservations of ordinary users */
    enum rsv_makers rsv_makers;
    enum rsv_limits rsv_limits; /* active limits they have to satisfy */

    /* standing reservations, in the order of the files */
    struct VEC(struct sr_cfg) standing;

    /* sections read whole by later rooms */
    struct VEC(struct raw_object) raw;
    /* every other parameter keeps its text in the table's value store; see
     * config/config.h cfg_get() */
};

#endif
