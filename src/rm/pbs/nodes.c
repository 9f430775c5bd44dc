/* SPDX-License-Identifier: Apache-2.0
 * pbsnodes, in both dialects. */
#include "base/xalloc.h"
#include "config/texts.h"
#include "rm/pbs/answers.h"

#include <inttypes.h>
#include <stdio.h>
#include <strings.h>

/* What a node has, while it is read. */
struct lists {
    struct VEC(const char *) features;
    struct VEC(struct gres_cfg) gres;
};

/* By weight: the first that is among its words counts. `up`: jobs may be on it. */
enum node_state pbs_node_state(const char *text, bool has_jobs)
{
    static const struct {
        const char *word;
        enum node_state state;
    } rows[] = {{"down", NODE_DOWN}, {"unknown", NODE_DOWN},
        {"state-unknown", NODE_DOWN}, {"stale", NODE_DOWN},
        {"MOM-list-not-sent", NODE_DOWN}, {"offline", NODE_DRAINED},
        {"maintenance", NODE_DRAINED}, {"provisioning", NODE_DRAINED},
        {"wait-provisioning", NODE_DRAINED}, {"sleep", NODE_DRAINED},
        {"reserve", NODE_BUSY}, {"resv-exclusive", NODE_BUSY},
        {"job-exclusive", NODE_BUSY}, {"job-busy", NODE_BUSY}, {"busy", NODE_BUSY},
        {"job-sharing", NODE_RUNNING}, {"free", NODE_IDLE}, {"time-shared", NODE_IDLE}};

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        for (const char *p = text; *p; p += strcspn(p, ", "), p += strspn(p, ", ")) {
            size_t n = strcspn(p, ", ");

            if (n != strlen(rows[i].word) || strncasecmp(p, rows[i].word, n) != 0)
                continue;
            if (rows[i].state == NODE_DRAINED && has_jobs)
                return NODE_DRAINING;
            if (rows[i].state == NODE_BUSY || rows[i].state == NODE_IDLE)
                return has_jobs ? NODE_RUNNING
                       : rows[i].state == NODE_BUSY
                               && strchr(rows[i].word, 'r') == rows[i].word
                           ? NODE_BUSY
                           : NODE_IDLE;
            return rows[i].state;
        }
    return NODE_UNKNOWN;
}

static const char *text_of(struct pbs_answer *a, const json_t *v)
{
    if (json_is_string(v))
        return json_string_value(v);
    if (json_is_integer(v))
        return arena_printf(&a->arena, "%" JSON_INTEGER_FORMAT, json_integer_value(v));
    return NULL;
}

static void add_words(
    struct pbs_answer *a, struct lists *l, const char *name, const char *text)
{
    for (const char *p = text; *p; p += strcspn(p, ","), p += *p == ',') {
        int n = (int)strcspn(p, ",");

        if (n > 0)
            vec_push(&l->features, name != NULL
                                       ? arena_printf(&a->arena, "%s.%.*s", name, n, p)
                                       : arena_text(&a->arena, p, (size_t)n));
    }
}

static void take_lists(struct pbs_answer *a, struct pbs_node *n, struct lists *l)
{
    const char **features;
    struct gres_cfg *gres;

    vec_push(&l->features, NULL);
    vec_push(&l->gres, ((struct gres_cfg){0}));
    features = arena_take(&a->arena, l->features.n, sizeof *features);
    memcpy(features, l->features.v, l->features.n * sizeof *features);
    gres = arena_take(&a->arena, l->gres.n, sizeof *gres);
    memcpy(gres, l->gres.v, l->gres.n * sizeof *gres);
    n->desc.features = features;
    n->desc.gres = gres;
    vec_fini(&l->features);
    vec_fini(&l->gres);
}

/* What people see of one that takes no jobs: PBS's word, and what somebody wrote. */
static const char *say_why(struct pbs_answer *a, const struct pbs_node *n)
{
    bool commented = n->comment != NULL && *n->comment != '\0';

    if (n->desc.state == NODE_IDLE || n->desc.state == NODE_RUNNING || n->state == NULL)
        return NULL;
    return arena_printf(&a->arena, "PBS has it %s%s%s", n->state, commented ? ": " : "",
        commented ? n->comment : "");
}

/* ---- OpenPBS ---- */

static void add_resource(
    struct pbs_answer *a, struct lists *l, const char *name, const char *value)
{
    int64_t n = 0;

    switch (pbs_resource(name, value, &n)) {
    case PBS_COUNT:
        vec_push(&l->gres, ((struct gres_cfg){.name = (char *)name, .count = n}));
        break;
    case PBS_FEATURE:
        if (strcasecmp(value, "True") == 0)
            vec_push(&l->features, name);
        else
            add_words(a, l, name, value);
        break;
    case PBS_NOT:
    case PBS_IGNORED:
        break;
    }
}

/* The one queue whose jobs it takes. */
static const struct gres_cfg *queue_of(
    struct pbs_answer *a, const char *queue, int64_t procs)
{
    struct gres_cfg *classes;

    if (queue == NULL || *queue == '\0')
        return NULL;
    classes = arena_take(&a->arena, 2, sizeof *classes);
    classes[0] = (struct gres_cfg){.name = (char *)queue, .count = procs};
    return classes;
}

