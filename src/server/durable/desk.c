/* SPDX-License-Identifier: Apache-2.0
 * See desk.h. */
#include "base/hash.h"
#include "config/settings.h"
#include "policy/bank.h"
#include "server/durable/bankbody.h"
#include "server/durable/bankcall.h"
#include "server/durable/bankline.h"
#include "server/durable/bankpayers.h"
#include "server/durable/bankplace.h"
#include "server/durable/bankrecord.h"
#include "server/durable/banktables.h"
#include "server/durable/desk_private.h"
#include "server/events/eventlog.h"
#include "server/events/programs.h"
#include "server/managers/manager.h"
#include "server/render/render.h"
#include "server/server_private.h"

#include <inttypes.h>
#include <string.h>
#include <sys/queue.h>

#define RUNS          "bankrun"
#define LAST          "message" /* of the kind "bank": the last number that was given */
#define ASKS_AT_ONCE  16
#define ASKS_OF_ONE   8 /* account: others go on where the bank hangs for it */
#define TELLS_AT_ONCE 4
#define TRIES         10
#define BANK_UNSURE   3 /* exit status: see am/bank/bank.h */
#define GRACE_MS      200
#define AGAIN_S       60 /* until a job is tried again that the bank did not answer */
#define TURN_S        2  /* ... whose turn did not come */
#define SECOND_US     UINT64_C(1000000)

/* A program that runs. */
struct call {
    TAILQ_ENTRY(call) next;
    struct desk *desk;
    struct line_item *item; /* the line's, under way */
};

const struct bank_settings *desk_settings(const struct server *s)
{
    return &s->config->settings->bank;
}

bool desk_is_open(const struct server *s)
{
    enum bank_type type = desk_settings(s)->type;

    return s->bank.desk && server_acts(s)
           && (type == BANK_FILE || type == BANK_NATIVE || type == BANK_GOLD);
}

static uint64_t now_us(const struct desk *d)
{
    uint64_t now = 0;

    sd_event_now(d->s->loop, CLOCK_MONOTONIC, &now);
    return now;
}

/* ---- which bank ------------------------------------------------------------------ */

static struct bankline_options line_options(const struct server *s)
{
    return (struct bankline_options){.asks_at_once = ASKS_AT_ONCE,
        .asks_of_one = ASKS_OF_ONE,
        .tells_at_once = TELLS_AT_ONCE,
        .tries = TRIES,
        .timeout_us = (uint64_t)desk_settings(s)->timeout_s * SECOND_US,
        .kind =
            desk_is_open(s) && !s->bank.desk->moved ? (int)desk_settings(s)->type : 0};
}

/* ---- runs ------------------------------------------------------------------------ */

static void close_run(struct desk *d, struct open_run *r)
{
    unsaved_delete(d->s->unsaved, RUNS, r->name);
    commit_want(d->s);
    bankrun_free(&d->runs, r);
}

bool desk_holds(const struct server *s, const char *job)
{
    return s->bank.desk && bankline_asks(s->bank.desk->line, job);
}

/* ---- what the engine moved ------------------------------------------------------- */

/* What the engine has to be told of it after a restart, and a charge has to say. */
static json_t *make_record(struct server *s, const struct money_move *m)
{
    json_t *o = bankbody_run(s, m);

    bankbody_text(o, "to", bankrecord_kind_name((int)desk_settings(s)->type));
    bankbody_text(o, "rates", m->rates);
    bankbody_number(o, "most", m->most);
    bankbody_number(o, "since", m->at);
    bankbody_number(o, "until", m->until_at);
    return o;
}

/* A lien that waits is nothing any more: another says what is to lie there, or the run
 * is over. */
static void forget_lien(struct desk *d, const char *run)
{
    struct line_item *i = bankline_last_of(d->line, run);

    if (!i)
        return;
    bankrecord_delete(d->s, DESK_QUEUE, line_item_number(i));
    bankline_take_out(d->line, i);
    line_item_free(i);
}

void desk_add_message(
    struct desk *d, const struct open_run *r, const char *run, json_t *body)
{
    int kind = r ? bankrecord_kind(r->record) : (int)desk_settings(d->s)->type;
    char key[BANKRECORD_KEY];

