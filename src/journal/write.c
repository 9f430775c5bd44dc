/* SPDX-License-Identifier: Apache-2.0
 * Events and decisions of the engine as JSON. */
#include "base/strbuf.h"
#include "journal/event.h"
#include "records/describe.h"
#include "records/fundsjson.h"
#include "records/jobmemory.h"
#include "records/quotajson.h"
#include "records/rsvjson.h"
#include "records/words.h"

#include <string.h>

/* ---- parts ---- */

static json_t *job_json(const struct job_desc *d)
{
    json_t *o = json_object();

    describe_job(o, d);
    if (d->memory)
        json_object_set_new(o, "memory", jobmemory_json(d->memory));
    return o;
}

/* Words for people are nothing to the engine. */
static json_t *node_json(const struct node_desc *d)
{
    struct node_desc plain = *d;
    json_t *o = json_object();

    plain.said = NULL;
    describe_node(o, &plain);
    return o;
}

static void put_actor(json_t *o, const struct actor *who)
{
    put_text(o, "user", who->name);
    put_int(o, "level", who->level);
    put_bool(o, "owns", who->owns);
}

static json_t *windows_json(const struct fs_memory *m)
{
    json_t *row = json_array();

    json_array_append_new(row, json_integer(m->kind));
    json_array_append_new(row, put_text_of(m->name ? m->name : ""));
    json_array_append_new(row, json_integer(m->at));
    for (uint32_t i = 0; i < m->n; i++)
        json_array_append_new(row, put_real_of(m->window[i]));
    return row;
}

static json_t *rows_json(const struct fs_memory *rows, size_t n)
{
    json_t *list = json_array();

    for (size_t i = 0; i < n; i++)
        json_array_append_new(list, windows_json(&rows[i]));
    return list;
}

/* Written as a job of one request, so that one reader will do. */
static json_t *change_json(const struct job_change *ch)
{
    struct job_desc as_job = ch->job;

    as_job.id = "-";
    if (!(ch->what & CHANGE_WHOLE)) {
        as_job.reqs = &ch->to;
        as_job.nreqs = 1;
    }
    json_t *o = job_json(&as_job);
    put_int(o, "what", ch->what);
    put_int(o, "req", ch->req);
    return o;
}

json_t *journal_config(const struct config *config)
{
    char *text = xmalloc(config->text.n + 1);

    if (config->text.n)
        memcpy(text, config->text.v, config->text.n);
    text[config->text.n] = 0;
    json_t *o = put_text_of(text);
    free(text);
    return o;
}

/* ---- kinds of events ---- */

/* What texts and indexes in events mean. */
struct source {
    const struct cluster *c;
    const struct config *config;
};

typedef void put_fn(json_t *o, const struct source *s, const struct event *ev);

static void put_node(json_t *o, const struct source *s, const struct event *ev)
{
    (void)s;
    json_object_set_new(o, "node", node_json(&ev->u.node));
}

static void put_node_state(json_t *o, const struct source *s, const struct event *ev)
{
    (void)s;
    put_text(o, "state", node_state_name(ev->u.node_state.state));
    put_text(o, "node", ev->u.node_state.name);
}

static void put_node_gone(json_t *o, const struct source *s, const struct event *ev)
{
    (void)s;
    put_text(o, "node", ev->u.node_state.name);
}

static void put_submit(json_t *o, const struct source *s, const struct event *ev)
{
    (void)s;
    json_object_set_new(o, "job", job_json(&ev->u.job));
}

static void put_job_state(json_t *o, const struct source *s, const struct event *ev)
{
    (void)s;
    put_text(o, "job", ev->u.job_state.id);
    put_text(o, "state", state_words[ev->u.job_state.state]);
    put_int(o, "holds", ev->u.job_state.rm_hold);
    put_int(o, "start_at", ev->u.job_state.start_at);
    describe_places(o, "places", ev->u.job_state.places, ev->u.job_state.nplaces);
    if (ev->u.job_state.reqs)
        describe_requests(o, ev->u.job_state.reqs, ev->u.job_state.nreqs);
}

static void put_end(json_t *o, const struct source *s, const struct event *ev)
{
    (void)s;
    put_text(o, "job", ev->u.end.id);
    put_int(o, "index", ev->u.end.id ? 0 : ev->u.end.job);
    put_int(o, "how", ev->u.end.how);
    put_real(o, "cpu_s", ev->u.end.cpu_s);
    put_int(o, "left_at", ev->u.end.left_at);
    put_bool(o, "failed", ev->u.end.failed);
    put_bool(o, "unbegun", ev->u.end.unbegun);
}

static void put_left(json_t *o, const struct source *s, const struct event *ev)
{
    (void)s;
    put_text(o, "job", ev->u.left.id);
    put_bool(o, "displaced", ev->u.left.displaced);
}

