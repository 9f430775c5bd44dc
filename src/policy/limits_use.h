/* SPDX-License-Identifier: Apache-2.0
 * What one job consumes of each limited resource, and what is counted for the
 * active ones. Source: reference throttling, section 2. */
#ifndef MAUI_POLICY_LIMITS_USE_H
#define MAUI_POLICY_LIMITS_USE_H

#include "base/vec.h"
#include "cluster/cred.h"

struct cluster;
struct job;

/* Parts of one that are counted: processor equivalents are seldom whole and count in
 * thousandths, all else whole. Limits, usages and reasons are in these parts;
 * settings and displays are not. */
static inline int64_t limits_use_parts(enum limit_res r)
{
    return r == LIMIT_PE ? 1000 : 1;
}

/* The job's own consumption: 1 job, processors, requested nodes, processor-seconds,
 * PE, wallclock limit, memory, each in its parts (see below). Processor-seconds are
 * saturated. */
void limits_use_of(const struct cluster *c, const struct job *j, int64_t *ret_v);

/* The same with the remaining time at `now` in place of the wallclock limit:
 * limit + suspended - elapsed, not below 0. */
void limits_use_left(
    const struct cluster *c, const struct job *j, int64_t now, int64_t *ret_v);

/* What is summed saturates far above what any machine can have active; idle jobs may
 * ask for more. */
#define LIMITS_USE_MAX (INT64_C(1) << 50)
#define LIMITS_SUM_MAX (INT64_C(1) << 61)
static inline void limits_use_sum(int64_t *io_used, int64_t more)
{
    int64_t sum = *io_used + more;

    *io_used = sum < LIMITS_SUM_MAX ? sum : LIMITS_SUM_MAX;
}

/* Add the consumption `v` to a usage (sign +1), or take it away (-1). */
static inline void limits_use_add(int64_t *io_used, const int64_t *v, int sign)
{
    for (int r = 0; r < LIMIT_RES_COUNT; r++)
        limits_use_sum(&io_used[r], sign * v[r]);
}

/* What was counted for an active job, so that exactly that is taken away again. */
struct limits_counted {
    int64_t v[LIMIT_RES_COUNT];
    int64_t *more; /* owned: of measures (limits_quota.h); NULL = there is none */
    uint32_t cred[CRED_VECTOR];
};

/* Counted jobs by job index. */
struct limits_ledger {
    struct VEC(uint32_t) slot; /* by job index: place in `entry` or INDEX_NONE */
    struct VEC(struct limits_counted) entry;
    struct VEC(uint32_t) unused; /* places in `entry` */
};

void limits_ledger_fini(struct limits_ledger *g);
/* The entry of a job, or NULL. O(1). */
struct limits_counted *limits_ledger_find(const struct limits_ledger *g, uint32_t job);
/* A new entry for a job that has none; valid until the next call. Amortised O(1). */
struct limits_counted *limits_ledger_add(struct limits_ledger *g, uint32_t job);
void limits_ledger_remove(struct limits_ledger *g, uint32_t job);

#endif
