/* SPDX-License-Identifier: Apache-2.0
 * The table: attributes of SRCFG, RMCFG, AMCFG, SCHEDCFG and CLIENTCFG. They are
 * checked here and kept as written for the rooms that will read them. */
#include "config/row.h"
#include "config/set.h"
#include "config/settings.h"
#include "config/table.h"

/* clang-format off */
#define SR     OF(BIT_OF(SR))
#define RM_NOW OF(BIT_OF(RM)), BY_NAME
#define RM     OF(BIT_OF(RM)), LATER
#define URL(help) .type = CFG_TEXT, RM_NOW, HELP("Native: " help)
#define AM_NOW OF(BIT_OF(AM))
#define AM     OF(BIT_OF(AM)), LATER
#define CLIENT OF(BIT_OF(CLIENT)), LATER
#define ENTRY_LIST(type_) .type = CFG_WORDS, GUARDS, .set = set_sr_access_list, .arg = type_, .home = HOME_SR, SR
#define ACCESS_LIST(type_) ENTRY_LIST(type_), .syntax = "[!]NAME[+-=*] list", .accumulates = true
#define ACCESS_LIMIT(type_, syntax_) .type = CFG_CUSTOM, GUARDS, .set = set_sr_access_list, .arg = type_, .home = HOME_SR, SR, .syntax = syntax_
#define SR_CUSTOM(f, d, s) CUSTOM(f, d, s), .home = HOME_SR, SR
#define SR_WORDS(f, d, k)  WORDS(d, k), .set = f, .home = HOME_SR, SR

static const struct cfg_keyword kw_sraccess[] = {
    {"DEDICATED", SR_DEDICATED}, {"SHARED", SR_SHARED}, {NULL}};
static const struct cfg_keyword kw_days[] = {
    {"SUN", 1}, {"MON", 2}, {"TUE", 4}, {"WED", 8}, {"THU", 16}, {"FRI", 32}, {"SAT", 64},
    {"[ALL]", SR_DAYS_ALL}, {"ALL", SR_DAYS_ALL}, {NULL}};
static const struct cfg_keyword kw_period[] = {
    {"DAY", SR_DAY}, {"WEEK", SR_WEEK}, {"INFINITY", SR_INFINITY},
    {"INFINITE", SR_INFINITY}, {NULL}};
static const struct cfg_keyword kw_srflags[] = {
    {"SINGLEUSE"}, {"BYNAME"}, {"OWNERPREEMPT"}, {"PREEMPTEE"}, {"TIMEFLEX"},
    {"SPACEFLEX"}, {"FORCE"}, {"BESTEFFORT"}, {"META"}, {"ADVRES"}, {"DEDICATEDNODE"},
    {"DEDICATEDRESOURCE"}, {"STANDINGRES"}, {"IGNSTATE"}, {"FLEX"}, {NULL}};
static const struct cfg_keyword kw_logic[] = {{"OR", 0}, {"AND", 1}, {NULL}};

