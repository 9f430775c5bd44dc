/* SPDX-License-Identifier: Apache-2.0
 * The table: statistics displays, simulation, debug traps. */
#include "config/row.h"
#include "config/table.h"

/* clang-format off */
static const struct cfg_keyword kw_submission[] = {
    {"NORMAL"}, {"CONSTANTJOBDEPTH"}, {"CONSTANTPSDEPTH"}, {NULL}};
static const struct cfg_keyword kw_nodecfg[] = {{"NORMAL"}, {"UNIFORM"}, {"PARTITIONED"}, {NULL}};
static const struct cfg_keyword kw_simflags[] = {
    {"IGNHOSTLIST"}, {"IGNCLASS"}, {"IGNQOS"}, {"IGNMODE"}, {"IGNFEATURES"}, {"IGNFRAME"},
    {"IGNALL"}, {NULL}};
static const struct cfg_keyword kw_simjob[] = {
    {"ADVRES"}, {"HOSTLIST"}, {"RESTARTABLE"}, {"PREEMPTEE"}, {"DEDICATED"}, {"PREEMPTOR"},
    {NULL}};
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
    {N("SIMJOBSUBMISSIONPOLICY"), WORD("CONSTANTJOBDEPTH", kw_submission), BY_NAME, HELP("When jobs of the trace are submitted to a serving simulation: at their times (NORMAL), or so that a number of jobs or of processor seconds waits.")},
    {N("SIMAUTOSHUTDOWN"), BOOL("TRUE"), BY_NAME, HELP("A serving simulation ends when no job is left; else it waits.")},
    {N("SIMSTOPITERATION"), COUNT("cycle", "0"), IN_SETTINGS(sim_stop_iteration), NEGATIVE_OFF, HELP("A serving simulation waits at that cycle, 0: before the first; negative or not given: never.")},
    {N("SIMEXITITERATION"), COUNT("cycle", "0"), IN_SETTINGS(sim_exit_iteration), NEGATIVE_OFF, HELP("Summarise and exit at that cycle; 0 = never.")},
    {N("SIMSTARTTIME"), NAME(NULL), BY_NAME, HELP("First simulated instant; that of the trace when not given.")},
    {N("SIMTIMERATIO"), COUNT(NULL, "0"), BY_NAME, HELP("How much faster than the clock a simulation serves; 0 = as fast as possible.")},
    {N("SIMTIMEPOLICY"), NAME(NULL), INERT, HELP("Never had an effect.")},
    {N("SIMWCSCALINGPERCENT", "SIMCPUSCALINGPERCENT"), NUMBER_IN("100", 0, INT_MANY), IN_SETTINGS(sim_wc_scaling_percent), HELP("Scale run times and wallclock limits of the trace.")},
    {N("SIMWCACCURACY"), NUMBER_IN("0", 0, INT_MANY), IN_SETTINGS(sim_wc_accuracy), HELP("Impose this accuracy of wallclock limits; 0 = as in the trace.")},
    {N("SIMWCACCURACYCHANGE"), NUMBER("0"), IN_SETTINGS(sim_wc_accuracy_change), LATER, HELP("Move the wallclock limits.")},
    {N("SIMSCALEJOBRUNTIME"), BOOL("FALSE"), LATER, HELP("Scale run times by node speed and communication.")},
    {N("SIMRANDOMIZEJOBSIZE"), BOOL("FALSE"), LATER, HELP("Draw job sizes at random.")},
    {N("SIMNODECONFIGURATION"), WORD("NORMAL", kw_nodecfg), LATER, HELP("Which nodes of the trace are used.")},
    {N("SIMNODECOUNT"), COUNT("nodes", "0"), IN_SETTINGS(sim_node_count), HELP("Use only so many nodes; 0 = all.")},
    {N("SIMRMRANDOMDELAY"), COUNT("seconds", "0"), LATER, HELP("Random delay of each simulated resource manager call.")},
    {N("SIMFLAGS"), WORDS(NULL, kw_simflags), LATER, HELP("Fields of the trace to ignore.")},
    {N("SIMDEFAULTJOBFLAGS"), WORDS(NULL, kw_simjob), LATER, HELP("Flags set on every job of the trace.")},
    {N("SIMIGNOREJOBFLAGS"), WORDS(NULL, kw_simjob), LATER, HELP("Flags taken from every job of the trace.")},
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
