/* SPDX-License-Identifier: Apache-2.0
 * Task definitions: one shared record for equal requests, found by a hash of its
 * contents. */
#include "base/hash.h"
#include "cluster/jobs/private.h"
#include "config/policies.h"

/* By their contents: open addressing, at most half full. */
struct taskdef_place {
    uint32_t hash;
    uint32_t index; /* in cluster.taskdefs; INDEX_NONE = free */
};
struct taskdef_table {
    struct taskdef_place *places; /* NULL before the first */
    uint32_t mask;                /* places - 1, a power of two */
};

void taskdefs_create(struct cluster *c)
{
    c->taskdef_table = xcalloc(1, sizeof *c->taskdef_table);
}

/* ---- copies ------------------------------------------------------------------ */

static struct nodeset_spec *nodeset_copy(const struct nodeset_spec *from)
{
    if (!from)
        return NULL;
    struct nodeset_spec *to = xcalloc(1, sizeof *to);
    to->policy = from->policy;
    to->attr = from->attr;
    to->always = from->always;
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
    list_copy(&d.job_gres, &def->job_gres);
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
    vec_fini(&draft->job_gres);
    vec_fini(&draft->features);
    vec_fini(&draft->prefs);
    vec_fini(&draft->hosts);
    vec_fini(&draft->exclude);
    nodeset_destroy(draft->nodeset);
    draft->nodeset = NULL;
}

void taskdefs_destroy(struct cluster *c)
{
    for (size_t i = 0; i < c->taskdefs.n; i++) {
        taskdef_fini(c->taskdefs.v[i]);
        free(c->taskdefs.v[i]);
    }
    vec_fini(&c->taskdefs);
    free(c->taskdef_table->places);
    free(c->taskdef_table);
}

/* ---- hash -------------------------------------------------------------------- */

static uint64_t mix_ids(uint64_t h, const uint32_t *ids, size_t n)
{
    h = hash_mix(h, n);
    for (size_t i = 0; i < n; i++)
        h = hash_mix(h, ids[i]);
    return h;
}

static uint64_t mix_cmp(uint64_t h, const struct cmp *k)
{
    return k->op == CMP_NONE ? h : hash_mix(hash_mix(h, k->op), (uint64_t)k->value);
}

static uint64_t mix_nodeset(uint64_t h, const struct nodeset_spec *s)
{
    if (!s)
        return h;
    h = hash_mix(hash_mix(hash_mix(h, s->policy), s->attr), s->list.n + s->always);
    for (size_t i = 0; i < s->list.n; i++)
        for (const char *p = s->list.v[i]; *p; p++)
            h = hash_mix(h, (unsigned char)*p);
    return h;
}

static uint64_t mix_gres(uint64_t h, const struct gres_amounts *list)
{
    h = hash_mix(h, list->n);
    for (size_t i = 0; i < list->n; i++)
        h = hash_mix(hash_mix(h, list->v[i].id), (uint64_t)list->v[i].count);
    return h;
}

static uint32_t hash_of(const struct taskdef *d)
{
    uint64_t h =
        hash_mix((uint64_t)d->tpn << 32 | d->cls, (uint64_t)d->os << 32 | d->arch);

    h = hash_mix(h, (uint64_t)d->network << 32 | (uint64_t)d->access << 16
                        | (uint64_t)d->sharing << 24 | (uint64_t)d->nodealloc << 8
                        | (uint64_t)d->exact << 2 | (uint64_t)d->exactnode << 1
                        | d->exactproc);
    for (int i = 0; i < RES_DIMS; i++)
        h = hash_mix(h, (uint64_t)d->per_task.v[i]);
    if (d->mem_per_node_mb)
        h = hash_mix(h, (uint64_t)d->mem_per_node_mb);
    h = mix_cmp(h, &d->procs);
    h = mix_cmp(h, &d->mem);
    h = mix_cmp(h, &d->swap);
    h = mix_cmp(h, &d->disk);
    h = mix_ids(h, d->features.v, d->features.n);
    h = mix_ids(h, d->prefs.v, d->prefs.n);
    h = mix_ids(h, d->hosts.v, d->hosts.n);
    h = mix_ids(h, d->exclude.v, d->exclude.n);
    h = mix_gres(mix_gres(h, &d->gres), &d->job_gres);
    return (uint32_t)mix_nodeset(h, d->nodeset);
}

/* ---- equality ---------------------------------------------------------------- */

static bool cmp_equal(const struct cmp *a, const struct cmp *b)
{
    return a->op == b->op && (a->op == CMP_NONE || a->value == b->value);
}

static bool gres_equal(const struct gres_amounts *a, const struct gres_amounts *b)
{
    if (a->n != b->n)
        return false;
    for (size_t i = 0; i < a->n; i++)
        if (a->v[i].id != b->v[i].id || a->v[i].count != b->v[i].count)
            return false;
    return true;
}

static bool nodeset_equal(const struct nodeset_spec *a, const struct nodeset_spec *b)
{
    if (!a || !b)
        return a == b;
    if (a->policy != b->policy || a->attr != b->attr || a->list.n != b->list.n
        || a->always != b->always)
        return false;
    for (size_t i = 0; i < a->list.n; i++)
        if (strcmp(a->list.v[i], b->list.v[i]) != 0)
            return false;
    return true;
}

