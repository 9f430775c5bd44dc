/* SPDX-License-Identifier: Apache-2.0
 * What users submit, on its way to the resource manager: requests of one job or of an
 * array of them, handed on in turn by user. */
#define LOG_FACILITY FACILITY_RM
#include "cluster/partition.h"
#include "server/drafts/depends.h"
#include "server/events/mail.h"
#include "server/managers/private.h"
#include "server/render/obstacles.h"
#include "server/render/render.h"
#include "server/server_private.h"

/* Under way at a time: as many as the resource manager writes at once in a few
 * milliseconds. More make an array no faster, and others wait for them. */
#define UNDER_WAY 32

/* What one request submits: a job, or those of an array. The client waits for all. */
struct manager_batch {
    struct manager *m; /* whose job it will be */
    struct turn turn;  /* while there is more to hand on */
    struct request *request;
    json_t *ids; /* of those made */
    size_t open; /* not answered yet */
    struct manager_feed feed;
    struct err err;
};

static void free_batch(struct manager_batch *b)
{
    turns_remove(&b->m->batches, &b->turn);
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

/* When all is answered: to the client whose submission it was. An array of which a job
 * was refused is refused whole. */
static void settle_batch(struct server *s, struct manager_batch *b)
{
    json_t *id;
    struct err err;
    size_t i;

    if (b->open || b->turn.user)
        return;
    if (b->err.code == ERR_NONE) {
        commit_then_reply(s, b->request, render_submitted(s, b->ids));
    } else {
        json_array_foreach(b->ids, i, id)
        {
            const struct job *j =
                job_find(engine_cluster(s->engine), json_string_value(id));
            if (j
                && manager_cancel(s, j, &(struct job_end){.reason = ENDED_ARRAY}, &err)
                       < 0)
                log_line(s->log, LOG_WARNING, "job '%s': %s", j->id, err.text);
        }
        request_refuse(b->request, &b->err);
    }
    free_batch(b);
}

/* One more of the request. An array that nobody waits for any more is not gone on with,
 * and what there is of it is taken back. */
static void hand_on(struct server *s, struct manager_batch *b)
{
    if (b->err.code == ERR_NONE && json_array_size(b->ids) > 0
        && request_is_abandoned(b->request))
        err_set(&b->err, ERR_CONFLICT, "who submitted the array has gone");
    if (b->err.code != ERR_NONE || !b->feed.next(s, b, b->feed.ctx))
        turns_remove(&b->m->batches, &b->turn);
    settle_batch(s, b);
}

/* What there is room for, after what does not wait for room (or NULL). */
static void feed_batch(struct manager *m, struct manager_batch *at_once)
{
    struct turn *turn;

    if (m->feeding)
        return; /* answered at once: the loop below goes on */
    m->feeding = true;
    if (at_once)
        hand_on(m->s, at_once);
    while (m->submissions.n < UNDER_WAY && (turn = turns_next(&m->batches)))
        hand_on(m->s, turn->of);
    m->feeding = false;
}

/* In the manager's words; of several by its name. */
static void refuse_batch(struct manager_batch *b, enum err_code code, const char *why)
{
    bool several = managers_several(b->m->s);

    err_set(&b->err, code, "%s%s%s", several ? managers_label(b->m) : "",
        several ? ": " : "", why);
}

static void note_answer(struct manager_batch *b, const struct rm_report *r)
{
    b->open--;
    if (r->u.done.outcome == RM_OK) {
        json_array_append_new(b->ids, json_string(r->u.done.job));
        if (b->err.code == ERR_NONE && b->feed.made)
            (void)b->feed.made(b->m->s, r->u.done.job, b->feed.ctx, &b->err);
        return;
    }
    if (b->err.code == ERR_NONE)
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

void manager_submit(
    struct server *s, struct manager_batch *b, struct rm_submission *sub)
{
    struct manager *m = b->m;
    struct err err = {0};

    if (b->err.code != ERR_NONE)
        return;
    if (s->tries) {
        try_submission(m, b, sub);
        return;
    }
    sub->token = ++m->next_token;
    vec_push(&m->submissions, ((struct submission){sub->token, manager_clock(m), b}));
    b->open++;
    size_t mark = border_begin(m->border);
    struct rm_submission own = border_submission_out(m->border, sub);
    int result = m->rm ? m->driver->submit(m->rm, &own, &err)
                       : err_set(&err, ERR_IO, "the resource manager is not there");
    border_end(m->border, mark);
    if (result == 0)
        return;
    m->submissions.n--;
    b->open--;
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
        while (b->err.code == ERR_NONE && b->feed.next(m->s, b, b->feed.ctx))
            ;
        settle_batch(m->s, b);
        return;
    }
    feed_batch(
        m, turns_add(&m->batches, request_who(request)->user, &b->turn) ? b : NULL);
}

void manager_break_off(struct server *s, struct manager_batch *b, const struct err *why)
{
    if (b->err.code == ERR_NONE)
        b->err = *why;
    turns_remove(&b->m->batches, &b->turn);
    settle_batch(s, b);
}

static size_t count_submitting(const struct manager *m, const char *user)
{
    size_t n = 0;

    for (size_t i = 0; i < m->submissions.n; i++)
        n += !user
             || identity_owns(request_who(m->submissions.v[i].batch->request), user);
    return n;
}

size_t manager_submitting(const struct server *s, const char *user)
{
    const struct managers *all = s->managers;
    size_t n = 0;

    for (size_t i = 0; all && i < all->v.n; i++)
        n += count_submitting(all->v.v[i], user);
    return n;
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
        if (b->open == 0)
            give_up(b);
    }
    for (size_t i = 0; i < m->submissions.n; i++) {
        struct manager_batch *b = m->submissions.v[i].batch;
        if (--b->open == 0)
            give_up(b);
    }
    vec_fini(&m->submissions);
}
