/* SPDX-License-Identifier: Apache-2.0
 * Orders to the resource manager: decided, sent, answered. What has to stop first is
 * waited for: a start whose nodes another job is still leaving stays here until that
 * job has ended. */
#define LOG_FACILITY FACILITY_RM
#include "base/bitset.h"
#include "config/settings.h"
#include "rm/wire.h"
#include "server/durable/desk.h"
#include "server/durable/leavers.h"
#include "server/durable/record.h"
#include "server/durable/teller.h"
#include "server/events/metrics.h"
#include "server/managers/limits.h"
#include "server/managers/outbox_private.h"
#include "server/managers/reslimit.h"
#include "server/server_private.h"

/* Of a start that the RM could not carry out just then: after 2 s, 4, 8 ... 128. */
#define RETRIES 7
#define RETRY_S 2
#define WAITS   4 /* doublings of that while the resource manager lets the job wait */

#define LIMIT_TRIES 10 /* of another limit: the job's start waits for it */

#define SAME_RUN_S 2 /* so much its start as decided and as told may differ */

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
static bool is_lasting(enum rm_action a)
{
    return is_promised(a) || a == RM_SIGNAL;
}

/* Cancels of jobs on no nodes, with the resource manager at a time: the users have been
 * told, and nobody waits for them. All at once they would hold up what others do. */
#define REMOVING 128

/* ---- the queues ---- */

static bool is_removal(const struct order *o)
{
    return o->action == RM_CANCEL && !o->places.n;
}

static void enqueue(struct manager *m, struct order *o)
{
    o->queued = is_removal(o) ? &m->outbox->removals : &m->outbox->queue;
    TAILQ_INSERT_TAIL(o->queued, o, queue);
}

static void dequeue(struct order *o)
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

static void mark_sent(struct manager *m, struct order *o)
{
    forget_wait(m, o);
    dequeue(o);
    o->sent = true;
    o->sent_us = manager_clock(m);
    o->is_removing = is_removal(o);
    m->outbox->removing += o->is_removing;
}

static void mark_unsent(struct manager *m, struct order *o)
{
    m->outbox->removing -= o->is_removing;
    o->again = o->lost = o->sent = o->is_removing = false;
    enqueue(m, o);
}

/* Its job is on nodes: who is to start there waits. */
static void await_leaving(struct manager *m, struct order *o)
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

static struct order *new_order(
    struct manager *m, enum rm_action action, const char *job, const char *text)
{
    struct job_orders *mates = outbox_orders_of(m, job);
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
        dequeue(o);
    if (o->leaves)
        TAILQ_REMOVE(&m->outbox->leaving, o, leaving);
    m->outbox->removing -= o->is_removing;
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
    vec_fini(&o->places);
    free(o);
}

/* ---- decided ---- */

static void add_places(struct order *o, const struct cluster *c, const struct job *j)
{
    for (size_t i = 0; i < j->alloc.n; i++) {
        const struct alloc *a = &j->alloc.v[i];
        for (uint32_t n = a->first; n < a->first + a->count; n++)
            vec_push(&o->places,
                ((struct job_place){
                    .node = node_at(c, n)->name, .tasks = a->tasks, .req = a->req}));
    }
}

/* Room for the scheduler to preempt a job that has used up its limit, before the
 * resource manager ends it. */
#define PREEMPT_ROOM_S 60

/* How much longer than its plain limit a resource manager lets the job run: slow nodes
 * lengthen the limit, and the site may grant more. */
static int64_t overrun_of(const struct server *s, const struct job *j)
{
    const struct settings *cfg = engine_cluster(s->engine)->cfg;
    int64_t grace = engine_overrun(s->engine, j);
    int64_t longer =
        j->eff_wclimit_s > j->wclimit_s ? j->eff_wclimit_s - j->wclimit_s : 0;

    if (grace < 0)
        return -1;
    if (cfg->wc_action == WC_PREEMPT)
        grace = time_add(grace, PREEMPT_ROOM_S);
    return time_add(longer, grace);
}

