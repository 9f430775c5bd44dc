/* SPDX-License-Identifier: Apache-2.0
 * A JobRequest taken apart. Outside data: everything is checked. */
#include "server/drafts/submission.h"

#include "cluster/attribute.h"
#include "config/config.h"
#include "config/flags.h"
#include "config/nodesettext.h"
#include "config/value.h"
#include "server/drafts/jobattr.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define REQS_MAX 32 /* requests of one job */
#define GRES_MAX 32 /* kinds of generic resources of one request */

/* The request, taken apart; texts are borrowed from the JSON. */
struct submit_draft {
    struct rm_submission sub;
    struct req_desc reqs[REQS_MAX];
    struct VEC(void *) owned;                     /* lists of the lengths asked */
    struct gres_cfg gres[REQS_MAX][GRES_MAX + 1]; /* names owned */
    struct nodeset_spec sets[REQS_MAX];
    struct dep *deps; /* ids borrowed; room for one more, and the end */
    size_t ndeps;
};

const char *submitdraft_text(const json_t *o, const char *key)
{
    const char *value = json_string_value(json_object_get(o, key));

    return value && *value ? value : NULL;
}

static int64_t whole(json_t *o, const char *key, int64_t otherwise)
{
    json_t *v = json_object_get(o, key);

    return json_is_integer(v) ? json_integer_value(v) : otherwise;
}

struct range {
    const char *key;
    int64_t min, max;
};

/* Numbers that are narrower here than in the request. */
static int check_numbers(
    json_t *o, const struct range *ranges, size_t n, struct err *err)
{
    for (size_t i = 0; i < n; i++) {
        json_t *v = json_object_get(o, ranges[i].key);
        if (v && !json_is_null(v)
            && (!json_is_integer(v) || json_integer_value(v) < ranges[i].min
                || json_integer_value(v) > ranges[i].max))
            return err_set(err, ERR_INVALID,
                "%s: expected a whole number from %lld to %lld", ranges[i].key,
                (long long)ranges[i].min, (long long)ranges[i].max);
    }
    return 0;
}

/* Room that lives as long as the draft. Zeroed. */
static void *take_room(struct submit_draft *d, size_t n, size_t size)
{
    void *room = xcalloc(n, size);

    vec_push(&d->owned, room);
    return room;
}

/* An array of texts, NULL-terminated; NULL when there is none. */
static const char *const *read_list(struct submit_draft *d, json_t *o, const char *key)
{
    json_t *array = json_object_get(o, key), *entry;
    const char **ret;
    size_t i, n = 0;

    if (!json_is_array(array) || !json_array_size(array))
        return NULL;
    ret = take_room(d, json_array_size(array) + 1, sizeof *ret);
    json_array_foreach(array, i, entry) if (json_is_string(entry)) ret[n++] =
        json_string_value(entry);
    return ret;
}

static void read_amounts(json_t *o, struct res *ret)
{
    ret->v[RES_PROCS] = whole(o, "procs", 1);
    ret->v[RES_MEM] = whole(o, "mem_mb", 0);
    ret->v[RES_SWAP] = whole(o, "swap_mb", 0);
    ret->v[RES_DISK] = whole(o, "disk_mb", 0);
}

static int read_gres(json_t *o, struct gres_cfg *list, struct err *err)
{
    const char *name;
    json_t *n;
    size_t i = 0;

    json_object_foreach(json_object_get(o, "gres"), name, n)
    {
        if (i == GRES_MAX || !json_is_integer(n) || json_integer_value(n) < 1)
            return err_set(err, ERR_INVALID,
                "gres '%.60s': expected a count above 0, and at most %d names", name,
                GRES_MAX);
        list[i++] = (struct gres_cfg){xstrdup(name), json_integer_value(n)};
    }
    return 0;
}

/* ">=4" */
static int read_comparison(json_t *o, const char *key, struct cmp *ret, struct err *err)
{
    static const struct {
        const char *word;
        enum cmp_op op;
    } ops[] = {{"<=", CMP_LE}, {">=", CMP_GE}, {"==", CMP_EQ}, {"=", CMP_EQ},
        {"<", CMP_LT}, {">", CMP_GT}};
    const char *word = submitdraft_text(o, key);

    for (size_t i = 0; word && i < sizeof ops / sizeof ops[0]; i++)
        if (strncmp(word, ops[i].word, strlen(ops[i].word)) == 0) {
            ret->op = ops[i].op;
            return value_int(
                word + strlen(ops[i].word), 0, INT32_MAX, &ret->value, err);
        }
    return word ? err_set(err, ERR_INVALID,
               "%s: '%.40s' begins with none of < <= = >= >", key, word)
                : 0;
}

