/* SPDX-License-Identifier: Apache-2.0
 * Runs a world through the engine, with the model watching every decision. */
#include "drive.h"

#include "config/config.h"
#include "engine/check.h"
#include "engine/engine_private.h"
#include "model.h"
#include "tell.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CYCLES_MAX 8000

struct drive {
    const struct world *w;
    struct model m;
    struct settings *cfg[2];
    struct engine *e;
    int64_t now;
    int64_t ends_at[W_JOBS]; /* an active job ends by itself, or its start fails */
    bool fails[W_JOBS];
    uint32_t next_event, cycles;
    struct strbuf *log;
};

static bool broken(const struct drive *d)
{
    return d->m.fail[0] != 0;
}

static void logf_(struct drive *d, const char *verb, uint32_t job, int64_t at)
{
    if (d->log)
        strbuf_printf(d->log, "%lld %s %s %lld", (long long)d->now, verb,
            d->w->jobs[job].id, (long long)at);
}

/* ---- settings and nodes ------------------------------------------------------ */

static bool load_settings(struct drive *d)
{
    for (uint32_t i = 0; i < d->w->nsettings; i++) {
        struct strbuf text = {0};
        world_config(d->w, i, &text);
        struct config *c = config_load_text("maui.cfg", text.text, text.len);
        for (size_t k = 0; k < c->findings.n; k++)
            if (c->findings.v[k].level == FINDING_ERROR)
                model_fail(&d->m, "maui.cfg: %s", c->findings.v[k].text);
        d->cfg[i] = config_take_settings(c);
        config_destroy(c);
        free(text.text);
    }
    return !broken(d);
}

static int apply(struct drive *d, const struct event *ev, bool must)
{
    struct err err = {0};
    int rc = engine_apply(d->e, ev, NULL, &err);

    if (rc < 0 && must)
        model_fail(&d->m, "the event was refused: %s", err.text);
    return rc;
}

static void create_engine(struct drive *d)
{
    struct engine_options opt = {.report_reservations = true};

    d->e = engine_create(d->cfg[0], &opt);
    for (uint32_t i = 0; i < d->w->nnodes; i++) {
        struct tell_node t;
        struct event ev = {.kind = EVENT_NODE, .u.node = tell_node(d->w, i, &t)};
        apply(d, &ev, true);
    }
    if (d->w->by_node)
        tell_spoiler(d->e);
}

/* ---- what the script says ---------------------------------------------------- */

/* Holds the engine set by itself are taken over, those of persons are compared. */
static void sync_holds(struct drive *d, uint32_t job)
{
    const struct job *j = job_find(engine_cluster(d->e), d->w->jobs[job].id);
    struct m_job *x = &d->m.jobs[job];

    if (!j || j->state >= JOB_COMPLETED || x->state != M_WAITING)
        return;
    unsigned persons = HOLD_USER | HOLD_SYSTEM;
    if ((j->holds & persons) != (x->holds & persons))
        model_fail(&d->m, "%s has holds %u, expected %u", j->id, j->holds, x->holds);
    x->holds = j->holds;
    x->defer_until = j->defer_until;
}

/* One that waits for nothing, and that its class refuses, is cancelled on arrival. */
static bool is_gone(const struct drive *d, uint32_t job)
{
    const struct w_job *w = &d->w->jobs[job];
    int64_t limit = d->m.s->class_procs_per_job[d->m.jobs[job].cred[CRED_CLASS]];
    int64_t want[LIMIT_RES_COUNT];
    const struct job *j = job_find(engine_cluster(d->e), w->id);

    model_consumption(&d->m, job, want);
    return (w->flags & JOB_NOQUEUE) && limit && want[LIMIT_PROC] > limit
           && (!j || j->state >= JOB_COMPLETED);
}

static void hold(struct drive *d, uint32_t job, unsigned kinds, bool set)
{
    struct event ev = {.kind = set ? EVENT_HOLD : EVENT_RELEASE_HOLD, .at = d->now};
    struct m_job *x = &d->m.jobs[job];

    ev.u.hold.id = d->w->jobs[job].id;
    ev.u.hold.kinds = kinds;
    ev.u.hold.who = (struct actor){"root", 1};
    if (apply(d, &ev, x->state == M_WAITING && !is_gone(d, job)) < 0)
        return;
    x->excused |= !set && (x->holds & kinds & (HOLD_BATCH | HOLD_DEFER));
    x->holds = set ? x->holds | kinds : x->holds & ~kinds;
    if (set && x->state == M_WAITING)
        x->rsv_at = 0;
}

