/* SPDX-License-Identifier: Apache-2.0
 * The resource manager's side: its reports become events of the engine
 * (managers/jobs.c), the engine's decisions become commands (outbox.c), what users
 * submit is handed on (submissions.c). Here: its driver and its health. */
#define LOG_FACILITY FACILITY_RM
#include "base/home.h"
#include "server/api/rights.h"
#include "server/durable/passed.h"
#include "server/durable/record.h"
#include "server/durable/restless.h"
#include "server/events/eventlog.h"
#include "server/managers/private.h"
#include "server/managers/reservation.h"
#include "server/render/render.h"
#include "server/server_private.h"
#include "server/simulation/simulation.h"

#include <strings.h>

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
    case RM_JOB_KEPT:
        rmjobs_kept(m, r->u.name);
        break;
    case RM_RESERVATION:
        rmreservation_told(m->s, r->u.reservation);
        break;
    case RM_RESERVATION_GONE:
        rmreservation_gone(m->s, r->u.name);
        break;
    case RM_QUOTAS:
        ev = (struct event){.kind = EVENT_QUOTAS, .u.quotas = r->u.quotas};
        manager_apply(m, &ev, r->u.quotas.source);
        log_line(m->s->log, LOG_ACTION, "%s tells %zu groups of limits",
            r->u.quotas.source, r->u.quotas.n);
        break;
    case RM_RIGHTS:
        rights_take(m->s->rights, &r->u.rights);
        break;
    case RM_SYNCED:
        rmjobs_synced(m);
        break;
    case RM_DONE:
        if (!submissions_answered(m, r))
            outbox_answered(m, r);
        break;
    case RM_HEALTH:
        on_health(m, r);
        break;
    }
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

void manager_settle(struct server *s)
{
    struct manager *m = s->manager;

    for (size_t i = 0; i < m->settled.n; i++) {
        if (s->rm)
            s->driver->settled(s->rm, m->settled.v[i]);
        free(m->settled.v[i]);
    }
    m->settled.n = 0;
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
    if (s->rm) {
        s->driver->poll(s->rm);
        outbox_again(s->manager);
    }
    if (s->rm && !s->manager->up)
        count_failing(s->manager);
}

static bool is_local(const struct raw_object *section)
{
    const struct rm_cfg cfg = {.section = section};
    const char *type = section ? rm_cfg_attr(&cfg, "TYPE") : NULL;

    return !type || strcasecmp(type, "LOCAL") == 0;
}

/* What is configured of the local one, with the nodes of --nodes; of another only that
 * it is not used. `ret->attrs` is to be freed, not what is in it. */
static void ask_for_nodes(
    struct server *s, const struct raw_object *section, struct raw_object *ret)
{
    *ret = (struct raw_object){.kind = (char *)"RMCFG", .name = (char *)"local"};
    if (!is_local(section))
        log_line(s->log, LOG_WARNING,
            "RMCFG[%s] is not used: --nodes makes this machine the cluster",
            section->name);
    for (size_t i = 0; section && is_local(section) && i < section->attrs.n; i++)
        if (strcasecmp(section->attrs.v[i].name, "NODES") != 0)
            vec_push(&ret->attrs, section->attrs.v[i]);
    vec_push(&ret->attrs,
        ((struct raw_attr){.name = (char *)"NODES", .value = (char *)s->opt.nodes}));
}

/* The section of the only resource manager, NULL without one. */
static const struct raw_object *find_section(const struct server *s)
{
    const struct settings *cfg = s->config->settings;

    for (size_t i = 0; i < cfg->raw.n; i++)
        if (strcmp(cfg->raw.v[i].kind, "RMCFG") == 0)
            return &cfg->raw.v[i];
    return NULL;
}

static const struct rm_driver *find_driver(
    const struct raw_object *section, struct err *err)
{
    const struct rm_cfg cfg = {.section = section};
    const char *type = section ? rm_cfg_attr(&cfg, "TYPE") : NULL;

    return rm_driver_find(type ? type : "LOCAL", err);
}

bool manager_can_checkpoint(const struct server *s)
{
    struct err err;
    const struct rm_driver *driver =
        s->simulation ? NULL : find_driver(s->opt.nodes ? NULL : find_section(s), &err);

    return !driver || !(driver->cannot >> RM_CHECKPOINT & 1);
}

/* The local one is where no section says otherwise. */
static int open_driver(struct server *s, const struct rm_sink *sink, struct err *err)
{
    char *spool = home_file(s->home, "spool");
    struct rm_cfg cfg = {.name = "local",
        .settings = s->config->settings,
        .spool = spool,
        .home = s->home,
        .last_number = record_last_number(s)};
    struct raw_object asked = {0};

    cfg.section = find_section(s);
    if (cfg.section)
        cfg.name = cfg.section->name;
    if (s->opt.nodes) {
        ask_for_nodes(s, cfg.section, &asked);
        cfg.section = &asked;
    }
    s->driver = find_driver(cfg.section, err);
    s->rm = s->driver ? s->driver->open(&cfg, s->loop, sink, err) : NULL;
    if (s->rm && s->driver->note && notes_open(s->manager, err) < 0) {
        s->driver->close(s->rm);
        s->rm = NULL;
    }
    vec_fini(&asked.attrs);
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
    passed_load(s);
    restless_load(s);
    submissions_open(m);
    outbox_open(m);
    if (!s->simulation)
        return open_driver(s, &sink, err);
    simulation_connect(s, &sink);
    return simulation_begin(s, err);
}

void manager_close(struct server *s)
{
    struct manager *m = s->manager;

    if (!m)
        return;
    if (s->rm)
        s->driver->close(s->rm);
    s->rm = NULL;
    notes_close(m);
    outbox_close(m);
    vec_fini(&m->told);
    for (size_t i = 0; i < m->settled.n; i++)
        free(m->settled.v[i]);
    vec_fini(&m->settled);
    submissions_close(m);
    free(m->immediate);
    free(m->immediate_not);
    free(m);
    passed_forget(s);
    s->manager = NULL;
    rmreservation_close(s);
}

bool manager_idle(const struct server *s)
{
    const struct manager *m = s->manager;

    if (!m || !m->synced || !m->up || m->away || m->submissions.n)
        return false;
    return outbox_idle(m);
}

/* schedctl -f makes it look down. */
static const char *state_name(const struct server *s, const struct manager *m)
{
    return m->up && !s->control.rm_failure_until ? "Active" : "Down";
}

const char *manager_last_failure(const struct server *s)
{
    const struct manager *m = s->manager;

    if (!m || m->up || m->nfailures == 0)
        return NULL;
    return m->failures[(m->nfailures - 1) % FAILURES_KEPT].text;
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
