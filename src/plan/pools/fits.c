/* SPDX-License-Identifier: Apache-2.0
 * Which pools a task definition can use, and whether its shape lets them be
 * planned by count. Answered once per definition and layout of the nodes. */
#include "cluster/partition.h"
#include "plan/feasible.h"
#include "plan/plan_private.h"

#include <string.h>

/* Would `per_node` tasks of this definition, or any mix of tasks of definitions
 * that pass this test with the same number, always fit on one node as soon as it
 * has the processors? Then processors alone count. */
static bool shape_is_plain(const struct plan *p, const struct taskdef *def,
    const struct node *n, uint32_t per_node)
{
    const struct settings *cfg = p->c->cfg;

    for (int r = RES_MEM; r < RES_DIMS; r++)
        if (def->per_task.v[r] < 0
            || (def->per_task.v[r] > 0 && def->per_task.v[r] * per_node > n->cfg.v[r]))
            return false;
    for (size_t i = 0; i < n->classes.n; i++)
        if (n->classes.v[i].cls == def->cls
            && (uint32_t)n->classes.v[i].configured < per_node)
            return false;
    for (size_t i = 0; i < def->gres.n; i++)
        if (!gres_is_floating(p->c, def->gres.v[i].id))
            return false;
    if (def->hosts.n || def->exclude.n || def->tpn > 1 || def->nodeset)
        return false;
    if (n->maxjob >= 0 || n->maxjob_per_user >= 0 || n->maxproc >= 0
        || n->maxproc_per_user >= 0 || n->maxpe_per_job > 0 || n->maxload > 0)
        return false;
    return cfg->enable_multinode_jobs;
}

/* Processors of one task, whole-node requests and exclusive access included; 0 =
 * no plain shape. */
static int64_t shape_unit(const struct plan *p, const struct taskdef *def,
    const struct node *n, uint32_t per_node)
{
    int64_t procs = def->per_task.v[RES_PROCS];

    /* of one processor nobody has a part: any access is exclusive */
    if (n->cfg.v[RES_PROCS] == 1 && !demand_has_gres(&p->demand, n) && procs <= 1
        && procs != 0 && n->par->avail[AVAIL_PROCS] != AVAIL_UTILIZED)
        return shape_is_plain(p, def, n, per_node) ? 1 : 0;
    if (procs == 0 || def->exactnode)
        return 0;
    if (procs < 0)
        return shape_is_plain(p, def, n, 1) ? n->cfg.v[RES_PROCS] : 0;
    if (def->access != ACCESS_SHARED)
        return 0;
    return shape_is_plain(p, def, n, per_node) ? procs : 0;
}

/* Does it matter which of several equal nodes are free together? */
static bool places_matter(
    const struct plan *p, const struct taskdef *def, uint32_t partition)
{
    const struct par_settings *par = p->c->partitions.v[partition]->par;
    enum nodealloc_policy policy =
        def->nodealloc == NODEALLOC_UNSET ? par->nodealloc : def->nodealloc;

    return par->nodeset.policy != NODESET_OFF || policy == NODEALLOC_CONTIGUOUS
           || policy == NODEALLOC_LOCAL
           || par->avail[AVAIL_PROCS] == AVAIL_UTILIZED; /* no unit for loads */
}

bool set_has_by_node(const struct plan *p, const struct fitset *s)
{
    for (size_t i = 0; p->by_node && i < s->pools.n; i++)
        if (p->pools.v[s->pools.v[i].pool].by_node)
            return true;
    return false;
}

bool set_has_count(const struct plan *p, const struct fitset *s)
{
    for (size_t i = 0; i < s->pools.n; i++)
        if (!p->pools.v[s->pools.v[i].pool].by_node)
            return true;
    return false;
}

static void end_counting(struct plan *p, struct pool *pool)
{
    small_pools_unknown(p, pool);
    pool->by_node = p->by_node = true;
    pool->small = false;
    pool->free_now = pool->total = 0;
    pool->releases.n = 0;
    p->layout++;
}

void pool_by_node(struct plan *p, struct pool *pool)
{
    struct pool *merged = count_merged(p, pool);

    if (pool->by_node)
        return;
    end_counting(p, pool);
    if (!merged)
        return;
    merged->releases.n = 0;
    for (size_t i = 0; i < p->pools.n; i++)
        if (p->pools.v[i].merged == pool->merged && !p->pools.v[i].by_node)
            end_counting(p, &p->pools.v[i]);
}

