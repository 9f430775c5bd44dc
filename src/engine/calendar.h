/* SPDX-License-Identifier: Apache-2.0
 * Reservations that are not of jobs, in a cycle: standing ones roll to their next
 * period, incomplete ones take nodes, flexible ones move, all begin and end, triggers
 * fire. Nothing is looked at again while neither time nor the world asks for it. */
#ifndef MAUI_ENGINE_CALENDAR_H
#define MAUI_ENGINE_CALENDAR_H

#include "base/zone.h"
#include "cluster/reservation.h"

struct rsv_calendar;
struct engine;
struct plan;

/* `zone`: the local days of standing reservations. */
struct rsv_calendar *calendar_create(struct zone zone);
void calendar_destroy(struct rsv_calendar *k);

/* Early in a cycle. O(reservations) where some began, ended or rolled. */
void calendar_refresh(struct engine *e);
/* A job is about to be promised a place that ends by then at the latest. True: no
 * instance of a standing reservation will come in its way that is not there now; of
 * what is more than 100 days ahead that is not known. Else those up to there are made
 * in the next cycle, and it is to be promised then. O(standing reservations). */
bool calendar_reach(struct engine *e, int64_t until);
/* Choose nodes for one, or complete what it holds; the tasks it then has. A user's has
 * nothing that is promised to jobs, another kind's where there is nothing else. */
uint32_t calendar_choose(
    struct engine *e, const struct reservation *r, struct allocs *ret);
/* The same of what that view leaves; NULL = the plan alone. */
uint32_t calendar_choose_in(struct engine *e, struct plan *view,
    const struct reservation *r, struct allocs *ret);
/* What it has to be content with: a user's puts no promise off. NULL = the plan alone.
 * Owned. It costs a copy of the plan, and nodes for all that is planned there. */
struct plan *calendar_view_of(struct engine *e, const struct reservation *r);
/* The first node of these of which it could not have as much in its window, as that
 * view leaves it; NULL = none. A list of hosts is taken whatever goes on there, but by
 * a user where a view is given. O(nodes). */
const struct node *calendar_taken(struct engine *e, struct plan *view,
    const struct reservation *r, const struct allocs *alloc);
/* Give it the nodes chosen. */
void calendar_place(struct engine *e, struct reservation *r);
/* Those that go with the job. */
void calendar_job_ended(struct engine *e, const struct job *j);

#endif
