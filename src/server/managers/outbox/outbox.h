/* SPDX-License-Identifier: Apache-2.0
 * The orders of one resource manager that are on their way, for those who handle them:
 *
 *     decide.c  -->  queues.c  -->  send.c  -->  told.c    answered, or come about
 *                                        \->  fail.c    nothing comes of it
 *
 * Private to src/server/managers/outbox; what others ask is in managers/private.h. */
#ifndef MAUI_SERVER_OUTBOX_H
#define MAUI_SERVER_OUTBOX_H

#include "base/bitset.h"
#include "server/managers/private.h"

TAILQ_HEAD(order_list, order);

/* A decision that has not been answered yet. */
struct order {
    UT_hash_handle hh; /* by token, in the order in which they were decided */
    uint64_t token;
    TAILQ_ENTRY(order) queue, leaving, of_job;
    struct order_list *queued; /* not sent: where it waits for that */
    bool leaves;               /* it is in `leaving` */
    struct job_orders *mates;
    enum rm_action action;
    bool sent, is_removing;
    uint64_t sent_us;  /* then, of the loop's clock */
    unsigned tries;    /* answers that said: not now */
    bool again;        /* to be sent once more, at a look from */
    uint64_t again_us; /* this instant of the loop's clock on */
    char *refused;     /* CANCEL of a job on nodes: why it runs on; owned or NULL */
    char *qos;         /* CANCEL: that its job had from here alone; owned or NULL */
    bool lost;         /* the RM went away before it answered */
    bool seen;         /* START, sent: its job is on nodes */
    bool told;         /* CANCEL: its job is known to be there */
    bool taken;        /* a stop: the RM has answered that it does it */
    char *job;         /* owned by its mates */
    struct VEC(struct job_place) places; /* START: where; stops: what they free */
    int64_t start_at;                    /* of the job, when it was decided */
    int64_t wclimit_s, overrun_s;        /* as in struct rm_command */
    bool over_memory, preempts;
    int signal;
    unsigned kinds; /* RELEASE: of holds */
    bool waits;     /* START: that it has not been sent is noted */
    bool recorded;  /* it outlives the daemon, as: */
    uint64_t record;
    char *user; /* whose job it is, what it runs, and since when, as told; owned, NULL =
                   not known */
    char *command;
    int64_t submit_at;
    int64_t decided_at; /* 0 = not known */
    char *cls;          /* START: the class it is in; owned or NULL */
    char *text;         /* owned or NULL */
    char *changed; /* START: what was told of its job since somebody changed that in
                      the RM, as a line of wire.h; owned or NULL */
};

/* Those about one job. */
struct job_orders {
    UT_hash_handle hh;
    char *job; /* owned */
    struct order_list list;
    bool listed; /* its job was told, since all of them began to be told */
};

/* What has been decided and is not over. */
struct outbox {
    struct order *orders;       /* all of them: hashed by token */
    struct job_orders *by_job;  /* hashed by id */
    struct order_list queue;    /* not sent */
    struct order_list removals; /* not sent: cancels of jobs that are on no nodes */
    size_t removing;            /* of such: sent, and not answered */
    struct order_list leaving;  /* stops of jobs on nodes, oldest first */
    struct VEC(char *) changes; /* of jobs whose start failed: lines to be told */
};

#define LIMIT_TRIES 10 /* of another limit: the job's start waits for it */
#define REFUSALS    2  /* of a cancel, until its job passes for one that runs */

/* ---- queues.c ---- */

/* Was it acknowledged, so that it outlives the daemon? A signal is sent once more when
 * nobody knows whether it was sent, but not when it was. */
bool outbox_is_lasting(enum rm_action a);
/* Does it send its job back to the queue? */
bool outbox_sends_back(const struct order *o);
/* One that is in no queue yet; `text` NULL = no reason. */
struct order *outbox_new(
    struct manager *m, enum rm_action action, const char *job, const char *text);
/* It is over: no record of it, and who waits for it is told. */
void outbox_drop(struct manager *m, struct order *o);
/* To the end of the queue of its kind; out of it. */
void outbox_enqueue(struct manager *m, struct order *o);
void outbox_dequeue(struct order *o);
void outbox_mark_sent(struct manager *m, struct order *o);
/* Whatever the answer is, or that none comes: the manager is through with it. */
void outbox_mark_answered(struct manager *m, struct order *o);
/* It is to be sent once more. */
void outbox_mark_unsent(struct manager *m, struct order *o);
/* Its job is on nodes: who is to start there waits. */
void outbox_await_leaving(struct manager *m, struct order *o);
/* NULL: none is about that job. */
struct job_orders *outbox_of_job(const struct manager *m, const char *job);
/* The cancel of the job, of which there is one at most. NULL: there is none. */
struct order *outbox_cancel_of(const struct manager *m, const char *id);
/* The cancel of the job that its manager refuses. NULL: there is none. */
struct order *outbox_refused_cancel(const struct manager *m, const char *id);
/* It is sent once more at the next occasion, however often it was refused. */
void outbox_ask_now(struct manager *m, struct order *o);
/* Its record says what it is now. */
void outbox_record_again(struct manager *m, const struct order *o);
/* Nobody waits for it any more. */
void outbox_stop_leaving(struct manager *m, struct order *o);
/* The start of the job that has not been sent. NULL: there is none. */
struct order *outbox_waiting_start(const struct manager *m, const char *id);
/* Of a change of the limit: is there no later one? */
bool outbox_is_last_limit(const struct order *o);
/* The nodes of an order, into a set; or is one of them in it? */
void outbox_add_nodes(
    const struct manager *m, const struct order *o, struct bitset *set);
bool outbox_has_node(
    const struct manager *m, const struct order *o, const struct bitset *set);

/* ---- fail.c ---- */

/* It was answered: not so. The order may be gone afterwards. */
void outbox_fail(
    struct manager *m, struct order *o, enum rm_outcome how, const char *text);
/* The limit stays as it was: a start that was to follow is gone. */
void outbox_fail_limit(struct manager *m, const struct order *o, const char *text);
/* The job was to start, and does not: it waits, or runs on where it was. */
void outbox_take_back_start(struct manager *m, const struct order *start);
/* Nobody carried the start out: it was no run, and is not held against the job. */
void outbox_undo_start(struct manager *m, const struct order *start);
/* What was decided has not come about: the engine shall know what is. */
void outbox_set_right(struct manager *m, const struct order *o);
/* Nothing came of the start. What somebody changed of its job meanwhile is told by
 * outbox_tell_changes(). */
void outbox_drop_start(struct manager *m, struct order *o);
void outbox_tell_changes(struct manager *m);

#endif
