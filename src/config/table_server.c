/* SPDX-License-Identifier: Apache-2.0
 * The table: server, logging, checkpoint, administration, resource and allocation
 * managers. */
#include "config/row.h"
#include "config/set.h"
#include "config/settings.h"
#include "config/table.h"

/* clang-format off */
static const struct cfg_keyword kw_mode[] = {
    {"NORMAL"}, {"TEST"}, {"SIMULATION"}, {"PROFILE"}, {"SINGLESTEP"}, {NULL}};
static const struct cfg_keyword kw_display[] = {{"NODECENTRIC"}, {NULL}};
static const struct cfg_keyword kw_facility[] = {
    {"fCORE"}, {"fSCHED"}, {"fSOCK"}, {"fUI"}, {"fLL"}, {"fSDR"}, {"fCONFIG"}, {"fSTAT"},
    {"fSIM"}, {"fSTRUCT"}, {"fFS"}, {"fCKPT"}, {"fBANK"}, {"fAM"}, {"fRM"}, {"fPBS"},
    {"fWIKI"}, {"fSGE"}, {"fSSS"}, {"fLSF"}, {"fNAT"}, {"fALL"}, {NULL}};
static const struct cfg_keyword kw_resctl[] = {
    {"ADMINONLY", RSV_BY_ADMINS}, {"ANY", RSV_BY_ANYBODY}, {NULL}};
static const struct cfg_keyword kw_reslimit[] = {
    {"OFF", RSVLIMITS_OFF}, {"ON", RSVLIMITS_HARD}, {"SOFT", RSVLIMITS_SOFT},
    {"HARD", RSVLIMITS_HARD}, {NULL}};
static const struct cfg_keyword kw_protocol[] = {{"XML"}, {"KVP"}, {NULL}};

