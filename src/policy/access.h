/* SPDX-License-Identifier: Apache-2.0
 * What a job's credentials give it: account, QOS, partitions, flags, limits by
 * class. Source: reference qos-credentials. */
#ifndef MAUI_POLICY_ACCESS_H
#define MAUI_POLICY_ACCESS_H

#include "cluster/job.h"

/* Why a job may not run as it asks. */
#define FAULT_CODE_MAX 160
#define FAULT_TEXT_MAX 200
struct access_fault {
    enum hold_reason reason;   /* REASON_NONE = it may */
    char code[FAULT_CODE_MAX]; /* the rule, whose it is and its numbers, as "MAX.PROC
                                  class small 4 2": equal when the fault is the same */
    char text[FAULT_TEXT_MAX]; /* a sentence for people */
};

/* Resolve everything that follows from the job's credentials and request, at load
 * and whenever one of them or the settings changed: account (section 2), effective
 * QOS (3), job flags incl. those the QOS implies (4, 5), wallclock limit if none
 * was asked (6), class features and QOSFEATURES, node access policy, partitions and
 * default partition (7). Idempotent. Creates the QOS and partitions that the
 * settings mention. Returns REASON_NONE, or the reason for which the caller must
 * defer or hold the job (CREDACCESS: defer; QOSACCESS: defer; POLICY: batch hold), of
 * which *ret tells more. Everything is resolved in each of these cases.
 * O(1) for credentials seen before, else O(lists).
 *
 * An active job may be resolved too: what its nodes are dedicated by stays
 * (req.held). Take it out of the usage counts before and put it in again after. */
enum hold_reason access_resolve(
    struct cluster *c, struct job *j, struct access_fault *ret);

/* Do the settings give the account to that user of that group: ADEF or ALIST of either,
 * or of their DEFAULT sections? Where no list is at all nobody is given any, though
 * jobs may have each. O(lists). */
bool access_gives_account(
    const struct cluster *c, const char *user, const char *group, const char *account);

/* May the job be of the account that it asked for, by the ALIST of user and group? */
bool access_account_allowed(const struct cluster *c, const struct job *j);

/* The set of QOS indexes the job may use, as a bitmap of QOS indexes
 * (bit i%64 of word i/64); `words` words are written. */
void access_qos_set(
    const struct cluster *c, const struct job *j, uint64_t *ret_set, size_t words);
bool access_qos_allowed(const struct cluster *c, const struct job *j, uint32_t qos);

/* setqos: owner or level 1/2; administrators may assign any QOS. Sets requested and
 * effective QOS; access_resolve() then does the rest, and leaves an administrator's
 * choice alone. The error lists what is accessible. */
int access_set_qos(
    struct cluster *c, struct job *j, const char *qos, bool admin, struct err *err);

/* Free what access_resolve() remembers of the cluster: before cluster_destroy(). */
void access_cache_destroy(struct cluster *c);

#endif
