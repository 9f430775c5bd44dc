/* SPDX-License-Identifier: Apache-2.0
 * Which pools a reservation takes its units of, and in which order. */
#include "plan/counted/reserve.h"

#include "plan/counted/search.h"
#include "plan/counted/small_pools.h"

#include <assert.h>

void reserve_look_anew(struct counted *ct)
{
    count_forget(ct);
    search_forget_bounds(ct);
    ++*ct->version;
}

void reserve_recount(struct counted *ct)
{
    count_hold_none(ct);
    reserve_look_anew(ct);
    for (uint32_t i = 0; i < rsvtable_count(ct->reserved); i++) {
        const struct rsv *r = rsvtable_row(ct->reserved, i);
        for (size_t k = 0; r && k < r->parts.n; k++)
            count_hold(ct, pools_part(ct->pools, r->parts.v[k].pool), r->start_at);
    }
}

static void add_part(
    struct counted *ct, struct rsv *r, struct pool *pool, int32_t units)
{
    if (r->start_at >= pool->to || r->end_at <= pool->from)
        return;
    count_take(ct, pool, r->start_at, r->end_at, units);
    for (size_t k = 0; k < r->parts.n; k++)
        if (r->parts.v[k].pool == pool->part) {
            r->parts.v[k].units += units;
            return;
        }
    vec_push(&r->parts, ((struct part){pool->part, units}));
    count_hold(ct, pool, r->start_at);
}

/* Reserve up to `need` units of one pool of the set; returns how many. */
static int64_t reserve_in(
    struct counted *ct, struct rsv *r, struct pool *pool, uint32_t access, int64_t need)
{
    struct pool *merged = pools_merged_of(ct->pools, pool);
    bool after_merge = merged && r->start_at >= merged->from;
    uint32_t rsvset = after_merge ? merged->rsvset : pool->rsvset;
    const struct fitset *s = fits_set(ct->fits, r->fitset);
    bool sure =
        s->pools.n == 1 || (after_merge && s->groups.n == 1); /* as just found */

    if (closures_closed(ct->closures, access, rsvset, r->start_at, r->end_at, NULL))
        return 0;
    int64_t have = sure ? need : INT64_MAX;
    if (!sure && !after_merge)
        have = count_least(ct, pool, r->start_at, r->end_at, NULL);
    if (!sure && merged && r->end_at > merged->from && have > 0) {
        int64_t then = count_least(ct, merged, r->start_at, r->end_at, NULL);
        have = then < have ? then : have;
    }
    if (have <= 0)
        return 0;
    int32_t units = (int32_t)(have < need ? have : need);
    add_part(ct, r, pool, units);
    if (merged)
        add_part(ct, r, merged, units);
    return units;
}

/* A reservation that is being made in counted pools. */
struct taking {
    const struct job *j;
    struct rsv *r;
    const struct fitset *s;
    struct set_memory *m; /* of the set */
    uint32_t access;
    int64_t need;
    bool open;   /* which small pools have something is known */
    bool grants; /* some reservation lets it in meanwhile */
};

/* From then on the pools of the group are one: the first stands for all. */
static bool is_merged(
    const struct counted *ct, const struct taking *t, const struct group *g)
{
    return g->merged != INDEX_NONE
           && t->r->start_at >= pools_merged(ct->pools, g->merged)->from;
}

static enum affinity affinity_of(
    struct counted *ct, const struct taking *t, const struct pool *pool)
{
    const struct node *n = node_at(ct->c, pool->nodes.v[0]);

    return rsvview_affinity(ct->view, t->j, n, t->r->start_at, t->r->end_at);
}

/* Pools of the set that have a reservation that lets the job in. */
static struct set_offer *find_grants(struct counted *ct, struct taking *t)
{
    struct set_offer *offer = set_memory_offer(t->m, t->access);

    for (uint32_t k = 0; !offer->grants_known && k < t->s->groups.n; k++) {
        const struct group *g = &t->s->groups.v[k];
        for (uint32_t i = g->first; i < g->first + g->n; i++) {
            uint32_t rsvset = pools_at(ct->pools, t->s->pools.v[i].pool)->rsvset;
            if (rsvset != INDEX_NONE
                && closures_has_grant(ct->closures, t->access, rsvset))
                vec_push(&offer->grants, ((struct place_in_set){k, i}));
        }
    }
    offer->grants_known = true;
    return offer;
}

