/* SPDX-License-Identifier: Apache-2.0
 * Jobs that may run in any of several classes, as those of a resource manager whose
 * users name several queues. At every moment such a job is in one of them: access,
 * limits, priority and plan are of that one. It changes over when another lets it start
 * now, or sooner; the order in which the classes were named decides between equals. */
#include "engine/classes.h"

#include "engine/engine_private.h"
#include "engine/occupancy.h"
#include "engine/reserve.h"
#include "policy/access.h"

/* Does it pass all that depends on its class, but for limits on what is active? */
static bool is_let_in(const struct engine *e, const struct job *j)
{
    bool known = j->possible_layout == plan_layout(e->plan) && !j->impossible;
    struct reason why;

    return !admission_class_refusal(
        e, j, ADMIT_QUEUED | (known ? 0 : ADMIT_EVER), &why);
}

/* The job as it would be in a class: a copy to ask about. */
struct in_class {
    struct job as;
    bool let_in;
};

static void look_in_class(
    struct engine *e, const struct job *j, uint32_t cls, struct in_class *ret)
{
    struct job *as = &ret->as;
    struct access_fault fault = {.reason = REASON_NONE};

    job_copy(j, as);
    if (j->cred[CRED_CLASS] != cls) {
        as->cred[CRED_CLASS] = cls;
        access_resolve(e->c, as, &fault);
        as->possible_layout = UINT32_MAX;
        admission_narrow(e, as);
    }
    ret->let_in = fault.reason == REASON_NONE && is_let_in(e, as);
}

/* Decided: it is in that class from now on. */
static void enter_class(struct engine *e, struct job *j, uint32_t cls)
{
    struct access_fault fault;

    if (j->cred[CRED_CLASS] == cls)
        return;
    j->cred[CRED_CLASS] = cls;
    access_resolve(e->c, j, &fault);
    job_changes(e, j, CHANGE_OF_CLASS);
    j->possible_layout = UINT32_MAX;
    admission_narrow(e, j);
}

enum hold_reason classes_resolve(
    struct engine *e, struct job *j, struct access_fault *ret)
{
    const uint32_t *cls = j->extra->classes.v;
    enum hold_reason fault = REASON_NONE;

    e->any_classes = true;
    /* the plan has to know all definitions before a cycle begins */
    for (size_t i = j->extra->classes.n; i-- > 0;) {
        j->cred[CRED_CLASS] = cls[i];
        fault = access_resolve(e->c, j, ret);
        plan_job_queued(e->plan, j);
    }
    for (size_t i = 1; i < j->extra->classes.n && fault != REASON_NONE; i++) {
        j->cred[CRED_CLASS] = cls[i];
        fault = access_resolve(e->c, j, ret);
    }
    if (fault != REASON_NONE) {
        j->cred[CRED_CLASS] = cls[0];
        fault = access_resolve(e->c, j, ret);
    }
    plan_changed(e->plan);
    return fault;
}

bool classes_move(struct engine *e, struct job *j, void *ctx,
    bool (*fits)(struct engine *e, const struct job *j, void *ctx))
{
    uint32_t home = j->cred[CRED_CLASS];

    for (size_t i = 0; i < j->extra->classes.n && j->cred[CRED_CLASS] == home; i++) {
        uint32_t cls = j->extra->classes.v[i];
        struct in_class in;
        if (cls == home)
            continue;
        look_in_class(e, j, cls, &in);
        if (in.let_in && (!fits || fits(e, &in.as, ctx)))
            enter_class(e, j, cls);
        job_copy_fini(&in.as);
    }
    return j->cred[CRED_CLASS] != home;
}

void classes_settle(struct engine *e, struct job *j)
{
    if (!job_waits(j) || plan_is_reserved(e->plan, j) || is_let_in(e, j))
        return;
    if (classes_move(e, j, NULL, NULL))
        j->impossible = false;
}

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
        look_in_class(e, j, cls, &in);
        if (may_start(e, j, &in, level)
            && plan_first_fit(e->plan, &in.as, e->now, &slot) && slot.at < at) {
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
    bool found = false;

    for (size_t i = 0; i < j->extra->classes.n && !found; i++) {
        struct in_class in;
        look_in_class(e, j, j->extra->classes.v[i], &in);
        if (may_start(e, j, &in, level)) {
            found = place(e, &in.as);
            j->why = in.as.why;
        }
        if (found) {
            enter_class(e, j, in.as.cred[CRED_CLASS]);
            start_take_nodes(j, &in.as);
        }
        job_copy_fini(&in.as);
    }
    return found && start_placed(e, j, OCCUPANCY_PLANNED, backfill);
}

bool classes_start(struct engine *e, struct job *j, enum limit_level level)
{
    return start_where(e, j, level, place_anywhere, false);
}

bool classes_reserve(struct engine *e, struct job *j, enum limit_level level)
{
    uint32_t best = find_soonest(e, j, level);

    if (best != INDEX_NONE)
        enter_class(e, j, best);
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
            && place_if_possible(e, j, p))
            return true;
    return false;
}

bool classes_backfill(struct engine *e, struct job *j, enum limit_level level)
{
    return start_where(e, j, level, place_out_of_order, true);
}
