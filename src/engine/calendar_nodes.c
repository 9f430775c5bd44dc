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

/* May the reservation have that beside all jobs? */
static bool is_free(
    struct plan *view, const struct reservation *r, const struct allocs *alloc)
{
    plan_rsv_begin(view, r);
    for (size_t i = 0; i < alloc->n; i++)
        for (uint32_t k = 0; k < alloc->v[i].count; k++)
            if (plan_rsv_tasks(view, r, alloc->v[i].first + k, r->start_at, r->end_at)
                < alloc->v[i].tasks)
                return false;
    return true;
}

/* A list of hosts is taken whatever goes on there: of a user, all of it or none. */
uint32_t calendar_choose_in(struct engine *e, struct plan *view,
    const struct reservation *r, struct allocs *ret)
{
    struct plan *plan = view ? view : e->plan;
    struct rsvnodes_free free_tasks = {.tasks = plan_rsv_tasks, .ctx = plan};

    plan_rsv_begin(plan, r);
    uint32_t tasks = rsvnodes_choose(e->c, r, &free_tasks, ret);
    if (!view || r->kind != RSV_USER || !rsvnodes_is_fixed(r) || is_free(view, r, ret))
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
