/* SPDX-License-Identifier: Apache-2.0
 * Which running jobs to preempt so that another one can start now. Nodes are looked at
 * one by one where victims run; what reservations leave of pools planned by count is
 * a count here as well. */
#include "plan/preempt.h"

#include "cluster/folded.h"
#include "cluster/partition.h"
#include "plan/bynode/single.h"
#include "plan/feasible.h"
#include "plan/floating.h"
#include "plan/nodes/rsvview.h"
#include "plan/plan_private.h"
#include "plan/suspended.h"

#include <assert.h>
#include <string.h>

/* A job that might be preempted. */
struct victim {
    uint32_t job;
    uint32_t found; /* order of discovery, INDEX_NONE = not yet */
    int64_t procs;  /* freed where it helps */
    int64_t cost;
};

/* Tasks that a node offers to the job. */
struct offer {
    uint32_t node, share;
    uint32_t idle;  /* as it is */
    uint32_t most;  /* without any job that may be preempted */
    uint32_t tasks; /* without those chosen so far */
};

/* A pool the job may use. */
struct share {
    struct pool *pool;
    bool reserved; /* reservations hold units of it: `room` says what they leave */
    int64_t sum;   /* tasks on its nodes without those chosen so far */
    /* planned by count: units that reservations leave throughout the job's limit */
    int64_t freed; /* by those chosen so far */
    int64_t later; /* units from the instant on at which pools are planned together */
    struct profile room;
};

struct choice {
    struct plan *p;
    const struct preempt_ask *ask;
    const struct fitset *set;
    int64_t end;
    bool hosts_only;        /* feasible_hosts_only() */
    struct without without; /* those chosen so far, or all */
    struct bitset emptied;  /* nodes on which something may be preempted */
    struct VEC(struct share) shares;
    struct VEC(struct offer) offers;   /* by node */
    struct VEC(struct victim) victims; /* by job, later by cost */
    struct VEC(struct cand) cands;
};

static const struct taskdef *def_of(const struct choice *h)
{
    return h->ask->j->reqs[0].def;
}

static uint32_t tasks_on(const struct choice *h, uint32_t node)
{
    const struct asker by = {h->p->bynode, h->ask->j, def_of(h), &h->without};

    return single_tasks(&by, node_at(h->p->c, node), h->p->now, h->end);
}

static bool may_go_from(
    const struct choice *h, const struct job *victim, const struct node *n)
{
    return !h->ask->on_node || h->ask->on_node(h->ask->ctx, victim, n);
}

/* ---- pools ---- */

/* The share of the node's pool, INDEX_NONE = not a node for the job. */
static uint32_t share_of(const struct choice *h, const struct node *n)
{
    const struct pool *pool = pools_of_node(h->p->pools, n->index);

    for (uint32_t i = 0; i < h->shares.n; i++)
        if (h->shares.v[i].pool == pool)
            return feasible_listed(h->p->c, &h->ask->j->reqs[0], h->hosts_only, n)
                       ? i
                       : INDEX_NONE;
    return INDEX_NONE;
}

static int64_t units_later(struct choice *h, const struct pool *pool)
{
    struct pool *later = pool->by_node ? NULL : pools_merged_of(h->p->pools, pool);

    if (!later || h->end <= later->from)
        return INT32_MAX;
    return count_least(h->p->counted, later, later->from, h->end, NULL);
}

static void open_share(struct choice *h, struct share *s)
{
    const struct profile *work;

    s->freed = 0;
    s->sum = count_free_now(h->p->counted, s->pool);
    s->later = units_later(h, s->pool);
    s->reserved = !s->pool->by_node && count_is_reserved(h->p->counted, s->pool);
    if (!s->reserved)
        return;
    int64_t last = count_latest_start(h->p->counted, s->pool);
    work = count_work(h->p->counted, s->pool);
    profile_reset(&s->room, work->at[0], work->free[0]);
    for (uint32_t i = 1; i < work->n && work->at[i] <= last; i++)
        profile_append(&s->room, work->at[i], work->free[i]);
}

/* The job is thought away. */
static void free_share(struct choice *h, struct share *s, const struct job *j)
{
    int32_t units = s->pool->by_node ? 0 : pool_units_of(j, s->pool);

    s->freed += units;
    if (plan_job_end(h->p, j) > s->pool->to)
        s->later += units;
    if (units && s->reserved)
        profile_claim(&s->room, h->p->now, plan_job_end(h->p, j), -units);
}

