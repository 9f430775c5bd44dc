/* SPDX-License-Identifier: Apache-2.0
 * See desk.h. */
#include "server/durable/desk.h"

#include "base/hash.h"
#include "base/program.h"
#include "funds/amount.h"
#include "server/events/eventlog.h"
#include "server/events/programs.h"
#include "server/managers/manager.h"
#include "server/server_private.h"

#include <inttypes.h>
#include <jansson.h>
#include <string.h>
#include <sys/queue.h>

#define QUEUE       "bankqueue"
#define REFUSED     "bankrefused"
#define RUNS        "bankrun"
#define AT_ONCE     8
#define BANK_UNSURE 3 /* exit status: see am/bank/bank.h */
#define GRACE_MS    200
#define PAUSE_MAX   300 /* s, between tries of what the bank did not take */
#define AGAIN_S     60  /* until a job is tried again that the bank did not answer */
#define SECOND_US   UINT64_C(1000000)
#define BACKLOG     100000 /* programs that wait for their turn */

/* A run that is open. */
struct open_run {
    UT_hash_handle hh;
    char *name; /* owned */
    json_t *record;
    bool placed; /* a lien may lie there */
};

/* Its start waits for an answer. */
struct asking {
    UT_hash_handle hh; /* by job */
    char *job, *run;   /* owned */
    json_t *body;
    bool sent;
    uint64_t until_us; /* of the loop's clock */
};

/* What the bank has to be told. */
struct message {
    TAILQ_ENTRY(message) next;
    uint64_t number;
    json_t *body;
    bool committed;
};

struct desk {
    struct server *s;
    struct programs *programs;
    struct open_run *runs;
    struct asking *asking;
    TAILQ_HEAD(, message) queue;
    uint64_t number;
    bool busy; /* the first of the queue is being told */
    int64_t pause_s;
    uint64_t retry_us;
    bool failing;
    sd_event_source *timer;
};

/* A program that runs: what it is about may be gone when it ends. */
struct call {
    struct server *s;
    char *job, *run; /* of a start; owned or NULL */
    uint64_t number; /* of a message; 0 = of a start */
};

static const struct bank_settings *settings_of(const struct server *s)
{
    return &s->config->settings->bank;
}

bool desk_is_open(const struct server *s)
{
    enum bank_type type = settings_of(s)->type;

    return s->desk && server_acts(s)
           && (type == BANK_FILE || type == BANK_NATIVE || type == BANK_GOLD);
}

static uint64_t now_us(const struct desk *d)
{
    uint64_t now = 0;

    sd_event_now(d->s->loop, CLOCK_MONOTONIC, &now);
    return now;
}

/* ---- records --------------------------------------------------------------------- */

static void put_record(struct server *s, const char *kind, const char *key, json_t *o)
{
    char *text = json_dumps(o, JSON_COMPACT | JSON_SORT_KEYS);

    unsaved_put(s->unsaved, kind, key, text);
    free(text);
    commit_want(s);
}

static void put_message(struct server *s, const char *kind, const struct message *m)
{
    char key[24];

    snprintf(key, sizeof key, "%020" PRIu64, m->number);
    put_record(s, kind, key, m->body);
}

static void drop_message(struct desk *d, struct message *m)
{
    char key[24];

    snprintf(key, sizeof key, "%020" PRIu64, m->number);
    unsaved_delete(d->s->unsaved, QUEUE, key);
    commit_want(d->s);
    TAILQ_REMOVE(&d->queue, m, next);
    json_decref(m->body);
    free(m);
}

static struct open_run *add_run(struct desk *d, const char *name, json_t *record)
{
    struct open_run *r = xcalloc(1, sizeof *r);

    r->name = xstrdup(name);
    r->record = record;
    HASH_ADD_KEYPTR(hh, d->runs, r->name, strlen(r->name), r);
    return r;
}

static struct open_run *find_run(const struct desk *d, const char *name)
{
    struct open_run *r;

    HASH_FIND_STR(d->runs, name, r);
    return r;
}

