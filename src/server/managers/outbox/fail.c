/* SPDX-License-Identifier: Apache-2.0
 * Nothing comes of an order: the engine is told what is instead of what was decided. */
#define LOG_FACILITY FACILITY_RM
#include "rm/wire.h"
#include "server/events/eventlog.h"
#include "server/managers/limits.h"
#include "server/managers/outbox/outbox.h"
#include "server/server_private.h"

/* Of a start that the RM could not carry out just then: after 2 s, 4, 8 ... 128. */
#define RETRIES       7
#define RETRY_S       2
#define REFUSALS_MOST 8 /* doublings of that until it is asked for again: 512 s */
#define WAITS         4 /* doublings of that while the resource manager lets the job wait */

/* Nothing came of the start: its job waits. What somebody has changed of it meanwhile
 * is told by outbox_tell_changes(). */
void outbox_drop_start(struct manager *m, struct order *o)
{
    if (o->changed)
        vec_push(&m->outbox->changes, o->changed);
    o->changed = NULL;
    outbox_drop(m, o);
}

void outbox_tell_changes(struct manager *m)
{
    while (m->outbox->changes.n) {
        char *line = m->outbox->changes.v[--m->outbox->changes.n];

        rmjobs_told_line(m, line);
        free(line);
    }
}

bool outbox_keep_change(struct manager *m, const struct rm_job *r, bool changed)
{
    const struct job_orders *mates = outbox_of_job(m, r->desc.id);
    struct order *o = mates ? TAILQ_FIRST(&mates->list) : NULL;

    while (o && o->action != RM_START)
        o = TAILQ_NEXT(o, of_job);
    if (!o || (!changed && !o->changed))
        return false;
    struct rm_job latest = *r;
    latest.changed = true;
    free(o->changed);
    o->changed = wire_report(&(struct rm_report){.kind = RM_JOB, .u.job = &latest});
    return true;
}

/* What was decided has not come about: the engine shall know what is. Of an order of a
 * former life it does: its job was told as it is, be it suspended. */
void outbox_set_right(struct manager *m, const struct order *o)
{
    const struct job *j = job_find(engine_cluster(m->s->engine), o->job);
    struct event ev = {.kind = EVENT_JOB_STATE,
        .u.job_state = {.id = o->job,
            .state = o->action == RM_RESUME ? JOB_SUSPENDED : JOB_RUNNING,
            .places = o->places.v,
            .nplaces = o->places.n}};

    if (o->action != RM_SUSPEND && o->action != RM_RESUME && !outbox_sends_back(o))
        return;
    if (outbox_sends_back(o) && j && job_has_begun((enum job_state)j->state))
        return;
    manager_apply(m, &ev, o->job);
    if (ev.u.job_state.state == JOB_SUSPENDED || !o->start_at)
        return;
    ev.u.job_state.start_at = o->start_at; /* what it used until now is counted */
    manager_apply(m, &ev, o->job);
}

/* A start for which it is merely not the time yet is not held against the job; nor is
 * one that was lost, which is tried again even where its job is not to wait. */
static int64_t again_s(const struct manager *m, const char *id, enum rm_outcome how)
{
    const struct job *j = job_find(engine_cluster(m->s->engine), id);

    if (!j || (j->flags & JOB_NOQUEUE))
        return j && how == RM_LOST ? RETRY_S : 0;
    if (how == RM_WAITS || how == RM_LOST)
        return RETRY_S << (j->put_off < WAITS ? j->put_off : WAITS);
    return how == RM_RETRY && j->failed_starts < RETRIES ? RETRY_S << j->failed_starts
                                                         : 0;
}

/* Could its failed start still matter? A job that was cancelled meanwhile is gone. */
static bool is_active(const struct manager *m, const char *id)
{
    const struct job *j = job_find(engine_cluster(m->s->engine), id);

    return j && job_is_active(j);
}

static void fail_start(
    struct manager *m, const struct order *o, enum rm_outcome how, const char *text)
{
    struct event ev = {.kind = EVENT_START_FAILED,
        .u.failed = {.id = o->job,
            .reason = how == RM_REFUSED ? REASON_RMREJECT : REASON_RMFAILURE,
            .text = text,
            .again_s = again_s(m, o->job, how),
            .waits = how == RM_WAITS || how == RM_LOST,
            .limit = how == RM_LIMITED}};

    if (is_active(m, o->job))
        manager_apply(m, &ev, o->job);
}

/* The job is to start, and does not: it waits, or runs on where it was. */
void outbox_take_back_start(struct manager *m, const struct order *start)
{
    struct event ev = {
        .kind = EVENT_JOB_STATE, .u.job_state = {.id = start->job, .state = JOB_IDLE}};

    manager_apply(m, &ev, start->job);
}

/* Nobody carried it out: that was no run, and costs nothing, however long ago it was
 * decided. It is not held against the job. */
void outbox_undo_start(struct manager *m, const struct order *start)
{
    const struct job *j = job_find(engine_cluster(m->s->engine), start->job);

    if (j && j->state == JOB_STARTING)
        fail_start(m, start, RM_LOST,
            "the resource manager was away, and has not started the job");
    else
        outbox_take_back_start(m, start);
}

/* The job does not leave its nodes: whoever was to start there does not. What was
 * decided before the stop does not wait for it. */
