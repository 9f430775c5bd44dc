/* SPDX-License-Identifier: Apache-2.0
 * What throttling limits leave over time, where waiting jobs are planned together
 * (BACKFILLPOLICY PLAN): of who is active until it ends, and of who has a reservation.
 *
 *     alice may have 4 processors     in use    0 to 40: 4     from 90 to 190: 2
 *                                     left      40: 4     90: 2     190: 4
 *
 * Limits that cannot keep anybody back, though all that are under them ran at once, are
 * left out. Where soft limits are tighter than hard ones, and for quotas of the
 * resource manager, nothing is planned ahead: who is over one waits outside of the
 * plan. Source: reference plan-search, section 5. */
#ifndef MAUI_ENGINE_BOUNDS_H
#define MAUI_ENGINE_BOUNDS_H

#include "plan/expected.h"
#include "plan/search/wishes.h"
#include "policy/limits_bounds.h"

struct engine;
struct plan;
struct slot;
struct bitset;

struct bound; /* a usage that is limited, and what is asked of it */

/* What a job asks of one. */
struct bound_asked {
    uint32_t wish;
    struct bound *of;
    int64_t most, use;
};

struct bounds {
    struct limits_rules rules; /* none: no limit is planned ahead */
    struct bound *by_whose;
    struct VEC(struct bound_asked) asked;
    uint32_t n; /* that may keep somebody back */
};

void bounds_begin(struct engine *e, struct bounds *b); /* anew, or a zeroed one */
void bounds_fini(struct bounds *b);

/* The job is that wish. O(limits in force). */
void bounds_add(struct engine *e, struct bounds *b, const struct job *j, uint32_t wish);
/* All are added: their wishes are under those limits that may keep somebody back. O(of
 * them + active jobs x limits in force). */
void bounds_settle(struct engine *e, struct bounds *b, struct wishes *io);
/* What those leave, behind the parts that are there, as if nothing were reserved for
 * these jobs. Active jobs end as `end_of` says; NULL: by their limits. O(active jobs
 * and reservations x limits in force). */
void bounds_open(struct engine *e, const struct bounds *b, const struct bitset *jobs,
    expected_end_fn *end_of, void *ctx, struct wishes *io);

/* One job alone, in that partition (INDEX_NONE: in any): the first instant from there
 * on at which its limits have room for it, beside all others that have reservations;
 * TIME_NEVER: there is none. The same cost, where it is under a limit. */
struct bounds_of_job {
    struct wishes w;
    bool any;
};
void bounds_of(struct engine *e, const struct job *j, uint32_t partition,
    struct bounds_of_job *ret);
int64_t bounds_fit(const struct bounds_of_job *b, int64_t from);
void bounds_of_fini(struct bounds_of_job *b);

/* Of jobs that have reservations, those for which limits have no room there, beside who
 * is active and the others, taken in that order. O(active jobs and reservations x
 * limits in force + jobs x steps). */
void bounds_over(
    struct engine *e, const uint32_t *jobs, size_t n, struct bitset *io_over);

/* plan_fit_by() in that plan, at an instant at which its limits have room for it, too,
 * where jobs are planned together. */
bool bounds_fit_by(struct engine *e, struct plan *plan, const struct job *j,
    int64_t from, int64_t by, struct slot *ret_slot);

/* May it start now without taking of a limit what is planned for others? One that is
 * due in the plan may. O(limits in force x (log steps + steps inside)), after the plan
 * has changed in another way than by bounds_started() once more O(active jobs and
 * reservations x limits in force). */
bool bounds_leave(struct engine *e, const struct job *j);
/* If not: which limit, of which job is planned for when. */
bool bounds_why(struct engine *e, const struct job *j, struct reason *ret);
/* A job starts. Asked before: may bounds_started() tell of it, with no look at all
 * others? O(limits in force x steps). */
bool bounds_follow(const struct engine *e, const struct job *j);
void bounds_started(struct engine *e, const struct job *j);

struct bounds_now; /* what bounds_leave() remembers */
struct bounds_now *bounds_now_create(void);
void bounds_now_destroy(struct bounds_now *k);

/* May a job that is over a limit by now have a place in the plan? */
bool bounds_plan(struct engine *e, const struct job *j);

#endif
