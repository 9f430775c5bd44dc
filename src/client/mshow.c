/* SPDX-License-Identifier: Apache-2.0
 * mshow: the queue in blocks of active, eligible and blocked jobs, and what is free. */
#include "base/duration.h"
#include "base/nearest.h"
#include "base/xalloc.h"
#include "base/zone.h"
#include "client/client.h"
#include "client/layout.h"
#include "client/queuexml.h"
#include "client/request.h"
#include "config/setres.h"
#include "config/value.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

static const struct option_row options[] = {
    {'q', NULL, NULL, "the queue"},
    {'a', NULL, NULL, "what is free now, and for how long"},
    {'w', NULL, "ATTR=VALUE[,...]", "with -a: for what, see below"},
    {0, "flags", "future,policy",
        "with -a: also what is free later; what limits leave"},
    {0, "format", "text|json|xml", "how to print the answer; xml with -q"},
    {0, NULL, NULL, NULL},
};

static const struct command_spec spec = {
    .name = "mshow",
    .usage = "-q | -a [-w ATTR=VALUE[,ATTR=VALUE]] [--flags future,policy]",
    .summary = "Show the queue in blocks, or what is free.",
    .options = options,
    .more =
        "Attributes of -w: account class group qos user (for whom); duration minnodes\n"
        "minprocs mintasks=N@PROCS:P (at least); arch nodefeature (several with :)\n"
        "nodemem os partition taskmem (MB for each processor); starttime=TIME or\n"
        "offset=DURATION: what is free from then on; count=N: no more than so\n"
        "many; policylevel=HARD or OFF, as --flags policy or not.\n",
    .examples = "  mshow -q               everything that is in the queue\n"
                "  mshow -a -w minprocs=8,duration=2:00:00\n"
                "                         where 8 processors are free for two hours\n",
};

static void keep(void *list, json_t *o)
{
    if (json_object_get(o, "id"))
        json_array_append(list, o);
}

/* One block; how many jobs it has. */
static size_t print_block(const json_t *jobs, const char *type)
{
    bool active = strcmp(type, "active") == 0;
    char rel[LAYOUT_REL_MAX], date[LAYOUT_DATE_MAX];
    size_t i, n = 0;
    json_t *j;

    printf("%s jobs------------------------\n", type);
    printf("%-18s %8s %10s %5s %11s  %19s\n\n", "JOBNAME", "USERNAME", "STATE", "PROC",
        active ? "REMAINING" : "WCLIMIT", active ? "STARTTIME" : "QUEUETIME");
    json_array_foreach(jobs, i, j)
    {
        if (strcmp(get_text(j, "section", ""), type) != 0)
            continue;
        n++;
        printf("%-18s %8s %10s %5lld %11s  %19s\n", get_text(j, "id", ""),
            get_text(j, "user", ""), get_text(j, "shown_state", ""),
            (long long)get_int(j, "procs", 0),
            layout_rel(
                get_int(j, active ? "remaining_s" : "wclimit_s", DURATION_UNLIMITED),
                rel),
            layout_date(get_int(j, active ? "start_at" : "queue_at", 0), date));
    }
    printf("\n%zu %s job%s\n\n", n, type, n == 1 ? "" : "s");
    return n;
}

static int show_queue(const struct command_line *l)
{
    static const char *const types[] = {"active", "eligible", "blocked"};
    struct query *q = query_new("/v1/jobs");
    json_t *jobs = json_array();
    size_t total = 0;
    int status;

    if (l->format == FORMAT_JSON) {
        status = print_json_list(l, q);
    } else if (l->format == FORMAT_XML) {
        status = queuexml_print(l, q);
    } else if ((status = ask_list(l, q, keep, jobs) < 0) == 0) {
        for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
            total += print_block(jobs, types[i]);
        printf("Total jobs:  %zu\n", total);
    }
    json_decref(jobs);
    query_free(q);
    return status;
}

/* ---- what is free ---- */

/* What is asked of the answer rather than of the scheduler. */
struct limits {
    int64_t from;  /* what is left of windows from then on */
    int64_t count; /* no more than so many; 0 = all */
};

static int read_count(
    const struct command_line *l, const char *attr, const char *text, int64_t *ret)
{
    struct err err;

    if (value_int(text, 1, INT32_MAX, ret, &err) < 0)
        return command_wrong(l, "-w %s: %s", attr, err.text);
    return 0;
}

/* "8@PROCS:2": sixteen processors. */
static int add_tasks(const struct command_line *l, struct query *q, const char *text)
{
    char *tasks = xstrndup(text, strcspn(text, "@"));
    const char *each = strchr(text, '@');
    int64_t n, procs = 1;
    char number[24];

    int status = read_count(l, "mintasks", tasks, &n);
    free(tasks);
    if (status == 0 && each && strncasecmp(each, "@PROCS:", 7) != 0)
        status = command_wrong(l, "-w mintasks: '%s' is not N@PROCS:P", text);
    else if (status == 0 && each)
        status = read_count(l, "mintasks", each + 7, &procs);
    if (status == 0) {
        snprintf(number, sizeof number, "%lld", (long long)n * procs);
        query_add(q, "procs", number);
    }
    return status;
}

