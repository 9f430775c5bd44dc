/* SPDX-License-Identifier: Apache-2.0
 * The state in numbers over time. See series.h. */
#define LOG_FACILITY FACILITY_STAT
#include "server/durable/series.h"

#include "base/duration.h"
#include "cluster/cluster.h"
#include "engine/statistics/statistics.h"
#include "server/render/render.h"
#include "server/server_private.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

#define KIND       "series"
#define FINE_MAX   2880 /* minutes */
#define COARSE_MIN 10   /* minutes */
#define COARSE_MAX 8640 /* of those */
#define HOUR_S     3600

/* A ring that grows until it is full; the oldest is at `oldest` then. */
struct ring {
    struct VEC(struct series_point) all;
    size_t oldest, max;
};

struct series {
    struct ring fine, coarse;
};

static const struct series_point *point_at(const struct ring *r, size_t i)
{
    return &r->all.v[(r->oldest + i) % r->all.n];
}

static void add_point(struct ring *r, const struct series_point *p)
{
    if (r->all.n < r->max) {
        vec_push(&r->all, *p);
        return;
    }
    r->all.v[r->oldest] = *p;
    r->oldest = (r->oldest + 1) % r->max;
}

/* The clock of a simulation may have gone back: what was later is of another life. */
static void forget_future(struct ring *r, uint32_t at)
{
    struct ring left = {.max = r->max};
    size_t n = r->all.n;

    while (n && point_at(r, n - 1)->at >= at)
        n--;
    if (n == r->all.n)
        return;
    for (size_t i = 0; i < n; i++)
        vec_push(&left.all, *point_at(r, i));
    vec_fini(&r->all);
    *r = left;
}

void series_close(struct server *s)
{
    if (s->kept.series) {
        vec_fini(&s->kept.series->fine.all);
        vec_fini(&s->kept.series->coarse.all);
    }
    free(s->kept.series);
    s->kept.series = NULL;
}

/* ---- what is noted ---- */

static uint32_t clip(int64_t n)
{
    return n < 0 ? 0 : n > UINT32_MAX ? UINT32_MAX : (uint32_t)n;
}

static void measure_jobs(struct server *s, struct series_point *p)
{
    const struct cluster *c = engine_cluster(s->engine);
    int64_t count[SECTION_COMPLETED + 1] = {0}, waited = 0, now = world_now(s);
    double backlog = 0;

    for (size_t i = 0; i < c->jobs.n; i++) {
        const struct job *j = c->jobs.v[i];
        if (!j || j->state >= JOB_COMPLETED)
            continue;
        enum section section = render_section(j);
        count[section]++;
        if (section != SECTION_ELIGIBLE)
            continue;
        waited += now - j->submit_at;
        if (j->wclimit_s < DURATION_UNLIMITED)
            backlog += (double)j->wclimit_s * (double)j->procs;
    }
    int64_t eligible = count[SECTION_ELIGIBLE];
    p->v[SERIES_ACTIVE] = clip(count[SECTION_ACTIVE]);
    p->v[SERIES_ELIGIBLE] = clip(eligible);
    p->v[SERIES_BLOCKED] = clip(count[SECTION_BLOCKED]);
    p->v[SERIES_BACKLOG] = clip((int64_t)(backlog / HOUR_S));
    p->v[SERIES_WAIT] = clip(eligible ? waited / eligible : 0);
}

static void measure_point(struct server *s, struct series_point *p)
{
    const struct statistics *t = engine_statistics(s->engine);
    struct stat_machine m;
    struct stat_figures f;

    statistics_machine(t, world_now(s), &m);
    statistics_of(t, CRED_KINDS, 0, world_now(s), &f);
    p->v[SERIES_PROCS] = clip(m.procs_up);
    p->v[SERIES_PROCS_ACTIVE] = clip(f.active_procs);
    measure_jobs(s, p);
}

/* A place in the ring is a record: an old one is written over. */
static void save_point(struct server *s, const struct series_point *p)
{
    char key[24], *text;
    json_t *list = json_array();

    if (!s->simulation) {
        json_array_append_new(list, json_integer(p->at));
        for (int i = 0; i < SERIES_NAMES; i++)
            json_array_append_new(list, json_integer(p->v[i]));
        text = json_dumps(list, JSON_COMPACT);
        snprintf(key, sizeof key, "%04u", p->at / COARSE_MIN % COARSE_MAX);
        if (text)
            unsaved_put(s->unsaved, KIND, key, text);
        free(text);
    }
    json_decref(list);
}

