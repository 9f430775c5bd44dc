/* SPDX-License-Identifier: Apache-2.0
 * Which of many small pools have something free throughout an interval, without asking
 * each of them: for each cell of time those that have something at some instant of it,
 * and those that have something at every one. */
#ifndef MAUI_PLAN_OPENINGS_H
#define MAUI_PLAN_OPENINGS_H

#include "base/bitset.h"

struct openings;

struct openings *openings_create(void);
void openings_destroy(struct openings *o);

/* Nothing is known to be free of so many pools; from now on questions are about [from,
 * to). */
void openings_reset(struct openings *o, uint32_t pools, int64_t from, int64_t to);

/* Something of the pool is free throughout [from, to). O(cells inside). */
void openings_put(struct openings *o, uint32_t pool, int64_t from, int64_t to);

/* Forget the pool's in all cells that [*io_from, *io_to) lies in; the interval grows to
 * the whole of these. O(cells inside). */
void openings_cut(struct openings *o, uint32_t pool, int64_t *io_from, int64_t *io_to);

/* No other pools have something free throughout [start, end). Valid until the next
 * question. O(cells x pools / 64). */
const struct bitset *openings_during(struct openings *o, int64_t start, int64_t end);

#endif
