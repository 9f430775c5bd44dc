/* SPDX-License-Identifier: Apache-2.0
 * A search leaps: skip_cells() passes cells of time in which the sum is too small at
 * best, sum_at() adds up what is offered at one instant, and next_in_cell() tells where
 * in the cell the sum may grow. pass_to_base() takes a job with grants to the first
 * instant at which these may be worth something. */
#include "plan/counted/deep.h"

#include "plan/counted/free_intervals.h"
#include "plan/counted/merged_work.h"
#include "plan/counted/search.h"
#include "plan/counted/small_pools.h"

/* A pool that is asked by itself: for all that it offers, or for what its free
 * intervals do not tell. */
enum offering_kind {
    OFFERS_ALL,
    OFFERS_BEHIND, /* only because a grant lets the job in */
    OFFERS_MERGED  /* only to what ends after the merge: free intervals end there */
};
struct offering {
    struct pool *pool;
    enum offering_kind kind;
    uint32_t group;
    struct grant grant;
    struct pool_offer offer;
};

/* With fewer reservations it is faster to ask each pool than to collect all free
 * intervals. */
#define DEEP_MIN 8

bool deep_able(const struct search *q)
{
    return q->access < ACCESS_NOWHERE && small_pools_of_set(q->ct, q->s, q->m)->deep
           && rsvtable_count(q->ct->reserved) >= DEEP_MIN
           && !closures_is_confined(q->ct->closures, q->access);
}

struct deep {
    struct search *q;
    const struct set_small *small; /* of its set */
    struct offering *big; /* with most units of those that offer all; NULL = none */
    int64_t cell_s;       /* of the free intervals */
    int64_t behind;       /* units behind grants */
    int64_t grants_at, grants_to; /* for intervals that begin before nothing is behind
                                   them, nor for those that begin after */
    bool wide_grants;             /* some pools under them offer in other ways too */
    struct lower_bounds *bounds;  /* of jobs without grants; NULL = none */
    int64_t enough;               /* any bound from there on is as good */
    bool merged; /* the pools are one: no free intervals, and nothing to bound */
    const struct profile *all;   /* no interval finds more; NULL = not known */
    int64_t others, others_more; /* the offer of all but the big one together */
    bool others_known;
};

/* Strides where there are no free intervals. */
#define STRIDE 4096

/* ---- which pools are asked by themselves ---- */

static void add_offering(struct deep *d, struct pool *pool, enum offering_kind kind,
    const struct grant *grant)
{
    uint32_t merged = pool->merged;
    struct offering b = {.pool = pool,
        .kind = kind,
        .group = merged == INDEX_NONE ? 0 : d->small->group_of.v[merged],
        .offer = {0, INT64_MIN, INT64_MIN, 0}};

    if (pool->by_node || b.group == INDEX_NONE)
        return;
    if (grant)
        b.grant = *grant;
    vec_push(&d->q->ct->search->offerings, b);
}

/* A grant may offer so many units to an interval that begins in [from, to). */
static void note_behind(struct deep *d, int64_t units, int64_t from, int64_t to)
{
    d->behind += units;
    d->grants_at = from < d->grants_at ? from : d->grants_at;
    d->grants_to = to > d->grants_to ? to : d->grants_to;
}

static void add_grant(struct deep *d, const struct grant *grant)
{
    struct counted *ct = d->q->ct;
    const struct pool_list *under = pools_under(ct->pools, grant->rsvset);

    for (size_t k = 0; k < under->n; k++) {
        struct pool *pool = pools_at(ct->pools, under->v[k]);
        if (small_pools_has(ct, pool)
            && !pool->by_node) { /* the others are asked anyway */
            add_offering(d, pool, OFFERS_BEHIND, grant);
            continue;
        }
        note_behind(d, pool->total, grant->from - d->q->duration + 1, grant->to);
        d->wide_grants = true;
    }
}

