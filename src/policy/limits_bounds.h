/* SPDX-License-Identifier: Apache-2.0
 * Throttling over time: under which limits on what is active somebody is, and who else
 * is under the same, so that what a limit leaves can be planned ahead. Source:
 * reference plan-search, section 5.
 *
 *     rules                      job 7 of alice, group a      job 9 of bob, group a
 *     MAXPROC of a user          alice's, 4                   bob's, 8
 *     MAXJOB of a group          a's, 10                      a's, 10
 *     MAXPROC[USER] of a class   batch within alice, 2        -
 *
 * Quotas of resource managers are not among them. */
#ifndef MAUI_POLICY_LIMITS_BOUNDS_H
#define MAUI_POLICY_LIMITS_BOUNDS_H

#include "policy/limits.h"

/* A resource that is limited for objects of a kind (CRED_KINDS: for the whole system),
 * or for each pair of one and another. */
struct limits_rule {
    uint32_t kind, kind2; /* kind2 CRED_KINDS: no pair */
    uint32_t res;         /* enum limit_res */
    uint32_t combo;       /* of a pair: limits_pairs_combo() */
};
struct limits_rules VEC(struct limits_rule);

/* Whose usage a rule is about. */
struct limits_whose {
    uint32_t rule, object, object2;
};

/* The rules that are in force, into an empty vector. O(limits). */
void limits_bounds_rules(const struct limits *l, struct limits_rules *ret);

/* Of which usage whoever has these credentials is, by the rule of that number. False:
 * of none. O(1). */
bool limits_bounds_whose(const struct limits_rules *rules, uint32_t rule,
    const uint32_t *cred, struct limits_whose *ret);

/* How much of it there may be when one with these credentials starts, in parts of
 * limits_use.h; INT64_MAX: the rule does not bind that one. O(1). */
int64_t limits_bounds_most(const struct limits *l, const struct cluster *c,
    const struct limits_rule *rule, const uint32_t *cred, enum limit_level level);

/* What is counted of an active job by resource, and whose it is then; NULL: nothing is.
 */
const int64_t *limits_bounds_counted(
    const struct limits *l, uint32_t job, const uint32_t **ret_cred);

#endif