static void set_priority(struct drive *d, uint32_t job, int64_t n)
{
    struct event ev = {.kind = EVENT_PRIORITY, .at = d->now};

    ev.u.priority.id = d->w->jobs[job].id;
    ev.u.priority.n = n;
    apply(d, &ev, false);
}

static void submit(struct drive *d, uint32_t job)
{
    const struct w_job *j = &d->w->jobs[job];
    struct tell_job t = {0};

    apply(d,
        &(struct event){
            .kind = EVENT_SUBMIT, .at = d->now, .u.job = tell_job(d->w, job, &t)},
        true);
    d->m.jobs[job].state = M_WAITING;
    if (j->priority)
        set_priority(d, job, j->priority);
    if (j->holds)
        hold(d, job, j->holds, true);
}

static void set_qos(struct drive *d, uint32_t job, uint32_t qos)
{
    struct event ev = {.kind = EVENT_QOS, .at = d->now};

    ev.u.qos.id = d->w->jobs[job].id;
    ev.u.qos.qos = world_cred_name(CRED_QOS, qos);
    ev.u.qos.admin = true;
    if (apply(d, &ev, false) == 0)
        model_set_qos(&d->m, job, qos);
}

static void cancel(struct drive *d, uint32_t job)
{
    struct event ev = {.kind = EVENT_CANCEL, .at = d->now};

    ev.u.end.id = d->w->jobs[job].id;
    if (apply(d, &ev, false) < 0)
        return;
    model_stop(&d->m, job, true);
    d->ends_at[job] = TIME_NEVER;
}

static void node_state(struct drive *d, uint32_t node, enum node_state state)
{
    struct event ev = {.kind = EVENT_NODE_STATE, .at = d->now};

    ev.u.node_state.name = d->w->nodes[node].name;
    ev.u.node_state.state = state;
    apply(d, &ev, true);
    d->m.node[node] = state;
    d->m.changed_at = d->now;
}

static void reload(struct drive *d, uint32_t which)
{
    apply(d,
        &(struct event){
            .kind = EVENT_SETTINGS, .at = d->now, .u.settings = d->cfg[which]},
        true);
    d->m.s = &d->w->settings[which];
    d->m.changed_at = d->now;
}

static void play(struct drive *d, const struct w_event *e)
{
    bool known =
        d->m.jobs[e->job].state == M_WAITING || d->m.jobs[e->job].state == M_ACTIVE;

    switch (e->kind) {
    case W_SUBMIT:
        submit(d, e->job);
        break;
    case W_HOLD:
    case W_RELEASE:
        if (known)
            hold(d, e->job, (unsigned)e->arg, e->kind == W_HOLD);
        break;
    case W_NODE_DOWN:
        node_state(d, e->node, NODE_DOWN);
        break;
    case W_NODE_DRAIN:
        node_state(d, e->node, NODE_DRAINED);
        break;
    case W_NODE_UP:
        node_state(d, e->node, NODE_IDLE);
        break;
    case W_SETSPRI:
        if (known)
            set_priority(d, e->job, e->arg);
        break;
    case W_SETQOS:
        if (known)
            set_qos(d, e->job, (uint32_t)e->arg);
        break;
    case W_CANCEL:
        if (known)
            cancel(d, e->job);
        break;
    case W_RELOAD:
        reload(d, (uint32_t)e->arg);
        break;
    }
    for (uint32_t i = 0; i < d->w->njobs; i++)
        sync_holds(d, i);
}

/* An active job ends, or the resource manager could not start it after all. */
static void finish(struct drive *d, uint32_t job)
{
    struct event ev = {.kind = EVENT_END, .at = d->now};
    bool failed = d->fails[job];

    if (failed) {
        ev.kind = EVENT_START_FAILED;
        ev.u.failed.id = d->w->jobs[job].id;
        ev.u.failed.reason = REASON_RMFAILURE;
        ev.u.failed.text = "no";
    } else {
        ev.u.end.id = d->w->jobs[job].id;
        ev.u.end.how = EV_COMPLETE;
    }
    apply(d, &ev, true);
    d->ends_at[job] = TIME_NEVER;
    model_stop(&d->m, job, !failed || (d->w->jobs[job].flags & JOB_NOQUEUE));
    sync_holds(d, job);
}