static void find_offerings(struct deep *d)
{
    struct counted *ct = d->q->ct;
    const struct set_small *s = d->small;
    size_t n;
    const struct grant *grants = closures_grants(ct->closures, d->q->access, &n);

    ct->search->offerings.n = 0;
    for (size_t i = 0; i < s->large.n; i++)
        add_offering(d, pools_at(ct->pools, s->large.v[i]), OFFERS_ALL, NULL);
    for (size_t i = 0; i < n; i++)
        add_grant(d, &grants[i]);
}

static void add_elsewhere(struct deep *d)
{
    const struct set_small *s = d->small;

    for (size_t i = 0; i < s->elsewhere.n; i++)
        add_offering(
            d, pools_at(d->q->ct->pools, s->elsewhere.v[i]), OFFERS_MERGED, NULL);
    d->others_known = false;
}

static int64_t grant_end(const struct deep *d, uint32_t rsvset)
{
    size_t n, i = 0;
    const struct grant *grants = closures_grants(d->q->ct->closures, d->q->access, &n);

    while (grants[i].rsvset != rsvset)
        i++;
    return grants[i].to;
}

static void find_merged_offerings(struct deep *d)
{
    struct counted *ct = d->q->ct;
    const struct fitset *s = d->q->s;

    ct->search->offerings.n = 0;
    for (size_t k = 0; k < s->groups.n; k++) {
        const struct group *g = &s->groups.v[k];
        struct pool *pool = pools_at(ct->pools, s->pools.v[g->first].pool);
        if (pool->by_node)
            continue;
        pool = pool->merged == INDEX_NONE ? pool : pools_merged_of(ct->pools, pool);
        add_offering(d, pool, OFFERS_ALL, NULL);
    }
}

/* The sum of all merged pools, if those of the set are of one kind; else NULL. */
static const struct profile *find_all(const struct search *q)
{
    struct counted *ct = q->ct;
    uint32_t kind = INDEX_NONE;

    for (size_t k = 0; k < q->s->groups.n; k++) {
        const struct group *g = &q->s->groups.v[k];
        if (g->merged == INDEX_NONE
            || pools_at(ct->pools, q->s->pools.v[g->first].pool)->by_node
            || (kind != INDEX_NONE && pools_merged(ct->pools, g->merged)->kind != kind))
            return NULL;
        kind = pools_merged(ct->pools, g->merged)->kind;
    }
    return merged_work(ct, kind);
}

static void find_big(struct deep *d)
{
    struct counted *ct = d->q->ct;

    d->big = NULL;
    for (size_t i = 0; i < ct->search->offerings.n; i++) {
        struct offering *b = &ct->search->offerings.v[i];
        if (b->kind == OFFERS_ALL && (!d->big || b->pool->total > d->big->pool->total))
            d->big = b;
    }
}

/* ---- what they offer ---- */

/* A pool under a grant offers something only where it is closed to others. */
static void look_behind(struct search *q, struct offering *b, int64_t at)
{
    struct counted *ct = q->ct;
    int64_t end = time_add(at, q->duration);
    uint32_t rsvset = b->pool->rsvset;
    bool after = small_pools_holder(ct, b->pool->merged) != b->pool->merged;

    if (after
        && end > pools_merge_at(
               ct->pools)) { /* then all of it is asked as OFFERS_MERGED */
        b->offer = (struct pool_offer){0, TIME_NEVER, at, 0};
        return;
    }
    if (end > b->grant.from && at < b->grant.to
        && closures_closed(ct->closures, ACCESS_NOWHERE, rsvset, at, end, NULL)) {
        search_look(q, b->pool, at, &b->offer);
        return;
    }
    int64_t closes = closures_next(ct->closures, ACCESS_NOWHERE, rsvset, at);
    b->offer = (struct pool_offer){0, TIME_NEVER, at, 0};
    if (at < b->grant.to && closes < TIME_NEVER) {
        closes = closes > b->grant.from ? closes : b->grant.from;
        closes -= q->duration - 1;
        b->offer.more = closes > at ? closes : at + 1;
    }
}

static void look_elsewhere(struct search *q, struct offering *b, int64_t at)
{
    if (time_add(at, q->duration) > pools_merge_at(q->ct->pools))
        search_look(q, b->pool, at, &b->offer);
    else
        b->offer = (struct pool_offer){
            0, pools_merge_at(q->ct->pools) - q->duration + 1, at, 0};
}

