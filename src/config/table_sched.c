/* SPDX-License-Identifier: Apache-2.0
 * The table: jobs, holds, backfill, reservations, nodes, preemption. */
#include "config/row.h"
#include "config/set.h"
#include "config/settings.h"
#include "config/table.h"

/* clang-format off */
static const struct cfg_keyword kw_jobsize[] = {{"MINPROC"}, {"MAXPROC"}, {"NDMAXPROC"}, {NULL}};
static const struct cfg_keyword kw_wcaction[] = {
    {"CANCEL", WC_CANCEL}, {"PREEMPT", WC_PREEMPT}, {NULL}};

static const struct cfg_row job_rows[] = {
    {N("SYSTEMMAXPROCPERJOB", "SYSTEMMAXJOBPROC"), COUNT("processors", "0"), IN_PAR(max_proc_per_job), NEGATIVE_OFF, GUARDS, HELP("Largest processor request of one job; 0 = none.")},
    {N("SYSTEMMAXPROCSECONDPERJOB", "SYSTEMMAXJOBPROCSECOND"), COUNT("processor seconds", "0"), IN_PAR(max_ps_per_job), NEGATIVE_OFF, GUARDS, HELP("Largest processors x wallclock limit of one job; 0 = none.")},
    {N("SYSTEMMAXJOBWALLTIME"), TIME("0"), IN_PAR(max_wclimit_s), NEGATIVE_OFF, GUARDS, HELP("Longest wallclock limit of one job; 0 = none.")},
    {N("SYSTEMDEFAULTJOBWALLTIME"), TIME("10:00:00:00"), IN_SETTINGS(default_wclimit_s), HELP("Wallclock limit of jobs without one, after the defaults of QOS and class.")},
    {N("WCLIMITDEFAULT"), CUSTOM(set_wclimit_default, NULL, "TIME, or HISTORY"), .home = HOME_SETTINGS, .store = STORE_OTHER, HELP("Goes before SYSTEMDEFAULTJOBWALLTIME. HISTORY: a job that asks for no limit, and has none of its QOS or class, is given one when it is submitted: twice what nine of ten of the user's last 32 such jobs took, else of all users', 10 minutes to 24 hours, and never above SYSTEMDEFAULTJOBWALLTIME, up to which it may run on all the same. Less than five such jobs tell nothing.")},
    {N("METAMAXTASKS"), COUNT("tasks", "0"), LATER, HELP("Most tasks offered to a meta-scheduler.")},
    {N("ENABLEMULTINODEJOBS"), BOOL("TRUE"), IN_SETTINGS(enable_multinode_jobs), HELP("FALSE: all tasks of a job must fit on one node.")},
    {N("ENABLEMULTIREQJOBS"), BOOL("FALSE"), IN_SETTINGS(enable_multireq_jobs), HELP("Allow jobs with several resource requests; otherwise they are held. With RMCFG[] TYPE=SLURM or PBS: TRUE where nothing is said.")},
    {N("JOBSIZEPOLICY"), WORD(NULL, kw_jobsize), LATER, HELP("Choice within a requested range of sizes.")},
    {N("JOBNODEMATCHPOLICY"), CUSTOM(set_match_policy, NULL, "WORDS: EXACTNODE EXACTPROC"), .home = HOME_SETTINGS, .store = STORE_OTHER, HELP("EXACTNODE: as many distinct nodes as requested. EXACTPROC: only nodes with exactly the processors asked per node.")},
    {N("JOBMAXOVERRUN", "MAXJOBOVERRUN"), TIME("0"), IN_SETTINGS(job_max_overrun_s), .min = -1, .max = INT_MANY, HELP("How far a job may pass its wallclock limit; -1 = any. 0 of Slurm's jobs: Slurm ends them, as its OverTimeLimit and KillWait say.")},
    {N("WCVIOLATIONACTION"), WORD("CANCEL", kw_wcaction), IN_SETTINGS(wc_action), HELP("What happens at the wallclock limit; PREEMPT follows PREEMPTPOLICY.")},
    {N("JOBMAXSTARTTIME"), TIME("0"), IN_PAR(max_start_time_s), NEGATIVE_OFF, LATER, HELP("Cancel jobs that stay in state Starting longer; 0 = never.")},
    {N("USECPUTIME"), BOOL("FALSE"), INDEX(INDEX_OF_PARTITION), INERT, HELP("Was meant to limit by processor time.")},
    {N("RESOURCELIMITPOLICY"), CUSTOM(set_resource_limit, NULL, "WORDS of RES[:POLICY[:ACTION[:TIME]]]"), .home = HOME_PARTITION, .store = STORE_OTHER, INDEX(INDEX_OF_PARTITION), GUARDS, HELP("What to do with jobs that use more PROC, MEM, SWAP (memory and swap space) or DISK (of their TMPDIR) than they asked for, as far as their resource manager measures it: ALWAYS, or EXTENDEDVIOLATION when it has lasted TIME; then CANCEL, REQUEUE or SUSPEND.")},
    {N("MINADMINSTIME"), TIME("0"), IN_SETTINGS(min_admin_suspend_s), HELP("Shortest suspension by RESOURCELIMITPOLICY: after it the job goes on when there is room; 0 = when somebody resumes it.")},
};