static bool same_pools(const struct fitset *s, const struct fitset *t)
{
    return s->mask == t->mask && s->pools.n == t->pools.n
           && (s->pools.n == 0
               || memcmp(s->pools.v, t->pools.v, s->pools.n * sizeof *s->pools.v) == 0);
}

void set_fini(struct fitset *s)
{
    for (size_t i = 0; i < s->offers.n; i++) {
        vec_fini(&s->offers.v[i].free_until);
        vec_fini(&s->offers.v[i].grants);
        lower_bounds_destroy(s->offers.v[i].bounds);
    }
    vec_fini(&s->offers);
    vec_fini(&s->groups);
    vec_fini(&s->order);
    vec_fini(&s->holders);
    vec_fini(&s->large);
    vec_fini(&s->elsewhere);
    vec_fini(&s->group_of);
    lower_bounds_destroy(s->base.bounds);
    lower_bounds_destroy(s->base_merged.bounds);
    vec_fini(&s->pools);
}

/* Which pools of the set are planned together later (they stand together), and which
 * has most nodes. */
static void set_group(const struct plan *p, struct fitset *s)
{
    size_t most = 0;

    for (uint32_t i = 0; i < s->pools.n; i++) {
        const struct pool *pool = &p->pools.v[s->pools.v[i].pool];
        struct group *last = s->groups.n ? &s->groups.v[s->groups.n - 1] : NULL;
        if (pool->nodes.n > most) {
            most = pool->nodes.n;
            s->biggest = pool->index;
        }
        if (last && pool->merged != INDEX_NONE && last->merged == pool->merged)
            last->n++;
        else
            vec_push(&s->groups, ((struct group){i, 1, pool->merged}));
    }
    small_pools_note(p, s);
}

/* The speed that counts for limits on nodes of the pool. */
static double speed_of(const struct plan *p, const struct pool *pool)
{
    const struct node *n = node_at(p->c, pool->nodes.v[0]);

    return n->par->use_machine_speed && n->speed > 0 ? n->speed : 1;
}

static void set_learn_speed(const struct plan *p, struct fitset *s)
{
    s->slowest = s->pools.n ? speed_of(p, &p->pools.v[s->pools.v[0].pool]) : 1;
    for (size_t i = 1; i < s->pools.n; i++) {
        double speed = speed_of(p, &p->pools.v[s->pools.v[i].pool]);
        s->slowest = speed < s->slowest ? speed : s->slowest;
    }
    s->slowest_all = s->slowest;
    for (size_t i = 0; i < p->pools.n; i++) {
        double speed = speed_of(p, &p->pools.v[i]);
        if ((s->mask >> p->pools.v[i].partition & 1) && speed < s->slowest_all)
            s->slowest_all = speed;
    }
}

/* Keep the set, or find its equal; moves `draft`. */
static uint32_t set_intern(struct plan *p, struct fitset *draft)
{
    for (size_t i = 0; i < p->sets.n; i++)
        if (same_pools(&p->sets.v[i], draft)) {
            set_fini(draft);
            return (uint32_t)i;
        }
    set_group(p, draft);
    set_learn_speed(p, draft);
    vec_push(&p->sets, *draft);
    return (uint32_t)p->sets.n - 1;
}

static void set_add_pool(struct fitset *s, const struct pool *pool, uint32_t per_node)
{
    struct fitpool fp = {pool->index, per_node};

    vec_push(&s->pools, fp);
    s->tasks_max += (int64_t)per_node * (int64_t)pool->nodes.n;
}

struct place_of {
    uint32_t merged, at; /* group, and position in it */
    struct fitpool pool;
};

static int compare_places(const void *a, const void *b)
{
    const struct place_of *x = a, *y = b;

    if (x->merged != y->merged)
        return x->merged < y->merged ? -1 : 1;
    return (x->at > y->at) - (x->at < y->at);
}

/* Bring those together that are planned together later, pools without reservations
 * first. */
