/* SPDX-License-Identifier: Apache-2.0
 * What all merged pools of a kind have free together, over time (merged_sum.h): made of
 * their profiles when somebody asks. */
#ifndef MAUI_PLAN_COUNTED_MERGED_WORK_H
#define MAUI_PLAN_COUNTED_MERGED_WORK_H

#include <stdint.h>

struct counted;
struct profile;

/* Of that kind (struct pool, `kind`). Valid until the plan changes. O(1); O(steps of
 * all merged pools x their log) when these were made anew. */
const struct profile *merged_work(struct counted *ct, uint32_t kind);

#endif
