/* SPDX-License-Identifier: Apache-2.0
 * See nodekeep.h. */
#define LOG_FACILITY FACILITY_CKPT
#include "server/durable/nodekeep.h"

#include "base/hash.h"
#include "cluster/node.h"
#include "cluster/partition.h"
#include "records/describe.h"
#include "records/jsontext.h"
#include "server/managers/floats.h"
#include "server/managers/manager.h"
#include "server/server_private.h"

#define KIND "node"

struct kept_node {
    char *name, *manager, *text; /* owned */
    char *own; /* what the manager calls it, where that is another; owned or NULL */
    char *partition; /* as it is called here; owned or NULL */
    bool told;       /* in this life */
    UT_hash_handle hh;
};

struct nodekeep {
    struct kept_node *nodes; /* by name */
};

static void free_kept(struct nodekeep *k, struct kept_node *one)
{
    HASH_DEL(k->nodes, one);
    free(one->name);
    free(one->manager);
    free(one->text);
    free(one->own);
    free(one->partition);
    free(one);
}

static struct kept_node *find_kept(const struct server *s, const char *name)
{
    struct kept_node *one = NULL;

    if (s->kept.nodekeep)
        HASH_FIND_STR(s->kept.nodekeep->nodes, name, one);
    return one;
}

struct names_here {
    const char *own, *partition;
};

static struct kept_node *keep_node(struct server *s, const char *name,
    const char *manager, const struct names_here *names, const char *text)
{
    struct kept_node *one = xcalloc(1, sizeof *one);
    const char *own = names->own, *partition = names->partition;

    one->name = xstrdup(name);
    one->manager = xstrdup(manager);
    one->text = xstrdup(text);
    one->own = own ? xstrdup(own) : NULL;
    one->partition = partition ? xstrdup(partition) : NULL;
    HASH_ADD_KEYPTR(hh, s->kept.nodekeep->nodes, one->name, strlen(one->name), one);
    return one;
}

static int load_one(void *ctx, const char *key, const char *value)
{
    json_t *o = json_loads(value, 0, NULL);
    const char *manager = json_string_value(json_object_get(o, "manager"));

    const struct names_here names = {json_string_value(json_object_get(o, "own")),
        json_string_value(json_object_get(o, "partition_here"))};

    if (manager)
        keep_node(ctx, key, manager, &names, value);
    json_decref(o);
    return 0;
}

/* Of managers that are not there any more, of all where there is one, and what floats,
 * which was remembered once. */
static void drop_strangers(struct server *s)
{
    struct kept_node *one, *next;

    HASH_ITER(hh, s->kept.nodekeep->nodes, one, next)
    {
        if (managers_several(s) && managers_has(s, one->manager)
            && !floats_are_of(one->name)) /* which is of no one manager */
            continue;
        unsaved_delete(s->unsaved, KIND, one->name);
        free_kept(s->kept.nodekeep, one);
    }
}

void nodekeep_open(struct server *s)
{
    struct err err;

    s->kept.nodekeep = xcalloc(1, sizeof *s->kept.nodekeep);
    unsaved_tell(s->unsaved);
    if (store_each(s->store, KIND, load_one, s, &err) < 0)
        log_line(s->log, LOG_ALERT, "nodes of before: %s", err.text);
    drop_strangers(s);
}

void nodekeep_close(struct server *s)
{
    struct kept_node *one, *next;

    if (!s->kept.nodekeep)
        return;
    HASH_ITER(hh, s->kept.nodekeep->nodes, one, next)
    free_kept(s->kept.nodekeep, one);
    free(s->kept.nodekeep);
    s->kept.nodekeep = NULL;
}

bool nodekeep_is_empty(const struct server *s)
{
    return !s->kept.nodekeep || !s->kept.nodekeep->nodes;
}

const char *nodekeep_whose(const struct server *s, const char *node)
{
    const struct kept_node *one = find_kept(s, node);

    return one ? one->manager : NULL;
}

