/* SPDX-License-Identifier: Apache-2.0
 * Node states: reported, expected, and what load and use were measured.
 * Source: reference concepts 3 and 5. */
#include "cluster/nodes/private.h"
#include "config/policies.h"

#include <strings.h>

static const char state_names[NODE_NONE + 1][12] = {
    [NODE_IDLE] = "Idle",
    [NODE_RUNNING] = "Running",
    [NODE_BUSY] = "Busy",
    [NODE_DRAINING] = "Draining",
    [NODE_DRAINED] = "Drained",
    [NODE_DOWN] = "Down",
    [NODE_FLUSH] = "Flush",
    [NODE_UNKNOWN] = "Unknown",
    [NODE_NONE] = "None",
};

const char *node_state_name(enum node_state s)
{
    return state_names[s];
}

int node_state_parse(const char *text, enum node_state *ret_state)
{
    for (int s = 0; s <= NODE_NONE; s++) {
        if (!strcasecmp(text, state_names[s])) {
            *ret_state = (enum node_state)s;
            return 0;
        }
    }
    /* the other names the field has for two of them */
    if (!strcasecmp(text, "Active"))
        return *ret_state = NODE_RUNNING, 0;
    if (!strcasecmp(text, "Drain"))
        return *ret_state = NODE_DRAINING, 0;
    return -1;
}

/* States that follow from the work on the node, as opposed to ones that are set. */
static bool in_service(enum node_state s)
{
    return s == NODE_IDLE || s == NODE_RUNNING || s == NODE_BUSY;
}

bool node_is_up(const struct node *n)
{
    return in_service(n->state) || n->state == NODE_DRAINING;
}

/* Has NODEAVAILABILITYPOLICY nothing left, with so many processors dedicated and such
 * a load? */
static bool is_busy(const struct node *n, int64_t dedicated, double load)
{
    int64_t procs = n->cfg.v[RES_PROCS];
    enum avail_policy policy = n->par->avail[AVAIL_PROCS];

    if (policy != AVAIL_UTILIZED && dedicated >= procs)
        return true;
    return policy != AVAIL_DEDICATED && load >= (double)procs;
}

enum node_state node_state_due(const struct node *n)
{
    if (!in_service(n->state) || n->global)
        return n->state;
    if (is_busy(n, n->ded.v[RES_PROCS], n->load))
        return NODE_BUSY;
    return n->jobs.n ? NODE_RUNNING : NODE_IDLE;
}

/* Did nobody, no job and no measurement, tell of anything on the node? */
static bool is_vacant(const struct node *n)
{
    if (n->state == NODE_BUSY || n->expected != NODE_IDLE || n->load > 0)
        return false;
    for (int i = 0; i < RES_DIMS; i++)
        if (n->util.v[i] > 0)
            return false;
    return true;
}

void node_note_use(const struct cluster *c, struct node *n)
{
    bool left =
        !n->global && in_service(n->state) && n->ded.v[RES_PROCS] < n->cfg.v[RES_PROCS];

    n->expected = node_state_due(n);
    bool vacant = left && is_vacant(n);
    if (vacant != n->vacant)
        rangeset_turn(&c->folds->vacant, n->index);
    if (left && !vacant)
        bitset_set(&c->folds->partly, n->index);
    else
        bitset_clear(&c->folds->partly, n->index);
    n->vacant = vacant;
}

void node_refresh_expected(const struct cluster *c, struct node *n)
{
    if (!node_is_folded(c, n->index))
        node_note_use(c, n);
}

/* The load that a start adds to its node. */
static double load_of(const struct node *n, const struct taskdef *def, uint32_t tasks)
{
    int64_t each = def->per_task.v[RES_PROCS];

    return (double)(each < 0 ? n->cfg.v[RES_PROCS] : each * tasks);
}

enum node_state node_expected_folded(const struct cluster *c, const struct node *n)
{
    const struct fold *f = fold_of(c, n->index);
    double load = 0;

    if (!f)
        return n->expected;
    for (uint32_t k = 0; k < f->n; k++) {
        const struct alloc *a = fold_alloc(c, f, k);
        load += load_of(n, req_def(&fold_job(c, f, k)->reqs[a->req]), a->tasks);
    }
    bool busy = is_busy(n, node_dedicated(c, n).v[RES_PROCS], load);
    return busy ? NODE_BUSY : NODE_RUNNING;
}

/* What a state allows, which is all that plans made ahead depend on. */
static int use_of(enum node_state s)
{
    return in_service(s) ? 2 : s == NODE_DRAINING ? 1 : 0;
}

void node_set_state(struct cluster *c, struct node *n, enum node_state s, int64_t now)
{
    if (s != n->state) {
        node_unfold(c, n);
        if (use_of(s) != use_of(n->state))
            c->node_epoch++;
        c->relief_epoch += n->state == NODE_BUSY;
        partition_count_node(c, n, -1);
        n->state = s;
        partition_count_node(c, n, +1);
        n->state_at = now;
    }
    node_refresh_expected(c, n);
}

void node_set_gone(struct cluster *c, struct node *n, int64_t now)
{
    node_set_state(c, n, NODE_DOWN, now);
    n->gone = true;
}

void node_measure(
    const struct cluster *c, struct node *n, double load, const struct res *util)
{
    node_unfold(c, n);
    n->load = load;
    n->load_raised = 0;
    n->util = *util;
    node_refresh_expected(c, n);
}

void node_raise_load(
    struct node *n, const struct taskdef *def, uint32_t tasks, int sign)
{
    double procs = load_of(n, def, tasks);

    /* "all processors" may mean other numbers now than at the start: with the last
     * job goes all that starts have added */
    if (sign < 0 && (procs > n->load_raised || !n->jobs.n))
        procs = n->load_raised;
    n->load += sign * procs;
    n->load_raised += sign * procs;
}
