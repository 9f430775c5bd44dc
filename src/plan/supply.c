/* SPDX-License-Identifier: Apache-2.0
 * See supply.h. */
#include "plan/supply.h"

#include "plan/floating.h"
#include "plan/plan_private.h"

void supply_begin(struct plan *p, struct wishes *ret)
{
    check_answerable(p);
    ret->now = p->now;
    wishes_clear(ret);
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

/* Where no reservation lets it in, it sees what everybody does. */
static uint32_t find_wall(
    struct plan *p, uint32_t access, uint32_t rsvset, struct wishes *io)
{
    struct closures *cl = p->closures;
    uint32_t number,
        seen = closures_has_grant(cl, access, rsvset) ? access : ACCESS_NOWHERE;
    uint64_t key = (uint64_t)seen << 32 | rsvset;
    int64_t at = p->now, open_at;

    if (wishes_wall(io, key, &number))
        return number;
    struct profile *open = wishes_add_wall(io, key, &number);
    while ((at = closures_next(cl, access, rsvset, at)) < TIME_NEVER
           && closures_closed(cl, access, rsvset, at, at + 1, &open_at)) {
        profile_claim(open, at, open_at, 1);
        at = open_at;
    }
    return number;
}

bool supply_set(struct plan *p, const struct job *j, const struct fitset *s,
    struct wishes *io, uint32_t *ret_set)
{
    uint32_t access = plan_access(p, j);
    struct part_set set = {0};

    /* what is closed to a confined one depends on where it begins */
    if (s->pools.n > WISH_PARTS_MAX || closures_is_confined(p->closures, access))
        return false;
    for (size_t i = 0; i < s->pools.n; i++) {
        const struct pool *pool = pools_at(p->pools, s->pools.v[i].pool);
        if (pool->rsvset == INDEX_NONE) /* it is taken node by node */
            return false;
        if (pool->rsvset)
            set.wall[set.n] = find_wall(p, access, pool->rsvset, io);
        set.part[set.n++] = pool->index;
    }
    *ret_set = wishes_set(io, &set);
    return true;
}

bool supply_wish(struct plan *p, const struct job *j, uint32_t partition,
    struct wishes *io, struct wish *ret)
{
    const struct fitset *s = fits_for(p->fits, j, partition);

    if (!s || j->nreqs != 1 || floating_wanted(p, j) || fitset_has_by_node(p->pools, s)
        || !supply_set(p, j, s, io, &ret->set))
        return false;
    ret->units = (int32_t)j->reqs[0].tasks;
    ret->duration_s = plan_duration(s, j);
    return true;
}
