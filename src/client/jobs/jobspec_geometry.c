/* SPDX-License-Identifier: Apache-2.0
 * How many tasks, where, with what: the member `requests` of a JobRequest.
 *
 * nodes=N:ppn=P is N nodes with P tasks of one processor; ncpus=N one task of N;
 * procs=N that many tasks anywhere. mem= and vmem= are of the whole job and shared out
 * to its tasks, pmem= and pvmem= of a task. */
#include "base/nearest.h"
#include "base/xalloc.h"
#include "client/jobs/jobspec.h"
#include "config/settings.h"
#include "config/texts.h"
#include "config/value.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define COUNT_MOST 10000000

/* Of the whole job. 0 = not asked. */
struct geometry {
    json_t *r; /* name -> text */
    int64_t tasks, nodes, tpn, cpus;
};

static const char *asked(const struct geometry *g, const char *name)
{
    return json_string_value(json_object_get(g->r, name));
}

static int get_count(
    const struct geometry *g, const char *name, int64_t *ret, struct err *err)
{
    const char *text = asked(g, name);

    if (text && value_int(text, 1, COUNT_MOST, ret, err) < 0)
        return err_prefix(err, "%s: ", name);
    return 0;
}

/* The line's word wins; and when it says anything of the shape, the whole of the
 * script's is forgotten. */
static json_t *merged(const struct jobspec *s)
{
    static const char *const shape[] = {
        "nodes", "procs", "ncpus", "tpn", "nodecount", "tasks", "cpus"};
    json_t *all = json_copy(s->of_script);
    bool other = false;

    for (size_t i = 0; i < sizeof shape / sizeof shape[0]; i++)
        other =
            other
            || (json_object_get(s->of_line, shape[i]) && strcmp(shape[i], "tpn") != 0);
    for (size_t i = 0; other && i < sizeof shape / sizeof shape[0]; i++)
        json_object_del(all, shape[i]);
    json_object_update(all, s->of_line);
    return all;
}

/* ---- nodes= ---- */

static void append(json_t *request, const char *key, const char *word)
{
    json_t *list = json_object_get(request, key);

    if (!list) {
        list = json_array();
        json_object_set_new(request, key, list);
    }
    json_array_append_new(list, json_string(word));
}

/* One part of nodes=: COUNT or HOST, then ppn=N and features, in any order. */
static json_t *node_part(const char *part, struct err *err)
{
    json_t *request = json_object();
    int64_t nodes = 1, ppn = 1;
    const char *p = part;
    bool first = true;
    char *word;
    int status = 0;

    while (status == 0 && (word = value_next_word(&p, ":")) != NULL) {
        if (strncmp(word, "ppn=", 4) == 0)
            status = value_int(word + 4, 1, COUNT_MOST, &ppn, err);
        else if (first && strspn(word, "0123456789") == strlen(word))
            status = value_int(word, 1, COUNT_MOST, &nodes, err);
        else if (strchr(word, '='))
            status = err_set(err, ERR_INVALID,
                "'%.40s': of a node only ppn=N and features are asked", word);
        else
            append(request, first ? "hosts" : "features", word);
        first = false;
        free(word);
    }
    if (status == 0 && (first || nodes * ppn > COUNT_MOST))
        status = err_set(
            err, ERR_INVALID, "'%.60s': expected COUNT[:ppn=N][:FEATURE]", part);
    if (status < 0) {
        err_prefix(err, "nodes: ");
        json_decref(request);
        return NULL;
    }
    json_object_set_new(request, "tasks", json_integer(nodes * ppn));
    json_object_set_new(request, "nodes", json_integer(nodes));
    json_object_set_new(request, "tasks_per_node", json_integer(ppn));
    return request;
}

static json_t *node_parts(struct geometry *g, const char *text, struct err *err)
{
    json_t *list = json_array();
    char *part;

    g->tasks = 0;
    while ((part = value_next_word(&text, "+")) != NULL) {
        json_t *request = node_part(part, err);
        free(part);
        if (!request) {
            json_decref(list);
            return NULL;
        }
        g->tasks += json_integer_value(json_object_get(request, "tasks"));
        json_array_append_new(list, request);
    }
    if (json_array_size(list))
        return list;
    json_decref(list);
    err_set(err, ERR_INVALID, "nodes: expected COUNT[:ppn=N][:FEATURE]");
    return NULL;
}

