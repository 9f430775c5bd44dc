/* SPDX-License-Identifier: Apache-2.0
 * showres: reservations, by name or by node. */
#include "base/duration.h"
#include "base/vec.h"
#include "client/client.h"
#include "client/kit/layout.h"
#include "client/kit/lists.h"
#include "client/kit/request.h"
#include "client/kit/xml.h"
#include "client/reservations/mrsvctl_query.h"

#include <stdio.h>
#include <string.h>

#define ENDLESS_S                                                                      \
    8553600 /* durations from here on are INFINITE in the view by node                 \
             */

static const struct option_row options[] = {
    {'g', NULL, NULL, "with -n: as without, the node's name is on every line"},
    {'n', NULL, NULL, "by node"},
    {'p', NULL, "PARTITION", "only those in PARTITION"},
    {'r', NULL, NULL, "times as seconds from now"},
    {'s', NULL, NULL, "with -n: a line a reservation with its count of nodes"},
    {'v', NULL, NULL, "also when it ends"},
    {0, "format", "text|json|xml", "how to print the answer"},
    {0, NULL, NULL, NULL},
};

static const struct command_spec spec = {
    .name = "showres",
    .usage = "[-n [-g] [-s]] [-r] [-v] [-p PARTITION] [RESERVATION]",
    .summary = "Show reservations: those of jobs, then the others.",
    .options = options,
    .more = "All see the reservations of jobs; the others are for administrators of\n"
            "level 1 and 2 and for whom they are made.\n",
    .examples = "  showres                all there are\n"
                "  showres -n             what is reserved on each node\n"
                "  showres maint.0        one of them\n",
};

struct row {
    const char *node;
    json_int_t tasks;
    json_t *rsv; /* borrowed from the list */
};

struct show {
    const struct command_line *l;
    json_t *list; /* the reservations wanted */
    struct VEC(struct row) rows;
    json_int_t now;
};

static bool is_job(const json_t *r)
{
    return strcmp(get_text(r, "type", ""), "Job") == 0;
}

/* "Job" or "User": standing ones are User to the classic layout. */
static const char *type_of(const json_t *r)
{
    return is_job(r) ? "Job" : "User";
}

static json_int_t end_of(const json_t *r)
{
    return get_int(r, "end_at", 0);
}

static void collect(void *ctx, json_t *o)
{
    struct show *s = ctx;
    const char *only = command_value(s->l, 'p');
    const char *partition = get_text(o, "partition", "ALL");

    if (only && strcmp(only, "ALL") != 0 && strcmp(partition, "ALL") != 0
        && strcmp(only, partition) != 0)
        return;
    s->now = get_int(o, "at", s->now);
    json_array_append(s->list, o);
}

/* ---- by name ---- */

static void print_one(const struct show *s, const json_t *r)
{
    json_int_t start = get_int(r, "start_at", 0), end = end_of(r);
    char from[LAYOUT_REL_MAX], to[LAYOUT_REL_MAX], length[LAYOUT_REL_MAX];
    char date[LAYOUT_DATE_MAX];

    printf("%-18s %5s %c ", get_text(r, "name", ""), type_of(r),
        is_job(r) ? get_text(r, "job_state", "-")[0] : '-');
    if (command_has(s->l, 'r')) {
        printf("%11lld --> ", (long long)(start - s->now));
        if (end)
            printf(
                "%lld (%lld)\n", (long long)(end - s->now), (long long)(end - start));
        else
            puts("INFINITY (INFINITY)");
        return;
    }
    printf("%11s %11s %11s %4lld/%-4lld %s", layout_rel(start - s->now, from),
        layout_rel(end ? end - s->now : DURATION_UNLIMITED, to),
        layout_rel(end ? end - start : DURATION_UNLIMITED, length),
        (long long)get_int(r, "nodes", 0), (long long)get_int(r, "procs", 0),
        layout_date(start, date));
    if (command_has(s->l, 'v'))
        printf(" -> %s", end ? layout_date(end, date) : "never");
    puts("");
}

static void print_by_name(const struct show *s)
{
    size_t i, n = json_array_size(s->list);
    json_t *r;

    puts("Reservations\n");
    if (command_has(s->l, 'r'))
        printf("%-18s %5s %s %s\n\n", "ReservationID", "Type", "S",
            "      Start --> End (Duration)");
    else
        printf("%-18s %5s %s %11s %11s %11s %6s    %s\n\n", "ReservationID", "Type",
            "S", "Start", "End", "Duration", "N/P", "StartTime");
    json_array_foreach(s->list, i, r) print_one(s, r);
    printf("\n%zu reservation%s located\n", n, n == 1 ? "" : "s");
}

/* ---- by node ---- */

static int by_node(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    int c = strverscmp(x->node, y->node);
    json_int_t p = get_int(x->rsv, "start_at", 0), q = get_int(y->rsv, "start_at", 0);

    if (c == 0)
        c = p < q ? -1 : p > q;
    return c ? c : strcmp(get_text(x->rsv, "name", ""), get_text(y->rsv, "name", ""));
}

