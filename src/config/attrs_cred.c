/* SPDX-License-Identifier: Apache-2.0
 * The table: attributes of USERCFG, GROUPCFG, ACCOUNTCFG, CLASSCFG, QOSCFG and
 * SYSCFG. */
#include "config/credcfg.h"
#include "config/row.h"
#include "config/set.h"
#include "config/table.h"

/* clang-format off */
#define U BIT_OF(USER)
#define G BIT_OF(GROUP)
#define A BIT_OF(ACCOUNT)
#define C BIT_OF(CLASS)
#define Q BIT_OF(QOS)
#define S BIT_OF(SYS)
#define ALL_CREDS (U | G | A | C | Q | S)

static const struct cfg_keyword kw_access[] = {
    {"SHARED", ACCESS_SHARED}, {"SINGLEJOB", ACCESS_SINGLEJOB},
    {"SINGLETASK", ACCESS_SINGLETASK}, {"SINGLEUSER", ACCESS_SINGLEUSER},
    {"DEDICATED", ACCESS_SINGLEJOB}, {NULL}};

static const struct cfg_row common_rows[] = {
    {N("PRIORITY"), INT("points", "0", -INT_MANY, INT_MANY), OF(ALL_CREDS), IN_CRED(priority), HELP("Priority; 0 takes that of DEFAULT.")},
    {N("FSTARGET"), .type = CFG_FSTARGET, OF(ALL_CREDS), IN_CRED(fstarget), HELP("Fairshare target: plain, + floor, - ceiling, ^ absolute cap, % relative cap.")},
    {N("QLIST"), .type = CFG_CREDS, OF(ALL_CREDS & ~Q), IN_CRED(qlist), GUARDS, HELP("QOS that may be used; & and-ed with other lists, ^ only this list.")},
    {N("QDEF"), CUSTOM(set_default_name, "DEFAULT", "NAME, & or ^ may follow"), OF(ALL_CREDS & ~Q), IN_CRED(qdef), HELP("QOS of jobs that ask for none; always accessible.")},
    {N("PLIST"), .type = CFG_CREDS, OF(ALL_CREDS), IN_CRED(plist), GUARDS, HELP("Partitions that may be used; empty = none; & and ^ as in QLIST.")},
    {N("PDEF"), CUSTOM(set_default_name, "DEFAULT", "NAME, & or ^ may follow"), OF(ALL_CREDS), IN_CRED(pdef), .arg = 1, HELP("Partition tried first.")},
    {N("ADEF"), NAME(NULL), OF(ALL_CREDS), IN_CRED(adef), HELP("Account of jobs that ask for none.")},
    {N("ALIST"), .type = CFG_CREDS, OF(ALL_CREDS), IN_CRED(alist), GUARDS, HELP("Accounts that may be used.")},
    {N("JOBFLAGS", "FLAGS"), .type = CFG_JOBFLAGS, OF(ALL_CREDS & ~Q), IN_CRED(job_flags), HELP("Flags set on every job.")},
    {N("MAX.WCLIMIT"), TIME(NULL), OF(U | G | A | C), IN_CRED(max_wclimit_s), NEGATIVE_OFF, GUARDS, HELP("Longest wallclock limit of a job.")},
    {N("DEFAULT.WCLIMIT"), TIME(NULL), OF(C | Q), IN_CRED(def_wclimit_s), NEGATIVE_OFF, HELP("Wallclock limit of jobs without one.")},
    {N("MINPROC", "MIN.PROC"), COUNT("processors", NULL), OF(ALL_CREDS), IN_CRED(min_proc), NEGATIVE_OFF, GUARDS, HELP("Smallest processor request of a job.")},
    {N("OVERRUN", "WCOVERRUN"), TIME(NULL), OF(ALL_CREDS & ~S), IN_CRED(overrun_s), .min = -1, .max = INT_MANY, .arg = 1, HELP("How far a job may pass its wallclock limit, instead of JOBMAXOVERRUN.")},
    {N("MAXSUBMITJOBS"), INT("jobs", NULL, -1, INT_MANY), OF(U), IN_CRED(max_submit), HELP("Jobs the user may have in the queue or running, in place of MAXSUBMITJOBSPERUSER; -1 = any number.")},
    {N("MAXRSV"), INT("reservations", NULL, -1, INT_MANY), OF(U), IN_CRED(max_rsv), HELP("Reservations the user may have made at once under RESCTLPOLICY ANY, 20 where nothing is said; -1 = any number. Administrators of level 1 and 2 have no such limit.")},
    {N("CLASSWEIGHT"), INT(NULL, NULL, -INT_MANY, INT_MANY), OF(G), IN_CRED(class_weight), HELP("Replaces the parameter CLASSWEIGHT for jobs of the group.")},
    {N("CHARGERATE"), CUSTOM(set_charge_rate, "1", "NUMBER"), OF(A | BIT_OF(CLASS) | BIT_OF(QOS)), .home = HOME_CRED, HELP("Factor of what the bank charges jobs of the account, class or QOS; six places after the point.")},
    {N("MANAGERS"), WORDS(NULL, NULL), GUARDS, OF(A), IN_CRED(managers), HELP("Users who lead the account in the bank: they see it and divide what it has among accounts below it.")},
};

