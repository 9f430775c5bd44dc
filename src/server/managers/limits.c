/* SPDX-License-Identifier: Apache-2.0
 * See limits.h. */
#define LOG_FACILITY FACILITY_RM
#include "server/managers/limits.h"

#include "base/duration.h"
#include "cluster/change.h"
#include "server/drafts/modify.h"
#include "server/managers/private.h"
#include "server/server_private.h"

#include <sys/queue.h>

#define PATIENCE_US 10000000 /* a reply waits no longer */
#define ACCURACY_US 10000

#define WCLIMIT "wclimit" /* the attribute that is changed */

/* One of the jobs of a request. */
struct asked_limit {
    char *job; /* owned */
    int64_t limit_s;
    json_t *result; /* of the reply; a reference */
};

/* A reply that waits for answers. */
struct waiting_reply {
    TAILQ_ENTRY(waiting_reply) link;
    struct limits *limits;
    struct request *request;
    json_t *body; /* a reference */
    struct VEC(struct asked_limit) open;
    sd_event_source *timer;
};

struct limits {
    struct server *s;
    TAILQ_HEAD(, waiting_reply) replies;
};

/* ---- replies that wait ----------------------------------------------------------- */

static void free_asked(struct asked_limit *a)
{
    free(a->job);
    json_decref(a->result);
}

static void send_reply(struct waiting_reply *w)
{
    for (size_t i = 0; i < w->open.n; i++)
        free_asked(&w->open.v[i]);
    vec_fini(&w->open);
    TAILQ_REMOVE(&w->limits->replies, w, link);
    sd_event_source_disable_unref(w->timer);
    commit_then_reply(w->limits->s, w->request, w->body);
    free(w);
}

/* Behind what is told of the job already. */
static void add_remark(json_t *result, const char *remark)
{
    const char *said = json_string_value(json_object_get(result, "message"));
    struct strbuf text = {0};

    strbuf_printf(&text, "%s; %s", said ? said : "", remark);
    json_object_set_new(result, "message", json_string(text.text));
    free(text.text);
}

static void give_up(struct waiting_reply *w, const char *remark)
{
    for (size_t i = 0; i < w->open.n; i++)
        add_remark(w->open.v[i].result, remark);
    send_reply(w);
}

static int on_patience(sd_event_source *source, uint64_t at, void *ctx)
{
    (void)source;
    (void)at;
    give_up(ctx, "its resource manager has not answered yet, and checkjob tells if it "
                 "refuses the limit");
    return 0;
}

static struct waiting_reply *new_reply(
    struct limits *l, struct request *r, json_t *body)
{
    struct waiting_reply *w = xcalloc(1, sizeof *w);

    w->limits = l;
    w->request = r;
    w->body = body;
    TAILQ_INSERT_TAIL(&l->replies, w, link);
    return w;
}

static bool is_answering(const struct server *s, const struct job *j)
{
    const struct manager *m = managers_of(s, j);

    return m->rm && !m->away && m->synced && s->mode != MODE_TEST;
}

static void refuse_result(json_t *result, const char *why)
{
    json_object_set_new(result, "ok", json_false());
    json_object_set_new(result, "code", json_string("conflict"));
    json_object_set_new(result, "message", json_string(why));
}

void manager_reply_told(struct server *s, struct request *r, json_t *body,
    const struct manager_told *told, size_t n)
{
    struct waiting_reply *w = NULL;

    for (size_t i = 0; i < n && !s->tries; i++) {
        const struct job *j = job_find(engine_cluster(s->engine), told[i].job);
        if (!j)
            continue;
        if (!outbox_changes_limit(managers_of(s, j), j->id)) {
            if (world_notes(s, j)->limit_refused) /* while others were changed */
                refuse_result(told[i].result, world_notes(s, j)->limit_refused);
            continue;
        }
        if (!is_answering(s, j)) {
            add_remark(told[i].result,
                "its resource manager is out of reach and told when it is back");
            continue;
        }
        if (!w)
            w = new_reply(s->managers->limits, r, body);
        vec_push(&w->open, ((struct asked_limit){.job = xstrdup(j->id),
                               .limit_s = outbox_limit(managers_of(s, j), j->id),
                               .result = json_incref(told[i].result)}));
    }
    if (!w)
        commit_then_reply(s, r, body);
    else if (sd_event_add_time_relative(s->loop, &w->timer, CLOCK_MONOTONIC,
                 PATIENCE_US, ACCURACY_US, on_patience, w)
             < 0)
        give_up(w, "its resource manager has not answered yet");
}

