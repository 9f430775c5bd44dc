/* SPDX-License-Identifier: Apache-2.0
 * The parts of the resource managers' side: managers.c (all of them), and of each
 * outbox/ (orders), managers/jobs.c (jobs as told), submissions.c (what is submitted),
 * notes.c (what the RM shows beside jobs), border.c (its names), health.c (does it
 * answer?), manager.c (the rest). lines.c and names.c are about all. Private to them.
 */
#ifndef MAUI_SERVER_MANAGER_PRIVATE_H
#define MAUI_SERVER_MANAGER_PRIVATE_H

#include "base/hash.h"
#include "server/http/turns.h"
#include "server/managers/border.h"
#include "server/managers/manager.h"

#include <jansson.h>
#include <sys/queue.h>

struct manager_batch;
struct submission {
    uint64_t token, sent_us;
    struct manager_batch *batch;
};

struct health;
struct job_owner; /* durable/record.h */
struct limits;
struct notes;
struct outbox;
struct floats;
struct nodewords;
struct rmleft;
struct rmlines;
struct rmnames;
struct rmreservations;

/* All of them, in the order of RMCFG. */
struct managers {
    struct server *s;
    struct VEC(struct manager *) v;
    struct rmnames *names;   /* names.h; NULL in a simulation */
    struct floats *floats;   /* floats.h */
    struct nodewords *words; /* nodewords.h */
    struct limits *limits;   /* limits.h */
    struct rmlines *lines;   /* by which they were opened; NULL in a simulation */
    struct rmleft *left;     /* while they are opened again */
    bool changed;            /* RMCFG says something else by now */
    bool meeting; /* for the first time: names go by the order of the lines */
    bool waited;  /* those that have not told anything are not waited for any more */
    uint64_t since_us; /* when that began, of the loop's clock */
};

struct manager {
    struct server *s;
    char *name;           /* of RMCFG[name]; owned */
    const char *known_as; /* its name in the engine; NULL = it is the plain one */
    const struct rm_driver *driver;
    const struct rm_keeping *keeps; /* what it keeps and can be told of; or NULL */
    struct rm *rm;
    struct border *border;
    struct VEC(char *) held;    /* owned lines of wire.h: told before its turn came */
    uint64_t next_token;        /* of orders and submissions */
    struct outbox *outbox;      /* orders that are on their way: outbox/ */
    struct VEC(uint8_t) told;   /* by job index: in this listing, seen lately: jobs.c */
    struct VEC(char *) settled; /* ids of jobs that are over, for the next commit */
    bool synced;                /* everything has been told at least once */
    struct VEC(struct submission) submissions; /* handed on, not answered */
    struct turns batches;                      /* that are to be handed on */
    struct VEC(struct manager_batch *) behind; /* arrays, until others were answered */
    struct VEC(struct manager_batch *) undone; /* refused arrays that are taken back */
    sd_event_source *undo;
    bool feeding;
    char *immediate, *immediate_not; /* owned: what was told (immediate.h), or NULL */
    bool away; /* the RM is out of reach: what it last told may not be so any more */
    bool told_away, told_unseen; /* the engine knows that, and whether jobs are seen */
    struct health *health;
    struct notes *notes;
    struct rmreservations *reservations; /* reservation.c */
};

/* ---- managers.c ---- */

/* Whose job, node or id it is. Of an id that begins with no manager's name: the plain
 * one's. NULL: of one that is not configured any more. O(managers), O(1) of one. */
struct manager *managers_of(const struct server *s, const struct job *j);
struct manager *managers_of_node(const struct server *s, const struct node *n);
struct manager *managers_of_id(const struct server *s, const char *id);
/* The one with whose name and a '.' the id begins, and what follows; NULL = none. */
const struct manager *managers_named(
    const struct server *s, const char *id, const char **ret_rest);
/* For people: of several its name, else what it is. */
const char *managers_label(const struct manager *m);
/* Where they meet for the first time one is heard when those before it have told
 * everything, so that who has a name first goes by the order of RMCFG. True: the report
 * is kept for then. */
bool managers_hold(struct manager *m, const struct rm_report *r);
/* One more has told everything, or is not waited for: whose turn is it now? */
void managers_hear(struct managers *all);
void manager_hear(struct manager *m); /* what was held of it */
/* One that could not be opened is opened, if that can be now. */
void managers_try_again(struct manager *m);
/* It went away, or is back: of several the engine is told; and whether its jobs are
 * seen. */