#define UNITS_JOB  "jobs"
#define UNITS_PROC "processors"
#define UNITS_NODE "nodes"
#define UNITS_PS   "processor seconds"
#define UNITS_PE   "processor equivalents"
#define UNITS_WC   "time"
#define UNITS_MEM  "MB"
#define LIMIT_OF(r) .type = CFG_LIMIT, GUARDS, .unit = UNITS_##r, .res = LIMIT_##r
#define MAX_ROW(r, field, mask, ...) LIMIT_OF(r), OF(mask), IN_CRED(field[LIMIT_##r]), __VA_ARGS__

static const struct cfg_row limit_rows[] = {
    {N("MAXJOB"), MAX_ROW(JOB, active, ALL_CREDS, .brackets = true), HELP("Active jobs at once.")},
    {N("MAXPROC", "MAXPROCS"), MAX_ROW(PROC, active, ALL_CREDS, .brackets = true), HELP("Processors of active jobs.")},
    {N("MAXNODE"), MAX_ROW(NODE, active, ALL_CREDS, .brackets = true), HELP("Nodes of active jobs.")},
    {N("MAXPS"), MAX_ROW(PS, active, ALL_CREDS, .brackets = true), HELP("Processor seconds active jobs have left.")},
    {N("MAXPE"), MAX_ROW(PE, active, ALL_CREDS, .brackets = true), HELP("Processor equivalents of active jobs.")},
    {N("MAXWC"), MAX_ROW(WC, active, ALL_CREDS, .brackets = true), HELP("Wall time active jobs have left.")},
    {N("MAXMEM"), MAX_ROW(MEM, active, ALL_CREDS, .brackets = true), HELP("Memory of active jobs.")},
    {N("MAXIJOB"), MAX_ROW(JOB, idle, ALL_CREDS, .brackets = true, .dim = CFG_DIM_IDLE), HELP("Idle jobs considered at once.")},
    {N("MAXIPROC"), MAX_ROW(PROC, idle, ALL_CREDS, .brackets = true, .dim = CFG_DIM_IDLE), HELP("Processors of idle jobs considered.")},
    {N("MAXINODE"), MAX_ROW(NODE, idle, ALL_CREDS, .brackets = true, .dim = CFG_DIM_IDLE), HELP("Nodes of idle jobs considered.")},
    {N("MAXIPS"), MAX_ROW(PS, idle, ALL_CREDS, .brackets = true, .dim = CFG_DIM_IDLE), HELP("Processor seconds of idle jobs considered.")},
    {N("MAXIPE"), MAX_ROW(PE, idle, ALL_CREDS, .brackets = true, .dim = CFG_DIM_IDLE), HELP("Processor equivalents of idle jobs considered.")},
    {N("MAXIWC"), MAX_ROW(WC, idle, ALL_CREDS, .brackets = true, .dim = CFG_DIM_IDLE), HELP("Wall time of idle jobs considered.")},
    {N("MAXIMEM"), MAX_ROW(MEM, idle, ALL_CREDS, .brackets = true, .dim = CFG_DIM_IDLE), HELP("Memory of idle jobs considered.")},
    {N("MAXJOBPERUSER"), LIMIT_OF(JOB), OF(C | Q), .attr = "USER", IN_CRED(active[LIMIT_JOB]), HELP("Short for MAXJOB[USER].")},
    {N("MAXPROCPERUSER"), LIMIT_OF(PROC), OF(C | Q), .attr = "USER", IN_CRED(active[LIMIT_PROC]), HELP("Short for MAXPROC[USER].")},
    {N("MAXNODEPERUSER"), LIMIT_OF(NODE), OF(C | Q), .attr = "USER", IN_CRED(active[LIMIT_NODE]), HELP("Short for MAXNODE[USER].")},
};

