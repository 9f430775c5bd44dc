/* SPDX-License-Identifier: Apache-2.0
 * checknode: one node. */
#include "base/duration.h"
#include "client/client.h"
#include "client/kit/layout.h"
#include "client/kit/lists.h"
#include "client/kit/request.h"
#include "client/kit/xml.h"

#include <stdio.h>
#include <string.h>

static const struct option_row options[] = {
    {'A', NULL, NULL, "one line of NAME=VALUE; pairs, for scripts"},
    {'v', NULL, NULL, "also partition, place and resource manager"},
    {0, "format", "text|json|xml", "how to print the answer"},
    {0, NULL, NULL, NULL},
};

static const struct command_spec spec = {
    .name = "checknode",
    .usage = "[-A] [-v] NODE | DEFAULT",
    .summary = "Show a node: what it has, what is used, what is reserved.",
    .options = options,
    .more = "DEFAULT: what holds for nodes of which nothing else is said. For\n"
            "administrators of level 1 to 3.\n",
    .examples = "  checknode n007         node n007\n"
                "  checknode -A n007      on one line\n",
};

static const char *or_none(const char *text)
{
    return *text ? text : "[NONE]";
}

static void print_pairs(const json_t *o)
{
    json_int_t procs = get_int(json_object_get(o, "configured"), "procs", 0);

    printf("NAME=%s;STATE=%s;OS=%s;ARCH=%s;CPROC=%lld;APROC=%lld;SPEED=%.2f;CPULOAD=%."
           "3f;\n",
        get_text(o, "name", ""), get_text(o, "state", ""), get_text(o, "os", ""),
        get_text(o, "arch", ""), (long long)procs,
        (long long)(procs - get_int(json_object_get(o, "dedicated"), "procs", 0)),
        get_real(o, "speed", 0), get_real(o, "load", 0));
}

static void print_state(const json_t *o)
{
    static const struct {
        const char *key, *label;
    } amounts[] = {{"configured", "Configured"}, {"utilized", "Utilized  "},
        {"dedicated", "Dedicated "}};
    const char *state = get_text(o, "state", "");
    json_int_t since = get_int(o, "state_at", 0);
    char rel[LAYOUT_REL_MAX];

    printf("State:  %8s  (in current state for %s)\n", state,
        since ? layout_span(get_int(o, "at", 0) - since, rel) : "INFINITY");
    if (strcmp(get_text(o, "expected_state", state), state) != 0)
        printf("Expected State: %8s\n", get_text(o, "expected_state", ""));
    for (size_t i = 0; i < sizeof amounts / sizeof amounts[0]; i++) {
        struct strbuf text = {0};
        strbuf_printf(&text, "%s Resources: ", amounts[i].label);
        list_amounts(&text, json_object_get(o, amounts[i].key));
        list_print(&text);
    }
}

static void print_brackets(const char *label, const json_t *list)
{
    struct strbuf text = {0};

    strbuf_add(&text, label);
    list_brackets(&text, list, "[NONE]");
    list_print(&text);
}

static void print_kind(const json_t *o, bool verbose)
{
    json_t *class;
    size_t i;

    printf("Opsys:      %8s  Arch:      %6s\n", or_none(get_text(o, "os", "")),
        or_none(get_text(o, "arch", "")));
    printf("Speed:    %6.2f  Load:      %6.3f\n", get_real(o, "speed", 0),
        get_real(o, "load", 0));
    if (verbose) {
        printf("Location:   Partition: %s", get_text(o, "partition", ""));
        if (get_int(o, "frame", -1) >= 0)
            printf("  Frame/Slot:  %lld/%lld", (long long)get_int(o, "frame", -1),
                (long long)get_int(o, "slot", -1));
        puts("");
        if (*get_text(o, "rm", ""))
            printf("ResourceManager: %s\n", get_text(o, "rm", ""));
        if (*get_text(o, "access", ""))
            printf("NodeAccess: %s\n", get_text(o, "access", ""));
    }
    print_brackets("Network:    ", json_object_get(o, "networks"));
    print_brackets("Features:   ", json_object_get(o, "features"));
    puts("Attributes: [Batch]");
    printf("Classes:    ");
    json_array_foreach(json_object_get(o, "classes"), i, class) printf("[%s %lld:%lld]",
        get_text(class, "name", ""), (long long)get_int(class, "free", 0),
        (long long)get_int(class, "configured", 0));
    puts(json_array_size(json_object_get(o, "classes")) ? "" : "[ALL]");
}

