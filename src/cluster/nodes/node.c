/* SPDX-License-Identifier: Apache-2.0
 * Nodes as the resource manager reports them: checked, remembered, found. */
#include "cluster/nodes/private.h"
#include "cluster/rmset.h"
#include "config/config.h"
#include "config/settings.h"

/* Nodes live in chunks: few nodes take little memory, many are in large pages. */
#define NODE_CHUNK_FIRST 256
#define NODE_CHUNK       16384

void nodes_create(struct cluster *c)
{
    c->node_names = names_create();
    c->node_store = xcalloc(1, sizeof *c->node_store);
    folds_create(c);
}

static void told_fini(struct node_told *t)
{
    vec_fini(&t->features);
    vec_fini(&t->networks);
    vec_fini(&t->gres);
    vec_fini(&t->classes);
}

static struct node_told *told_keep(struct cluster *c, const struct node_told *t)
{
    struct node_told *kept = xmalloc(sizeof *kept);

    *kept = *t;
    kept->users = 1;
    kept->place = c->node_store->told.n;
    vec_push(&c->node_store->told, kept);
    return kept;
}

static void told_drop(struct cluster *c, struct node_told *t)
{
    struct node_told *last;

    if (!t || --t->users)
        return;
    last = c->node_store->told.v[--c->node_store->told.n];
    last->place = t->place;
    c->node_store->told.v[t->place] = last;
    told_fini(t);
    free(t);
}

static void lists_fini(struct node *n)
{
    vec_fini(&n->gres_cfg);
    vec_fini(&n->gres_ded);
    vec_fini(&n->features);
    vec_fini(&n->networks);
    vec_fini(&n->classes);
    vec_fini(&n->jobs);
}

/* Even an empty list has memory of its own, once something was in it. */
static bool owns_lists(const struct node *n)
{
    return n->gres_cfg.v || n->gres_ded.v || n->features.v || n->networks.v
           || n->classes.v || n->jobs.v;
}

void nodes_destroy(struct cluster *c)
{
    const struct bitset *listed = &c->node_store->listed;

    for (uint32_t i = bitset_next(listed, 0); i != BITSET_NONE;
         i = bitset_next(listed, i + 1))
        lists_fini(c->nodes.v[i]);
    bitset_fini(&c->node_store->listed);
    vec_fini(&c->nodes);
    for (size_t i = 0; i < c->node_store->chunks.n; i++)
        xfree_chunk(c->node_store->chunks.v[i].nodes,
            c->node_store->chunks.v[i].room * sizeof(struct node));
    vec_fini(&c->node_store->chunks);
    for (size_t i = 0; i < c->node_store->told.n; i++) {
        told_fini(c->node_store->told.v[i]);
        free(c->node_store->told.v[i]);
    }
    vec_fini(&c->node_store->told);
    folds_destroy(c);
    vec_fini(&c->node_store->gres_nodes);
    names_destroy(c->node_names);
    free(c->node_store);
}

struct node *node_find(const struct cluster *c, const char *name)
{
    uint32_t i = name ? names_find(c->node_names, name) : NAME_NONE;
    return i == NAME_NONE ? NULL : node_at(c, i);
}

/* ---- checks ------------------------------------------------------------------ */

static int list_check(const char *what, const char *const *list, struct err *err)
{
    for (; list && *list; list++)
        if (name_check(what, *list, err))
            return -1;
    return 0;
}

static int counts_check(
    const char *what, const struct gres_cfg *list, int64_t max, struct err *err)
{
    for (; list && list->name; list++) {
        if (name_check(what, list->name, err))
            return -1;
        if (amount_check("amount", list->count, 0, max, err))
            return err_prefix(err, "%s '%s': ", what, list->name);
    }
    return 0;
}

static int amounts_check(const struct res *r, struct err *err)
{
    static const char what[RES_DIMS][24] = {
        "number of processors", "memory in MB", "swap in MB", "disk in MB"};

    for (int i = 0; i < RES_DIMS; i++)
        if (r->v[i] > AMOUNT_MAX)
            return amount_check(what[i], r->v[i], -1, AMOUNT_MAX, err);
    return r->v[RES_PROCS] > INT32_MAX
               ? amount_check(what[0], r->v[RES_PROCS], 0, INT32_MAX, err)
               : 0;
}

