/* SPDX-License-Identifier: Apache-2.0
 * Starts by the queue in front, and by how long others waited. */
#include "client/jobs/estimate.h"

#include "base/duration.h"
#include "client/kit/request.h"

#include <string.h>

/* ---- the queue in front ---- */

struct front {
    const struct estimate_ask *want;
    double work_s; /* processor seconds */
    json_int_t procs;
    bool reached; /* the job itself */
};

/* Active jobs come first, then eligible ones by priority. */
static void add_job(void *ctx, json_t *o)
{
    struct front *f = ctx;
    const json_t *summary = json_object_get(o, "summary");
    const char *section = get_text(o, "section", "");
    bool active = strcmp(section, "active") == 0;

    if (summary)
        f->procs = get_int(summary, "procs_up", 0);
    if (f->want->job && strcmp(get_text(o, "id", ""), f->want->job) == 0)
        f->reached = true;
    if (f->reached || (!active && strcmp(section, "eligible") != 0))
        return;
    json_int_t left = get_int(o, active ? "remaining_s" : "wclimit_s", 0);
    f->work_s += (double)(left > 0 ? left : 0) * (double)get_int(o, "procs", 0);
}

json_int_t estimate_by_priority(
    const struct command_line *l, const struct estimate_ask *want)
{
    struct front f = {.want = want};
    struct query *q = query_new("/v1/jobs");
    int status = ask_list(l, q, add_job, &f);

    query_free(q);
    if (status < 0)
        return -1;
    return want->now + (f.procs > 0 ? (json_int_t)(f.work_s / (double)f.procs) : 0);
}

/* ---- how long others waited ---- */

/* The first bound that is not below `n`, else the last. */
static size_t bound_of(const json_t *bounds, json_int_t n)
{
    json_t *v;
    size_t i;

    json_array_foreach(bounds, i, v) if (json_integer_value(v) >= n) return i;
    return json_array_size(bounds) ? json_array_size(bounds) - 1 : 0;
}

/* Average wait of a record of ended jobs, -1 = there were none. */
static double average_wait(const json_t *sums)
{
    double jobs = (double)get_int(sums, "jobs", 0);

    return jobs > 0 ? get_real(sums, "queue_s", 0) / jobs : -1;
}

/* Since when the job waits: checkjob is for its owner, who asks. */
static json_int_t waits_since(
    const struct command_line *l, const struct estimate_ask *want)
{
    struct query *q = query_new("/v1/jobs");
    json_int_t since;

    query_part(q, want->job);
    json_t *o = ask(l, q);
    query_free(q);
    since = o ? get_int(o, "queue_at", want->now) : -1;
    json_decref(o);
    return since;
}

json_int_t estimate_by_history(
    const struct command_line *l, const struct estimate_ask *want)
{
    struct query *q = query_new("/v1/statistics/grid");
    json_int_t since = want->job ? waits_since(l, want) : want->now;

    query_part(q, "AVGQTIME");
    json_t *o = since < 0 ? NULL : ask(l, q);
    query_free(q);
    if (!o)
        return -1;
    size_t row = bound_of(json_object_get(o, "procs"), want->procs);
    size_t column = bound_of(json_object_get(o, "times_s"), want->duration_s);
    double wait = average_wait(
        json_array_get(json_array_get(json_object_get(o, "cells"), row), column));
    if (wait < 0)
        wait = average_wait(json_object_get(o, "total"));
    json_decref(o);
    if (wait < 0)
        return 0;
    return since + (json_int_t)wait > want->now ? since + (json_int_t)wait : want->now;
}
