/* SPDX-License-Identifier: Apache-2.0
 * Pools planned node by node, over time: how much is free from now until when, and the
 * earliest instant at which enough is. What each node can take changes at few instants
 * of its own; a sweep over all of them in order looks at a node only then. */
#include "plan/bynode/sweep.h"

#include "base/hash.h"
#include "base/xalloc.h"
#include "cluster/reservation.h"
#include "plan/bynode/bynode_private.h"
#include "plan/bynode/single.h"
#include "plan/closures/signatures.h"
#include "plan/counted/search.h"
#include "plan/feasible.h"

#include <string.h>

/* An instant at which a node has to be looked at again, or beyond which it has so many
 * tasks less. */
struct watch {
    int64_t at;
    uint32_t node, tasks;
};

/* An instant at which all nodes that a reservation of a job pins have to be looked at
 * again. */
struct passage {
    int64_t at;
    uint32_t row; /* of the table of reservations */
};

/* What is free from now until when, of one set as one kind of asker sees it. */
struct seen_free {
    uint64_t who;
    uint32_t set, own; /* a job that has pins, which it leaves out; else INDEX_NONE */
    bool listed_only;  /* its host list can hold it, of so many tasks and nodes */
    struct VEC(struct free_until) v;
};

/* All of one task definition that hold for one version of the plan. */
struct def_free {
    uint64_t version;
    uint32_t n; /* in use; the rest keep their memory */
    struct VEC(struct seen_free) v;
};

struct sweep_memory {
    struct VEC(struct watch) watches;    /* of one question */
    struct VEC(struct passage) passages; /* the same */
    struct VEC(uint64_t) looked;         /* by node: at the instant of this number */
    uint64_t instants;                   /* that sweeps came to, ever */
    struct VEC(struct def_free) by_def;  /* by taskdef index */
};

struct sweep_memory *sweep_memory_create(void)
{
    return xcalloc(1, sizeof(struct sweep_memory));
}

void sweep_memory_destroy(struct sweep_memory *m)
{
    for (size_t i = 0; i < m->by_def.n; i++) {
        for (size_t k = 0; k < m->by_def.v[i].v.n; k++)
            vec_fini(&m->by_def.v[i].v.v[k].v);
        vec_fini(&m->by_def.v[i].v);
    }
    vec_fini(&m->by_def);
    vec_fini(&m->watches);
    vec_fini(&m->passages);
    vec_fini(&m->looked);
    free(m);
}

static int compare_watches(const void *a, const void *b)
{
    const struct watch *x = a, *y = b;

    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    return (x->node > y->node) - (x->node < y->node);
}

static void sort_watches(struct bynode *b)
{
    if (b->sweeps->watches.n)
        qsort(b->sweeps->watches.v, b->sweeps->watches.n, sizeof *b->sweeps->watches.v,
            compare_watches);
}