static void free_run(struct desk *d, struct open_run *r)
{
    HASH_DEL(d->runs, r);
    json_decref(r->record);
    free(r->name);
    free(r);
}

static void close_run(struct desk *d, struct open_run *r)
{
    unsaved_delete(d->s->unsaved, RUNS, r->name);
    commit_want(d->s);
    free_run(d, r);
}

static struct asking *find_asking(const struct desk *d, const char *job)
{
    struct asking *a;

    HASH_FIND_STR(d->asking, job, a);
    return a;
}

static void forget_asking(struct desk *d, struct asking *a)
{
    HASH_DEL(d->asking, a);
    json_decref(a->body);
    free(a->job);
    free(a->run);
    free(a);
}

bool desk_holds(const struct server *s, const char *job)
{
    return s->desk && find_asking(s->desk, job) != NULL;
}

/* ---- what it reads --------------------------------------------------------------- */

static void set_text(json_t *o, const char *key, const char *text)
{
    if (text && *text)
        json_object_set_new(o, key, json_string(text));
}

static void set_number(json_t *o, const char *key, int64_t n)
{
    if (n > 0)
        json_object_set_new(o, key, json_integer(n));
}

/* "57600" or "129945.6": credits as a text, so that nothing rounds them. */
static void set_credits(json_t *o, const char *key, int64_t amount)
{
    char text[48];

    snprintf(text, sizeof text, "%" PRId64 ".%03" PRId64, amount / AM_CREDIT,
        amount % AM_CREDIT);
    json_object_set_new(o, key, json_string(text));
}

static json_t *describe_move(
    struct server *s, const struct money_move *m, const char *verb)
{
    json_t *o = json_object();

    set_text(o, "verb", verb);
    set_text(o, "run", m->run);
    set_text(o, "job", m->job);
    set_text(o, "account", strcmp(m->account, "-") == 0 ? NULL : m->account);
    set_text(o, "user", m->user);
    set_text(o, "group", m->group);
    set_text(o, "class", m->class);
    set_text(o, "qos", m->qos);
    set_text(o, "machine", manager_label_of(s, m->job));
    set_number(o, "procs", m->procs);
    set_number(o, "nodes", m->nodes);
    set_number(o, "memory_mb", m->mem_mb);
    set_number(o, "seconds", m->seconds < DURATION_UNLIMITED ? m->seconds : 0);
    set_number(o, "at", m->at);
    if (m->kind == MONEY_LIEN && m->until_at < TIME_NEVER)
        set_number(o, "until", m->until_at);
    if (m->kind == MONEY_LIEN && m->most < AM_LARGEST)
        set_credits(o, "amount", m->most);
    if (m->kind == MONEY_CHARGE)
        set_credits(o, "amount", m->total);
    set_text(o, "text", m->text);
    return o;
}

/* ---- what the engine moved ------------------------------------------------------- */

/* What the engine has to be told of it after a restart. */
static json_t *record_of(const struct money_move *m)
{
    json_t *o = json_object();

    set_text(o, "run", m->run);
    set_text(o, "job", m->job);
    set_text(o, "account", m->account);
    set_text(o, "rates", m->rates);
    set_number(o, "most", m->most);
    set_number(o, "since", m->at);
    set_number(o, "until", m->until_at);
    return o;
}

static void add_message(struct desk *d, json_t *body)
{
    struct message *m = xcalloc(1, sizeof *m);

    m->number = ++d->number;
    m->body = body;
    TAILQ_INSERT_TAIL(&d->queue, m, next);
    put_message(d->s, QUEUE, m);
}

static void ask_first(struct desk *d, const struct money_move *m, json_t *body)
{
    struct asking *a = find_asking(d, m->job);

    if (a)
        forget_asking(d, a);
    a = xcalloc(1, sizeof *a);
    a->job = xstrdup(m->job);
    a->run = xstrdup(m->run);
    a->body = body;
    a->until_us = UINT64_MAX;
    HASH_ADD_KEYPTR(hh, d->asking, a->job, strlen(a->job), a);
}

