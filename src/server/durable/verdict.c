/* SPDX-License-Identifier: Apache-2.0
 * The verdict on the state, as it comes. */
#define LOG_FACILITY FACILITY_CKPT
#include "server/durable/verdict.h"

#include "server/events/eventlog.h"
#include "server/server_private.h"

#include <errno.h>

static int end_damaged(struct server *s, const struct err *err)
{
    log_line(s->log, LOG_ALERT, "maui ends, as the state is damaged: %s", err->text);
    eventlog_add(s, STATEFAILURE, s->paths.state_path, true, NULL,
        "maui ends, as the state is damaged: %s", err->text);
    s->ended_by = *err;
    return sd_event_exit(s->loop, -EIO);
}

static int on_verdict(sd_event_source *source, int fd, uint32_t events, void *ctx)
{
    struct server *s = ctx;
    struct err err = {0};
    int found;

    (void)source;
    (void)fd;
    (void)events;
    verdict_close(s);
    found = store_checked(s->store, &err);
    if (found < 0)
        return end_damaged(s, &err);
    if (found > 0)
        log_line(s->log, LOG_ALERT,
            "the state counts as unchecked still, and the next start looks at it: %s",
            err.text);
    else
        log_line(s->log, LOG_ACTION, "the state is sound");
    return 0;
}

int verdict_open(struct server *s, struct err *err)
{
    int fd = store_checking_fd(s->store);

    if (fd < 0)
        return 0;
    log_line(s->log, LOG_ACTION,
        "checking the state after a crash, beside the scheduler's work");
    if (sd_event_add_io(s->loop, &s->kept.verdict, fd, EPOLLIN, on_verdict, s) < 0)
        return err_set(err, ERR_IO, "the event loop takes no more sources");
    return 0;
}

void verdict_close(struct server *s)
{
    s->kept.verdict = sd_event_source_disable_unref(s->kept.verdict);
}
