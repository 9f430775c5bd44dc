/* SPDX-License-Identifier: Apache-2.0
 * Associations and QOS of slurmctld's cache, as scontrol shows them. What a QOS allows
 * each user and account it shows only beside those who have jobs there. */
#include "base/xalloc.h"
#include "rm/slurm/limits.h"
#include "rm/slurm/rights.h"
#include "rm/slurm/text/text.h"

#include <stdlib.h>
#include <string.h>

static const char *const assoc_keys[] = {"ClusterName", "Account", "UserName",
    "Partition", "Priority", "ID", "SharesRaw/Norm/Level/Factor", "UsageRaw/Norm/Efctv",
    "ParentAccount", "Lft", "DefAssoc", "GrpJobs", "GrpJobsAccrue", "GrpSubmitJobs",
    "GrpWall", "GrpTRES", "GrpTRESMins", "GrpTRESRunMins", "MaxJobs", "MaxJobsAccrue",
    "MaxSubmitJobs", "MaxWallPJ", "MaxTRESPJ", "MaxTRESPN", "MaxTRESMinsPJ",
    "MinPrioThresh", NULL};
static const char *const qos_keys[] = {"QOS", "UsageRaw", "GrpJobs", "GrpJobsAccrue",
    "GrpSubmitJobs", "GrpWall", "GrpTRES", "GrpTRESMins", "GrpTRESRunMins", "MaxWallPJ",
    "MaxTRESPJ", "MaxTRESPN", "MaxTRESMinsPJ", "MinPrioThresh", "MinTRESPJ",
    "PreemptMode", "Priority", "MaxJobsPA", "MaxJobsAccruePA", "MaxSubmitJobsPA",
    "MaxTRESPA", "MaxJobsPU", "MaxJobsAccruePU", "MaxSubmitJobsPU", "MaxTRESPU", NULL};
static const char *const user_keys[] = {
    "UserName", "DefAccount", "DefWckey", "AdminLevel", NULL};

const char *assoc_reason(const slurm_job_info_t *j)
{
    return j->state_desc;
}

/* "3(1)", "3": so many, of which some are in use; "N(1)", "": no limit. */
static uint64_t read_count(const char *text)
{
    char *stop;
    uint64_t n = text != NULL ? strtoull(text, &stop, 10) : 0;

    return text == NULL || stop == text ? NO_LIMIT : n;
}

static uint64_t field_count(const struct fields *f, const char *key)
{
    return read_count(field_text(f, key));
}

static bool is_reached(const char *text)
{
    const char *used = text != NULL ? strchr(text, '(') : NULL;

    return used != NULL && strtod(used + 1, NULL) >= (double)read_count(text);
}

/* "cpu=4(1),mem=N(100),gres/gpu:a100=2(1)". */
static struct tres field_tres(const struct fields *f, const char *key)
{
    struct tres ret = {0};

    for (const char *at = field_text(f, key); at != NULL; at = strchr(at, ',')) {
        size_t n = strcspn(at += *at == ',', "=,");
        if (at[n] == '=' && read_count(at + n + 1) != NO_LIMIT)
            limits_add_tres(&ret, at, n, read_count(at + n + 1));
    }
    return ret;
}

/* Of minutes that are counted over the past: are there limits, are they reached? */
static void take_used(const struct fields *f, struct slurm_limits *ret)
{
    const char *wall = field_text(f, "GrpWall");

    for (const char *at = field_text(f, "GrpTRESMins"); at != NULL;
         at = strchr(at, ',')) {
        const char *value = strchr(at += *at == ',', '=');
        if (value == NULL || read_count(value + 1) == NO_LIMIT)
            continue;
        ret->grouped_mins = true;
        ret->used_up |= is_reached(value + 1);
    }
    if (read_count(wall) == NO_LIMIT)
        return;
    ret->grouped_mins = true;
    ret->used_up |= is_reached(wall);
}

static void take_common(const struct fields *f, struct slurm_limits *ret)
{
    ret->jobs = field_count(f, "GrpJobs");
    ret->wall_min = field_count(f, "MaxWallPJ");
    ret->group = field_tres(f, "GrpTRES");
    ret->run_mins = field_tres(f, "GrpTRESRunMins");
    ret->job = field_tres(f, "MaxTRESPJ");
    ret->job_mins = field_tres(f, "MaxTRESMinsPJ");
    take_used(f, ret);
}

/* "games(5)": the name without the number. */
static char *field_name(const struct fields *f, const char *key)
{
    const char *text = field_text(f, key);

    return text != NULL && *text != '(' ? xstrndup(text, strcspn(text, "(")) : NULL;
}

