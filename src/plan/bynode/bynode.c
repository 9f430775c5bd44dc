/* SPDX-License-Identifier: Apache-2.0
 * Pools planned node by node: what one node can take during an interval, the
 * earliest instant at which enough nodes can, and pinned reservations. */
#include "base/xalloc.h"
#include "cluster/folded.h"
#include "cluster/partition.h"
#include "plan/bynode/bynode_private.h"
#include "plan/bynode/multireq.h"
#include "plan/bynode/occupants.h"
#include "plan/bynode/rsvview.h"
#include "plan/counted/place.h"
#include "plan/counted/search.h"
#include "plan/feasible.h"
#include "plan/nodes/avail.h"
#include "plan/plan_private.h"

#include <assert.h>
#include <string.h>

struct bynode *bynode_create(void)
{
    return xcalloc(1, sizeof(struct bynode));
}

void bynode_destroy(struct bynode *b)
{
    if (!b)
        return;
    for (size_t i = 0; i < b->by_def.n; i++) {
        for (size_t k = 0; k < b->by_def.v[i].v.n; k++)
            vec_fini(&b->by_def.v[i].v.v[k].v);
        vec_fini(&b->by_def.v[i].v);
    }
    vec_fini(&b->by_def);
    vec_fini(&b->offers.tasks);
    vec_fini(&b->offers.reserved);
    vec_fini(&b->watches);
    vec_fini(&b->occupants);
    room_fini(&b->room);
    vec_fini(&b->cands);
    free(b);
}

/* ---- one node at one instant ---- */

struct asker asker_of(struct plan *p, const struct job *j, const struct taskdef *def)
{
    return (struct asker){p, j, def, &p->without};
}

/* A node as it is looked at by somebody at one instant. */
struct look {
    const struct asker *by;
    const struct node *n;
    struct node_room *room;
    struct company others;
};

static int64_t amount_of(
    const struct taskdef *def, const struct node *n, int dim, uint32_t tasks)
{
    int64_t each = def->per_task.v[dim];

    return each < 0 ? n->cfg.v[dim] : each * tasks;
}

/* Tasks of a request of another job are there, which runs or is to begin. */
static void take_tasks(
    struct look *l, const struct job *other, const struct req *r, uint32_t tasks)
{
    const struct taskdef *theirs = req_def(r);

    room_take(l->room, theirs, l->n, tasks);
    /* measured use decides there, which is known for the present only */
    for (int i = 0; r->held && i < RES_DIMS; i++)
        if (l->n->par->avail[i] == AVAIL_UTILIZED)
            l->room->res.v[i] += amount_of(theirs, l->n, i, tasks);
    company_add_procs(
        &l->others, l->by->j, other, amount_of(theirs, l->n, RES_PROCS, tasks));
}

/* Memory and swap that a job thought to be suspended keeps. */
static void take_kept(struct look *l, const struct job *other)
{
    const struct alloc *piece;

    for (size_t k = 0; (piece = job_piece_on(other, l->n->index, &k));)
        for (int i = RES_MEM; i <= RES_SWAP; i++)
            l->room->res.v[i] -=
                amount_of(other->reqs[piece->req].def, l->n, i, piece->tasks);
}

static void take_job(struct look *l, const struct node_job *on, int64_t at)
{
    const struct job *other = l->by->p->c->jobs.v[on->job];
    const struct alloc *piece;

    if (plan_job_end(l->by->p, other) <= at || other == l->by->j)
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
        const struct job *other = l->by->p->c->jobs.v[pin->job];
        bool counted = false; /* by the pin of another request */
        if (!pin_holds(pin, at) || other == l->by->j)
            continue;
        for (size_t k = 0; k < i && other->nreqs > 1; k++)
            counted |= pins->v.v[k].job == pin->job && pin_holds(&pins->v.v[k], at);
        if (!counted)
            company_add(&l->others, l->by->j, other);
        take_tasks(l, other, &other->reqs[pin->req], pin->tasks);
    }
}

/* What is free of the node at one instant of the span. */
static void find_room_at(const struct asker *by, const struct node *n,
    const struct span *span, int64_t at, struct node_room *ret)
{
    struct look l = {.by = by, .n = n, .room = ret};
    const struct cluster *c = by->p->c;
    struct node_job on;

    room_of_empty(ret, c, by->def, n);
    for (uint32_t i = 0; node_job_at(c, n, i, &on); i++)
        take_job(&l, &on, at);
    take_pins(&l, at);
    room_meet(ret, c, n, &l.others);
    if (ret->closed)
        return;
    if (c->suspended) {
        struct res held = node_held(c, n, by->j, at - by->p->now);
        res_add(&ret->res, &held, -1);
    }
    for (int i = 0; i < RES_DIMS; i++)
        if (ret->res.v[i] < 0)
            ret->res.v[i] = 0;
    rsvview_reduce(by, n, span, at, &ret->res);
}

