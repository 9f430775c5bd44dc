/* SPDX-License-Identifier: Apache-2.0
 * Suspended jobs: what they keep, and whether they can come back (plan_can_resume() in
 * plan/plan.h). */
#ifndef MAUI_PLAN_SUSPENDED_H
#define MAUI_PLAN_SUSPENDED_H

#include "cluster/cluster.h"
#include "cluster/job.h"

struct plan;

/* Pools in which suspended jobs keep memory cannot be planned by count: from now on
 * they are planned node by node. O(active jobs), O(1) when none is suspended. */
void suspended_note(struct plan *p);

#endif
