/* SPDX-License-Identifier: Apache-2.0
 * See start.h. */
#include "engine/start.h"

#include "cluster/folded.h"
#include "engine/bounds.h"
#include "engine/engine_private.h"
#include "engine/planning/planning.h"

bool in_partition(const struct engine *e, const struct job *j, uint32_t partition)
{
    (void)e;
    return (j->partitions >> partition & 1) != 0;
}

/* No start now: these units are free for it. */
static void refuse_start(
    struct engine *e, struct job *j, enum wait_code code, int64_t used)
{
    queue_touch(e->queue, j);
    j->why = (struct reason){.code = (uint8_t)code,
        .kind = CRED_KINDS,
        .kind2 = CRED_KINDS,
        .used = used,
        .asked = j->tasks};
}

bool allowed_now(struct engine *e, struct job *j, enum limit_level level)
{
    unsigned stage = level == LEVEL_SOFT ? ADMIT_SOFT : ADMIT_HARD;
    struct reason why;

    if (!admission_refusal(e, j, stage, &why))
        return bounds_leave(e, j);
    j->why = why;
    if (why.code == WAIT_FUNDS)
        charging_refuse(e, j);
    queue_touch(e->queue, j);
    return false;
}

/* Wallclock limit on the nodes chosen: the slowest one counts. */
int64_t effective_limit(const struct engine *e, const struct job *j)
{
    if (!j->alloc.n || !node_at(e->c, j->alloc.v[0].first)->par->use_machine_speed)
        return j->wclimit_s; /* its partition does not count speed */
    return plan_scaled(j->wclimit_s, job_slowest_speed(e->c, j));
}

bool start_job(struct engine *e, struct job *j, uint32_t partition, bool backfill)
{
    return start_job_by(e, e->plan, j, partition, backfill);
}

/* Nodes for the job; or why not. */
static bool place_job(
    struct engine *e, struct plan *plan, struct job *j, uint32_t partition)
{
    enum wait_code code;

    if (plan_place_now(plan, j, partition, &j->alloc, &code) == 0)
        return true;
    refuse_start(e, j, code, plan_free_now(plan, j, partition));
    return false;
}

bool start_job_by(struct engine *e, struct plan *plan, struct job *j,
    uint32_t partition, bool backfill)
{
    if (!place_job(e, plan, j, partition))
        return false;
    enum occupancy_by by = plan == e->plan ? OCCUPANCY_PLANNED : OCCUPANCY_FORCED;
    return start_placed(e, j, by, backfill);
}

bool start_placed(struct engine *e, struct job *j, enum occupancy_by by, bool backfill)
{
    struct err err;
    bool follow = bounds_follow(e, j);

    j->eff_wclimit_s = effective_limit(e, j);
    if (job_start(e->c, j, e->now, &err) < 0) {
        refuse_start(e, j, WAIT_RESOURCES, 0);
        return false;
    }
    if (!e->opt.starts_told)
        job_move(e->c, j, EV_STARTED, NULL);
    job_occupies(e, j, e->now, by);
    if (follow)
        bounds_started(e, j);
    promises_break(e->promises, j, PROMISE_RETRY);
    promise_fulfil(e, j);
    if (backfill)
        j->flags |= JOB_BACKFILL;
    j->why.code = WAIT_NONE;
    e->cycle.starts++;
    e->stats.started++;
    e->stats.backfilled += backfill;
    decisions_add(e, ACTION_START, j, e->now, NULL)->backfill = backfill;
    return true;
}

void start_take_nodes(struct job *j, const struct job *copy)
{
    j->alloc.n = 0;
    for (size_t i = 0; i < copy->alloc.n; i++)
        vec_push(&j->alloc, copy->alloc.v[i]);
}

bool place_if_possible(struct engine *e, struct job *j, uint32_t partition)
{
    return plan_fits_now(e->plan, j, partition) && place_job(e, e->plan, j, partition);
}

bool place_anywhere(struct engine *e, struct job *j)
{
    uint64_t rest = j->partitions & ((UINT64_C(1) << e->c->partitions.n) - 1);
    uint32_t first = j->pdef;

    if (first != INDEX_NONE && (rest >> first & 1)) {
        rest &= ~(UINT64_C(1) << first);
        if (!e->passes.par[first].blocked && place_if_possible(e, j, first))
            return true;
    }
    for (; rest; rest &= rest - 1) {
        uint32_t p = (uint32_t)__builtin_ctzll(rest);
        if (!e->passes.par[p].blocked && place_if_possible(e, j, p))
            return true;
    }
    return false;
}

bool start_if_possible(struct engine *e, struct job *j)
{
    return place_anywhere(e, j) && start_placed(e, j, OCCUPANCY_PLANNED, false);
}
