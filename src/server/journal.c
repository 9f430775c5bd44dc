/* SPDX-License-Identifier: Apache-2.0
 * The journal: events and decisions as JSON lines. */
#include "server/journal.h"

#include "config/flags.h"
#include "server/render.h"
#include "server/server_private.h"

static const char *const event_names[] = {
    [EVENT_NODE] = "node",
    [EVENT_NODE_STATE] = "node-state",
    [EVENT_NODE_GONE] = "node-gone",
    [EVENT_SUBMIT] = "submit",
    [EVENT_JOB_STATE] = "job-state",
    [EVENT_END] = "end",
    [EVENT_CANCEL] = "cancel",
    [EVENT_PREEMPT] = "preempt",
    [EVENT_RESUME] = "resume",
    [EVENT_START_FAILED] = "start-failed",
    [EVENT_HOLD] = "hold",
    [EVENT_RELEASE_HOLD] = "release-hold",
    [EVENT_PRIORITY] = "priority",
    [EVENT_QOS] = "qos",
    [EVENT_RUN] = "run",
    [EVENT_MODIFY] = "modify",
    [EVENT_DEADLINE] = "deadline",
    [EVENT_USER_PRIORITY] = "user-priority",
    [EVENT_RESERVE] = "reserve",
    [EVENT_CHANGE_RESERVATION] = "change-reservation",
    [EVENT_UNRESERVE] = "unreserve",
    [EVENT_SETTINGS] = "settings",
    [EVENT_RESET_STATISTICS] = "reset-statistics",
    [EVENT_FAIRSHARE] = "fairshare",
    [EVENT_INSTANCE] = "instance",
    [EVENT_MISSED] = "missed",
};

static void add_node(json_t *o, const struct node_desc *d)
{
    render_text(o, "node", d->name);
    render_text(o, "state", node_state_name(d->state));
    json_object_set_new(o, "configured", render_amounts(&d->cfg));
    render_text(o, "partition", d->partition);
}

static void add_job(json_t *o, const struct job_desc *d)
{
    json_t *requests = json_array();

    render_text(o, "job", d->id);
    for (int kind = 0; kind < CRED_KINDS; kind++)
        render_text(o, cred_kind_name((enum cred_kind)kind), d->cred[kind]);
    render_int(o, "submit_at", d->submit_at);
    render_int(o, "wclimit_s", d->wclimit_s);
    render_text(o, "state", job_state_name(d->state));
    if (d->flags)
        render_int(o, "flags", d->flags);
    if (d->release_at)
        render_int(o, "release_at", d->release_at);
    if (d->start_at)
        render_int(o, "start_at", d->start_at);
    for (uint32_t i = 0; i < d->nreqs; i++)
        json_array_append_new(requests,
            json_pack("{s:I, s:I, s:I, s:o}", "tasks", (json_int_t)d->reqs[i].tasks,
                "nodes", (json_int_t)d->reqs[i].nodes, "tasks_per_node",
                (json_int_t)d->reqs[i].tpn, "per_task",
                render_amounts(&d->reqs[i].per_task)));
    json_object_set_new(o, "requests", requests);
}

