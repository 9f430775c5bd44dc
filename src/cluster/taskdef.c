/* SPDX-License-Identifier: Apache-2.0
 * Task definitions: one shared record for equal requests. A definition's key is all
 * its contents written one after the other. */
#include "cluster/private.h"

bool taskdef_whole_node(const struct taskdef *def)
{
    return def->access == ACCESS_SINGLEJOB || def->access == ACCESS_SINGLETASK;
}

/* ---- copies ------------------------------------------------------------------ */

static struct nodeset_spec *nodeset_copy(const struct nodeset_spec *from)
{
    if (!from)
        return NULL;
    struct nodeset_spec *to = xcalloc(1, sizeof *to);
    to->policy = from->policy;
    to->attr = from->attr;
    for (size_t i = 0; i < from->list.n; i++)
        vec_push(&to->list, xstrdup(from->list.v[i]));
    return to;
}

static void nodeset_destroy(const struct nodeset_spec *spec)
{
    struct nodeset_spec *mine = (struct nodeset_spec *)spec;

    if (!mine)
        return;
    for (size_t i = 0; i < mine->list.n; i++)
        free(mine->list.v[i]);
    vec_fini(&mine->list);
    free(mine);
}

/* An empty list has no memory, so that plain definitions are one allocation. */
#define list_copy(to, from)                                                            \
    do {                                                                               \
        (to)->v = NULL;                                                                \
        (to)->n = (to)->cap = 0;                                                       \
        vec_assign(to, from);                                                          \
    } while (0)

struct taskdef taskdef_copy(const struct taskdef *def)
{
    struct taskdef d = *def;

    list_copy(&d.gres, &def->gres);
    list_copy(&d.features, &def->features);
    list_copy(&d.prefs, &def->prefs);
    list_copy(&d.hosts, &def->hosts);
    list_copy(&d.exclude, &def->exclude);
    d.nodeset = nodeset_copy(def->nodeset);
    return d;
}

void taskdef_fini(struct taskdef *draft)
{
    vec_fini(&draft->gres);
    vec_fini(&draft->features);
    vec_fini(&draft->prefs);
    vec_fini(&draft->hosts);
    vec_fini(&draft->exclude);
    nodeset_destroy(draft->nodeset);
    draft->nodeset = NULL;
}

void taskdefs_destroy(struct cluster *c)
{
    struct taskdef_entry *e = c->priv->taskdefs, *next;

    HASH_CLEAR(hh, c->priv->taskdefs);
    for (; e; e = next) { /* still a list */
        next = e->hh.next;
        taskdef_fini(e->def);
        free(e->def);
        free(e->key);
        free(e);
    }
    vec_fini(&c->taskdefs);
    vec_fini(&c->priv->key);
}

/* ---- keys -------------------------------------------------------------------- */

static void put(struct cluster *c, const void *bytes, size_t size)
{
    vec_reserve(&c->priv->key, size);
    if (size)
        memcpy(c->priv->key.v + c->priv->key.n, bytes, size);
    c->priv->key.n += size;
}

static void put_number(struct cluster *c, int64_t n)
{
    put(c, &n, sizeof n);
}

static void put_ids(struct cluster *c, const uint32_t *ids, size_t n)
{
    put_number(c, (int64_t)n);
    put(c, ids, n * sizeof *ids);
}

static void put_cmp(struct cluster *c, const struct cmp *k)
{
    put_number(c, k->op);
    put_number(c, k->op == CMP_NONE ? 0 : k->value);
}

static void put_nodeset(struct cluster *c, const struct nodeset_spec *s)
{
    put_number(c, s ? (int64_t)s->list.n : -1);
    if (!s)
        return;
    put_number(c, s->policy);
    put_number(c, s->attr);
    for (size_t i = 0; i < s->list.n; i++)
        put(c, s->list.v[i], strlen(s->list.v[i]) + 1);
}

static void put_def(struct cluster *c, const struct taskdef *d)
{
    int64_t numbers[] = {d->tpn, d->cls, d->os, d->arch, d->network, d->access,
        d->nodealloc, d->exactnode, d->exactproc};

    c->priv->key.n = 0;
    put(c, &d->per_task, sizeof d->per_task);
    put(c, numbers, sizeof numbers);
    put_cmp(c, &d->procs);
    put_cmp(c, &d->mem);
    put_cmp(c, &d->swap);
    put_cmp(c, &d->disk);
    put_ids(c, d->features.v, d->features.n);
    put_ids(c, d->prefs.v, d->prefs.n);
    put_ids(c, d->hosts.v, d->hosts.n);
    put_ids(c, d->exclude.v, d->exclude.n);
    put_number(c, (int64_t)d->gres.n);
    for (size_t i = 0; i < d->gres.n; i++) {
        put_number(c, d->gres.v[i].id);
        put_number(c, d->gres.v[i].count);
    }
    put_nodeset(c, d->nodeset);
}

/* ---- interning --------------------------------------------------------------- */

static const struct taskdef *add(struct cluster *c, const struct taskdef *draft)
{
    struct taskdef_entry *e = xcalloc(1, sizeof *e);
    size_t size = c->priv->key.n;

    e->key = xmalloc(size);
    memcpy(e->key, c->priv->key.v, size);
    e->def = xmalloc(sizeof *e->def);
    *e->def = taskdef_copy(draft);
    e->def->index = (uint32_t)c->taskdefs.n;
    vec_push(&c->taskdefs, e->def);
    HASH_ADD_KEYPTR(hh, c->priv->taskdefs, e->key, size, e);
    return e->def;
}

static int compare_gres(const void *a, const void *b)
{
    const struct gres *x = a, *y = b;
    return (x->id > y->id) - (x->id < y->id);
}

/* Queues repeat themselves: the definitions found last answer most questions without
 * hashing a few hundred bytes. */
static struct taskdef_entry *recall(const struct cluster_private *p)
{
    for (size_t i = 0; i < TASKDEFS_RECENT && p->recent[i]; i++)
        if (p->recent[i]->hh.keylen == p->key.n
            && memcmp(p->recent[i]->key, p->key.v, p->key.n) == 0)
            return p->recent[i];
    return NULL;
}

static void remember(struct cluster_private *p, struct taskdef_entry *e)
{
    memmove(p->recent + 1, p->recent, (TASKDEFS_RECENT - 1) * sizeof *p->recent);
    p->recent[0] = e;
}

const struct taskdef *taskdef_intern(struct cluster *c, struct taskdef *draft)
{
    struct taskdef_entry *e;

    ids_sort(draft->features.v, &draft->features.n);
    ids_sort(draft->prefs.v, &draft->prefs.n);
    ids_sort(draft->exclude.v, &draft->exclude.n);
    if (draft->gres.n > 1)
        qsort(draft->gres.v, draft->gres.n, sizeof *draft->gres.v, compare_gres);
    put_def(c, draft);
    e = recall(c->priv);
    if (e)
        return e->def;
    HASH_FIND(hh, c->priv->taskdefs, c->priv->key.v, c->priv->key.n, e);
    if (!e)
        return add(c, draft);
    remember(c->priv, e);
    return e->def;
}