static void take_back_starts(
    struct manager *m, const struct order *stop, const char *text)
{
    struct bitset nodes = {0};
    struct order *o, *next;
    char why[400];

    snprintf(why, sizeof why, "job '%s' was to make room, and could not be stopped: %s",
        stop->job, text ? text : "no reason given");
    outbox_add_nodes(m, stop, &nodes);
    HASH_ITER(hh, m->outbox->orders, o, next)
    {
        if (o->action != RM_START || o->sent || o->token < stop->token)
            continue;
        if (o->mates == stop->mates)
            outbox_take_back_start(m, o);
        else if (outbox_has_node(m, o, &nodes))
            fail_start(m, o, RM_RETRY, why);
        else
            continue;
        outbox_drop_start(m, o);
    }
    bitset_fini(&nodes);
}

bool manager_start_waits(const struct server *s, const char *id)
{
    return outbox_waiting_start(managers_of_id(s, id), id) != NULL;
}

bool manager_refuse_start(
    struct server *s, const char *id, bool failure, int64_t again, const char *text)
{
    struct manager *m = managers_of_id(s, id);
    struct order *o = outbox_waiting_start(m, id);
    struct event ev = {.kind = EVENT_START_FAILED,
        .u.failed = {.id = id,
            .reason = failure ? REASON_BANKFAILURE : REASON_NOALLOCATION,
            .text = text,
            .again_s = again}};

    if (!o)
        return false;
    if (is_active(m, id))
        manager_apply(m, &ev, id);
    outbox_drop_start(m, o);
    outbox_tell_changes(m);
    return true;
}

/* The limit stays as it was: a start that was to follow was planned by another. */
void outbox_fail_limit(struct manager *m, const struct order *o, const char *text)
{
    struct order *start = outbox_waiting_start(m, o->job);

    if (start && start->token > o->token) {
        outbox_take_back_start(m, start);
        outbox_drop_start(m, start);
    }
    limits_answered(m, o->job, o->wclimit_s, text ? text : "no reason given",
        outbox_is_last_limit(o));
}

/* The first refusal may be of a moment. After that the job is told as it is, running,
 * and asked for less and less often. */
static void refuse_cancel(struct manager *m, struct order *o, const char *text)
{
    unsigned doubled = o->tries < REFUSALS_MOST ? o->tries : REFUSALS_MOST;

    if (o->tries < REFUSALS)
        return;
    o->again_us = manager_clock(m) + ((uint64_t)RETRY_S * 1000000 << doubled);
    if (!o->leaves && !o->refused) { /* it waits there, and is not started */
        if (o->tries == REFUSALS)
            eventlog_add(m->s, JOBCORRUPTION, o->job, true,
                json_pack("{s:s}", "type", "job"),
                "job '%s' was cancelled, and stays in the queue of its resource "
                "manager, which says: %s",
                o->job, text);
        return;
    }
    if (!o->refused)
        eventlog_add(m->s, JOBCORRUPTION, o->job, true,
            json_pack("{s:s}", "type", "job"),
            "job '%s' was cancelled, and runs on: the resource manager says: %s",
            o->job, text);
    free(o->refused);
    o->refused = xstrdup(text);
    outbox_record_again(m, o);
}

void outbox_ask_now(struct manager *m, struct order *o)
{
    o->tries = REFUSALS - 1;
    o->again_us = 0;
    if (o->again)
        outbox_mark_unsent(m, o);
    commit_want(m->s);
}

void outbox_stays(struct manager *m, const char *id)
{
    struct order *o = outbox_refused_cancel(m, id);

    if (!o || !o->leaves)
        return;
    take_back_starts(m, o, o->refused);
    outbox_stop_leaving(m, o);
    outbox_tell_changes(m);
}

bool outbox_waits_cancelled(struct manager *m, const char *id)
{
    struct order *o = outbox_cancel_of(m, id);

    if (!o)
        return false;
    if (o->leaves && o->taken) /* it was sent back to the queue instead */
        o->again = true;
    o->taken = false;
    outbox_stop_leaving(m, o);
    o->places.n = 0;
    if (!o->refused)
        return true;
    free(o->refused);
    o->refused = NULL;
    o->tries = 0;
    o->again_us = 0;
    outbox_record_again(m, o);
    return true;
}

void outbox_fail(
    struct manager *m, struct order *o, enum rm_outcome how, const char *text)
{
    struct server *s = m->s;

    log_line(s->log, LOG_WARNING, "the resource manager did not %s job '%s': %s",
        rm_action_name(o->action), o->job, text ? text : "no reason given");
    if (o->action == RM_CANCEL && o->told && how != RM_LOST)
        how = RM_RETRY; /* whatever its manager says: the job is not to run */
    o->tries += how == RM_RETRY;
    if (how == RM_RETRY && outbox_is_lasting(o->action)
        && (o->action != RM_MODIFY || o->tries < LIMIT_TRIES)) {
        o->again = true; /* and again, until the job is over */
        if (o->action == RM_CANCEL)
            refuse_cancel(m, o, text ? text : "no reason given");
        return;
    }
    if (o->leaves)
        take_back_starts(m, o, text);
    if (o->action == RM_START)
        fail_start(m, o, how, text);
    else if (o->action == RM_MODIFY)
        outbox_fail_limit(m, o, text);
    else
        outbox_set_right(m, o);
    outbox_drop_start(m, o);
    outbox_tell_changes(m);
}
