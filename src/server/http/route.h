/* SPDX-License-Identifier: Apache-2.0
 * From a request to its handler, by one table that is held against openapi.json. */
#ifndef MAUI_SERVER_ROUTE_H
#define MAUI_SERVER_ROUTE_H

#include "server/http/request.h"

struct server;

/* What of an operation there is of the past: nothing; it is asked of a helper, which is
 * the daemon of then (travel/); or it ends there by itself (api_until()). */
enum route_past { PAST_NONE, PAST_ASKED, PAST_KEPT };

struct route {
    const char *method;
    const char *path;    /* with {names} for parts */
    const char *command; /* the classic command, as refusals name it */
    enum who who;        /* at least this; ownership is the handler's business */
    void (*handle)(struct server *s, struct request *r);
    enum route_past past;
};

/* The route of a request, its {names} set as parameters; NULL after having refused. */
const struct route *route_find(const struct route *routes, size_t n, struct request *r);

#endif
