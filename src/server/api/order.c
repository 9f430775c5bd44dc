/* SPDX-License-Identifier: Apache-2.0
 * Orders about jobs: each names jobs by expressions and is carried out job by job; the
 * outcome tells of each what became of it. One about many jobs is carried out in
 * slices, in turns by user, so that what others ask for comes between. Orders about
 * reservations are the same of names. */
#include "server/api/order.h"

#include "config/settings.h"
#include "server/drafts/jobexpr.h"
#include "server/drafts/rmname.h"
#include "server/drafts/where.h"
#include "server/events/stalls.h"
#include "server/http/turns.h"
#include "server/managers/manager.h"
#include "server/render/render.h"
#include "server/server_private.h"

#define SLICE       64  /* jobs; a cancellation of so many takes some milliseconds */
#define SLICE_MOST  250 /* of thousands: a cycle and a commit follow on each slice */
#define SLICES      50
#define PATIENCE_US 25000

const char *order_text(const struct order *o, const char *key)
{
    const char *text = json_string_value(json_object_get(o->body, key));

    return text && *text ? text : NULL;
}

static const char *subject_key(const struct order *o)
{
    return o->act_named ? "reservation" : "job";
}

static void add_result(
    struct order *o, const char *subject, const struct err *err, const char *done)
{
    static const char *const codes[] = {[ERR_NONE] = "internal",
        [ERR_INVALID] = "invalid",
        [ERR_NOT_FOUND] = "not_found",
        [ERR_DENIED] = "forbidden",
        [ERR_CONFLICT] = "conflict",
        [ERR_IO] = "unavailable"};
    json_t *entry = json_pack("{s:s, s:b, s:o}", subject_key(o), subject, "ok",
        err == NULL, "message", render_utf8(err ? err->text : done));

    if (err)
        json_object_set_new(entry, "code", json_string(codes[err->code]));
    json_array_append_new(o->results, entry);
}

static bool may(const struct order *o, const struct job *j)
{
    const struct cluster *c = engine_cluster(o->s->engine);
    const struct identity *who = request_who(o->r);

    return identity_is(who, o->who) || (o->owner && identity_has_job(who, c, j));
}

/* Whose job it is, and whether it is there, is perhaps not for the caller to know. */
static void refuse_job(const struct order *o, const struct job *j, struct err *err)
{
    const struct identity *who = request_who(o->r);

    if (identity_sees_job(who, engine_cluster(o->s->engine), j))
        err_set(err, ERR_DENIED,
            "user %s is not authorized to perform operation on job %s", who->user,
            j->id);
    else
        rmname_missing(engine_cluster(o->s->engine), j->id, err);
}

static void one_job(struct order *o, const struct job *j)
{
    char id[256], done[DONE_TEXT] = "";
    struct err err = {0};

    snprintf(id, sizeof id, "%s", j->id);
    if (!may(o, j)) {
        refuse_job(o, j, &err);
        add_result(o, id, &err, NULL);
        return;
    }
    int result = o->act(o, j, done, sizeof done, &err);
    add_result(o, id, result < 0 ? &err : NULL, done);
}

static void one_named(struct order *o, const char *name)
{
    char done[DONE_TEXT] = "";
    struct err err = {0};
    int result = o->act_named(o, name, done, sizeof done, &err);

    add_result(o, name, result < 0 ? &err : NULL, done);
}

/* ---- which jobs ---- */

/* Expressions as they are sent, or ids with `exact`, each with its own refusal; after
 * one too many no more. */
static void choose_jobs(struct order *o, json_t *expressions, struct job_choices *ret)
{
    const struct cluster *c = engine_cluster(o->s->engine);
    bool exact = json_is_true(json_object_get(o->body, "exact"));
    json_t *expr;
    size_t i;

    ret->unanchored = o->s->config->settings->use_job_regex;
    json_array_foreach(expressions, i, expr)
    {
        struct err err = {0};
        const char *text = json_string_value(expr);
        if (text && (exact ? jobexpr_add_id : jobexpr_match)(c, text, ret, &err) < 0)
            add_result(o, text, &err, NULL);
        if (ret->elements > JOBEXPR_ELEMENTS_MAX
            || ret->patterns > JOBEXPR_PATTERNS_MAX)
            break;
    }
}

/* A job that was chosen. Between slices it may end, and its index be used again. */
struct chosen {
    char *id;
    bool named;
};

/* An order on its way. */
struct carried {
    struct turn turn;
    struct order order;
    struct VEC(struct chosen) jobs;
    size_t next, before; /* of the jobs; results there were before them */
    char *refused;       /* the first that is not one of theirs, or NULL */
};

struct orders {
    struct turns turns;
    sd_event_source *slice, *patience;
};

