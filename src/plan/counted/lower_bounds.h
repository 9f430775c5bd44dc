/* SPDX-License-Identifier: Apache-2.0
 * Lower bounds on when a request can start, learned from searches.
 *
 *     learned   4 units for 60 s start at 900 at the earliest
 *     then      8 units for 60 s     not before 900
 *               4 units for 90 s     not before 900
 *               2 units for 60 s     nothing is known
 *
 * A planning pass only adds reservations, so what was learned holds until something is
 * given back. It outlives a cycle in which plan_begin() trusts the reservations: a job
 * that ends at its limit gives nothing back that profiles did not know of. A search
 * begins at the bound. That makes planning a long queue nearly linear. Each set of
 * pools has bounds by access class (search_bounds()). Source: reference
 * scheduling-algorithms, section 9.1. */
#ifndef MAUI_PLAN_COUNTED_LOWER_BOUNDS_H
#define MAUI_PLAN_COUNTED_LOWER_BOUNDS_H

#include <stdint.h>

struct lower_bounds;

/* How finely sizes and durations are told apart once durations are many. A fine table
 * takes 0.8 MB and finds more bounds: for jobs that everything is open to, and jobs
 * without grants. A coarse one takes 0.2 MB (other access classes), a rough one 60 KB
 * (those in a deep search). */
enum bounds_grain { BOUNDS_FINE, BOUNDS_COARSE, BOUNDS_ROUGH };
struct lower_bounds *lower_bounds_create(enum bounds_grain grain);
void lower_bounds_destroy(struct lower_bounds *h);

/* Forget everything: something was given back, so bounds no longer hold. O(1). */
void lower_bounds_clear(struct lower_bounds *h);

/* Latest known lower bound for so many units for so long, or INT64_MIN; one from
 * `enough` on need not be the latest. O(log^2 of a small table). */
int64_t lower_bounds_find(
    const struct lower_bounds *h, int32_t units, int64_t duration_s, int64_t enough);

/* The earliest fit of so many units for so long was `at`. O(log^2 of a small table). */
void lower_bounds_learn(
    struct lower_bounds *h, int32_t units, int64_t duration_s, int64_t at);

#endif
