/* SPDX-License-Identifier: Apache-2.0
 * What a node can still take, in parts, and how many tasks that is. */
#include "plan/nodes/room.h"

#include <math.h>
#include <string.h>

/* Quotients of shares miss whole numbers by a hair. */
#define ROUNDING 1e-9

static int64_t lesser_of(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

void room_fini(struct node_room *r)
{
    vec_fini(&r->gres);
}

void room_copy(struct node_room *to, const struct node_room *from)
{
    struct node_room memory = *to;

    *to = *from;
    to->gres.v = memory.gres.v;
    to->gres.cap = memory.gres.cap;
    to->gres.n = 0;
    for (size_t i = 0; i < from->gres.n; i++)
        vec_push(&to->gres, from->gres.v[i]);
}

/* ---- filled ------------------------------------------------------------------ */

static const struct node_class *class_on(const struct node *n, uint32_t cls)
{
    for (size_t i = 0; i < n->classes.n; i++)
        if (n->classes.v[i].cls == cls)
            return &n->classes.v[i];
    return NULL;
}

/* Class index 0 is DEFAULT: no class was named. */
static int64_t find_initiators(
    const struct taskdef *def, const struct node *n, bool used)
{
    if (n->classes.n == 0 || def->cls == INDEX_NONE || def->cls == 0)
        return INT32_MAX;
    const struct node_class *k = class_on(n, def->cls);
    return k ? k->configured - (used ? k->dedicated : 0) : 0;
}

static int64_t find_gres(
    const struct cluster *c, const struct node *n, uint32_t id, bool used)
{
    if (gres_is_floating(c, id))
        return INT64_MAX;
    int64_t left = node_gres(n, id);
    for (size_t i = 0; used && i < n->gres_ded.n; i++)
        if (n->gres_ded.v[i].id == id)
            left -= n->gres_ded.v[i].count;
    return left;
}

static void fill_room(struct node_room *io, const struct cluster *c,
    const struct taskdef *def, const struct node *n, bool used)
{
    io->def = def;
    io->res = n->cfg;
    io->initiators = find_initiators(def, n, used);
    io->procs = INT64_MAX;
    io->pe = n->maxpe_per_job > 0 ? nodelimit_maxpe(n) : 0;
    io->closed = false;
    io->gres.n = 0;
    for (size_t i = 0; i < def->gres.n; i++)
        vec_push(&io->gres, find_gres(c, n, def->gres.v[i].id, used));
}

void room_of_empty(struct node_room *io, const struct cluster *c,
    const struct taskdef *def, const struct node *n)
{
    fill_room(io, c, def, n, false);
}

void room_left(struct node_room *io, const struct cluster *c, const struct taskdef *def,
    const struct node *n)
{
    node_unfold(c, n);
    fill_room(io, c, def, n, true);
    res_add(&io->res, &n->ded, -1);
}

/* ---- others ------------------------------------------------------------------ */

/* Would it go to a node where the other is, by who shares processors? */
static bool lets_in(const struct job *newcomer, const struct job *there)
{
    return sharing_allows(job_sharing(newcomer), job_sharing(there),
        there->cred[CRED_CLASS] == newcomer->cred[CRED_CLASS]);
}

void company_add(struct company *io, const struct job *newcomer, const struct job *j)
{
    bool same_user = j->cred[CRED_USER] == newcomer->cred[CRED_USER];
    enum access_policy strict = job_access(newcomer), theirs = job_access(j);

    strict = theirs > strict ? theirs : strict;
    if (strict >= ACCESS_SINGLEJOB || (strict == ACCESS_SINGLEUSER && !same_user))
        io->closed = true;
    if (!lets_in(newcomer, j))
        io->closed = true;
    io->jobs++;
    io->of_user += same_user;
}

void company_add_procs(
    struct company *io, const struct job *newcomer, const struct job *j, int64_t procs)
{
    io->procs.all += procs;
    if (j->cred[CRED_USER] == newcomer->cred[CRED_USER])
        io->procs.user += procs;
    if (j->cred[CRED_CLASS] == newcomer->cred[CRED_CLASS])
        io->procs.cls += procs;
}

void company_add_pinned(
    struct company *io, const struct job *newcomer, const struct job *j)
{
    company_add(io, newcomer, j);
    if (!lets_in(j, newcomer))
        io->closed = true;
}

void room_meet(struct node_room *io, const struct cluster *c, const struct node *n,
    const struct company *others)
{
    io->closed = others->closed || (n->maxjob >= 0 && others->jobs >= n->maxjob)
                 || (n->maxjob_per_user >= 0 && others->of_user >= n->maxjob_per_user);
    if (!others->unlimited)
        io->procs = nodelimit_procs_left(c, io->def, n, &others->procs);
}

/* ---- taken ------------------------------------------------------------------- */

static int64_t procs_of(const struct taskdef *def, const struct node *n)
{
    int64_t procs = def->per_task.v[RES_PROCS];

    if (procs < 0 && nodelimit_has_unshared(def, n))
        return n->unshared;
    return procs < 0 ? n->cfg.v[RES_PROCS] : procs;
}

/* Of one generic resource a task of the definition. */
static int64_t gres_of(const struct taskdef *def, uint32_t id)
{
    for (size_t i = 0; i < def->gres.n; i++)
        if (def->gres.v[i].id == id)
            return def->gres.v[i].count;
    return 0;
}

void room_take(struct node_room *io, const struct taskdef *def, const struct node *n,
    uint32_t tasks)
{
    for (int d = 0; d < RES_DIMS; d++)
        io->res.v[d] -= taskdef_takes(def, &n->cfg, d, tasks);
    if (io->initiators < INT32_MAX && def->cls == io->def->cls)
        io->initiators -= tasks;
    for (size_t i = 0; i < io->gres.n; i++)
        if (io->gres.v[i] < INT64_MAX)
            io->gres.v[i] -= gres_of(def, io->def->gres.v[i].id) * tasks;
}

void room_take_own(struct node_room *io, const struct taskdef *def,
    const struct node *n, uint32_t tasks)
{
    room_take(io, def, n, tasks);
    if (io->procs < INT64_MAX)
        io->procs -= procs_of(def, n) * tasks;
    if (n->maxpe_per_job > 0)
        io->pe -= nodelimit_task_pe(def, n) * tasks;
}

void room_limit(struct node_room *io, const struct node_room *other)
{
    for (int d = 0; d < RES_DIMS; d++)
        io->res.v[d] = lesser_of(io->res.v[d], other->res.v[d]);
    io->initiators = lesser_of(io->initiators, other->initiators);
    io->procs = lesser_of(io->procs, other->procs);
    io->pe = io->pe < other->pe ? io->pe : other->pe;
    io->closed |= other->closed;
    for (size_t i = 0; i < io->gres.n; i++)
        io->gres.v[i] = lesser_of(io->gres.v[i], other->gres.v[i]);
}

/* ---- in tasks ---------------------------------------------------------------- */

static int64_t tasks_by_gres(const struct node_room *r, const struct taskdef *def)
{
    int64_t tasks = INT32_MAX;

    for (size_t i = 0; i < r->gres.n; i++) {
        int64_t each = gres_of(def, r->def->gres.v[i].id);
        if (each > 0)
            tasks = lesser_of(tasks, r->gres.v[i] > 0 ? r->gres.v[i] / each : 0);
    }
    return tasks;
}

static int64_t tasks_by_pe(
    const struct node_room *r, const struct taskdef *def, const struct node *n)
{
    double each = nodelimit_task_pe(def, n);

    if (each <= 0)
        return INT32_MAX;
    double tasks = floor(r->pe / each + ROUNDING);
    return tasks < INT32_MAX ? (int64_t)tasks : INT32_MAX;
}

uint32_t room_tasks(
    const struct node_room *r, const struct taskdef *def, const struct node *n)
{
    if (r->closed)
        return 0;
    struct res have = r->res;
    have.v[RES_MEM] -= def->mem_per_node_mb;
    if (def->mem_per_node_mb > 0 && have.v[RES_MEM] < 0)
        return 0;
    int64_t tasks = res_tasks(&have, &n->cfg, &def->per_task);
    if (r->initiators < tasks && def->cls == r->def->cls)
        tasks = r->initiators;
    if (r->gres.n)
        tasks = lesser_of(tasks, tasks_by_gres(r, def));
    if (r->procs < INT64_MAX && procs_of(def, n) > 0)
        tasks = lesser_of(tasks, r->procs / procs_of(def, n));
    if (n->maxpe_per_job > 0)
        tasks = lesser_of(tasks, tasks_by_pe(r, def, n));
    if (def->access == ACCESS_SINGLETASK)
        tasks = lesser_of(tasks, 1);
    if (tasks > 0 && def->tpn > 1)
        tasks -= tasks % def->tpn;
    return tasks > 0 ? (uint32_t)tasks : 0;
}
