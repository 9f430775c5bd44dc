/* SPDX-License-Identifier: Apache-2.0
 * See bankline.h. */
#include "server/durable/bankline.h"

#include "base/hash.h"
#include "base/xalloc.h"
#include "server/durable/bankpayers.h"

#include <assert.h>
#include <string.h>
#include <sys/queue.h>

#define ODD  2 /* so often others were taken and it was not: it alone is meant */
#define MANY 3 /* silent about so many payers: it is silent */

TAILQ_HEAD(item_list, line_item);

struct run_line;

struct line_item {
    TAILQ_ENTRY(line_item) next; /* of its run's tells; of asks */
    TAILQ_ENTRY(line_item) fresh;
    UT_hash_handle hh; /* asks by job, tells by number */
    uint64_t number;
    int kind;
    char *job;            /* asks; NULL = nobody waits any more */
    struct run_line *run; /* while it is in the line */
    char *name;           /* of the run */
    json_t *body;
    bool is_fresh; /* not on the disk yet */
    bool out, probe;
    bool given_up;            /* asks: it took too long, and that was noted */
    struct payer_entry payer; /* asks */
    uint64_t answers;         /* that the bank had given when it was sent */
    unsigned tries, odd;
    uint64_t taken_before; /* what the bank had taken when this failed */
    uint64_t pause_us;
    uint64_t until_us; /* asks: no longer; tells: not before, 0 = at once */
    char *said;        /* owned or NULL */
};

enum place { NOWHERE, READY, WAITING, FOREIGN, PLACES };

/* All that is about one run. */
struct run_line {
    UT_hash_handle hh;
    TAILQ_ENTRY(run_line) next; /* of its place */
    enum place place;
    char *name;
    struct item_list tells;
    struct line_item *out; /* a call about it is under way */
    unsigned asks;         /* in the line, with one that is out */
    uint64_t from_us; /* until then a call that was given up may be taken; 0 = not */
};

TAILQ_HEAD(run_list, run_line);

struct bankline {
    struct bankline_options opt;
    struct line_item *by_job, *by_number;
    uint64_t last; /* the greatest number that there was */
    bool in_order; /* by_number */
    struct run_line *runs;
    struct item_list asks, asks_out, fresh;
    struct run_list places[PLACES];
    struct bankpayers *payers; /* whose asks wait */
    unsigned nasks, ntells;    /* calls under way; not asks in places of their own */
    uint64_t tells_from_us;
    struct bankhealth health;
};

/* ---- items ----------------------------------------------------------------------- */

uint64_t line_item_number(const struct line_item *i)
{
    return i->number;
}

const char *line_item_run(const struct line_item *i)
{
    return i->name;
}

json_t *line_item_body(struct line_item *i)
{
    return i->body;
}

const char *line_item_said(const struct line_item *i)
{
    return i->said ? i->said : "";
}

unsigned line_item_tries(const struct line_item *i)
{
    return i->tries;
}

int line_item_kind(const struct line_item *i)
{
    return i->kind;
}

bool line_item_is_out(const struct line_item *i)
{
    return i->out;
}

void line_item_free(struct line_item *i)
{
    json_decref(i->body);
    free(i->said);
    free(i->job);
    free(i->name);
    free(i);
}

/* ---- the lines of runs ----------------------------------------------------------- */

static struct run_line *get_run(struct bankline *l, const char *name)
{
    struct run_line *r;

    HASH_FIND_STR(l->runs, name, r);
    if (r)
        return r;
    r = xcalloc(1, sizeof *r);
    r->name = xstrdup(name);
    TAILQ_INIT(&r->tells);
    TAILQ_INSERT_TAIL(&l->places[NOWHERE], r, next);
    HASH_ADD_KEYPTR(hh, l->runs, r->name, strlen(r->name), r);
    return r;
}

static bool is_foreign(const struct bankline *l, const struct line_item *i)
{
    return !l->opt.kind || (i->kind && i->kind != l->opt.kind);
}

