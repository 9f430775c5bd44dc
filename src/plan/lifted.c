/* SPDX-License-Identifier: Apache-2.0
 * What was reserved for a job, lifted out of the plan while another place is looked
 * for, and laid back where none is better. */
#include "base/xalloc.h"
#include "plan/bynode/asker.h"
#include "plan/bynode/multireq.h"
#include "plan/floating.h"
#include "plan/plan_private.h"

struct lifted_rsv {
    struct slot slot;
    struct rsv rsv; /* with its own lists */
};

static struct lifted_rsv *copy_reservation(const struct plan *p, const struct rsv *r)
{
    struct lifted_rsv *l = xcalloc(1, sizeof *l);

    l->slot.at = r->start_at;
    l->slot.partition = rsvtable_planned(p->reserved, r->job)->partition;
    l->rsv.end_at = r->end_at;
    l->rsv.fitset = r->fitset;
    for (size_t i = 0; i < r->parts.n; i++)
        vec_push(&l->rsv.parts, r->parts.v[i]);
    for (size_t i = 0; i < r->alloc.n; i++)
        vec_push(&l->rsv.alloc, r->alloc.v[i]);
    return l;
}

struct lifted_rsv *plan_lift(struct plan *p, const struct job *j)
{
    const struct rsv *r = rsvtable_of(p->reserved, j->index);
    struct lifted_rsv *l = r && r->alloc.n ? copy_reservation(p, r) : NULL;

    plan_unreserve(p, j);
    return l;
}

struct lifted_rsv *lifted_rest(struct plan *p, const struct job *j)
{
    struct lifted_rsv *l = xcalloc(1, sizeof *l);

    l->slot.partition = node_at(p->c, j->alloc.v[0].first)->partition;
    const struct fitset *s = fits_for(p->fits, j, l->slot.partition);
    l->rsv.fitset = s ? s->number : 0;
    l->rsv.end_at = job_left_s(j);
    for (size_t i = 0; i < j->alloc.n; i++)
        vec_push(&l->rsv.alloc, j->alloc.v[i]);
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

struct on_nodes VEC(struct on_node);

static int compare_on_nodes(const void *a, const void *b)
{
    const struct on_node *x = a, *y = b;

    if (x->node != y->node)
        return x->node < y->node ? -1 : 1;
    return (x->req > y->req) - (x->req < y->req);
}

/* Pieces of one request on one node are one. Sorted. */
static void join_pieces(struct on_nodes *io)
{
    size_t n = 0;

    for (size_t i = 0; i < io->n; i++)
        if (n && compare_on_nodes(&io->v[n - 1], &io->v[i]) == 0)
            io->v[n - 1].tasks += io->v[i].tasks;
        else
            io->v[n++] = io->v[i];
    io->n = n;
}

/* What it had, by node and request, in order. */
static struct on_nodes list_on_nodes(const struct lifted_rsv *l)
{
    struct on_nodes all = {0};

