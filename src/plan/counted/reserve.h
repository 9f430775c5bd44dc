/* SPDX-License-Identifier: Apache-2.0
 * For plan_reserve(): of which counted pools a reservation takes its units. Nodes are
 * not chosen: counted/place.h does that, at the start.
 *
 *     job 7   in [20, 60)   4 units of pool 0, 2 of pool 3     its parts
 *
 * Where no pool is under reservations of other kinds, units that come free later than
 * now are taken first, of all pools, and only then units that are free now: others may
 * start on these. In each of the two turns, pools that the fewest sets have
 * (pools/fits.h) go first. Else pools are taken by affinity: positive, neutral, none
 * (no grant), negative. Of one affinity they are taken in the order of the set; where
 * small pools are looked at together (small_pools.h), those of no affinity after large
 * ones. */
#ifndef MAUI_PLAN_COUNTED_RESERVE_H
#define MAUI_PLAN_COUNTED_RESERVE_H

#include <stdbool.h>
#include <stdint.h>

struct job;
struct counted;
struct pool;
struct part;
struct rsv;

/* Take so many units during its interval, which the pools of its set have throughout.
 * O(pools looked at x steps). */
void reserve_units(
    struct counted *ct, const struct job *j, struct rsv *r, int64_t units);
/* The units of a part again, which it had before and nobody has taken since. */
void reserve_part(struct counted *ct, struct rsv *r, const struct part *part);
/* Of that pool; false when it has fewer, or is closed to the job. O(steps). */
bool reserve_in_pool(struct counted *ct, const struct job *j, struct rsv *r,
    struct pool *pool, int32_t units);
/* Its units are free again, and lower bounds are forgotten. O(parts x steps + sets). */
void reserve_give_back(struct counted *ct, struct rsv *r);

/* For the start of a reserved job its units are given back: its parts become `handed`.
 * After the start: did the job take just these, at that instant and to that end? If
 * not, lower bounds are forgotten, and the caller is not to trust the other
 * reservations. */
void reserve_hand_over(struct counted *ct, struct rsv *r);
/* It does not start: they are its parts again. */
void reserve_take_again(struct counted *ct, struct rsv *r);
bool reserve_handed_over(struct counted *ct, const struct job *j, const struct rsv *r);

/* Reservations were forgotten, or are others (in a fork): count anew which of them the
 * pools hold, and forget profiles and lower bounds. O(pools + parts). */
void reserve_recount(struct counted *ct);
/* Something happened that was not planned: forget profiles and lower bounds. O(pools +
 * sets). */
void reserve_look_anew(struct counted *ct);

#endif
