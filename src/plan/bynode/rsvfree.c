/* SPDX-License-Identifier: Apache-2.0
 * What a node can give to a reservation that is not a job's: configured amounts less
 * jobs that may not use it, and less other reservations it must not lie on. Source:
 * reference reservations 5.2. */
#include "plan/bynode/rsvfree.h"

#include "plan/bynode/bynode_private.h"
#include "plan/floating.h"
#include "plan/plan_private.h"
#include "plan/rsvnodes.h"

/* Units that each pool, then each merged pool, can still give; INT64_MAX = all it has.
 */
struct budget VEC(int64_t);

void budget_destroy(struct budget *b)
{
    if (!b)
        return;
    vec_fini(b);
    free(b);
}

void plan_rsv_begin(struct plan *p, const struct reservation *r)
{
    check_answerable(p);
    if (!p->budget)
        p->budget = xcalloc(1, sizeof *p->budget);
    p->budget->n = 0;
    for (uint32_t i = 0; i < pools_parts(p->pools); i++) {
        struct pool *pool = pools_part(p->pools, i);
        int64_t units = INT64_MAX;
        if (!pool->by_node && pool->nrsv > 0)
            units = profile_min(count_work(p->counted, pool), r->start_at, r->end_at);
        vec_push(p->budget, units);
    }
}

/* Of so many tasks on the node, those that the budget leaves; they are taken off it. */
static int64_t spend(struct plan *p, const struct reservation *r, const struct node *n,
    const struct pool *pool, int64_t k)
{
    int64_t procs = r->def.per_task.v[RES_PROCS];
    int64_t each = procs < 0 ? n->cfg.v[RES_PROCS] : procs;
    int64_t units = each > 0 && pool->unit ? (each + pool->unit - 1) / pool->unit : 0;
    int64_t *budget[2] = {&p->budget->v[pool->index], NULL};

    if (pool->merged != INDEX_NONE)
        budget[1] = &p->budget->v[pools_count(p->pools) + pool->merged];
    for (int i = 0; i < 2 && units > 0; i++)
        if (budget[i] && *budget[i] != INT64_MAX && k > *budget[i] / units)
            k = *budget[i] / units;
    for (int i = 0; i < 2; i++)
        if (budget[i] && *budget[i] != INT64_MAX)
            *budget[i] -= k * units;
    return k;
}

/* Does the job keep its resources from the reservation? */
static bool in_the_way(struct plan *p, const struct reservation *r, const struct job *j)
{
    if (r->exclusive)
        return true;
    int64_t overlap = acl_overlap(r, occupant_start(p, j), occupant_end(p, j));

    return !acl_decide_job(p->c, (struct reservation *)r, j, overlap).granted;
}

static struct res used_at(
    struct plan *p, const struct reservation *r, const struct node *n, int64_t at)
{
    const struct rsv_list *list = reservations_on(p->c, n->index);
    const struct asker nobody = asker_of(p, NULL, NULL);
    struct occupants *all = &p->bynode->occupants;
    struct res used = {{0}};

    occupants_at(&nobody, n, at, all);
    for (size_t i = 0; i < all->n; i++)
        if (in_the_way(p, r, all->v[i].job))
            res_add(&used, &all->v[i].amount, 1);
    for (size_t i = 0; i < list->n; i++) {
        const struct reservation *other = p->c->reservations.v[list->v[i].rsv];
        if (other == r || !reservation_is_live(other) || other->start_at > at
            || other->end_at <= at || !rsvnodes_conflict(r, other))
            continue;
        struct res amount = reservation_amount(other, n, list->v[i].tasks);
        res_add(&used, &amount, 1);
    }
    return used;
}

static int64_t tasks_at(
    struct plan *p, const struct reservation *r, const struct node *n, int64_t at)
{
    struct res have = n->cfg, used = used_at(p, r, n, at);

    for (int i = 0; i < RES_DIMS; i++) {
        if (used.v[i] > 0 && (r->flags & RSV_DEDICATEDNODE))
            return 0;
        have.v[i] = have.v[i] > used.v[i] ? have.v[i] - used.v[i] : 0;
    }
    return res_tasks(&have, &n->cfg, &r->def.per_task);
}

/* Instants inside the window at which something on the node begins. */
static int64_t tasks_over(struct plan *p, const struct reservation *r,
    const struct node *n, int64_t start, int64_t end)
{
    const struct rsv_list *list = reservations_on(p->c, n->index);
    const struct pins *pins = pins_of(p, n->index);
    int64_t k = tasks_at(p, r, n, start);

    for (size_t i = 0; k > 0 && pins && i < pins->v.n; i++) {
        int64_t at = pins->v.v[i].start_at;
        int64_t then = at > start && at < end ? tasks_at(p, r, n, at) : k;
        k = then < k ? then : k;
    }
    for (size_t i = 0; k > 0 && i < list->n; i++) {
        int64_t at = p->c->reservations.v[list->v[i].rsv]->start_at;
        int64_t then = at > start && at < end ? tasks_at(p, r, n, at) : k;
        k = then < k ? then : k;
    }
    return k;
}

uint32_t plan_rsv_tasks(
    void *plan, const struct reservation *r, uint32_t node, int64_t start, int64_t end)
{
    struct plan *p = plan;
    const struct node *n = node_at(p->c, node);
    struct pool *pool = pools_of_node(p->pools, node);
    int64_t k = tasks_over(p, r, n, start, end);

    if (k > 0 && pool && p->budget && p->budget->n == pools_parts(p->pools))
        k = spend(p, r, n, pool, k);
    return k > 0 ? (uint32_t)(k < UINT32_MAX ? k : UINT32_MAX) : 0;
}

int64_t plan_rsv_next(const struct plan *p, int64_t after)
{
    int64_t next = floating_next(p, after);

    for (size_t i = 0; i < p->c->reservations.n; i++) {
        const struct reservation *r = p->c->reservations.v[i];
        if (r && reservation_is_live(r) && r->end_at > after && r->end_at < next)
            next = r->end_at;
    }
    return next;
}
