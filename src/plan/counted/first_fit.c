/* SPDX-License-Identifier: Apache-2.0
 * Leaps from gain to gain, and which search is the right one for a set. */
#include "plan/counted/first_fit.h"

#include "plan/counted/deep.h"
#include "plan/counted/search.h"

#include <assert.h>

/* Lower bounds pay when profiles are long; short ones are searched faster than they are
 * looked up. */
#define BOUNDS_MIN_STEPS 160

static struct pool *pool_in(const struct search *q, const struct group *g, uint32_t i)
{
    return pools_at(q->ct->pools, q->s->pools.v[g->first + i].pool);
}

static int64_t fit_alone(
    const struct search *q, struct pool *pool, int64_t at, int32_t need)
{
    return search_fit_in(q, pool, at, TIME_NEVER, need);
}

/* The sum of what pools of a group offer to an interval that begins at `at`. Offers
 * that may have grown are looked at again; with `exact` all that are more than nothing.
 */
static int64_t offers_of(struct search *q, const struct group *g, int64_t at,
    bool exact, struct pool_offer *io)
{
    int64_t sum = 0;

    for (uint32_t i = 0; i < g->n; i++) {
        bool stale = exact && io[i].seen != at && io[i].units > 0;
        if (stale || io[i].more <= at)
            search_look(q, pool_in(q, g, i), at, &io[i]);
        sum += io[i].units;
    }
    return sum;
}

/* The same before the pools of the group are merged: no more than the merged pool has
 * where the interval reaches into its time. Notes gains. */
static int64_t offer_before_merge(struct search *q, const struct group *g, int64_t at,
    bool exact, struct pool_offer *io)
{
    int64_t sum = offers_of(q, g, at, exact, io), most = INT64_MAX, more = TIME_NEVER;

    if (g->merged != INDEX_NONE
        && time_add(at, q->duration) > pools_merge_at(q->ct->pools))
        most = count_least(q->ct, pools_merged(q->ct->pools, g->merged), at,
            time_add(at, q->duration), &more);
    for (uint32_t i = 0; i < g->n; i++)
        if (io[i].more < TIME_NEVER && pool_in(q, g, i)->index != q->s->biggest)
            search_gain(q, io[i].more, pool_in(q, g, i)->total - io[i].units);
    if (sum < most)
        return sum;
    search_gain(q, more, sum - most + 1);
    return most > 0 ? most : 0;
}

static int64_t offers_at(struct search *q, int64_t at, bool exact)
{
    struct pool_offer *offers = q->ct->search->offers.v;
    int64_t sum = 0;

    q->n = 0;
    for (size_t i = 0; i < q->s->groups.n; i++) {
        const struct group *g = &q->s->groups.v[i];
        if (pool_in(q, g, 0)->by_node)
            continue;
        if (g->merged != INDEX_NONE && at >= pools_merge_at(q->ct->pools))
            sum += search_offer_in(q, pools_merged(q->ct->pools, g->merged), at,
                time_add(at, q->duration));
        else
            sum += offer_before_merge(q, g, at, exact, offers + g->first);
    }
    return sum;
}

/* The other pools cannot make up for what is missing before `next`. The biggest pool
 * may: the first instant at which it does, else `next`. */
static int64_t leap_biggest(
    const struct search *q, int64_t at, int64_t sum, int64_t next)
{
    struct pool *biggest = pools_at(q->ct->pools, q->s->biggest);
    struct pool_offer *offer = NULL;
    int64_t others = sum;

    for (size_t i = 0; i < q->s->pools.n; i++)
        if (q->s->pools.v[i].pool == q->s->biggest)
            offer = &q->ct->search->offers.v[i];
    assert(offer != NULL); /* the biggest is one of the set's */
    if (biggest->by_node || at >= pools_merge_at(q->ct->pools) || offer->more >= next)
        return next;
    others -= offer->units < others ? offer->units : others;
    for (uint32_t i = 0; i < q->n && q->next[i].at < next; i++)
        others += q->next[i].units;
    if (others >= q->need || q->need - others > biggest->total)
        return others >= q->need ? offer->more : next;
    int64_t then = fit_alone(q, biggest, offer->more, (int32_t)(q->need - others));
    return then < next ? then : next;
}

/* The first fit in [at, limit), else `limit`. */
static int64_t fit_by_leaps(struct search *q, int64_t at, int64_t limit)
{
    q->ct->search->offers.n = 0;
    vec_reserve(&q->ct->search->offers, q->s->pools.n);
    for (size_t i = 0; at < limit && i < q->s->pools.n; i++)
        q->ct->search->offers.v[i] = (struct pool_offer){0, INT64_MIN, INT64_MIN, 0};
    while (at < limit) {
        int64_t sum = offers_at(q, at, false);
        if (sum >= q->need)
            sum = offers_at(q, at, true);
        if (sum >= q->need)
            return at;
        int64_t next = search_leap(q, sum);
        at = leap_biggest(q, at, sum, next);
    }
    return limit;
}

