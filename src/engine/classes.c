/* SPDX-License-Identifier: Apache-2.0
 * Jobs that may run in any of several classes, as those of a resource manager whose
 * users name several queues. At every moment such a job is in one of them: access,
 * limits, priority and plan are of that one. It changes over when another lets it start
 * now, or sooner; the order in which the classes were named decides between equals. */
#include "engine/classes.h"

#include "engine/engine_private.h"
#include "engine/occupancy.h"
#include "policy/access.h"

/* Does it pass all that depends on its class, but for limits on what is active? */
static bool is_let_in(const struct engine *e, const struct job *j)
{
    bool known = j->possible_layout == plan_layout(e->plan) && !j->impossible;
    struct reason why;

    return !admission_class_refusal(
        e, j, ADMIT_QUEUED | (known ? 0 : ADMIT_EVER), &why);
}

bool classes_enter(struct engine *e, struct job *j, uint32_t cls)
{
    struct access_fault fault;

    if (j->cred[CRED_CLASS] != cls) {
        j->cred[CRED_CLASS] = cls;
        access_resolve(e->c, j, &fault);
        job_changes(e, j, CHANGE_OF_CLASS);
        if (fault.reason != REASON_NONE)
            return false;
        j->possible_layout = UINT32_MAX;
        admission_narrow(e, j);
    }
    return is_let_in(e, j);
}

enum hold_reason classes_resolve(
    struct engine *e, struct job *j, struct access_fault *ret)
{
    const uint32_t *cls = j->extra->classes.v;
    enum hold_reason fault = REASON_NONE;

    e->uses.classes = true;
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

    for (size_t i = 0; i < j->extra->classes.n; i++)
        if (j->extra->classes.v[i] != home
            && classes_enter(e, j, j->extra->classes.v[i])
            && (!fits || fits(e, j, ctx)))
            return true;
    classes_enter(e, j, home);
    return false;
}

void classes_settle(struct engine *e, struct job *j)
{
    if (!job_waits(j) || plan_is_reserved(e->plan, j) || is_let_in(e, j))
        return;
    if (classes_move(e, j, NULL, NULL))
        j->impossible = false;
}
