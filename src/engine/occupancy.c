/* SPDX-License-Identifier: Apache-2.0
 * Who has to know that a job takes nodes or leaves them. */
#include "engine/occupancy.h"

#include "engine/engine_private.h"
#include "policy/fairshare.h"
#include "policy/fsmemory.h"

/* ---- the plan ---- */

static void begin_plan(struct engine *e, struct job *j, int64_t from)
{
    (void)from;
    plan_job_started(e->plan, j);
}

static void end_plan(struct engine *e, struct job *j, int64_t until)
{
    (void)until;
    plan_job_stopping(e->plan, j, e->now);
}

/* ---- limits ---- */

static void begin_limits(struct engine *e, struct job *j, int64_t from)
{
    (void)from;
    limits_count_active(e->limits, e->c, j, +1, e->now);
}

static void end_limits(struct engine *e, struct job *j, int64_t until)
{
    (void)until;
    limits_count_active(e->limits, e->c, j, -1, e->now);
}

/* ---- use of reservations ---- */

static void begin_reservations(struct engine *e, struct job *j, int64_t from)
{
    (void)from;
    rsvuse_job(e->c, j, +1, e->now);
}

static void end_reservations(struct engine *e, struct job *j, int64_t until)
{
    (void)until;
    rsvuse_job(e->c, j, -1, e->now);
}

/* ---- fairshare ---- */

static void begin_fairshare(struct engine *e, struct job *j, int64_t from)
{
    (void)from;
    fs_job_start(e->c, j, e->now);
}

/* What was used before a new window belongs to the old ones. */
static void end_fairshare(struct engine *e, struct job *j, int64_t until)
{
    fs_roll(e->c, e->now);
    fs_job_stop(e->c, j, until);
}

/* ---- statistics ---- */

static void begin_statistics(struct engine *e, struct job *j, int64_t from)
{
    statistics_started(e->statistics, e->c, j, from, e->now);
}

static void end_statistics(struct engine *e, struct job *j, int64_t until)
{
    statistics_stopped(e->statistics, e->c, j, until);
}

/* ---- all of them ---- */

static const struct observer {
    const char *name;
    void (*begin)(struct engine *e, struct job *j, int64_t from);
    void (*end)(struct engine *e, struct job *j, int64_t until);
} observers[] = {{"plan", begin_plan, end_plan}, {"limits", begin_limits, end_limits},
    {"reservations", begin_reservations, end_reservations},
    {"fairshare", begin_fairshare, end_fairshare},
    {"statistics", begin_statistics, end_statistics}};

void job_occupies(struct engine *e, struct job *j, int64_t from, enum occupancy_by by)
{
    if (by == OCCUPANCY_UNPLANNED)
        plan_unplanned(e->plan);
    for (size_t i = 0; i < sizeof observers / sizeof observers[0]; i++)
        observers[i].begin(e, j, from);
}

void job_vacates(struct engine *e, struct job *j, int64_t until)
{
    for (size_t i = 0; i < sizeof observers / sizeof observers[0]; i++)
        observers[i].end(e, j, until);
}

void job_occupied(struct engine *e, struct job *j, int64_t until, bool remembered)
{
    fs_roll(e->c, e->now);
    fs_job_start(e->c, j, e->now);
    if (remembered)
        fsmemory_adopt(e->c, j, j->start_at, until);
    fs_job_stop(e->c, j, e->now);
    statistics_started(e->statistics, e->c, j, j->start_at, e->now);
    statistics_stopped(e->statistics, e->c, j, until);
}
