/* SPDX-License-Identifier: Apache-2.0
 * Another engine in the place of the old one. */
#include "server/journal/anew.h"

#include "server/durable/statistics.h"
#include "server/durable/usage.h"
#include "server/events/watch.h"
#include "server/journal/journal.h"
#include "server/managers/manager.h"
#include "server/server_private.h"
#include "server/whole.h"

static bool is_quiet(const struct server *s)
{
    return s->whole && !s->commit_failing && s->reservations_restored && !s->streams
           && !s->kept.n && manager_idle(s);
}

static void forget(struct server *s)
{
    manager_close(s);
    watch_close(s);
    s->watch = NULL;
    world_close(s);
    engine_destroy(s->engine);
    s->reservations_restored = false;
    s->usage_epoch = 0;
    s->usage_at = 0;
}

void anew_look(struct server *s)
{
    struct err err = {0};

    if (s->simulation || (journal_fullness(s) < 1 && !s->clock_wrong) || !is_quiet(s))
        return;
    world_save(s);
    if (unsaved_commit(s->unsaved, &err) < 0)
        return; /* the next commit tells */
    log_line(s->log, LOG_ACTION, "%s: the engine begins anew",
        s->clock_wrong ? "the clock was set back" : "the journal is full");
    if (s->clock_wrong)
        s->clock = 0;
    forget(s);
    whole_lost(s);
    s->engine = server_engine(s);
    watch_open(s);
    journal_begin(s);
    record_statistics_load(s);
    usage_recall_fairshare(s);
    if (manager_open(s, &err) < 0) {
        log_line(s->log, LOG_ALERT, "%s", err.text);
        sd_event_exit(s->loop, 1);
    }
    commit_want(s);
    cycle_want(s);
}
