/* SPDX-License-Identifier: Apache-2.0
 * A start or a reservation in whichever of its classes a job finds one. Copies of the
 * job are asked; it changes class once, when that is decided. */
#include "config/credcfg.h"
#include "engine/bounds.h"
#include "engine/classes.h"
#include "engine/engine_private.h"
#include "engine/reserve.h"
#include "engine/shorten.h"
#include "engine/start.h"

/* May it start in that class? Else it says why, as the job. */
static bool may_start(
    struct engine *e, struct job *j, struct in_class *in, enum limit_level level)
{
    bool may = in->let_in && allowed_now(e, &in->as, level);

    j->why = in->as.why;
    return may;
}

/* The class in which it starts soonest; INDEX_NONE: in none. */
static uint32_t find_soonest(struct engine *e, struct job *j, enum limit_level level)
{
    uint32_t best = INDEX_NONE;
    int64_t at = TIME_NEVER;
    struct slot slot;

    for (size_t i = 0; i < j->extra->classes.n; i++) {
        uint32_t cls = j->extra->classes.v[i];
        struct in_class in;
        classes_look(e, j, cls, &in);
        if (may_start(e, j, &in, level)
            && bounds_fit_by(e, e->plan, &in.as, e->now, TIME_NEVER, &slot)
            && slot.at < at) {
            at = slot.at;
            best = cls;
        }
        job_copy_fini(&in.as);
    }
    return best;
}

/* Start it in the first class in which it finds a place. */
static bool start_where(struct engine *e, struct job *j, enum limit_level level,
    bool (*place)(struct engine *e, struct job *j), bool backfill)
{
    bool found = false, started = false;

    for (size_t i = 0; i < j->extra->classes.n && !found; i++) {
        struct in_class in;
        classes_look(e, j, j->extra->classes.v[i], &in);
        if (may_start(e, j, &in, level)) {
            found = place(e, &in.as);
            j->why = in.as.why;
        }
        if (found) {
            classes_enter(e, j, in.as.cred[CRED_CLASS]);
            started = shorten_start_as(e, j, &in.as, OCCUPANCY_PLANNED, backfill);
        }
        job_copy_fini(&in.as);
    }
    return started;
}

bool classes_start(struct engine *e, struct job *j, enum limit_level level)
{
    return start_where(e, j, level, place_anywhere, false);
}

bool classes_shorten(struct engine *e, struct job *j, enum limit_level level)
{
    return shorten_may(j) && start_where(e, j, level, shorten_place_anywhere, false);
}

bool classes_reserve(struct engine *e, struct job *j, enum limit_level level)
{
    uint32_t best = find_soonest(e, j, level);

    if (best != INDEX_NONE)
        classes_enter(e, j, best);
    return reserve_job(e, j);
}

/* As a start out of order: partitions in which that is not done are left out. */
static bool place_out_of_order(struct engine *e, struct job *j)
{
    if (job_cred(e->c, j, CRED_QOS)->cfg->qos_flags & QOS_NOBF)
        return false;
    for (uint32_t p = 0; p < e->c->partitions.n; p++)
        if (in_partition(e, j, p)
            && e->c->partitions.v[p]->par->bf_policy != BACKFILL_NONE
            && (place_if_possible(e, j, p) || shorten_place(e->plan, j, p)))
            return true;
    return false;
}

bool classes_backfill(struct engine *e, struct job *j, enum limit_level level)
{
    return start_where(e, j, level, place_out_of_order, true);
}
