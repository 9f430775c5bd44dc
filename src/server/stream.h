/* SPDX-License-Identifier: Apache-2.0
 * Lists as answers: one JSON record a line, made while the client reads. */
#ifndef MAUI_SERVER_STREAM_H
#define MAUI_SERVER_STREAM_H

#include "base/strbuf.h"
#include "server/request.h"

struct server;

/* The i-th record of a list as a new reference; NULL = it has gone, or is not for this
 * caller. */
typedef json_t *stream_record_fn(struct server *s, void *ctx, size_t i);

/* Answer with records 0..n-1. `done` frees ctx in any case. */
void stream_records(struct server *s, struct request *r, size_t n,
    stream_record_fn *record, void *ctx, void (*done)(void *ctx));

#endif
