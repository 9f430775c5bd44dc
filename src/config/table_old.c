/* SPDX-License-Identifier: Apache-2.0
 * The table: forms of old releases. Limits of Maui 3.0, which set the DEFAULT
 * objects, and standing reservations with a parameter for each attribute. */
#include "config/row.h"
#include "config/table.h"

/* clang-format off */
#define LIMIT_ROW(type_, part_, c, r, d, now, text)                                    \
    .type = type_, .home = HOME_LEGACY, .part = part_, .cred = c, .res = r, .dim = d,  \
    GUARDS, .status = STATUS_OBSOLETE, .instead = now, HELP(text)
/* The three parameters of one old limit; `x` is its name without S and ending. */
#define LIMIT(x, c, r, d, now)                                                         \
    {N(x "POLICY"), LIMIT_ROW(CFG_BOOL, PART_POLICY, c, r, d, now, "Whether the limit " x "COUNT counts.")}, \
    {N(x "COUNT"), LIMIT_ROW(CFG_LIMIT, PART_COUNT, c, r, d, now, "[soft,]hard limit of each.")}, \
    {N("S" x "COUNT"), LIMIT_ROW(CFG_INT, PART_SOFT, c, r, d, now, "Soft limit of each.")}
/* Processor seconds, with the short spellings. */
#define PS_LIMIT(cred_, c, now)                                                        \
    {N("MAXPROCSECONDPER" cred_ "POLICY", "MAXPSPER" cred_ "POLICY"), LIMIT_ROW(CFG_BOOL, PART_POLICY, c, LIMIT_PS, CFG_DIM_ACTIVE, now, "Whether the limit MAXPROCSECONDPER" cred_ "COUNT counts.")}, \
    {N("MAXPROCSECONDPER" cred_ "COUNT", "MAXPSPER" cred_ "COUNT", "MAXPSPER" cred_), LIMIT_ROW(CFG_LIMIT, PART_COUNT, c, LIMIT_PS, CFG_DIM_ACTIVE, now, "[soft,]hard limit of each, processor seconds.")}, \
    {N("SMAXPROCSECONDPER" cred_ "COUNT", "SMAXPSPER" cred_ "COUNT"), LIMIT_ROW(CFG_INT, PART_SOFT, c, LIMIT_PS, CFG_DIM_ACTIVE, now, "Soft limit of each, processor seconds.")}
#define WC_LIMIT(cred_, c, now)                                                        \
    {N("MAXWCPER" cred_, "MAXWCPER" cred_ "COUNT"), LIMIT_ROW(CFG_LIMIT, PART_COUNT, c, LIMIT_WC, CFG_DIM_ACTIVE, now, "[soft,]hard limit of each, walltime.")}

#define DEF_USER(a)    "USERCFG[DEFAULT] " a "="
#define DEF_GROUP(a)   "GROUPCFG[DEFAULT] " a "="
#define DEF_ACCOUNT(a) "ACCOUNTCFG[DEFAULT] " a "="

static const struct cfg_row limit_rows[] = {
    LIMIT("MAXJOBPERUSER", CRED_USER, LIMIT_JOB, CFG_DIM_ACTIVE, DEF_USER("MAXJOB")),
    LIMIT("MAXJOBPERGROUP", CRED_GROUP, LIMIT_JOB, CFG_DIM_ACTIVE, DEF_GROUP("MAXJOB")),
    LIMIT("MAXJOBPERACCOUNT", CRED_ACCOUNT, LIMIT_JOB, CFG_DIM_ACTIVE, DEF_ACCOUNT("MAXJOB")),
    LIMIT("MAXPROCPERUSER", CRED_USER, LIMIT_PROC, CFG_DIM_ACTIVE, DEF_USER("MAXPROC")),
    LIMIT("MAXPROCPERGROUP", CRED_GROUP, LIMIT_PROC, CFG_DIM_ACTIVE, DEF_GROUP("MAXPROC")),
    LIMIT("MAXPROCPERACCOUNT", CRED_ACCOUNT, LIMIT_PROC, CFG_DIM_ACTIVE, DEF_ACCOUNT("MAXPROC")),
    LIMIT("MAXNODEPERUSER", CRED_USER, LIMIT_NODE, CFG_DIM_ACTIVE, DEF_USER("MAXNODE")),
    LIMIT("MAXNODEPERGROUP", CRED_GROUP, LIMIT_NODE, CFG_DIM_ACTIVE, DEF_GROUP("MAXNODE")),
    LIMIT("MAXNODEPERACCOUNT", CRED_ACCOUNT, LIMIT_NODE, CFG_DIM_ACTIVE, DEF_ACCOUNT("MAXNODE")),
    PS_LIMIT("USER", CRED_USER, DEF_USER("MAXPS")),
    PS_LIMIT("GROUP", CRED_GROUP, DEF_GROUP("MAXPS")),
    PS_LIMIT("ACCOUNT", CRED_ACCOUNT, DEF_ACCOUNT("MAXPS")),
    LIMIT("MAXPEPERUSER", CRED_USER, LIMIT_PE, CFG_DIM_ACTIVE, DEF_USER("MAXPE")),
    LIMIT("MAXPEPERGROUP", CRED_GROUP, LIMIT_PE, CFG_DIM_ACTIVE, DEF_GROUP("MAXPE")),
    LIMIT("MAXPEPERACCOUNT", CRED_ACCOUNT, LIMIT_PE, CFG_DIM_ACTIVE, DEF_ACCOUNT("MAXPE")),
    WC_LIMIT("USER", CRED_USER, DEF_USER("MAXWC")),
    WC_LIMIT("GROUP", CRED_GROUP, DEF_GROUP("MAXWC")),
    WC_LIMIT("ACCOUNT", CRED_ACCOUNT, DEF_ACCOUNT("MAXWC")),
    LIMIT("MAXJOBQUEUEDPERUSER", CRED_USER, LIMIT_JOB, CFG_DIM_IDLE, DEF_USER("MAXIJOB")),
    LIMIT("MAXJOBQUEUEDPERGROUP", CRED_GROUP, LIMIT_JOB, CFG_DIM_IDLE, DEF_GROUP("MAXIJOB")),
    LIMIT("MAXJOBQUEUEDPERACCOUNT", CRED_ACCOUNT, LIMIT_JOB, CFG_DIM_IDLE, DEF_ACCOUNT("MAXIJOB")),
};

