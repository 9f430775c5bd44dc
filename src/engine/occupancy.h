/* SPDX-License-Identifier: Apache-2.0
 * A job takes its nodes, leaves them, or is other than before: who has to know of it is
 * a table, and this is the only place that tells them.
 *
 *     start, resume, taken over ---> occupies --+      plan, limits, fairshare
 *     end, preemption, requeue  ---> vacates  --+      use of reservations
 *     it is complete            ---> ended    --+-->   statistics, calendar
 *     it was there, unseen      ---> occupied --+      preemption, promises
 *     other request, class, hold --> changes  --+      the queue
 *
 * A change of what an active job counts by is an end, the change, and a beginning:
 * job_change_begins(), job_change_ends(). */
#ifndef MAUI_ENGINE_OCCUPANCY_H
#define MAUI_ENGINE_OCCUPANCY_H

#include <stdbool.h>
#include <stdint.h>

struct engine;
struct job;

/* Who decided that it has its nodes. */
enum occupancy_by {
    OCCUPANCY_PLANNED, /* the plan of this cycle: it leaves the queue */
    OCCUPANCY_FORCED, /* an order: it leaves the queue, and the plan has to make room */
    OCCUPANCY_RESUMED, /* the plan of this cycle, of a suspended job */
    OCCUPANCY_REPORTED /* somebody else: the plan has to make room for what came */
};

/* The job has its nodes, as its record says (after job_start()); statistics count it
 * from `from` on (<= now: told late). O(pieces of its allocation) and its credentials.
 */
void job_occupies(struct engine *e, struct job *j, int64_t from, enum occupancy_by by);

/* It is about to leave them, which it used until `until` (<= now). Its record still
 * says that it has them (before job_stop()). */
void job_vacates(struct engine *e, struct job *j, int64_t until);

/* It had nodes from its start to `until` and has none now. `remembered`: fairshare has
 * to be charged for that time; otherwise it was before anybody counted. */
void job_occupied(struct engine *e, struct job *j, int64_t until, bool remembered);

/* It is complete since `at`, after job_vacates() or job_occupied(). `success`: by
 * itself, or at its limit. */
void job_ended(struct engine *e, struct job *j, int64_t at, bool success);

/* What is other than before. Each includes no other. */
enum change_of {
    CHANGE_OF_STATE,   /* held, deferred, released, in the queue again, out of it */
    CHANGE_OF_REQUEST, /* it asks for something else: judge it anew after that */
    CHANGE_OF_RULES,   /* what it may have was found anew */
    CHANGE_OF_CLASS    /* it is in another of the classes in which it may run */
};

/* After the change. To be called once too often does no harm. O(1), and O(its
 * reservation) where that goes. */
void job_changes(struct engine *e, struct job *j, enum change_of what);

/* Around a change of what it counts by (credentials, limit, start), which it has
 * counted by until `until`. Nothing to do while it is not on nodes; returns whether it
 * is, for job_change_ends(). */
bool job_change_begins(struct engine *e, struct job *j, int64_t until);
void job_change_ends(struct engine *e, struct job *j, bool counted);

#endif