/* The ten minutes that are over, as their average. */
static void note_coarse(struct server *s, uint32_t until)
{
    const struct ring *fine = &s->kept.series->fine;
    struct series_point p = {.at = until};
    uint64_t sum[SERIES_NAMES] = {0}, n = 0;

    for (size_t i = fine->all.n; i-- > 0;) {
        const struct series_point *o = point_at(fine, i);
        if (o->at >= until || o->at + COARSE_MIN < until)
            break;
        for (int k = 0; k < SERIES_NAMES; k++)
            sum[k] += o->v[k];
        n++;
    }
    if (!n)
        return;
    for (int k = 0; k < SERIES_NAMES; k++)
        p.v[k] = (uint32_t)(sum[k] / n);
    p.at = until - COARSE_MIN;
    forget_future(&s->kept.series->coarse, p.at);
    add_point(&s->kept.series->coarse, &p);
    save_point(s, &p);
}

void series_note(struct server *s)
{
    struct ring *fine = s->kept.series ? &s->kept.series->fine : NULL;
    struct series_point p = {.at = (uint32_t)(world_now(s) / 60)};
    uint32_t last = fine && fine->all.n ? point_at(fine, fine->all.n - 1)->at : 0;

    if (!fine || s->tries || p.at == last)
        return;
    forget_future(fine, p.at);
    if (last && last < p.at && last / COARSE_MIN != p.at / COARSE_MIN)
        note_coarse(s, (last / COARSE_MIN + 1) * COARSE_MIN);
    measure_point(s, &p);
    add_point(fine, &p);
}

/* ---- from the store ---- */

struct loaded {
    struct VEC(struct series_point) all;
};

static int load_point(void *ctx, const char *key, const char *value)
{
    struct loaded *l = ctx;
    json_t *list = json_loads(value, 0, NULL);
    struct series_point p = {.at = clip(json_integer_value(json_array_get(list, 0)))};

    (void)key;
    for (size_t i = 0; i < SERIES_NAMES; i++)
        p.v[i] = clip(json_integer_value(json_array_get(list, i + 1)));
    if (p.at)
        vec_push(&l->all, p);
    json_decref(list);
    return 0;
}

static int compare_points(const void *a, const void *b)
{
    const struct series_point *x = a, *y = b;

    return x->at < y->at ? -1 : x->at > y->at;
}

void series_open(struct server *s)
{
    struct loaded l = {0};
    struct err err;

    s->kept.series = xcalloc(1, sizeof *s->kept.series);
    s->kept.series->fine.max = FINE_MAX;
    s->kept.series->coarse.max = COARSE_MAX;
    if (store_each(s->store, KIND, load_point, &l, &err) < 0)
        log_line(s->log, LOG_ALERT, "use over time: %s", err.text);
    if (l.all.n)
        qsort(l.all.v, l.all.n, sizeof *l.all.v, compare_points);
    for (size_t i = 0; i < l.all.n; i++)
        add_point(&s->kept.series->coarse, &l.all.v[i]);
    vec_fini(&l.all);
}

/* ---- what is told ---- */

struct sums {
    struct series_point *out;
    size_t n, max;
    int64_t from, step; /* minutes */
    uint64_t sum[SERIES_NAMES], in;
    int64_t slot; /* -1: none yet */
};

static void end_slot(struct sums *m)
{
    if (!m->in || m->n == m->max)
        return;
    struct series_point *p = &m->out[m->n++];
    p->at = (uint32_t)(m->from + m->slot * m->step);
    for (int k = 0; k < SERIES_NAMES; k++) {
        p->v[k] = (uint32_t)(m->sum[k] / m->in);
        m->sum[k] = 0;
    }
    m->in = 0;
}

static void sum_up(struct sums *m, const struct series_point *p)
{
    int64_t slot = (p->at - m->from) / m->step;

    if (slot != m->slot)
        end_slot(m);
    m->slot = slot;
    for (int k = 0; k < SERIES_NAMES; k++)
        m->sum[k] += p->v[k];
    m->in++;
}

size_t series_read(const struct server *s, int64_t from, int64_t to, size_t n,
    struct series_point *ret)
{
    const struct ring *fine = &s->kept.series->fine, *coarse = &s->kept.series->coarse;
    int64_t first = from / 60, last = to / 60;
    struct sums m = {.out = ret, .max = n, .from = first, .slot = -1};
    int64_t fine_from = fine->all.n ? point_at(fine, 0)->at : INT64_MAX;

    m.step = (last - first + 1 + (int64_t)n - 1) / (int64_t)n;
    for (size_t i = 0; i < coarse->all.n; i++) {
        const struct series_point *p = point_at(coarse, i);
        if (p->at >= first && p->at <= last && p->at < fine_from)
            sum_up(&m, p);
    }
    for (size_t i = 0; i < fine->all.n; i++) {
        const struct series_point *p = point_at(fine, i);
        if (p->at >= first && p->at <= last)
            sum_up(&m, p);
    }
    end_slot(&m);
    return m.n;
}
