/* SPDX-License-Identifier: Apache-2.0
 * Resource lists (-l), extension attributes (-W x=) and dependencies. Both lists have
 * the same names. Source: reference rm-interfaces 6. */
#include "base/nearest.h"
#include "base/xalloc.h"
#include "client/jobs/jobspec.h"
#include "config/config.h"
#include "config/flags.h"
#include "config/value.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

/* A name in a list. `set` gets `key`. */
struct resource_row {
    const char *name;
    int (*set)(struct jobspec *s, const char *key, const char *value, struct err *err);
    const char *key;
};

/* Kept as it is: jobspec_geometry.c makes something of all of them together. */
static int keep(struct jobspec *s, const char *key, const char *value, struct err *err)
{
    if (json_object_set_new(s->resources, key, json_string(value)) < 0)
        return err_set(err, ERR_INVALID, "the value is not UTF-8");
    return 0;
}

static int put_walltime(
    struct jobspec *s, const char *key, const char *value, struct err *err)
{
    int64_t seconds;

    if (duration_parse(value, &seconds, err) < 0)
        return -1;
    jobspec_put_seconds(s, key, seconds);
    return 0;
}

/* Names separated by : or , */
static int put_names(
    struct jobspec *s, const char *key, const char *value, struct err *err)
{
    json_t *list = json_array();
    char *word;
    int status = 0;

    while (status == 0 && (word = value_next_word(&value, ":,")) != NULL) {
        if (json_array_append_new(list, json_string(word)) < 0)
            status = err_set(err, ERR_INVALID, "the value is not UTF-8");
        free(word);
    }
    if (status == 0 && json_array_size(list) == 0)
        status = err_set(err, ERR_INVALID, "a name is needed");
    if (status == 0)
        json_object_set(s->o, key, list);
    json_decref(list);
    return status;
}

/* FLAGS=RESTARTABLE,ADVRES:system.1 */
static int put_flags(
    struct jobspec *s, const char *key, const char *value, struct err *err)
{
    struct text_list reservations = {0}, hosts = {0};
    json_t *list = json_array();
    uint32_t bits = 0;
    int status = job_flags_parse_names(value, &bits, &reservations, &hosts, err);

    for (; status == 0 && bits; bits &= bits - 1)
        if (job_flag_name(bits & -bits))
            json_array_append_new(list, json_string(job_flag_name(bits & -bits)));
    if (status == 0 && reservations.n)
        status = jobspec_put_text(s, "reservation", reservations.v[0], err);
    if (status == 0 && hosts.n)
        status = err_set(
            err, ERR_INVALID, "hosts are asked for by HOSTLIST=, not by a flag");
    if (status == 0)
        json_object_set(s->o, key, list);
    json_decref(list);
    text_list_fini(&reservations);
    text_list_fini(&hosts);
    return status;
}

/* QUEUEJOB=FALSE: start at once or not at all. */
static int put_queuejob(
    struct jobspec *s, const char *key, const char *value, struct err *err)
{
    bool queue;

    if (value_bool(value, &queue, err) < 0)
        return -1;
    return queue ? 0 : put_flags(s, key, "NOQUEUE", err);
}

/* PREF=FEATURE:fast, with or without parentheses. */
static int put_preference(
    struct jobspec *s, const char *key, const char *value, struct err *err)
{
    char *text = xstrdup(value + strspn(value, "("));
    int status;

    text[strcspn(text, ")")] = '\0';
    status = strncasecmp(text, "FEATURE", 7) == 0 && text[7] && strchr(":=", text[7])
                 ? keep(s, key, text + 8, err)
                 : err_set(err, ERR_INVALID, "'%.60s' is no FEATURE:NAME", value);
    free(text);
    return status;
}

static int put_quote(
    struct jobspec *s, const char *key, const char *value, struct err *err)
{
    char *end;
    long long n = strtoll(value, &end, 10);

    if (*end || end == value || n < 1)
        return err_set(err, ERR_INVALID,
            "'%.40s': expected the number that mam-quote told", value);
    json_object_set_new(s->o, key, json_integer(n));
    return 0;
}

static int no_effect(
    struct jobspec *s, const char *key, const char *value, struct err *err)
{
    (void)key;
    (void)value;
    (void)err;
    jobspec_warn(s, "limits on processor time are not enforced: walltime is");
    return 0;
}

