/* SPDX-License-Identifier: Apache-2.0
 * The orders that are on their way: by token, by job, and in queues; and what is asked
 * of them. */
#define LOG_FACILITY FACILITY_RM
#include "server/durable/leavers.h"
#include "server/durable/record.h"
#include "server/managers/limits.h"
#include "server/managers/outbox/outbox.h"
#include "server/server_private.h"

bool outbox_stops(enum rm_action a)
{
    return a == RM_CANCEL || a == RM_SUSPEND || a == RM_REQUEUE || a == RM_CHECKPOINT;
}

/* What was promised to somebody, and is ordered until it is so. */
static bool is_promised(enum rm_action a)
{
    return outbox_stops(a) || a == RM_HOLD || a == RM_RELEASE || a == RM_MODIFY;
}

/* What was acknowledged, and outlives the daemon. A signal is sent once more when
 * nobody knows whether it was sent, but not when it was. */
bool outbox_is_lasting(enum rm_action a)
{
    return is_promised(a) || a == RM_SIGNAL;
}

static bool is_removal(const struct order *o)
{
    return o->action == RM_CANCEL && !o->places.n;
}

void outbox_enqueue(struct manager *m, struct order *o)
{
    o->queued = is_removal(o) ? &m->outbox->removals : &m->outbox->queue;
    TAILQ_INSERT_TAIL(o->queued, o, queue);
}

void outbox_dequeue(struct order *o)
{
    TAILQ_REMOVE(o->queued, o, queue);
    o->queued = NULL;
}

static void forget_wait(struct manager *m, struct order *o)
{
    if (o->waits)
        leavers_start_sent(m->s, o->job);
    o->waits = false;
}

void outbox_mark_sent(struct manager *m, struct order *o)
{
    forget_wait(m, o);
    outbox_dequeue(o);
    o->sent = true;
    o->sent_us = manager_clock(m);
    o->is_removing = is_removal(o);
    m->outbox->removing += o->is_removing;
}

void outbox_mark_answered(struct manager *m, struct order *o)
{
    if (!o->is_removing)
        return;
    o->is_removing = false;
    m->outbox->removing--;
    commit_want(m->s); /* room for the next one */
}

void outbox_mark_unsent(struct manager *m, struct order *o)
{
    outbox_mark_answered(m, o);
    o->again = o->lost = o->sent = false;
    outbox_enqueue(m, o);
}

/* Its job is on nodes: who is to start there waits. */
void outbox_await_leaving(struct manager *m, struct order *o)
{
    struct order *later = TAILQ_FIRST(&m->outbox->leaving);

    if (!o->places.n || !outbox_stops(o->action))
        return;
    o->leaves = true;
    while (later && later->token < o->token)
        later = TAILQ_NEXT(later, leaving);
    if (later)
        TAILQ_INSERT_BEFORE(later, o, leaving);
    else
        TAILQ_INSERT_TAIL(&m->outbox->leaving, o, leaving);
}

void outbox_stop_leaving(struct manager *m, struct order *o)
{
    if (o->leaves)
        TAILQ_REMOVE(&m->outbox->leaving, o, leaving);
    o->leaves = false;
}

struct job_orders *outbox_of_job(const struct manager *m, const char *job)
{
    struct job_orders *found;

    HASH_FIND_STR(m->outbox->by_job, job, found);
    return found;
}

struct order *outbox_new(
    struct manager *m, enum rm_action action, const char *job, const char *text)
{
    struct job_orders *mates = outbox_of_job(m, job);
    struct order *o = xcalloc(1, sizeof *o);

    if (!mates) {
        mates = xcalloc(1, sizeof *mates);
        mates->job = xstrdup(job);
        TAILQ_INIT(&mates->list);
        HASH_ADD_KEYPTR(hh, m->outbox->by_job, mates->job, strlen(mates->job), mates);
    }
    o->token = ++m->next_token;
    o->action = action;
    o->job = mates->job;
    o->text = text ? xstrdup(text) : NULL;
    o->mates = mates;
    TAILQ_INSERT_TAIL(&mates->list, o, of_job);
    HASH_ADD(hh, m->outbox->orders, token, sizeof o->token, o);
    return o;
}