static void look_again(struct deep *d, struct offering *b, int64_t at)
{
    struct search *q = d->q;

    d->others_known &= b == d->big;
    switch (b->kind) {
    case OFFERS_ALL:
        search_look(q, b->pool, at, &b->offer);
        break;
    case OFFERS_BEHIND:
        look_behind(q, b, at);
        break;
    case OFFERS_MERGED:
        look_elsewhere(q, b, at);
        break;
    }
}

static int64_t free_intervals_at(const struct search *q, uint32_t holder, int64_t at)
{
    return free_intervals_sum(
        small_pools_intervals(q->ct, holder), at, time_add(at, q->duration));
}

/* The offers at `at`, where no group has more than its merged pool has. */
static int64_t sum_bounded(struct search *q, int64_t at)
{
    struct counted *ct = q->ct;
    int64_t end = time_add(at, q->duration), sum = 0;

    ct->search->group_sums.n = 0;
    for (size_t k = 0; k < q->s->groups.n; k++) {
        uint32_t merged = q->s->groups.v[k].merged;
        bool holder = merged != INDEX_NONE && small_pools_intervals(ct, merged);
        vec_push(
            &ct->search->group_sums, holder ? free_intervals_at(q, merged, at) : 0);
    }
    for (size_t i = 0; i < ct->search->offerings.n; i++)
        ct->search->group_sums.v[ct->search->offerings.v[i].group] +=
            ct->search->offerings.v[i].offer.units;
    for (size_t k = 0; k < q->s->groups.n; k++) {
        uint32_t merged = q->s->groups.v[k].merged;
        int64_t units = ct->search->group_sums.v[k], most = INT64_MAX,
                more = TIME_NEVER;
        if (merged != INDEX_NONE && units > 0)
            most = count_least(ct, pools_merged(ct->pools, merged), at, end, &more);
        if (units >= most) {
            search_gain(q, more, units - most + 1);
            units = most > 0 ? most : 0;
        }
        sum += units;
    }
    return sum;
}

/* What is offered to an interval that begins at `at`; without `exact` perhaps less.
 * Notes when groups may have more. */
static int64_t sum_at(struct deep *d, int64_t at, bool exact)
{
    struct search *q = d->q;
    struct counted *ct = q->ct;
    int64_t sum = 0;

    q->n = 0;
    for (size_t i = 0; i < ct->search->offerings.n; i++) {
        struct offering *b = &ct->search->offerings.v[i];
        if (b->offer.more <= at || (exact && b->offer.seen != at && b->offer.units > 0))
            look_again(d, b, at);
        sum += b->offer.units;
    }
    if (!d->merged && time_add(at, q->duration) > pools_merge_at(ct->pools))
        return sum_bounded(q, at);
    for (size_t k = 0; !d->merged && k < d->small->holders.n; k++)
        sum += free_intervals_at(q, d->small->holders.v[k], at);
    return sum;
}

/* Sum up the offers of all but the big pool; look again at those that may have grown
 * by `at`. */
static void sum_others(struct deep *d, int64_t at)
{
    struct counted *ct = d->q->ct;

    if (d->others_known && d->others_more > at)
        return;
    d->others = 0;
    d->others_more = TIME_NEVER;
    for (size_t i = 0; i < ct->search->offerings.n; i++) {
        struct offering *b = &ct->search->offerings.v[i];
        if (b == d->big)
            continue;
        if (b->offer.more <= at)
            look_again(d, b, at);
        d->others += b->offer.units;
        d->others_more =
            b->offer.more < d->others_more ? b->offer.more : d->others_more;
    }
    d->others_known = true;
}

/* Without the big pool no interval that begins in [first, last] finds more. */
static int64_t most_of(struct deep *d, int64_t first, int64_t last)
{
    struct search *q = d->q;
    struct counted *ct = q->ct;
    int64_t sum = 0;

    for (size_t k = 0; !d->merged && k < d->small->holders.n; k++)
        sum += free_intervals_most(small_pools_intervals(ct, d->small->holders.v[k]),
            first, last, q->duration);
    sum_others(d, first);
    sum += d->others;
    if (d->others_more > last)
        return sum;
    for (size_t i = 0; i < ct->search->offerings.n && sum < q->need; i++) {
        const struct offering *b = &ct->search->offerings.v[i];
        if (b != d->big && b->offer.more <= last)
            sum += b->pool->total - b->offer.units;
    }
    return sum;
}

