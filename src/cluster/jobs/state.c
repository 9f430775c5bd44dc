/* SPDX-License-Identifier: Apache-2.0
 * Job states: the transition table, and the lists that follow from the state. */
#include "cluster/jobs/private.h"

static const char state_names[JOB_STATES][12] = {
    [JOB_IDLE] = "Idle",
    [JOB_HOLD] = "Hold",
    [JOB_STARTING] = "Starting",
    [JOB_RUNNING] = "Running",
    [JOB_SUSPENDED] = "Suspended",
    [JOB_NOTQUEUED] = "NotQueued",
    [JOB_STAGING] = "Staging",
    [JOB_UNKNOWN] = "Unknown",
    [JOB_COMPLETED] = "Completed",
    [JOB_REMOVED] = "Removed",
    [JOB_VACATED] = "Vacated",
    [JOB_LOST] = "Lost",
};

static const char event_names[JOB_EVENTS][12] = {
    [EV_START] = "start",
    [EV_STARTED] = "started",
    [EV_START_LOST] = "start lost",
    [EV_COMPLETE] = "complete",
    [EV_CANCEL] = "cancel",
    [EV_REQUEUE] = "requeue",
    [EV_SUSPEND] = "suspend",
    [EV_RESUME] = "resume",
    [EV_RM_HOLD] = "RM hold",
    [EV_RM_RELEASE] = "RM release",
    [EV_VANISH] = "vanish",
};

const char *job_state_name(enum job_state s)
{
    return state_names[s];
}

const char *hold_reason_name(enum hold_reason r)
{
    static const char names[REASON_DEPENDENCY + 1][24] = {
        [REASON_NONE] = "None",
        [REASON_NORESOURCES] = "NoResources",
        [REASON_SYSTEMLIMITS] = "SystemLimitsExceeded",
        [REASON_BANKFAILURE] = "BankFailure",
        [REASON_NOALLOCATION] = "CannotDebitAccount",
        [REASON_RMREJECT] = "RMReject",
        [REASON_RMFAILURE] = "RMFailure",
        [REASON_POLICY] = "PolicyViolation",
        [REASON_QOSACCESS] = "QOSAccess",
        [REASON_CREDACCESS] = "CredAccess",
        [REASON_ADMIN] = "Admin",
        [REASON_DEPENDENCY] = "Dependency",
    };
    return names[r];
}

/* ---- transitions ------------------------------------------------------------- */

static const struct transition {
    uint8_t from, on, to;
} transitions[] = {
    {JOB_IDLE, EV_START, JOB_STARTING},
    {JOB_IDLE, EV_COMPLETE, JOB_COMPLETED}, /* started and ended between two polls */
    {JOB_IDLE, EV_CANCEL, JOB_REMOVED},
    {JOB_IDLE, EV_RM_HOLD, JOB_HOLD},
    {JOB_IDLE, EV_VANISH, JOB_LOST},

    {JOB_HOLD, EV_COMPLETE, JOB_COMPLETED},
    {JOB_HOLD, EV_CANCEL, JOB_REMOVED},
    {JOB_HOLD, EV_RM_HOLD, JOB_HOLD}, /* another kind of hold */
    {JOB_HOLD, EV_RM_RELEASE, JOB_IDLE},
    {JOB_HOLD, EV_VANISH, JOB_LOST},

    {JOB_STARTING, EV_STARTED, JOB_RUNNING},
    {JOB_STARTING, EV_START_LOST, JOB_IDLE},
    {JOB_STARTING, EV_COMPLETE, JOB_COMPLETED},
    {JOB_STARTING, EV_CANCEL, JOB_REMOVED},
    {JOB_STARTING, EV_REQUEUE, JOB_IDLE},
    {JOB_STARTING, EV_VANISH, JOB_LOST},

    {JOB_RUNNING, EV_START_LOST, JOB_IDLE}, /* believed running before the RM said */
    {JOB_RUNNING, EV_COMPLETE, JOB_COMPLETED},
    {JOB_RUNNING, EV_CANCEL, JOB_REMOVED},
    {JOB_RUNNING, EV_REQUEUE, JOB_IDLE},
    {JOB_RUNNING, EV_SUSPEND, JOB_SUSPENDED},
    {JOB_RUNNING, EV_VANISH, JOB_LOST},

    {JOB_SUSPENDED, EV_RESUME, JOB_RUNNING},
    {JOB_SUSPENDED, EV_COMPLETE, JOB_COMPLETED},
    {JOB_SUSPENDED, EV_CANCEL, JOB_REMOVED},
    {JOB_SUSPENDED, EV_REQUEUE, JOB_IDLE},
    {JOB_SUSPENDED, EV_VANISH, JOB_LOST},

    {JOB_NOTQUEUED, EV_COMPLETE, JOB_COMPLETED},
    {JOB_NOTQUEUED, EV_CANCEL, JOB_REMOVED},
    {JOB_NOTQUEUED, EV_RM_HOLD, JOB_HOLD},
    {JOB_NOTQUEUED, EV_RM_RELEASE, JOB_IDLE},
    {JOB_NOTQUEUED, EV_VANISH, JOB_LOST},

    {JOB_STAGING, EV_COMPLETE, JOB_COMPLETED},
    {JOB_STAGING, EV_CANCEL, JOB_REMOVED},
    {JOB_STAGING, EV_RM_HOLD, JOB_HOLD},
    {JOB_STAGING, EV_RM_RELEASE, JOB_IDLE},
    {JOB_STAGING, EV_VANISH, JOB_LOST},

    {JOB_UNKNOWN, EV_COMPLETE, JOB_COMPLETED},
    {JOB_UNKNOWN, EV_CANCEL, JOB_REMOVED},
    {JOB_UNKNOWN, EV_RM_HOLD, JOB_HOLD},
    {JOB_UNKNOWN, EV_RM_RELEASE, JOB_IDLE},
    {JOB_UNKNOWN, EV_VANISH, JOB_LOST},
};

