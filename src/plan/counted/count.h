/* SPDX-License-Identifier: Apache-2.0
 * Pools planned by count: what is free of each, and what is reserved.
 *
 *     releases         job 7 ends at 20: 4 units      job 9 ends at 50: 2 units
 *     profile (work)   now 2 free   from 20 on 6 free   from 50 on 8 free
 *     reservation      3 units in [20, 60)
 *     profile          now 2        20: 3   50: 5   60: 8
 *
 * Releases follow every start and stop of a job. The profile is made of releases and
 * reservations when somebody asks. Then it follows starts and reservations as long as
 * it can. */
#ifndef MAUI_PLAN_COUNTED_COUNT_H
#define MAUI_PLAN_COUNTED_COUNT_H

#include <stdbool.h>
#include <stdint.h>

struct job;
struct counted;
struct pool;
struct profile;

/* The job starts (+1) or stops (-1). `as_planned`: it starts at this instant, or stops
 * at its limit. Then profiles follow; else they are made anew.
 * O(pieces of its allocation x log steps). */
void count_start(struct counted *ct, const struct job *j, int sign, bool as_planned);

/* All profiles are to be made anew. O(pools). */
void count_forget(struct counted *ct);
/* The clock went on, and nothing else happened. O(pools x steps). */
void count_advance(struct counted *ct);

/* What is free of the pool over time. Valid until the plan changes. O(1); O(pools +
 * parts of reservations x steps) when it is made anew. */
struct profile *count_work(struct counted *ct, struct pool *pool);
/* Makes pool->free_until, if it is not there: what is free from now on, and until when.
 * O(steps). */
void count_free_until(struct counted *ct, struct pool *pool);
/* Units free throughout [start, end); *ret_more (may be NULL) is the first instant at
 * which more may be. O(log steps + steps inside). */
int64_t count_least(struct counted *ct, struct pool *pool, int64_t start, int64_t end,
    int64_t *ret_more);

/* Units are taken (less than 0: given back) in the part of [start, end) that matters to
 * the pool. O(steps). */
void count_take(
    struct counted *ct, struct pool *pool, int64_t start, int64_t end, int32_t units);

#endif
