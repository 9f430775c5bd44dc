/* SPDX-License-Identifier: Apache-2.0
 * What the files of the limits share: limits.c counts usage and knows what is in
 * force, limits_check.c compares, limits_walk.c asks for a whole queue. */
#ifndef MAUI_POLICY_LIMITS_PRIVATE_H
#define MAUI_POLICY_LIMITS_PRIVATE_H

#include "policy/limits.h"
#include "policy/limits_pairs.h"
#include "policy/limits_quota.h"
#include "policy/limits_rules.h"
#include "policy/limits_use.h"
#include "policy/limits_walk.h"

/* One-dimensional limits of one dimension. */
struct limits_table {
    uint32_t mask[CRED_KINDS]; /* resources limited for some object of the kind */
    struct VEC(struct limit_row) rows[CRED_KINDS]; /* by object, where mask != 0 */
    uint32_t sys_mask;
    struct limit_row sys;
};

struct limits_touched {
    uint32_t kind, object;
};

struct limits {
    unsigned in_force; /* CHECK_* bits */
    bool configured;   /* settings have a limit: not quotas alone are in force */
    bool soft_differs;
    bool left_matters; /* MAXPS or MAXWC: active usage shrinks with time */
    bool any_override;
    uint32_t
        asked;   /* resources that some limit is about, but for jobs and processors */
    bool marked; /* some active job carries JOB_SPVIOLATION */
    struct VEC(uint32_t) remarked; /* jobs that got or lost it in this cycle */
    struct limits_table dims[LIMIT_DIMS];
    size_t creds; /* of all kinds: so many had their rows resolved */
    struct VEC(struct limit_override) over; /* by QOS, when any_override */
    struct limits_pairs *pairs;
    struct limits_quotas *quotas;
    struct limits_ledger ledger;
    struct VEC(struct limits_touched) touched; /* credentials with idle usage */
    struct limits_walk walks[LEVEL_HARD + 1];
};

/* limits_count_idle() for whoever has these credentials and would use that much. */
void limits_count_idle_use(struct limits *l, struct cluster *c,
    const uint32_t cred[CRED_KINDS], const int64_t *v);

void limits_walk_fini(struct limits_walk *w);

/* Is what is counted for this active job more than a soft limit allows? Usage
 * includes the job already, so it asks for nothing more. */
bool limits_over_soft(
    const struct limits *l, const struct cluster *c, const struct job *j);

#endif
