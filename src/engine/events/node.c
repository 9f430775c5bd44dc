/* SPDX-License-Identifier: Apache-2.0
 * What the resource manager says of nodes: one, or a row of equal ones. */
#include "cluster/folded.h"
#include "engine/engine_private.h"
#include "engine/events/events.h"
#include "policy/rsvuse.h"

#include <assert.h>
#include <string.h>

static void count_node(struct engine *e, const struct node *n)
{
    statistics_nodes(e->learned.statistics, e->c, e->now);
    statistics_node_changed(e->learned.statistics, e->c, n, e->now);
    rsvuse_node(e->c, n->index, e->now);
}

static int take_node(struct engine *e, const struct node_desc *d, struct err *err)
{
    struct node *n;

    if (node_report(e->c, d, e->now, &n, err) < 0)
        return -1;
    count_node(e, n);
    return 0;
}

int node_reported(
    struct engine *e, const struct event *ev, struct event_result *ret, struct err *err)
{
    const struct node_desc *d = &ev->u.node;
    struct node_desc each = *d;
    char name[256];

    (void)ret;
    if (d->measured)
        leaving_measures(e->troubles.leaving);
    if (take_node(e, d, err) < 0)
        return -1;
    if (!d->more
        || (!e->learned.statistics
            && node_repeat(e->c, node_find(e->c, d->name), d->more)))
        return 0;
    assert(strlen(d->name) < sizeof name); /* or it were no node now */
    memcpy(name, d->name, strlen(d->name) + 1);
    each.name = name;
    for (uint32_t i = 0; i < d->more; i++) {
        if (!name_next(name, sizeof name))
            return err_set(err, ERR_INVALID,
                "node '%s' does not end in a number that others could count on from",
                d->name);
        if (take_node(e, &each, err) < 0)
            return -1;
    }
    return 0;
}

static struct node *find_node(
    const struct engine *e, const struct event *ev, struct err *err)
{
    const char *name = ev->u.node_state.name;
    struct node *n = node_find(e->c, name);

    if (!n)
        err_set(err, ERR_NOT_FOUND, "node '%s' is unknown", name ? name : "");
    return n;
}

int node_gone(
    struct engine *e, const struct event *ev, struct event_result *ret, struct err *err)
{
    struct node *n = find_node(e, ev, err);

    (void)ret;
    if (!n)
        return -1;
    node_set_gone(e->c, n, e->now);
    count_node(e, n);
    return 0;
}

int node_state_reported(
    struct engine *e, const struct event *ev, struct event_result *ret, struct err *err)
{
    struct node *n = find_node(e, ev, err);

    (void)ret;
    if (!n)
        return -1;
    if (n->gone)
        return err_set(err, ERR_CONFLICT,
            "node '%s' is no longer known to the resource manager", n->name);
    node_set_state(e->c, n, ev->u.node_state.state, e->now);
    count_node(e, n);
    return 0;
}
