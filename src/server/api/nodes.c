/* SPDX-License-Identifier: Apache-2.0
 * Nodes and partitions. */
#include "cluster/partition.h"
#include "server/api/api.h"
#include "server/drafts/rmname.h"
#include "server/http/stream.h"
#include "server/render/render.h"
#include "server/server_private.h"

#include <inttypes.h>

struct node_list_ctx {
    struct VEC(uint32_t) nodes;
    size_t told; /* of a table */
};

static json_t *node_record(struct server *s, void *ctx, size_t i)
{
    struct node_list_ctx *l = ctx;

    return render_node(s, node_at(engine_cluster(s->engine), l->nodes.v[i]));
}

static void node_list_free(void *ctx)
{
    struct node_list_ctx *l = ctx;

    vec_fini(&l->nodes);
    free(l);
}

/* As a table: for maps of all nodes, a tenth of the records. */
#define TABLE_ROWS 200

static void add_row(struct server *s, const struct node *n, struct strbuf *out)
{
    const struct cluster *c = engine_cluster(s->engine);
    struct res used = node_dedicated(c, n);

    strbuf_printf(out,
        "%s\t%s\t%s\t%" PRId64 "\t%" PRId64 "\t%.2f\t%u\t%zu\t%" PRId64 "\t%" PRId64
        "\t%s\t%d\t%d\t%" PRId64 "\n",
        n->name, node_state_name(render_node_state(s, n)),
        node_state_name(node_expected(c, n)), n->cfg.v[RES_PROCS], used.v[RES_PROCS],
        n->load, node_job_count(c, n), (size_t)reservations_on(c, n->index)->n,
        n->cfg.v[RES_MEM], used.v[RES_MEM], c->partitions.v[n->partition]->name,
        (int)n->frame, (int)n->slot, n->state_at);
}

static bool table_more(struct server *s, void *ctx, struct strbuf *out)
{
    struct node_list_ctx *l = ctx;
    const struct cluster *c = engine_cluster(s->engine);

    if (!l->told)
        strbuf_add(out, "name\tstate\texpected_state\tprocs\tprocs_used\tload\tjobs\t"
                        "reservations\tmem_mb\tmem_used_mb\tpartition\tframe\tslot\t"
                        "state_at\n");
    for (size_t end = l->told + TABLE_ROWS; l->told < end && l->told < l->nodes.n;)
        add_row(s, node_at(c, l->nodes.v[l->told++]), out);
    return l->told < l->nodes.n;
}

void api_nodes(struct server *s, struct request *r)
{
    const struct cluster *c = engine_cluster(s->engine);
    const char *partition = request_query(r, "partition");
    const char *state = request_query(r, "state");
    struct node_list_ctx *l = xcalloc(1, sizeof *l);

    for (size_t i = 0; i < c->nodes.n; i++) {
        const struct node *n = node_at(c, i);
        if (n->global
            || (partition && *partition && strcmp(partition, "ALL") != 0
                && strcmp(c->partitions.v[n->partition]->name, partition) != 0)
            || (state && *state
                && strcasecmp(node_state_name(render_node_state(s, n)), state) != 0))
            continue;
        vec_push(&l->nodes, (uint32_t)i);
    }
    if (request_query(r, "table"))
        stream_make(s, r, NULL, "text/tab-separated-values",
            &(struct stream_source){
                .more = table_more, .done = node_list_free, .ctx = l});
    else
        stream_records(s, r, l->nodes.n, node_record, l, node_list_free);
}

void api_node(struct server *s, struct request *r)
{
    const char *name = request_param(r, "name");
    const struct node *n = node_find(engine_cluster(s->engine), name);
    struct err err;

    if (!n)
        n = rmname_node(engine_cluster(s->engine), name);
    if (!n) {
        node_missing(engine_cluster(s->engine), name, &err);
        request_refuse(r, &err);
        return;
    }
    request_reply_json(r, render_node(s, n));
}

static json_t *amounts_pair(const struct res *all, const struct res *up)
{
    return json_pack(
        "{s:o, s:o}", "configured", render_amounts(all), "up", render_amounts(up));
}

/* What jobs have on the nodes of each partition that are up: dedicated[], active[]. */
static void count_use(
    const struct cluster *c, struct res *dedicated, json_int_t *active)
{
    for (size_t i = 0; i < c->nodes.n; i++) {
        const struct node *n = node_at(c, i);
        if (n->global || !node_is_up(n))
            continue;
        struct res used = node_dedicated(c, n);
        for (int k = 0; k < RES_DIMS; k++)
            dedicated[n->partition].v[k] += used.v[k];
        active[n->partition] += !node_is_free(c, n);
    }
}

/* Initiators of a class in a partition, on nodes that are up. */
struct initiators {
    json_int_t free, up;
};

static void count_classes_of(
    const struct cluster *c, const struct node *n, struct initiators *of)
{
    json_int_t procs = n->cfg.v[RES_PROCS];
    json_int_t left = procs - node_dedicated(c, n).v[RES_PROCS];

    for (uint32_t k = 1; k < c->creds[CRED_CLASS].n && !n->classes.n; k++) {
        of[k].up += procs; /* without a list it takes any class */
        of[k].free += left;
    }
    for (size_t i = 0; i < n->classes.n; i++) {
        uint32_t k = n->classes.v[i].cls;
        of[k].up += n->classes.v[i].configured;
        of[k].free += node_class_free(c, n, k);
    }
}

/* [partition * classes + class]; to be freed. */
static struct initiators *count_classes(const struct cluster *c)
{
    size_t n = c->creds[CRED_CLASS].n;
    struct initiators *of = xcalloc(c->partitions.n * n + 1, sizeof *of);

    for (size_t i = 0; i < c->nodes.n; i++) {
        const struct node *node = node_at(c, i);
        if (!node->global && node_is_up(node))
            count_classes_of(c, node, of + node->partition * n);
    }
    return of;
}

static json_t *render_classes(const struct cluster *c, const struct initiators *of)
{
    json_t *list = json_array();

    for (size_t k = 1; k < c->creds[CRED_CLASS].n; k++)
        if (of[k].up)
            json_array_append_new(list,
                json_pack("{s:s, s:I, s:I}", "name", c->creds[CRED_CLASS].v[k]->name,
                    "free", of[k].free, "up", of[k].up));
    return list;
}

void api_partitions(struct server *s, struct request *r)
{
    const struct cluster *c = engine_cluster(s->engine);
    struct res *dedicated = xcalloc(c->partitions.n + 1, sizeof *dedicated);
    json_int_t *active = xcalloc(c->partitions.n + 1, sizeof *active);
    struct initiators *of = count_classes(c);
    json_t *list = json_array();

    count_use(c, dedicated, active);
    for (size_t i = 0; i < c->partitions.n; i++) {
        const struct partition *p = c->partitions.v[i];
        json_t *o = amounts_pair(&p->cfg, &p->up);
        render_text(o, "name", p->name);
        render_int(o, "procs", p->cfg.v[RES_PROCS]);
        render_int(o, "nodes", p->node_count);
        render_int(o, "up_procs", p->up.v[RES_PROCS]);
        render_int(o, "up_nodes", p->up_nodes);
        render_int(o, "active_nodes", active[i]);
        json_object_set_new(o, "dedicated", render_amounts(&dedicated[i]));
        json_object_set_new(
            o, "classes", render_classes(c, of + i * c->creds[CRED_CLASS].n));
        json_array_append_new(list, o);
    }
    free(dedicated);
    free(active);
    free(of);
    request_reply_json(r, list);
}