/* NULL: nothing is to be said of it. */
static void settle_replies(
    struct limits *l, const char *job, int64_t limit_s, const char *why)
{
    struct waiting_reply *w, *next;

    for (w = TAILQ_FIRST(&l->replies); w; w = next) {
        next = TAILQ_NEXT(w, link);
        for (size_t i = w->open.n; i-- > 0;) {
            struct asked_limit *a = &w->open.v[i];
            if (a->limit_s != limit_s || strcmp(a->job, job) != 0)
                continue;
            if (why)
                refuse_result(a->result, why);
            free_asked(a);
            vec_remove(&w->open, i);
        }
        if (!w->open.n)
            send_reply(w);
    }
}

struct limits *limits_open(struct managers *all)
{
    struct limits *l = xcalloc(1, sizeof *l);

    l->s = all->s;
    TAILQ_INIT(&l->replies);
    return l;
}

void limits_close(struct limits *l)
{
    struct waiting_reply *w;

    if (!l)
        return;
    while ((w = TAILQ_FIRST(&l->replies)))
        give_up(w, "its resource manager was left before it answered");
    free(l);
}

/* ---- changes --------------------------------------------------------------------- */

const struct rm_keeping *manager_keeping(const struct server *s, const struct job *j)
{
    return managers_of(s, j)->keeps;
}

/* Nobody can tell it of another: it is for us to see to that. */
static bool is_ours(const struct manager *m)
{
    return m->driver && m->driver->keeps && !m->keeps;
}

/* One that is suspended is changed whether or not its manager can do that, where the
 * limit is ours to keep. */
static bool is_to_be_told(const struct server *s, const struct job *j)
{
    struct err err;

    if (manager_keeping(s, j) || is_ours(managers_of(s, j)))
        return manager_keeping(s, j) != NULL;
    return job_has_begun((enum job_state)j->state)
           && (j->state != JOB_SUSPENDED || manager_can(s, j, RM_MODIFY, &err) == 0);
}

int manager_check_limit(
    const struct server *s, const struct job *j, int64_t limit_s, struct err *err)
{
    const struct rm_keeping *keeps = manager_keeping(s, j);

    if (!is_to_be_told(s, j))
        return 0;
    if (manager_can(s, j, RM_MODIFY, err) < 0)
        return -1;
    return keeps && keeps->check_limit
               ? keeps->check_limit(j->id, (enum job_state)j->state, limit_s, err)
               : 0;
}

int64_t manager_whole_limit(
    const struct server *s, const struct job *j, int64_t limit_s)
{
    const struct rm_keeping *keeps = manager_keeping(s, j);
    int64_t rest = keeps && keeps->unit_s && limit_s < DURATION_UNLIMITED
                       ? limit_s % keeps->unit_s
                       : 0;

    return rest ? limit_s - rest + keeps->unit_s : limit_s;
}

static void note_refusal(struct server *s, const struct job *j, const char *text)
{
    struct job_notes *n = world_notes(s, j);

    if (!n->limit_refused && !text)
        return;
    free(n->limit_refused);
    n->limit_refused = text ? xstrdup(text) : NULL;
    world_touch(s, j->index);
}

/* The limit in force, or what a waiting job asks for: of that a part may have been used
 * up. */
int manager_tell_limit(struct server *s, const struct job *j, struct err *err)
{
    bool begun = job_has_begun((enum job_state)j->state);
    struct rm_command cmd = {
        .action = RM_MODIFY, .wclimit_s = begun ? j->wclimit_s : j->wclimit_asked_s};

    note_refusal(s, j, NULL);
    return is_to_be_told(s, j) ? manager_tell(s, j, &cmd, err) : 0;
}

/* As the resource manager told it last; < 0: it did not. */
static int64_t told_limit(struct server *s, const struct job *j)
{
    const struct job_notes *n = world_notes(s, j);

    if (n->wclimit_s > 0)
        return n->wclimit_s;
    if (j->state == JOB_RUNNING || j->state == JOB_SUSPENDED)
        return -1;
    return n->taken_limit_s > 0 ? n->taken_limit_s : n->kept_limit_s;
}