static int unsupported(
    struct jobspec *s, const char *key, const char *value, struct err *err)
{
    (void)s;
    (void)key;
    (void)value;
    return err_set(err, ERR_INVALID, "not supported");
}

static const struct resource_row rows[] = {
    {"nodes", keep, "nodes"},
    {"procs", keep, "procs"},
    {"ncpus", keep, "ncpus"},
    {"tpn", keep, "tpn"},
    {"walltime", put_walltime, "wclimit_s"},
    {"mem", keep, "mem"},
    {"pmem", keep, "pmem"},
    {"dmem", keep, "pmem"},
    {"vmem", keep, "vmem"},
    {"pvmem", keep, "pvmem"},
    {"file", keep, "pdisk"},
    {"ddisk", keep, "pdisk"},
    {"qos", jobspec_put_text, "qos"},
    {"queue", jobspec_put_text, "class"},
    {"class", jobspec_put_text, "class"},
    {"account", jobspec_put_text, "account"},
    {"comment", jobspec_put_text, "comment"},
    {"feature", keep, "feature"},
    {"pref", put_preference, "pref"},
    {"gres", keep, "gres"},
    {"software", keep, "gres"},
    {"hostlist", keep, "hostlist"},
    {"host", keep, "hostlist"},
    {"excludenodes", keep, "excludenodes"},
    {"arch", keep, "arch"},
    {"opsys", keep, "os"},
    {"os", keep, "os"},
    {"network", keep, "network"},
    {"naccesspolicy", keep, "access"},
    {"nallocpolicy", keep, "allocation"},
    {"nodeset", keep, "node_set"},
    {"partition", put_names, "partitions"},
    {"advres", jobspec_put_text, "reservation"},
    {"flags", put_flags, "flags"},
    {"queuejob", put_queuejob, "flags"},
    {"depend", jobspec_put_depend, "dependencies"},
    {"deadline", jobspec_put_instant, "deadline_at"},
    {"prio", jobspec_put_priority, "priority"},
    {"quote", put_quote, "quote"},
    {"cput", no_effect, NULL},
    {"pcput", no_effect, NULL},
    {"mfeature", unsupported, NULL},
    {"mmem", unsupported, NULL},
    {"sge", unsupported, NULL},
    {"sid", unsupported, NULL},
    {"sjid", unsupported, NULL},
    {"trl", unsupported, NULL},
};

/* What only #SBATCH says, by names that are no words of a list. */
static const struct resource_row slurm_rows[] = {
    {"nodecount", keep, "nodecount"},
    {"tasks", keep, "tasks"},
    {"cpus", keep, "cpus"},
    {"nodemem", keep, "nodemem"},
    {"cpumem", keep, "cpumem"},
    {"nodegres", keep, "nodegres"},
};

static const struct resource_row *find_row(const char *name, struct err *err)
{
    struct nearest near;
    char lower[40] = "";

    for (size_t i = 0; name[i] && i + 1 < sizeof lower; i++)
        lower[i] = name[i] >= 'A' && name[i] <= 'Z' ? (char)(name[i] + 32) : name[i];
    nearest_init(&near, lower);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (strcasecmp(name, rows[i].name) == 0)
            return &rows[i];
        nearest_offer(&near, rows[i].name);
    }
    if (nearest_best(&near))
        err_set(err, ERR_INVALID, "resource '%.40s' is not known; did you mean '%s'?",
            name, nearest_best(&near));
    else
        err_set(err, ERR_INVALID, "resource '%.40s' is not known", name);
    return NULL;
}

static int set_row(struct jobspec *s, const struct resource_row *row, const char *value,
    struct err *err)
{
    if (!*value)
        return err_set(err, ERR_INVALID, "%s: a value is needed", row->name);
    if (row->set(s, row->key, value, err) < 0)
        return err_prefix(err, "%s: ", row->name);
    return 0;
}

int jobspec_resource(
    struct jobspec *s, const char *name, const char *value, struct err *err)
{
    const struct resource_row *row = NULL;