static void collect_rows(struct show *s)
{
    size_t i, k;
    json_t *r, *p;

    json_array_foreach(s->list, i, r)
        json_array_foreach(json_object_get(r, "places"), k, p) vec_push(&s->rows,
            ((struct row){get_text(p, "node", ""), get_int(p, "tasks", 0), r}));
    if (s->rows.n)
        qsort(s->rows.v, s->rows.n, sizeof *s->rows.v, by_node);
}

/* With -r the seconds themselves. */
static const char *time_text(const struct show *s, json_int_t seconds, char *buf)
{
    if (!command_has(s->l, 'r'))
        return layout_rel(seconds, buf);
    snprintf(buf, LAYOUT_REL_MAX, "%lld", (long long)seconds);
    return buf;
}

static void print_on_node(const struct show *s, const struct row *row)
{
    json_int_t start = get_int(row->rsv, "start_at", 0), end = end_of(row->rsv);
    json_int_t length = end ? end - start : DURATION_UNLIMITED;
    char from[LAYOUT_REL_MAX], text[LAYOUT_REL_MAX], date[LAYOUT_DATE_MAX];

    printf("%20s  %9s %18s %10s %4lld %11s %11s %20s\n", row->node, type_of(row->rsv),
        get_text(row->rsv, "name", ""),
        is_job(row->rsv) ? get_text(row->rsv, "job_state", "") : "N/A",
        (long long)row->tasks, time_text(s, start - s->now, from),
        length > ENDLESS_S ? "INFINITE" : time_text(s, length, text),
        layout_date(start, date));
}

static void print_by_node(struct show *s)
{
    char date[LAYOUT_DATE_MAX];
    size_t nodes = 0;

    collect_rows(s);
    printf("reservations on %s\n\n", layout_date(s->now, date));
    printf("%20s  %9s %18s %10s %4s %11s %11s %20s\n\n", "NodeName", "Type",
        "ReservationID", "JobState", "Task", "Start", "Duration", "StartTime");
    for (size_t i = 0; i < s->rows.n; i++) {
        bool first = i == 0 || strcmp(s->rows.v[i - 1].node, s->rows.v[i].node) != 0;
        nodes += first;
        print_on_node(s, &s->rows.v[i]);
    }
    printf("%zu nodes reserved\n", nodes);
}

static void print_summary(const struct show *s)
{
    size_t i;
    json_t *r;

    printf("%20s %10s S %12s %12s %5s\n\n", "JobName", "User", "StartTime", "EndTime",
        "Count");
    json_array_foreach(s->list, i, r)
    {
        char from[LAYOUT_REL_MAX], to[LAYOUT_REL_MAX];
        json_int_t end = end_of(r);
        printf("%20s %10s %c %12s %12s %5lld\n", get_text(r, "name", ""),
            get_text(r, "user", "-"),
            is_job(r) ? get_text(r, "job_state", "-")[0] : '-',
            layout_rel(get_int(r, "start_at", 0) - s->now, from),
            layout_rel(end ? end - s->now : DURATION_UNLIMITED, to),
            (long long)get_int(r, "nodes", 0));
    }
}

/* ---- the command ---- */

static int fetch(struct show *s)
{
    struct query *q = query_new("/v1/reservations");
    int status = 0;

    if (s->l->nargs) {
        query_part(q, s->l->args[0]);
        json_t *o = ask(s->l, q);
        if (o)
            collect(s, o);
        else
            status = 1;
        json_decref(o);
    } else {
        status = ask_list(s->l, q, collect, s) < 0;
    }
    query_free(q);
    return status;
}

static void print_xml(const struct show *s)
{
    size_t i;
    json_t *r;

    xml_begin("Data");
    json_array_foreach(s->list, i, r) mrsvctl_print_xml(r);
    xml_end("Data");
}

static void print_records(const struct show *s)
{
    size_t i;
    json_t *r;

    json_array_foreach(s->list, i, r)
    {
        json_dumpf(r, stdout, JSON_COMPACT);
        putchar('\n');
    }
}

static int run(const struct command_line *l)
{
    if (l->nargs > 1)
        return command_wrong(l, "one reservation at a time");
    struct show s = {.l = l, .list = json_array()};
    int status = fetch(&s);
    if (status == 0) {
        list_sort_reservations(s.list);
        if (!s.now && l->format == FORMAT_TEXT)
            s.now = request_now(l); /* there was no record to tell it */
        if (l->format == FORMAT_JSON)
            print_records(&s);
        else if (l->format == FORMAT_XML)
            print_xml(&s);
        else if (!command_has(l, 'n'))
            print_by_name(&s);
        else if (command_has(l, 's'))
            print_summary(&s);
        else
            print_by_node(&s);
    }
    vec_fini(&s.rows);
    json_decref(s.list);
    return status;
}

int showres_main(int argc, char **argv)
{
    return command_run(&spec, argc, argv, run);
}