static const struct cfg_row server_rows[] = {
    {N("SERVERHOST"), NAME(NULL), BY_NAME, HELP("Host whose scheduler commands talk to where there is no socket of one; also an environment variable.")},
    {N("SERVERPORT"), INT("port", "40559", 1, 64000), BY_NAME, HELP("Port clients connect to.")},
    {N("WEBPORT"), INT("port", "0", 0, 65535), BY_NAME, HELP("Port of the web page, open from the start; 0: one of the kernel's choice, from the first maui dashboard until an hour after the last session.")},
    {N("WEBADDRESS"), NAME("127.0.0.1"), BY_NAME, HELP("Address the web page listens at; another than 127.0.0.1 needs WEBCERT, WEBKEY and WEBORIGIN.")},
    {N("WEBCERT"), FILE_PATH(NULL), BY_NAME, HELP("Certificate of the web page, in PEM, with those between it and its root; relative to the home directory.")},
    {N("WEBKEY"), FILE_PATH(NULL), BY_NAME, HELP("Key of WEBCERT, in PEM; a file that its owner alone can read.")},
    {N("WEBORIGIN"), NAME(NULL), BY_NAME, HELP("https://NAME[:PORT] under which browsers know the web page: that of a proxy with TLS, or of its own certificate.")},
    {N("SERVERNAME"), NAME(NULL), LATER, HELP("Name of this scheduler; SERVERHOST when not given.")},
    {N("SERVERMODE"), WORD("NORMAL", kw_mode), BY_NAME, HELP("NORMAL drives the resource manager; TEST decides but does nothing; SIMULATION runs on traces; SINGLESTEP stops after STEPCOUNT cycles.")},
    {N("STEPCOUNT"), COUNT("cycles", "60"), LATER, HELP("Cycles to run in SINGLESTEP mode.")},
    {N("SERVERHOMEDIR"), FILE_PATH(NULL), LATER, HELP("Home directory; usually set in the environment or in /etc/maui.cfg.")},
    {N("SERVERCONFIGFILE"), FILE_PATH("maui.cfg"), INERT, HELP("Only the environment variable of this name has an effect.")},
    {N("LOCKFILE"), FILE_PATH("maui.pid"), LATER, HELP("Lock that keeps a second server out, relative to the home directory.")},
    {N("TOOLSDIR"), FILE_PATH("tools/"), IN_SETTINGS(daemon.tools_dir), HELP("Helper programs, relative to the home directory.")},
    {N("STATDIR"), FILE_PATH("stats"), IN_SETTINGS(daemon.stat_dir), HELP("Statistics and fairshare files, relative to the home directory.")},
    {N("SCHEDCFG"), SECTION(OBJECT_SCHED), HELP("Attributes of the server; the index is its name.")},
    {N("RMPOLLINTERVAL"), TIME("00:01:00"), IN_SETTINGS(rm_poll_interval_s), HELP("Longest time between two scheduling cycles.")},
    {N("JOBAGGREGATIONTIME"), TIME("0"), IN_SETTINGS(job_aggregation_s), HELP("Wait at least this long after a job event, so that bursts are handled together.")},
    {N("MAXSUBMITJOBS"), COUNT("jobs", "0"), IN_SETTINGS(daemon.max_submit), HELP("Jobs that may be in the queue or run, of all users; what would be more is refused when it is submitted; 0 = any number.")},
    {N("MAXSUBMITJOBSPERUSER"), COUNT("jobs", "0"), IN_SETTINGS(daemon.max_submit_user), HELP("The same of each user.")},
    {N("MAXSLEEPITERATION"), COUNT("cycles", "1"), LATER, HELP("Without events, schedule fully only every so many cycles.")},
    {N("MAXJOBPERITERATION"), COUNT("jobs", "0"), INERT, HELP("Was meant to cap the jobs started in one cycle.")},
    {N("MINDISPATCHTIME"), TIME("0"), INERT, HELP("Was meant to space out job starts.")},
    {N("CLIENTTIMEOUT"), TIME("00:00:30"), BY_NAME, HELP("How long a command waits for its answer; also an environment variable.")},
    {N("DEFAULTDOMAIN"), NAME(NULL), LATER, HELP("Domain added to short host names; a missing leading dot is supplied.")},
    {N("DISPLAYFLAGS"), WORDS(NULL, kw_display), LATER, HELP("NODECENTRIC: commands count nodes instead of processors.")},
    {N("USEJOBREGEX"), BOOL("FALSE"), IN_SETTINGS(use_job_regex), HELP("Job expressions are plain regular expressions, not anchored at both ends.")},
    {N("MCSOCKETPROTOCOL"), NAME(NULL), LATER, HELP("Default socket protocol between peers.")},
    {N("DIRECTORYSERVER"), NAME(NULL), LATER, HELP("host[:port] of the service directory.")},
    {N("EVENTSERVER"), NAME(NULL), LATER, HELP("host[:port] of the event manager.")},
    {N("COMPUTEHOSTS"), WORDS(NULL, NULL), LATER, HELP("Compute hosts, displayed only.")},
    {N("PARIGNQUEUELIST"), WORDS(NULL, NULL), LATER, HELP("Queues to ignore.")},
};

