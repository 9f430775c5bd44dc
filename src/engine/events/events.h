/* SPDX-License-Identifier: Apache-2.0
 * Events about jobs and reservations that are more than a note of what happened.
 *
 *     engine_apply()
 *         JOB_STATE, MISSED            report.c      what the resource manager says
 *         MODIFY                       modify.c      another limit, class, request
 *         RUN                          run.c         it starts now, or why not
 *         DEADLINE, USER_PRIORITY      orders.c      small things for a job
 *         RESERVE, INSTANCE            setres.c      a reservation is made
 *         CHANGE_RESERVATION, UNRESERVE  rsvchange.c it is changed, or released
 *
 * Each returns 0, or -1 with the reason; then nothing has changed. */
#ifndef MAUI_ENGINE_EVENTS_EVENTS_H
#define MAUI_ENGINE_EVENTS_EVENTS_H

#include "cluster/change.h"
#include "engine/engine.h"
#include "plan/rsvmemory.h"

/* report.c: what the resource manager says of jobs */
bool report_is_active(enum job_state s);
/* It runs where nobody knows, and is held for that. */
bool report_is_lost(const struct job *j);
/* A job that has just been added runs already: make it so here. Where that does not add
 * up it stays out of the queue, in state Unknown. */
void report_take_over(struct engine *e, struct job *j, const struct job_desc *d);
/* One that ran and ended while nobody looked: it counts as if somebody had. */
int report_missed(
    struct engine *e, const struct event *ev, struct job **ret, struct err *err);
int report_state(
    struct engine *e, struct job *j, const struct event *ev, struct err *err);

/* modify.c: EVENT_MODIFY */
/* The resource manager says that the active job began then: when its processes did, or
 * on a clock that was set since. */
void modify_start(struct engine *e, struct job *j, int64_t start_at);
int modify_job(
    struct engine *e, struct job *j, const struct job_change *ch, struct err *err);

/* run.c: EVENT_RUN */
int run_job(struct engine *e, struct job *j, const struct event *ev, struct err *err);

/* orders.c: small things that are asked for a job */
int orders_deadline(struct engine *e, struct job *j, int64_t at, struct err *err);
int orders_user_priority(struct job *j, int64_t n, struct err *err);

/* setres.c: what people ask for */
int setres(
    struct engine *e, const struct event *ev, uint32_t *ret_made, struct err *err);
/* An instance of a standing reservation comes back after a restart. */
int setres_instance(struct engine *e, const struct rsv_memory *m, struct err *err);
/* May the reservation hold these nodes: -E, RESLIMITPOLICY? It may be a draft, or a
 * live one that holds something else at present. */
int setres_check(struct engine *e, const struct reservation *r,
    const struct allocs *alloc, struct err *err);

/* rsvchange.c */
int change_reservation(struct engine *e, const struct event *ev, struct err *err);
int releaseres(struct engine *e, const struct event *ev, struct err *err);

#endif
