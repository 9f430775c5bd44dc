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

/* One comparison of a walk: a resource that is limited for some object of the kind.
 * Kind CRED_KINDS is the whole system. */
struct limits_test {
    uint8_t kind, res;
    uint8_t from;     /* the object's number is ask.cred[from] ... */
    uint32_t objects; /* ... of these bits: none for the system */
    bool named;       /* DEFAULT stands for nobody: an ask without such a name passes */
    size_t room;      /* in limits_walk.room: what is left of it, by object */
};
struct limits_tests VEC(struct limits_test);

/* State of a walk over the queue at one level. */
struct limits_walk {
    struct limits_tests tests[LIMIT_DIMS];
    struct VEC(int64_t) room; /* INT64_MAX = no limit */
};

struct limits {
    unsigned in_force; /* CHECK_* bits */
    bool soft_differs;
    bool left_matters; /* MAXPS or MAXWC: active usage shrinks with time */
    bool any_override;
    uint32_t
        asked;   /* resources that some limit is about, but for jobs and processors */
    bool marked; /* some active job carries JOB_SPVIOLATION */
    struct limits_table dims[LIMIT_DIMS];
    size_t creds; /* of all kinds: so many had their rows resolved */
    struct VEC(struct limit_override) over; /* by QOS, when any_override */
    struct limits_pairs *pairs;
    struct limits_ledger ledger;
    struct VEC(struct limits_touched) touched; /* credentials with idle usage */
    bool walks_plainly; /* tests answer; else every ask is compared in full */
    struct limits_walk walks[LEVEL_HARD + 1];
};

/* Is what is counted for this active job more than a soft limit allows? Usage
 * includes the job already, so it asks for nothing more. */
bool limits_over_soft(
    const struct limits *l, const struct cluster *c, const struct job *j);

#endif
