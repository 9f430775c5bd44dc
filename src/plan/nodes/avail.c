/* SPDX-License-Identifier: Apache-2.0
 * What a node can take at this moment. Source: reference concepts 3, 5, 6 and
 * node-allocation 5. */
#include "plan/nodes/avail.h"

#include "cluster/folded.h"
#include "cluster/job.h"
#include "config/settings.h"
#include "plan/nodes/nodelimit.h"
#include "plan/nodes/room.h"

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
        if (def->per_task.v[others[i].dim] || taskdef_by_node(def, others[i].dim))
            have.v[others[i].dim] =
                free_amount(n, others[i].dim, n->par->avail[others[i].policy]);
    if (c->suspended) {
        struct res held = node_held(c, n, j);
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

/* Who is on a node that is not folded; the processors that they have count only where
 * something limits them.
 */
static void meet_all(const struct cluster *c, const struct job *j, const struct node *n,
    bool counted, struct company *ret)
{
    struct node_job on;

    *ret = (struct company){.unlimited = !counted};
    for (uint32_t i = 0; i < n->jobs.n && !ret->closed && node_job_at(c, n, i, &on);
         i++) {
        const struct job *other = c->jobs.v[on.job];
        if (other == j)
            continue;
        company_add(ret, j, other);
        if (counted)
            company_add_procs(ret, j, other, node_job_share(c, n, &on).v[RES_PROCS]);
    }
}

static bool limits_procs(
    const struct cluster *c, const struct node *n, const struct taskdef *def)
{
    return n->maxproc >= 0 || n->maxproc_per_user >= 0 || nodelimit_has_unshared(def, n)
           || nodelimit_class_procs(c, n, def->cls) < INT64_MAX;
}

/* Whatever counts: other resources, the jobs there, limits. */
static uint32_t tasks_by_all(const struct cluster *c, const struct job *j,
    const struct taskdef *def, const struct node *n)
{
    struct node_room room = {0};
    struct company others;

    meet_all(c, j, n, limits_procs(c, n, def), &others);
    if (others.closed || out_of_swap(n) || overloaded(c, n))
        return 0;
    room_left(&room, c, def, n);
    room_meet(&room, c, n, &others);
    room.res = free_now(c, j, def, n);
    uint32_t tasks = room_tasks(&room, def, n);
    room_fini(&room);
    return tasks;
}

bool avail_procs_only(
    const struct cluster *c, const struct job *j, const struct taskdef *def)
{
    return def->procs_only && j->nreqs == 1 && !nodelimit_class_limited(c, def->cls);
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