static void print_times(const json_t *o)
{
    json_int_t total = get_int(o, "total_s", 0), up = get_int(o, "up_s", 0);
    json_int_t active = get_int(o, "active_s", 0);
    char all[LAYOUT_REL_MAX], there[LAYOUT_REL_MAX], used[LAYOUT_REL_MAX];

    printf("\nTotal Time: %s  Up: %s (%.2f%%)  Active: %s (%.2f%%)\n",
        layout_span(total, all), layout_span(up, there),
        layout_percent((double)up, (double)total), layout_span(active, used),
        layout_percent((double)active, (double)total));
}

static void print_reservation(const json_t *o, const json_t *r)
{
    json_int_t now = get_int(o, "at", 0), start = get_int(r, "start_at", 0);
    json_int_t end = get_int(r, "end_at", 0);
    json_int_t procs = get_int(json_object_get(o, "configured"), "procs", 0);
    json_int_t blocked = get_int(json_object_get(r, "blocked"), "procs", 0);
    char from[LAYOUT_REL_MAX], to[LAYOUT_REL_MAX], length[LAYOUT_REL_MAX];
    bool job = strcmp(get_text(r, "type", ""), "Job") == 0;

    printf("  %s '%s'(x%lld)  %s -> %s (%s)\n", job ? "Job" : "User",
        get_text(r, "name", ""), (long long)get_int(r, "tasks", 0),
        layout_rel(start - now, from),
        layout_rel(end ? end - now : DURATION_UNLIMITED, to),
        layout_rel(end ? end - start : DURATION_UNLIMITED, length));
    if (!job)
        printf("    Blocked Resources@%-11s Procs: %lld/%lld (%.2f%%)\n",
            layout_rel(start - now, from), (long long)blocked, (long long)procs,
            procs ? 100.0 * (double)blocked / (double)procs : 0.0);
}

static void print_use(const json_t *o)
{
    json_t *v;
    size_t i;

    puts("\nReservations:");
    json_array_foreach(json_object_get(o, "reservations"), i, v)
        print_reservation(o, v);
    if (json_array_size(json_object_get(o, "reservations")) == 0)
        puts("NOTE:  no reservations on node");
    if (json_array_size(json_object_get(o, "jobs"))) {
        printf("JobList:  ");
        json_array_foreach(json_object_get(o, "jobs"), i, v)
            printf("%s%s", i ? "," : "", get_text(v, "id", ""));
        puts("");
    }
    json_array_foreach(json_object_get(o, "warnings"), i, v)
        printf("ALERT:  %s\n", json_string_value(v));
    json_array_foreach(json_object_get(o, "messages"), i, v)
        printf("NOTE:    node message '%s'\n", json_string_value(v));
}

/* ---- XML ---- */

static void put_list(const char *name, const json_t *list, const char *key)
{
    struct strbuf text = {0};
    json_t *v;
    size_t i;

    json_array_foreach(list, i, v) strbuf_printf(
        &text, "%s%s", i ? "," : "", key ? get_text(v, key, "") : json_string_value(v));
    xml_attr(name, text.text);
    free(strbuf_take(&text));
}

static void put_amounts(const json_t *o, const char *key, const char *prefix)
{
    static const struct {
        const char *key, *name;
    } amounts[] = {
        {"procs", "Proc"}, {"mem_mb", "Mem"}, {"swap_mb", "Swap"}, {"disk_mb", "Disk"}};
    const json_t *all = json_object_get(o, key);
    char name[16];

    for (size_t i = 0; i < sizeof amounts / sizeof amounts[0]; i++) {
        snprintf(name, sizeof name, "%s%s", prefix, amounts[i].name);
        xml_int(name, get_int(all, amounts[i].key, 0));
    }
}

