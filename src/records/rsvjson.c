/* SPDX-License-Identifier: Apache-2.0
 * Reservations as JSON. */
#include "records/rsvjson.h"

#include "cluster/partition.h"
#include "config/config.h"
#include "records/describe.h"

#include <string.h>

/* ---- triggers: [text, fired at], [text] before ---- */

static json_t *triggers_json(const struct trigger *triggers, size_t n)
{
    json_t *list = json_array();
    char text[2000];

    for (size_t i = 0; i < n; i++) {
        const struct trigger *t = &triggers[i];
        if (triggertext_format(t, text, sizeof text) >= (int)sizeof text)
            continue;
        json_t *entry = json_array();
        json_array_append_new(entry, put_text_of(text));
        if (t->fired)
            json_array_append_new(entry, json_integer(t->fired_at));
        json_array_append_new(list, entry);
    }
    return list;
}

static void read_triggers(
    struct reader *r, const json_t *o, const char *key, struct trigger_list *ret)
{
    const json_t *list = reader_list(r, o, key);
    struct err err;

    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *entry = json_array_get(list, i);
        const char *text = json_string_value(json_array_get(entry, 0));
        const json_t *at = json_array_get(entry, 1);
        size_t n = ret->n;

        if (!text || triggertext_parse(text, ret, &err) < 0) {
            reader_wrong(r, key, "a list of triggers");
            return;
        }
        for (; at && n < ret->n; n++) {
            ret->v[n].fired = true;
            ret->v[n].fired_at = json_integer_value(at);
        }
    }
}

/* ---- access lists: [type, affinity, cmp, marks, flags, value, name] ---- */

enum { REQUIRED = 1, NEGATED = 2, ANY = 4 };

static json_t *acl_json(const struct acl *acl)
{
    json_t *list = json_array();

    for (size_t i = 0; i < acl->entries.n; i++) {
        const struct acl_entry *e = &acl->entries.v[i];
        json_t *entry = json_pack("[i, i, i, i, I, I]", e->type, e->affinity, e->cmp,
            (e->required ? REQUIRED : 0) | (e->negated ? NEGATED : 0)
                | (e->any ? ANY : 0),
            (json_int_t)e->flags, (json_int_t)e->value);
        if (e->name)
            json_array_append_new(entry, put_text_of(e->name));
        json_array_append_new(list, entry);
    }
    return list;
}

static int64_t element(const json_t *list, size_t i)
{
    return json_integer_value(json_array_get(list, i));
}

static void read_acl(struct reader *r, const json_t *o, struct acl *ret)
{
    const json_t *list = reader_list(r, o, "acl");

    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *e = json_array_get(list, i);
        const char *name = json_string_value(json_array_get(e, 6));
        int64_t marks = element(e, 3);

        if (element(e, 0) < 0 || element(e, 0) >= ACL_TYPES || element(e, 1) < 0
            || element(e, 1) > ACL_NEGATIVE || element(e, 2) < 0
            || element(e, 2) > ACL_GT) {
            reader_wrong(r, "acl", "an access list");
            return;
        }
        vec_push(&ret->entries, ((struct acl_entry){.type = (uint8_t)element(e, 0),
                                    .affinity = (uint8_t)element(e, 1),
                                    .cmp = (uint8_t)element(e, 2),
                                    .required = marks & REQUIRED,
                                    .negated = marks & NEGATED,
                                    .any = marks & ANY,
                                    .flags = (uint32_t)element(e, 4),
                                    .value = element(e, 5),
                                    .name = name ? xstrdup(name) : NULL,
                                    .cred = UINT32_MAX}));
    }
}

/* ---- one task ---- */

static json_t *task_json(const struct cluster *c, const struct taskdef *def)
{
    json_t *features = json_array(), *gres = json_object();

    for (size_t i = 0; i < def->features.n; i++)
        json_array_append_new(
            features, put_text_of(names_text(c->features, def->features.v[i])));
    for (size_t i = 0; i < def->gres.n; i++)
        json_object_set_new(gres, names_text(c->gres, def->gres.v[i].id),
            json_integer(def->gres.v[i].count));
    json_t *o = json_pack("{s:[I, I, I, I], s:I, s:o, s:o}", "amounts",
        (json_int_t)def->per_task.v[RES_PROCS], (json_int_t)def->per_task.v[RES_MEM],
        (json_int_t)def->per_task.v[RES_SWAP], (json_int_t)def->per_task.v[RES_DISK],
        "tpn", (json_int_t)def->tpn, "features", features, "gres", gres);
    describe_nodeset(o, def->nodeset);
    return o;
}

static const struct nodeset_spec *owned_nodeset(const struct nodeset_spec *set)
{
    if (!set)
        return NULL;
    struct nodeset_spec *copy = xcalloc(1, sizeof *copy);
    copy->policy = set->policy;
    copy->attr = set->attr;
    for (size_t i = 0; i < set->list.n; i++)
        text_list_add(&copy->list, set->list.v[i]);
    return copy;
}