    bankbody_text(body, "to", bankrecord_kind_name(kind));
    bankrecord_put(d->s, DESK_QUEUE, bankrecord_key(++d->number, key), body);
    unsaved_put(d->s->unsaved, "bank", LAST, key);
    bankline_tell(d->line, d->number, kind, run, body);
}

/* Has the job begun? Then its lien is of a run that was there before the bank, and
 * nobody waits for an answer. */
static bool has_begun(const struct server *s, const char *id)
{
    const struct job *j = job_find(engine_cluster(s->engine), id);

    return j && j->state != JOB_STARTING && job_has_begun((enum job_state)j->state);
}

static void tell_lien(struct desk *d, struct open_run *r, json_t *body)
{
    desk_add_message(d, r, r->name, body);
    r->placed = true;
}

/* Its limit is another. */
static void change_lien(
    struct desk *d, struct open_run *r, const struct money_move *m, json_t *body)
{
    json_object_set_new(r->record, "most", json_integer(m->most));
    json_object_set_new(r->record, "until", json_integer(m->until_at));
    forget_lien(d, m->run);
    if (!bankline_ask_instead(d->line, m->job, m->run, body))
        tell_lien(d, r, body);
}

static void take_lien(struct desk *d, struct open_run *r, const struct money_move *m)
{
    json_t *body = bankbody_move(d->s, r ? r->record : NULL, m, "lien");

    if (r) {
        change_lien(d, r, m, body);
    } else {
        r = bankrun_add(&d->runs, m->run, make_record(d->s, m));
        if (has_begun(d->s, m->job)) {
            tell_lien(d, r, body);
        } else {
            json_object_set_new(r->record, "unsent", json_true());
            bankline_ask(d->line, m->job, m->run, body, now_us(d));
        }
    }
    bankrecord_put(d->s, RUNS, r->name, r->record);
}

/* It may be NULL: nobody saw it begin. */
static void take_end(struct desk *d, struct open_run *r, const struct money_move *m)
{
    bool charge = m->kind == MONEY_CHARGE && m->total > 0, sent = false;

    if (bankline_forget(d->line, m->job, m->run, &sent) && r)
        r->placed = r->placed || sent;
    forget_lien(d, m->run);
    if (charge || (r && r->placed))
        desk_add_message(d, r, m->run,
            bankbody_move(
                d->s, r ? r->record : NULL, m, charge ? "charge" : "release"));
    if (r)
        close_run(d, r);
}

void desk_take(struct server *s, const struct money_move *m)
{
    struct desk *d = s->bank.desk;
    struct open_run *r = d ? bankrun_find(d->runs, m->run) : NULL;

    if (!d || (!r && !desk_is_open(s)))
        return; /* nothing is done in earnest */
    if (m->kind == MONEY_LIEN)
        take_lien(d, r, m);
    else if (!m->goes_on)
        take_end(d, r, m);
}

/* ---- starts ---------------------------------------------------------------------- */

static bool waits_for_it(const struct server *s)
{
    const struct bank_settings *b = desk_settings(s);

    return b->defer_on_failure || b->jfaction != JF_NONE;
}

/* It is sent with the next commit, and that is known after a restart. */
static void note_begun(struct desk *d, struct open_run *r)
{
    json_object_del(r->record, "unsent");
    bankrecord_put(d->s, RUNS, r->name, r->record);
}

static void let_start(struct desk *d, const char *run)
{
    struct open_run *r = bankrun_find(d->runs, run);

    if (r)
        note_begun(d, r);
    commit_want(d->s);
}

/* The bank says that it may: of that, too, is known after a restart. */
static void accept_start(struct desk *d, const char *run)
{
    struct open_run *r = bankrun_find(d->runs, run);

    if (r)
        json_object_set_new(r->record, "accepted", json_true());
    let_start(d, run);
}

static void put_off_start(
    struct desk *d, const char *job, const char *run, int64_t again_s, const char *text)
{
    if (!manager_refuse_start(d->s, job, true, again_s, text))
        let_start(d, run);
    commit_want(d->s);
}

/* No answer came: it starts with nothing kept, or waits. */
static void fail_start(
    struct desk *d, const char *job, const char *run, const char *why)
{
    char text[300];

    if (d->moved) {
        put_off_start(d, job, run, AGAIN_S,
            BANK_SILENT ": an administrator has to say where it is (mam-queue)");
        return;
    }
    if (!waits_for_it(d->s)) {
        let_start(d, run);
        log_line(d->s->log, LOG_WARNING,
            "job '%s' starts, and nothing is kept for it: the bank does not answer: %s",
            job, why);
        return;
    }
    snprintf(text, sizeof text, BANK_SILENT ": %s", why);
    put_off_start(d, job, run, AGAIN_S, text);
}

