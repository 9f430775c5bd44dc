/* SPDX-License-Identifier: Apache-2.0
 * The scheduler's memory as records of the store. */
#define LOG_FACILITY FACILITY_CKPT
#include "server/durable/record.h"

#include "base/strbuf.h"
#include "cluster/jobnodes.h"
#include "cluster/partition.h"
#include "records/describe.h"
#include "records/jobmemory.h"
#include "records/jsontext.h"
#include "server/drafts/depends.h"
#include "server/drafts/modify.h"
#include "server/durable/passed.h"
#include "server/durable/restless.h"
#include "server/durable/teller.h"
#include "server/events/ended.h"
#include "server/events/eventlog.h"
#include "server/events/feed.h"
#include "server/events/mail.h"
#include "server/managers/manager.h"
#include "server/render/render.h"
#include "server/server_private.h"
#include "server/timeline/timeline.h"
#include "store/account.h"

#define ORDER_KEY 400

struct record_memory {
    json_t *o; /* owns the texts */
};

/* Given last: of a job, and of an order. */
struct numbers {
    int64_t last;
    uint64_t last_order;
};

static void put(struct server *s, const char *kind, const char *key, const char *value)
{
    unsaved_put(s->unsaved, kind, key, value);
}

static const char *cred_text(
    const struct cluster *c, const struct job *j, enum cred_kind kind)
{
    return j->cred[kind] ? job_cred(c, j, kind)->name : NULL;
}

static void add_owner(struct server *s, const struct job *j, json_t *o)
{
    json_object_set_new(o, "of",
        json_pack("{s:s*, s:s*, s:I}", "user",
            cred_text(engine_cluster(s->engine), j, CRED_USER), "command",
            world_notes(s, j)->command, "submit_at", (json_int_t)j->submit_at));
}

/* Of a job that runs what its account has to say, should nobody tell of it again. */
static void add_run(const struct cluster *c, const struct job *j, json_t *o)
{
    if (!job_has_begun((enum job_state)j->state))
        return;
    json_object_set_new(o, "run",
        json_pack("{s:s*, s:s*, s:s*, s:s*, s:I, s:I, s:I}", "user",
            cred_text(c, j, CRED_USER), "group", cred_text(c, j, CRED_GROUP), "account",
            cred_text(c, j, CRED_ACCOUNT), "class", cred_text(c, j, CRED_CLASS),
            "submit_at", (json_int_t)j->submit_at, "procs", (json_int_t)j->procs,
            "tasks", (json_int_t)j->tasks));
}

void record_job(struct server *s, const struct job *j)
{
    engine_set_priorities(s->engine);
    struct job_memory m = engine_memory_of(s->engine, j);
    json_t *o = jobmemory_json(&m);
    add_owner(s, j, o);
    add_run(engine_cluster(s->engine), j, o);
    char *text = jsontext(o);

    put(s, "job", j->id, text);
    free(text);
    json_decref(o);
}

struct record_memory *record_recall(
    struct server *s, const char *id, struct job_memory *ret)
{
    char *text = NULL;
    struct err err;

    unsaved_tell(s->unsaved);
    if (store_get(s->store, "job", id, &text, &err) < 0 || !text)
        return NULL;
    json_t *o = json_loads(text, 0, NULL);
    free(text);
    if (!json_is_object(o)) {
        log_line(s->log, LOG_ALERT, "the record of job '%s' is not a JSON object", id);
        json_decref(o);
        return NULL;
    }
    jobmemory_read(o, ret);
    ret->bypass = passed_recall(s, id, ret->bypass);
    ret->world_changed = restless_before(s);
    struct record_memory *m = xcalloc(1, sizeof *m);
    m->o = o;
    return m;
}

struct job_owner record_owner(const struct record_memory *m)
{
    const json_t *of = json_object_get(m->o, "of");

    return (struct job_owner){.user = json_string_value(json_object_get(of, "user")),
        .command = json_string_value(json_object_get(of, "command")),
        .submit_at = json_integer_value(json_object_get(of, "submit_at"))};
}

void record_memory_free(struct record_memory *m)
{
    if (!m)
        return;
    json_decref(m->o);
    free(m);
}

