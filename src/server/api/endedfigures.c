/* SPDX-License-Identifier: Apache-2.0
 * What jobs tell by when they were in the queue and ran: what a credential used over
 * time, and how waits and expansion factors are distributed. Of jobs that are over it
 * is worked out from accounting, so nothing is kept for it. */
#include "server/api/api.h"
#include "server/http/stream.h"
#include "server/render/render.h"
#include "server/server_private.h"
#include "store/account.h"

#include <stdlib.h>
#include <string.h>

#define ROWS_MAX   20000 /* that are looked at, the newest */
#define ROWS_TURN  500   /* of them at once: less than a millisecond */
#define POINTS     240
#define POINTS_MAX 300
#define DAY_S      86400

/* ---- what is asked ---- */

struct asked {
    int64_t from, to, until; /* until: now, or where the view of the past is */
    enum cred_kind kind;     /* CRED_KINDS: of all */
    char *name;              /* owned */
    struct store_account_filter filter;
};

static int read_kind(const char *text, enum cred_kind *ret, struct err *err)
{
    for (int k = 0; k < CRED_KINDS; k++)
        if (strcmp(text, render_cred_key((enum cred_kind)k)) == 0) {
            *ret = (enum cred_kind)k;
            return 0;
        }
    return err_set(err, ERR_NOT_FOUND,
        "there are no credentials '%.40s': expected user, group, account, class or qos",
        text);
}

static void filter_by(
    struct store_account_filter *f, enum cred_kind kind, const char *name)
{
    const char **const places[CRED_KINDS] = {[CRED_USER] = &f->user,
        [CRED_GROUP] = &f->group,
        [CRED_ACCOUNT] = &f->account,
        [CRED_CLASS] = &f->class,
        [CRED_QOS] = &f->qos};

    *places[kind] = name;
}

static int read_span(struct request *r, struct asked *a, struct err *err)
{
    if (request_query_int(r, "to", a->until, &a->to, err) < 0
        || request_query_int(
               r, "from", a->to > DAY_S ? a->to - DAY_S : 0, &a->from, err)
               < 0)
        return -1;
    if (a->from < 0 || a->to < a->from)
        return err_set(err, ERR_INVALID, "to: expected an instant behind from");
    if (a->from > a->until)
        return err_set(err, ERR_INVALID, "from: expected an instant that is not ahead");
    if (a->to > a->until)
        a->to = a->until;
    return 0;
}

/* Of others it is for administrators of any level, of oneself for everybody. */
static int read_whose(struct server *s, struct request *r, const char *kind,
    struct asked *a, struct err *err)
{
    const char *name = request_query(r, "name");
    const struct identity *who = request_who(r);

    a->kind = CRED_KINDS;
    if (kind && *kind && read_kind(kind, &a->kind, err) < 0)
        return -1;
    if ((a->kind == CRED_KINDS) != (!name || !*name))
        return err_set(err, ERR_INVALID,
            "expected both of kind and name, or none: of whom is it asked?");
    if (!identity_is(who, WHO_ADMIN3)
        && (a->kind != CRED_USER || !identity_owns(who, name)))
        return identity_deny(who, "showstats", err);
    if (a->kind == CRED_KINDS)
        return 0;
    a->name = xstrdup(name); /* the request may be gone before all is read */
    filter_by(&a->filter, a->kind, a->name);
    return cred_find(engine_cluster(s->engine), a->kind, name)
               ? 0
               : cred_missing(engine_cluster(s->engine), a->kind, name, err);
}

/* -1: it has been refused. */
static int read_asked(
    struct server *s, struct request *r, const char *kind, struct asked *ret)
{
    struct err err = {0};

    *ret = (struct asked){.filter = {.limit = ROWS_MAX}};
    if (api_until(s, r, &ret->until) < 0)
        return -1;
    if (read_whose(s, r, kind, ret, &err) == 0 && read_span(r, ret, &err) == 0)
        return 0;
    request_refuse(r, &err);
    free(ret->name);
    return -1;
}

/* ---- over time ---- */

enum { USE_PROCS, USE_ACTIVE, USE_QUEUED, USE_WAIT, USES };
static const char *const use_names[USES] = {
    "procs_active", "active", "queued", "wait_s"};

struct slots {
    int64_t from, step, until;
    size_t n;
    double (*sum)[USES];
    int64_t *started;
};

/* 0: nobody remembers when it was submitted. */
static int64_t waits_since(const struct store_span *j)
{
    return j->queue_at && j->start_at ? j->queue_at : j->submit_at;
}

