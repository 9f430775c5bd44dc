/* SPDX-License-Identifier: Apache-2.0
 * What happened. */
#include "server/events/watch.h"

#include "cluster/jobnodes.h"
#include "server/events/eventlog.h"
#include "server/events/feed.h"
#include "server/events/mail.h"
#include "server/managers/manager.h"
#include "server/render/render.h"
#include "server/render/rsvcheck.h"
#include "server/server_private.h"

#define PLACES_MAX  32
#define CORRUPT_S   300 /* a job on a node that is down, before it is told */
#define CHANGED_MAX 20  /* parameters that one event tells of */

/* A reservation as it was told last; name NULL: none. */
struct known_rsv {
    uint32_t nodes;
    uint64_t serial;
    enum rsv_state state;
    enum rsv_kind kind;
    char *name;
    int64_t start_at, end_at;
    uint64_t changed; /* as its own */
};

/* A job that is on a node which is down. */
struct stranded {
    char *job;
    uint32_t node;
    int64_t since;
};

struct watch {
    struct VEC(struct known_rsv) rsvs; /* by index */
    uint64_t rsv_epoch;
    bool rsvs_seen;                 /* those of before have come back, */
    bool restoring;                 /* or are just coming */
    bool was_up, known_node;        /* of the event being applied: its node, */
    bool was_started, was_starting; /* and its job */
    struct VEC(struct stranded) stranded;
};

void watch_open(struct server *s)
{
    s->events.watch = xcalloc(1, sizeof *s->events.watch);
}

void watch_close(struct server *s)
{
    struct watch *w = s->events.watch;

    if (!w)
        return;
    for (size_t i = 0; i < w->rsvs.n; i++)
        free(w->rsvs.v[i].name);
    vec_fini(&w->rsvs);
    for (size_t i = 0; i < w->stranded.n; i++)
        free(w->stranded.v[i].job);
    vec_fini(&w->stranded);
    free(w);
    s->events.watch = NULL;
}

/* ---- jobs ---- */

/* Members every event of a job has. */
static json_t *of_job(struct server *s, const struct job *j)
{
    const struct cluster *c = engine_cluster(s->engine);
    json_t *o = json_pack("{s:s}", "type", "job");

    for (int k = 0; k < CRED_KINDS; k++)
        if (j->cred[k])
            render_text(o, render_cred_key((enum cred_kind)k),
                job_cred(c, j, (enum cred_kind)k)->name);
    render_int(o, "procs", j->procs);
    return o;
}

static void tell_violation(struct server *s, const struct job *j, const char *done)
{
    eventlog_add(s, JOBWCVIOLATION, j->id, true, of_job(s, j),
        "job '%s' exceeded its wallclock limit of %lld seconds and is %s", j->id,
        (long long)j->wclimit_s, done);
}

/* The resource manager may have ended it for what it took too much of. */
static void tell_excess(struct server *s, const struct job *j)
{
    int64_t limit = j->eff_wclimit_s > 0 ? j->eff_wclimit_s : j->wclimit_s;
    const struct job_end *end = &world_notes(s, j)->end;
    char text[JOBEND_TEXT];

    jobend_format(end, text, sizeof text);
    if (end->reason == ENDED_MEMORY)
        eventlog_add(s, JOBRESVIOLATION, j->id, true, of_job(s, j),
            "job '%s' was ended: %s", j->id, text);
    else if (end->reason == ENDED_WALLCLOCK
             || (end->reason <= ENDED_BY_ITSELF && limit > 0 && j->start_at
                 && world_now(s) - j->start_at - j->suspended_s > limit))
        tell_violation(s, j, "ended by the resource manager");
}

