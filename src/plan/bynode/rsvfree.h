/* SPDX-License-Identifier: Apache-2.0
 * What a node can give to a reservation that is not a job's: its face is
 * plan_rsv_begin() and plan_rsv_tasks() in plan/plan.h. What it offered of counted
 * pools since the beginning is a budget of units by pool. */
#ifndef MAUI_PLAN_BYNODE_RSVFREE_H
#define MAUI_PLAN_BYNODE_RSVFREE_H

struct budget;

void budget_destroy(struct budget *b);

#endif