static struct order *add_order(
    struct manager *m, enum rm_action action, const struct job *j, const char *text)
{
    struct order *o = new_order(m, action, j->id, text);

    o->wclimit_s = j->wclimit_s;
    o->overrun_s = overrun_of(m->s, j);
    add_places(o, engine_cluster(m->s->engine), j);
    await_leaving(m, o);
    enqueue(m, o);
    if (action == RM_START && j->cred[CRED_CLASS])
        o->cls = xstrdup(job_cred(engine_cluster(m->s->engine), j, CRED_CLASS)->name);
    o->over_memory = action == RM_START && reslimit_decides_memory(m->s, j);
    commit_want(m->s);
    return o;
}

static void record_lasting(struct manager *m, struct order *o)
{
    if (!is_lasting(o->action))
        return;
    o->record = record_order(m->s, o->job,
        &(struct order_record){.action = o->action,
            .kinds = o->kinds,
            .signal = o->signal,
            .wclimit_s = o->action == RM_MODIFY ? o->wclimit_s : 0,
            .preempts = o->preempts,
            .text = o->text});
    o->recorded = true;
}

/* Is there no later one? */
static bool is_last_limit(const struct order *o)
{
    while ((o = TAILQ_NEXT(o, of_job)))
        if (o->action == RM_MODIFY)
            return false;
    return true;
}

static void drop_order(struct manager *m, struct order *o)
{
    if (o->action == RM_MODIFY)
        limits_over(m, o->job, o->wclimit_s);
    if (o->recorded)
        record_order_done(m->s, o->job, o->record);
    if (o->is_removing)
        commit_want(m->s); /* room for the next one */
    forget_wait(m, o);
    free_order(m, o);
}

/* Nothing came of the start: its job waits. What somebody has changed of it meanwhile
 * is told by tell_changes(). */
static void drop_start(struct manager *m, struct order *o)
{
    if (o->changed)
        vec_push(&m->outbox->changes, o->changed);
    o->changed = NULL;
    drop_order(m, o);
}

static void tell_changes(struct manager *m)
{
    while (m->outbox->changes.n) {
        char *line = m->outbox->changes.v[--m->outbox->changes.n];

        rmjobs_told_line(m, line);
        free(line);
    }
}

