/* SPDX-License-Identifier: Apache-2.0
 * The earliest interval where reservations make a thousand small pools.
 *
 * Small pools (walled.c) are not asked one by one: what all of them offer to jobs that
 * no reservation lets in is one sum over their gaps (gaps.h). The other pools are asked
 * one by one: the few large ones, and small ones that a grant opens to the asker.
 *
 *     time          now                    merge_at
 *     small pools   sum of gaps, by cell   | their later pools
 *     large pools   an offer each          | (deep_fit_late)
 *     grants        an offer each, where others find the pool closed
 *
 * A search leaps: `skip` passes cells of time in which the sum is too small at best,
 * `sum_at` adds up what is offered at one instant, and `next_in_cell` tells where in
 * the cell the sum may grow. Bounds learned for jobs without grants (hints) tell where
 * to begin; a job with grants may begin earlier by what these open (`pass`). */
#include "plan/search.h"

/* With fewer reservations it is faster to ask each pool than to collect all gaps. */
#define DEEP_MIN 8

bool deep_able(const struct plan *p, const struct fitset *s, uint32_t access)
{
    return s->deep && rsvtable_count(p->reserved) >= DEEP_MIN && access < ACCESS_NOWHERE
           && !closures_is_confined(p->closures, access) && !p->without.any_job
           && !p->without.reservations;
}

struct deep {
    struct search *q;
    struct bidder *big; /* with most units of those that bid all; NULL = none */
    int64_t cell_s;     /* of the gaps */
    int64_t behind;     /* units behind grants */
    int64_t grants_at, grants_to; /* for intervals that begin before nothing is behind
                                   them, nor for those that begin after */
    bool wide_grants;            /* some are not of bidders that bid behind them only */
    struct hint *hint;           /* about those whom nothing lets in; NULL = none */
    int64_t enough;              /* any bound from there on is as good */
    bool late;                   /* the pools are one: no gaps, and nothing to bound */
    const struct profile *all;   /* no interval finds more; NULL = not known */
    int64_t others, others_more; /* the bid of all but the big one together */
    bool others_known;
};

/* Strides where there are no gaps. */
#define STRIDE 4096

/* ---- who bids ---- */

static void add_bidder(
    struct deep *d, struct pool *pool, enum bidder_kind kind, const struct grant *grant)
{
    uint32_t later = pool->later;
    struct bidder b = {.pool = pool,
        .kind = kind,
        .group = later == INDEX_NONE ? 0 : d->q->s->group_of.v[later],
        .bid = {0, INT64_MIN, INT64_MIN, 0}};

    if (pool->by_node || b.group == INDEX_NONE)
        return;
    if (grant)
        b.grant = *grant;
    vec_push(&d->q->p->search->bidders, b);
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
    struct plan *p = d->q->p;
    const struct pool_list *under = pools_under(p, grant->rsvset);

    for (size_t k = 0; k < under->n; k++) {
        struct pool *pool = &p->pools.v[under->v[k]];
        if (pool->walled) { /* others bid anyway */
            add_bidder(d, pool, BIDS_BEHIND, grant);
            continue;
        }
        note_behind(d, pool->total, grant->from - d->q->duration + 1, grant->to);
        d->wide_grants = true;
    }
}

static void find_bidders(struct deep *d)
{
    struct plan *p = d->q->p;
    const struct fitset *s = d->q->s;
    size_t n;
    const struct grant *grants = closures_grants(p->closures, d->q->access, &n);

    p->search->bidders.n = 0;
    for (size_t i = 0; i < s->lone.n; i++)
        add_bidder(d, &p->pools.v[s->lone.v[i]], BIDS_ALL, NULL);
    for (size_t i = 0; i < n; i++)
        add_grant(d, &grants[i]);
}

static void add_late(struct deep *d)
{
    const struct fitset *s = d->q->s;

    for (size_t i = 0; i < s->late.n; i++)
        add_bidder(d, &d->q->p->pools.v[s->late.v[i]], BIDS_LATE, NULL);
    d->others_known = false;
}

