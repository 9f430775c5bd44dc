/* SPDX-License-Identifier: Apache-2.0
 * The loop of an adapter. */
#include "rm/adapter/agent.h"

#include "base/vec.h"
#include "rm/adapter/clock.h"
#include "rm/adapter/digest.h"
#include "rm/adapter/eport.h"
#include "rm/remote.h"

#include <stdio.h>
#include <unistd.h>

#define SOON_MS  20    /* after a sign that something happened */
#define PAUSE_MS 30000 /* the longest between looks that fail */
#define MANY     20    /* orders pending: then a look is cheaper than checks */
#define MANY_MS  200
#define DEBT_MS  1000  /* the second loss in a row waits so long, the next twice that */
#define CALM_MS  10000 /* without a loss: then the next is a first again */
#define BEAT_S   2
#define EVENT_MS 1000 /* MINETIME */

struct agent {
    const struct agent_driver *driver;
    void *ctx;
    sd_event *loop;
    sd_event_source *timer, *last;
    struct link *link;
    struct rm_sink answers; /* all that comes of orders: note_answer() */
    struct pending *orders;
    struct eport *eport;
    struct eport_spec wanted;             /* its port; port 0 = none */
    int64_t poll_ms, least_ms, looked_ms; /* looked: when the last look began */
    int64_t pause_ms;                     /* of looks that fail; 0 = they go well */
    int64_t due_ms, settled_ms, debt_ms;  /* settle_debt(): when, when last, how long
                                             it waits; due 0 = nothing was lost */
    bool soon, looking, told_all, up;
    bool away;       /* out of reach */
    bool gone;       /* the daemon is: no look any more */
    bool eport_told; /* that it cannot be had */
};

sd_event *agent_loop(const struct agent *a)
{
    return a->loop;
}

const struct rm_sink *agent_sink(const struct agent *a)
{
    return link_sink(a->link);
}

struct pending *agent_orders(const struct agent *a)
{
    return a->orders;
}

bool agent_is_synced(const struct agent *a)
{
    return a->told_all;
}

bool agent_is_led(const struct agent *a)
{
    return link_is_led(a->link);
}

/* ---- when ---- */

static int on_timer(sd_event_source *source, uint64_t usec, void *ctx);

/* One check does for all orders; looks for their sake are rarer where there are many.
 */
static bool is_crowded(const struct agent *a)
{
    return a->driver->check == NULL && pending_count(a->orders) > MANY;
}

/* INT64_MAX: nothing is to be checked. */
static int64_t next_check_ms(const struct agent *a)
{
    return a->driver->check != NULL && a->pause_ms == 0 ? pending_next_ms(a->orders)
                                                        : INT64_MAX;
}

/* Of a look; none is under way. */
static int64_t next_look_ms(const struct agent *a, int64_t now)
{
    int64_t at = a->looked_ms + (a->pause_ms ? a->pause_ms : a->poll_ms), next;

    if (a->pause_ms == 0 && a->driver->check == NULL) {
        next = is_crowded(a) ? now + MANY_MS : pending_next_ms(a->orders);
        at = next < at ? next : at;
    }
    if (a->pause_ms == 0 && a->due_ms != 0 && a->due_ms < at)
        at = a->due_ms;
    if (a->soon && at > now + SOON_MS)
        at = now + SOON_MS;
    return at > a->looked_ms + a->least_ms ? at : a->looked_ms + a->least_ms;
}

static void arm(struct agent *a)
{
    int64_t now = clock_ms(), at = next_check_ms(a), wait_ms;

    a->timer = sd_event_source_disable_unref(a->timer);
    if (a->gone)
        return;
    if (!a->looking && next_look_ms(a, now) < at)
        at = next_look_ms(a, now);
    if (at == INT64_MAX)
        return; /* the end of the look arms again */
    wait_ms = at - now;
    sd_event_add_time_relative(a->loop, &a->timer, CLOCK_MONOTONIC,
        (uint64_t)(wait_ms > 0 ? wait_ms : 0) * 1000, 500, on_timer, a);
}

static bool is_debt_due(const struct agent *a)
{
    return a->due_ms != 0 && clock_ms() >= a->due_ms;
}

/* Without it all goes on, by POLLINTERVAL; it is tried again with each look. */
static void open_eport(struct agent *a)
{
    struct err err = {0};

    if (a->wanted.port == 0 || a->eport != NULL)
        return;
    a->eport = eport_new(a->loop, &a->wanted, &err);
    if (a->eport == NULL && !a->eport_told)
        agent_health(a, "EPORT", err.text);
    a->eport_told = a->eport == NULL;
}

/* Of an order that was lost while looks go well: all is told anew and RM_SYNCED said
 * again, which is what the daemon settles it by. A look that had begun before shows the
 * time before. Orders that are pending go on. Losses that follow each other wait longer
 * and longer, as the daemon orders again what was lost. */
