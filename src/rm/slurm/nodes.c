/* SPDX-License-Identifier: Apache-2.0
 * Nodes, partitions and licences: what changed of them is told. Partitions are classes;
 * licences are the floating resources of the node GLOBAL. */
#include "base/xalloc.h"
#include "config/texts.h"
#include "rm/slurm/adapter.h"

#include <stdio.h>
#include <string.h>

#define LICENCES_MS   5000
#define NODES_LOOK_MS 250  /* of nodes at ends */
#define PARTS_MS      2900 /* of partitions, whose changes are few */

struct lists {
    struct VEC(const char *) features;
    struct VEC(struct gres_cfg) gres, classes, class_procs;
    struct VEC(char *) owned;
};

static void lists_fini(struct lists *l)
{
    for (size_t i = 0; i < l->owned.n; i++)
        free(l->owned.v[i]);
    vec_fini(&l->owned);
    vec_fini(&l->features);
    vec_fini(&l->gres);
    vec_fini(&l->classes);
    vec_fini(&l->class_procs);
}

/* A copy whose separators become ends. */
static char *cut(struct lists *l, const char *text)
{
    char *copy = xstrdup(text ? text : "");

    vec_push(&l->owned, copy);
    return copy;
}

static void read_gres(struct adapter *a, struct lists *l, const char *text)
{
    struct gres_terms t = {0};

    gres_read(&t, text);
    for (size_t i = 0; i < t.n; i++) {
        vec_push(&l->gres, ((struct gres_cfg){.name = t.v[i].name,
                               .count = gres_for_jobs(a, t.v[i].name, t.v[i].count)}));
        gres_note(a, t.v[i].name, t.v[i].count);
        vec_push(&l->owned, t.v[i].name);
    }
    vec_fini(&t);
}

static void read_features(struct lists *l, const char *text)
{
    char *save = NULL;

    for (char *word = strtok_r(cut(l, text), ",", &save); word;
         word = strtok_r(NULL, ",", &save))
        vec_push(&l->features, word);
    vec_push(&l->features, NULL);
}

/* Processors of a node that jobs of the partition may have, of `all` that are counted
 * for the jobs of all partitions together; 0 = those. */
static int64_t most_in(const struct part *p, int64_t procs, int64_t all)
{
    int64_t most = p->procs_by_node;

    if ((p->forced || p->share > 1) && procs * p->share < all
        && (most == 0 || procs * p->share < most))
        most = procs * p->share;
    return most;
}

/* `all`: what the node's processors count for, with those of which several are. */
static void read_classes(const struct adapter *a, struct lists *l, const char *text,
    int64_t procs, int64_t all)
{
    char *save = NULL;

    for (char *word = strtok_r(cut(l, text), ",", &save); word;
         word = strtok_r(NULL, ",", &save)) {
        const struct part *p = part_find(a, word);

        if (p && p->open)
            vec_push(&l->classes, ((struct gres_cfg){.name = word, .count = all}));
        if (p && p->open && most_in(p, procs, all) > 0)
            vec_push(&l->class_procs,
                ((struct gres_cfg){.name = word, .count = most_in(p, procs, all)}));
    }
    if (l->classes.n == 0) /* an empty list would mean every class */
        vec_push(&l->classes, ((struct gres_cfg){.name = (char *)"NONE", .count = 1}));
    vec_push(&l->classes, ((struct gres_cfg){0}));
    vec_push(&l->class_procs, ((struct gres_cfg){0}));
}

static enum node_state state_of(const node_info_t *n)
{
    /* not MAINT: the reservation that says so keeps jobs off, for as long as it lasts,
     * but for its own */
    const uint32_t unusable = NODE_STATE_FAIL | NODE_STATE_REBOOT_REQUESTED
                              | NODE_STATE_REBOOT_ISSUED | NODE_STATE_POWERING_DOWN
                              | NODE_STATE_INVALID_REG;
    uint32_t base = n->node_state & NODE_STATE_BASE;
    bool busy = base == NODE_STATE_ALLOCATED || base == NODE_STATE_MIXED;