static int numbers_check(const struct node_desc *d, struct err *err)
{
    if (!(d->speed >= 0 && d->speed <= 100))
        return err_set(err, ERR_INVALID, "speed is %g, expected 0.01 to 100", d->speed);
    if (d->measured && !(d->load >= 0 && d->load <= 1e9))
        return err_set(err, ERR_INVALID, "load is %g, expected 0 or more", d->load);
    if (amount_check("processor speed in MHz", d->procspeed_mhz, 0, INT32_MAX, err)
        || amount_check("frame", d->frame, 0, INT32_MAX, err)
        || amount_check("slot", d->slot, 0, INT32_MAX, err)
        || amount_check("number of slots", d->slots, 0, INT32_MAX, err)
        || amount_check("weight", d->weight, 0, UINT32_MAX, err)
        || amount_check("unshared", d->unshared, 0, INT32_MAX, err))
        return -1;
    return 0;
}

static int desc_check(const struct node_desc *d, struct err *err)
{
    if (amounts_check(&d->cfg, err) || numbers_check(d, err)
        || list_check("feature", d->features, err)
        || list_check("network", d->networks, err)
        || counts_check("generic resource", d->gres, AMOUNT_MAX, err)
        || counts_check("class", d->classes, INT32_MAX, err)
        || counts_check("class", d->class_procs, INT32_MAX, err))
        return -1;
    if (d->partition && name_check("partition", d->partition, err))
        return -1;
    return 0;
}

static int node_name_check(const char *name, struct err *err)
{
    static const char reserved[][8] = {"DEFAULT", "[ALL]", "[NONE]"};

    if (name_check("node", name, err))
        return -1;
    for (size_t i = 0; i < sizeof reserved / sizeof *reserved; i++)
        if (!strcmp(name, reserved[i]))
            return err_set(err, ERR_INVALID, "node name '%s' is reserved", name);
    return 0;
}

/* ---- what was told ----------------------------------------------------------- */

static struct node_told told_copy(const struct node_told *old)
{
    struct node_told t = {.cfg = {{-1, -1, -1, -1}},
        .partition = INDEX_NONE,
        .os = NAME_NONE,
        .arch = NAME_NONE};

    if (!old)
        return t;
    t = (struct node_told){.cfg = old->cfg,
        .partition = old->partition,
        .classes_told = old->classes_told,
        .os = old->os,
        .arch = old->arch,
        .speed = old->speed,
        .procspeed_mhz = old->procspeed_mhz,
        .frame = old->frame,
        .slot = old->slot,
        .slots = old->slots};
    vec_assign(&t.features, &old->features);
    vec_assign(&t.networks, &old->networks);
    vec_assign(&t.gres, &old->gres);
    vec_assign(&t.classes, &old->classes);
    return t;
}

#define same_list(a, b)                                                                \
    ((a)->n == (b)->n && (!(a)->n || !memcmp((a)->v, (b)->v, (a)->n * sizeof *(a)->v)))

static bool same_gres(const struct gres_amounts *a, const struct gres_amounts *b)
{
    if (a->n != b->n)
        return false;
    for (size_t i = 0; i < a->n; i++)
        if (a->v[i].id != b->v[i].id || a->v[i].count != b->v[i].count)
            return false;
    return true;
}

/* Neither is ever NaN. */
static bool same_number(double a, double b)
{
    return a <= b && a >= b;
}

static bool told_same(const struct node_told *a, const struct node_told *b)
{
    return !memcmp(&a->cfg, &b->cfg, sizeof a->cfg) && a->partition == b->partition
           && a->classes_told == b->classes_told && a->os == b->os && a->arch == b->arch
           && same_number(a->speed, b->speed) && a->procspeed_mhz == b->procspeed_mhz
           && a->frame == b->frame && a->slot == b->slot && a->slots == b->slots
           && a->weight == b->weight && a->unshared == b->unshared
           && same_list(&a->features, &b->features)
           && same_list(&a->networks, &b->networks) && same_gres(&a->gres, &b->gres)
           && same_list(&a->classes, &b->classes);
}

