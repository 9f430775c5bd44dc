/* SPDX-License-Identifier: Apache-2.0
 * The table: credentials and QOS, priority, fairshare. */
#include "config/row.h"
#include "config/set.h"
#include "config/settings.h"
#include "config/table.h"

/* clang-format off */
#define IN_PRIO(field) \
    FIELD_(HOME_SETTINGS, struct settings, prio.field), .index = INDEX_OF_WEIGHTS
#define COMP_WEIGHT(c, ...) NUMBER("1"), IN_PRIO(comp_weight[c])
#define COMP_CAP(c)         NUMBER("0"), IN_PRIO(comp_cap[c])
#define WEIGHT(s)           NUMBER("0"), IN_PRIO(weight[s])
#define CAP(s)              NUMBER("0"), IN_PRIO(cap[s])
#define OLD_QOS(a, now)     OLD_FORM(OBJECT_QOS, a, now), INDEX(INDEX_OF_QOS)

static const struct cfg_keyword kw_accrual[] = {
    {"QUEUEPOLICY", ACCRUE_QUEUEPOLICY}, {"ALWAYS", ACCRUE_ALWAYS},
    {"FULLPOLICY", ACCRUE_FULLPOLICY}, {NULL}};

static const struct cfg_row cred_rows[] = {
    {N("USERCFG"), SECTION(OBJECT_USER), HELP("A user; DEFAULT for every user without a value of its own.")},
    {N("GROUPCFG"), SECTION(OBJECT_GROUP), HELP("A group.")},
    {N("ACCOUNTCFG", "ACCTCFG"), SECTION(OBJECT_ACCOUNT), HELP("An account.")},
    {N("QOSCFG"), SECTION(OBJECT_QOS), HELP("A quality of service.")},
    {N("CLASSCFG", "QUEUECFG"), SECTION(OBJECT_CLASS), HELP("A class (queue).")},
    {N("SYSCFG", "SYSTEMCFG"), SECTION(OBJECT_SYS), HELP("The system as a whole; any index or none.")},
    {N("PARCFG"), SECTION(OBJECT_PAR), LATER, HELP("A partition; the name is reserved.")},
    {N("QOSNAME"), NAME(NULL), INDEX(INDEX_OF_QOS), INERT, HELP("Was the name of a QOS; the index of QOSCFG is.")},
    {N("QOSPRIORITY"), OLD_QOS("PRIORITY", "QOSCFG[x] PRIORITY="), HELP("Priority of a QOS.")},
    {N("QOSFLAGS"), OLD_QOS("QFLAGS", "QOSCFG[x] QFLAGS="), HELP("Flags of a QOS.")},
    {N("QOSFEATURES"), WORDS("[ANY]", NULL), INDEX(INDEX_OF_QOS), IN_CRED(qos_features), HELP("Node features that every node of a job of this QOS must have.")},
    {N("QOSQTWEIGHT"), OLD_QOS("QTWEIGHT", "QOSCFG[x] QTWEIGHT="), HELP("Added to QUEUETIMEWEIGHT.")},
    {N("QOSXFWEIGHT"), OLD_QOS("XFWEIGHT", "QOSCFG[x] XFWEIGHT="), HELP("Added to XFACTORWEIGHT.")},
    {N("QOSQTTARGET", "QOSTARGETQT"), OLD_QOS("QTTARGET", "QOSCFG[x] QTTARGET="), HELP("Queue time to aim at.")},
    {N("QOSXFTARGET", "QOSTARGETXF"), OLD_QOS("XFTARGET", "QOSCFG[x] XFTARGET="), HELP("Expansion factor to aim at.")},
};

