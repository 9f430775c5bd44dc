/* SPDX-License-Identifier: Apache-2.0
 * Nodes as rows. */
#include "base/xalloc.h"
#include "cluster/partition.h"
#include "server/render/render.h"
#include "server/server_private.h"
#include "server/timeline/private.h"
#include "server/timeline/timeline.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const by_names[ROWS_BYS] = {
    "partition", "state", "class", "feature", "frame"};

const char *rows_by_name(size_t by)
{
    return by < ROWS_BYS ? by_names[by] : NULL;
}

/* ---- groups ---- */

bool rows_node_serves(const struct node *n)
{
    return n->state == NODE_IDLE || n->state == NODE_RUNNING || n->state == NODE_BUSY;
}

/* What the jobs on it make of its state is no other state. */
static const char *state_group(const struct node *n)
{
    return rows_node_serves(n) ? "up" : node_state_name(n->state);
}

static void join_names(
    struct strbuf *out, const struct names *names, const uint32_t *ids, size_t n)
{
    for (size_t i = 0; i < n; i++)
        strbuf_printf(out, "%s%s", i ? "," : "", names_text(names, ids[i]));
}

static char *group_of(const struct cluster *c, const struct node *n, enum rows_by by)
{
    struct strbuf text = {0};

    switch (by) {
    case ROWS_BY_PARTITION:
    case ROWS_BYS:
        return xstrdup(c->partitions.v[n->partition]->name);
    case ROWS_BY_STATE:
        return xstrdup(state_group(n));
    case ROWS_BY_FEATURE:
        join_names(&text, c->features, n->features.v, n->features.n);
        break;
    case ROWS_BY_FRAME:
        if (n->frame >= 0)
            strbuf_printf(&text, "frame %lld", (long long)n->frame);
        break;
    case ROWS_BY_CLASS:
        for (size_t i = 0; i < n->classes.n; i++)
            strbuf_printf(&text, "%s%s", i ? "," : "",
                c->creds[CRED_CLASS].v[n->classes.v[i].cls]->name);
        break;
    }
    if (!text.len)
        strbuf_add(&text, by == ROWS_BY_CLASS   ? "(any class)"
                          : by == ROWS_BY_FRAME ? "(no frame)"
                                                : "(no feature)");
    return strbuf_take(&text);
}

/* ---- the order ---- */

struct placed {
    const struct node *n; /* of a group: the first one */
    char *group;          /* owned */
    uint32_t nodes;       /* of a group that is folded; 0: it is not */
    int64_t procs;
};

static const char *name_of(const struct placed *p)
{
    return p->nodes ? p->group : p->n->name;
}

static int compare_placed(const void *a, const void *b)
{
    const struct placed *x = a, *y = b;
    int order = strverscmp(x->group, y->group);

    if (order)
        return order;
    if (x->n->frame != y->n->frame)
        return x->n->frame < y->n->frame ? -1 : 1;
    if (x->n->frame >= 0 && x->n->slot != y->n->slot)
        return x->n->slot < y->n->slot ? -1 : 1;
    order = strverscmp(x->n->name, y->n->name);
    return order ? order : x->n->index < y->n->index ? -1 : 1;
}

/* ---- as JSON: runs of what is alike ---- */

/* "node007": its number, how many digits, and where they begin. */
struct counted_name {
    size_t prefix;
    int width;
    uint64_t number;
};

static struct counted_name split_name(const char *name)
{
    size_t len = strlen(name), from = len;

    while (
        from > 0 && name[from - 1] >= '0' && name[from - 1] <= '9' && len - from < 15)
        from--;
    return (struct counted_name){
        from, (int)(len - from), len > from ? strtoull(name + from, NULL, 10) : 0};
}

/* Is b the name that comes after a, `steps` later? */
static bool goes_on(const char *a, const char *b, uint64_t steps)
{
    struct counted_name x = split_name(a), y = split_name(b);

    return x.width && x.prefix == y.prefix && strncmp(a, b, x.prefix) == 0
           && y.number == x.number + steps
           && (y.width == x.width || (a[x.prefix] != '0' && b[y.prefix] != '0'));
}

