/* SPDX-License-Identifier: Apache-2.0
 * Quotas: limits that a resource manager keeps and enforces itself. A quota says who
 * shares it, and its limits; nothing is started past one. They are facts of the
 * manager, as nodes are, and beside the limits of maui.cfg: a job has to be within
 * both.
 *
 *     name                    who shares it                 one of its limits
 *     account chem            accounts chem, chem2          GrpTRES=cpu: 16 processors
 *     user ann, account chem  user ann in account chem      MaxJobs: 2 jobs
 *     QOS fast                QOS fast, or class debug      MaxWall: 1 h, of one job
 *     QOS fast                the same, each user           MaxTRESPerUser=gres/gpu: 4
 *
 * A job is under all quotas that cover it. Of the limits that mean the same (rule and
 * resource) only those nearest to the job hold: of a QOS that goes before its class's,
 * of its class's, of its QOS, then of all others together. */
#ifndef MAUI_CLUSTER_QUOTA_H
#define MAUI_CLUSTER_QUOTA_H

#include "config/kinds.h"

#include <stdbool.h>
#include <stddef.h>

struct cluster;

enum quota_rule {
    QUOTA_GROUP, /* what all who share it have active together */
    QUOTA_EACH,  /* what a user or an account has active */
    QUOTA_JOB,   /* what one job asks for */
    QUOTA_RULES
};

struct quota_limit {
    const char *word; /* of the resource manager: "GrpTRES=cpu" */
    enum quota_rule rule;
    enum limit_res res;
    int64_t most;     /* at least 0: then nothing may run */
    const char *gres; /* this generic resource instead, counted as LIMIT_PROC is; or
                         NULL */
    bool by_time;     /* times the seconds that are left of the walltime */
};

enum quota_per { QUOTA_PER_ALL, QUOTA_PER_USER, QUOTA_PER_ACCOUNT, QUOTA_PERS };

/* Lists are NULL-terminated; NULL = anybody. Who is under it meets all that is given,
 * but of `qos` and `classes`, where both are, one is enough. */
struct quota {
    const char *name; /* for people: "account chem" */
    const char *user, *qos;
    const char *const *accounts, *const *classes;
    const char *const *except; /* classes */
    enum quota_per per;        /* counted for each of them */
    bool first;                /* jobs of the QOS: before the class's */
    const struct quota_limit *limits;
    size_t n;
    uint32_t rm; /* of its jobs alone: quotas_set() writes it */
};

/* The priority of a QOS as the manager has it: of those without one in maui.cfg. */
struct quota_rank {
    const char *qos;
    int64_t priority;
};

/* The fairshare target of a user or account as the manager has it: of those for whom
 * maui.cfg has none. */
struct quota_target {
    enum cred_kind kind;
    const char *name;
    double percent;
};

/* All of them, and whose they are ("Slurm"). */
struct quota_list {
    const char *source;
    const struct quota *v;
    size_t n;
    const struct quota_rank *ranks;
    size_t nranks;
    const struct quota_target *targets;
    size_t ntargets;
    const char *rm; /* of several resource managers, which; NULL = the first */
};

/* Put others in force: a copy is made. Credentials that they name are made. Of several
 * resource managers one tells limits. */
void quotas_set(struct cluster *c, const struct quota_list *l);
void quotas_destroy(struct cluster *c);

/* How near is it to whoever has these credentials (indexes, by kind)? 0 = not under it;
 * the smaller the nearer. */
unsigned quota_nearness(
    const struct cluster *c, const struct quota *q, const uint32_t *cred);
/* Whose use counts: the index of the user or account, 0 = of all together. */
uint32_t quota_object(const struct quota *q, const uint32_t *cred);

#endif