/* The first fit before the pools are merged. An instant at which the biggest pool alone
 * suffices limits the search. */
static int64_t fit_early(struct search *q, int64_t from)
{
    struct counted *ct = q->ct;
    struct pool *biggest = pools_at(ct->pools, q->s->biggest);
    int64_t limit = pools_merge_at(ct->pools);

    if (!biggest->by_node && q->need <= biggest->total) {
        int64_t alone = fit_alone(q, biggest, from, (int32_t)q->need);
        limit = alone < limit ? alone : limit;
    }
    return fit_by_leaps(q, from, limit);
}

static int64_t bound_from(
    const struct search *q, const struct lower_bounds *h, int64_t from)
{
    int64_t at =
        h ? lower_bounds_find(h, (int32_t)q->need, q->duration, TIME_NEVER) : from;

    return at > from ? at : from;
}

/* The first fit after the pools are merged. Where one merged pool is closed to nobody
 * (but who is confined to reservations), its profile answers, the same for all. */
static int64_t fit_merged(struct search *q, int64_t from, bool with_bounds)
{
    const struct group *g = &q->s->groups.v[0];
    struct pool *merged;
    struct lower_bounds *h = NULL;

    if (q->s->groups.n > 1 && deep_able(q))
        return deep_fit_merged(q, from, with_bounds);
    if (q->s->groups.n > 1 || g->merged == INDEX_NONE
        || pools_merged(q->ct->pools, g->merged)->rsvset != 0
        || closures_is_confined(q->ct->closures, q->access))
        return fit_by_leaps(q, from, TIME_NEVER);
    merged = pools_merged(q->ct->pools, g->merged);
    const struct profile *work = work_of(q->ct, merged);
    if (with_bounds && work->n >= BOUNDS_MIN_STEPS)
        h = search_bounds(set_memory_offer(q->m, ACCESS_OPEN), BOUNDS_FINE);
    from = bound_from(q, h, from);
    if (from >= TIME_NEVER)
        return from;
    int64_t at = profile_fit(work, from, (int32_t)q->need, q->duration);
    if (h && at > from) /* or it was known */
        lower_bounds_learn(h, (int32_t)q->need, q->duration, at);
    return at;
}

static bool long_profiles(struct counted *ct, const struct fitset *s)
{
    struct pool *biggest = pools_at(ct->pools, s->biggest);

    return rsvtable_count(ct->reserved) >= BOUNDS_MIN_STEPS
           || (!biggest->by_node && work_of(ct, biggest)->n >= BOUNDS_MIN_STEPS);
}

int64_t first_fit_counted(struct counted *ct, const struct fitset *s, uint32_t access,
    int32_t need, int64_t from, int64_t duration)
{
    struct search q = {.ct = ct,
        .s = s,
        .m = memory_of(ct, s),
        .access = access,
        .need = need,
        .duration = duration};
    bool with_bounds = from <= *ct->now && long_profiles(ct, s);
    struct lower_bounds *h = NULL;

    if (need > s->tasks_max)
        return TIME_NEVER;
    bool deep = deep_able(&q);
    /* a deep search has bounds of its own for jobs without grants */
    if (with_bounds && (!deep || closures_any_grant(ct->closures, access)))
        h = search_bounds(set_memory_offer(q.m, access), access == ACCESS_OPEN
                                                             ? BOUNDS_FINE
                                                         : deep ? BOUNDS_ROUGH
                                                                : BOUNDS_COARSE);
    int64_t known = bound_from(&q, h, from), at = known;
    if (at >= TIME_NEVER)
        return TIME_NEVER;
    if (s->pools.n == 1)
        at = fit_alone(&q, pools_at(ct->pools, s->pools.v[0].pool), at, need);
    else if (at < pools_merge_at(ct->pools))
        at = deep ? deep_fit(&q, at, pools_merge_at(ct->pools), with_bounds)
                  : fit_early(&q, at);
    if (h && !deep && at > known)
        lower_bounds_learn(h, need, duration, at);
    if (at >= pools_merge_at(ct->pools) && at < TIME_NEVER && s->pools.n > 1)
        at = fit_merged(&q, at, with_bounds);
    if (h && deep && at > known)
        lower_bounds_learn(h, need, duration, at);
    return at;
}
