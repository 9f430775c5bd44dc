/* SPDX-License-Identifier: Apache-2.0
 * See scenario.h. */
#include "scenario.h"

#include "base/strbuf.h"
#include "engine/check.h"
#include "engine/engine_private.h"
#include "engine/events/events.h"
#include "policy/fsmemory.h"
#include "policy/reason.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct sc_entry {
    struct sc_job job;
    bool submitted;
    bool active;
    int64_t started_at; /* -1 = never */
    int64_t ends_at;
    int64_t left_s; /* to run after a suspension or checkpoint, 0 = all */
    uint32_t starts;
    uint32_t refuse; /* starts the RM will refuse */
    bool stays;      /* it will refuse to send it back to the queue */
    char where[400];
    struct strbuf log;
    char *said; /* by the last action; owned */
};

struct scenario {
    struct settings *cfg;
    struct VEC(struct settings *) former; /* settings replaced */
    struct engine *engine;
    struct engine_options opt;
    struct VEC(struct sc_entry) jobs;
    struct strbuf fired;
    char held[400];
    void (*after_cycle)(void *ctx, struct scenario *s);
    void *ctx;
    bool by_node, spoiled;
    int64_t now;
    uint32_t nodes;
    char why[400];
};

static struct settings *load(const char *lines)
{
    struct strbuf text = {0};

    if (!strstr(lines, "NODEALLOCATIONPOLICY "))
        strbuf_add(&text, "NODEALLOCATIONPOLICY FIRSTAVAILABLE\n");
    if (!strstr(lines, "NODEAVAILABILITYPOLICY "))
        strbuf_add(&text, "NODEAVAILABILITYPOLICY DEDICATED\n");
    strbuf_printf(&text, "%s\n", lines);
    struct config *config = config_load_text("maui.cfg", text.text, text.len);
    for (size_t i = 0; i < config->findings.n; i++)
        fprintf(
            stderr, "%u: %s\n", config->findings.v[i].line, config->findings.v[i].text);
    if (config->findings.n)
        abort();
    struct settings *cfg = config_take_settings(config);
    config_destroy(config);
    free(strbuf_take(&text));
    return cfg;
}

struct scenario *sc_create_with(const char *lines)
{
    struct scenario *s = xcalloc(1, sizeof *s);

    s->cfg = load(lines);
    s->opt = (struct engine_options){.report_reservations = true, .statistics = true};
    return s;
}

void sc_begin_at(struct scenario *s, int64_t at)
{
    assert(!s->engine);
    s->now = at;
}

void sc_configure(struct scenario *s, const char *lines)
{
    struct event ev = {.kind = EVENT_SETTINGS};
    struct err err = {0};

    vec_push(&s->former, s->cfg);
    s->cfg = load(lines);
    ev.u.settings = s->cfg;
    if (sc_apply(s, ev, &err) < 0)
        abort();
}

struct scenario *sc_create(void)
{
    return sc_create_with("");
}

void sc_destroy(struct scenario *s)
{
    engine_destroy(s->engine);
    settings_destroy(s->cfg);
    for (size_t i = 0; i < s->former.n; i++)
        settings_destroy(s->former.v[i]);
    vec_fini(&s->former);
    free(strbuf_take(&s->fired));
    for (size_t i = 0; i < s->jobs.n; i++) {
        free(strbuf_take(&s->jobs.v[i].log));
        free(s->jobs.v[i].said);
    }
    vec_fini(&s->jobs);
    free(s);
}

struct settings *sc_settings(struct scenario *s)
{
    return s->cfg;
}

struct engine *sc_engine(struct scenario *s)
{
    if (!s->engine)
        s->engine = engine_create(s->cfg, &s->opt);
    return s->engine;
}

