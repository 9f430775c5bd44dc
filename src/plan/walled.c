/* SPDX-License-Identifier: Apache-2.0
 * Small pools under reservations, of which there may be thousands: their gaps
 * (plan/gaps.h) as whoever has no access sees them, kept in step with their profiles
 * while a plan is made. */
#include "plan/plan_private.h"

/* Fewer are asked one by one. */
#define MANY 24

/* A pool with more than such a part of all nodes is no small one: too much of its
 * profile changes with each reservation. */
#define PART 8

/* By kind of nodes: all nodes; by later pool: small ones that will be part of it. */
static void count_kinds(struct plan *p)
{
    p->caps.n = 0;
    for (size_t i = 0; i < p->later.n; i++)
        vec_push(&p->caps, 0);
    for (size_t i = 0; i < p->pools.n; i++) {
        const struct pool *later = count_later(p, &p->pools.v[i]);
        if (later)
            p->caps.v[later->kind] += (int64_t)p->pools.v[i].nodes.n;
    }
    for (size_t i = 0; i < p->pools.n; i++) {
        struct pool *pool = &p->pools.v[i], *later = count_later(p, pool);
        pool->walled = later && pool->stack != 0
                       && (int64_t)pool->nodes.n * PART <= p->caps.v[later->kind];
        if (pool->walled)
            later->nwalled++;
    }
}

/* Of each kind the later pool with most of them; then it counts for all. */
static void choose_homes(struct plan *p)
{
    p->caps.n = 0;
    for (size_t i = 0; i < p->later.n; i++)
        vec_push(&p->caps, p->later.v[i].kind);
    for (size_t i = 0; i < p->later.n; i++) {
        int64_t *home = &p->caps.v[p->later.v[i].kind];
        if (p->later.v[i].nwalled > p->later.v[*home].nwalled)
            *home = (int64_t)i;
    }
    for (size_t i = 0; i < p->later.n; i++) {
        struct pool *later = &p->later.v[i];
        later->home = (uint32_t)p->caps.v[later->kind];
        if (later->home == i)
            continue;
        p->later.v[later->home].nwalled += later->nwalled;
        later->nwalled = 0;
    }
}

void walled_choose(struct plan *p)
{
    p->gaps_known = false;
    count_kinds(p);
    choose_homes(p);
    for (size_t i = 0; i < p->later.n; i++) {
        struct pool *later = &p->later.v[i];
        if (p->later.v[later->home].nwalled < MANY)
            later->home = INDEX_NONE;
        else if (later->home == i)
            later->gaps = gaps_create();
    }
    for (size_t i = 0; i < p->pools.n; i++) {
        struct pool *pool = &p->pools.v[i], *later = count_later(p, pool);
        pool->walled &= later && later->home != INDEX_NONE;
    }
}

void walled_note(const struct plan *p, struct fitset *s)
{
    uint32_t walled = 0, expected = 0;

    for (size_t i = 0; i < p->later.n; i++)
        vec_push(&s->group_of, INDEX_NONE);
    for (uint32_t k = 0; k < s->groups.n; k++) {
        uint32_t later = s->groups.v[k].later;
        if (later != INDEX_NONE)
            s->group_of.v[later] = k;
        if (later == INDEX_NONE || !p->later.v[later].gaps)
            continue;
        vec_push(&s->homes, later);
        expected += p->later.v[later].nwalled;
    }
    for (size_t i = 0; i < s->pools.n; i++) {
        const struct pool *pool = &p->pools.v[s->pools.v[i].pool];
        walled += pool->walled;
        if (!pool->walled)
            vec_push(&s->lone, pool->index);
        else if (p->later.v[pool->later].home != pool->later)
            vec_push(&s->late, pool->index);
    }
    s->deep = walled > 0 && walled == expected; /* gaps are of all pools of a kind */
}

/* ---- from profile to gaps ---- */

/* Levels that began and have not ended, each higher than the one before. */
struct level {
    int64_t since;
    int32_t units;
};
struct levels {
    struct gaps *gaps;
    uint32_t pool;
    struct VEC(struct level) v;
};

/* From `at` on so many units are free. */
static void step(struct levels *l, int64_t at, int32_t units)
{
    int64_t since = at;

    while (l->v.n && l->v.v[l->v.n - 1].units > units) {
        struct level top = l->v.v[--l->v.n];
        int32_t below = l->v.n ? l->v.v[l->v.n - 1].units : 0;
        gaps_put(l->gaps, l->pool, top.since, at,
            top.units - (below > units ? below : units));
        since = top.since;
    }
    if (units > 0 && (l->v.n == 0 || l->v.v[l->v.n - 1].units < units))
        vec_push(&l->v, ((struct level){since, units}));
}

