/* SPDX-License-Identifier: Apache-2.0
 * How a record of Slurm becomes jobs that are told: what jobs.c, tallies.c and arrays.c
 * know of each other. */
#ifndef MAUI_RM_SLURM_JOBS_H
#define MAUI_RM_SLURM_JOBS_H

#include "rm/slurm/adapter.h"

/* What is asked of all records of a look. */
struct tallies;

/* ---- jobs.c ---- */

/* What a waiting job asks for, as long as no start has overwritten it. `k` is owned by
 * the caller. */
void jobs_remember_part(struct asked *k, const slurm_job_info_t *j);
/* Has this look lasted so long that others are to be taken back in the next? Counts one
 * more that is. */
bool jobs_is_enough(struct adapter *a);
/* Take it back. What Slurm refuses is tried again with a later look: in 1 s, 2 ... 64.
 */
void jobs_try_keeping(struct adapter *a, struct told_job *t);
/* Does the limit of its array keep this task, as the next of those that are seen, which
 * could start but for that? */
bool jobs_is_limited(
    const struct adapter *a, struct tallies *all_records, const slurm_job_info_t *j);
/* Tell the job what changed of it, and take it back where it is astray. `limited`: the
 * limit of its array keeps it; `kept`: what is astray has been taken back with all of
 * its record. */
void jobs_see(struct adapter *a, const char *id, const struct parts *parts,
    bool limited, bool kept);
/* It is forgotten, whatever was told of it. */
void jobs_drop(struct adapter *a, struct told_job *t);

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
