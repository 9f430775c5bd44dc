/* SPDX-License-Identifier: Apache-2.0
 * Which instances of a standing reservation should exist, and when. Pure. Source:
 * reference reservations 6.2. */
#ifndef MAUI_PLAN_STANDING_H
#define MAUI_PLAN_STANDING_H

#include "base/vec.h"
#include "base/zone.h"
#include "config/settings.h"

/* One instance. period_at identifies it among the instances of its standing
 * reservation: there is never more than one for a period. */
struct standing_instance {
    int64_t period_at; /* midnight that begins the day or week; 0 = INFINITY */
    int64_t start_at, end_at;
    uint32_t slot; /* 0 = present period */
};
struct standing_instances VEC(struct standing_instance);

/* Append the instances wanted at `now`, by slot: those of the DEPTH periods from the
 * present one on that are not over, on days of DAYS. One that has begun starts now
 * (leave one that exists as it is). Nothing for an unusable one. O(DEPTH). */
void standing_wanted(const struct sr_cfg *sr, const struct zone *z, int64_t now,
    struct standing_instances *ret);

/* When the next period begins: look again then. TIME_NEVER for PERIOD=INFINITY. */
int64_t standing_next_period(
    const struct sr_cfg *sr, const struct zone *z, int64_t now);

/* Start of the period that `now` is in; 0 for PERIOD=INFINITY. */
int64_t standing_period(const struct sr_cfg *sr, const struct zone *z, int64_t now);

#endif
