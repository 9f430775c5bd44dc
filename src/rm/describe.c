/* SPDX-License-Identifier: Apache-2.0
 * Jobs and nodes in JSON, out and in. */
#include "rm/describe.h"

#include "cluster/attribute.h"
#include "cluster/node.h"
#include "config/flags.h"
#include "rm/words.h"

#include <string.h>

#define REQS_MAX 64

void describe_places(
    json_t *o, const char *key, const struct job_place *places, size_t n)
{
    json_t *list;

    if (n == 0)
        return;
    list = json_array();
    for (size_t i = 0; i < n; i++) {
        json_t *pair = json_array();

        json_array_append_new(pair, put_text_of(places[i].node));
        json_array_append_new(pair, json_integer(places[i].tasks));
        if (places[i].req > 0)
            json_array_append_new(pair, json_integer(places[i].req));
        json_array_append_new(list, pair);
    }
    json_object_set_new(o, key, list);
}

static void put_cmp(json_t *o, const char *key, const struct cmp *cmp)
{
    if (cmp->op != CMP_NONE)
        json_object_set_new(
            o, key, json_pack("[s, I]", cmp_words[cmp->op], (json_int_t)cmp->value));
}

void describe_nodeset(json_t *o, const struct nodeset_spec *set)
{
    json_t *out, *list;

    if (set == NULL || set->policy == NODESET_OFF)
        return;
    out = json_object();
    put_text(out, "policy", nodeset_words[set->policy]);
    if (set->attr != NODESET_ATTR_UNSET)
        put_text(out, "attr", nodeset_attr_words[set->attr]);
    list = json_array();
    for (size_t i = 0; i < set->list.n; i++)
        json_array_append_new(list, put_text_of(set->list.v[i]));
    json_object_set_new(out, "list", list);
    json_object_set_new(o, "nodeset", out);
}

static json_t *req_object(const struct req_desc *r)
{
    json_t *o = json_object();

    for (int i = 0; i < RES_DIMS; i++)
        put_int(o, res_words[i], r->per_task.v[i]);
    put_int(o, "tasks", r->tasks);
    put_int(o, "nodes", r->nodes);
    put_int(o, "tpn", r->tpn);
    put_bool(o, "exact", r->exact);
    put_texts(o, "features", r->features);
    put_texts(o, "preferred", r->prefs);
    put_texts(o, "hosts", r->hosts);
    put_texts(o, "exclude", r->exclude);
    put_counts(o, "gres", r->gres);
    put_counts(o, "job_gres", r->job_gres);
    put_text(o, "os", r->os);
    put_text(o, "arch", r->arch);
    put_text(o, "network", r->network);
    put_cmp(o, "node_procs", &r->procs);
    put_cmp(o, "node_mem_mb", &r->mem);
    put_cmp(o, "node_swap_mb", &r->swap);
    put_cmp(o, "node_disk_mb", &r->disk);
    if (r->access != ACCESS_UNSET)
        put_text(o, "access", access_words[r->access]);
    if (r->nodealloc != NODEALLOC_UNSET)
        put_text(o, "nodealloc", nodealloc_words[r->nodealloc]);
    describe_nodeset(o, r->nodeset);
    return o;
}

static void put_flags(json_t *o, uint32_t flags)
{
    json_t *list = json_array();

    for (; flags != 0; flags &= flags - 1) {
        const char *name = job_flag_name(flags & -flags);

        if (name != NULL)
            json_array_append_new(list, json_string(name));
    }
    json_object_set_new(o, "flags", list);
}

static void put_deps(json_t *o, const struct dep *deps)
{
    json_t *list;

    if (deps == NULL)
        return;
    list = json_array();
    for (; deps->job_id != NULL; deps++) {
        json_t *pair = json_array();

        json_array_append_new(pair, json_string(dep_words[deps->type]));
        json_array_append_new(pair, put_text_of(deps->job_id));
        json_array_append_new(list, pair);
    }
    json_object_set_new(o, "dependencies", list);
}

