/* SPDX-License-Identifier: Apache-2.0
 * A job takes its nodes and leaves them: who has to know of it is a table, and this is
 * the only place that tells them.
 *
 *     start, resume, taken over  --+                  +--> plan
 *     end, preemption, requeue   --+--> occupancy --> +--> limits
 *     other limit, start or QOS  --+                  +--> use of reservations
 *     ended unseen, suspended    --+                  +--> fairshare
 *                                                     +--> statistics
 *
 * A change of what an active job counts by is an end, the change, and a beginning. */
#ifndef MAUI_ENGINE_OCCUPANCY_H
#define MAUI_ENGINE_OCCUPANCY_H

#include <stdbool.h>
#include <stdint.h>

struct engine;
struct job;

/* Whether the plan of this cycle decided it, or it has to make room for what came. */
enum occupancy_by { OCCUPANCY_PLANNED, OCCUPANCY_UNPLANNED };

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

#endif