static void refuse_start(
    struct desk *d, const char *job, const char *run, const char *said)
{
    struct open_run *r = bankrun_find(d->runs, run);
    char text[300];

    if (r)
        r->placed = false;
    snprintf(text, sizeof text, BANK_REFUSES ": %s", *said ? said : "no reason given");
    if (!manager_refuse_start(d->s, job, false, 0, text)) {
        let_start(d, run);
        log_line(d->s->log, LOG_WARNING, "job '%s' runs, and %s", job, text);
    }
    commit_want(d->s);
}

static void expire_start(struct desk *d, const struct line_expired *x)
{
    if (d->moved || !x->turn)
        fail_start(
            d, x->job, x->run, x->sent ? "no answer in time" : "it did not before");
    else
        put_off_start(d, x->job, x->run, x->late ? AGAIN_S : TURN_S,
            BANK_BUSY ": it has been asked for many starts");
}

/* ---- messages -------------------------------------------------------------------- */

/* The job that an item of the line is of; borrowed from its body. */
static const char *job_of(struct line_item *i)
{
    const char *job = json_string_value(json_object_get(line_item_body(i), "job"));

    return job ? job : "";
}

static void tell_refusal(struct desk *d, const json_t *body, const char *said)
{
    const char *verb = json_string_value(json_object_get(body, "verb"));
    const char *run = json_string_value(json_object_get(body, "run"));

    log_line(
        d->s->log, LOG_ALERT, "the bank refuses the %s of run %s: %s", verb, run, said);
    eventlog_add(d->s, AMFAILURE, desk_settings(d->s)->name, true, NULL,
        "AMCFG[%s]: the bank refuses the %s of run %s: %s", desk_settings(d->s)->name,
        verb, run, said);
}

void desk_free_aside(struct desk *d, struct aside *a)
{
    d->nagain -= a->again;
    bankaside_free(&d->aside, a);
}

/* The bank will never take it: somebody has to look. Of a lien nothing more follows:
 * its job runs. */
static void put_aside(struct desk *d, struct line_item *i)
{
    json_t *body = line_item_body(i);
    const char *said = line_item_said(i),
               *verb = json_string_value(json_object_get(body, "verb"));
    char key[BANKRECORD_KEY];

    tell_refusal(d, body, said);
    if (verb && strcmp(verb, "lien") == 0)
        return;
    json_object_set_new(body, "refused", render_utf8(said));
    bankrecord_put(d->s, DESK_ASIDE, bankrecord_key(line_item_number(i), key), body);
    bankaside_add(&d->aside, line_item_number(i), json_incref(body));
}

/* Out of the line. */
static void end_message(struct desk *d, struct line_item *i, enum line_then then)
{
    if (then == LINE_ASIDE)
        put_aside(d, i);
    else
        desk_forget_request(d->s, line_item_body(i), true);
    bankrecord_delete(d->s, DESK_QUEUE, line_item_number(i));
    line_item_free(i);
}

/* ---- calls ------------------------------------------------------------------------
 */

/* Its state before, and now. */
static void tell_health(struct desk *d, bool failed, const char *why)
{
    const char *name = desk_settings(d->s)->name;
    bool fails = bankline_is_failing(d->line);

    if (fails && !failed) {
        log_line(d->s->log, LOG_ALERT, "the bank fails: %s", why);
        eventlog_add(d->s, AMFAILURE, name, true, NULL, "AMCFG[%s]: the bank fails: %s",
            name, why);
    }
    if (!fails && failed)
        eventlog_add(d->s, AMRECOVERED, name, true, NULL,
            "AMCFG[%s]: the bank answers again", name);
}

static void end_item(
    struct desk *d, struct line_item *i, enum line_answer answer, const char *said)
{
    bool failed = bankline_is_failing(d->line);
    enum line_then then = bankline_answered(d->line, i, answer, said, now_us(d));

