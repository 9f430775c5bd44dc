/* SPDX-License-Identifier: Apache-2.0
 * What jobs were promised and what came of it: of each job that had a reservation its
 * first start promised, the last one, and when it started; where a later start took the
 * place of an earlier one, why and by whom.
 *
 *     reserved ---> waits ---> started      kept, or late by so much
 *                     |
 *                     +------> gone         it ended or left the queue before that
 *
 * Under BACKFILLPOLICY PLAN the latest start is what was promised, else that of its
 * reservation. Records of the store: they outlive a restart. Private to src/server. */
#ifndef MAUI_SERVER_PROMISED_H
#define MAUI_SERVER_PROMISED_H

#include "base/hash.h"
#include "cluster/job.h"
#include "engine/promises.h"

struct action;
struct event;
struct server;

/* So many of those that are over are remembered: 0.7 MB. */
#define PROMISED_MAX 2000

struct promised {
    uint64_t number; /* in the order in which they were made */
    char *id;        /* all texts are owned; NULL = none */
    char *user, *account, *class, *qos;
    int64_t procs, wclimit_s, submit_at;
    int64_t made_at;           /* when the first start was promised */
    int64_t first_at, last_at; /* starts promised */
    int64_t start_at; /* 0 = it has not started; while it waits: it is told to */
    int64_t over_at;  /* it started, or will not; 0 = it waits */
    uint32_t moves;   /* how often it was put off */
    /* of what put it off for the first time, beyond `first_at`; CAUSE_NONE = nothing */
    enum promise_cause cause;
    int64_t broken_at;
    char *what, *by; /* "node 'n04' is down"; the user who did that */
    /* private, while it waits: where the job was last, by its id */
    uint32_t index;
    UT_hash_handle hh;
};

/* With those of former lives. */
void promised_open(struct server *s);
void promised_close(struct server *s);

/* That was decided. O(1). */
void promised_decided(struct server *s, const struct action *a, const struct job *j);
/* That has happened, by order of `by` (NULL = nobody's). O(1). */
void promised_happened(struct server *s, const struct event *ev, const char *by);
/* After a cycle. O(jobs that were promised a start and wait for it); O(active jobs)
 * once a cycle where one is put off without a cause that is seen. */
void promised_look(struct server *s);

/* The i-th, those of jobs that wait first, the newest first; NULL behind the last.
 * Borrowed until the next cycle. O(1). */
const struct promised *promised_at(const struct server *s, size_t i);

#endif
