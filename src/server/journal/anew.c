/* SPDX-License-Identifier: Apache-2.0
 * Another engine in the place of the old one. */
#include "server/journal/anew.h"

#include "server/durable/history.h"
#include "server/durable/statistics.h"
#include "server/durable/teller.h"
#include "server/durable/usage.h"
#include "server/events/watch.h"
#include "server/http/stream.h"
#include "server/journal/journal.h"
#include "server/managers/manager.h"
#include "server/server_private.h"
#include "server/whole.h"

/* How much longer than it is to be the journal grows while somebody is out of reach:
 * jobs of that one are not seen from then until it is back. */
#define FULL_FOR_ALL 2

static bool is_quiet(const struct server *s)
{
    bool waits_for_all =
        !clock_is_wrong(s->clock) && journal_fullness(s) < FULL_FOR_ALL;

    /* by a line that is wrong it never gets whole */
    return (managers_changed(s) || (whole_is(s) && whole_is_restored(s)))
           && commit_is_idle(s) && !stream_is_busy(s) && manager_idle(s, waits_for_all);
}

/* What is to be given to manager_open_again(). */
static struct rmleft *forget_engine(struct server *s)
{
    struct rmleft *left = manager_leave(s);

    watch_close(s);
    s->events.watch = NULL;
    world_close(s);
    engine_destroy(s->engine);
    return left;
}

void anew_look(struct server *s)
{
    struct err err = {0};

    if (whole_is(s) && whole_is_restored(s))
        journal_pictured(s);
    if (s->simulation
        || (journal_fullness(s) < 1 && !clock_is_wrong(s->clock)
            && !managers_changed(s))
        || !is_quiet(s))
        return;
    world_save(s);
    if (unsaved_commit(s->unsaved, &err) < 0)
        return; /* the next commit tells */
    log_line(s->log, LOG_ACTION, "%s: the engine begins anew",
        clock_is_wrong(s->clock) ? "the clock was set back"
        : managers_changed(s)    ? "RMCFG is another"
                                 : "the journal is full");
    if (clock_is_wrong(s->clock))
        clock_forget(s->clock);
    struct rmleft *left = forget_engine(s);
    whole_lost(s);
    world_open(s);
    s->engine = server_engine(s);
    watch_open(s);
    journal_begin(s);
    record_statistics_load(s);
    usage_recall_fairshare(s);
    history_recall(s);
    teller_recall(s);
    manager_open_again(s, left);
    commit_want(s);
    cycle_want(s);
}