/* ---- what the engine decides ------------------------------------------------- */

static void started(struct drive *d, uint32_t job, const struct action *a)
{
    const struct cluster *c = engine_cluster(d->e);
    const struct job *j = c->jobs.v[a->job];
    const struct w_job *x = &d->w->jobs[job];
    struct m_job *mj = &d->m.jobs[job];

    memset(mj->tasks, 0, sizeof mj->tasks);
    for (size_t i = 0; i < j->alloc.n; i++)
        for (uint32_t k = 0; k < j->alloc.v[i].count; k++) {
            const struct alloc *p = &j->alloc.v[i];
            uint32_t n = tell_node_number(node_at(c, p->first + k)->name);
            if (p->req >= x->nreqs || n >= d->w->nnodes) {
                model_fail(&d->m, "%s got a node or request there is not", x->id);
                return;
            }
            mj->tasks[p->req][n] += p->tasks;
            if (d->log)
                strbuf_printf(d->log, " n%u:%u/%u", n + 1, p->tasks, p->req);
        }
    if (!model_start(&d->m, job))
        return;
    d->fails[job] = mj->starts <= x->fails;
    int64_t run_s = mj->starts > 1 && x->run_s > x->limit_s ? x->limit_s : x->run_s;
    d->ends_at[job] = d->now + (d->fails[job] ? x->fail_s : run_s);
}

static void reserved(struct drive *d, uint32_t job, int64_t at)
{
    struct m_job *x = &d->m.jobs[job];
    bool kept = d->w->profile == W_KEPT || d->w->profile == W_CONSERVATIVE;

    if (at < d->now)
        model_fail(&d->m, "%s is reserved for the past", d->w->jobs[job].id);
    /* others in place, only earlier can be found: reference reservations 8.4 */
    if (kept && x->rsv_at && at > x->rsv_at)
        model_fail(&d->m, "%s: its reservation moved from %lld to %lld",
            d->w->jobs[job].id, (long long)x->rsv_at, (long long)at);
    x->rsv_at = at;
}

static void released(struct drive *d, uint32_t job)
{
    if (d->w->profile == W_KEPT || d->w->profile == W_CONSERVATIVE)
        model_fail(&d->m, "%s lost its reservation", d->w->jobs[job].id);
    d->m.jobs[job].rsv_at = 0;
}

static void take_action(struct drive *d, const struct action *a)
{
    static const char *const verbs[] = {
        "start", "cancel", "requeue", "hold", "defer", "reserve", "release"};
    const struct job *j = engine_cluster(d->e)->jobs.v[a->job];
    uint32_t job = tell_job_number(j->id);

    if (job >= d->w->njobs)
        return; /* the spoiler */
    logf_(d, verbs[a->kind], job, a->at);
    if (d->log && a->backfill)
        strbuf_add(d->log, " backfill");
    switch (a->kind) {
    case ACTION_START:
        started(d, job, a);
        break;
    case ACTION_CANCEL:
    case ACTION_REQUEUE:
        model_stop(&d->m, job, a->kind == ACTION_CANCEL);
        d->ends_at[job] = TIME_NEVER;
        break;
    case ACTION_HOLD:
        d->m.jobs[job].holds |= HOLD_BATCH;
        d->m.jobs[job].rsv_at = 0;
        break;
    case ACTION_DEFER:
        d->m.jobs[job].holds |= HOLD_DEFER;
        d->m.jobs[job].defer_until = a->at;
        d->m.jobs[job].deferred_at = d->now;
        d->m.jobs[job].rsv_at = 0;
        break;
    case ACTION_RESERVE:
        reserved(d, job, a->at);
        break;
    case ACTION_RELEASE:
        released(d, job);
        break;
    case ACTION_SUSPEND:
    case ACTION_RESUME:
    case ACTION_CHECKPOINT: /* nor preemption */
    case ACTION_PUT_OFF:    /* nor BACKFILLPOLICY PLAN */
    case ACTION_TRIGGER:    /* these worlds have no reservations but those of jobs */
        break;
    }
    if (d->log)
        strbuf_add(d->log, "\n");
}

