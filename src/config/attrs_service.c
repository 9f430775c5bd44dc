/* SPDX-License-Identifier: Apache-2.0
 * The table: attributes of SRCFG, RMCFG, AMCFG, SCHEDCFG and CLIENTCFG. They are
 * checked here and kept as written for the rooms that will read them. */
#include "config/row.h"
#include "config/set.h"
#include "config/table.h"

/* clang-format off */
#define SR     OF(BIT_OF(SR)), LATER
#define RM     OF(BIT_OF(RM)), LATER
#define AM     OF(BIT_OF(AM)), LATER
#define SCHED  OF(BIT_OF(SCHED)), LATER
#define CLIENT OF(BIT_OF(CLIENT)), LATER
#define ACCESS_LIST .type = CFG_CREDS, SR, .accumulates = true

static const struct cfg_keyword kw_sraccess[] = {{"DEDICATED"}, {"SHARED"}, {NULL}};
static const struct cfg_keyword kw_days[] = {
    {"MON"}, {"TUE"}, {"WED"}, {"THU"}, {"FRI"}, {"SAT"}, {"SUN"}, {"[ALL]"}, {"ALL"},
    {NULL}};
static const struct cfg_keyword kw_period[] = {
    {"DAY"}, {"WEEK"}, {"INFINITY"}, {"INFINITE"}, {NULL}};
static const struct cfg_keyword kw_srflags[] = {
    {"SINGLEUSE"}, {"BYNAME"}, {"OWNERPREEMPT"}, {"PREEMPTEE"}, {"TIMEFLEX"},
    {"SPACEFLEX"}, {"FORCE"}, {"BESTEFFORT"}, {"META"}, {"ADVRES"}, {"DEDICATEDNODE"},
    {"DEDICATEDRESOURCE"}, {"STANDINGRES"}, {NULL}};
static const struct cfg_keyword kw_logic[] = {{"AND"}, {"OR"}, {NULL}};

static const struct cfg_row sr_rows[] = {
    {N("ACCESS"), WORD("DEDICATED", kw_sraccess), SR, HELP("Whether other reservations may share its resources.")},
    {N("ACCOUNTLIST"), ACCESS_LIST, HELP("Accounts with access; entries [!^*]name[+-=!^*].")},
    {N("CLASSLIST"), ACCESS_LIST, HELP("Classes with access.")},
    {N("GROUPLIST"), ACCESS_LIST, HELP("Groups with access.")},
    {N("QOSLIST"), ACCESS_LIST, HELP("QOS with access.")},
    {N("USERLIST"), ACCESS_LIST, HELP("Users with access.")},
    {N("JOBATTRLIST"), ACCESS_LIST, HELP("Job attributes with access.")},
    {N("CHARGEACCOUNT"), NAME(NULL), SR, HELP("Account that pays for idle time.")},
    {N("OWNER"), CUSTOM(set_owner, NULL, "TYPE:NAME"), SR, HELP("USER, GROUP, ACCOUNT, QOS or CLASS that owns it.")},
    {N("DAYS"), WORDS("[ALL]", kw_days), SR, HELP("Days of the week it exists on, PERIOD=DAY only.")},
    {N("PERIOD"), WORD("DAY", kw_period), SR, HELP("How often it recurs.")},
    {N("DEPTH"), COUNT("periods", "2"), SR, HELP("Periods covered, the present one included.")},
    {N("STARTTIME"), TIME("0"), SR, HELP("Start within the period.")},
    {N("ENDTIME"), TIME("24:00:00"), SR, HELP("End within the period.")},
    {N("WSTARTTIME"), TIME("0"), SR, HELP("Start within the week, old form.")},
    {N("WENDTIME"), TIME("7:00:00:00"), SR, HELP("End within the week, old form.")},
    {N("FLAGS"), WORDS(NULL, kw_srflags), SR, HELP("Flags.")},
    {N("HOSTLIST"), .type = CFG_HOSTS, SR, HELP("Names, ranges or regular expressions of its nodes.")},
    {N("NODEFEATURES", "SRFEATURES"), WORDS(NULL, NULL), SR, HELP("Features every node must have.")},
    {N("PARTITION"), NAME("[ALL]"), SR, HELP("Partition of its nodes.")},
    {N("PRIORITY"), INT(NULL, "0", -INT_MANY, INT_MANY), SR, HELP("May displace priority reservations of jobs of lower priority.")},
    {N("RESOURCES"), CUSTOM(set_resources, "PROCS=-1", "RES=VALUE list"), SR, HELP("Resources per task: PROCS MEM DISK SWAP; MB or k m g t; -1 or ALL = all.")},
    {N("TASKCOUNT"), COUNT("tasks", "0"), SR, HELP("Number of tasks; 0 = no limit.")},
    {N("TPN"), COUNT("tasks", "0"), SR, HELP("Tasks per node.")},
    {N("TIMELIMIT", "MAXTIME"), CUSTOM(set_time_limit, NULL, "TIME, * may follow"), SR, HELP("Longest job with access; * = required.")},
    {N("TASKLIMIT"), CUSTOM(set_comparison, NULL, "[<>=]INT"), SR, HELP("Job sizes with access, in tasks.")},
    {N("PROCLIMIT"), CUSTOM(set_comparison, NULL, "[<>=]INT"), SR, HELP("Job sizes with access, in processors.")},
    {N("IDLETIME"), TIME(NULL), OF(BIT_OF(SR)), INERT, HELP("Kept, without effect.")},
    {N("TIMELOGIC"), WORD("OR", kw_logic), OF(BIT_OF(SR)), OBSOLETE("TIMELIMIT=TIME*"), HELP("How the time limit combines with the other access rules.")},
    {N("TRIGGER"), .type = CFG_TEXT, OF(BIT_OF(SR)), INERT, HELP("Belongs to another scheduler.")},
    {N("NAME"), NAME(NULL), SR, HELP("Name, when the index is a number.")},
};