static void tell_end(struct server *s, const struct event *ev, const struct job *j)
{
    const struct job_notes *n = world_notes(s, j);
    json_t *o = of_job(s, j);
    const char *state = job_state_name((enum job_state)j->state);

    render_instant(o, "start_at", j->start_at);
    render_text(o, "state", state);
    if (ev->kind == EVENT_END)
        render_int(o, "exit_status", n->exit_status);
    if (n->end.reason != ENDED_UNKNOWN)
        render_text(o, "reason", end_reason_name(n->end.reason));
    eventlog_add(s, ev->kind == EVENT_END ? JOBEND : JOBCANCEL, j->id, false, o,
        "job '%s' is %s", j->id, state);
    if (ev->kind == EVENT_END && ev->u.end.failed)
        tell_excess(s, j);
}

static void tell_start_failed(
    struct server *s, const struct event *ev, const struct job *j)
{
    eventlog_add(s, JOBSTARTFAILURE, j->id, true, of_job(s, j),
        "job '%s' could not be started: %s: %s", j->id,
        hold_reason_name(ev->u.failed.reason),
        ev->u.failed.text ? ev->u.failed.text : "no reason given");
}

static void tell_hold(struct server *s, const struct event *ev, const struct job *j)
{
    const char *who = ev->u.hold.who.name ? ev->u.hold.who.name : "the scheduler";
    bool set = ev->kind == EVENT_HOLD;

    eventlog_add(s, set ? JOBHOLD : JOBRELEASE, j->id, false, of_job(s, j),
        "job '%s' was %s by %s", j->id, set ? "held" : "released", who);
}

static bool is_started(const struct job *j)
{
    return job_is_active(j) || j->state == JOB_SUSPENDED;
}

/* The resource manager moved it by itself, or somebody did there. */
static void tell_moved(struct server *s, const struct job *j)
{
    if (s->events.watch->was_starting && j->state == JOB_RUNNING)
        mail_begun(s, j);
    if (is_started(j) && !s->events.watch->was_started)
        eventlog_add(s, JOBSTART, j->id, false, of_job(s, j),
            "job '%s' was started by the resource manager", j->id);
    else if (!is_started(j) && s->events.watch->was_started)
        eventlog_add(s, JOBREQUEUE, j->id, false, of_job(s, j),
            "job '%s' was put back by the resource manager", j->id);
}

static void tell_job(struct server *s, const struct event *ev, const struct job *j)
{
    if (ev->kind == EVENT_SUBMIT && !ev->u.job.memory && !ev->u.job.cancelled
        && manager_knows(s, ev->u.job.rm))
        eventlog_add(
            s, JOBSUBMIT, j->id, false, of_job(s, j), "job '%s' was submitted", j->id);
    else if (ev->kind == EVENT_END || ev->kind == EVENT_CANCEL)
        tell_end(s, ev, j);
    else if (ev->kind == EVENT_JOB_STATE)
        tell_moved(s, j);
    else if (ev->kind == EVENT_START_FAILED)
        tell_start_failed(s, ev, j);
    else if (ev->kind == EVENT_HOLD || ev->kind == EVENT_RELEASE_HOLD)
        tell_hold(s, ev, j);
}

/* ---- decisions ---- */

static void tell_deferral(struct server *s, const struct action *a, const struct job *j)
{
    const char *why = hold_reason_name((enum hold_reason)j->hold_reason);
    const char *text = a->text ? a->text : "";
    bool limit =
        j->hold_reason == REASON_POLICY || j->hold_reason == REASON_SYSTEMLIMITS;
    bool hold = a->kind == ACTION_HOLD;

    if (limit)
        eventlog_add(s, JOBLIMITVIOLATION, j->id, true, of_job(s, j),
            "job '%s' violates a hard limit: %s", j->id, text);
    if (hold && j->defer_count)
        eventlog_add(s, JOBHOLD, j->id, true, of_job(s, j),
            "job '%s' is held after %u deferrals: %s%s%s", j->id,
            (unsigned)j->defer_count, why, *text ? ": " : "", text);
    else if (hold)
        eventlog_add(s, JOBHOLD, j->id, true, of_job(s, j), "job '%s' is held: %s%s%s",
            j->id, why, *text ? ": " : "", text);
    else
        eventlog_add(s, JOBDEFER, j->id,
            j->hold_reason == REASON_RMREJECT || j->hold_reason == REASON_RMFAILURE,
            of_job(s, j), "job '%s' is deferred (%u): %s%s%s", j->id,
            (unsigned)j->defer_count, why, *text ? ": " : "", text);
}

