/* SPDX-License-Identifier: Apache-2.0
 * Where jobs that wait will be. */
#include "base/xalloc.h"
#include "cluster/job.h"
#include "server/events/feed.h"
#include "server/render/render.h"
#include "server/server_private.h"
#include "server/timeline/private.h"

#include <stdlib.h>
#include <string.h>

#define FORECAST_MAX 1000    /* jobs of the queue */
#define EFFORT_MAX   4000000 /* jobs x nodes: so many milliseconds of one turn */
#define LOOKS        3000    /* at jobs, a turn */
#define FITS         1       /* a turn */
#define BREAKS_MAX   3 /* then the forecast is left out until there is another plan, */
#define PLACES       200000  /* looks at nodes, a turn: a millisecond */
#define PLACES_LAST  2000000 /* and as many promises are placed as that finds: 10 ms */

static void drop_foresight(struct foresight *f)
{
    for (size_t i = 0; i < f->who.n; i++)
        free(f->who.v[i].id);
    vec_fini(&f->who);
    vec_fini(&f->on);
    free(f->first);
    *f = (struct foresight){0};
}

void timeline_open(struct server *s)
{
    s->api.timeline = xcalloc(1, sizeof *s->api.timeline);
    s->api.timeline->past = past_new();
    s->api.timeline->making = MAKING_PROMISES;
}

void timeline_interrupt(struct server *s)
{
    struct timeline *t = s->api.timeline;

    placing_end(t->placing); /* it may be of that forecast */
    t->placing = NULL;
    outlook_end(t->forecast);
    t->forecast = NULL;
}

void timeline_close(struct server *s)
{
    if (!s->api.timeline)
        return;
    timeline_interrupt(s);
    for (int i = 0; i < ROWS_BYS; i++)
        rows_release(s->api.timeline->rows[i]);
    for (int i = 0; i < ROWS_FOLDED; i++)
        rows_release(s->api.timeline->folded[i]);
    drop_foresight(&s->api.timeline->now);
    past_free(s->api.timeline->past);
    vec_fini(&s->api.timeline->candidates);
    free(s->api.timeline);
    s->api.timeline = NULL;
}

void timeline_note_end(
    struct server *s, const struct job *j, int64_t end_at, bool failed)
{
    past_note(s->api.timeline->past, j, end_at, failed);
}

uint64_t timeline_looks(const struct server *s)
{
    return s->api.timeline->looks;
}

/* ---- who is where ---- */

/* By counting: there are many on few nodes. Those on a node stay in order. */
static void sort_by_node(struct foresight *f, uint32_t nodes)
{
    struct VEC(struct foreseen_on) sorted = {0};

    free(f->first);
    f->nodes = nodes;
    f->first = xcalloc(nodes + 2, sizeof *f->first);
    for (size_t i = 0; i < f->on.n; i++)
        f->first[f->on.v[i].node + 1]++;
    for (uint32_t i = 0; i < nodes; i++)
        f->first[i + 1] += f->first[i];
    if (f->on.n)
        vec_push_zeros(&sorted, f->on.n);
    uint32_t *next = xcalloc(nodes + 1, sizeof *next);
    for (size_t i = 0; i < f->on.n; i++) {
        uint32_t node = f->on.v[i].node;
        sorted.v[f->first[node] + next[node]++] = f->on.v[i];
    }
    for (size_t i = 0; i < f->on.n; i++)
        f->on.v[i] = sorted.v[i];
    vec_fini(&sorted);
    free(next);
}

static uint32_t add_foreseen(struct foresight *f, const struct job *j, int64_t start_at,
    int64_t end_at, bool promised)
{
    vec_push(&f->who, ((struct foreseen){.id = xstrdup(j->id),
                          .job = j->index,
                          .start_at = start_at,
                          .end_at = end_at,
                          .promised = promised}));
    return (uint32_t)f->who.n - 1;
}

/* Places of jobs that have a number in `number` (by index; 0 = none). */
static void add_places(
    struct foresight *f, const struct query_places *places, const uint32_t *number)
{
    for (size_t i = 0; i < places->n; i++) {
        const struct query_place *p = &places->v[i];
        if (number[p->job])
            vec_push(
                &f->on, ((struct foreseen_on){p->node, p->tasks, number[p->job] - 1}));
    }
}

/* ---- the steps ---- */

/* Who waits for them may be another than when they were begun; in order of starts. */
static void take_promises(
    struct server *s, struct timeline *t, const struct query_places *places)
{
    const struct cluster *c = engine_cluster(s->engine);
    uint32_t *number = xcalloc(c->jobs.n + 1, sizeof *number);

    drop_foresight(&t->now);
    t->now.plan = t->placed_plan;
    t->has_forecast = false;
    for (size_t i = 0; i < places->n; i++) {
        const struct job *j = c->jobs.v[places->v[i].job];
        const struct planned *p = j ? engine_reservation_of(s->engine, j) : NULL;
        if (p && !number[j->index])
            number[j->index] = add_foreseen(&t->now, j, p->start_at,
                                   engine_reserved_until(s->engine, j), true)
                               + 1;
    }
    add_places(&t->now, places, number);
    sort_by_node(&t->now, (uint32_t)c->nodes.n);
    free(number);
}

/* Some of the promises of the plan in force. Where it changes before they are all
 * placed, again and again, those are told that can be placed at once. True: there are
 * more. */