static void limit_class(struct node_told *t, uint32_t cls, int64_t procs)
{
    for (size_t i = 0; i < t->classes.n; i++)
        if (t->classes.v[i].cls == cls)
            t->classes.v[i].procs = (int32_t)procs;
}

static void told_lists(
    struct cluster *c, struct node_told *t, const struct node_desc *d)
{
    if (d->features) {
        t->features.n = 0;
        for (const char *const *f = d->features; *f; f++)
            vec_push(&t->features, names_intern(c->features, *f));
        ids_sort(t->features.v, &t->features.n);
    }
    if (d->networks) {
        t->networks.n = 0;
        for (const char *const *f = d->networks; *f; f++)
            vec_push(&t->networks, names_intern(c->networks, *f));
        ids_sort(t->networks.v, &t->networks.n);
    }
    if (d->gres) {
        t->gres.n = 0;
        for (const struct gres_cfg *g = d->gres; g->name; g++)
            gres_set(&t->gres, names_intern(c->gres, g->name), g->count);
    }
    if (d->classes) {
        t->classes.n = 0;
        t->classes_told = true;
        for (const struct gres_cfg *g = d->classes; g->name; g++)
            vec_push(&t->classes,
                ((struct node_class){
                    cred_get(c, CRED_CLASS, g->name)->index, (int32_t)g->count, 0, 0}));
        for (const struct gres_cfg *g = d->class_procs; g && g->name; g++)
            limit_class(t, cred_get(c, CRED_CLASS, g->name)->index, g->count);
    }
}

/* What is known after the description is added to what was known before. */
static struct node_told told_merge(
    struct cluster *c, const struct node_told *old, const struct node_desc *d)
{
    struct node_told t = told_copy(old);

    for (int i = 0; i < RES_DIMS; i++)
        if (d->cfg.v[i] >= 0)
            t.cfg.v[i] = d->cfg.v[i];
    told_lists(c, &t, d);
    if (d->os && *d->os)
        t.os = names_intern(c->oses, d->os);
    if (d->arch && *d->arch)
        t.arch = names_intern(c->arches, d->arch);
    if (d->speed > 0)
        t.speed = d->speed;
    if (d->procspeed_mhz > 0)
        t.procspeed_mhz = d->procspeed_mhz;
    if (d->frame > 0)
        t.frame = d->frame;
    if (d->slot > 0)
        t.slot = d->slot;
    if (d->slots > 0)
        t.slots = d->slots;
    t.weight = d->weight;
    t.unshared = d->unshared;
    return t;
}

/* A record of what was told, the same one as for the last node if that was told the
 * same. Takes over the lists. */
static struct node_told *told_share(struct cluster *c, struct node_told *t)
{
    struct node_told *last = c->node_store->told_last;

    if (last && told_same(last, t)) {
        told_fini(t);
    } else {
        told_drop(c, last);
        last = c->node_store->told_last = told_keep(c, t);
    }
    last->users++;
    return last;
}

/* ---- reports ----------------------------------------------------------------- */

static struct node *node_new(const struct cluster *c)
{
    struct node_store *p = c->node_store;

    if (p->chunk_left == 0) {
        size_t room = c->nodes.n ? NODE_CHUNK : NODE_CHUNK_FIRST;
        p->chunk_next = xcalloc_chunk(room * sizeof(struct node));
        p->chunk_left = room;
        vec_push(&p->chunks, ((struct node_chunk){p->chunk_next, room}));
    }
    p->chunk_left--;
    return p->chunk_next++;
}

/* A node in no partition's way yet: counted in DEFAULT with nothing configured. `like`
 * has its name and sections. */
static struct node *node_add(
    struct cluster *c, const struct node *like, enum node_state s)
{
    struct node *n = node_new(c);

