/* SPDX-License-Identifier: Apache-2.0
 * request.json, read. The texts stay in the document; lists of pointers to them are
 * made beside. Every value is checked for type and range; what is missing has its usual
 * value. */
#include "config/flags.h"
#include "rm/local/request.h"
#include "rm/local/words.h"

#include <jansson.h>

#define REQS_MAX 64

struct request_memory {
    json_t *document;
    struct VEC(void *) blocks;
    struct VEC(struct nodeset_spec *) nodesets;
    struct err *err;
    bool failed;
};

static void *take(struct request_memory *m, size_t count, size_t size)
{
    void *block = xcalloc(count, size);

    vec_push(&m->blocks, block);
    return block;
}

static void wrong(struct request_memory *m, const char *key, const char *expected)
{
    if (!m->failed)
        err_set(m->err, ERR_INVALID, "request.json: \"%s\" is not %s", key, expected);
    m->failed = true;
}

static int64_t get_int(
    struct request_memory *m, const json_t *o, const char *key, int64_t min)
{
    const json_t *v = json_object_get(o, key);

    if (v == NULL)
        return 0;
    if (!json_is_integer(v) || json_integer_value(v) < min
        || json_integer_value(v) > DURATION_UNLIMITED) {
        wrong(m, key, "a number in range");
        return 0;
    }
    return json_integer_value(v);
}

static uint32_t get_u32(struct request_memory *m, const json_t *o, const char *key)
{
    int64_t v = get_int(m, o, key, 0);

    if (v > UINT32_MAX) {
        wrong(m, key, "a number in range");
        return 0;
    }
    return (uint32_t)v;
}

static const char *get_text(struct request_memory *m, const json_t *o, const char *key)
{
    const json_t *v = json_object_get(o, key);

    if (v == NULL)
        return NULL;
    if (!json_is_string(v))
        wrong(m, key, "a text");
    return json_string_value(v);
}

static bool get_bool(struct request_memory *m, const json_t *o, const char *key)
{
    const json_t *v = json_object_get(o, key);

    if (v != NULL && !json_is_boolean(v))
        wrong(m, key, "true or false");
    return json_is_true(v);
}

/* The list of that key, or NULL when there is none or it is wrong. */
static const json_t *get_list(
    struct request_memory *m, const json_t *o, const char *key)
{
    const json_t *v = json_object_get(o, key);

    if (v != NULL && !json_is_array(v)) {
        wrong(m, key, "a list");
        return NULL;
    }
    return v;
}

static const char *const *get_texts(
    struct request_memory *m, const json_t *o, const char *key)
{
    const json_t *list = get_list(m, o, key);
    const char **texts;

    if (list == NULL)
        return NULL;
    texts = take(m, json_array_size(list) + 1, sizeof *texts);
    for (size_t i = 0; i < json_array_size(list); i++) {
        texts[i] = json_string_value(json_array_get(list, i));
        if (texts[i] == NULL) {
            wrong(m, key, "a list of texts");
            return NULL;
        }
    }
    return texts;
}

/* Index of a word in a table, `none` when the word is missing or wrong. */
static int find_word(const char *const *words, size_t n, const char *word, int none)
{
    for (size_t i = 0; word != NULL && i < n; i++)
        if (words[i] != NULL && strcmp(words[i], word) == 0)
            return (int)i;
    return none;
}

static int get_word(struct request_memory *m, const json_t *o, const char *key,
    const char *const *words, size_t n)
{
    const char *word = get_text(m, o, key);
    int found = find_word(words, n, word, -1);

    if (word != NULL && found < 0)
        wrong(m, key, "a word known here");
    return found;
}

static const struct gres_cfg *get_gres(struct request_memory *m, json_t *o)
{
    json_t *set = json_object_get(o, "gres"), *value;
    struct gres_cfg *gres;
    const char *name;
    size_t n = 0;

    if (set == NULL)
        return NULL;
    if (!json_is_object(set)) {
        wrong(m, "gres", "a set of counts");
        return NULL;
    }
    gres = take(m, json_object_size(set) + 1, sizeof *gres);
    json_object_foreach(set, name, value)
    {
        gres[n].name = (char *)name;
        gres[n++].count = get_int(m, set, name, 0);
    }
    return gres;
}

static struct cmp get_cmp(struct request_memory *m, const json_t *o, const char *key)
{
    const json_t *pair = get_list(m, o, key), *value;
    int op;