static bool place_promises(struct server *s, struct timeline *t)
{
    static const struct query_places none = {0};
    bool hurried = t->broken > BREAKS_MAX, more;

    if (!t->placing) {
        t->placing = placing_begin(s->engine);
        t->placed_plan = feed_plan(s);
        t->broken++; /* until it is complete */
    }
    more = t->placing && placing_more(t->placing, hurried ? PLACES_LAST : PLACES);
    if (more && !hurried)
        return true;
    take_promises(s, t, t->placing ? placing_found(t->placing) : &none);
    if (more)
        t->now.plan = UINT64_MAX; /* of none: the next question begins anew */
    timeline_interrupt(s);
    t->making = MAKING_NOTHING;
    t->broken = 0;
    return false;
}

static void begin_choice(struct server *s, struct timeline *t)
{
    timeline_interrupt(s);
    t->making = MAKING_CHOICE;
    t->revision = world_revision(s);
    t->looked = 0;
    t->waiting = 0;
    t->candidates.n = 0;
}

static size_t most_jobs(const struct cluster *c)
{
    size_t most = EFFORT_MAX / (c->nodes.n + 1);

    return most < 1 ? 1 : most < FORECAST_MAX ? most : FORECAST_MAX;
}

static bool is_candidate(void *ctx, const struct job *j)
{
    const struct server *s = ctx;
    const struct planned *p = engine_reservation_of(s->engine, j);

    return job_waits(j) && !(p && p->row != INDEX_NONE)
           && render_section(j) == SECTION_ELIGIBLE;
}

/* Looks at some of the queue; all of it has been counted: the forecast begins, of the
 * first of those that the last cycle had. */
static void choose_some(struct server *s, struct timeline *t)
{
    const struct cluster *c = engine_cluster(s->engine);
    size_t end = c->queued.n - t->looked > LOOKS ? t->looked + LOOKS : c->queued.n;

    for (; t->looked < end; t->looked++) {
        const struct job *j = queue_at(c, t->looked);
        t->waiting += j && is_candidate(s, j);
    }
    if (t->looked < c->queued.n)
        return;
    query_queue(s->engine, most_jobs(c), is_candidate, s, &t->candidates);
    t->now.waiting = t->waiting;
    t->forecast = outlook_begin(s->engine, t->candidates.v, t->candidates.n);
    t->making = t->forecast ? MAKING_FORECAST : MAKING_NOTHING;
}

/* Some of where they would be; false: that was all, and the forecast is complete. */
static bool place_forecast(struct server *s, struct timeline *t)
{
    const struct cluster *c = engine_cluster(s->engine);

    if (!t->placing)
        t->placing = outlook_placing(t->forecast);
    if (placing_more(t->placing, PLACES))
        return true;
    uint32_t *number = xcalloc(c->jobs.n + 1, sizeof *number);
    for (size_t i = 0; i < t->candidates.n; i++) {
        const struct job *j = c->jobs.v[t->candidates.v[i]];
        int64_t start = outlook_start(t->forecast, i);
        int64_t limit_s = j->wclimit_s > 0 ? j->wclimit_s : 1;
        if (start)
            number[j->index] =
                add_foreseen(&t->now, j, start, time_add(start, limit_s), false) + 1;
    }
    add_places(&t->now, placing_found(t->placing), number);
    sort_by_node(&t->now, (uint32_t)c->nodes.n);
    t->now.forecast = (uint32_t)t->candidates.n;
    t->making = MAKING_NOTHING;
    timeline_interrupt(s);
    free(number);
    return false;
}

/* What it was begun on is no more. */
static bool is_broken_off(const struct server *s, const struct timeline *t)
{
    bool needs = t->making == MAKING_FORECAST || t->making == MAKING_PLACES;

    return (t->making == MAKING_CHOICE || needs)
           && (t->revision != world_revision(s) || (needs && !t->forecast));
}

bool foresight_more(struct server *s, bool forecast)
{
    struct timeline *t = s->api.timeline;

    if (t->now.plan != feed_plan(s) || t->making == MAKING_PROMISES) {
        if (t->making != MAKING_PROMISES || t->placed_plan != feed_plan(s))
            timeline_interrupt(s);
        if (t->making != MAKING_PROMISES)
            t->broken = 0;
        t->making = MAKING_PROMISES;
        return place_promises(s, t) || forecast;
    }
    if (!forecast || t->has_forecast)
        return false;
    if (t->making == MAKING_NOTHING) {
        begin_choice(s, t);
    } else if (is_broken_off(s, t)) {
        begin_choice(s, t);
        if (++t->broken > BREAKS_MAX) {
            t->making = MAKING_NOTHING;
            t->has_forecast = true;
        }
    } else if (t->making == MAKING_CHOICE) {
        choose_some(s, t);
        t->has_forecast = t->making == MAKING_NOTHING;
    } else if (t->making == MAKING_FORECAST) {
        if (!outlook_more(t->forecast, FITS))
            t->making = MAKING_PLACES;
    } else {
        t->has_forecast = !place_forecast(s, t);
    }
    return !t->has_forecast;
}

const struct foresight *foresight_get(struct server *s)
{
    return &s->api.timeline->now;
}

bool foresight_is_whole(struct server *s, bool forecast)
{
    const struct timeline *t = s->api.timeline;

    return t->now.plan == feed_plan(s) && (!forecast || t->has_forecast);
}
