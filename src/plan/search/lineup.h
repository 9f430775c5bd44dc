/* SPDX-License-Identifier: Apache-2.0
 * Wishes placed one behind the other, each at its earliest fit: the plan of an order.
 * Many orders are tried that differ little, so what is known is not looked for again:
 *
 *     alone     none starts sooner than it would if there were no other
 *     alike     none sooner than one before it that asks for the same
 *     heads     what the first 8, 16, 24 ... of an order leave; one that begins in the
 *               same way goes on from there
 *
 * Starts are those that a search from now on would find. */
#ifndef MAUI_PLAN_SEARCH_LINEUP_H
#define MAUI_PLAN_SEARCH_LINEUP_H

#include "plan/search/wishes.h"

struct lineup_head {
    struct profile *parts;
    bool stands; /* for the order that is kept */
};

struct lineup {
    const struct wishes *w;
    struct profile *parts; /* what is left behind those placed so far; owned */
    bool learned;
    int64_t *alone_at;         /* by wish; owned */
    uint32_t *kind;            /* those alike have the same; owned */
    int64_t *kind_at;          /* where the last of a kind was placed; owned */
    struct lineup_head *heads; /* owned */
    uint32_t n_heads;
};

/* Nothing is placed. O(parts x steps). */
void lineup_begin(struct lineup *l, const struct wishes *w);
void lineup_fini(struct lineup *l);

/* Many orders are to come. O(wishes x (steps + kinds)). */
void lineup_learn(struct lineup *l);

/* Where it would start if there were no other; TIME_NEVER: nowhere. O(1) once learned,
 * else O(steps). */
int64_t lineup_alone(const struct lineup *l, uint32_t wish);

/* As if the first `n` of an order had been placed, which start then; 0: nothing is
 * placed. Heads are kept for that order. O(n + steps), and what it takes to place those
 * behind the last head that stands. */
void lineup_open(
    struct lineup *l, const uint32_t *order, uint32_t n, const int64_t *start_at);
/* Places from `first` to `last` have others now, or were exchanged. O(heads). */
void lineup_changed(struct lineup *l, uint32_t first, uint32_t last);

/* The next one: its earliest fit behind those placed; TIME_NEVER: it has none.
 * O(steps).
 */
int64_t lineup_place(struct lineup *l, uint32_t wish);

#endif
