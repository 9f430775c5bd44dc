/* SPDX-License-Identifier: Apache-2.0
 * See wishes.h. */
#include "plan/search/wishes.h"

#include "base/timeval.h"

void wishes_fini(struct wishes *w)
{
    for (size_t i = 0; i < w->parts.n; i++)
        profile_fini(&w->parts.v[i]);
    wishes_clear(w);
    vec_fini(&w->parts);
    vec_fini(&w->walls);
    vec_fini(&w->sets);
    vec_fini(&w->under);
    vec_fini(&w->v);
}

void wishes_clear(struct wishes *w)
{
    for (size_t i = 0; i < w->walls.n; i++)
        profile_fini(&w->walls.v[i].open);
    w->walls.n = w->sets.n = w->under.n = w->v.n = 0;
}

void wishes_begin_as(struct wishes *w, const struct wishes *from)
{
    for (; w->parts.n > from->parts.n; w->parts.n--)
        profile_fini(&w->parts.v[w->parts.n - 1]);
    while (w->parts.n < from->parts.n)
        vec_push(&w->parts, ((struct profile){0}));
    for (size_t i = 0; i < from->parts.n; i++)
        profile_assign(&w->parts.v[i], &from->parts.v[i]);
    w->limits_at = from->limits_at;
    wishes_clear(w);
    for (size_t i = 0; i < from->walls.n; i++) {
        vec_push(&w->walls, ((struct wall){.key = from->walls.v[i].key}));
        profile_copy(&w->walls.v[i].open, &from->walls.v[i].open);
    }
    for (size_t i = 0; i < from->sets.n; i++)
        vec_push(&w->sets, from->sets.v[i]);
    for (size_t i = 0; i < from->under.n; i++)
        vec_push(&w->under, from->under.v[i]);
    w->now = from->now;
}

static bool same_set(const struct part_set *a, const struct part_set *b)
{
    return a->n == b->n && memcmp(a->part, b->part, a->n * sizeof *a->part) == 0
           && memcmp(a->wall, b->wall, a->n * sizeof *a->wall) == 0;
}

uint32_t wishes_set(struct wishes *io, const struct part_set *set)
{
    for (uint32_t i = 0; i < io->sets.n; i++)
        if (same_set(&io->sets.v[i], set))
            return i;
    vec_push(&io->sets, *set);
    return (uint32_t)io->sets.n - 1;
}

/* ---- walls ---- */

struct profile *wishes_wall(struct wishes *w, uint64_t key, uint32_t *ret_wall)
{
    for (uint32_t i = 0; i < w->walls.n; i++)
        if (w->walls.v[i].key == key) {
            *ret_wall = i + 1;
            return &w->walls.v[i].open;
        }
    return NULL;
}

struct profile *wishes_add_wall(struct wishes *io, uint64_t key, uint32_t *ret_wall)
{
    vec_push(&io->walls, ((struct wall){.key = key}));
    *ret_wall = (uint32_t)io->walls.n;
    struct profile *open = &io->walls.v[io->walls.n - 1].open;
    profile_init(open);
    profile_reset(open, io->now, 1);
    return open;
}

/* NULL: the part is always open. */
static const struct profile *wall_of(
    const struct wishes *w, const struct part_set *set, uint32_t i)
{
    return set->wall[i] ? &w->walls.v[set->wall[i] - 1].open : NULL;
}

struct between {
    int64_t start, end;
};

/* What a part of the set offers throughout, and when it may offer more. */
static int64_t count_free(const struct wishes *w, const struct profile *parts,
    const struct part_set *set, uint32_t i, const struct between *of, int64_t *io_next)
{
    const struct profile *wall = wall_of(w, set, i);
    int64_t more = TIME_NEVER;
    int32_t least = wall ? profile_least(wall, of->start, of->end, &more) : 1;

    if (least > 0)
        least = profile_least(&parts[set->part[i]], of->start, of->end, &more);
    if (more < *io_next)
        *io_next = more;
    return least > 0 ? least : 0;
}

/* ---- limits ---- */