#define lists_equal(a, b)                                                              \
    ((a)->n == (b)->n && (!(a)->n || !memcmp((a)->v, (b)->v, (a)->n * sizeof *(a)->v)))

static bool equal(const struct taskdef *a, const struct taskdef *b)
{
    for (int i = 0; i < RES_DIMS; i++)
        if (a->per_task.v[i] != b->per_task.v[i])
            return false;
    return a->mem_per_node_mb == b->mem_per_node_mb && a->cls == b->cls
           && a->access == b->access && a->sharing == b->sharing && a->tpn == b->tpn
           && a->os == b->os && a->arch == b->arch && a->network == b->network
           && a->nodealloc == b->nodealloc && a->exactnode == b->exactnode
           && a->exact == b->exact && a->exactproc == b->exactproc
           && cmp_equal(&a->procs, &b->procs) && cmp_equal(&a->mem, &b->mem)
           && cmp_equal(&a->swap, &b->swap) && cmp_equal(&a->disk, &b->disk)
           && lists_equal(&a->features, &b->features)
           && lists_equal(&a->prefs, &b->prefs) && lists_equal(&a->hosts, &b->hosts)
           && lists_equal(&a->exclude, &b->exclude) && gres_equal(&a->gres, &b->gres)
           && gres_equal(&a->job_gres, &b->job_gres)
           && nodeset_equal(a->nodeset, b->nodeset);
}

/* ---- interning --------------------------------------------------------------- */

/* The place of the definition, or the free one where it belongs. */
static struct taskdef_place *place_of(
    const struct cluster *c, const struct taskdef *d, uint32_t hash)
{
    const struct taskdef_table *t = c->taskdef_table;
    uint32_t i = hash & t->mask;

    while (
        t->places[i].index != INDEX_NONE
        && (t->places[i].hash != hash || !equal(c->taskdefs.v[t->places[i].index], d)))
        i = (i + 1) & t->mask;
    return &t->places[i];
}

/* Room for one more, with at most every other place taken. */
static void make_room(struct cluster *c)
{
    struct taskdef_table *t = c->taskdef_table;
    struct taskdef_place *old = t->places;
    uint32_t n = old ? t->mask + 1 : 0, size = n ? 2 * n : 64;

    if (2 * (c->taskdefs.n + 1) <= n)
        return;
    t->places = xmalloc(size * sizeof *t->places);
    memset(t->places, 0xff, size * sizeof *t->places); /* all INDEX_NONE */
    t->mask = size - 1;
    for (uint32_t i = 0; i < n; i++)
        if (old[i].index != INDEX_NONE)
            *place_of(c, c->taskdefs.v[old[i].index], old[i].hash) = old[i];
    free(old);
}

static bool takes_procs_only(const struct taskdef *d)
{
    for (int i = 0; i < RES_DIMS; i++)
        if (i == RES_PROCS ? d->per_task.v[i] <= 0 : d->per_task.v[i] != 0)
            return false;
    return d->mem_per_node_mb == 0 && d->gres.n == 0 && d->tpn <= 1
           && !taskdef_keeps_apart(d);
}

static struct taskdef *add(struct cluster *c, const struct taskdef *draft)
{
    struct taskdef *def = xmalloc(sizeof *def);

    *def = taskdef_copy(draft);
    def->index = (uint32_t)c->taskdefs.n;
    def->in_force = NULL; /* that of another one, if the draft is a copy */
    def->procs_only = takes_procs_only(def);
    vec_push(&c->taskdefs, def);
    return def;
}

static int compare_gres(const void *a, const void *b)
{
    const struct gres *x = a, *y = b;
    return (x->id > y->id) - (x->id < y->id);
}

const struct taskdef *taskdef_with_access(
    struct cluster *c, const struct taskdef *asked, struct taskdef *draft)
{
    if (draft->access == asked->access)
        return asked;
    struct taskdef *def = c->taskdefs.v[asked->index];
    if (!def->in_force || def->in_force->access != draft->access)
        def->in_force = taskdef_intern(c, draft);
    return def->in_force;
}

const struct taskdef *taskdef_intern(struct cluster *c, struct taskdef *draft)
{
    ids_sort(draft->features.v, &draft->features.n);
    ids_sort(draft->prefs.v, &draft->prefs.n);
    ids_sort(draft->exclude.v, &draft->exclude.n);
    if (draft->gres.n > 1)
        qsort(draft->gres.v, draft->gres.n, sizeof *draft->gres.v, compare_gres);
    if (draft->job_gres.n > 1)
        qsort(draft->job_gres.v, draft->job_gres.n, sizeof *draft->job_gres.v,
            compare_gres);
    make_room(c);
    uint32_t hash = hash_of(draft);
    struct taskdef_place *place = place_of(c, draft, hash);
    if (place->index == INDEX_NONE)
        *place = (struct taskdef_place){hash, add(c, draft)->index};
    return c->taskdefs.v[place->index];
}
