/* SPDX-License-Identifier: Apache-2.0
 * What jobs have dedicated on a node: in its record or, while it is folded, what
 * follows from the piece of the job that has it. */
#include "cluster/private.h"

static struct node_job *entry_of(const struct node *n, uint32_t job)
{
    for (size_t i = 0; i < n->jobs.n; i++)
        if (n->jobs.v[i].job == job)
            return &n->jobs.v[i];
    return NULL;
}

/* Does the job take its nodes whole? One such request is enough. */
static bool takes_whole_nodes(const struct job *j)
{
    for (uint32_t i = 0; i < j->nreqs; i++)
        if (taskdef_whole_node(req_def(&j->reqs[i])))
            return true;
    return false;
}

/* Amounts that `tasks` tasks need on this node. */
static struct res amounts(const struct node *n, const struct taskdef *d, uint32_t tasks)
{
    struct res r;

    for (int i = 0; i < RES_DIMS; i++)
        r.v[i] = d->per_task.v[i] < 0 ? n->cfg.v[i] : d->per_task.v[i] * tasks;
    return r;
}

/* The same with the access policy: a job that takes nodes whole takes each once,
 * with its first tasks there, and frees it with its last. */
static struct res need_of(const struct node *n, const struct job *j,
    const struct req *r, uint32_t tasks, bool edge)
{
    if (!takes_whole_nodes(j))
        return amounts(n, req_def(r), tasks);
    return edge ? n->cfg : (struct res){{0}};
}

static void use_gres(struct node *n, const struct taskdef *d, int64_t tasks)
{
    for (size_t i = 0; i < d->gres.n; i++)
        for (size_t k = 0; k < n->gres_ded.n; k++)
            if (n->gres_ded.v[k].id == d->gres.v[i].id)
                n->gres_ded.v[k].count += tasks * d->gres.v[i].count;
}

static struct node_class *class_of(const struct node *n, uint32_t cls)
{
    for (size_t i = 0; i < n->classes.n; i++)
        if (n->classes.v[i].cls == cls)
            return &n->classes.v[i];
    return NULL;
}

static void use_jobs(
    const struct cluster *c, struct node *n, uint32_t job, uint32_t tasks, int sign)
{
    struct node_job *e = entry_of(n, job);

    if (sign > 0 && e) {
        e->tasks += tasks;
    } else if (sign > 0) {
        if (n->jobs.cap == 0)
            bitset_set(&c->priv->listed, n->index);
        vec_push(&n->jobs, ((struct node_job){job, tasks}));
    } else {
        e->tasks -= tasks;
        if (!e->tasks)
            vec_remove(&n->jobs, (size_t)(e - n->jobs.v));
    }
}

void node_use(const struct cluster *c, struct node *n, const struct job *j,
    const struct req *r, uint32_t tasks, int sign)
{
    const struct taskdef *d = req_def(r);
    const struct node_job *e = entry_of(n, j->index);
    assert(sign > 0 || (e && e->tasks >= tasks));
    struct res need = need_of(n, j, r, tasks, sign > 0 ? !e : e->tasks == tasks);
    struct node_class *k = class_of(n, d->cls);

    res_add(&n->ded, &need, sign);
    use_gres(n, d, sign * (int64_t)tasks);
    if (k)
        k->dedicated += sign * (int32_t)tasks;
    use_jobs(c, n, j->index, tasks, sign);
    node_raise_load(n, r, tasks, sign);
    node_refresh_expected(c, n);
}

/* ---- room -------------------------------------------------------------------- */

static int no_room(const struct node *n, const struct job *j, const char *what,
    int64_t left, int64_t need, struct err *err)
{
    return err_set(err, ERR_CONFLICT,
        "node '%s' has %lld %s left, job '%s' needs %lld there", n->name,
        (long long)left, what, j->id, (long long)need);
}

static int check_gres(const struct cluster *c, const struct node *n,
    const struct job *j, const struct taskdef *d, int64_t tasks, struct err *err)
{
    for (size_t i = 0; i < d->gres.n; i++) {
        const struct gres *g = &d->gres.v[i];
        int64_t left = 0;
        if (gres_is_floating(c, g->id))
            continue;
        for (size_t k = 0; k < n->gres_cfg.n; k++)
            if (n->gres_cfg.v[k].id == g->id)
                left = n->gres_cfg.v[k].count - n->gres_ded.v[k].count;
        if (tasks * g->count > left)
            return no_room(
                n, j, names_text(c->gres, g->id), left, tasks * g->count, err);
    }
    return 0;
}