bool outbox_keep_change(struct manager *m, const struct rm_job *r, bool changed)
{
    const struct job_orders *mates = outbox_orders_of(m, r->desc.id);
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

/* The nodes of an order, into a set; or is one of them in it? */
static void add_nodes(
    const struct manager *m, const struct order *o, struct bitset *set)
{
    for (size_t i = 0; i < o->places.n; i++)
        bitset_set(
            set, node_find(engine_cluster(m->s->engine), o->places.v[i].node)->index);
}

/* Of the stops after that of token `from`, until `to`. Returns `to`. */
static uint64_t add_leaving(
    const struct manager *m, uint64_t from, uint64_t to, struct bitset *set)
{
    const struct order *o;

    TAILQ_FOREACH(o, &m->outbox->leaving, leaving)
    if (o->token > from && o->token < to)
        add_nodes(m, o, set);
    return to;
}

static bool has_node(
    const struct manager *m, const struct order *o, const struct bitset *set)
{
    for (size_t i = 0; set->words && i < o->places.n; i++)
        if (bitset_test(set,
                node_find(engine_cluster(m->s->engine), o->places.v[i].node)->index))
            return true;
    return false;
}

/* Has its job been told to stop, wherever it runs, and has not yet? Or has its limit
 * yet to be changed: the resource manager runs it by what it has. */
static bool has_to_wait(const struct order *start)
{
    const struct order *o;

    TAILQ_FOREACH(o, &start->mates->list, of_job)
    if (o->token < start->token && (o->leaves || o->action == RM_MODIFY))
        return true;
    return false;
}

void manager_decided(struct server *s, const struct action *a, const struct job *j)
{
    static const struct {
        bool yes;
        enum rm_action action;
    } to[] = {[ACTION_START] = {true, RM_START},
        [ACTION_CANCEL] = {true, RM_CANCEL},
        [ACTION_REQUEUE] = {true, RM_REQUEUE},
        [ACTION_SUSPEND] = {true, RM_SUSPEND},
        [ACTION_RESUME] = {true, RM_RESUME},
        [ACTION_CHECKPOINT] = {true, RM_CHECKPOINT},
        [ACTION_TRIGGER] = {false, RM_START}};

    if (a->kind >= sizeof to / sizeof to[0] || !to[a->kind].yes)
        return;
    struct manager *m = managers_of(s, j);
    struct order *o = add_order(m, to[a->kind].action, j, a->text);
    o->start_at = a->start_at;
    o->preempts = a->kind == ACTION_REQUEUE && a->by != INDEX_NONE;
    record_lasting(m, o);
}

static bool sends_back(const struct order *o)
{
    return o->action == RM_REQUEUE || o->action == RM_CHECKPOINT;
}

/* What was decided has not come about: the engine shall know what is. Of an order of a
 * former life it does: its job was told as it is, be it suspended. */
static void set_right(struct manager *m, const struct order *o)
{
    const struct job *j = job_find(engine_cluster(m->s->engine), o->job);
    struct event ev = {.kind = EVENT_JOB_STATE,
        .u.job_state = {.id = o->job,
            .state = o->action == RM_RESUME ? JOB_SUSPENDED : JOB_RUNNING,
            .places = o->places.v,
            .nplaces = o->places.n}};

    if (o->action != RM_SUSPEND && o->action != RM_RESUME && !sends_back(o))
        return;
    if (sends_back(o) && j && job_has_begun((enum job_state)j->state))
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
static void take_back_restart(struct manager *m, const struct order *start)
{
    struct event ev = {
        .kind = EVENT_JOB_STATE, .u.job_state = {.id = start->job, .state = JOB_IDLE}};

    manager_apply(m, &ev, start->job);
}

/* Nobody carried it out: that was no run, and costs nothing, however long ago it was
 * decided. It is not held against the job. */
static void undo_start(struct manager *m, const struct order *start)
{
    const struct job *j = job_find(engine_cluster(m->s->engine), start->job);

    if (j && j->state == JOB_STARTING)
        fail_start(m, start, RM_LOST,
            "the resource manager was away, and has not started the job");
    else
        take_back_restart(m, start);
}

/* NULL: there is none, or it has been sent. */
static struct order *find_waiting_start(const struct manager *m, const char *id)
{
    const struct job_orders *mates = m ? outbox_orders_of(m, id) : NULL;
    struct order *o = mates ? TAILQ_FIRST(&mates->list) : NULL;

    while (o && (o->action != RM_START || o->sent))
        o = TAILQ_NEXT(o, of_job);
    return o;
}

/* While the order is there it is known that nobody was told of that start. */
void outbox_ended(struct manager *m, const struct rm_job *r)
{
    struct order *start = find_waiting_start(m, r->desc.id);
    struct order *stop = start ? TAILQ_FIRST(&start->mates->list) : NULL;

    while (stop && !sends_back(stop))
        stop = TAILQ_NEXT(stop, of_job);
    if (!stop || stop->token > start->token)
        return;
    take_back_restart(m, start);
    drop_order(m, start);
    if (r->start_at > 0 && r->end_at > r->start_at
        && llabs(r->start_at - stop->start_at) <= SAME_RUN_S)
        set_right(m, stop);
}

bool outbox_take_back(struct manager *m, const char *id, bool *io_changed)
{
    const struct job_orders *mates = outbox_orders_of(m, id);
    struct order *o = mates ? TAILQ_FIRST(&mates->list) : NULL;

    while (o && !(o->action == RM_START && (o->lost || (*io_changed && !o->sent)))) {
        o->seen = false;
        o = TAILQ_NEXT(o, of_job);
    }
    if (!o)
        return false;
    *io_changed |= o->changed != NULL;
    if (o->lost)
        undo_start(m, o);
    else
        take_back_restart(m, o);
    drop_order(m, o);
    return true;
}

void outbox_came_about(struct manager *m, const char *id)
{
    const struct job_orders *mates = outbox_orders_of(m, id);
    struct order *o = mates ? TAILQ_FIRST(&mates->list) : NULL, *next;

    for (; o; o = next) {
        next = TAILQ_NEXT(o, of_job);
        if (o->action != RM_START || !o->sent)
            continue;
        o->seen = true;
        if (o->lost)
            drop_order(m, o); /* what is told of the job now is all there is to it */
    }
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
    add_nodes(m, stop, &nodes);
    HASH_ITER(hh, m->outbox->orders, o, next)
    {
        if (o->action != RM_START || o->sent || o->token < stop->token)
            continue;
        if (o->mates == stop->mates)
            take_back_restart(m, o);
        else if (has_node(m, o, &nodes))
            fail_start(m, o, RM_RETRY, why);
        else
            continue;
        drop_start(m, o);
    }
    bitset_fini(&nodes);
}

bool manager_start_waits(const struct server *s, const char *id)
{
    return find_waiting_start(managers_of_id(s, id), id) != NULL;
}

bool manager_refuse_start(
    struct server *s, const char *id, bool failure, int64_t again, const char *text)
{
    struct manager *m = managers_of_id(s, id);
    struct order *o = find_waiting_start(m, id);
    struct event ev = {.kind = EVENT_START_FAILED,
        .u.failed = {.id = id,
            .reason = failure ? REASON_BANKFAILURE : REASON_NOALLOCATION,
            .text = text,
            .again_s = again}};

    if (!o)
        return false;
    if (is_active(m, id))
        manager_apply(m, &ev, id);
    drop_start(m, o);
    tell_changes(m);
    return true;
}

/* The limit stays as it was: a start that was to follow was planned by another. */
static void fail_limit(struct manager *m, const struct order *o, const char *text)
{
    struct order *start = find_waiting_start(m, o->job);

    if (start && start->token > o->token) {
        take_back_restart(m, start);
        drop_start(m, start);
    }
    limits_answered(
        m, o->job, o->wclimit_s, text ? text : "no reason given", is_last_limit(o));
}

static void fail_order(
    struct manager *m, struct order *o, enum rm_outcome how, const char *text)
{
    struct server *s = m->s;

    log_line(s->log, LOG_WARNING, "the resource manager did not %s job '%s': %s",
        rm_action_name(o->action), o->job, text ? text : "no reason given");
    o->tries += how == RM_RETRY;
    if (how == RM_RETRY && is_lasting(o->action)
        && (o->action != RM_MODIFY || o->tries < LIMIT_TRIES)) {
        o->again = true; /* and again, until the job is over */
        return;
    }
    if (o->leaves)
        take_back_starts(m, o, text);
    if (o->action == RM_START)
        fail_start(m, o, how, text);
    else if (o->action == RM_MODIFY)
        fail_limit(m, o, text);
    else
        set_right(m, o);
    drop_start(m, o);
    tell_changes(m);
}

static void send_order(struct manager *m, struct order *o)
{
    uint64_t token = o->token;
    struct err err = {0};
    struct rm_command cmd = {.action = o->action,
        .token = token,
        .job = o->job,
        .places = o->places.v,
        .nplaces = o->places.n,
        .wclimit_s = o->wclimit_s,
        .overrun_s = o->overrun_s,
        .over_memory = o->over_memory,
        .preempts = o->preempts,
        .signal = o->signal,
        .kinds = o->kinds,
        .cls = o->cls,
        .text = o->text};

    mark_sent(m, o);
    size_t mark = border_begin(m->border);
    struct rm_command own = border_command_out(m->border, &cmd);
    int result = m->driver->command(m->rm, &own, &err);
    border_end(m->border, mark);
    if (result == 0)
        return;
    HASH_FIND(hh, m->outbox->orders, &token, sizeof token,
        o); /* or answered at once, and gone */
    if (o)
        fail_order(m, o, RM_REFUSED, err.text);
}

/* Who is not sent now pays nothing should this daemon be killed before it is. */
static void note_waits(struct manager *m)
{
    struct order *o;

    if (!teller_is_open(m->s) && !desk_is_open(m->s))
        return;
    TAILQ_FOREACH(o, &m->outbox->queue, queue)
    if (o->action == RM_START && !o->waits) {
        o->waits = true;
        leavers_start_waits(m->s, o->job);
    }
}

/* What is answered at once, and what that leads to, changes the queues meanwhile. */
static void send_orders(struct manager *m, bool committed)
{
    if (!m->rm || m->away || !m->synced) {
        note_waits(m);
        return;
    }
    struct bitset leaving = {0}; /* nodes that jobs told to stop are still on */
    struct order_list later = TAILQ_HEAD_INITIALIZER(later);
    struct order *o;
    uint64_t until = 0; /* stops up to this one are in it */
    while ((o = TAILQ_FIRST(&m->outbox->queue))) {
        bool starts = o->action == RM_START;
        if (starts)
            until = add_leaving(m, until, o->token, &leaving);
        if (starts
                ? has_node(m, o, &leaving) || has_to_wait(o) || desk_holds(m->s, o->job)
                : !committed) {
            dequeue(o);
            o->queued = &later;
            TAILQ_INSERT_TAIL(&later, o, queue);
        } else {
            send_order(m, o);
        }
    }
    bitset_fini(&leaving);
    while ((o = TAILQ_FIRST(&later))) {
        dequeue(o);
        o->queued = &m->outbox->queue;
        TAILQ_INSERT_TAIL(&m->outbox->queue, o, queue);
    }
    note_waits(m);
    while (committed && m->outbox->removing < REMOVING
           && (o = TAILQ_FIRST(&m->outbox->removals)))
        send_order(m, o);
}

void manager_send(struct server *s, bool committed)
{
    struct managers *all = s->managers;

    if (!all || s->mode == MODE_TEST || s->tries)
        return;
    for (size_t i = 0; i < all->v.n && !commit_is_failing(s); i++)
        send_orders(all->v.v[i], committed);
}

int manager_cancel(
    struct server *s, const struct job *j, const struct job_end *why, struct err *err)
{
    struct manager *m = managers_of(s, j);
    struct event ev = {.kind = EVENT_CANCEL, .u.end = {.id = j->id, .how = EV_CANCEL}};
    char text[JOBEND_TEXT];

    if (!m->rm)
        return err_set(err, ERR_IO, "the resource manager is not there");
    jobend_format(why, text, sizeof text);
    struct order *o = add_order(m, RM_CANCEL, j, text);
    record_lasting(m, o);
    world_note_end(s, j, why);
    record_end(s, j, "Removed", world_now(s));
    if (world_apply(s, &ev, NULL, err) == 0)
        return 0;
    drop_order(m, o);
    return -1;
}

int manager_can(
    const struct server *s, const struct job *j, enum rm_action action, struct err *err)
{
    const struct manager *m = managers_of(s, j);

    if (!m->rm)
        return err_set(err, ERR_IO, "the resource manager is not there");
    if (m->driver->cannot >> action & 1)
        return err_set(err, ERR_INVALID, "the resource manager %s cannot %s jobs",
            managers_label(m), rm_action_name(action));
    return 0;
}

int manager_tell(struct server *s, const struct job *j, const struct rm_command *what,
    struct err *err)
{
    if (manager_can(s, j, what->action, err) < 0)
        return -1;
    struct manager *m = managers_of(s, j);
    struct order *o = add_order(m, what->action, j, what->text);
    o->signal = what->signal;
    o->kinds = what->kinds;
    if (what->wclimit_s > 0)
        o->wclimit_s = what->wclimit_s;
    record_lasting(m, o);
    return 0;
}

/* ---- answers ---- */

static void measure(struct manager *m, const struct order *o)
{
    histogram_add(&m->s->metrics->rm[o->action], manager_count_answer(m, o->sent_us));
}

static void end_order(struct manager *m, struct order *o)
{
    if (o->action == RM_MODIFY)
        limits_answered(m, o->job, o->wclimit_s, NULL, is_last_limit(o));
    drop_order(m, o);
}

bool outbox_answered(struct manager *m, const struct rm_report *r)
{
    struct order *o;

    HASH_FIND(hh, m->outbox->orders, &r->u.done.token, sizeof o->token, o);
    if (!o)
        return false;
    measure(m, o);
    if (r->u.done.outcome == RM_LOST)
        o->lost = true;
    else if (r->u.done.outcome != RM_OK)
        fail_order(m, o, r->u.done.outcome, r->u.done.text);
    else if (!outbox_stops(o->action))
        end_order(m, o); /* a stop is over when the job has left its nodes */
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
    struct job_orders *mates = outbox_orders_of(m, id);
    struct order *o = mates ? TAILQ_FIRST(&mates->list) : NULL, *next;
    bool left = false;

    *ret_displaced = false;
    for (; o; o = next) {
        next = TAILQ_NEXT(o, of_job);
        if (!is_done_in(o, state))
            continue;
        left |= sends_back(o);
        *ret_displaced |= o->preempts;
        drop_order(m, o);
    }
    commit_want(m->s);
    return left;
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
            fail_limit(m, o, "it has not answered");
            next = o->hh.next; /* the start behind it is gone */
            drop_order(m, o);
            continue;
        }
        if (is_lasting(o->action)) {
            mark_unsent(m, o);
            continue;
        }
        if (starts && o->seen) {
            drop_order(m, o);
            continue;
        }
        if (starts && j->state == JOB_STARTING)
            undo_start(m, o);
        drop_start(m, o);
    }
    tell_changes(m);
}

