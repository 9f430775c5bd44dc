/* SPDX-License-Identifier: Apache-2.0
 * What http.c and request.c share. Private to them. */
#ifndef MAUI_SERVER_HTTP_PRIVATE_H
#define MAUI_SERVER_HTTP_PRIVATE_H

#include "base/strbuf.h"
#include "server/http/browser.h"
#include "server/http/connections.h"
#include "server/http/http.h"

#include <microhttpd.h>
#include <sys/queue.h>

#define PARAMS_MAX    2
#define PAGE_BODY_MAX ((size_t)1024 * 1024)
/* The same of those who have no session: a login to exchange. */
#define PAGE_LOGIN_MAX ((size_t)4096)

/* By which way a request comes in. */
enum door { DOOR_LOCAL, DOOR_TCP, DOOR_PAGE, DOORS };

/* One listening socket with its share of the library. */
struct listener {
    struct http *http;
    struct MHD_Daemon *daemon;
    sd_event_source *io, *timer;
    enum door door;
    unsigned open; /* requests under way */
    bool closed;   /* a connection, in this turn */
};

/* http.c: begin at this descriptor, which is taken, and end. */
int http_listen(struct http *h, int fd, enum door door, struct err *err);
void http_stop_listening(struct listener *l);
/* What the head of a request says that a browser could have made. */
struct browser_head http_head(const struct request *r);

/* page.c: 0, or the status to refuse a request with. */
int page_examine(struct request *r, struct err *err);
/* What goes with each of its answers. */
void page_finish(struct request *r, int status, struct MHD_Response *response);
/* Is a live reply to be continued? That of another listener is. */
bool page_lives(const struct request *r);

/* made.c: what a request that came by no connection has, and how it is answered. Takes
 * the reference; bytes are copied. */
const char *made_query(const struct request *r, const char *name);
const char *made_header(const struct request *r, const char *name);
void made_reply_record(struct request *r, int status, json_t *body);
void made_reply_bytes(struct request *r, int status, const void *bytes, size_t n,
    const struct reply_header *headers);
void made_reply_stream(
    struct request *r, const char *type, const struct request_stream *stream);

/* request.c: with all that it owns but a response. */
void request_drop(struct request *r);
/* Another turn at once. */
void http_look_soon(struct listener *l);

struct http {
    struct http_options opt;
    sd_event *loop;
    char *socket_path;
    struct listener listeners[DOORS];
    struct http_page page;
    struct connections *connections;
    TAILQ_HEAD(request_list, request) kept; /* suspended until there is a reply */
    struct request_list dozing;             /* live replies that have nothing to say */
    unsigned open;
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