/* Units for the job's whole limit; no bound where nodes are asked one by one. */
static int64_t cap_of(const struct choice *h, const struct share *s)
{
    int64_t now;

    if (s->pool->by_node)
        return INT64_MAX;
    now = s->reserved ? profile_min(&s->room, h->p->now, h->end)
                      : count_free_now(h->p->counted, s->pool) + s->freed;
    return now < s->later ? now : s->later;
}

static int64_t all_shares(const struct choice *h)
{
    int64_t sum = 0;

    for (size_t i = 0; i < h->shares.n; i++) {
        int64_t cap = cap_of(h, &h->shares.v[i]), tasks = h->shares.v[i].sum;
        tasks = cap < tasks ? cap : tasks;
        sum += tasks > 0 ? tasks : 0;
    }
    return sum;
}

/* ---- who might go ---- */

static int by_job(const void *pa, const void *pb)
{
    const struct victim *a = pa, *b = pb;

    return (a->job > b->job) - (a->job < b->job);
}

static struct victim *victim_of(struct choice *h, uint32_t job)
{
    struct victim key = {.job = job};

    return bsearch(&key, h->victims.v, h->victims.n, sizeof key, by_job);
}

static int by_node(const void *pa, const void *pb)
{
    const struct offer *a = pa, *b = pb;

    return (a->node > b->node) - (a->node < b->node);
}

static struct offer *offer_of(struct choice *h, uint32_t node)
{
    struct offer key = {.node = node};

    if (h->offers.n == 0)
        return NULL;
    return bsearch(&key, h->offers.v, h->offers.n, sizeof key, by_node);
}

/* Note the nodes that the job could free. */
static void note_nodes(struct choice *h, const struct job *victim)
{
    for (size_t i = 0; i < victim->alloc.n; i++) {
        const struct alloc *a = &victim->alloc.v[i];
        for (uint32_t k = a->first; k < a->first + a->count; k++) {
            const struct node *n = node_at(h->p->c, k);
            if (share_of(h, n) != INDEX_NONE && may_go_from(h, victim, n))
                bitset_set(&h->emptied, k);
        }
    }
}

static void collect_victims(struct choice *h)
{
    for (size_t i = 0; i < h->ask->nvictims; i++) {
        uint32_t job = h->ask->victims[i];
        vec_push(&h->victims, ((struct victim){.job = job, .found = INDEX_NONE}));
        note_nodes(h, h->p->c->jobs.v[job]);
    }
    if (h->victims.n)
        qsort(h->victims.v, h->victims.n, sizeof *h->victims.v, by_job);
}

/* Idle nodes of pools planned by count are known by number until nodes are chosen. */
static void collect_offers(struct choice *h)
{
    bool by_procs = def_of(h)->per_task.v[RES_PROCS] != 0;

    for (size_t i = 0; i < h->p->c->nodes.n; i++) {
        const struct node *n = node_at(h->p->c, i);
        bool emptied = bitset_test(&h->emptied, n->index);
        uint32_t share = INDEX_NONE;
        if (emptied || !by_procs || node_has_room(h->p->c, n->index))
            share = share_of(h, n);
        if (share == INDEX_NONE || (!emptied && !h->shares.v[share].pool->by_node))
            continue;
        uint32_t idle = tasks_on(h, n->index);
        vec_push(&h->offers, ((struct offer){n->index, share, idle, idle, idle}));
        if (h->shares.v[share].pool->by_node)
            h->shares.v[share].sum += idle;
    }
}

static void weigh_victim(struct choice *h, const struct node_job *on,
    const struct node *n, bool helps, uint32_t *io_found)
{
    struct victim *x = victim_of(h, on->job);

    if (!x || !may_go_from(h, h->p->c->jobs.v[on->job], n))
        return;
    if (x->found == INDEX_NONE)
        x->found = (*io_found)++;
    if (helps)
        x->procs += node_job_share(h->p->c, n, on).v[RES_PROCS];
}