struct engine_options *sc_options(struct scenario *s)
{
    assert(!s->engine);
    return &s->opt;
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
    struct sc_entry e = {.job = job, .started_at = -1};

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

struct scenario *sc_begin(
    const char *lines, uint32_t nodes, int64_t procs, bool by_node)
{
    struct scenario *s = sc_create_with(lines);

    sc_nodes(s, nodes, procs);
    if (by_node)
        sc_force_by_node(s);
    return s;
}

/* A held job that names hosts keeps counts from being exact there. */
static void submit_spoiler(struct scenario *s)
{
    const struct cluster *c = engine_cluster(s->engine);
    const char **hosts = xcalloc(c->nodes.n + 1, sizeof *hosts);
    struct req_desc req = {.tasks = 1, .hosts = hosts};
    struct event ev = {.kind = EVENT_SUBMIT, .at = 0};
    struct event hold = {.kind = EVENT_HOLD, .at = 0};

    for (size_t i = 0; i < c->nodes.n; i++)
        hosts[i] = node_at(c, i)->name;
    ev.u.job =
        (struct job_desc){.id = "spoiler", .wclimit_s = 1, .reqs = &req, .nreqs = 1};
    ev.u.job.cred[CRED_USER] = "spoiler";
    apply(s, &ev);
    hold.u.hold.id = "spoiler";
    hold.u.hold.kinds = HOLD_SYSTEM;
    hold.u.hold.who.level = 1;
    hold.u.hold.who.name = "root";
    apply(s, &hold);
    free(hosts);
    s->by_node = false;
    s->spoiled = true;
}

static struct req_desc plain_request(const struct sc_job *j)
{
    return (struct req_desc){
        .tasks = j->procs, .nodes = j->nodes, .nodealloc = NODEALLOC_UNSET};
}

static struct job_desc describe(const struct sc_job *j, const struct req_desc *plain)
{
    struct job_desc d = {.id = j->id,
        .submit_at = j->submit_at,
        .wclimit_s = j->limit_s,
        .release_at = j->release_at,
        .deadline_at = j->deadline_at,
        .min_wclimit_s = j->min_limit_s,
        .overtime_s = j->overtime_s,
        .flags = j->flags,
        .advres = j->advres,
        .admitted = j->admitted,
        .tier = j->tier,
        .rm = j->rm,
        .state = j->state,
        .deps = j->deps,
        .array_limit = j->array_limit,
        .partitions = j->partitions,
        .classes = j->classes,
        .reqs = j->req ? j->req : plain,
        .nreqs = j->nreqs ? j->nreqs : 1};

