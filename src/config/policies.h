/* SPDX-License-Identifier: Apache-2.0
 * Scheduling policies that may differ by partition. */
#ifndef MAUI_CONFIG_POLICIES_H
#define MAUI_CONFIG_POLICIES_H

#include "config/kinds.h"
#include "config/texts.h"

#include <stdbool.h>
#include <stdint.h>

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

enum wc_action { WC_CANCEL, WC_PREEMPT };
enum preempt_policy {
    PREEMPT_REQUEUE,
    PREEMPT_SUSPEND,
    PREEMPT_CHECKPOINT,
    PREEMPT_OVERCOMMIT
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

#endif