int64_t record_submit_at(struct server *s, const char *id)
{
    struct job_memory unused = {0};
    struct record_memory *m = record_recall(s, id, &unused);
    int64_t at = m ? record_owner(m).submit_at : 0;

    record_memory_free(m);
    return at;
}

/* ---- ends ---- */

static char *hosts_text(const struct cluster *c, const struct job *j)
{
    struct strbuf text = {0};

    for (size_t i = 0; i < j->alloc.n; i++) {
        const struct alloc *a = &j->alloc.v[i];
        for (uint32_t n = a->first; n < a->first + a->count; n++)
            strbuf_printf(&text, "%s%s", text.len ? "," : "", node_at(c, n)->name);
    }
    return strbuf_take(&text);
}

void record_forget_changes(struct server *s, const char *id)
{
    unsaved_delete(s->unsaved, "change", id);
}

/* What was remembered of a job that is over. What was changed of one whose manager has
 * yet to end it holds on, should it not. */
static void forget(struct server *s, const char *id)
{
    unsaved_delete(s->unsaved, "job", id);
    if (!manager_cancels(s, id))
        record_forget_changes(s, id);
}

/* For how long it had been suspended by then, which was no run. */
static int64_t rested_s(int64_t suspended_s, int64_t suspend_at, int64_t at)
{
    return suspended_s + (suspend_at && at > suspend_at ? at - suspend_at : 0);
}

/* What has no column of its own in the row. Owned. */
static char *extra_text(const struct job_end *end, int64_t suspended_s, bool unasked)
{
    json_t *o = json_pack("{s:o}", "end", describe_end(end));

    if (suspended_s > 0)
        put_int(o, RECORD_SUSPENDED, suspended_s);
    if (unasked)
        put_int(o, RECORD_UNASKED, 1);
    char *text = jsontext(o);

    json_decref(o);
    return text;
}

/* One line that says that it ended and why. */
static void log_end(
    struct server *s, const struct store_account *row, const struct job_end *end)
{
    char why[JOBEND_TEXT], ran[80] = "before it ran";

    if (end->reason == ENDED_PREEMPTED)
        snprintf(ran, sizeof ran, "as it could not go back to the queue");

    jobend_format(end, why, sizeof why);
    if (row->start_at)
        snprintf(ran, sizeof ran, "after %lld second%s, exit status %lld",
            (long long)(row->end_at - row->start_at),
            row->end_at - row->start_at == 1 ? "" : "s", (long long)row->exit_status);
    log_line(s->log, LOG_ACTION, "job '%s': end: %s, %s%s%s", row->job, row->state, ran,
        *why ? ": " : "", why);
}

/* Did nobody ask for its limit? Of one that is unknown that is unknown. */
static bool is_unasked(const struct job *j, const struct job_desc *desc)
{
    if (j)
        return !job_asked_limit(j);
    return desc
           && (desc->wclimit_s <= 0
               || (desc->memory && desc->memory->learned_wclimit_s == desc->wclimit_s));
}

/* The account of a job that is over is written; nothing of it is remembered but that.
 */
static void settle_account(struct server *s, struct store_account *row,
    const struct job_end *end, int64_t suspended_s, const struct job *j,
    const struct job_desc *desc)
{
    char *extra = extra_text(end, suspended_s, is_unasked(j, desc));

    row->extra = extra;
    unsaved_account(s->unsaved, row);
    log_end(s, row, end);
    feed_touch(s, FEED_JOB, row->job);
    if (!row->later)
        ended_job(s, row, j, desc);
    if (j && row->start_at)
        timeline_note_end(s, j, row->end_at,
            row->exit_status || strcmp(row->state, "Completed") != 0);
    if (!row->later)
        mail_ended(s, row, end, j, desc);
    forget(s, row->job);
    free(extra);
    commit_want(s);
}

