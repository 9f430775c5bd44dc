/* SPDX-License-Identifier: Apache-2.0
 * Pools planned node by node: what one node can take during an interval, the
 * earliest instant at which enough nodes can, and pinned reservations. */
#include "base/xalloc.h"
#include "cluster/folded.h"
#include "cluster/partition.h"
#include "plan/bynode/bynode_private.h"
#include "plan/bynode/multireq.h"
#include "plan/bynode/rsvview.h"
#include "plan/feasible.h"
#include "plan/nodes/avail.h"
#include "plan/plan_private.h"

#include <assert.h>
#include <string.h>

/* Kinds of generic resources one request is tested for node by node. */
#define GRES_MAX NODEALLOC_GRES

/* What is in use on a node at one instant, as far as it matters to one request. */
struct in_use {
    struct res res;
    int64_t gres[GRES_MAX]; /* of the request's generic resources, in its order */
    int64_t initiators;
    int64_t jobs, user_jobs;
    struct feasible_procs procs;
    bool closed; /* an access policy keeps the job out */
};

/* Who asks, and the node looked at. */
struct ask {
    const struct asker *by;
    struct plan *p;
    const struct job *j;
    const struct taskdef *def;
    const struct node *n;
};

static struct ask ask_of(const struct asker *by, const struct node *n)
{
    return (struct ask){by, by->p, by->j, by->def, n};
}

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
    free(b);
}

/* ---- one node at one instant ---- */

struct asker asker_of(struct plan *p, const struct job *j, const struct taskdef *def)
{
    return (struct asker){p, j, def, &p->without};
}

const struct pins *asker_pins(const struct asker *a, uint32_t node)
{
    return a->without->reservations ? NULL : pins_of(a->p, node);
}

static bool whole_node(enum access_policy a)
{
    return a == ACCESS_SINGLEJOB || a == ACCESS_SINGLETASK;
}

/* Count one other job that is on the node. */
static void use_job(struct in_use *u, const struct ask *a, const struct job *other)
{
    bool same_user = other->cred[CRED_USER] == a->j->cred[CRED_USER];
    enum access_policy strict = job_access(a->j), theirs = job_access(other);

    strict = theirs > strict ? theirs : strict;
    if (whole_node(strict) || (strict == ACCESS_SINGLEUSER && !same_user))
        u->closed = true;
    u->jobs++;
    u->user_jobs += same_user;
}

/* Add `tasks` tasks of its request to what is in use. */
static void use_tasks(struct in_use *u, const struct ask *a, const struct job *other,
    const struct req *r, uint32_t tasks)
{
    bool running = r->held != NULL;
    const struct taskdef *theirs = running ? r->held : r->def;
    const struct taskdef *def = a->def;
    struct res used = {{0}};

    for (int i = 0; i < RES_DIMS; i++) {
        int64_t each = theirs->per_task.v[i];
        used.v[i] = each < 0 ? a->n->cfg.v[i] : each * tasks;
        /* measured use decides there, which is known for the present only */
        if (!running || a->n->par->avail[i] != AVAIL_UTILIZED)
            u->res.v[i] += used.v[i];
    }
    for (size_t i = 0; i < def->gres.n && i < GRES_MAX; i++)
        for (size_t k = 0; k < theirs->gres.n; k++)
            if (theirs->gres.v[k].id == def->gres.v[i].id)
                u->gres[i] += theirs->gres.v[k].count * tasks;
    if (theirs->cls == def->cls)
        u->initiators += tasks;
    u->procs.all += used.v[RES_PROCS];
    if (other->cred[CRED_USER] == a->j->cred[CRED_USER])
        u->procs.user += used.v[RES_PROCS];
    if (other->cred[CRED_CLASS] == a->j->cred[CRED_CLASS])
        u->procs.cls += used.v[RES_PROCS];
}

/* Memory and swap that a job thought to be suspended keeps. */
static void use_kept(struct in_use *u, const struct ask *a, const struct job *other)
{
    for (size_t k = 0; k < other->alloc.n; k++) {
        const struct alloc *piece = &other->alloc.v[k];
        const struct taskdef *def = other->reqs[piece->req].def;
        if (a->n->index - piece->first >= piece->count)
            continue;
        for (int i = RES_MEM; i <= RES_SWAP; i++) {
            int64_t each = def->per_task.v[i];
            u->res.v[i] += each < 0 ? a->n->cfg.v[i] : each * piece->tasks;
        }
    }
}