/* The first of its tells says where it stands, once what is asked about it has been
 * answered; gone where nothing is about it. */
static void place_run(struct bankline *l, struct run_line *r)
{
    const struct line_item *first = TAILQ_FIRST(&r->tells);
    enum place place;

    TAILQ_REMOVE(&l->places[r->place], r, next);
    if (!first && !r->out && r->asks == 0 && !r->from_us) {
        HASH_DEL(l->runs, r);
        free(r->name);
        free(r);
        return;
    }
    if (r->out || r->asks > 0 || (first ? first->is_fresh : !r->from_us))
        place = NOWHERE;
    else if (first && is_foreign(l, first))
        place = FOREIGN;
    else
        place = r->from_us || first->until_us ? WAITING : READY;
    r->place = place;
    TAILQ_INSERT_TAIL(&l->places[place], r, next);
}

static struct line_item *add_item(struct bankline *l, const char *run, json_t *body)
{
    struct line_item *i = xcalloc(1, sizeof *i);

    i->run = get_run(l, run);
    i->name = xstrdup(run);
    i->body = body;
    i->is_fresh = true;
    TAILQ_INSERT_TAIL(&l->fresh, i, fresh);
    return i;
}

static void remove_fresh(struct bankline *l, struct line_item *i)
{
    if (i->is_fresh)
        TAILQ_REMOVE(&l->fresh, i, fresh);
    i->is_fresh = false;
}

/* ---- the line -------------------------------------------------------------------- */

struct bankline *bankline_new(const struct bankline_options *opt, uint64_t now)
{
    struct bankline *l = xcalloc(1, sizeof *l);

    l->opt = *opt;
    l->tells_from_us = now;
    l->payers = bankpayers_new();
    TAILQ_INIT(&l->asks);
    TAILQ_INIT(&l->asks_out);
    TAILQ_INIT(&l->fresh);
    for (size_t i = 0; i < PLACES; i++)
        TAILQ_INIT(&l->places[i]);
    return l;
}

void bankline_free(struct bankline *l)
{
    struct line_item *i, *next;
    struct run_line *r, *after;

    if (!l)
        return;
    HASH_ITER(hh, l->by_job, i, next)
    {
        HASH_DELETE(hh, l->by_job, i);
        if (!i->out)
            line_item_free(i);
    }
    HASH_ITER(hh, l->by_number, i, next)
    {
        HASH_DELETE(hh, l->by_number, i);
        if (!i->out)
            line_item_free(i);
    }
    HASH_ITER(hh, l->runs, r, after)
    {
        HASH_DEL(l->runs, r);
        if (r->out)
            line_item_free(r->out);
        free(r->name);
        free(r);
    }
    bankpayers_free(l->payers);
    free(l);
}

void bankline_configure(struct bankline *l, const struct bankline_options *opt)
{
    struct run_line *r, *next;
    struct line_item *i;
    bool same = l->opt.kind == opt->kind;

    l->opt = *opt;
    if (same)
        return;
    bankhealth_answer(&l->health); /* the other one is not known yet */
    bankpayers_forget_health(l->payers);
    TAILQ_FOREACH(i, &l->asks, next)
    i->until_us = 0; /* their runs were to be that one's */
    HASH_ITER(hh, l->runs, r, next)
    place_run(l, r);
}

void bankline_hold_tells(struct bankline *l, uint64_t until)
{
    l->tells_from_us = until;
}

/* ---- in it goes ------------------------------------------------------------------ */

static struct line_item *find_ask(const struct bankline *l, const char *job)
{
    struct line_item *i;

    HASH_FIND_STR(l->by_job, job, i);
    return i;
}

/* Out of the asks; freed, unless a call about it is under way. */
static void leave_ask(struct bankline *l, struct line_item *i)
{
    struct run_line *r = i->run;

    HASH_DEL(l->by_job, i);
    TAILQ_REMOVE(i->out ? &l->asks_out : &l->asks, i, next);
    remove_fresh(l, i);
    free(i->job);
    i->job = NULL;
    if (i->out)
        return;
    bankpayers_remove(l->payers, &i->payer);
    line_item_free(i);
    r->asks--;
    place_run(l, r);
}