static const struct cfg_keyword kw_depend_failure[] = {{"WAIT", DEPEND_FAILURE_WAIT},
    {"HOLD", DEPEND_FAILURE_HOLD}, {"CANCEL", DEPEND_FAILURE_CANCEL}, {NULL}};

static const struct cfg_row hold_rows[] = {
    {N("DEFERTIME"), TIME("01:00:00"), IN_SETTINGS(defer_time_s), HELP("Length of a deferral; 0 = no deferral.")},
    {N("DEFERCOUNT"), COUNT("deferrals", "24"), IN_SETTINGS(defer_count), HELP("Deferrals of a job before it is held.")},
    {N("DEFERSTARTCOUNT"), COUNT("starts", "1"), IN_SETTINGS(defer_start_count), HELP("Failed starts of a job before it is deferred.")},
    {N("DEPENDFAILUREPOLICY"), WORD("WAIT", kw_depend_failure), IN_SETTINGS(depend_failure), HELP("A job depends on another that ended otherwise, as afterok on one that failed: it keeps waiting until somebody changes what it depends on, is batch held, or is cancelled.")},
};

static const struct cfg_keyword kw_backfill[] = {
    {"FIRSTFIT", BACKFILL_FIRSTFIT}, {"BESTFIT", BACKFILL_BESTFIT},
    {"GREEDY", BACKFILL_GREEDY}, {"PREEMPT", BACKFILL_PREEMPT}, {"PLAN", BACKFILL_PLAN}, {"NONE", BACKFILL_NONE},
    {"BESTTIMEFIT", BACKFILL_FIRSTFIT, "was never built; FIRSTFIT is used"},
    {"LAZY", BACKFILL_FIRSTFIT, "was never built; FIRSTFIT is used"},
    {"FALSE", BACKFILL_NONE, "means NONE; write that"},
    {"OFF", BACKFILL_NONE, "means NONE; write that"},
    {"NO", BACKFILL_NONE, "means NONE; write that"},
    {"0", BACKFILL_NONE, "means NONE; write that"}, {NULL}};
static const struct cfg_keyword kw_metric[] = {
    {"PROCS", BFMETRIC_PROCS}, {"PROCSECONDS", BFMETRIC_PROCSECONDS},
    {"SECONDS", BFMETRIC_SECONDS}, {"PE", BFMETRIC_PE}, {"PESECONDS", BFMETRIC_PESECONDS},
    {"NODES", BFMETRIC_NODES}, {NULL}};
static const struct cfg_keyword kw_bfprio[] = {
    {"RANDOM", BFPRIO_RANDOM}, {"DURATION", BFPRIO_DURATION},
    {"HWDURATION", BFPRIO_HWDURATION}, {NULL}};
static const struct cfg_keyword kw_locality[] = {
    {"BESTEFFORT"}, {"FORCED"}, {"RMSPECIFIC"}, {NULL}};

