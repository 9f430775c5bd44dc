/* SPDX-License-Identifier: Apache-2.0
 * Another engine in the place of the old one. */
#include "server/anew.h"

#include "server/api.h"
#include "server/journal.h"
#include "server/manager.h"
#include "server/record_statistics.h"
#include "server/server_private.h"
#include "server/usage.h"
#include "server/watch.h"

#define PATIENCE_S 5 /* of requests, with a resource manager that is silent */

static bool is_quiet(const struct server *s)
{
    return !s->anew && !s->commit_failing && s->reservations_restored && !s->streams
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
    s->anew = true;
    s->anew_at = world_now(s);
    forget(s);
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

bool anew_keep(struct server *s, struct request *r)
{
    if (s->anew)
        vec_push(&s->parked, r);
    return s->anew;
}

void anew_settle(struct server *s)
{
    if (!s->anew || (!manager_synced(s) && world_now(s) < s->anew_at + PATIENCE_S))
        return;
    s->anew = false;
    for (size_t i = 0; i < s->parked.n; i++)
        api_handle(s, s->parked.v[i]);
    s->parked.n = 0;
}

void anew_close(struct server *s)
{
    vec_fini(&s->parked);
}