void record_end(struct server *s, const struct job *j, const char *state, int64_t at)
{
    const struct cluster *c = engine_cluster(s->engine);
    const struct job_notes *n = world_notes(s, j);
    char *hosts = hosts_text(c, j);
    struct store_account row = {.job = j->id,
        .name = n->name,
        .user = cred_text(c, j, CRED_USER),
        .group = cred_text(c, j, CRED_GROUP),
        .account = cred_text(c, j, CRED_ACCOUNT),
        .class = cred_text(c, j, CRED_CLASS),
        .qos = cred_text(c, j, CRED_QOS),
        .partition =
            j->alloc.n
                ? c->partitions.v[node_at(c, j->alloc.v[0].first)->partition]->name
                : NULL,
        .state = state,
        .submit_at = j->submit_at,
        .queue_at = j->queue_at,
        .start_at = j->start_at,
        .end_at = at,
        .wclimit_s = j->wclimit_s,
        .procs = j->procs,
        .nodes = job_node_count(j),
        .tasks = j->tasks,
        .mem_mb = n->mem_mb,
        .cpu_s = n->cpu_s,
        .exit_status = n->exit_status,
        .backfilled = j->flags & JOB_BACKFILL,
        .priority = job_priority(c, j),
        .hosts = hosts,
        .later = j->cancelled};
    settle_account(
        s, &row, &n->end, rested_s(j->suspended_s, j->suspend_at, at), j, NULL);
    free(hosts);
}

/* It counts in fairshare and in the statistics. */
static void tell_missed(
    struct server *s, const struct rm_job *r, const struct job_desc *desc)
{
    struct event ev = {.kind = EVENT_MISSED,
        .u.missed = {.job = *desc,
            .end_at = r->end_at,
            .how = r->desc.state == JOB_COMPLETED ? EV_COMPLETE : EV_CANCEL,
            .cpu_s = r->cpu_s,
            .failed = r->exit_status != 0}};
    struct err err;

    ev.u.missed.job.start_at = r->start_at;
    if (world_apply(s, &ev, NULL, &err) < 0)
        log_line(s->log, LOG_WARNING, "job '%s': %s", r->desc.id, err.text);
}

void record_missed_end(
    struct server *s, const struct rm_job *r, const struct job_memory *m)
{
    struct job_end end = rmjobs_end(r);
    struct job_desc desc = r->desc;
    struct modified *changed = modify_recall(s, &desc);
    desc.memory = m;
    tell_missed(s, r, &desc);
    struct store_account row = {.job = r->desc.id,
        .name = r->name,
        .user = r->desc.cred[CRED_USER],
        .group = r->desc.cred[CRED_GROUP],
        .account = r->desc.cred[CRED_ACCOUNT],
        .class = r->desc.cred[CRED_CLASS],
        .qos = m->qos ? m->qos : r->desc.cred[CRED_QOS],
        .state = job_state_name(r->desc.state),
        .submit_at = r->desc.submit_at,
        .queue_at = m->queue_at,
        .start_at = r->start_at,
        .end_at = r->end_at,
        .wclimit_s = m->wclimit_s,
        .mem_mb = r->mem_mb,
        .cpu_s = r->cpu_s,
        .exit_status = r->exit_status,
        .nodes = places_node_count(r->places, r->nplaces),
        .later = m->cancelled};
    for (size_t i = 0; i < r->nplaces; i++)
        row.tasks += r->places[i].tasks;
    row.procs = row.tasks;
    settle_account(
        s, &row, &end, rested_s(m->suspended_s, m->suspend_at, r->end_at), NULL, &desc);
    modified_free(changed);
    eventlog_add(s, JOBEND, row.job, false, json_pack("{s:s}", "type", "job"),
        "job '%s' is %s: it ended while nobody looked", row.job, row.state);
}

/* ---- jobs nobody knows ---- */

struct unclaimed {
    struct server *s;
    bool (*is_its)(const struct server *s, const char *id, const void *ctx);
    const void *ctx;
    struct VEC(char *) ids;
};

static int find_unclaimed(void *ctx, const char *key, const char *value)
{
    struct unclaimed *u = ctx;
    const struct job *j = job_find(engine_cluster(u->s->engine), key);

    (void)value;
    if ((!j || j->state >= JOB_COMPLETED) && u->is_its(u->s, key, u->ctx))
        vec_push(&u->ids, xstrdup(key));
    return 0;
}

