/* SPDX-License-Identifier: Apache-2.0
 * Dominance hints for a planning pass. While a pass only adds reservations, the
 * earliest fit found for (q units, d seconds) is a lower bound for every later
 * request of at least q units for at least d seconds. Knowing it lets a search
 * begin near its answer, which makes planning a long queue nearly linear.
 * Source: reference scheduling-algorithms, section 9.1. */
#ifndef MAUI_PLAN_HINT_H
#define MAUI_PLAN_HINT_H

#include <stdint.h>

struct hint;

/* With more than some durations a fine grid takes 0.8 MB and finds more bounds; a
 * coarse one 0.2 MB, a rough one 60 KB. */
enum hint_grain { HINT_FINE, HINT_COARSE, HINT_ROUGH };
struct hint *hint_create(enum hint_grain grain);
void hint_destroy(struct hint *h);

/* Forget everything: something was given back, so bounds no longer hold. O(1). */
void hint_clear(struct hint *h);

/* Latest known lower bound for (q, d), or INT64_MIN; any from `enough` on is as good.
 * O(log^2 of a small table). */
int64_t hint_bound(const struct hint *h, int32_t q, int64_t d, int64_t enough);

/* The earliest fit of (q, d) was `at`. */
void hint_learn(struct hint *h, int32_t q, int64_t d, int64_t at);

#endif
