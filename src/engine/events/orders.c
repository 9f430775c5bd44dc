/* SPDX-License-Identifier: Apache-2.0
 * Small things that administrators and owners ask for a job: a hold, priority, QOS, a
 * deadline, its place among the owner's other jobs. Source: reference commands,
 * section 3. */
#include "config/settings.h"
#include "engine/engine_private.h"
#include "engine/events/events.h"
#include "engine/judge.h"
#include "engine/occupancy.h"
#include "policy/access.h"
#include "policy/accrual.h"
#include "policy/bank.h"
#include "policy/priority.h"

/* ---- holds ---- */

int order_hold(struct engine *e, struct job *j, const struct event *ev, struct err *err)
{
    unsigned kinds = ev->u.hold.kinds;

    if (hold_allowed(e->c, j, kinds, &ev->u.hold.who, err) < 0)
        return -1;
    hold_set(j, kinds, ev->u.hold.reason, ev->u.hold.text, e->now);
    accrual_stop(&e->cfg->prio, j, ACCRUAL_HOLD, e->now);
    return 0;
}

/* An administrator who ends a deferral or batch hold lets the job pass, for good with
 * the fault it has now; for its owner it is no more allowed than before. */
int order_release(
    struct engine *e, struct job *j, const struct event *ev, struct err *err)
{
    const struct actor *who = &ev->u.hold.who;
    bool admin = hold_permitted(e->c, j, who) & HOLD_DEFER;
    unsigned kept_back = j->holds & (HOLD_DEFER | HOLD_BATCH);

    if (hold_release_by(e->c, j, ev->u.hold.kinds, who, e->now, err) < 0)
        return -1;
    if (!kept_back || j->holds & kept_back || job_has_begun((enum job_state)j->state))
        return 0;
    judge_released(e, j, admin);
    return 0;
}

/* ---- what is to become of it ---- */

int order_priority(
    struct engine *e, struct job *j, const struct event *ev, struct err *err)
{
    (void)e;
    return prio_set_system(j, ev->u.priority.relative, ev->u.priority.n, err);
}

int order_qos(struct engine *e, struct job *j, const struct event *ev, struct err *err)
{
    if (job_has_begun(j->state) && !ev->u.qos.admin
        && bank_qos_is_cheaper(e->c, j, ev->u.qos.qos))
        return err_set(err, ERR_DENIED,
            "job '%s' has begun: a QOS that costs less is for administrators to give",
            j->id);
    if (j->state == JOB_SUSPENDED)
        return access_set_qos(e->c, j, ev->u.qos.qos, ev->u.qos.admin, err);
    bool counted = job_change_begins(e, j, e->now);
    int result = access_set_qos(e->c, j, ev->u.qos.qos, ev->u.qos.admin, err);
    job_change_ends(e, j, counted);
    if (!counted && result == 0) {
        job_changes(e, j, CHANGE_OF_REQUEST);
        judge_job(e, j);
    }
    return result;
}

int order_deadline(
    struct engine *e, struct job *j, const struct event *ev, struct err *err)
{
    int64_t at = ev->u.deadline.at;

    if (at != 0 && (at < 0 || at >= TIME_NEVER))
        return err_set(err, ERR_INVALID,
            "job '%s': %lld is not an instant for a deadline, expected seconds since "
            "1970",
            j->id, (long long)at);
    if (at != 0 && at <= e->now)
        return err_set(
            err, ERR_INVALID, "job '%s': the deadline has passed already", j->id);
    if (at != 0 || j->extra)
        job_extra(j)->deadline_at = at;
    e->c->any_deadline |= at != 0;
    return 0;
}

#define USER_PRIORITY_MAX 100

int order_user_priority(
    struct engine *e, struct job *j, const struct event *ev, struct err *err)
{
    int64_t n = ev->u.user_priority.n;

    if (n < 0 || n > USER_PRIORITY_MAX)
        return err_set(err, ERR_INVALID,
            "user priority must be in the range 0 - %d, not %lld", USER_PRIORITY_MAX,
            (long long)n);
    if (j->admitted)
        return err_set(err, ERR_INVALID, "job '%s': " JOB_PRIORITY_ELSEWHERE, j->id);
    j->user_priority = n;
    job_note_priority(e->c, j);
    return 0;
}
