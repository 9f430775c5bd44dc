/* SPDX-License-Identifier: Apache-2.0
 * Some lists of quotas, for random worlds whose users are u0, u1 ..., accounts a0, a1,
 * QOS high and low, classes short and long. */
#ifndef MAUI_TESTS_QUOTAS_H
#define MAUI_TESTS_QUOTAS_H

#include "engine/engine.h"

#define QUOTA_LISTS 5

static inline struct event some_quotas(uint32_t which, int64_t now)
{
    static const char *const a0[] = {"a0", NULL}, *const both[] = {"a0", "a1", NULL};
    static const char *const shorts[] = {"short", NULL};
    static const struct quota_limit jobs[] = {
        {"GrpJobs", QUOTA_GROUP, LIMIT_JOB, 2}, {"MaxWall", QUOTA_JOB, LIMIT_WC, 900}};
    static const struct quota_limit procs[] = {
        {"GrpTRES=cpu", QUOTA_GROUP, LIMIT_PROC, 6},
        {"MaxTRES=cpu", QUOTA_JOB, LIMIT_PROC, 4}};
    static const struct quota_limit each[] = {{"MaxJobs", QUOTA_EACH, LIMIT_JOB, 1},
        {"GrpTRESRunMins=cpu", QUOTA_GROUP, LIMIT_PS, 5000}};
    static const struct quota_limit none[] = {{"GrpJobs", QUOTA_GROUP, LIMIT_JOB, 0}};
    static const struct quota some[] = {
        {.name = "all accounts", .limits = procs, .n = 2},
        {.name = "u0",
            .user = "u0",
            .accounts = both,
            .except = shorts,
            .limits = each,
            .n = 2},
        {.name = "short", .classes = shorts, .qos = "high", .limits = jobs, .n = 2}};
    static const struct quota others[] = {
        {.name = "account a0", .accounts = a0, .limits = jobs, .n = 1},
        {.name = "each", .per = QUOTA_PER_USER, .limits = each, .n = 1},
        {.name = "low", .qos = "low", .first = true, .limits = procs, .n = 2}};
    static const struct quota last[] = {
        {.name = "u1", .user = "u1", .limits = none, .n = 1},
        {.name = "by account", .per = QUOTA_PER_ACCOUNT, .limits = each, .n = 2}};
    static const struct quota_limit gpus[] = {
        {"GrpTRES=gres/gpu", QUOTA_GROUP, LIMIT_PROC, 2, "gpu"},
        {"GrpTRESRunMins=mem", QUOTA_GROUP, LIMIT_MEM, 900000, NULL, true}};
    static const struct quota_limit times[] = {
        {"MaxTRESMins=gres/gpu", QUOTA_JOB, LIMIT_PROC, 4000, "gpu", true},
        {"MaxTRESPerUser=gres/gpu", QUOTA_EACH, LIMIT_PROC, 1, "gpu"}};
    static const struct quota measured[] = {
        {.name = "account a1", .accounts = both, .limits = gpus, .n = 2},
        {.name = "each", .per = QUOTA_PER_USER, .limits = times, .n = 2}};
    static const struct quota_list lists[QUOTA_LISTS] = {{"Slurm", NULL, 0},
        {"Slurm", some, 3}, {"Slurm", others, 3}, {"Slurm", last, 2},
        {"Slurm", measured, 2}};

    return (struct event){
        .kind = EVENT_QUOTAS, .at = now, .u.quotas = lists[which % QUOTA_LISTS]};
}

#endif
