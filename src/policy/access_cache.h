/* SPDX-License-Identifier: Apache-2.0
 * What was worked out for a combination of credentials, kept so that a hundred
 * thousand jobs of one user do the set algebra once. */
#ifndef MAUI_POLICY_ACCESS_CACHE_H
#define MAUI_POLICY_ACCESS_CACHE_H

#include "base/bitset.h"

struct access_cache;
struct cluster;
struct job;
struct taskdef;

/* The cluster's cache, made or emptied if settings changed or a QOS or partition
 * appeared since. */
struct access_cache *access_cache_of(struct cluster *c);

/* QOS set and default QOS of the job's user, group, account and class. The set is
 * borrowed until the next access_cache_of(). */
const struct bitset *access_cache_qos(struct access_cache *a, const struct cluster *c,
    const struct job *j, uint32_t *ret_default);

/* Partitions of all its credentials, effective QOS included, and the default one
 * among them or INDEX_NONE. What the job asked for is not yet taken into account. */
uint64_t access_cache_partitions(struct access_cache *a, const struct cluster *c,
    const struct job *j, uint32_t *ret_default);

/* A task definition as asked, and what is merged into it. */
struct access_merge {
    uint32_t asked; /* index of the task definition */
    uint32_t cls, qos;
    uint32_t access; /* enum access_policy, resolved */
    uint32_t ignore_hosts;
};

/* The definition made of it before, or NULL; and how to remember one. */
const struct taskdef *access_cache_merged(
    const struct access_cache *a, const struct access_merge *m);
void access_cache_add_merged(
    struct access_cache *a, const struct access_merge *m, const struct taskdef *def);

#endif