static void read_vnode(struct pbs_answer *a, const char *name, const json_t *o)
{
    const json_t *has = json_object_get(o, "resources_available");
    const char *state = json_string_value(json_object_get(o, "state")), *text;
    struct pbs_node n = {.desc = {.name = name}};
    struct lists l = {0};
    const char *key;
    json_t *v;
    int64_t mb;

    n.host = json_string_value(json_object_get(has, "host"));
    n.host = n.host != NULL ? n.host : name;
    n.state = state;
    n.comment = json_string_value(json_object_get(o, "comment"));
    n.maintenance = json_string_value(json_object_get(o, "maintenance_jobs"));
    n.desc.arch = json_string_value(json_object_get(has, "arch"));
    n.desc.state = pbs_node_state(
        state != NULL ? state : "", json_array_size(json_object_get(o, "jobs")) > 0);
    n.desc.said = say_why(a, &n);
    text = text_of(a, json_object_get(has, "ncpus"));
    /* until its daemon has spoken to a server that is new this is all there is: a node
     * that is down, and jobs may be on it */
    if (text == NULL && n.desc.state == NODE_DOWN)
        text = text_of(a, json_object_get(o, "pcpus"));
    n.desc.cfg.v[RES_PROCS] = text != NULL ? strtol(text, NULL, 10) : 0;
    n.desc.cfg.v[RES_MEM] = n.desc.cfg.v[RES_SWAP] = n.desc.cfg.v[RES_DISK] = -1;
    text = text_of(a, json_object_get(has, "mem"));
    mb = text != NULL ? pbs_size_mb(text) : -1;
    if (mb >= 0)
        n.desc.cfg.v[RES_MEM] = mb;
    n.desc.classes = queue_of(
        a, json_string_value(json_object_get(o, "queue")), n.desc.cfg.v[RES_PROCS]);
    vec_push(&l.features, arena_printf(&a->arena, "host.%s", n.host));
    json_object_foreach((json_t *)has, key, v) if ((text = text_of(a, v)) != NULL)
        add_resource(a, &l, key, text);
    take_lists(a, &n, &l);
    if (n.desc.cfg.v[RES_PROCS] > 0 && n.desc.cfg.v[RES_PROCS] < INT32_MAX)
        vec_push(&a->nodes, n); /* a natural vnode without processors runs nothing */
}

/* ---- TORQUE ---- */

/* "physmem=24684100kb" of "opsys=linux,uname=..,physmem=..": its value, in the arena.
 */
static const char *status_of(struct pbs_answer *a, const char *status, const char *name)
{
    size_t n = strlen(name);

    for (const char *p = status; p != NULL && *p; p += strcspn(p, ","), p += *p == ',')
        if (strncmp(p, name, n) == 0 && p[n] == '=')
            return arena_text(&a->arena, p + n + 1, strcspn(p + n + 1, ","));
    return NULL;
}

static void read_load(struct pbs_answer *a, const char *status, struct pbs_node *n)
{
    const char *load = status_of(a, status, "loadave");
    const char *total = status_of(a, status, "physmem");
    const char *swap = status_of(a, status, "totmem");
    char *end = NULL;
    double value = load != NULL ? strtod(load, &end) : -1;

    if (total != NULL && pbs_size_mb(total) >= 0)
        n->desc.cfg.v[RES_MEM] = pbs_size_mb(total);
    if (swap != NULL && pbs_size_mb(swap) >= 0)
        n->desc.cfg.v[RES_SWAP] = pbs_size_mb(swap);
    n->desc.measured = load != NULL && end > load && value >= 0 && value < 1e6;
    if (n->desc.measured)
        n->desc.load = value;
    for (int i = 0; i < RES_DIMS; i++)
        n->desc.util.v[i] = -1;
}

static void read_host(struct pbs_answer *a, const char *name, const json_t *o)
{
    const char *state = json_string_value(json_object_get(o, "state"));
    const char *np = json_string_value(json_object_get(o, "np"));
    const char *jobs = json_string_value(json_object_get(o, "jobs"));
    const char *properties = json_string_value(json_object_get(o, "properties"));
    const char *status = json_string_value(json_object_get(o, "status"));
    struct pbs_node n = {.desc = {.name = name}, .host = name};
    struct lists l = {0};

    n.state = state;
    n.comment = json_string_value(json_object_get(o, "note"));
    n.desc.state = pbs_node_state(state ? state : "", jobs != NULL && *jobs);
    n.desc.said = say_why(a, &n);
    n.desc.arch = status_of(a, status, "arch");
    n.desc.os = status_of(a, status, "opsys");
    n.desc.cfg.v[RES_PROCS] = np != NULL ? strtol(np, NULL, 10) : 0;
    n.desc.cfg.v[RES_MEM] = n.desc.cfg.v[RES_SWAP] = n.desc.cfg.v[RES_DISK] = -1;
    read_load(a, status, &n);
    if (properties != NULL)
        add_words(a, &l, NULL, properties);
    take_lists(a, &n, &l);
    if (n.desc.cfg.v[RES_PROCS] > 0 && n.desc.cfg.v[RES_PROCS] < INT32_MAX)
        vec_push(&a->nodes, n);
}

int pbs_read_nodes(struct pbs_answer *a, enum pbs_dialect dialect, const char *text,
    size_t len, struct err *err)
{
    static const struct pbs_record record = {"Node", "name", "nodes"};
    const char *name;
    json_t *o;

    *a = (struct pbs_answer){.doc = pbs_document(dialect, text, len, &record, err)};
    if (a->doc == NULL)
        return err_prefix(err, "pbsnodes: ");
    json_object_foreach(
        json_object_get(a->doc, "nodes"), name, o) if (json_is_object(o) && *name)
    {
        if (dialect == PBS_TORQUE)
            read_host(a, name, o);
        else
            read_vnode(a, name, o);
    }
    return 0;
}
