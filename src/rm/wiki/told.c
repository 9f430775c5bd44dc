/* SPDX-License-Identifier: Apache-2.0
 * Records to reports, and orders to answers. */
#include "rm/wiki/told.h"

#include "base/duration.h"
#include "rm/adapter/clock.h"
#include "rm/adapter/digest.h"
#include "rm/adapter/listing.h"
#include "rm/wiki/record.h"
#include "rm/wire.h"

#include <limits.h>
#include <stdio.h>
#include <strings.h>
#include <sys/queue.h>
#include <time.h>

#define CANCEL_WAIT_MS 60000 /* until one that was taken is asked for again */

/* A job as last told. */
struct told_job {
    enum job_state state;
    int64_t seen_at, started_at, ended_at; /* where the record has no such instants */
    int64_t ordered_ms;                    /* when the last order for it was answered */
    int64_t read_ms;                       /* the look that read its record last */
    int64_t limit_at;                      /* it may run until then; 0 = no limit */
};

/* An order on its way, and a start until it has been seen. */
struct wiki_trip {
    TAILQ_ENTRY(wiki_trip) link;
    struct wiki *wiki;
    struct rm_command command; /* its texts and places are owned */
    char *text;                /* what was answered; owned or NULL */
    enum wiki_answer answer;
    bool sent, answered;
    int64_t answered_ms;
};

struct wiki {
    struct agent *agent;
    struct wiki_carrier carrier;
    struct listing *nodes, *jobs;
    struct wiki_room room;
    struct wiki_record record;
    int64_t look_ms;     /* when the look began */
    bool whole;          /* of this look: who is not in it is missed */
    bool missed;         /* of this look: something to look for again */
    char complaint[400]; /* of this look: the first record that could not be read; "" */
    char function[40];   /* that it is about */
    bool nothing;        /* of a text that has records none could be read */
    uint64_t complained; /* digest of the last complaint that was told */
    int64_t newest_node, newest_job; /* UPDATETIME= */
    unsigned sent;
    unsigned changing; /* of those sent, orders other than starts: see is_changing() */
    TAILQ_HEAD(, wiki_trip) trips;
};

struct wiki *wiki_new(struct agent *a, const struct wiki_carrier *carrier)
{
    struct wiki *w = xcalloc(1, sizeof *w);

    w->agent = a;
    w->carrier = *carrier;
    w->nodes = listing_new(&(struct listing_kind){.gone = RM_NODE_GONE, .misses = 2});
    w->jobs = listing_new(&(struct listing_kind){.gone = RM_JOB_GONE,
        .misses = 2,
        .limit_apart = carrier->changes_limits,
        .size = sizeof(struct told_job)});
    TAILQ_INIT(&w->trips);
    return w;
}

/* ---- trips ---- */

static void free_trip(struct wiki *w, struct wiki_trip *t)
{
    TAILQ_REMOVE(&w->trips, t, link);
    for (size_t i = 0; i < t->command.nplaces; i++)
        free((char *)t->command.places[i].node);
    free((void *)t->command.places);
    free((char *)t->command.job);
    free((char *)t->command.text);
    free(t->text);
    free(t);
}

static void copy_command(struct rm_command *ret, const struct rm_command *c)
{
    struct job_place *places = xcalloc(c->nplaces, sizeof *places);

    *ret = *c;
    for (size_t i = 0; i < c->nplaces; i++) {
        places[i] = c->places[i];
        places[i].node = xstrdup(c->places[i].node);
    }
    ret->places = places;
    ret->job = xstrdup(c->job);
    ret->text = c->text != NULL ? xstrdup(c->text) : NULL;
    ret->cls = NULL;
}

void wiki_destroy(struct wiki *w)
{
    struct wiki_trip *t;

    if (w == NULL)
        return;
    while ((t = TAILQ_FIRST(&w->trips)) != NULL)
        free_trip(w, t);
    listing_destroy(w->nodes);
    listing_destroy(w->jobs);
    wiki_record_fini(&w->record);
    wiki_room_fini(&w->room);
    free(w);
}

