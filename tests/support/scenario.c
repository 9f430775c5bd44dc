/* SPDX-License-Identifier: Apache-2.0
 * See scenario.h. */
#include "scenario.h"

#include "base/strbuf.h"
#include "policy/reason.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct entry {
    struct sc_job job;
    bool submitted;
    bool active;
    int64_t started_at; /* -1 = never */
    int64_t ends_at;
    uint32_t starts;
    uint32_t refuse; /* starts the RM will refuse */
    char where[400];
    struct strbuf log;
};

struct scenario {
    struct settings *cfg;
    struct engine *engine;
    struct VEC(struct entry) jobs;
    bool by_node;
    int64_t now;
    uint32_t nodes;
    char why[400];
};

struct scenario *sc_create_with(const char *lines)
{
    struct scenario *s = xcalloc(1, sizeof *s);
    struct strbuf text = {0};

    strbuf_printf(&text,
        "NODEALLOCATIONPOLICY FIRSTAVAILABLE\nNODEAVAILABILITYPOLICY DEDICATED\n%s\n",
        lines);
    struct config *config = config_load_text("maui.cfg", text.text, text.len);
    for (size_t i = 0; i < config->findings.n; i++)
        fprintf(
            stderr, "%u: %s\n", config->findings.v[i].line, config->findings.v[i].text);
    if (config->findings.n)
        abort();
    s->cfg = config_take_settings(config);
    config_destroy(config);
    free(strbuf_take(&text));
    return s;
}

struct scenario *sc_create(void)
{
    return sc_create_with("");
}

void sc_destroy(struct scenario *s)
{
    engine_destroy(s->engine);
    settings_destroy(s->cfg);
    for (size_t i = 0; i < s->jobs.n; i++)
        free(strbuf_take(&s->jobs.v[i].log));
    vec_fini(&s->jobs);
    free(s);
}

struct settings *sc_settings(struct scenario *s)
{
    return s->cfg;
}

struct engine *sc_engine(struct scenario *s)
{
    struct engine_options opt = {.report_reservations = true};

    if (!s->engine)
        s->engine = engine_create(s->cfg, &opt);
    return s->engine;
}

static void apply(struct scenario *s, const struct event *ev)
{
    struct err err = {0};

    if (engine_apply(sc_engine(s), ev, NULL, &err) < 0) {
        fprintf(stderr, "event at %lld: %s\n", (long long)ev->at, err.text);
        abort();
    }
}

void sc_node(struct scenario *s, const struct node_desc *d)
{
    struct event ev = {.kind = EVENT_NODE, .at = s->now, .u.node = *d};

    apply(s, &ev);
    s->nodes++;
}

void sc_nodes(struct scenario *s, uint32_t count, int64_t procs)
{
    for (uint32_t i = 0; i < count; i++) {
        char name[32];
        snprintf(name, sizeof name, "n%u", s->nodes + 1);
        struct node_desc d = {.name = name,
            .state = NODE_IDLE,
            .cfg = {{procs, 1024 * procs, 1024 * procs, 1024 * procs}}};
        sc_node(s, &d);
    }
}

void sc_job(struct scenario *s, struct sc_job job)
{
    struct entry e = {.job = job, .started_at = -1};

    if (e.job.run_s == 0)
        e.job.run_s = e.job.limit_s;
    if (e.job.submit_at < s->now)
        e.job.submit_at = s->now;
    vec_push(&s->jobs, e);
}

void sc_force_by_node(struct scenario *s)
{
    s->by_node = true;
}

/* A held job that names a host keeps counts from being exact. */
static void submit_spoiler(struct scenario *s)
{
    const char *hosts[] = {"n1", NULL};
    struct req_desc req = {.tasks = 1, .hosts = hosts};
    struct event ev = {.kind = EVENT_SUBMIT, .at = 0};
    struct event hold = {.kind = EVENT_HOLD, .at = 0};

    ev.u.job =
        (struct job_desc){.id = "spoiler", .wclimit_s = 1, .reqs = &req, .nreqs = 1};
    ev.u.job.cred[CRED_USER] = "spoiler";
    apply(s, &ev);
    hold.u.hold.id = "spoiler";
    hold.u.hold.kinds = HOLD_SYSTEM;
    hold.u.hold.who.level = 1;
    hold.u.hold.who.name = "root";
    apply(s, &hold);
    s->by_node = false;
}

