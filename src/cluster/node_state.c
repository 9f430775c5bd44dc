/* SPDX-License-Identifier: Apache-2.0
 * Node states: reported, expected, and what load and use were measured.
 * Source: reference concepts 3 and 5. */
#include "cluster/private.h"

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

/* Has NODEAVAILABILITYPOLICY nothing left, with so many processors dedicated? */
static bool is_busy(const struct node *n, int64_t dedicated)
{
    int64_t procs = n->cfg.v[RES_PROCS];
    enum avail_policy policy = n->par->avail[AVAIL_PROCS];

    if (policy != AVAIL_UTILIZED && dedicated >= procs)
        return true;
    return policy != AVAIL_DEDICATED && n->load >= (double)procs;
}

void node_refresh_expected(struct node *n)
{
    if (!in_service(n->state) || n->global)
        n->expected = n->state;
    else if (is_busy(n, n->ded.v[RES_PROCS]))
        n->expected = NODE_BUSY;
    else
        n->expected = n->jobs.n ? NODE_RUNNING : NODE_IDLE;
}

enum node_state node_expected(const struct cluster *c, const struct node *n)
{
    bool owned = n->simple && c->owner[n->index] != INDEX_NONE;
    return owned && in_service(n->state) ? NODE_BUSY : n->expected;
}

/* What a state allows, which is all that plans made ahead depend on. */
static int use_of(enum node_state s)
{
    return in_service(s) ? 2 : s == NODE_DRAINING ? 1 : 0;
}

void node_set_state(struct cluster *c, struct node *n, enum node_state s, int64_t now)
{
    if (s != n->state) {
        if (use_of(s) != use_of(n->state))
            c->node_epoch++;
        c->relief_epoch += n->state == NODE_BUSY;
        partition_count_node(c, n, -1);
        n->state = s;
        partition_count_node(c, n, +1);
        n->state_at = now;
    }
    node_refresh_expected(n);
}

void node_measure(struct node *n, double load, const struct res *util)
{
    n->load = load;
    n->load_raised = 0;
    n->util = *util;
    node_refresh_expected(n);
}

void node_raise_load(struct node *n, const struct req *r, uint32_t tasks, int sign)
{
    int64_t each = req_def(r)->per_task.v[RES_PROCS];
    double procs = (double)(each < 0 ? n->cfg.v[RES_PROCS] : each * tasks);

    /* "all processors" may mean other numbers now than at the start: with the last
     * job goes all that starts have added */
    if (sign < 0 && (procs > n->load_raised || !n->jobs.n))
        procs = n->load_raised;
    n->load += sign * procs;
    n->load_raised += sign * procs;
    node_refresh_expected(n);
}