    if (pair == NULL)
        return (struct cmp){0};
    op = find_word(WORDS(cmp_words), json_string_value(json_array_get(pair, 0)), -1);
    value = json_array_get(pair, 1);
    if (op < 0 || !json_is_integer(value)) {
        wrong(m, key, "a comparison");
        return (struct cmp){0};
    }
    return (struct cmp){(enum cmp_op)op, json_integer_value(value)};
}

static const struct nodeset_spec *get_nodeset(struct request_memory *m, const json_t *o)
{
    const json_t *in = json_object_get(o, "nodeset");
    struct nodeset_spec *set;
    const char *const *list;
    int policy, attr;

    if (in == NULL)
        return NULL;
    policy = get_word(m, in, "policy", WORDS(nodeset_words));
    attr = get_word(m, in, "attr", WORDS(nodeset_attr_words));
    list = get_texts(m, in, "list");
    if (policy < 0) {
        wrong(m, "nodeset", "a node set");
        return NULL;
    }
    set = take(m, 1, sizeof *set);
    set->policy = (enum nodeset_policy)policy;
    set->attr = attr < 0 ? NODESET_ATTR_UNSET : (enum nodeset_attr)attr;
    for (; list != NULL && *list != NULL; list++)
        vec_push(&set->list, (char *)*list); /* borrowed from the document */
    vec_push(&m->nodesets, set);
    return set;
}

static void read_req(struct request_memory *m, json_t *o, struct req_desc *r)
{
    int access = get_word(m, o, "access", WORDS(access_words));
    int nodealloc = get_word(m, o, "nodealloc", WORDS(nodealloc_words));

    for (int i = 0; i < RES_DIMS; i++)
        r->per_task.v[i] = get_int(m, o, res_words[i], -1);
    r->tasks = get_u32(m, o, "tasks");
    r->nodes = get_u32(m, o, "nodes");
    r->tpn = get_u32(m, o, "tpn");
    r->features = get_texts(m, o, "features");
    r->prefs = get_texts(m, o, "preferred");
    r->hosts = get_texts(m, o, "hosts");
    r->exclude = get_texts(m, o, "exclude");
    r->gres = get_gres(m, o);
    r->os = get_text(m, o, "os");
    r->arch = get_text(m, o, "arch");
    r->network = get_text(m, o, "network");
    r->procs = get_cmp(m, o, "node_procs");
    r->mem = get_cmp(m, o, "node_mem_mb");
    r->swap = get_cmp(m, o, "node_swap_mb");
    r->disk = get_cmp(m, o, "node_disk_mb");
    r->access = access < 0 ? ACCESS_UNSET : (enum access_policy)access;
    r->nodealloc = nodealloc < 0 ? NODEALLOC_UNSET : (enum nodealloc_policy)nodealloc;
    r->nodeset = get_nodeset(m, o);
}

static void read_reqs(struct request_memory *m, const json_t *o, struct job_desc *d)
{
    const json_t *list = get_list(m, o, "requests");
    struct req_desc *reqs;
    size_t n = json_array_size(list);

    if (n == 0 || n > REQS_MAX) {
        wrong(m, "requests", "a list of 1 to 64 requests");
        return;
    }
    d->nreqs = (uint32_t)n;
    d->reqs = reqs = take(m, n, sizeof *reqs);
    for (size_t i = 0; i < n; i++)
        read_req(m, json_array_get(list, i), &reqs[i]);
}

static uint32_t read_flags(struct request_memory *m, const json_t *o)
{
    const char *const *words = get_texts(m, o, "flags");
    uint32_t all = 0, bits;

    for (; words != NULL && *words != NULL; words++) {
        if (job_flags_parse(*words, &bits, NULL) == 0)
            all |= bits;
        else
            wrong(m, "flags", "a list of job flags");
    }
    return all;
}

static const struct dep *read_deps(struct request_memory *m, const json_t *o)
{
    const json_t *list = get_list(m, o, "dependencies");
    struct dep *deps;

    if (list == NULL)
        return NULL;
    deps = take(m, json_array_size(list) + 1, sizeof *deps);
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *pair = json_array_get(list, i);
        const char *word = json_string_value(json_array_get(pair, 0));
        const char *job = json_string_value(json_array_get(pair, 1));
        int type = find_word(WORDS(dep_words), word, -1);

        if (type < 0 || job == NULL) {
            wrong(m, "dependencies", "a list of dependencies");
            return NULL;
        }
        deps[i] = (struct dep){(enum dep_type)type, (char *)job};
    }
    return deps;
}

