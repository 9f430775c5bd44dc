/* SPDX-License-Identifier: Apache-2.0
 * See shorten.h. */
#include "engine/shorten.h"

#include "engine/engine_private.h"
#include "engine/start.h"

#define STEP_S  60
#define SLACK_S 30 /* until it runs some time goes by, and it would be too late */

static bool fits_with(
    struct plan *plan, struct job *as, uint32_t partition, int64_t wclimit_s)
{
    enum wait_code code;

    as->wclimit_s = wclimit_s;
    return plan_fits_now(plan, as, partition)
           && plan_place_now(plan, as, partition, &as->alloc, &code) == 0;
}

/* Less never fits worse than more. */
bool shorten_place(struct plan *plan, struct job *as, uint32_t partition)
{
    int64_t least = job_least_limit(as), full = as->wclimit_s;
    int64_t low = 0, high = (full - least - 1) / STEP_S;

    if (least == full)
        return false;
    if (fits_with(plan, as, partition, full))
        return true;
    if (!fits_with(plan, as, partition, least)) {
        as->wclimit_s = full;
        return false;
    }
    while (low < high) {
        int64_t steps = (low + high + 1) / 2;
        if (fits_with(plan, as, partition, least + steps * STEP_S + SLACK_S))
            low = steps;
        else
            high = steps - 1;
    }
    return fits_with(plan, as, partition, least + low * STEP_S);
}

bool shorten_fits(struct plan *plan, const struct job *j, uint32_t partition)
{
    struct job as;

    if (!shorten_may(j))
        return false;
    job_copy(j, &as);
    as.wclimit_s = job_least_limit(j);
    bool fits = plan_fits_now(plan, &as, partition);
    job_copy_fini(&as);
    return fits;
}

bool shorten_start_as(struct engine *e, struct job *j, const struct job *as,
    enum occupancy_by by, bool backfill)
{
    start_take_nodes(j, as);
    job_shorten(j, as->wclimit_s);
    if (start_placed(e, j, by, backfill))
        return true;
    job_unshorten(j);
    return false;
}

bool shorten_start(struct engine *e, struct plan *plan, struct job *j,
    uint32_t partition, bool backfill)
{
    enum occupancy_by by = plan == e->plan ? OCCUPANCY_PLANNED : OCCUPANCY_FORCED;
    struct job as;

    job_copy(j, &as);
    bool started = shorten_place(plan, &as, partition)
                   && shorten_start_as(e, j, &as, by, backfill);
    job_copy_fini(&as);
    return started;
}

bool shorten_place_anywhere(struct engine *e, struct job *as)
{
    uint64_t rest = as->partitions & ((UINT64_C(1) << e->c->partitions.n) - 1);
    uint32_t first = as->pdef;

    if (!shorten_may(as))
        return false;
    if (first != INDEX_NONE && (rest >> first & 1)) {
        rest &= ~(UINT64_C(1) << first);
        if (!e->passes.par[first].blocked && shorten_place(e->plan, as, first))
            return true;
    }
    for (; rest; rest &= rest - 1) {
        uint32_t p = (uint32_t)__builtin_ctzll(rest);
        if (!e->passes.par[p].blocked && shorten_place(e->plan, as, p))
            return true;
    }
    return false;
}

bool shorten_start_anywhere(struct engine *e, struct job *j)
{
    struct job as;

    if (!shorten_may(j))
        return false;
    job_copy(j, &as);
    bool started = shorten_place_anywhere(e, &as)
                   && shorten_start_as(e, j, &as, OCCUPANCY_PLANNED, false);
    job_copy_fini(&as);
    return started;
}

bool shorten_start_reserved(struct engine *e, struct job *j, enum limit_level level)
{
    return shorten_may(j) && plan_reserved_at(e->plan, j) > e->now && job_waits(j)
           && allowed_now(e, j, level) && shorten_start_anywhere(e, j);
}
