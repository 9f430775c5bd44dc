/* SPDX-License-Identifier: Apache-2.0
 * Which pools a task definition can use, and whether its shape lets them be
 * planned by count. Answered once per definition and layout of the nodes. */
#include "plan/pools/fits.h"

#include "cluster/cluster.h"
#include "cluster/job.h"
#include "cluster/node.h"
#include "cluster/partition.h"
#include "config/settings.h"
#include "plan/feasible.h"

#include <string.h>

/* Where one task definition fits. */
struct fit {
    bool known;
    struct VEC(uint32_t) sets; /* numbers, by partition */
};

/* What was found out about a definition, by kind of nodes. */
struct kind_answer {
    bool known;
    uint32_t per_node; /* tasks on an empty node, 0 = infeasible */
    int64_t unit;      /* processors of a unit; 0 = it cannot be counted */
};
struct asked {
    const struct taskdef *def; /* NULL = nothing is known */
    uint64_t epoch;            /* of pools_kinds() */
    struct VEC(struct kind_answer) kinds;
    struct kind_answer one; /* of a pool alone, where kinds are not known */
};

struct fits {
    struct cluster *c;
    struct pools *pools;
    struct VEC(struct fitset) sets;
    struct VEC(struct fit) fits; /* by definition */
    struct asked asked;
};

/* Would `per_node` tasks of this definition, or any mix of tasks of definitions
 * that pass this test with the same number, always fit on one node as soon as it
 * has the processors? Then processors alone count. */
