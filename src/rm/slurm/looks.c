/* SPDX-License-Identifier: Apache-2.0
 * Looks at jobs, at all or at one. A record of Slurm is one job, or all tasks of an
 * array that still wait, or one component of a heterogeneous job. */
#include "rm/slurm/looks.h"

#include "base/xalloc.h"
#include "rm/slurm/job.h"
#include "rm/slurm/jobs.h"
#include "rm/slurm/marking.h"

#include <stdio.h>

#define WHOLE_MS 5000
#define ENDED_MS 1000 /* since an end, in which a dependency may be fulfilled by it */
#define KEEP_MS  1000 /* of a look: the heartbeat is written between looks */
#define MARKING_MS                                                                     \
    200 /* of one look, for marks that the gate has left; the rest later */

/* ---- records ---- */

/* A heterogeneous job: at its leader's record all its components, if they are there. */
static void see_components(struct adapter *a, const struct tallies *all_records,
    const slurm_job_info_t *leader)
{
    struct parts parts;
    char id[40];

    if (leader->het_job_offset != 0)
        return;
    tallies_components(all_records, leader, &parts);
    for (uint32_t i = 0; i < parts.n; i++)
        if (parts.v[i] == NULL)
            return; /* being submitted, or being forgotten */
    for (uint32_t i = 0; i < parts.n; i++) {
        snprintf(id, sizeof id, "%u+%u", leader->het_job_id, i);
        keep_holder(a, id, parts.v[i]);
    }
    snprintf(id, sizeof id, "%u", leader->het_job_id);
    jobs_see(a, id, &parts, false, false);
}

/* A task with a record of its own. */
static void see_task(
    struct adapter *a, struct tallies *all_records, const slurm_job_info_t *j)
{
    struct told_job *t;
    char id[40];

    snprintf(id, sizeof id, "%u_%u", j->array_job_id, j->array_task_id);
    jobs_see(a, id, &(struct parts){{j}, 1}, jobs_is_limited(a, all_records, j), false);
    t = jobs_find(a, id);
    if (t != NULL)
        arrays_leave(a, t);
}

static void see_record(
    struct adapter *a, struct tallies *all_records, const slurm_job_info_t *j)
{
    char id[40];

    if ((j->job_state & JOB_STATE_BASE) == SLURM_JOB_RUNNING
        && gres_learn(a, j->gres_total)) {
        a->nodes_at = 0;
        adapter_look(a);
    }
    if (j->array_task_str && *j->array_task_str && j->array_task_id == NO_VAL) {
        arrays_see(a, all_records, j);
        return;
    }
    if (j->het_job_id != 0) {
        see_components(a, all_records, j);
        return;
    }
    snprintf(id, sizeof id, "%u", j->job_id);
    keep_holder(a, id, j);
    if (j->array_job_id != 0 && j->array_task_id != NO_VAL)
        see_task(a, all_records, j);
    else
        jobs_see(a, id, &(struct parts){{j}, 1}, false, false);
}

/* ---- all ---- */

static void tell_gone(struct adapter *a)
{
    struct told_job *t, *next;

    HASH_ITER(hh, a->jobs, t, next)
    {
        struct rm_report r = {.kind = RM_JOB_GONE, .u.name = t->id};

        if (t->round == a->round)
            continue;
        if (!t->over)
            adapter_report(a, &r);
        jobs_drop(a, t);
    }
}

static int compare_numbers(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;

    return *x < *y ? -1 : *x > *y;
}

/* Slurm lists jobs as they came, so that there is mostly nothing to do. */
static void sort_numbers(uint32_t *v, size_t n)
{
    for (size_t i = 1; i < n; i++)
        if (v[i - 1] > v[i]) {
            qsort(v, n, sizeof *v, compare_numbers);
            return;
        }
}

/* Before anything else is told: a slurmctld that was killed has forgotten its last
 * starts, and has jobs run again that it had before, on the same nodes. */
static void tell_forgotten(struct adapter *a, const job_info_msg_t *msg)
{
    uint32_t *known = xcalloc(2 * (size_t)msg->record_count + 1, sizeof *known);
    size_t n = 0;
    struct told_job *t, *next;

    for (uint32_t i = 0; i < msg->record_count; i++) {
        uint32_t array = msg->job_array[i].array_job_id;

        if (array != 0 && array != msg->job_array[i].job_id)
            known[n++] = array;
        known[n++] = msg->job_array[i].job_id;
    }
    sort_numbers(known, n);
    HASH_ITER(hh, a->jobs, t, next)
    {
        struct rm_report r = {.kind = RM_JOB_GONE, .u.name = t->id};
        uint32_t of = (uint32_t)strtoul(t->id, NULL, 10);

        if (t->over || bsearch(&of, known, n, sizeof of, compare_numbers) != NULL
            || bsearch(&t->number, known, n, sizeof of, compare_numbers) != NULL)
            continue;
        adapter_report(a, &r);
        jobs_drop(a, t);
    }
    free(known);
}

/* Numbers of the jobs that were told, and had not ended; of tasks that of their array.
 * Sorted, owned. */