void bankline_ask(
    struct bankline *l, const char *job, const char *run, json_t *body, uint64_t now)
{
    struct line_item *i = find_ask(l, job);

    if (i)
        leave_ask(l, i);
    i = add_item(l, run, body);
    i->job = xstrdup(job);
    i->until_us = now + l->opt.timeout_us;
    i->run->asks++;
    place_run(l, i->run);
    TAILQ_INSERT_TAIL(&l->asks, i, next);
    bankpayers_add(l->payers, &i->payer, i, job, body);
    HASH_ADD_KEYPTR(hh, l->by_job, i->job, strlen(i->job), i);
}

bool bankline_ask_instead(
    struct bankline *l, const char *job, const char *run, json_t *body)
{
    struct line_item *i = find_ask(l, job);

    if (!i || i->out || strcmp(i->name, run) != 0)
        return false;
    json_decref(i->body);
    i->body = body;
    if (!i->is_fresh)
        TAILQ_INSERT_TAIL(&l->fresh, i, fresh);
    i->is_fresh = true;
    return true;
}

bool bankline_asks(const struct bankline *l, const char *job)
{
    return find_ask(l, job) != NULL;
}

bool bankline_forget(
    struct bankline *l, const char *job, const char *run, bool *ret_sent)
{
    struct line_item *i = find_ask(l, job);

    if (!i || strcmp(i->name, run) != 0)
        return false;
    *ret_sent = i->out;
    leave_ask(l, i);
    return true;
}

void bankline_tell(
    struct bankline *l, uint64_t number, int kind, const char *run, json_t *body)
{
    struct line_item *i = add_item(l, run, body), *later;

    i->number = number;
    i->kind = kind;
    l->in_order = l->in_order && number > l->last;
    l->last = number > l->last ? number : l->last;
    later = TAILQ_FIRST(&i->run->tells);
    while (later && (later->out || later->number < number))
        later = TAILQ_NEXT(later, next);
    if (later)
        TAILQ_INSERT_BEFORE(later, i, next);
    else
        TAILQ_INSERT_TAIL(&i->run->tells, i, next);
    HASH_ADD(hh, l->by_number, number, sizeof i->number, i);
    place_run(l, i->run);
}

void bankline_hurry(struct bankline *l)
{
    struct run_line *r, *next;

    bankhealth_hurry(&l->health);
    bankpayers_hurry(l->payers);
    for (r = TAILQ_FIRST(&l->places[WAITING]); r; r = next) {
        struct line_item *i = TAILQ_FIRST(&r->tells);
        next = TAILQ_NEXT(r, next);
        if (!i || i->odd)
            continue;
        i->until_us = 0;
        if (!r->from_us)
            place_run(l, r);
    }
}

void bankline_hasten(struct bankline *l, struct line_item *i)
{
    assert(!i->out && i->number);
    i->until_us = i->pause_us = 0;
    i->odd = 0;
    place_run(l, i->run);
}

struct line_item *bankline_last_of(struct bankline *l, const char *run)
{
    struct run_line *r;
    struct line_item *last;

    HASH_FIND_STR(l->runs, run, r);
    last = r ? TAILQ_LAST(&r->tells, item_list) : NULL;
    return last && !last->out ? last : NULL;
}

const struct line_item *bankline_first_of(const struct bankline *l, const char *run)
{
    const struct run_line *r;

    HASH_FIND_STR(l->runs, run, r);
    return r ? TAILQ_FIRST(&r->tells) : NULL;
}

struct line_item *bankline_find(struct bankline *l, uint64_t number)
{
    struct line_item *i;

    HASH_FIND(hh, l->by_number, &number, sizeof number, i);
    return i;
}

