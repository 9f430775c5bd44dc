/* SPDX-License-Identifier: Apache-2.0
 * See ends.h. */
#include "sim/ends.h"

#include "base/timeval.h"

void ends_fini(struct ends *e)
{
    evheap_fini(&e->heap);
    vec_fini(&e->jobs);
}

static struct ends_job *job_of(struct ends *e, uint32_t job)
{
    if (job >= e->jobs.n)
        vec_push_zeros(&e->jobs, job + 1 - e->jobs.n);
    return &e->jobs.v[job];
}

void ends_forget(struct ends *e, uint32_t job)
{
    *job_of(e, job) = (struct ends_job){0};
}

const struct ends_job *ends_of(struct ends *e, uint32_t job)
{
    return job_of(e, job);
}

void ends_set(struct ends *e, uint32_t job, int64_t end_at)
{
    struct ends_job *j = job_of(e, job);

    j->seq = ++e->seq;
    j->end_at = end_at;
    evheap_push(&e->heap, (struct ev){end_at, j->seq, job});
}

int64_t ends_start(struct ends *e, uint32_t job, int64_t now, int64_t run_s)
{
    int64_t left_s = job_of(e, job)->left_s;
    int64_t end_at = time_add(now, left_s > 0 ? left_s : run_s);

    ends_set(e, job, end_at);
    return end_at;
}

static int64_t left_of(const struct ends_job *j, int64_t now)
{
    return j->end_at > now ? j->end_at - now : 1;
}

void ends_suspend(struct ends *e, uint32_t job, int64_t now)
{
    struct ends_job *j = job_of(e, job);

    j->seq = 0;
    j->suspended = true;
    j->suspended_at = now;
    j->left_s = left_of(j, now);
}

int64_t ends_resume(struct ends *e, uint32_t job, int64_t now)
{
    struct ends_job *j = job_of(e, job);
    int64_t end_at = time_add(now, j->left_s);

    j->suspended = false;
    j->left_s = 0;
    ends_set(e, job, end_at);
    return end_at;
}

void ends_stop(struct ends *e, uint32_t job, int64_t now, bool keeps)
{
    struct ends_job *j = job_of(e, job);
    int64_t left_s = j->suspended ? j->left_s : left_of(j, now);

    j->seq = 0;
    j->suspended = false;
    j->left_s = keeps ? left_s : 0;
}

int64_t ends_next(const struct ends *e)
{
    return evheap_empty(&e->heap) ? TIME_NEVER : evheap_top(&e->heap)->at;
}

bool ends_in_force(const struct ends *e, const struct ev *end)
{
    return e->jobs.v[end->job].seq == end->seq;
}

void ends_ended(struct ends *e, uint32_t job)
{
    job_of(e, job)->seq = 0;
}