    tell_health(d, failed, said);
    switch (then) {
    case LINE_FORGOTTEN:
    case LINE_AGAIN:
        return;
    case LINE_TAKEN:
    case LINE_ASIDE:
        end_message(d, i, then);
        return;
    case LINE_STARTS:
        accept_start(d, line_item_run(i));
        break;
    case LINE_STAYS:
        refuse_start(d, job_of(i), line_item_run(i), line_item_said(i));
        break;
    case LINE_FAILS:
        fail_start(d, job_of(i), line_item_run(i), line_item_said(i));
        break;
    }
    line_item_free(i);
}

static void run_line(struct desk *d);

static void free_call(struct call *call)
{
    TAILQ_REMOVE(&call->desk->calls, call, next);
    free(call);
}

static void on_ended(void *ctx, const struct program_end *end)
{
    static const enum line_answer answers[] = {
        LINE_DONE, LINE_REFUSED, LINE_LATER, LINE_UNSURE};
    struct call *call = ctx;
    struct desk *d = call->desk;
    bool told = end->begun && !end->timed_out && end->exit_status <= BANK_UNSURE;
    enum line_answer answer = told ? answers[end->exit_status] : LINE_LATER;

    end_item(d, call->item, answer, *end->said ? end->said : end->text);
    free_call(call);
    run_line(d);
}

static void send_item(struct desk *d, struct line_item *i)
{
    struct call *call = xcalloc(1, sizeof *call);
    struct open_run *r = bankrun_find(d->runs, line_item_run(i));
    json_t *body = json_copy(line_item_body(i));
    struct err err = {0};

    json_object_del(body, "to");
    if (r)
        r->placed = true; /* whatever comes back: it may lie there */
    *call = (struct call){.desk = d, .item = i};
    TAILQ_INSERT_TAIL(&d->calls, call, next);
    if (bankcall_run(d->s, d->programs, body, on_ended, call, &err) < 0) {
        log_line(d->s->log, LOG_ALERT, "the bank: %s", err.text);
        free_call(call);
        end_item(d, i, LINE_LATER, "its program cannot be run");
    }
    json_decref(body);
}

static void expire_starts(struct desk *d)
{
    bool failed = bankline_is_failing(d->line);
    struct line_expired x;

    while (bankline_expired(d->line, &x, now_us(d))) {
        tell_health(d, failed, "no answer in time");
        failed = bankline_is_failing(d->line);
        expire_start(d, &x);
        free(x.job);
        free(x.run);
    }
}

static void arm_timer(struct desk *d)
{
    uint64_t next = bankline_wake(d->line, now_us(d));

    if (next == UINT64_MAX) {
        sd_event_source_set_enabled(d->timer, SD_EVENT_OFF);
        return;
    }
    sd_event_source_set_time(d->timer, next);
    sd_event_source_set_enabled(d->timer, SD_EVENT_ONESHOT);
}

/* What is due is done. */
static void run_line(struct desk *d)
{
    struct line_item *i;

    expire_starts(d);
    while ((i = bankline_next(d->line, now_us(d)))) {
        send_item(d, i);
        expire_starts(d);
    }
    arm_timer(d);
}

static int on_time(sd_event_source *source, uint64_t at, void *ctx)
{
    (void)source;
    (void)at;
    run_line(ctx);
    return 0;
}

void desk_committed(struct server *s)
{
    if (s->bank.desk)
        bankline_committed(s->bank.desk->line);
}

void desk_send(struct server *s)
{
    if (!s->bank.desk)
        return;
    desk_tell_some_asides(s->bank.desk);
    run_line(s->bank.desk);
}

/* ---- other settings ---------------------------------------------------------------
 */

static void count_foreign(void *arg, const struct line_item *i)
{
    size_t *counts = arg;

    if (bankrecord_kind_name(line_item_kind(i)))
        counts[line_item_kind(i)]++;
}

/* They wait until that bank is there again, or somebody looks. */
static void tell_foreign(struct desk *d, int kind)
{
    size_t counts[BANK_UNKNOWN] = {0};

    bankline_each(d->line, count_foreign, counts);
    for (int i = 0; i < BANK_UNKNOWN; i++)
        if (counts[i] && i != kind)
            log_line(d->s->log, LOG_WARNING,
                "%zu messages are for a bank of kind %s and wait for it: see mam-queue",
                counts[i], bankrecord_kind_name(i));
}

struct opened {
    int kind;
    size_t messages, runs;
};

static void count_message(void *arg, const struct line_item *i)
{
    struct opened *o = arg;

    o->messages += bankrecord_is_of(line_item_kind(i), o->kind);
}