static void free_carried(struct carried *t)
{
    for (size_t i = 0; i < t->jobs.n; i++)
        free(t->jobs.v[i].id);
    vec_fini(&t->jobs);
    free(t->refused);
    json_decref(t->order.results);
    json_decref(t->order.body);
    free(t);
}

static void take_chosen(
    struct carried *t, const struct job_choices *chosen, bool any, bool active)
{
    const struct cluster *c = engine_cluster(t->order.s->engine);

    for (size_t i = 0; i < chosen->list.n; i++) {
        const struct job *j = c->jobs.v[chosen->list.v[i].job];
        if (any || job_is_active(j) == active)
            vec_push(
                &t->jobs, ((struct chosen){xstrdup(j->id), chosen->list.v[i].named}));
    }
}

/* Of many, those on nodes come last: else what waits and is to be cancelled as well
 * would start between slices on the nodes they leave. */
static void list_chosen(struct carried *t, const struct job_choices *chosen)
{
    bool one_slice = chosen->list.n <= SLICE;

    take_chosen(t, chosen, one_slice, false);
    if (!one_slice)
        take_chosen(t, chosen, false, true);
}

static void take_names(struct carried *t, json_t *names)
{
    json_t *name;
    size_t i;

    json_array_foreach(names, i, name)
    {
        vec_push(&t->jobs, ((struct chosen){xstrdup(json_string_value(name)), true}));
    }
}

/* Who says ALL, or a pattern, means those that may be touched. Conditions tell nothing
 * of the jobs of others. */
static void act_on(struct carried *t, const struct chosen *it)
{
    struct order *o = &t->order;

    if (o->act_named) {
        one_named(o, it->id);
        return;
    }
    const struct job *j = job_find(engine_cluster(o->s->engine), it->id);
    o->by_name = it->named;
    if (!j || j->state >= JOB_COMPLETED) { /* since it was chosen */
        struct err err;
        rmname_missing(engine_cluster(o->s->engine), it->id, &err);
        if (it->named)
            add_result(o, it->id, &err, NULL);
        return;
    }
    bool allowed = may(o, j);
    if ((allowed && where_matches(o->where, o->s, j)) || (!allowed && it->named))
        one_job(o, j);
    else if (!allowed && !o->where && !t->refused)
        t->refused = xstrdup(it->id);
}

/* When there is not one of them, the first is refused; one that the caller may not know
 * of is not named. */
static void explain_none(struct carried *t)
{
    struct order *o = &t->order;
    struct err err;
    const struct job *refused =
        t->refused ? job_find(engine_cluster(o->s->engine), t->refused) : NULL;

    if (json_array_size(o->results) > t->before)
        return;
    const struct cluster *c = engine_cluster(o->s->engine);
    if (refused && !identity_sees_job(request_who(o->r), c, refused)) {
        err_set(&err, ERR_NOT_FOUND, "none of these jobs is yours");
        add_result(o, "", &err, NULL);
    } else if (refused) {
        one_job(o, refused);
    } else if (o->where && t->before == 0) {
        err_set(&err, ERR_NOT_FOUND, "no job matches the conditions given");
        add_result(o, "", &err, NULL);
    }
}

static void send_outcome(struct order *o)
{
    struct VEC(struct manager_told) told = {0};
    json_t *body = json_pack("{s:O}", "results", o->results), *result;
    size_t i;

    json_array_foreach(o->results, i, result)
    {
        if (o->is_told && json_is_true(json_object_get(result, "ok")))
            vec_push(
                &told, ((struct manager_told){
                           json_string_value(json_object_get(result, "job")), result}));
    }
    manager_reply_told(o->s, o->r, body, told.v, told.n);
    vec_fini(&told);
}

static size_t slice_of(const struct carried *t)
{
    size_t n = t->jobs.n / SLICES;

    return n < SLICE ? SLICE : n < SLICE_MOST ? n : SLICE_MOST;
}

/* True: it is over, and answered when that is durable. A simulation's clock stands
 * still for an order, whatever its size; a copy that tries has nothing else to do. */
static bool carry_slice(struct carried *t)
{
    struct order *o = &t->order;
    size_t n = slice_of(t);
    bool whole = o->s->simulation || o->s->tries || t->jobs.n - t->next <= n;
    size_t end = whole ? t->jobs.n : t->next + n;

    while (t->next < end)
        act_on(t, &t->jobs.v[t->next++]);
    if (o->slice_done)
        o->slice_done(o->s);
    if (t->next < t->jobs.n)
        return false;
    explain_none(t);
    send_outcome(o);
    return true;
}

/* ---- in turns ---- */

/* When nothing else is to be done, such as the writing of submissions; in the end
 * whatever goes on. */
static void arm_slice(struct orders *orders)
{
    sd_event_source_set_enabled(orders->slice, SD_EVENT_ONESHOT);
    sd_event_source_set_time_relative(orders->patience, PATIENCE_US);
    sd_event_source_set_enabled(orders->patience, SD_EVENT_ONESHOT);
}