/* What each would free where that helps. */
static void weigh_victims(struct choice *h)
{
    const struct cluster *c = h->p->c;
    struct node_job on;
    uint32_t found = 0;

    for (size_t i = 0; i < h->offers.n; i++) {
        struct offer *o = &h->offers.v[i];
        const struct node *n = node_at(c, o->node);
        if (!bitset_test(&h->emptied, o->node))
            continue;
        o->most = tasks_on(h, o->node);
        h->shares.v[o->share].sum += (int64_t)o->most - o->idle;
        for (uint32_t k = 0; node_job_at(c, n, k, &on); k++)
            weigh_victim(h, &on, n, o->most > o->idle, &found);
    }
}

static int by_cost(const void *pa, const void *pb)
{
    const struct victim *a = pa, *b = pb;

    if (a->cost != b->cost)
        return a->cost < b->cost ? -1 : 1;
    return a->found < b->found ? -1 : a->found > b->found;
}

/* Those that free nothing useful are left alone. */
static void order_victims(struct choice *h)
{
    size_t n = 0;

    for (size_t i = 0; i < h->victims.n; i++) {
        struct victim x = h->victims.v[i];
        if (x.procs <= 0)
            continue;
        x.cost = h->ask->worth(h->ask->ctx, h->p->c->jobs.v[x.job]) / x.procs;
        h->victims.v[n++] = x;
    }
    h->victims.n = n;
    if (n)
        qsort(h->victims.v, n, sizeof *h->victims.v, by_cost);
}

/* Would it be enough if all of them went? */
static bool enough_at_all(struct choice *h)
{
    for (size_t i = 0; i < h->victims.n; i++) {
        const struct job *j = h->p->c->jobs.v[h->victims.v[i].job];
        without_add(&h->without, j->index);
        for (size_t k = 0; k < h->shares.n; k++)
            free_share(h, &h->shares.v[k], j);
    }
    weigh_victims(h);
    without_clear(&h->without);
    return all_shares(h) >= h->ask->j->reqs[0].tasks;
}

/* ---- the choice ---- */

static void add_cand(
    struct choice *h, const struct node *n, uint32_t tasks, bool idle, int64_t *io_cap)
{
    const struct asker by = {h->p->bynode, h->ask->j, def_of(h), &h->without};

    if (tasks > *io_cap)
        tasks = *io_cap > 0 ? (uint32_t)*io_cap : 0;
    if (tasks == 0)
        return;
    struct cand cand = {.node = n->index,
        .tasks = tasks,
        .free_until = single_holds_until(&by, n, tasks, h->p->now),
        .affinity = idle ? rsvview_affinity(h->p->view, by.j, n, h->p->now, h->end)
                         : AFFINITY_PREEMPTIBLE};
    vec_push(&h->cands, cand);
    *io_cap -= tasks;
}

/* Nodes of one pool: those with idle resources first, in case reservations leave fewer
 * units than there are. */
static void add_share(struct choice *h, uint32_t index)
{
    const struct pool *pool = h->shares.v[index].pool;
    int64_t cap = cap_of(h, &h->shares.v[index]);

    for (size_t i = 0; !pool->by_node && i < pool->nodes.n && cap > 0; i++) {
        const struct node *n = node_at(h->p->c, pool->nodes.v[i]);
        if (node_has_room(h->p->c, n->index) && !bitset_test(&h->emptied, n->index)
            && share_of(h, n) != INDEX_NONE)
            add_cand(h, n, tasks_on(h, n->index), true, &cap);
    }
    for (int round = 0; round < 2; round++)
        for (size_t i = 0; i < h->offers.n; i++) {
            const struct offer *o = &h->offers.v[i];
            if (o->share == index && (o->idle > 0) == (round == 0))
                add_cand(h, node_at(h->p->c, o->node), o->tasks, o->idle > 0, &cap);
        }
}

static int compare_cands(const void *a, const void *b)
{
    uint32_t x = ((const struct cand *)a)->node, y = ((const struct cand *)b)->node;

    return (x > y) - (x < y);
}