static int read_start(
    const struct command_line *l, const char *attr, const char *text, int64_t *ret)
{
    const struct calendar cal = zone_system_calendar(request_now(l));
    struct err err = {0};

    if (strcasecmp(attr, "offset") == 0) {
        if (duration_parse(text, ret, &err) < 0)
            return command_wrong(l, "-w offset: %s", err.text);
        *ret = *ret < INT32_MAX ? cal.now + *ret : INT64_MAX;
        return 0;
    }
    if (setres_time(text, &(struct setres_clock){.cal = &cal}, ret, &err) < 0)
        return command_wrong(l, "-w starttime: %s", err.text);
    return 0;
}

static int add_level(const struct command_line *l, struct query *q, const char *text)
{
    if (strcasecmp(text, "HARD") == 0)
        query_add(q, "limits", "1");
    else if (strcasecmp(text, "OFF") != 0)
        return command_wrong(l, "-w policylevel: '%s' is neither HARD nor OFF", text);
    return 0;
}

/* Those that are not handed on as they are. -1: it is none of them. */
static int add_special(const struct command_line *l, struct query *q,
    struct limits *limits, const char *attr, const char *value)
{
    if (strcasecmp(attr, "mintasks") == 0)
        return add_tasks(l, q, value);
    if (strcasecmp(attr, "policylevel") == 0)
        return add_level(l, q, value);
    if (strcasecmp(attr, "count") == 0)
        return read_count(l, attr, value, &limits->count);
    if (strcasecmp(attr, "starttime") == 0 || strcasecmp(attr, "offset") == 0) {
        query_add(q, "later", "1");
        return read_start(l, attr, value, &limits->from);
    }
    return -1;
}

/* One "ATTR=VALUE" for the query. 0, or the status of a wrong line. */
static int add_wish(
    const struct command_line *l, struct query *q, struct limits *limits, char *wish)
{
    static const struct {
        const char *attr, *name;
    } known[] = {{"account", "account"}, {"class", "class"}, {"group", "group"},
        {"qos", "qos"}, {"user", "user"}, {"partition", "partition"}, {"os", "os"},
        {"arch", "arch"}, {"duration", "duration_s"}, {"minprocs", "procs"},
        {"minnodes", "nodes"}, {"nodefeature", "features"}, {"nodemem", "mem"},
        {"taskmem", "mem_per_proc_mb"}};
    char *value = strchr(wish, '='), seconds[24];
    struct nearest near;
    struct err err;
    int64_t n;

    if (!value)
        return command_wrong(l, "-w: '%s' is not ATTR=VALUE", wish);
    *value++ = 0;
    int special = add_special(l, q, limits, wish, value);
    if (special >= 0)
        return special;
    nearest_init(&near, wish);
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        nearest_offer(&near, known[i].attr);
        if (strcasecmp(wish, known[i].attr) != 0)
            continue;
        for (char *p = value; *p && strcmp(known[i].name, "features") == 0; p++)
            *p = *p == ':' ? ',' : *p;
        if (strcmp(known[i].name, "duration_s") == 0) {
            if (duration_parse(value, &n, &err) < 0)
                return command_wrong(l, "-w duration: %s", err.text);
            snprintf(seconds, sizeof seconds, "%lld",
                (long long)(n < INT32_MAX ? n : INT32_MAX));
            value = seconds;
        }
        query_add(q, known[i].name, value);
        return 0;
    }
    return command_wrong(l, "-w: '%s' cannot be asked for%s%s", wish,
        nearest_best(&near) ? "; did you mean " : "",
        nearest_best(&near) ? nearest_best(&near) : "");
}

static int add_wishes(
    const struct command_line *l, struct query *q, struct limits *limits)
{
    char *text = xstrdup(command_has(l, 'w') ? command_value(l, 'w') : "");
    int status = 0;

    for (char *save = NULL, *p = strtok_r(text, ",", &save); p && status == 0;
         p = strtok_r(NULL, ",", &save))
        status = add_wish(l, q, limits, p);
    free(text);
    return status;
}