/* ---- when ---- */

static int64_t cell_end(const struct deep *d, int64_t at)
{
    if (d->merged)
        return at + d->cell_s - 1;
    return free_intervals_cell_end(
        small_pools_intervals(d->q->ct, d->small->holders.v[0]), at);
}

static void note_start(void *ctx, int64_t start, int64_t units)
{
    search_gain(ctx, start, units);
}

/* At `at` there are `sum` units, too few. The next instant at which there may be
 * enough: in the same cell of the free intervals, or where the cell ends. */
static int64_t next_in_cell(struct deep *d, int64_t at, int64_t sum)
{
    struct search *q = d->q;
    int64_t next = d->all ? TIME_NEVER : cell_end(d, at) + 1;

    for (size_t i = 0; i < q->ct->search->offerings.n; i++) {
        const struct offering *b = &q->ct->search->offerings.v[i];
        if (b != d->big && b->offer.more < next)
            search_gain(q, b->offer.more, b->pool->total - b->offer.units);
    }
    for (size_t k = 0; !d->merged && k < d->small->holders.n; k++)
        free_intervals_each_start(small_pools_intervals(q->ct, d->small->holders.v[k]),
            at, q->duration, q, note_start);
    int64_t leap = search_leap(q, sum);
    next = leap < next ? leap : next;
    if (!d->big || d->big->offer.more >= next)
        return next;
    int64_t others = sum - d->big->offer.units;
    for (uint32_t i = 0; i < q->n && q->next[i].at < next; i++)
        others += q->next[i].units;
    if (others >= q->need)
        return d->big->offer.more;
    if (q->need - others > d->big->pool->total)
        return next;
    int64_t then = search_fit_in(
        q, d->big->pool, d->big->offer.more, next, (int32_t)(q->need - others));
    return then < next ? then : next;
}

/* The first instant in [at, limit] at which the best that a cell may have is enough.
 * Strides double while it is not, and halve when it may be. */
static int64_t skip_cells(struct deep *d, int64_t at, int64_t limit)
{
    struct search *q = d->q;
    int64_t cells = 1;

    if (d->all)
        return profile_fit_before(d->all, at, limit, (int32_t)q->need, q->duration);
    while (at < limit) {
        int64_t last = cell_end(d, at) + (cells - 1) * d->cell_s;
        last = last < limit ? last : limit - 1;
        int64_t lack = q->need - most_of(d, at, last), then = last + 1;
        if (lack <= 0)
            then = at;
        else if (d->big && lack <= d->big->pool->total)
            then = search_fit_in(q, d->big->pool, at, last + 1, (int32_t)lack);
        if (then > last) {
            at = last + 1;
            cells *= 2;
        } else if (cells == 1) {
            return then;
        } else {
            at = then;
            cells = then > at ? 1 : cells / 2;
        }
    }
    return limit;
}

/* What is behind the grants for an interval that begins at `at`, until *ret_more. */
static int64_t behind_at(struct deep *d, int64_t at, int64_t *ret_more)
{
    struct counted *ct = d->q->ct;
    int64_t units = 0;

    *ret_more = TIME_NEVER;
    for (size_t i = 0; i < ct->search->offerings.n; i++) {
        struct offering *b = &ct->search->offerings.v[i];
        if (b->kind != OFFERS_BEHIND)
            continue;
        if (b->offer.more <= at)
            look_again(d, b, at);
        units += b->offer.units;
        *ret_more = b->offer.more < *ret_more ? b->offer.more : *ret_more;
    }
    return units;
}

/* A job without grants finds no place before `base`. A job with grants may: it passes
 * to the first instant from `at` on at which its grants have so much that what is
 * missing could fit there, by the lower bounds of jobs without grants. */