static void take_lien(struct desk *d, const struct money_move *m)
{
    struct open_run *r = find_run(d, m->run);
    json_t *body = describe_move(d->s, m, "lien");

    if (r) {
        json_object_set_new(r->record, "most", json_integer(m->most));
        add_message(d, body); /* its limit is another */
    } else {
        r = add_run(d, m->run, record_of(m));
        ask_first(d, m, body);
    }
    put_record(d->s, RUNS, r->name, r->record);
}

static void take_end(struct desk *d, struct open_run *r, const struct money_move *m)
{
    struct asking *a = find_asking(d, m->job);
    bool charge = m->kind == MONEY_CHARGE && m->total > 0;

    if (a && strcmp(a->run, m->run) == 0)
        forget_asking(d, a);
    if (charge || r->placed)
        add_message(d, describe_move(d->s, m, charge ? "charge" : "release"));
    close_run(d, r);
}

bool desk_take(struct server *s, const struct money_move *m)
{
    struct desk *d = s->desk;
    struct open_run *r = d ? find_run(d, m->run) : NULL;

    if (!r && (m->kind != MONEY_LIEN || !desk_is_open(s)))
        return false;
    if (m->kind == MONEY_LIEN)
        take_lien(d, m);
    else
        take_end(d, r, m);
    return true;
}

/* ---- programs -------------------------------------------------------------------- */

#define ARGS_MAX 8
struct words {
    const char *v[ARGS_MAX];
    char *program, *path; /* owned or NULL */
    char port[24];
};

static const char *after_scheme(const char *url, const char *scheme)
{
    size_t n = strlen(scheme);

    return url && strncmp(url, scheme, n) == 0 ? url + n : NULL;
}

static void name_file(struct server *s, struct words *w)
{
    const struct bank_settings *b = settings_of(s);
    const char *file = after_scheme(b->server, "file://");
    struct strbuf path = {0};

    if (!file)
        file = b->host ? b->host : "am.log";
    strbuf_printf(
        &path, "%s%s%s", *file == '/' ? "" : s->home, *file == '/' ? "" : "/", file);
    w->path = strbuf_take(&path);
}

/* -1: the configuration does not say which. */
static int find_program(
    struct server *s, const char *verb, struct words *w, struct err *err)
{
    const struct bank_settings *b = settings_of(s);

    *w = (struct words){.v = {NULL}};
    if (b->type == BANK_NATIVE) {
        w->v[0] = after_scheme(b->server, "exec://");
        w->v[1] = verb;
        if (!w->v[0] || *w->v[0] != '/')
            return err_set(err, ERR_INVALID,
                "AMCFG[%s] TYPE=NATIVE: SERVER='%s' names no program; expected "
                "exec:///PATH",
                b->name, b->server ? b->server : "");
        return 0;
    }
    w->program = program_beside("maui-bank");
    w->v[0] = w->program;
    if (b->type == BANK_FILE) {
        name_file(s, w);
        w->v[1] = "file";
        w->v[2] = w->path;
        w->v[3] = verb;
        return 0;
    }
    snprintf(w->port, sizeof w->port, "%" PRId64, b->port ? b->port : 7112);
    w->v[1] = "gold";
    w->v[2] = b->host ? b->host : "localhost";
    w->v[3] = w->port;
    w->v[4] = b->key_file;
    w->v[5] = verb;
    if (!b->key_file) {
        free(w->program);
        return err_set(
            err, ERR_INVALID, "AMCFG[%s] TYPE=GOLD: KEYFILE is missing", b->name);
    }
    return 0;
}

static void on_ended(void *ctx, const struct program_end *end);

