/* SPDX-License-Identifier: Apache-2.0
 * When jobs of an engine that are on nodes will leave them by themselves: by their
 * indexes. What is suspended or checkpointed keeps what it has left to run.
 *
 *     start --------- suspend   resume ---------- end
 *       |<- its run ->|           |<- what is left ->|
 */
#ifndef MAUI_SIM_ENDS_H
#define MAUI_SIM_ENDS_H

#include "sim/evheap.h"

/* What belongs to a job. */
struct ends_job {
    uint32_t seq; /* of the end in force; 0 = none */
    bool suspended;
    int64_t suspended_at;
    int64_t end_at; /* of the last start or resumption */
    int64_t left_s; /* to run after a suspension or checkpoint; 0 = all of it */
};

/* A zeroed struct knows of no job. */
struct ends {
    struct evheap heap; /* also of ends that are not in force any more */
    struct VEC(struct ends_job) jobs;
    uint32_t seq;
};

void ends_fini(struct ends *e);

/* A job that has not begun gets this index. */
void ends_forget(struct ends *e, uint32_t job);
/* Borrowed until the next call. */
const struct ends_job *ends_of(struct ends *e, uint32_t job);

/* It starts, and would run so long; what a checkpoint has left of that counts first.
 * Gives its end back. O(log ends). */
int64_t ends_start(struct ends *e, uint32_t job, int64_t now, int64_t run_s);
/* It goes on until then, and no other time. O(log ends). */
void ends_set(struct ends *e, uint32_t job, int64_t end_at);
void ends_suspend(struct ends *e, uint32_t job, int64_t now);
int64_t ends_resume(struct ends *e, uint32_t job, int64_t now);
/* It leaves its nodes before its end: for good, to begin anew, or, where it `keeps` its
 * work, to go on one day. */
void ends_stop(struct ends *e, uint32_t job, int64_t now, bool keeps);

/* The instant of the first; TIME_NEVER = none. */
int64_t ends_next(const struct ends *e);
/* Is it in force, or was the job stopped before? */
bool ends_in_force(const struct ends *e, const struct ev *end);
/* It came about. */
void ends_ended(struct ends *e, uint32_t job);

#endif