static void read_desc(struct request_memory *m, const json_t *o, struct job_desc *d)
{
    d->id = get_text(m, o, "id");
    if (d->id == NULL || *d->id == '\0')
        wrong(m, "id", "the job's id");
    for (int i = 0; i < CRED_KINDS; i++)
        d->cred[i] = get_text(m, o, cred_words[i]);
    d->submit_at = get_int(m, o, "submit_at", 0);
    d->eligible_at = get_int(m, o, "eligible_at", 0);
    d->wclimit_s = get_int(m, o, "wclimit_s", 0);
    d->release_at = get_int(m, o, "release_at", 0);
    d->deadline_at = get_int(m, o, "deadline_at", 0);
    d->rm_hold = (uint8_t)(get_u32(m, o, "holds") & 0xff);
    d->user_priority = get_int(m, o, "priority", -DURATION_UNLIMITED);
    d->flags = read_flags(m, o);
    read_reqs(m, o, d);
    d->partitions = get_texts(m, o, "partitions");
    d->deps = read_deps(m, o);
    d->advres = get_text(m, o, "advres");
    d->command = get_text(m, o, "command");
}

static void read_all(struct request_memory *m, const json_t *o, struct request *r)
{
    read_desc(m, o, &r->job.desc);
    r->job.name = get_text(m, o, "name");
    r->job.directory = get_text(m, o, "directory");
    r->job.output = get_text(m, o, "output");
    r->job.error = get_text(m, o, "error");
    r->job.cpu_s = -1;
    r->job.mem_mb = -1;
    r->argv = get_texts(m, o, "argv");
    r->script = get_bool(m, o, "script");
    r->rerunnable = get_bool(m, o, "rerunnable");
    r->join = get_bool(m, o, "join");
    r->umask = get_u32(m, o, "umask") & 0777;
    r->uid = get_u32(m, o, "uid");
    r->gid = get_u32(m, o, "gid");
    /* whoever it is, it is said: a damaged record must not make a job root's */
    if (!json_is_integer(json_object_get(o, "uid")))
        wrong(m, "uid", "the number of a user");
    if (!json_is_integer(json_object_get(o, "gid")))
        wrong(m, "gid", "the number of a group");
    if (!r->script && (r->argv == NULL || r->argv[0] == NULL))
        wrong(m, "argv", "a command, and there is no script");
}

struct request *request_read(const char *text, size_t len, struct err *err)
{
    struct request *r = xcalloc(1, sizeof *r);
    json_error_t where;

    r->memory = xcalloc(1, sizeof *r->memory);
    r->memory->err = err;
    r->memory->document = json_loadb(text, len, JSON_REJECT_DUPLICATES, &where);
    if (r->memory->document == NULL) {
        r->memory->failed = true;
        err_set(err, ERR_INVALID, "request.json:%d: %s", where.line, where.text);
    } else {
        read_all(r->memory, r->memory->document, r);
    }
    if (r->memory->failed) {
        request_free(r);
        return NULL;
    }
    return r;
}

void request_free(struct request *r)
{
    if (r == NULL)
        return;
    for (size_t i = 0; i < r->memory->nodesets.n; i++)
        vec_fini(&r->memory->nodesets.v[i]->list);
    vec_fini(&r->memory->nodesets);
    for (size_t i = 0; i < r->memory->blocks.n; i++)
        free(r->memory->blocks.v[i]);
    vec_fini(&r->memory->blocks);
    json_decref(r->memory->document);
    free(r->memory);
    free(r);
}

int64_t request_mem_mb(const struct request *r)
{
    int64_t sum = 0;

    for (uint32_t i = 0; i < r->job.desc.nreqs; i++) {
        const struct req_desc *q = &r->job.desc.reqs[i];
        int64_t tasks = q->tasks != 0 ? q->tasks : 1, mb = q->per_task.v[RES_MEM];

        if (mb <= 0 || mb > INT64_MAX / 1024 / 1024 / 64 / tasks)
            return 0; /* one of them may use all there is */
        sum += mb * tasks;
    }
    return sum;
}

int64_t request_procs_per_task(const struct request *r)
{
    int64_t procs = 0, tasks = 0;

    for (uint32_t i = 0; i < r->job.desc.nreqs; i++) {
        const struct req_desc *q = &r->job.desc.reqs[i];
        int64_t n = q->tasks != 0 ? q->tasks : 1, each = q->per_task.v[RES_PROCS];

        if (each < 0)
            return 0;
        if (each > INT32_MAX)
            each = INT32_MAX;
        procs += n * (each != 0 ? each : 1);
        tasks += n;
    }
    return tasks != 0 ? (procs + tasks - 1) / tasks : 0;
}
