/* SPDX-License-Identifier: Apache-2.0
 * The search for a better plan. Jobs in some order, each at its earliest fit, are a
 * plan; its cost is the sum over jobs of
 *
 *     F^band x weight x wait^a          a = 2, F = 100; wait = planned start - since;
 *                                       bands from the lowest that is there
 *
 * and it counts only when each job starts by what it was promised. Orders that sort by
 * something are tried first, then one is changed step by step (simulated annealing):
 * two jobs swap places, or one moves. What costs a little more is taken now and then,
 * less and less; how much more is measured by the mean cost of a job of the lower band
 * of the two, as else the top band's cost would shuffle all others.
 *
 *     order a b c    starts 60 0 160    cost 526300
 *     order c a b    starts ...         stops where a promise, or the bound, is passed
 *
 * Who has no place behind others, which give nothing back (they are without a limit,
 * say), is as if it started in years; who has none in any order is left out.
 *
 * At last, of two jobs equal in all but band, the higher is never later.
 *
 * The same wishes and seed give the same plan. Source: reference plan-search, sections
 * 1, 3 and 9; scheduling-algorithms, section 6. */
#ifndef MAUI_PLAN_SEARCH_SEARCH_H
#define MAUI_PLAN_SEARCH_SEARCH_H

#include "plan/search/wishes.h"

#include <stdbool.h>

struct search_terms {
    double wait_exponent; /* a */
    double band_factor;   /* F */
    uint32_t evaluations; /* orders tried beside the sorted ones */
    uint64_t seed;
    /* Is it time to stop? Asked once an order; NULL: never. */
    bool (*late)(void *ctx);
    void *ctx;
};

struct search_result {
    int64_t *start_at;      /* by wish; of the caller */
    const int64_t *present; /* the plan to be bettered; NULL: that of the order */
    double cost;
    uint32_t evaluated;
    bool better;  /* than the present plan, which it is otherwise */
    bool stopped; /* by late() */
};

/* The plan of an order: start_at by wish, into what the caller has. False, and a cost
 * that is infinite, when a promise is broken; starts are those of the plan all the
 * same. O(wishes x steps). */
bool search_list(const struct wishes *w, const struct search_terms *t,
    const uint32_t *order, int64_t *ret_start_at, double *ret_cost);

/* What such starts cost; infinite when a promise is broken. O(wishes). */
double search_cost(
    const struct wishes *w, const struct search_terms *t, const int64_t *start_at);

/* The best plan found. `order`: the present plan's, or the site's; it is among those
 * tried, and stays when nothing is cheaper. `site`: by priority; NULL: `order` is. */
void search_run(const struct wishes *w, const struct search_terms *t,
    const uint32_t *order, const uint32_t *site, struct search_result *io);

#endif
