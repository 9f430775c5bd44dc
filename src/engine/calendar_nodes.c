/* SPDX-License-Identifier: Apache-2.0
 * Nodes for a reservation, as the plan of this moment has them. */
#include "engine/calendar.h"
#include "engine/engine_private.h"
#include "plan/rsvnodes.h"

uint32_t calendar_choose(
    struct engine *e, const struct reservation *r, struct allocs *ret)
{
    struct rsvnodes_free free_tasks = {.tasks = plan_rsv_tasks, .ctx = e->plan};

    plan_rsv_begin(e->plan, r);
    return rsvnodes_choose(e->c, r, &free_tasks, ret);
}

void calendar_place(struct engine *e, struct reservation *r)
{
    struct allocs alloc = {0};

    r->all_hosts = rsvnodes_asks_for_all(e->c, r);
    calendar_choose(e, r, &alloc);
    reservation_set_nodes(e->c, r, &alloc);
    vec_fini(&alloc);
}
