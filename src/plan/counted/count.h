/* SPDX-License-Identifier: Apache-2.0
 * Pools planned by count: what is free of each, and what is reserved.
 *
 *     releases         job 7 ends at 20: 4 units      job 9 ends at 50: 2 units
 *     profile          now 2 free   from 20 on 6 free   from 50 on 8 free
 *     reservation      3 units in [20, 60)
 *     profile          now 2        20: 3   50: 5   60: 8
 *
 * Releases follow every start and stop of a job. The profile is made of releases and
 * reservations when somebody asks. Then it follows starts and reservations as long as
 * it can. Each pool, and each merged pool, has its own; the pools themselves
 * (pools/pools.h) know nothing of it. */
#ifndef MAUI_PLAN_COUNTED_COUNT_H
#define MAUI_PLAN_COUNTED_COUNT_H

#include "base/vec.h"

#include <stdbool.h>
#include <stdint.h>

struct job;
struct counted;
struct pool;
struct profile;

/* For a start now: `units` are free for any duration ending by `until`. Lists are in
 * order of time; the last ends never. */
struct free_until {
    int64_t until;
    int32_t units;
};
struct free_untils VEC(struct free_until);

/* ---- what happens ---- */

/* The job starts (+1) or stops (-1). `as_planned`: it starts at this instant, or stops
 * at its limit. Then profiles follow; else they are made anew.
 * O(pieces of its allocation x log steps). */
void count_start(struct counted *ct, const struct job *j, int sign, bool as_planned);

/* All profiles are to be made anew. O(pools). */
void count_forget(struct counted *ct);
/* The clock went on, and nothing else happened. O(pools x steps). */
void count_advance(struct counted *ct);

/* A reservation that begins at `start` holds units of the pool: beyond the latest start
 * profiles only grow. The units are taken by count_take(). O(1). */
void count_hold(struct counted *ct, struct pool *pool, int64_t start);
/* It holds them no longer: they are free again in [start, end). O(steps). */
void count_let_go(
    struct counted *ct, struct pool *pool, int64_t start, int64_t end, int32_t units);
/* None holds any. O(pools). */
void count_hold_none(struct counted *ct);

/* Units are taken (less than 0: given back) in the part of [start, end) that matters to
 * the pool. O(steps). */
void count_take(
    struct counted *ct, struct pool *pool, int64_t start, int64_t end, int32_t units);

/* ---- what is free ---- */

/* Units that no job has at this moment; 0 where nodes are planned one by one. O(1). */
int64_t count_free_now(const struct counted *ct, const struct pool *pool);
/* Does any reservation hold units of it? And the latest start of one. O(1). */
bool count_is_reserved(const struct counted *ct, const struct pool *pool);
int64_t count_latest_start(const struct counted *ct, const struct pool *pool);

/* What is free of the pool over time. Valid until the plan changes. O(1); O(pools +
 * parts of reservations x steps) when it is made anew. */
struct profile *count_work(struct counted *ct, struct pool *pool);
/* What is free from now on, and until when. Valid until the plan changes. O(1);
 * O(steps) when it is made anew. */
const struct free_untils *count_free_until(struct counted *ct, struct pool *pool);
/* The same of running jobs alone, as if nothing were reserved, into *ret, which is
 * initialised. O(steps). */
void count_base(const struct counted *ct, const struct pool *pool, struct profile *ret);
/* Units free throughout [start, end); *ret_more (may be NULL) is the first instant at
 * which more may be. O(log steps + steps inside). */
int64_t count_least(struct counted *ct, struct pool *pool, int64_t start, int64_t end,
    int64_t *ret_more);

/* ---- who follows ---- */

/* From now on changes of the pool's profile are noted in unsettled.h: small_pools.c
 * makes something of it. */
void count_note_changes(struct counted *ct, const struct pool *pool);

/* Asserts that counts and releases agree with the cluster; for tests. O(nodes). */
void count_check(const struct counted *ct);

/* ---- its memory, by pool (pools_part()) ---- */

/* The pools were made anew: nothing is in use or reserved of any. O(pools). */
void count_begin(struct counted *ct);
/* As in `from`, of pools that are copies of its own: what is in use and reserved, and
 * profiles that are made. O(pools x steps). */
void count_copy(struct counted *ct, const struct counted *from);
void count_end(struct counted *ct);

#endif