static bool shape_is_plain(const struct fits *f, const struct taskdef *def,
    const struct node *n, uint32_t per_node)
{
    const struct settings *cfg = f->c->cfg;

    for (int r = RES_MEM; r < RES_DIMS; r++) {
        /* each of them may be the only one of its job there */
        int64_t most = def->per_task.v[r] + taskdef_by_node(def, r);
        if (def->per_task.v[r] < 0 || (most > 0 && most * per_node > n->cfg.v[r]))
            return false;
    }
    for (size_t i = 0; i < n->classes.n; i++)
        if (n->classes.v[i].cls == def->cls
            && (uint32_t)n->classes.v[i].configured < per_node)
            return false;
    for (size_t i = 0; i < def->gres.n; i++)
        if (!gres_is_floating(f->c, def->gres.v[i].id))
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
static int64_t shape_unit(const struct fits *f, const struct taskdef *def,
    const struct node *n, uint32_t per_node)
{
    int64_t procs = def->per_task.v[RES_PROCS];

    if (def->sharing != SHARING_NONE)
        return 0;
    /* of one processor nobody has a part: any access is exclusive */
    if (n->cfg.v[RES_PROCS] == 1 && !demand_has_gres(pools_demanded(f->pools), n)
        && procs <= 1 && procs != 0 && n->par->avail[AVAIL_PROCS] != AVAIL_UTILIZED)
        return shape_is_plain(f, def, n, per_node) ? 1 : 0;
    if (procs == 0 || def->exactnode)
        return 0;
    if (procs < 0)
        return shape_is_plain(f, def, n, 1) ? n->cfg.v[RES_PROCS] : 0;
    if (def->access != ACCESS_SHARED)
        return 0;
    return shape_is_plain(f, def, n, per_node) ? procs : 0;
}

/* Does it matter which of several equal nodes are free together? */
static bool places_matter(
    const struct fits *f, const struct taskdef *def, uint32_t partition)
{
    const struct par_settings *par = f->c->partitions.v[partition]->par;
    enum nodealloc_policy policy =
        def->nodealloc == NODEALLOC_UNSET ? par->nodealloc : def->nodealloc;

    return par->nodeset.policy != NODESET_OFF || policy == NODEALLOC_CONTIGUOUS
           || policy == NODEALLOC_LOCAL
           || par->avail[AVAIL_PROCS] == AVAIL_UTILIZED; /* no unit for loads */
}

bool fitset_has_by_node(const struct pools *ps, const struct fitset *s)
{
    for (size_t i = 0; pools_any_by_node(ps) && i < s->pools.n; i++)
        if (pools_at(ps, s->pools.v[i].pool)->by_node)
            return true;
    return false;
}

bool fitset_has_counted(const struct pools *ps, const struct fitset *s)
{
    for (size_t i = 0; i < s->pools.n; i++)
        if (!pools_at(ps, s->pools.v[i].pool)->by_node)
            return true;
    return false;
}

static uint32_t tasks_on(
    const struct fits *f, const struct taskdef *def, const struct node *n)
{
    bool listed = def->hosts.n || def->exclude.n; /* answered node by node */

    return listed || feasible_node(f->c, def, n, NULL) ? feasible_tasks(f->c, def, n)
                                                       : 0;
}

/* What the definition is to nodes of the pool: the same to all of a kind. */
static const struct kind_answer *answer_of(
    struct fits *f, const struct taskdef *def, const struct pool *pool)
{
    uint64_t epoch;
    uint32_t kinds = pools_kinds(f->pools, &epoch);
    bool listed = def->hosts.n || def->exclude.n;
    struct asked *k = &f->asked;
    const struct node *n = node_at(f->c, pool->nodes.v[0]);

    if (k->def != def || k->epoch != epoch) {
        k->kinds.n = 0;
        vec_push_zeros(&k->kinds, kinds);
        k->def = def;
        k->epoch = epoch;
    }
    struct kind_answer *x = kinds ? &k->kinds.v[pool->nodes_kind] : &k->one;
    if (kinds && x->known)
        return x;
    x->known = true;
    x->per_node = tasks_on(f, def, n);
    x->unit = listed || places_matter(f, def, pool->partition)
                  ? 0
                  : shape_unit(f, def, n, x->per_node);
    return x;
}

void fits_end_counting(struct fits *f, struct pool *pool)
{
    struct pool *merged = pools_merged_of(f->pools, pool);

    if (pool->by_node)
        return;
    pools_end_counting(f->pools, pool);
    if (!merged)
        return;
    for (uint32_t i = 0; i < pools_count(f->pools); i++) {
        struct pool *other = pools_at(f->pools, i);
        if (other->merged == pool->merged && !other->by_node)
            pools_end_counting(f->pools, other);
    }
}

static bool same_pools(const struct fitset *s, const struct fitset *t)
{
    return s->mask == t->mask && s->pools.n == t->pools.n
           && (s->pools.n == 0
               || memcmp(s->pools.v, t->pools.v, s->pools.n * sizeof *s->pools.v) == 0);
}

void fitset_fini(struct fitset *s)
{
    if (s->borrows_lists)
        return;
    vec_fini(&s->pools);
    vec_fini(&s->groups);
}

/* Which pools of the set are planned together later (they stand together), and which
 * has most nodes. */
static void set_group(const struct fits *f, struct fitset *s)
{
    size_t most = 0;

    for (uint32_t i = 0; i < s->pools.n; i++) {
        const struct pool *pool = pools_at(f->pools, s->pools.v[i].pool);
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
}

/* The speed that counts for limits on nodes of the pool. */
static double speed_of(const struct fits *f, const struct pool *pool)
{
    const struct node *n = node_at(f->c, pool->nodes.v[0]);

    return n->par->use_machine_speed && n->speed > 0 ? n->speed : 1;
}

static void set_learn_speed(const struct fits *f, struct fitset *s)
{
    s->slowest = s->pools.n ? speed_of(f, pools_at(f->pools, s->pools.v[0].pool)) : 1;
    for (size_t i = 1; i < s->pools.n; i++) {
        double speed = speed_of(f, pools_at(f->pools, s->pools.v[i].pool));
        s->slowest = speed < s->slowest ? speed : s->slowest;
    }
    s->slowest_all = s->slowest;
    for (size_t i = 0; i < pools_count(f->pools); i++) {
        double speed = speed_of(f, pools_at(f->pools, i));
        if ((s->mask >> pools_at(f->pools, i)->partition & 1) && speed < s->slowest_all)
            s->slowest_all = speed;
    }
}

/* Keep the set, or find its equal; moves `draft`. */
static uint32_t set_intern(struct fits *f, struct fitset *draft)
{
    for (size_t i = 0; i < f->sets.n; i++)
        if (same_pools(&f->sets.v[i], draft)) {
            fitset_fini(draft);
            return (uint32_t)i;
        }
    set_group(f, draft);
    set_learn_speed(f, draft);
    draft->number = (uint32_t)f->sets.n;
    vec_push(&f->sets, *draft);
    return draft->number;
}

static void set_add_pool(struct fitset *s, const struct pool *pool, uint32_t per_node)
{
    struct fitpool fp = {pool->index, per_node};

    vec_push(&s->pools, fp);
    s->tasks_max += (int64_t)per_node * (int64_t)pool->nodes.n;
    s->nodes += (int64_t)pool->nodes.n;
}

/* Where a pool stands in a set: by merged pool, those without reservations first. */
static uint32_t place_of(const struct fits *f, const struct fitpool *x)
{
    const struct pool *pool = pools_at(f->pools, x->pool);
    uint32_t n = pools_merged_count(f->pools);
    uint32_t merged = pool->merged == INDEX_NONE ? n : pool->merged;

    return 2 * merged + (pool->rsvset != 0);
}

/* Bring those together that are planned together later; those of a place stay in order.
 */
static void set_sort(const struct fits *f, struct fitset *s)
{
    uint32_t places = 2 * pools_merged_count(f->pools) + 2;

    if (pools_merged_count(f->pools) == 0)
        return;
    uint32_t *next = xcalloc(places + 1, sizeof *next);
    struct fitpool *sorted = xmalloc((s->pools.n + 1) * sizeof *sorted);
    for (size_t i = 0; i < s->pools.n; i++)
        next[place_of(f, &s->pools.v[i]) + 1]++;
    for (uint32_t i = 1; i <= places; i++)
        next[i] += next[i - 1];
    for (size_t i = 0; i < s->pools.n; i++)
        sorted[next[place_of(f, &s->pools.v[i])]++] = s->pools.v[i];
    if (s->pools.n)
        memcpy(s->pools.v, sorted, s->pools.n * sizeof *sorted);
    free(sorted);
    free(next);
}

/* All pools of the partitions in `mask` on which the definition is feasible. */
static struct fitset set_draft(struct fits *f, const struct taskdef *def, uint64_t mask)
{
    struct fitset s = {.mask = mask, .partition = INDEX_NONE};
    bool listed = def->hosts.n || def->exclude.n; /* their nodes are named */

    if ((mask & (mask - 1)) == 0)
        s.partition = (uint32_t)__builtin_ctzll(mask);
    for (size_t i = 0; i < pools_count(f->pools); i++) {
        const struct pool *pool = pools_at(f->pools, i);
        if (!(mask >> pool->partition & 1))
            continue;
        uint32_t per_node = answer_of(f, def, pool)->per_node;
        if (per_node || listed)
            set_add_pool(&s, pool, per_node);
    }
    set_sort(f, &s);
    return s;
}

struct fitset fits_counted(const struct fits *f, uint32_t partition)
{
    struct fitset s = {.number = INDEX_NONE, .partition = partition};

    for (size_t i = 0; i < pools_count(f->pools); i++) {
        const struct pool *pool = pools_at(f->pools, i);
        if (pool->partition == partition && !pool->by_node && pool->unit)
            set_add_pool(&s, pool, pool->per_node);
    }
    set_sort(f, &s);
    set_group(f, &s);
    return s;
}

/* Decide for each pool of the set whether this definition still lets it be planned
 * by count: the first shape fixes the unit, a different one ends counting. */
static void set_admit(struct fits *f, uint32_t set, const struct taskdef *def)
{
    struct fitset *s = &f->sets.v[set];

    for (size_t i = 0; i < s->pools.n; i++) {
        struct pool *pool = pools_at(f->pools, s->pools.v[i].pool);
        int64_t unit = answer_of(f, def, pool)->unit;
        bool other =
            pool->unit
            && (pool->unit != unit || pool->per_node != s->pools.v[i].per_node);
        if (unit == 0 || other)
            fits_end_counting(f, pool);
        else if (!pool->unit)
            pools_set_unit(f->pools, pool, unit, s->pools.v[i].per_node);
    }
}

static struct fit *fit_of(struct fits *f, const struct taskdef *def)
{
    while (f->fits.n <= def->index)
        vec_push(&f->fits, (struct fit){0});
    return &f->fits.v[def->index];
}

static const struct fit *learn_fit(struct fits *f, const struct taskdef *def)
{
    struct fit *fit = fit_of(f, def);

    fit->known = true;
    pools_demand(f->pools, def);
    for (size_t i = 0; i < f->c->partitions.n; i++) {
        struct fitset draft = set_draft(f, def, UINT64_C(1) << i);
        if (draft.pools.n == 0)
            continue;
        uint32_t set = set_intern(f, &draft);
        set_admit(f, set, def);
        vec_push(&fit->sets, set);
    }
    return fit;
}

bool fits_knows(const struct fits *f, const struct taskdef *def)
{
    return def->index < f->fits.n && f->fits.v[def->index].known;
}

/* What is known of the definition, learned when it is asked for first. */
static inline const struct fit *known_fit(struct fits *f, const struct taskdef *def)
{
    return fits_knows(f, def) ? &f->fits.v[def->index] : learn_fit(f, def);
}

void fits_learn(struct fits *f, const struct taskdef *def)
{
    known_fit(f, def);
}

/* ---- without learning ---- */

/* Can the pool be asked about the definition as it is planned now? One that nothing was
 * asked of yet is planned for it from now on. */
static bool try_pool(
    struct fits *f, const struct taskdef *def, struct pool *pool, uint32_t per_node)
{
    int64_t unit = answer_of(f, def, pool)->unit;

    if (pool->by_node)
        return true;
    if (pool->unit)
        return pool->unit == unit && pool->per_node == per_node;
    if (pool->merged != INDEX_NONE)
        return false;
    if (unit)
        pools_set_unit(f->pools, pool, unit, per_node);
    else
        pools_begin_by_node(f->pools, pool);
    return true;
}

void fits_suppose(struct fits *f, const struct taskdef *def)
{
    struct fit *fit = fit_of(f, def);

    if (fit->known)
        return;
    fit->known = true;
    for (size_t i = 0; i < f->c->partitions.n; i++) {
        struct fitset draft = set_draft(f, def, UINT64_C(1) << i);
        size_t kept = 0;
        draft.tasks_max = draft.nodes = 0;
        for (size_t k = 0; k < draft.pools.n; k++) {
            struct fitpool fp = draft.pools.v[k];
            struct pool *pool = pools_at(f->pools, fp.pool);
            if (!try_pool(f, def, pool, fp.per_node))
                continue;
            draft.tasks_max += (int64_t)fp.per_node * (int64_t)pool->nodes.n;
            draft.nodes += (int64_t)pool->nodes.n;
            draft.pools.v[kept++] = fp;
        }
        draft.pools.n = kept;
        if (kept)
            vec_push(&fit->sets, set_intern(f, &draft));
        else
            fitset_fini(&draft);
    }
}

/* ---- questions ---- */

bool fits_has_pool(struct fits *f, const struct taskdef *def, const struct pool *pool)
{
    const struct fitset *s = fits_in_partition(f, def, pool->partition);

    for (size_t i = 0; s && i < s->pools.n; i++)
        if (s->pools.v[i].pool == pool->index)
            return true;
    return false;
}

const struct fitset *fits_in_partition(
    struct fits *f, const struct taskdef *def, uint32_t partition)
{
    const struct fit *fit = known_fit(f, def);

    for (size_t i = 0; i < fit->sets.n; i++)
        if (f->sets.v[fit->sets.v[i]].partition == partition)
            return &f->sets.v[fit->sets.v[i]];
    return NULL;
}

static const struct fitset *fit_spanning(
    struct fits *f, const struct taskdef *def, uint64_t mask)
{
    const struct fit *fit = known_fit(f, def);

    for (size_t i = 0; i < fit->sets.n; i++)
        if (f->sets.v[fit->sets.v[i]].mask == mask)
            return &f->sets.v[fit->sets.v[i]];
    struct fitset draft = set_draft(f, def, mask);
    if (draft.pools.n == 0)
        return NULL;
    uint32_t set = set_intern(f, &draft);
    set_admit(f, set, def);
    vec_push(&fit_of(f, def)->sets, set);
    return &f->sets.v[set];
}

static bool does_span(const struct job *j)
{
    return (j->flags & JOB_SPAN) && (j->partitions & (j->partitions - 1));
}

const struct fitset *fits_for(struct fits *f, const struct job *j, uint32_t partition)
{
    if (does_span(j))
        return fit_spanning(f, j->reqs[0].def, j->partitions);
    return fits_in_partition(f, j->reqs[0].def, partition);
}

uint64_t fits_partitions(const struct fits *f, const struct job *j)
{
    uint64_t real = (UINT64_C(1) << f->c->partitions.n) - 1;
    uint64_t mask = j->partitions & real;

    return does_span(j) ? mask & -mask : mask;
}

void fits_learn_request(struct fits *f, const struct job *j, const struct req *r)
{
    const struct fit *fit = known_fit(f, r->def);

    if (does_span(j))
        fit_spanning(f, r->def, j->partitions);
    if (j->nreqs < 2 && r->nodes == 0)
        return;
    if (j->nreqs < 2 && !r->def->exactnode)
        return; /* an explicit node count may be packed */
    for (size_t i = 0; i < fit->sets.n; i++) {
        const struct fitset *s = &f->sets.v[fit->sets.v[i]];
        for (size_t k = 0; k < s->pools.n; k++)
            fits_end_counting(f, pools_at(f->pools, s->pools.v[k].pool));
    }
}

uint32_t fits_sets(const struct fits *f)
{
    return (uint32_t)f->sets.n;
}

const struct fitset *fits_set(const struct fits *f, uint32_t i)
{
    return &f->sets.v[i];
}

/* ---- their life ---- */

struct fits *fits_create(struct cluster *c, struct pools *pools)
{
    struct fits *f = xcalloc(1, sizeof *f);

    f->c = c;
    f->pools = pools;
    return f;
}

void fits_forget(struct fits *f)
{
    for (size_t i = 0; i < f->fits.n; i++)
        vec_fini(&f->fits.v[i].sets);
    f->fits.n = 0;
    for (size_t i = 0; i < f->sets.n; i++)
        fitset_fini(&f->sets.v[i]);
    f->sets.n = 0;
    f->asked.def = NULL;
}

void fits_destroy(struct fits *f)
{
    if (!f)
        return;
    fits_forget(f);
    vec_fini(&f->fits);
    vec_fini(&f->sets);
    vec_fini(&f->asked.kinds);
    free(f);
}

struct fits *fits_copy(const struct fits *from, struct pools *pools)
{
    struct fits *to = fits_create(from->c, pools);

    vec_copy(&to->sets, &from->sets);
    for (size_t i = 0; i < from->sets.n; i++)
        to->sets.v[i].borrows_lists = true;
    vec_copy(&to->fits, &from->fits);
    for (size_t i = 0; i < from->fits.n; i++)
        vec_copy(&to->fits.v[i].sets, &from->fits.v[i].sets);
    return to;
}