static void read_task(
    struct reader *r, struct cluster *c, const json_t *o, struct taskdef *ret)
{
    const json_t *task = json_object_get(o, "task");
    const json_t *amounts = reader_list(r, task, "amounts");
    const char *const *features = reader_texts(r, task, "features");
    const struct gres_cfg *gres = reader_counts(r, task, "gres");

    for (size_t i = 0; i < RES_DIMS; i++)
        ret->per_task.v[i] = element(amounts, i);
    ret->tpn = reader_u32(r, task, "tpn");
    ret->nodeset = owned_nodeset(describe_read_nodeset(r, task));
    for (; features && *features; features++)
        vec_push(&ret->features, names_intern(c->features, *features));
    for (; gres && gres->name; gres++)
        vec_push(&ret->gres,
            ((struct gres){names_intern(c->gres, gres->name), gres->count}));
}

/* ---- who ---- */

static void put_people(
    json_t *o, const struct cluster *c, const struct reservation *draft)
{
    json_t *charge = json_array();

    if (draft->owner_kind < CRED_KINDS && draft->owner)
        json_object_set_new(o, "owner",
            json_pack("[i, o]", (int)draft->owner_kind,
                put_text_of(c->creds[draft->owner_kind].v[draft->owner]->name)));
    for (int k = 0; k < CRED_KINDS; k++)
        if (draft->charge[k])
            json_array_append_new(
                charge, json_pack("[i, o]", k,
                            put_text_of(c->creds[k].v[draft->charge[k]]->name)));
    json_object_set_new(o, "charge", charge);
}

/* [kind, name] -> index; 0 = none, or none of the kind. */
static uint32_t read_cred(struct cluster *c, const json_t *pair, int *ret_kind)
{
    const char *name = json_string_value(json_array_get(pair, 1));
    int64_t kind = element(pair, 0);

    *ret_kind = CRED_KINDS;
    if (!name || kind < 0 || kind >= CRED_KINDS)
        return 0;
    *ret_kind = (int)kind;
    return cred_get(c, (enum cred_kind)kind, name)->index;
}

static void read_people(
    struct reader *r, struct cluster *c, const json_t *o, struct reservation *ret)
{
    const json_t *charge = reader_list(r, o, "charge");
    int kind;

    ret->owner = read_cred(c, json_object_get(o, "owner"), &kind);
    ret->owner_kind = (unsigned)kind;
    for (size_t i = 0; i < json_array_size(charge); i++) {
        uint32_t index = read_cred(c, json_array_get(charge, i), &kind);
        if (kind < CRED_KINDS)
            ret->charge[kind] = index;
    }
}

/* ---- drafts ---- */

static const char *partition_word(const struct cluster *c, uint32_t partition)
{
    if (partition == RSV_PARTITION_ALL)
        return "*";
    if (partition == RSV_PARTITION_ONE)
        return NULL;
    return partition == INDEX_NONE ? "?" : c->partitions.v[partition]->name;
}

static uint32_t read_partition(struct reader *r, struct cluster *c, const json_t *o)
{
    const char *word = reader_text(r, o, "partition");

    if (!word)
        return RSV_PARTITION_ONE;
    return strcmp(word, "*") == 0 ? RSV_PARTITION_ALL : partition_find(c, word);
}

/* Of one that was made before: when, and where it was. */
static void put_past(
    json_t *o, const struct cluster *c, const struct reservation *draft)
{
    struct VEC(struct job_place) places = {0};

    put_int(o, "created_at", draft->created_at);
    for (size_t i = 0; i < draft->alloc.n; i++) {
        const struct alloc *piece = &draft->alloc.v[i];
        for (uint32_t k = 0; k < piece->count; k++)
            vec_push(&places, ((struct job_place){node_at(c, piece->first + k)->name,
                                  piece->tasks, 0}));
    }
    describe_places(o, "places", places.v, places.n);
    vec_fini(&places);
}

static void read_past(
    struct reader *r, struct cluster *c, const json_t *o, struct reservation *ret)
{
    size_t n;
    const struct job_place *places = describe_read_places(r, o, "places", &n);

    ret->created_at = reader_int(r, o, "created_at", 0);
    for (size_t i = 0; i < n; i++) {
        const struct node *node = node_find(c, places[i].node);
        if (node)
            vec_push(&ret->alloc,
                ((struct alloc){
                    .first = node->index, .count = 1, .tasks = places[i].tasks}));
        else
            reader_wrong(r, "places", "on nodes that are there");
    }
}