/* Nodes for the job as things are thought to be. */
static bool place_job(struct choice *h, struct allocs *ret)
{
    struct plan *p = h->p;
    const struct job *j = h->ask->j;
    struct nodealloc a = {.c = p->c,
        .j = j,
        .req = &j->reqs[0],
        .par = p->c->partitions.v[h->shares.v[0].pool->partition]->par,
        .start_at = p->now,
        .end_at = h->end,
        .immediate = true};
    enum wait_code code;

    h->cands.n = 0;
    for (uint32_t i = 0; i < h->shares.n; i++)
        add_share(h, i);
    if (h->cands.n)
        qsort(h->cands.v, h->cands.n, sizeof *h->cands.v, compare_cands);
    return nodealloc_choose(&a, h->cands.v, h->cands.n, ret, &code) == 0;
}

/* Think one more job away. */
static void drop_victim(struct choice *h, const struct job *victim)
{
    without_add(&h->without, victim->index);
    for (size_t i = 0; i < h->shares.n; i++)
        free_share(h, &h->shares.v[i], victim);
    for (size_t i = 0; i < victim->alloc.n; i++) {
        const struct alloc *a = &victim->alloc.v[i];
        for (uint32_t k = a->first; k < a->first + a->count; k++) {
            struct offer *o = offer_of(h, k);
            if (!o || o->tasks == o->most)
                continue;
            h->shares.v[o->share].sum -= o->tasks;
            o->tasks = tasks_on(h, k);
            h->shares.v[o->share].sum += o->tasks;
        }
    }
}

static void start_over(struct choice *h)
{
    for (size_t i = 0; i < h->shares.n; i++)
        open_share(h, &h->shares.v[i]);
    for (size_t i = 0; i < h->offers.n; i++)
        if (h->shares.v[h->offers.v[i].share].pool->by_node)
            h->shares.v[h->offers.v[i].share].sum += h->offers.v[i].idle;
}

static bool choose_victims(
    struct choice *h, struct victims *ret, struct allocs *ret_alloc)
{
    bool found = false;
    size_t n = 0;

    start_over(h);
    while (!found && n < h->victims.n) {
        drop_victim(h, h->p->c->jobs.v[h->victims.v[n++].job]);
        found = all_shares(h) >= h->ask->j->reqs[0].tasks && place_job(h, ret_alloc);
    }
    for (size_t i = 0; found && i < n; i++)
        vec_push(ret, h->victims.v[i].job);
    return found;
}

static bool is_closed(const struct choice *h, const struct pool *pool)
{
    return !pool->by_node
           && closures_closed(h->p->closures,
               closures_access(h->p->closures, h->ask->j, h->p->now), pool->rsvset,
               h->p->now, h->end, NULL);
}

static bool open_shares(struct choice *h)
{
    for (size_t i = 0; i < h->set->pools.n; i++) {
        struct share s = {.pool = pools_at(h->p->pools, h->set->pools.v[i].pool)};
        if (is_closed(h, s.pool))
            continue;
        profile_init(&s.room);
        vec_push(&h->shares, s);
        open_share(h, &h->shares.v[h->shares.n - 1]);
    }
    return h->shares.n > 0;
}

static void choice_fini(struct choice *h)
{
    for (size_t i = 0; i < h->shares.n; i++)
        profile_fini(&h->shares.v[i].room);
    vec_fini(&h->shares);
    vec_fini(&h->offers);
    vec_fini(&h->victims);
    vec_fini(&h->cands);
    bitset_fini(&h->emptied);
    without_fini(&h->without);
}

bool preempt_choose(struct plan *p, const struct preempt_ask *ask, struct victims *ret,
    struct allocs *ret_alloc)
{
    const struct job *j = ask->j;
    struct choice h = {.p = p,
        .ask = ask,
        .set = fits_for(p->fits, j, ask->partition),
        .without.keep_memory = ask->keep_memory};
    bool found = false;

    check_answerable(p);
    assert(!plan_is_reserved(p, j));
    ret->n = ret_alloc->n = 0;
    if (ask->nvictims == 0 || j->nreqs > 1 || !h.set)
        return false;
    h.end = time_add(p->now, plan_duration(h.set, j));
    h.hosts_only = feasible_hosts_only(p->c, &j->reqs[0]);
    if (floating_wanted(p, j) && !floating_fits(p, j, p->now, h.end))
        return false;
    if (open_shares(&h)) {
        collect_victims(&h);
        collect_offers(&h);
        if (enough_at_all(&h)) {
            order_victims(&h);
            found = choose_victims(&h, ret, ret_alloc);
        }
    }
    choice_fini(&h);
    return found;
}
