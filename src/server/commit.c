/* SPDX-License-Identifier: Apache-2.0
 * Decide, record, commit, then act and reply.
 *
 * The commit is a deferred source of low priority: it runs when every request and
 * report that was ready has been handled, and covers all of them. What follows from a
 * change - the reply, the order to the resource manager - waits for it. When a commit
 * fails nothing of that happens: the changes are kept and tried again, waiting
 * users are told, and the scheduler makes no starts it could forget. */
#define LOG_FACILITY FACILITY_CKPT
#include "server/durable/desk.h"
#include "server/events/eventlog.h"
#include "server/events/feed.h"
#include "server/events/mail.h"
#include "server/events/metrics.h"
#include "server/events/notify.h"
#include "server/events/stalls.h"
#include "server/events/statfile.h"
#include "server/events/triggers.h"
#include "server/journal/anew.h"
#include "server/managers/manager.h"
#include "server/server_private.h"

#include <time.h>

#define RETRY_US (5 * UINT64_C(1000000))
/* Jobs and lines of the journal that one commit writes in some milliseconds. */
#define FEW 200

/* A reply that waits for the commit. */
struct kept_reply {
    struct request *request;
    json_t *body;
};

struct commit {
    sd_event_source *now, *retry;
    struct VEC(struct kept_reply) kept;
    bool failing;
    char why[400]; /* while it fails */
};

static void reply_all(struct server *s)
{
    for (size_t i = 0; i < s->commit->kept.n; i++)
        request_reply_json(s->commit->kept.v[i].request, s->commit->kept.v[i].body);
    s->commit->kept.n = 0;
}

static void refuse_all(struct server *s, const struct err *err)
{
    struct strbuf text = {0};

    strbuf_printf(&text,
        "the change could not be written to the disk yet and will be tried again: %s",
        err->text);
    for (size_t i = 0; i < s->commit->kept.n; i++) {
        json_decref(s->commit->kept.v[i].body);
        request_refuse_as(
            s->commit->kept.v[i].request, 503, "unavailable", NULL, text.text);
    }
    s->commit->kept.n = 0;
    free(strbuf_take(&text));
}

static int commit(struct server *s, struct err *err)
{
    struct timespec begin, end;

    world_save(s);
    clock_gettime(CLOCK_MONOTONIC, &begin);
    int result = unsaved_commit(s->unsaved, err);
    clock_gettime(CLOCK_MONOTONIC, &end);
    histogram_add(
        &s->events.metrics->commit, (double)(end.tv_sec - begin.tv_sec)
                                        + (double)(end.tv_nsec - begin.tv_nsec) / 1e9);
    return result;
}

void commit_failed(struct server *s, const struct err *err)
{
    if (!s->commit->failing) {
        log_line(s->log, LOG_ALERT,
            "the state cannot be written, nothing is started: %s", err->text);
        eventlog_add(s, STATEFAILURE, s->paths.state_path, true, NULL,
            "the state cannot be written, nothing is started: %s", err->text);
    }
    s->commit->failing = true;
    snprintf(s->commit->why, sizeof s->commit->why, "%s", err->text);
    refuse_all(s, err);
    sd_event_source_set_time_relative(s->commit->retry, RETRY_US);
    sd_event_source_set_enabled(s->commit->retry, SD_EVENT_ONESHOT);
}

static int on_commit(sd_event_source *source, void *ctx)
{
    struct server *s = ctx;
    struct err err = {0};

    stalls_doing(s, "commit");
    sd_event_source_set_priority(source, PRIORITY_COMMIT);
    if (commit(s, &err) == 0) {
        if (s->commit->failing) {
            log_line(s->log, LOG_ALERT, "the state can be written again");
            eventlog_add(s, STATERECOVERED, s->paths.state_path, true, NULL,
                "the state can be written again");
        }
        s->commit->failing = false;
        desk_committed(
            s); /* what is answered at once changes things after this commit */
        manager_send(s, true);
        desk_send(s);
        manager_settle(s);
        reply_all(s);
        anew_look(s);
        eventlog_committed(s);
        feed_committed(s);
        notify_committed(s);
        mail_committed(s);
        statfile_committed(s);
        triggers_committed(s);
        return 0;
    }
    commit_failed(s, &err);
    return 0;
}

static int on_retry(sd_event_source *source, uint64_t at, void *ctx)
{
    (void)source;
    (void)at;
    commit_want(ctx);
    return 0;
}

int commit_open(struct server *s, struct err *err)
{
    s->commit = xcalloc(1, sizeof *s->commit);
    if (sd_event_add_defer(s->loop, &s->commit->now, on_commit, s) < 0
        || sd_event_source_set_enabled(s->commit->now, SD_EVENT_OFF) < 0
        || sd_event_source_set_priority(s->commit->now, PRIORITY_COMMIT) < 0
        || sd_event_add_time_relative(
               s->loop, &s->commit->retry, CLOCK_MONOTONIC, 0, 0, on_retry, s)
               < 0
        || sd_event_source_set_enabled(s->commit->retry, SD_EVENT_OFF) < 0)
        return err_set(err, ERR_IO, "the event loop takes no more sources");
    return 0;
}

void commit_finish(struct server *s)
{
    if (s->commit && s->commit->now && s->unsaved)
        on_commit(s->commit->now, s);
}

void commit_close(struct server *s)
{
    if (!s->commit)
        return;
    for (size_t i = 0; i < s->commit->kept.n; i++)
        json_decref(s->commit->kept.v[i].body); /* their requests have been refused */
    sd_event_source_disable_unref(s->commit->now);
    sd_event_source_disable_unref(s->commit->retry);
    vec_fini(&s->commit->kept);
    free(s->commit);
    s->commit = NULL;
}

bool commit_is_failing(const struct server *s)
{
    return s->commit && s->commit->failing;
}

bool commit_is_idle(const struct server *s)
{
    return !s->commit->failing && !s->commit->kept.n;
}

int commit_possible(struct server *s, struct err *err)
{
    if (!s->commit->failing)
        return 0;
    return err_set(err, ERR_IO,
        "nothing new is taken while the state cannot be written: %s", s->commit->why);
}

void commit_want(struct server *s)
{
    if (!s->commit)
        return;
    sd_event_source_set_enabled(s->commit->now, SD_EVENT_ONESHOT);
    /* Who tells of thousands is not waited for: the more there is to write, the longer
     * nobody is answered. */
    if (world_unsaved(s) + unsaved_count(s->unsaved) >= FEW && !s->commit->failing)
        sd_event_source_set_priority(s->commit->now, PRIORITY_COMMIT_SOON);
}

void commit_then_reply(struct server *s, struct request *r, json_t *body)
{
    if (s->tries) {
        request_reply_json(r, body);
        return;
    }
    vec_push(&s->commit->kept, ((struct kept_reply){.request = r, .body = body}));
    commit_want(s);
}