static void use_running(
    struct in_use *u, const struct ask *a, uint32_t job, uint32_t tasks, int64_t at)
{
    const struct job *other = a->p->c->jobs.v[job];

    if (plan_job_end(a->p, other) <= at || other == a->j)
        return;
    if (asker_lacks(a->by, other)) {
        if (a->by->without->keep_memory)
            use_kept(u, a, other);
        return;
    }
    use_job(u, a, other);
    if (other->nreqs == 1) {
        use_tasks(u, a, other, &other->reqs[0], tasks);
        return;
    }
    for (size_t k = 0; k < other->alloc.n; k++) {
        const struct alloc *piece = &other->alloc.v[k];
        if (a->n->index - piece->first < piece->count)
            use_tasks(u, a, other, &other->reqs[piece->req], piece->tasks);
    }
}

static bool pin_holds(const struct pin *pin, int64_t at)
{
    return pin->start_at <= at && at < pin->end_at;
}

static void use_pins(struct in_use *u, const struct ask *a, int64_t at)
{
    const struct pins *pins = asker_pins(a->by, a->n->index);

    for (size_t i = 0; pins && i < pins->v.n; i++) {
        const struct pin *pin = &pins->v.v[i];
        const struct job *other = a->p->c->jobs.v[pin->job];
        bool counted = false; /* by the pin of another request */
        if (!pin_holds(pin, at) || other == a->j)
            continue;
        for (size_t k = 0; k < i && other->nreqs > 1; k++)
            counted |= pins->v.v[k].job == pin->job && pin_holds(&pins->v.v[k], at);
        if (!counted)
            use_job(u, a, other);
        use_tasks(u, a, other, &other->reqs[pin->req], pin->tasks);
    }
}

