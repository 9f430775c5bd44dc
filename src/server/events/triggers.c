/* SPDX-License-Identifier: Apache-2.0
 * Triggers, carried out. */
#define LOG_FACILITY FACILITY_SCHED
#include "server/events/triggers.h"

#include "base/program.h"
#include "server/events/eventlog.h"
#include "server/events/notify.h"
#include "server/events/programs.h"
#include "server/render/render.h"
#include "server/server_private.h"

#include <stdio.h>
#include <unistd.h>

#define AT_ONCE  8
#define LIMIT_MS (UINT64_C(3600) * 1000) /* of one program */

enum phase {
    PHASE_FRESH,  /* its record is not on the disk yet */
    PHASE_DUE,    /* it is; waits for its time and for room */
    PHASE_BEGINS, /* that it has begun is not on the disk yet */
    PHASE_RUNS,   /* its program runs */
    PHASE_RAN     /* it is over, and the record goes */
};

struct errand {
    struct server *s;
    enum phase phase;
    char *key;   /* owned: of its record */
    char *rsv;   /* owned */
    char *data;  /* owned: what to run or submit */
    char *event; /* owned: what fired it */
    bool submit;
    int64_t due_at;
};

struct triggers {
    struct programs *programs;
    struct VEC(struct errand *) errands;
    sd_event_source *timer;
    unsigned busy; /* begin or run */
    bool stopping;
};

static void errand_free(struct errand *e)
{
    free(e->key);
    free(e->rsv);
    free(e->data);
    free(e->event);
    free(e);
}

/* ---- records ---- */

static void save(struct server *s, const struct errand *e)
{
    json_t *o = json_pack("{s:o, s:s, s:o, s:s, s:I, s:b}", "reservation",
        render_utf8(e->rsv), "action", e->submit ? "submit" : "exec", "data",
        render_utf8(e->data), "event", e->event, "due_at", (json_int_t)e->due_at,
        "begun", e->phase >= PHASE_BEGINS);
    char *text = json_dumps(o, JSON_COMPACT);

    unsaved_put(s->unsaved, "trigger", e->key, text);
    free(text);
    json_decref(o);
    commit_want(s);
}

static void forget(struct server *s, struct errand *e)
{
    unsaved_delete(s->unsaved, "trigger", e->key);
    commit_want(s);
    e->phase = PHASE_RAN; /* triggers_committed() frees it */
}

/* The texts are copied. */
static struct errand *add(struct server *s, const char *key, const char *rsv,
    const char *data, const char *event)
{
    struct errand *e = xcalloc(1, sizeof *e);

    e->s = s;
    e->key = xstrdup(key);
    e->rsv = xstrdup(rsv);
    e->data = xstrdup(data ? data : "");
    e->event = xstrdup(event);
    vec_push(&s->events.triggers->errands, e);
    return e;
}

static void add_fresh(struct server *s, const char *rsv, size_t number,
    const struct trigger *t, int64_t due_at)
{
    struct strbuf key = {0};

    strbuf_printf(
        &key, "%s/%zu/%lld", rsv, number, (long long)(t->fired ? t->fired_at : due_at));
    struct errand *e = add(s, key.text, rsv, t->data, trigger_event_name(t->event));
    e->submit = t->action == TRIGGER_SUBMIT;
    e->due_at = due_at;
    save(s, e);
    free(strbuf_take(&key));
}

void triggers_fired(struct server *s, const struct action *a)
{
    const struct reservation *r = engine_cluster(s->engine)->reservations.v[a->rsv];
    const struct trigger *t = &r->triggers.v[a->trigger];
    char text[600];

    triggertext_format(t, text, sizeof text);
    log_line(s->log, LOG_ACTION, "reservation '%s': trigger %s fires", r->name, text);
    eventlog_add(s, TRIGGERFIRED, r->name, false, json_pack("{s:s}", "type", "trigger"),
        "trigger %s of reservation '%s' fires", text, r->name);
    if (t->action != TRIGGER_CANCEL && server_acts(s))
        add_fresh(s, r->name, a->trigger, t, a->at);
}

