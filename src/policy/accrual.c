/* SPDX-License-Identifier: Apache-2.0
 * Queue time: when it grows, when it is frozen, when it is lost. */
#include "policy/accrual.h"

#include "cluster/job.h"
#include "config/priocfg.h"

enum effect {
    KEEP,    /* goes on growing */
    FREEZE,  /* stops; counts in full once the job is eligible again */
    PAUSE,   /* stops; the time until it is eligible again never counts */
    LOSE,    /* starts from nothing, when the job is selected again */
    RESTART, /* starts from nothing, and grows at once */
};

/* The reset table of the reference, with its decisions: a hold pauses, and under
 * ALWAYS only a requeue takes queue time away. */
static const uint8_t effects[ACCRUAL_EVENTS][3] = {
    [ACCRUAL_IDLE_LIMIT] = {[ACCRUE_QUEUEPOLICY] = LOSE, [ACCRUE_FULLPOLICY] = LOSE},
    [ACCRUAL_ACTIVE_LIMIT] = {[ACCRUE_FULLPOLICY] = LOSE},
    [ACCRUAL_HOLD] = {[ACCRUE_QUEUEPOLICY] = PAUSE, [ACCRUE_FULLPOLICY] = LOSE},
    [ACCRUAL_NOT_QUEUED] = {[ACCRUE_QUEUEPOLICY] = FREEZE, [ACCRUE_FULLPOLICY] = LOSE},
    [ACCRUAL_DEPENDENCY] = {[ACCRUE_QUEUEPOLICY] = FREEZE, [ACCRUE_FULLPOLICY] = LOSE},
    [ACCRUAL_RM_RELEASED] =
        {[ACCRUE_QUEUEPOLICY] = RESTART, [ACCRUE_FULLPOLICY] = RESTART},
    [ACCRUAL_DEFER_EXPIRED] =
        {[ACCRUE_QUEUEPOLICY] = RESTART, [ACCRUE_FULLPOLICY] = RESTART},
    [ACCRUAL_REQUEUED] = {[ACCRUE_QUEUEPOLICY] = RESTART,
        [ACCRUE_FULLPOLICY] = RESTART,
        [ACCRUE_ALWAYS] = RESTART},
};

static int64_t since(int64_t at, int64_t now)
{
    return now > at ? now - at : 0;
}

bool accrual_grows(const struct prio_settings *cfg, const struct job *j, int64_t *ret_s)
{
    bool submitted = cfg->accrual == ACCRUE_ALWAYS
                         ? !j->preempt_count
                         : !j->accruing && !cfg->use_system_queue_time;

    if (cfg->accrual != ACCRUE_ALWAYS && !j->accruing && j->eff_queue_s >= 0) {
        *ret_s = j->eff_queue_s;
        return false;
    }
    *ret_s = submitted ? j->submit_at : j->queue_at;
    return true;
}

int64_t accrual_queue_s(
    const struct prio_settings *cfg, const struct job *j, int64_t now)
{
    int64_t s;

    return accrual_grows(cfg, j, &s) ? since(s, now) : s;
}

/* A pause ends: what came before it stays, the pause itself drops out. */
static void end_pause(struct job *j, int64_t now)
{
    if (!j->paused)
        return;
    j->queue_at = time_add(j->queue_at, since(j->paused_at, now));
    j->paused = false;
}

static void freeze(struct job *j, int64_t now)
{
    if (j->accruing || j->eff_queue_s < 0)
        j->eff_queue_s = since(j->queue_at, now);
    j->accruing = false;
}

static void restart(struct job *j, int64_t now)
{
    j->queue_at = now;
    j->eff_queue_s = 0;
    j->paused = false;
}

void accrual_resume(const struct prio_settings *cfg, struct job *j, int64_t now)
{
    (void)cfg;
    end_pause(j, now);
    j->accruing = true;
}

void accrual_stop(
    const struct prio_settings *cfg, struct job *j, enum accrual_event e, int64_t now)
{
    switch ((enum effect)effects[e][cfg->accrual]) {
    case KEEP:
        break;
    case FREEZE:
        end_pause(j, now);
        freeze(j, now);
        break;
    case PAUSE:
        freeze(j, now);
        if (!j->paused)
            j->paused_at = now;
        j->paused = true;
        break;
    case LOSE:
        restart(j, now);
        j->accruing = false;
        j->paused = true; /* it begins with the moment of its selection */
        j->paused_at = now;
        break;
    case RESTART:
        restart(j, now);
        j->accruing = true;
        break;
    }
}
