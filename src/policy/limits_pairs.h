/* SPDX-License-Identifier: Apache-2.0
 * Two-dimensional limits: usage of one credential within another
 * (CLASSCFG[fast] MAXJOB[USER]=2). Source: reference throttling, section 5. */
#ifndef MAUI_POLICY_LIMITS_PAIRS_H
#define MAUI_POLICY_LIMITS_PAIRS_H

#include "cluster/reason.h"
#include "policy/limits_rules.h"

#include <stddef.h>

struct limits_pairs;

/* One (dimension, owner kind, bracketed kind) for which some limit is written. */
struct limits_combo {
    uint8_t dim, kind, kind2; /* kind CRED_KINDS = SYSCFG */
    uint32_t mask;            /* resources, over all objects */
};

struct limits_pairs *limits_pairs_create(void);
void limits_pairs_destroy(struct limits_pairs *p);

/* Find the combinations in force and forget all usage. O(settings). */
void limits_pairs_configure(struct limits_pairs *p, const struct settings *cfg);

size_t limits_pairs_count(const struct limits_pairs *p);
const struct limits_combo *limits_pairs_combo(const struct limits_pairs *p, size_t i);
bool limits_pairs_any(const struct limits_pairs *p, enum limit_dim dim);
/* Is a soft value tighter than its hard one? */
bool limits_pairs_soft_differs(const struct limits_pairs *p);

/* Is that nobody? Index 0 is DEFAULT, which only for QOS is one that jobs have. */
bool limits_pairs_absent(uint32_t kind, uint32_t object);

/* Usage and limits of the pair that combination `i` makes of these credentials; the
 * usage is 0 when nothing was counted. False = no limit for this pair. O(1); the
 * pair is remembered, which is no visible change. */
bool limits_pairs_get(struct limits_pairs *p, const struct cluster *c, size_t i,
    const uint32_t *cred, const struct limit_row **ret_row, const int64_t **ret_used);

/* Add (sign +1) or take away (-1) the consumption `v` from the pairs of `dim`. */
void limits_pairs_add(struct limits_pairs *p, const struct cluster *c,
    enum limit_dim dim, const uint32_t *cred, const int64_t *v, int sign);

/* Forget the idle usage. O(1). */
void limits_pairs_begin_idle(struct limits_pairs *p);

#endif
