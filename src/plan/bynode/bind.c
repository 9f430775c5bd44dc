/* SPDX-License-Identifier: Apache-2.0
 * When a new shape of request ends counting in a pool, reservations that were kept as
 * counts get nodes of their own, so that none of them has to move. Taken in order of
 * their starts that always succeeds: nothing of what has nodes by then begins later,
 * so a unit free at the start is free for good. The same holds when pools are divided:
 * they get nodes of the old pools, and then units of the new ones of those nodes. */
#include "plan/bynode/bind.h"

#include "plan/bynode/bynode_private.h"
#include "plan/bynode/single.h"
#include "plan/counted/reserve.h"

/* One reservation after the other, by start. A node that is full stays so until
 * something on it ends: it is not looked at again before that. */
struct binding {
    struct bynode *b;
    bool all;            /* also in pools that go on being counted */
    int64_t *full_until; /* by node; owned */
};

/* Units of the node in use at `at`, and when the first of them end; nothing begins on
 * it later. */
static uint32_t units_used(
    const struct bynode *b, const struct node *n, int64_t at, int64_t *ret_until)
{
    const struct pins *pins = pintable_on(b->pins, n->index);
    struct node_job on;
    uint32_t used = 0;

    *ret_until = TIME_NEVER;
    for (uint32_t i = 0; node_job_at(b->c, n, i, &on); i++) {
        int64_t end_at = bynode_job_end(b, b->c->jobs.v[on.job]);
        if (end_at <= at)
            continue;
        used += on.tasks;
        *ret_until = end_at < *ret_until ? end_at : *ret_until;
    }
    for (size_t i = 0; pins && i < pins->v.n; i++) {
        int64_t end_at = pins->v.v[i].end_at;
        if (end_at <= at)
            continue;
        used += pins->v.v[i].tasks;
        *ret_until = end_at < *ret_until ? end_at : *ret_until;
    }
    return used;
}

/* With `all`, those of the node that are of other kinds may keep it off, now or later.
 */
static uint32_t units_left(const struct binding *k, const struct rsv *r,
    const struct pool *pool, const struct node *n)
{
    struct bynode *b = k->b;
    const struct job *j = b->c->jobs.v[r->job];
    uint32_t each = pool->per_node;
    int64_t until;

    if (k->all && reservations_on(b->c, n->index)->n > 0) {
        const struct asker by = asker_of(b, j, j->reqs[0].def);
        uint32_t tasks = single_tasks(&by, n, r->start_at, r->end_at);
        return tasks < each ? tasks : each;
    }
    uint32_t used = units_used(b, n, r->start_at, &until);
    if (used < each)
        return each - used;
    k->full_until[n->index] = until;
    return 0;
}

/* Nodes of one pool that was counted, for up to `need` units; returns how many are
 * missing. */
static uint32_t bind_counted_in(
    const struct binding *b, struct rsv *r, const struct pool *pool, uint32_t need)
{
    for (size_t i = 0; i < pool->nodes.n && need; i++) {
        uint32_t at = pool->nodes.v[i];
        if (b->full_until[at] > r->start_at)
            continue;
        const struct node *n = node_at(b->b->c, at);
        uint32_t k = units_left(b, r, pool, n);
        k = k < need ? k : need;
        if (k)
            vec_push(&r->alloc, ((struct alloc){n->index, 1, k, 0}));
        need -= k;
    }
    return need;
}

/* False when the pool does not have the units: a job that ran past its limit holds
 * some of them. What several pools have together is of any of them, if nothing begins
 * before they are together; else the units are those of the pools themselves. */
static bool bind_part(const struct binding *k, struct rsv *r, const struct part *part)
{
    const struct bynode *b = k->b;
    uint32_t need = (uint32_t)part->units;

    if (part->pool < pools_count(b->pools))
        return bind_counted_in(k, r, pools_at(b->pools, part->pool), need) == 0;
    if (r->start_at < pools_merge_at(b->pools))
        return true;
    for (size_t i = 0; i < pools_count(b->pools) && need; i++)
        if (pools_at(b->pools, i)->merged == part->pool - pools_count(b->pools))
            need = bind_counted_in(k, r, pools_at(b->pools, i), need);
    return need == 0;
}

