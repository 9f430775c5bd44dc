/* SPDX-License-Identifier: Apache-2.0
 * showstate: the machine drawn, a letter a job. */
#include "base/duration.h"
#include "base/strbuf.h"
#include "client/client.h"
#include "client/kit/layout.h"
#include "client/kit/request.h"
#include "client/kit/xml.h"

#include <stdio.h>
#include <string.h>

#define FRAME_COLUMNS 16 /* of nodes whose place is not known */

static const struct option_row options[] = {
    {'x', NULL, NULL, "as XML, as --format xml"},
    {0, "format", "text|json|xml", "how to print the answer"},
    {0, NULL, NULL, NULL},
};

static const struct command_spec spec = {
    .name = "showstate",
    .usage = "[-x]",
    .summary = "Show active jobs and where they run, as a map of the machine.",
    .options = options,
    .more =
        "For administrators of level 1 to 3. Nodes whose frame and slot are not known\n"
        "are drawn sixteen a line, in the order of the resource manager.\n",
    .examples = "  showstate              the map, then what is wrong\n",
};

static const char letters[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789abcdefghijklmnopqrstuvwxyz";

struct state {
    json_t *jobs, *nodes, *letter_of; /* letter_of: job id to index in letters */
    json_int_t at;
};

static void keep_job(void *ctx, json_t *o)
{
    struct state *s = ctx;
    json_t *summary = json_object_get(o, "summary");

    if (summary) {
        s->at = get_int(summary, "at", 0);
        return;
    }
    json_object_set_new(s->letter_of, get_text(o, "id", ""),
        json_integer((json_int_t)(json_array_size(s->jobs) % (sizeof letters - 1))));
    json_array_append(s->jobs, o);
}

static void keep_node(void *ctx, json_t *o)
{
    struct state *s = ctx;

    json_array_append(s->nodes, o);
}

static int fetch(const struct command_line *l, struct state *s)
{
    struct query *jobs = query_new("/v1/jobs"), *nodes = query_new("/v1/nodes");
    int result;

    query_add(jobs, "section", "active");
    result = ask_list(l, nodes, keep_node, s); /* first: it is refused to some */
    if (result == 0)
        result = ask_list(l, jobs, keep_job, s);
    query_free(jobs);
    query_free(nodes);
    return result;
}

/* ---- the jobs ---- */

static void print_jobs(const struct state *s)
{
    char rel[LAYOUT_REL_MAX], date[LAYOUT_DATE_MAX];
    json_t *j;
    size_t i;

    printf("cluster state summary for %s\n\n\n", layout_date(s->at, date));
    printf("    %-18s %1s %9s %8s %5s %11s  %19s\n", "JobName", "S", "User", "Group",
        "Procs", "Remaining", "StartTime");
    printf("    %-18s %1s %9s %8s %5s %11s  %19s\n\n", "------------------", "-",
        "---------", "--------", "-----", "-----------", "-------------------");
    json_array_foreach(s->jobs, i, j)
        printf("(%c) %-18s %1.1s %9s %8s %5lld %11s  %19s\n",
            letters[i % (sizeof letters - 1)], get_text(j, "id", ""),
            get_text(j, "state", ""), get_text(j, "user", ""),
            get_text(j, "group", "-"), (long long)get_int(j, "procs", 0),
            layout_rel(get_int(j, "remaining_s", DURATION_UNLIMITED), rel),
            layout_date(get_int(j, "start_at", 0), date));
}

static void print_summary(const struct state *s)
{
    size_t i, active = 0;
    json_t *n;

    json_array_foreach(s->nodes, i, n) active +=
        json_array_size(json_object_get(n, "jobs")) > 0;
    printf("\nusage summary:  %zu active jobs  %zu active nodes\n\n",
        json_array_size(s->jobs), active);
}

/* ---- the map ---- */

static char symbol(const struct state *s, const json_t *node)
{
    const char *state = get_text(node, "state", "");
    const json_t *jobs = json_object_get(node, "jobs");

    if (strcmp(state, "Down") == 0)
        return json_array_size(jobs) ? '*' : '#';
    if (json_array_size(jobs)) {
        const char *id = get_text(json_array_get(jobs, 0), "id", "");
        return letters[get_int(s->letter_of, id, 0)];
    }
    if (strcmp(state, "Idle") == 0)
        return ' ';
    if (strcmp(state, "Busy") == 0 || strcmp(state, "Running") == 0)
        return '@';
    return strncmp(state, "Drain", 5) == 0 || strcmp(state, "Flush") == 0 ? '!' : '?';
}

/* Where a node is drawn: its frame and slot, or by its number. */
struct place {
    json_int_t frame, slot;
};

static struct place place_of(const json_t *node, size_t i)
{
    json_int_t frame = get_int(node, "frame", -1), slot = get_int(node, "slot", -1);

    if (frame >= 0 && slot > 0)
        return (struct place){frame, slot};
    return (struct place){
        (json_int_t)(i / FRAME_COLUMNS) + 1, (json_int_t)(i % FRAME_COLUMNS) + 1};
}

static void ruler(json_int_t slots)
{
    printf("%15s", "");
    for (json_int_t i = 1; i <= slots; i++)
        printf("[%lld]", (long long)(i / 10 % 10));
    printf("\n%15s", "");
    for (json_int_t i = 1; i <= slots; i++)
        printf("[%lld]", (long long)(i % 10));
    puts("\n");
}

static void print_frame(const struct state *s, json_int_t frame, json_int_t slots)
{
    char *cells = xcalloc((size_t)slots + 1, 1);
    json_int_t last = 0;
    bool any = false;
    json_t *n;
    size_t i;

    json_array_foreach(s->nodes, i, n)
    {
        struct place p = place_of(n, i);
        if (p.frame != frame || p.slot > slots)
            continue;
        cells[p.slot] = symbol(s, n);
        last = p.slot > last ? p.slot : last;
        any = true;
    }
    if (any) {
        char name[24];
        snprintf(name, sizeof name, "%02lld", (long long)frame);
        printf("Frame %7.7s: ", name);
        for (json_int_t k = 1; k <= last; k++)
            if (cells[k])
                printf("[%c]", cells[k]);
            else
                printf("XXX");
        puts("");
    }
    free(cells);
}

static void print_map(const struct state *s)
{
    json_int_t slots = 0, frames = 0;
    json_t *n;
    size_t i;

    json_array_foreach(s->nodes, i, n)
    {
        struct place p = place_of(n, i);
        slots = p.slot > slots ? p.slot : slots;
        frames = p.frame > frames ? p.frame : frames;
    }
    ruler(slots);
    for (json_int_t frame = 0; frame <= frames; frame++)
        print_frame(s, frame, slots);
    puts("\nKey:  [?]:Unknown [*]:Down w/Job [#]:Down [ ]:Idle [@] Busy w/No Job [!] "
         "Drained\n");
}

static void print_warnings(const struct state *s)
{
    json_t *n, *text;
    size_t i, k;

    json_array_foreach(s->nodes, i, n)
    {
        if (strcmp(get_text(n, "state", ""), "Down") == 0)
            printf("node %s is down\n", get_text(n, "name", ""));
        json_array_foreach(json_object_get(n, "warnings"), k, text)
            printf("node %s: %s\n", get_text(n, "name", ""), json_string_value(text));
    }
}

static void print_json_lists(const struct state *s)
{
    json_t *o =
        json_pack("{s:I, s:O, s:O}", "at", s->at, "jobs", s->jobs, "nodes", s->nodes);
    print_json(o);
}

static void print_xml(const struct state *s)
{
    json_t *o, *j;
    size_t i, k;

    xml_begin("Data");
    xml_open("cluster");
    xml_int("time", s->at);
    xml_close_empty();
    json_array_foreach(s->jobs, i, o)
    {
        xml_open("job");
        xml_attr("JobName", get_text(o, "id", ""));
        xml_attr("State", get_text(o, "state", ""));
        xml_attr("User", get_text(o, "user", ""));
        xml_attr("Group", get_text(o, "group", ""));
        xml_int("ReqProcs", get_int(o, "procs", 0));
        xml_int("StartTime", get_int(o, "start_at", 0));
        xml_close_empty();
    }
    json_array_foreach(s->nodes, i, o)
    {
        struct strbuf jobs = {0};
        json_array_foreach(json_object_get(o, "jobs"), k, j)
            strbuf_printf(&jobs, "%s%s", k ? "," : "", get_text(j, "id", ""));
        xml_open("node");
        xml_attr("NodeName", get_text(o, "name", ""));
        xml_attr("State", get_text(o, "state", ""));
        xml_attr("Partition", get_text(o, "partition", ""));
        xml_attr("JobList", jobs.text);
        if (get_int(o, "frame", -1) >= 0) {
            xml_int("Frame", get_int(o, "frame", -1));
            xml_int("Slot", get_int(o, "slot", -1));
        }
        xml_close_empty();
        free(strbuf_take(&jobs));
    }
    xml_end("Data");
}

static int run(const struct command_line *l)
{
    if (l->nargs)
        return command_wrong(l, "'%s' is not expected here", l->args[0]);
    struct state s = {
        .jobs = json_array(), .nodes = json_array(), .letter_of = json_object()};
    int status = fetch(l, &s) < 0;
    if (status == 0) {
        if (l->format == FORMAT_JSON) {
            print_json_lists(&s);
        } else if (l->format == FORMAT_XML || command_has(l, 'x')) {
            print_xml(&s);
        } else {
            print_jobs(&s);
            print_summary(&s);
            print_map(&s);
            print_warnings(&s);
        }
    }
    json_decref(s.jobs);
    json_decref(s.nodes);
    json_decref(s.letter_of);
    return status;
}

int showstate_main(int argc, char **argv)
{
    return command_run(&spec, argc, argv, run);
}
