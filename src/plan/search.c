/* SPDX-License-Identifier: Apache-2.0
 * What counted pools offer a job together, and from when on that is enough.
 *
 *     interval            [start .......... end)
 *     pool 1   5 free     5555555333355555555      offers 3: its least
 *     pool 2   closed     ----xxxx-----------      offers 0: a closure lies inside
 *     together                                     3 = their sum
 *
 * A task cannot move between pools, so each pool offers the least that it has free
 * throughout, and the sum counts. Pools that differ only in reservations are one pool
 * from the instant on at which those are over (struct pool, `later`): what begins after
 * it may go to any of their nodes, and what began before stays where it is. A search
 * keeps the offer of each pool and the instant at which it may grow, and leaps to the
 * first instant at which the growth may make up for what is missing. */
#include "plan/search.h"

#include <assert.h>
#include <string.h>

/* Hints pay when profiles are long; short ones are searched faster than they are
 * looked up. */
#define HINT_MIN_STEPS 160

struct search_memory *search_memory_create(void)
{
    return xcalloc(1, sizeof(struct search_memory));
}

void search_memory_destroy(struct search_memory *m)
{
    if (!m)
        return;
    vec_fini(&m->drops);
    vec_fini(&m->bids);
    vec_fini(&m->bidders);
    vec_fini(&m->group_sums);
    free(m);
}

struct reach *search_reach(struct fitset *s, uint32_t access)
{
    while (s->reach.n <= access + 1u) /* ACCESS_OPEN is the first */
        vec_push(&s->reach, (struct reach){0});
    return &s->reach.v[access + 1u];
}

/* ---- at one interval ---- */

void search_gain(struct search *q, int64_t at, int64_t units)
{
    uint32_t i = q->n;

    if (at >= TIME_NEVER || units <= 0 || (i == SEARCH_LEAP && q->next[i - 1].at <= at))
        return;
    if (i == SEARCH_LEAP)
        i--;
    else
        q->n++;
    for (; i > 0 && q->next[i - 1].at > at; i--)
        q->next[i] = q->next[i - 1];
    q->next[i] = (struct gain){at, units};
}

/* What one pool offers throughout [start, end). */
static int64_t offer(struct search *q, struct pool *pool, int64_t start, int64_t end)
{
    int64_t more, units = 0;

    if (!closures_closed(q->p->closures, q->access, pool->rsvset, start, end, &more))
        units = count_least(q->p, pool, start, end, &more);
    if (units < 0)
        units = 0;
    search_gain(q, more, pool->total - units);
    return units;
}

/* What a group of pools does; stops counting at `enough`. */
static int64_t offer_group(
    struct search *q, const struct group *g, int64_t start, int64_t end, int64_t enough)
{
    struct plan *p = q->p;
    struct pool *later = g->later == INDEX_NONE ? NULL : &p->later.v[g->later];
    int64_t sum = 0, most = INT64_MAX, more = TIME_NEVER;

    if (p->pools.v[q->s->pools.v[g->first].pool].by_node)
        return 0;
    if (later && start >= later->from)
        return offer(q, later, start, end);
    if (later && end > later->from)
        most = count_least(p, later, start, end, &more);
    for (uint32_t i = 0; i < g->n && sum < enough && sum < most; i++)
        sum += offer(q, &p->pools.v[q->s->pools.v[g->first + i].pool], start, end);
    if (sum < most)
        return sum;
    /* it is not known how much more than that the pools have */
    search_gain(q, more, INT32_MAX);
    return most > 0 ? most : 0;
}

static int64_t offered(struct search *q, int64_t start, int64_t end)
{
    int64_t sum = 0;

    q->n = 0;
    for (size_t i = 0; i < q->s->groups.n && sum < q->need; i++)
        sum += offer_group(q, &q->s->groups.v[i], start, end, q->need - sum);
    return sum;
}

int64_t search_leap(const struct search *q, int64_t sum)
{
    for (uint32_t i = 0; i < q->n; i++) {
        sum += q->next[i].units;
        if (sum >= q->need)
            return q->next[i].at;
    }
    return q->n == SEARCH_LEAP ? q->next[SEARCH_LEAP - 1].at : TIME_NEVER;
}