static void put_attribute(json_t *o, const struct attribute *a, struct job_desc *d)
{
    switch (a->type) {
    case ATTRIBUTE_NUMBER:
        put_int(o, a->wire, *attribute_number(d, a->desc_at));
        break;
    case ATTRIBUTE_TEXT:
        put_text(o, a->wire, *attribute_text(d, a->desc_at));
        break;
    case ATTRIBUTE_NAMES:
        put_texts(o, a->wire, *attribute_names(d, a->desc_at));
        break;
    }
}

void describe_job(json_t *o, const struct job_desc *d)
{
    const struct attribute *a;
    json_t *list = json_array();

    for (size_t i = 0; (a = attribute_at(i)) != NULL; i++)
        put_attribute(o, a, (struct job_desc *)d);
    if (d->state != JOB_IDLE)
        put_text(o, "state", state_words[d->state]);
    describe_places(o, "places", d->places, d->nplaces);
    put_int(o, "holds", d->rm_hold);
    put_flags(o, d->flags);
    put_bool(o, "admitted", d->admitted);
    for (uint32_t i = 0; i < d->nreqs; i++)
        json_array_append_new(list, req_object(&d->reqs[i]));
    json_object_set_new(o, "requests", list);
    put_deps(o, d->deps);
}

const struct job_place *describe_read_places(
    struct reader *r, const json_t *o, const char *key, size_t *ret_n)
{
    const json_t *list = reader_list(r, o, key);
    size_t n = json_array_size(list);
    struct job_place *places = n ? reader_take(r, n, sizeof *places) : NULL;

    for (size_t i = 0; i < n; i++) {
        const json_t *pair = json_array_get(list, i);
        const char *node = json_string_value(json_array_get(pair, 0));
        json_int_t tasks = json_integer_value(json_array_get(pair, 1));

        json_int_t req = json_integer_value(json_array_get(pair, 2));

        if (node == NULL || tasks < 1 || tasks > UINT32_MAX || req < 0
            || req > REQS_MAX) {
            reader_wrong(r, key, "a list of nodes and tasks");
            n = 0;
            break;
        }
        places[i] = (struct job_place){
            .node = node, .tasks = (uint32_t)tasks, .req = (uint32_t)req};
    }
    *ret_n = n;
    return n ? places : NULL;
}

static struct cmp get_cmp(struct reader *r, const json_t *o, const char *key)
{
    const json_t *pair = reader_list(r, o, key), *value;
    int op;

    if (pair == NULL)
        return (struct cmp){0};
    op = reader_find_word(
        WORDS(cmp_words), json_string_value(json_array_get(pair, 0)), -1);
    value = json_array_get(pair, 1);
    if (op < 0 || !json_is_integer(value)) {
        reader_wrong(r, key, "a comparison");
        return (struct cmp){0};
    }
    return (struct cmp){(enum cmp_op)op, json_integer_value(value)};
}

const struct nodeset_spec *describe_read_nodeset(struct reader *r, const json_t *o)
{
    const json_t *in = json_object_get(o, "nodeset");
    struct nodeset_spec *set;
    const char *const *list;
    int policy, attr;

    if (in == NULL)
        return NULL;
    policy = reader_word(r, in, "policy", WORDS(nodeset_words));
    attr = reader_word(r, in, "attr", WORDS(nodeset_attr_words));
    list = reader_texts(r, in, "list");
    if (policy < 0) {
        reader_wrong(r, "nodeset", "a node set");
        return NULL;
    }
    set = reader_take(r, 1, sizeof *set);
    set->policy = (enum nodeset_policy)policy;
    set->attr = attr < 0 ? NODESET_ATTR_UNSET : (enum nodeset_attr)attr;
    for (; list != NULL && *list != NULL; list++)
        vec_push(&set->list, (char *)*list); /* borrowed from the document */
    vec_push(&r->nodesets, set);
    return set;
}