/* From pools to which the job has that affinity. */
static void take_attracted(struct counted *ct, struct taking *t, enum affinity level)
{
    const struct set_offer *offer = find_grants(ct, t);

    for (size_t i = 0; i < offer->grants.n && t->need > 0; i++) {
        const struct place_in_set *x = &offer->grants.v[i];
        const struct group *g = &t->s->groups.v[x->group];
        uint32_t pool = t->s->pools.v[x->at].pool;
        if (pools_at(ct->pools, pool)->by_node
            || (is_merged(ct, t, g) && x->at != g->first))
            continue;
        if (affinity_of(ct, t, pools_at(ct->pools, pool)) == level)
            t->need -=
                reserve_in(ct, t->r, pools_at(ct->pools, pool), t->access, t->need);
    }
}

/* From a pool, if the job has no affinity to it. */
static void take_other(struct counted *ct, struct taking *t, struct pool *pool)
{
    if (pool->by_node)
        return;
    if (t->grants && closures_has_grant(ct->closures, t->access, pool->rsvset)
        && affinity_of(ct, t, pool) != AFFINITY_NONE)
        return;
    t->need -= reserve_in(ct, t->r, pool, t->access, t->need);
}

/* The same of small pools, most of which have nothing. The job has no access where it
 * has no affinity. */
static void take_small(struct counted *ct, struct taking *t)
{
    const struct bitset *open = small_pools_open(ct, t->r->start_at, t->r->end_at);

    for (uint32_t i = bitset_next(open, 0); i != BITSET_NONE && t->need > 0;
         i = bitset_next(open, i + 1))
        if (t->m->small.group_of.v[pools_at(ct->pools, i)->merged] != INDEX_NONE)
            take_other(ct, t, pools_at(ct->pools, i));
}

/* ---- from pools of several kinds ---- */

static int compare_askers(const void *a, const void *b)
{
    const struct asked_pool *x = a, *y = b;

    if (x->sets != y->sets)
        return x->sets < y->sets ? -1 : 1;
    return (x->pool > y->pool) - (x->pool < y->pool);
}

/* The pools of the set, those first that the fewest other requests could use. Any may
 * be planned by node, as from the next request on. */
static const struct asked_pools *least_asked(
    struct counted *ct, const struct fitset *s, struct set_memory *m)
{
    if (m->order_of == fits_sets(ct->fits))
        return &m->order;
    m->order_of = fits_sets(ct->fits);
    m->order.n = 0;
    for (size_t i = 0; i < s->pools.n; i++) {
        uint32_t pool = s->pools.v[i].pool, sets = 0;
        for (size_t k = 0; k < fits_sets(ct->fits); k++)
            for (size_t n = 0; n < fits_set(ct->fits, k)->pools.n; n++)
                sets += fits_set(ct->fits, k)->pools.v[n].pool == pool;
        vec_push(&m->order, ((struct asked_pool){sets, pool}));
    }
    if (m->order.n)
        qsort(m->order.v, m->order.n, sizeof *m->order.v, compare_askers);
    return &m->order;
}

/* Units that come free later are taken first: those that are free now serve who can
 * start now. Pools that the fewest requests can use go before others. */
static void take_by_kind(struct counted *ct, struct taking *t)
{
    const struct asked_pools *order = least_asked(ct, t->s, t->m);

    for (size_t i = 0; i < order->n && t->need > 0; i++) {
        struct pool *pool = pools_at(ct->pools, order->v[i].pool);
        if (pool->by_node)
            continue;
        int64_t here = count_least(ct, pool, t->r->start_at, t->r->end_at, NULL);
        int64_t now = count_least(ct, pool, *ct->now, t->r->end_at, NULL);
        int64_t delayed = here - (now > 0 ? now : 0);
        delayed = delayed < t->need ? delayed : t->need;
        if (delayed > 0)
            add_part(ct, t->r, pool, (int32_t)delayed);
        t->need -= delayed > 0 ? delayed : 0;
    }
    for (size_t i = 0; i < order->n && t->need > 0; i++) {
        struct pool *pool = pools_at(ct->pools, order->v[i].pool);
        if (!pool->by_node)
            t->need -= reserve_in(ct, t->r, pool, t->access, t->need);
    }
}