static void put_missed(json_t *o, const struct source *s, const struct event *ev)
{
    (void)s;
    json_object_set_new(o, "job", job_json(&ev->u.missed.job));
    put_int(o, "end_at", ev->u.missed.end_at);
    put_int(o, "how", ev->u.missed.how);
    put_real(o, "cpu_s", ev->u.missed.cpu_s);
    put_bool(o, "failed", ev->u.missed.failed);
}

static void put_preempt(json_t *o, const struct source *s, const struct event *ev)
{
    (void)s;
    put_text(o, "job", ev->u.preempt.id);
    put_int(o, "how", ev->u.preempt.how);
    put_int(o, "rests_s", ev->u.preempt.rests_s);
}

static void put_failed(json_t *o, const struct source *s, const struct event *ev)
{
    (void)s;
    put_text(o, "job", ev->u.failed.id);
    put_int(o, "reason", ev->u.failed.reason);
    put_text(o, "text", ev->u.failed.text);
    put_int(o, "again_s", ev->u.failed.again_s);
    put_int(o, "waits", ev->u.failed.waits);
    put_bool(o, "limit", ev->u.failed.limit);
}

static void put_hold(json_t *o, const struct source *s, const struct event *ev)
{
    (void)s;
    put_text(o, "job", ev->u.hold.id);
    put_int(o, "kinds", ev->u.hold.kinds);
    put_actor(o, &ev->u.hold.who);
    put_int(o, "reason", ev->u.hold.reason);
    put_text(o, "text", ev->u.hold.text);
}

static void put_priority(json_t *o, const struct source *s, const struct event *ev)
{
    (void)s;
    put_text(o, "job", ev->u.priority.id);
    put_bool(o, "relative", ev->u.priority.relative);
    put_int(o, "n", ev->u.priority.n);
}

static void put_qos(json_t *o, const struct source *s, const struct event *ev)
{
    (void)s;
    put_text(o, "job", ev->u.qos.id);
    put_text(o, "qos", ev->u.qos.qos);
    put_bool(o, "admin", ev->u.qos.admin);
}

static void put_run(json_t *o, const struct source *s, const struct event *ev)
{
    (void)s;
    put_text(o, "job", ev->u.run.id);
    put_texts(o, "nodes", ev->u.run.nodes);
    put_text(o, "partition", ev->u.run.partition);
    put_int(o, "flags", ev->u.run.flags);
}

static void put_modify(json_t *o, const struct source *s, const struct event *ev)
{
    (void)s;
    put_text(o, "job", ev->u.modify.id);
    json_object_set_new(o, "change", change_json(&ev->u.modify.change));
}

static void put_deadline(json_t *o, const struct source *s, const struct event *ev)
{
    (void)s;
    put_text(o, "job", ev->u.deadline.id);
    put_int(o, "deadline_at", ev->u.deadline.at);
}

static void put_user_priority(json_t *o, const struct source *s, const struct event *ev)
{
    (void)s;
    put_text(o, "job", ev->u.user_priority.id);
    put_int(o, "n", ev->u.user_priority.n);
}

static void put_reserve(json_t *o, const struct source *s, const struct event *ev)
{
    json_object_set_new(o, "draft", rsvjson_draft(s->c, ev->u.reserve.draft));
    put_actor(o, &ev->u.reserve.who);
    put_text(o, "group", ev->u.reserve.group);
}

static void put_change_reservation(
    json_t *o, const struct source *s, const struct event *ev)
{
    put_text(o, "reservation", ev->u.change_reservation.name);
    put_int(o, "what", ev->u.change_reservation.what);
    json_object_set_new(
        o, "draft", rsvjson_draft(s->c, ev->u.change_reservation.draft));
    put_actor(o, &ev->u.change_reservation.who);
}

static void put_unreserve(json_t *o, const struct source *s, const struct event *ev)
{
    (void)s;
    put_text(o, "reservation", ev->u.unreserve.name);
    put_actor(o, &ev->u.unreserve.who);
}

static void put_settings(json_t *o, const struct source *s, const struct event *ev)
{
    (void)ev;
    json_object_set_new(o, "config", journal_config(s->config));
}

static void put_quotas(json_t *o, const struct source *s, const struct event *ev)
{
    (void)s;
    json_object_set_new(o, "limits", quotajson_list(&ev->u.quotas));
}

static void put_funds(json_t *o, const struct source *s, const struct event *ev)
{
    (void)s;
    json_object_set_new(o, "facts", fundsjson_facts(&ev->u.funds));
}

static void put_manager(json_t *o, const struct source *s, const struct event *ev)
{
    (void)s;
    put_text(o, "name", ev->u.manager.name);
    put_bool(o, "away", ev->u.manager.away);
    put_text(o, "partition", ev->u.manager.partition);
    put_bool(o, "unseen", ev->u.manager.unseen);
}

static void put_nothing(json_t *o, const struct source *s, const struct event *ev)
{
    (void)s;
    (void)ev;
    (void)o;
}

static void put_fairshare(json_t *o, const struct source *s, const struct event *ev)
{
    (void)s;
    json_object_set_new(o, "rows", rows_json(ev->u.fairshare.rows, ev->u.fairshare.n));
}

