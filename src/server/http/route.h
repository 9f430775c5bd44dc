/* SPDX-License-Identifier: Apache-2.0
 * From a request to its handler, by one table that is held against openapi.json. */
#ifndef MAUI_SERVER_ROUTE_H
#define MAUI_SERVER_ROUTE_H

#include "server/http/request.h"

struct server;

struct route {
    const char *method;
    const char *path;    /* with {names} for parts */
    const char *command; /* the classic command, as refusals name it */
    enum who who;        /* at least this; ownership is the handler's business */
    void (*handle)(struct server *s, struct request *r);
};

/* The route of a request, its {names} set as parameters; NULL after having refused. */
const struct route *route_find(const struct route *routes, size_t n, struct request *r);

#endif