/* Wide jobs do not fill the memory of readers: who wants to know asks for the job. */
static void add_places(struct server *s, const struct job *j, json_t *o)
{
    uint32_t nodes = job_node_count(j);

    render_int(o, "nodes", nodes);
    if (nodes <= PLACES_MAX)
        json_object_set_new(
            o, "allocation", render_places(engine_cluster(s->engine), &j->alloc));
}

/* What it was promised cannot be: another start is, or none while it is kept back. The
 * site is notified of what was broken, not of what lapses as the job is held, say. */
static void tell_put_off(struct server *s, const struct action *a, const struct job *j)
{
    json_t *o = of_job(s, j);

    render_instant(o, "was_promised_by", a->was);
    if (a->at)
        render_instant(o, "promised_by", a->at);
    render_text(o, "cause", a->cause);
    eventlog_add(s, JOBPUTOFF, j->id, a->cause, o, "job '%s': %s", j->id, a->text);
}

void watch_decided(struct server *s, const struct action *a, const struct job *j)
{
    static const struct {
        bool told;
        enum event_name what;
        const char *done;
    } verbs[] = {[ACTION_START] = {true, JOBSTART, "started"},
        [ACTION_CANCEL] = {true, JOBCANCEL, "cancelled"},
        [ACTION_REQUEUE] = {true, JOBREQUEUE, "requeued"},
        [ACTION_SUSPEND] = {true, JOBSUSPEND, "suspended"},
        [ACTION_RESUME] = {true, JOBRESUME, "resumed"},
        [ACTION_CHECKPOINT] = {true, JOBCHECKPOINT, "checkpointed"},
        [ACTION_TRIGGER] = {false, JOBSTART, ""}};

    if (a->kind == ACTION_DEFER || a->kind == ACTION_HOLD)
        tell_deferral(s, a, j);
    if (a->kind == ACTION_PUT_OFF)
        tell_put_off(s, a, j);
    if (a->kind >= sizeof verbs / sizeof verbs[0] || !verbs[a->kind].told)
        return;
    if (a->why == ENDED_WALLCLOCK)
        tell_violation(s, j, verbs[a->kind].done);
    json_t *o = of_job(s, j);
    if (a->kind == ACTION_START && a->backfill)
        render_bool(o, "backfill", true);
    if (a->kind == ACTION_START)
        add_places(s, j, o);
    if (a->why != ENDED_UNKNOWN)
        render_text(o, "reason", end_reason_name(a->why));
    eventlog_add(s, verbs[a->kind].what, j->id, false, o, "job '%s' is %s%s%s", j->id,
        verbs[a->kind].done, a->text ? ": " : "", a->text ? a->text : "");
}

/* ---- nodes ---- */

static const struct node *node_of(struct server *s, const struct event *ev)
{
    const char *name = ev->kind == EVENT_NODE ? ev->u.node.name
                       : ev->kind == EVENT_NODE_STATE || ev->kind == EVENT_NODE_GONE
                           ? ev->u.node_state.name
                           : NULL;

    return name ? node_find(engine_cluster(s->engine), name) : NULL;
}

void watch_before(struct server *s, const struct event *ev)
{
    const struct node *n = node_of(s, ev);
    const struct job *j = ev->kind == EVENT_JOB_STATE
                              ? job_find(engine_cluster(s->engine), ev->u.job_state.id)
                              : NULL;

    s->events.watch->was_started = j && is_started(j);
    s->events.watch->was_starting = j && j->state == JOB_STARTING;
    s->events.watch->known_node = n != NULL;
    s->events.watch->was_up = n && node_is_up(n);
}

static void strand(struct server *s, const struct node *n)
{
    const struct cluster *c = engine_cluster(s->engine);
    struct node_job on;

    for (uint32_t i = 0; node_job_at(c, n, i, &on); i++)
        vec_push(&s->events.watch->stranded,
            ((struct stranded){
                xstrdup(c->jobs.v[on.job]->id), n->index, world_now(s)}));
}