/* So much from..to: its share of each slot. */
static void add_range(
    struct slots *t, int use, int64_t from, int64_t to, double how_much)
{
    from = from < t->from ? t->from : from;
    to = to > t->until ? t->until : to;
    for (size_t i = from < to ? (size_t)((from - t->from) / t->step) : t->n; i < t->n;
         i++) {
        int64_t begin = t->from + (int64_t)i * t->step;
        if (begin >= to)
            return;
        int64_t a = begin < from ? from : begin;
        int64_t end = begin + t->step;
        int64_t b = end > to ? to : end;
        int64_t length =
            (end > t->until ? t->until : end) - begin; /* the last is cut */
        t->sum[i][use] += how_much * (double)(b - a) / (double)length;
    }
}

static int add_span(void *ctx, const struct store_span *j)
{
    struct slots *t = ctx;
    int64_t began = j->start_at ? j->start_at : j->end_at, first = waits_since(j);

    if (first)
        add_range(t, USE_QUEUED, first, began, 1);
    if (!j->start_at)
        return 0;
    add_range(t, USE_ACTIVE, j->start_at, j->end_at, 1);
    add_range(t, USE_PROCS, j->start_at, j->end_at, (double)j->procs);
    int64_t slot = (j->start_at - t->from) / t->step;
    if (first && j->start_at >= t->from && slot < (int64_t)t->n) {
        t->sum[slot][USE_WAIT] += (double)(j->start_at - first);
        t->started[slot]++;
    }
    return 0;
}

/* Those that wait or run yet, up to now. */
static void add_present(struct server *s, const struct asked *a, struct slots *t)
{
    const struct cluster *c = engine_cluster(s->engine);
    const struct cred *whose = cred_find(c, a->kind, a->name);
    int64_t now = world_now(s);

    for (size_t i = 0; i < c->jobs.n; i++) {
        const struct job *j = c->jobs.v[i];
        if (!j || j->state >= JOB_COMPLETED || job_cred(c, j, a->kind) != whose)
            continue;
        add_span(t, &(struct store_span){.submit_at = j->submit_at,
                        .start_at = job_has_begun(j->state) ? j->start_at : 0,
                        .end_at = now,
                        .procs = j->procs});
    }
}

static json_t *describe_slot(const struct slots *t, size_t i)
{
    json_t *row = json_pack("[I]", (json_int_t)(t->from + (int64_t)i * t->step));

    for (int use = 0; use < USES; use++) {
        double v = t->sum[i][use];
        if (use == USE_WAIT && t->started[i])
            v /= (double)t->started[i];
        json_array_append_new(
            row, use == USE_WAIT && !t->started[i]
                     ? json_null()
                     : json_real((double)(int64_t)(v * 100 + 0.5) / 100));
    }
    return row;
}

static json_t *describe_slots(const struct slots *t, int64_t known_from)
{
    json_t *points = json_array(), *names = json_array();

    for (int use = 0; use < USES; use++)
        json_array_append_new(names, json_string(use_names[use]));
    for (size_t i = 0; i < t->n; i++)
        if (t->from + (int64_t)i * t->step >= known_from)
            json_array_append_new(points, describe_slot(t, i));
    return json_pack("{s:I, s:I, s:o, s:o}", "from", (json_int_t)t->from, "to",
        (json_int_t)t->until, "names", names, "points", points);
}

/* ---- distributions ---- */

#define BOUNDS 12

static const int64_t wait_bounds[BOUNDS] = {
    10, 60, 300, 900, 1800, 3600, 7200, 14400, 28800, 86400, 259200, 604800};
static const double xfactor_bounds[BOUNDS] = {
    0.1, 0.25, 0.5, 1, 1.5, 2, 3, 5, 10, 20, 50, 100};

struct counts {
    int64_t jobs, waits[BOUNDS + 1], xfactors[BOUNDS + 1];
    double wait_sum, xfactor_sum;
    int64_t with_limit;
};

static int count_span(void *ctx, const struct store_span *j)
{
    struct counts *n = ctx;
    int64_t since = waits_since(j);
    int64_t wait = j->start_at > since ? j->start_at - since : 0;
    size_t i = 0;

    if (!j->start_at || !since)
        return 0;
    n->jobs++;
    n->wait_sum += (double)wait;
    while (i < BOUNDS && wait > wait_bounds[i])
        i++;
    n->waits[i]++;
    if (j->wclimit_s <= 0)
        return 0;
    /* as showstats has it of jobs that are over: what it took, not what it might have
     */
    double factor = (double)(wait + j->end_at - j->start_at) / (double)j->wclimit_s;
    for (i = 0; i < BOUNDS && factor > xfactor_bounds[i];)
        i++;
    n->xfactors[i]++;
    n->xfactor_sum += factor;
    n->with_limit++;
    return 0;
}

