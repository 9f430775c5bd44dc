/* SPDX-License-Identifier: Apache-2.0
 * Arrays of which at most so many jobs are to be on nodes at once
 * (job_extra.array_limit, which each job of the array has). Jobs of an array are those
 * whose ids differ in the index alone: 12[1], 12[7].
 *
 *     12[1] runs   12[2] held   12[3] suspended   12[4] waits   12[5] waits   12[6]
 * waits place 0      none         place 1           place 2       place 3       place 4
 *
 * Whoever has begun has the first places, a suspended job too: it goes on without being
 * asked again. Then come those that could go, jobs that were promised a start first, as
 * a promise is kept; then by what administrators and users gave them, by when they
 * could go, and by index. A job is kept back while its place is not below its own
 * limit, so that no more of them are planned, or promised anything, than may run. */
#ifndef MAUI_ENGINE_ARRAYS_H
#define MAUI_ENGINE_ARRAYS_H

#include "cluster/cluster.h"
#include "cluster/reason.h"

struct engine;
struct arrays;

struct arrays *arrays_create(void);
void arrays_destroy(struct arrays *a);

bool arrays_limits(const struct job *j);
/* An event was applied, a cycle begins or is over: places are given anew when somebody
 * asks. What is decided in a cycle moves nobody's place in it. O(1). */
void arrays_changed(struct arrays *a);

/* Are as many of its array before it as its limit allows? *ret has the numbers then.
 * O(1), and once after such a change O(jobs). */
bool arrays_refuse(const struct engine *e, const struct job *j, struct reason *ret);

#endif
