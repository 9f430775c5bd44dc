/* SPDX-License-Identifier: Apache-2.0
 * The queue of a cycle: who waits and may be considered, in order of priority, within
 * which limits. The daemon and the simulator take the same way through it:
 *
 *     waiting jobs --admission--> by priority --limits--> candidates, hard and soft
 *          |                          |
 *        notes:                     cache:
 *     what a cycle has to know   the order of the last cycle, where
 *     of a job, side by side     nobody overtakes by waiting alone
 *
 * Notes and cache are clean or dirty, and decide nothing: a queue that forgets both
 * gives the same order (tests/property/queue_property_test.c). Whoever changes
 * something about a job touches it; whoever changes a rule touches all. */
#ifndef MAUI_ENGINE_QUEUE_QUEUE_H
#define MAUI_ENGINE_QUEUE_QUEUE_H

#include "config/policies.h"
#include "plan/backfill.h"
#include "policy/order.h"

struct engine;
struct queue;

/* Of that engine, which is borrowed and has to outlive it. */
struct queue *queue_create(struct engine *e);
void queue_destroy(struct queue *q);

/* ---- what happens --------------------------------------------------------------- */

/* The job was submitted and waits. O(1). */
void queue_arrived(struct queue *q, const struct job *j);
/* The job starts in this cycle. O(1). */
void queue_started(struct queue *q, const struct job *j);
/* Something happened to the job, or the reason noted in it is not to last: the next
 * cycle looks at the job itself. O(1). */
void queue_touch(struct queue *q, const struct job *j);
/* Order or admission of jobs that wait already may have changed by something else than
 * submissions, ends and starts: the next cycle orders all of them anew. O(1). */
void queue_touch_order(struct queue *q);
/* Both, for every job. */
void queue_touch_jobs(struct queue *q);

/* ---- a cycle -------------------------------------------------------------------- */

/* Candidates by priority, borrowed until the queue changes. The first `skip` were
 * refused in the last cycle, and would be again. */
struct queue_view {
    const struct candidate *v;
    size_t n, skip;
};

/* Admit and order who waits. O(waiting jobs); O(arrivals) where the order of the last
 * cycle holds. */
void queue_rank(struct queue *q);
/* Then: who is within the hard limits, and within the soft ones if these differ.
 * O(waiting jobs x limits); nothing where the order held. */
void queue_select(struct queue *q);
struct queue_view queue_candidates(const struct queue *q, enum limit_level level);
/* The same candidates in another order. O(candidates). */
void queue_reorder(struct queue *q, const struct queue_view *view,
    enum queue_order order, struct candidates *ret);
/* All that were admitted, by priority: *ret_n indexes, borrowed. */
const uint32_t *queue_admitted(const struct queue *q, size_t *ret_n);

/* State of one partition within a cycle. */
struct par_state {
    uint32_t reserved[RSV_GROUPS_MAX]; /* per depth group */
    bool blocked; /* a job found neither a start nor a reservation */
    bool passed;  /* such a one has no place in the order of reservations at all */
};

/* Before the pass by priority: where nothing came free since the last cycle, those
 * refused then would be again, and what is reserved stands. Such candidates need no
 * look (view.skip), and `io_par` is as they left it. After the pass: remember that. */
void queue_skip_refused(struct queue *q, struct par_state *io_par);
void queue_note_pass(struct queue *q, const struct par_state *par);
/* There is no such pass in this cycle: what earlier ones found does not hold. */
void queue_forget_pass(struct queue *q);
/* The cycle is over: who started leaves. */
void queue_end_cycle(struct queue *q);

/* ---- questions ------------------------------------------------------------------ */

/* Write down the priority that each waiting job had in the last cycle, which computes
 * only those that it needs. O(waiting jobs), O(1) when that has been done since. */
void queue_set_priorities(struct queue *q);

/* Assert that clean notes are as their jobs. For tests. O(waiting jobs). */
void queue_check(struct queue *q);

#endif