int64_t search_free_at(struct plan *p, const struct fitset *s, uint32_t access,
    int64_t start, int64_t end, int64_t enough)
{
    struct search q = {
        .p = p, .s = (struct fitset *)s, .access = access, .need = enough};

    return offered(&q, start, end);
}

/* ---- the earliest interval ---- */

int64_t search_fit_in(
    const struct search *q, struct pool *pool, int64_t at, int64_t before, int32_t need)
{
    struct plan *p = q->p;
    struct pool *later = count_later(p, pool);
    int64_t until;

    while (at < before) {
        at = profile_fit_before(count_work(p, pool), at, before, need, q->duration);
        int64_t then = at;
        if (at < before && later)
            then =
                profile_fit_before(count_work(p, later), at, before, need, q->duration);
        if (then < before
            && closures_closed(p->closures, q->access, pool->rsvset, then,
                time_add(then, q->duration), &until))
            then = until;
        if (then == at)
            break;
        at = then;
    }
    return at;
}

static struct pool *bidder(const struct search *q, const struct group *g, uint32_t i)
{
    return &q->p->pools.v[q->s->pools.v[g->first + i].pool];
}

static int64_t fit_in(
    const struct search *q, struct pool *pool, int64_t at, int32_t need)
{
    return search_fit_in(q, pool, at, TIME_NEVER, need);
}

void search_look(struct search *q, struct pool *pool, int64_t at, struct bid *io)
{
    int64_t end = time_add(at, q->duration);
    bool again = io->seen > INT64_MIN;

    if (closures_closed(q->p->closures, q->access, pool->rsvset, at, end, &io->more))
        io->units = 0;
    else
        io->units = count_least(q->p, pool, at, end, &io->more);
    if (io->units < 0)
        io->units = 0;
    io->seen = at;
    if (!again || io->units >= pool->total)
        return;
    /* worth a closer look, and each time further ahead */
    io->ahead = io->ahead ? 2 * io->ahead : q->duration;
    int64_t before = time_add(io->more, io->ahead);
    before = before < pool->to ? before : pool->to;
    io->more = search_fit_in(q, pool, io->more, before, (int32_t)io->units + 1);
}

/* Bids of a group for an interval that begins at `at`: those that may have grown are
 * looked at again, with `exact` all that are something. Returns their sum. */
static int64_t bids_of(
    struct search *q, const struct group *g, int64_t at, bool exact, struct bid *io)
{
    int64_t sum = 0;

    for (uint32_t i = 0; i < g->n; i++) {
        bool stale = exact && io[i].seen != at && io[i].units > 0;
        if (stale || io[i].more <= at)
            search_look(q, bidder(q, g, i), at, &io[i]);
        sum += io[i].units;
    }
    return sum;
}

/* Before the pools of the group are one. Notes what may come when there is too little;
 * the later pool's own bid lies behind those of the pools. */
static int64_t bid_early(
    struct search *q, const struct group *g, int64_t at, bool exact, struct bid *io)
{
    int64_t sum = bids_of(q, g, at, exact, io), most = INT64_MAX, more = TIME_NEVER;

    if (g->later != INDEX_NONE && time_add(at, q->duration) > q->p->merge_at)
        most = count_least(
            q->p, &q->p->later.v[g->later], at, time_add(at, q->duration), &more);
    for (uint32_t i = 0; i < g->n; i++)
        if (io[i].more < TIME_NEVER && bidder(q, g, i)->index != q->s->biggest)
            search_gain(q, io[i].more, bidder(q, g, i)->total - io[i].units);
    if (sum < most)
        return sum;
    search_gain(q, more, sum - most + 1);
    return most > 0 ? most : 0;
}

static int64_t bids_at(struct search *q, int64_t at, bool exact)
{
    struct bid *bids = q->p->search->bids.v;
    int64_t sum = 0;

    q->n = 0;
    for (size_t i = 0; i < q->s->groups.n; i++) {
        const struct group *g = &q->s->groups.v[i];
        if (bidder(q, g, 0)->by_node)
            continue;
        if (g->later != INDEX_NONE && at >= q->p->merge_at)
            sum += offer(q, &q->p->later.v[g->later], at, time_add(at, q->duration));
        else
            sum += bid_early(q, g, at, exact, bids + g->first);
    }
    return sum;
}

