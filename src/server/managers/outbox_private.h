/* SPDX-License-Identifier: Apache-2.0
 * Orders that have been decided and not answered. Private to outbox.c and pending.c. */
#ifndef MAUI_SERVER_OUTBOX_PRIVATE_H
#define MAUI_SERVER_OUTBOX_PRIVATE_H

#include "server/managers/private.h"

#include <sys/queue.h>
#include <uthash.h>

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
    uint64_t sent_us;                    /* then, of the loop's clock */
    unsigned tries;                      /* answers that said: not now */
    bool again;                          /* to be sent once more, at the next look */
    bool lost;                           /* the RM went away before it answered */
    bool seen;                           /* START, sent: its job is on nodes */
    char *job;                           /* owned by its mates */
    struct VEC(struct job_place) places; /* START: where; stops: what they free */
    int64_t start_at;                    /* of the job, when it was decided */
    int64_t wclimit_s, overrun_s;        /* as in struct rm_command */
    bool over_memory, preempts;
    int signal;
    unsigned kinds; /* RELEASE: of holds */
    bool waits;     /* START: that it has not been sent is noted */
    bool recorded;  /* it outlives the daemon, as: */
    uint64_t record;
    char *cls;     /* START: the class it is in; owned or NULL */
    char *text;    /* owned or NULL */
    char *changed; /* START: what was told of its job since somebody changed that in
                      the RM, as a line of wire.h; owned or NULL */
};

/* Those about one job. */
struct job_orders {
    UT_hash_handle hh;
    char *job; /* owned */
    struct order_list list;
};

/* What has been decided and is not over. */
struct outbox {
    struct order *orders;       /* all of them: hashed by token */
    struct job_orders *by_job;  /* hashed by id */
    struct order_list queue;    /* not sent */
    struct order_list removals; /* not sent: cancels of jobs that are on no nodes */
    size_t removing;            /* of such: sent, and not over */
    struct order_list leaving;  /* stops of jobs on nodes, oldest first */
    struct VEC(char *) changes; /* of jobs whose start failed: lines to be told */
};

/* Those about one job; NULL = there are none. O(1). */
struct job_orders *outbox_orders_of(const struct manager *m, const char *job);

#endif
