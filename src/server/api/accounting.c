/* SPDX-License-Identifier: Apache-2.0
 * Ended jobs, from the store. */
#include "records/describe.h"
#include "server/api/api.h"
#include "server/drafts/jobname.h"
#include "server/http/stream.h"
#include "server/render/render.h"
#include "server/server_private.h"
#include "store/account.h"

#include <stdio.h>

#define ROWS_MAX 10000 /* of one answer; ask again from where it ended */

static double ratio(double a, double b)
{
    return b > 0 ? a / b : 0;
}

/* Why it ended; of rows that tell nothing, nothing. */
static void add_end(json_t *o, const char *extra)
{
    json_t *all = json_loads(extra, 0, NULL), *end = json_object_get(all, "end");
    struct job_end why;
    char text[JOBEND_TEXT];

    describe_read_end(end, &why);
    if (why.reason != ENDED_UNKNOWN) {
        jobend_format(&why, text, sizeof text);
        json_object_set_new(end, "text", render_utf8(text));
        json_object_set(o, "end", end);
    }
    json_decref(all);
}

static json_t *ended_job(const struct store_account *a)
{
    int64_t ran = a->start_at ? a->end_at - a->start_at : 0;
    int64_t waited = (a->start_at ? a->start_at : a->end_at) - a->queue_at;
    json_t *o = json_pack("{s:s, s:s, s:s, s:s, s:I, s:I, s:I, s:I, s:I, s:b}", "id",
        a->job, "section", "completed", "state", a->state, "user", a->user, "procs",
        (json_int_t)a->procs, "nodes", (json_int_t)a->nodes, "tasks",
        (json_int_t)a->tasks, "priority", (json_int_t)a->priority, "submit_at",
        (json_int_t)a->submit_at, "backfilled", a->backfilled);

    render_text(o, "name", a->name);
    render_text(o, "group", a->group);
    render_text(o, "account", a->account);
    render_text(o, "class", a->class);
    render_text(o, "qos", a->qos);
    render_text(o, "partition", a->partition);
    char *host = xstrdup(a->hosts);
    host[strcspn(host, ",[")] = 0; /* the first name, or what all begin with */
    render_text(o, "master_host", host);
    free(host);
    render_int(o, "queue_at", a->queue_at);
    render_instant(o, "start_at", a->start_at);
    render_instant(o, "end_at", a->end_at);
    render_duration(o, "wclimit_s", a->wclimit_s);
    render_int(o, "exit_status", a->exit_status);
    render_real(
        o, "xfactor", ratio((double)(waited + a->wclimit_s), (double)a->wclimit_s));
    if (a->mem_mb >= 0)
        render_int(o, "mem_used_mb", a->mem_mb);
    if (a->cpu_s >= 0) {
        render_real(o, "cpu_s", a->cpu_s);
        if (ran > 0 && a->procs > 0)
            render_real(
                o, "efficiency", 100 * ratio(a->cpu_s, (double)ran * (double)a->procs));
    }
    add_end(o, a->extra);
    return o;
}

static int collect(void *list, const struct store_account *row)
{
    json_array_append_new(list, ended_job(row));
    return 0;
}

/* The newest come first from the store and are told last. */
static json_t *account_record(struct server *s, void *ctx, size_t i)
{
    (void)s;
    return json_incref(json_array_get(ctx, json_array_size(ctx) - 1 - i));
}

static void account_free(void *ctx)
{
    json_decref(ctx);
}

void api_accounting(struct server *s, struct request *r)
{
    const struct identity *who = request_who(r);
    const char *user = request_query(r, "user");
    struct store_account_filter f = {.newest_first = true, .limit = ROWS_MAX};
    json_t *list = json_array();
    struct err err;
    char id[100];
    int64_t until;

    f.user = user && *user ? user : NULL;
    f.job = request_query(r, "job");
    if (f.job != NULL && jobname_recorded(f.job) > 0) {
        snprintf(id, sizeof id, "%.*s", (int)jobname_recorded(f.job), f.job);
        f.job = id;
    }
    if (request_query_int(r, "from", 0, &f.from_at, &err) < 0
        || request_query_int(r, "to", 0, &f.to_at, &err) < 0
        || request_query_int(r, "limit", ROWS_MAX, &f.limit, &err) < 0
        || (f.user && !identity_sees_ended(who, f.user)
            && identity_deny(who, "showq -c", &err) < 0)) {
        json_decref(list);
        request_refuse(r, &err);
        return;
    }
    if (api_until(s, r, &until) < 0) {
        json_decref(list);
        return;
    }
    if (until < world_now(s) && (!f.to_at || f.to_at > until + 1))
        f.to_at = until + 1; /* and what ended in that second */
    if (f.limit < 1 || f.limit > ROWS_MAX)
        f.limit = ROWS_MAX;
    if (!identity_sees_ended(who, NULL)) /* others see their own */
        f.user = who->user;
    unsaved_tell(s->unsaved);
    if (store_account_each(s->store, &f, collect, list, &err) < 0) {
        json_decref(list);
        request_refuse(r, &err);
        return;
    }
    stream_records(s, r, json_array_size(list), account_record, list, account_free);
}
