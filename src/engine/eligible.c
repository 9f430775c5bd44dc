/* SPDX-License-Identifier: Apache-2.0
 * A job is admitted to the queue of a cycle, or kept back with what follows from that:
 * its reason, its queue time, a deferral. admission.h says what it has to pass. */
#include "engine/eligible.h"

#include "config/settings.h"
#include "engine/dependency.h"
#include "engine/engine_private.h"
#include "engine/judge.h"
#include "engine/stop.h"
#include "policy/accrual.h"
#include "policy/reason.h"

#include <stdio.h>

void refuse(struct job *j, enum wait_code code, int64_t until)
{
    j->why = (struct reason){.code = (uint8_t)code,
        .kind = CRED_KINDS,
        .kind2 = CRED_KINDS,
        .asked = j->tasks,
        .until = until};
}

int64_t eligible_procs_per_task(const struct job *j)
{
    int64_t procs = j->reqs[0].def->per_task.v[RES_PROCS];

    return j->nreqs == 1 && procs > 0 ? procs : 1;
}

void eligible_in_procs(const struct job *j, struct reason *r)
{
    int64_t each = r->object < j->nreqs ? j->reqs[r->object].def->per_task.v[RES_PROCS]
                                        : eligible_procs_per_task(j);

    if (each <= 0 || r->res == LIMIT_NODE)
        each = 1;
    r->limit *= each;
    r->asked *= each;
}

/* Deferred for what stands in its reason: which limit, of whom, with its numbers. */
static void defer_for(
    struct engine *e, struct job *j, enum hold_reason why, const char *what)
{
    struct reason shown = j->why;
    char text[240];
    int n = snprintf(text, sizeof text, "%s: ", what);

    if (shown.code == WAIT_TOO_LARGE)
        eligible_in_procs(j, &shown);
    reason_format(e->c, &shown, text + n, sizeof text - (size_t)n);
    put_off_job(e, j, why, text);
}

/* Could it ever run? Asked again only when the answer may change. */
static bool is_possible(struct engine *e, struct job *j)
{
    struct reason why;

    if (possible_found(e, j))
        return true;
    admission_narrow(e, j);
    const struct admission_check *check = admission_refusal(e, j, ADMIT_EVER, &why);
    if (j->impossible != (check != NULL))
        j->impossible = check != NULL;
    if (!check) {
        possible_note(e, j);
        return true;
    }
    possible_forget(e, j);
    j->why = why;
    defer_for(e, j, check->defers, check->text);
    return false;
}

/* Ends the deferral; defer_job() goes on with it if it has to be again. */
static void try_before_time(struct engine *e, struct job *j)
{
    struct job_extra *x = job_extra(j);

    x->deferred_in = world_stamp(e);
    x->deferral = (struct job_deferral){.until = j->defer_until,
        .hold_at = j->hold_at,
        .queue_at = j->queue_at,
        .eff_queue_s = j->eff_queue_s,
        .paused_at = j->paused_at,
        .accruing = j->accruing,
        .paused = j->paused};
    x->tried_at = e->now;
    j->defer_until = e->now;
}

/* Its deferral ends here, if that is due. */
static void end_deferral(struct engine *e, struct job *j)
{
    if (j->extra && j->extra->deferred_in == WORLD_BEFORE)
        j->extra->deferred_in = e->world.reordered ? 0 : world_stamp(e);
    if (world_invites(e, j))
        try_before_time(e, j);
    bool retry = j->hold_reason == REASON_RMFAILURE;

    if (!hold_defer_expired(e->cfg, j, e->now))
        return;
    if (!retry)
        wakeups_deferral_ended(e->wakeups, e->now);
    judge_job(e, j); /* what it asks for may not be allowed, as before or by now */
}

struct waiting waiting_of(const struct job *j)
{
    return (struct waiting){j->holds, j->limited, j->accruing, j->paused};
}