static const struct cfg_row sr_rows[] = {
    {N("ACCESS"), WORD("DEDICATED", kw_sraccess), IN_SR(access), SR, HELP("Whether it may lie on resources of other reservations (SHARED).")},
    {N("ACCOUNTLIST"), ACCESS_LIST(ACL_ACCOUNT), HELP("Accounts with access; entries [!]name[+-=*].")},
    {N("ACCCOUNTLIST"), ACCESS_LIST(ACL_ACCOUNT), OBSOLETE("ACCOUNTLIST, of which this is a misprint"), HELP("ACCOUNTLIST as documentation misprints it.")},
    {N("CLASSLIST"), ACCESS_LIST(ACL_CLASS), HELP("Classes with access.")},
    {N("GROUPLIST"), ACCESS_LIST(ACL_GROUP), HELP("Groups with access.")},
    {N("QOSLIST"), ACCESS_LIST(ACL_QOS), HELP("QOS with access.")},
    {N("USERLIST"), ACCESS_LIST(ACL_USER), HELP("Users with access.")},
    {N("JOBATTRLIST"), ACCESS_LIST(ACL_JOBATTR), HELP("Job attributes with access.")},
    {N("CHARGEACCOUNT"), NAME(NULL), IN_SR(charge_account), SR, HELP("Account that pays for idle time.")},
    {N("OWNER"), SR_CUSTOM(set_sr_owner, NULL, "TYPE:NAME"), HELP("USER, GROUP, ACCOUNT, QOS or CLASS that owns it.")},
    {N("DAYS"), SR_WORDS(set_sr_days, "[ALL]", kw_days), HELP("Days of the week it exists on, PERIOD=DAY only.")},
    {N("PERIOD"), WORD("DAY", kw_period), IN_SR(period), SR, HELP("How often it recurs.")},
    {N("DEPTH"), INT("periods", "2", 0, 10000), .set = set_sr_depth, .home = HOME_SR, SR, HELP("Periods covered, the present one included; more where BACKFILLPOLICY PLAN promises starts beyond them.")},
    {N("STARTTIME"), TIME("0"), IN_SR(start_s), SR, HELP("Start within the period, by the clock on the wall.")},
    {N("ENDTIME"), TIME("24:00:00"), IN_SR(end_s), SR, HELP("End within the period; of a week, its end.")},
    {N("WSTARTTIME"), TIME("0"), IN_SR(wstart_s), SR, HELP("Start within the week, old form.")},
    {N("WENDTIME"), TIME("7:00:00:00"), IN_SR(wend_s), SR, HELP("End within the week, old form.")},
    {N("FLAGS", "FLAG"), SR_WORDS(set_sr_flags, NULL, kw_srflags), GUARDS, HELP("Flags.")},
    {N("HOSTLIST"), .type = CFG_HOSTS, .def = "[ALL]", IN_SR(hosts), SR, HELP("Names, ranges or regular expressions of its nodes. The default holds where TASKCOUNT is given; one of the two has to be.")},
    {N("NODEFEATURES", "SRFEATURES"), WORDS(NULL, NULL), IN_SR(features), SR, HELP("Features every node must have.")},
    {N("PARTITION"), NAME(NULL), IN_SR(partition), SR, HELP("Partition of its nodes; ALL: any, mixed. Without it: the one that offers most.")},
    {N("PRIORITY"), INT(NULL, "0", -INT_MANY, INT_MANY), IN_SR(priority), SR, HELP("May displace priority reservations of jobs of lower priority.")},
    {N("RESOURCES"), SR_CUSTOM(set_sr_resources, "PROCS=-1", "RES=VALUE list"), HELP("Resources per task: PROCS MEM DISK SWAP GRES; MB or k m g t; -1 or ALL = all.")},
    {N("TASKCOUNT"), INT("tasks", "0", 0, 1000000000), IN_SR(tasks), SR, HELP("Number of tasks; 0 = all that HOSTLIST gives.")},
    {N("TPN"), INT("tasks", "0", 0, 1000000000), IN_SR(tpn), SR, HELP("Tasks per node: each has this many or a multiple.")},
    {N("TIMELIMIT", "MAXTIME"), ACCESS_LIMIT(ACL_DURATION, "TIME, * may follow"), HELP("Longest use with access, counted within the reservation; * = required.")},
    {N("TASKLIMIT"), ACCESS_LIMIT(ACL_TASKS, "[<>=]INT"), HELP("Job sizes with access, in tasks.")},
    {N("PROCLIMIT"), ACCESS_LIMIT(ACL_PROCS, "[<>=]INT"), HELP("Job sizes with access, in processors.")},
    {N("IDLETIME"), TIME(NULL), OF(BIT_OF(SR)), INERT, HELP("Kept, without effect.")},
    {N("TIMELOGIC"), WORD("OR", kw_logic), .set = set_sr_logic, .home = HOME_SR, GUARDS, OF(BIT_OF(SR)), OBSOLETE("TIMELIMIT=TIME*"), HELP("How the time limit combines with the other access rules.")},
    {N("TRIGGER"), SR_CUSTOM(set_sr_triggers, NULL, "EVENT[+OFFSET][@LOAD];ACTION[@DATA]"), .accumulates = true, HELP("What to do when it is created, starts, ends or runs idle.")},
    {N("NAME"), NAME(NULL), IN_SR(name), SR, HELP("Name, when the index is a number.")},
};