static void restore_limit(struct manager *m, const struct job *j)
{
    struct event ev = {.kind = EVENT_MODIFY,
        .u.modify = {.id = j->id,
            .change = {
                .what = CHANGE_WCLIMIT, .job = {.wclimit_s = told_limit(m->s, j)}}}};

    if (ev.u.modify.change.job.wclimit_s >= 0)
        manager_apply(m, &ev, j->id);
}

static void refuse_limit(
    struct manager *m, const char *job, int64_t limit_s, const char *why, bool last)
{
    const struct job *j = job_find(engine_cluster(m->s->engine), job);
    char limit[DURATION_TEXT_MAX];
    struct strbuf text = {0};

    strbuf_printf(&text, "%s did not take the limit of %s for job '%s': %s",
        managers_label(m), duration_format(limit_s, limit, sizeof limit), job, why);
    if (last && j && j->state < JOB_COMPLETED) {
        modify_forget(m->s, job, CHANGE_WCLIMIT);
        restore_limit(m, j);
        note_refusal(m->s, j, text.text);
    }
    settle_replies(m->s->managers->limits, job, limit_s, text.text);
    free(text.text);
}

/* Told it will be by the next look, unless it was already. */
static void note_taken(struct job_notes *n, int64_t limit_s)
{
    n->taken_limit_s = n->kept_limit_s == limit_s ? 0 : limit_s;
}

void limits_answered(
    struct manager *m, const char *job, int64_t limit_s, const char *why, bool last)
{
    const struct job *j = job_find(engine_cluster(m->s->engine), job);

    if (why) {
        refuse_limit(m, job, limit_s, why, last);
        return;
    }
    if (j && m->keeps)
        note_taken(world_notes(m->s, j), limit_s);
    if (last && m->keeps)
        modify_forget(m->s, job, CHANGE_WCLIMIT);
}

void limits_over(struct manager *m, const char *job, int64_t limit_s)
{
    settle_replies(m->s->managers->limits, job, limit_s, NULL);
}

/* ---- what is told ---------------------------------------------------------------- */

static bool is_kept_there(const struct manager *m, const struct rm_job *r)
{
    return m->keeps && (r->desc.state == JOB_IDLE || r->desc.state == JOB_HOLD);
}

/* While ours is on its way what is told may be of before it, or of after. */
bool limits_told(struct manager *m, const struct job *j, const struct rm_job *r)
{
    struct job_notes *n = world_notes(m->s, j);
    int64_t before = n->kept_limit_s, now = r->desc.wclimit_s;

    if (!is_kept_there(m, r))
        return false;
    bool ours = now == n->taken_limit_s || now == j->wclimit_asked_s
                || outbox_changes_limit_to(m, j->id, now);
    n->kept_limit_s = now;
    if (now != before)
        n->taken_limit_s = 0;
    return before >= 0 && now != before && !ours;
}

/* Whoever changed it then was not asked what is asked now. */
static int check_former(
    struct manager *m, const struct job *j, int64_t told_s, struct err *err)
{
    if (m->keeps->raise && told_s > 0 && j->wclimit_asked_s > told_s)
        return err_set(err, ERR_DENIED, "%s", m->keeps->raise);
    return manager_check_limit(m->s, j, j->wclimit_asked_s, err);
}

/* One that was changed by a release that told nobody: now it is. */
void limits_first_told(
    struct manager *m, const struct job *j, const struct rm_job *r, bool known)
{
    struct err err;

    if (!is_kept_there(m, r))
        return;
    world_notes(m->s, j)->kept_limit_s = r->desc.wclimit_s;
    if (!known || outbox_changes_limit(m, j->id) || !modify_has(m->s, j->id, WCLIMIT))
        return;
    if (j->wclimit_asked_s == r->desc.wclimit_s)
        modify_forget(m->s, j->id, CHANGE_WCLIMIT);
    else if (check_former(m, j, r->desc.wclimit_s, &err) < 0
             || manager_tell_limit(m->s, j, &err) < 0)
        limits_answered(m, j->id, j->wclimit_asked_s, err.text, true);
}