void wiki_forget(struct wiki *w)
{
    struct wiki_trip *t, *next;

    for (t = TAILQ_FIRST(&w->trips); t != NULL; t = next) {
        next = TAILQ_NEXT(t, link);
        if (!t->sent)
            free_trip(w, t); /* its order is lost: nobody wants it any more */
    }
}

void wiki_retell(struct wiki *w)
{
    listing_forget(w->nodes);
    listing_forget(w->jobs);
}

/* ---- looks ---- */

int64_t wiki_newest_node(const struct wiki *w)
{
    return w->newest_node;
}

int64_t wiki_newest_job(const struct wiki *w)
{
    return w->newest_job;
}

bool wiki_is_over_limit(const struct wiki *w, const char *job)
{
    const struct told_job *t = listing_find(w->jobs, job);

    return t != NULL && t->limit_at > 0 && time(NULL) >= t->limit_at;
}

void wiki_look(struct wiki *w, bool whole)
{
    w->look_ms = clock_ms();
    w->whole = whole;
    w->missed = w->nothing = false;
    w->complaint[0] = '\0';
    listing_begin(w->nodes);
    listing_begin(w->jobs);
}

/* The first says enough. */
static void note_complaint(struct wiki *w, const char *function, const struct err *err)
{
    if (w->complaint[0] != '\0')
        return;
    snprintf(w->complaint, sizeof w->complaint, "%s", err->text);
    snprintf(w->function, sizeof w->function, "%s", function);
}

static int tell_node(struct wiki *w, struct err *err)
{
    struct rm_report r = {.kind = RM_NODE};

    if (wiki_read_node(&w->record, &w->room, &r.u.node, err) < 0)
        return -1;
    listing_tell(w->nodes, r.u.node.name, &r, agent_sink(w->agent));
    return 0;
}

static bool is_active(enum job_state s)
{
    return s == JOB_STARTING || s == JOB_RUNNING || s == JOB_SUSPENDED;
}

static bool is_waiting(enum job_state s)
{
    return s == JOB_IDLE || s == JOB_HOLD;
}

/* Instants that the record leaves out are those of our first sight. */
static void fill_instants(struct told_job *t, struct rm_job *j)
{
    int64_t now = time(NULL);

    if (t->seen_at == 0)
        t->seen_at = now;
    if (!is_active(j->desc.state) && j->desc.state < JOB_COMPLETED)
        t->started_at = 0;
    else if (t->started_at == 0)
        t->started_at = now;
    if (j->desc.submit_at == 0)
        j->desc.submit_at = t->seen_at;
    if (j->start_at == 0
        && (is_active(j->desc.state) || j->desc.state >= JOB_COMPLETED))
        j->start_at = j->desc.start_at = t->started_at;
    if (j->desc.state < JOB_COMPLETED)
        t->ended_at = 0;
    else if (t->ended_at == 0)
        t->ended_at = now;
    if (j->end_at == 0 && j->desc.state >= JOB_COMPLETED)
        j->end_at = t->ended_at;
}

/* Is an order other than a start on its way for it? What a look shows meanwhile is half
 * of what the order does: of a job that is requeued, the end of its run. */
static bool is_changing(const struct wiki *w, const char *job)
{
    const struct wiki_trip *t;

    if (w->changing == 0)
        return false;
    TAILQ_FOREACH(t, &w->trips, link)
    if (t->sent && !t->answered && t->command.action != RM_START
        && strcmp(t->command.job, job) == 0)
        return true;
    return false;
}

/* What the record in hand is of stays as it was; also where we have just begun, and the
 * daemon knows more of it than we do. */
static void keep_thing(struct wiki *w, struct listing *l)
{
    if (l == w->jobs)
        agent_keep_job(w->agent, l, w->record.id);
    else
        listing_keep(l, w->record.id);
}

