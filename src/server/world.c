/* SPDX-License-Identifier: Apache-2.0
 * The one door to the engine: what goes in is journalled, what comes out is marked for
 * the store and handed on. */
#define LOG_FACILITY FACILITY_SCHED
#include "server/api/identity.h"
#include "server/drafts/depends.h"
#include "server/durable/history.h"
#include "server/durable/passed.h"
#include "server/durable/promised.h"
#include "server/durable/record.h"
#include "server/durable/restless.h"
#include "server/durable/rsvkeep.h"
#include "server/durable/series.h"
#include "server/durable/statistics.h"
#include "server/durable/teller.h"
#include "server/durable/usage.h"
#include "server/events/feed.h"
#include "server/events/metrics.h"
#include "server/events/triggers.h"
#include "server/events/watch.h"
#include "server/journal/journal.h"
#include "server/managers/manager.h"
#include "server/server_private.h"
#include "server/timeline/timeline.h"
#include "server/whatif/basis.h"

#include <time.h>

/* What the door keeps. */
struct world {
    struct actions actions;       /* scratch of a cycle */
    struct VEC(uint32_t) dirty;   /* jobs whose records are to be written */
    struct VEC(uint8_t) is_dirty; /* by job index */
    struct VEC(struct job_notes) notes;
    bool deps_unsettled;        /* world_want_settled() */
    uint64_t revision, planned; /* now, and after the last cycle */
    double last_cycle_s;
};

void world_open(struct server *s)
{
    s->world = xcalloc(1, sizeof *s->world);
    passed_open(s);
    restless_open(s);
    rsvkeep_open(s);
    usage_open(s);
    record_open(s);
    timeline_open(s);
}

int64_t world_now(struct server *s)
{
    return clock_now(s->clock);
}

uint64_t world_revision(const struct server *s)
{
    return s->world->revision;
}

double world_last_cycle_s(const struct server *s)
{
    return s->world->last_cycle_s;
}

void world_touch(struct server *s, uint32_t job)
{
    const struct job *j = engine_cluster(s->engine)->jobs.v[job];

    s->world->revision++;
    if (j)
        feed_touch(s, FEED_JOB, j->id);
    while (s->world->is_dirty.n <= job)
        vec_push(&s->world->is_dirty, 0);
    if (s->world->is_dirty.v[job])
        return;
    s->world->is_dirty.v[job] = 1;
    vec_push(&s->world->dirty, job);
    commit_want(s);
}

size_t world_unsaved(const struct server *s)
{
    return s->world ? s->world->dirty.n : 0;
}

void world_moved(struct server *s)
{
    s->world->revision++;
    timeline_interrupt(s);
    feed_moved(s);
}

static const struct job_notes no_notes = {
    .cpu_s = -1, .mem_mb = -1, .swap_mb = -1, .disk_mb = -1, .kept_limit_s = -1};

static void notes_clear(struct job_notes *n)
{
    free(n->id);
    free(n->name);
    free(n->directory);
    free(n->output);
    free(n->error);
    free(n->command);
    free(n->notes);
    free((char *)n->end.name);
    free((char *)n->end.said);
    free(n->message);
    free(n->limit_refused);
    free(n->told.qos);
    *n = no_notes;
}

struct job_notes *world_notes(struct server *s, const struct job *j)
{
    while (s->world->notes.n <= j->index) {
        vec_push(&s->world->notes, no_notes);
    }
    struct job_notes *n = &s->world->notes.v[j->index];
    if (n->id && strcmp(n->id, j->id) == 0)
        return n;
    notes_clear(n);
    n->id = xstrdup(j->id);
    return n;
}

static char *copy_text(const char *text)
{
    return text && *text ? xstrdup(text) : NULL;
}

void world_note_end(struct server *s, const struct job *j, const struct job_end *end)
{
    struct job_notes *n = world_notes(s, j);
    struct job_end old = n->end;

    n->end = *end;
    n->end.name = copy_text(end->name);
    n->end.said = copy_text(end->said);
    free((char *)old.name);
    free((char *)old.said);
}

void world_close(struct server *s)
{
    if (!s->world)
        return;
    for (size_t i = 0; i < s->world->notes.n; i++)
        notes_clear(&s->world->notes.v[i]);
    vec_fini(&s->world->notes);
    vec_fini(&s->world->dirty);
    vec_fini(&s->world->is_dirty);
    vec_fini(&s->world->actions);
    passed_close(s);
    restless_close(s);
    rsvkeep_close(s);
    usage_close(s);
    record_close(s);
    timeline_close(s);
    free(s->world);
    s->world = NULL;
}

/* ---- the store ---- */

void world_save(struct server *s)
{
    const struct cluster *c = engine_cluster(s->engine);

    for (size_t i = 0; i < s->world->dirty.n; i++) {
        const struct job *j = c->jobs.v[s->world->dirty.v[i]];
        if (j && j->state < JOB_COMPLETED)
            record_job(s, j);
        s->world->is_dirty.v[s->world->dirty.v[i]] = 0;
    }
    s->world->dirty.n = 0;
    passed_save(s);
    restless_save(s);
    record_statistics(s);
    history_save(s);
    statistics_saved(engine_statistics(s->engine));
    usage_save(s);
}

/* ---- the engine ---- */

static void take(struct server *s, const struct action *a);

int world_apply(
    struct server *s, struct event *ev, struct event_result *ret, struct err *err)
{
    struct event_result made;