static json_t *render_row_names(const struct placed *v, uint32_t n)
{
    json_t *list = json_array();
    uint32_t end;

    for (uint32_t i = 0; i < n; i = end) {
        const char *name = name_of(&v[i]);
        struct counted_name first = split_name(name);
        char prefix[256];
        for (end = i + 1; end < n && goes_on(name, name_of(&v[end]), end - i);)
            end++;
        if (end == i + 1) {
            json_array_append_new(list, render_utf8(name));
            continue;
        }
        snprintf(prefix, sizeof prefix, "%.*s", (int)first.prefix, name);
        json_array_append_new(
            list, json_pack("{s:o, s:I, s:i, s:I}", "prefix", render_utf8(prefix),
                      "from", (json_int_t)first.number, "width", first.width, "count",
                      (json_int_t)(end - i)));
    }
    return list;
}

static json_t *render_groups(const struct placed *v, uint32_t n)
{
    json_t *list = json_array();
    uint32_t end;

    for (uint32_t i = 0; i < n; i = end) {
        for (end = i + 1; end < n && strcmp(v[end].group, v[i].group) == 0;)
            end++;
        json_array_append_new(
            list, json_pack("{s:o, s:I, s:I}", "name", render_utf8(v[i].group), "first",
                      (json_int_t)i, "count", (json_int_t)(end - i)));
        if (v[i].nodes)
            json_object_set_new(json_array_get(list, json_array_size(list) - 1),
                "folded", json_integer(v[i].nodes));
    }
    return list;
}

/* In what is told of them. */
static bool is_alike(const struct placed *x, const struct placed *y, bool whole)
{
    const struct node *a = x->n, *b = y->n;

    if (x->procs != y->procs || x->nodes || y->nodes || a->partition != b->partition)
        return false;
    if (!whole)
        return true;
    return a->cfg.v[RES_MEM] == b->cfg.v[RES_MEM] && a->features.n == b->features.n
           && (!a->features.n
               || memcmp(a->features.v, b->features.v,
                      a->features.n * sizeof *a->features.v)
                      == 0);
}

static json_t *render_kinds(
    const struct cluster *c, const struct placed *v, uint32_t n, bool whole)
{
    json_t *list = json_array();
    uint32_t end;

    for (uint32_t i = 0; i < n; i = end) {
        const struct node *k = v[i].n;
        for (end = i + 1; end < n && is_alike(&v[end], &v[i], whole);)
            end++;
        json_t *o = json_pack("{s:I, s:I, s:I}", "first", (json_int_t)i, "count",
            (json_int_t)(end - i), "procs", (json_int_t)v[i].procs);
        if (!v[i].nodes)
            json_object_set_new(
                o, "partition", render_utf8(c->partitions.v[k->partition]->name));
        if (whole && !v[i].nodes) {
            render_int(o, "mem_mb", k->cfg.v[RES_MEM]);
            render_names(o, "features", c->features, k->features.v, k->features.n);
        }
        json_array_append_new(list, o);
    }
    return list;
}

static void make_tag(const char *text, char ret[ROWS_TAG])
{
    uint64_t hash = UINT64_C(14695981039346656037);

    for (const char *p = text; *p; p++)
        hash = (hash ^ (unsigned char)*p) * UINT64_C(1099511628211);
    snprintf(ret, ROWS_TAG, "%016lx", (unsigned long)hash);
}

/* The tag is of what is told: equal texts have equal ones, also of another life of the
 * daemon, and what is told to users is no other by what it leaves out. */
static void render_rows(
    const struct cluster *c, const struct placed *v, struct rows *r, bool whole)
{
    json_t *o = json_pack("{s:s, s:I, s:o, s:o, s:o}", "tag", "", "rows",
        (json_int_t)r->n, "names", render_row_names(v, r->n), "groups",
        render_groups(v, r->n), "kinds", render_kinds(c, v, r->n, whole));
    char *text = json_dumps(o, JSON_COMPACT | JSON_PRESERVE_ORDER);

    make_tag(text ? text : "", r->tag[whole]);
    free(text);
    render_text(o, "tag", r->tag[whole]);
    text = json_dumps(o, JSON_COMPACT | JSON_PRESERVE_ORDER);
    json_decref(o);
    r->text[whole] = text ? text : xstrdup("{}");
}

