/* SPDX-License-Identifier: Apache-2.0
 * See dependency.h. Source: reference dependencies. */
#include "engine/dependency.h"

#include "cluster/rmset.h"
#include "engine/engine_private.h"

bool dependency_has(const struct job *j)
{
    return j->extra && j->extra->deps.n > 0;
}

static bool is_met(const struct cluster *c, const struct dep *d, uint32_t *ret_job)
{
    const struct job *on = job_find(c, d->job_id);

    if (dep_never(d->type))
        return false;
    if (!on) /* unknown: counts as satisfied, but for one who cannot be asked now */
        return !rmset_is_away(c, rmset_of_id(c, d->job_id));
    *ret_job = on->index;
    bool ended = on->state >= JOB_COMPLETED;
    switch (d->type) {
    case DEP_STARTED:
        return ended || job_is_active(on) || on->state == JOB_SUSPENDED;
    case DEP_COMPLETED:
        return ended;
    case DEP_SUCCESS:
        return on->state == JOB_COMPLETED && !on->failed;
    case DEP_FAILED:
        return on->failed || on->state == JOB_REMOVED || on->state == JOB_VACATED;
    case DEP_NEVER_SUCCESS:
    case DEP_NEVER_FAILED:
        break;
    }
    return false;
}

const struct dep *dependency_unmet(
    const struct cluster *c, const struct job *j, uint32_t *ret_job)
{
    *ret_job = INDEX_NONE;
    if (!dependency_has(j))
        return NULL;
    for (size_t i = 0; i < j->extra->deps.n; i++)
        if (dep_never(j->extra->deps.v[i].type))
            return &j->extra->deps.v[i];
    for (size_t i = 0; i < j->extra->deps.n; i++)
        if (!is_met(c, &j->extra->deps.v[i], ret_job))
            return &j->extra->deps.v[i];
    return NULL;
}

static void settle_job(const struct engine *e, struct job *j)
{
    for (size_t i = j->extra->deps.n; i-- > 0;) {
        struct dep *d = &j->extra->deps.v[i];
        const struct job *on = job_find(e->c, d->job_id);
        uint32_t unused;
        if (!on || on->state < JOB_COMPLETED || dep_never(d->type))
            continue;
        if (!is_met(e->c, d, &unused)) {
            d->type = d->type == DEP_FAILED ? DEP_NEVER_FAILED : DEP_NEVER_SUCCESS;
            continue;
        }
        free(d->job_id);
        vec_remove(&j->extra->deps, i);
    }
}

void dependency_settle_all(struct engine *e)
{
    for (size_t i = 0; i < e->c->queued.n; i++) {
        uint32_t index = e->c->queued.v[i];
        if (index != INDEX_NONE && e->c->jobs.v[index]->extra)
            settle_job(e, e->c->jobs.v[index]);
    }
}