    if ((n->node_state & (NODE_STATE_CLOUD | NODE_STATE_POWERED_DOWN))
            == (NODE_STATE_CLOUD | NODE_STATE_POWERED_DOWN)
        && !(n->node_state & NODE_STATE_DRAIN))
        return base == NODE_STATE_DOWN ? NODE_DOWN : NODE_IDLE;
    if (base == NODE_STATE_DOWN || base == NODE_STATE_ERROR || base == NODE_STATE_FUTURE
        || n->node_state & unusable)
        return NODE_DOWN;
    /* After a restart of the controller nodes are unknown until it has heard of them or
     * gives them up. They count as there meanwhile, else all jobs would be put off for
     * want of nodes; what is started there too early is tried again. */
    if (n->node_state & NODE_STATE_DRAIN)
        return busy || n->node_state & NODE_STATE_COMPLETING ? NODE_DRAINING
                                                             : NODE_DRAINED;
    return busy ? NODE_RUNNING : NODE_IDLE;
}

/* What people see of one that takes no jobs: Slurm's words, and what somebody wrote, or
 * Slurm itself ("Not responding"). Owned; NULL = it takes jobs. */
static char *explain_node(const node_info_t *n, enum node_state state)
{
    static const struct {
        uint32_t flag;
        const char *word;
    } flags[] = {{NODE_STATE_DRAIN, "DRAIN"}, {NODE_STATE_FAIL, "FAIL"},
        {NODE_STATE_MAINT, "MAINT"}, {NODE_STATE_REBOOT_REQUESTED, "REBOOT"},
        {NODE_STATE_REBOOT_ISSUED, "REBOOT"},
        {NODE_STATE_POWERING_DOWN, "POWERING_DOWN"},
        {NODE_STATE_INVALID_REG, "INVALID_REG"}};
    bool reasoned = n->reason != NULL && *n->reason != '\0';
    struct strbuf text = {0};

    if (state == NODE_IDLE || state == NODE_RUNNING)
        return NULL;
    if ((n->node_state & NODE_STATE_BASE) == NODE_STATE_DOWN)
        strbuf_add(&text, "DOWN");
    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++)
        if (n->node_state & flags[i].flag)
            strbuf_printf(&text, "%s%s", text.len ? "+" : "", flags[i].word);
    char *all = strbuf_take(&text), *said;
    strbuf_printf(&text, "Slurm has it %s%s%s",
        all != NULL && *all ? all : "out of use", reasoned ? ": " : "",
        reasoned ? n->reason : "");
    said = strbuf_take(&text);
    free(all);
    return said;
}

static uint64_t digest_node(
    const struct adapter *a, const node_info_t *n, enum node_state state)
{
    uint64_t h = DIGEST_START;

    h = digest_bytes(h, &state, sizeof state);
    h = digest_bytes(h, &n->cpus, sizeof n->cpus);
    h = digest_bytes(h, &n->cpus_efctv, sizeof n->cpus_efctv);
    h = digest_bytes(h, &n->real_memory, sizeof n->real_memory);
    h = digest_bytes(h, &n->mem_spec_limit, sizeof n->mem_spec_limit);
    h = digest_bytes(h, &n->tmp_disk, sizeof n->tmp_disk);
    h = digest_bytes(h, &n->weight, sizeof n->weight);
    h = digest_text(h, n->features_act ? n->features_act : n->features);
    h = digest_text(h, n->gres);
    for (size_t i = 0; i < a->gres_uses.n; i++)
        if (a->gres_uses.v[i].count == 0)
            h = digest_text(h, a->gres_uses.v[i].name);
    h = digest_text(h, switches_leaf(a, n->name));
    if (state != NODE_IDLE && state != NODE_RUNNING) {
        h = digest_bytes(h, &n->node_state, sizeof n->node_state);
        h = digest_text(h, n->reason);
    }
    return digest_text(h, n->partitions);
}

/* Are its jobs all of one partition, and share? */
static bool is_forced_alone(const struct adapter *a, const char *partitions)
{
    const struct part *p = part_find(a, partitions);

    return p != NULL && p->forced && part_next(partitions) == NULL;
}