static void read_req(struct reader *r, const json_t *o, struct req_desc *q)
{
    int access = reader_word(r, o, "access", WORDS(access_words));
    int nodealloc = reader_word(r, o, "nodealloc", WORDS(nodealloc_words));

    for (int i = 0; i < RES_DIMS; i++)
        q->per_task.v[i] = reader_int(r, o, res_words[i], -1);
    q->tasks = reader_u32(r, o, "tasks");
    q->nodes = reader_u32(r, o, "nodes");
    q->tpn = reader_u32(r, o, "tpn");
    q->exact = reader_bool(r, o, "exact");
    q->features = reader_texts(r, o, "features");
    q->prefs = reader_texts(r, o, "preferred");
    q->hosts = reader_texts(r, o, "hosts");
    q->exclude = reader_texts(r, o, "exclude");
    q->gres = reader_counts(r, o, "gres");
    q->job_gres = reader_counts(r, o, "job_gres");
    q->os = reader_text(r, o, "os");
    q->arch = reader_text(r, o, "arch");
    q->network = reader_text(r, o, "network");
    q->procs = get_cmp(r, o, "node_procs");
    q->mem = get_cmp(r, o, "node_mem_mb");
    q->swap = get_cmp(r, o, "node_swap_mb");
    q->disk = get_cmp(r, o, "node_disk_mb");
    q->access = access < 0 ? ACCESS_UNSET : (enum access_policy)access;
    q->nodealloc = nodealloc < 0 ? NODEALLOC_UNSET : (enum nodealloc_policy)nodealloc;
    q->nodeset = describe_read_nodeset(r, o);
}

static void read_reqs(struct reader *r, const json_t *o, struct job_desc *d)
{
    const json_t *list = reader_list(r, o, "requests");
    struct req_desc *reqs;
    size_t n = json_array_size(list);

    if (n == 0 || n > REQS_MAX) {
        reader_wrong(r, "requests", "a list of 1 to 64 requests");
        return;
    }
    d->nreqs = (uint32_t)n;
    d->reqs = reqs = reader_take(r, n, sizeof *reqs);
    for (size_t i = 0; i < n; i++)
        read_req(r, json_array_get(list, i), &reqs[i]);
}

static uint32_t read_flags(struct reader *r, const json_t *o)
{
    const char *const *words = reader_texts(r, o, "flags");
    uint32_t all = 0, bits;

    for (; words != NULL && *words != NULL; words++) {
        if (job_flags_parse(*words, &bits, NULL) == 0)
            all |= bits;
        else
            reader_wrong(r, "flags", "a list of job flags");
    }
    return all;
}

static const struct dep *read_deps(struct reader *r, const json_t *o)
{
    const json_t *list = reader_list(r, o, "dependencies");
    struct dep *deps;

    if (list == NULL)
        return NULL;
    deps = reader_take(r, json_array_size(list) + 1, sizeof *deps);
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *pair = json_array_get(list, i);
        const char *word = json_string_value(json_array_get(pair, 0));
        const char *job = json_string_value(json_array_get(pair, 1));
        int type = reader_find_word(WORDS(dep_words), word, -1);

        if (type < 0 || job == NULL) {
            reader_wrong(r, "dependencies", "a list of dependencies");
            return NULL;
        }
        deps[i] = (struct dep){(enum dep_type)type, (char *)job};
    }
    return deps;
}

static void read_attribute(
    struct reader *r, const json_t *o, const struct attribute *a, struct job_desc *d)
{
    switch (a->type) {
    case ATTRIBUTE_NUMBER:
        *attribute_number(d, a->desc_at) =
            reader_int(r, o, a->wire, a->min < 0 ? -DURATION_UNLIMITED : 0);
        break;
    case ATTRIBUTE_TEXT:
        *attribute_text(d, a->desc_at) = reader_text(r, o, a->wire);
        break;
    case ATTRIBUTE_NAMES:
        *attribute_names(d, a->desc_at) = reader_texts(r, o, a->wire);
        break;
    }
}

void describe_read_job(struct reader *r, const json_t *o, struct job_desc *d)
{
    int state = reader_word(r, o, "state", WORDS(state_words));
    const struct attribute *a;

    for (size_t i = 0; (a = attribute_at(i)) != NULL; i++)
        read_attribute(r, o, a, d);
    d->state = state < 0 ? JOB_IDLE : (enum job_state)state;
    d->places = describe_read_places(r, o, "places", &d->nplaces);
    d->rm_hold = (uint8_t)(reader_u32(r, o, "holds") & 0xff);
    d->flags = read_flags(r, o);
    d->admitted = reader_bool(r, o, "admitted");
    read_reqs(r, o, d);
    d->deps = read_deps(r, o);
}

/* ---- nodes ---- */

