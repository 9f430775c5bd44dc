/* SPDX-License-Identifier: Apache-2.0
 * An order about jobs, or reservations, on its way through them (order.c): what
 * api/orders.c, api/verbs.c and api/reservations.c share.
 * Private to src/server. */
#ifndef MAUI_SERVER_ORDER_H
#define MAUI_SERVER_ORDER_H

#include "engine/engine.h"
#include "server/http/request.h"

struct server;

struct order {
    struct server *s;
    struct request *r;
    json_t *body;     /* the JobOrder, or ReservationOrder */
    json_t *where;    /* conditions on the jobs, or NULL */
    json_t *results;  /* of the Outcome */
    enum who who;     /* this level may for any job; owners for theirs if `owner` */
    bool owner;       /* and coordinators of their account */
    const void *what; /* for `act` */
    bool is_told; /* `act` gave limits, that RMs have to take: the reply waits for it */
    bool by_name; /* this job is named by its id, not chosen by a pattern */
    /* Do it for one job: 0 with a sentence in `done`, or -1. */
    int (*act)(
        struct order *o, const struct job *j, char *done, size_t size, struct err *err);
    /* Of reservations, instead of `act`; it looks at who may. */
    int (*act_named)(
        struct order *o, const char *name, char *done, size_t size, struct err *err);
    void (*slice_done)(
        struct server *s); /* after some, before they are durable; or NULL */
};

#define DONE_TEXT       300 /* size of `done` */
#define ORDER_NAMES_MAX 10000

/* A text of the body, or NULL. Borrowed. */
const char *order_text(const struct order *o, const char *key);

/* HOLD_* bits of "user", "system", "batch", "defer", "all"; 0 = none of them. */
unsigned order_hold_kinds(const char *word);

/* Apply EVENT_HOLD or EVENT_RELEASE_HOLD, of which `kinds`, `who` and `text` are filled
 * in, to the job; also at the resource manager. */
int order_holds(
    struct server *s, const struct job *j, struct event *ev, struct err *err);

/* Read the body, do it for each job it names, and answer when that is durable. Of many
 * jobs some are done at once and the rest in slices: `what` has to be constant. */
void order_carry_out(struct order *o);
/* The same for each reservation that it names; with `act_named`. */
void order_carry_out_named(struct order *o);

int order_open(struct server *s, struct err *err);
void order_close(struct server *s);

#endif