/* Is the group one of those, with '|' between them? */
static bool is_to_fold(const char *fold, const char *group)
{
    size_t len = strlen(group);

    if (strcmp(fold, "*") == 0)
        return true;
    for (const char *p = fold; *p; p += strcspn(p, "|"), p += *p == '|')
        if (strcspn(p, "|") == len && strncmp(p, group, len) == 0)
            return true;
    return false;
}

/* Those of groups that are folded become one; how many there are then. `first` as of
 * struct rows. */
static uint32_t fold_groups(
    struct placed *v, uint32_t n, const char *fold, uint32_t *first)
{
    uint32_t rows = 0, end;
    bool folds = false;

    for (uint32_t i = 0; i < n; i = end) {
        struct placed one = v[i];
        if (!rows || strcmp(v[rows - 1].group, one.group) != 0)
            folds = is_to_fold(fold, one.group); /* once of each group */
        for (end = i + 1; folds && end < n && strcmp(v[end].group, one.group) == 0;
             end++) {
            one.procs += v[end].procs;
            free(v[end].group);
        }
        one.nodes = folds ? end - i : 0;
        first[rows] = i;
        v[rows++] = one;
    }
    first[rows] = n;
    return rows;
}

static struct rows *make_rows(
    const struct cluster *c, enum rows_by by, const char *fold)
{
    struct rows *r = xcalloc(1, sizeof *r);
    struct placed *v = xcalloc(c->nodes.n + 1, sizeof *v);
    uint32_t nodes = 0;

    *r = (struct rows){.epoch = c->node_epoch,
        .config_epoch = c->config_epoch,
        .holders = 1,
        .by = by,
        .fold = xstrdup(fold)};
    for (uint32_t i = 0; i < c->nodes.n; i++) {
        const struct node *n = node_at(c, i);
        if (!n->global)
            v[nodes++] = (struct placed){n, group_of(c, n, by), 0, n->cfg.v[RES_PROCS]};
    }
    if (nodes)
        qsort(v, nodes, sizeof *v, compare_placed);
    r->node = xcalloc(nodes + 1, sizeof *r->node);
    r->first = xcalloc(nodes + 1, sizeof *r->first);
    for (uint32_t i = 0; i < nodes; i++)
        r->node[i] = v[i].n->index;
    r->n = fold_groups(v, nodes, fold, r->first);
    r->folded = xcalloc(r->n + 1, sizeof *r->folded);
    for (int whole = 0; whole < 2; whole++)
        render_rows(c, v, r, whole);
    for (uint32_t i = 0; i < r->n; i++) {
        r->folded[i] = v[i].nodes > 0;
        free(v[i].group);
    }
    free(v);
    return r;
}

/* Where those rows are kept, or are to be. */
static struct rows **find_kept(struct timeline *t, enum rows_by by, const char *fold)
{
    if (!*fold)
        return &t->rows[by];
    for (size_t i = 0; i < ROWS_FOLDED; i++)
        if (t->folded[i] && t->folded[i]->by == by
            && strcmp(t->folded[i]->fold, fold) == 0)
            return &t->folded[i];
    struct rows **at = &t->folded[t->next_folded++ % ROWS_FOLDED];
    rows_release(*at);
    *at = NULL;
    return at;
}

struct rows *rows_hold(struct server *s, enum rows_by by, const char *fold)
{
    const struct cluster *c = engine_cluster(s->engine);
    struct rows **at = find_kept(s->api.timeline, by, fold);

    if (*at
        && ((*at)->epoch != c->node_epoch || (*at)->config_epoch != c->config_epoch)) {
        rows_release(*at);
        *at = NULL;
    }
    if (!*at)
        *at = make_rows(c, by, fold);
    (*at)->holders++;
    return *at;
}

struct rows *rows_share(struct rows *r)
{
    r->holders++;
    return r;
}

void rows_release(struct rows *r)
{
    if (!r || --r->holders)
        return;
    free(r->text[0]);
    free(r->text[1]);
    free(r->node);
    free(r->first);
    free(r->folded);
    free(r->fold);
    free(r);
}