static void tell_node(struct server *s, const struct event *ev)
{
    const struct node *n = node_of(s, ev);

    if (!n || !s->events.watch->known_node || node_is_up(n) == s->events.watch->was_up)
        return;
    eventlog_add(s, node_is_up(n) ? NODEUP : NODEDOWN, n->name, false,
        json_pack("{s:s, s:s}", "type", "node", "state",
            node_state_name((enum node_state)n->state)),
        "node '%s' is %s", n->name, node_state_name((enum node_state)n->state));
    if (!node_is_up(n))
        strand(s, n);
}

/* Is it still so? */
static bool is_stranded(const struct cluster *c, const struct stranded *t)
{
    const struct job *j = job_find(c, t->job);
    size_t first = 0;

    if (!j || !job_is_active(j) || node_is_up(node_at(c, t->node)))
        return false;
    return job_piece_on(j, t->node, &first) != NULL;
}

void watch_cycle(struct server *s)
{
    const struct cluster *c = engine_cluster(s->engine);
    struct watch *w = s->events.watch;

    w->rsvs_seen = true; /* what there is now has come back, or was configured */
    for (size_t i = w->stranded.n; i-- > 0;) {
        struct stranded *t = &w->stranded.v[i];
        bool still = is_stranded(c, t);
        if (still && world_now(s) < t->since + CORRUPT_S)
            continue;
        const struct job *j = job_find(c, t->job);
        if (still)
            eventlog_add(s, JOBCORRUPTION, t->job, true, of_job(s, j),
                "job '%s' is on node '%s', which has been %s for %lld seconds", t->job,
                node_at(c, t->node)->name,
                node_state_name((enum node_state)node_at(c, t->node)->state),
                (long long)(world_now(s) - t->since));
        free(t->job);
        vec_remove(&w->stranded, i);
    }
}

void watch_applied(struct server *s, const struct event *ev, const struct job *j)
{
    if (j)
        tell_job(s, ev, j);
    else if (ev->kind != EVENT_SETTINGS) /* watch_configured() */
        tell_node(s, ev);
    if (ev->kind == EVENT_NODE)
        feed_touch(s, FEED_NODE, ev->u.node.name);
    else if (ev->kind == EVENT_NODE_STATE || ev->kind == EVENT_NODE_GONE)
        feed_touch(s, FEED_NODE, ev->u.node_state.name);
    watch_reservations(s);
}

/* ---- parameters ---- */

struct differences {
    json_t *all;
    size_t n;
    struct strbuf text;
};

static void add_difference(void *ctx, const char *name, const char *was, const char *is)
{
    struct differences *d = ctx;

    if (d->n++ >= CHANGED_MAX)
        return;
    json_t *o = json_pack("{s:o}", "name", render_utf8(name));
    if (was)
        json_object_set_new(o, "was", render_utf8(was));
    if (is)
        json_object_set_new(o, "is", render_utf8(is));
    json_array_append_new(d->all, o);
    strbuf_printf(&d->text, "%s%s is %s (was %s)", d->n > 1 ? ", " : "", name,
        is && *is ? is : "not set", was && *was ? was : "not set");
}

void watch_configured(
    struct server *s, const struct config *was, const struct config *is)
{
    struct differences d = {.all = json_array()};

    config_differences(was, is, add_difference, &d);
    if (d.n > CHANGED_MAX)
        strbuf_printf(&d.text, " and %zu more", d.n - CHANGED_MAX);
    char *text = strbuf_take(&d.text);
    eventlog_add(s, CONFIGURATION, s->paths.config_path, false,
        json_pack("{s:o}", "changed", d.all), "%s",
        d.n ? text : "read again: no parameter is another");
    free(text);
}

/* ---- reservations ---- */

