/* SPDX-License-Identifier: Apache-2.0
 * Nodes that are no part of a window, or not for ever, and why. */
#include "server/blocked.h"

#include "server/render.h"
#include "server/server_private.h"

struct walk {
    const struct cluster *c;
    const struct identity *who;
    int64_t now;
    struct VEC(const struct job *) reserved; /* waiting jobs with a reservation */
    int64_t *free_for;                       /* by node; 0 = not now */
};

static void find_reserved(struct walk *w)
{
    for (size_t i = 0; i < w->c->queued.n; i++) {
        const struct job *j = queue_at(w->c, i);
        if (j && j->rsv_start_at > 0)
            vec_push(&w->reserved, j);
    }
}

/* The reservation that begins on the node at that instant, or has begun. NULL: it is
 * not known which, or not to be told. */
static const char *who_blocks(const struct walk *w, const struct node *n, int64_t at)
{
    const struct rsv_list *list = reservations_on(w->c, n->index);

    for (size_t i = 0; i < list->n; i++) {
        const struct reservation *r = w->c->reservations.v[list->v[i].rsv];
        if (r && reservation_is_live(r) && r->end_at > at
            && (r->start_at == at || (r->start_at < at && at == w->now)))
            return identity_sees(w->who, w->c, r) ? r->name : NULL;
    }
    for (size_t i = 0; i < w->reserved.n; i++)
        if (w->reserved.v[i]->rsv_start_at == at
            && w->reserved.v[i]->rsv_partition == n->partition)
            return w->reserved.v[i]->id;
    return NULL;
}

static bool has_reservation_now(const struct walk *w, const struct node *n)
{
    const struct rsv_list *list = reservations_on(w->c, n->index);

    for (size_t i = 0; i < list->n; i++) {
        const struct reservation *r = w->c->reservations.v[list->v[i].rsv];
        if (r && reservation_is_live(r) && r->start_at <= w->now && r->end_at > w->now)
            return true;
    }
    return false;
}

static void add_blocked(struct walk *w, json_t *list, const struct node *n)
{
    int64_t free_for = w->free_for[n->index];
    json_t *o = json_pack("{s:s}", "name", n->name);

    if (free_for == 0 && n->state != NODE_IDLE && n->state != NODE_RUNNING) {
        render_text(o, "state", node_state_name(n->state));
    } else if (free_for == 0 && !has_reservation_now(w, n)) {
        render_text(o, "reason", "it has not what is asked for");
    } else {
        render_int(o, "in_s", free_for);
        render_text(o, "reservation", who_blocks(w, n, w->now + free_for));
    }
    json_array_append_new(list, o);
}

static bool is_meant(
    const struct cluster *c, const struct query_ask *ask, const struct node *n)
{
    return !n->global
           && (!ask->partition
               || strcmp(c->partitions.v[n->partition]->name, ask->partition) == 0);
}

json_t *blocked_nodes(struct server *s, const struct query_ask *ask,
    const struct identity *who, struct err *err)
{
    struct walk w = {.c = engine_cluster(s->engine), .who = who, .now = world_now(s)};
    struct query_ask any_length = *ask;
    struct query_nodes nodes = {0};

    any_length.duration_s = 0;
    if (query_nodes(s->engine, &any_length, w.now, &nodes, err) < 0) {
        vec_fini(&nodes);
        return NULL;
    }
    w.free_for = xcalloc(w.c->nodes.n + 1, sizeof *w.free_for);
    for (size_t i = 0; i < nodes.n; i++)
        w.free_for[nodes.v[i].node] = nodes.v[i].duration_s;
    find_reserved(&w);
    json_t *list = json_array();
    for (size_t i = 0; i < w.c->nodes.n; i++)
        if (is_meant(w.c, ask, node_at(w.c, i)) && w.free_for[i] < DURATION_UNLIMITED)
            add_blocked(&w, list, node_at(w.c, i));
    free(w.free_for);
    vec_fini(&w.reserved);
    vec_fini(&nodes);
    return list;
}