json_t *journal_event(const struct event *ev)
{
    json_t *o = json_pack(
        "{s:s, s:I}", "event", event_names[ev->kind], "at", (json_int_t)ev->at);

    switch (ev->kind) {
    case EVENT_NODE:
        add_node(o, &ev->u.node);
        break;
    case EVENT_NODE_STATE:
        render_text(o, "node", ev->u.node_state.name);
        render_text(o, "state", node_state_name(ev->u.node_state.state));
        break;
    case EVENT_SUBMIT:
        add_job(o, &ev->u.job);
        break;
    case EVENT_JOB_STATE:
        render_text(o, "job", ev->u.job_state.id);
        render_text(o, "state", job_state_name(ev->u.job_state.state));
        break;
    case EVENT_END:
    case EVENT_CANCEL:
        render_text(o, "job", ev->u.end.id);
        render_int(o, "how", ev->u.end.how);
        render_bool(o, "failed", ev->u.end.failed);
        break;
    case EVENT_PREEMPT:
    case EVENT_RESUME:
        render_text(o, "job", ev->u.preempt.id);
        render_int(o, "how", ev->u.preempt.how);
        break;
    case EVENT_START_FAILED:
        render_text(o, "job", ev->u.failed.id);
        render_text(o, "reason", hold_reason_name(ev->u.failed.reason));
        render_text(o, "text", ev->u.failed.text);
        if (ev->u.failed.again_s > 0)
            json_object_set_new(o, "again_s", json_integer(ev->u.failed.again_s));
        break;
    case EVENT_HOLD:
    case EVENT_RELEASE_HOLD:
        render_text(o, "job", ev->u.hold.id);
        render_int(o, "kinds", ev->u.hold.kinds);
        render_text(o, "user", ev->u.hold.who.name);
        render_int(o, "level", ev->u.hold.who.level);
        render_text(o, "text", ev->u.hold.text);
        break;
    case EVENT_PRIORITY:
        render_text(o, "job", ev->u.priority.id);
        render_bool(o, "relative", ev->u.priority.relative);
        render_int(o, "n", ev->u.priority.n);
        break;
    case EVENT_QOS:
        render_text(o, "job", ev->u.qos.id);
        render_text(o, "qos", ev->u.qos.qos);
        render_bool(o, "admin", ev->u.qos.admin);
        break;
    case EVENT_NODE_GONE:
        render_text(o, "node", ev->u.node_state.name);
        break;
    case EVENT_RUN:
        render_text(o, "job", ev->u.run.id);
        render_text(o, "partition", ev->u.run.partition);
        render_int(o, "flags", ev->u.run.flags);
        break;
    case EVENT_MODIFY:
        render_text(o, "job", ev->u.modify.id);
        render_int(o, "what", ev->u.modify.change.what);
        break;
    case EVENT_DEADLINE:
        render_text(o, "job", ev->u.deadline.id);
        render_int(o, "deadline_at", ev->u.deadline.at);
        break;
    case EVENT_USER_PRIORITY:
        render_text(o, "job", ev->u.user_priority.id);
        render_int(o, "n", ev->u.user_priority.n);
        break;
    case EVENT_RESERVE:
        render_text(o, "reservation", ev->u.reserve.draft->name);
        render_text(o, "base", ev->u.reserve.draft->base);
        break;
    case EVENT_CHANGE_RESERVATION:
        render_text(o, "reservation", ev->u.change_reservation.name);
        render_int(o, "what", ev->u.change_reservation.what);
        break;
    case EVENT_UNRESERVE:
        render_text(o, "reservation", ev->u.unreserve.name);
        break;
    case EVENT_INSTANCE:
        render_text(o, "reservation", ev->u.instance->name);
        break;
    case EVENT_MISSED:
        add_job(o, &ev->u.missed.job);
        break;
    case EVENT_FAIRSHARE:
    case EVENT_SETTINGS:
    case EVENT_RESET_STATISTICS:
        break;
    }
    return o;
}

void journal_add(struct server *s, json_t *line)
{
    char *text = json_dumps(line, JSON_COMPACT | JSON_PRESERVE_ORDER);
    if (text)
        unsaved_journal(s->unsaved, world_now(s), text);
    free(text);
    json_decref(line);
}

void journal_cycle(struct server *s, int64_t now, const struct actions *decided)
{
    const struct cluster *c = engine_cluster(s->engine);
    json_t *list;

    if (!decided->n)
        return; /* a cycle without decisions changes nothing */
    list = json_array();
    for (size_t i = 0; i < decided->n; i++) {
        const struct action *a = &decided->v[i];
        const struct job *j = a->job < c->jobs.n ? c->jobs.v[a->job] : NULL;
        json_array_append_new(
            list, json_sprintf("%s %s", action_kind_name(a->kind), j ? j->id : "-"));
    }
    journal_add(
        s, json_pack("{s:I, s:o}", "cycle", (json_int_t)now, "decisions", list));
}
