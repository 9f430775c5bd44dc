/* SPDX-License-Identifier: Apache-2.0
 * mjobctl -q. */
#include "client/jobs/mjobctl_query.h"

#include "base/nearest.h"
#include "client/jobs/checkjob_lines.h"
#include "client/jobs/jobxml.h"
#include "client/kit/layout.h"
#include "client/kit/xml.h"

#include <stdio.h>
#include <strings.h>

/* ---- one job ---- */

struct asked {
    const struct command_line *l;
    const char *what;
    const struct job_attribute *attribute; /* or NULL: diag, hostlist, starttime */
};

static bool wants(const struct asked *a, const char *what)
{
    return strcasecmp(a->what, what) == 0;
}

static void print_value(const struct asked *a, const json_t *job)
{
    struct strbuf text = {0};

    if (a->attribute)
        jobxml_value(&text, a->attribute, job);
    else if (json_object_get(job, "allocation"))
        jobxml_add(&text, json_object_get(job, "allocation"));
    else
        jobxml_add(
            &text, json_object_get(
                       json_array_get(json_object_get(job, "requests"), 0), "hosts"));
    printf("job %s %s\n", get_text(job, "id", ""), text.len ? text.text : "-");
    free(strbuf_take(&text));
}

static void print_job(const struct asked *a, const json_t *job)
{
    if (a->l->format == FORMAT_XML)
        jobxml_print(job);
    else if (a->l->format == FORMAT_JSON) {
        json_dumpf(job, stdout, JSON_COMPACT);
        putchar('\n');
    } else if (wants(a, "diag"))
        checkjob_print(job, true);
    else
        print_value(a, job);
}

static int ask_start(const struct asked *a, const char *id)
{
    struct query *q = query_new("/v1/jobs");
    char rel[LAYOUT_REL_MAX], date[LAYOUT_DATE_MAX];

    query_part(q, id);
    query_part(q, "start");
    json_t *o = ask(a->l, q);
    query_free(q);
    if (!o)
        return 1;
    json_int_t start = get_int(o, "start_at", 0);
    if (a->l->format == FORMAT_JSON) {
        json_dumpf(o, stdout, JSON_COMPACT);
        putchar('\n');
    } else if (a->l->format == FORMAT_XML) {
        xml_open("job");
        xml_attr("JobID", id);
        xml_int("StartTime", start);
        xml_close_empty();
    } else {
        printf("job %s %s  (%s)\n", id, layout_date(start, date),
            layout_rel(start - get_int(o, "at", start), rel));
    }
    json_decref(o);
    return 0;
}

static int ask_job(const struct asked *a, const char *id)
{
    if (wants(a, "starttime"))
        return ask_start(a, id);
    struct query *q = query_new("/v1/jobs");
    query_part(q, id);
    query_add(q, "verbose", wants(a, "diag") ? "1" : NULL);
    json_t *job = ask(a->l, q);
    query_free(q);
    if (!job)
        return 1;
    print_job(a, job);
    json_decref(job);
    return 0;
}

/* ---- several ---- */

struct ids {
    struct VEC(char *) v;
    const char *name, *state; /* what the list cannot be asked for; or NULL */
};

static void take_id(void *ctx, json_t *o)
{
    struct ids *ids = ctx;
    const char *state = ids->state;

    if (!json_object_get(o, "id"))
        return;
    if (ids->name && strcmp(get_text(o, "name", ""), ids->name) != 0)
        return;
    if (state && strcasecmp(get_text(o, "state", ""), state) != 0
        && strcasecmp(get_text(o, "shown_state", ""), state) != 0
        && strcasecmp(get_text(o, "section", ""), state) != 0)
        return;
    vec_push(&ids->v, xstrdup(get_text(o, "id", "")));
}