static void note_debt(struct agent *a)
{
    int64_t now = clock_ms();

    if (a->due_ms != 0)
        return;
    if (a->settled_ms == 0 || now - a->settled_ms > a->debt_ms + CALM_MS)
        a->debt_ms = 0;
    else
        a->debt_ms = a->debt_ms == 0             ? DEBT_MS
                     : 2 * a->debt_ms < PAUSE_MS ? 2 * a->debt_ms
                                                 : PAUSE_MS;
    a->due_ms = now + (a->debt_ms > 0 ? a->debt_ms : SOON_MS);
    arm(a);
}

static void settle_debt(struct agent *a)
{
    if (!is_debt_due(a))
        return;
    a->due_ms = 0;
    a->settled_ms = clock_ms();
    a->told_all = false;
    if (a->driver->retell != NULL)
        a->driver->retell(a->ctx);
}

static void begin_look(struct agent *a)
{
    open_eport(a);
    settle_debt(a);
    a->soon = false;
    a->looking = true;
    a->looked_ms = clock_ms();
    a->driver->look(a->ctx);
}

/* As next_look_ms() says, or sooner where something has happened. */
static bool is_look_due(const struct agent *a, int64_t now)
{
    if (a->looking || now < a->looked_ms + a->least_ms)
        return false;
    return a->soon || is_crowded(a) || is_debt_due(a)
           || now >= a->looked_ms + (a->pause_ms ? a->pause_ms : a->poll_ms)
           || (a->driver->check == NULL && pending_next_ms(a->orders) <= now);
}

/* What is looked at now is due again later, all together. */
static void run_check(struct agent *a)
{
    for (size_t i = 0; i < pending_count(a->orders); i++)
        pending_looked(a->orders, i, clock_ms());
    a->driver->check(a->ctx);
}

static int on_timer(sd_event_source *source, uint64_t usec, void *ctx)
{
    struct agent *a = ctx;
    int64_t now = clock_ms();

    (void)source;
    (void)usec;
    if (is_look_due(a, now))
        begin_look(a);
    else if (next_check_ms(a) <= now)
        run_check(a);
    arm(a);
    return 0;
}

void agent_look(struct agent *a)
{
    a->soon = true;
    arm(a);
}

void agent_pace(struct agent *a, int64_t least_ms)
{
    a->least_ms = least_ms;
}

/* ---- what came of it ---- */

void agent_health(struct agent *a, const char *function, const char *text)
{
    link_health(a->link, function, text);
}

void agent_remark(
    struct agent *a, const char *function, const char *text, uint64_t *io_said)
{
    uint64_t said = text != NULL ? digest_text(DIGEST_START, text) : 0;

    if (text != NULL && said != *io_said) {
        agent_health(a, function, text);
        agent_health(a, function, NULL);
    }
    *io_said = said;
}

static void forget_daemon(struct agent *a, const char *why)
{
    a->told_all = false;
    pending_lose(a->orders, why);
    a->due_ms = 0; /* all is told anew as it is */
    if (a->driver->forget != NULL)
        a->driver->forget(a->ctx);
    if (a->driver->retell != NULL)
        a->driver->retell(a->ctx);
}

void agent_forgotten(struct agent *a, const char *why)
{
    forget_daemon(a, why);
    agent_look(a);
}

static void note_failure(struct agent *a, const char *function, const char *why)
{
    bool lost = strcmp(function, "connection") == 0;

    a->pause_ms = a->pause_ms ? a->pause_ms * 2 : a->poll_ms;
    if (a->pause_ms > PAUSE_MS)
        a->pause_ms = PAUSE_MS > a->poll_ms ? PAUSE_MS : a->poll_ms;
    a->up = false;
    if (lost && a->away)
        return; /* has been told */
    a->away = a->away || lost;
    agent_health(a, function, why);
    if (lost)
        forget_daemon(a, "the resource manager went out of reach");
}

static void note_success(struct agent *a)
{
    struct rm_report synced = {.kind = RM_SYNCED};

    a->pause_ms = 0;
    a->away = false;
    if (!a->up)
        agent_health(a, "connection", NULL);
    a->up = true;
    if (!a->told_all)
        agent_sink(a)->report(agent_sink(a)->ctx, &synced);
    a->told_all = true;
}

void agent_looked(struct agent *a, const char *function, const char *why)
{
    a->looking = false;
    for (size_t i = 0; i < pending_count(a->orders); i++)
        if (pending_at(a->orders, i)->look_ms <= a->looked_ms)
            pending_looked(a->orders, i, clock_ms());
    if (why != NULL)
        note_failure(a, function, why);
    else
        note_success(a);
    arm(a);
}

void agent_keep_job(struct agent *a, struct listing *jobs, const char *id)
{
    struct rm_report r = {.kind = RM_JOB_KEPT, .u.name = id};

    listing_keep(jobs, id);
    if (!a->told_all)
        agent_sink(a)->report(agent_sink(a)->ctx, &r);
}

/* ---- orders ---- */