static void free_order(struct manager *m, struct order *o)
{
    struct job_orders *mates = o->mates;

    if (o->queued)
        outbox_dequeue(o);
    outbox_stop_leaving(m, o);
    HASH_DEL(m->outbox->orders, o);
    TAILQ_REMOVE(&mates->list, o, of_job);
    if (TAILQ_EMPTY(&mates->list)) {
        HASH_DEL(m->outbox->by_job, mates);
        free(mates->job);
        free(mates);
    }
    free(o->cls);
    free(o->text);
    free(o->changed);
    free(o->user);
    free(o->command);
    free(o->refused);
    free(o->qos);
    vec_fini(&o->places);
    free(o);
}

static bool is_live(const struct manager *m, const char *id)
{
    const struct job *j = job_find(engine_cluster(m->s->engine), id);

    return j && j->state < JOB_COMPLETED;
}

void outbox_drop(struct manager *m, struct order *o)
{
    if (o->action == RM_MODIFY)
        limits_over(m, o->job, o->wclimit_s);
    if (o->recorded)
        record_order_done(m->s, o->job, o->record);
    outbox_mark_answered(m, o);
    forget_wait(m, o);
    if (o->action == RM_CANCEL && !is_live(m, o->job))
        record_forget_changes(m->s, o->job);
    free_order(m, o);
}

/* Is there no later one? */
bool outbox_is_last_limit(const struct order *o)
{
    while ((o = TAILQ_NEXT(o, of_job)))
        if (o->action == RM_MODIFY)
            return false;
    return true;
}

bool outbox_sends_back(const struct order *o)
{
    return o->action == RM_REQUEUE || o->action == RM_CHECKPOINT;
}

/* NULL: there is none, or it has been sent. */
struct order *outbox_waiting_start(const struct manager *m, const char *id)
{
    const struct job_orders *mates = m ? outbox_of_job(m, id) : NULL;
    struct order *o = mates ? TAILQ_FIRST(&mates->list) : NULL;

    while (o && (o->action != RM_START || o->sent))
        o = TAILQ_NEXT(o, of_job);
    return o;
}

/* The nodes of an order, into a set; or is one of them in it? */
void outbox_add_nodes(
    const struct manager *m, const struct order *o, struct bitset *set)
{
    for (size_t i = 0; i < o->places.n; i++)
        bitset_set(
            set, node_find(engine_cluster(m->s->engine), o->places.v[i].node)->index);
}

bool outbox_has_node(
    const struct manager *m, const struct order *o, const struct bitset *set)
{
    for (size_t i = 0; set->words && i < o->places.n; i++)
        if (bitset_test(set,
                node_find(engine_cluster(m->s->engine), o->places.v[i].node)->index))
            return true;
    return false;
}

bool outbox_has_unseen_start(const struct manager *m, const char *id)
{
    const struct job_orders *mates = outbox_of_job(m, id);
    const struct order *o = mates ? TAILQ_FIRST(&mates->list) : NULL;

    while (o && !(o->action == RM_START && (o->lost || !o->sent) && !o->seen))
        o = TAILQ_NEXT(o, of_job);
    return o != NULL;
}

bool outbox_pending(const struct manager *m, const char *id, enum rm_action *ret)
{
    const struct job_orders *mates = outbox_of_job(m, id);
    const struct order *o = mates ? TAILQ_FIRST(&mates->list) : NULL;

    while (o
           && (o->action == RM_SIGNAL || o->action == RM_MODIFY || o->action == RM_HOLD
               || o->action == RM_RELEASE || o->refused))
        o = TAILQ_NEXT(o, of_job);
    if (o)
        *ret = o->action;
    return o != NULL;
}

