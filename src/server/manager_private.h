/* SPDX-License-Identifier: Apache-2.0
 * The parts of the resource manager's side: outbox.c (orders), rmjobs.c (jobs as told),
 * manager.c (the rest). Private to them. */
#ifndef MAUI_SERVER_MANAGER_PRIVATE_H
#define MAUI_SERVER_MANAGER_PRIVATE_H

#include "server/manager.h"

#include <jansson.h>

#define FAILURES_KEPT 3

struct failure {
    int64_t at;
    char function[40], text[200];
};

/* What one request submits: a job, or those of an array. The client waits for all. */
struct manager_batch {
    struct request *request;
    json_t *ids; /* of those made */
    size_t open; /* not answered yet */
    bool closed; /* there will be no more */
    struct err err;
};

struct submission {
    uint64_t token, sent_us;
    struct manager_batch *batch;
};

/* A decision that has not been answered yet. */
struct order {
    uint64_t token;
    enum rm_action action;
    bool sent;
    uint64_t sent_us;                    /* then, of the loop's clock */
    bool lost;                           /* the RM went away before it answered */
    char *job;                           /* owned */
    struct VEC(struct job_place) places; /* START: where; stops: what they free */
    int64_t wclimit_s, overrun_s;        /* as in struct rm_command */
    int signal;
    unsigned kinds; /* RELEASE: of holds */
    char *cls;      /* START: the class it is in; owned or NULL */
    char *text;     /* owned or NULL */
};

struct manager {
    struct server *s;
    uint64_t next_token;
    struct VEC(struct order) orders;
    struct VEC(uint8_t) told; /* by job index: in this listing */
    bool synced;              /* everything has been told at least once */
    struct VEC(struct submission) submissions;
    struct failure failures[FAILURES_KEPT];
    uint32_t nfailures;
    uint64_t answers; /* to submissions and orders, and how long they took */
    double answer_s, answer_max_s;
    bool up;
    bool away; /* the RM is out of reach: what it last told may not be so any more */
    int64_t failing; /* looks in a row that found it down */
    bool failure_told;
};

/* An event; `id`, which is still there when it fails, is of a job or a node. */
void manager_apply(struct manager *m, struct event *ev, const char *id);

/* The loop's clock, and seconds since then: an answer has come. */
uint64_t manager_clock(const struct manager *m);
double manager_count_answer(struct manager *m, uint64_t sent_us);

/* ---- outbox.c ---- */

/* Orders of a former life that were not confirmed. */
void outbox_open(struct manager *m);
void outbox_close(struct manager *m);
bool outbox_stops(enum rm_action a);
/* False when the answer is not to an order. */
bool outbox_answered(struct manager *m, const struct rm_report *r);
void outbox_stopped(struct manager *m, const char *id, bool is_over);
/* The order that is to change the state of the job, or NULL. */
const struct order *outbox_pending(const struct manager *m, const char *id);
void outbox_settle_lost(struct manager *m);

/* ---- rmjobs.c ---- */

void rmjobs_told(struct manager *m, const struct rm_job *r);
void rmjobs_gone(struct manager *m, const char *id);
void rmjobs_synced(struct manager *m);

#endif