static void put_amounts(json_t *o, const char *key, const struct res *amounts)
{
    json_t *set = json_object();

    for (int i = 0; i < RES_DIMS; i++)
        put_int(set, res_words[i], amounts->v[i]);
    json_object_set_new(o, key, set);
}

static void read_amounts(
    struct reader *r, const json_t *o, const char *key, struct res *ret)
{
    const json_t *set = json_object_get(o, key);

    for (int i = 0; i < RES_DIMS; i++)
        ret->v[i] = reader_int(r, set, res_words[i], -1);
}

void describe_node(json_t *o, const struct node_desc *d)
{
    put_text(o, "name", d->name);
    put_text(o, "state", node_state_name(d->state));
    put_amounts(o, "configured", &d->cfg);
    put_text(o, "partition", d->partition);
    put_texts(o, "features", d->features);
    put_texts(o, "networks", d->networks);
    put_counts(o, "gres", d->gres);
    put_counts(o, "classes", d->classes);
    put_text(o, "os", d->os);
    put_text(o, "arch", d->arch);
    put_real(o, "speed", d->speed);
    put_int(o, "procspeed_mhz", d->procspeed_mhz);
    put_int(o, "frame", d->frame);
    put_int(o, "slot", d->slot);
    put_int(o, "slots", d->slots);
    put_int(o, "more", d->more);
    if (d->measured) {
        json_object_set_new(o, "load", put_real_of(d->load));
        put_amounts(o, "used", &d->util);
    }
}

void describe_read_node(struct reader *r, const json_t *o, struct node_desc *d)
{
    const char *state = reader_text(r, o, "state");

    *d = (struct node_desc){.name = reader_text(r, o, "name")};
    if (d->name == NULL || *d->name == '\0')
        reader_wrong(r, "name", "the node's name");
    if (state == NULL || node_state_parse(state, &d->state) < 0)
        reader_wrong(r, "state", "a node's state");
    read_amounts(r, o, "configured", &d->cfg);
    d->partition = reader_text(r, o, "partition");
    d->features = reader_texts(r, o, "features");
    d->networks = reader_texts(r, o, "networks");
    d->gres = reader_counts(r, o, "gres");
    d->classes = reader_counts(r, o, "classes");
    d->os = reader_text(r, o, "os");
    d->arch = reader_text(r, o, "arch");
    d->speed = reader_real(r, o, "speed");
    d->procspeed_mhz = reader_int(r, o, "procspeed_mhz", 0);
    d->frame = reader_int(r, o, "frame", 0);
    d->slot = reader_int(r, o, "slot", 0);
    d->slots = reader_int(r, o, "slots", 0);
    d->more = reader_u32(r, o, "more");
    d->measured = json_object_get(o, "load") != NULL;
    d->load = reader_real(r, o, "load");
    read_amounts(r, o, "used", &d->util);
}

/* ---- ends ---- */

json_t *describe_end(const struct job_end *end)
{
    json_t *o = json_object();

    put_text(o, "reason", end_reason_name(end->reason));
    if (end->reason == ENDED_USAGE)
        put_text(o, "resource", usage_res_name(end->resource));
    put_real(o, "limit", end->limit);
    put_real(o, "used", end->used);
    put_text(o, "name", end->name);
    put_bool(o, "by_owner", end->by_owner);
    put_text(o, "said", end->said);
    return o;
}

static enum usage_res find_resource(const char *name)
{
    for (int i = 0; name && i < USAGE_RESOURCES; i++)
        if (strcmp(usage_res_name((enum usage_res)i), name) == 0)
            return (enum usage_res)i;
    return USAGE_PROC;
}

void describe_read_end(const json_t *o, struct job_end *ret)
{
    *ret = (struct job_end){
        .reason = end_reason_find(json_string_value(json_object_get(o, "reason"))),
        .resource = find_resource(json_string_value(json_object_get(o, "resource"))),
        .limit = json_number_value(json_object_get(o, "limit")),
        .used = json_number_value(json_object_get(o, "used")),
        .name = json_string_value(json_object_get(o, "name")),
        .by_owner = json_is_true(json_object_get(o, "by_owner")),
        .said = json_string_value(json_object_get(o, "said"))};
}
