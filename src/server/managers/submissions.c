/* SPDX-License-Identifier: Apache-2.0
 * What users submit, on its way to the resource manager: requests of one job or of an
 * array of them, handed on in turn by user. */
#define LOG_FACILITY FACILITY_RM
#include "cluster/partition.h"
#include "server/drafts/depends.h"
#include "server/events/mail.h"
#include "server/events/stalls.h"
#include "server/managers/private.h"
#include "server/render/obstacles.h"
#include "server/render/render.h"
#include "server/server_private.h"

/* Under way at a time: as many as the resource manager writes at once in a few
 * milliseconds. More make an array no faster, and others wait for them. */
#define UNDER_WAY    32
#define UNDO_AT_ONCE 150 /* jobs: a few milliseconds, and a cycle follows */

/* What one request submits: a job, or an array of them. */
struct manager_batch {
    struct manager *m; /* whose job it will be */
    struct turn turn;  /* until it is handed on, ... */
    bool behind;       /* ... unless it waits for another array of the user */
    struct request *request;
    const char *number;      /* of an array: the resource manager's, ... */
    const uint32_t *indexes; /* ... and its jobs' indexes */
    size_t nindexes;
    json_t *ids;  /* of those made */
    bool open;    /* handed on, not answered yet */
    bool handing; /* being handed on, and perhaps answered meanwhile */
    bool undone;  /* refused: what was made is being cancelled */
    struct manager_feed feed;
    struct err err;
};

static bool is_of_user(const struct manager_batch *b, const char *user)
{
    return strcmp(request_who(b->request)->user, user) == 0;
}

static void leave_behind(struct manager_batch *b)
{
    for (size_t i = 0; b->behind && i < b->m->behind.n; i++)
        if (b->m->behind.v[i] == b)
            vec_remove(&b->m->behind, i);
    b->behind = false;
}

static void free_batch(struct manager_batch *b)
{
    turns_remove(&b->m->batches, &b->turn);
    leave_behind(b);
    b->feed.done(b->feed.ctx);
    json_decref(b->ids);
    free(b);
}

/* Of an array each asks for the same. A reservation may be made after its jobs, so one
 * that is not there is no reason to refuse them. */
static json_t *render_submitted(const struct server *s, json_t *ids)
{
    const struct cluster *c = engine_cluster(s->engine);
    const char *id = json_string_value(json_array_get(ids, 0));
    const struct job *j = id ? job_find(c, id) : NULL;
    json_t *o = json_pack("{s:O}", "ids", ids);
    json_t *notes = json_array();
    char text[200];
    struct err err;

    if (j && obstacles_say_asked(c, j, text, sizeof text))
        json_array_append_new(notes, json_string(text));
    for (size_t i = 0; j && j->extra && i < j->extra->partitions_asked.n; i++)
        if (partition_find(c, j->extra->partitions_asked.v[i]) == INDEX_NONE
            && partition_missing(c, j->extra->partitions_asked.v[i], &err) < 0)
            json_array_append_new(notes, json_string(err.text));
    if (j && mail_obstacle(s, j))
        json_array_append_new(notes, json_string(mail_obstacle(s, j)));
    if (json_array_size(notes))
        json_object_set(o, "notes", notes);
    json_decref(notes);
    return o;
}

/* The last first: they wait, where the first run. False: there are no more. */
static bool undo_some(struct manager_batch *b)
{
    struct server *s = b->m->s;
    struct err err;

    for (int i = 0; i < UNDO_AT_ONCE && json_array_size(b->ids) > 0; i++) {
        size_t last = json_array_size(b->ids) - 1;
        const struct job *j = job_find(
            engine_cluster(s->engine), json_string_value(json_array_get(b->ids, last)));
        if (j
            && manager_cancel(s, j, &(struct job_end){.reason = ENDED_ARRAY}, &err) < 0)
            log_line(s->log, LOG_WARNING, "job '%s': %s", j->id, err.text);
        json_array_remove(b->ids, last);
    }
    return json_array_size(b->ids) > 0;
}

static void refuse_undone(struct manager_batch *b)
{
    request_refuse(b->request, &b->err);
    free_batch(b);
}

static void leave_undone(struct manager_batch *b)
{
    for (size_t i = 0; b->undone && i < b->m->undone.n; i++)
        if (b->m->undone.v[i] == b)
            vec_remove(&b->m->undone, i);
    b->undone = false;
}

static int on_undo(sd_event_source *source, uint64_t at, void *ctx)
{
    struct manager *m = ctx;
    struct manager_batch *b = m->undone.v[0];

    (void)at;
    stalls_doing(m->s, "order");
    leave_undone(b);
    if (undo_some(b)) {
        b->undone = true;
        vec_push(&m->undone, b);
    } else {
        refuse_undone(b);
    }
    sd_event_source_set_time_relative(source, 0);
    sd_event_source_set_enabled(
        source, m->undone.n > 0 ? SD_EVENT_ONESHOT : SD_EVENT_OFF);
    return 0;
}