/* ---- other shapes ---- */

static int read_counts(struct geometry *g, struct err *err)
{
    int64_t procs = 0;

    if (get_count(g, "nodecount", &g->nodes, err) < 0
        || get_count(g, "tasks", &g->tasks, err) < 0
        || get_count(g, "procs", &procs, err) < 0
        || get_count(g, "ncpus", &g->cpus, err) < 0
        || get_count(g, "cpus", &g->cpus, err) < 0
        || get_count(g, "tpn", &g->tpn, err) < 0)
        return -1;
    if (procs && g->tasks)
        return err_set(err, ERR_INVALID, "procs and tasks are the same: one is enough");
    g->tasks = g->tasks ? g->tasks : procs;
    if (!g->tasks && g->nodes)
        g->tasks = g->nodes * (g->tpn ? g->tpn : 1);
    if (!g->tasks)
        g->tasks = g->tpn ? g->tpn : 1;
    if (g->nodes && !g->tpn && g->tasks % g->nodes == 0)
        g->tpn = g->tasks / g->nodes;
    if (g->tasks > COUNT_MOST)
        return err_set(err, ERR_INVALID, "more than %d tasks", COUNT_MOST);
    return 0;
}

static json_t *plain_shape(const struct geometry *g)
{
    json_t *request = json_object();

    json_object_set_new(request, "tasks", json_integer(g->tasks));
    if (g->nodes)
        json_object_set_new(request, "nodes", json_integer(g->nodes));
    if (g->tpn)
        json_object_set_new(request, "tasks_per_node", json_integer(g->tpn));
    return json_pack("[o]", request);
}

/* ---- per task ---- */

/* `whole` is of the job, `each` of a task: the larger. */
static int get_size(const struct geometry *g, const char *whole, const char *each,
    int64_t *ret, struct err *err)
{
    const char *of_job = whole ? asked(g, whole) : NULL, *of_task = asked(g, each);
    int64_t mb = 0;

    if (of_task && value_size_mb(of_task, ret, err) < 0)
        return err_prefix(err, "%s: ", each);
    if (!of_job)
        return 0;
    if (value_size_mb(of_job, &mb, err) < 0)
        return err_prefix(err, "%s: ", whole);
    assert(g->tasks > 0); /* no shape is without any */
    mb = (mb + g->tasks - 1) / g->tasks;
    if (mb > *ret)
        *ret = mb;
    return 0;
}

/* Slurm tells amounts of a node: shared out to the tasks on it. */
static int of_node(const struct geometry *g, const char *name, int64_t amount,
    int64_t *ret, struct err *err)
{
    int64_t on_node = g->tasks == 1 ? 1 : g->tpn;

    if (!on_node)
        return err_set(err, ERR_INVALID,
            "--%s is of a node: --ntasks-per-node must say how many tasks share it",
            name);
    *ret = (amount + on_node - 1) / on_node;
    return 0;
}

static int get_memory(const struct geometry *g, int64_t *ret, struct err *err)
{
    int64_t mb = 0, each = 0;

    if (get_size(g, "mem", "pmem", ret, err) < 0
        || get_size(g, NULL, "cpumem", &each, err) < 0
        || get_size(g, NULL, "nodemem", &mb, err) < 0)
        return -1;
    if (each)
        *ret = each * (g->cpus ? g->cpus : 1);
    return mb ? of_node(g, "mem", mb, ret, err) : 0;
}

/* "matlab:2+tape", "matlab@2,tape" */
static int put_gres(const struct geometry *g, json_t *per_task, struct err *err)
{
    const char *text = asked(g, "gres"), *of_nodes = asked(g, "nodegres"), *p;
    json_t *set = json_object();
    char *word;
    int status = 0;

    p = text ? text : of_nodes ? of_nodes : "";
    while (status == 0 && (word = value_next_word(&p, ",+")) != NULL) {
        size_t at = strcspn(word, "@:");
        int64_t n = 1;
        if (word[at]) {
            const char *count = strrchr(word + at, ':'); /* gpu:a100:2 */
            count = count ? count : word + at;
            word[at] = '\0';
            status = value_int(count + 1, 1, COUNT_MOST, &n, err);
        }
        if (status == 0 && !text)
            status = of_node(g, "gres", n, &n, err);
        if (status == 0 && json_object_set_new(set, word, json_integer(n)) < 0)
            status = err_set(err, ERR_INVALID, "a name is not UTF-8");
        free(word);
    }
    if (status == 0 && json_object_size(set))
        json_object_set(per_task, "gres", set);
    json_decref(set);
    return status < 0 ? err_prefix(err, "gres: ") : 0;
}

