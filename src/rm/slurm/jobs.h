/* SPDX-License-Identifier: Apache-2.0
 * How a record of Slurm is seen: what jobs.c and arrays.c know of each other. */
#ifndef MAUI_RM_SLURM_JOBS_H
#define MAUI_RM_SLURM_JOBS_H

#include "rm/slurm/adapter.h"

/* What is asked of all records of a look. */
struct tallies;

/* ---- jobs.c ---- */

/* It waits, but not as a job does that only we start: lifted, leaked past the gate, or
 * back in the queue after it ran; or an order of ours has just let it go. */
bool job_is_astray(const struct adapter *a, const slurm_job_info_t *j);
/* Slurm is to see when its dependency is fulfilled; it does so already. */
bool job_is_to_await(const struct adapter *a, const slurm_job_info_t *j);
bool job_is_awaiting(const struct adapter *a, const slurm_job_info_t *j);
/* It is new, or depends on others. */
bool job_is_kept_by_begin(const struct adapter *a, const slurm_job_info_t *j);
/* What a waiting job asks for, as long as no start has overwritten it. `k` is owned by
 * the caller. */
void jobs_remember_part(struct asked *k, const slurm_job_info_t *j);
/* Has this look lasted so long that others are to be taken back in the next? Counts one
 * more that is. */
bool jobs_is_enough(struct adapter *a);
/* Take it back. What Slurm refuses is tried again with a later look: in 1 s, 2 ... 64.
 */
void jobs_try_keeping(struct adapter *a, struct told_job *t);
/* Does it wait for other jobs, by what Slurm says? */
bool job_depends(const slurm_job_info_t *j);
/* Is it, or are all of its record, to start as soon as there is room, and what it may
 * wait for has ended? Then it has a place in the limit of its array, or none. */
bool jobs_takes_place(const struct adapter *a, const slurm_job_info_t *j);
/* Does the limit of its array keep this task, as the next of those that are seen, which
 * could start but for that? */
bool jobs_is_limited(
    const struct adapter *a, struct tallies *all_records, const slurm_job_info_t *j);
/* Tell the job what changed of it, and take it back where it is astray. `limited`: the
 * limit of its array keeps it; `kept`: what is astray has been taken back with all of
 * its record. */
void jobs_see(struct adapter *a, const char *id, const struct parts *parts,
    bool limited, bool kept);

/* ---- tallies.c ---- */

/* Of records that outlive it. Cost: all of them, once; what is asked of it then costs
 * next to nothing. */
struct tallies *tallies_new(const struct adapter *a, const job_info_msg_t *msg);
void tallies_free(struct tallies *all);
/* One more task of the array is to start in this look. False: its own limit
 * (--array=...%N) lets no more. One that waits for other jobs has a place that those
 * which could start now leave. */
bool tallies_take(struct tallies *all, const slurm_job_info_t *array);
/* Is its record the only one of the array, no task having or having had another? */
bool tallies_is_alone(const struct tallies *all, const slurm_job_info_t *array);
/* All components of a heterogeneous job, in order; those that are not there are NULL.
 */
void tallies_components(
    const struct tallies *all, const slurm_job_info_t *leader, struct parts *ret);

/* ---- arrays.c ---- */

/* A record with all tasks that wait, "0-9,12%3": each is a job. */
void arrays_see(
    struct adapter *a, struct tallies *all_records, const slurm_job_info_t *j);
/* How many there are in such a record, counted up to that many. */
uint32_t arrays_count(const slurm_job_info_t *j, uint32_t most);
/* A task that has a record of its own: what was to be ordered of it with others is
 * ordered of it alone. Behind jobs_see(). */
void arrays_leave(struct adapter *a, struct told_job *t);

#endif
