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

#define AT_ONCE  4
#define WAITING  60
#define GRACE_MS 200

struct question {
    TAILQ_ENTRY(question) next;
    struct bankquestions *all;
    bankquestion_fn *answered;
    void (*forget)(void *ctx);
    void *ctx;
};

struct bankquestions {
    struct programs *programs;
    TAILQ_HEAD(, question) open;
};

int bankquestions_open(struct server *s, struct err *err)
{
    struct bankquestions *b = s->bankquestions = xcalloc(1, sizeof *b);

    TAILQ_INIT(&b->open);
    b->programs = programs_open(s->loop,
        &(struct programs_options){.log = s->log,
            .directory = s->home,
            .at_once = AT_ONCE,
            .waiting_max = WAITING,
            .grace_ms = GRACE_MS},
        err);
    return b->programs ? 0 : -1;
}

static void free_question(struct question *q)
{
    TAILQ_REMOVE(&q->all->open, q, next);
    free(q);
}

void bankquestions_close(struct server *s)
{
    struct bankquestions *b = s->bankquestions;
    struct question *q;

    if (!b)
        return;
    if (b->programs)
        programs_close(b->programs);
    while ((q = TAILQ_FIRST(&b->open))) {
        q->forget(q->ctx);
        free_question(q);
    }
    free(b);
    s->bankquestions = NULL;
}

bool bankquestion_is_possible(const struct server *s)
{
    return s->bankquestions && desk_is_open(s)
           && s->config->settings->bank.type == BANK_NATIVE;
}

/* Exit status: docs/bank.md. */
static void on_ended(void *ctx, const struct program_end *end)
{
    struct question *q = ctx;
    bool told = end->begun && !end->timed_out && end->exit_status <= 1;
    json_t *answer =
        told && end->exit_status == 0 ? json_loads(end->said, 0, NULL) : NULL;

    q->answered(q->ctx,
        !told                   ? BANKQUESTION_FAILED
        : end->exit_status == 1 ? BANKQUESTION_REFUSED
                                : BANKQUESTION_ANSWERED,
        json_is_object(answer) ? answer : NULL, *end->said ? end->said : end->text);
    json_decref(answer);
    free_question(q);
}

int bankquestion_ask(struct server *s, json_t *body, bankquestion_fn *answered,
    void (*forget)(void *ctx), void *ctx, struct err *err)
{
    struct bankquestions *b = s->bankquestions;
    struct question *q = xcalloc(1, sizeof *q);
    int result;

    *q =
        (struct question){.all = b, .answered = answered, .forget = forget, .ctx = ctx};
    TAILQ_INSERT_TAIL(&b->open, q, next);
    result = bankcall_run(s, b->programs, body, on_ended, q, err);
    json_decref(body);
    if (result == 0)
        return 0;
    forget(ctx);
    free_question(q);
    return -1;
}
