/* SPDX-License-Identifier: Apache-2.0
 * See leavers.h. */
#include "server/durable/leavers.h"

#include "base/vec.h"
#include "base/xalloc.h"
#include "server/commit.h"
#include "server/durable/record.h"
#include "server/durable/unsaved.h"
#include "server/managers/manager.h"
#include "server/server_private.h"

#include <stdlib.h>
#include <string.h>

#define LEAVERS "bankleaver"
#define WAITERS "bankwaiter"

void leavers_note(struct server *s, const struct money_move *m)
{
    json_t *o;
    char *text;

    if (m->goes_on) {
        leavers_forget(s, m->run);
        return;
    }
    o = json_pack("{s:I, s:I, s:I, s:b, s:s*}", "at", (json_int_t)m->at, "cost",
        (json_int_t)m->total, "seconds", (json_int_t)m->seconds, "lost", m->lost,
        "text", m->text);
    text = json_dumps(o, JSON_COMPACT | JSON_SORT_KEYS);
    unsaved_put(s->unsaved, LEAVERS, m->run, text);
    commit_want(s);
    free(text);
    json_decref(o);
}

void leavers_forget(struct server *s, const char *run)
{
    unsaved_delete(s->unsaved, LEAVERS, run);
    commit_want(s);
}

void leavers_start_waits(struct server *s, const char *job)
{
    unsaved_put(s->unsaved, WAITERS, job, "");
    commit_want(s);
}

void leavers_start_sent(struct server *s, const char *job)
{
    unsaved_delete(s->unsaved, WAITERS, job);
    commit_want(s);
}

/* ---- of a former life ------------------------------------------------------------ */

struct recalling {
    struct server *s;
    struct funds_run *runs;
    size_t n;
    json_t *notes; /* by run */
};

static struct funds_run *find_run(const struct recalling *r, const char *name)
{
    for (size_t i = 0; i < r->n; i++)
        if (strcmp(r->runs[i].run, name) == 0)
            return &r->runs[i];
    return NULL;
}

static int recall_leaver(void *arg, const char *key, const char *value)
{
    struct recalling *r = arg;
    struct funds_run *run = find_run(r, key);
    json_t *o = run ? json_loads(value, 0, NULL) : NULL;

    json_object_set_new(r->notes, key, o ? o : json_null());
    if (!json_is_object(o))
        return 0;
    run->leave =
        (struct funds_leave){.at = json_integer_value(json_object_get(o, "at")),
            .cost = json_integer_value(json_object_get(o, "cost")),
            .seconds = json_integer_value(json_object_get(o, "seconds")),
            .lost = json_is_true(json_object_get(o, "lost")),
            .text = json_string_value(json_object_get(o, "text"))};
    return 0;
}

/* The last one that began, but for one that was to leave. */
static struct funds_run *find_last(const struct recalling *r, const char *job)
{
    struct funds_run *last = NULL;

    for (size_t i = 0; i < r->n; i++) {
        struct funds_run *run = &r->runs[i];
        if (strcmp(run->job, job) == 0 && !run->leave.at
            && (!last || run->since_at >= last->since_at))
            last = run;
    }
    return last;
}

static int recall_waiter(void *arg, const char *key, const char *value)
{
    struct funds_run *run = find_last(arg, key);

    (void)value;
    if (run)
        run->unsent = true;
    return 0;
}

/* Whoever was told to make room has not said that it has. A start behind that was not
 * sent. */
static void recall_order(
    void *ctx, const char *job, uint64_t number, const struct order_record *o)
{
    const struct recalling *r = ctx;

    (void)number;
    for (size_t i = 0; o->preempts && i < r->n; i++)
        if (strcmp(r->runs[i].job, job) == 0 && !r->runs[i].unsent)
            r->runs[i].leave.displaced = true;
}

/* Runs that are over, of a state that an older release has written meanwhile. */
static void forget_others(struct recalling *r)
{
    const char *run;
    json_t *o;

    json_object_foreach(r->notes, run, o) if (!json_is_object(o))
        leavers_forget(r->s, run);
}

json_t *leavers_recall(
    struct server *s, struct funds_run *runs, size_t n, struct err *err)
{
    struct recalling r = {s, runs, n, json_object()};

    if (store_each(s->store, LEAVERS, recall_leaver, &r, err) < 0
        || store_each(s->store, WAITERS, recall_waiter, &r, err) < 0) {
        json_decref(r.notes);
        return NULL;
    }
    record_each_order(s, &r, recall_order);
    forget_others(&r);
    return r.notes;
}

struct names VEC(char *);

static int note_name(void *arg, const char *key, const char *value)
{
    (void)value;
    vec_push((struct names *)arg, xstrdup(key));
    return 0;
}

void leavers_jobs_are_known(struct server *s)
{
    struct names names = {0};
    struct err err;

    unsaved_tell(s->unsaved);
    if (store_each(s->store, WAITERS, note_name, &names, &err) < 0)
        log_line(s->log, LOG_ALERT, "the bank: %s", err.text);
    for (size_t i = 0; i < names.n; i++) {
        if (!manager_start_waits(s, names.v[i]))
            leavers_start_sent(s, names.v[i]);
        free(names.v[i]);
    }
    vec_fini(&names);
}