static int64_t grant_end(const struct deep *d, uint32_t rsvset)
{
    size_t n, i = 0;
    const struct grant *grants = closures_grants(d->q->p->closures, d->q->access, &n);

    while (grants[i].rsvset != rsvset)
        i++;
    return grants[i].to;
}

static void find_late_bidders(struct deep *d)
{
    struct plan *p = d->q->p;
    const struct fitset *s = d->q->s;

    p->search->bidders.n = 0;
    for (size_t k = 0; k < s->groups.n; k++) {
        const struct group *g = &s->groups.v[k];
        struct pool *pool = &p->pools.v[s->pools.v[g->first].pool];
        if (pool->by_node)
            continue;
        pool = pool->later == INDEX_NONE ? pool : count_later(p, pool);
        add_bidder(d, pool, BIDS_ALL, NULL);
    }
}

/* The sum of all later pools, if those of the set are of one kind; else NULL. */
static const struct profile *find_all(const struct search *q)
{
    struct plan *p = q->p;
    uint32_t kind = INDEX_NONE;

    for (size_t k = 0; k < q->s->groups.n; k++) {
        const struct group *g = &q->s->groups.v[k];
        if (g->later == INDEX_NONE || p->pools.v[q->s->pools.v[g->first].pool].by_node
            || (kind != INDEX_NONE && p->later.v[g->later].kind != kind))
            return NULL;
        kind = p->later.v[g->later].kind;
    }
    return together_of(p, kind);
}

static void find_big(struct deep *d)
{
    struct plan *p = d->q->p;

    d->big = NULL;
    for (size_t i = 0; i < p->search->bidders.n; i++) {
        struct bidder *b = &p->search->bidders.v[i];
        if (b->kind == BIDS_ALL && (!d->big || b->pool->total > d->big->pool->total))
            d->big = b;
    }
}

/* ---- what they offer ---- */

/* A pool under a grant offers something only where it is closed to others. */
static void look_behind(struct search *q, struct bidder *b, int64_t at)
{
    struct plan *p = q->p;
    int64_t end = time_add(at, q->duration);
    uint32_t rsvset = b->pool->rsvset;
    bool late = p->later.v[b->pool->later].home != b->pool->later;

    if (late && end > p->merge_at) { /* then it bids for all of it */
        b->bid = (struct bid){0, TIME_NEVER, at, 0};
        return;
    }
    if (end > b->grant.from && at < b->grant.to
        && closures_closed(p->closures, ACCESS_NOWHERE, rsvset, at, end, NULL)) {
        search_look(q, b->pool, at, &b->bid);
        return;
    }
    int64_t closes = closures_next(p->closures, ACCESS_NOWHERE, rsvset, at);
    b->bid = (struct bid){0, TIME_NEVER, at, 0};
    if (at < b->grant.to && closes < TIME_NEVER) {
        closes = closes > b->grant.from ? closes : b->grant.from;
        closes -= q->duration - 1;
        b->bid.more = closes > at ? closes : at + 1;
    }
}

static void look_late(struct search *q, struct bidder *b, int64_t at)
{
    if (time_add(at, q->duration) > q->p->merge_at)
        search_look(q, b->pool, at, &b->bid);
    else
        b->bid = (struct bid){0, q->p->merge_at - q->duration + 1, at, 0};
}

static void look(struct deep *d, struct bidder *b, int64_t at)
{
    struct search *q = d->q;

    d->others_known &= b == d->big;
    switch (b->kind) {
    case BIDS_ALL:
        search_look(q, b->pool, at, &b->bid);
        break;
    case BIDS_BEHIND:
        look_behind(q, b, at);
        break;
    case BIDS_LATE:
        look_late(q, b, at);
        break;
    }
}

static int64_t gaps_at(const struct search *q, uint32_t home, int64_t at)
{
    return gaps_sum(q->p->later.v[home].gaps, at, time_add(at, q->duration));
}

