/* SPDX-License-Identifier: Apache-2.0
 * What http.c and request.c share. Private to them. */
#ifndef MAUI_SERVER_HTTP_PRIVATE_H
#define MAUI_SERVER_HTTP_PRIVATE_H

#include "base/strbuf.h"
#include "server/http/connections.h"
#include "server/http/http.h"

#include <microhttpd.h>
#include <sys/queue.h>

#define PARAMS_MAX 2

/* One listening socket with its share of the library. */
struct listener {
    struct http *http;
    struct MHD_Daemon *daemon;
    sd_event_source *io, *timer;
    bool local;
    bool closed; /* a connection, in this turn */
};

/* request.c: another turn at once. */
void http_look_soon(struct listener *l);

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
    unsigned again_s; /* the reply is to come again then; 0 = it is not */
    bool handling;    /* inside the handler's call */
    bool suspended;   /* the client waits for a later reply */
    bool dozing;      /* it waits for more of a live one */
    size_t told_len;  /* of its body; 0 = not told */
    int refused;      /* with this status, whatever the body is; 0 = it is not */
    const char *refused_code;
    char refused_text[256];
    char *promised; /* owned; what its credential was made for, NULL = it has none */
    size_t promised_len, promised_head; /* of that: method and target */
};

#endif
