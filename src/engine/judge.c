/* SPDX-License-Identifier: Apache-2.0
 * See judge.h. */
#include "engine/judge.h"

#include "config/settings.h"
#include "engine/classes.h"
#include "engine/engine_private.h"
#include "engine/occupancy.h"
#include "engine/stop.h"

#include <string.h>

/* It may not run as it asks: deferred, and in the end held. Where nobody is deferred it
 * is held at once, or it would run with what it did not ask for. */
static void turn_away(
    struct engine *e, struct job *j, enum hold_reason why, const char *text)
{
    if (e->cfg->defer_time_s > 0 || (j->flags & JOB_NOQUEUE)) {
        defer_job(e, j, why, text);
        return;
    }
    hold_set(j, HOLD_BATCH, why, text, e->now);
    decisions_add(e, ACTION_HOLD, j, e->now, job_extra(j)->hold_text);
}

static enum hold_reason find_fault(
    struct engine *e, struct job *j, struct access_fault *ret)
{
    return classes_several(j) ? classes_resolve(e, j, ret)
                              : access_resolve(e->c, j, ret);
}

/* Has an administrator let it pass with that? Who is kept back already is judged when
 * that ends. */
static bool is_let_be(const struct job *j, const struct access_fault *fault)
{
    return j->holds & (HOLD_DEFER | HOLD_BATCH)
           || (j->extra && j->extra->let_pass
               && strcmp(j->extra->let_pass, fault->code) == 0);
}

void judge_released(struct engine *e, struct job *j, bool by_admin)
{
    struct access_fault fault;
    enum hold_reason why = find_fault(e, j, &fault);

    if (why != REASON_NONE && by_admin) {
        free(job_extra(j)->let_pass);
        j->extra->let_pass = xstrdup(fault.code);
    } else if (why != REASON_NONE && !is_let_be(j, &fault)) {
        turn_away(e, j, why, fault.text);
    }
    job_changes(e, j, CHANGE_OF_RULES);
}

void judge_job(struct engine *e, struct job *j)
{
    judge_released(e, j, false);
}
