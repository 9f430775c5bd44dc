/* SPDX-License-Identifier: Apache-2.0
 * EVENT_MODIFY: a job asks for something else now. What follows from it is made anew:
 * access, priority and plan of a waiting job, the end of an active one. */
#include "engine/engine_private.h"
#include "engine/events/events.h"
#include "engine/judge.h"
#include "engine/occupancy.h"
#include "engine/start.h"
#include "policy/holds.h"
#include "policy/priority.h"

static int check_active(
    const struct job *j, const struct job_change *ch, struct err *err)
{
    if (ch->what & ~(unsigned)CHANGES_OF_ACTIVE)
        return err_set(err, ERR_CONFLICT,
            "job '%s' is %s: only its wallclock limit, QOS, priority, deadline, "
            "comment and mail can be changed",
            j->id, job_state_name((enum job_state)j->state));
    return 0;
}

/* Another limit in force, as access and a start would make it. */
static void retime(struct engine *e, struct job *j)
{
    if (j->saved_s > 0 && j->wclimit_s < DURATION_UNLIMITED)
        j->wclimit_s = j->wclimit_s > j->saved_s ? j->wclimit_s - j->saved_s : 1;
    j->eff_wclimit_s = effective_limit(e, j);
    j->end_at = time_add(time_add(j->start_at, j->eff_wclimit_s), j->suspended_s);
}

static void change_active(struct engine *e, struct job *j, const struct job_change *ch)
{
    bool limit = ch->what & CHANGE_WCLIMIT;
    bool counted = limit && job_change_begins(e, j, e->now);

    job_change_apply(e->c, j, ch);
    if (limit)
        retime(e, j);
    job_change_ends(e, j, counted);
}

void modify_start(struct engine *e, struct job *j, int64_t start_at)
{
    /* what a clock leapt over nobody has used */
    int64_t leapt = start_at > j->start_at ? start_at - j->start_at : 0;

    bool counted = job_change_begins(e, j, e->now - leapt);
    j->start_at = start_at;
    j->end_at = time_add(time_add(start_at, j->eff_wclimit_s), j->suspended_s);
    job_change_ends(e, j, counted);
}

int modify_job(struct engine *e, struct job *j, const struct event *ev, struct err *err)
{
    const struct job_change *ch = &ev->u.modify.change;
    bool active = job_has_begun((enum job_state)j->state);

    if (job_change_check(e->c, j, ch, err) < 0
        || (active && check_active(j, ch, err) < 0))
        return -1;
    if (!(ch->what & ~(unsigned)CHANGES_OF_NOTHING)) {
        job_change_apply(e->c, j, ch);
        return 0;
    }
    if (active) {
        change_active(e, j, ch);
        return 0;
    }
    int64_t submit_at = j->submit_at;
    job_change_apply(e->c, j, ch);
    job_changes(e, j, CHANGE_OF_REQUEST);
    if (j->submit_at != submit_at)
        queue_touch_order(e->queue);
    admission_notice(e, j);
    j->limited = false;
    if (j->holds & HOLD_DEFER) /* what kept it from running may be over with that */
        hold_release(j, HOLD_DEFER, e->now);
    judge_job(e, j);
    return 0;
}
