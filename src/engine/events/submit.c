/* SPDX-License-Identifier: Apache-2.0
 * EVENT_SUBMIT: a job comes, with what is remembered of it after a restart; one that
 * runs already is taken over. */
#include "cluster/memory.h"
#include "engine/cycle.h"
#include "engine/decisions.h"
#include "engine/dependency.h"
#include "engine/eligible.h"
#include "engine/engine_private.h"
#include "engine/events/events.h"
#include "engine/judge.h"
#include "engine/keeping.h"
#include "engine/planning/planning.h"

/* An id may come back in the cycle in which it ended: run once more, or given again to
 * a stranger. Jobs that depend on it are freed or failed by that end, never bound to
 * what came. O(jobs that wait), where jobs depend on others. */
static void forget_namesake(struct engine *e, const char *id)
{
    struct job *j = id ? job_find(e->c, id) : NULL;

    if (!j || j->state < JOB_COMPLETED || !decisions_take_back_ended(e, j))
        return;
    if (e->uses.deps)
        dependency_settle_all(e);
    forget_job(e, j);
}

static bool any_ended(const struct engine *e)
{
    size_t n;

    decisions_of_ended(e, &n);
    return n > 0 && !decisions_keeps_ended(e);
}

/* What was known of it before a restart. */
static void recall_job(struct engine *e, struct job *j, const struct job_memory *m)
{
    job_recall(e->c, j, m);
    if ((j->holds & HOLD_DEFER) && !m->world_changed)
        job_extra(j)->deferred_in = WORLD_BEFORE;
}

/* That of a job which nobody heard of before; it keeps it. */
static void give_limit(struct engine *e, struct job *j)
{
    int64_t limit_s = predictions_limit(e, j);

    if (limit_s > 0)
        job_extra(j)->learned_wclimit_s = limit_s;
}

int submit_job(
    struct engine *e, const struct event *ev, struct event_result *ret, struct err *err)
{
    const struct job_desc *d = &ev->u.job;
    bool active = job_has_begun(d->state);
    struct job_desc waiting = *d;
    struct job *j;

    if (active)
        waiting.state = JOB_IDLE; /* until it is taken over */
    if (any_ended(e))
        forget_namesake(e, d->id);
    if (job_add(e->c, &waiting, e->now, &j, err) < 0)
        return -1;
    ret->job = j;
    promises_forget(e->promises, j); /* of whoever had its index */
    predictions_forget(e, j);
    if (j->submit_at < e->origin)
        e->origin = j->submit_at;
    admission_notice(e, j);
    if (d->memory)
        recall_job(e, j, d->memory);
    else if (!active)
        give_limit(e, j);
    if (j->limited)
        refuse(j, WAIT_LIMIT, 0);
    judge_job(e, j);
    if (active)
        report_take_over(e, j, d);
    else
        queue_arrived(e->queue, j);
    if (!job_is_active(j)) /* it is not over a soft limit any more */
        j->flags &= ~(uint32_t)JOB_SPVIOLATION;
    if (d->memory && (active || !j->holds))
        keeping_recall(e, j, d->memory);
    promise_recall(e, j, d->memory, !active);
    return 0;
}
