/* SPDX-License-Identifier: Apache-2.0
 * Throttling by quotas (cluster/quota.h): which limits hold for a combination of
 * credentials, worked out when it is first seen, and what is in use of each.
 *
 *     credentials --number--> tests: limit, and the counter it is compared with
 *                         --> counters: where its active jobs count
 *     counter = (quota, user or account), so much in use */
#ifndef MAUI_POLICY_LIMITS_QUOTA_H
#define MAUI_POLICY_LIMITS_QUOTA_H

#include "cluster/cred.h"
#include "cluster/quota.h"

struct cluster;
struct limits_quotas;

/* One limit that holds. */
struct quota_test {
    uint32_t quota, limit; /* indexes: of the list, of its limits */
    uint32_t counter;
    enum limit_res res;
    bool of_job;
    int64_t most; /* in the parts of limits_use.h */
};

struct limits_quotas *limits_quotas_create(void);
void limits_quotas_destroy(struct limits_quotas *q);

/* Forget everything: other quotas are in force. */
void limits_quotas_configure(struct limits_quotas *q, const struct cluster *c);

/* Resources that some limit is about, bits; 0 = there is none. And those of which what
 * is in use matters, not only what one job asks for. */
uint32_t limits_quotas_mask(const struct limits_quotas *q);
uint32_t limits_quotas_counted(const struct limits_quotas *q);

/* What holds for these credentials, *ret_n of them; borrowed until the next call.
 * Amortised O(1). */
const struct quota_test *limits_quotas_tests(struct limits_quotas *q,
    const struct cluster *c, const uint32_t *cred, size_t *ret_n);
/* What is in use of it. */
const int64_t *limits_quotas_used(
    const struct limits_quotas *q, const struct quota_test *t);

/* An active job counts (+1), or no longer (-1). O(quotas that cover it). */
void limits_quotas_add(struct limits_quotas *q, const struct cluster *c,
    const uint32_t *cred, const int64_t *v, int sign);

/* For displays: what all active jobs together have of it, of this user or account where
 * it is counted for each. O(active jobs). */
int64_t limits_quota_in_use(const struct cluster *c, const struct quota *q,
    uint32_t object, enum limit_res res, int64_t now);

#endif
