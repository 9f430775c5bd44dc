/* SPDX-License-Identifier: Apache-2.0
 * Stopping, cancelling and deferring one job: what changes hands between cluster, plan
 * and policy. Each decides its action, but for stop_job(). */
#ifndef MAUI_ENGINE_STOP_H
#define MAUI_ENGINE_STOP_H

#include "cluster/job.h"
#include "cluster/jobend.h"
#include "policy/holds.h"

struct engine;

/* It leaves its nodes: ended, suspended, or to wait again (judge it then). */
void stop_job(struct engine *e, struct job *j, enum job_event how);
/* `text` NULL: that of the reason. */
void cancel_job(struct engine *e, struct job *j, enum end_reason why, const char *text);

void defer_job(struct engine *e, struct job *j, enum hold_reason why, const char *text);
/* What the job waits for is out of reach at present: it is deferred. One that its
 * resource manager admitted goes on waiting, with its reason: there a wait is a wait,
 * and deferral is for starts that failed. */
void put_off_job(
    struct engine *e, struct job *j, enum hold_reason why, const char *text);
/* It is tried again in so long: a deferral that is not counted, nor shown as one. */
void pause_job(
    struct engine *e, struct job *j, int64_t s, enum hold_reason why, const char *text);
/* A deferral was made by the policy: what follows from the result. */
void after_deferral(
    struct engine *e, struct job *j, enum defer_result result, const char *text);
/* The job is deferred for longer: wake when that ends. */
void deferral_goes_on(struct engine *e, const struct job *j);

#endif
