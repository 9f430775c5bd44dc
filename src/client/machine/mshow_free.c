/* SPDX-License-Identifier: Apache-2.0
 * Windows that are free, for what -w asks. */
#include "client/machine/mshow_free.h"

#include "base/duration.h"
#include "base/nearest.h"
#include "base/xalloc.h"
#include "base/zone.h"
#include "client/kit/layout.h"
#include "client/kit/request.h"
#include "config/setres.h"
#include "config/value.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

/* ---- what is asked: -w ---- */

struct wishes {
    const struct command_line *l;
    struct query *q;
    /* asked of the answer rather than of the scheduler: */
    int64_t from;  /* what is left of windows from then on */
    int64_t count; /* no more than so many; 0 = all */
};

static void add_number(struct wishes *w, const char *name, int64_t n)
{
    char text[24];

    snprintf(text, sizeof text, "%lld", (long long)n);
    query_add(w->q, name, text);
}

static int read_count(
    const struct wishes *w, const char *attr, const char *text, int64_t *ret)
{
    struct err err;

    if (value_int(text, 1, INT32_MAX, ret, &err) < 0)
        return command_wrong(w->l, "-w %s: %s", attr, err.text);
    return 0;
}

/* What stands behind ATTR= in -w goes into the query, as `name` where it is handed on.
 * 0, or the status of a wrong line. */
struct wish {
    const char *attr;
    int (*add)(struct wishes *w, const struct wish *wish, char *value);
    const char *name;
};

static int add_text(struct wishes *w, const struct wish *wish, char *value)
{
    query_add(w->q, wish->name, value);
    return 0;
}

/* "fast:big" */
static int add_list(struct wishes *w, const struct wish *wish, char *value)
{
    for (char *p = value; (p = strchr(p, ':')) != NULL;)
        *p = ',';
    return add_text(w, wish, value);
}

static int add_duration(struct wishes *w, const struct wish *wish, char *value)
{
    struct err err;
    int64_t n;

    if (duration_parse(value, &n, &err) < 0)
        return command_wrong(w->l, "-w %s: %s", wish->attr, err.text);
    add_number(w, wish->name, n < INT32_MAX ? n : INT32_MAX);
    return 0;
}

/* "8@PROCS:2": sixteen processors. */
static int add_tasks(struct wishes *w, const struct wish *wish, char *value)
{
    static const char per_task[] = "PROCS:";
    char *each = strchr(value, '@');
    int64_t n, procs = 1;

    if (each && strncasecmp(each + 1, per_task, strlen(per_task)) != 0)
        return command_wrong(w->l, "-w %s: '%s' is not N@PROCS:P", wish->attr, value);
    if (each)
        *each++ = '\0';
    if (read_count(w, wish->attr, value, &n)
        || (each && read_count(w, wish->attr, each + strlen(per_task), &procs)))
        return 1;
    add_number(w, wish->name, n * procs);
    return 0;
}

static int add_level(struct wishes *w, const struct wish *wish, char *value)
{
    if (strcasecmp(value, "HARD") == 0)
        query_add(w->q, wish->name, "1");
    else if (strcasecmp(value, "OFF") != 0)
        return command_wrong(
            w->l, "-w %s: '%s' is neither HARD nor OFF", wish->attr, value);
    return 0;
}

static int set_count(struct wishes *w, const struct wish *wish, char *value)
{
    return read_count(w, wish->attr, value, &w->count);
}

static int set_start(struct wishes *w, const struct wish *wish, char *value)
{
    const struct calendar cal = zone_system_calendar(request_now(w->l));
    struct err err;

    query_add(w->q, wish->name, "1");
    if (setres_time(value, &(struct setres_clock){.cal = &cal}, &w->from, &err) < 0)
        return command_wrong(w->l, "-w %s: %s", wish->attr, err.text);
    return 0;
}

static int set_offset(struct wishes *w, const struct wish *wish, char *value)
{
    struct err err;
    int64_t n;

    query_add(w->q, wish->name, "1");
    if (duration_parse(value, &n, &err) < 0)
        return command_wrong(w->l, "-w %s: %s", wish->attr, err.text);
    w->from = n < INT32_MAX ? request_now(w->l) + n : INT64_MAX;
    return 0;
}

