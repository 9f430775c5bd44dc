/* SPDX-License-Identifier: Apache-2.0
 * What a node can take at this moment. Source: reference concepts 3, 5, 6 and
 * node-allocation 5. */
#include "plan/nodes/avail.h"

#include "cluster/folded.h"
#include "cluster/job.h"
#include "plan/feasible.h"

/* A load average never is exactly 0: so much of a processor is not counted. */
#define LOAD_NOISE 0.1

/* Sums of decimal loads miss whole numbers by a hair. */
#define ROUNDING 1e-9

/* [S] A node that reports less free swap than this (MB) is left alone. */
#define SWAP_MIN 10

static bool is_usable(enum node_state s)
{
    return s == NODE_IDLE || s == NODE_RUNNING;
}

static bool states_allow(const struct cluster *c, const struct node *n)
{
    return !n->global && is_usable(n->state) && is_usable(node_expected(c, n));
}

static double maxload_of(const struct cluster *c, const struct node *n)
{
    return n->maxload > 0 ? n->maxload : c->cfg->node_maxload;
}

/* ---- amounts ---------------------------------------------------------------- */

static int64_t whole(double amount)
{
    return amount > 0 ? (int64_t)(amount + ROUNDING) : 0;
}

/* Load as ADJUSTPROCS weighs it: what jobs do not account for counts for more. */
static double weighted_load(const struct cluster *c, const struct node *n)
{
    double untracked = n->load - (double)n->ded.v[RES_PROCS];
    double factor = c->cfg->node_untracked_load_factor;

    return untracked > 0 && factor > 0 ? n->load + untracked * (factor - 1) : n->load;
}

static int64_t free_procs(const struct cluster *c, const struct node *n)
{
    double cfg = (double)n->cfg.v[RES_PROCS], ded = (double)n->ded.v[RES_PROCS];
    double load = n->load > LOAD_NOISE ? n->load - LOAD_NOISE : 0;
    double maxload = maxload_of(c, n);

    if (maxload > 0 && n->par->load_policy == LOAD_ADJUSTPROCS) {
        double spare = maxload - weighted_load(c, n);
        return whole(spare < cfg - ded ? spare : cfg - ded);
    }
    switch (n->par->avail[AVAIL_PROCS]) {
    case AVAIL_DEDICATED:
        return whole(cfg - ded);
    case AVAIL_UTILIZED:
        return whole(cfg - load);
    case AVAIL_COMBINED:
        break;
    }
    return whole(cfg - (ded > load ? ded : load));
}

static int64_t free_amount(const struct node *n, enum res_dim d, enum avail_policy p)
{
    int64_t ded = n->ded.v[d], util = n->util.v[d] > 0 ? n->util.v[d] : 0;
    int64_t used = p == AVAIL_DEDICATED  ? ded
                   : p == AVAIL_UTILIZED ? util
                   : ded > util          ? ded
                                         : util;

    return n->cfg.v[d] > used ? n->cfg.v[d] - used : 0;
}

/* Of what a task needs nothing of, nothing is told. */
static struct res free_now(const struct cluster *c, const struct job *j,
    const struct taskdef *def, const struct node *n)
{
    static const struct {
        enum res_dim dim;
        enum avail_res policy;
    } others[] = {{RES_MEM, AVAIL_MEM}, {RES_SWAP, AVAIL_SWAP}, {RES_DISK, AVAIL_DISK}};
    struct res have = {{[RES_PROCS] = free_procs(c, n)}};

    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (def->per_task.v[others[i].dim])
            have.v[others[i].dim] =
                free_amount(n, others[i].dim, n->par->avail[others[i].policy]);
    if (c->suspended) {
        struct res held = node_held(c, n, j, 0);
        res_add(&have, &held, -1);
    }
    return have;
}

static bool out_of_swap(const struct node *n)
{
    int64_t cfg = n->cfg.v[RES_SWAP], util = n->util.v[RES_SWAP];

    return cfg > 0 && util > 0 && cfg - util < SWAP_MIN;
}

static bool overloaded(const struct cluster *c, const struct node *n)
{
    double maxload = maxload_of(c, n);

    return maxload > 0 && n->par->load_policy == LOAD_ADJUSTSTATE && n->load >= maxload;
}

/* ---- the jobs already there ------------------------------------------------- */

static int64_t procs_per_task(const struct taskdef *def, const struct node *n)
{
    int64_t procs = def->per_task.v[RES_PROCS];

    return procs < 0 ? n->cfg.v[RES_PROCS] : procs;
}