/* 1: rm/registry.c has a driver for it. */
static const struct cfg_keyword kw_rmtype[] = {
    {"LL"}, {"PBS", 1}, {"WIKI", 1}, {"SGE", 1}, {"SSS"}, {"LSF"}, {"RMS"}, {"NATIVE", 1}, {"OTHER"},
    {"SLURM", 1}, {"LOCAL", 1}, {NULL}};
static const struct cfg_keyword kw_csalgo[] = {{"DES"}, {"HMAC"}, {"HMAC64"}, {"MD5"}, {NULL}};
static const struct cfg_keyword kw_rmlimits[] = {{"SLURM"}, {"MAUI"}, {NULL}};
static const struct cfg_keyword kw_auth[] = {{"CHECKSUM"}, {"NONE"}, {"PKI"}, {"SECUREPORT"}, {NULL}};

static const struct cfg_row rm_rows[] = {
    {N("TYPE"), WORD(NULL, kw_rmtype), HEAD_ONLY, RM_NOW, HELP("Kind of the resource manager; LOCAL where none is given. There are drivers for LOCAL, SLURM, PBS, SGE (Grid Engine), WIKI and NATIVE, which is scripts of the site for any other; without one the configuration serves for simulations alone.")},
    {N("SERVER"), NAME(NULL), RM, HELP("type://host:port.")},
    {N("HOST"), NAME(NULL), RM_NOW, HELP("Its host; needed for WIKI.")},
    {N("PORT"), INT("port", "0", 0, 65535), RM_NOW, HELP("Its port; needed for WIKI.")},
    {N("NMHOST", "NMSERVER"), NAME(NULL), RM, HELP("Host of its node manager.")},
    {N("NMPORT"), INT("port", "0", 0, 65535), RM, HELP("Port of its node manager.")},
    {N("EPORT"), INT("port", NULL, 0, 65535), RM_NOW, HELP("Port of ours on which it wakes the scheduler: whoever connects from HOST, or from this machine. NATIVE, PBS, SGE and WIKI.")},
    {N("TIMEOUT"), TIME("15"), .min = 0, .max = 1000, RM_NOW, HELP("How long to wait for its answer; 90 s for Slurm where it is not given. Native: after that a program is killed; WIKI: a connection given up.")},
    {N("AUTHTYPE"), WORD("CHECKSUM", kw_auth), RM_NOW, HELP("WIKI: how the two recognise each other; CHECKSUM, by sums made with a key; NONE, not at all.")},
    {N("KEYFILE"), FILE_PATH(NULL), RM_NOW, HELP("WIKI: file with that key in its first line, which nobody else can read; else CLIENTCFG[RM:name] CSKEY= of the private file.")},
    {N("CONFIGFILE"), FILE_PATH(NULL), RM, HELP("LoadLeveler configuration file.")},
    {N("LOCALDISKFS"), FILE_PATH(NULL), RM, HELP("File system counted as local disk.")},
    {N("MINETIME"), TIME("1"), RM_NOW, HELP("Shortest time between two events of EPORT that wake it.")},
    {N("ASYNCJOBSTART"), BOOL("FALSE"), RM, HELP("Do not wait for a job's start (PBS).")},
    {N("SUSPENDSIG"), NAME(NULL), RM, HELP("Signal that suspends a job.")},
    {N("SUBMITCMD"), FILE_PATH(NULL), RM, HELP("Command that submits a job.")},
    {N("SPOOLDIR"), FILE_PATH(NULL), RM_NOW, HELP("Folder the local one keeps its jobs in; an absolute path.")},
    {N("NODES"), CUSTOM(set_rm_nodes, NULL, "N or NxP"), RM_NOW, HELP("Virtual nodes of the local one, N or NxP: 4x8 is four of 8 processors. Without it those that NODECFG gives processors, else one that is the machine.")},
    {N("KEEPTIME"), TIME(NULL), RM_NOW, HELP("How long the local one keeps the folders of ended jobs; not given: until they are accounted for.")},
    {N("KILLGRACE"), TIME("10"), RM_NOW, HELP("Time the local one gives a job between TERM and KILL.")},
    {N("STARTLIMIT"), TIME("30"), RM_NOW, HELP("Time in which the first process of a job of the local one must have begun; then the start has failed.")},
    {N("PAM"), FILE_PATH(NULL), RM_NOW, HELP("PAM service the local one opens a session of for each job, a name or an absolute path: with pam_limits in it, jobs get the user's limits. Without it, those of the machine's first process.")},
    {N("CGROUP"), FILE_PATH(NULL), RM_NOW, HELP("Control group (v2) the local one makes a group of each job in; NONE: never. Without it the one the daemon is in, where that can be changed.")},
    {N("POLLINTERVAL"), TIME("1"), RM_NOW, HELP("Time between two looks where no change was reported; native and WIKI: 5 s where it is not given.")},
    {N("FULLINTERVAL"), TIME("0"), RM_NOW, HELP("WIKI: time between two looks at everything; in between only what changed is asked for. 0: always everything.")},
    {N("TRANSPORT"), NAME("AUTO"), RM_NOW, HELP("Slurm: LIBSLURM, by its library; SCONTROL, by its command; PBS: COMMANDS, by its commands; AUTO: by the library if that is there.")},
    {N("LIMITS"), WORD("SLURM", kw_rmlimits), RM_NOW, HELP("Slurm: SLURM, what it limits for associations and QOS and enforces (AccountingStorageEnforce=limits) is followed, beside the limits of maui.cfg; MAUI, it is left out of account: a start that it refuses is tried again later.")},
    {N("STARTWAIT"), TIME("5"), RM_NOW, HELP("Slurm: a start that has not come about by then is taken back. Native: one whose program ended well, and which is not seen by then, has failed; 10 minutes where it is not given. WIKI: the same.")},
    {N("NOTES"), INT("notes", "20", 0, 1000), RM_NOW, HELP("Slurm: waiting jobs a second, at most, of which squeue is told why they wait and when they are expected to start; 0: none. PBS: the same of qstat -s.")},
    {N("HEARTBEAT"), FILE_PATH(NULL), RM_NOW, HELP("Slurm: file by which the gate sees that the scheduler lives; slurm.heartbeat in the home directory without it.")},
    {N("EVENTS"), FILE_PATH(NULL), RM_NOW, HELP("Slurm: file by which the gate reports changes; slurm.events in the home directory without it.")},
    {N("BINDIR"), FILE_PATH(NULL), RM_NOW, HELP("Folders of its commands, with a : between them, searched before PATH: of managers whose commands have the same names, as PBS and SGE, each is asked by its own. PBS, SGE, SLURM and NATIVE.")},
    {N("ENV"), NAME(NULL), RM_NOW, HELP("Variables that its commands find in their environment: NAME=VALUE;NAME=VALUE, as in SGE_ROOT=/opt/sge;SGE_CELL=main. PBS, SGE, SLURM and NATIVE.")},
    {N("CLUSTERQUERYURL"), URL("exec:///PROGRAM that prints the nodes, or file:///FILE with them; docs/native.md.")},
    {N("WORKLOADQUERYURL"), URL("exec:///PROGRAM that prints the jobs, or file:///FILE with them.")},
    {N("JOBSTARTURL"), URL("exec:///PROGRAM that starts a job: JOB NODE,NODE...")},
    {N("JOBCANCELURL"), URL("exec:///PROGRAM that ends a job: JOB WHY.")},
    {N("JOBSUSPENDURL"), URL("exec:///PROGRAM that suspends a job: JOB.")},
    {N("JOBRESUMEURL"), URL("exec:///PROGRAM that resumes a job: JOB.")},
    {N("JOBREQUEUEURL"), URL("exec:///PROGRAM that stops a job and lets it wait again: JOB.")},
    {N("JOBMODIFYURL"), URL("exec:///PROGRAM that changes a job: JOB WCLIMIT=SECONDS.")},
    {N("SOCKETPROTOCOL"), NAME(NULL), RM, HELP("Socket protocol.")},
    {N("WIREPROTOCOL"), NAME(NULL), RM, HELP("Wire protocol.")},
    {N("VERSION"), NAME(NULL), RM, HELP("Version of its protocol.")},
    {N("NAME"), NAME(NULL), RM, HELP("Its name; the index when not given.")},
    {N("CSALGO"), WORD(NULL, kw_csalgo), RM_NOW, HELP("WIKI: how the sum is made; DES, which protects from nobody, where neither this nor that of CLIENTCFG is given.")},
    {N("CSKEY"), .type = CFG_TEXT, RM, .secret = true, HELP("Shared secret; private file only.")},
};