static const struct wish known[] = {
    {"account", add_text, "account"},
    {"arch", add_text, "arch"},
    {"class", add_text, "class"},
    {"count", set_count, NULL},
    {"duration", add_duration, "duration_s"},
    {"group", add_text, "group"},
    {"minnodes", add_text, "nodes"},
    {"minprocs", add_text, "procs"},
    {"mintasks", add_tasks, "procs"},
    {"nodefeature", add_list, "features"},
    {"nodemem", add_text, "mem"},
    {"offset", set_offset, "later"},
    {"os", add_text, "os"},
    {"partition", add_text, "partition"},
    {"policylevel", add_level, "limits"},
    {"qos", add_text, "qos"},
    {"starttime", set_start, "later"},
    {"taskmem", add_text, "mem_per_proc_mb"},
    {"user", add_text, "user"},
};

/* One "ATTR=VALUE". */
static int add_wish(struct wishes *w, char *text)
{
    char *value = strchr(text, '=');
    struct nearest near;

    if (!value)
        return command_wrong(w->l, "-w: '%s' is not ATTR=VALUE", text);
    *value++ = '\0';
    nearest_init(&near, text);
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (strcasecmp(text, known[i].attr) == 0)
            return known[i].add(w, &known[i], value);
        nearest_offer(&near, known[i].attr);
    }
    return command_wrong(w->l, "-w: '%s' cannot be asked for%s%s", text,
        nearest_best(&near) ? "; did you mean " : "",
        nearest_best(&near) ? nearest_best(&near) : "");
}

static int add_flag(struct wishes *w, char *flag)
{
    if (strcasecmp(flag, "future") == 0)
        query_add(w->q, "later", "1");
    else if (strcasecmp(flag, "policy") == 0)
        query_add(w->q, "limits", "1");
    else
        return command_wrong(w->l, "--flags: '%s' is neither future nor policy", flag);
    return 0;
}

/* Each of a list with commas; NULL = none. */
static int add_each(
    struct wishes *w, const char *list, int (*add)(struct wishes *w, char *one))
{
    char *copy = xstrdup(list ? list : ""), *rest = copy, *one;
    int status = 0;

    while (status == 0 && (one = strtok_r(rest, ",", &rest)) != NULL)
        status = add(w, one);
    free(copy);
    return status;
}

/* ---- what of the answer was asked for ---- */

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

/* What begins before that instant begins then; what is over, or part of another, goes.
 */
static void cut_before(json_t *windows, int64_t from, json_int_t now)
{
    for (size_t k = json_array_size(windows); k-- > 0;)
        if (!begin_at(json_array_get(windows, k), from, now))
            json_array_remove(windows, k);
    for (size_t k = json_array_size(windows); k-- > 0;)
        if (is_part(windows, k, now))
            json_array_remove(windows, k);
}

static void restrict_to(json_t *o, const struct wishes *w)
{
    size_t i, left = w->count ? (size_t)w->count : SIZE_MAX;
    json_t *p;

    json_array_foreach(json_object_get(o, "partitions"), i, p)
    {
        json_t *windows = json_object_get(p, "windows");
        if (w->from)
            cut_before(windows, w->from, get_int(o, "at", 0));
        while (json_array_size(windows) > left)
            json_array_remove(windows, json_array_size(windows) - 1);
        left -= json_array_size(windows);
    }
}

/* ---- the answer ---- */

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

int mshow_free(const struct command_line *l)
{
    struct wishes w = {.l = l, .q = query_new("/v1/windows")};
    int status = add_each(&w, command_value(l, 'w'), add_wish);

    if (status == 0)
        status = add_each(&w, command_long(l, "flags"), add_flag);
    json_t *o = status == 0 ? ask(l, w.q) : NULL;
    query_free(w.q);
    if (status)
        return status;
    if (o)
        restrict_to(o, &w);
    if (l->format == FORMAT_JSON)
        return print_json(o);
    if (!o)
        return 1;
    print_windows(o);
    json_decref(o);
    return 0;
}
