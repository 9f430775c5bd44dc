/* SPDX-License-Identifier: Apache-2.0
 * See bankquestion.h. */
#include "server/durable/bankquestion.h"

#include "config/settings.h"
#include "server/durable/bankcall.h"
#include "server/durable/desk.h"
#include "server/events/programs.h"
#include "server/server_private.h"

#include <stdlib.h>
#include <sys/queue.h>

#define AT_ONCE   4
#define OPEN_MOST 60
#define OF_ONE    6 /* user */
#define GRACE_MS  200
#define SECOND_US UINT64_C(1000000)

struct question {
    TAILQ_ENTRY(question) next;
    struct server *s;
    struct bankquestion ask;
    json_t *body; /* owned; NULL: the bank is being asked */
    uint64_t since_us;
};

struct bankquestions {
    struct programs *programs;
    TAILQ_HEAD(, question) open; /* in the order of asking */
};

int bankquestions_open(struct server *s, struct err *err)
{
    struct bankquestions *b = s->bank.bankquestions = xcalloc(1, sizeof *b);

    TAILQ_INIT(&b->open);
    b->programs = programs_open(s->loop,
        &(struct programs_options){.log = s->log,
            .directory = s->paths.home,
            .at_once = AT_ONCE,
            .waiting_max = AT_ONCE,
            .grace_ms = GRACE_MS},
        err);
    return b->programs ? 0 : -1;
}

static void free_question(struct question *q)
{
    TAILQ_REMOVE(&q->s->bank.bankquestions->open, q, next);
    json_decref(q->body);
    free(q);
}

void bankquestions_close(struct server *s)
{
    struct bankquestions *b = s->bank.bankquestions;
    struct question *q;

    if (!b)
        return;
    if (b->programs)
        programs_close(b->programs);
    while ((q = TAILQ_FIRST(&b->open))) {
        q->ask.forget(q->ask.ctx);
        free_question(q);
    }
    free(b);
    s->bank.bankquestions = NULL;
}

bool bankquestion_is_possible(const struct server *s)
{
    return s->bank.bankquestions && desk_is_open(s)
           && s->config->settings->bank.type == BANK_NATIVE;
}

static uint64_t now_us(const struct server *s)
{
    uint64_t now = 0;

    sd_event_now(s->loop, CLOCK_MONOTONIC, &now);
    return now;
}

/* ---- whose turn it is ------------------------------------------------------------ */

struct counts {
    unsigned open, asked; /* asked: of those that are open the bank is being asked */
};

static struct counts count_all(const struct bankquestions *b)
{
    struct counts n = {0};
    const struct question *q;

    TAILQ_FOREACH(q, &b->open, next)
    n = (struct counts){n.open + 1, n.asked + !q->body};
    return n;
}

static struct counts count_of(const struct bankquestions *b, uid_t uid)
{
    struct counts n = {0};
    const struct question *q;

    TAILQ_FOREACH(q, &b->open, next)
    if (q->ask.uid == uid)
        n = (struct counts){n.open + 1, n.asked + !q->body};
    return n;
}

/* The first that waits, of a user of whom the bank is asked nothing. */
static struct question *find_next(const struct bankquestions *b)
{
    struct question *q;

    if (count_all(b).asked >= AT_ONCE)
        return NULL;
    TAILQ_FOREACH(q, &b->open, next)
    if (q->body && count_of(b, q->ask.uid).asked == 0)
        return q;
    return NULL;
}

/* ---- calls ----------------------------------------------------------------------- */

static void fail_question(struct question *q, const char *why)
{
    q->ask.answered(q->ask.ctx, BANKQUESTION_FAILED, NULL, why);
    free_question(q);
}

static void on_ended(void *ctx, const struct program_end *end);

static int send_question(struct question *q, struct err *err)
{
    json_t *body = q->body;
    int result;

    q->body = NULL;
    result =
        bankcall_run(q->s, q->s->bank.bankquestions->programs, body, on_ended, q, err);
    json_decref(body);
    return result;
}

/* Where one waits, some call goes on, which ends in TIMEOUT: those that have waited for
 * longer are found then. */
static void send_those_due(struct server *s)
{
    uint64_t timeout_us = (uint64_t)s->config->settings->bank.timeout_s * SECOND_US;
    struct question *q;
    struct err err;

    while ((q = find_next(s->bank.bankquestions))) {
        if (!q->ask.is_wanted(q->ask.ctx))
            fail_question(q, "nobody waits for the answer");
        else if (now_us(s) - q->since_us > timeout_us)
            fail_question(q, "it is asked by many just now");
        else if (send_question(q, &err) < 0)
            fail_question(q, err.text);
    }
}

/* Exit status: docs/bank.md. */
static void on_ended(void *ctx, const struct program_end *end)
{
    struct question *q = ctx;
    struct server *s = q->s;
    bool told = end->begun && !end->timed_out && end->exit_status <= 1;
    json_t *answer =
        told && end->exit_status == 0 ? json_loads(end->said, 0, NULL) : NULL;

    q->ask.answered(q->ask.ctx,
        !told                   ? BANKQUESTION_FAILED
        : end->exit_status == 1 ? BANKQUESTION_REFUSED
                                : BANKQUESTION_ANSWERED,
        json_is_object(answer) ? answer : NULL, *end->said ? end->said : end->text);
    json_decref(answer);
    free_question(q);
    send_those_due(s);
}

static int check_room(const struct bankquestions *b, uid_t uid, struct err *err)
{
    if (count_of(b, uid).open >= OF_ONE)
        return err_set(err, ERR_CONFLICT,
            "%d questions of yours wait for the bank's answer already", OF_ONE);
    if (count_all(b).open >= OPEN_MOST)
        return err_set(err, ERR_CONFLICT, "the bank is asked by many just now");
    return 0;
}

int bankquestion_ask(
    struct server *s, json_t *body, const struct bankquestion *ask, struct err *err)
{
    struct bankquestions *b = s->bank.bankquestions;
    struct question *q = xcalloc(1, sizeof *q);
    int result = check_room(b, ask->uid, err);

    *q = (struct question){.s = s, .ask = *ask, .body = body, .since_us = now_us(s)};
    TAILQ_INSERT_TAIL(&b->open, q, next);
    if (result == 0 && find_next(b) == q)
        result = send_question(q, err);
    if (result == 0)
        return 0;
    ask->forget(ask->ctx);
    free_question(q);
    return -1;
}
