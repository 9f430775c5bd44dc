/* SPDX-License-Identifier: Apache-2.0
 * What a record of Slurm says of a job. Nothing here knows what was told of it. */
#ifndef MAUI_RM_SLURM_JOB_H
#define MAUI_RM_SLURM_JOB_H

#include "rm/slurm/adapter.h"

/* ---- what the gate has marked ---- */
enum gate_mark job_mark(const slurm_job_info_t *j);
/* Does the mark say that an administrator holds it? */
bool job_is_admins(const slurm_job_info_t *j);
/* The priority that an administrator gave it, 0 = none. */
uint32_t job_priority_given(const slurm_job_info_t *j);
/* Of a change of a job that its partition can never run, or is closed for, Slurm makes
 * half and refuses it: the job is kept, and its comment says so, but it has no mark. */
bool job_is_half_kept(const slurm_job_info_t *j);

/* ---- its state ---- */
/* As the scheduler is told. One that is kept is idle. */
enum job_state job_state_of(const slurm_job_info_t *j);
/* Requeued, but on its nodes yet; how long it pauses is not known. */
bool job_is_leaving(const slurm_job_info_t *j);
/* Of one that is held: by whom (HOLD_USER, HOLD_SYSTEM). */
uint8_t job_hold_of(const slurm_job_info_t *j);
/* A hold of which nothing is to be said but whose it is. */
bool job_is_plain_hold(const slurm_job_info_t *j);
/* The hold that was lifted while nobody could take the job back; 0 = none was. */
uint8_t job_lifted_of(const slurm_job_info_t *j, enum job_state state);
/* Was it put back into the queue and held (scontrol requeuehold)? Nothing but Slurm's
 * words for it tells. */
bool job_is_requeue_held(const slurm_job_info_t *j);
/* The same, and nobody has marked it as held since. */
bool job_is_back_held(const slurm_job_info_t *j);
/* Its tasks, where Slurm counts them anew with each number of nodes that it is given,
 * as 26.05 does with --ntasks-per-gpu; else 0. */
uint32_t job_tasks_to_say(const slurm_job_info_t *j);
/* Does it wait for other jobs, by what Slurm says? */
bool job_depends(const slurm_job_info_t *j);
/* Those in other resource managers, as submit.c has written them; NULL = none. */
const char *job_others_of(const slurm_job_info_t *j);
/* From when on it cannot end by its deadline any more; 0: it has none. */
time_t job_latest_start(const slurm_job_info_t *j);

/* ---- its end ---- */
int job_exit_of(const slurm_job_info_t *j); /* 128 + signal: by that */
struct job_end job_end_of(const slurm_job_info_t *j);

/* ---- who is to start it ---- */
/* An administrator, past the scheduler: the nodes in it are not its owner's wish. */
bool job_is_sent_by_hand(const slurm_job_info_t *j);
/* It waits, but not as a job does that only we start: lifted, leaked past the gate, or
 * back in the queue after it ran; or an order of ours has just let it go. */
bool job_is_astray(const struct adapter *a, const slurm_job_info_t *j);
/* Slurm is to see when its dependency is fulfilled; it does so already. */
bool job_is_to_await(const struct adapter *a, const slurm_job_info_t *j);
bool job_is_awaiting(const struct adapter *a, const slurm_job_info_t *j);
/* It is new, or depends on others. */
bool job_is_kept_by_begin(const struct adapter *a, const slurm_job_info_t *j);
/* Is it, or are all of its record, to start as soon as there is room, and what it may
 * wait for has ended? Then it has a place in the limit of its array, or none. */
bool job_takes_place(const struct adapter *a, const slurm_job_info_t *j);

#endif
