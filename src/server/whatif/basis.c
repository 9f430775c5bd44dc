/* SPDX-License-Identifier: Apache-2.0
 * What an answer of what would be rests on. */
#include "server/whatif/basis.h"

#include "server/server_private.h"
#include "server/whatif/whatif.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* "LIFE.COUNT.AT" */
#define FORM_WRITTEN "%" PRId64 ".%" PRIu64 ".%" PRId64
#define FORM_READ    "%20" SCNd64 ".%20" SCNu64 ".%20" SCNd64 "%n"

/* NULL: it is not about a node. */
static const char *node_meant(const struct event *ev)
{
    if (ev->kind == EVENT_NODE)
        return ev->u.node.name;
    if (ev->kind == EVENT_NODE_STATE || ev->kind == EVENT_NODE_GONE)
        return ev->u.node_state.name;
    return NULL;
}

/* Before questions are taken, and after, there is none. */
static bool is_followed(const struct server *s)
{
    return s->api.whatif && whatif_basis(s)->followed;
}

uint64_t basis_look(const struct server *s, const struct event *ev)
{
    const char *name = is_followed(s) ? node_meant(ev) : NULL;
    const struct node *n = name ? node_find(engine_cluster(s->engine), name) : NULL;

    if (n == NULL)
        return 0;
    bool takes_jobs = node_is_up(n) && n->state != NODE_DRAINING;
    return (uint64_t)n->cfg.v[RES_PROCS] * 4 + (takes_jobs ? 2 : 0) + 1;
}

/* It is another basis after each of these. */
static bool is_always_other(const struct event *ev)
{
    return ev->kind == EVENT_SETTINGS || ev->kind == EVENT_RESERVE
           || ev->kind == EVENT_CHANGE_RESERVATION || ev->kind == EVENT_UNRESERVE
           || ev->kind == EVENT_MANAGER;
}

void basis_follow(struct server *s, const struct event *ev, uint64_t before)
{
    if (is_followed(s) && (is_always_other(ev) || basis_look(s, ev) != before))
        whatif_basis(s)->count++;
}

void basis_write(struct server *s, char *ret, size_t size)
{
    struct basis *b = whatif_basis(s);

    b->followed = true;
    snprintf(ret, size, FORM_WRITTEN, s->control.started_at, b->count, world_now(s));
}

int basis_check(struct server *s, const char *text, struct err *err)
{
    const struct basis *b = whatif_basis(s);
    int64_t life, at, now = world_now(s);
    uint64_t count;
    int end = 0;

    if (sscanf(text, FORM_READ, &life, &count, &at, &end) != 3 || text[end])
        return err_set(err, ERR_INVALID,
            "basis: '%.40s' is none, expected what /v1/whatif told as `basis`", text);
    if (life != s->control.started_at || !b->followed || count != b->count)
        return err_set(err, ERR_CONFLICT,
            "basis: settings, nodes or reservations are other than when this was "
            "tried: "
            "try it again");
    if (at > now || at < now - BASIS_AGE_S)
        return err_set(err, ERR_CONFLICT,
            "basis: it was tried more than %d seconds ago: try it again", BASIS_AGE_S);
    return 0;
}
