/* SPDX-License-Identifier: Apache-2.0
 * What a search for a better order has to go by: what is free over time, and the jobs
 * that want some of it. Counts alone: no node, no job record, nothing of the engine.
 *
 *     parts     0: 8 processors, 6 of them busy until 60      1: 4 with GPUs
 *     sets      0: {0}     1: {0, 1}     2: {1}     3: {0, 1 behind wall 0}
 *     walls     0: closed from 30 to 50, and from 90 on
 *     wish      a: 8 units of set 0 for 100 s, waiting since -300, at the latest at 90
 *     limits    0: alice may have 4 processors, 2 of them in use until 40
 *
 * A part is a pool of the plan, a set what a job can use together. Reservations of
 * other kinds close a part for a time to some and not to others: who is of another set
 * sees another wall, or none, before the same part. What limits leave over time stands
 * behind the parts: a job is placed where parts and limits have room. Source: reference
 * plan-search, sections 1, 3, 5 and 8. Instants and durations in seconds. */
#ifndef MAUI_PLAN_SEARCH_WISHES_H
#define MAUI_PLAN_SEARCH_WISHES_H

#include "base/vec.h"
#include "plan/counted/profile.h"

#include <stdbool.h>
#include <stdint.h>

#define WISH_PARTS_MAX 8 /* of a set */

struct part_set {
    uint32_t n;
    uint32_t part[WISH_PARTS_MAX];
    uint32_t wall[WISH_PARTS_MAX]; /* 1 + its number; 0: it is always open */
};

/* When a part is open. Who makes it knows it again by its key. */
struct wall {
    uint64_t key;
    struct profile open; /* 1, and 0 while it is closed */
};

/* What a wish takes of a limit. Where those under it differ in how much they may find
 * in use (a QOS overrides it for some), each starts where that is so, and stands in the
 * way of all who would have more in use at that instant. The next part is what they
 * leave; the first one, what the one who may have most has left.
 *
 *     most 8: a takes 4 from 0 to 50; b, of those who may have 4 (`less` 4), takes 4
 *     from 50 to 90     left  0: 4    50: 4         90: 8
 *                       open  0: 4    50: 0   51: 4   90: 8 */
struct wish_limit {
    uint32_t limit;
    bool mixed;
    int32_t take, less;
};

struct wish {
    int32_t units;
    uint32_t set;
    uint32_t first_limit, limits; /* so many of wishes.under, from there */
    int64_t duration_s;           /* its limit: predictions are for the cost alone */
    int64_t since;                /* its wait counts from there */
    int64_t not_before;
    int64_t latest; /* promised; TIME_NEVER: it has no promise */
    double weight;  /* of its wait in the cost, without the band's */
    uint32_t band;  /* 0 is the lowest */
    /* for sorted orders: what is expected of its run */
    double run_s, short_run; /* E[p], E[1 / max(p, 10 s)] */
};

struct wishes {
    struct VEC(struct profile) parts; /* what is free, without any of the wishes */
    uint32_t limits_at;               /* limit 0 is this part: behind those of sets */
    struct VEC(struct wall) walls;
    struct VEC(struct part_set) sets;
    struct VEC(struct wish_limit) under;
    struct VEC(struct wish) v;
    int64_t now;
};

void wishes_fini(struct wishes *w);

/* No walls, sets, limits and wishes; parts stay. O(walls). */
void wishes_clear(struct wishes *w);

/* One with that limit starts there. O(steps). */
void wishes_take_limit(
    struct profile *limit, const struct wish_limit *l, int64_t start_at, int64_t end);

/* The same parts, walls, sets and limits, and no wish yet. O(parts x steps). */
void wishes_begin_as(struct wishes *w, const struct wishes *from);

/* The number of that set, which is there from then on. O(sets). */
uint32_t wishes_set(struct wishes *io, const struct part_set *set);
/* The wall with that key, and 1 + its number; NULL: there is none. O(walls). */
struct profile *wishes_wall(struct wishes *w, uint64_t key, uint32_t *ret_wall);
/* A new one, open from w->now on. It is valid until the next is added. O(1). */
struct profile *wishes_add_wall(struct wishes *io, uint64_t key, uint32_t *ret_wall);

/* Do both take the same of the same limits? O(limits). */
bool wishes_limited_alike(
    const struct wishes *w, const struct wish *a, const struct wish *b);

/* Would it fit at that instant? O(log steps + steps inside). */
bool wishes_fits(const struct wishes *w, const struct profile *parts,
    const struct wish *wish, int64_t at);
/* A job at its earliest fit at or after `from`; TIME_NEVER: there is none. O(steps). */
int64_t wishes_fit(const struct wishes *w, const struct profile *parts,
    const struct wish *wish, int64_t from);
/* The same for its limits alone. */
int64_t wishes_fit_limits(const struct wishes *w, const struct profile *parts,
    const struct wish *wish, int64_t from);
/* It takes its units there, and what it takes of limits: of the first parts that have
 * some. Where others were placed in another order, one may have less than nothing then,
 * and offers nothing. O(steps). */
void wishes_take(const struct wishes *w, struct profile *parts, const struct wish *wish,
    int64_t start_at);
/* Both: at its earliest fit it takes its units. O(steps). */
int64_t wishes_place(const struct wishes *w, struct profile *parts,
    const struct wish *wish, int64_t from);

#endif