static void use_of(struct in_use *u, const struct ask *a, int64_t at)
{
    struct node_job on;

    *u = (struct in_use){0};
    for (uint32_t i = 0; node_job_at(a->p->c, a->n, i, &on); i++)
        use_running(u, a, on.job, on.tasks, at);
    use_pins(u, a, at);
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t class_initiators(const struct node *n, uint32_t cls)
{
    if (n->classes.n == 0)
        return INT32_MAX;
    for (size_t i = 0; i < n->classes.n; i++)
        if (n->classes.v[i].cls == cls)
            return n->classes.v[i].configured;
    return cls == 0 || cls == INDEX_NONE ? INT32_MAX : 0;
}

/* Limits of the node, and of the class on a node. */
static int64_t under_limits(const struct ask *a, const struct in_use *u, int64_t k)
{
    const struct node *n = a->n;
    int64_t procs = a->def->per_task.v[RES_PROCS];

    if (n->maxjob >= 0 && u->jobs + 1 > n->maxjob)
        return 0;
    if (n->maxjob_per_user >= 0 && u->user_jobs + 1 > n->maxjob_per_user)
        return 0;
    if (procs < 0)
        procs = n->cfg.v[RES_PROCS];
    if (procs > 0)
        k = least(k, feasible_procs_left(a->p->c, a->def, n, &u->procs) / procs);
    return k > 0 ? k : 0;
}

/* Tasks the node can take at the very instant `at` of the span. */
static int64_t tasks_at(
    const struct asker *by, const struct node *n, const struct span *span, int64_t at)
{
    struct ask a = ask_of(by, n);
    struct plan *p = by->p;
    const struct taskdef *def = by->def;
    struct res have = n->cfg;
    struct in_use u;

    use_of(&u, &a, at);
    if (u.closed)
        return 0;
    if (p->c->suspended) {
        struct res held = node_held(p->c, n, by->j, at - p->now);
        res_add(&u.res, &held, 1);
    }
    for (int i = 0; i < RES_DIMS; i++)
        have.v[i] = have.v[i] > u.res.v[i] ? have.v[i] - u.res.v[i] : 0;
    rsvview_reduce(by, n, span, at, &have);
    int64_t k = res_tasks(&have, &n->cfg, &def->per_task);
    for (size_t i = 0; i < def->gres.n && i < GRES_MAX; i++) {
        uint32_t id = def->gres.v[i].id;
        if (def->gres.v[i].count > 0 && !gres_is_floating(p->c, id))
            k = least(k, (node_gres(n, id) - u.gres[i]) / def->gres.v[i].count);
    }
    k = least(k, class_initiators(n, def->cls) - u.initiators);
    return under_limits(&a, &u, k);
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
    const struct taskdef *def = by->def;
    const struct pins *pins = asker_pins(by, n->index);
    const struct span span = {start, end};
    int64_t k = tasks_at(by, n, &span, start);

    if (k > 0 && start <= p->now && !lacks_some(by, n))
        k = least(k, avail_tasks_now(p->c, by->j, def, n));
    for (size_t i = 0; k > 0 && pins && i < pins->v.n; i++)
        if (pins->v.v[i].start_at > start && pins->v.v[i].start_at < end)
            k = least(k, tasks_at(by, n, &span, pins->v.v[i].start_at));
    int64_t at = k > 0 ? rsvview_next(p, by->j, n, start) : TIME_NEVER;
    for (; k > 0 && at < end; at = rsvview_next(p, by->j, n, at))
        k = least(k, tasks_at(by, n, &span, at));
    if (k <= 0)
        return 0;
    if (def->access == ACCESS_SINGLETASK)
        k = 1;
    if (def->tpn > 1)
        k -= k % def->tpn;
    return (uint32_t)least(k, feasible_tasks(p->c, def, n));
}

/* Lower what is free during the span to what is free at one instant of it. */
static void room_at(
    const struct ask *a, const struct span *span, int64_t at, struct bynode_room *io)
{
    struct res have = a->n->cfg;
    struct in_use u;

    use_of(&u, a, at);
    for (int i = 0; i < RES_DIMS; i++)
        have.v[i] -= u.res.v[i];
    rsvview_reduce(a->by, a->n, span, at, &have);
    for (int i = 0; i < RES_DIMS; i++)
        io->res.v[i] = least(io->res.v[i], have.v[i]);
    for (size_t i = 0; i < a->def->gres.n && i < GRES_MAX; i++) {
        int64_t all = node_gres(a->n, a->def->gres.v[i].id);
        io->rest.gres[i] = least(io->rest.gres[i], all - u.gres[i]);
    }
    io->rest.initiators =
        least(io->rest.initiators, class_initiators(a->n, a->def->cls) - u.initiators);
    io->rest.procs =
        least(io->rest.procs, feasible_procs_left(a->p->c, a->def, a->n, &u.procs));
}

void bynode_room(const struct asker *by, const struct node *n, const struct span *span,
    struct bynode_room *ret)
{
    const struct pins *pins = asker_pins(by, n->index);
    struct ask a = ask_of(by, n);

    *ret = (struct bynode_room){.res = n->cfg,
        .rest = {.initiators = INT32_MAX, .procs = INT64_MAX, .pe = feasible_maxpe(n)}};
    for (int i = 0; i < GRES_MAX; i++)
        ret->rest.gres[i] = INT64_MAX;
    room_at(&a, span, span->start, ret);
    for (size_t i = 0; pins && i < pins->v.n; i++)
        if (pins->v.v[i].start_at > span->start && pins->v.v[i].start_at < span->end)
            room_at(&a, span, pins->v.v[i].start_at, ret);
    int64_t at = rsvview_next(by->p, by->j, n, span->start);
    for (; at < span->end; at = rsvview_next(by->p, by->j, n, at))
        room_at(&a, span, at, ret);
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
    const struct fitset *s = &p->sets.v[set];
    struct bynode_offers *o = &p->bynode->offers;

    while (o->tasks.n < p->c->nodes.n)
        vec_push(&o->tasks, 0);
    o->reserved.n = 0;
    o->sum = 0;
    memset(o->tasks.v, 0, o->tasks.n * sizeof *o->tasks.v);
    for (size_t i = 0; i < s->pools.n; i++) {
        const struct pool *pool = &p->pools.v[s->pools.v[i].pool];
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

    p->cands.n = 0;
    for (size_t i = 0; i < p->c->nodes.n; i++) {
        const struct node *n = node_at(p->c, i);
        uint32_t tasks = p->bynode->offers.tasks.v[i];
        if (!pool_of(p, n->index) || tasks == 0)
            continue;
        struct cand cand = {.node = n->index,
            .tasks = tasks,
            .free_until = bynode_holds_until(&by, n, tasks, start),
            .affinity = rsvview_affinity(p, j, n, start, end)};
        vec_push(&p->cands, cand);
    }
}

static struct nodealloc choice(const struct plan *p, const struct job *j,
    const struct fitset *s, const struct req *r, int64_t start)
{
    const struct pool *first = &p->pools.v[s->pools.v[0].pool];

    return (struct nodealloc){.c = p->c,
        .j = j,
        .req = r,
        .par = p->c->partitions.v[first->partition]->par,
        .start_at = start,
        .end_at = time_add(start, plan_duration(s, j)),
        .immediate = start <= p->now};
}

/* Tasks that nodes attracting the job (positive or neutral affinity) offer. */
static int64_t attracted(const struct plan *p)
{
    int64_t sum = 0;

    for (size_t i = 0; i < p->cands.n; i++)
        if (p->cands.v[i].affinity <= AFFINITY_NEUTRAL)
            sum += p->cands.v[i].tasks;
    return sum;
}

bool bynode_choose(struct plan *p, const struct job *j, uint32_t set, int64_t start,
    struct allocs *ret, int64_t *ret_units)
{
    const struct fitset *s = &p->sets.v[set];
    int64_t end = time_add(start, plan_duration(s, j));
    int64_t need = j->reqs[0].tasks;
    struct req rest = j->reqs[0];
    enum wait_code code;

    collect_cands(p, j, s, start);
    int64_t counted = set_has_count(p, s) ? search_free_at(p, s,
                          closures_access(p->closures, j, p->now), start, end, need)
                                          : 0;
    int64_t first = attracted(p);
    *ret_units = counted < need - first ? counted : need - first;
    if (*ret_units < 0)
        *ret_units = 0;
    if (*ret_units == need)
        return true;
    rest.tasks = (uint32_t)(need - *ret_units);
    struct nodealloc a = choice(p, j, s, &rest, start);
    return nodealloc_choose(&a, p->cands.v, p->cands.n, ret, &code) == 0;
}

/* Nodes for a start now, out of both kinds of pools. */
int bynode_place_now(struct plan *p, const struct job *j, uint32_t set,
    struct allocs *ret, enum wait_code *ret_code)
{
    const struct fitset *s = &p->sets.v[set];
    int64_t end = time_add(p->now, plan_duration(s, j));

    if (j->nreqs > 1)
        return multireq_place(p, j, set, p->now, ret, ret_code) ? 0 : -1;
    bynode_all(p, j, set, p->now, end);
    collect_cands(p, j, s, p->now);
    if (set_has_count(p, s))
        place_collect_counted(p, j, s, end);
    struct nodealloc a = choice(p, j, s, &j->reqs[0], p->now);
    return nodealloc_choose(&a, p->cands.v, p->cands.n, ret, ret_code);
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
    count_reserve(p, j, r, units);
}

/* Processors a running job holds on a node of the full form. */
static int64_t procs_of(const struct node *n, const struct job *j)
{
    int64_t sum = 0;

    for (size_t k = 0; k < j->alloc.n; k++) {
        const struct alloc *a = &j->alloc.v[k];
        int64_t each = j->reqs[a->req].def->per_task.v[RES_PROCS];
        if (n->index - a->first < a->count)
            sum += each < 0 ? n->cfg.v[RES_PROCS] : each * a->tasks;
    }
    return sum;
}

/* Processors in use on the node at an instant, by jobs and reservations. */
static int64_t procs_used_at(const struct plan *p, const struct node *n, int64_t at)
{
    const struct pins *pins = pins_of(p, n->index);
    int64_t used = 0;

    node_unfold(p->c, n);
    for (size_t i = 0; i < n->jobs.n; i++) {
        const struct job *j = p->c->jobs.v[n->jobs.v[i].job];
        if (plan_job_end(p, j) > at)
            used += procs_of(n, j);
    }
    for (size_t i = 0; pins && i < pins->v.n; i++) {
        const struct pin *pin = &pins->v.v[i];
        const struct taskdef *def = p->c->jobs.v[pin->job]->reqs[pin->req].def;
        int64_t each = def->per_task.v[RES_PROCS];
        if (pin->start_at <= at && at < pin->end_at)
            used += each < 0 || whole_node(def->access) ? n->cfg.v[RES_PROCS]
                                                        : each * pin->tasks;
    }
    return used;
}

int64_t bynode_procs_until(
    const struct plan *p, const struct node *n, int64_t free, int64_t end)
{
    const struct pins *pins = pins_of(p, n->index);

    for (size_t i = 0; pins && i < pins->v.n; i++) {
        int64_t at = pins->v.v[i].start_at;
        if (at < end)
            free = least(free, n->cfg.v[RES_PROCS] - procs_used_at(p, n, at));
    }
    return free > 0 ? free : 0;
}
