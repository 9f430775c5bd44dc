/* SPDX-License-Identifier: Apache-2.0
 * Units of counted pools that reservations of waiting jobs have.
 *
 *     job 7   in [20, 60)   4 units of pool 0, 2 of pool 3     its parts
 *
 * Where no pool is under reservations of other kinds, units that come free later than
 * now are taken before those free now, and pools that the fewest requests can use
 * before others: others may then start on what is left. Else pools of positive affinity
 * come first, then neutral ones, those without a grant, and negative ones. */
#ifndef MAUI_PLAN_COUNTED_RESERVE_H
#define MAUI_PLAN_COUNTED_RESERVE_H

#include <stdbool.h>
#include <stdint.h>

struct job;
struct counted;
struct pool;
struct rsv;

/* Take so many units during its interval, which the pools of its set have throughout.
 */
void reserve_units(
    struct counted *ct, const struct job *j, struct rsv *r, int64_t units);
/* Of that pool, which has no merged one; false when it has fewer. */
bool reserve_in_pool(
    struct counted *ct, struct rsv *r, struct pool *pool, int32_t units);
/* Its units are free again. */
void reserve_give_back(struct counted *ct, struct rsv *r);

/* A reserved job is about to start: its reservation makes room for it. Then it has
 * started: has it taken just what was given back? */
void reserve_hand_over(struct counted *ct, struct rsv *r);
bool reserve_handed_over(struct counted *ct, const struct job *j, const struct rsv *r);

/* Which reservations the pools hold, after many were forgotten. O(pools + parts). */
void reserve_recount(struct counted *ct);
/* Profiles and lower bounds were of other assumptions. O(pools + sets). */
void reserve_look_anew(struct counted *ct);

#endif