static int compare_passages(const void *a, const void *b)
{
    const struct passage *x = a, *y = b;

    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

static void sort_passages(struct bynode *b)
{
    if (b->sweeps->passages.n)
        qsort(b->sweeps->passages.v, b->sweeps->passages.n,
            sizeof *b->sweeps->passages.v, compare_passages);
}

/* ---- free from now on ---- */

/* The next instant after `after` beyond which a job that begins now may get less of
 * the node: something reserved begins there. */
static int64_t next_drop(
    struct bynode *b, const struct job *j, const struct node *n, int64_t after)
{
    const struct pins *pins = pintable_on(b->pins, n->index);
    int64_t next = rsvview_drop(b->view, j, n, after);

    for (size_t i = 0; pins && i < pins->v.n; i++) {
        int64_t at = pins->v.v[i].start_at;
        if (at > after && at < next)
            next = at;
    }
    return next;
}

/* Each drop of each node, as a watch whose `tasks` are lost beyond `at`. */
static void collect_drops(struct bynode *b, const struct job *j, const struct offers *o)
{
    const struct asker by = asker_of(b, j, j->reqs[0].def);

    b->sweeps->watches.n = 0;
    for (size_t i = 0; i < o->reserved.n; i++) {
        uint32_t node = o->reserved.v[i], left = o->tasks.v[node];
        const struct node *n = node_at(b->c, node);
        int64_t at = left ? next_drop(b, j, n, *b->now) : TIME_NEVER;
        for (; left && at < TIME_NEVER; at = next_drop(b, j, n, at)) {
            uint32_t after = single_tasks(&by, n, *b->now, time_add(at, 1));
            if (after >= left)
                continue;
            vec_push(&b->sweeps->watches, ((struct watch){at, node, left - after}));
            left = after;
        }
    }
    sort_watches(b);
}

static void find_free_until(
    struct bynode *b, const struct job *j, uint32_t set, struct seen_free *ret)
{
    const struct offers *o = offers_find(b, j, set, *b->now, *b->now + 1);
    int64_t sum = o->sum;

    ret->v.n = 0;
    collect_drops(b, j, o);
    for (size_t i = 0; i < b->sweeps->watches.n;) {
        int64_t at = b->sweeps->watches.v[i].at;
        vec_push(&ret->v, ((struct free_until){at, (int32_t)sum}));
        for (; i < b->sweeps->watches.n && b->sweeps->watches.v[i].at == at; i++)
            sum -= b->sweeps->watches.v[i].tasks;
    }
    vec_push(&ret->v, ((struct free_until){TIME_NEVER, (int32_t)sum}));
}

/* The job, if pins are its own: it sees what no other does. */
static uint32_t owner_of_pins(const struct bynode *b, const struct job *j)
{
    const struct rsv *r = rsvtable_of(b->reserved, j->index);

    return r && r->alloc.n && b->c->jobs.v[r->job] == j ? r->job : INDEX_NONE;
}

/* Jobs with equal numbers and task definitions see the same: the user, where node
 * limits or access policies look at it, which reservations let the job in, and whether
 * it may use nothing else, be there any or not. */
static uint64_t signature_of(const struct bynode *b, const struct job *j)
{
    uint64_t sum = signatures_sum(closures_signatures(b->closures), j);
    return pools_user_matters(b->pools) ? hash_mix(sum, j->cred[CRED_USER]) : sum;
}

/* What is free until when as this job sees it, found if nobody like it asked before. */
static const struct seen_free *free_seen_by(
    struct bynode *b, const struct job *j, uint32_t set)
{
    uint32_t def = j->reqs[0].def->index;
    uint64_t who = signature_of(b, j);
    uint32_t own = owner_of_pins(b, j);
    bool listed_only = feasible_hosts_only(b->c, &j->reqs[0]);

    while (b->sweeps->by_def.n <= def)
        vec_push(&b->sweeps->by_def, (struct def_free){0});
    struct def_free *all = &b->sweeps->by_def.v[def];
    if (all->version != *b->version)
        all->n = 0;
    all->version = *b->version;
    for (uint32_t i = 0; i < all->n; i++)
        if (all->v.v[i].who == who && all->v.v[i].set == set && all->v.v[i].own == own
            && all->v.v[i].listed_only == listed_only)
            return &all->v.v[i];
    if (all->n == all->v.n)
        vec_push(&all->v, (struct seen_free){0});
    struct seen_free *seen = &all->v.v[all->n++];
    seen->who = who;
    seen->set = set;
    seen->own = own;
    seen->listed_only = listed_only;
    find_free_until(b, j, set, seen);
    return seen;
}

int64_t sweep_free_until(
    struct bynode *b, const struct job *j, uint32_t set, int64_t end)
{
    const struct seen_free *seen = free_seen_by(b, j, set);
    size_t i = 0;

    if (end > TIME_NEVER)
        end = TIME_NEVER;
    while (seen->v.v[i].until < end)
        i++;
    return seen->v.v[i].units;
}

/* ---- the earliest instant ---- */

struct sweep {
    struct bynode *b;
    const struct job *j;
    uint32_t set;
    int64_t from, duration;
    struct offers *offers; /* for the interval that begins now */
    bool hosts_only;       /* feasible_hosts_only() */
    size_t next_end;       /* in b->ends */
    size_t next_watch;     /* in b->sweeps->watches */
    size_t next_passage;   /* in b->sweeps->passages */
};

static void watch(struct sweep *w, int64_t at, uint32_t node)
{
    if (at > w->from && at < TIME_NEVER)
        vec_push(&w->b->sweeps->watches, ((struct watch){at, node, 0}));
}

/* Something is on the node in [begins, ends). */
static void watch_both(struct sweep *w, uint32_t node, int64_t begins, int64_t ends)
{
    watch(w, begins, node);
    watch(w, begins - w->duration + 1, node); /* an interval begun later meets it */
    watch(w, ends, node);
    watch(w, ends - w->duration + 1, node);
}

static void watch_reservations(struct sweep *w, uint32_t node)
{
    const struct rsv_list *list = reservations_on(w->b->c, node);

    for (size_t i = 0; i < list->n; i++) {
        const struct reservation *r = w->b->c->reservations.v[list->v[i].rsv];
        if (reservation_is_live(r))
            watch_both(w, node, r->start_at, r->end_at);
    }
}

/* When nodes in reservations have to be looked at again. */
static void watch_nodes(struct sweep *w)
{
    const struct offers *o = w->offers;

    w->b->sweeps->watches.n = 0;
    for (size_t i = 0; i < o->reserved.n; i++)
        watch_reservations(w, o->reserved.v[i]);
}

static void watch_passage(struct sweep *w, int64_t at, uint32_t row)
{
    if (at > w->from && at < TIME_NEVER)
        vec_push(&w->b->sweeps->passages, ((struct passage){at, row}));
}

/* When the nodes that jobs have pinned have to be. An interval has less when its end
 * comes to a begin, and more when it begins at an end; where reservations are in force,
 * what a job uses of them changes at the other two, too. */
static void watch_pins(struct sweep *w)
{
    const struct bynode *b = w->b;

    b->sweeps->passages.n = 0;
    for (uint32_t i = 0; i < rsvtable_count(b->reserved); i++) {
        const struct rsv *r = rsvtable_row(b->reserved, i);
        if (!r || r->alloc.n == 0)
            continue;
        watch_passage(w, r->start_at - w->duration + 1, i);
        watch_passage(w, r->end_at, i);
        if (b->c->reservations.n == 0)
            continue;
        watch_passage(w, r->start_at, i);
        watch_passage(w, r->end_at - w->duration + 1, i);
    }
    sort_passages(w->b);
}

static void watch_nodes_of(struct sweep *w, int64_t at, const struct job *j)
{
    for (size_t i = 0; i < j->alloc.n; i++)
        for (uint32_t n = 0; n < j->alloc.v[i].count; n++)
            watch(w, at, j->alloc.v[i].first + n);
}

/* What suspended jobs keep of nodes. */
static void watch_suspended(struct sweep *w)
{
    const struct cluster *c = w->b->c;

    for (size_t i = 0; c->suspended && i < c->active.n; i++) {
        const struct job *j = c->jobs.v[c->active.v[i]];
        int64_t kept_until = bynode_kept_until(w->b, j);
        if (kept_until < TIME_NEVER)
            watch_nodes_of(w, kept_until, j);
    }
}

/* Overdue jobs stand before all others in the list of ends, but end after some. */
static void watch_overdue(struct sweep *w)
{
    const struct bynode *b = w->b;
    int64_t at = endings_of_overdue(b->c, *b->now);

    for (; w->next_end < b->ends->n
           && ending_is_overdue(b->ends->v[w->next_end].at, *b->now);
         w->next_end++)
        watch_nodes_of(w, at, b->c->jobs.v[b->ends->v[w->next_end].job]);
}

/* Reservations in counted pools end as well. INDEX_NONE: no node to look at. */
static void watch_counts(struct sweep *w)
{
    const struct bynode *b = w->b;
    size_t n;

    for (uint32_t i = 0; i < rsvtable_count(b->reserved); i++) {
        const struct rsv *r = rsvtable_row(b->reserved, i);
        if (r && r->parts.n)
            watch(w, r->end_at, INDEX_NONE);
    }
    for (uint32_t i = 0; i < closures_sets(b->closures); i++) {
        const struct set_member *members = closures_members(b->closures, i, &n);
        for (size_t k = 0; k < n; k++) {
            watch(w, members[k].start_at, INDEX_NONE);
            watch(w, members[k].end_at, INDEX_NONE);
        }
    }
}

/* Once at one instant. */
static bool is_looked_at(struct sweep_memory *m, uint32_t node)
{
    if (node >= m->looked.n)
        vec_push_zeros(&m->looked, node + 1 - m->looked.n);
    bool looked = m->looked.v[node] == m->instants;
    m->looked.v[node] = m->instants;
    return looked;
}

static void look_again(struct sweep *w, uint32_t node, int64_t at)
{
    struct bynode *b = w->b;
    if (is_looked_at(b->sweeps, node))
        return;
    const struct node *n = node_at(b->c, node);
    const struct fitset *s = fits_set(b->fits, w->set);
    const struct asker by = asker_of(b, w->j, w->j->reqs[0].def);
    const struct pool *pool = pools_of_node(b->pools, node);
    bool inside = false;

    for (size_t i = 0; pool && i < s->pools.n && !inside; i++)
        inside = s->pools.v[i].pool == pool->index;
    if (!inside || !pool->by_node
        || !feasible_listed(b->c, &w->j->reqs[0], w->hosts_only, n))
        return;
    uint32_t tasks = single_tasks(&by, n, at, time_add(at, w->duration));
    w->offers->sum += (int64_t)tasks - (int64_t)w->offers->tasks.v[node];
    w->offers->tasks.v[node] = tasks;
}

static void look_at_all(struct sweep *w, const struct allocs *alloc, int64_t at)
{
    for (size_t i = 0; i < alloc->n; i++)
        for (uint32_t k = 0; k < alloc->v[i].count; k++)
            look_again(w, alloc->v[i].first + k, at);
}

/* Nodes whose verdicts depend on how long a job overlaps a reservation change at any
 * instant. */
static void look_at_limited(struct sweep *w, int64_t at)
{
    const struct offers *o = w->offers;

    for (size_t i = 0; i < o->reserved.n; i++)
        if (rsvview_depends_on_overlap(w->b->view, o->reserved.v[i]))
            look_again(w, o->reserved.v[i], at);
}

static int64_t next_ending(struct sweep *w, int64_t at)
{
    const struct bynode *b = w->b;

    while (w->next_end < b->ends->n && b->ends->v[w->next_end].at <= at)
        w->next_end++;
    return w->next_end < b->ends->n ? b->ends->v[w->next_end].at : TIME_NEVER;
}

static int64_t next_instant(struct sweep *w, int64_t at)
{
    const struct sweep_memory *m = w->b->sweeps;
    int64_t next = next_ending(w, at);

    if (w->next_watch < m->watches.n && m->watches.v[w->next_watch].at < next)
        next = m->watches.v[w->next_watch].at;
    if (w->next_passage < m->passages.n && m->passages.v[w->next_passage].at < next)
        next = m->passages.v[w->next_passage].at;
    return next;
}

static void look_at_ended(struct sweep *w, int64_t next)
{
    const struct endings *ends = w->b->ends;

    for (; w->next_end < ends->n && ends->v[w->next_end].at <= next; w->next_end++)
        look_at_all(w, &w->b->c->jobs.v[ends->v[w->next_end].job]->alloc, next);
}

static void look_at_watched(struct sweep *w, int64_t next)
{
    const struct sweep_memory *m = w->b->sweeps;

    for (; w->next_watch < m->watches.n && m->watches.v[w->next_watch].at <= next;
         w->next_watch++)
        if (m->watches.v[w->next_watch].node != INDEX_NONE)
            look_again(w, m->watches.v[w->next_watch].node, next);
    for (; w->next_passage < m->passages.n && m->passages.v[w->next_passage].at <= next;
         w->next_passage++)
        look_at_all(w,
            &rsvtable_row(w->b->reserved, m->passages.v[w->next_passage].row)->alloc,
            next);
}

/* Move to the next instant; TIME_NEVER when nothing changes any more. */
static int64_t sweep_next(struct sweep *w, int64_t at)
{
    int64_t next = next_instant(w, at);

    if (next >= TIME_NEVER)
        return TIME_NEVER;
    w->b->sweeps->instants++;
    look_at_ended(w, next);
    look_at_watched(w, next);
    look_at_limited(w, next);
    return next;
}

int64_t sweep_first_fit(
    struct bynode *b, const struct job *j, uint32_t set, int64_t from)
{
    const struct fitset *s = fits_set(b->fits, set);
    struct sweep w = {.b = b,
        .j = j,
        .set = set,
        .from = from,
        .duration = plan_duration(s, j),
        .hosts_only = feasible_hosts_only(b->c, &j->reqs[0])};
    bool counts = fitset_has_counted(b->pools, s);
    uint32_t access = counts ? closures_access(b->closures, j, *b->now) : ACCESS_OPEN;
    struct allocs found = {0};
    int64_t units;

    w.offers = offers_find(b, j, set, from, time_add(from, w.duration));
    watch_nodes(&w);
    watch_suspended(&w);
    watch_overdue(&w);
    if (counts)
        watch_counts(&w);
    sort_watches(b);
    watch_pins(&w);
    for (int64_t at = from; at < TIME_NEVER; at = sweep_next(&w, at)) {
        int64_t counted = counts ? search_free_at(b->counted, s, access, at,
                              time_add(at, w.duration), j->reqs[0].tasks)
                                 : 0;
        if (w.offers->sum + counted < j->reqs[0].tasks
            || !offers_choose(b, j, set, at, &found, &units))
            continue;
        vec_fini(&found);
        return at;
    }
    vec_fini(&found);
    return TIME_NEVER;
}