static const struct cfg_row qos_rows[] = {
    {N("QTWEIGHT"), NUMBER("0"), OF(Q), IN_CRED(qt_weight), HELP("Added to QUEUETIMEWEIGHT for jobs of the QOS.")},
    {N("XFWEIGHT"), NUMBER("0"), OF(Q), IN_CRED(xf_weight), HELP("Added to XFACTORWEIGHT.")},
    {N("QTTARGET"), TIME(NULL), OF(Q), IN_CRED(qt_target_s), HELP("Queue time to aim at.")},
    {N("XFTARGET"), NUMBER_IN(NULL, 0, INT_MANY), OF(Q), IN_CRED(xf_target), HELP("Expansion factor to aim at.")},
    {N("QFLAGS", "FLAGS"), .type = CFG_QOSFLAGS, OF(Q), IN_CRED(qos_flags), HELP("What jobs of the QOS may and may not; a new value replaces all former flags.")},
    {N("OMAXJOB"), MAX_ROW(JOB, over_active, Q, .dim = CFG_DIM_ACTIVE), HELP("MAXJOB of the QOS itself, instead of its own.")},
    {N("OMAXPROC", "OMAXPROCS"), MAX_ROW(PROC, over_active, Q, .dim = CFG_DIM_ACTIVE), HELP("Replaces MAXPROC of the other credentials.")},
    {N("OMAXNODE"), MAX_ROW(NODE, over_active, Q, .dim = CFG_DIM_ACTIVE), HELP("Replaces MAXNODE of the other credentials.")},
    {N("OMAXPS"), MAX_ROW(PS, over_active, Q, .dim = CFG_DIM_ACTIVE), HELP("Replaces MAXPS of the other credentials.")},
    {N("OMAXPE"), MAX_ROW(PE, over_active, Q, .dim = CFG_DIM_ACTIVE), HELP("Replaces MAXPE of the other credentials.")},
    {N("OMAXWC"), MAX_ROW(WC, over_active, Q, .dim = CFG_DIM_ACTIVE), HELP("Replaces MAXWC of the other credentials.")},
    {N("OMAXMEM"), MAX_ROW(MEM, over_active, Q, .dim = CFG_DIM_ACTIVE), HELP("Replaces MAXMEM of the other credentials.")},
    {N("OMAXIJOB"), MAX_ROW(JOB, over_idle, Q, .dim = CFG_DIM_IDLE), HELP("MAXIJOB of the QOS itself, instead of its own.")},
    {N("OMAXIPROC"), MAX_ROW(PROC, over_idle, Q, .dim = CFG_DIM_IDLE), HELP("Replaces MAXIPROC of the other credentials.")},
    {N("OMAXINODE"), MAX_ROW(NODE, over_idle, Q, .dim = CFG_DIM_IDLE), HELP("Replaces MAXINODE of the other credentials.")},
    {N("OMAXIPS"), MAX_ROW(PS, over_idle, Q, .dim = CFG_DIM_IDLE), HELP("Replaces MAXIPS of the other credentials.")},
    {N("OMAXIPE"), MAX_ROW(PE, over_idle, Q, .dim = CFG_DIM_IDLE), HELP("Replaces MAXIPE of the other credentials.")},
    {N("OMAXIWC"), MAX_ROW(WC, over_idle, Q, .dim = CFG_DIM_IDLE), HELP("Replaces MAXIWC of the other credentials.")},
    {N("OMAXIMEM"), MAX_ROW(MEM, over_idle, Q, .dim = CFG_DIM_IDLE), HELP("Replaces MAXIMEM of the other credentials.")},
    {N("OMAXJNODE"), COUNT("nodes", NULL), OF(Q), IN_CRED(over_job[LIMIT_NODE]), NEGATIVE_OFF, GUARDS, HELP("Largest node request, instead of the system's.")},
    {N("OMAXJPROC"), COUNT("processors", NULL), OF(Q), IN_CRED(over_job[LIMIT_PROC]), NEGATIVE_OFF, GUARDS, HELP("Largest processor request, instead of the system's.")},
    {N("OMAXJPE"), COUNT("processor equivalents", NULL), OF(Q), IN_CRED(over_job[LIMIT_PE]), NEGATIVE_OFF, GUARDS, HELP("Largest request in processor equivalents.")},
    {N("OMAXJPS"), COUNT("processor seconds", NULL), OF(Q), IN_CRED(over_job[LIMIT_PS]), NEGATIVE_OFF, GUARDS, HELP("Most processor seconds of a job, instead of the system's.")},
    {N("OMAXJWC"), TIME(NULL), OF(Q), IN_CRED(over_job[LIMIT_WC]), NEGATIVE_OFF, GUARDS, HELP("Longest wallclock limit, instead of the system's.")},
    {N("OMAXJMEM"), COUNT("MB", NULL), OF(Q), IN_CRED(over_job[LIMIT_MEM]), NEGATIVE_OFF, GUARDS, HELP("Largest memory request.")},
};

