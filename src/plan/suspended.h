/* SPDX-License-Identifier: Apache-2.0
 * Suspended jobs: what they keep, whether they can come back, and when (plan/plan.h).
 */
#ifndef MAUI_PLAN_SUSPENDED_H
#define MAUI_PLAN_SUSPENDED_H

#include "cluster/cluster.h"
#include "cluster/job.h"

struct plan;

/* Pools in which suspended jobs keep memory, or have places, cannot be planned by
 * count: from now on they are planned node by node. O(active jobs), O(1) when none is
 * suspended. */
void suspended_note(struct plan *p);
/* Does a suspended job keep anything of nodes by that definition? */
bool suspended_keeps_memory(const struct taskdef *def);

#endif
