/* SPDX-License-Identifier: Apache-2.0
 * The settings in force, typed. Filled from maui.cfg by config/load; read by
 * everybody; changed by nobody else. Every field is the target of one row of
 * the parameter table, which alone knows names, defaults and ranges.
 *
 * Units: seconds, MB, processors. A weight or cap of 0 is off. */
#ifndef MAUI_CONFIG_SETTINGS_H
#define MAUI_CONFIG_SETTINGS_H

#include "base/vec.h"
#include "config/bankcfg.h"
#include "config/credcfg.h"
#include "config/nodecfg.h"
#include "config/plancfg.h"
#include "config/policies.h"
#include "config/priocfg.h"
#include "config/simcfg.h"
#include "config/srcfg.h"

#include <stdbool.h>
#include <stdint.h>

struct names;

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
    char *mail_program;                  /* NONE = no mail */
    int64_t max_submit, max_submit_user; /* jobs at a time; 0 = any number */
    int64_t rm_failures_max; /* in a row, before an administrator is notified */
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
    struct plan_settings plan;
    uint64_t digest; /* config_digest(): equal ones are the same, but for secrets */

    /* jobs */
    int64_t default_wclimit_s; /* SYSTEMDEFAULTJOBWALLTIME */
    int64_t wclimit_default_s; /* WCLIMITDEFAULT: goes before it; 0 = not said, or
                                  WCLIMIT_HISTORY */
    int64_t job_max_overrun_s; /* -1 = never act */
    enum wc_action wc_action;
    enum preempt_policy preempt_policy;
    bool preempt_by_tier;        /* by PREEMPTOR, of jobs of lower tiers alone */
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

/* BACKFILLPOLICY PLAN: for all partitions or for none. */
static inline bool settings_plan_together(const struct settings *s)
{
    return s->par.v[0].bf_policy == BACKFILL_PLAN;
}

/* The limit of a job for which there is no other; 0 = none. */
static inline int64_t settings_default_wclimit(const struct settings *s)
{
    return s->wclimit_default_s > 0 ? s->wclimit_default_s : s->default_wclimit_s;
}

#endif