    n->index = names_intern(c->node_names, like->name);
    assert(n->index == c->nodes.n);
    n->name = names_text(c->node_names, n->index);
    n->section = like->section;
    n->section_def = like->section_def;
    n->global = like->global;
    n->rm = like->rm;
    n->state = s;
    n->par = c->partitions.v[0]->par;
    n->speed = 1.0;
    n->os = n->arch = NAME_NONE;
    n->frame = n->slot = n->slots = -1;
    vec_push(&c->nodes, n);
    folds_reserve(c);
    if (n->global)
        c->global_node = n->index;
    partition_count_node(c, n, +1);
    return n;
}

/* The told partition is looked up here, because that may fail. */
static struct partition *find_partition(struct cluster *c, const struct node *n,
    struct node_told *t, const struct node_desc *d, struct err *err)
{
    struct partition *p;

    if (d->partition) {
        p = partition_for(c, d->partition, n->rm);
        t->partition = p ? p->index : INDEX_NONE;
    } else {
        p = node_choose_partition(c, n, t);
    }
    if (!p)
        err_set(err, ERR_INVALID,
            "node '%s': its partition%s%s cannot be made, expected a name other than "
            "[ALL] and at most %d partitions",
            d->name, d->partition ? " " : "", d->partition ? d->partition : "",
            PARTITIONS_MAX);
    return p;
}

static bool relieves(
    const struct cluster *c, const struct node *n, const struct node_desc *d)
{
    if (d->measured)
        node_unfold(c, n);
    bool less = d->load < n->load;
    for (int i = 0; i < RES_DIMS; i++)
        less |= d->util.v[i] < n->util.v[i];
    return d->measured && less;
}

static void take_report(struct cluster *c, struct node *n, const struct node_desc *d,
    struct node_told *t, uint32_t partition, int64_t now)
{
    struct node_told *before = n->told;

    n->told = told_share(c, t);
    bool same = before && (before == n->told || told_same(before, n->told));
    told_drop(c, before);
    if (!same) {
        node_build(c, n, partition);
        c->node_epoch++;
    }
    node_set_state(c, n, d->state, now);
    c->relief_epoch += relieves(c, n, d);
    if (d->measured)
        node_measure(c, n, d->load, &d->util);
}

/* What there is to know of a name before there is a node of it; nothing else of the
 * probe is set. */
static void node_probe(const struct cluster *c, const char *name, struct node *ret)
{
    ret->name = name;
    ret->rm = 0;
    ret->global = !strcmp(name, "GLOBAL");
    node_link_sections(c, ret);
}

int node_report(struct cluster *c, const struct node_desc *d, int64_t now,
    struct node **ret_node, struct err *err)
{
    struct node *n = node_find(c, d->name);

    if (node_name_check(d->name, err))
        return -1;
    if (!strcmp(d->name, "GLOBAL") && d->cfg.v[RES_PROCS] > 0)
        return err_set(err, ERR_INVALID,
            "node 'GLOBAL' is reserved for what floats: it has no processors");
    if (desc_check(d, err)) {
        err_prefix(err, "node '%s': ", d->name);
        return -1;
    }
    uint32_t rm = rmset_get(c, d->rm);
    if (n && n->rm != rm)
        return err_set(err, ERR_CONFLICT,
            "node '%s' is told by two resource managers as theirs", d->name);
    struct node probe;
    if (!n)
        node_probe(c, d->name, &probe);
    probe.rm = rm;
    struct node_told t = told_merge(c, n ? n->told : NULL, d);
    struct partition *p = find_partition(c, n ? n : &probe, &t, d, err);
    if (!p) {
        told_fini(&t);
        return -1;
    }
    if (!n) {
        n = node_add(c, &probe, d->state);
        n->state_at = now;
    }
    take_report(c, n, d, &t, p->index, now);
    n->gone = false;
    if (ret_node)
        *ret_node = n;
    return 0;
}

static bool is_partition_told(
    const struct cluster *c, const struct node *n, const char *name)
{
    return !name
           || (n->told->partition != INDEX_NONE
               && strcmp(c->partitions.v[n->told->partition]->name, name) == 0);
}

static bool is_measured_same(
    const struct cluster *c, const struct node *n, const struct node_desc *d)
{
    node_unfold(c, n);
    return same_number(n->load, d->load) && same_number(n->load_raised, 0)
           && !memcmp(&n->util, &d->util, sizeof n->util);
}

