/* SPDX-License-Identifier: Apache-2.0
 * What is asked of all records of a look for each array and each heterogeneous job:
 * counted once. */
#include "base/xalloc.h"
#include "rm/slurm/job.h"
#include "rm/slurm/jobs.h"

struct tally {
    uint32_t array;   /* key */
    uint32_t counted; /* tasks that run, or may start: its own limit counts them */
    uint32_t ready;   /* tasks that nothing but that limit keeps */
    uint32_t taken;   /* of these, those that were seen and are to start */
    uint32_t lent;    /* tasks that wait for other jobs and have a place that is left */
    uint32_t records;
    UT_hash_handle hh;
};

struct tallies {
    struct tally *arrays;
    const slurm_job_info_t **components; /* by job and place in it */
    size_t ncomponents;
};

/* One that came back is on its nodes yet, or has to pause: that others of its array may
 * start is said together with its nodes being free, as with Slurm alone. */
static bool may_start(const struct adapter *a, const slurm_job_info_t *j)
{
    return j->priority != 0 && !(j->job_state & JOB_COMPLETING)
           && j->eligible_time <= times_theirs(a);
}

static bool is_counted(const struct adapter *a, const slurm_job_info_t *j)
{
    uint32_t state = j->job_state & JOB_STATE_BASE;

    if (j->array_task_id == NO_VAL)
        return false;
    return state == SLURM_JOB_RUNNING || state == SLURM_JOB_SUSPENDED
           || (state == JOB_PENDING && may_start(a, j));
}

static void count_task(
    struct tallies *all, const struct adapter *a, const slurm_job_info_t *j)
{
    uint32_t key = j->array_job_id;
    struct tally *t;

    HASH_FIND(hh, all->arrays, &key, sizeof key, t);
    if (t == NULL) {
        t = xcalloc(1, sizeof *t);
        t->array = key;
        HASH_ADD(hh, all->arrays, array, sizeof t->array, t);
    }
    t->counted += is_counted(a, j);
    t->records++;
    if (t->ready < j->array_max_tasks && job_takes_place(a, j) && !job_depends(j))
        t->ready +=
            j->array_task_id == NO_VAL ? arrays_count(j, j->array_max_tasks) : 1;
}

static int compare_components(const void *a, const void *b)
{
    const slurm_job_info_t *x = *(const slurm_job_info_t *const *)a,
                           *y = *(const slurm_job_info_t *const *)b;

    if (x->het_job_id != y->het_job_id)
        return x->het_job_id < y->het_job_id ? -1 : 1;
    return x->het_job_offset < y->het_job_offset   ? -1
           : x->het_job_offset > y->het_job_offset ? 1
                                                   : 0;
}

struct tallies *tallies_new(const struct adapter *a, const job_info_msg_t *msg)
{
    struct tallies *all = xcalloc(1, sizeof *all);

    for (uint32_t i = 0; i < msg->record_count; i++) {
        const slurm_job_info_t *j = &msg->job_array[i];

        all->ncomponents += j->het_job_id != 0;
        if (j->array_job_id != 0)
            count_task(all, a, j);
    }
    if (all->ncomponents == 0)
        return all;
    all->components = xcalloc(all->ncomponents, sizeof *all->components);
    all->ncomponents = 0;
    for (uint32_t i = 0; i < msg->record_count; i++)
        if (msg->job_array[i].het_job_id != 0)
            all->components[all->ncomponents++] = &msg->job_array[i];
    qsort(
        all->components, all->ncomponents, sizeof *all->components, compare_components);
    return all;
}

void tallies_free(struct tallies *all)
{
    struct tally *t, *next;

    HASH_ITER(hh, all->arrays, t, next)
    {
        HASH_DEL(all->arrays, t);
        free(t);
    }
    free(all->components);
    free(all);
}

static struct tally *find_tally(
    const struct tallies *all, const slurm_job_info_t *array)
{
    struct tally *t;

    HASH_FIND(hh, all->arrays, &array->array_job_id, sizeof array->array_job_id, t);
    return t;
}

bool tallies_take(struct tallies *all, const slurm_job_info_t *array)
{
    struct tally *t = array->array_max_tasks != 0 ? find_tally(all, array) : NULL;

    if (t == NULL)
        return true;
    bool depends = job_depends(array);
    uint32_t before = depends ? t->ready + t->lent : t->taken;

    if (t->counted + before >= array->array_max_tasks)
        return false;
    *(depends ? &t->lent : &t->taken) += 1;
    return true;
}

bool tallies_is_alone(const struct tallies *all, const slurm_job_info_t *array)
{
    const struct tally *t = find_tally(all, array);

    return t == NULL || t->records <= 1;
}

/* The first that is of that job, or of a later one. */
static size_t find_component(const struct tallies *all, uint32_t job)
{
    size_t low = 0, high = all->ncomponents;

    while (low < high) {
        size_t mid = low + (high - low) / 2;

        if (all->components[mid]->het_job_id < job)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

void tallies_components(
    const struct tallies *all, const slurm_job_info_t *leader, struct parts *ret)
{
    *ret = (struct parts){.n = 0};
    for (size_t i = find_component(all, leader->het_job_id);
         i < all->ncomponents && all->components[i]->het_job_id == leader->het_job_id;
         i++) {
        const slurm_job_info_t *j = all->components[i];

        if (j->het_job_offset >= PARTS_MAX)
            continue;
        ret->v[j->het_job_offset] = j;
        ret->n = j->het_job_offset + 1;
    }
}