/* -1: it could not be begun, and nothing is called. */
static int call_bank(struct desk *d, const json_t *body, struct call *call)
{
    const char *verb = json_string_value(json_object_get(body, "verb"));
    struct words w;
    struct err err = {0};
    char *input;
    int result = find_program(d->s, verb, &w, &err);

    if (result == 0) {
        input = json_dumps(body, JSON_COMPACT | JSON_SORT_KEYS);
        result = programs_run(d->programs,
            &(struct program_call){.what = "bank",
                .argv = w.v,
                .environment = (const char *const[]){NULL},
                .input = input,
                .limit_ms = (uint64_t)settings_of(d->s)->timeout_s * 1000,
                .ended = on_ended,
                .ctx = call},
            &err);
        free(input);
        free(w.program);
        free(w.path);
    }
    if (result < 0) {
        log_line(d->s->log, LOG_ALERT, "the bank: %s", err.text);
        free(call->job);
        free(call->run);
        free(call);
    }
    return result;
}

/* ---- how the bank does ----------------------------------------------------------- */

static void arm_timer(struct desk *d)
{
    uint64_t next = UINT64_MAX;

    for (struct asking *a = d->asking; a; a = a->hh.next)
        next = a->until_us < next ? a->until_us : next;
    if (!TAILQ_EMPTY(&d->queue) && d->retry_us > now_us(d) && d->retry_us < next)
        next = d->retry_us; /* else it is being sent, or with the next commit */
    if (next == UINT64_MAX) {
        sd_event_source_set_enabled(d->timer, SD_EVENT_OFF);
        return;
    }
    sd_event_source_set_time(d->timer, next);
    sd_event_source_set_enabled(d->timer, SD_EVENT_ONESHOT);
}

static void note_failure(struct desk *d, const char *why)
{
    if (d->failing && d->retry_us > now_us(d))
        return; /* the same silence: of others that were asked before */
    d->pause_s = d->pause_s ? d->pause_s * 2 : 1;
    d->pause_s = d->pause_s < PAUSE_MAX ? d->pause_s : PAUSE_MAX;
    d->retry_us = now_us(d) + (uint64_t)d->pause_s * SECOND_US;
    if (!d->failing)
        log_line(d->s->log, LOG_ALERT, "the bank fails: %s", why);
    if (!d->failing)
        eventlog_add(d->s, AMFAILURE, settings_of(d->s)->name, true, NULL,
            "the bank %s fails: %s", settings_of(d->s)->name, why);
    d->failing = true;
}

static void note_success(struct desk *d)
{
    d->pause_s = 0;
    d->retry_us = 0;
    if (d->failing)
        eventlog_add(d->s, AMRECOVERED, settings_of(d->s)->name, true, NULL,
            "the bank %s answers again", settings_of(d->s)->name);
    d->failing = false;
}

/* ---- starts ---------------------------------------------------------------------- */

static bool waits_for_it(const struct server *s)
{
    const struct bank_settings *b = settings_of(s);

    return b->defer_on_failure || b->jfaction != JF_NONE;
}

/* No answer came: it starts with nothing kept, or waits. */
static void fail_asking(struct desk *d, struct asking *a, const char *why)
{
    char *job = xstrdup(a->job);

    forget_asking(d, a);
    if (waits_for_it(d->s)) {
        char text[300];
        snprintf(text, sizeof text, "the bank does not answer: %s", why);
        (void)manager_refuse_start(d->s, job, true, AGAIN_S, text);
    } else {
        log_line(d->s->log, LOG_WARNING,
            "job '%s' starts, and nothing is kept for it: the bank does not answer: %s",
            job, why);
    }
    free(job);
    commit_want(d->s);
}

static void refuse_asking(struct desk *d, struct asking *a, const char *said)
{
    struct open_run *r = find_run(d, a->run);
    char *job = xstrdup(a->job), text[300];

    if (r)
        r->placed = false;
    snprintf(
        text, sizeof text, "the bank refuses: %s", *said ? said : "no reason given");
    forget_asking(d, a);
    if (!manager_refuse_start(d->s, job, false, 0, text))
        log_line(d->s->log, LOG_WARNING, "job '%s' runs, and %s", job, text);
    free(job);
    commit_want(d->s);
}