/* The offers at `at`, where no group has more than its later pool has. */
static int64_t bounded(struct search *q, int64_t at)
{
    struct plan *p = q->p;
    int64_t end = time_add(at, q->duration), sum = 0;

    p->search->group_sums.n = 0;
    for (size_t k = 0; k < q->s->groups.n; k++) {
        uint32_t later = q->s->groups.v[k].later;
        bool home = later != INDEX_NONE && p->later.v[later].gaps;
        vec_push(&p->search->group_sums, home ? gaps_at(q, later, at) : 0);
    }
    for (size_t i = 0; i < p->search->bidders.n; i++)
        p->search->group_sums.v[p->search->bidders.v[i].group] +=
            p->search->bidders.v[i].bid.units;
    for (size_t k = 0; k < q->s->groups.n; k++) {
        uint32_t later = q->s->groups.v[k].later;
        int64_t units = p->search->group_sums.v[k], most = INT64_MAX, more = TIME_NEVER;
        if (later != INDEX_NONE && units > 0)
            most = count_least(p, &p->later.v[later], at, end, &more);
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
    struct plan *p = q->p;
    int64_t sum = 0;

    q->n = 0;
    for (size_t i = 0; i < p->search->bidders.n; i++) {
        struct bidder *b = &p->search->bidders.v[i];
        if (b->bid.more <= at || (exact && b->bid.seen != at && b->bid.units > 0))
            look(d, b, at);
        sum += b->bid.units;
    }
    if (!d->late && time_add(at, q->duration) > p->merge_at)
        return bounded(q, at);
    for (size_t k = 0; !d->late && k < q->s->homes.n; k++)
        sum += gaps_at(q, q->s->homes.v[k], at);
    return sum;
}

/* Sum up the offers of all but the big pool; look again at those that may have grown
 * by `at`. */
static void bids_by(struct deep *d, int64_t at)
{
    struct plan *p = d->q->p;

    if (d->others_known && d->others_more > at)
        return;
    d->others = 0;
    d->others_more = TIME_NEVER;
    for (size_t i = 0; i < p->search->bidders.n; i++) {
        struct bidder *b = &p->search->bidders.v[i];
        if (b == d->big)
            continue;
        if (b->bid.more <= at)
            look(d, b, at);
        d->others += b->bid.units;
        d->others_more = b->bid.more < d->others_more ? b->bid.more : d->others_more;
    }
    d->others_known = true;
}

/* Without the big pool no interval that begins in [first, last] finds more. */
static int64_t most_of(struct deep *d, int64_t first, int64_t last)
{
    struct search *q = d->q;
    struct plan *p = q->p;
    int64_t sum = 0;

    for (size_t k = 0; !d->late && k < q->s->homes.n; k++)
        sum += gaps_most(p->later.v[q->s->homes.v[k]].gaps, first, last, q->duration);
    bids_by(d, first);
    sum += d->others;
    if (d->others_more > last)
        return sum;
    for (size_t i = 0; i < p->search->bidders.n && sum < q->need; i++) {
        const struct bidder *b = &p->search->bidders.v[i];
        if (b != d->big && b->bid.more <= last)
            sum += b->pool->total - b->bid.units;
    }
    return sum;
}

/* ---- when ---- */

static int64_t cell_end(const struct deep *d, int64_t at)
{
    if (d->late)
        return at + d->cell_s - 1;
    return gaps_cell_end(d->q->p->later.v[d->q->s->homes.v[0]].gaps, at);
}

static void note_start(void *ctx, int64_t start, int64_t units)
{
    search_gain(ctx, start, units);
}

/* The next instant at which an interval may fit that does not at `at`, where there are
 * `sum` units: in the same cell of the gaps, or where that ends. */
static int64_t next_in_cell(struct deep *d, int64_t at, int64_t sum)
{
    struct search *q = d->q;
    int64_t next = d->all ? TIME_NEVER : cell_end(d, at) + 1;

    for (size_t i = 0; i < q->p->search->bidders.n; i++) {
        const struct bidder *b = &q->p->search->bidders.v[i];
        if (b != d->big && b->bid.more < next)
            search_gain(q, b->bid.more, b->pool->total - b->bid.units);
    }
    for (size_t k = 0; !d->late && k < q->s->homes.n; k++)
        gaps_each_start(
            q->p->later.v[q->s->homes.v[k]].gaps, at, q->duration, q, note_start);
    int64_t leap = search_leap(q, sum);
    next = leap < next ? leap : next;
    if (!d->big || d->big->bid.more >= next)
        return next;
    int64_t others = sum - d->big->bid.units;
    for (uint32_t i = 0; i < q->n && q->next[i].at < next; i++)
        others += q->next[i].units;
    if (others >= q->need)
        return d->big->bid.more;
    if (q->need - others > d->big->pool->total)
        return next;
    int64_t then = search_fit_in(
        q, d->big->pool, d->big->bid.more, next, (int32_t)(q->need - others));
    return then < next ? then : next;
}

/* The first instant from `at` on, or at the most `limit`, at which the sum of what is
 * there at best is enough: by ever wider strides while it is not. */
static int64_t skip(struct deep *d, int64_t at, int64_t limit)
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
    struct plan *p = d->q->p;
    int64_t units = 0;

    *ret_more = TIME_NEVER;
    for (size_t i = 0; i < p->search->bidders.n; i++) {
        struct bidder *b = &p->search->bidders.v[i];
        if (b->kind != BIDS_BEHIND)
            continue;
        if (b->bid.more <= at)
            look(d, b, at);
        units += b->bid.units;
        *ret_more = b->bid.more < *ret_more ? b->bid.more : *ret_more;
    }
    return units;
}

