/* SPDX-License-Identifier: Apache-2.0
 * mrsvctl -q. */
#include "client/reservations/mrsvctl_query.h"

#include "base/duration.h"
#include "client/kit/layout.h"
#include "client/kit/lists.h"
#include "client/kit/xml.h"

#include <stdio.h>
#include <strings.h>

/* "node01:2,node02:1" */
static void add_places(struct strbuf *out, const json_t *o)
{
    size_t i;
    json_t *p;

    json_array_foreach(json_object_get(o, "places"), i, p)
        strbuf_printf(out, "%s%s:%lld", i ? "," : "", get_text(p, "node", ""),
            (long long)get_int(p, "tasks", 0));
}

/* ---- text ---- */

static void print_list(
    const char *label, const json_t *o, const char *key, const char *separator)
{
    struct strbuf text = {0};

    if (json_array_size(json_object_get(o, key)) == 0)
        return;
    strbuf_printf(&text, "    %s: ", label);
    list_joined(&text, json_object_get(o, key), separator, "");
    list_print(&text);
}

static void print_word(const char *label, const json_t *o, const char *key)
{
    if (*get_text(o, key, ""))
        printf("    %s: %s\n", label, get_text(o, key, ""));
}

static void print_window(const json_t *o)
{
    json_int_t now = get_int(o, "at", 0), start = get_int(o, "start_at", 0);
    json_int_t end = get_int(o, "end_at", 0);
    char from[LAYOUT_DATE_MAX], to[LAYOUT_DATE_MAX], rel[LAYOUT_REL_MAX];

    printf("    Start: %s  (%s)\n", layout_date(start, from),
        layout_rel(start - now, rel));
    if (end)
        printf("    End: %s  (%s)\n", layout_date(end, to), layout_rel(end - now, rel));
    printf(
        "    Duration: %s\n", layout_rel(end ? end - start : DURATION_UNLIMITED, rel));
}

static void print_triggers(const json_t *o)
{
    size_t i;
    json_t *t;

    json_array_foreach(json_object_get(o, "triggers"), i, t)
        printf("    Trigger: %s%+lld %s %s (%s)\n", get_text(t, "event", ""),
            (long long)get_int(t, "offset_s", 0), get_text(t, "action", ""),
            get_text(t, "data", ""), get_text(t, "state", ""));
}

static void print_text(const json_t *o)
{
    static const struct {
        const char *label, *key;
    } words[] = {{"Partition", "partition"}, {"HostExp", "hosts"}, {"Owner", "owner"},
        {"Account", "account"}, {"Group", "group"}, {"User", "user"},
        {"SubType", "subtype"}, {"Label", "label"}, {"Comment", "comment"},
        {"JobState", "job_state"}};
    struct strbuf text = {0};

    printf("%s  %s  %s\n", get_text(o, "name", ""), get_text(o, "type", ""),
        get_text(o, "state", ""));
    print_window(o);
    printf("    Nodes: %lld  Tasks: %lld  Procs: %lld\n",
        (long long)get_int(o, "nodes", 0), (long long)get_int(o, "tasks", 0),
        (long long)get_int(o, "procs", 0));
    strbuf_add(&text, "    NodeList: ");
    add_places(&text, o);
    list_print(&text);
    if (json_object_get(o, "per_task")) {
        strbuf_add(&text, "    Task Resources: ");
        list_amounts(&text, json_object_get(o, "per_task"));
        list_print(&text);
    }
    print_list("Flags", o, "flags", " ");
    print_list("ACL", o, "acl", " ");
    print_list("Features", o, "features", ",");
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        print_word(words[i].label, o, words[i].key);
    print_triggers(o);
}

/* ---- XML ---- */

static void xml_list(
    const char *name, const json_t *o, const char *key, const char *separator)
{
    struct strbuf text = {0};

    list_joined(&text, json_object_get(o, key), separator, "");
    xml_attr(name, text.text);
    free(strbuf_take(&text));
}

void mrsvctl_print_xml(const json_t *o)
{
    json_int_t start = get_int(o, "start_at", 0), end = get_int(o, "end_at", 0);
    struct strbuf text = {0};

    xml_open("rsv");
    xml_attr("Name", get_text(o, "name", ""));
    xml_attr("Type", get_text(o, "type", ""));
    xml_attr("AAccount", get_text(o, "account", ""));
    xml_attr("AGroup", get_text(o, "group", ""));
    xml_attr("AUser", get_text(o, "user", ""));
    xml_list("ACL", o, "acl", ",");
    xml_int("starttime", start);
    if (end) {
        xml_int("endtime", end);
        xml_int("duration", end - start);
    }
    xml_list("flags", o, "flags", ",");
    xml_attr("HostExp", get_text(o, "hosts", ""));
    xml_attr("JState", get_text(o, "job_state", ""));
    xml_int("MaxTasks", get_int(o, "max_tasks", 0));
    xml_attr("Messages", get_text(o, "comment", ""));
    xml_int("NodeCount", get_int(o, "nodes", 0));
    add_places(&text, o);
    xml_attr("NodeList", text.text);
    free(strbuf_take(&text));
    xml_attr("Owner", get_text(o, "owner", ""));
    list_amounts(&text, json_object_get(o, "per_task"));
    xml_attr("Resources", text.text);
    free(strbuf_take(&text));
    xml_attr("RsvGroup", get_text(o, "label", ""));
    xml_int("StatCAPS", (long long)get_real(o, "active_ps", 0));
    xml_int("StatCIPS", (long long)get_real(o, "idle_ps", 0));
    xml_attr("SubType", get_text(o, "subtype", ""));
    xml_int("TaskCount", get_int(o, "tasks", 0));
    xml_close_empty();
}

/* ---- the command ---- */

static void print(void *ctx, json_t *o)
{
    const struct command_line *l = ctx;

    if (l->format == FORMAT_XML)
        mrsvctl_print_xml(o);
    else if (l->format == FORMAT_TEXT)
        print_text(o);
    else {
        json_dumpf(o, stdout, JSON_COMPACT);
        putchar('\n');
    }
}

static int ask_one(const struct command_line *l, const char *name)
{
    struct query *q = query_new("/v1/reservations");

    query_part(q, name);
    json_t *o = ask(l, q);
    query_free(q);
    if (!o)
        return 1;
    print((void *)l, o);
    json_decref(o);
    return 0;
}

static int ask_all(const struct command_line *l)
{
    struct query *q = query_new("/v1/reservations");
    int status = ask_list(l, q, print, (void *)l) < 0;

    query_free(q);
    return status;
}

int mrsvctl_query(const struct command_line *l)
{
    int status = 0;

    if (l->format == FORMAT_XML)
        xml_begin("Data");
    if (l->nargs == 0)
        status = ask_all(l);
    for (int i = 0; i < l->nargs; i++) {
        char *copy = xstrdup(l->args[i]), *rest = copy, *word;
        while ((word = strtok_r(rest, ",", &rest)))
            status |= strcasecmp(word, "ALL") == 0 ? ask_all(l) : ask_one(l, word);
        free(copy);
    }
    if (l->format == FORMAT_XML)
        xml_end("Data");
    return status;
}