json_t *rsvjson_draft(const struct cluster *c, const struct reservation *draft)
{
    json_t *o = json_object(), *hosts = json_array();

    put_int(o, "kind", draft->kind);
    put_text(o, "name", draft->name);
    put_text(o, "base", draft->base);
    put_int(o, "start_at", draft->start_at);
    put_int(o, "end_at", draft->end_at);
    put_past(o, c, draft);
    json_object_set_new(o, "task", task_json(c, &draft->def));
    put_int(o, "tasks", draft->tasks);
    if (draft->least_tasks)
        put_int(o, "least_tasks", draft->least_tasks);
    put_text(o, "partition", partition_word(c, draft->partition));
    put_bool(o, "any_feature", draft->any_feature);
    put_bool(o, "listed", draft->listed);
    for (size_t i = 0; i < draft->hosts.n; i++)
        json_array_append_new(hosts, put_text_of(node_at(c, draft->hosts.v[i])->name));
    json_object_set_new(o, "hosts", hosts);
    put_text(o, "host_expr", draft->host_expr);
    put_bool(o, "one_per_host", draft->one_per_host);
    put_bool(o, "any_feature", draft->any_feature);
    put_bool(o, "shared", draft->shared);
    put_bool(o, "exclusive", draft->exclusive);
    put_int(o, "flags", draft->flags);
    put_people(o, c, draft);
    json_object_set_new(o, "acl", acl_json(&draft->acl));
    put_int(o, "priority", draft->priority);
    json_object_set_new(
        o, "triggers", triggers_json(draft->triggers.v, draft->triggers.n));
    return o;
}

static char *owned_text(struct reader *r, const json_t *o, const char *key)
{
    const char *text = reader_text(r, o, key);

    return text ? xstrdup(text) : NULL;
}

static void read_hosts(
    struct reader *r, struct cluster *c, const json_t *o, struct reservation *ret)
{
    const char *const *hosts = reader_texts(r, o, "hosts");

    for (; hosts && *hosts; hosts++) {
        const struct node *n = node_find(c, *hosts);
        if (n)
            vec_push(&ret->hosts, n->index);
        else
            reader_wrong(r, "hosts", "a list of nodes that are there");
    }
}

void rsvjson_read_draft(
    struct reader *r, struct cluster *c, const json_t *o, struct reservation *ret)
{
    uint32_t kind = reader_u32(r, o, "kind");

    *ret = reservation_draft(kind <= RSV_USER ? (enum rsv_kind)kind : RSV_ADMIN);
    ret->name = owned_text(r, o, "name");
    ret->base = owned_text(r, o, "base");
    ret->start_at = reader_int(r, o, "start_at", 0);
    ret->end_at = reader_int(r, o, "end_at", 0);
    read_past(r, c, o, ret);
    read_task(r, c, o, &ret->def);
    ret->tasks = reader_u32(r, o, "tasks");
    if (json_object_get(o, "least_tasks"))
        ret->least_tasks = reader_u32(r, o, "least_tasks");
    ret->partition = read_partition(r, c, o);
    ret->any_feature = reader_bool(r, o, "any_feature");
    ret->listed = reader_bool(r, o, "listed");
    read_hosts(r, c, o, ret);
    ret->host_expr = owned_text(r, o, "host_expr");
    ret->one_per_host = reader_bool(r, o, "one_per_host");
    ret->any_feature = reader_bool(r, o, "any_feature");
    ret->shared = reader_bool(r, o, "shared");
    ret->exclusive = reader_bool(r, o, "exclusive");
    ret->flags = reader_u32(r, o, "flags");
    read_people(r, c, o, ret);
    read_acl(r, o, &ret->acl);
    ret->priority = reader_int(r, o, "priority", -DURATION_UNLIMITED);
    read_triggers(r, o, "triggers", &ret->triggers);
}

/* ---- instances ---- */

json_t *rsvjson_instance(const struct rsv_memory *m)
{
    json_t *o = json_object();

    put_text(o, "name", m->name);
    put_text(o, "section", m->section);
    put_int(o, "period_at", m->period_at);
    put_int(o, "slot", m->slot);
    put_int(o, "start_at", m->start_at);
    put_int(o, "end_at", m->end_at);
    put_int(o, "created_at", m->created_at);
    put_bool(o, "released", m->released);
    put_int(o, "ended_at", m->ended_at);
    put_real(o, "idle_ps", m->idle_ps);
    put_real(o, "active_ps", m->active_ps);
    describe_places(o, "places", m->places, m->nplaces);
    json_object_set_new(o, "triggers", triggers_json(m->triggers, m->ntriggers));
    return o;
}

void rsvjson_read_instance(struct reader *r, const json_t *o,
    struct trigger_list *ret_triggers, struct rsv_memory *ret)
{
    *ret = (struct rsv_memory){.name = reader_text(r, o, "name"),
        .section = reader_text(r, o, "section"),
        .period_at = reader_int(r, o, "period_at", -DURATION_UNLIMITED),
        .slot = reader_u32(r, o, "slot"),
        .start_at = reader_int(r, o, "start_at", 0),
        .end_at = reader_int(r, o, "end_at", 0),
        .created_at = reader_int(r, o, "created_at", 0),
        .released = reader_bool(r, o, "released"),
        .ended_at = reader_int(r, o, "ended_at", 0),
        .idle_ps = reader_real(r, o, "idle_ps"),
        .active_ps = reader_real(r, o, "active_ps")};
    ret->places = describe_read_places(r, o, "places", &ret->nplaces);
    read_triggers(r, o, "triggers", ret_triggers);
    ret->triggers = ret_triggers->v;
    ret->ntriggers = ret_triggers->n;
    if (!ret->name || !ret->section)
        reader_wrong(r, "name", "there");
}
