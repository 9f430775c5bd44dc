/* SPDX-License-Identifier: Apache-2.0
 * What many small pools have free together, without asking each of them.
 *
 * So many units of a pool that are free from `start` to `end`, and not all of them any
 * longer on either side, are a *gap*. What a pool has free throughout an interval is
 * the sum of its gaps that contain the interval; what many pools have is the sum over
 * all their gaps that do. So all gaps are kept together: counted on a grid of cells by
 * start and end, of which a two-dimensional Fenwick tree knows the sums, and listed by
 * cell for those that a question meets in the cell of its own start or end. */
#ifndef MAUI_PLAN_GAPS_H
#define MAUI_PLAN_GAPS_H

#include <stdint.h>

struct gaps;

struct gaps *gaps_create(void);
void gaps_destroy(struct gaps *g);

/* Forget all; from now on questions are about intervals that begin in [from, to). Two
 * that begin with the same numbers have the same cells. */
void gaps_reset(struct gaps *g, int64_t from, int64_t to);

/* Units > 0 of a pool (any small number) are free from start to end, which may be
 * TIME_NEVER. O(log^2 cells). */
void gaps_put(struct gaps *g, uint32_t pool, int64_t start, int64_t end, int32_t units);

/* What is free of the pool in [*io_start, *io_end) has changed: forget its gaps that
 * touch the interval, and all that lie within these; the interval grows to what has to
 * be put anew. O(gaps of the pool). */
void gaps_cut(struct gaps *g, uint32_t pool, int64_t *io_start, int64_t *io_end);

/* Units free throughout [start, end), begin not before `from`. O(log^2 cells + gaps in
 * two cells). */
int64_t gaps_sum(const struct gaps *g, int64_t start, int64_t end);

/* No interval of that duration that begins in [first, last] has more. O(log^2 cells).
 */
int64_t gaps_most(const struct gaps *g, int64_t first, int64_t last, int64_t duration);

/* The last instant of the cell that `at` lies in, and how long all cells are. */
int64_t gaps_cell_end(const struct gaps *g, int64_t at);
int64_t gaps_cell_length(const struct gaps *g);

/* Tell of each gap that begins after `at` in its cell and is as long as `duration`. */
void gaps_each_start(const struct gaps *g, int64_t at, int64_t duration, void *ctx,
    void (*each)(void *ctx, int64_t start, int64_t units));

#endif
