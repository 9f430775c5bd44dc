/* SPDX-License-Identifier: Apache-2.0
 * HTTP on a unix socket, and on TCP when asked: libmicrohttpd inside the event loop.
 * http.c and request.c are the only files that know the library. */
#ifndef MAUI_SERVER_HTTP_H
#define MAUI_SERVER_HTTP_H

#include "server/http/request.h"

#include <systemd/sd-event.h>

struct http;

struct http_options {
    const char *socket_path; /* unix; required. Removed by http_close() */
    const char *host;        /* TCP address to bind, NULL = no TCP */
    uint16_t port;
    unsigned connections_max; /* silent ones give way to new ones; 0 = 2000 */
    size_t body_max;          /* bytes, larger ones get 413; 0 = 16 MB */
    int64_t priority;         /* in the event loop, of all that comes and goes */
    unsigned idle_s;          /* for a whole request, or it is closed; 0 = 30 */
    /* Who calls on TCP, by the Authorization header: fills *ret and tells the request
     * that it was made for ("POST /v1/jobs\n" and the body; the caller's to free), or
     * refuses. */
    int (*authenticate)(void *ctx, const char *authorization, char **ret_payload,
        size_t *ret_len, struct identity *ret, struct err *err);
    /* Each complete request; must reply, now or later. */
    void (*handle)(void *ctx, struct request *r);
    void *ctx;
};

/* -1 when a socket cannot be bound: another scheduler may answer there. */
int http_open(
    sd_event *loop, const struct http_options *opt, struct http **ret, struct err *err);
/* Requests that are kept are refused: who kept them must not reply any more. */
void http_close(struct http *h);

/* ---- the listener of the page, which comes and goes ---- */

struct http_page {
    const char *address; /* to listen at; NULL = 127.0.0.1 */
    const char *origin;  /* under which it is known besides, as https://name; or NULL */
    bool tls;            /* TLS 1.2 and up, with these */
    const char *cert, *key; /* texts in PEM; borrowed for the call */
    /* Who calls: fills *ret. 0, or the HTTP status to refuse with, and a sentence. */
    int (*admit)(void *ctx, struct request *r, struct identity *ret, struct err *err);
    /* As http_options.handle, which is not asked here. */
    void (*handle)(void *ctx, struct request *r);
    /* Does a live reply to that caller go on? */
    bool (*lives)(void *ctx, const struct identity *who);
    /* A reply goes out. */
    void (*answered)(void *ctx, struct request *r, int status);
    void *ctx;
};

/* Listen there; port 0 = the kernel's choice, told to *ret_port. `page` is copied,
 * its origin is borrowed until the listener is closed. */
int http_open_page(struct http *h, const struct http_page *page, uint16_t port,
    uint16_t *ret_port, struct err *err);
/* False: somebody is being served there, it stays open. */
bool http_close_page(struct http *h);

/* Live streams that wait are asked for more. */
void http_wake(struct http *h);

/* Requests under way, and served so far. */
unsigned http_open_requests(const struct http *h);
uint64_t http_requests(const struct http *h);

/* The caller's level, by the configuration in force. */
void request_set_level(
    struct request *r, const struct config *config, const struct rights *rights);

/* For request_param(): the piece of the path from `begin`, `len` bytes. Set by the
 * router. At most two. */
void request_set_param(
    struct request *r, const char *name, const char *begin, size_t len);

#endif