static void submit(struct scenario *s, struct entry *e)
{
    struct req_desc plain = {.tasks = e->job.procs, .nodes = e->job.nodes};
    struct event ev = {.kind = EVENT_SUBMIT, .at = s->now};
    const struct sc_job *j = &e->job;

    ev.u.job = (struct job_desc){.id = j->id,
        .submit_at = j->submit_at,
        .wclimit_s = j->limit_s,
        .release_at = j->release_at,
        .flags = j->flags,
        .state = j->state,
        .deps = j->deps,
        .partitions = j->partitions,
        .reqs = j->req ? j->req : &plain,
        .nreqs = j->nreqs ? j->nreqs : 1};
    ev.u.job.cred[CRED_USER] = j->user ? j->user : "user";
    ev.u.job.cred[CRED_GROUP] = j->group;
    ev.u.job.cred[CRED_ACCOUNT] = j->account;
    ev.u.job.cred[CRED_CLASS] = j->cls;
    ev.u.job.cred[CRED_QOS] = j->qos;
    apply(s, &ev);
    e->submitted = true;
    if (j->priority) {
        struct event pr = {.kind = EVENT_PRIORITY, .at = s->now};
        pr.u.priority.id = j->id;
        pr.u.priority.n = j->priority;
        apply(s, &pr);
    }
    if (j->holds) {
        struct event hold = {.kind = EVENT_HOLD, .at = s->now};
        hold.u.hold.id = j->id;
        hold.u.hold.kinds = j->holds;
        hold.u.hold.who.level = 1;
        hold.u.hold.who.name = "root";
        apply(s, &hold);
    }
}

static struct entry *find(const struct scenario *s, const char *id)
{
    for (size_t i = 0; i < s->jobs.n; i++)
        if (strcmp(s->jobs.v[i].job.id, id) == 0)
            return &s->jobs.v[i];
    return NULL;
}

static int compare_nodes(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;

    return (x[0] > y[0]) - (x[0] < y[0]);
}

static void record_where(struct scenario *s, struct entry *e, const struct job *j)
{
    struct VEC(uint32_t) pairs = {0};
    size_t len = 0;

    for (size_t i = 0; i < j->alloc.n; i++)
        for (uint32_t k = 0; k < j->alloc.v[i].count; k++) {
            vec_push(&pairs, j->alloc.v[i].first + k);
            vec_push(&pairs, j->alloc.v[i].tasks);
        }
    if (pairs.n)
        qsort(pairs.v, pairs.n / 2, 2 * sizeof *pairs.v, compare_nodes);
    e->where[0] = 0;
    for (size_t i = 0; i + 1 < pairs.n && len < sizeof e->where - 40; i += 2) {
        const struct node *n = engine_cluster(s->engine)->nodes.v[pairs.v[i]];
        len += (size_t)snprintf(e->where + len, sizeof e->where - len, "%s%s:%u",
            len ? " " : "", n->name, pairs.v[i + 1]);
    }
    vec_fini(&pairs);
}

static void write_log(struct entry *e, const struct action *a, int64_t now)
{
    static const char *const names[] = {[ACTION_START] = "start",
        [ACTION_CANCEL] = "cancel",
        [ACTION_REQUEUE] = "requeue",
        [ACTION_HOLD] = "hold",
        [ACTION_DEFER] = "defer",
        [ACTION_RESERVE] = "reserve",
        [ACTION_RELEASE] = "release",
        [ACTION_TRIGGER] = "trigger"};

    strbuf_printf(&e->log, "%s%s", e->log.len ? " " : "",
        a->kind == ACTION_START && a->backfill ? "backfill" : names[a->kind]);
    if (a->kind == ACTION_DEFER || a->kind == ACTION_RESERVE)
        strbuf_printf(&e->log, "(%lld)", (long long)a->at);
    strbuf_printf(&e->log, "@%lld", (long long)now);
}

static void take_actions(struct scenario *s, const struct actions *acts)
{
    struct cluster *c = engine_cluster(s->engine);

    for (size_t i = 0; i < acts->n; i++) {
        const struct action *a = &acts->v[i];
        const struct job *j = c->jobs.v[a->job];
        struct entry *e = j ? find(s, j->id) : NULL;
        if (!e)
            continue;
        write_log(e, a, s->now);
        if (a->kind == ACTION_START) {
            e->active = true;
            e->starts++;
            e->started_at = s->now;
            e->ends_at = s->now + e->job.run_s;
            record_where(s, e, j);
        } else if (a->kind == ACTION_REQUEUE || a->kind == ACTION_CANCEL) {
            e->active = false;
        }
    }
}

/* What the resource manager says to the starts it was told to refuse. */
static void refuse_starts(struct scenario *s)
{
    for (size_t i = 0; i < s->jobs.n; i++) {
        struct entry *e = &s->jobs.v[i];
        if (!e->active || !e->refuse)
            continue;
        struct event ev = {.kind = EVENT_START_FAILED, .at = s->now};
        ev.u.failed.id = e->job.id;
        ev.u.failed.reason = REASON_RMFAILURE;
        ev.u.failed.text = "cannot start job";
        e->refuse--;
        e->active = false;
        apply(s, &ev);
    }
}

void sc_cycle(struct scenario *s)
{
    struct actions acts = {0};

    engine_cycle(s->engine, s->now, &acts);
    take_actions(s, &acts);
    vec_fini(&acts);
    refuse_starts(s);
    cluster_check(engine_cluster(s->engine));
}