/* What has begun with the bank of that kind, and is not settled. */
static struct opened count_opened(const struct desk *d, int kind)
{
    struct opened o = {.kind = kind};

    bankline_each(d->line, count_message, &o);
    for (const struct aside *a = d->aside; a; a = a->hh.next)
        o.messages += bankrecord_is_of(bankrecord_kind(a->body), kind);
    for (const struct open_run *r = d->runs; r; r = r->hh.next)
        o.runs +=
            bankrun_is_told(r) && bankrecord_is_of(bankrecord_kind(r->record), kind);
    return o;
}

/* That is where it is. Takes the text. */
static void set_place(struct desk *d, int kind, char *place)
{
    bankplace_set(d->places, kind, place);
    commit_want(d->s);
    d->moved = false;
}

static void tell_moved(struct desk *d, int kind, const char *place)
{
    struct opened o = count_opened(d, kind);
    const char *name = desk_settings(d->s)->name;

    log_line(d->s->log, LOG_ALERT,
        "the bank was %s and is to be %s: %zu messages and %zu runs are the former's. "
        "Nobody is told anything until AMCFG[%s] is as it was, or mam-queue --moved "
        "says that it is the same bank",
        bankplace_of(d->places, kind), place, o.messages, o.runs, name);
    eventlog_add(d->s, AMFAILURE, name, true, NULL,
        "AMCFG[%s]: the bank was %s and is to be %s, and has open charges: see "
        "mam-queue --moved",
        name, bankplace_of(d->places, kind), place);
}

/* Of one kind, but elsewhere: a bank that has moved, or another. Nobody can know that
 * here, also not where it was changed while the daemon was away. Where something is
 * open somebody has to say it. */
static void note_place(struct desk *d)
{
    int kind = desk_is_open(d->s) ? (int)desk_settings(d->s)->type : 0;
    char *place = kind ? bankcall_place(d->s) : NULL;
    const char *known = bankplace_of(d->places, kind);
    struct opened o = count_opened(d, kind);

    if (place && known && strcmp(place, known) != 0 && o.messages + o.runs > 0) {
        if (!d->moved)
            tell_moved(d, kind, place);
        d->moved = true;
        free(place);
        return;
    }
    d->moved = false;
    if (place && !(known && strcmp(place, known) == 0))
        set_place(d, kind, place);
    else
        free(place);
}

static void configure_line(struct desk *d)
{
    struct bankline_options opt = line_options(d->s);

    bankline_configure(d->line, &opt);
    bankline_hurry(d->line); /* whoever set it right need not wait */
    tell_foreign(d, desk_is_open(d->s) ? (int)desk_settings(d->s)->type : 0);
    commit_want(d->s);
}

void desk_configured(struct server *s)
{
    if (!s->bank.desk)
        return;
    note_place(s->bank.desk);
    configure_line(s->bank.desk);
}

int desk_accept_place(struct server *s, struct err *err)
{
    struct desk *d = s->bank.desk;
    int kind = (int)desk_settings(s)->type;

    if (!desk_is_open(s) || !d->moved)
        return err_set(err, ERR_CONFLICT,
            "the bank has not moved: nothing waits for anybody to say so");
    log_line(s->log, LOG_ACTION, "the bank that was %s has moved",
        bankplace_of(d->places, kind));
    set_place(d, kind, bankcall_place(s));
    configure_line(d);
    return 0;
}

/* ---- of a former life ------------------------------------------------------------ */

/* Its number is not given again. */
static json_t *read_message(struct desk *d, const char *key, const char *value)
{
    uint64_t number = strtoull(key, NULL, 10);
    json_t *body = json_loads(value, 0, NULL);

    d->number = number > d->number ? number : d->number;
    if (json_is_object(body))
        return body;
    log_line(d->s->log, LOG_ALERT, "the bank: message %s cannot be read", key);
    json_decref(body);
    return NULL;
}

static int recall_message(void *arg, const char *key, const char *value)
{
    struct desk *d = arg;
    json_t *body = read_message(d, key, value);
    const char *run = json_string_value(json_object_get(body, "run"));

    if (!body)
        return 0;
    json_object_set_new(body, "again", json_true());
    bankline_tell(
        d->line, strtoull(key, NULL, 10), bankrecord_kind(body), run ? run : "", body);
    return 0;
}