/* Bit by bit: a timer queues behind what is ready already. False: all of it at once. */
static bool put_off_undoing(struct manager_batch *b)
{
    struct manager *m = b->m;

    if (m->s->tries || m->s->simulation
        || (!m->undo
            && (sd_event_add_time_relative(
                    m->s->loop, &m->undo, CLOCK_MONOTONIC, 0, 1, on_undo, m)
                    < 0
                || sd_event_source_set_priority(m->undo, RM_PRIORITY_MANY) < 0)))
        return false;
    b->undone = true;
    vec_push(&m->undone, b);
    sd_event_source_set_time_relative(m->undo, 0);
    sd_event_source_set_enabled(m->undo, SD_EVENT_ONESHOT);
    return true;
}

/* When it is answered: to the client whose submission it was. An array of which a job
 * cannot stay is refused whole. */
static void settle_batch(struct server *s, struct manager_batch *b)
{
    if (b->handing || b->open || b->turn.user || b->behind || b->undone)
        return;
    if (b->err.code == ERR_NONE) {
        commit_then_reply(s, b->request, render_submitted(s, b->ids));
        free_batch(b);
        return;
    }
    while (undo_some(b))
        if (put_off_undoing(b))
            return;
    refuse_undone(b);
}

static void hand_on(struct server *s, struct manager_batch *b)
{
    turns_remove(&b->m->batches, &b->turn);
    b->handing = true;
    if (b->err.code == ERR_NONE)
        b->feed.hand_on(s, b, b->feed.ctx);
    b->handing = false;
    settle_batch(s, b);
}

static bool has_array_under_way(const struct manager *m, const char *user)
{
    for (size_t i = 0; i < m->submissions.n; i++)
        if (m->submissions.v[i].batch->feed.array
            && is_of_user(m->submissions.v[i].batch, user))
            return true;
    return false;
}

/* An array has thousands to be told: those of one user come one after the other. */
static void hand_on_in_turn(struct manager_batch *b)
{
    if (!b->feed.array || !has_array_under_way(b->m, request_who(b->request)->user)) {
        hand_on(b->m->s, b);
        return;
    }
    turns_remove(&b->m->batches, &b->turn);
    b->behind = true;
    vec_push(&b->m->behind, b);
}

static void bring_forward(struct manager *m, const char *user)
{
    for (size_t i = 0; i < m->behind.n; i++) {
        struct manager_batch *b = m->behind.v[i];
        if (!is_of_user(b, user))
            continue;
        leave_behind(b);
        turns_add(&m->batches, user, &b->turn);
        return;
    }
}

/* What there is room for, after what does not wait for room (or NULL). */
static void feed_batch(struct manager *m, struct manager_batch *at_once)
{
    struct turn *turn;

    if (m->feeding)
        return; /* answered at once: the loop below goes on */
    m->feeding = true;
    if (at_once)
        hand_on_in_turn(at_once);
    while (m->submissions.n < UNDER_WAY && (turn = turns_next(&m->batches)))
        hand_on_in_turn(turn->of);
    m->feeding = false;
}

/* In the manager's words; of several by its name. */
static void refuse_batch(struct manager_batch *b, enum err_code code, const char *why)
{
    bool several = managers_several(b->m->s);

    err_set(&b->err, code, "%s%s%s", several ? managers_label(b->m) : "",
        several ? ": " : "", why);
}

/* It is there; can it stay? */
static void note_made(struct manager_batch *b, const char *id)
{
    json_array_append_new(b->ids, json_string(id));
    if (b->err.code == ERR_NONE && b->feed.made)
        (void)b->feed.made(b->m->s, id, b->feed.ctx, &b->err);
}

/* One that nobody waits for any more is taken back. */
static void note_array(struct manager_batch *b)
{
    char id[80], here[100];

    for (size_t i = 0; i < b->nindexes; i++) {
        snprintf(id, sizeof id, "%s[%u]", b->number, b->indexes[i]);
        manager_id_here(b->m, id, here, sizeof here);
        note_made(b, here);
    }
    if (b->err.code == ERR_NONE && request_is_abandoned(b->request))
        err_set(&b->err, ERR_CONFLICT, "who submitted the array has gone");
}

static void note_answer(struct manager_batch *b, const struct rm_report *r)
{
    b->open = false;
    if (r->u.done.outcome == RM_OK && b->nindexes)
        note_array(b);
    else if (r->u.done.outcome == RM_OK)
        note_made(b, r->u.done.job);
    else if (b->err.code == ERR_NONE)
        refuse_batch(b, r->u.done.outcome == RM_RETRY ? ERR_IO : ERR_INVALID,
            r->u.done.text ? r->u.done.text : "the resource manager refuses the job");
}

bool submissions_answered(struct manager *m, const struct rm_report *r)
{
    for (size_t i = 0; i < m->submissions.n; i++)
        if (m->submissions.v[i].token == r->u.done.token) {
            struct manager_batch *b = m->submissions.v[i].batch;
            manager_count_answer(m, m->submissions.v[i].sent_us);
            vec_remove(&m->submissions, i);
            if (b->feed.array)
                bring_forward(m, request_who(b->request)->user);
            note_answer(b, r);
            settle_batch(m->s, b);
            feed_batch(m, NULL);
            return true;
        }
    return false;
}

