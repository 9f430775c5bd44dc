/* SPDX-License-Identifier: Apache-2.0
 * Who has to know that a job takes nodes, leaves them, or is other than before. */
#include "engine/occupancy.h"

#include "engine/charging/charging.h"
#include "engine/engine_private.h"
#include "engine/events/events.h"
#include "engine/preempt.h"
#include "policy/fairshare.h"
#include "policy/fsmemory.h"
#include "policy/priority.h"
#include "policy/rsvuse.h"

/* What is told with it. */
struct stay {
    int64_t from, until; /* on nodes */
    enum occupancy_by by;
    bool remembered, success;
};

/* ---- the plan ---- */

static void begin_plan(struct engine *e, struct job *j, const struct stay *s)
{
    if (s->by == OCCUPANCY_FORCED || s->by == OCCUPANCY_REPORTED)
        plan_unplanned(e->plan);
    plan_job_started(e->plan, j);
}

static void end_plan(struct engine *e, struct job *j, const struct stay *s)
{
    (void)s;
    plan_job_stopping(e->plan, j, e->now);
}

/* One that is suspended keeps its memory there. */
static void pass_plan(struct engine *e, struct job *j, const struct stay *s)
{
    (void)s;
    if (j->state == JOB_SUSPENDED)
        plan_unplanned(e->plan);
}

static void change_plan(struct engine *e, struct job *j, enum change_of what)
{
    if (what == CHANGE_OF_RULES)
        plan_job_queued(e->plan, j);
    if (what == CHANGE_OF_CLASS)
        plan_changed(e->plan);
}

/* ---- limits ---- */

static void begin_limits(struct engine *e, struct job *j, const struct stay *s)
{
    (void)s;
    limits_count_active(e->limits, e->c, j, +1, e->now);
}

static void end_limits(struct engine *e, struct job *j, const struct stay *s)
{
    (void)s;
    limits_count_active(e->limits, e->c, j, -1, e->now);
}

/* ---- use of reservations ---- */

static void begin_reservations(struct engine *e, struct job *j, const struct stay *s)
{
    (void)s;
    rsvuse_job(e->c, j, +1, e->now);
}

static void end_reservations(struct engine *e, struct job *j, const struct stay *s)
{
    (void)s;
    rsvuse_job(e->c, j, -1, e->now);
}

/* ---- fairshare ---- */

static void begin_fairshare(struct engine *e, struct job *j, const struct stay *s)
{
    (void)s;
    fs_job_start(e->c, j, e->now);
}

/* What was used before a new window belongs to the old ones. */
static void end_fairshare(struct engine *e, struct job *j, const struct stay *s)
{
    fs_roll(e->c, e->now);
    fs_job_stop(e->c, j, s->until);
}

static void pass_fairshare(struct engine *e, struct job *j, const struct stay *s)
{
    fs_roll(e->c, e->now);
    fs_job_start(e->c, j, e->now);
    if (s->remembered)
        fsmemory_adopt(e->c, j, j->start_at, s->until);
    fs_job_stop(e->c, j, e->now);
}

/* ---- statistics ---- */

static void begin_statistics(struct engine *e, struct job *j, const struct stay *s)
{
    statistics_started(e->learned.statistics, e->c, j, s->from, e->now);
}

static void end_statistics(struct engine *e, struct job *j, const struct stay *s)
{
    statistics_stopped(e->learned.statistics, e->c, j, s->until);
}

static void pass_statistics(struct engine *e, struct job *j, const struct stay *s)
{
    statistics_passed(e->learned.statistics, e->c, j, s->until, e->now);
}

static void complete_statistics(struct engine *e, struct job *j, const struct stay *s)
{
    if (j->cancelled)
        return; /* then it was counted */
    statistics_ended(e->learned.statistics, e->c, j, s->success, s->until);
}

/* Its limit, or whether it waits, may be another: the work that is queued. */
static void change_statistics(struct engine *e, struct job *j, enum change_of what)
{
    (void)what;
    statistics_queued(e->learned.statistics, j, e->now);
}

/* ---- what it costs ---- */

static void begin_charging(struct engine *e, struct job *j, const struct stay *s)
{
    charging_begin(e, j, s->by == OCCUPANCY_REPORTED || s->by == OCCUPANCY_RESUMED);
}

static void end_charging(struct engine *e, struct job *j, const struct stay *s)
{
    charging_end(e, j, s->until);
}

static void pass_charging(struct engine *e, struct job *j, const struct stay *s)
{
    charging_pass(e, j, s->until);
}

static void complete_charging(struct engine *e, struct job *j, const struct stay *s)
{
    charging_complete(e, j, s->success);
}

static void change_charging(struct engine *e, struct job *j, enum change_of what)
{
    if (what != CHANGE_OF_STATE || job_has_begun((enum job_state)j->state))
        return;
    if (j->state < JOB_COMPLETED)
        charging_waits(e, j);
    else
        charging_over(e, j);
}

/* ---- other reservations: those that go with the job ---- */

static void complete_calendar(struct engine *e, struct job *j, const struct stay *s)
{
    (void)s;
    calendar_job_ended(e, j);
}

