/* SPDX-License-Identifier: Apache-2.0
 * How many units are free at each future instant: a step function from `now` to
 * the end of time, kept as a sorted vector of steps.
 *
 *     step      0          1          2
 *     at        0 (now)    20         50
 *     free      2          6          8
 *     5 units for 40 s fit at 20; the least in [0, 30) is 2
 *
 * count.c keeps one for each pool; merged_sum.h sums those of merged pools. Instants
 * and durations are in seconds. A unit is one task (pools/fits.h).
 *
 * Invariants: at least one step; times strictly increase; the value of the last
 * step holds for ever. Values go below zero only by profile_claim(): where a job runs
 * past its limit, or is given what is reserved for others (plan_adopt(), an order).
 * Such a pool offers nothing then. profile_take() asserts that it does not happen
 * otherwise. */
#ifndef MAUI_PLAN_COUNTED_PROFILE_H
#define MAUI_PLAN_COUNTED_PROFILE_H

#include <stdint.h>

struct profile {
    int64_t *at; /* step i holds on [at[i], at[i+1]) */
    int32_t *free;
    uint32_t n, cap;
};

void profile_init(struct profile *p);
void profile_fini(struct profile *p);
/* What `p` was is overwritten; it is initialised. O(steps). */
void profile_copy(struct profile *p, const struct profile *from);
/* The same, into one that is initialised and keeps its memory. O(steps). */
void profile_assign(struct profile *p, const struct profile *from);

/* One step: `free` units from `now` on. */
void profile_reset(struct profile *p, int64_t now, int32_t free);

/* Forget what was before `now`. O(steps). */
void profile_advance(struct profile *p, int64_t now);

/* Append a step at the end; `at` must not lie before the last step. O(1). */
void profile_append(struct profile *p, int64_t at, int32_t free);

/* Earliest instant >= `from` at which `need` units are free for `duration`
 * seconds, or TIME_NEVER. O(steps passed). */
int64_t profile_fit(
    const struct profile *p, int64_t from, int32_t need, int64_t duration);

/* The same, but some instant >= `before` when there is none before that. */
int64_t profile_fit_before(const struct profile *p, int64_t from, int64_t before,
    int32_t need, int64_t duration);

/* The steps that hold throughout where something fits: [first, behind). */
struct profile_stretch {
    uint32_t first, behind;
};

/* profile_fit(), and the steps there. O(steps passed). */
int64_t profile_seek(const struct profile *p, int64_t from, int32_t need,
    int64_t duration, struct profile_stretch *ret);
/* Take units where something was found to fit, in a profile that has not changed since:
 * from its start to its end, more or less than it needed. O(steps). */
void profile_occupy(struct profile *p, const struct profile_stretch *s, int64_t start,
    int64_t end, int32_t amount);

/* Fewest units free anywhere in [start, end). O(log steps + steps inside). */
int32_t profile_min(const struct profile *p, int64_t start, int64_t end);
/* The same; *ret_more (may be NULL) is the first instant from which on an interval of
 * that length may have more. */
int32_t profile_least(
    const struct profile *p, int64_t start, int64_t end, int64_t *ret_more);

/* Take (or with a negative amount give back) units on [start, end), which are there.
 * O(steps). */
void profile_take(struct profile *p, int64_t start, int64_t end, int32_t amount);

/* Take units that may not be there: less than nothing is free then. Returns the least
 * that is free afterwards. O(steps). */
int32_t profile_claim(struct profile *p, int64_t start, int64_t end, int32_t amount);

/* At that instant, which lasts a second, no more than `most` is free. O(steps). */
void profile_lower(struct profile *p, int64_t at, int32_t most);

/* Index of the step that holds at `at` (>= the first step's time). O(log steps). */
uint32_t profile_index(const struct profile *p, int64_t at);

#endif
