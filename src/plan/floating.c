/* SPDX-License-Identifier: Apache-2.0
 * Floating generic resources (licences): amounts of the whole system rather than
 * of a node, taken by a job for as long as it runs or is reserved. */
#include "plan/plan_private.h"

static int64_t job_asks(const struct job *j, uint32_t id)
{
    int64_t sum = 0;

    for (uint32_t i = 0; i < j->nreqs; i++)
        for (size_t k = 0; k < j->reqs[i].def->gres.n; k++)
            if (j->reqs[i].def->gres.v[k].id == id)
                sum += j->reqs[i].def->gres.v[k].count * j->reqs[i].tasks;
    return sum;
}

/* Amount of the resource in use at an instant >= now. */
static int64_t used_at(const struct plan *p, uint32_t id, int64_t at)
{
    int64_t sum = 0;

    for (size_t i = 0; i < p->ends.n; i++) {
        const struct job *j = p->c->jobs.v[p->ends.v[i].job];
        if (plan_job_end(p, j) > at)
            sum += job_asks(j, id);
    }
    for (uint32_t i = 0; i < p->nrsv; i++) {
        const struct rsv *r = &p->rsvs.v[i];
        if (r->job != INDEX_NONE && r->start_at <= at && at < r->end_at)
            sum += job_asks(p->c->jobs.v[r->job], id);
    }
    return sum;
}

static bool enough(
    const struct plan *p, uint32_t id, int64_t need, int64_t start, int64_t end)
{
    int64_t have = node_gres(p->c->nodes.v[p->c->global_node], id);

    if (used_at(p, id, start) + need > have)
        return false;
    for (uint32_t i = 0; i < p->nrsv; i++) {
        const struct rsv *r = &p->rsvs.v[i];
        if (r->job != INDEX_NONE && r->start_at > start && r->start_at < end
            && used_at(p, id, r->start_at) + need > have)
            return false;
    }
    return true;
}

bool floating_wanted(const struct plan *p, const struct job *j)
{
    if (p->c->global_node == INDEX_NONE)
        return false;
    for (uint32_t i = 0; i < j->nreqs; i++)
        for (size_t k = 0; k < j->reqs[i].def->gres.n; k++)
            if (gres_is_floating(p->c, j->reqs[i].def->gres.v[k].id))
                return true;
    return false;
}

bool floating_fits(
    const struct plan *p, const struct job *j, int64_t start, int64_t end)
{
    for (uint32_t i = 0; i < j->nreqs; i++)
        for (size_t k = 0; k < j->reqs[i].def->gres.n; k++) {
            uint32_t id = j->reqs[i].def->gres.v[k].id;
            if (gres_is_floating(p->c, id)
                && !enough(p, id, job_asks(j, id), start, end))
                return false;
        }
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
    for (uint32_t i = 0; i < p->nrsv; i++)
        if (p->rsvs.v[i].job != INDEX_NONE && p->rsvs.v[i].end_at > after
            && p->rsvs.v[i].end_at < next)
            next = p->rsvs.v[i].end_at;
    return next;
}