/* ---- after a cycle ----------------------------------------------------------- */

static void check_states(struct drive *d)
{
    for (uint32_t i = 0; i < d->w->njobs; i++) {
        const struct job *j = job_find(engine_cluster(d->e), d->w->jobs[i].id);
        bool there = j && j->state < JOB_COMPLETED;
        const struct m_job *x = &d->m.jobs[i];
        if (there != (x->state == M_WAITING || x->state == M_ACTIVE))
            model_fail(&d->m, "%s is %s", d->w->jobs[i].id,
                there ? "there but should not be" : "lost");
        else if (there && job_is_active(j) != (x->state == M_ACTIVE))
            model_fail(&d->m, "%s is %s without an action", d->w->jobs[i].id,
                job_state_name((enum job_state)j->state));
    }
}

static void check_dedicated(struct drive *d)
{
    const struct cluster *c = engine_cluster(d->e);

    for (uint32_t i = 0; i < d->w->nnodes; i++) {
        struct res want = model_used(&d->m, i);
        struct res have = node_dedicated(c, node_find(c, d->w->nodes[i].name));
        for (int r = 0; r < RES_DIMS; r++)
            if (want.v[r] != have.v[r])
                model_fail(&d->m, "n%u: %lld of resource %d dedicated, expected %lld",
                    i + 1, (long long)have.v[r], r, (long long)want.v[r]);
    }
}

/* What the plan holds in store must fit too, at every instant something begins. */
static void check_future(struct drive *d)
{
    char text[200] = "";

    if (!tell_plan_fits(d->e, text, sizeof text))
        model_fail(&d->m, "%s", text);
}

static bool ready(const struct drive *d, uint32_t job)
{
    const struct w_job *j = &d->w->jobs[job];
    const struct m_job *x = &d->m.jobs[job];

    return x->state == M_WAITING && !x->holds && j->release_at <= d->now && j->dep < 0;
}

static void check_noqueue(struct drive *d)
{
    for (uint32_t i = 0; i < d->w->njobs; i++)
        if ((d->w->jobs[i].flags & JOB_NOQUEUE) && ready(d, i))
            model_fail(&d->m, "%s asked not to be queued and waits", d->w->jobs[i].id);
}

/* The first of the queue: whatever is reserved for it, it gets no later. Only where
 * the order of arrival is the order of the queue. */
static void check_promise(struct drive *d)
{
    for (uint32_t i = 0; i < d->w->njobs; i++) {
        struct m_job *x = &d->m.jobs[i];
        if (!ready(d, i))
            continue;
        if (x->rsv_at && (!x->promise || x->rsv_at < x->promise))
            x->promise = x->rsv_at;
        if (x->promise && (d->now >= x->promise || x->rsv_at > x->promise))
            model_fail(&d->m, "%s was promised %lld, has %lld", d->w->jobs[i].id,
                (long long)x->promise, (long long)x->rsv_at);
        return;
    }
}

static void cycle(struct drive *d)
{
    struct actions acts = {0};

    d->m.now = d->now;
    if (++d->cycles > CYCLES_MAX)
        model_fail(&d->m, "the engine does not come to rest");
    model_begin_cycle(&d->m);
    engine_cycle(d->e, d->now, &acts);
    for (size_t i = 0; i < acts.n && !broken(d); i++)
        take_action(d, &acts.v[i]);
    vec_fini(&acts);
    if (broken(d))
        return;
    check_states(d);
    check_dedicated(d);
    engine_check(d->e);
    plan_check(d->e->plan);
    check_future(d);
    for (uint32_t i = 0; i < d->w->njobs; i++)
        sync_holds(d, i);
    check_noqueue(d);
    if (d->w->profile == W_TOP)
        check_promise(d);
}

/* ---- time -------------------------------------------------------------------- */

static int64_t next_instant(const struct drive *d)
{
    int64_t next = engine_next_wakeup(d->e);

    for (uint32_t i = 0; i < d->w->njobs; i++)
        next = d->ends_at[i] < next ? d->ends_at[i] : next;
    if (d->next_event < d->w->nevents && d->w->events[d->next_event].at < next)
        next = d->w->events[d->next_event].at;
    return next > d->now ? next : d->now;
}

