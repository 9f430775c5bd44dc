/* SPDX-License-Identifier: Apache-2.0
 * Orders to the resource manager: decided, sent, answered. What has to stop first is
 * waited for: a start whose nodes another job is still leaving stays here until that
 * job has ended. */
#define LOG_FACILITY FACILITY_RM
#include "base/bitset.h"
#include "server/manager_private.h"
#include "server/metrics.h"
#include "server/record.h"
#include "server/server_private.h"

/* Of a start that the RM could not carry out just then: after 2 s, 4, 8 ... 128. */
#define RETRIES 7
#define RETRY_S 2

bool outbox_stops(enum rm_action a)
{
    return a == RM_CANCEL || a == RM_SUSPEND || a == RM_REQUEUE || a == RM_CHECKPOINT;
}

static void order_fini(struct order *o)
{
    free(o->job);
    free(o->cls);
    free(o->text);
    vec_fini(&o->places);
}

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
    vec_push(&m->orders, ((struct order){.token = ++m->next_token,
                             .action = action,
                             .job = xstrdup(j->id),
                             .wclimit_s = j->wclimit_s,
                             .overrun_s = overrun_of(m->s, j),
                             .text = text ? xstrdup(text) : NULL}));
    struct order *o = &m->orders.v[m->orders.n - 1];
    add_places(o, engine_cluster(m->s->engine), j);
    if (action == RM_START && j->cred[CRED_CLASS])
        o->cls = xstrdup(job_cred(engine_cluster(m->s->engine), j, CRED_CLASS)->name);
    if (outbox_stops(action))
        record_order(m->s, j->id, action, 0, text);
    commit_want(m->s);
    return o;
}

static void drop_order(struct manager *m, size_t i)
{
    if (outbox_stops(m->orders.v[i].action) || m->orders.v[i].action == RM_RELEASE)
        record_order_done(m->s, m->orders.v[i].job);
    order_fini(&m->orders.v[i]);
    vec_remove(&m->orders, i);
}

/* The nodes of an order, into a set; or is one of them in it? */
static void add_nodes(
    const struct manager *m, const struct order *o, struct bitset *set)
{
    for (size_t i = 0; i < o->places.n; i++)
        bitset_set(
            set, node_find(engine_cluster(m->s->engine), o->places.v[i].node)->index);
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

    if (a->kind < sizeof to / sizeof to[0] && to[a->kind].yes)
        add_order(s->manager, to[a->kind].action, j, a->text);
}

/* What was decided has not come about: the engine shall know what is. */
static void set_right(struct manager *m, size_t i)
{
    const struct order *o = &m->orders.v[i];
    struct event ev = {.kind = EVENT_JOB_STATE,
        .u.job_state = {.id = o->job,
            .state = o->action == RM_RESUME ? JOB_SUSPENDED : JOB_RUNNING,
            .places = o->places.v,
            .nplaces = o->places.n}};

    if (o->action == RM_SUSPEND || o->action == RM_RESUME || o->action == RM_REQUEUE
        || o->action == RM_CHECKPOINT)
        manager_apply(m, &ev, o->job);
}

/* A start that may go well next time is not held against the job at once. */
static int64_t again_s(const struct manager *m, const char *id, enum rm_outcome how)
{
    const struct job *j = job_find(engine_cluster(m->s->engine), id);

    return how == RM_RETRY && j && j->start_count <= RETRIES
                   && !(j->flags & JOB_NOQUEUE)
               ? RETRY_S << (j->start_count ? j->start_count - 1 : 0)
               : 0;
}

static void fail_order(
    struct manager *m, size_t i, enum rm_outcome how, const char *text)
{
    struct server *s = m->s;
    const struct order *o = &m->orders.v[i];

    log_line(s->log, LOG_WARNING, "the resource manager did not %s job '%s': %s",
        rm_action_name(o->action), o->job, text ? text : "no reason given");
    if (o->action == RM_START) {
        struct event ev = {.kind = EVENT_START_FAILED,
            .u.failed = {.id = o->job,
                .reason = how == RM_REFUSED ? REASON_RMREJECT : REASON_RMFAILURE,
                .text = text,
                .again_s = again_s(m, o->job, how)}};
        manager_apply(m, &ev, o->job);
    } else if (how == RM_REFUSED) {
        set_right(m, i);
    }
    drop_order(m, i);
}

void manager_send(struct server *s, bool committed)
{
    struct manager *m = s->manager;

    if (!m || !s->rm || m->away || s->mode == MODE_TEST || s->commit_failing)
        return;
    struct bitset leaving = {0}; /* nodes that jobs told to stop are still on */
    for (size_t i = 0; i < m->orders.n; i++) {
        struct order *o = &m->orders.v[i];
        struct err err = {0};
        if (outbox_stops(o->action))
            add_nodes(m, o, &leaving);
        if (o->sent || (!committed && o->action != RM_START)
            || (o->action == RM_START && has_node(m, o, &leaving)))
            continue;
        o->sent = true;
        o->sent_us = manager_clock(m);
        uint64_t token = o->token;
        struct rm_command cmd = {.action = o->action,
            .token = token,
            .job = o->job,
            .places = o->places.v,
            .nplaces = o->places.n,
            .wclimit_s = o->wclimit_s,
            .overrun_s = o->overrun_s,
            .signal = o->signal,
            .kinds = o->kinds,
            .cls = o->cls,
            .text = o->text};
        if (s->driver->command(s->rm, &cmd, &err) < 0 && i < m->orders.n
            && m->orders.v[i].token == token)
            fail_order(m, i--, RM_REFUSED, err.text);
        else if (i < m->orders.n && m->orders.v[i].token != token)
            i--; /* answered at once, and gone */
    }
    bitset_fini(&leaving);
}

