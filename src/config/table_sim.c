/* SPDX-License-Identifier: Apache-2.0
 * The table: statistics displays, simulation, debug traps. */
#include "config/row.h"
#include "config/set.h"
#include "config/settings.h"
#include "config/table.h"

/* clang-format off */
static const struct cfg_keyword kw_submission[] = {
    {"NORMAL", SIM_SUBMIT_AT_TIMES}, {"CONSTANTJOBDEPTH", SIM_SUBMIT_CONSTANT_JOBS},
    {"CONSTANTPSDEPTH", SIM_SUBMIT_CONSTANT_PS}, {NULL}};
static const struct cfg_keyword kw_simflags[] = {
    {"IGNHOSTLIST", SIM_IGN_HOSTLIST}, {"IGNCLASS", SIM_IGN_CLASS}, {"IGNQOS", SIM_IGN_QOS},
    {"IGNMODE", SIM_IGN_MODE}, {"IGNFEATURES", SIM_IGN_FEATURES},
    {"IGNFRAME", SIM_IGN_FRAME}, {"IGNALL", SIM_IGN_ALL}, {NULL}};
static const struct cfg_keyword kw_nodecfg[] = {
    {"NORMAL"}, {"UNIFORM", 1}, {"PARTITIONED", 0, "is taken for NORMAL"}, {NULL}};
static const struct cfg_keyword kw_simjob[] = {
    {"ADVRES", JOB_ADVRES}, {"HOSTLIST", JOB_HOSTLIST}, {"RESTARTABLE", JOB_RESTARTABLE},
    {"PREEMPTEE", JOB_PREEMPTEE}, {"DEDICATED", JOB_DEDICATED},
    {"PREEMPTOR", JOB_PREEMPTOR}, {NULL}};
#define BITS(k, field) WORDS(NULL, k), .set = set_word_bits, IN_SETTINGS(field)
static const struct cfg_keyword kw_comtype[] = {
    {"ROUNDROBIN"}, {"BROADCAST"}, {"TREE"}, {"MASTERSLAVE"}, {NULL}};

static const struct cfg_row statistics_rows[] = {
    {N("PLOTMINPROC"), INT("processors", "1", 1, INT_MANY), IN_SETTINGS(plot_min_proc), HELP("Smallest job size in matrix output.")},
    {N("PLOTMAXPROC"), INT("processors", "512", 1, INT_MANY), IN_SETTINGS(plot_max_proc), HELP("Largest job size.")},
    {N("PLOTPROCSCALE"), INT("rows", "9", 1, 32), IN_SETTINGS(plot_proc_scale), HELP("Steps between the two.")},
    {N("PLOTMINTIME"), TIME("00:02:00"), IN_SETTINGS(plot_min_time_s), HELP("Shortest job in matrix output.")},
    {N("PLOTMAXTIME"), TIME("68:16:00"), IN_SETTINGS(plot_max_time_s), HELP("Longest job.")},
    {N("PLOTTIMESCALE"), INT("columns", "11", 1, 32), IN_SETTINGS(plot_time_scale), HELP("Steps between the two.")},
};