/* Nobody finds a place before `base` whom no reservation lets in: so only where enough
 * is behind the grants for what is known of who wants so much less. */
static int64_t pass(struct deep *d, int64_t at, int64_t base)
{
    struct search *q = d->q;
    int64_t last = q->s->late.n ? q->p->merge_at - q->duration : base;

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
            here = units < q->need ? hint_bound(
                       d->hint, (int32_t)(q->need - units), q->duration, base)
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
        || (!d->late && time_add(at, d->q->duration) > d->q->p->merge_at))
        return false;
    if (d->big->bid.more <= at)
        look(d, d->big, at);
    if (d->big->bid.units >= d->q->need && d->big->bid.seen != at)
        look(d, d->big, at);
    return d->big->bid.units >= d->q->need;
}

static int64_t search(struct deep *d, int64_t at, int64_t limit, int64_t base)
{
    struct search *q = d->q;

    for (;;) {
        at = skip(d, pass(d, at, base), limit);
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
static int64_t measure(struct deep *d, struct pool *pool, int64_t from, int64_t to)
{
    const struct profile *work = count_work(d->q->p, pool);
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

/* With so many units behind grants from `at` on, a job that wants less than it does is
 * as good a bound for one that nothing lets in. */
static int64_t bound_behind(const struct deep *d, int64_t behind, int64_t at)
{
    const struct search *q = d->q;
    int64_t here = at;

    if (q->need > behind)
        here = hint_bound(d->hint, (int32_t)(q->need - behind), q->duration, d->enough);
    return here > at ? here : at;
}

/* The same without looking what is there. */
static int64_t bound_at_best(const struct deep *d, int64_t at)
{
    const struct plan *p = d->q->p;
    int64_t behind = d->behind;

    for (size_t i = 0; i < p->search->bidders.n; i++)
        if (p->search->bidders.v[i].kind == BIDS_BEHIND)
            behind += p->search->bidders.v[i].pool->total;
    return bound_behind(d, behind, at);
}

static int64_t pass_behind(struct deep *d, int64_t at)
{
    struct plan *p = d->q->p;

    for (size_t i = 0; i < p->search->bidders.n; i++) {
        struct bidder *b = &p->search->bidders.v[i];
        int64_t from = b->grant.from - d->q->duration + 1;
        if (b->kind == BIDS_BEHIND)
            b->bid.more = measure(d, b->pool, from > at ? from : at, b->grant.to);
    }
    return bound_behind(d, d->behind, at);
}

static int64_t pass_behind_late(struct deep *d, int64_t at)
{
    struct plan *p = d->q->p;

    for (size_t k = 0; k < d->q->s->groups.n; k++) {
        uint32_t i = d->q->s->groups.v[k].later;
        if (i == INDEX_NONE
            || !closures_has_grant(p->closures, d->q->access, p->later.v[i].rsvset))
            continue;
        measure(d, &p->later.v[i], at, grant_end(d, p->later.v[i].rsvset));
        d->wide_grants = true;
    }
    return bound_behind(d, d->behind, at);
}

/* Where the search may begin, by what is known of those whom nothing lets in. */
static int64_t begin(struct deep *d, int64_t at, struct reach *reach, bool hinted)
{
    struct hint *h = hinted ? search_hint(reach, HINT_FINE) : NULL;
    int64_t here =
        h ? hint_bound(h, (int32_t)d->q->need, d->q->duration, d->enough) : at;

    d->hint = h;
    return here > at ? here : at;
}

static int64_t learn(struct deep *d, int64_t at, int64_t base)
{
    if (d->hint && at > base)
        hint_learn(d->hint, (int32_t)d->q->need, d->q->duration, at);
    return at;
}

int64_t deep_fit(struct search *q, int64_t at, int64_t limit, bool hinted)
{
    struct deep d = {
        .q = q, .enough = limit, .grants_at = TIME_NEVER, .grants_to = INT64_MIN};
    int64_t base = begin(&d, at, &q->s->base, hinted);
    int64_t split = q->p->merge_at - q->duration + 1;

    if (base >= limit && !closures_any_grant(q->p->closures, q->access))
        return limit;
    find_bidders(&d);
    int64_t best = at < base ? bound_at_best(&d, at) : at;
    if (best >= limit)
        return limit;
    walled_settle(q->p);
    d.cell_s = gaps_cell_length(q->p->later.v[q->s->homes.v[0]].gaps);
    find_big(&d);
    if (at < base)
        at = best < base ? pass_behind(&d, at) : base;
    split = split < limit ? split : limit;
    int64_t found = search(&d, at, split, base);
    if (found >= split && split < limit) { /* what ends after the pools are one */
        add_late(&d);
        find_big(&d);
        found = search(&d, at > split ? at : split, limit, base);
    }
    return learn(&d, found, base);
}

/* Does the largest later pool alone suffice at `at`? */
static bool at_once(struct deep *d, int64_t at)
{
    struct search *q = d->q;
    struct plan *p = q->p;
    int64_t end = time_add(at, q->duration);
    struct pool *big = &p->later.v[q->s->groups.v[0].later];

    for (size_t k = 1; k < q->s->groups.n; k++) {
        struct pool *later = &p->later.v[q->s->groups.v[k].later];
        big = later->total > big->total ? later : big;
    }
    return at >= TIME_NEVER
           || (!closures_closed(p->closures, q->access, big->rsvset, at, end, NULL)
               && count_least(p, big, at, end, NULL) >= q->need);
}

int64_t deep_fit_late(struct search *q, int64_t at, bool hinted)
{
    struct deep d = {.q = q,
        .late = true,
        .enough = TIME_NEVER,
        .cell_s = STRIDE,
        .grants_at = TIME_NEVER,
        .grants_to = INT64_MIN};
    int64_t base = begin(&d, at, &q->s->base_late, hinted);

    d.all = find_all(q);
    if (at < base)
        at = pass(&d, pass_behind_late(&d, at), base);
    if (d.all && at >= base) {
        at = profile_fit(d.all, at, (int32_t)q->need, q->duration);
        if (at_once(&d, at))
            return learn(&d, at, base);
    }
    find_late_bidders(&d);
    find_big(&d);
    return learn(&d, search(&d, at, TIME_NEVER, base), base);
}