void waiting_changed(struct engine *e, const struct job *j, struct waiting before)
{
    struct waiting now = waiting_of(j);

    if (now.holds != before.holds || now.accruing != before.accruing
        || now.paused != before.paused || now.limited != before.limited)
        decisions_changed(e, j->index);
}

/* ---- kept back ---- */

/* One of its dependencies can never be met: what the site wants done, once. */
static void give_up(struct engine *e, struct job *j)
{
    char text[240];

    if (e->cfg->depend_failure == DEPEND_FAILURE_WAIT || j->extra->given_up)
        return;
    j->extra->given_up = true;
    reason_format(e->c, &j->why, text, sizeof text);
    hold_set(j, HOLD_BATCH, REASON_DEPENDENCY, text, e->now);
    if (e->cfg->depend_failure == DEPEND_FAILURE_CANCEL) {
        cancel_job(e, j, ENDED_DEPENDENCY, j->extra->hold_text);
        return;
    }
    decisions_add(e, ACTION_HOLD, j, e->now, j->extra->hold_text);
    e->cycle.left = true;
}

/* It waits for a dependency, as j->why says. */
static void follow_dependency(struct engine *e, struct job *j)
{
    uint32_t on;
    const struct dep *d = dependency_unmet(e->c, j, &on);

    if (d && dep_never(d->type))
        give_up(e, j);
    else if (d)
        e->cycle.look_again |= d->type == DEP_STARTED;
}

void eligible_follow(
    struct engine *e, struct job *j, const struct admission_check *check, int64_t until)
{
    switch (check->then) {
    case THEN_NOTHING:
        break;
    case THEN_WAKE_OR_CANCEL:
        if (j->flags & JOB_NOQUEUE)
            cancel_job(e, j, ENDED_NOQUEUE, NULL);
        else
            wake_at(e, until);
        break;
    case THEN_WAKE:
        wake_at(e, until);
        break;
    case THEN_DEFERRAL:
        deferral_goes_on(e, j);
        break;
    case THEN_DEPENDENCY:
        follow_dependency(e, j);
        break;
    }
}

/* It is not in the queue of this cycle: its reason, queue time and promises follow. */
static void keep_back(struct engine *e, struct job *j,
    const struct admission_check *check, const struct reason *why)
{
    j->why = *why;
    eligible_follow(e, j, check, why->until);
    j->limited = false;
    accrual_stop(&e->cfg->prio, j, check->stops, e->now);
    if (promises_has_any(e->promises, j))
        promises_void(e->promises, j);
}

static bool enqueue_job(struct engine *e, struct job *j)
{
    if (!is_possible(e, j))
        return false;
    if (!j->limited && (!j->accruing || j->paused))
        accrual_resume(&e->cfg->prio, j, e->now);
    if (!j->limited && j->why.code != WAIT_RESOURCES)
        refuse(j, WAIT_RESOURCES, 0);
    e->uses.noqueue |= (j->flags & JOB_NOQUEUE) != 0;
    return true;
}

bool eligible_admit(struct engine *e, struct job *j)
{
    struct waiting before = waiting_of(j);
    struct reason why;

    if (j->holds)
        end_deferral(e, j);
    const struct admission_check *check = admission_refusal(e, j, ADMIT_QUEUED, &why);
    if (check)
        keep_back(e, j, check, &why);
    bool admitted = !check && enqueue_job(e, j);
    waiting_changed(e, j, before);
    return admitted;
}

bool eligible_enqueue(struct engine *e, struct job *j)
{
    struct waiting before = waiting_of(j);
    bool admitted = enqueue_job(e, j);

    waiting_changed(e, j, before);
    return admitted;
}

struct candidate candidate_of(const struct engine *e, uint32_t job)
{
    const struct job *j = e->c->jobs.v[job];

    return (struct candidate){
        job, j->procs, job_least_limit(j), plan_access(e->plan, j)};
}