static int64_t pass_to_base(struct deep *d, int64_t at, int64_t base)
{
    struct search *q = d->q;
    int64_t last =
        d->small->elsewhere.n ? pools_merge_at(q->ct->pools) - q->duration : base;

    while (at < base) {
        if (d->behind == 0 || at >= d->grants_to)
            return base;
        at = at > d->grants_at ? at : d->grants_at;
        if (at >= base)
            return base;
        if (d->wide_grants || at > last)
            return at;
        int64_t more, units = behind_at(d, at, &more), here = base;
        if (units > 0)
            here = units < q->need ? lower_bounds_find(
                       d->bounds, (int32_t)(q->need - units), q->duration, base)
                                   : at;
        if (here <= at)
            return at;
        at = here < more ? here : more;
        at = at <= last ? at : last + 1;
    }
    return at;
}

/* Does the big pool alone suffice? Often it does. */
static bool in_big(struct deep *d, int64_t at)
{
    if (!d->big || d->q->need > d->big->pool->total
        || (!d->merged
            && time_add(at, d->q->duration) > pools_merge_at(d->q->ct->pools)))
        return false;
    if (d->big->offer.more <= at)
        look_again(d, d->big, at);
    if (d->big->offer.units >= d->q->need && d->big->offer.seen != at)
        look_again(d, d->big, at);
    return d->big->offer.units >= d->q->need;
}

static int64_t search_by_leaps(struct deep *d, int64_t at, int64_t limit, int64_t base)
{
    struct search *q = d->q;

    for (;;) {
        at = skip_cells(d, pass_to_base(d, at, base), limit);
        if (at >= limit)
            return limit;
        if (in_big(d, at))
            return at;
        int64_t sum = sum_at(d, at, false);
        if (sum >= q->need)
            sum = sum_at(d, at, true);
        if (sum >= q->need)
            return at;
        at = next_in_cell(d, at, sum);
    }
}

/* What the pool has at most for an interval that begins in [from, to). Returns the
 * first instant at which it may have something. */
static int64_t measure_grant(
    struct deep *d, struct pool *pool, int64_t from, int64_t to)
{
    const struct profile *work = work_of(d->q->ct, pool);
    int32_t most = 0;

    if (from < to)
        from = search_fit_in(d->q, pool, from, to, 1);
    if (from >= to)
        return TIME_NEVER;
    for (uint32_t i = profile_index(work, from); i < work->n && work->at[i] < to; i++)
        most = work->free[i] > most ? work->free[i] : most;
    note_behind(d, most, from, to);
    return from;
}

/* The first instant from `at` on at which the job may fit, when grants have so many
 * units at most. A job without grants that wants so many units less bounds it. */
static int64_t bound_behind(const struct deep *d, int64_t behind, int64_t at)
{
    const struct search *q = d->q;
    int64_t here = at;

    if (q->need > behind)
        here = lower_bounds_find(
            d->bounds, (int32_t)(q->need - behind), q->duration, d->enough);
    return here > at ? here : at;
}

/* The same by the size of the pools under grants, without looking at their profiles. */
static int64_t bound_at_best(const struct deep *d, int64_t at)
{
    const struct counted *ct = d->q->ct;
    int64_t behind = d->behind;

    for (size_t i = 0; i < ct->search->offerings.n; i++)
        if (ct->search->offerings.v[i].kind == OFFERS_BEHIND)
            behind += ct->search->offerings.v[i].pool->total;
    return bound_behind(d, behind, at);
}

static int64_t pass_behind(struct deep *d, int64_t at)
{
    struct counted *ct = d->q->ct;

    for (size_t i = 0; i < ct->search->offerings.n; i++) {
        struct offering *b = &ct->search->offerings.v[i];
        int64_t from = b->grant.from - d->q->duration + 1;
        if (b->kind == OFFERS_BEHIND)
            b->offer.more =
                measure_grant(d, b->pool, from > at ? from : at, b->grant.to);
    }
    return bound_behind(d, d->behind, at);
}

