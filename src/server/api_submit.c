/* SPDX-License-Identifier: Apache-2.0
 * Submission: a JobRequest becomes what the resource manager is told. */
#include "config/flags.h"
#include "server/api.h"
#include "server/manager.h"
#include "server/server_private.h"

#define REQS_MAX  32
#define WORDS_MAX 256
#define DEPS_MAX  64

/* The request, taken apart; texts are borrowed from the JSON. */
struct draft {
    struct rm_submission sub;
    struct req_desc reqs[REQS_MAX];
    const char *words[REQS_MAX * 4][WORDS_MAX];
    size_t nlists;
    struct dep deps[DEPS_MAX + 1];
    char *dep_ids[DEPS_MAX]; /* owned */
    const char *arguments[WORDS_MAX], *environment[WORDS_MAX * 4],
        *partitions[WORDS_MAX];
};

static const char *text(json_t *o, const char *key)
{
    const char *value = json_string_value(json_object_get(o, key));

    return value && *value ? value : NULL;
}

static int64_t whole(json_t *o, const char *key, int64_t otherwise)
{
    json_t *v = json_object_get(o, key);

    return json_is_integer(v) ? json_integer_value(v) : otherwise;
}

/* An array of texts into `ret`, NULL-terminated; NULL when there is none. */
static const char *const *list(json_t *o, const char *key, const char **ret, size_t max)
{
    json_t *array = json_object_get(o, key), *entry;
    size_t i, n = 0;

    if (!json_is_array(array) || !json_array_size(array))
        return NULL;
    json_array_foreach(array, i, entry) if (json_is_string(entry) && n + 1 < max)
        ret[n++] = json_string_value(entry);
    ret[n] = NULL;
    return ret;
}

static void read_amounts(json_t *o, struct res *ret)
{
    ret->v[RES_PROCS] = whole(o, "procs", 1);
    ret->v[RES_MEM] = whole(o, "mem_mb", 0);
    ret->v[RES_SWAP] = whole(o, "swap_mb", 0);
    ret->v[RES_DISK] = whole(o, "disk_mb", 0);
}

static void read_request(struct draft *d, json_t *o, struct req_desc *ret)
{
    *ret = (struct req_desc){
        .os = text(o, "os"), .arch = text(o, "arch"), .network = text(o, "network")};
    read_amounts(json_object_get(o, "per_task"), &ret->per_task);
    ret->tasks = (uint32_t)whole(o, "tasks", 1);
    ret->nodes = (uint32_t)whole(o, "nodes", 0);
    ret->tpn = (uint32_t)whole(o, "tasks_per_node", 0);
    ret->features = list(o, "features", d->words[d->nlists++], WORDS_MAX);
    ret->prefs = list(o, "preferences", d->words[d->nlists++], WORDS_MAX);
    ret->hosts = list(o, "hosts", d->words[d->nlists++], WORDS_MAX);
    ret->exclude = list(o, "exclude_hosts", d->words[d->nlists++], WORDS_MAX);
}

static int read_requests(struct draft *d, json_t *o, struct err *err)
{
    json_t *array = json_object_get(o, "requests"), *entry;
    size_t i, n = json_array_size(array);

    if (n > REQS_MAX)
        return err_set(err, ERR_INVALID, "requests: at most %d are taken", REQS_MAX);
    json_array_foreach(array, i, entry) read_request(d, entry, &d->reqs[i]);
    if (n == 0)
        read_request(d, NULL, &d->reqs[0]);
    d->sub.job.desc.reqs = d->reqs;
    d->sub.job.desc.nreqs = n ? (uint32_t)n : 1;
    return 0;
}

/* "afterok:12" */
static int read_dependencies(struct draft *d, json_t *o, struct err *err)
{
    static const struct {
        const char *word;
        enum dep_type type;
    } types[] = {{"after", DEP_STARTED}, {"afterany", DEP_COMPLETED},
        {"afterok", DEP_SUCCESS}, {"afternotok", DEP_FAILED}};
    json_t *array = json_object_get(o, "dependencies"), *entry;
    size_t i, n = 0;

    json_array_foreach(array, i, entry)
    {
        const char *word = json_string_value(entry);
        const char *colon = word ? strchr(word, ':') : NULL;
        bool known = false;
        for (size_t k = 0; colon && k < sizeof types / sizeof types[0]; k++) {
            if (strlen(types[k].word) != (size_t)(colon - word)
                || strncmp(types[k].word, word, (size_t)(colon - word)) != 0)
                continue;
            if (n == DEPS_MAX)
                return err_set(
                    err, ERR_INVALID, "dependencies: at most %d are taken", DEPS_MAX);
            d->dep_ids[n] = xstrdup(colon + 1);
            d->deps[n] = (struct dep){types[k].type, d->dep_ids[n]};
            n++;
            known = true;
        }
        if (!known)
            return err_set(err, ERR_INVALID,
                "dependencies: '%.80s' is none of after:JOB, afterany:JOB, "
                "afterok:JOB, "
                "afternotok:JOB",
                word ? word : "");
    }
    if (n)
        d->sub.job.desc.deps = d->deps;
    return 0;
}

static int read_flags(struct draft *d, json_t *o, struct err *err)
{
    json_t *array = json_object_get(o, "flags"), *entry;
    size_t i;

    json_array_foreach(array, i, entry)
    {
        uint32_t bits = 0;
        if (!json_is_string(entry)
            || job_flags_parse(json_string_value(entry), &bits, err) < 0)
            return err_prefix(err, "flags: ");
        d->sub.job.desc.flags |= bits;
    }
    return 0;
}

static int read_draft(
    struct draft *d, json_t *o, const struct identity *who, struct err *err)
{
    struct rm_submission *sub = &d->sub;
    struct job_desc *desc = &sub->job.desc;

    if (!text(o, "script"))
        return err_set(
            err, ERR_INVALID, "script: the text of a batch script is needed");
    desc->cred[CRED_USER] = who->user;
    desc->cred[CRED_GROUP] = text(o, "group") ? text(o, "group") : who->group;
    desc->cred[CRED_ACCOUNT] = text(o, "account");
    desc->cred[CRED_CLASS] = text(o, "class");
    desc->cred[CRED_QOS] = text(o, "qos");
    desc->wclimit_s = whole(o, "wclimit_s", 0);
    desc->release_at = whole(o, "release_at", 0);
    desc->deadline_at = whole(o, "deadline_at", 0);
    desc->user_priority = whole(o, "priority", 0);
    desc->advres = text(o, "reservation");
    desc->partitions = list(o, "partitions", d->partitions, WORDS_MAX);
    if (json_is_true(json_object_get(o, "hold"))) {
        desc->state = JOB_HOLD;
        desc->rm_hold = HOLD_USER;
    }
    sub->job.name = text(o, "name");
    sub->job.directory = text(o, "directory");
    sub->job.output = text(o, "output");
    sub->job.error = text(o, "error");
    sub->script = text(o, "script");
    sub->argv = list(o, "arguments", d->arguments, WORDS_MAX);
    sub->environment = list(o, "environment", d->environment, WORDS_MAX * 4);
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

void api_submit(struct server *s, struct request *r)
{
    struct draft *d = xcalloc(1, sizeof *d);
    struct err err = {0};
    json_t *o = request_json(r, &err);

    if (!o || read_draft(d, o, request_who(r), &err) < 0)
        request_refuse(r, &err);
    else
        manager_submit(s, r, &d->sub);
    for (size_t i = 0; i < DEPS_MAX; i++)
        free(d->dep_ids[i]);
    free(d);
}