/* As its report would tell the job, of the next number that nobody has. */
static void try_submission(
    struct manager *m, struct manager_batch *b, const struct rm_submission *sub)
{
    struct rm_submission own = *sub;
    struct event ev = {.kind = EVENT_SUBMIT};
    struct border_room room;
    char id[80];

    if (m->driver && m->driver->takes_no_jobs) {
        refuse_batch(b, ERR_INVALID, RM_TAKES_NO_JOBS);
        return;
    }
    if (!own.job.desc.id) {
        manager_number_tried(m, id, sizeof id);
        own.job.desc.id = id;
    }
    size_t mark = border_begin(m->border);
    ev.u.job = *border_submission_told(m->border, &own, &room);
    struct dep *deps = depends_settle(m->s, ev.u.job.deps, 0);
    ev.u.job.deps = deps;
    ev.u.job.submit_at = world_now(m->s);
    if (world_apply(m->s, &ev, NULL, &b->err) == 0)
        json_array_append_new(b->ids, json_string(ev.u.job.id));
    free(deps);
    border_end(m->border, mark);
}

static void try_array(
    struct manager *m, struct manager_batch *b, const struct rm_submission *sub)
{
    struct rm_submission one = *sub;
    char id[80];

    one.job.desc.id = id;
    for (size_t i = 0; i < sub->nindexes && b->err.code == ERR_NONE; i++) {
        snprintf(id, sizeof id, "%s[%u]", sub->job.desc.id, sub->indexes[i]);
        try_submission(m, b, &one);
    }
}

void manager_submit(
    struct server *s, struct manager_batch *b, struct rm_submission *sub)
{
    struct manager *m = b->m;
    struct err err = {0};

    if (b->err.code != ERR_NONE)
        return;
    if (s->tries) {
        (sub->nindexes ? try_array : try_submission)(m, b, sub);
        return;
    }
    b->number = sub->job.desc.id;
    b->indexes = sub->indexes;
    b->nindexes = sub->nindexes;
    sub->token = ++m->next_token;
    vec_push(&m->submissions, ((struct submission){sub->token, manager_clock(m), b}));
    b->open = true;
    size_t mark = border_begin(m->border);
    struct rm_submission own = border_submission_out(m->border, sub);
    int result = m->rm ? m->driver->submit(m->rm, &own, &err)
                       : err_set(&err, ERR_IO, "the resource manager is not there");
    border_end(m->border, mark);
    if (result == 0)
        return;
    m->submissions.n--;
    b->open = false;
    b->err = err;
}

void manager_submit_all(
    struct manager *m, struct request *request, const struct manager_feed *what)
{
    struct manager_batch *b = xcalloc(1, sizeof *b);

    b->m = m;

    b->request = request;
    b->ids = json_array();
    b->feed = *what;
    b->turn.of = b;
    if (b->feed.begins)
        b->feed.begins(b, b->feed.ctx);
    if (m->s->tries) { /* others' are not this one's to go on with */
        b->feed.hand_on(m->s, b, b->feed.ctx);
        settle_batch(m->s, b);
        return;
    }
    feed_batch(
        m, turns_add(&m->batches, request_who(request)->user, &b->turn) ? b : NULL);
}

static uint64_t token_of(const struct manager_batch *b)
{
    for (size_t i = 0; i < b->m->submissions.n; i++)
        if (b->m->submissions.v[i].batch == b)
            return b->m->submissions.v[i].token;
    return 0;
}

void manager_break_off(struct server *s, struct manager_batch *b, const struct err *why)
{
    if (b->err.code == ERR_NONE)
        b->err = *why;
    if (b->turn.user) /* it was the next of its user */
        bring_forward(b->m, request_who(b->request)->user);
    turns_remove(&b->m->batches, &b->turn);
    leave_behind(b);
    if (b->open && b->nindexes && b->m->driver->give_up)
        b->m->driver->give_up(b->m->rm, token_of(b));
    settle_batch(s, b);
}

void submissions_open(struct manager *m)
{
    turns_init(&m->batches);
}

/* Nobody will tell what became of it. */
static void give_up(struct manager_batch *b)
{
    struct err err = {0};

    err_set(&err, ERR_IO,
        "the resource manager %s was left before it answered: the job may have been "
        "taken, showq tells when it is back",
        managers_label(b->m));
    request_refuse(b->request, &err);
    free_batch(b);
}

void submissions_close(struct manager *m)
{
    struct turn *turn;

    while ((turn = turns_next(&m->batches))) {
        struct manager_batch *b = turn->of;
        turns_remove(&m->batches, turn);
        give_up(b);
    }
    while (m->behind.n)
        give_up(m->behind.v[0]);
    for (size_t i = 0; i < m->undone.n; i++)
        refuse_undone(m->undone.v[i]);
    vec_fini(&m->undone);
    sd_event_source_disable_unref(m->undo);
    for (size_t i = 0; i < m->submissions.n; i++)
        give_up(m->submissions.v[i].batch);
    vec_fini(&m->behind);
    vec_fini(&m->submissions);
}