static const struct cfg_row logging_rows[] = {
    {N("JOURNALMAXSIZE"), COUNT("bytes", "64000000"), IN_SETTINGS(daemon.journal_size_max), HELP("Size of the journal of events and decisions; above it the oldest are forgotten.")},
    {N("LOGDIR"), FILE_PATH("log"), IN_SETTINGS(daemon.log_dir), HELP("Directory of the log, relative to the home directory.")},
    {N("LOGFILE"), FILE_PATH("maui.log"), IN_SETTINGS(daemon.log_file), HELP("Log file, relative to LOGDIR; standard error if it cannot be used.")},
    {N("LOGFILEMAXSIZE"), COUNT("bytes", "10000000"), IN_SETTINGS(daemon.log_size_max), HELP("Size at which the log is rolled, and the event log; 0 = never.")},
    {N("LOGFILEROLLDEPTH"), COUNT("files", "1"), IN_SETTINGS(daemon.log_roll_depth), HELP("Rolled log files kept: .1, .2 and so on; 0 = none.")},
    {N("LOGLEVEL"), INT("level", "0", 0, 9), IN_SETTINGS(daemon.log_level), HELP("How much is logged besides warnings and actions: from 3 on details, from 5 on all. SIGUSR1 and SIGUSR2 raise and lower it.")},
    {N("LOGFACILITY"), WORDS("fALL", kw_facility), IN_SETTINGS(daemon.log_facilities), HELP("Parts of the program that log; warnings and worse are logged in any case.")},
    {N("USESYSLOG"), CUSTOM(set_use_syslog, "FALSE", "BOOL[:facility]"), IN_SETTINGS(daemon.syslog), HELP("Send actions, warnings and alerts to the system's log as well; facility: daemon, user, local0 and so on.")},
    {N("NOTIFICATIONPROGRAM", "NOTIFYSCRIPT"), FILE_PATH(NULL), IN_SETTINGS(daemon.notification_program), HELP("Program called with each administrator event, relative to TOOLSDIR.")},
    {N("NOTIFICATIONINTERVAL"), TIME("00:10:00"), IN_SETTINGS(notification_interval_s), HELP("Shortest time between repeated notifications about the same matter.")},
    {N("FEEDBACKPROGRAM"), FILE_PATH(NULL), IN_SETTINGS(daemon.feedback_program), HELP("Program run at each job's completion with what the job used.")},
    {N("MAILPROGRAM"), FILE_PATH("NONE"), IN_SETTINGS(daemon.mail_program), HELP("Program that sends mail about jobs (msub -m) of the LOCAL resource manager, called as sendmail -i -- ADDRESS..., relative to TOOLSDIR: /usr/sbin/sendmail is the usual one; NONE = no mail. Slurm sends its own.")},
};

static const struct cfg_row checkpoint_rows[] = {
    {N("CHECKPOINTFILE", "CPFILE"), FILE_PATH("maui.ck"), LATER, HELP("Where the state is kept, relative to the home directory.")},
    {N("CHECKPOINTINTERVAL", "CPINTERVAL"), TIME("00:05:00"), LATER, HELP("Time between two checkpoints; fairshare data is written at the same time.")},
    {N("CHECKPOINTEXPIRATIONTIME", "CPEXPIRATIONTIME"), TIME("INFINITY"), LATER, HELP("Data of vanished objects is dropped after this.")},
};

static const struct cfg_row admin_rows[] = {
    {N("ADMIN1", "ADMINS"), WORDS("root", NULL), BY_NAME, HELP("Full control. The first is the primary administrator, whom the daemon runs as. ALL = everyone.")},
    {N("ADMIN2"), WORDS(NULL, NULL), BY_NAME, HELP("Operators: may change all job attributes and see everything.")},
    {N("ADMIN3"), WORDS(NULL, NULL), BY_NAME, HELP("Help desk: may see everything, change nothing.")},
    {N("ADMIN4"), WORDS(NULL, NULL), LATER, HELP("Shown, but grants nothing.")},
    {N("ADMINHOSTS"), WORDS("ALL", NULL), BY_NAME, GUARDS, HELP("Hosts from which level 1 commands are taken by TCP.")},
    {N("CLIENTCFG"), SECTION(OBJECT_CLIENT), HELP("Shared secret of a peer; in maui-private.cfg only.")},
    {N("RESCTLPOLICY"), WORD("ADMINONLY", kw_resctl), IN_SETTINGS(rsv_makers), GUARDS, HELP("Who may make reservations: administrators, or ANY user personal ones.")},
    {N("RESLIMITPOLICY"), WORD("OFF", kw_reslimit), IN_SETTINGS(rsv_limits), GUARDS, HELP("Active limits that personal reservations have to satisfy: none, SOFT or HARD.")},
};

