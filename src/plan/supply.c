/* SPDX-License-Identifier: Apache-2.0
 * See supply.h. */
#include "plan/supply.h"

#include "plan/floating.h"
#include "plan/plan_private.h"

void supply_begin(struct plan *p, struct wishes *ret)
{
    check_answerable(p);
    ret->now = p->now;
    ret->sets.n = ret->under.n = ret->v.n = 0;
    ret->limits_at = 0;
}

static void take_reserved(struct plan *p, const struct rsv *r, struct wishes *io)
{
    for (size_t i = 0; i < r->parts.n; i++) {
        const struct pool *pool = pools_part(p->pools, r->parts.v[i].pool);
        if (pool->from <= p->now)
            profile_claim(
                &io->parts.v[pool->index], r->start_at, r->end_at, r->parts.v[i].units);
    }
}

void supply_parts(struct plan *p, const struct bitset *jobs, struct wishes *io)
{
    uint32_t n = pools_count(p->pools);

    for (; io->parts.n > n; io->parts.n--)
        profile_fini(&io->parts.v[io->parts.n - 1]);
    while (io->parts.n < n)
        vec_push(&io->parts, ((struct profile){0}));
    for (uint32_t i = 0; i < n; i++) {
        const struct pool *pool = pools_at(p->pools, i);
        if (pool->by_node)
            profile_reset(&io->parts.v[i], p->now, 0);
        else
            count_base(p->counted, pool, &io->parts.v[i]);
    }
    for (uint32_t i = 0; i < rsvtable_count(p->reserved); i++) {
        const struct rsv *r = rsvtable_row(p->reserved, i);
        if (r && !bitset_test(jobs, r->job))
            take_reserved(p, r, io);
    }
}

static bool set_is_plain(const struct plan *p, const struct fitset *s)
{
    if (fitset_has_by_node(p->pools, s) || s->pools.n > WISH_PARTS_MAX)
        return false;
    for (size_t i = 0; i < s->pools.n; i++)
        if (pools_at(p->pools, s->pools.v[i].pool)->rsvset)
            return false;
    return true;
}

bool supply_wish(struct plan *p, const struct job *j, uint32_t partition,
    struct wishes *io, struct wish *ret)
{
    const struct fitset *s = fits_for(p->fits, j, partition);
    struct part_set set = {0};

    if (!s || j->nreqs != 1 || !set_is_plain(p, s) || floating_wanted(p, j))
        return false;
    for (size_t i = 0; i < s->pools.n; i++)
        set.part[set.n++] = s->pools.v[i].pool;
    ret->units = (int32_t)j->reqs[0].tasks;
    ret->duration_s = plan_duration(s, j);
    ret->set = wishes_set(io, &set);
    return true;
}
