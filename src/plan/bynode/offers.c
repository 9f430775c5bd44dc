/* SPDX-License-Identifier: Apache-2.0
 * All nodes of a set, asked one by one, and the choice among them. */
#include "plan/bynode/offers.h"

#include "cluster/folded.h"
#include "cluster/partition.h"
#include "plan/bynode/bynode_private.h"
#include "plan/bynode/single.h"
#include "plan/counted/place.h"
#include "plan/counted/search.h"
#include "plan/feasible.h"

#include <string.h>

struct offers *offers_find(
    struct bynode *b, const struct job *j, uint32_t set, int64_t start, int64_t end)
{
    const struct taskdef *def = j->reqs[0].def;
    const struct asker by = asker_of(b, j, def);
    const struct fitset *s = fits_set(b->fits, set);
    const bool hosts_only = feasible_hosts_only(b->c, &j->reqs[0]);
    struct offers *o = &b->offers;

    while (o->tasks.n < b->c->nodes.n)
        vec_push(&o->tasks, 0);
    o->reserved.n = 0;
    o->sum = 0;
    memset(o->tasks.v, 0, o->tasks.n * sizeof *o->tasks.v);
    for (size_t i = 0; i < s->pools.n; i++) {
        const struct pool *pool = pools_at(b->pools, s->pools.v[i].pool);
        if (!pool->by_node)
            continue;
        for (size_t k = 0; k < pool->nodes.n; k++) {
            const struct node *n = node_at(b->c, pool->nodes.v[k]);
            uint32_t tasks = 0;
            if (pintable_on(b->pins, n->index)
                || reservations_on(b->c, n->index)->n > 0)
                vec_push(&o->reserved, n->index);
            else if (start <= *b->now && !b->without->any_job
                     && !node_has_room(b->c, n->index)
                     && def->per_task.v[RES_PROCS] != 0
                     && n->par->avail[AVAIL_PROCS] != AVAIL_UTILIZED)
                continue;
            if (feasible_listed(b->c, &j->reqs[0], hosts_only, n))
                tasks = single_tasks(&by, n, start, end);
            o->tasks.v[n->index] = tasks;
            o->sum += tasks;
        }
    }
    return o;
}

static void collect_cands(
    struct bynode *b, const struct job *j, const struct fitset *s, int64_t start)
{
    const struct asker by = asker_of(b, j, j->reqs[0].def);
    int64_t end = time_add(start, plan_duration(s, j));

    b->cands.n = 0;
    for (size_t i = 0; i < b->c->nodes.n; i++) {
        const struct node *n = node_at(b->c, i);
        uint32_t tasks = b->offers.tasks.v[i];
        if (!pools_of_node(b->pools, n->index) || tasks == 0)
            continue;
        struct cand cand = {.node = n->index,
            .tasks = tasks,
            .free_until = single_holds_until(&by, n, tasks, start),
            .affinity = rsvview_affinity(b->view, j, n, start, end)};
        vec_push(&b->cands, cand);
    }
}

static struct nodealloc make_choice(const struct bynode *b, const struct job *j,
    const struct fitset *s, const struct req *r, int64_t start)
{
    const struct pool *first = pools_at(b->pools, s->pools.v[0].pool);

    return (struct nodealloc){.c = b->c,
        .j = j,
        .req = r,
        .par = b->c->partitions.v[first->partition]->par,
        .start_at = start,
        .end_at = time_add(start, plan_duration(s, j)),
        .immediate = start <= *b->now};
}

/* Tasks that nodes attracting the job (positive or neutral affinity) offer. */
static int64_t count_attracted(const struct bynode *b)
{
    int64_t sum = 0;

    for (size_t i = 0; i < b->cands.n; i++)
        if (b->cands.v[i].affinity <= AFFINITY_NEUTRAL)
            sum += b->cands.v[i].tasks;
    return sum;
}

bool offers_choose(struct bynode *b, const struct job *j, uint32_t set, int64_t start,
    struct allocs *ret, int64_t *ret_units)
{
    const struct fitset *s = fits_set(b->fits, set);
    int64_t end = time_add(start, plan_duration(s, j));
    int64_t need = j->reqs[0].tasks;
    struct req rest = j->reqs[0];
    enum wait_code code;

    collect_cands(b, j, s, start);
    int64_t counted = fitset_has_counted(b->pools, s) ? search_free_at(b->counted, s,
                          closures_access(b->closures, j, *b->now), start, end, need)
                                                      : 0;
    int64_t first = count_attracted(b);
    *ret_units = counted < need - first ? counted : need - first;
    if (*ret_units < 0)
        *ret_units = 0;
    if (*ret_units == need)
        return true;
    rest.tasks = (uint32_t)(need - *ret_units);
    struct nodealloc a = make_choice(b, j, s, &rest, start);
    return nodealloc_choose(&a, b->cands.v, b->cands.n, ret, &code) == 0;
}

int offers_place_now(struct bynode *b, const struct job *j, uint32_t set,
    struct allocs *ret, enum wait_code *ret_code)
{
    const struct fitset *s = fits_set(b->fits, set);
    int64_t end = time_add(*b->now, plan_duration(s, j));

    offers_find(b, j, set, *b->now, end);
    collect_cands(b, j, s, *b->now);
    if (fitset_has_counted(b->pools, s))
        place_collect_counted(b->counted, j, s, end, &b->cands);
    struct nodealloc a = make_choice(b, j, s, &j->reqs[0], *b->now);
    return nodealloc_choose(&a, b->cands.v, b->cands.n, ret, ret_code);
}
