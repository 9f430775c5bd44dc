/* SPDX-License-Identifier: Apache-2.0
 * How values of enumerations are written in JSON. A word stays
 * what it is when the enumeration changes. */
#ifndef MAUI_RECORDS_WORDS_H
#define MAUI_RECORDS_WORDS_H

#include "cluster/job.h"
#include "config/policies.h"

static const char *const state_words[] = {
    [JOB_IDLE] = "idle",
    [JOB_HOLD] = "hold",
    [JOB_STARTING] = "starting",
    [JOB_RUNNING] = "running",
    [JOB_SUSPENDED] = "suspended",
    [JOB_NOTQUEUED] = "not queued",
    [JOB_STAGING] = "staging",
    [JOB_UNKNOWN] = "unknown",
    [JOB_COMPLETED] = "completed",
    [JOB_REMOVED] = "removed",
    [JOB_VACATED] = "vacated",
    [JOB_LOST] = "lost",
};
static const char *const nodeset_words[] = {
    [NODESET_ONEOF] = "ONEOF",
    [NODESET_FIRSTOF] = "FIRSTOF",
    [NODESET_ANYOF] = "ANYOF",
};
static const char *const nodeset_attr_words[] = {
    [NODESET_FEATURE] = "FEATURE",
    [NODESET_MEMORY] = "MEMORY",
    [NODESET_PROCSPEED] = "PROCSPEED",
    [NODESET_NETWORK] = "NETWORK",
};
static const char *const cmp_words[] = {
    [CMP_LT] = "<",
    [CMP_LE] = "<=",
    [CMP_EQ] = "=",
    [CMP_GE] = ">=",
    [CMP_GT] = ">",
};
static const char *const dep_words[] = {
    [DEP_STARTED] = "started",
    [DEP_COMPLETED] = "completed",
    [DEP_SUCCESS] = "success",
    [DEP_FAILED] = "failed",
    [DEP_NEVER_SUCCESS] = "never success",
    [DEP_NEVER_FAILED] = "never failed",
};
static const char *const res_words[RES_DIMS] = {
    [RES_PROCS] = "procs",
    [RES_MEM] = "mem_mb",
    [RES_SWAP] = "swap_mb",
    [RES_DISK] = "disk_mb",
};
#define WORDS(table) (table), sizeof(table) / sizeof *(table)

#endif