static const struct wish_limit *limit_of(
    const struct wishes *w, const struct wish *wish, uint32_t i)
{
    return &w->under.v[wish->first_limit + i];
}

bool wishes_limited_alike(
    const struct wishes *w, const struct wish *a, const struct wish *b)
{
    if (a->limits != b->limits)
        return false;
    for (uint32_t i = 0; i < a->limits; i++) {
        const struct wish_limit *x = limit_of(w, a, i), *y = limit_of(w, b, i);
        if (x->limit != y->limit || x->less != y->less || x->take != y->take)
            return false;
    }
    return true;
}

/* The next part is less: it is looked at throughout; the first, at the start alone. */
static int64_t fit_limit(const struct profile *limit, const struct wish_limit *l,
    int64_t from, int64_t duration_s)
{
    int64_t at;

    if (!l->mixed)
        return profile_fit(limit, from, l->take, duration_s);
    while ((at = profile_fit(limit + 1, from, l->take, duration_s)) < TIME_NEVER
           && (from = profile_fit(limit, at, l->take + l->less, 1)) != at)
        if (from >= TIME_NEVER)
            return TIME_NEVER;
    return at;
}

int64_t wishes_fit_limits(const struct wishes *w, const struct profile *parts,
    const struct wish *wish, int64_t from)
{
    uint32_t fitting = 0; /* so many in a row have room at `from` */

    for (uint32_t i = 0; fitting < wish->limits && from < TIME_NEVER;
         i = (i + 1) % wish->limits) {
        const struct wish_limit *l = limit_of(w, wish, i);
        int64_t at =
            fit_limit(&parts[w->limits_at + l->limit], l, from, wish->duration_s);
        fitting = at == from ? fitting + 1 : 1;
        from = at;
    }
    return from;
}

void wishes_take_limit(
    struct profile *limit, const struct wish_limit *l, int64_t start_at, int64_t end)
{
    profile_claim(limit, start_at, end, l->take);
    if (!l->mixed)
        return;
    profile_claim(limit + 1, start_at, end, l->take);
    profile_lower(
        limit + 1, start_at, limit->free[profile_index(limit, start_at)] - l->less);
}

static void take_limits(const struct wishes *w, struct profile *parts,
    const struct wish *wish, int64_t start_at, int64_t end)
{
    for (uint32_t i = 0; i < wish->limits; i++) {
        const struct wish_limit *l = limit_of(w, wish, i);
        wishes_take_limit(&parts[w->limits_at + l->limit], l, start_at, end);
    }
}

/* ---- units ---- */

bool wishes_fits(const struct wishes *w, const struct profile *parts,
    const struct wish *wish, int64_t at)
{
    const struct part_set *set = &w->sets.v[wish->set];
    struct between of = {at, time_add(at, wish->duration_s)};
    int64_t next = TIME_NEVER, sum = 0;

    for (uint32_t i = 0; i < set->n && sum < wish->units; i++)
        sum += count_free(w, parts, set, i, &of, &next);
    return at >= wish->not_before && sum >= wish->units
           && wishes_fit_limits(w, parts, wish, at) == at;
}

/* The only part of its set. */
static int64_t fit_alone(const struct wishes *w, const struct profile *parts,
    const struct wish *wish, int64_t from)
{
    const struct part_set *set = &w->sets.v[wish->set];
    const struct profile *wall = wall_of(w, set, 0), *part = &parts[set->part[0]];
    int64_t at;

    while ((at = profile_fit(part, from, wish->units, wish->duration_s)) < TIME_NEVER
           && wall && (from = profile_fit(wall, at, 1, wish->duration_s)) != at)
        if (from >= TIME_NEVER)
            return TIME_NEVER;
    return at;
}

static int64_t fit_units(const struct wishes *w, const struct profile *parts,
    const struct wish *wish, int64_t from)
{
    const struct part_set *set = &w->sets.v[wish->set];

    if (set->n == 1)
        return fit_alone(w, parts, wish, from);
    while (from < TIME_NEVER) {
        struct between of = {from, time_add(from, wish->duration_s)};
        int64_t sum = 0, next = TIME_NEVER;
        for (uint32_t i = 0; i < set->n && sum < wish->units; i++)
            sum += count_free(w, parts, set, i, &of, &next);
        if (sum >= wish->units)
            return from;
        from = next;
    }
    return TIME_NEVER;
}

