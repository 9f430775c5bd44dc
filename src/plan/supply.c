/* SPDX-License-Identifier: Apache-2.0
 * See supply.h. */
#include "plan/supply.h"

#include "plan/floating.h"
#include "plan/plan_private.h"

void supply_begin(struct plan *p, struct wishes *ret)
{
    ret->now = p->now;
    ret->sets.n = ret->v.n = 0;
    for (uint32_t i = 0; i < pools_count(p->pools); i++) {
        const struct pool *pool = pools_at(p->pools, i);
        if (i >= ret->parts.n) {
            vec_push(&ret->parts, ((struct profile){0}));
            profile_init(&ret->parts.v[i]);
        }
        if (pool->by_node)
            profile_reset(&ret->parts.v[i], p->now, 0);
        else
            count_base(p->counted, pool, &ret->parts.v[i]);
    }
    for (; ret->parts.n > pools_count(p->pools); ret->parts.n--)
        profile_fini(&ret->parts.v[ret->parts.n - 1]);
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

static uint32_t find_set(struct wishes *io, const struct part_set *set)
{
    for (uint32_t i = 0; i < io->sets.n; i++)
        if (io->sets.v[i].n == set->n
            && memcmp(io->sets.v[i].part, set->part, set->n * sizeof *set->part) == 0)
            return i;
    vec_push(&io->sets, *set);
    return (uint32_t)io->sets.n - 1;
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
    ret->set = find_set(io, &set);
    return true;
}