/* What lasts of it. Owned by the caller. */
static char *lasting_text(
    const char *manager, const struct names_here *names, const struct node_desc *told)
{
    struct node_desc d = *told;
    json_t *o = json_object();
    char *text;

    d.measured = false;
    d.state = NODE_DOWN;
    d.said = NULL;
    describe_node(o, &d);
    json_object_set_new(o, "manager", json_string(manager));
    if (names->own)
        json_object_set_new(o, "own", json_string(names->own));
    if (names->partition)
        json_object_set_new(o, "partition_here", json_string(names->partition));
    text = jsontext(o);
    json_decref(o);
    return text;
}

/* Of what it was told as; NULL: there is no such node. */
static const char *partition_here(const struct server *s, const char *node)
{
    const struct cluster *c = engine_cluster(s->engine);
    const struct node *n = node_find(c, node);

    return n ? c->partitions.v[n->partition]->name : NULL;
}

void nodekeep_told(
    struct server *s, const char *manager, const char *own, const struct node_desc *d)
{
    struct names_here names = {
        strcmp(own, d->name) != 0 ? own : NULL, partition_here(s, d->name)};
    struct kept_node *one;
    char *text;

    if (!managers_several(s))
        return;
    one = find_kept(s, d->name);
    text = lasting_text(manager, &names, d);
    if (!one || strcmp(one->text, text) != 0) {
        if (one)
            free_kept(s->kept.nodekeep, one);
        one = keep_node(s, d->name, manager, &names, text);
        unsaved_put(s->unsaved, KIND, d->name, text);
        commit_want(s);
    }
    one->told = true;
    free(text);
}

void nodekeep_gone(struct server *s, const char *node)
{
    struct kept_node *one = find_kept(s, node);

    if (!one)
        return;
    unsaved_delete(s->unsaved, KIND, node);
    commit_want(s);
    free_kept(s->kept.nodekeep, one);
}

void nodekeep_each_renamed(const struct server *s, const char *manager,
    void (*each)(void *ctx, const char *own, const char *here), void *ctx)
{
    const struct kept_node *one;

    for (one = s->kept.nodekeep ? s->kept.nodekeep->nodes : NULL; one;
         one = one->hh.next)
        if (one->own && strcmp(one->manager, manager) == 0)
            each(ctx, one->own, one->name);
}

void nodekeep_each_partition(const struct server *s, const char *manager,
    void (*each)(void *ctx, const char *partition), void *ctx)
{
    const struct kept_node *one;

    for (one = s->kept.nodekeep ? s->kept.nodekeep->nodes : NULL; one;
         one = one->hh.next)
        if (one->partition && strcmp(one->manager, manager) == 0)
            each(ctx, one->partition);
}

void nodekeep_drop_untold(struct server *s, const char *manager,
    void (*each)(void *ctx, const char *node), void *ctx)
{
    struct kept_node *one, *next;

    if (!s->kept.nodekeep)
        return;
    HASH_ITER(hh, s->kept.nodekeep->nodes, one, next)
    {
        if (one->told || strcmp(one->manager, manager) != 0)
            continue;
        each(ctx, one->name);
        nodekeep_gone(s, one->name);
    }
}

static void recall_one(struct server *s, const struct kept_node *one)
{
    struct reader reader;
    struct event ev = {.kind = EVENT_NODE};
    struct err err = {0};

    if (reader_open(&reader, "node", one->text, strlen(one->text), &err) == 0)
        describe_read_node(&reader, reader.document, &ev.u.node);
    if (reader.failed || world_apply(s, &ev, NULL, &err) < 0)
        log_line(s->log, LOG_ALERT, "node '%s' of before: %s", one->name, err.text);
    reader_close(&reader);
}

void nodekeep_recall(struct server *s, const char *manager)
{
    struct kept_node *one, *next;

    HASH_ITER(hh, s->kept.nodekeep->nodes, one, next)
    if (strcmp(one->manager, manager) == 0
        && !node_find(engine_cluster(s->engine), one->name))
        recall_one(s, one);
}
