/* SPDX-License-Identifier: Apache-2.0
 * The steps down of all pools of a set, sorted by time and summed. */
#include "plan/counted/from_now.h"

#include "base/xalloc.h"
#include "plan/counted/search.h"

/* Beyond `at` so many units less are free. */
struct drop {
    int64_t at, units;
};
struct drops VEC(struct drop);

/* By time, with Shell's method: there are about a hundred most often. The order of
 * those of one instant makes no difference. */
static void sort_drops(struct counted *ct, size_t first)
{
    static const size_t strides[] = {8929, 3905, 1750, 701, 301, 132, 57, 23, 10, 4, 1};
    size_t n = ct->search->drops.n - first;

    if (n < 2)
        return;
    struct drop *v = ct->search->drops.v + first;
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
static int64_t drops_of(struct counted *ct, struct pool *pool, int64_t closes)
{
    int64_t units = free_now_of(ct, pool), sum;
    const struct free_untils *list = NULL;

    if (closes <= *ct->now || units == 0)
        return 0;
    if (is_reserved(ct, pool)) {
        list = count_free_until(ct, pool);
        units = list->v[0].units;
    }
    if (units < 0) /* a job past its limit has what was kept for another */
        return 0;
    sum = units;
    for (size_t i = 0; list && i + 1 < list->n && units > 0; i++) {
        int64_t at = list->v[i].until, less = list->v[i + 1].units;
        if (at >= closes)
            break;
        less = less > 0 ? less : 0;
        vec_push(&ct->search->drops, ((struct drop){at, units - less}));
        units = less;
    }
    if (units > 0 && closes < TIME_NEVER)
        vec_push(&ct->search->drops, ((struct drop){closes, units}));
    return sum;
}

/* Lower the drops from `first` on to what the merged pool has. */
static void bound_drops(
    struct counted *ct, struct pool *merged, size_t first, int64_t sum)
{
    int64_t have = sum, alone = sum;
    struct drops old = {0};
    size_t i = 0;

    sort_drops(ct, first);
    for (size_t k = first; k < ct->search->drops.n; k++)
        vec_push(&old, ct->search->drops.v[k]);
    ct->search->drops.n = first;
    const struct free_untils *list = count_free_until(ct, merged);
    for (size_t k = 0; k < list->n; k++) {
        /* up to here it has so many */
        int64_t until = list->v[k].until, least = list->v[k].units;
        int64_t since = k ? list->v[k - 1].until : *ct->now;
        if (least < have) {
            vec_push(&ct->search->drops, ((struct drop){since, have - least}));
            have = least;
        }
        for (; i < old.n && old.v[i].at < until; i++) {
            alone -= old.v[i].units;
            if (alone < have) {
                vec_push(
                    &ct->search->drops, ((struct drop){old.v[i].at, have - alone}));
                have = alone;
            }
        }
    }
    vec_fini(&old);
}

/* Processors instead of units. */
static void weigh_drops(
    struct counted *ct, const struct pool *pool, size_t first, int64_t *io)
{
    for (size_t i = first; i < ct->search->drops.n; i++)
        ct->search->drops.v[i].units *= pool->unit;
    *io *= pool->unit;
}

static void build_offer(struct counted *ct, const struct fitset *s, uint32_t access,
    bool weighted, struct set_offer *r)
{
    int64_t sum = 0;

    ct->search->drops.n = 0;
    r->free_until.n = 0;
    for (size_t k = 0; k < s->groups.n; k++) {
        const struct group *g = &s->groups.v[k];
        int64_t group = 0;
        size_t first = ct->search->drops.n;
        for (uint32_t i = 0; i < g->n; i++) {
            struct pool *pool = pools_at(ct->pools, s->pools.v[g->first + i].pool);
            if (!pool->by_node)
                group += drops_of(ct, pool,
                    closures_next(ct->closures, access, pool->rsvset, *ct->now));
        }
        if (g->merged != INDEX_NONE
            && is_reserved(ct, pools_merged(ct->pools, g->merged)))
            bound_drops(ct, pools_merged(ct->pools, g->merged), first, group);
        if (weighted)
            weigh_drops(
                ct, pools_at(ct->pools, s->pools.v[g->first].pool), first, &group);
        sum += group;
    }
    sort_drops(ct, 0);
    for (size_t i = 0; i < ct->search->drops.n;) {
        int64_t at = ct->search->drops.v[i].at;
        vec_push(&r->free_until, ((struct free_until){at, (int32_t)sum}));
        for (; i < ct->search->drops.n && ct->search->drops.v[i].at == at; i++)
            sum -= ct->search->drops.v[i].units;
    }
    vec_push(&r->free_until, ((struct free_until){TIME_NEVER, (int32_t)sum}));
}

/* What the set offers for all ends; `weighted`: processors, not units. */
static const struct free_untils *offer_all(struct counted *ct, const struct fitset *s,
    uint32_t access, bool weighted, struct set_offer *r)
{
    if (r->version != *ct->version)
        build_offer(ct, s, access, weighted, r);
    r->version = *ct->version;
    return &r->free_until;
}

/* One pool's part in from_now_until(). */
static int64_t pool_free_until(
    struct counted *ct, struct pool *pool, uint32_t access, int64_t end)
{
    int64_t units = free_now_of(ct, pool);

    if (pool->by_node || units == 0
        || closures_next(ct->closures, access, pool->rsvset, *ct->now) < end)
        return 0;
    if (is_reserved(ct, pool))
        units = count_least(ct, pool, *ct->now, end, NULL);
    return units > 0 ? units : 0;
}

/* The same for one end alone, without the steps. O(pools). */
static int64_t sum_until(
    struct counted *ct, const struct fitset *s, uint32_t access, int64_t end)
{
    int64_t sum = 0;

    for (size_t k = 0; k < s->groups.n; k++) {
        const struct group *g = &s->groups.v[k];
        int64_t units = 0;
        for (uint32_t i = 0; i < g->n; i++)
            units += pool_free_until(
                ct, pools_at(ct->pools, s->pools.v[g->first + i].pool), access, end);
        if (g->merged != INDEX_NONE
            && is_reserved(ct, pools_merged(ct->pools, g->merged)) && units > 0) {
            int64_t most = count_least(
                ct, pools_merged(ct->pools, g->merged), *ct->now, end, NULL);
            units = most < units ? most : units;
        }
        sum += units > 0 ? units : 0;
    }
    return sum;
}

int64_t from_now_until(
    struct counted *ct, const struct fitset *s, uint32_t access, int64_t end)
{
    struct set_offer *r = set_memory_offer(memory_of(ct, s), access);
    size_t i = 0;

    end = end < TIME_NEVER ? end : TIME_NEVER;
    /* the steps of all ends are not worth while for a single question */
    if (r->version != *ct->version && r->asked != *ct->version) {
        r->asked = *ct->version;
        r->asked_end = end;
        r->asked_units = sum_until(ct, s, access, end);
    }
    if (r->asked == *ct->version && r->asked_end == end)
        return r->asked_units;
    const struct free_untils *all = offer_all(ct, s, access, false, r);
    while (all->v[i].until < end)
        i++;
    return all->v[i].units;
}

/* ---- whole partitions ---- */

struct whole {
    struct fitset set;
    struct set_memory *m;
};

struct whole_partitions {
    struct VEC(struct whole) v; /* by partition */
    uint64_t stamp;             /* of the pools */
};

struct whole_partitions *whole_partitions_create(void)
{
    return xcalloc(1, sizeof(struct whole_partitions));
}

static void forget_wholes(struct whole_partitions *w)
{
    for (size_t i = 0; i < w->v.n; i++) {
        fitset_fini(&w->v.v[i].set);
        set_memory_destroy(w->v.v[i].m);
    }
    w->v.n = 0;
}

void whole_partitions_destroy(struct whole_partitions *w)
{
    forget_wholes(w);
    vec_fini(&w->v);
    free(w);
}

const struct free_untils *from_now_procs(
    struct counted *ct, uint32_t partition, uint32_t access)
{
    struct whole_partitions *w = ct->wholes;

    if (w->stamp != pools_stamp(ct->pools) || w->v.n != ct->c->partitions.n) {
        forget_wholes(w);
        for (uint32_t i = 0; i < ct->c->partitions.n; i++)
            vec_push(&w->v,
                ((struct whole){fits_counted(ct->fits, i), set_memory_create()}));
        w->stamp = pools_stamp(ct->pools);
    }
    struct whole *whole = &w->v.v[partition];
    return offer_all(ct, &whole->set, access, true, set_memory_offer(whole->m, access));
}