static const char *run_text(const json_t *run, const char *name)
{
    return json_string_value(json_object_get(run, name));
}

static int64_t run_number(const json_t *run, const char *name)
{
    return json_integer_value(json_object_get(run, name));
}

/* When the run of one that is not told any more was over, for all that is known: at the
 * last look at its jobs, else at its limit. */
static int64_t run_end(struct server *s, const struct job_memory *m)
{
    int64_t now = world_now(s), seen_at = teller_seen_at(s),
            end_at = seen_at > 0 ? seen_at : time_add(m->start_at, m->wclimit_s);

    return end_at < m->start_at ? m->start_at : end_at < now ? end_at : now;
}

static void tell_unclaimed(struct server *s, const struct store_account *row)
{
    const struct job_end end = {.reason = ENDED_VANISHED};

    eventlog_add(s, JOBCANCEL, row->job, false,
        json_pack("{s:s, s:s, s:s, s:s*}", "type", "job", "state", row->state, "reason",
            end_reason_name(end.reason), "user", row->user),
        "job '%s' is %s: it went while nobody looked", row->job, row->state);
}

/* It went before this life of the daemon: what was remembered of it is all there is. */
void record_unclaimed(struct server *s, const char *id)
{
    struct job_memory m = {0};
    struct record_memory *known = record_recall(s, id, &m);
    const json_t *run = known ? json_object_get(known->o, "run") : NULL;
    struct store_account row = {.job = id,
        .user = run_text(run, "user"),
        .group = run_text(run, "group"),
        .account = run_text(run, "account"),
        .class = run_text(run, "class"),
        .qos = m.qos,
        .state = "Vacated",
        .submit_at = run_number(run, "submit_at"),
        .queue_at = run ? m.queue_at : 0,
        .start_at = run ? m.start_at : 0,
        .end_at = run ? run_end(s, &m) : world_now(s),
        .wclimit_s = run ? m.wclimit_s : 0,
        .procs = run_number(run, "procs"),
        .tasks = run_number(run, "tasks"),
        .mem_mb = -1,
        .cpu_s = -1,
        .later = m.cancelled};

    log_line(s->log, LOG_WARNING,
        "job '%s' was known before the restart and is not any more", id);
    settle_account(s, &row, &(struct job_end){.reason = ENDED_VANISHED},
        rested_s(m.suspended_s, m.suspend_at, row.end_at), NULL, NULL);
    tell_unclaimed(s, &row);
    record_memory_free(known);
}

void record_forget_unclaimed(struct server *s,
    bool (*is_its)(const struct server *s, const char *id, const void *ctx),
    const void *ctx)
{
    struct unclaimed u = {.s = s, .is_its = is_its, .ctx = ctx};
    struct err err;

    unsaved_tell(s->unsaved);
    (void)store_each(s->store, "job", find_unclaimed, &u, &err);
    for (size_t i = 0; i < u.ids.n; i++) {
        record_unclaimed(s, u.ids.v[i]);
        free(u.ids.v[i]);
    }
    if (u.ids.n > 0)
        depends_settle_waiting(s);
    vec_fini(&u.ids);
    commit_want(s);
}

/* ---- orders ---- */

/* Numbered in one row, so that those of a job come back in their order. (Of an older
 * state there is one of a job, without a number.) */
static void make_order_key(const char *job, uint64_t number, char *ret_key, size_t size)
{
    if (number)
        snprintf(ret_key, size, "%s %012llu", job, (unsigned long long)number);
    else
        snprintf(ret_key, size, "%s", job);
}

void record_order_again(
    struct server *s, const char *job, uint64_t number, const struct order_record *r)
{
    json_t *o = json_pack("{s:i}", "action", (int)r->action);
    char key[ORDER_KEY];

