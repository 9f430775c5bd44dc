/* SPDX-License-Identifier: Apache-2.0
 * What http.c and request.c share. Private to them. */
#ifndef MAUI_SERVER_HTTP_PRIVATE_H
#define MAUI_SERVER_HTTP_PRIVATE_H

#include "base/strbuf.h"
#include "server/connections.h"
#include "server/http.h"

#include <microhttpd.h>
#include <sys/queue.h>

#define PARAMS_MAX 2

/* One listening socket with its share of the library. */
struct listener {
    struct http *http;
    struct MHD_Daemon *daemon;
    sd_event_source *io, *timer;
    bool local;
};

struct http {
    struct http_options opt;
    sd_event *loop;
    char *socket_path;
    struct listener listeners[2];
    struct connections *connections;
    TAILQ_HEAD(request_list, request) kept; /* suspended until there is a reply */
    struct request_list dozing;             /* live replies that have nothing to say */
    unsigned nlisteners, open;
    uint64_t requests;
    bool closing;
};

struct param {
    char name[24];
    char *value; /* owned */
};

struct request {
    struct listener *listener;
    struct MHD_Connection *connection;
    struct connection *owner;
    TAILQ_ENTRY(request) next; /* while suspended */
    char *target;              /* owned: path and query, as sent */
    char *method, *path;       /* owned; NULL until the head is complete */
    struct strbuf body;
    json_t *json;
    struct identity who;
    struct param params[PARAMS_MAX];
    unsigned nparams;
    struct MHD_Response *response; /* the reply, until it is queued */
    int status;
    bool handling;  /* inside the handler's call */
    bool suspended; /* the client waits for a later reply */
    bool dozing;    /* it waits for more of a live one */
    bool too_large;
};

#endif
