/* SPDX-License-Identifier: Apache-2.0
 * What people ask a bank that is a program of the site (TYPE=NATIVE): what an account
 * has, what a job would cost. Nothing follows from the answers, and nobody's start
 * waits for them: some calls of their own, a few at a time. Private to src/server. */
#ifndef MAUI_SERVER_BANKQUESTION_H
#define MAUI_SERVER_BANKQUESTION_H

#include "base/err.h"

#include <jansson.h>
#include <stdbool.h>
#include <sys/types.h>

struct server;

int bankquestions_open(struct server *s, struct err *err);
/* Who waits for an answer gets none. */
void bankquestions_close(struct server *s);

/* Is the bank such a program? */
bool bankquestion_is_possible(const struct server *s);

enum bankquestion_outcome {
    BANKQUESTION_ANSWERED,
    BANKQUESTION_REFUSED,
    BANKQUESTION_FAILED
};

/* `answer`: the object that its first line is, borrowed; NULL = it is none. `said`:
 * that line, or why there is none. */
typedef void bankquestion_fn(
    void *ctx, enum bankquestion_outcome how, const json_t *answer, const char *said);

/* Whose question it is. */
struct bankquestion {
    uid_t uid;
    bankquestion_fn *answered;
    void (*forget)(void *ctx);
    bool (*is_wanted)(void *ctx); /* false: nobody waits for the answer any more */
    void *ctx;
};

/* Ask; `answered` is called once, later. Takes the body, which has a verb. Questions of
 * one user go one after the other, and few of one user may be open, so that nobody
 * keeps others from asking; one whose turn does not come in TIMEOUT fails. -1 with a
 * sentence: nothing was asked, as too many wait for answers, and `forget` is called. It
 * also is, in place of `answered`, where the daemon ends before. */
int bankquestion_ask(
    struct server *s, json_t *body, const struct bankquestion *ask, struct err *err);

#endif