static const struct cfg_row backfill_rows[] = {
    {N("BACKFILLPOLICY"), WORD("FIRSTFIT", kw_backfill), IN_PAR(bf_policy), HELP("How waiting jobs fill the gaps before reservations; NONE also makes no priority reservations.")},
    {N("BACKFILLTYPE"), CUSTOM(set_backfill_type, "WIDESTFIRST", "WIDESTFIRST LONGESTFIRST QUEUEORDER, or a BACKFILLPOLICY"), .home = HOME_PARTITION, .store = STORE_OTHER, INDEX(INDEX_OF_PARTITION), HELP("Order in which gaps are looked at; QUEUEORDER takes each job once, in queue order. Also another name of BACKFILLPOLICY.")},
    {N("BACKFILLDEPTH"), COUNT("jobs", "0"), IN_PAR(bf_depth), HELP("Idle jobs considered for backfill; 0 = all.")},
    {N("BACKFILLMETRIC", "SCHEDULINGCRITERIA"), WORD("PROCS", kw_metric), IN_PAR(bf_metric), HELP("What BESTFIT and GREEDY call best.")},
    {N("BACKFILLMAXSCHEDULES"), INT("schedules", "10000", 1, INT_MANY), IN_PAR(bf_max_schedules), HELP("Schedules GREEDY tries.")},
    {N("BACKFILLPROCFACTOR"), COUNT(NULL, "0"), IN_PAR(bf_proc_factor), LATER, HELP("Kept for old files; has no effect.")},
    {N("BFCHUNKDURATION"), TIME("0"), IN_SETTINGS(bf_chunk_duration_s), HELP("Time freed resources are kept for larger jobs, FIRSTFIT only.")},
    {N("BFCHUNKSIZE"), COUNT("processors", "0"), IN_SETTINGS(bf_chunk_size), HELP("Smallest job that may use them.")},
    {N("BFPRIORITYPOLICY"), WORD("RANDOM", kw_bfprio), IN_SETTINGS(bf_priority), HELP("Order of jobs under BACKFILLPOLICY PREEMPT.")},
    {N("ALLOCLOCALITYPOLICY"), WORD(NULL, kw_locality), HEAD_ONLY, LATER, HELP("Keep the tasks of a job close together: policy[:margin[:object]].")},
};

static const struct cfg_keyword kw_tighten[] = {{"TRUE", TIGHTEN_YES}, {"FALSE", TIGHTEN_NO},
    {"YES", TIGHTEN_YES}, {"NO", TIGHTEN_NO}, {"ON", TIGHTEN_YES}, {"OFF", TIGHTEN_NO},
    {"1", TIGHTEN_YES}, {"0", TIGHTEN_NO}, {NULL}};
static const struct cfg_keyword kw_prediction[] = {{"NONE", PREDICTION_NONE}, {"LASTTWO", PREDICTION_LASTTWO},
    {"MIX", PREDICTION_MIX}, {NULL}};
static const struct cfg_keyword kw_fill[] = {{"PLAN", FILL_PLAN}, {"PROMISED", FILL_PROMISED}, {NULL}};

static const struct cfg_row plan_rows[] = {
    {N("PLANEVALUATIONS"), INT("orders", "200", 0, 1000000), IN_SETTINGS(plan.evaluations), HELP("Orders of the waiting jobs that BACKFILLPOLICY PLAN tries in a cycle beside sorted ones; 0 = those alone.")},
    {N("PLANTIME"), INT("milliseconds", "3", 0, 60000), IN_SETTINGS(plan.time_ms), HELP("The search of a cycle stops after this time, and before it the lifting of jobs that are planned node by node, which goes on in the next; 0 = when all orders are tried. Simulations always try all, so that they can be repeated.")},
    {N("PLANDEPTH"), INT("jobs", "200", 1, 100000), IN_SETTINGS(plan.depth), HELP("Waiting jobs that get a place in the plan, by priority, and all that hold a promise.")},
    {N("PLANWINDOW"), INT("jobs", "96", 2, 10000), IN_SETTINGS(plan.window), HELP("Of these, jobs that the search moves in a cycle; the others keep their places.")},
    {N("PLANSEED"), INT(NULL, "1", 0, INT_MANY), IN_SETTINGS(plan.seed), HELP("Random numbers of the search: the same events and seed give the same plan.")},
    {N("PLANWAITEXPONENT"), NUMBER_IN("2", 0, 10), IN_SETTINGS(plan.wait_exponent), HELP("Cost of a wait: its length to this power. 3, with PLANSHORTEXPONENT 0, favours those who wait longest.")},
    {N("PLANSHORTEXPONENT"), NUMBER_IN("0.2", 0, 10), IN_SETTINGS(plan.short_exponent), HELP("How much more the wait of a short job counts: one over its length to this power.")},
    {N("PLANBANDFACTOR"), NUMBER_IN("100", 1, 1000000), IN_SETTINGS(plan.band_factor), HELP("A wait in a band costs so many times what it does in the band below.")},
    {N("PLANFSDOUBLE"), NUMBER_IN("3", 0, 100), IN_SETTINGS(plan.fs_double), HELP("Percentage points below the fairshare target that double the cost of a wait; 0 = fairshare does not count in the search.")},
    {N("PLANFSMAX"), NUMBER_IN("4", 1, 1000000), IN_SETTINGS(plan.fs_max), HELP("The largest such factor, and one over the smallest.")},
    {N("PROMISEHORIZON"), CUSTOM(set_horizon, "6:00:00", "TIME, or SUBMIT"), .home = HOME_SETTINGS, .store = STORE_OTHER, HELP("A job is promised a latest start when it would start within this time by priority alone; SUBMIT = when it comes.")},
    {N("PROMISESLACK"), TIME("1:00:00:00"), IN_SETTINGS(plan.slack_s), HELP("How much later than by priority alone a job may start, at most: that is promised.")},
    {N("PROMISESLACKSHARE"), NUMBER_IN("0", 0, 10), IN_SETTINGS(plan.slack_share), HELP("This share of the wait that a job is expected to have, when it is promised, is added to its slack: with 0.25 a day more where it is four.")},
    {N("PROMISETIGHTEN"), WORD(NULL, kw_tighten), IN_SETTINGS(plan.tighten), HELP("Promise an earlier start where one has become possible. Not set: TRUE with PROMISEHORIZON SUBMIT.")},
    {N("PREDICTION"), WORD("MIX", kw_prediction), IN_SETTINGS(plan.prediction), HELP("By what run times BACKFILLPOLICY PLAN orders jobs and foretells starts: NONE = limits, LASTTWO = the last two runs of the user, MIX = what the user's and all runs were, learned from accounting. Limits stay what is planned and promised by; nobody is stopped for a prediction.")},
    {N("PLANFILL"), WORD("PLAN", kw_fill), IN_SETTINGS(plan.fill), HELP("What jobs without a place may not delay: the whole plan, or PROMISED, promised jobs alone.")},
};