/* What is free of a walled pool to whom no reservation lets in, step by step. */
struct stretch {
    const struct profile *work;
    const struct wall *wall, *end; /* walls that are not over */
    uint32_t i;                    /* step of the profile */
};

static struct stretch stretch_of(struct plan *p, struct pool *pool, int64_t from)
{
    const struct wall_lists *base = walls_base(p);
    struct stretch s = {.work = count_work(p, pool)};

    s.i = profile_index(s.work, from);
    s.wall = base->walls.v + base->first.v[pool->stack];
    s.end = base->walls.v + base->first.v[pool->stack + 1];
    return s;
}

/* Units free from `at` on, and until when, at most `to`. */
static int32_t stretch_on(struct stretch *s, int64_t at, int64_t to, int64_t *ret_until)
{
    const struct profile *work = s->work;
    bool closed;

    while (s->wall < s->end && s->wall->end <= at)
        s->wall++;
    while (s->i + 1 < work->n && work->at[s->i + 1] <= at)
        s->i++;
    *ret_until =
        s->i + 1 < work->n && work->at[s->i + 1] < to ? work->at[s->i + 1] : to;
    closed = s->wall < s->end && s->wall->start <= at;
    if (s->wall < s->end) {
        int64_t turn = closed ? s->wall->end : s->wall->start;
        *ret_until = turn < *ret_until ? turn : *ret_until;
    }
    return closed || work->free[s->i] < 0 ? 0 : work->free[s->i];
}

/* The gaps of one pool within [from, to). */
static void put_gaps(
    struct plan *p, struct pool *pool, int64_t from, int64_t to, struct levels *l)
{
    const struct pool *later = &p->later.v[pool->later];
    struct stretch s = stretch_of(p, pool, from);

    l->pool = pool->index;
    l->gaps = p->later.v[later->home].gaps;
    if (later->index != later->home && to > p->merge_at)
        to = p->merge_at;
    for (int64_t at = from, until; at < to; at = until) {
        int32_t units = stretch_on(&s, at, to, &until);
        step(l, at, units);
    }
    if (from < to)
        step(l, to, 0);
}

/* What somebody may find something in, in all cells that [from, to) lies in. */
static void put_openings(struct plan *p, struct pool *pool, int64_t from, int64_t to)
{
    int64_t since = INT64_MAX, at, until;

    to = to < p->merge_at ? to : p->merge_at;
    if (from >= to)
        return;
    openings_cut(p->openings, pool->index, &from, &to);
    struct stretch s = stretch_of(p, pool, from);
    for (at = from; at < to; at = until) {
        bool open = stretch_on(&s, at, to, &until) > 0;
        if (open && since == INT64_MAX)
            since = at;
        if (!open && since < INT64_MAX) {
            openings_put(p->openings, pool->index, since, at);
            since = INT64_MAX;
        }
    }
    if (since < INT64_MAX)
        openings_put(p->openings, pool->index, since, to);
}

/* ---- keeping them ---- */

static void put_all(struct plan *p, struct levels *l)
{
    if (!p->openings)
        p->openings = openings_create();
    openings_reset(p->openings, (uint32_t)p->pools.n, p->now, p->merge_at);
    for (size_t i = 0; i < p->later.n; i++)
        if (p->later.v[i].gaps)
            gaps_reset(p->later.v[i].gaps, p->now, p->merge_at);
    for (size_t i = 0; i < p->pools.n; i++)
        if (p->pools.v[i].walled) {
            put_gaps(p, &p->pools.v[i], p->now, TIME_NEVER, l);
            put_openings(p, &p->pools.v[i], p->now, TIME_NEVER);
        }
}

void walled_settle(struct plan *p)
{
    struct levels l = {0};

    if (!p->gaps_known)
        put_all(p, &l);
    for (size_t i = 0; i < p->unsettled.n && p->gaps_known; i++) {
        struct unsettled u = p->unsettled.v[i];
        struct pool *pool = &p->pools.v[u.pool];
        uint32_t home = p->later.v[pool->later].home;
        put_openings(p, pool, u.from, u.to);
        if (u.to >= p->merge_at) /* gaps that begin there are not kept */
            u.to = TIME_NEVER;
        gaps_cut(p->later.v[home].gaps, u.pool, &u.from, &u.to);
        put_gaps(p, pool, u.from, u.to, &l);
    }
    p->gaps_known = true;
    p->unsettled.n = 0;
    vec_fini(&l.v);
}