struct order *outbox_cancel_of(const struct manager *m, const char *id)
{
    const struct job_orders *mates = m && m->outbox ? outbox_of_job(m, id) : NULL;
    struct order *o = mates ? TAILQ_FIRST(&mates->list) : NULL;

    while (o && o->action != RM_CANCEL)
        o = TAILQ_NEXT(o, of_job);
    return o;
}

bool outbox_cancels(const struct manager *m, const char *id)
{
    const struct order *o = outbox_cancel_of(m, id);

    return o && !o->refused;
}

struct order *outbox_refused_cancel(const struct manager *m, const char *id)
{
    struct order *o = outbox_cancel_of(m, id);

    return o && o->refused ? o : NULL;
}

int64_t outbox_refused_at(const struct manager *m, const char *id)
{
    const struct order *o = outbox_refused_cancel(m, id);

    return o ? o->decided_at : 0;
}

const char *outbox_refused_qos(const struct manager *m, const char *id)
{
    const struct order *o = outbox_refused_cancel(m, id);

    return o ? o->qos : NULL;
}

size_t outbox_count_refused(const struct manager *m, const char **ret_id)
{
    const struct order *o, *next;
    size_t n = 0;

    HASH_ITER(hh, m->outbox->orders, o, next)
    if (o->action == RM_CANCEL && o->tries >= REFUSALS && n++ == 0)
        *ret_id = o->job;
    return n;
}

bool manager_cancels(const struct server *s, const char *id)
{
    return outbox_cancel_of(s->managers ? managers_of_id(s, id) : NULL, id) != NULL;
}

const char *manager_refused_cancel(const struct server *s, const char *id)
{
    const struct manager *m = s->managers ? managers_of_id(s, id) : NULL;
    const struct order *o = m ? outbox_refused_cancel(m, id) : NULL;

    return o ? o->refused : NULL;
}

bool outbox_holds(const struct manager *m, const char *id)
{
    const struct job_orders *mates = outbox_of_job(m, id);
    const struct order *o;

    if (mates)
        TAILQ_FOREACH(o, &mates->list, of_job)
    if (o->action == RM_HOLD || o->action == RM_RELEASE)
        return true;
    return false;
}

static const struct order *find_limit(const struct manager *m, const char *id)
{
    const struct job_orders *mates = outbox_of_job(m, id);
    const struct order *o, *found = NULL;

    if (mates)
        TAILQ_FOREACH(o, &mates->list, of_job)
    if (o->action == RM_MODIFY)
        found = o;
    return found;
}

bool outbox_changes_limit(const struct manager *m, const char *id)
{
    return find_limit(m, id) != NULL;
}

int64_t outbox_limit(const struct manager *m, const char *id)
{
    return find_limit(m, id)->wclimit_s;
}

bool outbox_changes_limit_to(const struct manager *m, const char *id, int64_t limit_s)
{
    const struct job_orders *mates = outbox_of_job(m, id);
    const struct order *o;

    if (mates)
        TAILQ_FOREACH(o, &mates->list, of_job)
    if (o->action == RM_MODIFY && o->wclimit_s == limit_s)
        return true;
    return false;
}

bool outbox_idle(const struct manager *m)
{
    for (const struct order *o = m->outbox->orders; o; o = o->hh.next)
        if (!o->recorded || !o->sent)
            return false;
    return true;
}

void outbox_open(struct manager *m)
{
    m->outbox = xcalloc(1, sizeof *m->outbox);
    TAILQ_INIT(&m->outbox->queue);
    TAILQ_INIT(&m->outbox->removals);
    TAILQ_INIT(&m->outbox->leaving);
}

void outbox_close(struct manager *m)
{
    struct order *o, *next;

    HASH_ITER(hh, m->outbox->orders, o, next)
    free_order(m, o);
    vec_fini(&m->outbox->changes);
    free(m->outbox);
    m->outbox = NULL;
}