static const struct cfg_keyword kw_rsvpolicy[] = {
    {"CURRENTHIGHEST", RSVPOLICY_CURRENTHIGHEST}, {"HIGHEST", RSVPOLICY_HIGHEST},
    {"NEVER", RSVPOLICY_NEVER}, {NULL}};
static const struct cfg_keyword kw_threshold[] = {
    {"NONE", RSVTHRESHOLD_NONE}, {"BYPASS", RSVTHRESHOLD_BYPASS},
    {"QUEUETIME", RSVTHRESHOLD_QUEUETIME}, {"XFACTOR", RSVTHRESHOLD_XFACTOR}, {NULL}};

#define IN_STACK(field) FIELD_(HOME_STACK, struct rsv_group, field), INDEX(INDEX_OF_STACK)

static const struct cfg_row reservation_rows[] = {
    {N("RESERVATIONPOLICY"), WORD("CURRENTHIGHEST", kw_rsvpolicy), IN_PAR(rsv_policy), HELP("Which blocked jobs keep their priority reservations.")},
    {N("RESERVATIONDEPTH"), COUNT("reservations", "1"), IN_STACK(depth), HELP("Priority reservations in stack X; 1 for stack 0, otherwise 0.")},
    {N("RESERVATIONQOSLIST"), CUSTOM(set_stack_qos, "[ALL]", "WORDS of QOS names, or ALL"), IN_STACK(qos), HELP("QOS that stack X serves; a job uses the first stack that fits.")},
    {N("RESERVATIONRETRYTIME", "RESERVATIONRETYTIME"), TIME("0"), .home = HOME_RETRY, .store = STORE_INT, INDEX(INDEX_OF_STACK), HELP("Keep a reservation this long while the start of its job fails: tried again at each poll; X: of the depth group.")},
    {N("RESERVATIONTHRESHOLDTYPE"), WORD("NONE", kw_threshold), IN_PAR(rsv_threshold), HELP("Reserve only for jobs past RESERVATIONTHRESHOLDVALUE.")},
    {N("RESERVATIONTHRESHOLDVALUE"), COUNT(NULL, "0"), IN_PAR(rsv_threshold_value), HELP("Bypass count, seconds, or expansion factor.")},
    {N("RESDEPTH"), INT("reservations", "24", 1, INT_MANY), IN_SETTINGS(res_depth), INERT, HELP("Reservations per node in old releases; there is no such limit here.")},
    {N("SRCFG"), SECTION(OBJECT_SR), HELP("A standing reservation.")},
};

static const struct cfg_keyword kw_access[] = {
    {"SHARED", ACCESS_SHARED}, {"SINGLEJOB", ACCESS_SINGLEJOB},
    {"SINGLETASK", ACCESS_SINGLETASK}, {"SINGLEUSER", ACCESS_SINGLEUSER},
    {"DEDICATED", ACCESS_SINGLEJOB}, {NULL}};