static void tell_rsv(struct server *s, enum event_name what, const struct known_rsv *k)
{
    bool standing = k->kind == RSV_STANDING;
    json_t *o = json_pack("{s:s, s:s, s:I}", "type", "reservation", "kind",
        reservation_kind_name(k->kind), "nodes", (json_int_t)k->nodes);

    render_instant(o, "start_at", k->start_at);
    render_instant(o, "end_at", k->end_at);
    const char *kind = reservation_kind_name(k->kind);
    long long now = (long long)world_now(s), start = (long long)k->start_at,
              end = (long long)k->end_at;
    if (what == RESERVATIONCREATED)
        eventlog_add(s, what, k->name, !standing, o, "%s %s %lld %lld %lld %u", k->name,
            kind, now, start, end, k->nodes);
    else if (what == RESERVATIONDESTROYED)
        eventlog_add(s, what, k->name, true, o, "%s %s %lld %lld %lld %u", k->name,
            kind, now, start, end, k->nodes);
    else
        eventlog_add(s, what, k->name, false, o, "reservation '%s' begins", k->name);
}

/* What is known and lives no more. */
static void tell_gone(struct server *s)
{
    const struct cluster *c = engine_cluster(s->engine);
    struct watch *w = s->events.watch;

    for (size_t i = 0; i < w->rsvs.n; i++) {
        struct known_rsv *k = &w->rsvs.v[i];
        const struct reservation *r =
            i < c->reservations.n ? c->reservations.v[i] : NULL;
        if (!k->name || (r && r->serial == k->serial && reservation_is_live(r)))
            continue;
        tell_rsv(s, RESERVATIONDESTROYED, k);
        feed_touch(s, FEED_RESERVATION, k->name);
        free(k->name);
        k->name = NULL;
    }
}

/* Nobody finds out otherwise that the nodes it should keep are anybody's. */
static void tell_empty(struct server *s, const struct reservation *r)
{
    json_t *warnings = rsvcheck_warnings(engine_cluster(s->engine), r);

    eventlog_add(s, RESERVATIONCORRUPTION, r->name, true,
        json_pack("{s:s, s:s}", "type", "reservation", "kind",
            reservation_kind_name(r->kind)),
        "reservation '%s' begins and holds no node: %s", r->name,
        json_string_value(json_array_get(warnings, 0)));
    json_decref(warnings);
}

static void see(struct server *s, const struct reservation *r)
{
    struct watch *w = s->events.watch;

    while (w->rsvs.n <= r->index)
        vec_push(&w->rsvs, ((struct known_rsv){0}));
    struct known_rsv *k = &w->rsvs.v[r->index];
    bool fresh = !k->name;
    bool begins = r->state == RSV_ACTIVE && (fresh || k->state != RSV_ACTIVE);
    if (fresh)
        *k = (struct known_rsv){
            .serial = r->serial, .kind = r->kind, .name = xstrdup(r->name)};
    if (fresh || k->changed != r->changed || k->state != r->state)
        feed_touch(s, FEED_RESERVATION, r->name);
    k->changed = r->changed;
    k->state = r->state;
    k->nodes = r->held_nodes;
    k->start_at = r->start_at;
    k->end_at = r->end_at;
    /* somebody may reserve before the first cycle; standing ones come with that */
    bool news = w->rsvs_seen || (!w->restoring && r->kind != RSV_STANDING);
    if (fresh && news)
        tell_rsv(s, RESERVATIONCREATED, k);
    if (begins && news)
        tell_rsv(s, RESERVATIONSTARTED, k);
    if (begins && !w->restoring && !r->held_nodes)
        tell_empty(s, r);
}

void watch_restoring(struct server *s, bool restoring)
{
    if (s->events.watch)
        s->events.watch->restoring = restoring;
}

void watch_reservations(struct server *s)
{
    const struct cluster *c = engine_cluster(s->engine);
    struct watch *w = s->events.watch;

    if (!w || c->rsv_epoch == w->rsv_epoch)
        return;
    w->rsv_epoch = c->rsv_epoch;
    tell_gone(s);
    for (size_t i = 0; i < c->reservations.n; i++) {
        const struct reservation *r = c->reservations.v[i];
        if (r && reservation_is_live(r))
            see(s, r);
    }
}
