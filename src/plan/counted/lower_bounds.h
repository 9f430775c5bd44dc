/* SPDX-License-Identifier: Apache-2.0
 * Lower bounds on when a request can start, learned from searches.
 *
 *     learned   4 units for 60 s start at 900 at the earliest
 *     then      8 units for 60 s     not before 900
 *               4 units for 90 s     not before 900
 *               2 units for 60 s     nothing is known
 *
 * A planning pass only adds reservations, so what was learned holds until something is
 * given back. A search begins at the bound. That makes planning a long queue nearly
 * linear. Source: reference scheduling-algorithms, section 9.1. */
#ifndef MAUI_PLAN_COUNTED_LOWER_BOUNDS_H
#define MAUI_PLAN_COUNTED_LOWER_BOUNDS_H

#include <stdint.h>

struct lower_bounds;

/* With more than some durations a fine grid takes 0.8 MB and finds more bounds; a
 * coarse one 0.2 MB, a rough one 60 KB. */
enum bounds_grain { BOUNDS_FINE, BOUNDS_COARSE, BOUNDS_ROUGH };
struct lower_bounds *lower_bounds_create(enum bounds_grain grain);
void lower_bounds_destroy(struct lower_bounds *h);

/* Forget everything: something was given back, so bounds no longer hold. O(1). */
void lower_bounds_clear(struct lower_bounds *h);

/* Latest known lower bound for (q, d), or INT64_MIN; any from `enough` on is as good.
 * O(log^2 of a small table). */
int64_t lower_bounds_find(
    const struct lower_bounds *h, int32_t q, int64_t d, int64_t enough);

/* The earliest fit of (q, d) was `at`. */
void lower_bounds_learn(struct lower_bounds *h, int32_t q, int64_t d, int64_t at);

#endif
