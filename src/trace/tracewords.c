/* SPDX-License-Identifier: Apache-2.0
 * The words of Maui traces and what they stand for. */
#include "trace/tracewords.h"

#include <string.h>

/* ---- flags of jobs ---- */

/* Job flags in the order of the format. 0: of no concern when the job is replayed. */
static const struct {
    const char *name;
    uint32_t flag;
} job_flags[TF_FLAG_COUNT] = {
    {"BENCHMARK", JOB_BENCHMARK},
    {"BACKFILL", JOB_BACKFILL},
    {"SPAN", JOB_SPAN},
    {"ADVRES", JOB_ADVRES},
    {"NOQUEUE", JOB_NOQUEUE},
    {"HOSTLIST", JOB_HOSTLIST},
    {"RESMAP", 0},
    {"SHAREDRESOURCES", JOB_SHAREDNODE},
    {"BYNAME", JOB_BYNAME},
    {"BESTEFFORT", JOB_BESTEFFORT},
    {"RESTARTABLE", JOB_RESTARTABLE},
    {"PREEMPTEE", JOB_PREEMPTEE},
    {"PREEMPTOR", JOB_PREEMPTOR},
    {"DEDICATEDNODE", JOB_DEDICATED},
    {"PRESTART", JOB_PRESTART},
    {"REMOTE", 0},
    {"NASINGLETASK", 0},
    {"SPVIOLATION", 0},
    {"IGNNODEPOLICIES", 0},
    {"NORMSTART", 0},
    {"GLOBALQUEUE", 0},
    {"NASINGLEJOB", 0},
};

int tf_flag_place(const char *name)
{
    if (strcasecmp(name, "DEDICATED") == 0)
        name = "DEDICATEDNODE";
    for (size_t i = 0; i < TF_FLAG_COUNT; i++)
        if (strcasecmp(job_flags[i].name, name) == 0)
            return (int)i;
    return -1;
}

const char *tf_flag_name(unsigned place)
{
    return job_flags[place].name;
}

uint32_t tf_job_flags(uint32_t mask, enum access_policy *ret_access)
{
    uint32_t flags = 0;

    for (size_t i = 0; i < TF_FLAG_COUNT; i++) {
        if (!(mask >> i & 1))
            continue;
        flags |= job_flags[i].flag;
        if (strcmp(job_flags[i].name, "NASINGLETASK") == 0)
            *ret_access = ACCESS_SINGLETASK;
        else if (strcmp(job_flags[i].name, "NASINGLEJOB") == 0)
            *ret_access = ACCESS_SINGLEJOB;
    }
    return flags & ~(uint32_t)JOB_BACKFILL; /* the scheduler sets it itself */
}

bool tf_has_flag(uint32_t mask, const char *name)
{
    for (size_t i = 0; i < TF_FLAG_COUNT; i++)
        if (strcmp(job_flags[i].name, name) == 0)
            return mask >> i & 1;
    return false;
}

uint32_t tf_flags_mask(uint32_t flags, enum access_policy access)
{
    uint32_t mask = 0;

    for (size_t i = 0; i < TF_FLAG_COUNT; i++)
        if ((flags & job_flags[i].flag)
            || (access == ACCESS_SINGLETASK
                && strcmp(job_flags[i].name, "NASINGLETASK") == 0)
            || (access == ACCESS_SINGLEJOB
                && strcmp(job_flags[i].name, "NASINGLEJOB") == 0))
            mask |= (uint32_t)1 << i;
    return mask;
}

/* ---- node sets, comparisons ---- */

static const char *const nodeset_policies[] = {[NODESET_ONEOF] = "ONEOF",
    [NODESET_FIRSTOF] = "FIRSTOF",
    [NODESET_ANYOF] = "ANYOF"};
static const char *const nodeset_attrs[] = {[NODESET_FEATURE] = "FEATURE",
    [NODESET_MEMORY] = "MEMORY",
    [NODESET_PROCSPEED] = "PROCSPEED",
    [NODESET_NETWORK] = "NETWORK"};

static const struct {
    const char *text;
    enum cmp_op op;
} compares[] = {{">=", CMP_GE}, {">", CMP_GT}, {"=", CMP_EQ}, {"<=", CMP_LE},
    {"<", CMP_LT}, {"==", CMP_EQ}};

static int find_word(const char *const *words, size_t n, const char *text)
{
    for (size_t i = 0; i < n; i++)
        if (words[i] != NULL && strcasecmp(words[i], text) == 0)
            return (int)i;
    return -1;
}

int tf_policy_of(const char *word)
{
    return find_word(
        nodeset_policies, sizeof nodeset_policies / sizeof nodeset_policies[0], word);
}

const char *tf_policy_word(enum nodeset_policy policy)
{
    return nodeset_policies[policy];
}

int tf_attr_of(const char *word)
{
    return find_word(
        nodeset_attrs, sizeof nodeset_attrs / sizeof nodeset_attrs[0], word);
}

const char *tf_attr_word(enum nodeset_attr attr)
{
    return nodeset_attrs[attr];
}

int tf_compare_of(const char *word)
{
    for (size_t i = 0; i < sizeof compares / sizeof compares[0]; i++)
        if (strcmp(compares[i].text, word) == 0)
            return (int)compares[i].op;
    return -1;
}

const char *tf_compare_word(enum cmp_op op)
{
    for (size_t i = 0; i < sizeof compares / sizeof compares[0]; i++)
        if (compares[i].op == op)
            return compares[i].text;
    return ">=";
}