/* Processors that a job dedicates on the node. */
static int64_t procs_there(
    const struct job *j, const struct node_job *nj, const struct node *n)
{
    int64_t procs = 0;

    if (job_access(j) >= ACCESS_SINGLEJOB)
        return n->cfg.v[RES_PROCS];
    if (j->nreqs == 1)
        return nj->tasks * procs_per_task(req_def(&j->reqs[0]), n);
    for (size_t i = 0; i < j->alloc.n; i++) {
        const struct alloc *a = &j->alloc.v[i];
        if (n->index >= a->first && n->index - a->first < a->count)
            procs += a->tasks * procs_per_task(req_def(&j->reqs[a->req]), n);
    }
    return procs;
}

/* What the others on the node mean for a newcomer. */
struct company {
    uint32_t jobs, of_user;
    struct feasible_procs procs;
};

/* Fill `ret`; false when an access policy, theirs or the newcomer's, keeps the
 * newcomer out. `counted` = the processors are needed. */
static bool meet(const struct cluster *c, const struct job *j, const struct node *n,
    bool counted, struct company *ret)
{
    enum access_policy mine = job_access(j);

    *ret = (struct company){0};
    for (size_t i = 0; i < n->jobs.n; i++) {
        const struct job *other = c->jobs.v[n->jobs.v[i].job];
        if (other == j)
            continue;
        bool same_user = other->cred[CRED_USER] == j->cred[CRED_USER];
        enum access_policy theirs = job_access(other);
        enum access_policy strict = theirs > mine ? theirs : mine;
        if (strict >= ACCESS_SINGLEJOB || (strict == ACCESS_SINGLEUSER && !same_user))
            return false;
        ret->jobs++;
        ret->of_user += same_user;
        if (!counted)
            continue;
        int64_t procs = procs_there(other, &n->jobs.v[i], n);
        ret->procs.all += procs;
        ret->procs.user += same_user ? procs : 0;
        ret->procs.cls += other->cred[CRED_CLASS] == j->cred[CRED_CLASS] ? procs : 0;
    }
    return true;
}

static bool limits_procs(
    const struct cluster *c, const struct node *n, const struct taskdef *def)
{
    return n->maxproc >= 0 || n->maxproc_per_user >= 0
           || feasible_class_procs(c, n, def->cls) < INT64_MAX;
}

static bool room_for_a_job(const struct node *n, const struct company *there)
{
    if (n->maxjob >= 0 && there->jobs >= n->maxjob)
        return false;
    return n->maxjob_per_user < 0 || there->of_user < n->maxjob_per_user;
}

/* Whatever counts: other resources, the jobs there, limits. */
static uint32_t tasks_by_all(const struct cluster *c, const struct job *j,
    const struct taskdef *def, const struct node *n)
{
    struct feasible_room room = {.used = true, .procs_left = INT64_MAX};
    struct company there;

    bool counted = limits_procs(c, n, def);
    if (!meet(c, j, n, counted, &there) || !room_for_a_job(n, &there))
        return 0;
    if (out_of_swap(n) || overloaded(c, n))
        return 0;
    if (counted)
        room.procs_left = feasible_procs_left(c, def, n, &there.procs);
    room.have = free_now(c, j, def, n);
    return feasible_fit(c, def, n, &room);
}

bool avail_procs_only(
    const struct cluster *c, const struct job *j, const struct taskdef *def)
{
    return def->procs_only && j->nreqs == 1 && !feasible_class_limited(c, def->cls);
}

uint32_t avail_tasks_now(const struct cluster *c, const struct job *j,
    const struct taskdef *def, const struct node *n)
{
    if (!states_allow(c, n))
        return 0;
    node_unfold(c, n);
    return tasks_by_all(c, j, def, n);
}

uint32_t avail_by_procs(const struct cluster *c, const struct job *j,
    const struct taskdef *def, uint32_t node)
{
    int64_t each = def->per_task.v[RES_PROCS];
    int64_t procs = node_folded_left(c, node);

    if (procs < 0) {
        const struct node *n = node_at(c, node);
        if (!n->procs_only)
            return avail_tasks_now(c, j, def, n);
        if (!states_allow(c, n))
            return 0;
        node_unfold(c, n);
        if (n->exclusive)
            return tasks_by_all(c, j, def, n);
        procs = out_of_swap(n) ? 0 : free_procs(c, n);
    }
    return (uint32_t)(each == 1 ? procs : procs / each);
}
