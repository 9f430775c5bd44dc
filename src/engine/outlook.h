/* SPDX-License-Identifier: Apache-2.0
 * A forecast: when waiting jobs that were promised nothing would start, if they came in
 * that order, nothing else came, and all ran to their limits. It is worked out on a
 * copy of the plan, so nothing that is decided later changes by it. Limits that keep
 * jobs back, and those who come first then, are left out of account: an assumption, and
 * no promise.
 *
 *     outlook_begin(e, jobs, n)
 *     while (outlook_more(f, 20)) ...        between events: see below
 *     outlook_start(f, i), outlook_places(f, ...)
 *     outlook_end(f)                         before the next event or cycle */
#ifndef MAUI_ENGINE_OUTLOOK_H
#define MAUI_ENGINE_OUTLOOK_H

#include "engine/query.h"

struct outlook;

/* Of these waiting jobs (indexes, which are copied), in that order. NULL before the
 * first cycle. O(pools + jobs + reservations). */
struct outlook *outlook_begin(struct engine *e, const uint32_t *jobs, size_t n);

/* Plan up to `most` of them; false: that were the last. O(fits). */
bool outlook_more(struct outlook *f, size_t most);

/* When the i-th would start; 0 = never, or not planned yet. */
int64_t outlook_start(const struct outlook *f, size_t i);

/* On which nodes they would be, as far as can be foreseen, those that were promised a
 * start among them; in order of jobs, then of nodes. Appends. As
 * query_reserved_places(). */
void outlook_places(const struct outlook *f, struct query_places *ret);

/* The same in pieces. To be ended before the forecast is. */
struct placing *outlook_placing(const struct outlook *f);

/* NULL is allowed. */
void outlook_end(struct outlook *f);

#endif
