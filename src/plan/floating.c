/* SPDX-License-Identifier: Apache-2.0
 * Floating generic resources (licences): amounts of the whole system rather than
 * of a node, taken by a job for as long as it runs or is reserved. */
#include "plan/floating.h"

#include "plan/plan_private.h"

/* Amount of the resource in use at an instant >= now. */
static int64_t used_at(const struct plan *p, uint32_t id, int64_t at)
{
    int64_t sum = 0;

    for (size_t i = 0; i < p->ends.n; i++) {
        const struct job *j = p->c->jobs.v[p->ends.v[i].job];
        if (plan_job_end(p, j) > at)
            sum += gres_of_job(j, id);
    }
    for (uint32_t i = 0; i < rsvtable_count(p->reserved); i++) {
        const struct rsv *r = rsvtable_row(p->reserved, i);
        if (r && r->start_at <= at && at < r->end_at)
            sum += gres_of_job(p->c->jobs.v[r->job], id);
    }
    return sum;
}

static bool enough(
    const struct plan *p, uint32_t id, int64_t need, int64_t start, int64_t end)
{
    int64_t have = node_gres(node_at(p->c, p->c->global_node), id);

    if (used_at(p, id, start) + need > have)
        return false;
    for (uint32_t i = 0; i < rsvtable_count(p->reserved); i++) {
        const struct rsv *r = rsvtable_row(p->reserved, i);
        if (r && r->start_at > start && r->start_at < end
            && used_at(p, id, r->start_at) + need > have)
            return false;
    }
    return true;
}

static bool any_floats(const struct plan *p, const struct gres_amounts *list)
{
    for (size_t i = 0; i < list->n; i++)
        if (gres_is_floating(p->c, list->v[i].id))
            return true;
    return false;
}

bool floating_wanted(const struct plan *p, const struct job *j)
{
    if (p->c->global_node == INDEX_NONE)
        return false;
    for (uint32_t i = 0; i < j->nreqs; i++)
        if (any_floats(p, &j->reqs[i].def->gres)
            || any_floats(p, &j->reqs[i].def->job_gres))
            return true;
    return false;
}

static bool list_possible(const struct plan *p, const struct job *j,
    const struct gres_amounts *list, struct reason *ret_why)
{
    for (size_t i = 0; i < list->n; i++) {
        uint32_t id = list->v[i].id;
        if (!gres_is_floating(p->c, id))
            continue;
        int64_t have = node_gres(node_at(p->c, p->c->global_node), id);
        int64_t asked = gres_of_job(j, id);
        if (asked <= have)
            continue;
        *ret_why = (struct reason){.code = WAIT_GRES,
            .object = id,
            .limit = have,
            .asked = asked,
            .kind = CRED_KINDS,
            .kind2 = CRED_KINDS};
        return false;
    }
    return true;
}

bool floating_possible(
    const struct plan *p, const struct job *j, struct reason *ret_why)
{
    for (uint32_t i = 0; p->c->global_node != INDEX_NONE && i < j->nreqs; i++)
        if (!list_possible(p, j, &j->reqs[i].def->gres, ret_why)
            || !list_possible(p, j, &j->reqs[i].def->job_gres, ret_why))
            return false;
    return true;
}

static bool list_fits(const struct plan *p, const struct job *j,
    const struct gres_amounts *list, int64_t start, int64_t end)
{
    for (size_t i = 0; i < list->n; i++) {
        uint32_t id = list->v[i].id;
        if (gres_is_floating(p->c, id)
            && !enough(p, id, gres_of_job(j, id), start, end))
            return false;
    }
    return true;
}

bool floating_fits(
    const struct plan *p, const struct job *j, int64_t start, int64_t end)
{
    for (uint32_t i = 0; i < j->nreqs; i++)
        if (!list_fits(p, j, &j->reqs[i].def->gres, start, end)
            || !list_fits(p, j, &j->reqs[i].def->job_gres, start, end))
            return false;
    return true;
}

int64_t floating_next(const struct plan *p, int64_t after)
{
    int64_t next = TIME_NEVER;

    for (size_t i = 0; i < p->ends.n; i++) {
        int64_t end = plan_job_end(p, p->c->jobs.v[p->ends.v[i].job]);
        if (end > after && end < next)
            next = end;
    }
    for (uint32_t i = 0; i < rsvtable_count(p->reserved); i++) {
        const struct rsv *r = rsvtable_row(p->reserved, i);
        if (r && r->end_at > after && r->end_at < next)
            next = r->end_at;
    }
    return next;
}