static const struct cfg_keyword kw_amtype[] = {
    {"NONE", BANK_NONE}, {"BUILTIN", BANK_BUILTIN}, {"QBANK", BANK_UNKNOWN},
    {"GOLD", BANK_GOLD}, {"NATIVE", BANK_NATIVE}, {"RESD", BANK_UNKNOWN},
    {"FILE", BANK_FILE}, {NULL}};
static const struct cfg_keyword kw_charge[] = {
    {"DEBITALLWC", CHARGE_WC}, {"DEBITALLCPU", CHARGE_CPU}, {"DEBITALLPE", CHARGE_PE},
    {"DEBITSUCCESSFULWC", CHARGE_WC | CHARGE_SUCCESSFUL},
    {"DEBITSUCCESSFULCPU", CHARGE_CPU | CHARGE_SUCCESSFUL},
    {"DEBITSUCCESSFULPE", CHARGE_PE | CHARGE_SUCCESSFUL},
    {"DEBITREQUESTEDWC", CHARGE_REQUESTED}, {NULL}};
static const struct cfg_keyword kw_ratesat[] = {
    {"START", RATES_AT_START}, {"USE", RATES_AT_USE}, {NULL}};
static const struct cfg_keyword kw_jfaction[] = {
    {"CANCEL", JF_CANCEL}, {"DEFER", JF_DEFER}, {"NONE", JF_NONE}, {NULL}};
