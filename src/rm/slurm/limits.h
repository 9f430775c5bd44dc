/* SPDX-License-Identifier: Apache-2.0
 * Slurm's limits of associations and QOS as slurmctld has them in its own cache, which
 * is what it enforces; there without a way to slurmdbd. assoc.c reads them with the
 * library, text/assoc.c as scontrol prints them, limits.c tells them. */
#ifndef MAUI_RM_SLURM_LIMITS_H
#define MAUI_RM_SLURM_LIMITS_H

#include "base/vec.h"
#include "cluster/quota.h"
#include "rm/slurm/slurm_names.h"

#include <stdbool.h>
#include <stdint.h>

#define NO_LIMIT UINT64_MAX

/* So much of what Slurm counts: "cpu", "node", "mem" (in MB), "gres/gpu:a100",
 * "license/x", "billing"; those without a limit are left out. Names are owned. */
struct tres_limit {
    char *name;
    uint64_t most;
};
struct tres VEC(struct tres_limit);

/* Of an association: a user's in an account, or an account's; or of a QOS. All texts
 * are owned. */
struct slurm_limits {
    char *account, *user, *partition; /* association; user NULL: of the account */
    char *parent;                     /* of an account; NULL: the root of all */
    char *qos;                        /* the QOS; then all above is NULL */
    bool first;                       /* QOS: OverPartQOS */
    uint32_t priority;                /* of a QOS, 0 = none */
    uint32_t grace_s;                 /* of a QOS: GraceTime, 0 = none */
    uint32_t shares;       /* association: RawShares; 0 = none, or "parent": */
    bool shares_of_parent; /* it has those of its account together with all there */
    uint64_t jobs, max_jobs, user_jobs, account_jobs, wall_min;
    struct tres group, run_mins; /* GrpTRES, GrpTRESRunMins */
    struct tres job, job_mins;   /* MaxTRES, MaxTRESMins */
    struct tres per_user, per_account;
    bool grouped_mins; /* GrpTRESMins or GrpWall is set ... */
    bool used_up;      /* ... and reached */
};
struct slurm_limits_list VEC(struct slurm_limits);

/* All of them, without any limit, to begin with. */
void limits_clear(struct slurm_limits *ret);
void limits_free(struct slurm_limits_list *l);
void limits_add_tres(struct tres *io, const char *name, size_t length, uint64_t most);

/* shares.c: what part of the machine whose is, in percent, in the order of the list; of
 * a user in several accounts their sum. Names are the list's. O(associations). */
struct share_targets VEC(struct quota_target);
void shares_find(const struct slurm_limits_list *all, struct share_targets *ret);

/* 0, or -1 with errno. */
int assoc_load(struct slurm_limits_list *ret);
/* Slurm's word for why a job waits, as "AssocGrpGRES"; NULL = none. */
const char *assoc_reason(const slurm_job_info_t *j);

#endif
