/* SPDX-License-Identifier: Apache-2.0
 * The active jobs by when they reach their limits.
 *
 *     i    0       1       2       3
 *     at   1000    1000    1500    9000
 *     job  17      40      3       25         by instant, then by job
 */
#ifndef MAUI_PLAN_ENDINGS_H
#define MAUI_PLAN_ENDINGS_H

#include "base/timeval.h"
#include "base/vec.h"
#include "cluster/cluster.h"
#include "cluster/job.h"
#include "config/settings.h"

struct instants VEC(int64_t);

struct ending {
    int64_t at;
    uint32_t job;
};
struct endings VEC(struct ending);

/* O(log n) and a move. */
void endings_add(struct endings *e, int64_t at, uint32_t job);
/* One that is there. */
void endings_remove(struct endings *e, int64_t at, uint32_t job);
/* TIME_NEVER = none. */
int64_t endings_first(const struct endings *e);

/* Is a job overdue whose limit is reached at `at`? All that are stand before those that
 * are not, in endings as well. */
static inline bool ending_is_overdue(int64_t at, int64_t now)
{
    return at <= now;
}

/* When overdue jobs give their resources back, as the plan sees it: they hold them one
 * more poll interval, beyond the ends of some that are not overdue. */
static inline int64_t endings_of_overdue(const struct cluster *c, int64_t now)
{
    return time_add(now, c->cfg->rm_poll_interval_s);
}

/* When any active job does. */
static inline int64_t endings_of(
    const struct cluster *c, const struct job *j, int64_t now)
{
    return ending_is_overdue(j->end_at, now) ? endings_of_overdue(c, now) : j->end_at;
}

#endif
