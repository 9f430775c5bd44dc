/* SPDX-License-Identifier: Apache-2.0
 * Gains in order of time, and looks at single pools. */
#include "plan/counted/search.h"

#include <string.h>

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
    vec_fini(&m->caps);
    vec_fini(&m->merged_free);
    bands_fini(&m->bands);
    vec_fini(&m->spans);
    vec_fini(&m->stretches);
    free(m);
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

int64_t search_offer_in(struct search *q, struct pool *pool, int64_t start, int64_t end)
{
    int64_t more, units = 0;

    if (!closures_closed(q->ct->closures, q->access, pool->rsvset, start, end, &more))
        units = count_least(q->ct, pool, start, end, &more);
    if (units < 0)
        units = 0;
    search_gain(q, more, pool->total - units);
    return units;
}

/* What a group of pools does; stops counting at `enough`. */
static int64_t offer_group(
    struct search *q, const struct group *g, int64_t start, int64_t end, int64_t enough)
{
    struct counted *ct = q->ct;
    struct pool *merged =
        g->merged == INDEX_NONE ? NULL : pools_merged(ct->pools, g->merged);
    int64_t sum = 0, most = INT64_MAX, more = TIME_NEVER;

    if (pools_at(ct->pools, q->s->pools.v[g->first].pool)->by_node)
        return 0;
    if (merged && start >= merged->from)
        return search_offer_in(q, merged, start, end);
    if (merged && end > merged->from)
        most = count_least(ct, merged, start, end, &more);
    for (uint32_t i = 0; i < g->n && sum < enough && sum < most; i++)
        sum += search_offer_in(
            q, pools_at(ct->pools, q->s->pools.v[g->first + i].pool), start, end);
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

int64_t search_free_at(struct counted *ct, const struct fitset *s, uint32_t access,
    int64_t start, int64_t end, int64_t enough)
{
    struct search q = {.ct = ct, .s = s, .access = access, .need = enough};

    return sum_offers(&q, start, end);
}

int64_t search_fit_in(
    const struct search *q, struct pool *pool, int64_t at, int64_t before, int32_t need)
{
    struct counted *ct = q->ct;
    struct pool *merged = pools_merged_of(ct->pools, pool);
    int64_t until;

    while (at < before) {
        at = profile_fit_before(work_of(ct, pool), at, before, need, q->duration);
        int64_t then = at;
        if (at < before && merged)
            then =
                profile_fit_before(work_of(ct, merged), at, before, need, q->duration);
        if (then < before
            && closures_closed(ct->closures, q->access, pool->rsvset, then,
                time_add(then, q->duration), &until))
            then = until;
        if (then == at)
            break;
        at = then;
    }
    return at;
}

void search_look(struct search *q, struct pool *pool, int64_t at, struct pool_offer *io)
{
    int64_t end = time_add(at, q->duration);
    bool again = io->seen > INT64_MIN;

    if (closures_closed(q->ct->closures, q->access, pool->rsvset, at, end, &io->more))
        io->units = 0;
    else
        io->units = count_least(q->ct, pool, at, end, &io->more);
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

struct lower_bounds *search_bounds(struct set_offer *r, enum bounds_grain grain)
{
    if (!r->bounds)
        r->bounds = lower_bounds_create(grain);
    if (!r->bounds_valid)
        lower_bounds_clear(r->bounds);
    r->bounds_valid = true;
    return r->bounds;
}

void search_forget_bounds(struct counted *ct)
{
    for (size_t i = 0; i < ct->sets.n; i++)
        if (ct->sets.v[i])
            set_memory_forget_bounds(ct->sets.v[i]);
}
