/* SPDX-License-Identifier: Apache-2.0
 * What one node can take throughout an interval: the least at the instants inside at
 * which something begins on it. */
#include "plan/bynode/single.h"

#include "plan/bynode/bynode_private.h"
#include "plan/bynode/kept.h"
#include "plan/nodes/avail.h"

/* ---- at one instant ---- */

/* A node as it is looked at by somebody at one instant. */
struct look {
    const struct asker *by;
    const struct node *n;
    struct node_room *room;
    struct company others;
};

/* Tasks of a request of another job are there, which runs or is to begin. */
static void take_tasks(
    struct look *l, const struct job *other, const struct req *r, uint32_t tasks)
{
    const struct taskdef *theirs = req_def(r);

    room_take(l->room, theirs, l->n, tasks);
    /* measured use decides there, which is known for the present only */
    for (int i = 0; r->held && i < RES_DIMS; i++)
        if (l->n->par->avail[i] == AVAIL_UTILIZED)
            l->room->res.v[i] += taskdef_takes(theirs, &l->n->cfg, i, tasks);
    company_add_procs(&l->others, l->by->j, other,
        taskdef_takes(theirs, &l->n->cfg, RES_PROCS, tasks));
}

/* Memory and swap that a job keeps that is suspended, or thought to be. */
static void take_kept(struct look *l, const struct job *other)
{
    const struct alloc *piece;

    for (size_t k = 0; (piece = job_piece_on(other, l->n->index, &k));)
        for (int i = RES_MEM; i <= RES_SWAP; i++)
            l->room->res.v[i] -=
                taskdef_takes(other->reqs[piece->req].def, &l->n->cfg, i, piece->tasks);
}

static int compare_suspended(const void *a, const void *b)
{
    const struct suspended_on *x = a, *y = b;

    if (x->node != y->node)
        return x->node < y->node ? -1 : 1;
    return (x->job > y->job) - (x->job < y->job);
}

static void list_suspended(struct bynode *b)
{
    b->suspended.n = 0;
    b->suspended_version = *b->version;
    for (size_t i = 0; i < b->c->active.n; i++) {
        const struct job *j = b->c->jobs.v[b->c->active.v[i]];
        for (size_t k = 0; j->state == JOB_SUSPENDED && k < j->alloc.n; k++)
            for (uint32_t n = 0; n < j->alloc.v[k].count; n++)
                vec_push(&b->suspended,
                    ((struct suspended_on){j->alloc.v[k].first + n, j->index}));
    }
    if (b->suspended.n)
        qsort(
            b->suspended.v, b->suspended.n, sizeof *b->suspended.v, compare_suspended);
}