static int64_t procs_of(const node_info_t *n)
{
    return n->cpus_efctv && n->cpus_efctv != NO_VAL16 ? n->cpus_efctv : n->cpus;
}

static void tell(struct adapter *a, const node_info_t *n, enum node_state state)
{
    int64_t procs = procs_of(n);
    int64_t shares = procs * parts_share(a, n->partitions);
    struct rm_report r = {.kind = RM_NODE};
    struct node_desc *d = &r.u.node;
    const char *const networks[] = {switches_leaf(a, n->name), NULL};
    struct lists l = {0};
    char *said = explain_node(n, state);

    read_features(&l, n->features_act ? n->features_act : n->features);
    read_gres(a, &l, n->gres);
    vec_push(&l.gres, ((struct gres_cfg){0}));
    read_classes(a, &l, n->partitions, procs, shares);
    *d = (struct node_desc){.name = n->name,
        .state = state,
        .features = l.features.v,
        .networks = networks[0] != NULL ? networks : NULL,
        .gres = l.gres.v,
        .classes = l.classes.v,
        .class_procs = l.class_procs.v,
        .arch = n->arch,
        .said = said,
        .weight = n->weight};
    d->cfg.v[RES_PROCS] = shares;
    if (shares > procs && !is_forced_alone(a, n->partitions))
        d->unshared = procs;
    a->uneven |= a->most_procs > 0 && procs != a->most_procs;
    if (procs > a->most_procs)
        a->most_procs = procs;
    d->cfg.v[RES_MEM] = n->real_memory > n->mem_spec_limit
                            ? (int64_t)(n->real_memory - n->mem_spec_limit)
                            : 0;
    d->cfg.v[RES_DISK] = n->tmp_disk;
    d->cfg.v[RES_SWAP] = -1;
    adapter_report(a, &r);
    free(said);
    lists_fini(&l);
}

static struct told_node *find_or_add(struct adapter *a, const char *name)
{
    struct told_node *t;

    HASH_FIND_STR(a->nodes, name, t);
    if (t == NULL) {
        t = xcalloc(1, sizeof *t);
        t->name = xstrdup(name);
        HASH_ADD_KEYPTR(hh, a->nodes, t->name, strlen(t->name), t);
    }
    t->round = a->round;
    return t;
}

int64_t nodes_least_procs(const struct adapter *a, const char *const *names)
{
    int64_t least = INT64_MAX;

    for (; names != NULL && *names != NULL; names++) {
        struct told_node *t;

        HASH_FIND_STR(a->nodes, *names, t);
        if (t == NULL)
            return 0;
        if (t->procs < least)
            least = t->procs;
    }
    return least;
}

static void drop(struct adapter *a, struct told_node *t)
{
    HASH_DEL(a->nodes, t);
    free(t->features);
    free(t->partitions);
    free(t->gres);
    free(t->name);
    free(t);
}

static void tell_gone(struct adapter *a)
{
    struct told_node *t, *next;

    HASH_ITER(hh, a->nodes, t, next)
    {
        struct rm_report r = {.kind = RM_NODE_GONE, .u.name = t->name};

        if (t->round == a->round || strcmp(t->name, "GLOBAL") == 0)
            continue;
        adapter_report(a, &r);
        a->resized++;
        drop(a, t);
    }
}

/* What a node says of its partitions. */
static void note_node(struct adapter *a, const char *partitions)
{
    bool often = parts_share(a, partitions) > 1, mixed = part_next(partitions) != NULL;

    for (const char *at = partitions; at != NULL; at = part_next(at)) {
        struct part *p = NULL;

        HASH_FIND(hh, a->parts, at, strcspn(at, ","), p);
        if (p != NULL) {
            p->mixed |= mixed;
            p->counted_often |= often;
        }
    }
}

