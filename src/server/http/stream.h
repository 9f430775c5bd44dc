/* SPDX-License-Identifier: Apache-2.0
 * Lists as answers: one record a line. A list is made in slices of some milliseconds,
 * in turns of the loop in which nothing else is to be done (and a few of them in a
 * second when it never is), so that readers cost submissions, orders and cycles next to
 * nothing; users take turns. It is made once for all who ask for the same in the same
 * state: a reader whose question came later than the last change never gets an older
 * state. An answer that names the state it is of (an ETag) is kept while readers come
 * back for it: they are told that they have it, or get the same once more.
 *
 * A list is whole before the first of it is sent: then its readers share it. */
#ifndef MAUI_SERVER_STREAM_H
#define MAUI_SERVER_STREAM_H

#include "base/strbuf.h"
#include "server/http/request.h"

struct server;

int stream_open(struct server *s, struct err *err);
void stream_close(struct server *s);
/* Are there lists that are not complete yet? */
bool stream_is_busy(const struct server *s); /* after http_close() */

/* How a list is made: `more` appends what takes a millisecond at most, and returns
 * false when that was the last. `done` frees ctx in any case. `failed` (NULL = it never
 * does) is asked after the last: why there is no list, or NULL. */
struct stream_source {
    bool (*more)(struct server *s, void *ctx, struct strbuf *out);
    void (*done)(void *ctx);
    void *ctx;
    const struct err *(*failed)(void *ctx);
    /* NULL: that of this second. Copied. Else `lacks` (NULL = nothing) is asked after
     * the last: is it less than was to be told, so that it is nobody else's? */
    const char *state;
    bool (*lacks)(void *ctx);
};

/* Answer with the list that is known by this key, if one is being made, or was, from
 * this state (NULL: of this second), or tell that the client has it. False: there is
 * none. */
bool stream_join(
    struct server *s, struct request *r, const char *key, const char *state);
/* Answer with this list. With a key (NULL = none) others may join. */
void stream_make(struct server *s, struct request *r, const char *key, const char *type,
    const struct stream_source *source);

/* How many lists were begun so far: what readers share is one. */
uint64_t stream_begun(const struct server *s);

/* The i-th record of a list as a new reference; NULL = it has gone, or is not for this
 * caller. */
typedef json_t *stream_record_fn(struct server *s, void *ctx, size_t i);

/* A line of JSON. Takes the reference. */
void stream_add(struct strbuf *out, json_t *record);

/* Answer with records 0..n-1. `done` frees ctx in any case. */
void stream_records(struct server *s, struct request *r, size_t n,
    stream_record_fn *record, void *ctx, void (*done)(void *ctx));

#endif