static uint32_t *list_told(const struct adapter *a, size_t *ret_n)
{
    uint32_t *numbers = xcalloc((size_t)HASH_COUNT(a->jobs) + 1, sizeof *numbers);

    *ret_n = 0;
    for (const struct told_job *t = a->jobs; t != NULL; t = t->hh.next)
        if (!t->over)
            numbers[(*ret_n)++] = (uint32_t)strtoul(t->id, NULL, 10);
    sort_numbers(numbers, *ret_n);
    return numbers;
}

/* Is it of a job that was told, and that has no nodes, or none any more? */
static bool has_left(const slurm_job_info_t *j, const uint32_t *told, size_t n)
{
    uint32_t state = j->job_state & JOB_STATE_BASE;
    uint32_t of = j->array_job_id != 0 ? j->array_job_id : j->job_id;

    return n > 0 && state != SLURM_JOB_RUNNING && state != SLURM_JOB_SUSPENDED
           && bsearch(&of, told, n, sizeof of, compare_numbers) != NULL;
}

/* Those that have left their nodes before those that have them next: a slurmctld that
 * was killed may have forgotten a start, and an older job runs there again. New ones
 * and those that run in Slurm's order, by which a job comes before those that depend on
 * it. */
static void see_all(struct adapter *a, const job_info_msg_t *msg)
{
    struct tallies *all_records = tallies_new(a, msg);
    size_t n;
    uint32_t *told = list_told(a, &n);

    for (int first = 1; first >= 0; first--)
        for (uint32_t i = 0; i < msg->record_count; i++)
            if (has_left(&msg->job_array[i], told, n) == (first == 1))
                see_record(a, all_records, &msg->job_array[i]);
    free(told);
    tallies_free(all_records);
}

/* What the gate has left behind goes into the records before they are read. */
static void settle_marks(struct adapter *a)
{
    enum marking_left left = marking_settle(a->marking, a, MARKING_MS);

    if (left == MARKING_MORE)
        adapter_look(a);
    if ((left == MARKING_NO_GATE) == a->no_gate)
        return;
    a->no_gate = left == MARKING_NO_GATE;
    adapter_health(a, "marks",
        a->no_gate ? "slurmctld does not have the job_submit.lua of this scheduler: "
                     "holds and releases of arrays that it has noted wait for it (maui "
                     "slurm check)"
                   : NULL);
}

/* How much is taken back in it, see jobs_is_enough(); and slurmctld may have come up
 * anew. */
static void begin_look(struct adapter *a)
{
    a->keep_ms = adapter_now_ms() + KEEP_MS;
    a->keeps = 0;
    a->boot_asked = false;
}

bool looks_await_fulfilment(const struct adapter *a)
{
    return a->dependents > 0 && a->whole_ms < a->ended_ms + ENDED_MS;
}

int looks_poll(struct adapter *a)
{
    job_info_msg_t *msg = NULL;
    int64_t now = adapter_now_ms();
    time_t asked;

    /* to see wishes, changed or not; and that a dependency is fulfilled does not count
     * as a change with Slurm */
    if (a->switches_at != 0 && times_theirs(a) >= a->switches_at)
        a->switches_at = a->jobs_at = 0;
    if (a->avoid_at != 0 && times_theirs(a) >= a->avoid_at)
        a->avoid_at = a->jobs_at = 0;
    if (a->wishes > 0 || notes_wait(a)
        || (a->dependents > 0 && now - a->whole_ms > WHOLE_MS)
        || looks_await_fulfilment(a))
        a->jobs_at = 0;
    if (a->marking != NULL)
        settle_marks(a);
    asked = time(NULL);
    if (slurm_load_jobs(a->jobs_at, &msg, SHOW_ALL | SHOW_DETAIL | SHOW_LOCAL)
        != SLURM_SUCCESS) {
        if (errno == SLURM_NO_CHANGE_IN_DATA)
            return 0;
        adapter_lost(a, "jobs");
        return -1;
    }
    /* within the second of a change the table is asked for again: times are seconds */
    a->jobs_at = msg->last_update;
    if (TELLS_TIME)
        times_set(a, asked, msg->last_update);
    a->whole_ms = now;
    begin_look(a);
    a->round++;
    a->leaving = false;
    tell_forgotten(a, msg);
    see_all(a, msg);
    tell_gone(a);
    notes_write(a, msg);
    slurm_free_job_info_msg(msg);
    return 0;
}

int looks_job(struct adapter *a, const char *id)
{
    job_info_msg_t *msg = NULL;
    unsigned long number = strtoul(id, NULL, 10);
    struct tallies *all_records;

    if (slurm_load_job(&msg, (uint32_t)number, SHOW_ALL | SHOW_DETAIL | SHOW_LOCAL)
        != SLURM_SUCCESS)
        return -1;
    begin_look(a);
    all_records = tallies_new(a, msg);
    for (uint32_t i = 0; i < msg->record_count; i++)
        see_record(a, all_records, &msg->job_array[i]);
    tallies_free(all_records);
    slurm_free_job_info_msg(msg);
    return 0;
}
