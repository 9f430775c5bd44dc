/* SPDX-License-Identifier: Apache-2.0
 * Statistics from the records of ended jobs. */
#include "client/statistics/endedstats.h"

#include "base/duration.h"
#include "base/zone.h"
#include "client/kit/layout.h"
#include "client/kit/request.h"
#include "client/statistics/statstable.h"
#include "config/setres.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the span ---- */

struct span {
    int64_t from, to; /* [from, to); 0 = from the first, up to now */
};

/* An instant as setres takes it, or "-1:00:00": so long ago. */
static int read_instant(
    const struct command_line *l, const char *text, int64_t *ret, struct err *err)
{
    const struct calendar cal = zone_system_calendar(request_now(l));
    const struct setres_clock clock = {.cal = &cal};
    int64_t ago;

    if (*text != '-')
        return setres_time(text, &clock, ret, err);
    if (duration_parse(text + 1, &ago, err) < 0)
        return -1;
    *ret = cal.now - ago;
    return 0;
}

static int read_range(const struct command_line *l, const char *text, struct span *ret)
{
    char *copy = xstrdup(text), *end = strchr(copy, ',');
    struct err err;
    int status = 0;

    if (end)
        *end++ = 0;
    if (read_instant(l, copy, &ret->from, &err) < 0
        || (end && read_instant(l, end, &ret->to, &err) < 0))
        status = command_wrong(l, "-t: %s", err.text);
    else if (end && ret->to <= ret->from)
        status = command_wrong(l, "-t: '%s' ends before it begins", text);
    free(copy);
    return status;
}

static void keep_interval(void *ctx, json_t *o)
{
    struct err err;

    duration_parse(get_text(o, "value", ""), ctx, &err);
}

/* From the begin of the last N intervals of fairshare, the present one included. */
static int read_depth(const struct command_line *l, const char *text, struct span *ret)
{
    struct query *q = query_new("/v1/parameters");
    int64_t length = 0, now = request_now(l);
    char *end;
    long n = strtol(text, &end, 10);
    int status = 1;

    query_add(q, "name", "FSINTERVAL");
    if (*end || end == text || n < 1 || n > 100000)
        command_wrong(l, "-d: '%s' is not a number of intervals", text);
    else if (ask_list(l, q, keep_interval, &length) == 0 && length > 0) {
        ret->from = (now / length - (n - 1)) * length;
        ret->from = ret->from > 0 ? ret->from : 1;
        status = 0;
    }
    query_free(q);
    return status;
}

/* ---- the records ---- */

struct ended {
    const struct endedstats *what;
    struct stats_table table;
    json_t *index; /* name to its row */
    struct stat_sums all;
    int64_t first_end;   /* of the records of this page, which come oldest first */
    json_t *seen, *edge; /* of the page before, and of this one: ids at its first end */
    size_t page;         /* records in it */
};

static void add_job(struct stat_sums *s, const json_t *o)
{
    int64_t start = get_int(o, "start_at", 0), run = get_int(o, "end_at", 0) - start;
    int64_t limit = get_int(o, "wclimit_s", run > 0 ? run : 1);
    int64_t queue = start - get_int(o, "queue_at", start);
    double procs = (double)get_int(o, "procs", 0),
           limit_s = limit > 0 ? (double)limit : 1;
    double ran = (double)(run < limit ? run : limit);

    s->jobs++;
    s->successful += strcmp(get_text(o, "state", ""), "Completed") == 0;
    s->queue_s += queue;
    s->max_queue_s = queue > s->max_queue_s ? queue : s->max_queue_s;
    s->ps_requested += limit_s * procs;
    s->ps_run += ran * procs;
    s->ps_dedicated += (double)run * procs;
    if (json_object_get(o, "cpu_s")) {
        s->ps_utilized += get_real(o, "cpu_s", 0);
        s->ps_measured += ran * procs;
    }
    double xfactor = ((double)queue + ran) / limit_s;
    s->xfactor += xfactor;
    s->max_xfactor = xfactor > s->max_xfactor ? xfactor : s->max_xfactor;
    s->accuracy += ran / limit_s;
}

static void add_to_row(struct ended *e, const char *name, const json_t *o)
{
    json_t *at = json_object_get(e->index, name);
    size_t i = at ? (size_t)json_integer_value(at) : e->table.rows.n;

    if (!at) {
        statstable_add(&e->table, name, NULL);
        json_object_set_new(e->index, name, json_integer((json_int_t)i));
    }
    add_job(&e->table.rows.v[i].f.sums, o);
}

static void on_job(void *ctx, json_t *o)
{
    struct ended *e = ctx;
    int64_t end = get_int(o, "end_at", 0);
    const char *id = get_text(o, "id", ""), *key = e->what->key;
    const char *name = key ? get_text(o, key, "") : "";

    if (!e->page++)
        e->first_end = end;
    if (end == e->first_end)
        json_object_set_new(e->edge, id, json_true());
    if (json_object_get(e->seen, id) || !get_int(o, "start_at", 0))
        return;
    add_job(&e->all, o);
    if (*name && (!e->what->only || strcmp(e->what->only, name) == 0))
        add_to_row(e, name, o);
}