#define IN_BANK(field) IN_SETTINGS(bank.field)

static const struct cfg_row am_rows[] = {
    {N("TYPE"), WORD("NONE", kw_amtype), IN_BANK(type), AM_NOW, HELP("Kind of the bank. BUILTIN: the scheduler's own (docs/bank.md). FILE: what jobs cost is written to a file. NATIVE: a program of the site is asked. GOLD: a server that speaks its protocol is. NONE: jobs cost nothing. QBANK and RESD are not supported, and refused: BUILTIN in their place, or NATIVE with a program that speaks to them.")},
    {N("SERVER"), NAME(NULL), IN_BANK(server), AM_NOW, HELP("NATIVE: exec:///PROGRAM, which gets a verb and JSON on its standard input (docs/bank.md). FILE: file:///PATH.")},
    {N("HOST"), NAME(NULL), IN_BANK(host), AM_NOW, HELP("Host of a GOLD server; the file for kind FILE.")},
    {N("BACKUPHOST"), NAME(NULL), IN_BANK(backup_host), AM_NOW, HELP("Another host of the same GOLD server, at the same port: asked where HOST cannot be reached.")},
    {N("PORT"), INT("port", "7112", 0, 65535), IN_BANK(port), AM_NOW, HELP("Port of a GOLD server.")},
    {N("KEYFILE"), FILE_PATH(NULL), IN_BANK(key_file), AM_NOW, HELP("GOLD: file with the shared key in its first line, which nobody else can read.")},
    {N("CHARGEPOLICY"), WORD("DEBITSUCCESSFULWC", kw_charge), IN_BANK(charge), AM_NOW, HELP("Which jobs are charged, and for what: wall time, processor time (CPU) or processor equivalents (PE). REQUESTEDWC: for their limit.")},
    {N("RATES"), CUSTOM(set_am_rates, "PROCS:1", "NAME:RATE list"), .home = HOME_SETTINGS, AM_NOW, HELP("Credits a second: PROCS, NODES, MEM (MB), generic resources by name; six places after the point.")},
    {N("TIMERATES"), CUSTOM(set_am_times, NULL, "[DAYS@]FROM-TO*FACTOR list"), .home = HOME_SETTINGS, AM_NOW, HELP("Factors of the price by time of day and day of the week, as in Mon-Fri@08:00-18:00*2; the first that fits counts. RATESAT says whether that of the start or of each piece.")},
    {N("RATESAT"), WORD("START", kw_ratesat), IN_BANK(rates_at), AM_NOW, HELP("Which rates a run is charged at: those of its start, or those in force when it ends.")},
    {N("FALLBACKACCOUNT"), NAME(NULL), IN_BANK(fallback), AM_NOW, HELP("Account used when the job's own is empty; a + in front appends to its name.")},
    {N("DEFERJOBONFAILURE"), BOOL("FALSE"), IN_BANK(defer_on_failure), AM_NOW, HELP("Jobs wait while a bank that is elsewhere does not answer, instead of starting with nothing kept for them.")},
    {N("JFACTION"), WORD("NONE", kw_jfaction), IN_BANK(jfaction), AM_NOW, HELP("What to do with a job without funds. NONE: it waits until there are some.")},
    {N("FLUSHINTERVAL"), TIME("24:00:00"), IN_BANK(flush_s), AM_NOW, HELP("Jobs that run longer are charged for what they used so far, as often as that from local midnight on; 0: at their end alone. BUILTIN.")},
    {N("LIENMAXSUSPEND"), TIME("0"), IN_BANK(suspend_most_s), AM_NOW, HELP("Of a job that is suspended for longer no more is kept than what it has used; it goes on when its account can pay for the rest. 0: what is kept stays kept. BUILTIN.")},
    {N("REFUNDONREQUEUE"), BOOL("FALSE"), IN_BANK(refund_on_requeue), AM_NOW, HELP("A run that is requeued to make room for another job costs nothing, and what it was debited on the way is given back.")},
    {N("APPENDMACHINENAME"), BOOL("FALSE"), AM, HELP("Charge account@machine.")},
    {N("TIMEOUT"), TIME("10"), .min = 1, .max = 1000, IN_BANK(timeout_s), AM_NOW, HELP("How long a start waits for the answer of a bank that is elsewhere.")},
    {N("SOCKETPROTOCOL"), NAME(NULL), AM, HELP("Socket protocol.")},
    {N("WIREPROTOCOL"), NAME(NULL), AM, HELP("Wire protocol.")},
    {N("CONFIGFILE"), FILE_PATH(NULL), AM, HELP("Its configuration file.")},
    {N("CSALGO"), NAME("HMAC"), AM, .secret = true, HELP("Checksum algorithm; private file only.")},
    {N("CSKEY"), .type = CFG_TEXT, AM, .secret = true, HELP("Shared secret; private file only.")},
};