void triggers_left(struct server *s, const char *rsv, size_t index,
    const struct trigger *t, int64_t due_at)
{
    if (t->action == TRIGGER_CANCEL || !server_acts(s))
        return;
    log_line(s->log, LOG_ACTION,
        "reservation '%s' ended while nobody looked: its %s trigger is carried out",
        rsv, trigger_event_name(t->event));
    add_fresh(s, rsv, index, t, due_at);
}

/* ---- carrying out ---- */

static void on_ended(void *ctx, const struct program_end *end)
{
    struct errand *e = ctx;

    forget(e->s, e);
    e->s->events.triggers->busy--;
    eventlog_add(e->s, TRIGGERENDED, e->rsv, end->exit_status != 0,
        json_pack("{s:s, s:i}", "type", "trigger", "exit_status", end->exit_status),
        "'%s' of a trigger of reservation '%s': %s", e->data, e->rsv, end->text);
}

/* Words parted by blanks. The array and the text are to be freed. */
static const char **words_of(const char *text, char **ret_copy)
{
    struct VEC(const char *) words = {0};
    char *save_at = NULL;

    *ret_copy = xstrdup(text);
    for (char *word = strtok_r(*ret_copy, " \t", &save_at); word;
         word = strtok_r(NULL, " \t", &save_at))
        vec_push(&words, word);
    vec_push(&words, NULL);
    return words.v;
}

static void start(struct server *s, struct errand *e)
{
    char *copy, *client = program_beside("maui-client");
    const char **words = words_of(e->data, &copy);
    char *file = notify_path(s, words[0] ? words[0] : "");
    struct strbuf home = {0}, rsv = {0}, event = {0};
    struct err err;

    const char *const submission[] = {client, "msub", "-d", s->paths.home, file, NULL};
    words[0] = words[0] ? file : NULL;
    strbuf_printf(&home, "MAUIHOMEDIR=%s", s->paths.home);
    strbuf_printf(&rsv, "MAUI_RESERVATION=%s", e->rsv);
    strbuf_printf(&event, "MAUI_EVENT=%s", e->event);
    const char *const environment[] = {home.text, rsv.text, event.text, NULL};
    struct program_call call = {
        .what = e->submit ? "submission by a trigger" : "trigger",
        .argv = e->submit ? submission : words,
        .environment = environment,
        .limit_ms = LIMIT_MS,
        .ended = on_ended,
        .ctx = e};
    e->phase = PHASE_RUNS;
    if (!words[0] || programs_run(s->events.triggers->programs, &call, &err) < 0)
        on_ended(e, &(struct program_end){.exit_status = 127,
                        .text = words[0] ? err.text : "there is nothing to run"});
    programs_flush(s->events.triggers->programs); /* at once: see the header */
    free(strbuf_take(&home));
    free(strbuf_take(&rsv));
    free(strbuf_take(&event));
    free(client);
    free(file);
    free(words);
    free(copy);
}

static void arm(struct server *s, int64_t at)
{
    int64_t wait_s = at - world_now(s);

    sd_event_source_set_time_relative(s->events.triggers->timer,
        (uint64_t)(wait_s > 0 ? wait_s : 1) * UINT64_C(1000000));
    sd_event_source_set_enabled(s->events.triggers->timer, SD_EVENT_ONESHOT);
}

/* Those whose time has come, as many as there is room for, are put down as begun. */
static void begin_some(struct server *s)
{
    struct triggers *t = s->events.triggers;
    int64_t next = TIME_NEVER;

    for (size_t i = 0; i < t->errands.n; i++) {
        struct errand *e = t->errands.v[i];
        if (e->phase != PHASE_DUE || t->busy >= AT_ONCE)
            continue;
        if (e->due_at > world_now(s)) {
            next = e->due_at < next ? e->due_at : next;
            continue;
        }
        e->phase = PHASE_BEGINS;
        t->busy++;
        save(s, e);
    }
    if (next < TIME_NEVER)
        arm(s, next);
}

