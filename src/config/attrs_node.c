/* SPDX-License-Identifier: Apache-2.0
 * The table: attributes of NODECFG. */
#include "config/nodecfg.h"
#include "config/row.h"
#include "config/set.h"
#include "config/settings.h"
#include "config/table.h"

/* clang-format off */
#define NODE OF(BIT_OF(NODE))
#define MB(field) .type = CFG_SIZE_MB, .unit = "MB", NODE, IN_NODE(field)
#define WEIGHT(t) CUSTOM(set_node_weight, NULL, "NUMBER"), NODE, IN_NODE(priorityf), .arg = t

static const struct cfg_row node_rows[] = {
    {N("PARTITION"), NAME("DEFAULT"), NODE, IN_NODE(partition), HELP("The one partition of the node.")},
    {N("FEATURES"), WORDS(NULL, NULL), NODE, IN_NODE(features), HELP("Features added to those the resource manager reports.")},
    {N("NODETYPE"), NAME("DEFAULT"), NODE, IN_NODE(nodetype), HELP("Charge class for the bank.")},
    {N("PROCSPEED"), COUNT("MHz", NULL), NODE, IN_NODE(procspeed_mhz), HELP("Processor speed.")},
    {N("SPEED"), CUSTOM(set_speed, NULL, "NUMBER 0.01 to 100"), NODE, IN_NODE(speed), HELP("Speed compared with a base node of 1.0.")},
    {N("CHARGERATE"), CUSTOM(set_node_charge_rate, "1", "NUMBER"), NODE, IN_NODE(charge_rate), HELP("Factor of what the bank charges for the node; six places after the point.")},
    {N("FRAME"), CUSTOM(set_frame, NULL, "INT 1 to 64, or NAME"), NODE, IN_NODE(frame), HELP("Frame the node is in.")},
    {N("SLOT"), INT(NULL, NULL, 1, 32), NODE, IN_NODE(slot), HELP("Slot of the frame.")},
    {N("SIZE"), COUNT("slots", NULL), NODE, IN_NODE(size), HELP("Slots the node takes.")},
    {N("MAXJOB"), COUNT("jobs", NULL), NODE, IN_NODE(maxjob), GUARDS, HELP("Jobs on the node at once.")},
    {N("MAXJOBPERUSER"), COUNT("jobs", NULL), NODE, IN_NODE(maxjob_per_user), GUARDS, HELP("Jobs of one user on the node.")},
    {N("MAXPROC"), COUNT("processors", NULL), NODE, IN_NODE(maxproc), .brackets = true, GUARDS, HELP("Processors in use at once; MAXPROC[CLASS:c] for one class.")},
    {N("MAXPROCPERUSER"), COUNT("processors", NULL), NODE, IN_NODE(maxproc_per_user), GUARDS, HELP("Processors of one user.")},
    {N("MAXPEPERJOB"), CUSTOM(set_maxpe, NULL, "NUMBER or n%"), NODE, IN_NODE(maxpe_per_job), GUARDS, HELP("Processor equivalents one job may have on the node; up to 1 a fraction of it.")},
    {N("MAXLOAD"), NUMBER_IN(NULL, 0, INT_MANY), NODE, IN_NODE(maxload), GUARDS, HELP("Load limit, see NODELOADPOLICY.")},
    {N("NETWORK"), WORDS(NULL, NULL), NODE, IN_NODE(networks), HELP("Networks of the node.")},
    {N("PRIORITY"), CUSTOM(set_node_priority, "0", "INT"), NODE, IN_NODE(priority), HELP("Priority of the node.")},
    {N("PRIORITYF"), CUSTOM(set_priorityf, NULL, "'[coef*]TERM + ...'"), NODE, IN_NODE(priorityf), HELP("Priority for NODEALLOCATIONPOLICY PRIORITY, of ADISK AMEM APROCS ASWAP CDISK CMEM CPROCS CSWAP JOBCOUNT LOAD PREF PRIORITY RESAFFINITY SPEED USAGE.")},
    {N("AVLMEMWEIGHT"), WEIGHT(NP_AMEM), HELP("Coefficient of AMEM.")},
    {N("AVLPROCWEIGHT"), WEIGHT(NP_APROCS), HELP("Coefficient of APROCS.")},
    {N("CFGMEMWEIGHT"), WEIGHT(NP_CMEM), HELP("Coefficient of CMEM.")},
    {N("CFGPROCWEIGHT"), WEIGHT(NP_CPROCS), HELP("Coefficient of CPROCS.")},
    {N("LOADWEIGHT"), WEIGHT(NP_LOAD), HELP("Coefficient of LOAD.")},
    {N("PRIOWEIGHT"), WEIGHT(NP_PRIORITY), HELP("Coefficient of PRIORITY.")},
    {N("SPEEDWEIGHT"), WEIGHT(NP_SPEED), HELP("Coefficient of SPEED.")},
    {N("USAGEWEIGHT"), WEIGHT(NP_USAGE), HELP("Coefficient of USAGE.")},
    {N("CFGPROCS", "CFGPROC"), COUNT("processors", NULL), NODE, IN_NODE(cfg_procs), HELP("Configured processors.")},
    {N("CFGMEM"), MB(cfg_mem_mb), HELP("Configured memory.")},
    {N("CFGSWAP"), MB(cfg_swap_mb), HELP("Configured swap.")},
    {N("CFGDISK"), MB(cfg_disk_mb), HELP("Configured disk.")},
    {N("RADISK"), MB(ra_disk_mb), HELP("Available disk.")},
    {N("GRES"), .type = CFG_GRES, NODE, IN_NODE(gres), HELP("Generic resources of the node; a name alone is 9999.")},
    {N("RESOURCES"), .type = CFG_GRES, NODE, IN_NODE(gres), HELP("Several generic resources.")},
    {N("ACCESS"), .type = CFG_TEXT, NODE, INERT, HELP("Accepted, without effect.")},
};

static const struct cfg_group groups[] = {GROUP("NODECFG", node_rows)};
/* clang-format on */

const struct cfg_group *attrs_node(size_t i)
{
    return GROUP_AT(groups, i);
}
