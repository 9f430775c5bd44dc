/* SPDX-License-Identifier: Apache-2.0
 * Changes of jobs as the API has them, made events, and kept. */
#include "server/modify.h"

#include "base/duration.h"
#include "base/nearest.h"
#include "server/manager.h"
#include "server/server_private.h"

struct words VEC(char *);
struct deps VEC(struct dep);

/* Changes taken apart. Lists are owned. */
struct modified {
    struct job_change ch;
    struct words features, hosts, partitions; /* NULL-terminated when given */
    struct deps deps;                         /* job_id NULL ends when given */
    const char *qos;                          /* borrowed from the JSON */
    bool has_sysprio;
    int64_t sysprio;
    struct req_desc *reqs; /* owned or NULL: those of the description, changed */
    json_t *json;          /* owned or NULL: what the texts are borrowed from */
};

static void words_free(struct words *w)
{
    for (size_t i = 0; i < w->n; i++)
        free(w->v[i]);
    vec_fini(w);
}

static void fini(struct modified *m)
{
    words_free(&m->features);
    words_free(&m->hosts);
    words_free(&m->partitions);
    for (size_t i = 0; i < m->deps.n; i++)
        free(m->deps.v[i].job_id);
    vec_fini(&m->deps);
    free(m->reqs);
    json_decref(m->json);
}

void modified_free(struct modified *m)
{
    if (!m)
        return;
    fini(m);
    free(m);
}

/* ---- values ---- */

enum value_type { V_NUMBER, V_DURATION, V_INSTANT, V_NAME, V_LIST, V_DEPS };

/* `kept`: not in the memory of a job, so written down as it was asked. */
static const struct attribute {
    const char *name;
    unsigned bit; /* enum change_bit, 0 = an event of its own */
    enum value_type type;
    bool kept;
} attributes[] = {
    {"account", CHANGE_ACCOUNT, V_NAME, true},
    {"awduration", CHANGE_WCLIMIT, V_DURATION, true},
    {"class", CHANGE_CLASS, V_NAME, true},
    {"deadline", CHANGE_DEADLINE, V_INSTANT, false},
    {"depend", CHANGE_DEPS, V_DEPS, true},
    {"features", CHANGE_FEATURES, V_LIST, true},
    {"hostlist", CHANGE_HOSTS, V_LIST, true},
    {"jobdisk", CHANGE_DISK, V_NUMBER, true},
    {"jobmem", CHANGE_MEM, V_NUMBER, true},
    {"jobswap", CHANGE_SWAP, V_NUMBER, true},
    {"minstarttime", CHANGE_RELEASE, V_INSTANT, false},
    {"nodecount", CHANGE_NODES, V_NUMBER, true},
    {"partition", CHANGE_PARTITIONS, V_LIST, true},
    {"priority", 0, V_NUMBER, false},
    {"proccount", CHANGE_TASKS, V_NUMBER, true},
    {"qos", 0, V_NAME, false},
    {"queue", CHANGE_CLASS, V_NAME, true},
    {"reqawduration", CHANGE_WCLIMIT, V_DURATION, true},
    {"sysprio", 0, V_NUMBER, false},
    {"userprio", CHANGE_USER_PRIORITY, V_NUMBER, false},
    {"wclimit", CHANGE_WCLIMIT, V_DURATION, true},
};
#define ATTRIBUTES (sizeof attributes / sizeof attributes[0])

static const struct attribute *attribute_find(const char *name, struct err *err)
{
    struct nearest near;

    nearest_init(&near, name);
    for (size_t i = 0; i < ATTRIBUTES; i++) {
        if (strcasecmp(attributes[i].name, name) == 0)
            return &attributes[i];
        nearest_offer(&near, attributes[i].name);
    }
    const char *best = nearest_best(&near);
    err_set(err, ERR_INVALID,
        "'%.40s' is no attribute of a job that can be changed%s%s%s", name,
        best ? "; did you mean '" : "", best ? best : "", best ? "'?" : "");
    return NULL;
}

static int read_number(
    const struct attribute *a, const char *text, int64_t *ret, struct err *err)
{
    char *end;

    if (a->type == V_DURATION) {
        if (duration_parse(text, ret, err) == 0)
            return 0;
        return err_prefix(err, "wclimit: ");
    }
    *ret = strtoll(text, &end, 10);
    if (end == text || *end)
        return err_set(err, ERR_INVALID, "%s: '%.40s' is no %s", a->name, text,
            a->type == V_INSTANT ? "instant, expected seconds since 1970"
                                 : "whole number");
    return 0;
}

