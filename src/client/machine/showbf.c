/* SPDX-License-Identifier: Apache-2.0
 * showbf: what is free now, and for how long. */
#include "base/duration.h"
#include "client/client.h"
#include "client/kit/layout.h"
#include "client/kit/request.h"
#include "client/kit/stopped.h"

#include <stdio.h>
#include <string.h>

static const struct option_row options[] = {
    {'A', NULL, NULL, "for all users, groups, accounts, classes and QOS"},
    {'a', "account", "ACCOUNT", "for ACCOUNT"},
    {'c', "class", "CLASS", "for jobs of CLASS"},
    {'d', "duration", "TIME", "only what is free for TIME at least"},
    {'D', NULL, NULL, "also windows that begin later, in the order of their begin"},
    {'f', "features", "F[,F]", "only nodes with these features"},
    {'g', "group", "GROUP", "for GROUP; default the user's"},
    {'L', NULL, NULL, "no more than hard limits leave, for a job of -d"},
    {'m', NULL, "[CMP]MB", "only nodes with so much memory; CMP is >=, >, ==, < or <="},
    {'M', NULL, "MB", "with so much memory left for each processor"},
    {'n', "nodes", "N", "only blocks of N nodes at least"},
    {'p', "partition", "PARTITION", "only PARTITION"},
    {'q', "qos", "QOS", "for jobs of QOS"},
    {'r', "procs", "N", "only blocks of N processors at least"},
    {'S', NULL, NULL, "node by node"},
    {'u', "user", "USER", "for USER; default the caller"},
    {'v', NULL, NULL, "also which nodes are not free for ever, and why"},
    {0, NULL, NULL, NULL},
};

static const struct command_spec spec = {
    .name = "showbf",
    .usage = "[-S] [-v] [-d TIME] [-n NODES] [-r PROCS] [-u USER] [-p PARTITION] ...",
    .summary = "Show what a job could have at once, and for how long.",
    .options = options,
    .more =
        "A line says how many processors are free for at least that long, so lines\n"
        "overlap. States of nodes, use and reservations count; throttling limits "
        "with -L.\n"
        "CMP has to be quoted for the shell.\n",
    .examples = "  showbf                 for you\n"
                "  showbf -r 16 -d 2:00:00   16 processors for two hours\n"
                "  showbf -D -d 2:00:00   when so much is free for two hours\n"
                "  showbf -S -m '>=8192'  nodes with 8 GB and more, one a line\n",
};

/* Options that are handed on as they are. */
static const struct {
    char letter;
    const char *name;
} plain[] = {{'a', "account"}, {'c', "class"}, {'g', "group"}, {'m', "mem"},
    {'M', "mem_per_proc_mb"}, {'n', "nodes"}, {'q', "qos"}, {'r', "procs"},
    {'u', "user"}};

/* 0, or the status of a wrong line. */
static int add_duration(const struct command_line *l, struct query *q)
{
    const char *text = command_value(l, 'd');
    char seconds[24];
    struct err err;
    int64_t n;

    if (!text)
        return 0;
    if (duration_parse(text, &n, &err) < 0)
        return command_wrong(l, "-d: %s", err.text);
    snprintf(
        seconds, sizeof seconds, "%lld", (long long)(n < INT32_MAX ? n : INT32_MAX));
    query_add(q, "duration_s", seconds);
    return 0;
}

/* Features may be separated by commas, colons or blanks. */
static void add_features(const struct command_line *l, struct query *q)
{
    const char *text = command_value(l, 'f');
    char list[1000];

    if (!text)
        return;
    snprintf(list, sizeof list, "%s", text);
    for (char *p = list; *p; p++)
        if (*p == ':' || *p == ' ')
            *p = ',';
    query_add(q, "features", list);
}

static int make_query(const struct command_line *l, struct query *q)
{
    for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++)
        query_add(q, plain[i].name, command_value(l, plain[i].letter));
    add_features(l, q);
    query_add(q, "partition",
        command_has(l, 'p') ? command_value(l, 'p') : getenv("MAUIPARTITION"));
    query_add(q, "any", command_has(l, 'A') ? "1" : NULL);
    query_add(q, "per_node", command_has(l, 'S') ? "1" : NULL);
    query_add(q, "blocked", command_has(l, 'v') ? "1" : NULL);
    query_add(q, "later", command_has(l, 'D') ? "1" : NULL);
    query_add(q, "limits", command_has(l, 'L') ? "1" : NULL);
    for (const char *p = "ASn"; *p && command_has(l, 'D'); p++)
        if (command_has(l, *p))
            return command_wrong(l, "-%c and -D do not go together", *p);
    if (command_has(l, 'S') && command_has(l, 'L'))
        return command_wrong(l, "-S and -L do not go together");
    return add_duration(l, q);
}

/* ---- windows ---- */

