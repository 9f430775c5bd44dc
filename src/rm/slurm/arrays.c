/* SPDX-License-Identifier: Apache-2.0
 * Arrays: of all tasks that wait Slurm has one record, each of them is a job here. What
 * is ordered of all of them is one order: one for each would make a record of each. */
#include "rm/slurm/jobs.h"

#include <stdio.h>

#ifndef TASKS_MAX
#define TASKS_MAX 100000 /* of one array */
#endif
#define WISHES_MS 1500 /* after which no more wishes for one array are waited for */

/* Slurm's name of all tasks of a record; owned. Through scontrol that of the array. */
static char *name_tasks(const slurm_job_info_t *j)
{
    struct strbuf id = {0};

    strbuf_printf(&id, "%u", j->array_job_id);
    if (UPDATE_TAKES_TASKS)
        strbuf_printf(
            &id, "_[%.*s]", (int)strcspn(j->array_task_str, "%"), j->array_task_str);
    return strbuf_take(&id);
}

/* The job that its first task is; NULL: it was not seen yet. */
static struct told_job *find_first(struct adapter *a, const slurm_job_info_t *j)
{
    char id[48];

    snprintf(
        id, sizeof id, "%u_%lu", j->array_job_id, strtoul(j->array_task_str, NULL, 10));
    return jobs_find(a, id);
}

/* How often Slurm has refused to take the record back stands with its first task. */
static void take_refusals(
    struct adapter *a, const slurm_job_info_t *j, struct told_job *record)
{
    const struct told_job *t = find_first(a, j);

    if (t == NULL)
        return;
    record->refused = t->refused;
    record->again_ms = t->again_ms;
}

static void note_refusals(
    struct adapter *a, const slurm_job_info_t *j, const struct told_job *record)
{
    struct told_job *t = find_first(a, j);

    if (t == NULL)
        return;
    t->refused = record->refused;
    t->again_ms = record->again_ms;
}

/* All that waits of it was let go to start by one order: Slurm has one record of them
 * until it starts the first. */
static bool is_starting(struct adapter *a, const slurm_job_info_t *j)
{
    const struct told_job *t = find_first(a, j);

    return t != NULL && outcomes_has_start(a, t->id);
}

/* Tasks that are astray are taken back by one order for their record: an order for each
 * would make a record of each in Slurm, thousands of them. False where that cannot be
 * said: of one task alone, of some that are to start, and through scontrol of an array
 * that has other records: scontrol takes no list of nodes for several at once. */
static bool keep_tasks(
    struct adapter *a, const struct tallies *all_records, const slurm_job_info_t *j)
{
    const char *tasks = j->array_task_str;
    struct asked own = {0};
    struct told_job all = {.nparts = 1,
        .asked = &own,
        .note_begin = notes_has_begin(a, j),
        .marked = job_mark(j) != MARK_NONE,
        .fresh = job_is_kept_by_begin(a, j)};

    bool awaits = job_is_to_await(a, j) && !job_is_awaiting(a, j);

    if ((!awaits && !job_is_astray(a, j)) || strcspn(tasks, "-,") == strlen(tasks)
        || is_starting(a, j)
        || (!UPDATE_TAKES_TASKS && !tallies_is_alone(all_records, j)))
        return false;
    if (jobs_is_enough(a))
        return true;
    jobs_remember_part(&own, j);
    all.id = name_tasks(j);
    if (awaits) {
        keep_awaiting(&all, j->priority == 0);
    } else if (!job_is_to_await(a, j)) {
        take_refusals(a, j, &all);
        jobs_try_keeping(a, &all);
        note_refusals(a, j, &all);
    }
    free(all.id);
    asked_free(&own);
    return true;
}

static void mark_gathered(struct adapter *a, const char *id, bool several)
{
    struct told_job *t = jobs_find(a, id);

    if (t != NULL)
        t->gathered = several;
}

