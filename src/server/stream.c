/* SPDX-License-Identifier: Apache-2.0
 * Lists, a record a line. */
#include "server/stream.h"

#include "base/xalloc.h"
#include "server/server_private.h"

#include <stdlib.h>

/* A turn of the loop makes some tens of kilobytes. */
#define RECORDS_A_BLOCK 200

struct stream {
    struct server *s;
    size_t next, n;
    stream_record_fn *record;
    void *ctx;
    void (*done)(void *ctx);
};

static int add_bytes(const char *bytes, size_t len, void *out)
{
    strbuf_add_n(out, bytes, len);
    return 0;
}

static bool more(void *ctx, struct strbuf *out)
{
    struct stream *t = ctx;
    size_t end = t->n - t->next > RECORDS_A_BLOCK ? t->next + RECORDS_A_BLOCK : t->n;

    for (; t->next < end; t->next++) {
        json_t *o = t->record(t->s, t->ctx, t->next);
        if (!o)
            continue;
        json_dump_callback(o, add_bytes, out, JSON_COMPACT | JSON_PRESERVE_ORDER);
        strbuf_add(out, "\n");
        json_decref(o);
    }
    return t->next < t->n;
}

static void done(void *ctx)
{
    struct stream *t = ctx;

    t->s->streams--;
    if (t->done)
        t->done(t->ctx);
    free(t);
}

void stream_records(struct server *s, struct request *r, size_t n,
    stream_record_fn *record, void *ctx, void (*free_ctx)(void *ctx))
{
    struct stream *t = xcalloc(1, sizeof *t);

    *t =
        (struct stream){.s = s, .n = n, .record = record, .ctx = ctx, .done = free_ctx};
    s->streams++;
    request_reply_stream(r, "application/x-ndjson",
        &(struct request_stream){.more = more, .done = done, .ctx = t});
}