static int read_policies(json_t *o, struct req_desc *ret, struct err *err)
{
    static const struct cfg_keyword accesses[] = {{"SHARED", ACCESS_SHARED},
        {"SINGLEUSER", ACCESS_SINGLEUSER}, {"SINGLEJOB", ACCESS_SINGLEJOB},
        {"SINGLETASK", ACCESS_SINGLETASK}, {NULL}};
    static const struct cfg_keyword allocations[] = {
        {"FIRSTAVAILABLE", NODEALLOC_FIRSTAVAILABLE},
        {"LASTAVAILABLE", NODEALLOC_LASTAVAILABLE},
        {"MINRESOURCE", NODEALLOC_MINRESOURCE}, {"CPULOAD", NODEALLOC_CPULOAD},
        {"PRIORITY", NODEALLOC_PRIORITY}, {"FASTEST", NODEALLOC_FASTEST},
        {"MAXBALANCE", NODEALLOC_MAXBALANCE}, {"CONTIGUOUS", NODEALLOC_CONTIGUOUS},
        {"LOCAL", NODEALLOC_LOCAL}, {NULL}};
    const struct cfg_keyword *word = NULL;

    if (submitdraft_text(o, "access")) {
        if (value_keyword(submitdraft_text(o, "access"), accesses, &word, err) < 0)
            return err_prefix(err, "access: ");
        ret->access = (enum access_policy)word->value;
    }
    if (submitdraft_text(o, "allocation")) {
        if (value_keyword(submitdraft_text(o, "allocation"), allocations, &word, err)
            < 0)
            return err_prefix(err, "allocation: ");
        ret->nodealloc = (enum nodealloc_policy)word->value;
    }
    return 0;
}

/* Texts and lists, which cannot be wrong. */
static void read_request(struct submit_draft *d, json_t *o, struct req_desc *ret)
{
    *ret = (struct req_desc){.os = submitdraft_text(o, "os"),
        .arch = submitdraft_text(o, "arch"),
        .network = submitdraft_text(o, "network")};
    read_amounts(json_object_get(o, "per_task"), &ret->per_task);
    ret->tasks = (uint32_t)whole(o, "tasks", 1);
    ret->nodes = (uint32_t)whole(o, "nodes", 0);
    ret->tpn = (uint32_t)whole(o, "tasks_per_node", 0);
    ret->features = read_list(d, o, "features");
    ret->prefs = read_list(d, o, "preferences");
    ret->hosts = read_list(d, o, "hosts");
    ret->exclude = read_list(d, o, "exclude_hosts");
}

static int read_rest(struct submit_draft *d, json_t *o, size_t i, struct err *err)
{
    static const struct range ranges[] = {{"tasks", 1, INT32_MAX},
        {"nodes", 0, INT32_MAX}, {"tasks_per_node", 0, INT32_MAX}};
    struct req_desc *ret = &d->reqs[i];

    if (o && !json_is_object(o))
        return err_set(err, ERR_INVALID, "requests: expected a list of objects");
    if (check_numbers(o, ranges, sizeof ranges / sizeof ranges[0], err) < 0
        || read_gres(json_object_get(o, "per_task"), d->gres[i], err) < 0
        || read_comparison(o, "procs_needed", &ret->procs, err) < 0
        || read_comparison(o, "mem_needed", &ret->mem, err) < 0
        || read_comparison(o, "swap_needed", &ret->swap, err) < 0
        || read_comparison(o, "disk_needed", &ret->disk, err) < 0
        || read_policies(o, ret, err) < 0)
        return -1;
    if (d->gres[i][0].name)
        ret->gres = d->gres[i];
    if (!submitdraft_text(o, "node_set"))
        return 0;
    if (nodesettext_parse(submitdraft_text(o, "node_set"), &d->sets[i], err) < 0)
        return err_prefix(err, "node_set: ");
    ret->nodeset = &d->sets[i];
    return 0;
}

static int read_requests(struct submit_draft *d, json_t *o, struct err *err)
{
    json_t *array = json_object_get(o, "requests"), *entry;
    size_t i, n = json_array_size(array);

    if (n > REQS_MAX)
        return err_set(err, ERR_INVALID, "requests: at most %d are taken", REQS_MAX);
    json_array_foreach(array, i, entry)
    {
        read_request(d, entry, &d->reqs[i]);
        if (read_rest(d, entry, i, err) < 0)
            return err_prefix(err, "requests[%zu]: ", i);
    }
    if (n == 0)
        read_request(d, NULL, &d->reqs[0]);
    d->sub.job.desc.reqs = d->reqs;
    d->sub.job.desc.nreqs = n ? (uint32_t)n : 1;
    return 0;
}

/* "afterok:12" */
static int read_dependencies(struct submit_draft *d, json_t *o, struct err *err)
{
    json_t *array = json_object_get(o, "dependencies"), *entry;
    size_t i;

    d->deps = take_room(d, json_array_size(array) + 2, sizeof *d->deps);
    json_array_foreach(array, i, entry)
    {
        const char *text = json_is_string(entry) ? json_string_value(entry) : "";
        enum dep_type type;
        const char *job = jobattr_dep(text, &type);
        if (!job || !*job)
            return err_set(err, ERR_INVALID,
                "dependencies: '%.80s' is not one of " JOBATTR_DEP_FORMS, text);
        d->deps[d->ndeps++] = (struct dep){type, (char *)(uintptr_t)job};
        d->sub.job.desc.deps = d->deps;
    }
    return 0;
}

