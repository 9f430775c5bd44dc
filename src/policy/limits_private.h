/* SPDX-License-Identifier: Apache-2.0
 * What the files of the limits share: limits.c counts usage and knows what is in
 * force, limits_check.c compares, limits_walk.c asks for a whole queue. */
#ifndef MAUI_POLICY_LIMITS_PRIVATE_H
#define MAUI_POLICY_LIMITS_PRIVATE_H

#include "policy/limits.h"
#include "policy/limits_pairs.h"
#include "policy/limits_rules.h"
#include "policy/limits_use.h"

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

/* What is left of each limited resource for one object, at the walk's level. */
struct limits_room {
    int64_t active[LIMIT_RES_COUNT], idle[LIMIT_RES_COUNT];
};

/* State of a walk over the queue. Kind CRED_KINDS is the whole system. */
struct limits_walk {
    bool plain; /* rooms answer; else every ask is compared in full */
    enum limit_level level;
    uint32_t kinds; /* bit mask of kinds with limits */
    uint32_t active[CRED_KINDS + 1], idle[CRED_KINDS + 1]; /* masks of resources */
    struct VEC(struct limits_room) rooms[CRED_KINDS + 1];
};

struct limits {
    unsigned in_force; /* CHECK_* bits */
    bool soft_differs;
    bool left_matters; /* MAXPS or MAXWC: active usage shrinks with time */
    bool any_override;
    bool marked; /* some active job carries JOB_SPVIOLATION */
    struct limits_table dims[LIMIT_DIMS];
    size_t creds; /* of all kinds: so many had their rows resolved */
    struct VEC(struct limit_override) over; /* by QOS, when any_override */
    struct limits_pairs *pairs;
    struct limits_ledger ledger;
    struct VEC(struct limits_touched) touched; /* credentials with idle usage */
    struct limits_walk walk;
};

/* Is what is counted for this active job more than a soft limit allows? Usage
 * includes the job already, so it asks for nothing more. */
bool limits_over_soft(
    const struct limits *l, const struct cluster *c, const struct job *j);

#endif
