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

struct fitset;
struct counted;
struct set_offer;

/* Units free from now until `end`, as the access class sees them. O(1) when asked again
 * in the same state of the plan, O(pools x log steps) the first time. */
int64_t from_now_until(
    struct counted *ct, struct fitset *s, uint32_t access, int64_t end);
/* The same for all ends, in `free_until`; `weighted`: processors, not units. Valid
 * until the plan changes. */
const struct set_offer *from_now_all(
    struct counted *ct, struct fitset *s, uint32_t access, bool weighted);

#endif