    ev->at = world_now(s);
    json_t *line = journal_before(s, ev);
    watch_before(s, ev);
    uint64_t before = basis_look(s, ev);
    s->world->revision++;
    timeline_interrupt(s);
    int result = engine_apply(s->engine, ev, &made, err);
    if (result < 0 && ev->kind == EVENT_RUN) {
        /* the plan looked for nodes as the order wanted them, and learned from it */
        json_object_set_new(line, "refused", json_true());
        s->world->actions.n = 0;
        journal_after(s, line, &s->world->actions);
        commit_want(s);
        return -1;
    }
    if (result < 0) {
        json_decref(line);
        return -1;
    }
    if (made.job)
        world_touch(s, made.job->index);
    watch_applied(s, ev, made.job);
    promised_happened(s, ev, s->api.asker ? s->api.asker->user : NULL);
    basis_follow(s, ev, before);
    teller_post(s);
    /* What the event decided by itself is for the resource manager too: at once, so
     * that nothing it reports meanwhile looks like news. */
    s->world->actions.n = 0;
    engine_decided(s->engine, &s->world->actions);
    journal_after(s, line, &s->world->actions);
    for (size_t i = 0; i < s->world->actions.n; i++)
        take(s, &s->world->actions.v[i]);
    if (ret)
        *ret = made;
    commit_want(s);
    cycle_want(s);
    return 0;
}

static const char *down_node_of(const struct cluster *c, const struct job *j)
{
    for (size_t i = 0; i < j->alloc.n; i++)
        for (uint32_t k = 0; k < j->alloc.v[i].count; k++) {
            const struct node *n = node_at(c, j->alloc.v[i].first + k);
            if (n->state == NODE_DOWN)
                return n->name;
        }
    return NULL;
}

/* Why the scheduler ends the job, with the numbers and names that go with it. */
static struct job_end end_of(
    struct server *s, const struct job *j, const struct action *a)
{
    int64_t limit_s = j->eff_wclimit_s > 0 ? j->eff_wclimit_s : j->wclimit_s;

    if (a->why == ENDED_WALLCLOCK)
        return (struct job_end){.reason = a->why,
            .limit = (double)limit_s,
            .used = (double)(world_now(s) - j->start_at - j->suspended_s)};
    if (a->why == ENDED_NODE_DOWN)
        return (struct job_end){
            .reason = a->why, .name = down_node_of(engine_cluster(s->engine), j)};
    return (struct job_end){.reason = a->why, .said = a->text};
}

/* What the engine decided: for the store, the log and the resource manager. */
static void take(struct server *s, const struct action *a)
{
    const struct cluster *c = engine_cluster(s->engine);
    const struct job *j = a->job < c->jobs.n ? c->jobs.v[a->job] : NULL;

    if (a->kind == ACTION_TRIGGER) {
        triggers_fired(s, a);
        commit_want(s);
    }
    if (!j)
        return;
    if (a->kind != ACTION_RESERVE && a->kind != ACTION_RELEASE)
        log_line(s->log, LOG_ACTION, "job '%s': %s%s%s", j->id,
            action_kind_name(a->kind), a->text ? ": " : "", a->text ? a->text : "");
    watch_decided(s, a, j);
    promised_decided(s, a, j);
    if (a->kind == ACTION_START)
        histogram_add(&s->events.metrics->wait,
            j->start_at > j->queue_at ? (double)(j->start_at - j->queue_at) : 0);
    manager_decided(s, a, j); /* first: who asks for its end keeps what was changed */
    if (a->kind == ACTION_CANCEL) {
        struct job_end end = end_of(s, j, a);
        world_note_end(s, j, &end);
        record_end(s, j, job_state_name((enum job_state)j->state), world_now(s));
    } else {
        world_touch(s, a->job);
    }
}

static double clock_s(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* No decision tells of it, but a restart has to know. */
static void touch_changed(struct server *s)
{
    size_t n;
    const uint32_t *jobs = engine_changed(s->engine, &n);

    for (size_t i = 0; i < n; i++)
        world_touch(s, jobs[i]);
}

void world_want_settled(struct server *s)
{
    s->world->deps_unsettled = true;
    cycle_want(s);
}

void world_cycle(struct server *s)
{
    int64_t now = world_now(s);
    double begin = clock_s();

    if (s->world->deps_unsettled && !s->tries) {
        s->world->deps_unsettled = false;
        depends_settle_waiting(s);
    }
    s->world->actions.n = 0;
    timeline_interrupt(s);
    engine_cycle(s->engine, now, &s->world->actions);
    s->world->last_cycle_s = clock_s() - begin;
    teller_post(s);
    histogram_add(&s->events.metrics->cycle, s->world->last_cycle_s);
    if (s->world->actions.n || s->world->revision != s->world->planned)
        feed_planned(s);
    s->world->planned = ++s->world->revision;
    s->control.iteration++;
    journal_cycle(s, now, &s->world->actions);
    for (size_t i = 0; i < s->world->actions.n; i++)
        take(s, &s->world->actions.v[i]);
    touch_changed(s);
    watch_reservations(s);
    watch_cycle(s);
    promised_look(s);
    series_note(s);
    manager_send(s, false);
    log_line(s->log, LOG_TRACE, "cycle %lu: %zu decisions in %.3f ms",
        (unsigned long)s->control.iteration, s->world->actions.n,
        s->world->last_cycle_s * 1e3);
}
