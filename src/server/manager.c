/* SPDX-License-Identifier: Apache-2.0
 * The resource manager's side: its reports become events of the engine, the engine's
 * decisions become commands.
 *
 * The resource manager is the truth about what runs where; the scheduler is the truth
 * about what should. They are brought together in on_job(). What has to stop first is
 * waited for: a start whose nodes another job is still leaving stays in the outbox
 * until that job has ended. */
#define LOG_FACILITY FACILITY_RM
#include "server/manager.h"

#include "base/bitset.h"
#include "base/home.h"
#include "server/eventlog.h"
#include "server/metrics.h"
#include "server/modify.h"
#include "server/record.h"
#include "server/server_private.h"

#include <inttypes.h>

#define FAILURES_KEPT 3

struct failure {
    int64_t at;
    char function[40], text[200];
};

/* What one request submits: a job, or those of an array. The client waits for all. */
struct manager_batch {
    struct request *request;
    json_t *ids; /* of those made */
    size_t open; /* not answered yet */
    bool closed; /* there will be no more */
    struct err err;
};

struct submission {
    uint64_t token;
    struct manager_batch *batch;
};

/* A decision that has not been answered yet. */
struct order {
    uint64_t token;
    enum rm_action action;
    bool sent;
    uint64_t sent_us;                    /* then, of the loop's clock */
    bool lost;                           /* the RM went away before it answered */
    char *job;                           /* owned */
    struct VEC(struct job_place) places; /* START: where; stops: what they free */
    int64_t wclimit_s;
    int signal;
    unsigned kinds; /* RELEASE: of holds */
    char *text;     /* owned or NULL */
};

struct manager {
    struct server *s;
    uint64_t next_token;
    struct VEC(struct order) orders;
    struct VEC(uint8_t) told; /* by job index: in this listing */
    bool synced;              /* everything has been told at least once */
    struct VEC(struct submission) submissions;
    struct failure failures[FAILURES_KEPT];
    uint32_t nfailures;
    uint64_t calls;
    bool up;
    bool away; /* the RM is out of reach: what it last told may not be so any more */
    int64_t failing; /* looks in a row that found it down */
    bool failure_told;
};

/* ---- orders ---- */

static bool stops(enum rm_action a)
{
    return a == RM_CANCEL || a == RM_SUSPEND || a == RM_REQUEUE || a == RM_CHECKPOINT;
}

static void order_fini(struct order *o)
{
    free(o->job);
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
                    .node = c->nodes.v[n]->name, .tasks = a->tasks, .req = a->req}));
    }
}

static struct order *add_order(
    struct manager *m, enum rm_action action, const struct job *j, const char *text)
{
    vec_push(&m->orders, ((struct order){.token = ++m->next_token,
                             .action = action,
                             .job = xstrdup(j->id),
                             .wclimit_s = j->wclimit_s,
                             .text = text ? xstrdup(text) : NULL}));
    struct order *o = &m->orders.v[m->orders.n - 1];
    add_places(o, engine_cluster(m->s->engine), j);
    if (stops(action))
        record_order(m->s, j->id, action, 0, text);
    commit_want(m->s);
    return o;
}