/* A cycle after each event where they are taken one by one. */
static void between(struct drive *d)
{
    if (d->w->event_wise && !broken(d))
        cycle(d);
}

static void instant(struct drive *d)
{
    bool any = false;

    /* Ends of one instant are one event: a cycle between two of them would see jobs
     * that have reached their limits and not ended, which are taken to last on. */
    for (uint32_t i = 0; i < d->w->njobs && !broken(d); i++)
        if (d->ends_at[i] <= d->now) {
            finish(d, i);
            any = true;
        }
    if (any)
        between(d);
    while (!broken(d) && d->next_event < d->w->nevents
           && d->w->events[d->next_event].at <= d->now) {
        play(d, &d->w->events[d->next_event++]);
        between(d);
    }
    if (!broken(d))
        cycle(d);
}

static bool any_active(const struct drive *d)
{
    for (uint32_t i = 0; i < d->w->njobs; i++)
        if (d->m.jobs[i].state == M_ACTIVE)
            return true;
    return false;
}

/* Nothing is left to happen: then nothing may start by looking again (unless time
 * alone changes shares or the order of the queue), and where nothing keeps a job back
 * none is left. */
static void check_rest(struct drive *d)
{
    const struct w_settings *s = d->m.s;

    if (any_active(d)) {
        model_fail(&d->m, "at rest with active jobs");
        return;
    }
    for (int i = 0; i < 2 && !s->fs && !s->xf_weight && !broken(d); i++) {
        d->now += 61;
        cycle(d);
        if (any_active(d))
            model_fail(&d->m, "a job could have started before the rest");
    }
    for (uint32_t i = 0; d->w->profile != W_WILD && s->defer_s && i < d->w->njobs; i++)
        if (d->m.jobs[i].state == M_WAITING && !d->m.jobs[i].holds)
            model_fail(&d->m, "%s never starts", d->w->jobs[i].id);
}

static void run(struct drive *d)
{
    int64_t next;

    /* a job over its fairshare cap is looked at again in every window for ever */
    int64_t rest = d->w->events[d->w->nevents ? d->w->nevents - 1 : 0].at + 20000;

    while (!broken(d) && (next = next_instant(d)) < TIME_NEVER) {
        if (d->m.s->fs && next > rest && !any_active(d))
            break;
        d->now = d->m.now = next;
        instant(d);
    }
    if (!broken(d))
        check_rest(d);
}

bool drive_world(const struct world *w, char *fail, size_t size, struct strbuf *ret_log)
{
    struct drive *d = xcalloc(1, sizeof *d);

    d->w = w;
    d->log = ret_log;
    model_init(&d->m, w);
    for (uint32_t i = 0; i < W_JOBS; i++)
        d->ends_at[i] = TIME_NEVER;
    if (load_settings(d)) {
        create_engine(d);
        run(d);
        engine_destroy(d->e);
    }
    for (int i = 0; i < 2; i++)
        settings_destroy(d->cfg[i]);
    bool good = !broken(d);
    snprintf(fail, size, "%s", d->m.fail);
    model_fini(&d->m);
    free(d);
    return good;
}

/* Two worlds that must come out the same. */
static bool drive_both(const struct world *w, const struct world *other,
    const char *what, char *fail, size_t size)
{
    struct strbuf a = {0}, b = {0};
    bool good = drive_world(w, fail, size, &a) && drive_world(other, fail, size, &b);

    if (good && (a.len != b.len || (a.len && memcmp(a.text, b.text, a.len) != 0))) {
        snprintf(fail, size, "%s", what);
        good = false;
    }
    free(a.text);
    free(b.text);
    return good;
}

bool drive_twice(const struct world *w, char *fail, size_t size)
{
    return drive_both(w, w, "two runs of the same world differ", fail, size);
}

bool drive_labelled(const struct world *w, char *fail, size_t size)
{
    struct world *labelled = xmalloc(sizeof *labelled);

    *labelled = *w;
    labelled->labelled = true;
    bool good = drive_both(
        w, labelled, "labels that no job asks for make a difference", fail, size);
    free(labelled);
    return good;
}
