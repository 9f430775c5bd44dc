/* SPDX-License-Identifier: Apache-2.0
 * Questions to a server of the WIKI protocol, a connection each, several at a time.
 *
 *     talk_ask ---> connect ---> frame out ---> frame in ---> ended()
 *                      \ no           \ deadline, end, rubbish
 *                       TALK_UNSENT    TALK_UNANSWERED
 *
 * Nothing blocks but the look-up of the host's name, which is made when its addresses
 * are not known or none of them answers. */
#ifndef MAUI_RM_WIKI_TALK_H
#define MAUI_RM_WIKI_TALK_H

#include "rm/wiki/reply.h"
#include "rm/wiki/seal.h"

#include <systemd/sd-event.h>

enum talk_end {
    TALK_ANSWERED,
    TALK_UNSENT,    /* it never got there: nothing can come of it */
    TALK_UNANSWERED /* it was sent, or a part of it: it may come about, now or later */
};

/* What came of it. All is borrowed for the call. */
struct talk_answer {
    enum talk_end how;
    bool away;               /* the server is out of reach, as far as can be told */
    struct wiki_reply reply; /* TALK_ANSWERED */
    const char *why;         /* else: one sentence */
};

struct talks;

struct talks_spec {
    const char *host, *port; /* copied */
    struct seal seal;        /* its key is copied */
    int64_t timeout_ms;      /* from the begin of the connection to the whole answer */
    unsigned at_once;        /* others wait for their turn, in order */
};

struct talks *talks_new(sd_event *loop, const struct talks_spec *spec);
/* Nobody is told any more. */
void talks_destroy(struct talks *t);

/* The message is copied. `ended` is called from the loop, never at once. */
void talk_ask(struct talks *t, const char *message,
    void (*ended)(void *ctx, const struct talk_answer *a), void *ctx);

#endif