static const struct cfg_keyword kw_mode[] = {
    {"NORMAL"}, {"TEST"}, {"SIMULATION"}, {"PROFILE"}, {"SINGLESTEP"}, {NULL}};

static const struct cfg_row sched_rows[] = {
    {N("SERVER"), NAME(NULL), OF(BIT_OF(SCHED)), BY_NAME, HELP("HOST:PORT; sets SERVERHOST and SERVERPORT.")},
    {N("MODE"), WORD("NORMAL", kw_mode), OF(BIT_OF(SCHED)), BY_NAME, HELP("As SERVERMODE.")},
    {N("FBSERVER"), NAME(NULL), OF(BIT_OF(SCHED)), LATER, HELP("Fallback server that commands turn to.")},
    {N("CPVERSION"), NAME(NULL), OF(BIT_OF(SCHED)), INERT, HELP("Known, without effect.")},
    {N("HOMEDIR"), FILE_PATH(NULL), OF(BIT_OF(SCHED)), INERT, HELP("Known, without effect.")},
    {N("NAME"), NAME(NULL), OF(BIT_OF(SCHED)), INERT, HELP("Known, without effect; the index is the name.")},
};

static const struct cfg_row client_rows[] = {
    {N("CSKEY"), .type = CFG_TEXT, OF(BIT_OF(CLIENT)), BY_NAME, .secret = true, HELP("Shared secret; of CLIENTCFG[RM:name], for RMCFG[name] TYPE=WIKI.")},
    {N("CSALGO"), WORD(NULL, kw_csalgo), OF(BIT_OF(CLIENT)), BY_NAME, HELP("Checksum algorithm; of the same.")},
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