static bool is_counted(const struct bynode *b, const struct part *part)
{
    if (part->pool < pools_count(b->pools))
        return !pools_at(b->pools, part->pool)->by_node;
    const struct pool *merged =
        pools_merged(b->pools, part->pool - pools_count(b->pools));
    return !pools_of_node(b->pools, merged->nodes.v[0])->by_node;
}

/* The job is owed another one, in this cycle. */
static void drop_rsv(struct bynode *b, struct rsv *r)
{
    rsvtable_remove(b->reserved, r->job, RSV_OWED);
}

static bool bind_rsv(const struct binding *k, struct rsv *r)
{
    struct bynode *b = k->b;
    bool bound = true;
    size_t left = 0;

    pintable_remove(b->pins, r);
    for (size_t i = 0; i < r->parts.n && bound; i++) {
        if (!k->all && is_counted(b, &r->parts.v[i]))
            r->parts.v[left++] = r->parts.v[i];
        else
            bound = bind_part(k, r, &r->parts.v[i]);
    }
    r->parts.n = left;
    if (bound)
        pintable_add(b->pins, r);
    else
        drop_rsv(b, r);
    return bound;
}

static bool is_unbound(const struct bynode *b, const struct rsv *r)
{
    for (size_t i = 0; r && i < r->parts.n; i++)
        if (!is_counted(b, &r->parts.v[i]))
            return true;
    return false;
}

static int compare_starts(const void *a, const void *b)
{
    const struct rsv *x = *(struct rsv *const *)a, *y = *(struct rsv *const *)b;

    if (x->start_at != y->start_at)
        return x->start_at < y->start_at ? -1 : 1;
    return (x->job > y->job) - (x->job < y->job);
}

/* False: one got none, and is dropped. */
static bool bind_parts(struct bynode *b, bool all)
{
    struct VEC(struct rsv *) unbound = {0};
    bool bound = true;

    for (uint32_t i = 0; i < rsvtable_count(b->reserved); i++) {
        struct rsv *r = rsvtable_row(b->reserved, i);
        if (all ? r && r->parts.n : is_unbound(b, r))
            vec_push(&unbound, r);
    }
    if (unbound.n)
        qsort(unbound.v, unbound.n, sizeof *unbound.v, compare_starts);
    struct binding k = {.b = b, .all = all};
    if (unbound.n)
        k.full_until = xcalloc(b->c->nodes.n, sizeof *k.full_until);
    for (size_t i = 0; i < unbound.n; i++)
        bound = bind_rsv(&k, unbound.v[i]) && bound;
    free(k.full_until);
    vec_fini(&unbound);
    return bound;
}

void bind_counted(struct bynode *b)
{
    bind_parts(b, false);
}

void bind_all(struct bynode *b)
{
    bind_parts(b, true);
}

bool bind_supposed(struct bynode *b)
{
    return bind_parts(b, true) || closures_sets(b->closures) <= 1;
}

/* ---- other pools -------------------------------------------------------------- */

/* Units that a reservation is to get of a pool that nodes of it are in. */
struct moving {
    uint32_t rsv, pool;
    int32_t units;
};

struct movings VEC(struct moving);

static void add_moving(struct movings *io, uint32_t rsv, uint32_t pool, uint32_t units)
{
    struct moving *last = io->n ? &io->v[io->n - 1] : NULL;

    if (last && last->rsv == rsv && last->pool == pool)
        last->units += (int32_t)units;
    else
        vec_push(io, ((struct moving){rsv, pool, (int32_t)units}));
}

/* Nodes planned one by one stay what they are; of others it keeps the number. */
static void lift_pins(
    struct bynode *b, struct rsv *r, uint32_t index, struct movings *io)
{
    struct allocs old = r->alloc;