static void read_nodes(struct adapter *a, node_info_msg_t *msg, bool all)
{
    for (uint32_t i = 0; i < msg->record_count; i++) {
        const node_info_t *n = &msg->node_array[i];
        enum node_state state;
        struct told_node *t;
        uint64_t digest;

        if (n->name == NULL)
            continue;
        note_node(a, n->partitions);
        state = state_of(n);
        digest = digest_node(a, n, state);
        t = find_or_add(a, n->name);
        if (t->digest == digest && !all)
            continue;
        t->digest = digest;
        a->resized += t->procs != procs_of(n);
        t->procs = procs_of(n);
        a->resized += t->gres == NULL || strcmp(t->gres, n->gres ? n->gres : "") != 0;
        free(t->features);
        free(t->partitions);
        free(t->gres);
        t->gres = xstrdup(n->gres ? n->gres : "");
        t->partitions = xstrdup(n->partitions ? n->partitions : "");
        t->features = xstrdup(n->features_act ? n->features_act
                              : n->features   ? n->features
                                              : "");
        tell(a, n, state);
    }
    tell_gone(a);
}

/* ---- partitions ---- */

static void forget_parts(struct adapter *a)
{
    struct part *p, *next;

    HASH_ITER(hh, a->parts, p, next)
    {
        HASH_DEL(a->parts, p);
        free(p->name);
        free(p);
    }
}

static int64_t minutes(uint32_t m)
{
    if (m == INFINITE)
        return DURATION_UNLIMITED;
    return m == NO_VAL ? 0 : (int64_t)m * 60;
}

static int compare_tiers(const void *a, const void *b)
{
    return *(const uint16_t *)a - *(const uint16_t *)b;
}

/* Whatever the numbers are: 0 for the lowest tier, 1 for the next. */
static void rank_tiers(struct adapter *a)
{
    size_t n = 0;
    uint16_t *tiers = xcalloc(HASH_COUNT(a->parts) + 1, sizeof *tiers);

    for (struct part *p = a->parts; p != NULL; p = p->hh.next)
        tiers[n++] = p->tier;
    qsort(tiers, n, sizeof *tiers, compare_tiers);
    for (struct part *p = a->parts; p != NULL; p = p->hh.next)
        for (size_t i = 0; i < n && tiers[i] < p->tier; i++)
            p->rank += tiers[i] != tiers[i + 1];
    free(tiers);
}

static void read_parts(struct adapter *a, const partition_info_msg_t *msg)
{
    forget_parts(a);
    for (uint32_t i = 0; i < msg->record_count; i++) {
        const partition_info_t *in = &msg->partition_array[i];
        struct part *p = xcalloc(1, sizeof *p);

        p->name = xstrdup(in->name);
        p->max_s = minutes(in->max_time);
        p->default_s =
            in->default_time == NO_VAL ? p->max_s : minutes(in->default_time);
        p->exclusive = in->max_share == 0;
        if (in->max_cpus_per_node != 0 && in->max_cpus_per_node < NO_VAL)
            p->procs_by_node = in->max_cpus_per_node;
        p->tier = in->priority_tier;
        p->grace_s = in->grace_time < NO_VAL ? in->grace_time : 0;
        p->forced = in->max_share & SHARED_FORCE;
        p->share = in->max_share & ~SHARED_FORCE;
        if (p->share < 1)
            p->share = 1;
        p->over_s =
            in->over_time_limit == NO_VAL16 ? -1 : overtime_of(in->over_time_limit);
        p->open = in->state_up == PARTITION_UP || in->state_up == PARTITION_DRAIN;
        HASH_ADD_KEYPTR(hh, a->parts, p->name, strlen(p->name), p);
    }
    rank_tiers(a);
}

const struct part *part_find(const struct adapter *a, const char *list)
{
    struct part *p = NULL;

    if (list != NULL)
        HASH_FIND(hh, a->parts, list, strcspn(list, ","), p);
    return p;
}

int64_t overtime_of(uint16_t minutes)
{
    return minutes == INFINITE16 ? DURATION_UNLIMITED : (int64_t)minutes * 60;
}

int64_t part_overtime(const struct adapter *a, const struct part *p)
{
    return p != NULL && p->over_s >= 0 ? p->over_s : a->facts.over_s;
}

const char *part_next(const char *list)
{
    const char *comma = list != NULL ? strchr(list, ',') : NULL;

    return comma != NULL ? comma + 1 : NULL;
}

