/* SPDX-License-Identifier: Apache-2.0
 * What jobs have dedicated on a node: in its record or, while it is folded, what
 * follows from the pieces of the jobs that have it. */
#include "cluster/nodes/private.h"
#include "config/policies.h"

static size_t entry_of(const struct node *n, uint32_t job)
{
    size_t i = 0;

    while (i < n->jobs.n && n->jobs.v[i].job != job)
        i++;
    return i;
}

/* Amounts that `tasks` tasks need on this node. A job that takes nodes whole, for which
 * one such request is enough, takes each once, with its first tasks there, and frees it
 * with its last (`edge`). */
static struct res need_of(const struct node *n, const struct job *j,
    const struct taskdef *d, uint32_t tasks, bool edge)
{
    struct res r = {{0}};

    if (job_access(j) >= ACCESS_SINGLEJOB)
        return edge ? n->cfg : r;
    for (int i = 0; i < RES_DIMS; i++)
        r.v[i] = taskdef_takes(d, &n->cfg, i, tasks);
    return r;
}

/* ---- the list of jobs --------------------------------------------------------- */

static void jobs_add(
    const struct cluster *c, struct node *n, const struct job *j, uint32_t tasks)
{
    size_t e = entry_of(n, j->index);

    if (e < n->jobs.n) {
        n->jobs.v[e].tasks += tasks;
        return;
    }
    if (n->jobs.cap == 0)
        bitset_set(&c->node_store->listed, n->index);
    vec_push(&n->jobs, ((struct node_job){j->index, tasks}));
    n->exclusive += job_keeps_apart(j);
}

static void jobs_take_out(struct node *n, const struct job *j, uint32_t tasks)
{
    size_t e = entry_of(n, j->index);

    assert(e < n->jobs.n && n->jobs.v[e].tasks >= tasks);
    n->jobs.v[e].tasks -= tasks;
    if (n->jobs.v[e].tasks)
        return;
    for (n->jobs.n--; e < n->jobs.n; e++) /* few */
        n->jobs.v[e] = n->jobs.v[e + 1];
    n->exclusive -= job_keeps_apart(j);
}

/* ---- dedicating -------------------------------------------------------------- */

