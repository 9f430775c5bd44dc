/* SPDX-License-Identifier: Apache-2.0
 * Events as they happen, and figures. */
#include "server/api/api.h"
#include "server/events/eventlog.h"
#include "server/events/metrics.h"
#include "server/server_private.h"

#include <sys/queue.h>

#define READERS_MAX 100
#define SESSION_MAX 3   /* of one session of the page */
#define BLOCK       200 /* events a turn */
#define ALIVE_S     15  /* a sign of life, so that clients that left are noticed */

struct readers {
    unsigned n;
    LIST_HEAD(reader_list, reader) all;
    sd_event_source *tick;
};

struct reader {
    struct server *s;
    int64_t next, told_at;
    bool sse, follow, begun;
    char session[sizeof((struct identity *)NULL)->session];
    LIST_ENTRY(reader) next_reader;
};

/* Something about the stream itself: no event, so it has no number. */
static void say(
    struct reader *r, struct strbuf *out, const char *word, const char *text)
{
    if (r->sse)
        strbuf_printf(out, "event: %s\ndata: ", word);
    strbuf_printf(out, "{\"event\":\"%s\",\"text\":\"%s\",\"next\":%lld}\n%s", word,
        text, (long long)eventlog_first(r->s), r->sse ? "\n" : "");
}

static void tell(struct reader *r, struct strbuf *out)
{
    enum event_name what;
    const char *line = eventlog_line(r->s, r->next, &what);

    if (r->sse)
        strbuf_printf(out, "id: %lld\nevent: %s\ndata: %s\n\n", (long long)r->next,
            event_name_text(what), line);
    else
        strbuf_printf(out, "%s\n", line);
    r->next++;
}

static bool more(void *ctx, struct strbuf *out)
{
    struct reader *r = ctx;
    struct server *s = r->s;

    if (r->next < eventlog_first(s)) {
        say(r, out, r->begun ? "DROPPED" : "LOST",
            r->begun ? "you read too slowly: events were lost; ask again"
                     : "older events are not kept in memory");
        if (r->begun)
            return false;
        r->next = eventlog_first(s);
    }
    r->begun = true;
    for (int i = 0; i < BLOCK && r->next < eventlog_next(s); i++)
        tell(r, out);
    if (!r->follow)
        return r->next < eventlog_next(s);
    if (!out->len && world_now(s) >= r->told_at + ALIVE_S)
        strbuf_add(out, r->sse ? ":\n\n" : "\n");
    if (out->len)
        r->told_at = world_now(s);
    return true;
}

static void done(void *ctx)
{
    struct reader *r = ctx;

    r->s->readers->n--;
    LIST_REMOVE(r, next_reader);
    free(r);
}

static int on_tick(sd_event_source *source, uint64_t at, void *ctx)
{
    struct server *s = ctx;

    (void)at;
    http_wake(s->http);
    sd_event_source_set_time_relative(source, ALIVE_S * UINT64_C(1000000));
    sd_event_source_set_enabled(
        source, s->readers->n ? SD_EVENT_ONESHOT : SD_EVENT_OFF);
    return 0;
}

/* Another reader; -1 when there are too many. */
static int admit(struct server *s, struct err *err)
{
    if (!s->readers) {
        s->readers = xcalloc(1, sizeof *s->readers);
        if (sd_event_add_time_relative(
                s->loop, &s->readers->tick, CLOCK_MONOTONIC, 0, 0, on_tick, s)
            < 0)
            return err_set(err, ERR_IO, "the event loop takes no more sources");
    }
    if (s->readers->n == READERS_MAX)
        return err_set(err, ERR_IO, "%d others read events already", READERS_MAX);
    s->readers->n++;
    sd_event_source_set_time_relative(s->readers->tick, ALIVE_S * UINT64_C(1000000));
    sd_event_source_set_enabled(s->readers->tick, SD_EVENT_ONESHOT);
    return 0;
}

void events_close(struct server *s)
{
    if (!s->readers)
        return;
    sd_event_source_disable_unref(s->readers->tick);
    free(s->readers);
    s->readers = NULL;
}

/* Has the session as many of them as it may? */
static bool reads_enough(const struct server *s, const struct identity *who)
{
    const struct reader *r;
    unsigned n = 0;

    if (!s->readers || !who->session[0])
        return false;
    LIST_FOREACH(r, &s->readers->all, next_reader)
    n += strcmp(r->session, who->session) == 0;
    return n >= SESSION_MAX;
}

/* Where to begin: from=, else behind what an interrupted browser saw last, else now. */
static int begin_of(struct server *s, struct request *r, int64_t *ret, struct err *err)
{
    const char *seen = request_header(r, "Last-Event-ID");
    int64_t next = eventlog_next(s);

    if (seen) {
        int64_t n = strtoll(seen, NULL, 10);
        next = n >= 0 && n < next ? n + 1 : 0; /* of another numbering: all there is */
    }
    if (request_query_int(r, "from", next, ret, err) < 0)
        return -1;
    if (*ret > eventlog_next(s) || *ret < 0)
        return err_set(err, ERR_INVALID,
            "from: expected a number up to %lld, which the next event will have",
            (long long)eventlog_next(s));
    return 0;
}

void api_events(struct server *s, struct request *r)
{
    const char *accept = request_header(r, "Accept");
    bool sse = accept && strstr(accept, "text/event-stream");
    int64_t next, follow;
    struct err err;

    if (reads_enough(s, request_who(r))) {
        request_refuse_as(
            r, 429, "busy", NULL, "this session reads three streams already");
        return;
    }
    if (begin_of(s, r, &next, &err) < 0
        || request_query_int(r, "follow", 1, &follow, &err) < 0 || admit(s, &err) < 0) {
        request_refuse(r, &err);
        return;
    }
    struct reader *reader = xcalloc(1, sizeof *reader);
    *reader = (struct reader){.s = s,
        .next = next,
        .told_at = world_now(s),
        .sse = sse,
        .follow = follow != 0};
    snprintf(reader->session, sizeof reader->session, "%s", request_who(r)->session);
    LIST_INSERT_HEAD(&s->readers->all, reader, next_reader);
    request_reply_stream(r, sse ? "text/event-stream" : "application/x-ndjson",
        &(struct request_stream){
            .more = more, .done = done, .ctx = reader, .live = reader->follow});
}

void api_metrics(struct server *s, struct request *r)
{
    struct strbuf page = {0};

    metrics_print(s, &page);
    request_reply_text(r, "text/plain; version=0.0.4; charset=utf-8", page.text);
    free(strbuf_take(&page));
}