static void read_list(struct words *ret, const char *text)
{
    char *copy = xstrdup(text), *rest = copy, *word;

    while ((word = strtok_r(rest, " ,:;+|", &rest)))
        vec_push(ret, xstrdup(word));
    vec_push(ret, NULL);
    free(copy);
}

/* "afterok:12:13,after:14" */
static int read_deps(struct deps *ret, const char *text, struct err *err)
{
    static const struct {
        const char *word;
        enum dep_type type;
    } types[] = {{"after", DEP_STARTED}, {"afterany", DEP_COMPLETED},
        {"afterok", DEP_SUCCESS}, {"afternotok", DEP_FAILED}};
    char *copy = xstrdup(text), *rest = copy, *group;
    int result = 0;

    while (result == 0 && (group = strtok_r(rest, " ,", &rest))) {
        char *ids = group, *word = strtok_r(ids, ":", &ids), *id;
        size_t k = 0;
        while (
            k < sizeof types / sizeof types[0] && strcasecmp(types[k].word, word) != 0)
            k++;
        if (k == sizeof types / sizeof types[0] || !ids || !*ids) {
            result = err_set(err, ERR_INVALID,
                "depend: '%.80s' is none of after:JOB, afterany:JOB, afterok:JOB, "
                "afternotok:JOB",
                group);
            break;
        }
        while ((id = strtok_r(ids, ":", &ids)))
            vec_push(ret, ((struct dep){types[k].type, xstrdup(id)}));
    }
    vec_push(ret, ((struct dep){DEP_STARTED, NULL}));
    free(copy);
    return result;
}

/* ---- one change ---- */

/* What += and -= start from. */
static int64_t present(const struct attribute *a, const struct job *j)
{
    const struct req *r = &j->reqs[0];

    switch (a->bit) {
    case CHANGE_WCLIMIT:
        return j->wclimit_asked_s ? j->wclimit_asked_s : j->wclimit_s;
    case CHANGE_DEADLINE:
        return j->extra ? j->extra->deadline_at : 0;
    case CHANGE_RELEASE:
        return j->release_at;
    case CHANGE_NODES:
        return r->nodes;
    case CHANGE_TASKS:
        return j->procs;
    case CHANGE_MEM:
        return r->asked->per_task.v[RES_MEM];
    case CHANGE_SWAP:
        return r->asked->per_task.v[RES_SWAP];
    case CHANGE_DISK:
        return r->asked->per_task.v[RES_DISK];
    case CHANGE_USER_PRIORITY:
        return j->user_priority;
    default:
        return 0;
    }
}

/* Processors of one task of the first request. */
static int64_t procs_per_task(const struct job_desc *d, const struct job *j)
{
    int64_t procs = j   ? j->reqs[0].asked->per_task.v[RES_PROCS]
                    : d ? d->reqs[0].per_task.v[RES_PROCS]
                        : 1;

    return procs > 0 ? procs : 1;
}

static int set_number(struct modified *m, const struct attribute *a, int64_t n,
    int64_t procs, struct err *err)
{
    struct job_change *ch = &m->ch;

    if ((a->bit == CHANGE_TASKS || a->bit == CHANGE_NODES) && (n < 0 || n > INT32_MAX))
        return err_set(
            err, ERR_INVALID, "%s: %lld is out of range", a->name, (long long)n);
    if (a->bit == CHANGE_TASKS && (n == 0 || n % procs != 0))
        return err_set(err, ERR_INVALID,
            "proccount: %lld is no multiple of the %lld processors of a task",
            (long long)n, (long long)procs);
    if (a->bit == CHANGE_WCLIMIT)
        ch->wclimit_s = n;
    else if (a->bit == CHANGE_DEADLINE)
        ch->deadline_at = n;
    else if (a->bit == CHANGE_RELEASE)
        ch->release_at = n;
    else if (a->bit == CHANGE_USER_PRIORITY)
        ch->user_priority = n;
    else if (a->bit == CHANGE_NODES)
        ch->to.nodes = (uint32_t)n;
    else if (a->bit == CHANGE_TASKS)
        ch->to.tasks = (uint32_t)(n / procs);
    else if (a->bit == CHANGE_MEM)
        ch->to.per_task.v[RES_MEM] = n;
    else if (a->bit == CHANGE_SWAP)
        ch->to.per_task.v[RES_SWAP] = n;
    else if (a->bit == CHANGE_DISK)
        ch->to.per_task.v[RES_DISK] = n;
    else
        m->sysprio = n;
    m->has_sysprio |= a->bit == 0;
    return 0;
}