/* Before `next` the other pools cannot make up for what is missing: unless the biggest
 * offers what they cannot. */
static int64_t leap_biggest(
    const struct search *q, int64_t at, int64_t sum, int64_t next)
{
    struct pool *biggest = &q->p->pools.v[q->s->biggest];
    struct bid *bid = NULL;
    int64_t others = sum;

    for (size_t i = 0; i < q->s->pools.n; i++)
        if (q->s->pools.v[i].pool == q->s->biggest)
            bid = &q->p->search->bids.v[i];
    assert(bid != NULL); /* the biggest is one of the set's */
    if (biggest->by_node || at >= q->p->merge_at || bid->more >= next)
        return next;
    others -= bid->units < others ? bid->units : others;
    for (uint32_t i = 0; i < q->n && q->next[i].at < next; i++)
        others += q->next[i].units;
    if (others >= q->need || q->need - others > biggest->total)
        return others >= q->need ? bid->more : next;
    int64_t then = fit_in(q, biggest, bid->more, (int32_t)(q->need - others));
    return then < next ? then : next;
}

/* The first fit in [at, limit), else `limit`. */
static int64_t fit_by_leaps(struct search *q, int64_t at, int64_t limit)
{
    q->p->search->bids.n = 0;
    vec_reserve(&q->p->search->bids, q->s->pools.n);
    for (size_t i = 0; at < limit && i < q->s->pools.n; i++)
        q->p->search->bids.v[i] = (struct bid){0, INT64_MIN, INT64_MIN, 0};
    while (at < limit) {
        int64_t sum = bids_at(q, at, false);
        if (sum >= q->need)
            sum = bids_at(q, at, true);
        if (sum >= q->need)
            return at;
        int64_t next = search_leap(q, sum);
        at = leap_biggest(q, at, sum, next);
    }
    return limit;
}

/* Before the pools are one: what the biggest of them could do alone limits the search
 * among all. */
static int64_t fit_early(struct search *q, int64_t from)
{
    struct plan *p = q->p;
    struct pool *biggest = &p->pools.v[q->s->biggest];
    int64_t limit = p->merge_at;

    if (!biggest->by_node && q->need <= biggest->total) {
        int64_t alone = fit_in(q, biggest, from, (int32_t)q->need);
        limit = alone < limit ? alone : limit;
    }
    return fit_by_leaps(q, from, limit);
}

struct hint *search_hint(struct reach *r, enum hint_grain grain)
{
    if (!r->hint)
        r->hint = hint_create(grain);
    if (!r->hint_valid)
        hint_clear(r->hint);
    r->hint_valid = true;
    return r->hint;
}

static int64_t bound(const struct search *q, const struct hint *h, int64_t from)
{
    int64_t at = h ? hint_bound(h, (int32_t)q->need, q->duration, TIME_NEVER) : from;

    return at > from ? at : from;
}

/* When all pools of the set are one and closed to nobody, the answer is the same for
 * everybody. */
static int64_t fit_late(struct search *q, int64_t from, bool hinted)
{
    const struct group *g = &q->s->groups.v[0];
    struct pool *later;
    struct hint *h = NULL;

    if (q->s->groups.n > 1 && deep_able(q->p, q->s, q->access))
        return deep_fit_late(q, from, hinted);
    if (q->s->groups.n > 1 || g->later == INDEX_NONE
        || q->p->later.v[g->later].rsvset != 0)
        return fit_by_leaps(q, from, TIME_NEVER);
    later = &q->p->later.v[g->later];
    if (hinted && count_work(q->p, later)->n >= HINT_MIN_STEPS)
        h = search_hint(search_reach(q->s, ACCESS_OPEN), HINT_FINE);
    from = bound(q, h, from);
    if (from >= TIME_NEVER)
        return from;
    int64_t at = profile_fit(&later->work, from, (int32_t)q->need, q->duration);
    if (h && at > from) /* or it was known */
        hint_learn(h, (int32_t)q->need, q->duration, at);
    return at;
}

static bool long_profiles(struct plan *p, const struct fitset *s)
{
    struct pool *biggest = &p->pools.v[s->biggest];

    return rsvtable_count(p->reserved) >= HINT_MIN_STEPS
           || (!biggest->by_node && count_work(p, biggest)->n >= HINT_MIN_STEPS);
}

