/* SPDX-License-Identifier: Apache-2.0
 * How far a job may pass its wallclock limit: OVERRUN of its credentials, the largest,
 * else JOBMAXOVERRUN; and where its limit was learned (WCLIMITDEFAULT HISTORY), on to
 * that which it would have otherwise. */
#ifndef MAUI_POLICY_OVERRUN_H
#define MAUI_POLICY_OVERRUN_H

#include "cluster/cluster.h"
#include "cluster/job.h"

/* Seconds; DURATION_UNLIMITED or -1: the scheduler never acts. O(1). */
int64_t overrun_of(const struct cluster *c, const struct job *j);

#endif
