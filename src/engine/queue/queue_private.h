/* SPDX-License-Identifier: Apache-2.0
 * What the files of the queue share. Private to src/engine/queue. */
#ifndef MAUI_ENGINE_QUEUE_QUEUE_PRIVATE_H
#define MAUI_ENGINE_QUEUE_QUEUE_PRIVATE_H

#include "base/bitset.h"
#include "engine/admission.h"
#include "engine/eligible.h"
#include "engine/engine_private.h"
#include "engine/queue/ranking.h"
#include "policy/limits_walk.h"
#include "policy/priority.h"

/* What a cycle needs to know of a waiting job, besides its priority. */
struct note {
    int64_t wclimit_s; /* job_least_limit() */
    uint32_t procs;
    uint32_t access;  /* plan_access() */
    uint32_t credset; /* in notes.credsets */
    uint8_t limited;  /* job.limited */
    bool clean;       /* true of the job, which would be admitted as it is */
};

/* What credentials give to priority, in the pass of that number. */
struct note_creds {
    uint64_t pass;
    struct prio_creds give;
};

/* What notes are made from, besides the jobs. */
struct notes_stamp {
    uint64_t priority, config, access;
    uint32_t layout;
    bool able; /* there may be clean ones */
};

/* The waiting jobs side by side, by job index, kept from cycle to cycle:
 *
 *     job 17:    limit, processors, access, credset, clean | part of priority | use
 *                                              |
 *     credset 3: user, group, account, class, QOS          | part of priority
 */
struct notes {
    struct VEC(struct note) v;
    struct VEC(struct prio_own) own;
    size_t width; /* so many resources of a job are noted, where limits look at more
                     than processors */
    struct VEC(int64_t) uses; /* by job, then resource */
    bool more;                /* they do */
    struct credsets credsets;
    struct VEC(struct note_creds) creds; /* by credset */
    struct notes_stamp stamp;
};

/* What decides the place of a job in an order that is kept. */
struct cache_key {
    double points; /* exact priority, up to the same number for all */
    double fixed;  /* the part of it that does not grow */
    int64_t since; /* queue time counts from here */
};

struct kept_back {
    uint32_t job;
    struct admission_stop stop;
};

/* The order of the last cycle: cache.c. */
struct cache {
    struct VEC(struct cache_key) keys;    /* of queue.order and .hard, side by side */
    struct indexes arrived;               /* submitted since the last cycle */
    struct indexes started;               /* in this one */
    struct VEC(struct kept_back) refused; /* queued, but not admitted */
    struct admission_world world;         /* in which they were not */
    struct indexes touched;               /* perhaps only by a pass; may repeat */
    double rate;                          /* points that all gain in a second */
    int64_t origin;                       /* of the points */
    double top;                           /* the most of them, without tiers */
    uint64_t epoch;                       /* of the parts that do not grow */
    uint32_t layout;                      /* that admission was decided in */
    bool able;                            /* in this cycle: the order may be kept */
    bool clean;                           /* keys, order and candidates are right */
    bool in_use;                          /* in this cycle: nobody was looked at */
    bool by_distance;                     /* some order is by distance alone */
    size_t decided; /* so many candidates from the top were refused in the last cycle,
                       or have reservations; nothing else has happened to them */
    struct par_state par[PARTITIONS_MAX + 1]; /* as they left it */
};

/* Candidates before `front` started: moving the others up would cost more. */
struct queue {
    struct engine *e;
    struct indexes waiting;       /* queued jobs by submit time */
    struct indexes order;         /* those admitted, by priority */
    struct candidates hard, soft; /* of them within the limits of that level */
    struct bitset reserved; /* jobs with reservations, while others are selected */
    size_t front;           /* of order and hard */
    size_t skip;            /* as in queue_view, and of those at the front */
    struct prio_pass pass;  /* of the running cycle, or the last one */
    uint64_t pass_stamp;    /* what it was made from */
    bool priced;            /* all priorities are written down, as of then */
    struct notes notes;
    struct cache cache;
    struct ranking ranking;
};

/* key.c: what an order other than by priority sorts by; smaller goes first. */
double queue_key(struct engine *e, const struct job *j, enum queue_order order);

/* notes.c */
void notes_fini(struct notes *n);
/* A pass over the waiting jobs begins: what was noted by other rules is dirty. */
void notes_begin(struct queue *q);
/* Note the job as it is. */
void notes_take(struct queue *q, struct job *j);
/* Its priority from a clean note, written down. False: not enough to admit it. */
bool notes_give_priority(struct queue *q, uint32_t job);
struct candidate notes_candidate(const struct queue *q, uint32_t job);

/* select.c */
void select_candidates(struct queue *q, bool soft);

/* cache.c */
void cache_fini(struct cache *k);
/* It waits, but was not admitted. */
void cache_set_aside(struct queue *q, const struct job *j);
/* Bring order and candidates up to date without looking at everybody. False when that
 * cannot be done: nothing has happened then. O(arrivals). */
bool cache_rank(struct queue *q);
/* The order was made anew, candidates will be in this cycle. O(waiting jobs). */
void cache_capture(struct queue *q);

#endif
