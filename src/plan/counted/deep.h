/* SPDX-License-Identifier: Apache-2.0
 * The earliest interval, as first_fit.h, which calls it: a search that is fast for deep
 * plans. Those have reservations for many jobs, and a thousand small pools, which
 * reservations of other kinds make.
 *
 *     time          now                    pools_merge_at()
 *     small pools   sum of free intervals  | the sum of merged pools, then each
 *     large pools   an offer each          |
 *     small pools   an offer each, where   |
 *     with a grant  closed to others       |
 *
 * Small pools are not asked one by one. What all of them offer to jobs that no
 * reservation lets in is one sum (free_intervals.h). Asked one by one are the few large
 * pools, and those small ones that a grant opens to the job.
 *
 * Lower bounds are learned for jobs without grants. A job with grants may begin before
 * the bound. It is searched for there only at instants at which its grants open so much
 * that the rest could fit, by the bounds of jobs without grants. */
#ifndef MAUI_PLAN_COUNTED_DEEP_H
#define MAUI_PLAN_COUNTED_DEEP_H

#include <stdbool.h>
#include <stdint.h>

struct search;

/* Can its set be searched in this way by its access class, and is that worth while?
 * O(1) once the set is known. */
bool deep_able(const struct search *q);

/* The first fit in [at, limit), else `limit`, which is no later than pools_merge_at().
 * `with_bounds`: `at` is no later than now, so lower bounds may be used and learned. */
int64_t deep_fit(struct search *q, int64_t at, int64_t limit, bool with_bounds);
/* The first fit at or after `at`, which is no earlier than pools_merge_at(). */
int64_t deep_fit_merged(struct search *q, int64_t at, bool with_bounds);

#endif
