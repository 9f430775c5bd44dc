/* SPDX-License-Identifier: Apache-2.0
 * For forecasts: what is free over time if active jobs end when they are expected to,
 * and not at their limits. In processors, of all pools alike, so what is planned node
 * by node is only near the truth: nothing is promised by it, and nothing starts by it.
 *
 *     pool 0, counted, 2 processors a unit    parts  0: 8 free, 16 from 40 on
 *     pool 1, node by node                           1: 3 free, 24 from 10 on
 */
#ifndef MAUI_PLAN_EXPECTED_H
#define MAUI_PLAN_EXPECTED_H

#include "plan/search/wishes.h"

#include <stdbool.h>

struct bitset;
struct job;
struct plan;

/* When the active job leaves its nodes, later than now. */
typedef int64_t expected_end_fn(void *ctx, const struct job *j);

/* All pools as parts, as if nothing were reserved for these jobs; no sets, no wishes.
 * O(nodes that are planned one by one + active jobs log + pools + reservations). */
void expected_parts(struct plan *p, const struct bitset *jobs, expected_end_fn *end_of,
    void *ctx, struct wishes *ret);

/* What the job takes for so long, and where; the rest of *ret is the caller's. False:
 * it has several requests, wants licences, or is kept off by reservations at times. */
bool expected_wish(struct plan *p, const struct job *j, uint32_t partition,
    int64_t duration_s, struct wishes *io, struct wish *ret);

#endif
