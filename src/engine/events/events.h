/* SPDX-License-Identifier: Apache-2.0
 * What becomes of an event: one table, a row per kind. engine_apply() is the door:
 *
 *     event --> row --> its job is looked up --> applied --> what it touches is told
 *
 *     submit.c      a job comes
 *     report.c      what the resource manager says of one
 *     end.c         it ends, is cancelled, could not be started
 *     orders.c      small things that people ask for a job; preempt.c: to stop, to go
 * on modify.c      another limit, class, request run.c         it starts now, or why
 * not node.c        what is said of nodes setres.c      a reservation is made;
 * rsvchange.c: it is changed, or released site.c        settings, usage of before,
 * counting anew
 *
 * Each returns 0, or -1 with the reason; then nothing has changed. Private to
 * src/engine. */
#ifndef MAUI_ENGINE_EVENTS_EVENTS_H
#define MAUI_ENGINE_EVENTS_EVENTS_H

#include "engine/engine.h"

/* What is other than before, and has to be told. */
enum event_touches {
    TOUCHES_STATE = 1, /* what of the job was not told yet (CHANGE_OF_STATE) */
    TOUCHES_ORDER = 2, /* the order of the queue may be another */
    TOUCHES_WORLD = 4  /* an order changes reservations or settings: whoever waits for
                          nodes may have a better chance (engine_restless()) */
};

struct event_row {
    const char *name; /* in the journal */
    size_t job_id;    /* where in the event the job is named; 0 = nowhere */
    unsigned touches; /* enum event_touches */
    /* One of these: for an event that names its job, which has not ended; for others,
     * with the job or reservation that it was about or made. */
    int (*apply_to_job)(
        struct engine *e, struct job *j, const struct event *ev, struct err *err);
    int (*apply)(struct engine *e, const struct event *ev, struct event_result *ret,
        struct err *err);
};

/* NULL: there is no such kind. */
const struct event_row *event_row_of(enum event_kind k);

/* ---- about a job that is named -------------------------------------------------- */

typedef int event_to_job(
    struct engine *e, struct job *j, const struct event *ev, struct err *err);

event_to_job report_state;
event_to_job start_failed;
event_to_job report_left;
event_to_job order_preemption, order_resumption;
event_to_job order_deadline, order_user_priority, order_priority, order_qos;
event_to_job order_hold, order_release;
event_to_job modify_job;
event_to_job run_job;

/* ---- others --------------------------------------------------------------------- */

typedef int event_to_world(struct engine *e, const struct event *ev,
    struct event_result *ret, struct err *err);

event_to_world submit_job;
/* One that ran and ended while nobody looked: it counts as if somebody had. */
event_to_world report_missed;
event_to_world end_job; /* EVENT_END, EVENT_CANCEL */
event_to_world node_reported, node_state_reported, node_gone;
event_to_world setres;
/* An instance of a standing reservation comes back after a restart. */
event_to_world setres_instance;
event_to_world change_reservation, releaseres;
event_to_world take_settings, take_quotas, take_funds, report_manager;
event_to_world reset_statistics, reset_fairshare, recall_fairshare, recall_history;

/* ---- what they ask of each other ------------------------------------------------ */

/* A job that has just been added runs already: make it so here. Where that does not add
 * up it stays out of the queue, in state Unknown. */
void report_take_over(struct engine *e, struct job *j, const struct job_desc *d);
/* It leaves its nodes and waits again, as one that may be another by now. */
void report_requeued(struct engine *e, struct job *j);
/* The resource manager says that the active job began then: when its processes did, or
 * on a clock that was set since. */
void modify_start(struct engine *e, struct job *j, int64_t start_at);
/* Refused starts (refusals.h) keep others back, or no longer do. */
void refusals_changed(struct engine *e);
/* May the reservation hold these nodes: -E, RESLIMITPOLICY? It may be a draft, or a
 * live one that holds something else at present. */
int setres_check(struct engine *e, const struct reservation *r,
    const struct allocs *alloc, struct err *err);

#endif
