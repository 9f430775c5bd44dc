/* SPDX-License-Identifier: Apache-2.0
 * The algebra of access lists: QLIST and QDEF give a set of QOS, PLIST and PDEF one of
 * partitions. Source: reference qos-credentials, sections 3.1, 3.2 and 7. */
#ifndef MAUI_POLICY_ACCESS_LISTS_H
#define MAUI_POLICY_ACCESS_LISTS_H

#include "base/bitset.h"

struct cluster;
struct cred;
struct cred_cfg;

enum access_what { ACCESS_QOS, ACCESS_PARTITIONS };

/* The accessible indexes for these credentials (index 0 of a kind: its DEFAULT
 * object). For partitions the QOS counts too, and "all" includes those that do not
 * exist yet. Names that nothing has are passed over. The caller frees *ret. */
void access_lists_set(const struct cluster *c, enum access_what what,
    const uint32_t *cred, struct bitset *ret);

/* Does any list of the settings say which these credentials may use? A default alone
 * does not. */
bool access_lists_restrict(
    const struct cluster *c, enum access_what what, const uint32_t *cred);

/* The default: the first of the credentials' QDEF (PDEF) that is in `set`. Without
 * one INDEX_NONE. */
uint32_t access_lists_default(const struct cluster *c, enum access_what what,
    const uint32_t *cred, const struct bitset *set);

/* Create every QOS and partition that the settings mention. */
void access_lists_mention(struct cluster *c);

/* Own list, or that of the DEFAULT object. */
const struct cred_cfg *access_lists_section(
    const struct cred *k, enum access_what what);

#endif
