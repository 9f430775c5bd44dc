/* SPDX-License-Identifier: Apache-2.0
 * The side of one resource manager: its reports become events of the engine
 * (managers/jobs.c), the engine's decisions become commands (outbox/), what users
 * submit is handed on (submissions.c). Here: its driver. */
#define LOG_FACILITY FACILITY_RM
#include "base/home.h"
#include "base/strbuf.h"
#include "config/settings.h"
#include "rm/wire.h"
#include "server/api/rights.h"
#include "server/durable/nodekeep.h"
#include "server/durable/record.h"
#include "server/events/feed.h"
#include "server/events/stalls.h"
#include "server/managers/floats.h"
#include "server/managers/nodewords.h"
#include "server/managers/private.h"
#include "server/managers/reservation.h"
#include "server/server_private.h"
#include "server/simulation/simulation.h"

#include <inttypes.h>
#include <strings.h>

void manager_apply(struct manager *m, struct event *ev, const char *id)
{
    struct err err = {0};

    /* `id` is still there: nothing changes when it fails */
    if (world_apply(m->s, ev, NULL, &err) < 0)
        log_line(m->s->log, LOG_WARNING, "what is told of '%s' is not taken: %s", id,
            err.text);
}

/* What floats is of all of them. */
static bool is_shared(const struct manager *m, const char *node)
{
    return managers_several(m->s) && floats_are_of(node);
}

/* Lists show them, though they are no event. */
static void note_words(struct manager *m, const char *node, const char *said)
{
    const struct node *n = node_find(engine_cluster(m->s->engine), node);

    if (!n || !nodewords_told(m->s->managers->words, n->index, said))
        return;
    feed_touch(m->s, FEED_NODE, node);
    commit_want(m->s);
}

/* Who asks all nodes each time tells the same of most: that is no event. */
static void take_node(struct manager *m, const struct node_desc *d)
{
    struct event ev = {.kind = EVENT_NODE, .u.node = *d};

    if (is_shared(m, d->name))
        ev.u.node.gres = floats_told(m->s->managers->floats, m->name, d->gres);
    if (!node_report_is_known(engine_cluster(m->s->engine), &ev.u.node))
        manager_apply(m, &ev, d->name);
    note_words(m, d->name, d->said);
    if (!floats_are_of(d->name))
        nodekeep_told(m->s, m->name, border_node_out(m->border, d->name), d);
}

static void lose_node(struct manager *m, const char *node)
{
    struct event ev = {.kind = EVENT_NODE_GONE, .u.node_state = {node, NODE_DOWN}};

    if (is_shared(m, node))
        ev = (struct event){.kind = EVENT_NODE,
            .u.node = {.name = node,
                .state = NODE_IDLE,
                .gres = floats_told(m->s->managers->floats, m->name, NULL)}};
    manager_apply(m, &ev, node);
    note_words(m, node, NULL);
    nodekeep_gone(m->s, node);
}

static void take_report(struct manager *m, const struct rm_report *r)
{
    struct event ev;

    switch (r->kind) {
    case RM_NODE:
        take_node(m, &r->u.node);
        break;
    case RM_NODE_GONE:
        lose_node(m, r->u.name);
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
        rmreservation_told(m, r->u.reservation);
        break;
    case RM_RESERVATION_GONE:
        rmreservation_gone(m, r->u.name);
        break;
    case RM_QUOTAS:
        ev = (struct event){.kind = EVENT_QUOTAS, .u.quotas = r->u.quotas};
        manager_apply(m, &ev, r->u.quotas.source);
        log_line(m->s->log, LOG_ACTION, "%s tells %zu groups of limits",
            r->u.quotas.source, r->u.quotas.n);
        break;
    case RM_RIGHTS:
        rights_take(m->s->api.rights,
            !managers_several(m->s) ? NULL
            : m->known_as           ? m->known_as
                                    : "",
            &r->u.rights);
        break;
    case RM_SYNCED:
        rmjobs_synced(m);
        break;
    case RM_DONE:
        if (!submissions_answered(m, r))
            outbox_answered(m, r);
        break;
    case RM_HEALTH:
        health_told(m, r);
        break;
    }
}

static void on_report(void *ctx, const struct rm_report *r)
{
    struct manager *m = ctx;
    struct border_room room;

    stalls_doing(m->s, "report");
    if (managers_hold(m, r))
        return;
    size_t mark = border_begin(m->border);
    struct rm_report here = border_report_in(m->border, r, &room);

    take_report(m, &here);
    border_end(m->border, mark);
}

static void hear_line(struct manager *m, const char *line)
{
    struct reader reader;
    struct rm_report r;
    struct wire_room room;
    struct err err = {0};

    if (reader_open(&reader, "report", line, strlen(line), &err) == 0
        && wire_read_report(&reader, &r, &room, &err) == 0)
        on_report(m, &r);
    else
        log_line(m->s->log, LOG_ALERT, "a report is lost: %s", err.text);
    reader_close(&reader);
}

void manager_hear(struct manager *m)
{
    struct VEC(char *) lines = {0};

    for (size_t i = 0; i < m->held.n; i++)
        vec_push(&lines, m->held.v[i]);
    m->held.n = 0;
    for (size_t i = 0; i < lines.n; i++) {
        hear_line(m, lines.v[i]);
        free(lines.v[i]);
    }
    vec_fini(&lines);
}

/* In a copy: numbers are the other process's to give. */
void manager_number_tried(struct manager *m, char *ret_id, size_t size)
{
    snprintf(ret_id, size, "whatif%" PRIu64, ++m->next_token);
}