/* From all pools to which it has none. */
static void take_others(struct counted *ct, struct taking *t)
{
    if (closures_sets(ct->closures) <= 1 && t->s->pools.n > 1) {
        take_by_kind(ct, t);
        return;
    }
    for (size_t i = 0; t->open && i < t->m->small.large.n && t->need > 0; i++)
        take_other(ct, t, pools_at(ct->pools, t->m->small.large.v[i]));
    if (t->open) {
        take_small(ct, t);
        return;
    }
    for (size_t k = 0; k < t->s->groups.n && t->need > 0; k++) {
        const struct group *g = &t->s->groups.v[k];
        uint32_t n = is_merged(ct, t, g) ? 1 : g->n;
        for (uint32_t i = g->first; i < g->first + n && t->need > 0; i++)
            take_other(ct, t, pools_at(ct->pools, t->s->pools.v[i].pool));
    }
}

void reserve_units(struct counted *ct, const struct job *j, struct rsv *r, int64_t need)
{
    const struct fitset *s = fits_set(ct->fits, r->fitset);
    struct taking t = {.j = j,
        .r = r,
        .s = s,
        .m = memory_of(ct, s),
        .access = closures_access(ct->closures, j, *ct->now),
        .need = need};

    r->parts.n = 0;
    t.open = t.access < ACCESS_NOWHERE && r->start_at < pools_merge_at(ct->pools)
             && small_pools_of_set(ct, s, t.m)->deep && small_pools_settled(ct)
             && !closures_is_confined(ct->closures, t.access);
    t.grants = closures_grant_during(ct->closures, t.access, r->start_at, r->end_at);
    if (t.grants) {
        take_attracted(ct, &t, AFFINITY_POSITIVE);
        take_attracted(ct, &t, AFFINITY_NEUTRAL);
    }
    take_others(ct, &t);
    if (t.grants)
        take_attracted(ct, &t, AFFINITY_NEGATIVE);
    assert(t.need == 0);
}

/* Has it so many throughout, as far as it is there then? */
static bool has_units(
    struct counted *ct, const struct rsv *r, struct pool *pool, int32_t units)
{
    return r->start_at >= pool->to || r->end_at <= pool->from
           || count_least(ct, pool, r->start_at, r->end_at, NULL) >= units;
}

bool reserve_in_pool(struct counted *ct, const struct job *j, struct rsv *r,
    struct pool *pool, int32_t units)
{
    uint32_t access = closures_access(ct->closures, j, *ct->now);
    struct pool *merged = pools_merged_of(ct->pools, pool);

    if (closures_closed(
            ct->closures, access, pool->rsvset, r->start_at, r->end_at, NULL)
        || !has_units(ct, r, pool, units)
        || (merged && !has_units(ct, r, merged, units)))
        return false;
    add_part(ct, r, pool, units);
    if (merged)
        add_part(ct, r, merged, units);
    return true;
}

void reserve_part(struct counted *ct, struct rsv *r, const struct part *part)
{
    add_part(ct, r, pools_part(ct->pools, part->pool), part->units);
}

static void give_units_back(struct counted *ct, struct rsv *r)
{
    for (size_t i = 0; i < r->parts.n; i++)
        count_let_go(ct, pools_part(ct->pools, r->parts.v[i].pool), r->start_at,
            r->end_at, r->parts.v[i].units);
    r->parts.n = 0;
}

void reserve_give_back(struct counted *ct, struct rsv *r)
{
    give_units_back(ct, r);
    search_forget_bounds(ct);
}

void reserve_hand_over(struct counted *ct, struct rsv *r)
{
    for (size_t i = 0; i < r->parts.n; i++) /* none: it has made way before */
        vec_push(&r->handed, r->parts.v[i]);
    give_units_back(ct, r);
}

void reserve_take_again(struct counted *ct, struct rsv *r)
{
    for (size_t i = 0; i < r->handed.n; i++)
        reserve_part(ct, r, &r->handed.v[i]);
    r->handed.n = 0;
}

/* Has the job started in the pools where it was planned? */
static bool went_as_planned(
    const struct counted *ct, const struct job *j, const struct rsv *r)
{
    if (fits_set(ct->fits, r->fitset)->pools.n == 1)
        return true;
    for (size_t i = 0; i < r->handed.n; i++) {
        const struct part *part = &r->handed.v[i];
        if (part->pool < pools_count(ct->pools)
            && pool_units_of(j, pools_at(ct->pools, part->pool)) != part->units)
            return false;
    }
    return true;
}

bool reserve_handed_over(struct counted *ct, const struct job *j, const struct rsv *r)
{
    bool same =
        r->start_at == *ct->now && r->end_at == j->end_at && went_as_planned(ct, j, r);

    if (!same) /* else bounds on others still hold */
        search_forget_bounds(ct);
    return same;
}