static const struct cfg_row simulation_rows[] = {
    {N("SIMWORKLOADTRACEFILE"), FILE_PATH("traces/workload.trace"), BY_NAME, HELP("Trace of jobs, below the home folder; maui sim --trace.")},
    {N("SIMRESOURCETRACEFILE"), FILE_PATH("traces/resource.trace"), BY_NAME, HELP("Trace of nodes, below the home folder; maui sim --resources.")},
    {N("SIMINITIALQUEUEDEPTH"), COUNT("jobs", "16"), IN_SETTINGS(sim_initial_queue_depth), HELP("How many idle jobs SIMJOBSUBMISSIONPOLICY keeps.")},
    {N("SIMJOBSUBMISSIONPOLICY"), WORD(NULL, kw_submission), IN_SETTINGS(sim_submission), HELP("When jobs of the trace are submitted: at their times (NORMAL), or so that a number of jobs or of processor seconds waits. NORMAL for maui sim, CONSTANTJOBDEPTH for a serving simulation where it is not given.")},
    {N("SIMAUTOSHUTDOWN"), BOOL("TRUE"), BY_NAME, HELP("A serving simulation ends when no job is left; else it waits.")},
    {N("SIMSTOPITERATION"), COUNT("cycle", "0"), IN_SETTINGS(sim_stop_iteration), NEGATIVE_OFF, HELP("A serving simulation waits at that cycle, 0: before the first; negative or not given: never.")},
    {N("SIMEXITITERATION"), COUNT("cycle", "0"), IN_SETTINGS(sim_exit_iteration), NEGATIVE_OFF, HELP("Summarise and exit at that cycle; 0 = never.")},
    {N("SIMSTARTTIME"), NAME(NULL), IN_SETTINGS(sim_start_time), HELP("First simulated instant, as a time of setres -s; that of the trace when not given. What the trace has before is submitted then.")},
    {N("SIMTIMERATIO"), COUNT(NULL, "0"), BY_NAME, HELP("How much faster than the clock a simulation serves; 0 = as fast as possible.")},
    {N("SIMTIMEPOLICY"), NAME(NULL), INERT, HELP("Never had an effect.")},
    {N("SIMWCSCALINGPERCENT", "SIMCPUSCALINGPERCENT"), NUMBER_IN("100", 0, INT_MANY), IN_SETTINGS(sim_wc_scaling_percent), HELP("Scale run times and wallclock limits of the trace.")},
    {N("SIMWCACCURACY"), NUMBER_IN("0", 0, INT_MANY), IN_SETTINGS(sim_wc_accuracy), HELP("Impose this accuracy of wallclock limits; 0 = as in the trace.")},
    {N("SIMWCACCURACYCHANGE"), NUMBER_IN("0", -INT_MANY, 1), IN_SETTINGS(sim_wc_accuracy_change), HELP("Move each wallclock limit by this share of its way to the run time: 1 makes it exact, below 0 moves it away.")},
    {N("SIMSCALEJOBRUNTIME"), BOOL("FALSE"), IN_SETTINGS(sim_scale_run), HELP("Divide run times by the speed of the slowest node of the job, also where USEMACHINESPEED is off.")},
    {N("SIMRANDOMIZEJOBSIZE"), BOOL("FALSE"), IN_SETTINGS(sim_random_sizes), HELP("Give each job the processors of a job of the trace drawn at random (the same each time); not to those that ask for nodes or hosts.")},
    {N("SIMNODECONFIGURATION"), WORD("NORMAL", kw_nodecfg), IN_SETTINGS(sim_uniform), HELP("UNIFORM: only those nodes of the trace that have what its first one has.")},
    {N("SIMNODECOUNT"), COUNT("nodes", "0"), IN_SETTINGS(sim_node_count), HELP("Use only the first so many nodes; 0 = all.")},
    {N("SIMRMRANDOMDELAY"), COUNT("seconds", "0"), LATER, HELP("Random delay of each simulated resource manager call.")},
    {N("SIMFLAGS"), BITS(kw_simflags, sim_ignore), HELP("What of the trace is ignored; MODE is how jobs share nodes, FRAME the place of nodes.")},
    {N("SIMDEFAULTJOBFLAGS"), BITS(kw_simjob, sim_default_job_flags), HELP("Flags set on every job of the trace.")},
    {N("SIMIGNOREJOBFLAGS"), BITS(kw_simjob, sim_drop_job_flags), HELP("Flags taken from every job of the trace.")},
    {N("SIMCHECKPOINTINTERVAL"), TIME(NULL), INERT, HELP("Never had an effect.")},
    {N("SIMCOMTYPE"), WORD("ROUNDROBIN", kw_comtype), LATER, HELP("Communication model of jobs.")},
    {N("SIMCOMRATE"), NUMBER("0.1"), LATER, HELP("Cost of communication.")},
    {N("COMINTRAFRAMECOST"), NUMBER("0.3"), LATER, HELP("Cost within a frame.")},
    {N("COMINTERFRAMECOST"), NUMBER("0.3"), LATER, HELP("Cost between frames.")},
};

static const struct cfg_row trap_rows[] = {
    {N("TRAPFUNCTION"), WORDS(NULL, NULL), LATER, HELP("Log more when these functions run.")},
    {N("TRAPJOB"), WORDS(NULL, NULL), LATER, HELP("Log more when these jobs are handled.")},
    {N("TRAPNODE"), WORDS(NULL, NULL), LATER, HELP("Log more when these nodes are handled.")},
    {N("TRAPRES"), WORDS(NULL, NULL), LATER, HELP("Log more when these reservations are handled.")},
};

static const struct cfg_group groups[] = {
    GROUP("Statistics displays", statistics_rows),
    GROUP("Simulation", simulation_rows),
    GROUP("Debug traps", trap_rows),
};
/* clang-format on */

const struct cfg_group *table_sim(size_t i)
{
    return GROUP_AT(groups, i);
}
