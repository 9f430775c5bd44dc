/* SPDX-License-Identifier: Apache-2.0
 * For plan_first_fit(): the earliest interval that counted pools have for a job.
 *
 *     which pools               how it is searched
 *     one                       along its profile (profile.h) and that of its merged
 *                               pool, past its closures
 *     several                   by leaps from gain to gain (search.h)
 *     thousands of small ones   by their free intervals (deep.h)
 *     merged ones               along the profile of the merged pool, or by leaps
 *
 * Lower bounds (lower_bounds.h) tell where a search from now on may begin when profiles
 * are long. A unit is one task (pools/fits.h). */
#ifndef MAUI_PLAN_COUNTED_FIRST_FIT_H
#define MAUI_PLAN_COUNTED_FIRST_FIT_H

#include <stdint.h>

struct fitset;
struct counted;

/* The first instant at or after `from` at which the pools of the set have `need` units
 * for `duration` seconds, as the access class sees them; TIME_NEVER = none. */
int64_t first_fit_counted(struct counted *ct, const struct fitset *s, uint32_t access,
    int32_t need, int64_t from, int64_t duration);

#endif