/* What Slurm has for Fairshare=parent; others as great are no numbers of shares. */
#define SHARES_OF_PARENT INT32_MAX

/* "3/0.75/4/0.50". */
static void take_shares(const char *text, struct slurm_limits *ret)
{
    unsigned long n = text != NULL ? strtoul(text, NULL, 10) : 0;

    ret->shares = n < SHARES_OF_PARENT ? (uint32_t)n : 0;
    ret->shares_of_parent = n == SHARES_OF_PARENT;
}

static void take_assoc(const struct fields *f, struct slurm_limits *ret)
{
    limits_clear(ret);
    ret->account = field_name(f, "Account");
    ret->user = field_name(f, "UserName");
    ret->partition = field_name(f, "Partition");
    ret->parent = field_name(f, "ParentAccount");
    ret->max_jobs = field_count(f, "MaxJobs");
    take_shares(field_text(f, "SharesRaw/Norm/Level/Factor"), ret);
    take_common(f, ret);
}

static void take_qos(const struct fields *f, struct slurm_limits *ret)
{
    limits_clear(ret);
    ret->qos = field_name(f, "QOS");
    ret->priority = (uint32_t)field_number(f, "Priority", 0);
    ret->user_jobs = field_count(f, "MaxJobsPU");
    ret->account_jobs = field_count(f, "MaxJobsPA");
    ret->per_user = field_tres(f, "MaxTRESPU");
    ret->per_account = field_tres(f, "MaxTRESPA");
    take_common(f, ret);
}

static bool begins(const char *line, const char *word)
{
    return strncmp(line, word, strlen(word)) == 0;
}

int assoc_load(struct slurm_limits_list *ret)
{
    char *text = pipe_ask("show assoc_mgr flags=assoc,qos"), *at = text, *line;
    struct fields f = {0};
    struct slurm_limits one;

    if (text == NULL)
        return -1;
    while ((line = next_line(&at)) != NULL) {
        if (begins(line, "ClusterName=")) {
            fields_of(line, assoc_keys, &f);
            take_assoc(&f, &one);
        } else if (begins(line, "QOS=")) {
            for (char *p = line; *p; p++) /* "User Limits= 5={MaxJobsPU=..." */
                *p = *p == '{' || *p == '}' ? ' ' : *p;
            fields_of(line, qos_keys, &f);
            take_qos(&f, &one);
        } else {
            continue;
        }
        vec_push(ret, one);
    }
    vec_fini(&f.v);
    free(text);
    return 0;
}

/* ---- who may do more ---- */

static void add_operators(struct slurm_rights *ret, char *text)
{
    static const char *const levels[] = {"Operator", "Administrator"};
    struct fields f = {0};

    for (char *at = text, *line; (line = next_line(&at)) != NULL;) {
        if (!begins(line, "UserName="))
            continue;
        fields_of(line, user_keys, &f);
        const char *level = field_text(&f, "AdminLevel");
        for (size_t i = 0; level != NULL && i < sizeof levels / sizeof levels[0]; i++) {
            bool is_one = strncmp(level, levels[i], strlen(levels[i])) == 0;
            char *name = is_one ? field_name(&f, "UserName") : NULL;
            if (name != NULL)
                vec_push(&ret->operators, name);
        }
    }
    vec_fini(&f.v);
}

/* "ann|chem,lab": whom scontrol does not show sacctmgr does, where slurmdbd is. While
 * that does not answer nobody is one. */
static void add_coordinators(struct slurm_rights *ret, char *text)
{
    for (char *at = text, *line; (line = next_line(&at)) != NULL;) {
        char *rest = strchr(line, '|'), *end = rest;

        if (rest == NULL || strpbrk(line, " \t") != NULL)
            continue;
        *rest++ = '\0';
        for (char *account = strtok_r(rest, ",|", &end); account != NULL;
             account = strtok_r(NULL, ",|", &end))
            vec_push(&ret->coordinators,
                ((struct slurm_coordinator){xstrdup(line), xstrdup(account)}));
    }
}

int slurm_rights_load(struct slurm_rights *ret)
{
    static const char *const argv[] = {"timeout", "3", "sacctmgr", "-nP", "show",
        "user", "WithCoordinator", "format=user,coordinators", NULL};
    char *text = pipe_ask("show assoc_mgr flags=users"), *said;

    if (text == NULL)
        return -1;
    add_operators(ret, text);
    free(text);
    said = pipe_output(argv);
    if (said != NULL)
        add_coordinators(ret, said);
    free(said);
    return 0;
}
