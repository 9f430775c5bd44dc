/* SPDX-License-Identifier: Apache-2.0
 * The scheduler's memory as records of the store, by kind:
 *
 *   job          id     struct job_memory; from submission to end
 *   passed       jobs   how often others passed them (passed.h)
 *   world        restless  whether it changed since the last cycle (restless.h)
 *   change       id     attributes changed since the submission (modify.c)
 *   order        id N   an order that was acknowledged and not yet confirmed
 *   reservation  name   administrative and user reservations, as what was asked
 *   standing     name   instances: where they are, what fired, what was released
 *   fairshare    kind:name   windows (usage.c has both)
 *   statistics   system ...  durable/statistics.h
 *   forecast     sum, bucket:block   how far off expected starts were (history.h)
 *   trigger      RSV/index/fired   fired, not carried out yet (triggers.h)
 *   parameter    name   changed at run time
 *   message      number
 *
 * Nothing here commits. Private to src/server. */
#ifndef MAUI_SERVER_RECORD_H
#define MAUI_SERVER_RECORD_H

#include "cluster/memory.h"
#include "rm/rm.h"

struct server;
struct record_memory;

/* Whose a job is: its id alone may be another's by the next time. */
struct job_owner {
    const char *user;    /* NULL: not known */
    const char *command; /* what it runs; NULL: not known */
    int64_t submit_at;
};

/* ---- jobs ---- */

/* Write what is to be remembered of the job. */
void record_job(struct server *s, const struct job *j);

/* What was remembered of a job before the restart: fills *ret, whose texts live as long
 * as the result. NULL = nothing. Each is told once. */
struct record_memory *record_recall(
    struct server *s, const char *id, struct job_memory *ret);
/* Whose it was; its texts live as long as `m`. An older record does not say. */
struct job_owner record_owner(const struct record_memory *m);
void record_memory_free(struct record_memory *m);

/* When the job was submitted that is remembered by that id, be it that its manager has
 * yet to tell of it: 0 = none is, or an older record does not say. */
int64_t record_submit_at(struct server *s, const char *id);

/* Nor what was changed of it: nobody is asked to end it any more. */
void record_forget_changes(struct server *s, const char *id);

/* In the `extra` of an account's row: seconds for which the job was suspended, of those
 * from its start to its end. Absent: none, or the row is of an older release. */
#define RECORD_SUSPENDED "suspended_s"
/* 1: nobody asked for its limit. */
#define RECORD_UNASKED "unasked"

/* The job has ended, in whatever way: its account is written, its record goes. */
void record_end(struct server *s, const struct job *j, const char *state, int64_t at);

/* The job that was remembered so has ended while the scheduler was away. */
void record_missed_end(
    struct server *s, const struct rm_job *r, const struct job_memory *m);

/* One that was remembered went before this life of the daemon: it is accounted for by
 * what was remembered, and its record goes. */
void record_unclaimed(struct server *s, const char *id);

/* After the first listing of one of them: jobs of those that `is_its` that nobody knows
 * any more. */
void record_forget_unclaimed(struct server *s,
    bool (*is_its)(const struct server *s, const char *id, const void *ctx),
    const void *ctx);

/* ---- orders ---- */

/* One that was acknowledged and is not confirmed: `signal` of RM_SIGNAL, `wclimit_s` of
 * RM_MODIFY, `kinds` of holds. */
struct order_record {
    enum rm_action action;
    unsigned kinds;
    int signal;
    int64_t wclimit_s;
    bool preempts;    /* REQUEUE: to make room for another job */
    const char *text; /* or NULL */
    /* Its job was that one: the id may come back. What an older state has not: NULL, 0.
     */
    struct job_owner of;
    int64_t decided_at;  /* 0 = not known */
    const char *refused; /* CANCEL: why its job runs on; or NULL */
    const char *qos;     /* CANCEL: that its job had from here alone; or NULL */
};

/* A job may have several. Returns the number of this one. */
uint64_t record_order(struct server *s, const char *job, const struct order_record *r);
/* It is another one by now: of the same number. */
void record_order_again(
    struct server *s, const char *job, uint64_t number, const struct order_record *r);
void record_order_done(struct server *s, const char *job, uint64_t number);

/* Those that a former life of the daemon left open; of a job in the order in which they
 * were given. */
void record_each_order(struct server *s, void *ctx,
    void (*each)(
        void *ctx, const char *job, uint64_t number, const struct order_record *r));

/* The highest number a job was given: jobs of a resource manager that has lost its own
 * memory of it are not to bear the numbers of others. */
void record_open(struct server *s);
void record_close(struct server *s);
int64_t record_last_number(struct server *s);
void record_number(struct server *s, const char *job_id);

#endif