void outbox_again(struct manager *m)
{
    struct order *o, *next;

    HASH_ITER(hh, m->outbox->orders, o, next)
    if (o->again) {
        mark_unsent(m, o);
        commit_want(m->s);
    }
}

/* ---- of a former life ---- */

/* A stop that it decided, or what else was acknowledged. */
static void again(
    void *ctx, const char *job, uint64_t number, const struct order_record *r)
{
    struct managers *all = ctx;
    struct manager *m = managers_of_id(all->s, job);

    if (!m) {
        log_line(all->s->log, LOG_WARNING,
            "job '%s' is of a resource manager that is not configured any more: what "
            "was decided about it is not carried out",
            job);
        record_order_done(all->s, job, number);
        return;
    }
    struct order *o = new_order(m, r->action, job, r->text);

    o->kinds = r->kinds;
    o->signal = r->signal;
    o->wclimit_s = r->wclimit_s;
    o->preempts = r->preempts;
    o->record = number;
    o->recorded = true;
    enqueue(m, o);
}

/* The job is on its nodes yet, unknown to the engine: what starts there has to wait. */
void outbox_found(struct manager *m, const struct rm_job *r)
{
    const struct cluster *c = engine_cluster(m->s->engine);
    struct job_orders *mates = outbox_orders_of(m, r->desc.id);
    struct order *o;

    if (!mates || (r->desc.state != JOB_STARTING && r->desc.state != JOB_RUNNING))
        return;
    TAILQ_FOREACH(o, &mates->list, of_job)
    {
        if (!outbox_stops(o->action) || o->places.n)
            continue;
        for (size_t k = 0; k < r->nplaces; k++) {
            const struct node *n = node_find(c, r->places[k].node);
            if (n)
                vec_push(&o->places,
                    ((struct job_place){.node = n->name, .tasks = r->places[k].tasks}));
        }
        await_leaving(m, o);
        if (o->queued) { /* it is no mere removal any more */
            dequeue(o);
            enqueue(m, o);
        }
    }
}

void outbox_open(struct manager *m)
{
    m->outbox = xcalloc(1, sizeof *m->outbox);
    TAILQ_INIT(&m->outbox->queue);
    TAILQ_INIT(&m->outbox->removals);
    TAILQ_INIT(&m->outbox->leaving);
}

void outbox_recall(struct managers *all)
{
    record_each_order(all->s, all, again);
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
