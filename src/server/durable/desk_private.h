/* SPDX-License-Identifier: Apache-2.0
 * What desk.c and deskhand.c share. Private to them. */
#ifndef MAUI_SERVER_DESK_PRIVATE_H
#define MAUI_SERVER_DESK_PRIVATE_H

#include "server/durable/bankbody.h"
#include "server/durable/bankcall.h"
#include "server/durable/bankline.h"
#include "server/durable/bankplace.h"
#include "server/durable/bankrecord.h"
#include "server/durable/banktables.h"
#include "server/durable/desk.h"
#include "server/events/programs.h"
#include "server/server_private.h"

#include <sys/queue.h>

#define DESK_QUEUE "bankqueue"
#define DESK_ASIDE "bankrefused"
#define DESK_AGAIN "again" /* what is aside up to that number is to be told */

struct call;

struct desk {
    struct server *s;
    struct programs *programs;
    struct bankline *line;
    struct open_run *runs;
    struct aside *aside; /* by number */
    size_t nagain;       /* of them to be told again */
    TAILQ_HEAD(, call) calls;
    uint64_t number; /* the last that was given */
    sd_event_source *timer;
    struct bankplaces *places;
    bool moved; /* the bank is to be elsewhere, and something of it is open */
};

const struct bank_settings *desk_settings(const struct server *s);

/* To be told after what was told of that run before; takes the body. `r` (NULL: it is
 * over, or nobody saw it) says to which bank. */
void desk_add_message(
    struct desk *d, const struct open_run *r, const char *run, json_t *body);
void desk_free_aside(struct desk *d, struct aside *a);

/* ---- deskhand.c ---- */

/* What is aside, up to that one, is to be told again. How many. */
size_t desk_mark_asides(struct desk *d, uint64_t last);
/* Some of those, so that nobody waits for all of them. */
void desk_tell_some_asides(struct desk *d);
/* A message is no more: if it was a refund, nor is it known that it was asked for. With
 * `generated` of those alone whose id a command made up: nobody repeats it. */
void desk_forget_request(struct server *s, const json_t *body, bool generated);
/* Nobody repeats one of more than a year ago. */
int desk_drop_old_requests(struct server *s, struct err *err);

#endif