void managers_tell_away(struct manager *m);
/* For record_forget_unclaimed(): is the job of that one, `ctx`? */
bool managers_claims(const struct server *s, const char *id, const void *ctx);

/* ---- manager.c ---- */

/* One of them, not in touch with anybody yet. */
struct manager *manager_new(struct server *s, const char *name, bool plain);
/* Its driver is opened, by that section (NULL = none). -1 with a sentence when it can
 * never work as configured. */
int manager_begin(struct manager *m, const struct raw_object *section, struct err *err);
int manager_simulate(struct manager *m, struct err *err);
/* What its driver knows may be told again: it is left open. NULL: it is not. */
struct rm *manager_rest(struct manager *m);
void manager_end(struct manager *m); /* its jobs go on running */
/* One that was left open by a manager of that name, which has it from now on; or NULL.
 * managers.c has them. */
struct rm *managers_take_left(struct managers *all, const char *name);
const struct rm_driver *manager_driver(
    const struct raw_object *section, struct err *err);

/* ---- health.c ---- */

struct health *health_new(void);
void health_free(struct health *h);
void health_told(struct manager *m, const struct rm_report *r);
/* It was asked to look again, and is still down. */
void health_look(struct manager *m);
bool health_is_up(const struct manager *m);
bool health_sees(const struct manager *m); /* its jobs */
/* When a job of it that was not seen since was there last, as far as is known: before
 * it was out of reach, where it is, or was a moment ago. */
int64_t health_last_seen(const struct manager *m, int64_t now);
const char *health_last_failure(const struct manager *m);
/* For diagnose -R. A new reference. */
json_t *health_describe(const struct manager *m);

/* An event; `id`, which is still there when it fails, is of a job or a node. */
void manager_apply(struct manager *m, struct event *ev, const char *id);

/* The loop's clock, and seconds since then: an answer has come. */
uint64_t manager_clock(const struct manager *m);
double manager_count_answer(struct manager *m, uint64_t sent_us);

/* ---- submissions.c ---- */

void submissions_open(struct manager *m);
void submissions_close(struct manager *m);
/* False when the answer is not to a submission. */
bool submissions_answered(struct manager *m, const struct rm_report *r);

/* ---- holds.c ---- */

/* A hold as told, of a job with such holds of ours: which of them it is. */
uint8_t rmholds_told(const struct manager *m, unsigned ours, uint8_t kinds);
/* The job is not held there any more: it is told next, or new. `lifted`: kinds of which
 * the resource manager knows that somebody lifted them. */
void rmholds_lifted(struct manager *m, const struct job *j, uint8_t lifted);
/* All has been told: what it does not hold, and we do. */
void rmholds_synced(struct manager *m);

/* ---- outbox/ ---- */

void outbox_open(struct manager *m);
/* Orders of a former life that were not confirmed. */
void outbox_recall(struct managers *all);
void outbox_close(struct manager *m);
bool outbox_stops(enum rm_action a);
/* False when the answer is not to an order. */
bool outbox_answered(struct manager *m, const struct rm_report *r);
/* The job is over, as `r` tells. Was it to be sent back to the queue, and another start
 * of it waits behind that: nobody was told of that one, and it is none; where what is
 * over is the run that was to leave, that has gone on until then. Before
 * outbox_stopped(). */
void outbox_ended(struct manager *m, const struct rm_job *r);
/* The job is on no nodes any more, or suspended, in that state. True: it had been sent
 * back to the queue, and that has come about, or it is over. *ret_displaced: to make
 * room for another. */
bool outbox_stopped(
    struct manager *m, const char *id, enum job_state state, bool *ret_displaced);
/* Is its start on its way, lost or not sent yet, and nobody has seen it on nodes? */
bool outbox_has_unseen_start(const struct manager *m, const char *id);
/* Is an order on its way that is to change the state of the job? Which. */
bool outbox_pending(const struct manager *m, const char *id, enum rm_action *ret);
/* Somebody has `changed` the job while its start is on its way: what is told of it is
 * kept and told when nothing comes of the start. False: none is on its way. */
