/* SPDX-License-Identifier: Apache-2.0
 * What all merged pools of one kind of nodes have free in sum.
 *
 *     merged pool 0   2222 8888
 *     merged pool 1   1111 4444
 *     their sum       3333 cccc     no job finds more than that
 *
 * A search among merged pools looks at each of them only where the sum is enough. The
 * sum is kept in step while a plan is made. */
#ifndef MAUI_PLAN_COUNTED_MERGED_SUM_H
#define MAUI_PLAN_COUNTED_MERGED_SUM_H

#include <stdint.h>

struct merged_sum;
struct plan;
struct pool;
struct profile;

struct merged_sum *merged_sum_create(void);
void merged_sum_destroy(struct merged_sum *m);

/* The sum of that kind (struct pool, `kind`). Valid until the plan changes. O(1);
 * O(steps x log steps) when it has to be made. */
const struct profile *merged_sum_of(struct plan *p, uint32_t kind);
/* Profiles of merged pools are made anew. */
void merged_sum_forget(struct merged_sum *m);
/* Units are taken from a pool; nothing happens if it is no merged pool. */
void merged_sum_take(struct merged_sum *m, const struct pool *pool, int64_t start,
    int64_t end, int32_t units);
/* The clock went on. */
void merged_sum_advance(struct merged_sum *m, int64_t now);

#endif