static int64_t next_event(const struct scenario *s)
{
    int64_t next = engine_next_wakeup(s->engine);

    for (size_t i = 0; i < s->jobs.n; i++) {
        const struct entry *e = &s->jobs.v[i];
        int64_t at = !e->submitted ? e->job.submit_at
                     : e->active   ? e->ends_at
                                   : TIME_NEVER;
        if (at < next)
            next = at;
    }
    return next;
}

void sc_run_until(struct scenario *s, int64_t until)
{
    sc_engine(s);
    if (s->by_node)
        submit_spoiler(s);
    for (int64_t at = next_event(s); at < TIME_NEVER && at <= until;
         at = next_event(s)) {
        assert(at >= s->now);
        s->now = at;
        for (size_t i = 0; i < s->jobs.n; i++) {
            struct entry *e = &s->jobs.v[i];
            if (!e->active || e->ends_at != at)
                continue;
            struct event ev = {.kind = EVENT_END, .at = at};
            ev.u.end.id = e->job.id;
            ev.u.end.how = EV_COMPLETE;
            e->active = false;
            apply(s, &ev);
        }
        for (size_t i = 0; i < s->jobs.n; i++)
            if (!s->jobs.v[i].submitted && s->jobs.v[i].job.submit_at == at)
                submit(s, &s->jobs.v[i]);
        sc_cycle(s);
    }
}

void sc_at(struct scenario *s, int64_t at)
{
    sc_run_until(s, at);
    s->now = at;
    sc_cycle(s);
}

void sc_run(struct scenario *s)
{
    sc_run_until(s, TIME_NEVER - 1);
}

int sc_apply(struct scenario *s, struct event ev, struct err *err)
{
    ev.at = s->now;
    return engine_apply(sc_engine(s), &ev, NULL, err);
}

static int hold_event(struct scenario *s, enum event_kind kind, const char *id,
    unsigned kinds, const char *who)
{
    struct event ev = {.kind = kind};
    struct err err = {0};

    ev.u.hold.id = id;
    ev.u.hold.kinds = kinds;
    ev.u.hold.who.name = who;
    ev.u.hold.who.level = strcmp(who, "root") == 0;
    ev.u.hold.reason = REASON_ADMIN;
    return sc_apply(s, ev, &err);
}

int sc_hold(struct scenario *s, const char *id, unsigned kinds, const char *who)
{
    return hold_event(s, EVENT_HOLD, id, kinds, who);
}

int sc_release(struct scenario *s, const char *id, unsigned kinds, const char *who)
{
    return hold_event(s, EVENT_RELEASE_HOLD, id, kinds, who);
}

void sc_cancel(struct scenario *s, const char *id)
{
    struct event ev = {.kind = EVENT_CANCEL, .at = s->now};

    ev.u.end.id = id;
    ev.u.end.how = EV_CANCEL;
    find(s, id)->active = false;
    apply(s, &ev);
}

void sc_node_state(struct scenario *s, const char *node, enum node_state state)
{
    struct event ev = {.kind = EVENT_NODE_STATE, .at = s->now};

    ev.u.node_state.name = node;
    ev.u.node_state.state = state;
    apply(s, &ev);
}

void sc_refuse_starts(struct scenario *s, const char *id, uint32_t times)
{
    find(s, id)->refuse = times;
}

int64_t sc_now(const struct scenario *s)
{
    return s->now;
}

int64_t sc_start(const struct scenario *s, const char *id)
{
    return find(s, id)->started_at;
}

uint32_t sc_starts(const struct scenario *s, const char *id)
{
    return find(s, id)->starts;
}

const char *sc_where(struct scenario *s, const char *id)
{
    return find(s, id)->where;
}

struct job *sc_find(struct scenario *s, const char *id)
{
    struct job *j = job_find(engine_cluster(s->engine), id);

    return j && j->state < JOB_COMPLETED ? j : NULL;
}

const char *sc_log(struct scenario *s, const char *id)
{
    const struct entry *e = find(s, id);

    return e->log.len ? e->log.text : "";
}

int64_t sc_reserved(const struct scenario *s, const char *id)
{
    const struct job *j = job_find(engine_cluster(s->engine), id);

    return j && j->rsv_start_at ? j->rsv_start_at : -1;
}

const char *sc_why(struct scenario *s, const char *id)
{
    const struct job *j = job_find(engine_cluster(s->engine), id);

    reason_format(
        engine_cluster(s->engine), engine_why(s->engine, j), s->why, sizeof s->why);
    return s->why;
}

enum wait_code sc_why_code(struct scenario *s, const char *id)
{
    const struct job *j = job_find(engine_cluster(s->engine), id);

    return (enum wait_code)engine_why(s->engine, j)->code;
}
