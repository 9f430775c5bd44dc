/* SPDX-License-Identifier: Apache-2.0
 * A job ends, is cancelled, or could not be started after all. */
#include "config/settings.h"
#include "engine/engine_private.h"
#include "engine/events/events.h"
#include "engine/keeping.h"
#include "engine/occupancy.h"
#include "engine/planning/planning.h"
#include "engine/stop.h"

/* One that waits, as far as is known, may have run between two looks. */
static int end_it(struct engine *e, struct job *j, enum job_event how, struct err *err)
{
    if (job_has_begun((enum job_state)j->state)) {
        stop_job(e, j, how);
    } else {
        if (job_move(e->c, j, how, err) < 0)
            return -1;
        job_changes(e, j, CHANGE_OF_STATE);
    }
    decisions_ended(e, j);
    bool ended = refusals_end(e, j);
    if (refusals_make_room(e) || ended)
        refusals_changed(e);
    return 0;
}

/* What the resource manager says of the time it used, as a rate. */
static void note_measured(const struct engine *e, struct job *j, double cpu_s)
{
    int64_t run_s = e->now - j->start_at - j->suspended_s;

    if (cpu_s <= 0 || !job_has_begun((enum job_state)j->state) || run_s <= 0)
        return;
    j->util_known = true;
    j->util_procs = cpu_s / (double)run_s;
}

static struct job *find_ending(
    struct engine *e, const struct event *ev, struct err *err)
{
    const char *id = ev->u.end.id;
    uint32_t i = ev->u.end.job;
    struct job *j = id ? job_find(e->c, id) : i < e->c->jobs.n ? e->c->jobs.v[i] : NULL;

    if (j && j->state < JOB_COMPLETED)
        return j;
    if (id)
        err_set(err, ERR_NOT_FOUND, "job '%s' is not in the queue", id);
    else
        err_set(err, ERR_NOT_FOUND, "no job has index %u", i);
    return NULL;
}

int end_job(
    struct engine *e, const struct event *ev, struct event_result *ret, struct err *err)
{
    enum job_event how = ev->kind == EVENT_CANCEL ? EV_CANCEL : ev->u.end.how;
    struct job *j = ret->job = find_ending(e, ev, err);

    if (!j)
        return -1;
    note_measured(e, j, ev->u.end.cpu_s);
    if (ev->u.end.left_at > 0)
        charging_left(e, j, ev->u.end.left_at);
    if (ev->u.end.unbegun)
        charging_release(e, j);
    if (end_it(e, j, how, err) < 0)
        return -1;
    j->failed = ev->u.end.failed;
    return 0;
}

static void count_start(uint16_t *io_n)
{
    if (*io_n < UINT16_MAX)
        ++*io_n;
}

static bool is_of_the_bank(enum hold_reason why)
{
    return why == REASON_NOALLOCATION || why == REASON_BANKFAILURE;
}

int start_failed(
    struct engine *e, struct job *j, const struct event *ev, struct err *err)
{
    bool own = charging_awaits(e, j); /* asked before that start is none */

    if (!job_is_active(j))
        return err_set(err, ERR_CONFLICT, "job '%s' is not starting", j->id);
    charging_release(e, j);
    int64_t start_at = j->start_at;
    report_requeued(e, j);
    promise_take_back(e, j, start_at);
    if (is_of_the_bank(ev->u.failed.reason) && j->start_count > 0)
        j->start_count--; /* nobody tried to start it */
    if (ev->u.failed.reason == REASON_NOALLOCATION) {
        unfunded_refused(e, j, own, ev->u.failed.text);
        return 0;
    }
    if (ev->u.failed.limit && !(j->flags & JOB_NOQUEUE)) {
        refusals_add(e, j, ev->u.failed.text);
        refusals_changed(e);
        return 0;
    }
    if (!is_of_the_bank(ev->u.failed.reason))
        count_start(ev->u.failed.waits ? &j->put_off : &j->failed_starts);
    if (keeping_retry(e, j, ev->u.failed.again_s))
        return 0;
    if (ev->u.failed.again_s > 0) {
        pause_job(e, j, ev->u.failed.again_s, ev->u.failed.reason, ev->u.failed.text);
        return 0;
    }
    enum defer_result how =
        hold_start_failed(e->cfg, j, ev->u.failed.reason, ev->u.failed.text, e->now);
    if (how == DEFER_SKIPPED && j->failed_starts >= e->cfg->defer_start_count
        && !(j->holds & HOLD_BATCH)) {
        /* without deferrals too it is not tried in a circle */
        pause_job(
            e, j, e->cfg->rm_poll_interval_s, ev->u.failed.reason, ev->u.failed.text);
        return 0;
    }
    after_deferral(e, j, how, "the resource manager could not start it");
    return 0;
}