static void send_asking(struct desk *d, struct asking *a)
{
    struct call *call;
    struct open_run *r = find_run(d, a->run);

    if (!desk_is_open(d->s)) { /* it is not asked any more */
        forget_asking(d, a);
        commit_want(d->s);
        return;
    }
    if (d->failing && d->retry_us > now_us(d)) {
        fail_asking(d, a, "it did not before");
        return;
    }
    a->sent = true;
    a->until_us = now_us(d) + (uint64_t)settings_of(d->s)->timeout_s * SECOND_US;
    if (r)
        r->placed = true; /* whatever comes back: it may lie there */
    call = xcalloc(1, sizeof *call);
    *call = (struct call){d->s, xstrdup(a->job), xstrdup(a->run), 0};
    if (call_bank(d, a->body, call) < 0)
        fail_asking(d, a, "its program cannot be run");
}

static void end_asking(
    struct desk *d, struct asking *a, const struct program_end *end, int status)
{
    if (status == 0) {
        note_success(d);
        forget_asking(d, a);
        commit_want(d->s); /* the start is sent */
    } else if (status == 1) {
        note_success(d);
        refuse_asking(d, a, end->said);
    } else if (status == BANK_UNSURE) {
        note_success(d); /* it is there: others may be asked */
        fail_asking(d, a, *end->said ? end->said : end->text);
    } else {
        note_failure(d, *end->said ? end->said : end->text);
        fail_asking(d, a, *end->said ? end->said : end->text);
    }
}

/* ---- the queue ------------------------------------------------------------------- */

static void send_first(struct desk *d)
{
    struct message *m = TAILQ_FIRST(&d->queue);
    struct call *call;

    if (!m || !m->committed || d->busy || d->retry_us > now_us(d)
        || !desk_is_open(d->s))
        return;
    call = xcalloc(1, sizeof *call);
    *call = (struct call){d->s, NULL, NULL, m->number};
    d->busy = true;
    if (call_bank(d, m->body, call) < 0) {
        d->busy = false;
        note_failure(d, "its program cannot be run");
    }
    json_object_set_new(m->body, "again", json_true()); /* the next time */
}

/* The bank will never take it: somebody has to look. */
static void keep_refused(struct desk *d, struct message *m, const char *said)
{
    const char *verb = json_string_value(json_object_get(m->body, "verb"));
    const char *run = json_string_value(json_object_get(m->body, "run"));

    json_object_set_new(m->body, "refused", json_string(said));
    put_message(d->s, REFUSED, m);
    log_line(
        d->s->log, LOG_ALERT, "the bank refuses the %s of run %s: %s", verb, run, said);
    eventlog_add(d->s, AMFAILURE, settings_of(d->s)->name, true, NULL,
        "the bank %s refuses the %s of run %s: %s", settings_of(d->s)->name, verb, run,
        said);
}

static void end_message(struct desk *d, const struct program_end *end, int status)
{
    struct message *m = TAILQ_FIRST(&d->queue);

    d->busy = false;
    if (status != 0 && status != 1) {
        note_failure(d, *end->said ? end->said : end->text);
        return;
    }
    note_success(d);
    if (status == 1)
        keep_refused(d, m, end->said);
    drop_message(d, m);
}

static void on_ended(void *ctx, const struct program_end *end)
{
    struct call *call = ctx;
    struct desk *d = call->s->desk;
    int status = !end->begun || end->timed_out ? 2 : end->exit_status;
    struct asking *a = call->job ? find_asking(d, call->job) : NULL;
    struct message *first = TAILQ_FIRST(&d->queue);

    if (a && strcmp(a->run, call->run) == 0)
        end_asking(d, a, end, status);
    else if (call->number && first && first->number == call->number)
        end_message(d, end, status);
    send_first(d);
    arm_timer(d);
    free(call->job);
    free(call->run);
    free(call);
}

static int on_time(sd_event_source *source, uint64_t at, void *ctx)
{
    struct desk *d = ctx;
    struct asking *a, *next;
    uint64_t now = now_us(d);

    (void)source;
    (void)at;
    HASH_ITER(hh, d->asking, a, next)
    if (a->until_us <= now) {
        note_failure(d, "no answer in time");
        fail_asking(d, a, "no answer in time");
    }
    send_first(d);
    arm_timer(d);
    return 0;
}

