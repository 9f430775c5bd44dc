/* SPDX-License-Identifier: Apache-2.0
 * What was reserved for a job, lifted out of the plan while another place is looked
 * for, and laid back where none is better. */
#include "base/xalloc.h"
#include "plan/bynode/single.h"
#include "plan/floating.h"
#include "plan/plan_private.h"

struct lifted_rsv {
    struct slot slot;
    struct rsv rsv; /* with its own lists */
};

struct lifted_rsv *plan_lift(struct plan *p, const struct job *j)
{
    const struct rsv *r = rsvtable_of(p->reserved, j->index);
    struct lifted_rsv *l = NULL;

    if (r && r->alloc.n) {
        l = xcalloc(1, sizeof *l);
        l->slot.at = r->start_at;
        l->slot.partition = rsvtable_planned(p->reserved, j->index)->partition;
        l->rsv.end_at = r->end_at;
        l->rsv.fitset = r->fitset;
        for (size_t i = 0; i < r->parts.n; i++)
            vec_push(&l->rsv.parts, r->parts.v[i]);
        for (size_t i = 0; i < r->alloc.n; i++)
            vec_push(&l->rsv.alloc, r->alloc.v[i]);
    }
    plan_unreserve(p, j);
    return l;
}

int64_t lifted_rsv_at(const struct lifted_rsv *l)
{
    return l->slot.at;
}

void lifted_rsv_free(struct lifted_rsv *l)
{
    if (!l)
        return;
    vec_fini(&l->rsv.parts);
    vec_fini(&l->rsv.alloc);
    free(l);
}

/* Tasks that it had on the node; 0 = of several requests, which is not asked for. */
static uint32_t tasks_of(const struct lifted_rsv *l, const struct alloc *a)
{
    uint32_t sum = 0;

    for (size_t i = 0; i < l->rsv.alloc.n; i++) {
        const struct alloc *other = &l->rsv.alloc.v[i];
        if (other->first + other->count <= a->first
            || a->first + a->count <= other->first)
            continue;
        if (other->req != a->req)
            return 0;
        sum += other->tasks;
    }
    return sum;
}

static bool piece_is_free(struct plan *p, const struct job *j,
    const struct lifted_rsv *l, size_t piece, const struct span *when)
{
    static const struct without nothing = {0};
    const struct alloc *a = &l->rsv.alloc.v[piece];
    const struct asker by = {p->bynode, j, j->reqs[a->req].def, &nothing};
    uint32_t tasks = tasks_of(l, a);

    for (uint32_t n = a->first; tasks && n < a->first + a->count; n++)
        if (!pools_of_node(p->pools, n)
            || single_tasks(&by, node_at(p->c, n), when->start, when->end) < tasks)
            return false;
    return tasks > 0;
}

static bool is_free(struct plan *p, const struct job *j, const struct lifted_rsv *l,
    const struct span *when)
{
    for (size_t i = 0; i < l->rsv.alloc.n; i++)
        if (!piece_is_free(p, j, l, i, when))
            return false;
    for (size_t i = 0; i < l->rsv.parts.n; i++) {
        struct pool *pool = pools_part(p->pools, l->rsv.parts.v[i].pool);
        if (count_least(p->counted, pool, when->start, when->end, NULL)
            < l->rsv.parts.v[i].units)
            return false;
    }
    return !floating_wanted(p, j) || floating_fits(p, j, when->start, when->end);
}

bool plan_place_lifted(
    struct plan *p, const struct job *j, const struct lifted_rsv *l, struct allocs *ret)
{
    const int64_t now = p->now;
    const struct span when = {now, time_add(now, l->rsv.end_at - l->slot.at)};

    ret->n = 0;
    if (l->rsv.parts.n || !is_free(p, j, l, &when))
        return false;
    for (size_t i = 0; i < l->rsv.alloc.n; i++)
        vec_push(ret, l->rsv.alloc.v[i]);
    return true;
}

bool plan_lay_back(struct plan *p, const struct job *j, const struct lifted_rsv *l)
{
    const struct span when = {l->slot.at, l->rsv.end_at};

    if (!is_free(p, j, l, &when))
        return false;
    struct rsv *r = rsvtable_add(p->reserved, j->index, &l->slot);

    r->end_at = l->rsv.end_at;
    r->fitset = l->rsv.fitset;
    for (size_t i = 0; i < l->rsv.alloc.n; i++)
        vec_push(&r->alloc, l->rsv.alloc.v[i]);
    for (size_t i = 0; i < l->rsv.parts.n; i++)
        reserve_part(p->counted, r, &l->rsv.parts.v[i]);
    pintable_add(p->pins, r);
    p->validity.changes++;
    p->validity.confirmed = rsvtable_count(p->reserved);
    p->version++;
    return true;
}
