/* SPDX-License-Identifier: Apache-2.0
 * Orders are answered, and what is told of jobs tells what came of them. */
#define LOG_FACILITY FACILITY_RM
#include "server/events/metrics.h"
#include "server/managers/limits.h"
#include "server/managers/outbox/outbox.h"
#include "server/server_private.h"

#define SAME_RUN_S 2 /* so much its start as decided and as told may differ */

/* While the order is there it is known that nobody was told of that start. */
void outbox_ended(struct manager *m, const struct rm_job *r)
{
    struct order *start = outbox_waiting_start(m, r->desc.id);
    struct order *stop = start ? TAILQ_FIRST(&start->mates->list) : NULL;

    while (stop && !outbox_sends_back(stop))
        stop = TAILQ_NEXT(stop, of_job);
    if (!stop || stop->token > start->token)
        return;
    outbox_take_back_start(m, start);
    outbox_drop(m, start);
    if (r->start_at > 0 && r->end_at > r->start_at
        && llabs(r->start_at - stop->start_at) <= SAME_RUN_S)
        outbox_set_right(m, stop);
}

bool outbox_take_back(struct manager *m, const char *id, bool *io_changed)
{
    const struct job_orders *mates = outbox_of_job(m, id);
    struct order *o = mates ? TAILQ_FIRST(&mates->list) : NULL;

    while (o && !(o->action == RM_START && (o->lost || (*io_changed && !o->sent)))) {
        o->seen = false;
        o = TAILQ_NEXT(o, of_job);
    }
    if (!o)
        return false;
    *io_changed |= o->changed != NULL;
    if (o->lost)
        outbox_undo_start(m, o);
    else
        outbox_take_back_start(m, o);
    outbox_drop(m, o);
    return true;
}

void outbox_came_about(struct manager *m, const char *id)
{
    const struct job_orders *mates = outbox_of_job(m, id);
    struct order *o = mates ? TAILQ_FIRST(&mates->list) : NULL, *next;

    for (; o; o = next) {
        next = TAILQ_NEXT(o, of_job);
        if (o->action != RM_START || !o->sent)
            continue;
        o->seen = true;
        if (o->lost)
            outbox_drop(m, o); /* what is told of the job now is all there is to it */
    }
}

static void measure_order(struct manager *m, const struct order *o)
{
    histogram_add(
        &m->s->events.metrics->rm[o->action], manager_count_answer(m, o->sent_us));
}

static void end_order(struct manager *m, struct order *o)
{
    if (o->action == RM_MODIFY)
        limits_answered(m, o->job, o->wclimit_s, NULL, outbox_is_last_limit(o));
    outbox_drop(m, o);
}

bool outbox_answered(struct manager *m, const struct rm_report *r)
{
    struct order *o;

    HASH_FIND(hh, m->outbox->orders, &r->u.done.token, sizeof o->token, o);
    if (!o)
        return false;
    measure_order(m, o);
    outbox_mark_answered(m, o);
    if (r->u.done.outcome == RM_LOST)
        o->lost = true;
    else if (r->u.done.outcome != RM_OK)
        outbox_fail(m, o, r->u.done.outcome, r->u.done.text);
    else if (!outbox_stops(o->action))
        end_order(m, o);
    else
        o->taken = true; /* it is over when the job has left its nodes */
    return true;
}

/* The job left its nodes: what waited for that may go. A cancel is not done before the
 * job is over: one that waits has no nodes to leave. One that is suspended has left no
 * more than their processors. Of a job that is over nothing is left to be done: its id
 * may come back. */
static bool is_done_in(const struct order *o, enum job_state state)
{
    if (state == JOB_SUSPENDED)
        return o->action == RM_SUSPEND;
    return state >= JOB_COMPLETED
           || (outbox_stops(o->action) && o->action != RM_CANCEL);
}

bool outbox_stopped(
    struct manager *m, const char *id, enum job_state state, bool *ret_displaced)
{
    struct job_orders *mates = outbox_of_job(m, id);
    struct order *o = mates ? TAILQ_FIRST(&mates->list) : NULL, *next;
    bool left = false;

    *ret_displaced = false;
    for (; o; o = next) {
        next = TAILQ_NEXT(o, of_job);
        if (!is_done_in(o, state))
            continue;
        left |= outbox_sends_back(o);
        *ret_displaced |= o->preempts;
        outbox_drop(m, o);
    }
    commit_want(m->s);
    return left;
}

void outbox_note_listed(const struct manager *m, const char *id)
{
    struct job_orders *mates = outbox_of_job(m, id);

    if (mates)
        mates->listed = true;
}

void outbox_begin_listing(struct manager *m)
{
    struct job_orders *mates, *next;

    HASH_ITER(hh, m->outbox->by_job, mates, next)
    mates->listed = false;
}

void outbox_forget_unlisted(struct manager *m)
{
    struct job_orders *mates, *next;

    HASH_ITER(hh, m->outbox->by_job, mates, next)
    {
        const struct job *j = job_find(engine_cluster(m->s->engine), mates->job);

        if (!mates->listed && !(j && j->state < JOB_COMPLETED))
            outbox_stopped(m, mates->job, JOB_LOST, &(bool){false});
    }
}

/* All is told again after the RM was away: did what was ordered before come about? A
 * stop is ordered again. Starts are settled by what is told of their jobs; here are
 * those of which it was told before they were lost, and nothing is new, or nothing can
 * be told just now: of these a later listing tells. */
void outbox_settle_lost(struct manager *m)
{
    struct order *o, *next;

    HASH_ITER(hh, m->outbox->orders, o, next)
    {
        const struct job *j = job_find(engine_cluster(m->s->engine), o->job);
        bool starts = o->action == RM_START && j;

        if (!o->lost || (starts && rmjobs_is_kept(m, j)))
            continue;
        if (o->action == RM_MODIFY && ++o->tries >= LIMIT_TRIES) {
            outbox_fail_limit(m, o, "it has not answered");
            next = o->hh.next; /* the start behind it is gone */
            outbox_drop(m, o);
            continue;
        }
        if (outbox_is_lasting(o->action)) {
            outbox_mark_unsent(m, o);
            continue;
        }
        if (starts && o->seen) {
            outbox_drop(m, o);
            continue;
        }
        if (starts && j->state == JOB_STARTING)
            outbox_undo_start(m, o);
        outbox_drop_start(m, o);
    }
    outbox_tell_changes(m);
}

void outbox_again(struct manager *m)
{
    struct order *o, *next;

    HASH_ITER(hh, m->outbox->orders, o, next)
    if (o->again && manager_clock(m) >= o->again_us) {
        outbox_mark_unsent(m, o);
        commit_want(m->s);
    }
}