static int tell_job(struct wiki *w, struct err *err)
{
    struct rm_job j;
    struct rm_report r = {.kind = RM_JOB, .u.job = &j};
    struct told_job *t, first = {0};

    if (wiki_read_job(&w->record, &w->room, &j, err) < 0)
        return -1;
    t = listing_find(w->jobs, j.desc.id);
    if (t != NULL && (t->ordered_ms >= w->look_ms || is_changing(w, j.desc.id))) {
        keep_thing(w, w->jobs);
        w->missed = true; /* it says how it was before the order, or amid it */
        return 0;
    }
    if (j.desc.state == JOB_UNKNOWN && t == NULL)
        return err_set(err, ERR_INVALID,
            "%s: STATE=Unknown: what the daemon knows of it stays; a job that it does "
            "not know is taken when its state is told",
            j.desc.id);
    if (j.desc.state == JOB_UNKNOWN) {
        keep_thing(w, w->jobs); /* as Idle, one that runs would be started again */
        return 0;
    }
    if (t == NULL)
        t = &first;
    fill_instants(t, &j);
    j.changed = t != &first && is_waiting(t->state) && is_waiting(j.desc.state);
    t->state = j.desc.state;
    t->read_ms = w->look_ms;
    t->limit_at = is_active(t->state) && j.desc.wclimit_s > 0 && j.start_at > 0
                          && j.desc.wclimit_s < DURATION_UNLIMITED
                      ? j.start_at + j.desc.wclimit_s
                      : 0;
    listing_tell(w->jobs, j.desc.id, &r, agent_sink(w->agent));
    if (t == &first)
        *(struct told_job *)listing_find(w->jobs, j.desc.id) = first;
    if (!is_waiting(j.desc.state)) /* of other orders their programs tell */
        pending_land_job(agent_orders(w->agent), j.desc.id, RM_START);
    return 0;
}

static void note_time(const struct wiki *w, int64_t *newest)
{
    for (size_t i = 0; i < w->record.fields.n; i++) {
        const struct wiki_field *f = &w->record.fields.v[i];
        long long at;

        if (strcasecmp(f->name, "UPDATETIME") != 0 && strcasecmp(f->name, "A1") != 0)
            continue;
        at = strtoll(f->value, NULL, 10);
        if (at > *newest)
            *newest = at;
        return;
    }
}

/* Of jobs, or of nodes. */
static void tell_records(struct wiki *w, bool jobs, const char *text, size_t n,
    enum wiki_form form, const char *function)
{
    struct listing *l = jobs ? w->jobs : w->nodes;
    const char *at = text, *record;
    size_t len, told = 0, wrong = 0, nameless = 0, rubbish = 0;

    while (wiki_next(&at, text + n, form, &record, &len)) {
        struct err err = {0};
        bool parted = wiki_split(&w->record, record, len, form, &err) == 0;

        if (parted && (jobs ? tell_job : tell_node)(w, &err) == 0) {
            note_time(w, jobs ? &w->newest_job : &w->newest_node);
            told++;
            continue;
        }
        wrong++;
        rubbish += !parted;
        if (w->record.id != NULL)
            keep_thing(w, l);
        else
            nameless++;
        note_complaint(w, function, &err);
    }
    w->nothing |= rubbish > 0 && told == 0;
    /* who is missed may be there at the next look, when it is time for that: an answer
     * that is not whole is none twenty milliseconds later either. One of which nothing
     * can be read says of nobody that it is gone, however often it comes. */
    listing_end(
        l, w->whole && nameless == 0 && (told > 0 || wrong == 0), agent_sink(w->agent));
}

void wiki_told_nodes(struct wiki *w, const char *text, size_t n, enum wiki_form form,
    const char *function)
{
    tell_records(w, false, text, n, form, function);
}

void wiki_told_jobs(struct wiki *w, const char *text, size_t n, enum wiki_form form,
    const char *function)
{
    tell_records(w, true, text, n, form, function);
}

/* ---- what became of orders ---- */

static size_t find_order(struct wiki *w, uint64_t token)
{
    return pending_find_token(agent_orders(w->agent), token);
}

static void land_trip(
    struct wiki *w, struct wiki_trip *t, enum rm_outcome outcome, const char *text)
{
    if (t->command.action == RM_CANCEL && outcome != RM_OK) {
        listing_forget_one(w->jobs, t->command.job); /* it passes for gone */
        w->missed = true;
    }
    pending_land(
        agent_orders(w->agent), find_order(w, t->command.token), outcome, text);
    free_trip(w, t);
}