static void drop_order(struct manager *m, size_t i)
{
    if (stops(m->orders.v[i].action) || m->orders.v[i].action == RM_RELEASE)
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

static void fail_order(
    struct manager *m, size_t i, enum rm_outcome how, const char *text);

/* Of a job or a node. */
static void apply(struct manager *m, struct event *ev, const char *id)
{
    struct err err = {0};

    /* `id` is still there: nothing changes when it fails */
    if (world_apply(m->s, ev, NULL, &err) < 0)
        log_line(m->s->log, LOG_WARNING, "job '%s': %s", id, err.text);
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
        if (stops(o->action))
            add_nodes(m, o, &leaving);
        if (o->sent || (!committed && o->action != RM_START)
            || (o->action == RM_START && has_node(m, o, &leaving)))
            continue;
        o->sent = true;
        sd_event_now(s->loop, CLOCK_MONOTONIC, &o->sent_us);
        m->calls++;
        uint64_t token = o->token;
        struct rm_command cmd = {.action = o->action,
            .token = token,
            .job = o->job,
            .places = o->places.v,
            .nplaces = o->places.n,
            .wclimit_s = o->wclimit_s,
            .signal = o->signal,
            .kinds = o->kinds,
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

static const char action_words[][12] = {[RM_START] = "start",
    [RM_CANCEL] = "cancel",
    [RM_SUSPEND] = "suspend",
    [RM_RESUME] = "resume",
    [RM_REQUEUE] = "requeue",
    [RM_CHECKPOINT] = "checkpoint",
    [RM_HOLD] = "hold",
    [RM_RELEASE] = "release",
    [RM_SIGNAL] = "signal",
    [RM_MODIFY] = "modify"};

int manager_can(const struct server *s, enum rm_action action, struct err *err)
{
    if (!s->rm)
        return err_set(err, ERR_IO, "the resource manager is not there");
    if (s->driver->cannot >> action & 1)
        return err_set(err, ERR_INVALID, "the resource manager %s cannot %s jobs",
            s->driver->type, action_words[action]);
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
        apply(m, &ev, o->job);
}

static void fail_order(
    struct manager *m, size_t i, enum rm_outcome how, const char *text)
{
    struct server *s = m->s;
    const struct order *o = &m->orders.v[i];

    log_line(s->log, LOG_WARNING, "the resource manager did not %s job '%s': %s",
        action_words[o->action], o->job, text ? text : "no reason given");
    if (o->action == RM_START) {
        struct event ev = {.kind = EVENT_START_FAILED,
            .u.failed = {.id = o->job,
                .reason = how == RM_REFUSED ? REASON_RMREJECT : REASON_RMFAILURE,
                .text = text}};
        apply(m, &ev, o->job);
    } else if (how == RM_REFUSED) {
        set_right(m, i);
    }
    drop_order(m, i);
}

/* When all is answered: to the client whose submission it was. An array of which a job
 * was refused is refused whole. */
static void batch_settle(struct server *s, struct manager_batch *b)
{
    json_t *id;
    struct err err;
    size_t i;

    if (b->open || !b->closed)
        return;
    if (b->err.code == ERR_NONE) {
        commit_then_reply(s, b->request, json_pack("{s:O}", "ids", b->ids));
    } else {
        json_array_foreach(b->ids, i, id)
        {
            const struct job *j =
                job_find(engine_cluster(s->engine), json_string_value(id));
            if (j
                && manager_cancel(s, j, "another job of its array was refused", &err)
                       < 0)
                log_line(s->log, LOG_WARNING, "job '%s': %s", j->id, err.text);
        }
        request_refuse(b->request, &b->err);
    }
    json_decref(b->ids);
    free(b);
}

static void answer(struct manager_batch *b, const struct rm_report *r)
{
    b->open--;
    if (r->u.done.outcome == RM_OK)
        json_array_append_new(b->ids, json_string(r->u.done.job));
    else if (b->err.code == ERR_NONE)
        err_set(&b->err, r->u.done.outcome == RM_RETRY ? ERR_IO : ERR_INVALID, "%s",
            r->u.done.text ? r->u.done.text : "the resource manager refuses the job");
}

static void measure(struct manager *m, const struct order *o)
{
    uint64_t now = o->sent_us;

    sd_event_now(m->s->loop, CLOCK_MONOTONIC, &now);
    histogram_add(&m->s->metrics->rm[o->action], (double)(now - o->sent_us) / 1e6);
}

static void on_done(struct manager *m, const struct rm_report *r)
{
    for (size_t i = 0; i < m->submissions.n; i++)
        if (m->submissions.v[i].token == r->u.done.token) {
            struct manager_batch *b = m->submissions.v[i].batch;
            vec_remove(&m->submissions, i);
            answer(b, r);
            batch_settle(m->s, b);
            return;
        }
    for (size_t i = 0; i < m->orders.n; i++) {
        if (m->orders.v[i].token != r->u.done.token)
            continue;
        measure(m, &m->orders.v[i]);
        if (r->u.done.outcome == RM_LOST)
            m->orders.v[i].lost = true;
        else if (r->u.done.outcome != RM_OK)
            fail_order(m, i, r->u.done.outcome, r->u.done.text);
        else if (!stops(m->orders.v[i].action))
            drop_order(m, i); /* a stop is over when the job has left its nodes */
        return;
    }
}

/* The job left its nodes: what waited for that may go. A cancel is not done before the
 * job is over: one that waits has no nodes to leave. */
static void stopped(struct manager *m, const char *id, bool is_over)
{
    for (size_t i = m->orders.n; i > 0; i--) {
        const struct order *o = &m->orders.v[i - 1];
        if (stops(o->action) && (is_over || o->action != RM_CANCEL)
            && strcmp(o->job, id) == 0)
            drop_order(m, i - 1);
    }
    commit_want(m->s);
}

static const struct order *pending(const struct manager *m, const char *id)
{
    for (size_t i = 0; i < m->orders.n; i++) {
        enum rm_action a = m->orders.v[i].action;
        if (a != RM_SIGNAL && a != RM_MODIFY && a != RM_RELEASE
            && strcmp(m->orders.v[i].job, id) == 0)
            return &m->orders.v[i];
    }
    return NULL;
}

/* ---- jobs ---- */

static bool over(enum job_state s)
{
    return s >= JOB_COMPLETED;
}

static bool on_nodes(enum job_state s)
{
    return s == JOB_STARTING || s == JOB_RUNNING;
}

static void mark_told(struct manager *m, const struct job *j)
{
    while (m->told.n <= j->index)
        vec_push(&m->told, 0);
    m->told.v[j->index] = 1;
}

static void note(char **to, const char *text)
{
    if (!text || (*to && strcmp(*to, text) == 0))
        return;
    free(*to);
    *to = xstrdup(text);
}

static void take_notes(struct manager *m, const struct job *j, const struct rm_job *r)
{
    struct job_notes *n = world_notes(m->s, j);

    if (!n->renamed)
        note(&n->name, r->name);
    note(&n->directory, r->directory);
    note(&n->output, r->output);
    note(&n->error, r->error);
    note(&n->command, r->desc.command);
    note(&n->notes, r->notes);
    n->cpu_s = r->cpu_s;
    n->mem_mb = r->mem_mb;
    n->exit_status = r->exit_status;
}

static void on_new_job(struct manager *m, const struct rm_job *r)
{
    struct server *s = m->s;
    struct job_memory memory;
    struct record_memory *known = record_recall(s, r->desc.id, &memory);
    struct event ev = {.kind = EVENT_SUBMIT, .u.job = r->desc};
    struct modified *changed = known ? modify_recall(s, &ev.u.job) : NULL;
    struct err err = {0};
    uint32_t index;

    ev.u.job.memory = known ? &memory : NULL;
    ev.u.job.start_at = r->start_at;
    ev.u.job.places = r->places;
    ev.u.job.nplaces = r->nplaces;
    if (world_apply(s, &ev, &index, &err) < 0) {
        log_line(s->log, LOG_ALERT, "job '%s' is not taken: %s", r->desc.id, err.text);
    } else {
        const struct job *j = engine_cluster(s->engine)->jobs.v[index];
        mark_told(m, j);
        take_notes(m, j, r);
        modified_note(changed, world_notes(s, j));
    }
    modified_free(changed);
    record_memory_free(known);
}

static void on_ended(struct manager *m, const struct job *j, const struct rm_job *r)
{
    struct event ev = {.kind = EVENT_END,
        .u.end = {.id = j->id,
            .how = r->desc.state == JOB_COMPLETED ? EV_COMPLETE : EV_CANCEL,
            .cpu_s = r->cpu_s,
            .failed = r->exit_status != 0}};

    if (!job_is_active(j))
        ev.kind = EVENT_CANCEL;
    take_notes(m, j, r);
    record_end(m->s, j, job_state_name(r->desc.state), r->end_at);
    apply(m, &ev, r->desc.id);
}

/* Somebody changed in the RM what a waiting job asks for: it is taken anew, with all
 * that is remembered of it, as after a restart. */
static bool on_other_request(
    struct manager *m, const struct job *j, const struct rm_job *r)
{
    struct event ev = {
        .kind = EVENT_CANCEL, .u.end = {.id = r->desc.id, .how = EV_VANISH}};

    if (job_is_active(j) || j->state == JOB_SUSPENDED || on_nodes(r->desc.state))
        return false;
    apply(m, &ev, r->desc.id);
    on_new_job(m, r);
    return true;
}

/* The job is known and in the queue or active: is it as we think? */
static void on_changed(struct manager *m, const struct job *j, const struct rm_job *r)
{
    enum job_state state = r->desc.state;
    const struct order *o = pending(m, j->id);

    if (r->changed && !o && on_other_request(m, j, r))
        return;
    mark_told(m, j);
    take_notes(m, j, r);
    if (o && (o->action == RM_START) == !on_nodes(state) && j->state != state)
        return; /* not carried out yet */
    if (j->state == state && j->rm_hold == r->desc.rm_hold)
        return;
    struct event ev = {.kind = EVENT_JOB_STATE,
        .u.job_state = {.id = j->id,
            .state = state,
            .rm_hold = r->desc.rm_hold,
            .start_at = r->start_at,
            .places = r->places,
            .nplaces = r->nplaces}};
    apply(m, &ev, r->desc.id);
}

/* After a restart: a job that was told to stop in a former life is on its nodes yet,
 * unknown to the engine. What starts there has to wait for it. */
static void still_there(struct manager *m, const struct rm_job *r)
{
    const struct cluster *c = engine_cluster(m->s->engine);

    for (size_t i = 0; i < m->orders.n; i++) {
        struct order *o = &m->orders.v[i];
        if (!stops(o->action) || o->places.n || strcmp(o->job, r->desc.id) != 0)
            continue;
        for (size_t k = 0; on_nodes(r->desc.state) && k < r->nplaces; k++) {
            const struct node *n = node_find(c, r->places[k].node);
            if (n)
                vec_push(&o->places,
                    ((struct job_place){.node = n->name, .tasks = r->places[k].tasks}));
        }
    }
}

static void on_job(struct manager *m, const struct rm_job *r)
{
    const struct cluster *c = engine_cluster(m->s->engine);
    const struct job *j = job_find(c, r->desc.id);
    bool known = j && j->state < JOB_COMPLETED;

    if (!on_nodes(r->desc.state))
        stopped(m, r->desc.id, over(r->desc.state));
    if (over(r->desc.state)) {
        if (known)
            on_ended(m, j, r);
        else
            record_missed_end(m->s, r);
    } else if (known) {
        on_changed(m, j, r);
    } else if (!pending(m, r->desc.id)) {
        on_new_job(m, r);
    } else {
        still_there(m, r);
    }
}

static void on_gone(struct manager *m, const char *id)
{
    const struct job *j = job_find(engine_cluster(m->s->engine), id);
    struct event ev = {.kind = EVENT_CANCEL, .u.end = {.id = id, .how = EV_VANISH}};

    stopped(m, id, true);
    if (!j || over((enum job_state)j->state))
        return;
    log_line(m->s->log, LOG_WARNING,
        "job '%s' is not known to the resource manager any more", id);
    record_end(m->s, j, "Vacated", world_now(m->s));
    apply(m, &ev, id);
}

/* All is told again after the RM was away: did what was ordered before come about? A
 * job that was to start and has not waits again; a stop is ordered again. */
static void settle_lost(struct manager *m)
{
    for (size_t i = m->orders.n; i-- > 0;) {
        struct order *o = &m->orders.v[i];
        const struct job *j = job_find(engine_cluster(m->s->engine), o->job);

        if (!o->lost)
            continue;
        o->lost = o->sent = false;
        if (stops(o->action) || o->action == RM_RELEASE)
            continue;
        if (o->action == RM_START && j && j->state == JOB_STARTING) {
            struct event ev = {.kind = EVENT_JOB_STATE,
                .u.job_state = {.id = o->job, .state = JOB_IDLE}};
            apply(m, &ev, o->job);
        }
        drop_order(m, i);
    }
}

static void on_synced(struct manager *m)
{
    const struct cluster *c = engine_cluster(m->s->engine);

    for (size_t i = 0; i < c->jobs.n; i++) {
        const struct job *j = c->jobs.v[i];
        if (j && !over((enum job_state)j->state) && (i >= m->told.n || !m->told.v[i]))
            on_gone(m, j->id);
    }
    if (m->told.n)
        memset(m->told.v, 0, m->told.n);
    m->away = false;
    settle_lost(m);
    if (!m->synced)
        record_forget_unclaimed(m->s);
    m->synced = true;
    cycle_want(m->s);
}

/* ---- reports ---- */

/* After APIFAILURETHRESHHOLD looks in a row administrators are told. */
static void count_failing(struct manager *m)
{
    const struct failure *f = &m->failures[(m->nfailures - 1) % FAILURES_KEPT];

    if (++m->failing < m->s->config->settings->daemon.rm_failures_max
        || m->failure_told)
        return;
    m->failure_told = true;
    eventlog_add(m->s, RMFAILURE, m->s->driver->type, true, NULL,
        "the resource manager %s fails: %s: %s", m->s->driver->type, f->function,
        f->text);
}

static void recovered(struct manager *m)
{
    m->failing = 0;
    if (m->failure_told)
        eventlog_add(m->s, RMRECOVERED, m->s->driver->type, true, NULL,
            "the resource manager %s answers again", m->s->driver->type);
    m->failure_told = false;
}

static void on_health(struct manager *m, const struct rm_report *r)
{
    struct failure *f = &m->failures[m->nfailures % FAILURES_KEPT];

    m->up = r->u.health.up;
    if (r->u.health.up) {
        recovered(m);
        return;
    }
    m->away |= strcmp(r->u.health.function, "connection") == 0;
    *f = (struct failure){.at = r->at};
    snprintf(f->function, sizeof f->function, "%s", r->u.health.function);
    snprintf(f->text, sizeof f->text, "%s", r->u.health.text);
    m->nfailures++;
    log_line(m->s->log, LOG_ALERT, "resource manager: %s: %s", f->function, f->text);
    count_failing(m);
}

static void on_report(void *ctx, const struct rm_report *r)
{
    struct manager *m = ctx;
    struct event ev;

    switch (r->kind) {
    case RM_NODE:
        ev = (struct event){.kind = EVENT_NODE, .u.node = r->u.node};
        apply(m, &ev, r->u.node.name);
        break;
    case RM_NODE_GONE:
        ev = (struct event){
            .kind = EVENT_NODE_GONE, .u.node_state = {r->u.name, NODE_DOWN}};
        apply(m, &ev, r->u.name);
        break;
    case RM_JOB:
        on_job(m, r->u.job);
        break;
    case RM_JOB_GONE:
        on_gone(m, r->u.name);
        break;
    case RM_SYNCED:
        on_synced(m);
        break;
    case RM_DONE:
        on_done(m, r);
        break;
    case RM_HEALTH:
        on_health(m, r);
        break;
    }
}

struct manager_batch *manager_batch(struct request *request)
{
    struct manager_batch *b = xcalloc(1, sizeof *b);

    b->request = request;
    b->ids = json_array();
    return b;
}

void manager_submit(
    struct server *s, struct manager_batch *b, struct rm_submission *sub)
{
    struct manager *m = s->manager;
    struct err err = {0};

    if (b->err.code != ERR_NONE)
        return;
    sub->token = ++m->next_token;
    vec_push(&m->submissions, ((struct submission){sub->token, b}));
    b->open++;
    m->calls++;
    if (!s->rm)
        err_set(&err, ERR_IO, "the resource manager is not there");
    else if (s->driver->submit(s->rm, sub, &err) == 0)
        return;
    m->submissions.n--;
    b->open--;
    b->err = err;
}

void manager_batch_close(struct server *s, struct manager_batch *b)
{
    b->closed = true;
    batch_settle(s, b);
}

int manager_take_id(struct server *s, char *ret_id, size_t size, struct err *err)
{
    if (!s->rm)
        return err_set(err, ERR_IO, "the resource manager is not there");
    if (!s->driver->take_id)
        return err_set(err, ERR_INVALID,
            "the resource manager names jobs itself: it takes no arrays");
    return s->driver->take_id(s->rm, ret_id, size, err);
}

bool manager_up(const struct server *s)
{
    return s->rm && s->manager->up;
}

const char *manager_action_name(enum rm_action action)
{
    return action_words[action];
}

bool manager_synced(const struct server *s)
{
    return s->manager && s->manager->synced;
}

bool manager_ready(const struct server *s)
{
    return manager_synced(s) && !s->manager->away;
}

void manager_poll(struct server *s)
{
    if (s->rm)
        s->driver->poll(s->rm);
    if (s->rm && !s->manager->up)
        count_failing(s->manager);
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

/* The section of the only resource manager; the local one when there is none. */
static int open_driver(struct server *s, const struct rm_sink *sink, struct err *err)
{
    char *spool = home_file(s->home, "spool");
    struct rm_cfg cfg = {.name = "local",
        .settings = s->config->settings,
        .spool = spool,
        .home = s->home};
    struct raw_attr nodes = {.name = (char *)"NODES", .value = (char *)s->opt.nodes};
    struct raw_object asked = {.kind = (char *)"RMCFG",
        .name = (char *)"local",
        .attrs = {.v = &nodes, .n = 1}};
    const char *type = NULL;

    for (size_t i = 0; i < s->config->settings->raw.n; i++) {
        const struct raw_object *o = &s->config->settings->raw.v[i];
        if (strcmp(o->kind, "RMCFG") != 0)
            continue;
        cfg.name = o->name;
        cfg.section = o;
        break;
    }
    if (s->opt.nodes)
        cfg.section = &asked; /* --nodes: the local one, whatever is configured */
    type = cfg.section ? rm_cfg_attr(&cfg, "TYPE") : NULL;
    s->driver = rm_driver_find(type ? type : "LOCAL", err);
    s->rm = s->driver ? s->driver->open(&cfg, s->loop, sink, err) : NULL;
    free(spool);
    return s->rm ? 0 : -1;
}

int manager_open(struct server *s, struct err *err)
{
    struct manager *m = xcalloc(1, sizeof *m);
    const struct rm_sink sink = {on_report, m};

    m->s = s;
    m->up = true;
    s->manager = m;
    record_each_order(s, m, again);
    return open_driver(s, &sink, err);
}

/* Their requests are refused by http_close(). */
static void forget_submissions(struct manager *m)
{
    for (size_t i = 0; i < m->submissions.n; i++) {
        struct manager_batch *b = m->submissions.v[i].batch;
        if (--b->open)
            continue;
        json_decref(b->ids);
        free(b);
    }
    vec_fini(&m->submissions);
}

void manager_close(struct server *s)
{
    struct manager *m = s->manager;

    if (!m)
        return;
    if (s->rm)
        s->driver->close(s->rm);
    s->rm = NULL;
    for (size_t i = 0; i < m->orders.n; i++)
        order_fini(&m->orders.v[i]);
    vec_fini(&m->orders);
    vec_fini(&m->told);
    forget_submissions(m);
    free(m);
    s->manager = NULL;
}

json_t *manager_describe(const struct server *s)
{
    const struct manager *m = s->manager;
    json_t *failures = json_array();

    for (uint32_t i = 0; i < m->nfailures && i < FAILURES_KEPT; i++) {
        const struct failure *f = &m->failures[(m->nfailures - 1 - i) % FAILURES_KEPT];
        json_array_append_new(
            failures, json_pack("{s:I, s:s, s:s}", "at", (json_int_t)f->at, "function",
                          f->function, "message", f->text));
    }
    return json_pack("{s:s, s:s, s:s, s:I, s:o}", "name", s->driver->type, "type",
        s->driver->type, "state", m->up ? "Active" : "Down", "calls",
        (json_int_t)m->calls, "failures", failures);
}
