/* SPDX-License-Identifier: Apache-2.0
 * What counted pools offer a job together during one interval.
 *
 *     interval            [start .......... end)
 *     pool 1   5 free     5555555333355555555      offers 3: its least
 *     pool 2   closed     ----xxxx-----------      offers 0: a closure lies inside
 *     together                                     3 = their sum
 *
 * A task cannot move between pools, so each pool offers the least that it has free
 * throughout, and the sum counts. An interval that begins at pools_merge_at() or later
 * is asked of merged pools. One that begins before and ends later is asked of both,
 * group by group (pools/fits.h): the sum of the group's pools counts for the time
 * before, their merged pool for the time after, and the smaller is the offer of the
 * group.
 *
 * A search notes of each pool the instant at which its offer may grow (a *gain*), and
 * leaps to the first instant at which the gains may make up for what is missing.
 * first_fit.c and deep.c search so; bynode/ asks for the sum of counted pools. */
#ifndef MAUI_PLAN_COUNTED_SEARCH_H
#define MAUI_PLAN_COUNTED_SEARCH_H

#include "plan/counted/bands.h"
#include "plan/counted/counted_private.h"
#include "plan/counted/lower_bounds.h"
#include "plan/nodes/tightest.h"

/* From `at` on a pool may offer so many units more. */
struct gain {
    int64_t at, units;
};

/* What a search knows of a pool: it offers `units` to the interval that begins at
 * `seen`, and no more than that to any that begins later but before `more`. */
struct pool_offer {
    int64_t units, more, seen;
    int64_t ahead; /* how far beyond `more` the last look went; doubled each time */
};

struct drop;
struct offering;

/* Nodes in a row that have room for so many tasks each. */
struct span_of_nodes {
    uint32_t low, count, each;
};
/* The same, of one pool, with so many processors free on each. */
struct room_span {
    struct span_of_nodes at;
    int64_t procs;
    struct pool *pool;
};
struct room_spans VEC(struct room_span);

/* Buffers that one search leaves to the next; what is in them is of no use to it. */
struct search_memory {
    struct VEC(struct drop) drops;         /* from_now.c */
    struct VEC(struct pool_offer) offers;  /* first_fit.c */
    struct VEC(struct offering) offerings; /* deep.c */
    struct VEC(int64_t) group_sums;        /* deep.c */
    struct VEC(int64_t) caps;              /* place.c */
    struct VEC(int64_t) merged_free;       /* place.c */
    struct bands bands;                    /* place.c */
    struct room_spans spans;               /* place.c */
    struct stretches stretches;            /* place.c */
};
struct search_memory *search_memory_create(void);
void search_memory_destroy(struct search_memory *m);

/* So many gains are kept, the soonest. When there are more, a leap goes no further than
 * the last one kept. */
#define SEARCH_LEAP 16

/* `need` units for `duration` seconds, of pools of the set, as an access class sees
 * them. */
struct search {
    struct counted *ct;
    const struct fitset *s;
    struct set_memory *m; /* of the set; NULL: nothing is remembered */
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

/* What the pool offers throughout [start, end); notes its gain. Remembers nothing.
 * O(log steps + steps inside). */
int64_t search_offer_in(
    struct search *q, struct pool *pool, int64_t start, int64_t end);
/* What it offers to an interval that begins at `at`, and when it may offer more. Looked
 * at again and again, it is looked at further ahead each time. */
void search_look(
    struct search *q, struct pool *pool, int64_t at, struct pool_offer *io);
/* The first fit at or after `at` in one pool alone; some instant >= `before` when there
 * is none before that. */
int64_t search_fit_in(const struct search *q, struct pool *pool, int64_t at,
    int64_t before, int32_t need);

/* Units of all pools of the set free throughout [start, end), up to `enough`. O(pools x
 * log steps). */
int64_t search_free_at(struct counted *ct, const struct fitset *s, uint32_t access,
    int64_t start, int64_t end, int64_t enough);

/* Lower bounds of a set for an access class, made or cleared when need be. */
struct lower_bounds *search_bounds(struct set_offer *r, enum bounds_grain grain);
/* Something was given back: no lower bound of any set holds. O(sets x classes). */
void search_forget_bounds(struct counted *ct);

#endif
