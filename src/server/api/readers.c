/* SPDX-License-Identifier: Apache-2.0
 * Who reads a stream that does not end. */
#include "server/api/readers.h"

#include "server/server_private.h"

/* Streams that go on. Besides, each session, and each user without one, has ENDING_MAX
 * at most whose end was not read yet. */
#define READERS_MAX 100
#define SESSION_MAX 3 /* of one session of the page: the newest */
#define USER_MAX    8 /* of a user without a session, who is no administrator */
#define ENDING_MAX  3 /* and such as have not read their end yet: more are cut off */

struct readers {
    unsigned n; /* that are not over */
    LIST_HEAD(reading_list, reading) all;
    sd_event_source *tick;
};

static int on_tick(sd_event_source *source, uint64_t at, void *ctx)
{
    struct server *s = ctx;

    (void)at;
    http_wake(s->api.http);
    sd_event_source_set_time_relative(source, READERS_ALIVE_S * UINT64_C(1000000));
    sd_event_source_set_enabled(
        source, s->api.readers->n ? SD_EVENT_ONESHOT : SD_EVENT_OFF);
    return 0;
}

static int open_list(struct server *s, struct err *err)
{
    if (s->api.readers)
        return 0;
    s->api.readers = xcalloc(1, sizeof *s->api.readers);
    LIST_INIT(&s->api.readers->all);
    if (sd_event_add_time_relative(
            s->loop, &s->api.readers->tick, CLOCK_MONOTONIC, 0, 0, on_tick, s)
        >= 0)
        return 0;
    free(s->api.readers);
    s->api.readers = NULL;
    return err_set(err, ERR_IO, "the event loop takes no more sources");
}

static bool is_of(const struct reading *r, const struct identity *who)
{
    return strcmp(r->session, who->session) == 0
           && (who->session[0] || r->uid == who->uid);
}

static void end_reading(struct server *s, struct reading *r)
{
    r->over = true;
    s->api.readers->n--;
    http_wake(s->api.http);
}

static void cut_off(struct reading *r)
{
    r->cut = true;
    request_cut(r->request);
}

/* Its oldest ends where a session, or a user, has as many as it may: a page that was
 * loaded again has left one behind. Who has gone, or reads nothing, does not hear of
 * that: of those some are left, and the oldest is cut off. */
static void make_room(struct server *s, const struct identity *who)
{
    struct reading *r, *oldest = NULL, *ended = NULL;
    unsigned n = 0, ending = 0;

    if (!who->session[0] && identity_is(who, WHO_ADMIN3))
        return;
    LIST_FOREACH(r, &s->api.readers->all, next)
    {
        if (r->cut || !is_of(r, who))
            continue;
        n += !r->over;
        ending += r->over;
        oldest = r->over ? oldest : r;
        ended = r->over ? r : ended;
    }
    if (n < (who->session[0] ? SESSION_MAX : USER_MAX))
        return;
    end_reading(s, oldest);
    if (ending >= ENDING_MAX)
        cut_off(ended);
}

int readers_join(struct server *s, struct request *r, struct reading *ret)
{
    struct err err;

    if (open_list(s, &err) < 0) {
        request_refuse(r, &err);
        return -1;
    }
    make_room(s, request_who(r));
    if (s->api.readers->n == READERS_MAX) {
        err_set(&err, ERR_IO, "%d others read streams already", READERS_MAX);
        request_refuse(r, &err);
        return -1;
    }
    s->api.readers->n++;
    ret->over = ret->cut = false;
    ret->request = r;
    ret->uid = request_who(r)->uid;
    snprintf(ret->session, sizeof ret->session, "%s", request_who(r)->session);
    LIST_INSERT_HEAD(&s->api.readers->all, ret, next);
    sd_event_source_set_time_relative(
        s->api.readers->tick, READERS_ALIVE_S * UINT64_C(1000000));
    sd_event_source_set_enabled(s->api.readers->tick, SD_EVENT_ONESHOT);
    return 0;
}

void readers_leave(struct server *s, struct reading *reading)
{
    s->api.readers->n -= !reading->over;
    LIST_REMOVE(reading, next);
}

void readers_close(struct server *s)
{
    if (!s->api.readers)
        return;
    sd_event_source_disable_unref(s->api.readers->tick);
    free(s->api.readers);
    s->api.readers = NULL;
}
