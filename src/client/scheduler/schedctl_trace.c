/* SPDX-License-Identifier: Apache-2.0
 * schedctl -n and -j. */
#include "client/scheduler/schedctl_trace.h"

#include "base/strbuf.h"
#include "config/flags.h"
#include "trace/jobtrace.h"
#include "trace/restrace.h"
#include "trace/tracewords.h"

#include <stdio.h>
#include <strings.h>
#include <unistd.h>

/* ---- -n ---- */

struct dump {
    struct arena texts;
};

/* A list of names as a record has it; NULL = none. */
static const char *const *names_of(struct arena *a, const json_t *list)
{
    size_t i, n = json_array_size(list);
    const char **names = n ? arena_take(a, n + 1, sizeof *names) : NULL;

    for (i = 0; i < n; i++)
        names[i] = json_string_value(json_array_get(list, i));
    return names;
}

static const struct gres_cfg *classes_of(struct arena *a, const json_t *list)
{
    size_t i, n = json_array_size(list);
    struct gres_cfg *classes = n ? arena_take(a, n + 1, sizeof *classes) : NULL;

    for (i = 0; i < n; i++) {
        const json_t *o = json_array_get(list, i);

        classes[i] = (struct gres_cfg){
            (char *)get_text(o, "name", ""), get_int(o, "configured", 1)};
    }
    return classes;
}

static int event_of(const char *state)
{
    if (strncasecmp(state, "Drain", 5) == 0)
        return 2;
    return strcasecmp(state, "Down") == 0 || strcasecmp(state, "Unknown") == 0;
}

static void print_node(void *ctx, json_t *o)
{
    struct dump *d = ctx;
    const json_t *cfg = json_object_get(o, "configured");
    char *speed = arena_take(&d->texts, 1, 32);
    struct restrace_node n = {.event = event_of(get_text(o, "state", "")),
        .at = get_int(o, "at", 0),
        .name = get_text(o, "name", ""),
        .rm = get_text(o, "rm", NULL),
        .swap_mb = get_int(cfg, "swap_mb", 0),
        .mem_mb = get_int(cfg, "mem_mb", 0),
        .disk_mb = get_int(cfg, "disk_mb", 0),
        .procs = (int64_t)get_real(cfg, "procs", 1),
        .frame = get_int(o, "frame", -1),
        .slot = get_int(o, "slot", -1),
        .slots = get_int(o, "slots", 1),
        .os = get_text(o, "os", NULL),
        .arch = get_text(o, "arch", NULL),
        .features = names_of(&d->texts, json_object_get(o, "features")),
        .classes = classes_of(&d->texts, json_object_get(o, "classes")),
        .networks = names_of(&d->texts, json_object_get(o, "networks")),
        .speed_or_gres = speed};

    if (!json_object_get(o, "name"))
        return;
    snprintf(speed, 32, "%.2f", get_real(o, "speed", 1));
    restrace_format(&n, stdout);
}

int schedctl_nodes(const struct command_line *l)
{
    struct dump d = {0};
    struct query *q = query_new("/v1/nodes");
    int status;

    if (l->format == FORMAT_JSON) {
        status = print_json_list(l, q);
    } else {
        puts("VERSION 230");
        status = ask_list(l, q, print_node, &d) < 0;
    }
    query_free(q);
    arena_free(&d.texts);
    return status;
}

/* ---- -j ---- */

static void put_text(json_t *o, const char *key, const char *text)
{
    if (text && *text)
        json_object_set_new(o, key, json_string(text));
}

static void put_list(json_t *o, const char *key, const char *const *names)
{
    json_t *list = json_array();

    for (; names && *names; names++)
        json_array_append_new(list, json_string(*names));
    if (json_array_size(list))
        json_object_set(o, key, list);
    json_decref(list);
}