static json_t *per_task(const struct geometry *g, struct err *err)
{
    json_t *o = json_object();
    int64_t mem = 0, swap = 0, disk = 0;

    if (get_memory(g, &mem, err) < 0 || get_size(g, "vmem", "pvmem", &swap, err) < 0
        || get_size(g, NULL, "pdisk", &disk, err) < 0 || put_gres(g, o, err) < 0) {
        json_decref(o);
        return NULL;
    }
    json_object_set_new(o, "procs", json_integer(g->cpus ? g->cpus : 1));
    if (mem)
        json_object_set_new(o, "mem_mb", json_integer(mem));
    if (swap)
        json_object_set_new(o, "swap_mb", json_integer(swap));
    if (disk)
        json_object_set_new(o, "disk_mb", json_integer(disk));
    return o;
}

/* ---- where ---- */

static const struct {
    const char *name, *key;
    bool list;
} places[] = {
    {"feature", "features", true},
    {"pref", "preferences", true},
    {"hostlist", "hosts", true},
    {"excludenodes", "exclude_hosts", true},
    {"arch", "arch", false},
    {"os", "os", false},
    {"network", "network", false},
    {"access", "access", false},
    {"allocation", "allocation", false},
    {"node_set", "node_set", false},
};

static void put_places(const struct geometry *g, json_t *request)
{
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        const char *text = asked(g, places[i].name);
        char *word;
        if (!text)
            continue;
        if (!places[i].list)
            json_object_set_new(request, places[i].key, json_string(text));
        while (places[i].list && (word = value_next_word(&text, ":,&+")) != NULL) {
            append(request, places[i].key, word);
            free(word);
        }
    }
}

static int check_access(const struct geometry *g, struct err *err)
{
    static const char *const words[] = {
        "SHARED", "SINGLEJOB", "SINGLETASK", "SINGLEUSER"};
    const char *text = asked(g, "access");

    for (size_t i = 0; text && i < sizeof words / sizeof words[0]; i++)
        if (strcasecmp(text, words[i]) == 0) {
            json_object_set_new(g->r, "access", json_string(words[i]));
            return 0;
        }
    return !text ? 0
                 : err_set(err, ERR_INVALID,
                     "naccesspolicy: '%.40s' is not one of SHARED, SINGLEJOB, "
                     "SINGLETASK, "
                     "SINGLEUSER",
                     text);
}

static json_t *shape(struct geometry *g, struct err *err)
{
    const char *nodes = asked(g, "nodes");

    if (!nodes)
        return read_counts(g, err) < 0 ? NULL : plain_shape(g);
    if (asked(g, "procs") || asked(g, "ncpus") || asked(g, "tpn")) {
        err_set(err, ERR_INVALID,
            "nodes= gives the whole layout: %s= cannot be combined with it",
            asked(g, "procs")   ? "procs"
            : asked(g, "ncpus") ? "ncpus"
                                : "tpn");
        return NULL;
    }
    return node_parts(g, nodes, err);
}

int jobspec_requests(struct jobspec *s, struct err *err)
{
    struct geometry g = {.r = merged(s)};
    json_t *list = check_access(&g, err) < 0 ? NULL : shape(&g, err), *request;
    json_t *each = list ? per_task(&g, err) : NULL;
    size_t i;

    if (each)
        json_array_foreach(list, i, request)
        {
            put_places(&g, request);
            json_object_set_new(request, "per_task", json_deep_copy(each));
        }
    if (each)
        json_object_set(s->o, "requests", list);
    json_decref(g.r);
    json_decref(list);
    json_decref(each);
    return each ? 0 : -1;
}
