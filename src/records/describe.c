/* SPDX-License-Identifier: Apache-2.0
 * Jobs and nodes in JSON, out and in. */
#include "records/describe.h"

#include "cluster/attribute.h"
#include "cluster/node.h"
#include "config/flags.h"
#include "config/keyword.h"
#include "records/words.h"

#include <string.h>

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
    if (set->always)
        json_object_set_new(out, "always", json_true());
    json_object_set_new(o, "nodeset", out);
}

static void put_flags(json_t *o, const char *key, uint32_t flags)
{
    json_t *list = json_array();

    for (; flags != 0; flags &= flags - 1) {
        const char *name = job_flag_name(flags & -flags);

        if (name != NULL)
            json_array_append_new(list, json_string(name));
    }
    json_object_set_new(o, key, list);
}

static void put_deps(json_t *o, const char *key, const struct dep *deps)
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
    json_object_set_new(o, key, list);
}

static void put_word(
    json_t *o, const char *key, const struct cfg_keyword *words, unsigned value)
{
    for (; value && words->name; words++)
        if (words->value == value)
            put_text(o, key, words->name);
}

/* A value of a description; `words` of ATTRIBUTE_WORD. */
static void put_value(json_t *o, const char *key, enum attribute_type type,
    const struct cfg_keyword *words, const void *at)
{
    switch (type) {
    case ATTRIBUTE_NUMBER:
        put_int(o, key, *(const int64_t *)at);
        break;
    case ATTRIBUTE_COUNT:
        put_int(o, key, *(const uint32_t *)at);
        break;
    case ATTRIBUTE_BOOL:
        put_bool(o, key, *(const bool *)at);
        break;
    case ATTRIBUTE_TEXT:
    case ATTRIBUTE_CRED:
        put_text(o, key, *(const char *const *)at);
        break;
    case ATTRIBUTE_NAMES:
    case ATTRIBUTE_NODES:
        put_texts(o, key, *(const char *const *const *)at);
        break;
    case ATTRIBUTE_FLAGS:
        put_flags(o, key, *(const uint32_t *)at);
        break;
    case ATTRIBUTE_DEPS:
        put_deps(o, key, *(const struct dep *const *)at);
        break;
    case ATTRIBUTE_AMOUNTS:
        put_counts(o, key, *(const struct gres_cfg *const *)at);
        break;
    case ATTRIBUTE_COMPARISON:
        put_cmp(o, key, at);
        break;
    case ATTRIBUTE_WORD:
        put_word(o, key, words, *(const unsigned *)at);
        break;
    case ATTRIBUTE_NODESET:
        describe_nodeset(o, *(const struct nodeset_spec *const *)at);
        break;
    }
}

static json_t *describe_request(const struct req_desc *r)
{
    const struct req_attribute *a;
    json_t *o = json_object();

    for (size_t i = 0; (a = req_attribute_at(i)) != NULL; i++)
        put_value(o, a->wire, a->type, a->words, attribute_in(r, a->desc_at));
    return o;
}

void describe_requests(json_t *o, const struct req_desc *reqs, uint32_t n)
{
    json_t *list = json_array();

    for (uint32_t i = 0; i < n; i++)
        json_array_append_new(list, describe_request(&reqs[i]));
    json_object_set_new(o, "requests", list);
}

void describe_job(json_t *o, const struct job_desc *d)
{
    const struct attribute *a;

    for (size_t i = 0; (a = attribute_at(i)) != NULL; i++)
        put_value(o, a->wire, a->type, NULL, attribute_in(d, a->desc_at));
    put_text(o, "rm", d->rm);
    if (d->state != JOB_IDLE)
        put_text(o, "state", state_words[d->state]);
    describe_places(o, "places", d->places, d->nplaces);
    put_int(o, "holds", d->rm_hold);
    put_bool(o, "admitted", d->admitted);
    put_bool(o, "cancelled", d->cancelled);
    describe_requests(o, d->reqs, d->nreqs);
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
            || req > DESCRIBE_REQS_MAX) {
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
    set->always = json_is_true(json_object_get(in, "always"));
    vec_push(&r->nodesets, set);
    return set;
}

static uint32_t read_flags(struct reader *r, const json_t *o, const char *key)
{
    const char *const *words = reader_texts(r, o, key);
    uint32_t all = 0, bits;

    for (; words != NULL && *words != NULL; words++) {
        if (job_flags_parse(*words, &bits, NULL) == 0)
            all |= bits;
        else
            reader_wrong(r, key, "a list of job flags");
    }
    return all;
}

static const struct dep *read_deps(struct reader *r, const json_t *o, const char *key)
{
    const json_t *list = reader_list(r, o, key);
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
            reader_wrong(r, key, "a list of dependencies");
            return NULL;
        }
        deps[i] = (struct dep){(enum dep_type)type, (char *)job};
    }
    return deps;
}

static unsigned read_word(
    struct reader *r, const json_t *o, const char *key, const struct cfg_keyword *words)
{
    const char *word = reader_text(r, o, key);

    if (word == NULL)
        return 0;
    for (; words->name; words++)
        if (strcmp(words->name, word) == 0)
            return words->value;
    reader_wrong(r, key, "one of the known words");
    return 0;
}

