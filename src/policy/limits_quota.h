/* SPDX-License-Identifier: Apache-2.0
 * Throttling by quotas (cluster/quota.h): which limits hold for a combination of
 * credentials, worked out when it is first seen, and what is in use of each.
 *
 *     credentials --number--> tests: limit, and the counter it is compared with
 *                         --> counters: where its active jobs count
 *     counter = (quota, user or account), so much in use
 *
 * Beside the resources of enum limit_res there are measures: a generic resource, or
 * something times seconds, as some limit asks for it. They are numbered from
 * LIMIT_RES_COUNT on, so that one array says what a job uses:
 *
 *     jobs | processors | ... | memory | gpu | gpu x seconds
 *     enum limit_res                   | measures */
#ifndef MAUI_POLICY_LIMITS_QUOTA_H
#define MAUI_POLICY_LIMITS_QUOTA_H

#include "cluster/cred.h"
#include "cluster/quota.h"

struct cluster;
struct job;
struct limits_counted;
struct limits_quotas;

/* One limit that holds. */
struct quota_test {
    uint32_t quota, limit; /* indexes: of the list, of its limits */
    uint32_t counter;
    uint32_t res; /* enum limit_res, or a measure */
    bool of_job;
    int64_t most; /* in the parts of limits_use.h */
};

struct limits_quotas *limits_quotas_create(void);
void limits_quotas_destroy(struct limits_quotas *q);

/* Forget everything: other quotas are in force. */
void limits_quotas_configure(struct limits_quotas *q, const struct cluster *c);

/* Is there any limit? */
bool limits_quotas_any(const struct limits_quotas *q);
/* Resources that some limit is about, bits. And those of which what is in use matters,
 * not only what one job asks for; for what is measured too. */
uint32_t limits_quotas_mask(const struct limits_quotas *q);
uint32_t limits_quotas_counted(const struct limits_quotas *q);

/* How many measures there are, beside enum limit_res. */
size_t limits_quotas_measures(const struct limits_quotas *q);
/* Of the job, behind what it uses of each of enum limit_res, `v`; ret[] holds that
 * many, and `v` may be where it begins. O(measures x generic resources of the job). */
void limits_quotas_measure(const struct limits_quotas *q, const struct job *j,
    const int64_t *v, int64_t *ret_more);
/* All that the job would use, by number; borrowed until the next call. */
const int64_t *limits_quotas_use_of(
    struct limits_quotas *q, const struct cluster *c, const struct job *j);
/* As many zeros; borrowed likewise. */
const int64_t *limits_quotas_nothing(struct limits_quotas *q);

/* What holds for these credentials, *ret_n of them; borrowed until the next call.
 * Amortised O(1). */
const struct quota_test *limits_quotas_tests(struct limits_quotas *q,
    const struct cluster *c, const uint32_t *cred, size_t *ret_n);
/* What is in use of it, by number. */
const int64_t *limits_quotas_used(
    const struct limits_quotas *q, const struct quota_test *t);

/* An active job counts (+1), or no longer (-1). O(quotas that cover it). */
void limits_quotas_add(struct limits_quotas *q, const struct cluster *c,
    const struct limits_counted *x, int sign);

/* For displays: what an active job has of what is limited. */
int64_t limits_quota_use(const struct cluster *c, const struct quota_limit *m,
    const struct job *j, int64_t now);
/* And all of them together, of this user or account where it is counted for each.
 * O(active jobs). */
int64_t limits_quota_in_use(const struct cluster *c, const struct quota *q,
    uint32_t object, const struct quota_limit *m, int64_t now);

#endif