static int read_flags(struct submit_draft *d, json_t *o, struct err *err)
{
    json_t *array = json_object_get(o, "flags"), *entry;
    size_t i;

    json_array_foreach(array, i, entry)
    {
        uint32_t bits = 0;
        if (!json_is_string(entry))
            return err_set(err, ERR_INVALID, "flags: expected names of flags");
        if (job_flags_parse(json_string_value(entry), &bits, err) < 0)
            return err_prefix(err, "flags: ");
        d->sub.job.desc.flags |= bits;
    }
    return 0;
}

/* What the table of attributes has of a submission. */
static int read_attributes(struct submit_draft *d, json_t *o, struct err *err)
{
    struct job_desc *desc = &d->sub.job.desc;
    const struct attribute *a;

    for (size_t i = 0; (a = attribute_at(i)) != NULL; i++) {
        const struct range range = {a->request, a->min, a->max};
        if (!a->request)
            continue;
        switch (a->type) {
        case ATTRIBUTE_NUMBER:
            if (check_numbers(o, &range, 1, err) < 0)
                return -1;
            *attribute_number(desc, a->desc_at) = whole(o, a->request, 0);
            break;
        case ATTRIBUTE_TEXT:
            *attribute_text(desc, a->desc_at) = submitdraft_text(o, a->request);
            break;
        case ATTRIBUTE_NAMES:
            *attribute_names(desc, a->desc_at) = read_list(d, o, a->request);
            break;
        }
    }
    return 0;
}

static int read_draft(
    struct submit_draft *d, json_t *o, const struct identity *who, struct err *err)
{
    static const struct range ranges[] = {{"umask", 0, 0777}};
    struct rm_submission *sub = &d->sub;
    struct job_desc *desc = &sub->job.desc;

    if (check_numbers(o, ranges, sizeof ranges / sizeof ranges[0], err) < 0
        || read_attributes(d, o, err) < 0)
        return -1;
    if (!submitdraft_text(o, "script"))
        return err_set(
            err, ERR_INVALID, "script: the text of a batch script is needed");
    desc->cred[CRED_USER] = who->user;
    if (!desc->cred[CRED_GROUP])
        desc->cred[CRED_GROUP] = who->group;
    if (json_is_null(json_object_get(o, "wclimit_s")))
        desc->wclimit_s = DURATION_UNLIMITED;
    if (json_is_true(json_object_get(o, "hold"))) {
        desc->state = JOB_HOLD;
        desc->rm_hold = HOLD_USER;
    }
    sub->job.name = submitdraft_text(o, "name");
    sub->job.directory = submitdraft_text(o, "directory");
    sub->job.output = submitdraft_text(o, "output");
    sub->job.error = submitdraft_text(o, "error");
    sub->script = submitdraft_text(o, "script");
    sub->argv = read_list(d, o, "arguments");
    sub->environment = read_list(d, o, "environment");
    sub->uid = who->uid;
    sub->gid = who->gid;
    sub->umask = (unsigned)whole(o, "umask", 022);
    sub->join = json_is_true(json_object_get(o, "join"));
    sub->rerunnable = !json_is_false(json_object_get(o, "rerunnable"));
    if (sub->rerunnable)
        desc->flags |= JOB_RESTARTABLE;
    if (read_requests(d, o, err) < 0 || read_flags(d, o, err) < 0)
        return -1;
    return read_dependencies(d, o, err);
}

/* ---- the whole ---- */

void submitdraft_free(struct submit_draft *d)
{
    if (!d)
        return;
    for (size_t i = 0; i < d->owned.n; i++)
        free(d->owned.v[i]);
    vec_fini(&d->owned);
    for (size_t i = 0; i < REQS_MAX; i++) {
        for (size_t k = 0; k < GRES_MAX; k++)
            free(d->gres[i][k].name);
        text_list_fini(&d->sets[i].list);
    }
    free(d);
}

struct submit_draft *submitdraft_read(
    json_t *o, const struct identity *who, struct err *err)
{
    struct submit_draft *d = xcalloc(1, sizeof *d);

    if (read_draft(d, o, who, err) == 0)
        return d;
    submitdraft_free(d);
    return NULL;
}

const struct rm_submission *submitdraft_submission(const struct submit_draft *d)
{
    return &d->sub;
}

struct rm_submission *submitdraft_edit(struct submit_draft *d)
{
    return &d->sub;
}

void submitdraft_after(struct submit_draft *d, const char *job)
{
    d->deps[d->ndeps] = (struct dep){0};
    if (!*job)
        return;
    d->deps[d->ndeps] = (struct dep){DEP_COMPLETED, (char *)(uintptr_t)job};
    d->sub.job.desc.deps = d->deps;
}