static const struct cfg_row rm_rows[] = {
    {N("RMCFG"), SECTION(OBJECT_RM), HELP("A resource manager.")},
    {N("RMTYPE"), OLD_FORM(OBJECT_RM, "TYPE", "RMCFG[x] TYPE="), INDEX(INDEX_OF_OBJECT), HELP("Kind of the resource manager.")},
    {N("RMHOST", "RMSERVER"), OLD_FORM(OBJECT_RM, "HOST", "RMCFG[x] HOST="), INDEX(INDEX_OF_OBJECT), HELP("Its host.")},
    {N("RMPORT"), OLD_FORM(OBJECT_RM, "PORT", "RMCFG[x] PORT="), INDEX(INDEX_OF_OBJECT), HELP("Its port.")},
    {N("RMEPORT"), OLD_FORM(OBJECT_RM, "EPORT", "RMCFG[x] EPORT="), INDEX(INDEX_OF_OBJECT), HELP("Its event port.")},
    {N("RMNMPORT"), OLD_FORM(OBJECT_RM, "NMPORT", "RMCFG[x] NMPORT="), INDEX(INDEX_OF_OBJECT), HELP("Port of its node managers.")},
    {N("RMTIMEOUT"), OLD_FORM(OBJECT_RM, "TIMEOUT", "RMCFG[x] TIMEOUT="), INDEX(INDEX_OF_OBJECT), HELP("How long to wait for its answer.")},
    {N("RMAUTHTYPE"), OLD_FORM(OBJECT_RM, "AUTHTYPE", "RMCFG[x] AUTHTYPE="), INDEX(INDEX_OF_OBJECT), HELP("How the two recognise each other.")},
    {N("RMCONFIGFILE"), OLD_FORM(OBJECT_RM, "CONFIGFILE", "RMCFG[x] CONFIGFILE="), INDEX(INDEX_OF_OBJECT), HELP("LoadLeveler configuration file.")},
    {N("RMLOCALDISKFS"), OLD_FORM(OBJECT_RM, "LOCALDISKFS", "RMCFG[x] LOCALDISKFS="), INDEX(INDEX_OF_OBJECT), HELP("File system counted as local disk.")},
    {N("RMNAME"), NAME(NULL), INDEX(INDEX_OF_OBJECT), INERT, HELP("Was meant to name a resource manager; the index of RMCFG does.")},
    {N("APIFAILURETHRESHHOLD"), COUNT("failures", "6"), IN_SETTINGS(daemon.rm_failures_max), HELP("Failures in a row before an administrator is notified (spelt so).")},
    {N("JOBPURGETIME"), TIME("0"), IN_SETTINGS(job_purge_s), LATER, HELP("Keep a job this long after the resource manager stopped reporting it.")},
    {N("NODEPURGETIME"), TIME("INFINITY"), IN_SETTINGS(node_purge_s), LATER, HELP("The same for nodes.")},
    {N("PURGETIME"), CUSTOM(set_purge_time, NULL, "TIME"), OBSOLETE("JOBPURGETIME and NODEPURGETIME"), .home = HOME_SETTINGS, .store = STORE_OTHER, HELP("Sets JOBPURGETIME and NODEPURGETIME.")},
    {N("JOBSYNCTIME", "JOBSYNCDEADLINE"), TIME("00:10:00"), IN_SETTINGS(job_sync_s), LATER, HELP("After this the state expected of a job gives way to the one reported.")},
    {N("NODESYNCTIME", "NODESYNCDEADLINE"), TIME("00:10:00"), IN_SETTINGS(node_sync_s), LATER, HELP("The same for nodes.")},
    {N("NODEPOLLFREQUENCY"), COUNT("cycles", "0"), LATER, HELP("Cycles between two queries of the node managers; 0 asks in every one.")},
    {N("DEFAULTCLASSLIST"), CUSTOM(set_default_classes, NULL, "WORDS of CLASS[:COUNT]"), IN_SETTINGS(default_classes), HELP("Classes of a node when the resource manager reports none.")},
    {N("DEFAULTQMHOST"), NAME(NULL), INERT, HELP("Was meant as the default host of the queue manager.")},
    {N("IGNPBSGROUPLIST"), BOOL("FALSE"), LATER, HELP("Ignore the PBS group_list when deriving a job's group.")},
    {N("FEATURENODETYPEHEADER"), NAME(NULL), IN_SETTINGS(feature_nodetype_header), HELP("Node features that begin so tell the node type with the rest.")},
    {N("FEATUREPARTITIONHEADER"), NAME(NULL), IN_SETTINGS(feature_partition_header), HELP("Node features that begin so tell the partition with the rest.")},
    {N("FEATUREPROCSPEEDHEADER"), NAME(NULL), IN_SETTINGS(feature_procspeed_header), HELP("Node features that begin so tell the processor speed; a $ at the end: only if the rest is a number.")},
    {N("MACHINECONFIGFILE"), FILE_PATH(NULL), INERT, HELP("Was meant to describe the machine.")},
    {N("REMOTESTARTCOMMAND"), TEXT(NULL), INERT, HELP("Setting of an old node daemon.")},
    {N("RESOURCECOLLECTIONPOLICY"), TEXT(NULL), INERT, HELP("Setting of an old node daemon.")},
    {N("RESOURCEDAEMON"), TEXT(NULL), INERT, HELP("Setting of an old node daemon.")},
    {N("RESOURCEDATAFILE"), TEXT(NULL), INERT, HELP("Setting of an old node daemon.")},
    {N("RESOURCELOCKFILE"), TEXT(NULL), INERT, HELP("Setting of an old node daemon.")},
    {N("RESOURCEPORT"), TEXT(NULL), INERT, HELP("Setting of an old node daemon.")},
    {N("RESOURCEREPORTWAIT"), TEXT(NULL), INERT, HELP("Setting of an old node daemon.")},
    {N("RESOURCESAMPLEINTERVAL"), TEXT(NULL), INERT, HELP("Setting of an old node daemon.")},
};