int node_check_room(const struct cluster *c, const struct node *n, const struct job *j,
    const struct req *r, uint32_t tasks, struct err *err)
{
    static const char what[RES_DIMS][12] = {
        "processors", "MB memory", "MB swap", "MB disk"};
    const struct taskdef *d = req_def(r);
    struct res need = need_of(n, j, r, tasks, !entry_of(n, j->index));
    struct res held = {{0}};
    int32_t initiators = node_class_free(c, n, d->cls);

    if (c->suspended)
        held = node_held(c, n, j, 0);
    for (int i = 0; i < RES_DIMS; i++) {
        int64_t left = n->cfg.v[i] - n->ded.v[i] - held.v[i];
        /* measured use decides there, not what is dedicated */
        if (n->par->avail[i] == AVAIL_UTILIZED)
            continue;
        if (need.v[i] > 0 && need.v[i] > left)
            return no_room(n, j, what[i], left, need.v[i], err);
    }
    if (initiators != INT32_MAX && (int64_t)tasks > initiators)
        return no_room(n, j, "class initiators", initiators, tasks, err);
    return check_gres(c, n, j, d, tasks, err);
}

/* ---- counting again ---------------------------------------------------------- */

static void clear_use(struct node *n)
{
    n->ded = (struct res){{0}};
    for (size_t i = 0; i < n->gres_ded.n; i++)
        n->gres_ded.v[i].count = 0;
    for (size_t i = 0; i < n->classes.n; i++)
        n->classes.v[i].dedicated = 0;
}

/* Dedicate everything that the job's allocation has on this node. */
static void use_pieces(const struct cluster *c, struct node *n, const struct job *j)
{
    for (size_t i = 0; i < j->alloc.n; i++) {
        const struct alloc *a = &j->alloc.v[i];
        if (n->index - a->first < a->count)
            node_use(c, n, j, &j->reqs[a->req], a->tasks, +1);
    }
}

void node_recount(struct cluster *c, struct node *n)
{
    if (n->global)
        return;
    node_unfold(c, n);
    size_t count = n->jobs.n;
    struct node_job *before = n->jobs.v;
    double load = n->load, raised = n->load_raised;
    clear_use(n);
    n->jobs.v = NULL;
    n->jobs.n = n->jobs.cap = 0;
    for (size_t i = 0; i < count; i++)
        use_pieces(c, n, c->jobs.v[before[i].job]);
    free(before);
    n->load = load;
    n->load_raised = raised;
    node_refresh_expected(c, n);
}

/* ---- questions --------------------------------------------------------------- */

struct res node_dedicated(const struct cluster *c, const struct node *n)
{
    const struct job *j;
    const struct alloc *a = fold_piece(c, n->index, &j);

    return a ? need_of(n, j, &j->reqs[a->req], a->tasks, true) : n->ded;
}

uint32_t node_jobs(
    const struct cluster *c, const struct node *n, struct node_job *ret, uint32_t max)
{
    const struct job *j;
    const struct alloc *a = fold_piece(c, n->index, &j);

    if (a) {
        if (max)
            ret[0] = (struct node_job){j->index, a->tasks};
        return 1;
    }
    for (uint32_t i = 0; i < n->jobs.n && i < max; i++)
        ret[i] = n->jobs.v[i];
    return (uint32_t)n->jobs.n;
}

bool node_is_free(const struct cluster *c, const struct node *n)
{
    return !bitset_test(&c->priv->folded, n->index) && n->jobs.n == 0;
}

int32_t node_class_free(const struct cluster *c, const struct node *n, uint32_t cls)
{
    const struct job *j;

    if (!n->classes.n || cls == INDEX_NONE)
        return INT32_MAX;
    const struct node_class *k = class_of(n, cls);
    if (!k)
        return 0;
    const struct alloc *a = fold_piece(c, n->index, &j);
    bool taken = a && req_def(&j->reqs[a->req])->cls == cls;
    return k->configured - k->dedicated - (taken ? (int32_t)a->tasks : 0);
}
