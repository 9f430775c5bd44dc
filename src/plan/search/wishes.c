/* SPDX-License-Identifier: Apache-2.0
 * See wishes.h. */
#include "plan/search/wishes.h"

#include "base/timeval.h"

void wishes_fini(struct wishes *w)
{
    for (size_t i = 0; i < w->parts.n; i++)
        profile_fini(&w->parts.v[i]);
    vec_fini(&w->parts);
    vec_fini(&w->sets);
    vec_fini(&w->v);
}

void wishes_begin_as(struct wishes *w, const struct wishes *from)
{
    for (; w->parts.n > from->parts.n; w->parts.n--)
        profile_fini(&w->parts.v[w->parts.n - 1]);
    while (w->parts.n < from->parts.n)
        vec_push(&w->parts, ((struct profile){0}));
    for (size_t i = 0; i < from->parts.n; i++)
        profile_assign(&w->parts.v[i], &from->parts.v[i]);
    w->sets.n = w->v.n = 0;
    for (size_t i = 0; i < from->sets.n; i++)
        vec_push(&w->sets, from->sets.v[i]);
    w->now = from->now;
}

uint32_t wishes_set(struct wishes *io, const struct part_set *set)
{
    for (uint32_t i = 0; i < io->sets.n; i++)
        if (io->sets.v[i].n == set->n
            && memcmp(io->sets.v[i].part, set->part, set->n * sizeof *set->part) == 0)
            return i;
    vec_push(&io->sets, *set);
    return (uint32_t)io->sets.n - 1;
}

/* What one part offers throughout, and when it may offer more. */
static int64_t count_free(
    const struct profile *p, int64_t start, int64_t end, int64_t *io_next)
{
    uint32_t i = profile_index(p, start);
    int32_t least = profile_min(p, start, end);

    if (i + 1 < p->n && p->at[i + 1] < *io_next)
        *io_next = p->at[i + 1];
    return least > 0 ? least : 0;
}

bool wishes_fits(const struct wishes *w, const struct profile *parts,
    const struct wish *wish, int64_t at)
{
    const struct part_set *set = &w->sets.v[wish->set];
    int64_t end = time_add(at, wish->duration_s), next = TIME_NEVER, sum = 0;

    for (uint32_t i = 0; i < set->n && sum < wish->units; i++)
        sum += count_free(&parts[set->part[i]], at, end, &next);
    return at >= wish->not_before && sum >= wish->units;
}

int64_t wishes_fit(const struct wishes *w, const struct profile *parts,
    const struct wish *wish, int64_t from)
{
    const struct part_set *set = &w->sets.v[wish->set];

    if (from < wish->not_before)
        from = wish->not_before;
    if (set->n == 1)
        return profile_fit(&parts[set->part[0]], from, wish->units, wish->duration_s);
    while (from < TIME_NEVER) {
        int64_t sum = 0, next = TIME_NEVER, end = time_add(from, wish->duration_s);
        for (uint32_t i = 0; i < set->n && sum < wish->units; i++)
            sum += count_free(&parts[set->part[i]], from, end, &next);
        if (sum >= wish->units)
            return from;
        from = next;
    }
    return TIME_NEVER;
}

void wishes_take(const struct wishes *w, struct profile *parts, const struct wish *wish,
    int64_t start_at)
{
    const struct part_set *set = &w->sets.v[wish->set];
    int64_t end = time_add(start_at, wish->duration_s), next = TIME_NEVER;
    int32_t left = wish->units;

    for (uint32_t i = 0; i < set->n && left > 0; i++) {
        struct profile *p = &parts[set->part[i]];
        int64_t some = set->n == 1 ? left : count_free(p, start_at, end, &next);
        if (some > left)
            some = left;
        profile_claim(p, start_at, end, (int32_t)some);
        left -= (int32_t)some;
    }
}

int64_t wishes_place(const struct wishes *w, struct profile *parts,
    const struct wish *wish, int64_t from)
{
    const struct part_set *set = &w->sets.v[wish->set];

    if (from < wish->not_before)
        from = wish->not_before;
    if (set->n == 1)
        return profile_place(&parts[set->part[0]], from, wish->units, wish->duration_s);
    int64_t at = wishes_fit(w, parts, wish, from);
    if (at < TIME_NEVER)
        wishes_take(w, parts, wish, at);
    return at;
}