static void set_name(struct modified *m, const struct attribute *a, const char *name)
{
    if (a->bit == CHANGE_ACCOUNT)
        m->ch.account = name;
    else if (a->bit == CHANGE_CLASS)
        m->ch.cls = name;
    else
        m->qos = name;
}

static int set_list(
    struct modified *m, const struct attribute *a, const char *text, struct err *err)
{
    struct words *list = a->bit == CHANGE_FEATURES ? &m->features
                         : a->bit == CHANGE_HOSTS  ? &m->hosts
                                                   : &m->partitions;

    if (a->type == V_DEPS ? m->deps.n > 0 : list->n > 0)
        return err_set(err, ERR_INVALID, "%s: given twice", a->name);
    if (a->type == V_DEPS)
        return read_deps(&m->deps, text, err);
    read_list(list, text);
    return 0;
}

/* One {attribute, op, value}; afterwards its op is "=" and its value whole. */
static int take(struct modified *m, json_t *change, const struct job_desc *d,
    const struct job *j, struct err *err)
{
    const char *name = json_string_value(json_object_get(change, "attribute"));
    const char *op = json_string_value(json_object_get(change, "op"));
    const char *value = json_string_value(json_object_get(change, "value"));
    int64_t n = 0;

    if (!name || !value)
        return err_set(err, ERR_INVALID, "a change needs an attribute and a value");
    const struct attribute *a = attribute_find(name, err);
    if (!a)
        return -1;
    bool relative = op && strcmp(op, "=") != 0, number = a->type <= V_INSTANT;
    if (relative && (!number || a->bit == 0))
        return err_set(err, ERR_INVALID, "%s: only = is possible", a->name);
    m->ch.what |= a->bit;
    if (!number) {
        if (a->type != V_NAME)
            return set_list(m, a, value, err);
        set_name(m, a, value);
        return 0;
    }
    if (read_number(a, value, &n, err) < 0)
        return -1;
    if (relative) {
        char text[32];
        n = present(a, j) + (*op == '-' ? -n : n);
        snprintf(text, sizeof text, "%lld", (long long)n);
        json_object_set_new(change, "value", json_string(text));
        json_object_set_new(change, "op", json_string("="));
    }
    return set_number(m, a, n, procs_per_task(d, j), err);
}

static int take_all(struct modified *m, json_t *changes, const struct job_desc *d,
    const struct job *j, struct err *err)
{
    json_t *change;
    size_t i;

    json_array_foreach(
        changes, i, change) if (take(m, change, d, j, err) < 0) return -1;
    m->ch.to.features = (const char *const *)m->features.v;
    m->ch.to.hosts = (const char *const *)m->hosts.v;
    m->ch.partitions = (const char *const *)m->partitions.v;
    m->ch.deps = m->deps.v;
    return 0;
}

/* ---- keeping ---- */

static json_t *recall(struct server *s, const char *id)
{
    char *text = NULL;
    struct err err;

    unsaved_tell(s->unsaved);
    if (store_get(s->store, "change", id, &text, &err) < 0 || !text)
        return NULL;
    json_t *kept = json_loads(text, 0, NULL);
    free(text);
    return kept;
}

/* The latest value of each attribute. */
static void keep(struct server *s, const char *id, json_t *changes)
{
    json_t *kept = recall(s, id), *change;
    struct err err;
    size_t i, k;

    if (!json_is_object(kept)) {
        json_decref(kept);
        kept = json_object();
    }
    json_array_foreach(changes, i, change)
    {
        const struct attribute *a = attribute_find(
            json_string_value(json_object_get(change, "attribute")), &err);
        for (k = 0; a && a->kept && k < ATTRIBUTES; k++)
            if (attributes[k].bit == a->bit)
                json_object_del(kept, attributes[k].name);
        if (a && a->kept)
            json_object_set(kept, a->name, json_object_get(change, "value"));
    }
    char *text = json_dumps(kept, JSON_COMPACT);
    if (json_object_size(kept))
        unsaved_put(s->unsaved, "change", id, text);
    free(text);
    json_decref(kept);
    commit_want(s);
}

/* ---- the order ---- */