static void set_sort(const struct plan *p, struct fitset *s)
{
    struct VEC(struct place_of) order = {0};

    if (p->merged_pools.n == 0)
        return;
    for (uint32_t i = 0; i < s->pools.n; i++) {
        const struct pool *pool = &p->pools.v[s->pools.v[i].pool];
        uint32_t first = pool->rsvset == 0 ? 0 : (uint32_t)p->pools.n;
        vec_push(&order, ((struct place_of){pool->merged, first + i, s->pools.v[i]}));
    }
    if (order.n)
        qsort(order.v, order.n, sizeof *order.v, compare_places);
    for (size_t i = 0; i < order.n; i++)
        s->pools.v[i] = order.v[i].pool;
    vec_fini(&order);
}

/* All pools of the partitions in `mask` on which the definition is feasible. */
static struct fitset set_draft(
    const struct plan *p, const struct taskdef *def, uint64_t mask)
{
    struct fitset s = {.mask = mask, .partition = INDEX_NONE};

    if ((mask & (mask - 1)) == 0)
        s.partition = (uint32_t)__builtin_ctzll(mask);
    for (size_t i = 0; i < p->pools.n; i++) {
        const struct pool *pool = &p->pools.v[i];
        const struct node *n = node_at(p->c, pool->nodes.v[0]);
        if (!(mask >> pool->partition & 1))
            continue;
        if (def->hosts.n || def->exclude.n) {
            set_add_pool(&s, pool, feasible_tasks(p->c, def, n));
            continue; /* lists name nodes: answered node by node */
        }
        if (!feasible_node(p->c, def, n, NULL))
            continue;
        uint32_t per_node = feasible_tasks(p->c, def, n);
        if (per_node)
            set_add_pool(&s, pool, per_node);
    }
    set_sort(p, &s);
    return s;
}

struct fitset fit_counted(const struct plan *p, uint32_t partition)
{
    struct fitset s = {.partition = partition};

    for (size_t i = 0; i < p->pools.n; i++) {
        const struct pool *pool = &p->pools.v[i];
        if (pool->partition == partition && !pool->by_node && pool->unit)
            set_add_pool(&s, pool, pool->per_node);
    }
    set_sort(p, &s);
    set_group(p, &s);
    return s;
}

/* Decide for each pool of the set whether this definition still lets it be planned
 * by count: the first shape fixes the unit, a different one ends counting. */
static void set_admit(struct plan *p, uint32_t set, const struct taskdef *def)
{
    struct fitset *s = &p->sets.v[set];
    bool listed = def->hosts.n || def->exclude.n;

    for (size_t i = 0; i < s->pools.n; i++) {
        struct pool *pool = &p->pools.v[s->pools.v[i].pool];
        const struct node *n = node_at(p->c, pool->nodes.v[0]);
        int64_t unit = listed || places_matter(p, def, pool->partition)
                           ? 0
                           : shape_unit(p, def, n, s->pools.v[i].per_node);
        bool other =
            pool->unit
            && (pool->unit != unit || pool->per_node != s->pools.v[i].per_node);
        if (unit == 0 || other) {
            pool_by_node(p, pool);
        } else if (!pool->unit) {
            p->admitted++;
            pool->unit = unit;
            pool->per_node = s->pools.v[i].per_node;
            pool->total = (int32_t)(pool->per_node * pool->nodes.n);
            pool->free_now = pool->total;
            if (pool->merged != INDEX_NONE)
                p->merged_pools.v[pool->merged].total += pool->total;
        }
    }
}

struct fit *fit_get(struct plan *p, const struct taskdef *def)
{
    while (p->fits.n <= def->index)
        vec_push(&p->fits, (struct fit){0});
    struct fit *f = &p->fits.v[def->index];
    if (f->known)
        return f;
    f->known = true;
    p->coarse |= demand_add(&p->demand, def);
    p->user_matters |= def->access == ACCESS_SINGLEUSER;
    for (size_t i = 0; i < p->c->partitions.n; i++) {
        struct fitset draft = set_draft(p, def, UINT64_C(1) << i);
        if (draft.pools.n == 0)
            continue;
        uint32_t set = set_intern(p, &draft);
        set_admit(p, set, def);
        vec_push(&f->sets, set);
    }
    return f;
}

/* ---- without learning ---- */

/* Can the pool be asked about the definition as it is planned now? One that nothing was
 * asked of yet is planned for it from now on. */
static bool try_pool(
    struct plan *p, const struct taskdef *def, struct pool *pool, uint32_t per_node)
{
    const struct node *n = node_at(p->c, pool->nodes.v[0]);
    bool listed = def->hosts.n || def->exclude.n;
    int64_t unit = listed || places_matter(p, def, pool->partition)
                       ? 0
                       : shape_unit(p, def, n, per_node);