int64_t search_first_fit(struct plan *p, struct fitset *s, uint32_t access,
    int32_t need, int64_t from, int64_t duration)
{
    struct search q = {
        .p = p, .s = s, .access = access, .need = need, .duration = duration};
    bool hinted = from <= p->now && long_profiles(p, s);
    struct hint *h = NULL;

    if (need > s->tasks_max)
        return TIME_NEVER;
    bool deep = deep_able(p, s, access);
    /* a deep search knows bounds for all that nothing lets in */
    if (hinted && (!deep || closures_any_grant(p->closures, access)))
        h = search_hint(search_reach(s, access), access == ACCESS_OPEN ? HINT_FINE
                                                 : deep                ? HINT_ROUGH
                                                                       : HINT_COARSE);
    int64_t known = bound(&q, h, from), at = known;
    if (at >= TIME_NEVER)
        return TIME_NEVER;
    if (s->pools.n == 1)
        at = fit_in(&q, &p->pools.v[s->pools.v[0].pool], at, need);
    else if (at < p->merge_at)
        at = deep ? deep_fit(&q, at, p->merge_at, hinted) : fit_early(&q, at);
    if (h && !deep && at > known)
        hint_learn(h, need, duration, at);
    if (at >= p->merge_at && at < TIME_NEVER && s->pools.n > 1)
        at = fit_late(&q, at, hinted);
    if (h && deep && at > known)
        hint_learn(h, need, duration, at);
    return at;
}

/* ---- from now on ---- */

struct drops VEC(struct drop);

/* Shell's way: most often there are about a hundred, and which of those of one instant
 * comes first makes no difference. */
static void sort_drops(struct plan *p, size_t first)
{
    static const size_t strides[] = {8929, 3905, 1750, 701, 301, 132, 57, 23, 10, 4, 1};
    size_t n = p->search->drops.n - first;

    if (n < 2)
        return;
    struct drop *v = p->search->drops.v + first;
    for (size_t s = 0; s < sizeof strides / sizeof *strides; s++)
        for (size_t i = strides[s]; i < n; i++) {
            struct drop x = v[i];
            size_t k = i;
            for (; k >= strides[s] && v[k - strides[s]].at > x.at; k -= strides[s])
                v[k] = v[k - strides[s]];
            v[k] = x;
        }
}

/* What a pool offers from now on, and where it offers less, up to `closes`. */
static int64_t drops_of(struct plan *p, struct pool *pool, int64_t closes)
{
    int64_t units = pool->free_now, sum;

    bool stairs = pool->nrsv > 0 || p->without.any_job;

    if (closes <= p->now || (units == 0 && !p->without.any_job))
        return 0;
    if (stairs) {
        count_stairs(p, pool);
        units = pool->stairs.v[0].units;
    }
    if (units < 0) /* a job past its limit has what was kept for another */
        return 0;
    sum = units;
    for (size_t i = 0; stairs && i + 1 < pool->stairs.n && units > 0; i++) {
        int64_t at = pool->stairs.v[i].until, less = pool->stairs.v[i + 1].units;
        if (at >= closes)
            break;
        less = less > 0 ? less : 0;
        vec_push(&p->search->drops, ((struct drop){at, units - less}));
        units = less;
    }
    if (units > 0 && closes < TIME_NEVER)
        vec_push(&p->search->drops, ((struct drop){closes, units}));
    return sum;
}

/* Lower the drops from `first` on to what the later pool has. */
static void bound_drops(struct plan *p, struct pool *later, size_t first, int64_t sum)
{
    int64_t have = sum, alone = sum;
    struct drops old = {0};
    size_t i = 0;

    sort_drops(p, first);
    for (size_t k = first; k < p->search->drops.n; k++)
        vec_push(&old, p->search->drops.v[k]);
    p->search->drops.n = first;
    count_stairs(p, later);
    for (size_t k = 0; k < later->stairs.n; k++) {
        /* up to here it has so many */
        int64_t until = later->stairs.v[k].until, least = later->stairs.v[k].units;
        int64_t since = k ? later->stairs.v[k - 1].until : p->now;
        if (least < have) {
            vec_push(&p->search->drops, ((struct drop){since, have - least}));
            have = least;
        }
        for (; i < old.n && old.v[i].at < until; i++) {
            alone -= old.v[i].units;
            if (alone < have) {
                vec_push(&p->search->drops, ((struct drop){old.v[i].at, have - alone}));
                have = alone;
            }
        }
    }
    vec_fini(&old);
}

