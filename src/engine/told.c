/* SPDX-License-Identifier: Apache-2.0
 * See told.h. */
#include "engine/told.h"

#include "engine/engine_private.h"

struct row {
    int64_t told_at, saved_at;
};

struct told {
    struct indexes jobs;         /* that were told of */
    struct VEC(struct row) rows; /* by job */
};

struct told *told_create(void)
{
    return xcalloc(1, sizeof(struct told));
}

void told_destroy(struct told *t)
{
    if (!t)
        return;
    vec_fini(&t->jobs);
    vec_fini(&t->rows);
    free(t);
}

void told_forget(struct told *t, uint32_t job)
{
    if (job < t->rows.n)
        t->rows.v[job] = (struct row){0, 0};
}

void told_saved(struct told *t, uint32_t job, int64_t at)
{
    if (job < t->rows.n)
        t->rows.v[job].saved_at = at;
}

/* Jobs that were told of and have no reservation any more. */
static void report_gone(struct told *t, struct engine *e)
{
    for (size_t i = 0; i < t->jobs.n; i++) {
        struct row *row = &t->rows.v[t->jobs.v[i]];
        const struct job *j = e->c->jobs.v[t->jobs.v[i]];
        if (j && plan_reserved_at(e->plan, j) != 0)
            continue;
        if (j && j->state == JOB_IDLE && row->told_at != 0)
            decisions_add(e, ACTION_RELEASE, j, e->now, NULL);
        row->told_at = 0;
    }
    t->jobs.n = 0;
}

void told_report(struct told *t, struct engine *e)
{
    uint32_t n = plan_reservations(e->plan);

    while (t->rows.n < e->c->jobs.n)
        vec_push(&t->rows, ((struct row){0, 0}));
    report_gone(t, e);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t job = plan_reserved_job(e->plan, i);
        if (job == INDEX_NONE)
            continue;
        struct row *row = &t->rows.v[job];
        const struct job *j = e->c->jobs.v[job];
        int64_t at = plan_reserved_at(e->plan, j);
        if (row->told_at != at && job_waits(j)) /* not the rest of a suspended one */
            decisions_add(e, ACTION_RESERVE, j, at, NULL);
        if (row->saved_at != at)
            decisions_changed(e, job);
        *row = (struct row){at, at};
        vec_push(&t->jobs, job);
    }
}