    r->alloc = (struct allocs){0};
    for (size_t i = 0; i < old.n; i++)
        for (uint32_t k = 0; k < old.v[i].count; k++) {
            struct alloc one = {old.v[i].first + k, 1, old.v[i].tasks, old.v[i].req};
            const struct pool *pool = pools_of_node(b->pools, one.first);
            if (!pool || pool->by_node)
                vec_push(&r->alloc, one);
            else
                add_moving(io, index, pool->index, one.tasks);
        }
    vec_fini(&old);
}

/* A job that ran past its limit may have what was kept for another; or another kind of
 * reservation has it now. */
static bool move_rsv(struct bynode *b, const struct moving *m)
{
    struct rsv *r = rsvtable_row(b->reserved, m->rsv);

    return !r
           || reserve_in_pool(b->counted, b->c->jobs.v[r->job], r,
               pools_at(b->pools, m->pool), m->units);
}

/* Do reservations of other kinds leave it the nodes that are pinned for it? Not looked
 * into where several requests share one. */
static bool keeps_nodes(struct bynode *b, const struct rsv *r)
{
    const struct job *j = b->c->jobs.v[r->job];

    for (size_t i = 0; i < r->alloc.n; i++)
        for (uint32_t k = 0; k < r->alloc.v[i].count; k++) {
            const struct node *n = node_at(b->c, r->alloc.v[i].first + k);
            const struct asker by = asker_of(b, j, j->reqs[r->alloc.v[i].req].def);
            if (reservations_on(b->c, n->index)->n == 0)
                continue;
            if (j->nreqs > 1
                || single_tasks(&by, n, r->start_at, r->end_at) < r->alloc.v[i].tasks)
                return false;
        }
    return true;
}

static void give_up(struct bynode *b, struct rsv *r)
{
    pintable_remove(b->pins, r);
    reserve_give_back(b->counted, r);
    drop_rsv(b, r);
}

/* All have their units. Each takes them again where the fewest others can use them. */
static void choose_again(struct bynode *b, struct rsv *r)
{
    int64_t units = 0;

    for (size_t i = 0; i < r->parts.n; i++)
        units += r->parts.v[i].units;
    if (units == 0 || closures_sets(b->closures) > 1
        || pools_merged_count(b->pools) > 0)
        return;
    reserve_give_back(b->counted, r);
    reserve_units(b->counted, b->c->jobs.v[r->job], r, units);
}

/* The new pools that each may use. */
static bool find_sets(struct bynode *b)
{
    for (uint32_t i = 0; i < rsvtable_count(b->reserved); i++) {
        struct rsv *r = rsvtable_row(b->reserved, i);
        if (!r)
            continue;
        const struct planned *at = rsvtable_planned(b->reserved, r->job);
        const struct fitset *s = fits_for(b->fits, b->c->jobs.v[r->job], at->partition);
        if (!s)
            return false;
        r->fitset = s->number;
    }
    return true;
}

bool bind_divided(struct bynode *b)
{
    struct movings moving = {0};

    if (!find_sets(b))
        return false;
    for (uint32_t i = 0; i < rsvtable_count(b->reserved); i++) {
        struct rsv *r = rsvtable_row(b->reserved, i);
        if (!r)
            continue;
        r->parts.n = 0;
        pintable_remove(b->pins, r);
        lift_pins(b, r, i, &moving);
        pintable_add(b->pins, r);
    }
    reserve_recount(b->counted);
    for (size_t i = 0; i < moving.n; i++) {
        struct rsv *r = rsvtable_row(b->reserved, moving.v[i].rsv);
        if (!move_rsv(b, &moving.v[i]))
            give_up(b, r);
    }
    for (uint32_t i = 0; i < rsvtable_count(b->reserved); i++) {
        struct rsv *r = rsvtable_row(b->reserved, i);
        if (r && !keeps_nodes(b, r))
            give_up(b, r);
    }
    for (uint32_t i = 0; i < rsvtable_count(b->reserved); i++) {
        struct rsv *r = rsvtable_row(b->reserved, i);
        if (r)
            choose_again(b, r);
    }
    vec_fini(&moving);
    return true;
}