/* Does nothing but processors count? That is usual, so it is made short. */
static bool procs_only(
    const struct node *n, const struct job *j, const struct taskdef *d)
{
    return n->procs_only && d->procs_only && j->nreqs == 1;
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

static void use_amounts(struct node *n, const struct job *j, const struct taskdef *d,
    uint32_t tasks, int sign)
{
    struct node_class *k = class_of(n, d->cls);
    size_t e = entry_of(n, j->index);
    bool edge = e == n->jobs.n || (sign < 0 && n->jobs.v[e].tasks == tasks);
    struct res need = need_of(n, j, d, tasks, edge);

    res_add(&n->ded, &need, sign);
    use_gres(n, d, sign * (int64_t)tasks);
    if (k)
        k->dedicated += sign * (int32_t)tasks;
}

void node_use(const struct cluster *c, struct node *n, const struct job *j,
    const struct alloc *piece, int sign)
{
    const struct taskdef *d = req_def(&j->reqs[piece->req]);
    uint32_t tasks = piece->tasks;

    if (procs_only(n, j, d))
        n->ded.v[RES_PROCS] += sign * d->per_task.v[RES_PROCS] * tasks;
    else
        use_amounts(n, j, d, tasks, sign);
    if (sign > 0)
        jobs_add(c, n, j, tasks);
    else
        jobs_take_out(n, j, tasks);
    node_raise_load(n, d, tasks, sign);
    node_note_use(c, n);
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

static int check_all(const struct cluster *c, const struct node *n, const struct job *j,
    const struct taskdef *d, uint32_t tasks, struct err *err)
{
    static const char what[RES_DIMS][12] = {
        "processors", "MB memory", "MB swap", "MB disk"};
    struct res need = need_of(n, j, d, tasks, entry_of(n, j->index) == n->jobs.n);
    struct res held = {{0}};
    int32_t initiators = node_class_free(c, n, d->cls);

    if (c->suspended)
        held = node_held(c, n, j);
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

int node_check_room(const struct cluster *c, const struct node *n, const struct job *j,
    const struct alloc *piece, struct err *err)
{
    const struct taskdef *d = req_def(&j->reqs[piece->req]);
    int64_t need = d->per_task.v[RES_PROCS] * piece->tasks;
    int64_t left = n->cfg.v[RES_PROCS] - n->ded.v[RES_PROCS];

    if (procs_only(n, j, d) && need <= left)
        return 0;
    return check_all(c, n, j, d, piece->tasks, err);
}

bool node_counts_procs_only(
    const struct node *n, const struct job *j, const struct alloc *piece)
{
    return procs_only(n, j, req_def(&j->reqs[piece->req]));
}

int64_t node_procs_needed(
    const struct node *n, const struct job *j, const struct alloc *piece)
{
    const struct taskdef *d = req_def(&j->reqs[piece->req]);

    if (procs_only(n, j, d))
        return d->per_task.v[RES_PROCS] * piece->tasks;
    return need_of(n, j, d, piece->tasks, true).v[RES_PROCS];
}

/* ---- counting again ---------------------------------------------------------- */

static void clear_use(struct node *n)
{
    n->ded = (struct res){{0}};
    n->exclusive = 0;
    for (size_t i = 0; i < n->gres_ded.n; i++)
        n->gres_ded.v[i].count = 0;
    for (size_t i = 0; i < n->classes.n; i++)
        n->classes.v[i].dedicated = 0;
}

/* Dedicate everything that the job's allocation has on this node. */
static void use_pieces(const struct cluster *c, struct node *n, const struct job *j)
{
    const struct alloc *a;

    for (size_t i = 0; (a = job_piece_on(j, n->index, &i));)
        node_use(c, n, j, a, +1);
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
    const struct fold *f = fold_of(c, n->index);
    struct res sum = {{0}};

    if (!f)
        return n->ded;
    for (uint32_t k = 0; k < f->n; k++) {
        const struct job *j = fold_job(c, f, k);
        const struct alloc *a = fold_alloc(c, f, k);
        struct res need = need_of(n, j, req_def(&j->reqs[a->req]), a->tasks, true);
        res_add(&sum, &need, +1);
    }
    return sum;
}

uint32_t node_job_count(const struct cluster *c, const struct node *n)
{
    const struct fold *f = fold_of(c, n->index);

    return f ? f->n : (uint32_t)n->jobs.n;
}

bool node_folded_job_at(
    const struct cluster *c, const struct node *n, uint32_t i, struct node_job *ret)
{
    const struct fold *f = fold_of(c, n->index);

    if (i >= (f ? f->n : n->jobs.n))
        return false;
    *ret =
        f ? (struct node_job){f->of[i].job, fold_alloc(c, f, i)->tasks} : n->jobs.v[i];
    return true;
}

struct res node_job_share(
    const struct cluster *c, const struct node *n, const struct node_job *on)
{
    const struct job *j = c->jobs.v[on->job];
    struct res sum = {{0}};
    const struct alloc *a;

    if (j->nreqs == 1 || job_access(j) >= ACCESS_SINGLEJOB)
        return need_of(n, j, req_def(&j->reqs[0]), on->tasks, true);
    for (size_t i = 0; (a = job_piece_on(j, n->index, &i));) {
        struct res need = need_of(n, j, req_def(&j->reqs[a->req]), a->tasks, true);
        res_add(&sum, &need, +1);
    }
    return sum;
}

bool node_is_free(const struct cluster *c, const struct node *n)
{
    return n->jobs.n == 0 && !node_is_folded(c, n->index);
}

int32_t node_class_free(const struct cluster *c, const struct node *n, uint32_t cls)
{
    if (!n->classes.n || cls == INDEX_NONE)
        return INT32_MAX;
    const struct node_class *k = class_of(n, cls);
    if (!k)
        return 0;
    const struct fold *f = fold_of(c, n->index); /* of one piece: classes count here */
    int32_t taken = 0;
    if (f && req_def(&fold_job(c, f, 0)->reqs[fold_alloc(c, f, 0)->req])->cls == cls)
        taken = (int32_t)fold_alloc(c, f, 0)->tasks;
    return k->configured - k->dedicated - taken;
}