static json_t *request_of(const struct jobtrace *j)
{
    json_t *task =
        json_pack("{s:I}", "procs", (json_int_t)(j->procs > 0 ? j->procs : 1));
    json_t *r = json_pack("{s:I, s:o}", "tasks",
        (json_int_t)(j->tasks.first > 0 ? j->tasks.first : 1), "per_task", task);

    if (j->ded_mem_mb > 0)
        json_object_set_new(task, "mem_mb", json_integer(j->ded_mem_mb));
    if (j->ded_swap_mb > 0)
        json_object_set_new(task, "swap_mb", json_integer(j->ded_swap_mb));
    if (j->ded_disk_mb > 0)
        json_object_set_new(task, "disk_mb", json_integer(j->ded_disk_mb));
    if (j->nodes > 0)
        json_object_set_new(r, "nodes", json_integer(j->nodes));
    if (j->tpn > 0)
        json_object_set_new(r, "tasks_per_node", json_integer(j->tpn));
    put_list(r, "features", j->features);
    put_list(r, "hosts", j->hosts);
    put_text(r, "os", j->os);
    put_text(r, "arch", j->arch);
    put_text(r, "network", j->network);
    return r;
}

static void put_flags(json_t *o, uint32_t mask)
{
    enum access_policy access = ACCESS_UNSET;
    uint32_t bits =
        tf_job_flags(mask, &access) & ~(uint32_t)(JOB_ADVRES | JOB_HOSTLIST);
    json_t *list = json_array();

    for (; bits; bits &= bits - 1)
        if (job_flag_name(bits))
            json_array_append_new(list, json_string(job_flag_name(bits)));
    if (json_array_size(list))
        json_object_set(o, "flags", list);
    json_decref(list);
}

/* The record as a submission of the caller. */
static json_t *submission_of(const struct jobtrace *j)
{
    int64_t limit = j->wclimit_s.first;
    int64_t ran =
        j->start_at > 0 && j->end_at > j->start_at ? j->end_at - j->start_at : limit;
    json_t *o = json_pack("{s:o, s:s, s:s, s:s, s:o, s:[o]}", "script",
        json_sprintf("#!/bin/sh\nexec sleep %lld\n", (long long)ran), "directory", "/",
        "output", "/dev/null", "error", "/dev/null", "wclimit_s",
        limit < DURATION_UNLIMITED ? json_integer(limit) : json_null(), "requests",
        request_of(j));

    put_text(o, "name", j->id);
    put_text(o, "account", j->account);
    put_text(o, "qos", j->qos.first);
    put_text(o, "class", j->classes ? j->classes[0].name : NULL);
    put_text(o, "reservation", j->reservation);
    if (j->release_at > 0)
        json_object_set_new(o, "release_at", json_integer(j->release_at));
    if (j->deadline_at > 0)
        json_object_set_new(o, "deadline_at", json_integer(j->deadline_at));
    if (j->partitions[0])
        json_object_set_new(o, "partitions", json_pack("[s]", j->partitions[0]));
    put_flags(o, j->flags.mask);
    return o;
}

static int submit_record(const struct command_line *l, char *line)
{
    struct arena texts = {0};
    struct jobtrace j;
    struct err err;
    int found = jobtrace_parse(line, &j, &texts, &err), status = 0;

    if (found < 0) {
        fprintf(stderr, "ALERT:  cannot submit job: %s\n", err.text);
        status = 1;
    } else if (found > 0) {
        struct query *q = query_new("/v1/jobs");
        json_t *answer = tell(l, "POST", q, submission_of(&j));
        query_free(q);
        if (!answer)
            fputs("ALERT:  cannot submit job\n", stderr);
        else if (l->format == FORMAT_JSON)
            json_dumpf(answer, stdout, JSON_COMPACT), putchar('\n');
        else
            puts("job successfully submitted");
        status = answer == NULL;
        json_decref(answer);
    }
    arena_free(&texts);
    return status;
}

static int submit_file(const struct command_line *l, const char *path)
{
    struct err err;
    struct lines *in = lines_open(path, &err);
    int status = 0, found = -1;
    char *line;
    size_t len;

    while (in && (found = lines_next(in, &line, &len, &err)) > 0)
        if (tf_version(in, line, &err) == 0)
            status |= submit_record(l, line);
    if (in)
        lines_close(in);
    if (found == 0)
        return status;
    fprintf(stderr, "ALERT:  cannot submit job: %s\n", err.text);
    return 1;
}

int schedctl_submit(const struct command_line *l, const char *text)
{
    if (access(text, F_OK) == 0)
        return submit_file(l, text);
    char *line = xstrdup(text);
    int status = submit_record(l, line);
    free(line);
    return status;
}