    for (size_t i = 0; i < sizeof slurm_rows / sizeof slurm_rows[0]; i++)
        if (strcmp(name, slurm_rows[i].name) == 0)
            row = &slurm_rows[i];
    if (!row)
        row = find_row(name, err);
    return row ? set_row(s, row, value, err) : -1;
}

/* One NAME=VALUE of a list. */
static int take_pair(struct jobspec *s, const char *text, size_t len,
    const char *separators, struct err *err)
{
    size_t name_len = strcspn(text, separators);
    const struct resource_row *row;
    char *name, *value;
    int status;

    if (name_len >= len)
        return err_set(err, ERR_INVALID, "'%.*s' is no NAME=VALUE",
            (int)(len < 60 ? len : 60), text);
    name = xstrndup(text, name_len);
    row = find_row(name, err);
    value = xstrndup(text + name_len + 1, len - name_len - 1);
    status = row ? set_row(s, row, value, err) : -1;
    free(name);
    free(value);
    return status;
}

/* Up to the comma behind which another NAME= begins: values have commas themselves. */
static size_t pair_length(const char *text)
{
    size_t len = strcspn(text, ",");

    while (text[len]) {
        const char *next = text + len + 1;
        size_t word = strcspn(next, ",=");
        if (next[word] == '=')
            break;
        len += 1 + strcspn(next, ",");
    }
    return len;
}

int jobspec_list(struct jobspec *s, const char *text, struct err *err)
{
    while (*text) {
        size_t len = pair_length(text);
        if (take_pair(s, text, len, "=", err) < 0)
            return -1;
        text += len + (text[len] != '\0');
    }
    return 0;
}

int jobspec_extensions(struct jobspec *s, const char *text, struct err *err)
{
    while (*text) {
        text += strspn(text, " \t\"");
        size_t len = strcspn(text, ";\n\"");
        if (len && take_pair(s, text, len, ":=", err) < 0)
            return -1;
        text += len + (text[len] != '\0');
    }
    return 0;
}

/* ---- dependencies ---- */

static int check_type(const char *type, struct err *err)
{
    static const char *const known[] = {"after", "afterany", "afterok", "afternotok"};
    struct nearest near;

    nearest_init(&near, type);
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (strcmp(type, known[i]) == 0)
            return 0;
        nearest_offer(&near, known[i]);
    }
    if (strncmp(type, "before", 6) == 0)
        return err_set(err, ERR_INVALID,
            "'%.40s' is not supported: let the later job depend on this one, by after",
            type);
    if (nearest_best(&near))
        return err_set(err, ERR_INVALID,
            "dependency '%.40s' is not known; did you mean '%s'?", type,
            nearest_best(&near));
    return err_set(err, ERR_INVALID,
        "dependency '%.40s' is not one of after, afterany, afterok, afternotok", type);
}

/* TYPE:JOB[:JOB...] */
static int add_clause(json_t *list, const char *clause, struct err *err)
{
    char *type = value_next_word(&clause, ":"), *job;
    int status = type ? check_type(type, err) : 0;
    size_t before = json_array_size(list);

    while (status == 0 && type && (job = value_next_word(&clause, ":")) != NULL) {
        if (strchr(job, '@')) /* 12@server */
            *strchr(job, '@') = '\0';
        if (json_array_append_new(list, json_sprintf("%s:%s", type, job)) < 0)
            status = err_set(err, ERR_INVALID, "a job's id is not UTF-8");
        free(job);
    }
    if (status == 0 && json_array_size(list) == before)
        status =
            err_set(err, ERR_INVALID, "'%.40s': expected TYPE:JOB", type ? type : "");
    free(type);
    return status;
}

int jobspec_put_depend(
    struct jobspec *s, const char *key, const char *text, struct err *err)
{
    json_t *list = json_array();
    char *clause;
    int status = 0;

    if (strchr(text, '?'))
        status = err_set(
            err, ERR_INVALID, "alternatives (?) are not supported: all must hold");
    while (status == 0 && (clause = value_next_word(&text, ",&")) != NULL) {
        status = add_clause(list, clause, err);
        free(clause);
    }
    if (status == 0 && json_array_size(list) == 0)
        status = err_set(err, ERR_INVALID, "expected TYPE:JOB");
    if (status == 0)
        json_object_set(s->o, key, list);
    json_decref(list);
    return status;
}