static void print_windows(const json_t *o)
{
    json_int_t now = get_int(o, "at", 0);
    char length[LAYOUT_REL_MAX], offset[LAYOUT_REL_MAX], date[LAYOUT_DATE_MAX];
    char nodes[24];
    json_t *p, *w;
    size_t i, k;

    printf("%-12s %6s %6s %12s %12s  %19s\n", "Partition", "Tasks", "Nodes", "Duration",
        "StartOffset", "StartDate");
    printf("%-12s %6s %6s %12s %12s  %19s\n", "---------", "-----", "-----", "--------",
        "-----------", "---------");
    json_array_foreach(json_object_get(o, "partitions"), i, p)
        json_array_foreach(json_object_get(p, "windows"), k, w)
    {
        snprintf(nodes, sizeof nodes, "%lld", (long long)get_int(w, "nodes", 0));
        printf("%-12s %6lld %6s %12s %12s  %19s\n", get_text(p, "name", ""),
            (long long)get_int(w, "procs", 0),
            json_object_get(w, "nodes") ? nodes : "-",
            layout_rel(get_int(w, "duration_s", DURATION_UNLIMITED), length),
            layout_rel(get_int(w, "start_at", now) - now, offset),
            layout_date(get_int(w, "start_at", now), date));
    }
}

static int add_flags(const struct command_line *l, struct query *q)
{
    char *text = xstrdup(command_long(l, "flags") ? command_long(l, "flags") : "");
    int status = 0;

    for (char *save = NULL, *p = strtok_r(text, ",", &save); p && status == 0;
         p = strtok_r(NULL, ",", &save)) {
        if (strcasecmp(p, "future") == 0)
            query_add(q, "later", "1");
        else if (strcasecmp(p, "policy") == 0)
            query_add(q, "limits", "1");
        else
            status = command_wrong(l, "--flags: '%s' is neither future nor policy", p);
    }
    free(text);
    return status;
}

/* What is left of a window from that instant on; false: nothing. */
static bool begin_at(json_t *window, int64_t from, json_int_t now)
{
    json_int_t start = get_int(window, "start_at", now);
    json_t *length = json_object_get(window, "duration_s");

    if (start >= from)
        return true;
    if (json_is_integer(length) && start + json_integer_value(length) <= from)
        return false;
    if (json_is_integer(length))
        json_integer_set(length, json_integer_value(length) - (from - start));
    json_object_set_new(window, "start_at", json_integer(from));
    return true;
}

static json_int_t end_of(const json_t *window, json_int_t now)
{
    const json_t *length = json_object_get(window, "duration_s");

    return json_is_integer(length)
               ? get_int(window, "start_at", now) + json_integer_value(length)
               : INT64_MAX;
}

/* Is it part of another one, now that they begin together? */
static bool is_part(const json_t *windows, size_t k, json_int_t now)
{
    const json_t *w = json_array_get(windows, k);

    for (size_t i = 0; i < json_array_size(windows); i++) {
        const json_t *o = json_array_get(windows, i);
        if (i != k && get_int(o, "procs", 0) >= get_int(w, "procs", 0)
            && get_int(o, "start_at", now) <= get_int(w, "start_at", now)
            && end_of(o, now) >= end_of(w, now))
            return true;
    }
    return false;
}

/* Take away what is not asked for. */
static void restrict_to(json_t *o, const struct limits *limits)
{
    json_int_t now = get_int(o, "at", 0);
    int64_t kept = 0;
    json_t *p;
    size_t i;

    json_array_foreach(json_object_get(o, "partitions"), i, p)
    {
        json_t *windows = json_object_get(p, "windows");
        for (size_t k = json_array_size(windows); limits->from && k-- > 0;)
            if (!begin_at(json_array_get(windows, k), limits->from, now))
                json_array_remove(windows, k);
        for (size_t k = json_array_size(windows); limits->from && k-- > 0;)
            if (is_part(windows, k, now))
                json_array_remove(windows, k);
        for (size_t k = 0; limits->count && k < json_array_size(windows);)
            if (kept >= limits->count)
                json_array_remove(windows, k);
            else
                k++, kept++;
    }
}

static int show_free(const struct command_line *l)
{
    struct query *q = query_new("/v1/windows");
    struct limits limits = {0};
    int status = add_wishes(l, q, &limits);
    status = status ? status : add_flags(l, q);
    json_t *o = status == 0 ? ask(l, q) : NULL;

    query_free(q);
    if (status)
        return status;
    if (o)
        restrict_to(o, &limits);
    if (l->format == FORMAT_JSON)
        return print_json(o);
    if (!o)
        return 1;
    print_windows(o);
    json_decref(o);
    return 0;
}

/* ---- the command ---- */

static int run(const struct command_line *l)
{
    bool queue = command_has(l, 'q'), windows = command_has(l, 'a');

    if (queue == windows || l->nargs)
        return command_wrong(l, "one of -q and -a is needed, and nothing else");
    if (queue && command_has(l, 'w'))
        return command_wrong(l, "-w goes with -a");
    if (windows && l->format == FORMAT_XML)
        return command_wrong(l, "--format xml goes with -q");
    return queue ? show_queue(l) : show_free(l);
}

int mshow_main(int argc, char **argv)
{
    return command_run(&spec, argc, argv, run);
}