bool node_report_is_known(struct cluster *c, const struct node_desc *d)
{
    const struct node *n = d->more ? NULL : node_find(c, d->name);
    struct err err;

    if (!n || n->gone || !n->told || n->state != d->state || desc_check(d, &err)
        || n->rm != rmset_get(c, d->rm) || !is_partition_told(c, n, d->partition)
        || (d->measured && !is_measured_same(c, n, d)))
        return false;
    struct node_told t = told_merge(c, n->told, d);
    bool same = told_same(n->told, &t);
    told_fini(&t);
    return same;
}

/* ---- many alike --------------------------------------------------------------- */

static bool is_repeatable(const struct cluster *c, const struct node *n)
{
    size_t len = strlen(n->name);

    node_unfold(c, n); /* or a job on it were not in its list */
    return c->nodes.n == 1 && c->cfg->nodes.n == 1 && !n->global && !owns_lists(n)
           && len + 12 < NAME_MAX_BYTES && n->name[len - 1] >= '0'
           && n->name[len - 1] <= '9';
}

bool node_repeat(struct cluster *c, const struct node *n, uint32_t count)
{
    if (!is_repeatable(c, n))
        return false;
    names_append_row(c->node_names, n->name, count);
    c->node_store->row = *n;
    vec_push_zeros(&c->nodes, count);
    n->told->users += count;
    partition_count_node(c, n, (int)count);
    fold_repeat(c, n, count);
    c->node_epoch++;
    return true;
}

struct node *node_of_row(const struct cluster *c, uint32_t index)
{
    struct node *n = node_new(c);

    assert(index < c->nodes.n);
    *n = c->node_store->row;
    n->index = index;
    n->name = names_row_text(c->node_names, index);
    c->nodes.v[index] = n;
    return n;
}

/* ---- settings ---------------------------------------------------------------- */

/* GLOBAL comes into being with its section, or when a resource manager tells of it,
 * and stays, without resources, after it. */
static void configure_global(struct cluster *c)
{
    struct node probe;

    if (c->global_node != INDEX_NONE || !settings_find_node(c->cfg, "GLOBAL"))
        return;
    node_probe(c, "GLOBAL", &probe);
    node_add(c, &probe, NODE_IDLE);
}

void nodes_configure(struct cluster *c)
{
    configure_global(c);
    for (size_t i = 0; i < c->nodes.n; i++) {
        struct node *n = node_at(c, i);
        node_link_sections(c, n);
        struct partition *p = node_choose_partition(c, n, n->told);
        node_build(c, n, p ? p->index : n->partition); /* its own manager's */
        node_refresh_expected(c, n);
    }
    c->node_epoch++;
}

/* ---- comparing --------------------------------------------------------------- */

static bool same_classes(const struct node *a, const struct node *b)
{
    if (a->classes.n != b->classes.n)
        return false;
    for (size_t i = 0; i < a->classes.n; i++)
        if (a->classes.v[i].cls != b->classes.v[i].cls
            || a->classes.v[i].configured != b->classes.v[i].configured
            || a->classes.v[i].procs != b->classes.v[i].procs)
            return false;
    return true;
}

/* Limits that make what a node can take depend on more than its resources. */
static bool same_limits(const struct node *a, const struct node *b)
{
    return a->maxjob == b->maxjob && a->maxjob_per_user == b->maxjob_per_user
           && a->maxproc == b->maxproc && a->maxproc_per_user == b->maxproc_per_user
           && same_number(a->maxpe_per_job, b->maxpe_per_job)
           && same_number(a->maxload, b->maxload);
}

bool node_same_kind(const struct node *a, const struct node *b)
{
    return !a->global && !b->global && a->partition == b->partition
           && memcmp(&a->cfg, &b->cfg, sizeof a->cfg) == 0 && a->unshared == b->unshared
           && a->os == b->os && a->arch == b->arch
           && a->procspeed_mhz == b->procspeed_mhz && same_number(a->speed, b->speed)
           && same_list(&a->features, &b->features)
           && same_list(&a->networks, &b->networks)
           && same_gres(&a->gres_cfg, &b->gres_cfg) && same_classes(a, b)
           && same_limits(a, b);
}