static const struct cfg_row priority_rows[] = {
    {N("SERVICEWEIGHT", "SERVWEIGHT", "SERVICETARGETWEIGHT"), COMP_WEIGHT(PRIO_SERV), HELP("Weight of the service component.")},
    {N("SERVICECAP", "SERVCAP", "SERVICEWCAP"), COMP_CAP(PRIO_SERV), HELP("Cap of the service component; 0 = none.")},
    {N("QUEUETIMEWEIGHT"), NUMBER("1"), IN_PRIO(weight[PRIO_QUEUETIME]), HELP("Weight of the minutes a job has queued.")},
    {N("QUEUETIMECAP"), CAP(PRIO_QUEUETIME), HELP("Cap of the queue time.")},
    {N("XFACTORWEIGHT", "XFWEIGHT", "XFACTOR"), WEIGHT(PRIO_XFACTOR), HELP("Weight of the expansion factor.")},
    {N("XFACTORCAP"), CAP(PRIO_XFACTOR), HELP("Cap of the expansion factor.")},
    {N("BYPASSWEIGHT"), WEIGHT(PRIO_BYPASS), HELP("Weight of the times a job was passed by backfill.")},
    {N("BYPASSCAP"), CAP(PRIO_BYPASS), HELP("Cap of the bypass count.")},
    {N("SPVIOLATIONWEIGHT"), WEIGHT(PRIO_SPVIOLATION), HELP("Weight of a running job's being over a soft limit.")},
    {N("SPVIOLATIONCAP"), CAP(PRIO_SPVIOLATION), HELP("Cap of that.")},
    {N("TARGETWEIGHT", "TARGWEIGHT"), COMP_WEIGHT(PRIO_TARG), HELP("Weight of the target component.")},
    {N("TARGETCAP", "TARGCAP"), COMP_CAP(PRIO_TARG), HELP("Cap of the target component.")},
    {N("TARGETQUEUETIMEWEIGHT", "QUEUETIMETARGETWEIGHT"), WEIGHT(PRIO_TARGETQUEUETIME), HELP("Weight of nearing the QOS queue time target.")},
    {N("TARGETQUEUETIMECAP"), CAP(PRIO_TARGETQUEUETIME), HELP("Cap of that.")},
    {N("TARGETXFACTORWEIGHT", "XFACTORTARGETWEIGHT"), WEIGHT(PRIO_TARGETXFACTOR), HELP("Weight of nearing the QOS expansion factor target.")},
    {N("TARGETXFACTORCAP"), CAP(PRIO_TARGETXFACTOR), HELP("Cap of that.")},
    {N("CREDWEIGHT", "DIRECTSPECWEIGHT"), COMP_WEIGHT(PRIO_CRED), HELP("Weight of the credential component.")},
    {N("CREDCAP"), COMP_CAP(PRIO_CRED), HELP("Cap of the credential component.")},
    {N("USERWEIGHT"), WEIGHT(PRIO_USER), HELP("Weight of USERCFG PRIORITY.")},
    {N("USERCAP"), CAP(PRIO_USER), HELP("Cap of that.")},
    {N("GROUPWEIGHT"), WEIGHT(PRIO_GROUP), HELP("Weight of GROUPCFG PRIORITY.")},
    {N("GROUPCAP"), CAP(PRIO_GROUP), HELP("Cap of that.")},
    {N("ACCOUNTWEIGHT"), WEIGHT(PRIO_ACCOUNT), HELP("Weight of ACCOUNTCFG PRIORITY.")},
    {N("ACCOUNTCAP"), CAP(PRIO_ACCOUNT), HELP("Cap of that.")},
    {N("QOSWEIGHT"), WEIGHT(PRIO_QOS), HELP("Weight of QOSCFG PRIORITY.")},
    {N("QOSCAP"), CAP(PRIO_QOS), HELP("Cap of that.")},
    {N("CLASSWEIGHT"), WEIGHT(PRIO_CLASS), HELP("Weight of CLASSCFG PRIORITY.")},
    {N("CLASSCAP"), CAP(PRIO_CLASS), HELP("Cap of that.")},
    {N("ATTRWEIGHT"), COMP_WEIGHT(PRIO_ATTR), INERT, HELP("Weight of a component that is always 0.")},
    {N("ATTRCAP"), COMP_CAP(PRIO_ATTR), INERT, HELP("Cap of a component that is always 0.")},
    {N("ATTRATTRWEIGHT"), WEIGHT(PRIO_ATTRATTR), INERT, HELP("Weight of a value that is always 0.")},
    {N("ATTRATTRCAP"), CAP(PRIO_ATTRATTR), INERT, HELP("Cap of a value that is always 0.")},
    {N("ATTRSTATEWEIGHT"), WEIGHT(PRIO_ATTRSTATE), INERT, HELP("Weight of a value that is always 0.")},
    {N("ATTRSTATECAP"), CAP(PRIO_ATTRSTATE), INERT, HELP("Cap of a value that is always 0.")},
    {N("FSWEIGHT", "FAIRSHAREWEIGHT"), COMP_WEIGHT(PRIO_FS), HELP("Weight of the fairshare component.")},
    {N("FSCAP"), COMP_CAP(PRIO_FS), HELP("Cap of the fairshare component.")},
    {N("FSUSERWEIGHT", "UFSWEIGHT"), WEIGHT(PRIO_FSUSER), HELP("Weight of the user's distance from its fairshare target.")},
    {N("FSUSERCAP"), CAP(PRIO_FSUSER), HELP("Cap of that.")},
    {N("FSGROUPWEIGHT", "GFSWEIGHT"), WEIGHT(PRIO_FSGROUP), HELP("Weight of the group's distance.")},
    {N("FSGROUPCAP"), CAP(PRIO_FSGROUP), HELP("Cap of that.")},
    {N("FSACCOUNTWEIGHT", "AFSWEIGHT"), WEIGHT(PRIO_FSACCOUNT), HELP("Weight of the account's distance.")},
    {N("FSACCOUNTCAP"), CAP(PRIO_FSACCOUNT), HELP("Cap of that.")},
    {N("FSQOSWEIGHT"), WEIGHT(PRIO_FSQOS), HELP("Weight of the QOS's distance.")},
    {N("FSQOSCAP"), CAP(PRIO_FSQOS), HELP("Cap of that.")},
    {N("FSCLASSWEIGHT"), WEIGHT(PRIO_FSCLASS), HELP("Weight of the class's distance.")},
    {N("FSCLASSCAP"), CAP(PRIO_FSCLASS), HELP("Cap of that.")},
    {N("RESWEIGHT", "RESOURCEWEIGHT"), COMP_WEIGHT(PRIO_RES), HELP("Weight of the resource component.")},
    {N("RESCAP"), COMP_CAP(PRIO_RES), HELP("Cap of the resource component.")},
    {N("NODEWEIGHT"), WEIGHT(PRIO_NODE), HELP("Weight of the nodes requested.")},
    {N("NODECAP"), CAP(PRIO_NODE), HELP("Cap of that.")},
    {N("PROCWEIGHT"), WEIGHT(PRIO_PROC), HELP("Weight of the processors requested.")},
    {N("PROCCAP"), CAP(PRIO_PROC), HELP("Cap of that.")},
    {N("MEMWEIGHT", "MEMORYWEIGHT"), WEIGHT(PRIO_MEM), HELP("Weight of the memory requested, MB.")},
    {N("MEMCAP"), CAP(PRIO_MEM), HELP("Cap of that.")},
    {N("SWAPWEIGHT"), WEIGHT(PRIO_SWAP), HELP("Weight of the swap requested, MB.")},
    {N("SWAPCAP"), CAP(PRIO_SWAP), HELP("Cap of that.")},
    {N("DISKWEIGHT"), WEIGHT(PRIO_DISK), HELP("Weight of the disk requested, MB.")},
    {N("DISKCAP"), CAP(PRIO_DISK), HELP("Cap of that.")},
    {N("PSWEIGHT"), WEIGHT(PRIO_PS), HELP("Weight of processors x wallclock limit.")},
    {N("PSCAP"), CAP(PRIO_PS), HELP("Cap of that.")},
    {N("PEWEIGHT"), WEIGHT(PRIO_PE), HELP("Weight of the processor equivalents.")},
    {N("PECAP"), CAP(PRIO_PE), HELP("Cap of that.")},
    {N("WALLTIMEWEIGHT"), WEIGHT(PRIO_WALLTIME), HELP("Weight of the wallclock limit, seconds.")},
    {N("WALLTIMECAP"), CAP(PRIO_WALLTIME), HELP("Cap of that.")},
    {N("UPROCWEIGHT"), WEIGHT(PRIO_UPROC), HELP("Weight of the processors the user has in use.")},
    {N("UJOBWEIGHT"), WEIGHT(PRIO_UJOB), HELP("Weight of the jobs the user has running.")},
    {N("USAGEWEIGHT"), COMP_WEIGHT(PRIO_USAGE), HELP("Weight of the usage component, running jobs only.")},
    {N("USAGECAP"), COMP_CAP(PRIO_USAGE), HELP("Cap of the usage component.")},
    {N("USAGECONSUMEDWEIGHT", "CONSUMEDWEIGHT"), WEIGHT(PRIO_CONSUMED), HELP("Weight of the processor time a running job has had.")},
    {N("USAGECONSUMEDCAP", "CONSUMEDCAP"), CAP(PRIO_CONSUMED), HELP("Cap of that.")},
    {N("USAGEREMAININGWEIGHT", "REMAININGWEIGHT"), WEIGHT(PRIO_REMAINING), HELP("Weight of the processor time it has left.")},
    {N("USAGEREMAININGCAP", "REMAININGCAP"), CAP(PRIO_REMAINING), HELP("Cap of that.")},
    {N("USAGEPERCENTWEIGHT", "PERCENTWEIGHT"), WEIGHT(PRIO_PERCENT), HELP("Weight of the percentage of its limit it has run.")},
    {N("USAGEPERCENTCAP", "PERCENTCAP"), CAP(PRIO_PERCENT), HELP("Cap of that.")},
    {N("USAGEEXECUTIONTIMEWEIGHT"), WEIGHT(PRIO_EXECUTIONTIME), HELP("Weight of the time it has run.")},
    {N("USAGEEXECUTIONTIMECAP"), CAP(PRIO_EXECUTIONTIME), HELP("Cap of that.")},
    {N("XFMINWCLIMIT"), TIME("00:02:00"), IN_PRIO(xfminwclimit_s), NEGATIVE_OFF, HELP("Wallclock limits below this count as this in the expansion factor.")},
    {N("JOBPRIOACCRUALPOLICY"), WORD("QUEUEPOLICY", kw_accrual), IN_SETTINGS(prio.accrual), HELP("When a job's queue time grows: ALWAYS; while the idle limits (MAXIJOB ...) are met (QUEUEPOLICY: a job that only MAXJOB or another limit of active jobs keeps back goes on growing older); or while all limits are met (FULLPOLICY).")},
    {N("USESYSTEMQUEUETIME"), BOOL("OFF"), IN_SETTINGS(prio.use_system_queue_time), HELP("Count queue time since the job became eligible, not since it was submitted.")},
    {N("ENABLENEGJOBPRIORITY"), BOOL("FALSE"), IN_PRIO(enable_negative), HELP("Allow priorities below 1.")},
    {N("REJECTNEGPRIOJOBS"), BOOL("TRUE"), IN_PRIO(reject_negative), HELP("Do not start jobs of negative priority.")},
    {N("USERPRIOWEIGHT"), NUMBER("1"), IN_PRIO(user_weight), HELP("Weight of the priority that a job's user gave it (--nice, msub -p, setupri): added to what all else makes, below 1 as well. 0: it changes nothing.")},
    {N("ENABLEPOSUSERPRIORITY"), BOOL("FALSE"), IN_PRIO(enable_positive_user), HELP("Let user priorities above 0 count. Otherwise users can only lower the priority of their jobs; of Slurm's jobs those count that Slurm let an administrator raise.")},
    {N("JOBPRIOF"), TEXT(NULL), INERT, HELP("Was meant as a priority function of job attributes.")},
    {N("USELOCALMACHINEPRIORITY"), BOOL("OFF"), INERT, HELP("Was meant for priorities of several machines.")},
};