    for (size_t i = 0; i < l->rsv.alloc.n; i++) {
        const struct alloc *a = &l->rsv.alloc.v[i];
        for (uint32_t n = a->first; n < a->first + a->count; n++)
            vec_push(&all, ((struct on_node){n, a->tasks, a->req}));
    }
    if (all.n)
        qsort(all.v, all.n, sizeof *all.v, compare_on_nodes);
    join_pieces(&all);
    return all;
}

/* Behind the pieces that are on the same node as this one. */
static size_t end_of_node(const struct on_nodes *all, size_t i)
{
    size_t next = i;

    while (next < all->n && all->v[next].node == all->v[i].node)
        next++;
    return next;
}

/* Are its nodes free? */
static bool nodes_are_free(struct plan *p, const struct job *j,
    const struct lifted_rsv *l, const struct span *when)
{
    struct on_nodes all = list_on_nodes(l);
    bool is_free = true;

    for (size_t i = 0, next; is_free && i < all.n; i = next) {
        uint32_t node = all.v[i].node;
        next = end_of_node(&all, i);
        is_free = pools_of_node(p->pools, node)
                  && multireq_node_holds(
                      p->bynode, j, node_at(p->c, node), &all.v[i], next - i, when);
    }
    vec_fini(&all);
    return is_free;
}

static bool is_free(struct plan *p, const struct job *j, const struct lifted_rsv *l,
    const struct span *when)
{
    if (!nodes_are_free(p, j, l, when))
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

bool lifted_fits(
    struct plan *p, const struct job *j, const struct lifted_rsv *l, int64_t at)
{
    const struct span when = {at, time_add(at, l->rsv.end_at - l->slot.at)};

    return is_free(p, j, l, &when);
}

static void lay_down(struct plan *p, const struct job *j, const struct lifted_rsv *l)
{
    struct rsv *r = rsvtable_add(p->reserved, j->index, &l->slot);

    r->end_at = l->rsv.end_at;
    r->fitset = l->rsv.fitset;
    for (size_t i = 0; i < l->rsv.alloc.n; i++)
        vec_push(&r->alloc, l->rsv.alloc.v[i]);
    for (size_t i = 0; i < l->rsv.parts.n; i++)
        reserve_part(p->counted, r, &l->rsv.parts.v[i]);
    if (r->alloc.n)
        pintable_add(p->pins, r);
    p->validity.changes++;
    p->validity.confirmed = rsvtable_count(p->reserved);
    p->version++;
}

bool plan_lay_back(struct plan *p, const struct job *j, const struct lifted_rsv *l)
{
    const struct span when = {l->slot.at, l->rsv.end_at};

    if (!is_free(p, j, l, &when))
        return false;
    lay_down(p, j, l);
    return true;
}

bool plan_lay_at(struct plan *p, const struct job *j, struct lifted_rsv *l, int64_t at)
{
    l->rsv.end_at = time_add(at, l->rsv.end_at - l->slot.at);
    l->slot.at = at;
    return plan_lay_back(p, j, l);
}

void plan_move_forward(struct plan *p, const struct job *j, int64_t by)
{
    struct planned old = *plan_reservation_of(p, j);
    struct lifted_rsv *was = copy_reservation(p, rsvtable_of(p->reserved, j->index));
    bool distrusted = p->validity.distrusted;
    struct slot slot;

    plan_unreserve(p, j);
    bool found = plan_fit_by(p, j, p->now, by, &slot);
    if (found && slot.at <= old.start_at)
        plan_reserve(p, j, &slot);
    else if (plan_lay_back(p, j, was))
        slot.at = old.start_at;
    else if (found)
        plan_reserve(p, j, &slot);
    else /* there is no room: as it was, until the next cycle plans anew */
        lay_down(p, j, was);
    distrusted |= !found || slot.at != old.start_at;
    rsvtable_move_last(p->reserved, old.row);
    p->validity.confirmed = rsvtable_count(p->reserved);
    p->validity.distrusted = distrusted;
    lifted_rsv_free(was);
}

/* ---- all of them ---- */

struct plan_kept {
    struct rsvtable *rows;
};

struct plan_kept *plan_keep(const struct plan *p)
{
    struct plan_kept *k = xcalloc(1, sizeof *k);

    k->rows = rsvtable_copy(p->reserved, true);
    return k;
}

void plan_kept_free(struct plan_kept *k)
{
    rsvtable_destroy(k->rows);
    free(k);
}

void plan_lay_all_back(struct plan *p, struct plan_kept *k)
{
    pintable_forget(p->pins);
    rsvtable_swap(p->reserved, k->rows);
    for (uint32_t i = 0; i < rsvtable_count(p->reserved); i++) {
        const struct rsv *r = rsvtable_row(p->reserved, i);
        if (r && r->alloc.n)
            pintable_add(p->pins, r);
    }
    reserve_recount(p->counted);
    p->validity.changes++;
    p->validity.confirmed = rsvtable_count(p->reserved);
    p->version++;
    plan_kept_free(k);
}