/* Is the job as the order wanted it, whoever answered what? */
static bool is_done(const struct wiki_trip *t, enum job_state state)
{
    switch (t->command.action) {
    case RM_CANCEL:
        return state >= JOB_COMPLETED;
    case RM_SUSPEND:
        return state == JOB_SUSPENDED;
    case RM_RESUME:
        return state == JOB_RUNNING;
    case RM_REQUEUE:
        return is_waiting(state);
    case RM_START:
    case RM_CHECKPOINT:
    case RM_HOLD:
    case RM_RELEASE:
    case RM_SIGNAL:
    case RM_MODIFY:
    case RM_ACTIONS:
        return false;
    }
    return false;
}

/* A start that was accepted, or may have been. */
static bool is_awaited_start(const struct wiki_trip *t)
{
    return t->command.action == RM_START
           && (t->answer == WIKI_DONE || t->answer == WIKI_UNDER_WAY);
}

static bool is_awaited_cancel(const struct wiki_trip *t)
{
    return t->command.action == RM_CANCEL && t->answer == WIKI_DONE;
}

static void judge_start(struct wiki *w, struct wiki_trip *t, bool listed)
{
    char text[500];

    snprintf(text, sizeof text, "%.300s%sis not seen to run after %lld s",
        t->answer == WIKI_DONE ? "" : t->text,
        t->answer == WIKI_DONE ? "it was started, and " : ", and it ",
        (long long)w->carrier.start_wait_ms / 1000);
    if (!listed || clock_ms() - t->answered_ms > w->carrier.start_wait_ms)
        land_trip(w, t, RM_FAILED, listed ? text : "the job is not listed any more");
}

/* One that was taken, and forgotten, is asked for again. */
static void judge_cancel(struct wiki *w, struct wiki_trip *t, enum job_state state)
{
    int64_t wait_ms = w->carrier.start_wait_ms < CANCEL_WAIT_MS
                          ? w->carrier.start_wait_ms
                          : CANCEL_WAIT_MS;
    char text[100];

    snprintf(text, sizeof text, "it was cancelled, and is not seen to end after %lld s",
        (long long)wait_ms / 1000);
    if (is_done(t, state))
        land_trip(w, t, RM_OK, NULL);
    else if (clock_ms() - t->answered_ms > wait_ms)
        land_trip(w, t, RM_RETRY, text);
}

/* The job as a look shows it that began after the answer. */
static void judge_trip(struct wiki *w, struct wiki_trip *t)
{
    const struct told_job *j = listing_find(w->jobs, t->command.job);
    enum job_state state = j != NULL ? j->state : JOB_REMOVED;
    char text[500];

    if (j != NULL && j->read_ms != w->look_ms)
        return; /* this look did not show it */
    if (is_awaited_start(t)) {
        judge_start(w, t, j != NULL);
        return;
    }
    if (is_awaited_cancel(t)) {
        judge_cancel(w, t, state);
        return;
    }
    snprintf(text, sizeof text, "%s", t->text);
    if (t->answer == WIKI_LATER)
        land_trip(w, t, t->command.action == RM_START ? RM_WAITS : RM_RETRY, text);
    else if (t->command.action == RM_START)
        land_trip(w, t, RM_FAILED, text);
    else if (is_done(t, state)
             && (t->answer != WIKI_FAILED || t->command.action == RM_CANCEL))
        land_trip(w, t, RM_OK, NULL);
    else /* a cancel was promised: it is asked for until the job is over */
        land_trip(w, t,
            t->answer == WIKI_FAILED && t->command.action != RM_CANCEL ? RM_REFUSED
                                                                       : RM_RETRY,
            text);
}

/* One record that is wrong stops nothing: it is said once, and all else goes on. */
static void tell_complaint(struct wiki *w)
{
    uint64_t digest = digest_text(DIGEST_START, w->complaint);

    if (w->nothing) {
        agent_looked(w->agent, w->function, w->complaint);
        return;
    }
    if (w->complaint[0] != '\0' && digest != w->complained) {
        agent_health(w->agent, w->function, w->complaint);
        agent_health(w->agent, w->function, NULL);
    }
    w->complained = digest;
    agent_looked(w->agent, NULL, NULL);
}

