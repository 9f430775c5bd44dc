/* SPDX-License-Identifier: Apache-2.0
 * Reservations of jobs on pools that are planned node by node: what is pinned to each
 * node, and when.
 *
 *     node 4:  job 3 [500, 600) 2 tasks    job 9 [700, 900) 1 task
 *     node 5:  job 3 [500, 600) 2 tasks
 *     node 6:  -                           (pins of an older epoch count as none)
 *
 * A new epoch forgets all of them at once. */
#ifndef MAUI_PLAN_RESERVATIONS_PINS_H
#define MAUI_PLAN_RESERVATIONS_PINS_H

#include "plan/reservations/table.h"

/* A reservation on one node; `req` is the request of the job. */
struct pin {
    int64_t start_at, end_at;
    uint32_t job, req, tasks;
};

/* Of one node. */
struct pins {
    uint64_t epoch; /* older ones are empty */
    struct VEC(struct pin) v;
};

struct pintable;

struct pintable *pintable_create(void);
void pintable_destroy(struct pintable *t);
struct pintable *pintable_copy(const struct pintable *t);

/* All of them. O(1). */
void pintable_forget(struct pintable *t);

/* Pin the nodes of a reservation; take them back. O(nodes x pins on one). */
void pintable_add(struct pintable *t, const struct rsv *r);
void pintable_remove(struct pintable *t, const struct rsv *r);

/* NULL = nothing is pinned to the node. O(1). */
struct pins *pintable_on(const struct pintable *t, uint32_t node);

#endif
