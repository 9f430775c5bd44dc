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
static bool is_let_in(const struct engine *e, const struct job *j, bool other_class)
{
    bool known = !other_class && possible_found(e, j);
    struct reason why;

    return !admission_class_refusal(
        e, j, ADMIT_QUEUED | (known ? 0 : ADMIT_EVER), &why);
}

void classes_look(
    struct engine *e, const struct job *j, uint32_t cls, struct in_class *ret)
{
    struct job *as = &ret->as;
    struct access_fault fault = {.reason = REASON_NONE};
    bool other = j->cred[CRED_CLASS] != cls;

    job_copy(j, as);
    if (other) {
        as->cred[CRED_CLASS] = cls;
        access_resolve(e->c, as, &fault);
        admission_narrow(e, as);
    }
    ret->let_in = fault.reason == REASON_NONE && is_let_in(e, as, other);
}

void classes_enter(struct engine *e, struct job *j, uint32_t cls)
{
    struct access_fault fault;

    if (j->cred[CRED_CLASS] == cls)
        return;
    j->cred[CRED_CLASS] = cls;
    access_resolve(e->c, j, &fault);
    job_changes(e, j, CHANGE_OF_CLASS);
    possible_forget(e, j);
    admission_narrow(e, j);
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

    for (size_t i = 0; i < j->extra->classes.n && j->cred[CRED_CLASS] == home; i++) {
        uint32_t cls = j->extra->classes.v[i];
        struct in_class in;
        if (cls == home)
            continue;
        classes_look(e, j, cls, &in);
        if (in.let_in && (!fits || fits(e, &in.as, ctx)))
            classes_enter(e, j, cls);
        job_copy_fini(&in.as);
    }
    return j->cred[CRED_CLASS] != home;
}

void classes_settle(struct engine *e, struct job *j)
{
    if (!job_waits(j) || plan_is_reserved(e->plan, j) || is_let_in(e, j, false))
        return;
    if (classes_move(e, j, NULL, NULL))
        j->impossible = false;
}