static const struct cfg_keyword kw_rmtype[] = {
    {"LL"}, {"PBS"}, {"WIKI"}, {"SGE"}, {"SSS"}, {"LSF"}, {"RMS"}, {"NATIVE"}, {"OTHER"},
    {"SLURM"}, {"LOCAL"}, {NULL}};
static const struct cfg_keyword kw_auth[] = {{"CHECKSUM"}, {"PKI"}, {"SECUREPORT"}, {NULL}};

static const struct cfg_row rm_rows[] = {
    {N("TYPE"), WORD("PBS", kw_rmtype), HEAD_ONLY, RM, HELP("Kind of the resource manager.")},
    {N("SERVER"), NAME(NULL), RM, HELP("type://host:port.")},
    {N("HOST"), NAME(NULL), RM, HELP("Its host.")},
    {N("PORT"), INT("port", "0", 0, 65535), RM, HELP("Its port; 0 = as usual for its kind.")},
    {N("NMHOST", "NMSERVER"), NAME(NULL), RM, HELP("Host of its node manager.")},
    {N("NMPORT"), INT("port", "0", 0, 65535), RM, HELP("Port of its node manager.")},
    {N("EPORT"), INT("port", NULL, 0, 65535), RM, HELP("Port it reports events to.")},
    {N("TIMEOUT"), TIME("15"), .min = 0, .max = 1000, RM, HELP("How long to wait for its answer.")},
    {N("AUTHTYPE"), WORD("CHECKSUM", kw_auth), RM, HELP("How the two recognise each other.")},
    {N("CONFIGFILE"), FILE_PATH(NULL), RM, HELP("LoadLeveler configuration file.")},
    {N("LOCALDISKFS"), FILE_PATH(NULL), RM, HELP("File system counted as local disk.")},
    {N("MINETIME"), TIME("1"), RM, HELP("Shortest time between two events.")},
    {N("ASYNCJOBSTART"), BOOL("FALSE"), RM, HELP("Do not wait for a job's start (PBS).")},
    {N("SUSPENDSIG"), NAME(NULL), RM, HELP("Signal that suspends a job.")},
    {N("SUBMITCMD"), FILE_PATH(NULL), RM, HELP("Command that submits a job.")},
    {N("SOCKETPROTOCOL"), NAME(NULL), RM, HELP("Socket protocol.")},
    {N("WIREPROTOCOL"), NAME(NULL), RM, HELP("Wire protocol.")},
    {N("VERSION"), NAME(NULL), RM, HELP("Version of its protocol.")},
    {N("NAME"), NAME(NULL), RM, HELP("Its name; the index when not given.")},
    {N("CSALGO"), NAME(NULL), RM, .secret = true, HELP("Checksum algorithm; private file only.")},
    {N("CSKEY"), .type = CFG_TEXT, RM, .secret = true, HELP("Shared secret; private file only.")},
};

static const struct cfg_keyword kw_amtype[] = {{"QBANK"}, {"GOLD"}, {"RESD"}, {"FILE"}, {NULL}};
static const struct cfg_keyword kw_charge[] = {
    {"DEBITALLWC"}, {"DEBITALLCPU"}, {"DEBITALLPE"}, {"DEBITSUCCESSFULWC"},
    {"DEBITSUCCESSFULCPU"}, {"DEBITSUCCESSFULPE"}, {NULL}};