static void print_xml(const json_t *o)
{
    char number[32];

    xml_begin("Data");
    xml_open("node");
    xml_attr("NodeID", get_text(o, "name", ""));
    xml_attr("NodeState", get_text(o, "state", ""));
    xml_attr("Partition", get_text(o, "partition", ""));
    put_amounts(o, "configured", "RC");
    put_amounts(o, "dedicated", "RD");
    put_amounts(o, "utilized", "RU");
    snprintf(number, sizeof number, "%.3f", get_real(o, "load", 0));
    xml_attr("Load", number);
    snprintf(number, sizeof number, "%.2f", get_real(o, "speed", 0));
    xml_attr("Speed", number);
    xml_attr("OS", get_text(o, "os", ""));
    xml_attr("Arch", get_text(o, "arch", ""));
    put_list("Features", json_object_get(o, "features"), NULL);
    put_list("Network", json_object_get(o, "networks"), NULL);
    put_list("JobList", json_object_get(o, "jobs"), "id");
    put_list("RsvList", json_object_get(o, "reservations"), "name");
    xml_int("StateSince", get_int(o, "state_at", 0));
    xml_int("StatTotalTime", get_int(o, "total_s", 0));
    xml_int("StatUpTime", get_int(o, "up_s", 0));
    xml_int("StatActiveTime", get_int(o, "active_s", 0));
    xml_close_empty();
    xml_end("Data");
}

/* ---- DEFAULT ---- */

/* What a node is unless something else is said of it. */
static bool is_default(const char *name)
{
    static const char *const all[] = {"DEFAULTCLASSLIST", "NODEACCESSPOLICY",
        "NODEAVAILABILITYPOLICY", "NODECPUOVERCOMMITFACTOR", "NODELOADPOLICY",
        "NODEMAXLOAD", "NODEMEMOVERCOMMITFACTOR"};

    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (strcmp(name, all[i]) == 0)
            return true;
    return strncmp(name, "NODECFG[DEFAULT]", 16) == 0;
}

static void keep_default(void *list, json_t *o)
{
    if (is_default(get_text(o, "name", "")))
        json_array_append(list, o);
}

static int show_default(const struct command_line *l)
{
    struct query *q = query_new("/v1/parameters");
    json_t *list = json_array(), *o;
    size_t i;

    query_add(q, "defaults", "1");
    int status = ask_list(l, q, keep_default, list) < 0;
    query_free(q);
    if (status == 0 && l->format == FORMAT_JSON) {
        print_json(json_pack("{s:s, s:O}", "name", "DEFAULT", "parameters", list));
    } else if (status == 0) {
        puts("checking node DEFAULT\n");
        json_array_foreach(list, i, o)
            printf("%-30s  %s\n", get_text(o, "name", ""), get_text(o, "value", ""));
    }
    json_decref(list);
    return status;
}

/* ---- one node ---- */

static int show(const struct command_line *l)
{
    struct query *q = query_new("/v1/nodes");

    query_part(q, l->args[0]);
    json_t *o = ask(l, q);
    query_free(q);
    if (l->format == FORMAT_JSON)
        return print_json(o);
    if (!o)
        return 1;
    if (l->format == FORMAT_XML) {
        print_xml(o);
    } else if (command_has(l, 'A')) {
        print_pairs(o);
    } else {
        printf("checking node %s\n\n", get_text(o, "name", ""));
        print_state(o);
        print_kind(o, command_has(l, 'v'));
        print_times(o);
        print_use(o);
    }
    json_decref(o);
    return 0;
}

static int run(const struct command_line *l)
{
    if (l->nargs != 1)
        return command_wrong(
            l, "%s", l->nargs ? "one node at a time" : "a node is needed");
    if (strcmp(l->args[0], "DEFAULT") == 0 && l->format == FORMAT_XML)
        return command_wrong(l, "DEFAULT is printed as text or json");
    if (strcmp(l->args[0], "DEFAULT") == 0)
        return show_default(l);
    return show(l);
}

int checknode_main(int argc, char **argv)
{
    return command_run(&spec, argc, argv, run);
}
