/* SPDX-License-Identifier: Apache-2.0
 * What all merged pools of one kind of nodes have free in sum.
 *
 *     merged pool 0   2222 8888
 *     merged pool 1   1111 4444
 *     their sum       3333 cccc     no job finds more than that
 *
 * A search among merged pools (deep.c) looks at each of them only where the sum is
 * enough. merged_work.c makes the sums, count.c keeps them in step while a plan is
 * made. */
#ifndef MAUI_PLAN_COUNTED_MERGED_SUM_H
#define MAUI_PLAN_COUNTED_MERGED_SUM_H

#include <stdbool.h>
#include <stdint.h>

struct merged_sum;
struct pool;
struct profile;

struct merged_sum *merged_sum_create(void);
void merged_sum_destroy(struct merged_sum *m);

/* Make the sums of all kinds: begin, add the profile of each merged pool, end. The
 * stamp is pools_stamp(): with another one they are not known. O(steps x their log) in
 * all. */
void merged_sum_begin(struct merged_sum *m, uint32_t kinds);
void merged_sum_add(struct merged_sum *m, uint32_t kind, const struct profile *work);
void merged_sum_end(struct merged_sum *m, int64_t now, uint64_t stamp);
bool merged_sum_known(const struct merged_sum *m, uint64_t stamp);

/* The sum of that kind (struct pool, `kind`), when it is known. Valid until the plan
 * changes. */
const struct profile *merged_sum_of(const struct merged_sum *m, uint32_t kind);
/* Profiles of merged pools are made anew: no sum is known. O(1). */
void merged_sum_forget(struct merged_sum *m);
/* Units are taken from a pool (less than 0: given back); nothing happens if it is no
 * merged pool. O(steps of the sum). */
void merged_sum_take(struct merged_sum *m, const struct pool *pool, int64_t start,
    int64_t end, int32_t units);
/* The clock went on. O(steps of all sums). */
void merged_sum_advance(struct merged_sum *m, int64_t now);

#endif
