/* SPDX-License-Identifier: Apache-2.0
 * What searches for the earliest interval have in common. Private to src/plan. */
#ifndef MAUI_PLAN_SEARCH_H
#define MAUI_PLAN_SEARCH_H

#include "plan/plan_private.h"

/* From `at` on a pool may offer so many units more. */
struct gain {
    int64_t at, units;
};

/* What is known of a pool during a search: for an interval that begins before `more` it
 * offers no more than `units`, and exactly so many for one that begins at `seen`. */
struct pool_offer {
    int64_t units, more, seen;
    int64_t ahead; /* how far the last look for more went */
};

/* A pool that a deep search asks by itself: for all that it offers, or for what its
 * free intervals do not tell. */
enum offering_kind {
    OFFERS_ALL,
    OFFERS_BEHIND, /* only because the asker is let in (`grant`) */
    OFFERS_MERGED /* only to what ends after the pools are one: free intervals end there
                   */
};
struct offering {
    struct pool *pool;
    enum offering_kind kind;
    uint32_t group;
    struct grant grant;
    struct pool_offer offer;
};

/* Beyond `at` so many units less are free. */
struct drop {
    int64_t at, units;
};

/* Buffers that one search leaves to the next; what is in them is of no use to it. */
struct search_memory {
    struct VEC(struct drop) drops;         /* search.c */
    struct VEC(struct pool_offer) offers;  /* search.c */
    struct VEC(struct offering) offerings; /* deep.c */
    struct VEC(int64_t) group_sums;        /* deep.c */
};

/* Changes kept in mind when a search leaps forward. */
#define SEARCH_LEAP 16

struct search {
    struct plan *p;
    struct fitset *s;
    uint32_t access;
    int64_t need, duration;
    struct gain next[SEARCH_LEAP]; /* the soonest gains, in order of time */
    uint32_t n;
};

/* From `at` on so many units more may be had. */
void search_gain(struct search *q, int64_t at, int64_t units);
/* The first instant at which the gains may make up for what is missing, with so many
 * units there. */
int64_t search_leap(const struct search *q, int64_t sum);

/* The first fit at or after `at` in one pool alone; some instant >= `before` when there
 * is none before that. */
int64_t search_fit_in(const struct search *q, struct pool *pool, int64_t at,
    int64_t before, int32_t need);
/* What the pool offers to an interval that begins at `at`. */
void search_look(
    struct search *q, struct pool *pool, int64_t at, struct pool_offer *io);

/* The bounds of that reach, made or cleared when need be. */
struct lower_bounds *search_bounds(struct set_offer *r, enum bounds_grain grain);

/* deep.c: the first fit in [at, limit) among many small pools, else `limit`. `hinted`:
 * `at` is no later than now, and a bounds worth while. */
int64_t deep_fit(struct search *q, int64_t at, int64_t limit, bool with_bounds);
/* The same from the instant on at which they are one. */
int64_t deep_fit_merged(struct search *q, int64_t at, bool with_bounds);

#endif