static int recall_aside(void *arg, const char *key, const char *value)
{
    struct desk *d = arg;
    json_t *body = read_message(d, key, value);

    if (body)
        bankaside_add(&d->aside, strtoull(key, NULL, 10), body);
    return 0;
}

static int recall_run(void *arg, const char *key, const char *value)
{
    json_t *o = json_loads(value, 0, NULL);

    if (json_is_object(o))
        bankrun_add(&((struct desk *)arg)->runs, key, o)->placed = true;
    else
        json_decref(o);
    return 0;
}

void desk_each_run(const struct server *s,
    void (*each)(void *arg, const struct funds_run *run), void *arg)
{
    for (const struct open_run *r = s->bank.desk ? s->bank.desk->runs : NULL; r;
         r = r->hh.next) {
        const struct funds_run run = bankrecord_run(r->name, r->record);
        each(arg, &run);
    }
}

bool desk_has_run(const struct server *s, const char *user, const char *account)
{
    for (const struct open_run *r = s->bank.desk ? s->bank.desk->runs : NULL; r;
         r = r->hh.next)
        if (json_is_true(json_object_get(r->record, "accepted"))
            && strcmp(bankrecord_name(r->record, "user"), user) == 0
            && strcmp(bankrecord_name(r->record, "account"), account) == 0)
            return true;
    return false;
}

void desk_jobs_are_known(struct server *s)
{
    struct desk *d = s->bank.desk;

    for (struct open_run *r = d ? d->runs : NULL; r; r = r->hh.next)
        if (json_object_get(r->record, "unsent")
            && !bankline_asks(d->line, bankrecord_name(r->record, "job"))
            && has_begun(s, bankrecord_name(r->record, "job")))
            note_begun(d, r);
}

/* What the records do not say: the last number was given to a message that is gone. */
static int recall_numbers(struct desk *d, struct err *err)
{
    uint64_t last, again;

    if (bankrecord_number(d->s, LAST, &last, err) < 0
        || bankrecord_number(d->s, DESK_AGAIN, &again, err) < 0)
        return -1;
    d->number = last > d->number ? last : d->number;
    desk_mark_asides(d, again);
    return 0;
}

int desk_open(struct server *s, struct err *err)
{
    struct desk *d = s->bank.desk = xcalloc(1, sizeof *d);
    struct bankline_options opt = line_options(s);

    d->s = s;
    TAILQ_INIT(&d->calls);
    d->line = bankline_new(&opt, now_us(d));
    d->programs = programs_open(s->loop,
        &(struct programs_options){.log = s->log,
            .directory = s->paths.home,
            .at_once = ASKS_AT_ONCE + BANKPAYERS_APART + TELLS_AT_ONCE,
            .grace_ms = GRACE_MS},
        err);
    if (!d->programs)
        return -1;
    if (sd_event_add_time_relative(
            s->loop, &d->timer, CLOCK_MONOTONIC, SECOND_US, 0, on_time, d)
        < 0)
        return err_set(err, ERR_IO, "the event loop takes no more sources");
    if (store_each(s->store, DESK_QUEUE, recall_message, d, err) < 0
        || store_each(s->store, DESK_ASIDE, recall_aside, d, err) < 0
        || store_each(s->store, RUNS, recall_run, d, err) < 0
        || recall_numbers(d, err) < 0 || desk_drop_old_requests(s, err) < 0
        || !(d->places = bankplaces_open(s, err)))
        return -1;
    note_place(d);
    opt = line_options(s);
    bankline_configure(d->line, &opt);
    bankline_committed(d->line);
    if (bankline_tells(d->line) || d->runs) /* programs of that life may run still */
        bankline_hold_tells(d->line, now_us(d) + opt.timeout_us);
    return 0;
}

void desk_close(struct server *s)
{
    struct desk *d = s->bank.desk;

    if (!d)
        return;
    if (d->programs)
        programs_close(d->programs);
    sd_event_source_disable_unref(d->timer);
    while (!TAILQ_EMPTY(&d->calls))
        free_call(TAILQ_FIRST(&d->calls));
    while (d->runs)
        bankrun_free(&d->runs, d->runs);
    while (d->aside)
        desk_free_aside(d, d->aside);
    bankline_free(d->line);
    bankplaces_close(d->places);
    free(d);
    s->bank.desk = NULL;
}