void wiki_looked(struct wiki *w)
{
    struct wiki_trip *t, *next;

    for (t = TAILQ_FIRST(&w->trips); t != NULL; t = next) {
        next = TAILQ_NEXT(t, link);
        if (!t->answered || t->answered_ms >= w->look_ms)
            continue;
        if (find_order(w, t->command.token) == pending_count(agent_orders(w->agent)))
            free_trip(w, t); /* has landed, or is lost */
        else
            judge_trip(w, t);
    }
    tell_complaint(w);
    if (w->missed)
        agent_look(w->agent);
}

/* ---- orders ---- */

/* Orders for one job go one after the other. */
static bool has_earlier(const struct wiki *w, const struct wiki_trip *t)
{
    const struct wiki_trip *other;

    TAILQ_FOREACH(other, &w->trips, link)
    {
        if (other == t)
            return false;
        if (!other->answered && strcmp(other->command.job, t->command.job) == 0)
            return true;
    }
    return false;
}

static struct wiki_trip *find_ready(const struct wiki *w)
{
    struct wiki_trip *t;

    TAILQ_FOREACH(t, &w->trips, link)
    if (!t->sent && !has_earlier(w, t))
        return t;
    return NULL;
}

static void count_sent(struct wiki *w, const struct wiki_trip *t, int by)
{
    w->sent += (unsigned)by;
    if (t->command.action != RM_START)
        w->changing += (unsigned)by;
}

static void send_trips(struct wiki *w)
{
    struct wiki_trip *t;

    while (w->sent < w->carrier.at_once && (t = find_ready(w)) != NULL) {
        const char *why = NULL;

        t->sent = true;
        count_sent(w, t, 1);
        if (!w->carrier.carry(w->carrier.ctx, &t->command, t, &why)) {
            count_sent(w, t, -1);
            land_trip(w, t, RM_REFUSED, why);
        }
    }
}

void wiki_answered(struct wiki_trip *t, enum wiki_answer answer, const char *text)
{
    struct wiki *w = t->wiki;
    struct told_job *j = listing_find(w->jobs, t->command.job);
    size_t i = find_order(w, t->command.token);

    count_sent(w, t, -1);
    t->answered = true;
    t->answer = answer;
    t->answered_ms = clock_ms();
    t->text = xstrdup(*text != '\0' ? text : "no reason given");
    if (j != NULL)
        j->ordered_ms = t->answered_ms;
    if (t->command.action
        == RM_MODIFY) /* somebody else may have changed it meanwhile */
        listing_forget_one(w->jobs, t->command.job);
    if (i == pending_count(agent_orders(w->agent)))
        free_trip(w, t);
    else if (is_awaited_start(t) || is_awaited_cancel(t))
        pending_renew(agent_orders(w->agent), i, clock_ms());
    else if (answer == WIKI_DONE)
        land_trip(w, t, RM_OK, NULL);
    agent_look(w->agent);
    send_trips(w);
}

void wiki_command(struct wiki *w, const struct rm_command *c)
{
    const struct told_job *j = listing_find(w->jobs, c->job);
    struct wiki_trip *t;

    if (c->action == RM_START && (j == NULL || !is_waiting(j->state))) {
        agent_done(w->agent, c->token, RM_RETRY, c->job, "it is not listed as waiting");
        return;
    }
    t = xcalloc(1, sizeof *t);
    t->wiki = w;
    copy_command(&t->command, c);
    TAILQ_INSERT_TAIL(&w->trips, t, link);
    agent_pending(w->agent, c, w->carrier.start_wait_ms);
    send_trips(w);
}

size_t wiki_end(struct wiki *w)
{
    struct wiki_trip *t, *next;
    size_t n = 0;

    for (t = TAILQ_FIRST(&w->trips); t != NULL; t = next) {
        next = TAILQ_NEXT(t, link);
        if (!t->sent && t->command.action == RM_START)
            free_trip(w, t);
    }
    w->carrier.at_once = UINT_MAX;
    send_trips(w);
    TAILQ_FOREACH(t, &w->trips, link)
    n += !t->answered && t->command.action != RM_START;
    return n;
}