    if (pool->by_node)
        return true;
    if (pool->unit)
        return pool->unit == unit && pool->per_node == per_node;
    if (pool->merged != INDEX_NONE)
        return false;
    if (!unit) {
        pool->by_node = p->by_node = true;
        return true;
    }
    pool->unit = unit;
    pool->per_node = per_node;
    pool->total = pool->free_now = (int32_t)(per_node * pool->nodes.n);
    pool->work_valid = false;
    pool->free_until.n = 0;
    return true;
}

void fit_suppose(struct plan *p, const struct taskdef *def)
{
    while (p->fits.n <= def->index)
        vec_push(&p->fits, (struct fit){0});
    if (p->fits.v[def->index].known)
        return;
    p->fits.v[def->index].known = true;
    p->admitted++;
    for (size_t i = 0; i < p->c->partitions.n; i++) {
        struct fitset draft = set_draft(p, def, UINT64_C(1) << i);
        size_t kept = 0;
        draft.tasks_max = 0;
        for (size_t k = 0; k < draft.pools.n; k++) {
            struct fitpool fp = draft.pools.v[k];
            struct pool *pool = &p->pools.v[fp.pool];
            if (!try_pool(p, def, pool, fp.per_node))
                continue;
            draft.tasks_max += (int64_t)fp.per_node * (int64_t)pool->nodes.n;
            draft.pools.v[kept++] = fp;
        }
        draft.pools.n = kept;
        if (kept)
            vec_push(&p->fits.v[def->index].sets, set_intern(p, &draft));
        else
            set_fini(&draft);
    }
}

bool fit_has_pool(struct plan *p, const struct taskdef *def, const struct pool *pool)
{
    const struct fitset *s = fit_in_partition(p, def, pool->partition);

    for (size_t i = 0; s && i < s->pools.n; i++)
        if (s->pools.v[i].pool == pool->index)
            return true;
    return false;
}

struct fitset *fit_in_partition(
    struct plan *p, const struct taskdef *def, uint32_t partition)
{
    const struct fit *f = fit_get(p, def);

    for (size_t i = 0; i < f->sets.n; i++)
        if (p->sets.v[f->sets.v[i]].partition == partition)
            return &p->sets.v[f->sets.v[i]];
    return NULL;
}

static struct fitset *fit_spanning(
    struct plan *p, const struct taskdef *def, uint64_t mask)
{
    struct fit *f = fit_get(p, def);

    for (size_t i = 0; i < f->sets.n; i++)
        if (p->sets.v[f->sets.v[i]].mask == mask)
            return &p->sets.v[f->sets.v[i]];
    struct fitset draft = set_draft(p, def, mask);
    if (draft.pools.n == 0)
        return NULL;
    uint32_t set = set_intern(p, &draft);
    set_admit(p, set, def);
    vec_push(&p->fits.v[def->index].sets, set);
    return &p->sets.v[set];
}

static bool does_span(const struct job *j)
{
    return (j->flags & JOB_SPAN) && (j->partitions & (j->partitions - 1));
}

struct fitset *fit_for(struct plan *p, const struct job *j, uint32_t partition)
{
    if (does_span(j))
        return fit_spanning(p, j->reqs[0].def, j->partitions);
    return fit_in_partition(p, j->reqs[0].def, partition);
}

uint64_t fit_partitions(const struct plan *p, const struct job *j)
{
    uint64_t real = (UINT64_C(1) << p->c->partitions.n) - 1;
    uint64_t mask = j->partitions & real;

    return does_span(j) ? mask & -mask : mask;
}

void fit_learn(struct plan *p, const struct job *j, const struct req *r)
{
    const struct fit *f = fit_get(p, r->def);

    if (does_span(j))
        fit_spanning(p, r->def, j->partitions);
    if (j->nreqs < 2 && r->nodes == 0)
        return;
    if (j->nreqs < 2 && !r->def->exactnode)
        return; /* an explicit node count may be packed */
    for (size_t i = 0; i < f->sets.n; i++) {
        const struct fitset *s = &p->sets.v[f->sets.v[i]];
        for (size_t k = 0; k < s->pools.n; k++)
            pool_by_node(p, &p->pools.v[s->pools.v[k].pool]);
    }
}
