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
    struct VEC(void *) owned;               /* lists of the lengths asked */
    struct VEC(struct gres_cfg *) gres;     /* name NULL ends; names owned */
    struct VEC(struct nodeset_spec *) sets; /* in that room too; their lists owned */
    struct dep *deps;                       /* ids borrowed */
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

/* Amounts by name; NULL where none is given. Names are owned. */
static int read_amounts(struct submit_draft *d, json_t *o, const char *key,
    const struct gres_cfg **ret, struct err *err)
{
    json_t *amounts = json_object_get(o, key);
    struct gres_cfg *list;
    const char *name;
    json_t *n;
    size_t i = 0;

    if (!json_object_size(amounts))
        return 0;
    vec_push(&d->gres, take_room(d, GRES_MAX + 1, sizeof *list));
    *ret = list = d->gres.v[d->gres.n - 1];
    json_object_foreach(amounts, name, n)
    {
        if (i == GRES_MAX || !json_is_integer(n) || json_integer_value(n) < 1)
            return err_set(err, ERR_INVALID,
                "%s '%.60s': expected a count above 0, and at most %d names", key, name,
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

static int read_word(json_t *o, const char *key, const struct cfg_keyword *words,
    unsigned *ret, struct err *err)
{
    const struct cfg_keyword *word = NULL;

    if (!submitdraft_text(o, key))
        return 0;
    if (value_keyword(submitdraft_text(o, key), words, &word, err) < 0)
        return err_prefix(err, "%s: ", key);
    *ret = word->value;
    return 0;
}

static int read_nodeset(struct submit_draft *d, json_t *o, const char *key,
    const struct nodeset_spec **ret, struct err *err)
{
    if (!submitdraft_text(o, key))
        return 0;
    struct nodeset_spec *set = take_room(d, 1, sizeof *set);
    vec_push(&d->sets, set);
    if (nodesettext_parse(submitdraft_text(o, key), set, err) < 0)
        return err_prefix(err, "%s: ", key);
    *ret = set;
    return 0;
}

/* "afterok:12" */
static int read_dependencies(
    struct submit_draft *d, json_t *o, const char *key, struct err *err)
{
    json_t *array = json_object_get(o, key), *entry;
    size_t i;

    d->deps = take_room(d, json_array_size(array) + 1, sizeof *d->deps);
    json_array_foreach(array, i, entry)
    {
        const char *text = json_is_string(entry) ? json_string_value(entry) : "";
        enum dep_type type;
        const char *job = jobattr_dep(text, &type);
        if (!job || !*job)
            return err_set(err, ERR_INVALID,
                "%s: '%.80s' is not one of " JOBATTR_DEP_FORMS, key, text);
        d->deps[d->ndeps++] = (struct dep){type, (char *)(uintptr_t)job};
        d->sub.job.desc.deps = d->deps;
    }
    return 0;
}

static int read_flags(json_t *o, const char *key, uint32_t *io_flags, struct err *err)
{
    json_t *array = json_object_get(o, key), *entry;
    size_t i;

    json_array_foreach(array, i, entry)
    {
        uint32_t bits = 0;
        if (!json_is_string(entry))
            return err_set(err, ERR_INVALID, "%s: expected names of flags", key);
        if (job_flags_parse(json_string_value(entry), &bits, err) < 0)
            return err_prefix(err, "%s: ", key);
        *io_flags |= bits;
    }
    return 0;
}

/* What a row has of one value: it goes to `at`. */
struct wanted {
    const char *key;
    enum attribute_type type;
    int64_t usual, min, max;         /* of numbers and counts */
    const struct cfg_keyword *words; /* of ATTRIBUTE_WORD */
    void *at;
};

static int read_number(json_t *o, const struct wanted *w, struct err *err)
{
    const struct range range = {w->key, w->min, w->max};
    int64_t n = whole(o, w->key, w->usual);

    if (w->max && check_numbers(o, &range, 1, err) < 0)
        return -1;
    if (w->type == ATTRIBUTE_COUNT)
        *(uint32_t *)w->at = (uint32_t)n;
    else
        *(int64_t *)w->at = n;
    return 0;
}

static int read_value(
    struct submit_draft *d, json_t *o, const struct wanted *w, struct err *err)
{
    switch (w->type) {
    case ATTRIBUTE_NUMBER:
    case ATTRIBUTE_COUNT:
        return read_number(o, w, err);
    case ATTRIBUTE_TEXT:
    case ATTRIBUTE_CRED:
        *(const char **)w->at = submitdraft_text(o, w->key);
        return 0;
    case ATTRIBUTE_NAMES:
    case ATTRIBUTE_NODES:
        *(const char *const **)w->at = read_list(d, o, w->key);
        return 0;
    case ATTRIBUTE_BOOL:
        *(bool *)w->at = json_is_true(json_object_get(o, w->key));
        return 0;
    case ATTRIBUTE_FLAGS:
        return read_flags(o, w->key, w->at, err);
    case ATTRIBUTE_DEPS:
        return read_dependencies(d, o, w->key, err);
    case ATTRIBUTE_AMOUNTS:
        return read_amounts(d, o, w->key, w->at, err);
    case ATTRIBUTE_COMPARISON:
        return read_comparison(o, w->key, w->at, err);
    case ATTRIBUTE_WORD:
        return read_word(o, w->key, w->words, w->at, err);
    case ATTRIBUTE_NODESET:
        return read_nodeset(d, o, w->key, w->at, err);
    }
    return 0;
}

static int read_request(
    struct submit_draft *d, json_t *o, struct req_desc *ret, struct err *err)
{
    json_t *task = json_object_get(o, "per_task");
    const struct req_attribute *a;

    for (size_t i = 0; (a = req_attribute_at(i)) != NULL; i++) {
        const struct wanted w = {a->request, a->type, a->usual, a->min, a->max,
            a->words, attribute_in(ret, a->desc_at)};
        if (a->request && read_value(d, a->of_task ? task : o, &w, err) < 0)
            return -1;
    }
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
        if (entry && !json_is_object(entry))
            return err_set(err, ERR_INVALID, "requests: expected a list of objects");
        if (read_request(d, entry, &d->reqs[i], err) < 0)
            return err_prefix(err, "requests[%zu]: ", i);
    }
    if (n == 0 && read_request(d, NULL, &d->reqs[0], err) < 0)
        return -1;
    d->sub.job.desc.reqs = d->reqs;
    d->sub.job.desc.nreqs = n ? (uint32_t)n : 1;
    return 0;
}

/* What the table of attributes has of a submission. */
static int read_attributes(struct submit_draft *d, json_t *o, struct err *err)
{
    struct job_desc *desc = &d->sub.job.desc;
    const struct attribute *a;

    for (size_t i = 0; (a = attribute_at(i)) != NULL; i++) {
        const struct wanted w = {a->request, a->type, 0, a->min, a->max, NULL,
            attribute_in(desc, a->desc_at)};
        if (a->request && read_value(d, o, &w, err) < 0)
            return -1;
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
    return read_requests(d, o, err);
}

/* ---- the whole ---- */

void submitdraft_free(struct submit_draft *d)
{
    if (!d)
        return;
    for (size_t i = 0; i < d->gres.n; i++)
        for (struct gres_cfg *g = d->gres.v[i]; g->name; g++)
            free(g->name);
    vec_fini(&d->gres);
    for (size_t i = 0; i < d->sets.n; i++)
        text_list_fini(&d->sets.v[i]->list);
    vec_fini(&d->sets);
    for (size_t i = 0; i < d->owned.n; i++)
        free(d->owned.v[i]);
    vec_fini(&d->owned);
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

void submitdraft_name_deps(
    struct submit_draft *d, const char *(*name)(void *ctx, const char *job), void *ctx)
{
    for (size_t i = 0; i < d->ndeps; i++) {
        const char *found = name(ctx, d->deps[i].job_id);
        if (!found)
            continue;
        d->deps[i].job_id = take_room(d, strlen(found) + 1, 1);
        memcpy(d->deps[i].job_id, found, strlen(found) + 1);
    }
}