/* Processors instead of units. */
static void weigh(struct plan *p, const struct pool *pool, size_t first, int64_t *io)
{
    for (size_t i = first; i < p->search->drops.n; i++)
        p->search->drops.v[i].units *= pool->unit;
    *io *= pool->unit;
}

static void reach_build(struct plan *p, const struct fitset *s, uint32_t access,
    bool weighted, struct reach *r)
{
    int64_t sum = 0;

    p->search->drops.n = 0;
    r->stairs.n = 0;
    for (size_t k = 0; k < s->groups.n; k++) {
        const struct group *g = &s->groups.v[k];
        int64_t group = 0;
        size_t first = p->search->drops.n;
        for (uint32_t i = 0; i < g->n; i++) {
            struct pool *pool = &p->pools.v[s->pools.v[g->first + i].pool];
            if (!pool->by_node)
                group += drops_of(
                    p, pool, closures_next(p->closures, access, pool->rsvset, p->now));
        }
        if (g->later != INDEX_NONE && p->later.v[g->later].nrsv > 0)
            bound_drops(p, &p->later.v[g->later], first, group);
        if (weighted)
            weigh(p, &p->pools.v[s->pools.v[g->first].pool], first, &group);
        sum += group;
    }
    sort_drops(p, 0);
    for (size_t i = 0; i < p->search->drops.n;) {
        int64_t at = p->search->drops.v[i].at;
        vec_push(&r->stairs, ((struct stair){at, (int32_t)sum}));
        for (; i < p->search->drops.n && p->search->drops.v[i].at == at; i++)
            sum -= p->search->drops.v[i].units;
    }
    vec_push(&r->stairs, ((struct stair){TIME_NEVER, (int32_t)sum}));
}

const struct reach *search_stairs(
    struct plan *p, struct fitset *s, uint32_t access, bool weighted)
{
    struct reach *r = search_reach(s, access);

    if (r->version != p->version)
        reach_build(p, s, access, weighted, r);
    r->version = p->version;
    return r;
}

/* One pool's part in search_free_until(). */
static int64_t free_until(
    struct plan *p, struct pool *pool, uint32_t access, int64_t end)
{
    int64_t units = pool->free_now;

    if (pool->by_node || (units == 0 && !p->without.any_job)
        || closures_next(p->closures, access, pool->rsvset, p->now) < end)
        return 0;
    if (pool->nrsv > 0 || p->without.any_job)
        units = count_least(p, pool, p->now, end, NULL);
    return units > 0 ? units : 0;
}

/* The same without stairs. O(pools). */
static int64_t sum_until(
    struct plan *p, const struct fitset *s, uint32_t access, int64_t end)
{
    int64_t sum = 0;

    for (size_t k = 0; k < s->groups.n; k++) {
        const struct group *g = &s->groups.v[k];
        int64_t units = 0;
        for (uint32_t i = 0; i < g->n; i++)
            units +=
                free_until(p, &p->pools.v[s->pools.v[g->first + i].pool], access, end);
        if (g->later != INDEX_NONE && p->later.v[g->later].nrsv > 0 && units > 0) {
            int64_t most = count_least(p, &p->later.v[g->later], p->now, end, NULL);
            units = most < units ? most : units;
        }
        sum += units > 0 ? units : 0;
    }
    return sum;
}

int64_t search_free_until(
    struct plan *p, struct fitset *s, uint32_t access, int64_t end)
{
    struct reach *r = search_reach(s, access);
    size_t i = 0;

    end = end < TIME_NEVER ? end : TIME_NEVER;
    /* a single question, as one about who then starts, is not worth stairs */
    if (r->version != p->version && r->asked != p->version) {
        r->asked = p->version;
        r->asked_end = end;
        r->asked_units = sum_until(p, s, access, end);
    }
    if (r->asked == p->version && r->asked_end == end)
        return r->asked_units;
    search_stairs(p, s, access, false);

    while (r->stairs.v[i].until < end)
        i++;
    return r->stairs.v[i].units;
}