void bankline_take_out(struct bankline *l, struct line_item *i)
{
    struct run_line *r = i->run;

    assert(!i->out && i->number);
    remove_fresh(l, i);
    HASH_DELETE(hh, l->by_number, i);
    TAILQ_REMOVE(&r->tells, i, next);
    i->run = NULL;
    place_run(l, r);
}

void bankline_committed(struct bankline *l)
{
    struct line_item *i;

    while ((i = TAILQ_FIRST(&l->fresh))) {
        remove_fresh(l, i);
        if (i->number && i == TAILQ_FIRST(&i->run->tells))
            place_run(l, i->run);
    }
}

/* ---- out it goes ----------------------------------------------------------------- */

static bool is_paused(const struct bankline *l, uint64_t now)
{
    return bankhealth_is_paused(&l->health, now);
}

static void send_item(struct bankline *l, struct line_item *i, bool probe)
{
    i->out = true;
    i->run->out = i;
    i->tries++;
    i->probe = probe;
    i->answers = l->health.answers;
    l->health.probing = l->health.probing || probe;
    place_run(l, i->run);
}

/* Not one whose run has a call under way: there is none, but for a job that is started
 * again at once under the name of the run. */
static bool may_be_asked(const struct line_item *i)
{
    return !i->is_fresh && !i->run->out;
}

static struct line_item *send_ask(
    struct bankline *l, struct payer_entry *e, bool apart, uint64_t now)
{
    struct line_item *i = e->item;

    TAILQ_REMOVE(&l->asks, i, next);
    TAILQ_INSERT_TAIL(&l->asks_out, i, next);
    i->until_us = now + l->opt.timeout_us;
    l->nasks += !apart;
    bankpayers_send(l->payers, e, apart);
    send_item(l, i, l->health.failing && !apart);
    return i;
}

/* Of those about whom the bank is not known to be silent. */
static struct line_item *next_ask(struct bankline *l, uint64_t now)
{
    struct payer_entry *e = NULL;

    if (l->nasks < l->opt.asks_at_once)
        e = bankpayers_next(l->payers, l->opt.asks_of_one, may_be_asked);
    return e ? send_ask(l, e, false, now) : NULL;
}

static struct line_item *next_ask_apart(struct bankline *l, uint64_t now)
{
    struct payer_entry *e = bankpayers_next_apart(l->payers, now, may_be_asked);

    return e ? send_ask(l, e, true, now) : NULL;
}

/* Of one that waits. */
static uint64_t due_at(const struct run_line *r)
{
    const struct line_item *first = TAILQ_FIRST(&r->tells);

    return first && first->until_us > r->from_us ? first->until_us : r->from_us;
}

static void wake_runs(struct bankline *l, uint64_t now)
{
    struct run_line *r, *next;

    for (r = TAILQ_FIRST(&l->places[WAITING]); r; r = next) {
        next = TAILQ_NEXT(r, next);
        if (due_at(r) > now)
            continue;
        r->from_us = 0;
        if (!TAILQ_EMPTY(&r->tells))
            TAILQ_FIRST(&r->tells)->until_us = 0;
        place_run(l, r);
    }
}

static struct line_item *next_tell(struct bankline *l, uint64_t now)
{
    struct run_line *r;
    struct line_item *i;

    if (l->ntells >= l->opt.tells_at_once || l->tells_from_us > now)
        return NULL;
    wake_runs(l, now);
    r = TAILQ_FIRST(&l->places[READY]);
    if (!r)
        return NULL;
    i = TAILQ_FIRST(&r->tells);
    l->ntells++;
    send_item(l, i, l->health.failing);
    return i;
}

/* In a pause too, whom the bank is not known to be silent about is asked about, one at
 * a time: it may have been silent about some alone. */
struct line_item *bankline_next(struct bankline *l, uint64_t now)
{
    struct line_item *i;

    if (!l->opt.kind || l->health.probing)
        return NULL;
    i = next_ask(l, now);
    if (i || is_paused(l, now))
        return i;
    i = next_tell(l, now);
    return i ? i : next_ask_apart(l, now);
}