static int64_t pass_behind_merged(struct deep *d, int64_t at)
{
    struct counted *ct = d->q->ct;

    for (size_t k = 0; k < d->q->s->groups.n; k++) {
        uint32_t i = d->q->s->groups.v[k].merged;
        if (i == INDEX_NONE
            || !closures_has_grant(
                ct->closures, d->q->access, pools_merged(ct->pools, i)->rsvset))
            continue;
        measure_grant(d, pools_merged(ct->pools, i), at,
            grant_end(d, pools_merged(ct->pools, i)->rsvset));
        d->wide_grants = true;
    }
    return bound_behind(d, d->behind, at);
}

/* The lower bound of jobs without grants, or `at` when there is none. */
static int64_t begin_search(
    struct deep *d, int64_t at, struct set_offer *offer, bool with_bounds)
{
    struct lower_bounds *h = with_bounds ? search_bounds(offer, BOUNDS_FINE) : NULL;
    int64_t here =
        h ? lower_bounds_find(h, (int32_t)d->q->need, d->q->duration, d->enough) : at;

    d->bounds = h;
    return here > at ? here : at;
}

static int64_t learn_bound(struct deep *d, int64_t at, int64_t base)
{
    if (d->bounds && at > base)
        lower_bounds_learn(d->bounds, (int32_t)d->q->need, d->q->duration, at);
    return at;
}

int64_t deep_fit(struct search *q, int64_t at, int64_t limit, bool with_bounds)
{
    struct deep d = {.q = q,
        .small = small_pools_of_set(q->ct, q->s, q->m),
        .enough = limit,
        .grants_at = TIME_NEVER,
        .grants_to = INT64_MIN};
    int64_t base = begin_search(&d, at, &q->m->base, with_bounds);
    int64_t split = pools_merge_at(q->ct->pools) - q->duration + 1;

    if (base >= limit && !closures_any_grant(q->ct->closures, q->access))
        return limit;
    find_offerings(&d);
    int64_t best = at < base ? bound_at_best(&d, at) : at;
    if (best >= limit)
        return limit;
    small_pools_settle(q->ct);
    d.cell_s =
        free_intervals_cell_length(small_pools_intervals(q->ct, d.small->holders.v[0]));
    find_big(&d);
    if (at < base)
        at = best < base ? pass_behind(&d, at) : base;
    split = split < limit ? split : limit;
    int64_t found = search_by_leaps(&d, at, split, base);
    if (found >= split && split < limit) { /* what ends after the pools are one */
        add_elsewhere(&d);
        find_big(&d);
        found = search_by_leaps(&d, at > split ? at : split, limit, base);
    }
    return learn_bound(&d, found, base);
}

/* Does the largest merged pool alone suffice at `at`? */
static bool at_once(struct deep *d, int64_t at)
{
    struct search *q = d->q;
    struct counted *ct = q->ct;
    int64_t end = time_add(at, q->duration);
    struct pool *big = pools_merged(ct->pools, q->s->groups.v[0].merged);

    for (size_t k = 1; k < q->s->groups.n; k++) {
        struct pool *merged = pools_merged(ct->pools, q->s->groups.v[k].merged);
        big = merged->total > big->total ? merged : big;
    }
    return at >= TIME_NEVER
           || (!closures_closed(ct->closures, q->access, big->rsvset, at, end, NULL)
               && count_least(ct, big, at, end, NULL) >= q->need);
}

int64_t deep_fit_merged(struct search *q, int64_t at, bool with_bounds)
{
    struct deep d = {.q = q,
        .small = small_pools_of_set(q->ct, q->s, q->m),
        .merged = true,
        .enough = TIME_NEVER,
        .cell_s = STRIDE,
        .grants_at = TIME_NEVER,
        .grants_to = INT64_MIN};
    int64_t base = begin_search(&d, at, &q->m->base_merged, with_bounds);

    d.all = find_all(q);
    if (at < base)
        at = pass_to_base(&d, pass_behind_merged(&d, at), base);
    if (d.all && at >= base) {
        at = profile_fit(d.all, at, (int32_t)q->need, q->duration);
        if (at_once(&d, at))
            return learn_bound(&d, at, base);
    }
    find_merged_offerings(&d);
    find_big(&d);
    return learn_bound(&d, search_by_leaps(&d, at, TIME_NEVER, base), base);
}