/* One page: the newest that ended before `to`, at most so many. */
static int ask_page(const struct command_line *l, struct ended *e, int64_t from,
    int64_t to, const char *limit)
{
    struct query *q = query_new("/v1/accounting");
    char text[2][24];

    snprintf(text[0], sizeof text[0], "%lld", (long long)from);
    snprintf(text[1], sizeof text[1], "%lld", (long long)to);
    query_add(q, "from", from ? text[0] : NULL);
    query_add(q, "to", to ? text[1] : NULL);
    query_add(q, "limit", limit);
    json_decref(e->seen);
    e->seen = e->edge;
    e->edge = json_object();
    e->page = 0;
    int result = ask_list(l, q, on_job, e);
    query_free(q);
    return result;
}

/* Page by page, so that nobody waits behind a long answer. A page ends within a second;
 * the next one begins with all of that second, of which this one's are seen. */
static int ask_all(const struct command_line *l, struct ended *e, const struct span *s)
{
    static const char limit[] = "10000";
    const size_t full = 10000;
    int64_t to = s->to;

    do {
        if (ask_page(l, e, s->from, to, limit) < 0)
            return 1;
        if (e->page == full && to == e->first_end + 1) {
            fputs("ERROR:    too many jobs ended in one second to be told apart\n",
                stderr);
            return 1;
        }
        to = e->first_end + 1;
    } while (e->page == full);
    return 0;
}

/* ---- out ---- */

static json_t *as_json(const struct stat_sums *s)
{
    double jobs = s->jobs ? (double)s->jobs : 1;
    json_t *o =
        json_pack("{s:I, s:I, s:f, s:f, s:I, s:I, s:f}", "jobs", (json_int_t)s->jobs,
            "successful", (json_int_t)s->successful, "ps_requested", s->ps_requested,
            "ps_dedicated", s->ps_dedicated, "queue_s", (json_int_t)s->queue_s,
            "max_queue_s", (json_int_t)s->max_queue_s, "max_xfactor", s->max_xfactor);

    if (s->jobs) {
        json_object_set_new(o, "xfactor", json_real(s->xfactor / jobs));
        json_object_set_new(o, "accuracy", json_real(100 * s->accuracy / jobs));
    }
    if (s->ps_measured > 0)
        json_object_set_new(
            o, "efficiency", json_real(100 * s->ps_utilized / s->ps_measured));
    return o;
}

static void print_json_rows(const struct ended *e)
{
    for (size_t i = 0; e->what->key && i < e->table.rows.n; i++) {
        json_t *o = as_json(&e->table.rows.v[i].f.sums);
        json_object_set_new(o, "name", json_string(e->table.rows.v[i].name));
        json_dumpf(o, stdout, JSON_COMPACT);
        putchar('\n');
        json_decref(o);
    }
    if (!e->what->key)
        print_json(as_json(&e->all));
}

static void print_span(const struct command_line *l, const struct span *s)
{
    char from[LAYOUT_DATE_MAX], to[LAYOUT_DATE_MAX];
    int64_t end = s->to ? s->to : request_now(l);

    printf("statistics of jobs that ended from %s to %s\n\n",
        s->from ? layout_date(s->from, from) : "the first", layout_date(end, to));
}

static void print_all(const struct stat_sums *s)
{
    double jobs = s->jobs ? (double)s->jobs : 1;

    printf("%-31s%9lld/%-9lld (%.3f%%)\n",
        "Successful/Completed Jobs:", (long long)s->successful, (long long)s->jobs,
        layout_percent((double)s->successful, (double)s->jobs));
    printf("%-31s%9.2f/%-9.2f\n",
        "Avg/Max QTime (Hours):", (double)s->queue_s / jobs / 3600,
        (double)s->max_queue_s / 3600);
    printf(
        "%-31s%9.2f/%-9.2f\n", "Avg/Max XFactor:", s->xfactor / jobs, s->max_xfactor);
    printf("%-31s%9.2f/%-9.2f (%.3f%%)\n",
        "Dedicated/Requested ProcHours:", s->ps_dedicated / 3600,
        s->ps_requested / 3600, layout_percent(s->ps_dedicated, s->ps_requested));
    if (s->jobs)
        printf("%-31s%8.3f%%\n", "Avg WallClock Accuracy:", 100 * s->accuracy / jobs);
    if (s->ps_measured > 0)
        printf("%-31s%8.3f%%\n",
            "Avg Job Proc Efficiency:", layout_percent(s->ps_utilized, s->ps_measured));
}

/* Figures are for administrators; records of one's own jobs are not. */
static int may(const struct command_line *l)
{
    struct query *q = query_new("/v1/statistics");
    json_t *o = ask(l, q);

    query_free(q);
    json_decref(o);
    return o ? 0 : 1;
}

int endedstats_show(const struct command_line *l, const struct endedstats *what)
{
    struct ended e = {.what = what,
        .table = {.label = what->label, .total = what->total},
        .index = json_object(),
        .edge = json_object()};
    struct span s = {0};
    int status = 0;

    if (command_has(l, 't'))
        status = read_range(l, command_value(l, 't'), &s);
    if (status == 0)
        status = may(l);
    if (status == 0 && command_has(l, 'd'))
        status = read_depth(l, command_value(l, 'd'), &s);
    if (status == 0)
        status = ask_all(l, &e, &s);
    if (status == 0 && l->format == FORMAT_JSON) {
        print_json_rows(&e);
    } else if (status == 0) {
        print_span(l, &s);
        if (what->key)
            statstable_print(&e.table, &e.all);
        else
            print_all(&e.all);
    }
    statstable_fini(&e.table);
    json_decref(e.index);
    json_decref(e.seen);
    json_decref(e.edge);
    return status;
}