    d.cred[CRED_USER] = j->user ? j->user : "user";
    d.cred[CRED_GROUP] = j->group;
    d.cred[CRED_ACCOUNT] = j->account;
    d.cred[CRED_CLASS] = j->classes ? j->classes[0] : j->cls;
    d.cred[CRED_QOS] = j->qos;
    return d;
}

static void submit(struct scenario *s, struct sc_entry *e)
{
    struct req_desc plain = plain_request(&e->job);
    struct event ev = {
        .kind = EVENT_SUBMIT, .at = s->now, .u.job = describe(&e->job, &plain)};
    const struct sc_job *j = &e->job;

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

static struct sc_entry *find(const struct scenario *s, const char *id)
{
    for (size_t i = 0; i < s->jobs.n; i++)
        if (strcmp(s->jobs.v[i].job.id, id) == 0)
            return &s->jobs.v[i];
    return NULL;
}

static void tell_nodes(struct scenario *s, const struct cluster *before)
{
    for (size_t i = 0; i < before->nodes.n; i++) {
        const struct node *n = node_at(before, i);
        struct event ev = {.kind = EVENT_NODE,
            .at = s->now,
            .u.node = {.name = n->name, .state = n->state, .cfg = n->cfg}};
        apply(s, &ev);
    }
}

static void tell_job(struct scenario *s, struct engine *before, const struct job *j)
{
    struct sc_entry *e = find(s, j->id);
    struct req_desc plain = e ? plain_request(&e->job) : (struct req_desc){0};
    struct job_memory memory = engine_memory_of(before, j);
    struct event ev = {.kind = EVENT_SUBMIT, .at = s->now};
    struct VEC(struct job_place) places = {0};

    if (!e || j->state >= JOB_COMPLETED)
        return;
    for (size_t i = 0; job_has_begun(j->state) && i < j->alloc.n; i++)
        for (uint32_t k = 0; k < j->alloc.v[i].count; k++) {
            const struct alloc *a = &j->alloc.v[i];
            const struct node *n = node_at(engine_cluster(before), a->first + k);
            vec_push(&places, ((struct job_place){n->name, a->tasks, a->req}));
        }
    memory.world_changed = engine_restless(before);
    ev.u.job = describe(&e->job, &plain);
    ev.u.job.memory = &memory;
    ev.u.job.state = j->state;
    ev.u.job.start_at = job_has_begun(j->state) ? j->start_at : 0;
    ev.u.job.places = places.v;
    ev.u.job.nplaces = places.n;
    apply(s, &ev);
    vec_fini(&places);
}

static void load_usage(void *ctx, const struct fs_memory *m)
{
    struct scenario *s = ctx;

    apply(s,
        &(struct event){
            .kind = EVENT_FAIRSHARE, .at = s->now, .u.fairshare = {.rows = m, .n = 1}});
}

static void load_statistics(void *ctx, const struct stat_record *r)
{
    struct scenario *s = ctx;

    statistics_load(
        engine_statistics(sc_engine(s)), engine_cluster(sc_engine(s)), r, s->now);
}

/* What is kept of before: the daemon has it in its file. */
static void tell_learned(struct scenario *s, struct engine *before)
{
    struct cluster *c = engine_cluster(before);

    if (engine_statistics(before))
        statistics_each(engine_statistics(before), c, true, s->now, s, load_statistics);
    fsmemory_each(c, true, s->now, s, load_usage);
}

void sc_restart(struct scenario *s)
{
    struct engine *before = s->engine;
    const struct cluster *c = engine_cluster(before);

    s->engine = NULL;
    tell_learned(s, before);
    tell_nodes(s, c);
    if (s->spoiled)
        submit_spoiler(s);
    for (size_t i = 0; i < c->jobs.n; i++)
        if (c->jobs.v[i])
            tell_job(s, before, c->jobs.v[i]);
    engine_destroy(before);
}

static int compare_nodes(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;

    return (x[0] > y[0]) - (x[0] < y[0]);
}

static void write_nodes(
    const struct cluster *c, const struct allocs *alloc, char *buf, size_t size)
{
    struct VEC(uint32_t) pairs = {0};
    size_t len = 0;

    for (size_t i = 0; i < alloc->n; i++)
        for (uint32_t k = 0; k < alloc->v[i].count; k++) {
            vec_push(&pairs, alloc->v[i].first + k);
            vec_push(&pairs, alloc->v[i].tasks);
        }
    if (pairs.n)
        qsort(pairs.v, pairs.n / 2, 2 * sizeof *pairs.v, compare_nodes);
    buf[0] = 0;
    for (size_t i = 0; i + 1 < pairs.n && len < size - 40; i += 2)
        len += (size_t)snprintf(buf + len, size - len, "%s%s:%u", len ? " " : "",
            node_at(c, pairs.v[i])->name, pairs.v[i + 1]);
    vec_fini(&pairs);
}

static void write_log(struct sc_entry *e, const struct action *a, int64_t now)
{
    strbuf_printf(&e->log, "%s%s", e->log.len ? " " : "",
        a->kind == ACTION_START && a->backfill ? "backfill"
                                               : action_kind_name(a->kind));
    if (a->kind == ACTION_DEFER || a->kind == ACTION_RESERVE)
        strbuf_printf(&e->log, "(%lld)", (long long)a->at);
    strbuf_printf(&e->log, "@%lld", (long long)now);
    free(e->said);
    e->said = a->text ? xstrdup(a->text) : NULL;
}

static void write_fired(struct scenario *s, const struct action *a)
{
    const struct reservation *r = engine_cluster(s->engine)->reservations.v[a->rsv];
    const struct trigger *t = &r->triggers.v[a->trigger];

    strbuf_printf(&s->fired, "%s%s:%s", s->fired.len ? " " : "", r->base,
        trigger_action_name(t->action));
    if (a->text)
        strbuf_printf(&s->fired, "(%s)", a->text);
    strbuf_printf(&s->fired, "@%lld", (long long)a->at);
}

/* It has left its nodes; or (true) has not, and runs on there since it began. */
static bool tell_stop(
    struct scenario *s, struct sc_entry *e, const struct action *a, const struct job *j)
{
    struct event ev = {.kind = EVENT_JOB_STATE, .at = s->now};
    struct VEC(struct job_place) places = {0};
    struct cluster *c = engine_cluster(s->engine);
    struct err err;

    if (j->state >= JOB_COMPLETED)
        return false;
    ev.u.job_state.id = j->id;
    ev.u.job_state.state = JOB_IDLE;
    if (e->stays && job_is_active(j)) /* its next start is taken back */
        apply(s, &ev);
    for (size_t i = 0; e->stays && i < j->alloc.n; i++)
        for (uint32_t n = 0; n < j->alloc.v[i].count; n++)
            vec_push(&places,
                ((struct job_place){.node = node_at(c, j->alloc.v[i].first + n)->name,
                    .tasks = j->alloc.v[i].tasks}));
    ev.u.job_state.state = JOB_RUNNING;
    ev.u.job_state.places = places.v;
    ev.u.job_state.nplaces = places.n;
    bool stays = places.n && engine_apply(sc_engine(s), &ev, NULL, &err) == 0;
    if (stays) {
        ev.u.job_state.start_at = a->start_at;
    } else {
        ev = (struct event){.kind = EVENT_LEFT, .at = s->now, .u.left.id = j->id};
    }
    apply(s, &ev);
    vec_fini(&places);
    e->stays = false;
    return stays;
}

static void take_actions(struct scenario *s, const struct actions *acts)
{
    struct cluster *c = engine_cluster(s->engine);

    for (size_t i = 0; i < acts->n; i++) {
        const struct action *a = &acts->v[i];
        if (a->kind == ACTION_TRIGGER)
            write_fired(s, a);
        const struct job *j = a->kind == ACTION_TRIGGER ? NULL : c->jobs.v[a->job];
        struct sc_entry *e = j ? find(s, j->id) : NULL;
        if (!e)
            continue;
        write_log(e, a, s->now);
        if ((a->kind == ACTION_REQUEUE || a->kind == ACTION_CHECKPOINT)
            && s->opt.stops_told && tell_stop(s, e, a, j))
            continue;
        if (a->kind == ACTION_START) {
            e->active = true;
            e->starts++;
            e->started_at = s->now;
            e->ends_at = s->now + (e->left_s > 0 ? e->left_s : e->job.run_s);
            write_nodes(c, &j->alloc, e->where, sizeof e->where);
        } else if (a->kind == ACTION_REQUEUE || a->kind == ACTION_CANCEL) {
            e->active = false;
            e->left_s = 0;
        } else if (a->kind == ACTION_SUSPEND || a->kind == ACTION_CHECKPOINT) {
            e->active = false;
            e->left_s = e->ends_at - s->now;
        } else if (a->kind == ACTION_RESUME) {
            e->active = true;
            e->ends_at = s->now + e->left_s;
        }
    }
}

/* What the resource manager says to the starts it was told to refuse. */
static void refuse_starts(struct scenario *s)
{
    for (size_t i = 0; i < s->jobs.n; i++) {
        struct sc_entry *e = &s->jobs.v[i];
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

/* What it says to all the others, where somebody waits for that. */
static void tell_starts(struct scenario *s)
{
    struct cluster *c = engine_cluster(s->engine);

    for (size_t i = 0; s->opt.starts_told && i < c->active.n; i++) {
        const struct job *j = c->jobs.v[c->active.v[i]];
        struct event ev = {.kind = EVENT_JOB_STATE, .at = s->now};
        if (j->state != JOB_STARTING)
            continue;
        ev.u.job_state.id = j->id;
        ev.u.job_state.state = JOB_RUNNING;
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
    tell_starts(s);
    engine_check(s->engine);
    if (s->after_cycle)
        s->after_cycle(s->ctx, s);
}

void sc_watch(
    struct scenario *s, void (*after_cycle)(void *ctx, struct scenario *s), void *ctx)
{
    s->after_cycle = after_cycle;
    s->ctx = ctx;
}

static int64_t next_event(const struct scenario *s)
{
    int64_t next = engine_next_wakeup(s->engine);

    for (size_t i = 0; i < s->jobs.n; i++) {
        const struct sc_entry *e = &s->jobs.v[i];
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
            struct sc_entry *e = &s->jobs.v[i];
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

int sc_report(struct scenario *s, const char *id, enum job_state state,
    const struct job_place *place, struct err *err)
{
    struct event ev = {.kind = EVENT_JOB_STATE};
    struct sc_entry *e = find(s, id);

    ev.u.job_state.id = id;
    ev.u.job_state.state = state;
    ev.u.job_state.places = place;
    ev.u.job_state.nplaces = place != NULL;
    if (sc_apply(s, ev, err) < 0)
        return -1;
    if (state == JOB_RUNNING && !e->active)
        e->ends_at = s->now + (e->left_s > 0 ? e->left_s : e->job.run_s);
    if (state == JOB_SUSPENDED && e->active)
        e->left_s = e->ends_at - s->now;
    else if (state == JOB_IDLE || state == JOB_HOLD)
        e->left_s = 0;
    e->active = state == JOB_RUNNING;
    return 0;
}

void sc_node_state(struct scenario *s, const char *node, enum node_state state)
{
    struct event ev = {.kind = EVENT_NODE_STATE, .at = s->now};

    ev.u.node_state.name = node;
    ev.u.node_state.state = state;
    apply(s, &ev);
}

static struct reservation draft_of(struct cluster *c, const struct sc_rsv *r)
{
    struct reservation d = reservation_draft(RSV_ADMIN);
    struct sr_resources each = {0};
    struct node_list hosts = {0};

    d.base = xstrdup(r->base ? r->base : "SYSTEM");
    d.start_at = r->start_at;
    d.end_at = r->end_at ? r->end_at : TIME_NEVER;
    d.tasks = r->tasks;
    d.flags = r->flags;
    d.partition = RSV_PARTITION_ALL;
    if (r->owner) {
        d.owner_kind = r->owner_kind;
        d.owner = cred_get(c, r->owner_kind, r->owner)->index;
    }
    for (int i = 0; i < ACL_TYPES; i++)
        if (r->lists[i]
            && acltext_parse((enum acl_type)i, r->lists[i], &d.acl, NULL) < 0)
            abort();
    if (r->resources) {
        if (srcfg_resources_parse(r->resources, &each, NULL) < 0)
            abort();
        d.def.per_task =
            (struct res){{each.procs, each.mem_mb, each.swap_mb, each.disk_mb}};
        srcfg_resources_fini(&each);
    }
    if (r->hosts) {
        d.listed = d.one_per_host = true;
        d.host_expr = xstrdup(r->hosts);
        if (reservation_match_hosts(c, r->hosts, &hosts, NULL) < 0)
            abort();
        for (size_t i = 0; i < hosts.n; i++)
            vec_push(&d.hosts, hosts.v[i]);
        vec_fini(&hosts);
    }
    return d;
}

static struct actor actor(const char *who)
{
    return (struct actor){who, strcmp(who, "root") == 0};
}

int sc_setres(struct scenario *s, const struct sc_rsv *r, struct err *err)
{
    struct event ev = {.kind = EVENT_RESERVE};
    sc_engine(s);
    struct reservation draft = draft_of(engine_cluster(s->engine), r);

    draft.exclusive = r->exclusive;
    if (r->account)
        draft.charge[CRED_ACCOUNT] =
            cred_get(engine_cluster(s->engine), CRED_ACCOUNT, r->account)->index;
    ev.u.reserve.draft = &draft;
    ev.u.reserve.who = actor(r->who ? r->who : "root");
    ev.u.reserve.group = r->group;
    int result = sc_apply(s, ev, err);
    if (result < 0)
        reservation_fini(&draft);
    return result;
}

int sc_releaseres_by(
    struct scenario *s, const char *name, const char *who, struct err *err)
{
    struct event ev = {.kind = EVENT_UNRESERVE};

    ev.u.unreserve.name = name;
    ev.u.unreserve.who = actor(who);
    return sc_apply(s, ev, err);
}

int sc_releaseres(struct scenario *s, const char *name, struct err *err)
{
    return sc_releaseres_by(s, name, "root", err);
}

void sc_refuse_stop(struct scenario *s, const char *id)
{
    find(s, id)->stays = true;
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

int64_t sc_priority(struct scenario *s, const char *id)
{
    return job_priority(engine_cluster(s->engine), sc_find(s, id));
}

uint32_t sc_bypass(struct scenario *s, const char *id)
{
    return job_bypass(engine_cluster(s->engine), sc_find(s, id));
}

const char *sc_log(struct scenario *s, const char *id)
{
    const struct sc_entry *e = find(s, id);

    return e->log.len ? e->log.text : "";
}

const char *sc_said(struct scenario *s, const char *id)
{
    const struct sc_entry *e = find(s, id);

    return e && e->said ? e->said : "";
}

int64_t sc_reserved(const struct scenario *s, const char *id)
{
    const struct job *j = job_find(engine_cluster(s->engine), id);

    const struct planned *planned = j ? engine_reservation_of(s->engine, j) : NULL;

    return planned ? planned->start_at : -1;
}

struct reservation *sc_rsv(struct scenario *s, const char *name)
{
    struct reservation *r = reservation_find(engine_cluster(s->engine), name);

    return r && reservation_is_live(r) ? r : NULL;
}

struct reservation *sc_standing(struct scenario *s, const char *base, uint32_t slot)
{
    const struct cluster *c = engine_cluster(s->engine);

    for (size_t i = 0; i < c->reservations.n; i++) {
        struct reservation *r = c->reservations.v[i];
        if (r && r->kind == RSV_STANDING && r->slot == slot && reservation_is_live(r)
            && strcmp(r->base, base) == 0)
            return r;
    }
    return NULL;
}

const char *sc_held(struct scenario *s, const char *name)
{
    const struct reservation *r = sc_rsv(s, name);

    if (!r)
        r = sc_standing(s, name, 0);
    if (!r)
        return "none";
    write_nodes(engine_cluster(s->engine), &r->alloc, s->held, sizeof s->held);
    return s->held;
}

const char *sc_fired(struct scenario *s)
{
    return s->fired.len ? s->fired.text : "";
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