/* What came of an order, whether it was pending or not. */
static void note_answer(void *ctx, const struct rm_report *r)
{
    struct agent *a = ctx;

    link_sink(a->link)->report(link_sink(a->link)->ctx, r);
    if (r->u.done.outcome == RM_LOST)
        note_debt(a);
}

void agent_done(struct agent *a, uint64_t token, enum rm_outcome outcome,
    const char *job, const char *text)
{
    struct rm_report r = {.kind = RM_DONE, .u.done = {token, outcome, job, text}};

    note_answer(a, &r);
}

void agent_pending(struct agent *a, const struct rm_command *c, int64_t patience_ms)
{
    pending_add(a->orders, c, clock_ms(), patience_ms);
    arm(a);
}

/* ---- the daemon ---- */

static void on_poll(void *ctx)
{
    agent_look(ctx);
}

static void want_eport(struct agent *a, const struct link_opening *o)
{
    const char *port = link_attr(o, "EPORT"), *host = link_attr(o, "HOST");

    a->wanted = (struct eport_spec){.host = host != NULL ? xstrdup(host) : NULL,
        .port = port != NULL ? (int)strtol(port, NULL, 10) : 0,
        .least_ms = link_attr_ms(o, "MINETIME", EVENT_MS),
        .woken = on_poll,
        .ctx = a};
}

static void on_open(void *ctx, const struct link_opening *o)
{
    struct agent *a = ctx;
    struct err err = {0};

    a->poll_ms = link_attr_ms(o, "POLLINTERVAL", a->driver->poll_ms);
    a->ctx = a->driver->open(a, o, &err);
    if (a->ctx == NULL) {
        fprintf(stderr, "%s: %s\n", a->driver->program, err.text);
        exit(REMOTE_CANNOT);
    }
    want_eport(a, o);
    a->looked_ms = clock_ms() - a->poll_ms; /* the first is due */
    arm(a);
}

static void on_command(void *ctx, const struct rm_command *c)
{
    struct agent *a = ctx;

    a->driver->command(a->ctx, c);
}

static void on_submit(void *ctx, const struct rm_submission *s)
{
    struct agent *a = ctx;

    if (a->driver->submit != NULL)
        a->driver->submit(a->ctx, s);
    else
        agent_done(a, s->token, RM_REFUSED, NULL, RM_TAKES_NO_JOBS);
}

static void on_note(void *ctx, const struct rm_note *n)
{
    struct agent *a = ctx;

    if (a->driver->note != NULL)
        a->driver->note(a->ctx, n);
}

static void on_immediate(void *ctx, const char *word, const char *nodes)
{
    struct agent *a = ctx;

    if (a->driver->immediate != NULL)
        a->driver->immediate(a->ctx, word, nodes);
}

static void on_ping(void *ctx, int64_t n)
{
    struct agent *a = ctx;

    if (n % BEAT_S == 0 && a->driver->beat != NULL)
        a->driver->beat(a->ctx);
}

static int on_turn(sd_event_source *source, void *ctx)
{
    struct agent *a = ctx;

    (void)source;
    return a->driver->ends(a->ctx) > 0 ? 0 : sd_event_exit(a->loop, 0);
}

/* Whoever comes after us may have the port. */
static bool on_gone(void *ctx)
{
    struct agent *a = ctx;

    a->gone = true;
    arm(a);
    eport_destroy(a->eport);
    a->eport = NULL;
    return a->driver->ends != NULL && a->driver->ends(a->ctx) > 0
           && sd_event_add_post(a->loop, &a->last, on_turn, a) >= 0;
}

int agent_main(const struct agent_driver *driver)
{
    static const struct link_calls calls = {.open = on_open,
        .command = on_command,
        .submit = on_submit,
        .note = on_note,
        .immediate = on_immediate,
        .ping = on_ping,
        .poll = on_poll,
        .gone = on_gone,
        .revived = on_poll}; /* what was passed over meanwhile */
    struct agent *a = xcalloc(1, sizeof *a);
    int status = -1;

    a->driver = driver;
    a->least_ms = driver->least_ms;
    if (sd_event_new(&a->loop) >= 0)
        a->link = link_new(a->loop, STDIN_FILENO, &calls, a);
    if (a->link == NULL) {
        fprintf(stderr, "%s: no event loop\n", driver->program);
        free(a);
        return 1;
    }
    a->answers = (struct rm_sink){note_answer, a};
    a->orders = pending_new(&a->answers);
    status = sd_event_loop(a->loop);
    if (driver->close != NULL && a->ctx != NULL)
        driver->close(a->ctx);
    eport_destroy(a->eport);
    free((char *)a->wanted.host);
    pending_destroy(a->orders);
    link_destroy(a->link);
    sd_event_source_disable_unref(a->timer);
    sd_event_source_disable_unref(a->last);
    sd_event_unref(a->loop);
    free(a);
    return status < 0 ? 1 : 0;
}