static json_t *describe_counts(const int64_t counts[BOUNDS + 1])
{
    json_t *list = json_array();

    for (int i = 0; i <= BOUNDS; i++)
        json_array_append_new(list, json_integer(counts[i]));
    return list;
}

static json_t *describe_distributions(const struct asked *a, const struct counts *n)
{
    json_t *waits = json_array(), *factors = json_array();

    for (int i = 0; i < BOUNDS; i++) {
        json_array_append_new(waits, json_integer(wait_bounds[i]));
        json_array_append_new(factors, json_real(xfactor_bounds[i]));
    }
    json_t *o = json_pack("{s:I, s:I, s:I, s:o, s:o, s:o, s:o}", "from",
        (json_int_t)a->from, "to", (json_int_t)a->to, "jobs", (json_int_t)n->jobs,
        "wait_bounds_s", waits, "waits", describe_counts(n->waits), "xfactor_bounds",
        factors, "xfactors", describe_counts(n->xfactors));
    if (n->jobs)
        render_real(o, "wait_s", n->wait_sum / (double)n->jobs);
    if (n->with_limit)
        render_real(o, "xfactor", n->xfactor_sum / (double)n->with_limit);
    return o;
}

/* ---- worked out in turns ---- */

struct figures {
    struct asked asked;
    struct store_spans walk;
    store_span_fn *each; /* add_span() or count_span() */
    struct slots slots;
    struct counts counts;
    struct err err;
};

static json_t *describe_figures(struct figures *f)
{
    int64_t oldest = f->walk.seen == f->asked.filter.limit ? f->walk.end_at : 0;

    if (f->each == add_span)
        return describe_slots(&f->slots, oldest);
    if (f->asked.from < oldest)
        f->asked.from = oldest;
    return describe_distributions(&f->asked, &f->counts);
}

static bool work_out_some(struct server *s, void *ctx, struct strbuf *out)
{
    struct figures *f = ctx;
    bool over_time = f->each == add_span;

    /* Who runs when the walk begins has no row in it, whoever ends meanwhile. */
    if (!f->walk.begun) {
        unsaved_tell(s->unsaved);
        if (over_time)
            add_present(s, &f->asked, &f->slots);
    }
    int more = store_account_spans(s->store, &f->asked.filter, &f->walk, ROWS_TURN,
        f->each, over_time ? (void *)&f->slots : &f->counts, &f->err);
    if (more == 0)
        stream_add(out, describe_figures(f));
    return more > 0;
}

static const struct err *say_why_not(void *ctx)
{
    const struct figures *f = ctx;

    return f->err.code ? &f->err : NULL;
}

static void free_figures(void *ctx)
{
    struct figures *f = ctx;

    free(f->asked.name);
    free(f->slots.sum);
    free(f->slots.started);
    free(f);
}

/* Copied; what it points to becomes the list's. */
static void tell_figures(
    struct server *s, struct request *r, const struct figures *figures)
{
    struct figures *f = xmalloc(sizeof *f);

    *f = *figures;
    stream_make(s, r, NULL, "application/json",
        &(struct stream_source){.more = work_out_some,
            .done = free_figures,
            .ctx = f,
            .failed = say_why_not});
}

void api_series_of(struct server *s, struct request *r)
{
    int64_t points = POINTS;
    struct asked a;
    struct err err = {0};

    if (read_asked(s, r, request_param(r, "kind"), &a) < 0)
        return;
    if (request_query_int(r, "points", POINTS, &points, &err) < 0 || points < 1
        || points > POINTS_MAX) {
        free(a.name);
        request_refuse_as(r, 400, "invalid", "points", "points: expected 1 to 300");
        return;
    }
    int64_t step = (a.to - a.from + points - 1) / points;
    struct slots t = {.from = a.from, .step = step > 0 ? step : 1, .until = a.to};
    t.n = (size_t)((a.to - a.from + t.step - 1) / t.step);
    t.sum = xcalloc(t.n + 1, sizeof *t.sum);
    t.started = xcalloc(t.n + 1, sizeof *t.started);
    a.filter.from_at = a.from;
    tell_figures(s, r, &(struct figures){.asked = a, .each = add_span, .slots = t});
}

void api_distributions(struct server *s, struct request *r)
{
    struct asked a;

    if (read_asked(s, r, request_query(r, "kind"), &a) < 0)
        return;
    a.filter.from_at = a.from;
    a.filter.to_at = a.to + 1;
    tell_figures(s, r, &(struct figures){.asked = a, .each = count_span});
}
