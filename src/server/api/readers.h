/* SPDX-License-Identifier: Apache-2.0
 * Who reads a stream that does not end: events, changes. So many may, of a session of
 * the page the newest three; each is woken now and then for a sign of life, so that
 * clients that left are noticed. Private to src/server. */
#ifndef MAUI_SERVER_READERS_H
#define MAUI_SERVER_READERS_H

#include "server/api/identity.h"
#include "server/http/request.h"

#include <sys/queue.h>

struct server;

#define READERS_ALIVE_S 15

/* A part of whoever reads, who ends when it is over. */
struct reading {
    bool over; /* it is counted no more */
    bool cut;
    struct request *request;
    uid_t uid;
    char session[sizeof((struct identity *)NULL)->session];
    LIST_ENTRY(reading) next;
};

/* Another reader, of this request. -1: the request was refused. */
int readers_join(struct server *s, struct request *r, struct reading *ret);
void readers_leave(struct server *s, struct reading *reading);
/* After http_close(). */
void readers_close(struct server *s);

#endif
