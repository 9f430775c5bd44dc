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

/* When an active job gives its resources back, as the plan sees it: an overdue one
 * holds them one more poll interval. */
static inline int64_t endings_of(
    const struct cluster *c, const struct job *j, int64_t now)
{
    return j->end_at > now ? j->end_at : time_add(now, c->cfg->rm_poll_interval_s);
}

#endif