    if (r->kinds)
        render_int(o, "kinds", r->kinds);
    if (r->signal)
        render_int(o, "signal", r->signal);
    if (r->wclimit_s)
        render_int(o, "wclimit_s", r->wclimit_s);
    if (r->preempts)
        json_object_set_new(o, "preempts", json_true());
    render_text(o, "text", r->text);
    render_text(o, "user", r->of.user);
    render_text(o, "command", r->of.command);
    if (r->of.submit_at)
        render_int(o, "submit_at", r->of.submit_at);
    if (r->decided_at)
        render_int(o, "decided_at", r->decided_at);
    render_text(o, "refused", r->refused);
    render_text(o, "qos", r->qos);
    char *value = json_dumps(o, JSON_COMPACT);
    make_order_key(job, number, key, sizeof key);
    put(s, "order", key, value);
    free(value);
    json_decref(o);
}

uint64_t record_order(struct server *s, const char *job, const struct order_record *r)
{
    uint64_t number = ++s->kept.numbers->last_order;

    record_order_again(s, job, number, r);
    return number;
}

void record_order_done(struct server *s, const char *job, uint64_t number)
{
    char key[ORDER_KEY];

    make_order_key(job, number, key, sizeof key);
    unsaved_delete(s->unsaved, "order", key);
    commit_want(s);
}

struct each_order {
    struct server *s;
    void *ctx;
    void (*each)(
        void *ctx, const char *job, uint64_t number, const struct order_record *r);
};

static int tell_order(void *ctx, const char *key, const char *value)
{
    const struct each_order *e = ctx;
    json_t *o = json_loads(value, 0, NULL);
    json_int_t action = json_integer_value(json_object_get(o, "action"));
    const char *gap = strrchr(key, ' ');
    uint64_t number = gap ? strtoull(gap + 1, NULL, 10) : 0;
    char *job = gap ? xstrndup(key, (size_t)(gap - key)) : xstrdup(key);
    struct order_record r = {.action = (enum rm_action)action,
        .kinds = (unsigned)json_integer_value(json_object_get(o, "kinds")),
        .signal = (int)json_integer_value(json_object_get(o, "signal")),
        .wclimit_s = json_integer_value(json_object_get(o, "wclimit_s")),
        .preempts = json_is_true(json_object_get(o, "preempts")),
        .text = json_string_value(json_object_get(o, "text")),
        .of = {.user = json_string_value(json_object_get(o, "user")),
            .command = json_string_value(json_object_get(o, "command")),
            .submit_at = json_integer_value(json_object_get(o, "submit_at"))},
        .decided_at = json_integer_value(json_object_get(o, "decided_at")),
        .refused = json_string_value(json_object_get(o, "refused")),
        .qos = json_string_value(json_object_get(o, "qos"))};

    if (number > e->s->kept.numbers->last_order)
        e->s->kept.numbers->last_order = number;
    if (action >= RM_START && action < RM_ACTIONS)
        e->each(e->ctx, job, number, &r);
    free(job);
    json_decref(o);
    return 0;
}

void record_each_order(struct server *s, void *ctx,
    void (*each)(
        void *ctx, const char *job, uint64_t number, const struct order_record *r))
{
    struct each_order e = {s, ctx, each};
    struct err err;

    unsaved_tell(s->unsaved);
    (void)store_each(s->store, "order", tell_order, &e, &err);
}

/* ---- numbers ---- */

#define COUNTER "counter"

void record_open(struct server *s)
{
    s->kept.numbers = xcalloc(1, sizeof *s->kept.numbers);
}

void record_close(struct server *s)
{
    free(s->kept.numbers);
    s->kept.numbers = NULL;
}

int64_t record_last_number(struct server *s)
{
    char *text = NULL;
    struct err err;

    unsaved_tell(s->unsaved);
    if (store_get(s->store, COUNTER, "job", &text, &err) == 0 && text)
        s->kept.numbers->last = strtoll(text, NULL, 10);
    free(text);
    return s->kept.numbers->last;
}

void record_number(struct server *s, const char *job_id)
{
    int64_t number = strtoll(job_id, NULL, 10); /* 12 of 12[3] */
    char text[24];

    if (number <= s->kept.numbers->last || number == INT64_MAX)
        return;
    s->kept.numbers->last = number;
    snprintf(text, sizeof text, "%lld", (long long)number);
    put(s, COUNTER, "job", text);
    commit_want(s);
}
