/* SPDX-License-Identifier: Apache-2.0
 * What a search for a better plan has to go by (search/wishes.h), out of the plan: the
 * counted pools as parts, jobs that are planned by count as wishes.
 *
 *     pools   0: 40 units, counted    1: by node    2: 8 units, under a reservation
 *     parts   0                       -             2, behind a wall of who asks
 *
 * Who can use another pool, too, or asks for something else, is no wish: the plan
 * itself places it before the search. Nor is who may only use reservations. */
#ifndef MAUI_PLAN_SUPPLY_H
#define MAUI_PLAN_SUPPLY_H

#include "plan/search/wishes.h"

#include <stdbool.h>

struct bitset;
struct fitset;
struct job;
struct plan;

/* No sets, no wishes. O(1). */
void supply_begin(struct plan *p, struct wishes *ret);
/* What the job takes, and where; the rest of *ret is the caller's. False: it is none
 * for the search. */
bool supply_wish(struct plan *p, const struct job *j, uint32_t partition,
    struct wishes *io, struct wish *ret);
/* The pools that it can use there as a set of parts, and when they are closed to it, by
 * their numbers. False: some cannot be told so. O(pools), O(their reservations) for the
 * first of its access class. */
bool supply_set(struct plan *p, const struct job *j, const struct fitset *s,
    struct wishes *io, uint32_t *ret_set);

/* Then: the pools as parts, as if nothing were reserved for these jobs. O(pools x steps
 * + reservations). */
void supply_parts(struct plan *p, const struct bitset *jobs, struct wishes *io);

#endif