#define SR(old, attr_, text)                                                           \
    {N("SR" old), OLD_FORM(OBJECT_SR, attr_, "SRCFG[x] " attr_ "="), INDEX(INDEX_OF_OBJECT), HELP(text)}

/* Documentation prints lists without the SR as well: QOSLIST[0] high low. */
#define SR_LIST(attr_, text)                                                           \
    {N("SR" attr_, attr_), OLD_FORM(OBJECT_SR, attr_, "SRCFG[x] " attr_ "="), INDEX(INDEX_OF_OBJECT), HELP(text)}

static const struct cfg_row reservation_rows[] = {
    SR("ACCESS", "ACCESS", "Shared with other reservations or not."),
    SR_LIST("ACCOUNTLIST", "Accounts with access."),
    SR("CHARGEACCOUNT", "CHARGEACCOUNT", "Account that pays for idle time."),
    SR_LIST("CLASSLIST", "Classes with access."),
    SR("DAYS", "DAYS", "Days of the week it exists on."),
    SR("DEPTH", "DEPTH", "Periods covered, the present one included."),
    SR("ENDTIME", "ENDTIME", "End within the period."),
    SR("FEATURES", "NODEFEATURES", "Features of its nodes."),
    SR("FLAGS", "FLAGS", "Flags."),
    SR_LIST("GROUPLIST", "Groups with access."),
    SR_LIST("HOSTLIST", "Its nodes."),
    SR("IDLETIME", "IDLETIME", "Had no effect."),
    SR("MAXTIME", "TIMELIMIT", "Longest job with access."),
    SR("NAME", "NAME", "Name of the reservation with this number."),
    SR("PARTITION", "PARTITION", "Partition of its nodes."),
    SR("PERIOD", "PERIOD", "How often it recurs."),
    SR("PRIORITY", "PRIORITY", "May displace priority reservations of lower priority."),
    SR_LIST("QOSLIST", "QOS with access."),
    SR("RESOURCES", "RESOURCES", "Resources per task."),
    SR("STARTTIME", "STARTTIME", "Start within the period."),
    SR("TASKCOUNT", "TASKCOUNT", "Number of tasks."),
    SR("TPN", "TPN", "Tasks per node."),
    SR_LIST("USERLIST", "Users with access."),
    SR("WENDTIME", "WENDTIME", "End within the week."),
    SR("WSTARTTIME", "WSTARTTIME", "Start within the week."),
    {N("SRTIMELOGIC"), OLD_FORM(OBJECT_SR, "TIMELOGIC", "SRCFG[x] TIMELIMIT=TIME*"), INDEX(INDEX_OF_OBJECT), HELP("How the time limit combines with the other access rules.")},
    {N("SRMAXTASKS"), COUNT("tasks", NULL), INDEX(INDEX_OF_OBJECT), INERT, HELP("Never had an effect.")},
    {N("SRMINTASKS"), COUNT("tasks", NULL), INDEX(INDEX_OF_OBJECT), INERT, HELP("Never had an effect.")},
    {N("SRMINLOAD"), NUMBER(NULL), INDEX(INDEX_OF_OBJECT), INERT, HELP("Never had an effect.")},
};

static const struct cfg_group groups[] = {
    GROUP("Limits of Maui 3.0", limit_rows),
    GROUP("Standing reservations of Maui 3.0", reservation_rows),
};
/* clang-format on */

const struct cfg_group *table_old(size_t i)
{
    return GROUP_AT(groups, i);
}