static const struct cfg_row fairshare_rows[] = {
    {N("FSPOLICY"), CUSTOM(set_fs_policy, NULL, "DEDICATEDPS DEDICATEDPES UTILIZEDPS, % may follow"), IN_SETTINGS(fs.policy), HELP("What is counted as usage; % compares by ratio. Without it fairshare is off.")},
    {N("FSINTERVAL"), TIME("12:00:00"), IN_SETTINGS(fs.interval_s), .min = 1, .max = INT_MANY, HELP("Length of a usage window.")},
    {N("FSDEPTH"), INT("windows", "8", 1, FS_DEPTH_MAX), IN_SETTINGS(fs.depth), HELP("Usage windows looked at, the current one included.")},
    {N("FSDECAY"), NUMBER_IN("1.0", 0, 1), IN_SETTINGS(fs.decay), HELP("Each older window counts this much of the next newer.")},
    {N("FSCONFIGFILE"), FILE_PATH("fs.cfg"), INERT, HELP("File of old releases; write its lines as USERCFG, GROUPCFG, ACCOUNTCFG, QOSCFG.")},
    {N("FSENFORCEMENT"), NAME(NULL), INERT, HELP("Never described.")},
    {N("FSSECONDARYGROUPS"), BOOL("FALSE"), IN_SETTINGS(fs.secondary_groups), LATER, HELP("A job counts for a secondary group of its user that has a fairshare target.")},
    {N("USEMACHINESPEEDFORFS"), BOOL("FALSE"), IN_SETTINGS(fs.use_machine_speed), INDEX(INDEX_OF_WEIGHTS), HELP("Multiply usage by the mean speed of the job's nodes.")},
};

static const struct cfg_group groups[] = {
    GROUP("Credentials and QOS", cred_rows),
    GROUP("Priority", priority_rows),
    GROUP("Fairshare", fairshare_rows),
};
/* clang-format on */

const struct cfg_group *table_priority(size_t i)
{
    return GROUP_AT(groups, i);
}