/* ---- preemption: who has the right ---- */

static void change_preemption(struct engine *e, struct job *j, enum change_of what)
{
    if (what == CHANGE_OF_RULES || what == CHANGE_OF_CLASS)
        preempt_notice_job(e, j);
}

/* ---- where it was to start ---- */

static void change_promises(struct engine *e, struct job *j, enum change_of what)
{
    bool waits = job_waits(j);

    if (!job_has_begun((enum job_state)j->state)
        && (what == CHANGE_OF_REQUEST || (what == CHANGE_OF_STATE && !waits)))
        promises_void(e->promises, j);
}

/* ---- what is learned of it ---- */

static void begin_predictions(struct engine *e, struct job *j, const struct stay *s)
{
    if (s->by == OCCUPANCY_PLANNED)
        predictions_started(e, j);
    else
        predictions_forget(e, j);
}

static void complete_predictions(struct engine *e, struct job *j, const struct stay *s)
{
    if (j->cancelled)
        return; /* then it was learned from */
    predictions_ended(e, j, s->until);
}

static void change_predictions(struct engine *e, struct job *j, enum change_of what)
{
    if (what == CHANGE_OF_REQUEST || (what == CHANGE_OF_STATE && !job_waits(j)))
        predictions_forget(e, j);
}

/* ---- the queue: who is admitted, in which order ---- */

static void begin_queue(struct engine *e, struct job *j, const struct stay *s)
{
    queue_touch(e->queue, j);
    if (s->by == OCCUPANCY_REPORTED)
        queue_touch_order(e->queue);
    else if (s->by != OCCUPANCY_RESUMED)
        queue_started(e->queue, j);
}

static void change_queue(struct engine *e, struct job *j, enum change_of what)
{
    if (what == CHANGE_OF_CLASS)
        return; /* it asks for that itself, and goes on */
    if (what == CHANGE_OF_RULES)
        possible_forget(e, j);
    if (what == CHANGE_OF_STATE)
        queue_touch_order(e->queue);
    queue_touch(e->queue, j);
}

/* ---- all of them ---- */

typedef void stay_fn(struct engine *e, struct job *j, const struct stay *s);

static const struct observer {
    const char *name;
    stay_fn *begin, *end;
    stay_fn *pass;     /* a stay that nobody saw */
    stay_fn *complete; /* the job is */
    void (*change)(struct engine *e, struct job *j, enum change_of what);
} observers[] = {
    {"plan", begin_plan, end_plan, pass_plan, NULL, change_plan},
    {"limits", begin_limits, end_limits, NULL, NULL, NULL},
    {"reservations", begin_reservations, end_reservations, NULL, NULL, NULL},
    {"fairshare", begin_fairshare, end_fairshare, pass_fairshare, NULL, NULL},
    {"statistics", begin_statistics, end_statistics, pass_statistics,
        complete_statistics, change_statistics},
    {"charging", begin_charging, end_charging, pass_charging, complete_charging,
        change_charging},
    {"calendar", NULL, NULL, NULL, complete_calendar, NULL},
    {"preemption", NULL, NULL, NULL, NULL, change_preemption},
    {"promises", NULL, NULL, NULL, NULL, change_promises},
    {"predictions", begin_predictions, NULL, NULL, complete_predictions,
        change_predictions},
    {"queue", begin_queue, NULL, NULL, NULL, change_queue},
};

#define OBSERVERS (sizeof observers / sizeof observers[0])

void job_occupies(struct engine *e, struct job *j, int64_t from, enum occupancy_by by)
{
    const struct stay s = {.from = from, .by = by};

    for (size_t i = 0; i < OBSERVERS; i++)
        if (observers[i].begin)
            observers[i].begin(e, j, &s);
}

void job_vacates(struct engine *e, struct job *j, int64_t until)
{
    const struct stay s = {.until = until};

    for (size_t i = 0; i < OBSERVERS; i++)
        if (observers[i].end)
            observers[i].end(e, j, &s);
}

void job_occupied(struct engine *e, struct job *j, int64_t until, bool remembered)
{
    const struct stay s = {.until = until, .remembered = remembered};

    for (size_t i = 0; i < OBSERVERS; i++)
        if (observers[i].pass)
            observers[i].pass(e, j, &s);
}

void job_ended(struct engine *e, struct job *j, int64_t at, bool success)
{
    const struct stay s = {.until = at, .success = success};

    for (size_t i = 0; i < OBSERVERS; i++)
        if (observers[i].complete)
            observers[i].complete(e, j, &s);
}

void job_changes(struct engine *e, struct job *j, enum change_of what)
{
    for (size_t i = 0; i < OBSERVERS; i++)
        if (observers[i].change)
            observers[i].change(e, j, what);
}

bool job_change_begins(struct engine *e, struct job *j, int64_t until)
{
    bool counted = job_is_active(j);

    if (counted)
        job_vacates(e, j, until);
    return counted;
}

void job_change_ends(struct engine *e, struct job *j, bool counted)
{
    if (counted)
        job_occupies(e, j, e->now, OCCUPANCY_REPORTED);
}
