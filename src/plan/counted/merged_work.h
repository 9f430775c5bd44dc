/* SPDX-License-Identifier: Apache-2.0
 * For deep.c: what all merged pools of a kind have free together, over time. It is made
 * of their profiles when somebody asks; merged_sum.h has a picture. */
#ifndef MAUI_PLAN_COUNTED_MERGED_WORK_H
#define MAUI_PLAN_COUNTED_MERGED_WORK_H

#include <stdint.h>

struct counted;
struct profile;

/* The sum of that kind (struct pool, `kind`). Valid until the plan changes. O(1);
 * O(steps of all merged pools x their log) when these were made anew. */
const struct profile *merged_work(struct counted *ct, uint32_t kind);

#endif