#define NOT_BUILT "was never built; LASTAVAILABLE is used"
static const struct cfg_keyword kw_alloc[] = {
    {"FIRSTAVAILABLE", NODEALLOC_FIRSTAVAILABLE}, {"LASTAVAILABLE", NODEALLOC_LASTAVAILABLE},
    {"MINRESOURCE", NODEALLOC_MINRESOURCE}, {"CPULOAD", NODEALLOC_CPULOAD},
    {"PRIORITY", NODEALLOC_PRIORITY}, {"TIGHTEST", NODEALLOC_TIGHTEST}, {"LOCAL", NODEALLOC_LOCAL, "calls code of the site's own, and none can be given here: no job finds nodes"},
    {"CONTIGUOUS", NODEALLOC_CONTIGUOUS}, {"MAXBALANCE", NODEALLOC_MAXBALANCE},
    {"FASTEST", NODEALLOC_FASTEST}, {"MINLOCAL", NODEALLOC_LASTAVAILABLE, NOT_BUILT},
    {"MINGLOBAL", NODEALLOC_LASTAVAILABLE, NOT_BUILT},
    {"FIRSTSET", NODEALLOC_LASTAVAILABLE, NOT_BUILT}, {NULL}};
static const struct cfg_keyword kw_load[] = {
    {"ADJUSTSTATE", LOAD_ADJUSTSTATE}, {"ADJUSTPROCS", LOAD_ADJUSTPROCS}, {NULL}};
static const struct cfg_keyword kw_setpolicy[] = {
    {"ONEOF", NODESET_ONEOF}, {"FIRSTOF", NODESET_FIRSTOF}, {"ANYOF", NODESET_ANYOF},
    {"NONE", NODESET_OFF}, {"[NONE]", NODESET_OFF}, {NULL}};
static const struct cfg_keyword kw_setattr[] = {
    {"FEATURE", NODESET_FEATURE}, {"MEMORY", NODESET_MEMORY},
    {"PROCSPEED", NODESET_PROCSPEED}, {"NETWORK", NODESET_NETWORK},
    {"NONE", NODESET_ATTR_UNSET}, {"[NONE]", NODESET_ATTR_UNSET}, {NULL}};
static const struct cfg_keyword kw_setprio[] = {
    {"MINLOSS", NODESET_MINLOSS}, {"BESTFIT", NODESET_BESTFIT},
    {"WORSTFIT", NODESET_WORSTFIT}, {"BESTRESOURCE", NODESET_BESTRESOURCE}, {NULL}};
static const struct cfg_keyword kw_tasks[] = {
    {"DEFAULT"}, {"LOCAL"}, {"ARBGEO"}, {"PACK"}, {"ROUNDROBIN"}, {NULL}};