bool outbox_keep_change(struct manager *m, const struct rm_job *r, bool changed);
/* The job is on no nodes. Its start was lost, or has not been sent yet and it has
 * changed since that was decided: it waits again. False: there is no such start.
 * *io_changed: it has; also where that was told before, and kept. */
bool outbox_take_back(struct manager *m, const char *id, bool *io_changed);
/* The job is on nodes, or suspended: was its start lost, that has come about. */
void outbox_came_about(struct manager *m, const char *id);
/* That it is cancelled is on its way, and not refused. */
bool outbox_cancels(const struct manager *m, const char *id);
/* A job is told that is new here: orders for another of its id are not carried out. */
void outbox_forget_others(struct manager *m, const struct rm_job *r);
/* The job is told that was cancelled, and whose cancel the resource manager refuses: it
 * is there again. Who was to start on its nodes does not. The cancel is asked for until
 * the job is over. */
void outbox_stays(struct manager *m, const char *id);
/* When such a cancel was decided; 0: there is none, or it is not known. */
int64_t outbox_refused_at(const struct manager *m, const char *id);
/* The QOS that its job had from here, and not from its manager. NULL: none. */
const char *outbox_refused_qos(const struct manager *m, const char *id);
/* Cancels that were refused more than once, of jobs that wait and that run, and the job
 * of one of them, borrowed. O(orders). */
size_t outbox_count_refused(const struct manager *m, const char **ret_id);
/* All jobs begin to be told; this one is, be it that nothing can be said of it. When
 * all have been, what was ordered about one that is not there any more is over: nobody
 * else would say so. O(orders). */
void outbox_begin_listing(struct manager *m);
void outbox_note_listed(const struct manager *m, const char *id);
void outbox_forget_unlisted(struct manager *m);
/* It waits now. True: there is such a cancel, so that the job is to be gone as before.
 */
bool outbox_waits_cancelled(struct manager *m, const char *id);
/* A hold or a release is on its way. */
bool outbox_holds(const struct manager *m, const char *id);
/* A change of its limit is on its way; the latest. */
bool outbox_changes_limit(const struct manager *m, const char *id);
int64_t outbox_limit(const struct manager *m, const char *id);
/* Is one to that limit on its way, the latest or not? */
bool outbox_changes_limit_to(const struct manager *m, const char *id, int64_t limit_s);
/* What could not be done just then, and is promised, is sent once more. */
void outbox_again(struct manager *m);
/* All has been told: what came of what was lost? */
void outbox_settle_lost(struct manager *m);
/* Of a stop that a former life decided it is known now where its job is. Once. */
void outbox_found(struct manager *m, const struct rm_job *r);
/* All that is on its way is recorded, and was sent. */
bool outbox_idle(const struct manager *m);

/* ---- notes.c ---- */

/* Where the RM has a place for notes: each job that waits gets one, and another when
 * why it waits, or when it is expected to start, has changed materially. */
int notes_open(struct manager *m, struct err *err);
void notes_close(struct manager *m);
/* The RM has forgotten what it was told. */
void notes_forget(struct manager *m);

/* ---- managers/jobs.c ---- */

void rmjobs_told(struct manager *m, const struct rm_job *r);
/* A manager that has lost its queue gives the same ids again: is that another job than
 * that one? Where it was submitted at another instant and is another user's or runs
 * another command. One of these alone may have changed: a user is called otherwise, who
 * is requeued is dated anew; but where an instant stays with a job (dates_jobs) another
 * one is enough. */
bool rmjobs_is_of_another(
    const struct manager *m, const struct job_owner *was, const struct rm_job *r);
/* The same of a line of wire.h. */
void rmjobs_told_line(struct manager *m, const char *line);
void rmjobs_gone(struct manager *m, const char *id);
/* It is there, though nothing is told of it: not missed when all has been told. */
void rmjobs_kept(struct manager *m, const char *id);
/* In this listing no more than that. */
bool rmjobs_is_kept(const struct manager *m, const struct job *j);
/* Nobody sees its jobs from now on. */
void rmjobs_lose_sight(struct manager *m);
/* All will be told anew: what was told of changes since the last listing does not count
 * for it. Else a job that goes meanwhile stays as it was for ever. */
void rmjobs_begin_anew(struct manager *m);
void rmjobs_synced(struct manager *m);

#endif