static int put_condition(const struct asked *a, struct query *q, struct ids *ids,
    const char *name, const char *value)
{
    static const char *const known[] = {
        "user", "group", "account", "class", "qos", "partition"};

    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strcasecmp(name, known[i]) == 0) {
            query_add(q, known[i], value);
            return 0;
        }
    if (strcasecmp(name, "jobname") == 0)
        ids->name = value;
    else if (strcasecmp(name, "state") == 0)
        ids->state = value;
    else {
        command_wrong(a->l,
            "-w: with -q jobs are chosen by user, group, account, class, qos, "
            "partition, jobname or state, not by '%s'",
            name);
        return -1;
    }
    return 0;
}

static int add_all(const struct asked *a, const json_t *where, struct ids *ids)
{
    struct query *q = query_new("/v1/jobs");
    const char *name;
    json_t *value;
    int result = 0;

    json_object_foreach((json_t *)where, name, value) result |=
        put_condition(a, q, ids, name, json_string_value(value));
    if (result == 0)
        result = ask_list(a->l, q, take_id, ids);
    query_free(q);
    return result;
}

static int collect(const struct asked *a, const json_t *where, struct ids *ids)
{
    for (int i = 0; i < a->l->nargs; i++) {
        char *copy = xstrdup(a->l->args[i]), *rest = copy, *word;
        int result = 0;
        while (result == 0 && (word = strtok_r(rest, ",", &rest))) {
            if (strcasecmp(word, "ALL") == 0)
                result = add_all(a, where, ids);
            else
                vec_push(&ids->v, xstrdup(word));
        }
        free(copy);
        if (result < 0)
            return -1;
    }
    return a->l->nargs == 0 ? add_all(a, where, ids) : 0;
}

/* ---- ended ones ---- */

struct ended {
    const struct asked *a;
    const struct ids *ids;
    size_t found;
};

static void take_ended(void *ctx, json_t *o)
{
    struct ended *e = ctx;

    for (size_t i = 0; i < e->ids->v.n; i++)
        if (strcmp(e->ids->v.v[i], get_text(o, "id", "")) == 0) {
            e->found++;
            print_job(e->a, o);
        }
}

static int ask_ended(const struct asked *a, const struct ids *ids)
{
    struct ended e = {.a = a, .ids = ids};
    struct query *q = query_new("/v1/accounting");
    int status = ask_list(a->l, q, take_ended, &e) < 0;

    query_free(q);
    if (status == 0 && e.found < ids->v.n) {
        fprintf(stderr, "ERROR:    %zu of %zu jobs are not among those that ended\n",
            ids->v.n - e.found, ids->v.n);
        status = 1;
    }
    return status;
}

static int wrong_word(const struct asked *a)
{
    struct nearest near;

    nearest_init(&near, a->what);
    nearest_offer(&near, "diag");
    nearest_offer(&near, "hostlist");
    nearest_offer(&near, "starttime");
    jobxml_offer(&near);
    const char *best = nearest_best(&near);
    return command_wrong(a->l,
        "-q: '%s' is not one of diag, hostlist, starttime, nor an attribute of a "
        "job%s%s%s",
        a->what, best ? "; did you mean " : "", best ? best : "", best ? "?" : "");
}

int mjobctl_query(
    const struct command_line *l, const char *what, const json_t *where, bool completed)
{
    struct asked a = {.l = l, .what = what, .attribute = jobxml_find(what)};
    struct ids ids = {0};
    int status = 1;

    if (!a.attribute && !wants(&a, "diag") && !wants(&a, "hostlist")
        && !wants(&a, "starttime"))
        return wrong_word(&a);
    if (completed && l->nargs == 0)
        return command_wrong(l, "which of the jobs that ended?");
    if (collect(&a, where, &ids) == 0) {
        status = 0;
        if (l->format == FORMAT_XML)
            xml_begin("Data");
        if (completed)
            status = ask_ended(&a, &ids);
        for (size_t i = 0; !completed && i < ids.v.n; i++)
            status |= ask_job(&a, ids.v.v[i]);
        if (l->format == FORMAT_XML)
            xml_end("Data");
    }
    for (size_t i = 0; i < ids.v.n; i++)
        free(ids.v.v[i]);
    vec_fini(&ids.v);
    return status;
}
