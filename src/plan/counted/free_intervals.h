/* SPDX-License-Identifier: Apache-2.0
 * The free intervals of many small pools, summed without asking each pool.
 *
 *     units free of a pool   4444 2222 4444
 *     its free intervals     |----- 2 ----|     2 units throughout
 *                            |2-|      |2-|     2 more at both ends
 *
 * A free interval is so many units of one pool from `start` to `end`, and not all of
 * them any longer on either side. A pool has throughout [s, e) the sum of its free
 * intervals that contain [s, e). Many pools have the sum over all of theirs.
 *
 * Free intervals are counted on a grid of cells by start and end. A two-dimensional
 * Fenwick tree knows the sums. Those that start or end in the very cells of a question
 * are listed by cell and looked at one by one. small_pools.c keeps them, deep.c asks.
 */
#ifndef MAUI_PLAN_COUNTED_FREE_INTERVALS_H
#define MAUI_PLAN_COUNTED_FREE_INTERVALS_H

#include <stdint.h>

struct free_intervals;

struct free_intervals *free_intervals_create(void);
void free_intervals_destroy(struct free_intervals *g);

/* Forget all; from now on questions are about intervals that begin in [from, to). Two
 * that begin with the same numbers have the same cells. */
void free_intervals_reset(struct free_intervals *g, int64_t from, int64_t to);

/* Units > 0 of a pool (any small number) are free from start to end, which may be
 * TIME_NEVER. O(log^2 cells). */
void free_intervals_put(
    struct free_intervals *g, uint32_t pool, int64_t start, int64_t end, int32_t units);

/* What is free of the pool in [*io_start, *io_end) has changed: forget its free
 * intervals that touch the interval, and all that lie within these; the interval grows
 * to what has to be put anew. O(free intervals of the pool). */
void free_intervals_cut(
    struct free_intervals *g, uint32_t pool, int64_t *io_start, int64_t *io_end);

/* Units free throughout [start, end), begin not before `from`. O(log^2 cells + free
 * intervals in two cells). */
int64_t free_intervals_sum(const struct free_intervals *g, int64_t start, int64_t end);

/* An upper bound of free_intervals_sum(): no interval of that duration that begins in
 * [first, last] has more. O(log^2 cells). */
int64_t free_intervals_most(
    const struct free_intervals *g, int64_t first, int64_t last, int64_t duration);

/* The last instant of the cell that `at` lies in, and how long all cells are. */
int64_t free_intervals_cell_end(const struct free_intervals *g, int64_t at);
int64_t free_intervals_cell_length(const struct free_intervals *g);

/* Call `each` for each free interval that begins after `at` in its cell and is as long
 * as `duration`. */
void free_intervals_each_start(const struct free_intervals *g, int64_t at,
    int64_t duration, void *ctx, void (*each)(void *ctx, int64_t start, int64_t units));

#endif