static const struct cfg_row node_rows[] = {
    {N("NODECFG"), SECTION(OBJECT_NODE), HELP("A node; DEFAULT for all, GLOBAL for resources of no node in particular.")},
    {N("NODEACCESSPOLICY"), WORD("SHARED", kw_access), IN_SETTINGS(node_access), HELP("Who may share a node.")},
    {N("NODEALLOCATIONPOLICY", "ALLOCATIONPOLICY"), WORD("LASTAVAILABLE", kw_alloc), IN_PAR(nodealloc), HELP("Which of the suitable nodes a job gets. TIGHTEST is PRIORITY, and of nodes of equal priority the smallest stretch of neighbours that suffices, in it the smallest node. With RMCFG[] TYPE=SLURM: TIGHTEST where nothing is said, which is by Weight= of slurm.conf.")},
    {N("NODEAVAILABILITYPOLICY", "RESOURCEAVAILABILITYPOLICY"), CUSTOM(set_avail_policy, "COMBINED", "WORDS of POLICY[:RES]"), .home = HOME_PARTITION, .store = STORE_OTHER, INDEX(INDEX_OF_PARTITION), HELP("What makes a node busy: what is dedicated, what is used, or both. COMBINED DEDICATED UTILIZED; PROC MEM SWAP DISK. With RMCFG[] TYPE=SGE: DEDICATED where nothing is said.")},
    {N("NODELOADPOLICY"), WORD("ADJUSTSTATE", kw_load), IN_PAR(load_policy), HELP("When the load passes MAXLOAD: the node is busy, or has fewer processors.")},
    {N("NODEMAXLOAD"), NUMBER_IN("0.0", 0, INT_MANY), IN_SETTINGS(node_maxload), HELP("MAXLOAD of nodes without one; 0 = off.")},
    {N("NODEUNTRACKEDLOADFACTOR"), NUMBER_IN("1.2", 0, INT_MANY), IN_SETTINGS(node_untracked_load_factor), HELP("Headroom for load that no job causes, with ADJUSTPROCS.")},
    {N("NODECPUOVERCOMMITFACTOR"), NUMBER_IN("0", 0, INT_MANY), IN_SETTINGS(node_cpu_overcommit), HELP("Multiplies configured processors; 0 = off.")},
    {N("NODEMEMOVERCOMMITFACTOR"), NUMBER_IN("0", 0, INT_MANY), IN_SETTINGS(node_mem_overcommit), HELP("Multiplies configured memory and swap; 0 = off.")},
    {N("NODEALLOCMAXPS"), BOOL("FALSE"), IN_SETTINGS(node_alloc_max_ps), HELP("Jobs alone on their nodes count as nodes x time.")},
    {N("NODEDOWNSTATEDELAYTIME"), TIME("0"), IN_SETTINGS(node_down_delay_s), LATER, HELP("Unavailable nodes are taken to stay so this long.")},
    {N("DOWNNODEDELAYTIME"), TIME("24:00:00"), IN_SETTINGS(node_down_delay_s), OBSOLETE("NODEDOWNSTATEDELAYTIME"), HELP("Older form of NODEDOWNSTATEDELAYTIME.")},
    {N("NODESETPOLICY"), WORD("NONE", kw_setpolicy), IN_PAR(nodeset.policy), HELP("How nodes are taken from node sets.")},
    {N("NODESETATTRIBUTE", "NODESETFEATURE"), WORD("NONE", kw_setattr), IN_PAR(nodeset.attr), HELP("What nodes of a set have in common.")},
    {N("NODESETLIST"), WORDS(NULL, NULL), IN_PAR(nodeset.list), HELP("Values that make sets; all values when empty.")},
    {N("NODESETDELAY"), TIME("0"), IN_PAR(nodeset_delay_s), HELP("How long a job waits rather than leave its set; not 0 = it never does.")},
    {N("NODESETPRIORITYTYPE"), WORD("MINLOSS", kw_setprio), IN_PAR(nodeset_prio), HELP("Choice among sets that fit.")},
    {N("NODESETTOLERANCE"), NUMBER_IN("0.0", 0, INT_MANY), IN_PAR(nodeset_tolerance), HELP("Spread of processor speed allowed in a set: (max-min)/min.")},
    {N("TASKDISTRIBUTIONPOLICY"), WORD("DEFAULT", kw_tasks), INDEX(INDEX_OF_PARTITION), LATER, HELP("How tasks are spread over the allocated nodes.")},
    {N("USEMACHINESPEED"), BOOL("OFF"), IN_PAR(use_machine_speed), HELP("Divide a job's wallclock limit by the speed of its slowest node.")},
};

static const struct cfg_keyword kw_preempt[] = {
    {"REQUEUE", PREEMPT_REQUEUE}, {"SUSPEND", PREEMPT_SUSPEND},
    {"CHECKPOINT", PREEMPT_CHECKPOINT}, {"OVERCOMMIT", PREEMPT_OVERCOMMIT}, {NULL}};

static const struct cfg_row preemption_rows[] = {
    {N("PREEMPTPOLICY"), WORD("REQUEUE", kw_preempt), IN_SETTINGS(preempt_policy), HELP("How preempted jobs are stopped. CHECKPOINT requeues where the resource manager cannot checkpoint, as LOCAL and SLURM cannot. OVERCOMMIT: nobody is; who would preempt waits.")},
    {N("PREEMPTBYTIER"), BOOL("FALSE"), IN_SETTINGS(preempt_by_tier), HELP("TRUE: PREEMPTOR jobs preempt those of a lower tier (PriorityTier of Slurm) alone, whatever their priorities.")},
};

static const struct cfg_group groups[] = {
    GROUP("System job limits and job policies", job_rows),
    GROUP("Holds and deferral", hold_rows),
    GROUP("Backfill", backfill_rows),
    GROUP("Plan search", plan_rows),
    GROUP("Reservations", reservation_rows),
    GROUP("Nodes", node_rows),
    GROUP("Preemption", preemption_rows),
};
/* clang-format on */

const struct cfg_group *table_sched(size_t i)
{
    return GROUP_AT(groups, i);
}