int manager_take_id(struct manager *m, char *ret_id, size_t size, struct err *err)
{
    if (!m->rm && !m->s->tries)
        return err_set(err, ERR_IO, "the resource manager is not there");
    if (m->driver && !m->driver->take_id)
        return err_set(err, ERR_INVALID,
            "the resource manager names jobs itself: it takes no arrays");
    if (m->s->tries) {
        manager_number_tried(m, ret_id, size);
        return 0;
    }
    return m->driver->take_id(m->rm, ret_id, size, err);
}

void manager_id_here(const struct manager *m, const char *id, char *ret_id, size_t size)
{
    size_t mark = border_begin(m->border);

    snprintf(ret_id, size, "%s", border_job_in(m->border, id));
    border_end(m->border, mark);
}

const struct rm_driver *manager_driver(
    const struct raw_object *section, struct err *err)
{
    const struct rm_cfg cfg = {.section = section};
    const char *type = section ? rm_cfg_attr(&cfg, "TYPE") : NULL;

    return rm_driver_find(type ? type : "LOCAL", err);
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

/* Where a local one keeps its jobs when RMCFG does not say: each has a folder of its
 * own. */
static char *spool_of(const struct manager *m)
{
    struct strbuf file = {0};

    strbuf_printf(
        &file, "spool%s%s", m->known_as ? "-" : "", m->known_as ? m->known_as : "");
    char *path = home_file(m->s->paths.home, file.text);
    free(file.text);
    return path;
}

/* Nothing is worked out for one that shows nothing. */
static bool shows_notes(const struct manager *m, const struct raw_object *section)
{
    const char *rate = config_section_attr(section, "NOTES");

    return m->driver->note && (!rate || strtol(rate, NULL, 10) != 0);
}

static const struct rm_keeping *find_keeping(
    const struct manager *m, const struct raw_object *section)
{
    const struct rm_keeping *keeps = m->driver->keeps;

    return keeps && keeps->needs && !config_section_attr(section, keeps->needs) ? NULL
                                                                                : keeps;
}

struct rm *manager_rest(struct manager *m)
{
    struct rm *rm = m->rm;

    if (!rm || !m->driver->rest || !m->driver->rest(rm))
        return NULL;
    m->rm = NULL;
    return rm;
}

/* What was left open before, if it can. */
static struct rm *tell_again(
    struct manager *m, const struct rm_cfg *cfg, const struct rm_sink *sink)
{
    struct rm *rm = managers_take_left(m->s->managers, m->name);
    struct err err;

    if (!rm || m->driver->tell_again(rm, cfg, sink, &err) == 0)
        return rm;
    m->driver->close(rm);
    return NULL;
}

int manager_begin(struct manager *m, const struct raw_object *section, struct err *err)
{
    struct server *s = m->s;
    const struct rm_sink sink = {on_report, m};
    char *spool = spool_of(m);
    struct rm_cfg cfg = {.name = m->name,
        .section = section,
        .settings = s->config->settings,
        .spool = spool,
        .home = s->paths.home,
        .last_number = record_last_number(s)};
    struct raw_object asked = {0};

    if (s->opt.nodes) {
        ask_for_nodes(s, section, &asked);
        cfg.section = &asked;
    }
    m->driver = manager_driver(cfg.section, err);
    m->rm = m->driver ? tell_again(m, &cfg, &sink) : NULL;
    if (m->driver && !m->rm)
        m->rm = m->driver->open(&cfg, s->loop, &sink, err);
    if (m->rm && shows_notes(m, cfg.section) && notes_open(m, err) < 0) {
        m->driver->close(m->rm);
        m->rm = NULL;
    }
    m->keeps = m->rm ? find_keeping(m, cfg.section) : NULL;
    vec_fini(&asked.attrs);
    free(spool);
    return m->rm ? 0 : -1;
}

int manager_simulate(struct manager *m, struct err *err)
{
    const struct rm_sink sink = {on_report, m};

    m->rm = simulation_connect(m->s, &sink, &m->driver);
    return simulation_begin(m->s, err);
}

struct manager *manager_new(struct server *s, const char *name, bool plain)
{
    struct manager *m = xcalloc(1, sizeof *m);

    m->s = s;
    m->name = xstrdup(name);
    m->known_as = plain ? NULL : m->name;
    m->health = health_new();
    m->border = border_new(m);
    submissions_open(m);
    outbox_open(m);
    return m;
}

void manager_end(struct manager *m)
{
    if (m->rm)
        m->driver->close(m->rm);
    m->rm = NULL;
    notes_close(m);
    outbox_close(m);
    vec_fini(&m->told);
    for (size_t i = 0; i < m->settled.n; i++)
        free(m->settled.v[i]);
    vec_fini(&m->settled);
    submissions_close(m);
    rmreservation_close(m);
    for (size_t i = 0; i < m->held.n; i++)
        free(m->held.v[i]);
    vec_fini(&m->held);
    border_free(m->border);
    health_free(m->health);
    free(m->immediate);
    free(m->immediate_not);
    free(m->name);
    free(m);
}

static void settle_ended(struct manager *m)
{
    for (size_t i = 0; i < m->settled.n; i++) {
        size_t mark = border_begin(m->border);
        if (m->rm)
            m->driver->settled(m->rm, border_job_out(m->border, m->settled.v[i]));
        border_end(m->border, mark);
        free(m->settled.v[i]);
    }
    m->settled.n = 0;
}

void manager_settle(struct server *s)
{
    for (size_t i = 0; s->managers && i < s->managers->v.n; i++)
        settle_ended(s->managers->v.v[i]);
}

void manager_poll(struct server *s)
{
    for (size_t i = 0; s->managers && i < s->managers->v.n; i++) {
        struct manager *m = s->managers->v.v[i];
        managers_try_again(m);
        if (!m->rm)
            continue;
        m->driver->poll(m->rm);
        outbox_again(m);
        health_look(m);
    }
}
