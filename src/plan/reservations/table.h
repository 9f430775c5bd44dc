/* SPDX-License-Identifier: Apache-2.0
 * The reservations of waiting jobs: rows in the order of their making, found by job.
 *
 *     rows                                        by job
 *     0  job 7  [400, 900)  3 units of pool 2     3  row 2, at 500
 *     1  (gap: its job has started)               5  owed, was at 450
 *     2  job 3  [500, 600)  nodes 4 and 5         7  row 0, at 400
 *
 * A job has a reservation (a row), has none, or is *owed* one: it had one at that
 * instant, lost it (plan_unreserve(), RSV_KEEP in other pools, a restart), and will get
 * another. What is owed holds nothing. A job whose row is only forgotten is owed
 * nothing: it gets its slot in its turn. A removed row leaves a gap, so that the order
 * of making stays; gaps are closed once a cycle.
 *
 * Pointers to rows hold until a row is added or gaps are closed. All O(1) unless said.
 */
#ifndef MAUI_PLAN_RESERVATIONS_TABLE_H
#define MAUI_PLAN_RESERVATIONS_TABLE_H

#include "base/vec.h"
#include "cluster/request.h"
#include "plan/plan.h"

/* Units that a reservation has of one pool planned by count, or of a merged pool. One
 * that begins before pools_merge_at() and ends later has parts of both, which are the
 * same units: those of a merged pool are the sum of those of its pools.
 *
 *     job 7, 5 units     before    pool 1: 3    pool 2: 2
 *                        after     merged pool 0: 5 */
struct part {
    uint32_t pool; /* number for pools_part(): pools, then merged pools */
    int32_t units;
};

struct rsv {
    uint32_t job;    /* INDEX_NONE: a gap */
    uint32_t fitset; /* the pools that it was looked for in: fits_set() */
    int64_t start_at, end_at;
    struct VEC(struct part) parts;  /* by count */
    struct VEC(struct part) handed; /* parts given back for its start, to compare */
    struct allocs alloc;            /* by node: the nodes pinned */
};

struct rsvtable;

struct rsvtable *rsvtable_create(void);
void rsvtable_destroy(struct rsvtable *t);
/* The same rows; not `holding`: they hold nothing. O(rows + jobs). */
struct rsvtable *rsvtable_copy(const struct rsvtable *t, bool holding);

/* Rows, with gaps. */
uint32_t rsvtable_count(const struct rsvtable *t);
/* The i-th, NULL where there is a gap. */
struct rsv *rsvtable_row(const struct rsvtable *t, uint32_t i);
/* That of the job, NULL = it has none. */
struct rsv *rsvtable_of(const struct rsvtable *t, uint32_t job);
/* What the job has or is owed, NULL = nothing. */
const struct planned *rsvtable_planned(const struct rsvtable *t, uint32_t job);

/* A row for a job that has none, after all others; without parts and nodes. */
struct rsv *rsvtable_add(struct rsvtable *t, uint32_t job, const struct slot *slot);
/* The last row goes into the gap `row`. */
void rsvtable_move_last(struct rsvtable *t, uint32_t row);

/* What a job whose row is removed has then: nothing, or it is owed another. */
enum rsv_after { RSV_FORGOTTEN, RSV_OWED };
void rsvtable_remove(struct rsvtable *t, uint32_t job, enum rsv_after after);
/* All rows from `first` on. O(of them). */
void rsvtable_truncate(struct rsvtable *t, uint32_t first, enum rsv_after after);
/* Each gets what the other had. O(1). */
void rsvtable_swap(struct rsvtable *a, struct rsvtable *b);
/* All that is in it, as a table of its own; nothing is left. O(1). */
struct rsvtable *rsvtable_take(struct rsvtable *t);
/* O(rows). */
void rsvtable_close_gaps(struct rsvtable *t);

/* A job without a row is owed one at that instant; 0 = nothing. */
void rsvtable_owe(struct rsvtable *t, uint32_t job, int64_t at);
/* No job is owed any. O(1), or O(jobs) where one may be. */
void rsvtable_forgive(struct rsvtable *t);

/* Asserts that rows and jobs agree. O(rows + jobs). */
void rsvtable_check(const struct rsvtable *t, const struct cluster *c);

#endif