/* How many tasks of the record, as last told, are to be held or released as the first
 * of them is; *ret_all: how many tasks there are. */
static uint32_t count_wishes(const struct adapter *a, const slurm_job_info_t *j,
    uint32_t *ret_all, uint8_t *ret_wish)
{
    uint32_t n = 0;

    *ret_all = 0;
    *ret_wish = 0;
    for (const struct told_job *t = a->jobs; t != NULL; t = t->hh.next) {
        if (t->number != j->job_id || (!t->gathered && t->wish == 0))
            continue;
        ++*ret_all;
        if (*ret_wish == 0)
            *ret_wish = t->wish;
        n += t->wish != 0 && t->wish == *ret_wish;
    }
    return n;
}

static void grant_wish(struct told_job *t, uint8_t wish)
{
    if (wish == WISH_RELEASE)
        keep_lifted(t);
    else
        keep_held(t, wish);
}

/* All of its tasks by one order; only some one by one, when no more are coming: an
 * order for each makes a record of each. */
static void grant_wishes(
    struct adapter *a, const struct tallies *all_records, const slurm_job_info_t *j)
{
    uint8_t wish = 0;
    uint32_t all, n = a->wishes > 0 ? count_wishes(a, j, &all, &wish) : 0;
    bool together;

    if (n == 0)
        return;
    together = n == all && (UPDATE_TAKES_TASKS || tallies_is_alone(all_records, j));
    if (together) {
        struct asked own = {0};
        struct told_job whole = {.nparts = 1,
            .asked = &own,
            .id = name_tasks(j),
            .note_begin = notes_has_begin(a, j)};

        jobs_remember_part(&own, j);
        grant_wish(&whole, wish);
        asked_free(&own);
        free(whole.id);
    } else if (adapter_now_ms() - a->wished_ms < WISHES_MS) {
        return;
    }
    for (struct told_job *t = a->jobs; t != NULL; t = t->hh.next) {
        if (t->number != j->job_id || t->wish == 0)
            continue;
        if (!together)
            grant_wish(t, t->wish);
        t->wish = 0;
        a->wishes--;
    }
    adapter_look(a);
}

/* One that does not wait any more has nothing to be held or released from. */
void arrays_leave(struct adapter *a, struct told_job *t)
{
    uint8_t wish = t->wish;

    t->gathered = false;
    if (wish == 0)
        return;
    t->wish = 0;
    a->wishes--;
    if (t->waiting)
        grant_wish(t, wish);
    adapter_look(a);
}

/* "0-9,12%3" of a record with all tasks that wait: each is a job. */
void arrays_see(
    struct adapter *a, struct tallies *all_records, const slurm_job_info_t *j)
{
    const char *at = j->array_task_str;
    uint32_t seen = 0;
    bool kept = keep_tasks(a, all_records, j),
         several = strcspn(at, "-,") != strlen(at);
    char *record = name_tasks(j);

    if (UPDATE_TAKES_TASKS
        || tallies_is_alone(
            all_records, j)) /* else it would be an order to those as well */
        keep_holder(a, record, j);
    free(record);
    grant_wishes(a, all_records, j);
    while (*at && *at != '%' && seen < TASKS_MAX) {
        char *end, id[40];
        unsigned long first = strtoul(at, &end, 10), last = first, step = 1;

        if (end == at)
            return;
        if (*end == '-')
            last = strtoul(end + 1, &end, 10);
        if (*end == ':')
            step = strtoul(end + 1, &end, 10);
        for (; first <= last && step > 0 && seen < TASKS_MAX; first += step, seen++) {
            snprintf(id, sizeof id, "%u_%lu", j->array_job_id, first);
            jobs_see(a, id, &(struct parts){{j}, 1}, jobs_is_limited(a, all_records, j),
                kept);
            mark_gathered(a, id, several);
        }
        at = *end == ',' ? end + 1 : end;
        if (*end != ',' && *end != '%' && *end != '\0')
            return;
    }
}
