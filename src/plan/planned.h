/* SPDX-License-Identifier: Apache-2.0
 * The reservation of a waiting job, as others than the plan are told of it. */
#ifndef MAUI_PLAN_PLANNED_H
#define MAUI_PLAN_PLANNED_H

#include <stdint.h>

/* Where the reservation of a waiting job is; or where it was, if the job is owed
 * another one: that holds nothing until it is made. */
struct planned {
    int64_t start_at;
    uint32_t partition; /* INDEX_NONE: not known, of one owed */
    uint32_t row;       /* in the order of making; INDEX_NONE: it is owed one */
};

#endif