static const struct cfg_row class_rows[] = {
    {N("DEFAULT.FEATURES"), WORDS(NULL, NULL), OF(C), IN_CRED(def_features), HELP("Node features added to every job of the class.")},
    {N("MAXPROCPERJOB", "MAX.PROC"), COUNT("processors", NULL), OF(C), IN_CRED(max_proc_per_job), NEGATIVE_OFF, GUARDS, HELP("Largest processor request of a job.")},
    {N("MAXNODEPERJOB", "MAX.NODE"), COUNT("nodes", NULL), OF(C), IN_CRED(max_node_per_job), NEGATIVE_OFF, GUARDS, HELP("Largest node request of a job.")},
    {N("MAXPROCPERNODE"), COUNT("processors", NULL), OF(C), IN_CRED(max_proc_per_node), NEGATIVE_OFF, GUARDS, HELP("Processors of a node the class may use.")},
    {N("NODEACCESSPOLICY"), WORD(NULL, kw_access), OF(C), IN_CRED(access), HELP("Who may share a node with jobs of the class.")},
    {N("OCNODE"), NAME(NULL), OF(C), IN_CRED(ocnode), LATER, HELP("Node of PREEMPTPOLICY OVERCOMMIT. Checked, but no node is ever overloaded.")},
    {N("MAXPROCPERNODEPERQUEUE"), COUNT("processors", NULL), OF(C), INERT, HELP("Known, without effect.")},
    {N("HOSTLIST"), .type = CFG_TEXT, OF(C), INERT, HELP("Which nodes a class may use says the resource manager, or SRCFG[x] HOSTLIST= CLASSLIST=.")},
    {N("NAME"), .type = CFG_TEXT, OF(C), INERT, HELP("Comes from the resource manager.")},
    {N("STATE"), .type = CFG_TEXT, OF(C), INERT, HELP("Comes from the resource manager.")},
    {N("OCDPROCFACTOR"), .type = CFG_TEXT, OF(C), INERT, HELP("Comes from the resource manager.")},
};

static const struct cfg_group groups[] = {
    GROUP("USERCFG, GROUPCFG, ACCOUNTCFG, CLASSCFG, QOSCFG, SYSCFG", common_rows),
    GROUP("Limits of all of these", limit_rows),
    GROUP("QOSCFG", qos_rows),
    GROUP("CLASSCFG", class_rows),
};
/* clang-format on */

const struct cfg_group *attrs_cred(size_t i)
{
    return GROUP_AT(groups, i);
}