/* ---- how the bank does ----------------------------------------------------------- */

/* Whose job it is that was asked about. */
static const char *job_of(const struct line_item *i)
{
    const char *job = json_string_value(json_object_get(i->body, "job"));

    return i->job ? i->job : job ? job : "";
}

/* A start that is asked about got no answer. */
static void note_miss(struct bankline *l, struct line_item *i, uint64_t now)
{
    bankhealth_miss(&l->health, i->answers, now);
    bankpayers_miss(l->payers, &i->payer, job_of(i), now);
}

/* What waited for the bank alone waits no longer. */
static void note_answer(struct bankline *l, uint64_t now)
{
    struct run_line *r;

    if (l->health.failing)
        TAILQ_FOREACH(r, &l->places[WAITING], next)
        {
            struct line_item *i = TAILQ_FIRST(&r->tells);
            if (i && i->odd == 0 && i->until_us > now + l->opt.timeout_us)
                i->until_us = now + l->opt.timeout_us;
        }
    bankhealth_answer(&l->health);
}

/* ---- answers --------------------------------------------------------------------- */

static enum line_then end_ask(
    struct bankline *l, struct line_item *i, enum line_answer answer, uint64_t now)
{
    struct run_line *r = i->run;

    if (answer != LINE_LATER) {
        note_answer(l, now);
        l->health.answers++;
        bankpayers_answer(l->payers, &i->payer, job_of(i));
    } else if (!i->given_up) {
        note_miss(l, i, now);
    }
    l->nasks -= !i->payer.apart;
    bankpayers_remove(l->payers, &i->payer);
    r->asks--;
    if (i->job) {
        HASH_DEL(l->by_job, i);
        TAILQ_REMOVE(&l->asks_out, i, next);
    }
    i->run = NULL;
    place_run(l, r);
    if (!i->job) {
        line_item_free(i);
        return LINE_FORGOTTEN;
    }
    return answer == LINE_DONE      ? LINE_STARTS
           : answer == LINE_REFUSED ? LINE_STAYS
                                    : LINE_FAILS;
}

/* Is it the bank that does not take it, or is it this one alone? */
static void judge_failure(
    struct bankline *l, struct line_item *i, enum line_answer answer, uint64_t now)
{
    if (i->pause_us && l->health.answers > i->taken_before)
        i->odd++;
    i->taken_before = l->health.answers;
    i->pause_us = bankhealth_longer(i->pause_us);
    i->until_us = i->pause_us > l->opt.timeout_us ? i->pause_us : l->opt.timeout_us;
    i->until_us += now;
    if (answer != LINE_LATER || i->odd >= ODD)
        return;
    bankhealth_mark(&l->health);
    bankhealth_fail(&l->health, now);
}

static enum line_then end_tell(
    struct bankline *l, struct line_item *i, enum line_answer answer, uint64_t now)
{
    struct run_line *r = i->run;
    bool taken = answer == LINE_DONE || answer == LINE_REFUSED;

    l->ntells--;
    if (answer != LINE_LATER)
        note_answer(l, now);
    l->health.answers += taken;
    if (!taken)
        judge_failure(l, i, answer, now);
    if (!taken && i->odd < l->opt.tries) {
        json_object_set_new(i->body, "again", json_true());
        place_run(l, r);
        return LINE_AGAIN;
    }
    bankline_take_out(l, i);
    return answer == LINE_DONE ? LINE_TAKEN : LINE_ASIDE;
}

enum line_then bankline_answered(struct bankline *l, struct line_item *i,
    enum line_answer answer, const char *said, uint64_t now)
{
    i->out = false;
    i->run->out = NULL;
    if (answer == LINE_LATER)
        i->run->from_us = now + l->opt.timeout_us;
    l->health.probing = l->health.probing && !i->probe;
    free(i->said);
    i->said = said && *said && answer != LINE_DONE ? xstrdup(said) : NULL;
    return i->number ? end_tell(l, i, answer, now) : end_ask(l, i, answer, now);
}

