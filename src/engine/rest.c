/* SPDX-License-Identifier: Apache-2.0
 * See rest.h. */
#include "engine/rest.h"

#include "engine/bounds.h"
#include "engine/engine_private.h"

int64_t rest_find(struct engine *e, const struct job *j, int64_t from, int64_t also)
{
    uint32_t partition = node_at(e->c, j->alloc.v[0].first)->partition;
    struct bounds_of_job b;
    int64_t at = from, bound;

    bounds_of(e, j, partition, &b);
    while ((bound = bounds_fit(&b, at)) < TIME_NEVER) {
        at = plan_fit_rest(e->plan, j, bound, also);
        if (at >= TIME_NEVER || bounds_fit(&b, at) == at)
            break;
    }
    bounds_of_fini(&b);
    return bound < TIME_NEVER ? at : plan_fit_rest(e->plan, j, from, also);
}

void rest_drop(struct engine *e, const struct job *j)
{
    plan_unreserve(e->plan, j);
    plan_owe(e->plan, j, 0);
}

void rest_reserve(struct engine *e, const struct job *j, int64_t at)
{
    if (at >= TIME_NEVER)
        return;
    plan_reserve_rest(e->plan, j, at);
    wake_at(e, at);
}