int manager_cancel(
    struct server *s, const struct job *j, const char *text, struct err *err)
{
    struct manager *m = s->manager;
    struct event ev = {.kind = EVENT_CANCEL, .u.end = {.id = j->id, .how = EV_CANCEL}};

    if (!s->rm)
        return err_set(err, ERR_IO, "the resource manager is not there");
    add_order(m, RM_CANCEL, j, text);
    record_end(s, j, "Removed", world_now(s));
    if (world_apply(s, &ev, NULL, err) == 0)
        return 0;
    drop_order(m, m->orders.n - 1);
    return -1;
}

int manager_can(const struct server *s, enum rm_action action, struct err *err)
{
    if (!s->rm)
        return err_set(err, ERR_IO, "the resource manager is not there");
    if (s->driver->cannot >> action & 1)
        return err_set(err, ERR_INVALID, "the resource manager %s cannot %s jobs",
            s->driver->type, rm_action_name(action));
    return 0;
}

int manager_tell(struct server *s, const struct job *j, const struct rm_command *what,
    struct err *err)
{
    if (manager_can(s, what->action, err) < 0)
        return -1;
    struct order *o = add_order(s->manager, what->action, j, what->text);
    o->signal = what->signal;
    o->kinds = what->kinds;
    if (what->action == RM_RELEASE) /* a release is promised, as a stop is */
        record_order(s, j->id, what->action, what->kinds, what->text);
    if (what->wclimit_s > 0)
        o->wclimit_s = what->wclimit_s;
    return 0;
}

/* ---- answers ---- */

static void measure(struct manager *m, const struct order *o)
{
    histogram_add(&m->s->metrics->rm[o->action], manager_count_answer(m, o->sent_us));
}

bool outbox_answered(struct manager *m, const struct rm_report *r)
{
    for (size_t i = 0; i < m->orders.n; i++) {
        if (m->orders.v[i].token != r->u.done.token)
            continue;
        measure(m, &m->orders.v[i]);
        if (r->u.done.outcome == RM_LOST)
            m->orders.v[i].lost = true;
        else if (r->u.done.outcome != RM_OK)
            fail_order(m, i, r->u.done.outcome, r->u.done.text);
        else if (!outbox_stops(m->orders.v[i].action))
            drop_order(m, i); /* a stop is over when the job has left its nodes */
        return true;
    }
    return false;
}

/* The job left its nodes: what waited for that may go. A cancel is not done before the
 * job is over: one that waits has no nodes to leave. Of a job that is over nothing is
 * left to be done: its id may come back. */
void outbox_stopped(struct manager *m, const char *id, bool is_over)
{
    for (size_t i = m->orders.n; i > 0; i--) {
        const struct order *o = &m->orders.v[i - 1];
        if ((is_over || (outbox_stops(o->action) && o->action != RM_CANCEL))
            && strcmp(o->job, id) == 0)
            drop_order(m, i - 1);
    }
    commit_want(m->s);
}

const struct order *outbox_pending(const struct manager *m, const char *id)
{
    for (size_t i = 0; i < m->orders.n; i++) {
        enum rm_action a = m->orders.v[i].action;
        if (a != RM_SIGNAL && a != RM_MODIFY && a != RM_RELEASE
            && strcmp(m->orders.v[i].job, id) == 0)
            return &m->orders.v[i];
    }
    return NULL;
}

/* All is told again after the RM was away: did what was ordered before come about? A
 * job that was to start and has not waits again; a stop is ordered again. */
void outbox_settle_lost(struct manager *m)
{
    for (size_t i = m->orders.n; i-- > 0;) {
        struct order *o = &m->orders.v[i];
        const struct job *j = job_find(engine_cluster(m->s->engine), o->job);

        if (!o->lost)
            continue;
        o->lost = o->sent = false;
        if (outbox_stops(o->action) || o->action == RM_RELEASE)
            continue;
        if (o->action == RM_START && j && j->state == JOB_STARTING) {
            struct event ev = {.kind = EVENT_JOB_STATE,
                .u.job_state = {.id = o->job, .state = JOB_IDLE}};
            manager_apply(m, &ev, o->job);
        }
        drop_order(m, i);
    }
}

/* A stop that a former life of the daemon decided. */
static void again(
    void *ctx, const char *job, enum rm_action action, unsigned kinds, const char *text)
{
    struct manager *m = ctx;

    vec_push(&m->orders, ((struct order){.token = ++m->next_token,
                             .action = action,
                             .job = xstrdup(job),
                             .kinds = kinds,
                             .text = text ? xstrdup(text) : NULL}));
}

void outbox_open(struct manager *m)
{
    record_each_order(m->s, m, again);
}

void outbox_close(struct manager *m)
{
    for (size_t i = 0; i < m->orders.n; i++)
        order_fini(&m->orders.v[i]);
    vec_fini(&m->orders);
}