int job_next_state(
    const struct job *j, enum job_event e, enum job_state *ret_state, struct err *err)
{
    for (size_t i = 0; i < sizeof transitions / sizeof *transitions; i++) {
        if (transitions[i].from == j->state && transitions[i].on == e) {
            *ret_state = (enum job_state)transitions[i].to;
            return 0;
        }
    }
    return err_set(err, ERR_CONFLICT, "job '%s' is %s and cannot take '%s'", j->id,
        state_names[j->state], event_names[e]);
}

bool job_state_holds(enum job_state s)
{
    return s == JOB_STARTING || s == JOB_RUNNING;
}

bool job_state_waits(enum job_state s)
{
    return s == JOB_IDLE || s == JOB_HOLD || s == JOB_NOTQUEUED || s == JOB_STAGING
           || s == JOB_UNKNOWN;
}

int job_move(struct cluster *c, struct job *j, enum job_event e, struct err *err)
{
    enum job_state next;

    if (job_next_state(j, e, &next, err))
        return -1;
    if (job_state_holds(j->state) != job_state_holds(next))
        return err_set(err, ERR_INVALID,
            "job '%s': '%s' takes or frees nodes, expected job_start() or job_stop()",
            j->id, event_names[e]);
    job_set_state(c, j, next);
    return 0;
}

/* ---- lists ------------------------------------------------------------------- */

static bool in_active_list(enum job_state s)
{
    return job_state_holds(s) || s == JOB_SUSPENDED;
}

void job_list(struct cluster *c, struct job *j)
{
    if (job_state_waits(j->state)) {
        waiting_insert(c, j);
    } else if (in_active_list(j->state)) {
        j->active_slot = (uint32_t)c->active.n;
        vec_push(&c->active, j->index);
    }
}

/* The last active job takes the place of the one that leaves. */
static void active_remove(struct cluster *c, struct job *j)
{
    uint32_t last = c->active.v[--c->active.n];

    c->active.v[j->active_slot] = last;
    c->jobs.v[last]->active_slot = j->active_slot;
    j->active_slot = INDEX_NONE;
}

void job_unlist(struct cluster *c, struct job *j)
{
    if (j->idle_slot != INDEX_NONE)
        waiting_remove(c, j);
    if (j->active_slot != INDEX_NONE)
        active_remove(c, j);
}

void job_set_state(struct cluster *c, struct job *j, enum job_state s)
{
    bool same = job_state_waits(s) == job_state_waits(j->state)
                && in_active_list(s) == in_active_list(j->state);

    c->suspended += s == JOB_SUSPENDED;
    c->suspended -= j->state == JOB_SUSPENDED;
    if (!same)
        job_unlist(c, j);
    j->state = (uint8_t)s;
    if (!same)
        job_list(c, j);
}