static const struct cfg_keyword kw_jfaction[] = {{"CANCEL"}, {"DEFER"}, {"NONE"}, {NULL}};

static const struct cfg_row am_rows[] = {
    {N("TYPE"), WORD(NULL, kw_amtype), AM, HELP("Kind of the bank; none without it.")},
    {N("SERVER"), NAME(NULL), AM, HELP("Its URL, or ANY.")},
    {N("HOST"), NAME(NULL), AM, HELP("Its host; the file for kind FILE.")},
    {N("PORT"), INT("port", "40560", 0, 65535), AM, HELP("Its port.")},
    {N("CHARGEPOLICY"), WORD("DEBITSUCCESSFULWC", kw_charge), AM, HELP("Which jobs are charged, and for what.")},
    {N("FALLBACKACCOUNT"), NAME(NULL), AM, HELP("Account used when the job's own is empty; a + in front appends to its name.")},
    {N("DEFERJOBONFAILURE"), BOOL("FALSE"), AM, HELP("Defer jobs when the bank fails.")},
    {N("JFACTION"), WORD("NONE", kw_jfaction), AM, HELP("What to do with a job when the bank refuses or fails.")},
    {N("FLUSHINTERVAL"), TIME("24:00:00"), AM, HELP("Time between debits of long jobs.")},
    {N("APPENDMACHINENAME"), BOOL("FALSE"), AM, HELP("Charge account@machine.")},
    {N("TIMEOUT"), TIME("10"), AM, HELP("How long to wait for its answer.")},
    {N("SOCKETPROTOCOL"), NAME(NULL), AM, HELP("Socket protocol.")},
    {N("WIREPROTOCOL"), NAME(NULL), AM, HELP("Wire protocol.")},
    {N("CONFIGFILE"), FILE_PATH(NULL), AM, HELP("Its configuration file.")},
    {N("CSALGO"), NAME("HMAC"), AM, .secret = true, HELP("Checksum algorithm; private file only.")},
    {N("CSKEY"), .type = CFG_TEXT, AM, .secret = true, HELP("Shared secret; private file only.")},
};

static const struct cfg_keyword kw_mode[] = {
    {"NORMAL"}, {"TEST"}, {"SIMULATION"}, {"PROFILE"}, {"SINGLESTEP"}, {NULL}};

static const struct cfg_row sched_rows[] = {
    {N("SERVER"), NAME(NULL), SCHED, HELP("Sets SERVERHOST and SERVERPORT.")},
    {N("MODE"), WORD("NORMAL", kw_mode), SCHED, HELP("As SERVERMODE.")},
    {N("FBSERVER"), NAME(NULL), SCHED, HELP("Fallback server that commands turn to.")},
    {N("CPVERSION"), NAME(NULL), OF(BIT_OF(SCHED)), INERT, HELP("Known, without effect.")},
    {N("HOMEDIR"), FILE_PATH(NULL), OF(BIT_OF(SCHED)), INERT, HELP("Known, without effect.")},
    {N("NAME"), NAME(NULL), OF(BIT_OF(SCHED)), INERT, HELP("Known, without effect; the index is the name.")},
};

static const struct cfg_keyword kw_csalgo[] = {{"DES"}, {"HMAC"}, {"MD5"}, {NULL}};

static const struct cfg_row client_rows[] = {
    {N("CSKEY"), .type = CFG_TEXT, CLIENT, .secret = true, HELP("Shared secret.")},
    {N("CSALGO"), WORD(NULL, kw_csalgo), CLIENT, HELP("Checksum algorithm.")},
    {N("HOST"), NAME(NULL), CLIENT, HELP("Host of a peer service.")},
    {N("PORT"), INT("port", NULL, 0, 65535), CLIENT, HELP("Its port.")},
    {N("SPROTOCOL"), NAME(NULL), CLIENT, HELP("Its socket protocol.")},
    {N("VERSION"), NAME(NULL), CLIENT, HELP("Its version.")},
    {N("TIMEOUT"), TIME(NULL), CLIENT, HELP("How long to wait for it.")},
    {N("FLAGS"), WORDS(NULL, NULL), CLIENT, HELP("Its flags.")},
};

static const struct cfg_group groups[] = {
    GROUP("SRCFG", sr_rows),
    GROUP("RMCFG", rm_rows),
    GROUP("AMCFG", am_rows),
    GROUP("SCHEDCFG", sched_rows),
    GROUP("CLIENTCFG", client_rows),
};
/* clang-format on */

const struct cfg_group *attrs_service(size_t i)
{
    return GROUP_AT(groups, i);
}