static void print_window(const json_t *w, json_int_t now)
{
    json_int_t procs = get_int(w, "procs", 0);
    json_int_t seconds = get_int(w, "duration_s", DURATION_UNLIMITED);
    const char *plural = procs == 1 ? "" : "s";
    json_int_t start = get_int(w, "start_at", now);
    char rel[LAYOUT_REL_MAX], in[LAYOUT_REL_MAX + 4] = "";

    if (start > now)
        snprintf(in, sizeof in, " in %11s", layout_rel(start - now, rel));
    if (seconds >= 100000000)
        printf("%3lld proc%s available%s with no timelimit\n", (long long)procs, plural,
            in);
    else
        printf("%3lld proc%s available%s for   %11s\n", (long long)procs, plural, in,
            layout_rel(seconds, rel));
}

static void print_windows(const json_t *o)
{
    const json_t *partitions = json_object_get(o, "partitions");
    char date[LAYOUT_DATE_MAX];
    json_t *p, *w;
    size_t i, k;

    printf("backfill window (user: '%s' group: '%s' partition: %s) %s\n",
        get_text(o, "user", "ALL"), get_text(o, "group", "ALL"),
        get_text(o, "partition", "ALL"), layout_date(get_int(o, "at", 0), date));
    json_array_foreach(partitions, i, p)
    {
        const json_t *windows = json_object_get(p, "windows");
        puts("");
        if (json_array_size(partitions) > 1)
            printf("partition %s:\n", get_text(p, "name", ""));
        json_array_foreach(windows, k, w) print_window(w, get_int(o, "at", 0));
        if (json_array_size(windows) == 0)
            puts("no procs available");
    }
    if (json_array_size(partitions) == 0)
        puts("\nno procs available");
}

/* ---- nodes ---- */

static void print_nodes(const json_t *o)
{
    char rel[LAYOUT_REL_MAX];
    json_t *n;
    size_t i;

    printf("%20s %5s %6s %7s %7s   %14s\n", "HostName", "Procs", "Memory", "Disk",
        "Swap", "Time Available");
    printf("%20s %5s %6s %7s %7s   %14s\n\n", "----------", "-----", "------",
        "-------", "-------", "--------------");
    json_array_foreach(json_object_get(o, "nodes"), i, n)
        printf("%20s %5lld %6lld %7lld %7lld   %14s\n", get_text(n, "name", ""),
            (long long)get_int(n, "procs", 0), (long long)get_int(n, "mem_mb", 0),
            (long long)get_int(n, "disk_mb", 0), (long long)get_int(n, "swap_mb", 0),
            layout_rel(get_int(n, "duration_s", DURATION_UNLIMITED), rel));
}

#define JOBS_TOLD 4

/* Below the classic line of the node, indented: what is on it, and until when. */
static void print_cause(const json_t *n, json_int_t now)
{
    json_int_t until = get_int(n, "until", 0), in_s = get_int(n, "in_s", 0);
    const json_t *jobs = json_object_get(n, "jobs");
    char from[LAYOUT_DATE_MAX], to[LAYOUT_DATE_MAX];
    json_t *job;
    size_t i;

    if (until)
        printf("    from %s until %s\n", in_s ? layout_date(now + in_s, from) : "now",
            layout_date(until, to));
    json_array_foreach(jobs, i, job)
    {
        if (i == JOBS_TOLD) {
            printf("    and %zu more jobs\n", json_array_size(jobs) - i);
            break;
        }
        printf("    job %s", get_text(job, "job", ""));
        if (get_int(job, "until", 0))
            printf(" until %s", layout_date(get_int(job, "until", 0), to));
        puts("");
    }
}

static void print_blocked(const json_t *o)
{
    char rel[LAYOUT_REL_MAX];
    json_t *n;
    size_t i;

    puts("\n");
    json_array_foreach(json_object_get(o, "blocked"), i, n)
    {
        const char *state = get_text(n, "state", NULL), *name = get_text(n, "name", "");
        const char *rsv = get_text(n, "reservation", NULL);
        if (state)
            printf("node %s is unavailable (state '%s')\n", name, state);
        else if (get_text(n, "reason", NULL))
            printf("node %s is unavailable (%s)\n", name, get_text(n, "reason", ""));
        else
            printf("node %s is blocked by %s%s in %s\n", name,
                rsv ? "reservation " : "a reservation", rsv ? rsv : "",
                layout_rel(get_int(n, "in_s", 0), rel));
        print_cause(n, get_int(o, "at", 0));
    }
}

static int show(const struct command_line *l, const struct query *q)
{
    json_t *o = ask(l, q);

    if (l->format == FORMAT_JSON)
        return print_json(o);
    if (!o)
        return 1;
    stopped_note(o);
    if (get_bool(o, "others"))
        fprintf(stderr,
            "NOTE:     what is reserved for others, or limits them, is told to "
            "administrators: this is as if nothing named them\n");
    if (command_has(l, 'S'))
        print_nodes(o);
    else
        print_windows(o);
    if (command_has(l, 'v'))
        print_blocked(o);
    json_decref(o);
    return 0;
}

static int run(const struct command_line *l)
{
    if (l->nargs)
        return command_wrong(l, "'%s' is not expected here", l->args[0]);
    struct query *q = query_new("/v1/windows");
    int status = make_query(l, q);
    if (status == 0)
        status = show(l, q);
    query_free(q);
    return status;
}

int showbf_main(int argc, char **argv)
{
    return command_run(&spec, argc, argv, run);
}