static const struct cfg_row am_rows[] = {
    {N("AMCFG"), SECTION(OBJECT_AM), HELP("An allocation manager (bank).")},
    {N("BANKTYPE"), OLD_FORM(OBJECT_AM, "TYPE", "AMCFG[x] TYPE="), HELP("Kind of the first bank.")},
    {N("BANKHOST", "BANKSERVER"), OLD_FORM(OBJECT_AM, "HOST", "AMCFG[x] HOST="), HELP("Its host; the file for kind FILE.")},
    {N("BANKPORT"), OLD_FORM(OBJECT_AM, "PORT", "AMCFG[x] PORT="), HELP("Its port.")},
    {N("BANKTIMEOUT"), OLD_FORM(OBJECT_AM, "TIMEOUT", "AMCFG[x] TIMEOUT="), HELP("How long to wait for its answer.")},
    {N("BANKCHARGEPOLICY", "BANKCHARGEMODE"), OLD_FORM(OBJECT_AM, "CHARGEPOLICY", "AMCFG[x] CHARGEPOLICY="), HELP("What is charged.")},
    {N("BANKFALLBACKACCOUNT"), OLD_FORM(OBJECT_AM, "FALLBACKACCOUNT", "AMCFG[x] FALLBACKACCOUNT="), HELP("Account used when the job's own is empty.")},
    {N("BANKDEFERONJOBFAILURE"), OLD_FORM(OBJECT_AM, "DEFERJOBONFAILURE", "AMCFG[x] DEFERJOBONFAILURE="), HELP("Defer jobs when the bank fails.")},
    {N("BANKFLUSHINTERVAL"), OLD_FORM(OBJECT_AM, "FLUSHINTERVAL", "AMCFG[x] FLUSHINTERVAL="), HELP("Time between debits of long jobs.")},
    {N("BANKAPPENDMACHINENAME"), OLD_FORM(OBJECT_AM, "APPENDMACHINENAME", "AMCFG[x] APPENDMACHINENAME="), HELP("Charge account@machine.")},
    {N("BANKPROTOCOL"), WORD(NULL, kw_protocol), LATER, HELP("Wire protocol of the first bank.")},
    {N("DEFAULTACCOUNT"), NAME(NULL), INERT, HELP("Was meant as the account of jobs without one; USERCFG[DEFAULT] ADEF= is.")},
};

static const struct cfg_group groups[] = {
    GROUP("Server", server_rows),
    GROUP("Logging, notification, call-outs", logging_rows),
    GROUP("Checkpoint", checkpoint_rows),
    GROUP("Administration and security", admin_rows),
    GROUP("Resource managers", rm_rows),
    GROUP("Allocation manager", am_rows),
};
/* clang-format on */

const struct cfg_group *table_server(size_t i)
{
    return GROUP_AT(groups, i);
}
