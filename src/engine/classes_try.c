/* SPDX-License-Identifier: Apache-2.0
 * A start or a reservation in whichever of its classes a job finds one. */
#include "engine/classes.h"
#include "engine/engine_private.h"
#include "engine/reserve.h"
#include "engine/start.h"

static bool may_start(struct engine *e, struct job *j, uint32_t cls, enum limit_level l)
{
    return classes_enter(e, j, cls) && allowed_now(e, j, l);
}

/* The class in which it starts soonest; INDEX_NONE: in none. */
static uint32_t soonest(struct engine *e, struct job *j, enum limit_level level)
{
    uint32_t best = INDEX_NONE;
    int64_t at = TIME_NEVER;
    struct slot slot;

    for (size_t i = 0; i < j->extra->classes.n; i++) {
        uint32_t cls = j->extra->classes.v[i];
        if (may_start(e, j, cls, level) && plan_first_fit(e->plan, j, e->now, &slot)
            && slot.at < at) {
            at = slot.at;
            best = cls;
        }
    }
    return best;
}

bool classes_start(struct engine *e, struct job *j, enum limit_level level)
{
    uint32_t home = j->cred[CRED_CLASS];

    for (size_t i = 0; i < j->extra->classes.n; i++)
        if (may_start(e, j, j->extra->classes.v[i], level)
            && start_if_possible(e, j, false))
            return true;
    classes_enter(e, j, home);
    return false;
}

bool classes_reserve(struct engine *e, struct job *j, enum limit_level level)
{
    uint32_t home = j->cred[CRED_CLASS], best = soonest(e, j, level);

    classes_enter(e, j, best != INDEX_NONE ? best : home);
    return reserve_job(e, j);
}

/* As a start out of order: partitions in which that is not done are left out. */
static bool fill_in(struct engine *e, struct job *j)
{
    if (job_cred(e->c, j, CRED_QOS)->cfg->qos_flags & QOS_NOBF)
        return false;
    for (uint32_t p = 0; p < e->c->partitions.n; p++)
        if (in_partition(e, j, p)
            && e->c->partitions.v[p]->par->bf_policy != BACKFILL_NONE
            && plan_fits_now(e->plan, j, p) && start_job(e, j, p, true))
            return true;
    return false;
}

bool classes_backfill(struct engine *e, struct job *j, enum limit_level level)
{
    uint32_t home = j->cred[CRED_CLASS];

    for (size_t i = 0; i < j->extra->classes.n; i++)
        if (may_start(e, j, j->extra->classes.v[i], level) && fill_in(e, j))
            return true;
    classes_enter(e, j, home);
    return false;
}
