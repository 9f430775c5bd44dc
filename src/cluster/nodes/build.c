/* SPDX-License-Identifier: Apache-2.0
 * A node's attributes, made from three sources: what the RM tells, what its feature
 * names mean (FEATURE*HEADER), and NODECFG; in that order of precedence.
 * Source: reference node-allocation 5. */
#include "cluster/nodes/private.h"
#include "config/config.h"
#include "config/settings.h"

static const struct node_cfg no_section = {
    .procspeed_mhz = -1,
    .charge_rate = -1,
    .frame = -1,
    .slot = -1,
    .size = -1,
    .maxjob = -1,
    .maxjob_per_user = -1,
    .maxproc = -1,
    .maxproc_per_user = -1,
    .cfg_procs = -1,
    .cfg_mem_mb = -1,
    .cfg_swap_mb = -1,
    .cfg_disk_mb = -1,
    .ra_disk_mb = -1,
};

static const struct node_cfg *section(const struct cluster *c, const char *name)
{
    const struct node_cfg *found = settings_find_node(c->cfg, name);
    return found ? found : &no_section;
}

void node_link_sections(const struct cluster *c, struct node *n)
{
    n->section = section(c, n->name);
    n->section_def = n->global ? &no_section : section(c, "DEFAULT");
}

static int compare_ids(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

void ids_sort(uint32_t *ids, size_t *n)
{
    size_t kept = 0;

    if (*n > 1)
        qsort(ids, *n, sizeof *ids, compare_ids);
    for (size_t i = 0; i < *n; i++)
        if (!kept || ids[kept - 1] != ids[i])
            ids[kept++] = ids[i];
    *n = kept;
}

/* ---- feature headers --------------------------------------------------------- */

/* The value behind `header` in a feature, or NULL. A header that ends in '$' takes
 * only numbers. */
static const char *header_value(const char *header, const char *feature)
{
    size_t len = header ? strlen(header) : 0;
    bool number = len && header[len - 1] == '$';

    len -= number;
    if (!len || strncmp(feature, header, len) != 0 || !feature[len])
        return NULL;
    const char *value = feature + len;
    if (number && value[strspn(value, "0123456789")])
        return NULL;
    return value;
}

/* The value that the node's told features give for a header, or NULL. */
static const char *translate(
    const struct cluster *c, const struct node_told *t, const char *header)
{
    for (size_t i = 0; header && t && i < t->features.n; i++) {
        const char *value =
            header_value(header, names_text(c->features, t->features.v[i]));
        if (value)
            return value;
    }
    return NULL;
}

/* ---- single attributes ------------------------------------------------------- */

/* The first of three that is set (> 0), else `none`. */
static int64_t first_set(int64_t a, int64_t b, int64_t d, int64_t none)
{
    return a > 0 ? a : b > 0 ? b : d > 0 ? d : none;
}

/* The first of two limits that is set (>= 0), else -1 = none. */
static int64_t limit_of(int64_t own, int64_t def)
{
    return own >= 0 ? own : def >= 0 ? def : -1;
}

struct partition *node_choose_partition(
    struct cluster *c, const struct node *n, const struct node_told *t)
{
    if (t && t->partition != INDEX_NONE)
        return c->partitions.v[t->partition];
    const char *name = translate(c, t, c->cfg->feature_partition_header);
    if (!name)
        name = n->section->partition;
    if (!name)
        name = n->section_def->partition;
    return partition_for(c, name, n->rm);
}

static int64_t overcommitted(int64_t amount, double factor)
{
    if (factor <= 0)
        return amount;
    double more = (double)amount * factor;
    return more < (double)AMOUNT_MAX ? (int64_t)(more + 1e-6) : AMOUNT_MAX;
}

static void build_amounts(const struct cluster *c, struct node *n)
{
    const struct node_cfg *own = n->section, *def = n->section_def;
    const struct res *told = &n->told->cfg;
    double cpu = c->cfg->node_cpu_overcommit, mem = c->cfg->node_mem_overcommit;
    int64_t unknown = told->v[RES_PROCS] < 0 ? 1 : 0;

    n->cfg.v[RES_PROCS] = overcommitted(
        first_set(told->v[RES_PROCS], own->cfg_procs, def->cfg_procs, unknown), cpu);
    n->cfg.v[RES_MEM] = overcommitted(
        first_set(told->v[RES_MEM], own->cfg_mem_mb, def->cfg_mem_mb, 0), mem);
    n->cfg.v[RES_SWAP] = overcommitted(
        first_set(told->v[RES_SWAP], own->cfg_swap_mb, def->cfg_swap_mb, 0), mem);
    n->unshared = n->told->unshared;
    n->cfg.v[RES_DISK] =
        first_set(told->v[RES_DISK], own->cfg_disk_mb, def->cfg_disk_mb, 0);
}

static int64_t feature_procspeed(const struct cluster *c, const struct node *n)
{
    const char *text = translate(c, n->told, c->cfg->feature_procspeed_header);
    int64_t mhz = 0;

    for (; text && *text >= '0' && *text <= '9' && mhz < INT32_MAX; text++)
        mhz = 10 * mhz + (*text - '0');
    return mhz;
}

static void build_place(const struct cluster *c, struct node *n)
{
    const struct node_cfg *own = n->section, *def = n->section_def;
    const struct node_told *t = n->told;
    int64_t mhz = feature_procspeed(c, n);

    n->os = t->os;
    n->arch = t->arch;
    n->speed = t->speed > 0     ? t->speed
               : own->speed > 0 ? own->speed
               : def->speed > 0 ? def->speed
                                : 1.0;
    n->charge_rate = own->charge_rate >= 0   ? own->charge_rate
                     : def->charge_rate >= 0 ? def->charge_rate
                                             : PRICE_ONE;
    n->procspeed_mhz = first_set(
        t->procspeed_mhz, mhz ? mhz : own->procspeed_mhz, def->procspeed_mhz, 0);
    n->frame = first_set(t->frame, own->frame, def->frame, -1);
    n->slot = first_set(t->slot, own->slot, def->slot, -1);
    n->slots = first_set(t->slots, own->size, def->size, -1);
}

static void build_policy(struct cluster *c, struct node *n)
{
    const struct node_cfg *own = n->section, *def = n->section_def;
    const char *type = translate(c, n->told, c->cfg->feature_nodetype_header);

    type = type ? type : own->nodetype ? own->nodetype : def->nodetype;
    n->nodetype = names_intern(c->nodetypes, type ? type : "DEFAULT");
    n->maxjob = limit_of(own->maxjob, def->maxjob);
    n->maxjob_per_user = limit_of(own->maxjob_per_user, def->maxjob_per_user);
    n->maxproc = limit_of(own->maxproc, def->maxproc);
    n->maxproc_per_user = limit_of(own->maxproc_per_user, def->maxproc_per_user);
    n->maxpe_per_job = own->maxpe_per_job > 0 ? own->maxpe_per_job : def->maxpe_per_job;
    n->maxload = own->maxload > 0   ? own->maxload
                 : def->maxload > 0 ? def->maxload
                                    : c->cfg->node_maxload;
    n->priority = own->priority_set   ? own->priority
                  : def->priority_set ? def->priority
                                      : -n->told->weight;
    n->priorityf = own->priorityf.set   ? &own->priorityf
                   : def->priorityf.set ? &def->priorityf
                                        : NULL;
}

/* ---- lists ------------------------------------------------------------------- */

static void build_features(struct cluster *c, struct node *n)
{
    const struct node_cfg *from = n->section->features.n ? n->section : n->section_def;

    vec_assign(&n->features, &n->told->features);
    for (size_t i = 0; i < from->features.n; i++)
        vec_push(&n->features, names_intern(c->features, from->features.v[i]));
    ids_sort(n->features.v, &n->features.n);
}

static void build_networks(struct cluster *c, struct node *n)
{
    const struct node_cfg *from = n->section->networks.n ? n->section : n->section_def;

    vec_assign(&n->networks, &n->told->networks);
    for (size_t i = 0; !n->networks.n && i < from->networks.n; i++)
        vec_push(&n->networks, names_intern(c->networks, from->networks.v[i]));
    ids_sort(n->networks.v, &n->networks.n);
}

/* NODECFG's generic resources, and over them what the RM told. */
static void build_gres(struct cluster *c, struct node *n)
{
    const struct node_cfg *from = n->section->gres.n ? n->section : n->section_def;
    struct gres_amounts all = {0};

    for (size_t i = 0; i < from->gres.n; i++)
        gres_set(
            &all, names_intern(c->gres, from->gres.v[i].name), from->gres.v[i].count);
    for (size_t i = 0; n->told && i < n->told->gres.n; i++)
        gres_set(&all, n->told->gres.v[i].id, n->told->gres.v[i].count);
    vec_assign(&n->gres_cfg, &all);
    vec_assign(&n->gres_ded, &all);
    for (size_t i = 0; i < n->gres_ded.n; i++)
        n->gres_ded.v[i].count = 0;
    vec_fini(&all);
}

static void add_class(struct node *n, uint32_t cls, int64_t count, int32_t most)
{
    int64_t procs = n->cfg.v[RES_PROCS];
    struct node_class k = {cls, (int32_t)(count > 0 ? count : procs), 0, most};

    for (size_t i = 0; i < n->classes.n; i++)
        if (n->classes.v[i].cls == cls)
            return;
    vec_push(&n->classes, k);
}

static void build_classes(struct cluster *c, struct node *n)
{
    const struct node_told *t = n->told;

    n->classes.n = 0;
    for (size_t i = 0; i < t->classes.n; i++)
        add_class(
            n, t->classes.v[i].cls, t->classes.v[i].configured, t->classes.v[i].procs);
    for (size_t i = 0; !t->classes_told && i < c->cfg->default_classes.n; i++) {
        const struct gres_cfg *d = &c->cfg->default_classes.v[i];
        add_class(n, cred_get(c, CRED_CLASS, d->name)->index, d->count, 0);
    }
}

/* ---- nodes in a row --- */

/* The node before, if it was told the same and neither has a section or list of its
 * own: then both come out the same. NULL = it has to be worked out. */
static const struct node *twin_of(const struct cluster *c, const struct node *n)
{
    const struct node *twin = n->index > 0 ? node_at(c, n->index - 1) : NULL;

    if (!twin || n->global || twin->global || twin->told != n->told
        || n->section != &no_section || twin->section != &no_section
        || twin->partition != n->partition)
        return NULL;
    if (twin->features.n || twin->networks.n || twin->classes.n || twin->gres_cfg.n)
        return NULL;
    return twin;
}

/* The amounts, place and policy of the node before, and no lists. */
static void build_as(struct node *n, const struct node *twin)
{
    n->cfg = twin->cfg;
    n->unshared = twin->unshared;
    n->os = twin->os;
    n->arch = twin->arch;
    n->nodetype = twin->nodetype;
    n->speed = twin->speed;
    n->charge_rate = twin->charge_rate;
    n->procspeed_mhz = twin->procspeed_mhz;
    n->frame = twin->frame;
    n->slot = twin->slot;
    n->slots = twin->slots;
    n->maxjob = twin->maxjob;
    n->maxjob_per_user = twin->maxjob_per_user;
    n->maxproc = twin->maxproc;
    n->maxproc_per_user = twin->maxproc_per_user;
    n->maxpe_per_job = twin->maxpe_per_job;
    n->maxload = twin->maxload;
    n->priority = twin->priority;
    n->priorityf = twin->priorityf;
    n->features.n = n->networks.n = n->classes.n = 0;
    n->gres_cfg.n = n->gres_ded.n = 0;
}

/* ---- all of it --------------------------------------------------------------- */

/* Keep the largest amount of any one node; `old` = what this node had. */
static void follow_largest(
    struct cluster *c, const struct node *n, const struct res *old)
{
    struct res *largest = &c->cfg_largest;

    for (int d = 0; d < RES_DIMS; d++) {
        if (n->cfg.v[d] < old->v[d] && old->v[d] == largest->v[d]) {
            largest->v[d] = 0;
            for (size_t i = 0; i < c->nodes.n; i++)
                if (node_at(c, i)->cfg.v[d] > largest->v[d])
                    largest->v[d] = node_at(c, i)->cfg.v[d];
        } else if (n->cfg.v[d] > largest->v[d]) {
            largest->v[d] = n->cfg.v[d];
        }
    }
}

static void note_shrunk(struct cluster *c, struct node *n)
{
    struct res ded = node_dedicated(c, n);

    n->shrunk = false;
    for (int d = 0; d < RES_DIMS; d++)
        n->shrunk |= ded.v[d] > n->cfg.v[d];
    for (size_t i = 0; i < n->gres_ded.n; i++)
        n->shrunk |= n->gres_ded.v[i].count > n->gres_cfg.v[i].count;
    for (size_t i = 0; i < n->classes.n; i++)
        n->shrunk |= n->classes.v[i].dedicated > n->classes.v[i].configured;
}

static bool has_procs_only(const struct cluster *c, const struct node *n)
{
    return !n->global && n->classes.n == 0 && n->maxjob < 0 && n->maxjob_per_user < 0
           && n->maxproc < 0 && n->maxproc_per_user < 0 && n->maxpe_per_job <= 0
           && n->maxload <= 0 && c->cfg->node_maxload <= 0 && n->unshared == 0
           && n->section->maxproc_class.n == 0 && n->section_def->maxproc_class.n == 0
           && n->par->avail[AVAIL_PROCS] != AVAIL_UTILIZED;
}

void node_build(struct cluster *c, struct node *n, uint32_t partition)
{
    struct res old = n->cfg;

    node_unfold(c, n);
    partition_count_node(c, n, -1);
    bool floats = gres_count_node(c, n, -1);
    n->partition = partition;
    n->par = c->partitions.v[partition]->par;
    const struct node *twin = twin_of(c, n);
    if (twin) {
        build_as(n, twin);
    } else if (!n->global) {
        build_amounts(c, n);
        build_place(c, n);
        build_policy(c, n);
        build_features(c, n);
        build_networks(c, n);
        build_classes(c, n);
    }
    if (!twin) {
        build_gres(c, n);
        bitset_set(&c->node_store->listed, n->index);
    }
    partition_count_node(c, n, +1);
    floats |= gres_count_node(c, n, +1);
    follow_largest(c, n, &old);
    n->procs_only = has_procs_only(c, n);
    node_recount(c, n);
    fold_compare(c, n);
    if (floats || n->global)
        gres_recount(c);
    note_shrunk(c, n);
}
