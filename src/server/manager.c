/* SPDX-License-Identifier: Apache-2.0
 * The resource manager's side: its reports become events of the engine (rmjobs.c), the
 * engine's decisions become commands (outbox.c). Here: its driver, its health, what is
 * submitted. */
#define LOG_FACILITY FACILITY_RM
#include "base/home.h"
#include "server/eventlog.h"
#include "server/manager_private.h"
#include "server/render.h"
#include "server/rmreservation.h"
#include "server/server_private.h"
#include "server/simulation.h"

void manager_apply(struct manager *m, struct event *ev, const char *id)
{
    struct err err = {0};

    /* `id` is still there: nothing changes when it fails */
    if (world_apply(m->s, ev, NULL, &err) < 0)
        log_line(m->s->log, LOG_WARNING, "job '%s': %s", id, err.text);
}

uint64_t manager_clock(const struct manager *m)
{
    uint64_t now = 0;

    sd_event_now(m->s->loop, CLOCK_MONOTONIC, &now);
    return now;
}

double manager_count_answer(struct manager *m, uint64_t sent_us)
{
    uint64_t now = manager_clock(m);
    double seconds = now > sent_us ? (double)(now - sent_us) / 1e6 : 0;

    m->answers++;
    m->answer_s += seconds;
    if (seconds > m->answer_max_s)
        m->answer_max_s = seconds;
    return seconds;
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

static void on_done(struct manager *m, const struct rm_report *r)
{
    for (size_t i = 0; i < m->submissions.n; i++)
        if (m->submissions.v[i].token == r->u.done.token) {
            struct manager_batch *b = m->submissions.v[i].batch;
            manager_count_answer(m, m->submissions.v[i].sent_us);
            vec_remove(&m->submissions, i);
            answer(b, r);
            batch_settle(m->s, b);
            return;
        }
    outbox_answered(m, r);
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
        manager_apply(m, &ev, r->u.node.name);
        break;
    case RM_NODE_GONE:
        ev = (struct event){
            .kind = EVENT_NODE_GONE, .u.node_state = {r->u.name, NODE_DOWN}};
        manager_apply(m, &ev, r->u.name);
        break;
    case RM_JOB:
        rmjobs_told(m, r->u.job);
        break;
    case RM_JOB_GONE:
        rmjobs_gone(m, r->u.name);
        break;
    case RM_RESERVATION:
        rmreservation_told(m->s, r->u.reservation);
        break;
    case RM_RESERVATION_GONE:
        rmreservation_gone(m->s, r->u.name);
        break;
    case RM_SYNCED:
        rmjobs_synced(m);
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
    vec_push(&m->submissions, ((struct submission){sub->token, manager_clock(m), b}));
    b->open++;
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
    outbox_open(m);
    if (!s->simulation)
        return open_driver(s, &sink, err);
    simulation_connect(s, &sink);
    return simulation_begin(s, err);
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
    outbox_close(m);
    vec_fini(&m->told);
    forget_submissions(m);
    free(m);
    s->manager = NULL;
    rmreservation_close(s);
}

bool manager_idle(const struct server *s)
{
    const struct manager *m = s->manager;

    if (!m || !m->synced || !m->up || m->away || m->submissions.n)
        return false;
    for (size_t i = 0; i < m->orders.n; i++)
        if (!outbox_stops(m->orders.v[i].action) || !m->orders.v[i].sent)
            return false;
    return true;
}

/* schedctl -f makes it look down. */
static const char *state_name(const struct server *s, const struct manager *m)
{
    return m->up && !s->rm_failure_until ? "Active" : "Down";
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
    json_t *o = json_pack("{s:s, s:s, s:s, s:I, s:o}", "name", s->driver->type, "type",
        s->driver->type, "state", state_name(s, m), "calls", (json_int_t)m->answers,
        "failures", failures);
    if (m->answers) {
        render_real(o, "average_s", m->answer_s / (double)m->answers);
        render_real(o, "max_s", m->answer_max_s);
    }
    return o;
}
