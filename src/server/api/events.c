/* SPDX-License-Identifier: Apache-2.0
 * Events as they happen, and figures. */
#include "server/api/api.h"
#include "server/api/readers.h"
#include "server/api/words.h"
#include "server/events/eventlog.h"
#include "server/events/metrics.h"
#include "server/server_private.h"

#define BLOCK 200  /* events a turn, */
#define LOOKS 5000 /* of so many that are looked at */

struct reader {
    struct server *s;
    int64_t next, told_at;
    int64_t end;    /* of the past: up to that number; 0 = there is no end yet */
    uint64_t names; /* 1 << enum event_name: only these */
    bool sse, follow, begun;
    struct reading reading; /* where it follows: else it ends by itself, and soon */
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

/* Was it one that is wanted? */
static bool tell_next(struct reader *r, struct strbuf *out)
{
    enum event_name what;
    const char *line = eventlog_line(r->s, r->next, &what);
    bool wanted = r->names >> what & 1;

    if (wanted && r->sse)
        strbuf_printf(out, "id: %lld\nevent: %s\ndata: %s\n\n", (long long)r->next,
            event_name_text(what), line);
    else if (wanted)
        strbuf_printf(out, "%s\n", line);
    r->next++;
    return wanted;
}

static int64_t end_of(const struct reader *r)
{
    return r->end ? r->end : eventlog_next(r->s);
}

static bool more(void *ctx, struct strbuf *out)
{
    struct reader *r = ctx;
    struct server *s = r->s;

    if (r->reading.over)
        return false;
    if (r->next < eventlog_first(s)) {
        say(r, out, r->begun ? "DROPPED" : "LOST",
            r->begun ? "you read too slowly: events were lost; ask again"
                     : "older events are not kept in memory");
        if (r->begun)
            return false;
        r->next = eventlog_first(s);
    }
    r->begun = true;
    for (int i = 0, told = 0; i < LOOKS && told < BLOCK && r->next < end_of(r); i++)
        told += tell_next(r, out);
    if (!r->follow)
        return r->next < end_of(r);
    if (!out->len && world_now(s) >= r->told_at + READERS_ALIVE_S)
        strbuf_add(out, r->sse ? ":\n\n" : "\n");
    if (out->len)
        r->told_at = world_now(s);
    return true;
}

static void done(void *ctx)
{
    struct reader *r = ctx;

    if (r->follow)
        readers_leave(r->s, &r->reading);
    free(r);
}

/* Where to begin: from=, else behind what an interrupted browser saw last, else so many
 * before now, last=, else now. */
static int begin_of(
    struct server *s, struct request *r, int64_t next, int64_t *ret, struct err *err)
{
    const char *seen = request_header(r, "Last-Event-ID");
    int64_t last;

    if (seen) {
        int64_t n = strtoll(seen, NULL, 10);
        next = n >= 0 && n < next ? n + 1 : 0; /* of another numbering: all there is */
    }
    if (request_query_int(r, "last", 0, &last, err) < 0)
        return -1;
    if (last > 0 && !seen)
        next = next - last > eventlog_first(s) ? next - last : eventlog_first(s);
    if (request_query_int(r, "from", next, ret, err) < 0)
        return -1;
    if (*ret > next || *ret < 0)
        return err_set(err, ERR_INVALID,
            "from: expected a number up to %lld, which the next event will have",
            (long long)next);
    return 0;
}

static const char *name_at(size_t i)
{
    return i < EVENT_NAMES ? event_name_text((enum event_name)i) : NULL;
}

/* names=NODEDOWN,NODEUP; without it all. */
static int read_names(struct request *r, uint64_t *ret, struct err *err)
{
    const char *text = request_query(r, "names");
    int found;

    *ret = text && *text ? 0 : UINT64_MAX;
    while ((found = words_next("names", name_at, &text, err)) >= 0)
        *ret |= UINT64_C(1) << found;
    return found == WORDS_END ? 0 : -1;
}

void api_events(struct server *s, struct request *r)
{
    const char *accept = request_header(r, "Accept");
    bool sse = accept && strstr(accept, "text/event-stream");
    int64_t next, follow, until, end;
    uint64_t names = 0;
    struct err err;

    if (api_until(s, r, &until) < 0)
        return;
    bool past = until < world_now(s);
    end = past ? eventlog_after(s, until) : eventlog_next(s);
    if (read_names(r, &names, &err) < 0 || begin_of(s, r, end, &next, &err) < 0
        || request_query_int(r, "follow", 1, &follow, &err) < 0) {
        request_refuse(r, &err);
        return;
    }
    struct reader *reader = xcalloc(1, sizeof *reader);
    *reader = (struct reader){.s = s,
        .next = next,
        .told_at = world_now(s),
        .names = names,
        .sse = sse,
        .end = past ? end : 0,
        .follow = follow != 0 && !past};
    if (reader->follow && readers_join(s, r, &reader->reading) < 0) {
        free(reader);
        return;
    }
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