static void take_turn(struct orders *orders)
{
    struct carried *t = turns_next(&orders->turns)->of;
    const struct identity asker = *request_who(t->order.r);
    struct server *s = t->order.s;

    stalls_doing(s, "order");
    sd_event_source_set_enabled(orders->slice, SD_EVENT_OFF);
    sd_event_source_set_enabled(orders->patience, SD_EVENT_OFF);
    s->api.asker = &asker;
    bool done = carry_slice(t);
    s->api.asker = NULL;
    if (done) {
        turns_remove(&orders->turns, &t->turn);
        free_carried(t);
    }
    if (!turns_empty(&orders->turns))
        arm_slice(orders);
}

static int on_slice(sd_event_source *source, void *ctx)
{
    (void)source;
    take_turn(ctx);
    return 0;
}

static int on_patience(sd_event_source *source, uint64_t at, void *ctx)
{
    (void)source;
    (void)at;
    take_turn(ctx);
    return 0;
}

int order_open(struct server *s, struct err *err)
{
    s->api.orders = xcalloc(1, sizeof *s->api.orders);
    turns_init(&s->api.orders->turns);
    if (sd_event_add_defer(s->loop, &s->api.orders->slice, on_slice, s->api.orders) < 0
        || sd_event_source_set_enabled(s->api.orders->slice, SD_EVENT_OFF) < 0
        || sd_event_source_set_priority(s->api.orders->slice, PRIORITY_READERS) < 0
        || sd_event_add_time(s->loop, &s->api.orders->patience, CLOCK_MONOTONIC, 0,
               1000, on_patience, s->api.orders)
               < 0
        || sd_event_source_set_enabled(s->api.orders->patience, SD_EVENT_OFF) < 0)
        return err_set(err, ERR_IO, "the event loop takes no more sources");
    return 0;
}

/* Their requests are refused by http_close(). */
void order_close(struct server *s)
{
    struct turn *turn;

    if (!s->api.orders)
        return;
    while ((turn = turns_next(&s->api.orders->turns))) {
        turns_remove(&s->api.orders->turns, turn);
        free_carried(turn->of);
    }
    sd_event_source_disable_unref(s->api.orders->slice);
    sd_event_source_disable_unref(s->api.orders->patience);
    free(s->api.orders);
    s->api.orders = NULL;
}

static void take_jobs(struct carried *t, json_t *expressions)
{
    struct job_choices chosen = {0};

    choose_jobs(&t->order, expressions, &chosen);
    t->before = json_array_size(t->order.results);
    list_chosen(t, &chosen);
    jobexpr_fini(&chosen);
}

static void carry_out(const struct order *o, json_t *list)
{
    struct orders *orders = o->s->api.orders;
    struct carried *t = xcalloc(1, sizeof *t);

    t->order = *o;
    t->order.body = json_incref(o->body);
    t->order.results = json_array();
    if (o->act_named)
        take_names(t, list);
    else
        take_jobs(t, list);
    if (carry_slice(t)) {
        free_carried(t);
        return;
    }
    t->turn.of = t;
    turns_add(&orders->turns, request_who(o->r)->user, &t->turn);
    arm_slice(orders);
}

void order_carry_out(struct order *o)
{
    struct err err = {0};
    json_t *jobs, *all = json_pack("[s]", "ALL");

    o->body = request_json(o->r, &err);
    o->where = o->body ? json_object_get(o->body, "where") : NULL;
    jobs = o->body ? json_object_get(o->body, "jobs") : NULL;
    if (o->where && !jobs)
        jobs = all;
    if (o->body && (!json_is_array(jobs) || json_array_size(jobs) == 0))
        err_set(&err, ERR_INVALID, "jobs: a list of job expressions is needed");
    else if (jobs == all && json_is_true(json_object_get(o->body, "exact")))
        err_set(&err, ERR_INVALID, "jobs: with `exact` their ids are needed");
    if (err.code || (o->where && where_check(o->where, &err) < 0))
        request_refuse(o->r, &err);
    else
        carry_out(o, jobs);
    json_decref(all);
}

void order_carry_out_named(struct order *o)
{
    struct err err = {0};
    json_t *names;

    o->body = request_json(o->r, &err);
    names = o->body ? json_object_get(o->body, "reservations") : NULL;
    if (o->body && json_array_size(names) == 0)
        err_set(&err, ERR_INVALID, "reservations: a list of names is needed");
    else if (json_array_size(names) > ORDER_NAMES_MAX)
        err_set(&err, ERR_INVALID, "reservations: expected at most %d, not %zu",
            ORDER_NAMES_MAX, json_array_size(names));
    if (err.code)
        request_refuse(o->r, &err);
    else
        carry_out(o, names);
}