void triggers_committed(struct server *s)
{
    struct triggers *t = s->events.triggers;

    if (t->stopping)
        return;
    size_t kept = 0;
    for (size_t i = 0; i < t->errands.n; i++) { /* in the order of firing */
        struct errand *e = t->errands.v[i];
        if (e->phase == PHASE_RAN) {
            errand_free(e);
            continue;
        }
        t->errands.v[kept++] = e;
        if (e->phase == PHASE_FRESH)
            e->phase = PHASE_DUE;
        else if (e->phase == PHASE_BEGINS)
            start(s, e);
    }
    t->errands.n = kept;
    begin_some(s);
}

static int on_time(sd_event_source *source, uint64_t at, void *ctx)
{
    struct server *s = ctx;

    (void)source;
    (void)at;
    if (!commit_is_failing(s))
        begin_some(s);
    return 0;
}

/* ---- what former lives left ---- */

static int recall(void *ctx, const char *key, const char *value)
{
    struct server *s = ctx;
    json_t *o = json_loads(value, 0, NULL);
    const char *rsv = json_string_value(json_object_get(o, "reservation"));
    const char *action = json_string_value(json_object_get(o, "action"));
    const char *event = json_string_value(json_object_get(o, "event"));

    if (rsv && action) {
        struct errand *e = add(s, key, rsv,
            json_string_value(json_object_get(o, "data")), event ? event : "");
        e->submit = strcmp(action, "submit") == 0;
        e->due_at = json_integer_value(json_object_get(o, "due_at"));
        e->phase = json_is_true(json_object_get(o, "begun")) ? PHASE_RUNS : PHASE_DUE;
    }
    json_decref(o);
    return 0;
}

static void tell_begun(struct server *s, const struct errand *e)
{
    log_line(s->log, LOG_ALERT,
        "reservation '%s': '%s' of its trigger was begun when the scheduler ended; it "
        "is not run again",
        e->rsv, e->data);
    eventlog_add(s, TRIGGERENDED, e->rsv, true, json_pack("{s:s}", "type", "trigger"),
        "'%s' of a trigger of reservation '%s' was begun when the scheduler ended: "
        "what "
        "became of it is not known, and it is not run again",
        e->data, e->rsv);
}

int triggers_open(struct server *s, struct err *err)
{
    struct triggers *t = s->events.triggers = xcalloc(1, sizeof *t);

    t->programs = programs_open(s->loop,
        &(struct programs_options){
            .log = s->log, .directory = s->paths.home, .at_once = AT_ONCE},
        err);
    if (!t->programs
        || sd_event_add_time_relative(
               s->loop, &t->timer, CLOCK_MONOTONIC, 0, 0, on_time, s)
               < 0
        || sd_event_source_set_enabled(t->timer, SD_EVENT_OFF) < 0)
        return err_set(err, ERR_IO, "the event loop takes no more sources");
    if (store_each(s->store, "trigger", recall, s, err) < 0)
        return -1;
    for (size_t i = 0; i < t->errands.n; i++)
        if (t->errands.v[i]->phase == PHASE_RUNS) {
            tell_begun(s, t->errands.v[i]);
            forget(s, t->errands.v[i]);
        }
    if (t->errands.n)
        commit_want(s); /* and on from there */
    return 0;
}

void triggers_stop(struct server *s)
{
    struct triggers *t = s->events.triggers;

    if (!t)
        return;
    t->stopping = true;
    for (size_t i = 0; i < t->errands.n; i++)
        if (t->errands.v[i]->phase == PHASE_BEGINS) {
            t->errands.v[i]->phase = PHASE_DUE;
            save(s, t->errands.v[i]);
        }
}

void triggers_close(struct server *s)
{
    struct triggers *t = s->events.triggers;

    if (!t)
        return;
    programs_close(t->programs);
    sd_event_source_disable_unref(t->timer);
    for (size_t i = 0; i < t->errands.n; i++)
        errand_free(t->errands.v[i]);
    vec_fini(&t->errands);
    free(t);
    s->events.triggers = NULL;
}