int64_t wishes_fit(const struct wishes *w, const struct profile *parts,
    const struct wish *wish, int64_t from)
{
    int64_t at;

    if (from < wish->not_before)
        from = wish->not_before;
    while ((at = fit_units(w, parts, wish, from)) < TIME_NEVER
           && (from = wishes_fit_limits(w, parts, wish, at)) != at)
        ;
    return at;
}

void wishes_take(const struct wishes *w, struct profile *parts, const struct wish *wish,
    int64_t start_at)
{
    const struct part_set *set = &w->sets.v[wish->set];
    struct between of = {start_at, time_add(start_at, wish->duration_s)};
    int64_t next = TIME_NEVER;
    int32_t left = wish->units;

    for (uint32_t i = 0; i < set->n && left > 0; i++) {
        struct profile *p = &parts[set->part[i]];
        int64_t some = set->n == 1 ? left : count_free(w, parts, set, i, &of, &next);
        if (some > left)
            some = left;
        profile_claim(p, start_at, of.end, (int32_t)some);
        left -= (int32_t)some;
    }
    take_limits(w, parts, wish, start_at, of.end);
}

#define ROOMS_MAX 8 /* of one placed at once: its part, its wall, and limits */

/* What it takes of one profile, and where. */
struct room {
    struct profile *of;
    int32_t take;
    bool is_wall; /* which stays as it is */
    struct profile_stretch held;
};

static uint32_t list_rooms(const struct wishes *w, struct profile *parts,
    const struct wish *wish, struct room ret[ROOMS_MAX])
{
    const struct part_set *set = &w->sets.v[wish->set];
    uint32_t n = 0;

    for (uint32_t i = 0; i < wish->limits; i++) {
        const struct wish_limit *l = limit_of(w, wish, i);
        ret[n++] =
            (struct room){.of = &parts[w->limits_at + l->limit], .take = l->take};
    }
    if (set->wall[0])
        ret[n++] = (struct room){
            .of = &w->walls.v[set->wall[0] - 1].open, .take = 1, .is_wall = true};
    ret[n++] = (struct room){.of = &parts[set->part[0]], .take = wish->units};
    return n;
}

/* Limits come first: what they leave has few steps, and who is kept back by one is
 * looked for behind that. */
static int64_t place_in_rooms(
    struct room *v, uint32_t n, int64_t from, int64_t duration)
{
    uint32_t fitting = 0; /* so many in a row have room at `from` */

    for (uint32_t i = 0; fitting < n; i = (i + 1) % n) {
        int64_t at = profile_seek(v[i].of, from, v[i].take, duration, &v[i].held);
        if (at >= TIME_NEVER)
            return TIME_NEVER;
        fitting = at == from ? fitting + 1 : 1;
        from = at;
    }
    for (uint32_t i = 0; i < n; i++)
        if (!v[i].is_wall)
            profile_occupy(
                v[i].of, &v[i].held, from, time_add(from, duration), v[i].take);
    return from;
}

static bool any_mixed(const struct wishes *w, const struct wish *wish)
{
    for (uint32_t i = 0; i < wish->limits; i++)
        if (limit_of(w, wish, i)->mixed)
            return true;
    return false;
}

int64_t wishes_place(const struct wishes *w, struct profile *parts,
    const struct wish *wish, int64_t from)
{
    struct room rooms[ROOMS_MAX];

    if (from < wish->not_before)
        from = wish->not_before;
    if (w->sets.v[wish->set].n == 1 && wish->limits + 1 < ROOMS_MAX
        && !any_mixed(w, wish))
        return place_in_rooms(
            rooms, list_rooms(w, parts, wish, rooms), from, wish->duration_s);
    int64_t at = wishes_fit(w, parts, wish, from);
    if (at < TIME_NEVER)
        wishes_take(w, parts, wish, at);
    return at;
}