static size_t find_suspended(const struct bynode *b, uint32_t node)
{
    size_t low = 0, high = b->suspended.n;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (b->suspended.v[middle].node < node)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void take_suspended(struct look *l, int64_t at)
{
    struct bynode *b = l->by->b;
    const struct job *last = NULL; /* it may have several pieces there */

    if (!b->c->suspended)
        return;
    if (b->suspended_version != *b->version)
        list_suspended(b);
    for (size_t i = find_suspended(b, l->n->index);
         i < b->suspended.n && b->suspended.v[i].node == l->n->index; i++) {
        const struct job *other = b->c->jobs.v[b->suspended.v[i].job];
        if (other && other != last && other->state == JOB_SUSPENDED && other != l->by->j
            && bynode_kept_until(b, other) > at)
            take_kept(l, other);
        last = other;
    }
}

static void take_job(struct look *l, const struct node_job *on, int64_t at)
{
    const struct job *other = l->by->b->c->jobs.v[on->job];
    const struct alloc *piece;

    if (bynode_job_end(l->by->b, other) <= at || other == l->by->j)
        return;
    if (asker_lacks(l->by, other)) {
        if (l->by->without->keep_memory)
            take_kept(l, other);
        return;
    }
    company_add(&l->others, l->by->j, other);
    if (other->nreqs == 1)
        take_tasks(l, other, &other->reqs[0], on->tasks);
    else
        for (size_t k = 0; (piece = job_piece_on(other, l->n->index, &k));)
            take_tasks(l, other, &other->reqs[piece->req], piece->tasks);
}

static bool pin_holds(const struct pin *pin, int64_t at)
{
    return pin->start_at <= at && at < pin->end_at;
}

static void take_pins(struct look *l, int64_t at)
{
    const struct pins *pins = asker_pins(l->by, l->n->index);

    for (size_t i = 0; pins && i < pins->v.n; i++) {
        const struct pin *pin = &pins->v.v[i];
        const struct job *other = l->by->b->c->jobs.v[pin->job];
        bool counted = false; /* by the pin of another request */
        if (!pin_holds(pin, at) || other == l->by->j)
            continue;
        for (size_t k = 0; k < i && other->nreqs > 1; k++)
            counted |= pins->v.v[k].job == pin->job && pin_holds(&pins->v.v[k], at);
        if (!counted)
            company_add_pinned(&l->others, l->by->j, other);
        take_tasks(l, other, &other->reqs[pin->req], pin->tasks);
    }
}

/* What is free of the node at one instant of the span. */
static void find_room_at(const struct asker *by, const struct node *n,
    const struct span *span, int64_t at, struct node_room *ret)
{
    struct look l = {.by = by, .n = n, .room = ret};
    const struct cluster *c = by->b->c;
    struct node_job on;

    room_of_empty(ret, c, by->def, n);
    for (uint32_t i = 0; node_job_at(c, n, i, &on); i++)
        take_job(&l, &on, at);
    take_pins(&l, at);
    room_meet(ret, c, n, &l.others);
    if (ret->closed)
        return;
    take_suspended(&l, at);
    for (int i = 0; i < RES_DIMS; i++)
        if (ret->res.v[i] < 0)
            ret->res.v[i] = 0;
    kept_take_off(by, n, span, at, &ret->res);
}

static int64_t lesser_of(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Tasks the node can take at the very instant `at` of the span. */
static int64_t tasks_at(
    const struct asker *by, const struct node *n, const struct span *span, int64_t at)
{
    struct node_room *room = &by->b->room;

    find_room_at(by, n, span, at, room);
    return room_tasks(room, by->def, n);
}

/* What the node can take at this moment cannot be asked of one with jobs on it that
 * are only thought away. */
static bool lacks_some(const struct asker *by, const struct node *n)
{
    const struct cluster *c = by->b->c;
    struct node_job on;

    for (uint32_t i = 0; by->without->any_job && node_job_at(c, n, i, &on); i++)
        if (asker_lacks(by, c->jobs.v[on.job]))
            return true;
    return false;
}

uint32_t single_tasks(
    const struct asker *by, const struct node *n, int64_t start, int64_t end)
{
    struct bynode *b = by->b;
    const struct pins *pins = asker_pins(by, n->index);
    const struct span span = {start, end};
    int64_t k = tasks_at(by, n, &span, start);

    if (k > 0 && start <= *b->now && !lacks_some(by, n))
        k = lesser_of(k, avail_tasks_now(b->c, by->j, by->def, n));
    for (size_t i = 0; k > 0 && pins && i < pins->v.n; i++)
        if (pins->v.v[i].start_at > start && pins->v.v[i].start_at < end)
            k = lesser_of(k, tasks_at(by, n, &span, pins->v.v[i].start_at));
    int64_t at = k > 0 ? rsvview_next(b->view, by->j, n, start) : TIME_NEVER;
    for (; k > 0 && at < end; at = rsvview_next(b->view, by->j, n, at))
        k = lesser_of(k, tasks_at(by, n, &span, at));
    return (uint32_t)k;
}

void single_room(const struct asker *by, const struct node *n, const struct span *span,
    struct node_room *ret)
{
    const struct pins *pins = asker_pins(by, n->index);
    struct node_room *then = &by->b->room;

    find_room_at(by, n, span, span->start, ret);
    for (size_t i = 0; pins && i < pins->v.n; i++) {
        int64_t at = pins->v.v[i].start_at;
        if (at <= span->start || at >= span->end)
            continue;
        find_room_at(by, n, span, at, then);
        room_limit(ret, then);
    }
    int64_t at = rsvview_next(by->b->view, by->j, n, span->start);
    for (; at < span->end; at = rsvview_next(by->b->view, by->j, n, at)) {
        find_room_at(by, n, span, at, then);
        room_limit(ret, then);
    }
}

int64_t single_holds_until(
    const struct asker *by, const struct node *n, uint32_t tasks, int64_t start)
{
    const struct pins *pins = asker_pins(by, n->index);
    const struct span span = {start, TIME_NEVER};
    int64_t until = TIME_NEVER;

    for (size_t i = 0; pins && i < pins->v.n; i++) {
        int64_t at = pins->v.v[i].start_at;
        if (at > start && at < until && tasks_at(by, n, &span, at) < tasks)
            until = at;
    }
    int64_t at = rsvview_next(by->b->view, by->j, n, start);
    for (; at < until; at = rsvview_next(by->b->view, by->j, n, at))
        if (tasks_at(by, n, &span, at) < tasks)
            return at;
    return until;
}

/* Processors in use on the node at an instant, by jobs and reservations. */
static int64_t procs_used_at(struct bynode *b, const struct node *n, int64_t at)
{
    const struct asker nobody = asker_of(b, NULL, NULL);
    struct occupants *all = &b->occupants;
    int64_t used = 0;

    occupants_at(&nobody, n, at, all);
    for (size_t i = 0; i < all->n; i++)
        used += all->v[i].amount.v[RES_PROCS];
    return used;
}

int64_t single_procs_until(
    struct bynode *b, const struct node *n, int64_t free, int64_t end)
{
    const struct pins *pins = pintable_on(b->pins, n->index);

    for (size_t i = 0; pins && i < pins->v.n; i++) {
        int64_t at = pins->v.v[i].start_at;
        if (at < end)
            free = lesser_of(free, n->cfg.v[RES_PROCS] - procs_used_at(b, n, at));
    }
    return free > 0 ? free : 0;
}