static int64_t lesser_of(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Tasks the node can take at the very instant `at` of the span. */
static int64_t tasks_at(
    const struct asker *by, const struct node *n, const struct span *span, int64_t at)
{
    struct node_room *room = &by->p->bynode->room;

    find_room_at(by, n, span, at, room);
    return room_tasks(room, by->def, n);
}

/* What the node can take at this moment cannot be asked of one with jobs on it that
 * are only thought away. */
static bool lacks_some(const struct asker *by, const struct node *n)
{
    const struct cluster *c = by->p->c;
    struct node_job on;

    for (uint32_t i = 0; by->without->any_job && node_job_at(c, n, i, &on); i++)
        if (asker_lacks(by, c->jobs.v[on.job]))
            return true;
    return false;
}

uint32_t bynode_tasks(
    const struct asker *by, const struct node *n, int64_t start, int64_t end)
{
    struct plan *p = by->p;
    const struct pins *pins = asker_pins(by, n->index);
    const struct span span = {start, end};
    int64_t k = tasks_at(by, n, &span, start);

    if (k > 0 && start <= p->now && !lacks_some(by, n))
        k = lesser_of(k, avail_tasks_now(p->c, by->j, by->def, n));
    for (size_t i = 0; k > 0 && pins && i < pins->v.n; i++)
        if (pins->v.v[i].start_at > start && pins->v.v[i].start_at < end)
            k = lesser_of(k, tasks_at(by, n, &span, pins->v.v[i].start_at));
    int64_t at = k > 0 ? rsvview_next(p, by->j, n, start) : TIME_NEVER;
    for (; k > 0 && at < end; at = rsvview_next(p, by->j, n, at))
        k = lesser_of(k, tasks_at(by, n, &span, at));
    return (uint32_t)k;
}

void bynode_room(const struct asker *by, const struct node *n, const struct span *span,
    struct node_room *ret)
{
    const struct pins *pins = asker_pins(by, n->index);
    struct node_room *then = &by->p->bynode->room;

    find_room_at(by, n, span, span->start, ret);
    for (size_t i = 0; pins && i < pins->v.n; i++) {
        int64_t at = pins->v.v[i].start_at;
        if (at <= span->start || at >= span->end)
            continue;
        find_room_at(by, n, span, at, then);
        room_limit(ret, then);
    }
    int64_t at = rsvview_next(by->p, by->j, n, span->start);
    for (; at < span->end; at = rsvview_next(by->p, by->j, n, at)) {
        find_room_at(by, n, span, at, then);
        room_limit(ret, then);
    }
}

/* ---- over all nodes of a set ---- */

/* A pool answers for all its nodes but for what names single ones: the list of
 * excluded nodes, and a host list long enough to confine the job to it. */
bool bynode_on_list(const struct plan *p, const struct req *r, const struct node *n)
{
    bool listed = r->def->exclude.n || r->def->hosts.n;

    if (listed && !feasible_node(p->c, r->def, n, NULL))
        return false;
    if (r->def->hosts.n == 0 || !feasible_hosts_only(p->c, r))
        return true;
    for (size_t i = 0; i < r->def->hosts.n; i++)
        if (r->def->hosts.v[i] == n->index)
            return true;
    return false;
}

struct bynode_offers *bynode_all(
    struct plan *p, const struct job *j, uint32_t set, int64_t start, int64_t end)
{
    const struct taskdef *def = j->reqs[0].def;
    const struct asker by = asker_of(p, j, def);
    const struct fitset *s = fits_set(p->fits, set);
    struct bynode_offers *o = &p->bynode->offers;

    while (o->tasks.n < p->c->nodes.n)
        vec_push(&o->tasks, 0);
    o->reserved.n = 0;
    o->sum = 0;
    memset(o->tasks.v, 0, o->tasks.n * sizeof *o->tasks.v);
    for (size_t i = 0; i < s->pools.n; i++) {
        const struct pool *pool = pools_at(p->pools, s->pools.v[i].pool);
        if (!pool->by_node)
            continue;
        for (size_t k = 0; k < pool->nodes.n; k++) {
            const struct node *n = node_at(p->c, pool->nodes.v[k]);
            uint32_t tasks = 0;
            if (pins_of(p, n->index) || reservations_on(p->c, n->index)->n > 0)
                vec_push(&o->reserved, n->index);
            else if (start <= p->now && !p->without.any_job
                     && !node_has_room(p->c, n->index)
                     && def->per_task.v[RES_PROCS] != 0
                     && n->par->avail[AVAIL_PROCS] != AVAIL_UTILIZED)
                continue;
            if (bynode_on_list(p, &j->reqs[0], n))
                tasks = bynode_tasks(&by, n, start, end);
            o->tasks.v[n->index] = tasks;
            o->sum += tasks;
        }
    }
    return o;
}

/* ---- choosing nodes ---- */

int64_t bynode_holds_until(
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
    int64_t at = rsvview_next(by->p, by->j, n, start);
    for (; at < until; at = rsvview_next(by->p, by->j, n, at))
        if (tasks_at(by, n, &span, at) < tasks)
            return at;
    return until;
}

static void collect_cands(
    struct plan *p, const struct job *j, const struct fitset *s, int64_t start)
{
    const struct asker by = asker_of(p, j, j->reqs[0].def);
    int64_t end = time_add(start, plan_duration(s, j));

    p->bynode->cands.n = 0;
    for (size_t i = 0; i < p->c->nodes.n; i++) {
        const struct node *n = node_at(p->c, i);
        uint32_t tasks = p->bynode->offers.tasks.v[i];
        if (!pools_of_node(p->pools, n->index) || tasks == 0)
            continue;
        struct cand cand = {.node = n->index,
            .tasks = tasks,
            .free_until = bynode_holds_until(&by, n, tasks, start),
            .affinity = rsvview_affinity(p, j, n, start, end)};
        vec_push(&p->bynode->cands, cand);
    }
}

static struct nodealloc make_choice(const struct plan *p, const struct job *j,
    const struct fitset *s, const struct req *r, int64_t start)
{
    const struct pool *first = pools_at(p->pools, s->pools.v[0].pool);

    return (struct nodealloc){.c = p->c,
        .j = j,
        .req = r,
        .par = p->c->partitions.v[first->partition]->par,
        .start_at = start,
        .end_at = time_add(start, plan_duration(s, j)),
        .immediate = start <= p->now};
}

/* Tasks that nodes attracting the job (positive or neutral affinity) offer. */
static int64_t count_attracted(const struct plan *p)
{
    int64_t sum = 0;

    for (size_t i = 0; i < p->bynode->cands.n; i++)
        if (p->bynode->cands.v[i].affinity <= AFFINITY_NEUTRAL)
            sum += p->bynode->cands.v[i].tasks;
    return sum;
}

bool bynode_choose(struct plan *p, const struct job *j, uint32_t set, int64_t start,
    struct allocs *ret, int64_t *ret_units)
{
    const struct fitset *s = fits_set(p->fits, set);
    int64_t end = time_add(start, plan_duration(s, j));
    int64_t need = j->reqs[0].tasks;
    struct req rest = j->reqs[0];
    enum wait_code code;

    collect_cands(p, j, s, start);
    int64_t counted = fitset_has_counted(p->pools, s) ? search_free_at(p->counted, s,
                          closures_access(p->closures, j, p->now), start, end, need)
                                                      : 0;
    int64_t first = count_attracted(p);
    *ret_units = counted < need - first ? counted : need - first;
    if (*ret_units < 0)
        *ret_units = 0;
    if (*ret_units == need)
        return true;
    rest.tasks = (uint32_t)(need - *ret_units);
    struct nodealloc a = make_choice(p, j, s, &rest, start);
    return nodealloc_choose(&a, p->bynode->cands.v, p->bynode->cands.n, ret, &code)
           == 0;
}

/* Nodes for a start now, out of both kinds of pools. */
int bynode_place_now(struct plan *p, const struct job *j, uint32_t set,
    struct allocs *ret, enum wait_code *ret_code)
{
    const struct fitset *s = fits_set(p->fits, set);
    int64_t end = time_add(p->now, plan_duration(s, j));

    if (j->nreqs > 1)
        return multireq_place(p, j, set, p->now, ret, ret_code) ? 0 : -1;
    bynode_all(p, j, set, p->now, end);
    collect_cands(p, j, s, p->now);
    if (fitset_has_counted(p->pools, s))
        place_collect_counted(p->counted, j, s, end, &p->bynode->cands);
    struct nodealloc a = make_choice(p, j, s, &j->reqs[0], p->now);
    return nodealloc_choose(&a, p->bynode->cands.v, p->bynode->cands.n, ret, ret_code);
}

void bynode_place_at(struct plan *p, const struct job *j, struct rsv *r)
{
    int64_t units = 0;
    enum wait_code code;
    bool found;

    if (j->nreqs > 1) {
        found = multireq_place(p, j, r->fitset, r->start_at, &r->alloc, &code);
    } else {
        bynode_all(p, j, r->fitset, r->start_at, r->end_at);
        found = bynode_choose(p, j, r->fitset, r->start_at, &r->alloc, &units);
    }
    assert(found);
    (void)found;
    reserve_units(p->counted, j, r, units);
}

/* Processors in use on the node at an instant, by jobs and reservations. */
static int64_t procs_used_at(struct plan *p, const struct node *n, int64_t at)
{
    const struct asker nobody = asker_of(p, NULL, NULL);
    struct occupants *all = &p->bynode->occupants;
    int64_t used = 0;

    occupants_at(&nobody, n, at, all);
    for (size_t i = 0; i < all->n; i++)
        used += all->v[i].amount.v[RES_PROCS];
    return used;
}

int64_t bynode_procs_until(
    struct plan *p, const struct node *n, int64_t free, int64_t end)
{
    const struct pins *pins = pins_of(p, n->index);

    for (size_t i = 0; pins && i < pins->v.n; i++) {
        int64_t at = pins->v.v[i].start_at;
        if (at < end)
            free = lesser_of(free, n->cfg.v[RES_PROCS] - procs_used_at(p, n, at));
    }
    return free > 0 ? free : 0;
}