/* ---- who waits no longer --------------------------------------------------------- */

static void expire_ask(
    struct bankline *l, struct line_item *i, bool turn, struct line_expired *ret)
{
    *ret = (struct line_expired){.job = xstrdup(i->job),
        .run = xstrdup(i->name),
        .turn = turn,
        .late = i->payer.late,
        .sent = i->out};
    leave_ask(l, i);
}

/* The first that need not wait to be asked about: the bank is silent, about its payer
 * or about many; or it got no answer before, and others are tried just now. */
static struct line_item *find_unasked(struct bankline *l, uint64_t now, bool *ret_turn)
{
    bool paused = is_paused(l, now);
    bool many = paused && l->health.probing && bankpayers_silent(l->payers) >= MANY;
    struct line_item *i;

    if (!many && !bankpayers_any_odd(l->payers))
        return NULL;
    TAILQ_FOREACH(i, &l->asks, next)
    {
        bool silent = bankpayers_is_silent(&i->payer)
                      && (paused || bankpayers_is_paused(&i->payer, now));
        *ret_turn = !silent && !many;
        if (!i->is_fresh
            && (silent || many || bankpayers_has_no_place(l->payers, &i->payer)))
            return i;
    }
    return NULL;
}

bool bankline_expired(struct bankline *l, struct line_expired *ret, uint64_t now)
{
    struct line_item *i;
    bool turn;

    TAILQ_FOREACH(i, &l->asks_out, next)
    if (i->until_us <= now) {
        note_miss(l, i, now);
        i->given_up = true;
        expire_ask(l, i, false, ret);
        return true;
    }
    i = find_unasked(l, now, &turn);
    if (i) {
        expire_ask(l, i, turn, ret);
        return true;
    }
    i = TAILQ_FIRST(&l->asks);
    if (i && i->until_us <= now) {
        expire_ask(l, i, true, ret);
        return true;
    }
    return false;
}

static uint64_t earlier(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

uint64_t bankline_wake(const struct bankline *l, uint64_t now)
{
    const struct line_item *i = TAILQ_FIRST(&l->asks);
    const struct run_line *r;
    uint64_t next = UINT64_MAX, at = UINT64_MAX, from = l->tells_from_us;

    if (i)
        next = i->until_us;
    TAILQ_FOREACH(i, &l->asks_out, next)
    next = earlier(next, i->until_us);
    if (l->health.probing || !l->opt.kind || l->ntells >= l->opt.tells_at_once)
        return next; /* the end of a call is waited for */
    if (!TAILQ_EMPTY(&l->places[READY]))
        at = now;
    TAILQ_FOREACH(r, &l->places[WAITING], next)
    at = earlier(at, due_at(r));
    if (is_paused(l, now) && from < l->health.retry_us)
        from = l->health.retry_us;
    if (at == UINT64_MAX)
        return next;
    return earlier(next, at > from ? at : from);
}

bool bankline_is_failing(const struct bankline *l)
{
    return l->health.failing;
}

/* ---- to look at ------------------------------------------------------------------ */

size_t bankline_tells(const struct bankline *l)
{
    return HASH_COUNT(l->by_number);
}

void bankline_each(const struct bankline *l,
    void (*each)(void *arg, const struct line_item *i), void *arg)
{
    for (const struct line_item *i = l->by_number; i; i = i->hh.next)
        each(arg, i);
}

static int compare_numbers(const struct line_item *a, const struct line_item *b)
{
    return a->number < b->number ? -1 : a->number > b->number;
}

struct line_item *bankline_behind(struct bankline *l, uint64_t number)
{
    struct line_item *i;

    if (!l->in_order)
        HASH_SORT(l->by_number, compare_numbers);
    l->in_order = true;
    i = bankline_find(l, number);
    if (i)
        return i->hh.next;
    for (i = l->by_number; i && i->number <= number;)
        i = i->hh.next;
    return i;
}
