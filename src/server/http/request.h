/* SPDX-License-Identifier: Apache-2.0
 * One HTTP request, as the handlers see it, and its one reply.
 *
 * A handler either replies at once or keeps the request and replies later (after a
 * commit, or when a resource manager has answered); until then the client waits.
 * Everything is borrowed from the request and good until the reply. */
#ifndef MAUI_SERVER_REQUEST_H
#define MAUI_SERVER_REQUEST_H

#include "base/err.h"
#include "server/api/identity.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct request;

const char *request_method(const struct request *r);
const char *request_path(const struct request *r);
/* Path and query as they were sent. */
const char *request_target(const struct request *r);
const struct identity *request_who(const struct request *r);

/* Value of `name` in the query, "" when it stands without one, NULL when absent. */
const char *request_query(const struct request *r, const char *name);

/* All of the query, an object of texts: a new reference. Of what stands twice the first
 * counts, as in request_query(). NULL: it is not UTF-8. */
json_t *request_query_all(const struct request *r);

/* The part of the path that stands for {name} in the route, decoded. */
const char *request_param(const struct request *r, const char *name);

/* By which way it came. */
enum request_way { WAY_SOCKET, WAY_MUNGE, WAY_PAGE };
enum request_way request_way(const struct request *r);

/* The address of the client on TCP; "?" when that is not known. */
void request_peer(const struct request *r, char *ret, size_t size);

/* A header of the request, NULL when absent. */
const char *request_header(const struct request *r, const char *name);

/* Has the client closed its connection, so that nobody reads a reply? A system call. */
bool request_is_abandoned(const struct request *r);

/* Close its connection, however much of the reply is still to be read. Not of one that
 * was made. */
void request_cut(struct request *r);

/* A number of the query: `otherwise` when absent. -1 with a sentence when malformed. */
int request_query_int(const struct request *r, const char *name, int64_t otherwise,
    int64_t *ret, struct err *err);

const char *request_body(const struct request *r, size_t *ret_len);

/* The body as a JSON object, parsed at the first call; NULL with a sentence. */
json_t *request_json(struct request *r, struct err *err);

/* ---- replies: exactly one, then the request is gone ---- */

/* 200 with this JSON; takes the reference. */
void request_reply_json(struct request *r, json_t *body);
/* 200 with this text, which is copied. */
void request_reply_text(struct request *r, const char *type, const char *text);
/* Refuse, with the HTTP status that goes with the code, as components/Error. */
void request_refuse(struct request *r, const struct err *err);
void request_refuse_as(struct request *r, int status, const char *code,
    const char *field, const char *text);

/* 503: it cannot be done now, but in some seconds, which Retry-After tells. What is
 * waited for is a record; takes its reference. */
void request_refuse_for_now(
    struct request *r, unsigned seconds, const char *text, json_t *waiting_for);

#define REQUEST_STATE_MAX 128
/* 200 with this text, which stays where it is until `release` is called; of this state
 * (an ETag), or NULL. */
void request_reply_shared(struct request *r, const char *type, const char *state,
    const char *text, size_t len, void (*release)(void *ctx), void *ctx);
/* 304 where the client has what it asks for, of that very state (If-None-Match); false:
 * it has not, and waits for a reply. */
bool request_reply_known(struct request *r, const char *state);

/* Bytes with a status and headers of their own; `headers` end with one that has no
 * name. They are freed if `owned`, else they stay where they are. */
struct reply_header {
    const char *name, *value;
};
void request_reply_bytes(struct request *r, int status, void *bytes, size_t len,
    bool owned, const struct reply_header *headers);
/* The same with bytes that are the caller's: `fetched` is called once, as soon as they
 * are not needed any more, which may be when http_close() ends all. Not of one that was
 * made. */
void request_reply_lent(struct request *r, int status, void *bytes, size_t len,
    const struct reply_header *headers, void (*fetched)(void *ctx), void *ctx);

/* A long reply, made piece by piece while the client reads: `more` appends to the
 * buffer and returns false when that was the last. It is called on the loop, so it
 * should append some ten kilobytes, not megabytes. `done` frees ctx in any case. */
struct strbuf;
struct request_stream {
    bool (*more)(void *ctx, struct strbuf *out);
    void (*done)(void *ctx);
    void *ctx;
    bool live; /* when `more` appends nothing and goes on, the reply waits until
                  http_wake(); else it is asked again at once */
};
void request_reply_stream(
    struct request *r, const char *type, const struct request_stream *stream);

#endif