/* A value into a description, as put_value() writes it; `min`: of a number. */
static void read_value(struct reader *r, const json_t *o, const char *key,
    enum attribute_type type, int64_t min, const struct cfg_keyword *words, void *at)
{
    switch (type) {
    case ATTRIBUTE_NUMBER:
        *(int64_t *)at = reader_int(r, o, key, min);
        break;
    case ATTRIBUTE_COUNT:
        *(uint32_t *)at = reader_u32(r, o, key);
        break;
    case ATTRIBUTE_BOOL:
        *(bool *)at = reader_bool(r, o, key);
        break;
    case ATTRIBUTE_TEXT:
    case ATTRIBUTE_CRED:
        *(const char **)at = reader_text(r, o, key);
        break;
    case ATTRIBUTE_NAMES:
    case ATTRIBUTE_NODES:
        *(const char *const **)at = reader_texts(r, o, key);
        break;
    case ATTRIBUTE_FLAGS:
        *(uint32_t *)at = read_flags(r, o, key);
        break;
    case ATTRIBUTE_DEPS:
        *(const struct dep **)at = read_deps(r, o, key);
        break;
    case ATTRIBUTE_AMOUNTS:
        *(const struct gres_cfg **)at = reader_counts(r, o, key);
        break;
    case ATTRIBUTE_COMPARISON:
        *(struct cmp *)at = get_cmp(r, o, key);
        break;
    case ATTRIBUTE_WORD:
        *(unsigned *)at = read_word(r, o, key, words);
        break;
    case ATTRIBUTE_NODESET:
        *(const struct nodeset_spec **)at = describe_read_nodeset(r, o);
        break;
    }
}

static void read_request(struct reader *r, const json_t *o, struct req_desc *q)
{
    const struct req_attribute *a;

    for (size_t i = 0; (a = req_attribute_at(i)) != NULL; i++)
        read_value(r, o, a->wire, a->type, -1, a->words, attribute_in(q, a->desc_at));
}

const struct req_desc *describe_read_requests(
    struct reader *r, const json_t *o, uint32_t *ret_n)
{
    const json_t *list = reader_list(r, o, "requests");
    struct req_desc *reqs;
    size_t n = json_array_size(list);

    *ret_n = 0;
    if (n == 0 || n > DESCRIBE_REQS_MAX) {
        reader_wrong(r, "requests", "a list of 1 to 64 requests");
        return NULL;
    }
    *ret_n = (uint32_t)n;
    reqs = reader_take(r, n, sizeof *reqs);
    for (size_t i = 0; i < n; i++)
        read_request(r, json_array_get(list, i), &reqs[i]);
    return reqs;
}

void describe_read_job(struct reader *r, const json_t *o, struct job_desc *d)
{
    int state = reader_word(r, o, "state", WORDS(state_words));
    const struct attribute *a;

    for (size_t i = 0; (a = attribute_at(i)) != NULL; i++)
        read_value(r, o, a->wire, a->type, a->min < 0 ? -DURATION_UNLIMITED : 0, NULL,
            attribute_in(d, a->desc_at));
    d->rm = reader_text(r, o, "rm");
    d->state = state < 0 ? JOB_IDLE : (enum job_state)state;
    d->places = describe_read_places(r, o, "places", &d->nplaces);
    d->rm_hold = (uint8_t)(reader_u32(r, o, "holds") & 0xff);
    d->admitted = reader_bool(r, o, "admitted");
    d->cancelled = reader_bool(r, o, "cancelled");
    d->reqs = describe_read_requests(r, o, &d->nreqs);
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
    put_text(o, "rm", d->rm);
    put_text(o, "state", node_state_name(d->state));
    put_amounts(o, "configured", &d->cfg);
    put_text(o, "partition", d->partition);
    put_texts(o, "features", d->features);
    put_texts(o, "networks", d->networks);
    put_counts(o, "gres", d->gres);
    put_counts(o, "classes", d->classes);
    put_counts(o, "class_procs", d->class_procs);
    put_int(o, "unshared", d->unshared);
    put_text(o, "os", d->os);
    put_text(o, "arch", d->arch);
    put_real(o, "speed", d->speed);
    put_int(o, "procspeed_mhz", d->procspeed_mhz);
    put_int(o, "frame", d->frame);
    put_int(o, "slot", d->slot);
    put_int(o, "slots", d->slots);
    put_int(o, "weight", d->weight);
    put_int(o, "more", d->more);
    put_text(o, "said", d->said);
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
    d->rm = reader_text(r, o, "rm");
    read_amounts(r, o, "configured", &d->cfg);
    d->partition = reader_text(r, o, "partition");
    d->features = reader_texts(r, o, "features");
    d->networks = reader_texts(r, o, "networks");
    d->gres = reader_counts(r, o, "gres");
    d->classes = reader_counts(r, o, "classes");
    d->class_procs = reader_counts(r, o, "class_procs");
    d->unshared = reader_int(r, o, "unshared", 0);
    d->os = reader_text(r, o, "os");
    d->arch = reader_text(r, o, "arch");
    d->speed = reader_real(r, o, "speed");
    d->procspeed_mhz = reader_int(r, o, "procspeed_mhz", 0);
    d->frame = reader_int(r, o, "frame", 0);
    d->slot = reader_int(r, o, "slot", 0);
    d->slots = reader_int(r, o, "slots", 0);
    d->weight = reader_int(r, o, "weight", 0);
    d->more = reader_u32(r, o, "more");
    d->said = reader_text(r, o, "said");
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