void desk_committed(struct server *s)
{
    struct desk *d = s->desk;
    struct asking *a, *next;
    struct message *m;

    if (!d || (!d->asking && TAILQ_EMPTY(&d->queue)))
        return;
    TAILQ_FOREACH(m, &d->queue, next)
    m->committed = true;
    HASH_ITER(hh, d->asking, a, next)
    if (!a->sent)
        send_asking(d, a);
    send_first(d);
    arm_timer(d);
}

/* ---- of a former life ------------------------------------------------------------ */

static int recall_message(void *arg, const char *key, const char *value)
{
    struct desk *d = arg;
    struct message *m = xcalloc(1, sizeof *m);

    m->number = strtoull(key, NULL, 10);
    m->body = json_loads(value, 0, NULL);
    m->committed = true;
    if (!json_is_object(m->body)) {
        log_line(d->s->log, LOG_ALERT, "the bank: message %s cannot be read", key);
        json_decref(m->body);
        free(m);
        return 0;
    }
    json_object_set_new(m->body, "again", json_true());
    d->number = m->number > d->number ? m->number : d->number;
    TAILQ_INSERT_TAIL(&d->queue, m, next);
    return 0;
}

static int recall_refused(void *arg, const char *key, const char *value)
{
    struct desk *d = arg;
    uint64_t number = strtoull(key, NULL, 10);

    (void)value;
    d->number = number > d->number ? number : d->number;
    return 0;
}

static int recall_run(void *arg, const char *key, const char *value)
{
    json_t *o = json_loads(value, 0, NULL);

    if (json_is_object(o))
        add_run(arg, key, o)->placed = true;
    else
        json_decref(o);
    return 0;
}

static int64_t number_of(const json_t *o, const char *key)
{
    return json_integer_value(json_object_get(o, key));
}

void desk_each_run(const struct server *s,
    void (*each)(void *arg, const struct funds_run *run), void *arg)
{
    for (const struct open_run *r = s->desk ? s->desk->runs : NULL; r; r = r->hh.next)
        each(arg,
            &(struct funds_run){.run = r->name,
                .job = json_string_value(json_object_get(r->record, "job")),
                .account = json_string_value(json_object_get(r->record, "account")),
                .rates = json_string_value(json_object_get(r->record, "rates")),
                .most = number_of(r->record, "most"),
                .since_at = number_of(r->record, "since"),
                .until_at = number_of(r->record, "until")});
}

int desk_open(struct server *s, struct err *err)
{
    struct desk *d = s->desk = xcalloc(1, sizeof *d);

    d->s = s;
    TAILQ_INIT(&d->queue);
    d->programs = programs_open(s->loop,
        &(struct programs_options){.log = s->log,
            .directory = s->home,
            .at_once = AT_ONCE,
            .waiting_max = BACKLOG,
            .grace_ms = GRACE_MS},
        err);
    if (!d->programs)
        return -1;
    if (sd_event_add_time_relative(
            s->loop, &d->timer, CLOCK_MONOTONIC, SECOND_US, 0, on_time, d)
        < 0)
        return err_set(err, ERR_IO, "the event loop takes no more sources");
    if (store_each(s->store, QUEUE, recall_message, d, err) < 0
        || store_each(s->store, REFUSED, recall_refused, d, err) < 0
        || store_each(s->store, RUNS, recall_run, d, err) < 0)
        return -1;
    return 0;
}

void desk_close(struct server *s)
{
    struct desk *d = s->desk;

    if (!d)
        return;
    programs_close(d->programs);
    sd_event_source_disable_unref(d->timer);
    while (d->runs)
        free_run(d, d->runs);
    while (d->asking)
        forget_asking(d, d->asking);
    while (!TAILQ_EMPTY(&d->queue)) {
        struct message *m = TAILQ_FIRST(&d->queue);
        TAILQ_REMOVE(&d->queue, m, next);
        json_decref(m->body);
        free(m);
    }
    free(d);
    s->desk = NULL;
}