static void put_history(json_t *o, const struct source *s, const struct event *ev)
{
    json_t *list = json_array();

    (void)s;
    for (size_t i = 0; i < ev->u.history.n; i++) {
        const struct past_run *row = &ev->u.history.rows[i];
        json_array_append_new(
            list, json_pack("[s, I, I, I, b]", row->user, (json_int_t)row->run.run_s,
                      (json_int_t)row->run.limit_s, (json_int_t)row->run.procs,
                      row->run.unasked));
    }
    json_object_set_new(o, "runs", list);
}

static void put_instance(json_t *o, const struct source *s, const struct event *ev)
{
    (void)s;
    json_object_set_new(o, "instance", rsvjson_instance(ev->u.instance));
}

static put_fn *const writers[] = {
    [EVENT_NODE] = put_node,
    [EVENT_NODE_STATE] = put_node_state,
    [EVENT_NODE_GONE] = put_node_gone,
    [EVENT_SUBMIT] = put_submit,
    [EVENT_JOB_STATE] = put_job_state,
    [EVENT_END] = put_end,
    [EVENT_CANCEL] = put_end,
    [EVENT_PREEMPT] = put_preempt,
    [EVENT_RESUME] = put_preempt,
    [EVENT_START_FAILED] = put_failed,
    [EVENT_LEFT] = put_left,
    [EVENT_HOLD] = put_hold,
    [EVENT_RELEASE_HOLD] = put_hold,
    [EVENT_PRIORITY] = put_priority,
    [EVENT_QOS] = put_qos,
    [EVENT_RUN] = put_run,
    [EVENT_MODIFY] = put_modify,
    [EVENT_DEADLINE] = put_deadline,
    [EVENT_USER_PRIORITY] = put_user_priority,
    [EVENT_RESERVE] = put_reserve,
    [EVENT_CHANGE_RESERVATION] = put_change_reservation,
    [EVENT_UNRESERVE] = put_unreserve,
    [EVENT_SETTINGS] = put_settings,
    [EVENT_QUOTAS] = put_quotas,
    [EVENT_FUNDS] = put_funds,
    [EVENT_MANAGER] = put_manager,
    [EVENT_RESET_STATISTICS] = put_nothing,
    [EVENT_RESET_FAIRSHARE] = put_nothing,
    [EVENT_FAIRSHARE] = put_fairshare,
    [EVENT_HISTORY] = put_history,
    [EVENT_INSTANCE] = put_instance,
    [EVENT_MISSED] = put_missed,
};

json_t *journal_event(
    const struct cluster *c, const struct config *config, const struct event *ev)
{
    json_t *o = json_object();

    json_object_set_new(o, "event", json_string(event_kind_name(ev->kind)));
    put_int(o, "at", ev->at);
    writers[ev->kind](o, &(struct source){c, config}, ev);
    return o;
}

/* ---- decisions ---- */

static void add_pieces(
    struct strbuf *text, const struct cluster *c, const struct job *j)
{
    for (size_t i = 0; i < j->alloc.n; i++) {
        const struct alloc *a = &j->alloc.v[i];
        strbuf_printf(text, "%s%s", i ? "," : " on ", node_at(c, a->first)->name);
        if (a->count > 1)
            strbuf_printf(text, "*%u", a->count);
        strbuf_printf(text, ":%u", a->tasks);
        if (a->req)
            strbuf_printf(text, "/%u", a->req);
    }
}

static void add_decision(
    struct strbuf *text, const struct cluster *c, int64_t now, const struct action *a)
{
    const struct job *j = a->job < c->jobs.n ? c->jobs.v[a->job] : NULL;
    const struct job *by = a->by < c->jobs.n ? c->jobs.v[a->by] : NULL;
    bool preempts = a->kind == ACTION_SUSPEND || a->kind == ACTION_REQUEUE
                    || a->kind == ACTION_CHECKPOINT;

    strbuf_printf(text, "%s %s", action_kind_name(a->kind), j ? j->id : "-");
    if (a->kind == ACTION_TRIGGER && a->rsv < c->reservations.n
        && c->reservations.v[a->rsv])
        strbuf_printf(
            text, " %s/%u", c->reservations.v[a->rsv]->name, (unsigned)a->trigger);
    if (a->at != now)
        strbuf_printf(text, " at %lld", (long long)a->at);
    if (a->kind == ACTION_START && j)
        add_pieces(text, c, j);
    if (a->backfill)
        strbuf_add(text, " backfill");
    if (preempts && by)
        strbuf_printf(text, " by %s", by->id);
    if (a->text)
        strbuf_printf(text, ": %s", a->text);
}

json_t *journal_decisions(
    const struct cluster *c, int64_t now, const struct actions *decided)
{
    json_t *list = json_array();

    for (size_t i = 0; i < decided->n; i++) {
        struct strbuf text = {0};
        add_decision(&text, c, now, &decided->v[i]);
        char *line = strbuf_take(&text);
        json_array_append_new(list, put_text_of(line));
        free(line);
    }
    return list;
}
