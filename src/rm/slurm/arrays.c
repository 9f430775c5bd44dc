/* SPDX-License-Identifier: Apache-2.0
 * Arrays: of all tasks that wait Slurm has one record, each of them is a job here. What
 * is ordered of all of them is one order: one for each would make a record of each. */
#include "rm/slurm/job.h"
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

/* Through the tasks of a record, "0-9,12:2%3", from where `at` stands. */
struct task_walk {
    const char *at;
    unsigned long next, last, step;
    uint32_t seen;
    bool open; /* amid a range */
};

/* False: there is none any more, or no task is named there. */
static bool next_task(struct task_walk *w, unsigned long *ret)
{
    while (!w->open) {
        char *end;

        w->next = w->last = strtoul(w->at, &end, 10);
        if (end == w->at)
            return false;
        w->step = 1;
        if (*end == '-')
            w->last = strtoul(end + 1, &end, 10);
        if (*end == ':')
            w->step = strtoul(end + 1, &end, 10);
        w->at = *end == ',' ? end + 1 : "";
        w->open = w->step > 0 && w->next <= w->last;
    }
    if (w->seen++ >= TASKS_MAX)
        return false;
    *ret = w->next;
    w->open = w->last - w->next >= w->step;
    w->next += w->step;
    return true;
}

uint32_t arrays_count(const slurm_job_info_t *j, uint32_t most)
{
    struct task_walk walk = {.at = j->array_task_str};
    unsigned long task;
    uint32_t n = 0;

    while (n < most && next_task(&walk, &task))
        n++;
    return n;
}

/* NULL: it was not seen yet. */
static struct told_job *find_task(
    struct adapter *a, const slurm_job_info_t *j, unsigned long task)
{
    char id[48];

    snprintf(id, sizeof id, "%u_%lu", j->array_job_id, task);
    return jobs_find(a, id);
}

/* The job that its first task is. */
static struct told_job *find_first(struct adapter *a, const slurm_job_info_t *j)
{
    return find_task(a, j, strtoul(j->array_task_str, NULL, 10));
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

/* What tasks of a record are to be: held or released, as the first of them that is to
 * be anything. */
struct wishes {
    uint32_t tasks, alike;
    uint8_t wish; /* 0 = none is to be anything */
};

static struct wishes count_wishes(struct adapter *a, const slurm_job_info_t *j)
{
    struct task_walk walk = {.at = j->array_task_str};
    struct wishes w = {0};
    unsigned long task;

    while (next_task(&walk, &task)) {
        const struct told_job *t = find_task(a, j, task);

        w.tasks++;
        if (t == NULL || t->wish == 0)
            continue;
        if (w.wish == 0)
            w.wish = t->wish;
        w.alike += t->wish == w.wish;
    }
    return w;
}

static void grant_wish(struct told_job *t, uint8_t wish)
{
    if (wish == WISH_RELEASE)
        keep_lifted(t);
    else
        keep_held(t, wish);
}

static void end_wish(struct adapter *a, struct told_job *t)
{
    a->wishes -= t->wish != 0;
    t->wish = 0;
}

/* All of its tasks by one order. */
static void grant_together(struct adapter *a, const slurm_job_info_t *j, uint8_t wish)
{
    struct task_walk walk = {.at = j->array_task_str};
    struct asked own = {0};
    struct told_job whole = {.nparts = 1,
        .asked = &own,
        .id = name_tasks(j),
        .note_begin = notes_has_begin(a, j)};
    unsigned long task;

    jobs_remember_part(&own, j);
    grant_wish(&whole, wish);
    asked_free(&own);
    free(whole.id);
    while (next_task(&walk, &task)) {
        struct told_job *t = find_task(a, j, task);

        if (t != NULL)
            end_wish(a, t);
    }
}

/* Each makes a record of its task in Slurm: some now, of many the rest with the next
 * looks. */
static void grant_one_by_one(struct adapter *a, const slurm_job_info_t *j)
{
    struct task_walk walk = {.at = j->array_task_str};
    unsigned long task;

    while (next_task(&walk, &task)) {
        struct told_job *t = find_task(a, j, task);

        if (t == NULL || t->wish == 0)
            continue;
        if (jobs_is_enough(a))
            return;
        grant_wish(t, t->wish);
        end_wish(a, t);
    }
}

/* Only some one by one, when no more are coming. */
static void grant_wishes(
    struct adapter *a, const struct tallies *all_records, const slurm_job_info_t *j)
{
    struct wishes w = {0};

    if (a->wishes > 0)
        w = count_wishes(a, j);
    if (w.wish == 0)
        return;
    if (w.alike == w.tasks && (UPDATE_TAKES_TASKS || tallies_is_alone(all_records, j)))
        grant_together(a, j, w.wish);
    else if (adapter_now_ms() - a->wished_ms >= WISHES_MS)
        grant_one_by_one(a, j);
    else
        return;
    adapter_look(a);
}

/* One that does not wait any more has nothing to be held or released from. */
void arrays_leave(struct adapter *a, struct told_job *t)
{
    t->gathered = false;
    if (t->wish == 0 || (t->waiting && jobs_is_enough(a)))
        return;
    if (t->waiting)
        grant_wish(t, t->wish);
    end_wish(a, t);
    adapter_look(a);
}

/* "0-9,12%3" of a record with all tasks that wait: each is a job. */
void arrays_see(
    struct adapter *a, struct tallies *all_records, const slurm_job_info_t *j)
{
    struct task_walk walk = {.at = j->array_task_str};
    bool kept = keep_tasks(a, all_records, j),
         several = strcspn(walk.at, "-,") != strlen(walk.at);
    char *record = name_tasks(j), id[40];
    unsigned long task;

    if (UPDATE_TAKES_TASKS
        || tallies_is_alone(
            all_records, j)) /* else it would be an order to those as well */
        keep_holder(a, record, j);
    free(record);
    grant_wishes(a, all_records, j);
    while (next_task(&walk, &task)) {
        struct told_job *t;

        snprintf(id, sizeof id, "%u_%lu", j->array_job_id, task);
        jobs_see(
            a, id, &(struct parts){{j}, 1}, jobs_is_limited(a, all_records, j), kept);
        t = jobs_find(a, id);
        if (t != NULL)
            t->gathered = several;
    }
}
