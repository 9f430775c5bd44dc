/* SPDX-License-Identifier: Apache-2.0
 * What a node can give to a reservation that is not a job's: plan_rsv_begin() and
 * plan_rsv_tasks() in plan/plan.h. The budget is the units of each counted pool that
 * were offered since plan_rsv_begin(). */
#ifndef MAUI_PLAN_BYNODE_RSVFREE_H
#define MAUI_PLAN_BYNODE_RSVFREE_H

struct budget;

void budget_destroy(struct budget *b);

#endif
