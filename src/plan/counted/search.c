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
#include "plan/counted/search.h"

#include <assert.h>
#include <string.h>

/* Hints pay when profiles are long; short ones are searched faster than they are
 * looked up. */
#define BOUNDS_MIN_STEPS 160

struct search_memory *search_memory_create(void)
{
    return xcalloc(1, sizeof(struct search_memory));
}

void search_memory_destroy(struct search_memory *m)
{
    if (!m)
        return;
    vec_fini(&m->drops);
    vec_fini(&m->offers);
    vec_fini(&m->offerings);
    vec_fini(&m->group_sums);
    free(m);
}

struct set_offer *search_offer_of(struct fitset *s, uint32_t access)
{
    while (s->offers.n <= access + 1u) /* ACCESS_OPEN is the first */
        vec_push(&s->offers, (struct set_offer){0});
    return &s->offers.v[access + 1u];
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
static int64_t look_at_pool(
    struct search *q, struct pool *pool, int64_t start, int64_t end)
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
    struct pool *merged =
        g->merged == INDEX_NONE ? NULL : &p->merged_pools.v[g->merged];
    int64_t sum = 0, most = INT64_MAX, more = TIME_NEVER;

    if (p->pools.v[q->s->pools.v[g->first].pool].by_node)
        return 0;
    if (merged && start >= merged->from)
        return look_at_pool(q, merged, start, end);
    if (merged && end > merged->from)
        most = count_least(p, merged, start, end, &more);
    for (uint32_t i = 0; i < g->n && sum < enough && sum < most; i++)
        sum +=
            look_at_pool(q, &p->pools.v[q->s->pools.v[g->first + i].pool], start, end);
    if (sum < most)
        return sum;
    /* it is not known how much more than that the pools have */
    search_gain(q, more, INT32_MAX);
    return most > 0 ? most : 0;
}

static int64_t sum_offers(struct search *q, int64_t start, int64_t end)
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

    return sum_offers(&q, start, end);
}

/* ---- the earliest interval ---- */

