/* SPDX-License-Identifier: Apache-2.0
 * See history.h. */
#include "server/durable/history.h"

#include "records/jsontext.h"
#include "records/reader.h"
#include "server/durable/record.h"
#include "server/render/render.h"
#include "server/server_private.h"

#define KIND      "forecast"
#define KEY_SUM   "sum"
#define JOBS_MOST 5000 /* of accounting, the latest */

/* ---- runs; of those that were vacated nobody knows how long they would have been ----
 */

struct past {
    struct VEC(struct past_run) rows; /* users are owned; the latest first */
};

/* Told by its text first: few jobs have either. */
static int64_t number_of(const char *extra, const char *quoted, const char *name)
{
    if (!strstr(extra, quoted))
        return 0;
    json_t *o = json_loads(extra, 0, NULL);
    int64_t n = json_integer_value(json_object_get(o, name));

    json_decref(o);
    return n;
}
#define NUMBER_OF(extra, name) number_of(extra, "\"" name "\"", name)

static int take_row(void *ctx, const struct store_account *row)
{
    struct past *p = ctx;
    bool ran = row->start_at > 0 && row->end_at >= row->start_at && *row->user
               && strcmp(row->state, job_state_name(JOB_VACATED)) != 0;
    struct job_run run = {
        .run_s = row->end_at - row->start_at - NUMBER_OF(row->extra, RECORD_SUSPENDED),
        .limit_s = row->wclimit_s < DURATION_UNLIMITED ? row->wclimit_s : 0,
        .procs = row->procs > 0 ? (uint32_t)row->procs : 0,
        .unasked = NUMBER_OF(row->extra, RECORD_UNASKED) != 0};

    if (ran && run.run_s >= 0)
        vec_push(&p->rows, ((struct past_run){xstrdup(row->user), run}));
    return 0;
}

/* From the first on. */
static void turn_round(struct past *p)
{
    for (size_t i = 0; i < p->rows.n / 2; i++) {
        struct past_run swap = p->rows.v[i];
        p->rows.v[i] = p->rows.v[p->rows.n - 1 - i];
        p->rows.v[p->rows.n - 1 - i] = swap;
    }
}

static void recall_runs(struct server *s)
{
    const struct store_account_filter latest = {
        .newest_first = true, .limit = JOBS_MOST};
    struct past p = {0};
    struct err err;

    if (store_account_each(s->store, &latest, take_row, &p, &err) < 0)
        log_line(s->log, LOG_ALERT, "runs of ended jobs: %s", err.text);
    turn_round(&p);
    struct event ev = {
        .kind = EVENT_HISTORY, .u.history = {.rows = p.rows.v, .n = p.rows.n}};
    if (p.rows.n && world_apply(s, &ev, NULL, &err) < 0)
        log_line(s->log, LOG_ALERT, "runs of ended jobs: %s", err.text);
    for (size_t i = 0; i < p.rows.n; i++)
        free((char *)p.rows.v[i].user);
    vec_fini(&p.rows);
}

/* ---- how far off starts were ---- */

static json_t *values_of(const struct misses_record *r)
{
    json_t *list = json_array();

    for (uint32_t i = 0; i < r->n; i++)
        json_array_append_new(list, put_real_of(r->values[i]));
    return list;
}

static void save_record(void *ctx, const struct misses_record *r)
{
    struct server *s = ctx;
    char key[32] = KEY_SUM;
    json_t *o;

    if (r->bucket < MISSES_BUCKETS) {
        snprintf(key, sizeof key, "%u:%u", r->bucket, r->block);
        o = json_pack("{s:I, s:o}", "of", (json_int_t)r->of, "values", values_of(r));
    } else {
        o = json_pack("{s:I, s:I, s:I}", "n", (json_int_t)r->sum.n, "told",
            (json_int_t)r->sum.told, "within", (json_int_t)r->sum.within);
    }
    char *text = jsontext(o);
    unsaved_put(s->unsaved, KIND, key, text);
    free(text);
    json_decref(o);
}

void history_save(struct server *s)
{
    struct misses *m = engine_misses(s->engine);

    if (!misses_changed(m))
        return;
    misses_each(m, s, save_record);
    misses_saved(m);
}

static void read_values(const json_t *o, struct misses_record *io)
{
    json_t *entry;
    size_t i;

    io->of = (uint64_t)json_integer_value(json_object_get(o, "of"));
    json_array_foreach(json_object_get(o, "values"), i, entry)
    {
        if (io->n < MISSES_BLOCK)
            io->values[io->n++] = json_number_value(entry);
    }
}

static int load_record(void *ctx, const char *key, const char *value)
{
    struct server *s = ctx;
    struct misses_record r = {.bucket = MISSES_BUCKETS};
    json_t *o = json_loads(value, 0, NULL);

    if (strcmp(key, KEY_SUM) == 0) {
        r.sum.n = json_integer_value(json_object_get(o, "n"));
        r.sum.told = json_integer_value(json_object_get(o, "told"));
        r.sum.within = json_integer_value(json_object_get(o, "within"));
    } else if (sscanf(key, "%u:%u", &r.bucket, &r.block) != 2
               || r.bucket >= MISSES_BUCKETS) {
        log_line(s->log, LOG_ALERT, "the forecast record '%s' cannot be read", key);
        json_decref(o);
        return 0;
    }
    if (r.bucket < MISSES_BUCKETS)
        read_values(o, &r);
    misses_load(engine_misses(s->engine), &r);
    json_decref(o);
    return 0;
}

void history_recall(struct server *s)
{
    struct err err;

    if (s->simulation)
        return;
    recall_runs(s);
    if (store_each(s->store, KIND, load_record, s, &err) < 0)
        log_line(s->log, LOG_ALERT, "forecasts: %s", err.text);
}
