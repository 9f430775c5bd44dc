/* SPDX-License-Identifier: Apache-2.0
 * Small pools under reservations, of which there may be thousands: their gaps (gaps.h)
 * and openings (openings.h) together.
 *
 *     profile of a pool    4444 2222 4444       its closures   ----xx------
 *     gaps                 2 units over all of it but the closure, 2 more at both ends
 *
 * Gaps are those that a job finds which no reservation lets in. They are kept in step
 * with the profiles while a plan is made: a profile that changes is noted
 * (walled_changed) and its gaps are put anew before the next search (walled_settle).
 * All pools of one kind of nodes keep their gaps with one later pool, their home; those
 * of pools that another later pool succeeds end at plan.merge_at. */
#include "plan/openings.h"
#include "plan/plan_private.h"

/* Fewer are asked one by one. */
#define MANY 24

/* A pool with more than such a part of all nodes is no small one: too much of its
 * profile changes with each reservation. */
#define PART 8

/* What is free of a walled pool has changed in [from, to). */
struct unsettled {
    uint32_t pool;
    int64_t from, to;
};

struct walled {
    bool known; /* gaps of all, but of these: */
    struct VEC(struct unsettled) unsettled;
    struct openings *openings; /* NULL until needed */
};

struct walled *walled_create(void)
{
    return xcalloc(1, sizeof(struct walled));
}

void walled_destroy(struct walled *w)
{
    if (!w)
        return;
    vec_fini(&w->unsettled);
    openings_destroy(w->openings);
    free(w);
}

bool walled_settled(const struct plan *p)
{
    return p->walled->known && p->walled->unsettled.n == 0;
}

void walled_changed(struct plan *p, const struct pool *pool, int64_t from, int64_t to)
{
    if (pool->walled && p->walled->known)
        vec_push(&p->walled->unsettled, ((struct unsettled){pool->index, from, to}));
}

void walled_unknown(struct plan *p, const struct pool *pool)
{
    p->walled->known &= !pool->walled;
}

const struct bitset *walled_open(struct plan *p, int64_t start, int64_t end)
{
    return openings_during(p->walled->openings, start, end);
}

/* By kind of nodes: all nodes; by later pool: small ones that will be part of it. */
static void count_kinds(struct plan *p)
{
    int64_t *nodes = xcalloc(p->later.n + 1, sizeof *nodes);

    for (size_t i = 0; i < p->pools.n; i++) {
        const struct pool *later = count_later(p, &p->pools.v[i]);
        if (later)
            nodes[later->kind] += (int64_t)p->pools.v[i].nodes.n;
    }
    for (size_t i = 0; i < p->pools.n; i++) {
        struct pool *pool = &p->pools.v[i], *later = count_later(p, pool);
        pool->walled = later && pool->rsvset != 0
                       && (int64_t)pool->nodes.n * PART <= nodes[later->kind];
        if (pool->walled)
            later->nwalled++;
    }
    free(nodes);
}

/* Of each kind the later pool with most of them; then it counts for all. */
static void choose_homes(struct plan *p)
{
    uint32_t *homes = xcalloc(p->later.n + 1, sizeof *homes);

    for (size_t i = 0; i < p->later.n; i++)
        homes[i] = p->later.v[i].kind;
    for (size_t i = 0; i < p->later.n; i++) {
        uint32_t *home = &homes[p->later.v[i].kind];
        if (p->later.v[i].nwalled > p->later.v[*home].nwalled)
            *home = (uint32_t)i;
    }
    for (size_t i = 0; i < p->later.n; i++) {
        struct pool *later = &p->later.v[i];
        later->home = homes[later->kind];
        if (later->home == i)
            continue;
        p->later.v[later->home].nwalled += later->nwalled;
        later->nwalled = 0;
    }
    free(homes);
}

void walled_choose(struct plan *p)
{
    p->walled->known = false;
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
    const struct closure *closure, *end; /* closures that are not over */
    uint32_t i;                          /* step of the profile */
};

static struct stretch stretch_of(struct plan *p, struct pool *pool, int64_t from)
{
    struct stretch s = {.work = count_work(p, pool)};
    size_t n;

    s.i = profile_index(s.work, from);
    s.closure = closures_for_nobody(p->closures, pool->rsvset, p->now, &n);
    s.end = s.closure + n;
    return s;
}

/* Units free from `at` on, and until when, at most `to`. */
static int32_t stretch_on(struct stretch *s, int64_t at, int64_t to, int64_t *ret_until)
{
    const struct profile *work = s->work;
    bool closed;

    while (s->closure < s->end && s->closure->end <= at)
        s->closure++;
    while (s->i + 1 < work->n && work->at[s->i + 1] <= at)
        s->i++;
    *ret_until =
        s->i + 1 < work->n && work->at[s->i + 1] < to ? work->at[s->i + 1] : to;
    closed = s->closure < s->end && s->closure->start <= at;
    if (s->closure < s->end) {
        int64_t turn = closed ? s->closure->end : s->closure->start;
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
    openings_cut(p->walled->openings, pool->index, &from, &to);
    struct stretch s = stretch_of(p, pool, from);
    for (at = from; at < to; at = until) {
        bool open = stretch_on(&s, at, to, &until) > 0;
        if (open && since == INT64_MAX)
            since = at;
        if (!open && since < INT64_MAX) {
            openings_put(p->walled->openings, pool->index, since, at);
            since = INT64_MAX;
        }
    }
    if (since < INT64_MAX)
        openings_put(p->walled->openings, pool->index, since, to);
}

/* ---- keeping them ---- */

static void put_all(struct plan *p, struct levels *l)
{
    if (!p->walled->openings)
        p->walled->openings = openings_create();
    openings_reset(p->walled->openings, (uint32_t)p->pools.n, p->now, p->merge_at);
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

    if (!p->walled->known)
        put_all(p, &l);
    for (size_t i = 0; i < p->walled->unsettled.n && p->walled->known; i++) {
        struct unsettled u = p->walled->unsettled.v[i];
        struct pool *pool = &p->pools.v[u.pool];
        uint32_t home = p->later.v[pool->later].home;
        put_openings(p, pool, u.from, u.to);
        if (u.to >= p->merge_at) /* gaps that begin there are not kept */
            u.to = TIME_NEVER;
        gaps_cut(p->later.v[home].gaps, u.pool, &u.from, &u.to);
        put_gaps(p, pool, u.from, u.to, &l);
    }
    p->walled->known = true;
    p->walled->unsettled.n = 0;
    vec_fini(&l.v);
}
