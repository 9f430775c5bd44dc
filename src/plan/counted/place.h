/* SPDX-License-Identifier: Apache-2.0
 * For plan_place_now(): nodes for a job that starts now on pools planned by count.
 *
 *     nodes          1    2    3    4    5
 *     free           2    1    2    2    -
 *     cap of pool    4 of these 7 tasks: reservations need the others before the end
 *     3 tasks        2    1                   in RM order, FIRSTAVAILABLE
 *
 * A count says how many units a job may have, not on which nodes. They are bound here,
 * as the last step. */
#ifndef MAUI_PLAN_COUNTED_PLACE_H
#define MAUI_PLAN_COUNTED_PLACE_H

#include "plan/plan.h"

#include <stdint.h>

struct cand_list;
struct fitset;
struct job;
struct counted;

/* Nodes for a job of one request that starts now on the set, whose pools are counted
 * and have enough; 0, or -1 when the policy finds none. O(nodes looked at). */
int place_counted(struct counted *ct, const struct job *j, const struct fitset *s,
    struct allocs *ret, enum wait_code *ret_code);

/* Add the candidates on counted pools of the set, in RM order: what each node can take
 * until `end`, in all no more than reservations leave of its pool. O(nodes). */
void place_collect_counted(struct counted *ct, const struct job *j,
    const struct fitset *s, int64_t end, struct cand_list *io);

#endif