int64_t parts_rank(const struct adapter *a, const char *list)
{
    int64_t most = 0;

    for (; list != NULL; list = part_next(list)) {
        const struct part *p = part_find(a, list);
        most = p != NULL && p->rank > most ? p->rank : most;
    }
    return most;
}

int64_t parts_share(const struct adapter *a, const char *list)
{
    int64_t sum = 0;

    for (; list != NULL; list = part_next(list)) {
        const struct part *p = part_find(a, list);
        sum += p != NULL && p->share > 1 ? p->share : 0;
    }
    return sum > 1 ? sum : 1;
}

static bool shares_in(const struct part *p, bool wants)
{
    return p->forced || (p->share > 1 && wants);
}

/* As Slurm was seen to do. A job that shares is kept off nodes of jobs that do not; by
 * 22.05 one that does not share, off those with jobs of another partition whose
 * processors may be of several, and by 26.05 off none. */
static enum sharing sharing_in(const struct part *p, bool wants)
{
    if (!p->mixed && p->forced)
        return SHARING_NONE; /* all there share: nobody is kept off */
    if (shares_in(p, wants))
        return p->share > 1 ? SHARING_FORCED : SHARING_JOINS;
    return p->share > 1 && OWN_KEEP_OFF ? SHARING_STAYS : SHARING_NONE;
}

static bool any_stays(const struct adapter *a, const char *list, bool wants)
{
    for (; list != NULL; list = part_next(list)) {
        const struct part *p = part_find(a, list);
        if (p != NULL && sharing_in(p, wants) < SHARING_JOINS)
            return true;
    }
    return false;
}

bool parts_takes(
    const struct adapter *a, const char *list, bool wants, const struct part *p)
{
    return sharing_in(p, wants) < SHARING_JOINS || !any_stays(a, list, wants);
}

enum sharing parts_sharing(const struct adapter *a, const char *list, bool wants)
{
    enum sharing most = SHARING_NONE;
    const char *all = list;

    for (; list != NULL; list = part_next(list)) {
        const struct part *p = part_find(a, list);
        if (p != NULL && parts_takes(a, all, wants, p) && sharing_in(p, wants) > most)
            most = sharing_in(p, wants);
    }
    return most;
}

bool parts_count_often(const struct adapter *a, const char *list)
{
    bool often = false;

    for (; list != NULL; list = part_next(list)) {
        const struct part *p = part_find(a, list);
        often |= p != NULL && p->counted_often;
    }
    return often;
}

int64_t parts_job_share(const struct adapter *a, const char *list, bool wants)
{
    int64_t most = 1;
    const char *all = list;

    for (; list != NULL; list = part_next(list)) {
        const struct part *p = part_find(a, list);
        if (p != NULL && parts_takes(a, all, wants, p) && shares_in(p, wants)
            && p->share > most)
            most = p->share;
    }
    return most;
}

uint32_t parts_open(const struct adapter *a, const char *list)
{
    uint32_t n = 0;

    for (; list != NULL; list = part_next(list)) {
        const struct part *p = part_find(a, list);
        n += p != NULL && p->open;
    }
    return n;
}

/* ---- licences ---- */

static void forget_licences(struct adapter *a)
{
    for (size_t i = 0; i < a->licences.n; i++)
        free(a->licences.v[i]);
    vec_fini(&a->licences);
    a->licences_digest = 0;
    a->licences_at_ms = 0;
}

