/* SPDX-License-Identifier: Apache-2.0
 * Nodes and partitions. */
#include "server/api.h"
#include "server/render.h"
#include "server/server_private.h"
#include "server/stream.h"

struct node_list_ctx {
    struct VEC(uint32_t) nodes;
};

static json_t *node_record(struct server *s, void *ctx, size_t i)
{
    struct node_list_ctx *l = ctx;

    return render_node(s, engine_cluster(s->engine)->nodes.v[l->nodes.v[i]]);
}

static void node_list_free(void *ctx)
{
    struct node_list_ctx *l = ctx;

    vec_fini(&l->nodes);
    free(l);
}

void api_nodes(struct server *s, struct request *r)
{
    const struct cluster *c = engine_cluster(s->engine);
    const char *partition = request_query(r, "partition");
    const char *state = request_query(r, "state");
    struct node_list_ctx *l = xcalloc(1, sizeof *l);

    for (size_t i = 0; i < c->nodes.n; i++) {
        const struct node *n = c->nodes.v[i];
        if (n->global
            || (partition && *partition && strcmp(partition, "ALL") != 0
                && strcmp(c->partitions.v[n->partition]->name, partition) != 0)
            || (state && *state && strcasecmp(node_state_name(n->state), state) != 0))
            continue;
        vec_push(&l->nodes, (uint32_t)i);
    }
    stream_records(s, r, l->nodes.n, node_record, l, node_list_free);
}

void api_node(struct server *s, struct request *r)
{
    const char *name = request_param(r, "name");
    const struct node *n = node_find(engine_cluster(s->engine), name);
    struct err err;

    if (!n) {
        err_set(&err, ERR_NOT_FOUND, "cannot locate node '%.80s'", name);
        request_refuse(r, &err);
        return;
    }
    request_reply_json(r, render_node(s, n));
}

void api_partitions(struct server *s, struct request *r)
{
    const struct cluster *c = engine_cluster(s->engine);
    json_t *list = json_array();

    for (size_t i = 0; i < c->partitions.n; i++) {
        const struct partition *p = c->partitions.v[i];
        json_array_append_new(list,
            json_pack("{s:s, s:I, s:I, s:I}", "name", p->name, "procs",
                (json_int_t)p->cfg.v[RES_PROCS], "nodes", (json_int_t)p->node_count,
                "up_procs", (json_int_t)p->up.v[RES_PROCS]));
    }
    request_reply_json(r, list);
}
