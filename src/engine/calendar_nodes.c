/* SPDX-License-Identifier: Apache-2.0
 * Nodes for a reservation, as the plan of this moment has them. */
#include "config/settings.h"
#include "engine/calendar.h"
#include "engine/engine_private.h"
#include "plan/rsvnodes.h"

/* A fork of the plan in which all that waiting jobs have has nodes: what is free there
 * puts no promise off. NULL = nothing is promised. */
static struct plan *fork_beside_promises(struct engine *e)
{
    return settings_plan_together(e->cfg)
                   && promises_count(e->promises, PROMISE_START) > 0
                   && plan_reservations(e->plan) > 0
               ? plan_fork_bound(e->plan)
               : NULL;
}

struct plan *calendar_view_of(struct engine *e, const struct reservation *r)
{
    return r->kind == RSV_USER ? fork_beside_promises(e) : NULL;
}

const struct node *calendar_taken(struct engine *e, struct plan *view,
    const struct reservation *r, const struct allocs *alloc)
{
    struct plan *plan = view ? view : e->plan;

    if (rsvnodes_is_fixed(r) && (!view || r->kind != RSV_USER))
        return NULL;
    plan_rsv_begin(plan, r);
    for (size_t i = 0; i < alloc->n; i++)
        for (uint32_t k = 0; k < alloc->v[i].count; k++) {
            uint32_t node = alloc->v[i].first + k;
            if (plan_rsv_tasks(plan, r, node, r->start_at, r->end_at)
                < alloc->v[i].tasks)
                return node_at(e->c, node);
        }
    return NULL;
}

/* Of a list of hosts, all or none. */
uint32_t calendar_choose_in(struct engine *e, struct plan *view,
    const struct reservation *r, struct allocs *ret)
{
    struct plan *plan = view ? view : e->plan;
    struct rsvnodes_free free_tasks = {.tasks = plan_rsv_tasks, .ctx = plan};

    plan_rsv_begin(plan, r);
    uint32_t tasks = rsvnodes_choose(e->c, r, &free_tasks, ret);
    if (!rsvnodes_is_fixed(r) || !calendar_taken(e, view, r, ret))
        return tasks;
    ret->n = 0;
    return 0;
}

uint32_t calendar_choose(
    struct engine *e, const struct reservation *r, struct allocs *ret)
{
    struct plan *view = fork_beside_promises(e);

    if (view) {
        uint32_t tasks = calendar_choose_in(e, view, r, ret);
        plan_destroy(view);
        if (r->kind == RSV_USER || (tasks >= r->tasks && rsvnodes_acceptable(r, tasks)))
            return tasks;
        ret->n = 0;
    }
    return calendar_choose_in(e, NULL, r, ret);
}

void calendar_place(struct engine *e, struct reservation *r)
{
    struct allocs alloc = {0};

    r->all_hosts = rsvnodes_asks_for_all(e->c, r);
    calendar_choose(e, r, &alloc);
    reservation_set_nodes(e->c, r, &alloc);
    vec_fini(&alloc);
}
