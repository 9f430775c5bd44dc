/* SPDX-License-Identifier: Apache-2.0
 * What the files of the room share: the collaborators of counted.h, and their own. */
#ifndef MAUI_PLAN_COUNTED_COUNTED_PRIVATE_H
#define MAUI_PLAN_COUNTED_COUNTED_PRIVATE_H

#include "plan/closures/closures.h"
#include "plan/counted/count.h"
#include "plan/counted/counted.h"
#include "plan/counted/merged_sum.h"
#include "plan/counted/unsettled.h"
#include "plan/nodes/rsvview.h"
#include "plan/pools/fits.h"
#include "plan/pools/pools.h"
#include "plan/reservations/table.h"

struct counted {
    struct cluster *c;
    const int64_t *now;
    uint64_t *version;
    struct closures *closures;
    struct pools *pools;
    struct fits *fits;
    const struct rsvtable *reserved;
    struct rsvview *view;

    struct unsettled unsettled; /* count.c notes, small_pools.c reads */
    struct small_pools *small;  /* small_pools.c */
    struct merged_sum
        *merged_sum;              /* count.c keeps it in step, merged_work.c makes it */
    struct search_memory *search; /* search.h */
};

#endif
