/* SPDX-License-Identifier: Apache-2.0
 * What jobs were promised, and what came of it. */
#include "server/api/api.h"
#include "server/durable/promised.h"
#include "server/http/stream.h"
#include "server/render/render.h"
#include "server/server_private.h"

static const char *outcome_of(const struct promised *p)
{
    if (!p->over_at)
        return "waiting";
    if (!p->start_at)
        return "gone";
    return p->start_at > p->first_at   ? "later"
           : p->start_at < p->first_at ? "earlier"
                                       : "kept";
}

/* Whose deed it was and on what is for administrators; the cause is for the owner. */
static void add_cause(json_t *o, const struct promised *p, bool admin)
{
    if (p->cause == CAUSE_NONE)
        return;
    render_text(o, "cause", promise_cause_name(p->cause));
    bool ahead = p->cause == CAUSE_OTHER && p->what;
    render_text(o, "cause_text", ahead ? p->what : promise_cause_text(p->cause));
    render_instant(o, "broken_at", p->broken_at);
    if (admin && !ahead) {
        render_text(o, "broken_what", p->what);
        render_text(o, "broken_by", p->by);
    }
}

static json_t *render_promised(const struct promised *p, bool admin)
{
    int64_t start = p->over_at ? p->start_at : p->last_at;
    json_t *o = json_pack("{s:s, s:s}", "id", p->id, "outcome", outcome_of(p));

    render_text(o, "user", p->user);
    render_text(o, "account", p->account);
    render_text(o, "class", p->class);
    render_text(o, "qos", p->qos);
    render_int(o, "procs", p->procs);
    render_duration(o, "wclimit_s", p->wclimit_s);
    render_instant(o, "submit_at", p->submit_at);
    render_instant(o, "made_at", p->made_at);
    render_instant(o, "first_at", p->first_at);
    render_instant(o, "last_at", p->last_at);
    if (p->over_at && p->start_at)
        render_instant(o, "start_at", p->start_at);
    if (start)
        render_int(o, "late_s", start - p->first_at);
    render_int(o, "moves", p->moves);
    add_cause(o, p, admin);
    return o;
}

static json_t *promise_record(struct server *s, void *list, size_t i)
{
    (void)s;
    return json_incref(json_array_get(list, i));
}

static void free_list(void *list)
{
    json_decref(list);
}

void api_promises(struct server *s, struct request *r)
{
    const struct identity *who = request_who(r);
    bool admin = identity_is(who, WHO_ADMIN3);
    const struct promised *p;
    int64_t from, to, until;
    struct err err;

    if (api_until(s, r, &until) < 0)
        return;
    bool past = until < world_now(s); /* of then: what came of them is told */
    json_t *list = json_array();
    if (request_query_int(r, "from", 0, &from, &err) < 0
        || request_query_int(r, "to", INT64_MAX, &to, &err) < 0) {
        json_decref(list);
        request_refuse(r, &err);
        return;
    }
    for (size_t i = 0; (p = promised_at(s, i)) != NULL; i++)
        if (p->made_at <= to && (!p->over_at || p->over_at >= from)
            && (!past || (p->over_at && p->over_at <= until))
            && (admin || identity_owns(who, p->user ? p->user : "")))
            json_array_append_new(list, render_promised(p, admin));
    stream_records(s, r, json_array_size(list), promise_record, list, free_list);
}
