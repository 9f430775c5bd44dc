/* SPDX-License-Identifier: Apache-2.0
 * For plan_fits_now(), plan_place_now() and windows of backfill: what counted pools
 * offer together to a job that starts now, by when it ends.
 *
 *     pool 1   until 100: 5   until 300: 2
 *     pool 2   until 200: 4   then it is closed
 *     sum      until 100: 9   until 200: 6   until 300: 2 */
#ifndef MAUI_PLAN_COUNTED_FROM_NOW_H
#define MAUI_PLAN_COUNTED_FROM_NOW_H

#include <stdbool.h>
#include <stdint.h>

struct counted;
struct fitset;
struct free_untils;

/* Units free from now until `end`, as the access class sees them. O(1) when asked again
 * in the same state of the plan, O(pools x log steps) the first time. */
int64_t from_now_until(
    struct counted *ct, const struct fitset *s, uint32_t access, int64_t end);
/* For windows of backfill: processors of all counted pools of the partition, for all
 * ends. Valid until the plan changes. O(1) when asked again, O(steps of all pools x
 * their log) the first time. */
const struct free_untils *from_now_procs(
    struct counted *ct, uint32_t partition, uint32_t access);

/* ---- its memory: all counted pools of each partition as one set ---- */

struct whole_partitions;

struct whole_partitions *whole_partitions_create(void);
void whole_partitions_destroy(struct whole_partitions *w);

#endif