int64_t search_fit_in(
    const struct search *q, struct pool *pool, int64_t at, int64_t before, int32_t need)
{
    struct plan *p = q->p;
    struct pool *merged = count_merged(p, pool);
    int64_t until;

    while (at < before) {
        at = profile_fit_before(count_work(p, pool), at, before, need, q->duration);
        int64_t then = at;
        if (at < before && merged)
            then = profile_fit_before(
                count_work(p, merged), at, before, need, q->duration);
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

static struct pool *pool_in(const struct search *q, const struct group *g, uint32_t i)
{
    return &q->p->pools.v[q->s->pools.v[g->first + i].pool];
}

static int64_t fit_alone(
    const struct search *q, struct pool *pool, int64_t at, int32_t need)
{
    return search_fit_in(q, pool, at, TIME_NEVER, need);
}

void search_look(struct search *q, struct pool *pool, int64_t at, struct pool_offer *io)
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

/* Offers of a group for an interval that begins at `at`: those that may have grown are
 * looked at again, with `exact` all that are something. Returns their sum. */
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

/* Before the pools of the group are one. Notes what may come when there is too little;
 * the merged pool's own offer lies behind those of the pools. */
static int64_t offer_before_merge(struct search *q, const struct group *g, int64_t at,
    bool exact, struct pool_offer *io)
{
    int64_t sum = offers_of(q, g, at, exact, io), most = INT64_MAX, more = TIME_NEVER;

    if (g->merged != INDEX_NONE && time_add(at, q->duration) > q->p->merge_at)
        most = count_least(q->p, &q->p->merged_pools.v[g->merged], at,
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
    struct pool_offer *offers = q->p->search->offers.v;
    int64_t sum = 0;

    q->n = 0;
    for (size_t i = 0; i < q->s->groups.n; i++) {
        const struct group *g = &q->s->groups.v[i];
        if (pool_in(q, g, 0)->by_node)
            continue;
        if (g->merged != INDEX_NONE && at >= q->p->merge_at)
            sum += look_at_pool(
                q, &q->p->merged_pools.v[g->merged], at, time_add(at, q->duration));
        else
            sum += offer_before_merge(q, g, at, exact, offers + g->first);
    }
    return sum;
}

/* Before `next` the other pools cannot make up for what is missing: unless the biggest
 * offers what they cannot. */
static int64_t leap_biggest(
    const struct search *q, int64_t at, int64_t sum, int64_t next)
{
    struct pool *biggest = &q->p->pools.v[q->s->biggest];
    struct pool_offer *offer = NULL;
    int64_t others = sum;

    for (size_t i = 0; i < q->s->pools.n; i++)
        if (q->s->pools.v[i].pool == q->s->biggest)
            offer = &q->p->search->offers.v[i];
    assert(offer != NULL); /* the biggest is one of the set's */
    if (biggest->by_node || at >= q->p->merge_at || offer->more >= next)
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
    q->p->search->offers.n = 0;
    vec_reserve(&q->p->search->offers, q->s->pools.n);
    for (size_t i = 0; at < limit && i < q->s->pools.n; i++)
        q->p->search->offers.v[i] = (struct pool_offer){0, INT64_MIN, INT64_MIN, 0};
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

/* Before the pools are one: what the biggest of them could do alone limits the search
 * among all. */
static int64_t fit_early(struct search *q, int64_t from)
{
    struct plan *p = q->p;
    struct pool *biggest = &p->pools.v[q->s->biggest];
    int64_t limit = p->merge_at;

    if (!biggest->by_node && q->need <= biggest->total) {
        int64_t alone = fit_alone(q, biggest, from, (int32_t)q->need);
        limit = alone < limit ? alone : limit;
    }
    return fit_by_leaps(q, from, limit);
}

struct lower_bounds *search_bounds(struct set_offer *r, enum bounds_grain grain)
{
    if (!r->bounds)
        r->bounds = lower_bounds_create(grain);
    if (!r->bounds_valid)
        lower_bounds_clear(r->bounds);
    r->bounds_valid = true;
    return r->bounds;
}

static int64_t bound_from(
    const struct search *q, const struct lower_bounds *h, int64_t from)
{
    int64_t at =
        h ? lower_bounds_find(h, (int32_t)q->need, q->duration, TIME_NEVER) : from;

    return at > from ? at : from;
}

/* When all pools of the set are one and closed to nobody, the answer is the same for
 * everybody. */
static int64_t fit_merged(struct search *q, int64_t from, bool with_bounds)
{
    const struct group *g = &q->s->groups.v[0];
    struct pool *merged;
    struct lower_bounds *h = NULL;

    if (q->s->groups.n > 1 && deep_able(q->p, q->s, q->access))
        return deep_fit_merged(q, from, with_bounds);
    if (q->s->groups.n > 1 || g->merged == INDEX_NONE
        || q->p->merged_pools.v[g->merged].rsvset != 0)
        return fit_by_leaps(q, from, TIME_NEVER);
    merged = &q->p->merged_pools.v[g->merged];
    if (with_bounds && count_work(q->p, merged)->n >= BOUNDS_MIN_STEPS)
        h = search_bounds(search_offer_of(q->s, ACCESS_OPEN), BOUNDS_FINE);
    from = bound_from(q, h, from);
    if (from >= TIME_NEVER)
        return from;
    int64_t at = profile_fit(&merged->work, from, (int32_t)q->need, q->duration);
    if (h && at > from) /* or it was known */
        lower_bounds_learn(h, (int32_t)q->need, q->duration, at);
    return at;
}

static bool long_profiles(struct plan *p, const struct fitset *s)
{
    struct pool *biggest = &p->pools.v[s->biggest];

    return rsvtable_count(p->reserved) >= BOUNDS_MIN_STEPS
           || (!biggest->by_node && count_work(p, biggest)->n >= BOUNDS_MIN_STEPS);
}

int64_t search_first_fit(struct plan *p, struct fitset *s, uint32_t access,
    int32_t need, int64_t from, int64_t duration)
{
    struct search q = {
        .p = p, .s = s, .access = access, .need = need, .duration = duration};
    bool with_bounds = from <= p->now && long_profiles(p, s);
    struct lower_bounds *h = NULL;

    if (need > s->tasks_max)
        return TIME_NEVER;
    bool deep = deep_able(p, s, access);
    /* a deep search knows bounds for all that nothing lets in */
    if (with_bounds && (!deep || closures_any_grant(p->closures, access)))
        h = search_bounds(search_offer_of(s, access), access == ACCESS_OPEN
                                                          ? BOUNDS_FINE
                                                      : deep ? BOUNDS_ROUGH
                                                             : BOUNDS_COARSE);
    int64_t known = bound_from(&q, h, from), at = known;
    if (at >= TIME_NEVER)
        return TIME_NEVER;
    if (s->pools.n == 1)
        at = fit_alone(&q, &p->pools.v[s->pools.v[0].pool], at, need);
    else if (at < p->merge_at)
        at = deep ? deep_fit(&q, at, p->merge_at, with_bounds) : fit_early(&q, at);
    if (h && !deep && at > known)
        lower_bounds_learn(h, need, duration, at);
    if (at >= p->merge_at && at < TIME_NEVER && s->pools.n > 1)
        at = fit_merged(&q, at, with_bounds);
    if (h && deep && at > known)
        lower_bounds_learn(h, need, duration, at);
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

    bool free_until = pool->nrsv > 0;

    if (closes <= p->now || units == 0)
        return 0;
    if (free_until) {
        count_free_until(p, pool);
        units = pool->free_until.v[0].units;
    }
    if (units < 0) /* a job past its limit has what was kept for another */
        return 0;
    sum = units;
    for (size_t i = 0; free_until && i + 1 < pool->free_until.n && units > 0; i++) {
        int64_t at = pool->free_until.v[i].until,
                less = pool->free_until.v[i + 1].units;
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

/* Lower the drops from `first` on to what the merged pool has. */
static void bound_drops(struct plan *p, struct pool *merged, size_t first, int64_t sum)
{
    int64_t have = sum, alone = sum;
    struct drops old = {0};
    size_t i = 0;

    sort_drops(p, first);
    for (size_t k = first; k < p->search->drops.n; k++)
        vec_push(&old, p->search->drops.v[k]);
    p->search->drops.n = first;
    count_free_until(p, merged);
    for (size_t k = 0; k < merged->free_until.n; k++) {
        /* up to here it has so many */
        int64_t until = merged->free_until.v[k].until,
                least = merged->free_until.v[k].units;
        int64_t since = k ? merged->free_until.v[k - 1].until : p->now;
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
static void weigh_drops(
    struct plan *p, const struct pool *pool, size_t first, int64_t *io)
{
    for (size_t i = first; i < p->search->drops.n; i++)
        p->search->drops.v[i].units *= pool->unit;
    *io *= pool->unit;
}

static void build_offer(struct plan *p, const struct fitset *s, uint32_t access,
    bool weighted, struct set_offer *r)
{
    int64_t sum = 0;

    p->search->drops.n = 0;
    r->free_until.n = 0;
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
        if (g->merged != INDEX_NONE && p->merged_pools.v[g->merged].nrsv > 0)
            bound_drops(p, &p->merged_pools.v[g->merged], first, group);
        if (weighted)
            weigh_drops(p, &p->pools.v[s->pools.v[g->first].pool], first, &group);
        sum += group;
    }
    sort_drops(p, 0);
    for (size_t i = 0; i < p->search->drops.n;) {
        int64_t at = p->search->drops.v[i].at;
        vec_push(&r->free_until, ((struct free_until){at, (int32_t)sum}));
        for (; i < p->search->drops.n && p->search->drops.v[i].at == at; i++)
            sum -= p->search->drops.v[i].units;
    }
    vec_push(&r->free_until, ((struct free_until){TIME_NEVER, (int32_t)sum}));
}

const struct set_offer *search_offer(
    struct plan *p, struct fitset *s, uint32_t access, bool weighted)
{
    struct set_offer *r = search_offer_of(s, access);

    if (r->version != p->version)
        build_offer(p, s, access, weighted, r);
    r->version = p->version;
    return r;
}

/* One pool's part in search_free_until(). */
static int64_t pool_free_until(
    struct plan *p, struct pool *pool, uint32_t access, int64_t end)
{
    int64_t units = pool->free_now;

    if (pool->by_node || units == 0
        || closures_next(p->closures, access, pool->rsvset, p->now) < end)
        return 0;
    if (pool->nrsv > 0)
        units = count_least(p, pool, p->now, end, NULL);
    return units > 0 ? units : 0;
}

/* The same without free_until. O(pools). */
static int64_t sum_until(
    struct plan *p, const struct fitset *s, uint32_t access, int64_t end)
{
    int64_t sum = 0;

    for (size_t k = 0; k < s->groups.n; k++) {
        const struct group *g = &s->groups.v[k];
        int64_t units = 0;
        for (uint32_t i = 0; i < g->n; i++)
            units += pool_free_until(
                p, &p->pools.v[s->pools.v[g->first + i].pool], access, end);
        if (g->merged != INDEX_NONE && p->merged_pools.v[g->merged].nrsv > 0
            && units > 0) {
            int64_t most =
                count_least(p, &p->merged_pools.v[g->merged], p->now, end, NULL);
            units = most < units ? most : units;
        }
        sum += units > 0 ? units : 0;
    }
    return sum;
}

int64_t search_free_until(
    struct plan *p, struct fitset *s, uint32_t access, int64_t end)
{
    struct set_offer *r = search_offer_of(s, access);
    size_t i = 0;

    end = end < TIME_NEVER ? end : TIME_NEVER;
    /* a single question, as one about who then starts, is not worth free_until */
    if (r->version != p->version && r->asked != p->version) {
        r->asked = p->version;
        r->asked_end = end;
        r->asked_units = sum_until(p, s, access, end);
    }
    if (r->asked == p->version && r->asked_end == end)
        return r->asked_units;
    search_offer(p, s, access, false);

    while (r->free_until.v[i].until < end)
        i++;
    return r->free_until.v[i].units;
}