static int poll_licences(struct adapter *a)
{
    license_info_msg_t *msg = NULL;
    struct rm_report r = {.kind = RM_NODE};
    struct VEC(struct gres_cfg) gres = {0};
    uint64_t digest = DIGEST_START;

    if (adapter_now_ms() - a->licences_at_ms < LICENCES_MS)
        return 0;
    a->licences_at_ms = adapter_now_ms();
    if (slurm_load_licenses(0, &msg, 0) != SLURM_SUCCESS)
        return errno != SLURM_NO_CHANGE_IN_DATA && adapter_lost(a, "licences") ? -1 : 0;
    for (uint32_t i = 0; i < msg->num_lic; i++) {
        const slurm_license_info_t *l = &msg->lic_array[i];

        digest = digest_text(digest, l->name);
        digest = digest_bytes(digest, &l->total, sizeof l->total);
        vec_push(&gres, ((struct gres_cfg){.name = l->name, .count = l->total}));
    }
    vec_push(&gres, ((struct gres_cfg){0}));
    r.u.node = (struct node_desc){.name = "GLOBAL", .state = NODE_IDLE, .gres = gres.v};
    if (gres.n > 1 && digest != a->licences_digest) {
        find_or_add(a, "GLOBAL");
        adapter_report(a, &r);
        forget_licences(a);
        a->licences_at_ms = adapter_now_ms();
        for (size_t i = 0; i + 1 < gres.n; i++)
            vec_push(&a->licences, xstrdup(gres.v[i].name));
    }
    a->licences_digest = digest;
    vec_fini(&gres);
    slurm_free_license_info_msg(msg);
    return 0;
}

/* ---- all ---- */

static int poll_parts(struct adapter *a, bool *ret_changed)
{
    partition_info_msg_t *parts = NULL;

    *ret_changed = false;
    if (a->parts != NULL && adapter_now_ms() - a->parts_read_ms < PARTS_MS)
        return 0;
    a->parts_read_ms = adapter_now_ms();
    if (slurm_load_partitions(a->parts_at, &parts, SHOW_ALL | SHOW_LOCAL)
        != SLURM_SUCCESS) {
        if (errno == SLURM_NO_CHANGE_IN_DATA)
            return 0;
        adapter_lost(a, "partitions");
        return -1;
    }
    a->parts_at = parts->last_update;
    read_parts(a, parts);
    switches_read(a);
    slurm_free_partition_info_msg(a->parts_read);
    a->parts_read = parts;
    a->jobs_at = 0; /* whether they may start depends on it */
    *ret_changed = true;
    return 0;
}

/* parts_changed: the partitions of nodes are not what was told. */
static int look_at_nodes(struct adapter *a, bool parts_changed)
{
    node_info_msg_t *nodes = NULL;

    a->nodes_read_ms = adapter_now_ms();
    if (slurm_load_node(parts_changed ? 0 : a->nodes_at, &nodes,
            SHOW_ALL | SHOW_DETAIL | SHOW_MIXED | SHOW_LOCAL)
        != SLURM_SUCCESS) {
        if (errno == SLURM_NO_CHANGE_IN_DATA)
            return 0;
        adapter_lost(a, "nodes");
        return -1;
    }
    a->nodes_at = nodes->last_update;
    if (a->parts_read != NULL)
        slurm_populate_node_partitions(nodes, a->parts_read);
    read_nodes(a, nodes, parts_changed && a->told_all);
    slurm_free_node_info_msg(nodes);
    return 0;
}

int nodes_poll(struct adapter *a)
{
    bool parts_changed;

    if (poll_parts(a, &parts_changed) < 0 || look_at_nodes(a, parts_changed) < 0)
        return -1;
    return poll_licences(a);
}

int nodes_look(struct adapter *a)
{
    if (a->parts == NULL) /* forgotten: nodes would be told as of no partition */
        return nodes_poll(a);
    if (adapter_now_ms() - a->nodes_read_ms < NODES_LOOK_MS)
        return 0;
    return look_at_nodes(a, false) < 0 ? -1 : reservations_poll(a);
}

void adapter_forget_nodes(struct adapter *a)
{
    struct told_node *t, *next;

    HASH_ITER(hh, a->nodes, t, next)
    drop(a, t);
    forget_parts(a);
    switches_forget(a);
    slurm_free_partition_info_msg(a->parts_read);
    a->parts_read = NULL;
    a->nodes_at = a->parts_at = 0;
    a->nodes_read_ms = a->parts_read_ms = 0;
    forget_licences(a);
    gres_forget(a);
}

bool licence_known(const struct adapter *a, const char *name)
{
    for (size_t i = 0; i < a->licences.n; i++)
        if (strcmp(a->licences.v[i], name) == 0)
            return true;
    return false;
}