static int check_rights(const struct job *j, const struct modified *m, struct err *err)
{
    if (m->has_sysprio)
        return err_set(
            err, ERR_DENIED, "only administrators may set a system priority");
    if ((m->ch.what & CHANGE_WCLIMIT) && (job_is_active(j) || j->state == JOB_SUSPENDED)
        && m->ch.wclimit_s > j->wclimit_s)
        return err_set(err, ERR_DENIED,
            "only administrators may raise the limit of a running job");
    return 0;
}

static int apply(struct server *s, const struct job *j, const struct modified *m,
    bool admin, struct err *err)
{
    struct event ev = {.kind = EVENT_MODIFY, .u.modify = {j->id, m->ch}};

    if (m->ch.what && world_apply(s, &ev, NULL, err) < 0)
        return -1;
    if ((m->ch.what & CHANGE_WCLIMIT) && job_is_active(j)) {
        struct rm_command cmd = {.action = RM_MODIFY, .wclimit_s = m->ch.wclimit_s};
        if (manager_tell(s, j, &cmd, err) < 0)
            return -1;
    }
    ev = (struct event){.kind = EVENT_QOS, .u.qos = {j->id, m->qos, admin}};
    if (m->qos && world_apply(s, &ev, NULL, err) < 0)
        return -1;
    ev = (struct event){
        .kind = EVENT_PRIORITY, .u.priority = {.id = j->id, .n = m->sysprio}};
    return m->has_sysprio ? world_apply(s, &ev, NULL, err) : 0;
}

int modify_apply(
    struct server *s, const struct job *j, json_t *changes, bool admin, struct err *err)
{
    json_t *own = json_deep_copy(changes); /* of this job: += depends on it */
    struct modified m = {0};
    int result = take_all(&m, own, NULL, j, err);

    if (result == 0 && !admin)
        result = check_rights(j, &m, err);
    if (result == 0)
        result = apply(s, j, &m, admin, err);
    if (result == 0)
        keep(s, j->id, own);
    fini(&m);
    json_decref(own);
    return result;
}

/* ---- a restart ---- */

/* {attribute: value} as changes. */
static json_t *as_changes(const json_t *kept)
{
    json_t *changes = json_array(), *value;
    const char *name;

    json_object_foreach((json_t *)kept, name, value) json_array_append_new(
        changes, json_pack("{s:s, s:O}", "attribute", name, "value", value));
    return changes;
}

static void change_request(struct req_desc *r, const struct job_change *ch)
{
    r->tasks = ch->what & CHANGE_TASKS ? ch->to.tasks : r->tasks;
    r->nodes = ch->what & CHANGE_NODES ? ch->to.nodes : r->nodes;
    r->features = ch->what & CHANGE_FEATURES ? ch->to.features : r->features;
    r->hosts = ch->what & CHANGE_HOSTS ? ch->to.hosts : r->hosts;
    for (int i = 0; i < RES_DIMS; i++)
        if (ch->what & CHANGE_PROCS << i)
            r->per_task.v[i] = ch->to.per_task.v[i];
}

static void change_desc(struct job_desc *d, const struct job_change *ch)
{
    if (ch->what & CHANGE_WCLIMIT)
        d->wclimit_s = ch->wclimit_s;
    if (ch->what & CHANGE_CLASS)
        d->cred[CRED_CLASS] = ch->cls;
    if (ch->what & CHANGE_ACCOUNT)
        d->cred[CRED_ACCOUNT] = ch->account;
    if (ch->what & CHANGE_PARTITIONS)
        d->partitions = ch->partitions;
    if (ch->what & CHANGE_DEPS)
        d->deps = ch->deps;
}

struct modified *modify_recall(struct server *s, struct job_desc *d)
{
    json_t *kept = recall(s, d->id);
    struct err err;

    if (!kept)
        return NULL;
    struct modified *m = xcalloc(1, sizeof *m);
    m->json = as_changes(kept);
    json_decref(kept);
    if (take_all(m, m->json, d, NULL, &err) < 0) {
        log_line(
            s->log, LOG_ALERT, "changes of job '%s' are lost: %s", d->id, err.text);
        modified_free(m);
        return NULL;
    }
    change_desc(d, &m->ch);
    m->reqs = xmalloc(d->nreqs * sizeof *m->reqs);
    memcpy(m->reqs, d->reqs, d->nreqs * sizeof *m->reqs);
    change_request(&m->reqs[0], &m->ch);
    d->reqs = m->reqs;
    return m;
}
