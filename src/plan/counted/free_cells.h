/* SPDX-License-Identifier: Apache-2.0
 * Which of many small pools have something free throughout an interval.
 *
 *     cells of time    |  0  |  1  |  2  |  3  |
 *     pool 7 is free      ============
 *     at some instant  |  x  |  x  |  x  |     |    bits, one a pool
 *     at every one     |     |  x  |     |     |
 *
 * A pool can have an interval only if it is free at some instant of the first and last
 * cell and at every instant of those between: an AND over bits, for all pools at
 * once. small_pools.c keeps it, for reservations that look for pools (reserve.c). */
#ifndef MAUI_PLAN_COUNTED_FREE_CELLS_H
#define MAUI_PLAN_COUNTED_FREE_CELLS_H

#include "base/bitset.h"

struct free_cells;

struct free_cells *free_cells_create(void);
void free_cells_destroy(struct free_cells *o);

/* Nothing is known to be free of so many pools; from now on questions are about [from,
 * to). */
void free_cells_reset(struct free_cells *o, uint32_t pools, int64_t from, int64_t to);

/* Something of the pool is free throughout [from, to). O(cells inside). */
void free_cells_put(struct free_cells *o, uint32_t pool, int64_t from, int64_t to);

/* The same of pools that nothing was put of, in ascending order; then
 * free_cells_loaded(), before anything else. */
void free_cells_load(struct free_cells *o, uint32_t pool, int64_t from, int64_t to);
void free_cells_loaded(struct free_cells *o);

/* Forget the pool's in all cells that [*io_from, *io_to) lies in; the interval grows to
 * the whole of these. O(cells inside). */
void free_cells_cut(
    struct free_cells *o, uint32_t pool, int64_t *io_from, int64_t *io_to);

/* Pools that may have something free throughout [start, end); no others have. Valid
 * until the next question. O(cells x pools / 64). */
const struct bitset *free_cells_during(
    struct free_cells *o, int64_t start, int64_t end);

#endif
