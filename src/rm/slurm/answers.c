/* SPDX-License-Identifier: Apache-2.0
 * What is said to the daemon of an order: by Slurm's error if it refuses it, by its
 * reason if it lets the job wait. */
#include "rm/slurm/adapter.h"

static const struct {
    uint16_t reason;
    const char *text;
    enum fate fate;
} reasons[] = {
    {SLURM_WAIT_RESOURCES, "Slurm finds its nodes taken", FATE_FAILED},
    {SLURM_WAIT_PRIORITY, "Slurm has not looked at it yet", FATE_FAILED},
    {WAIT_PART_NODE_LIMIT, "its partition's limit on nodes", FATE_WAITS},
    {WAIT_PART_TIME_LIMIT, "its partition's limit on time", FATE_WAITS},
    {WAIT_PART_DOWN, "its partition is down", FATE_WAITS},
    {WAIT_PART_INACTIVE, "its partition is inactive", FATE_WAITS},
    {WAIT_NODE_NOT_AVAIL, "its nodes are not available", FATE_WAITS},
    {WAIT_HELD, "held by an administrator", FATE_WAITS},
    {WAIT_HELD_USER, "held by its owner", FATE_FAILED}, /* or put back by Slurm */
    {WAIT_TIME, "its begin time has not come", FATE_WAITS},
    {WAIT_LICENSES, "its licences are taken", FATE_WAITS},
    {SLURM_WAIT_DEPENDENCY, "its dependency is not fulfilled", FATE_WAITS},
    {SLURM_WAIT_RESERVATION, "its Slurm reservation has not begun", FATE_WAITS},
    {WAIT_RESV_DELETED, "its Slurm reservation was deleted", FATE_WAITS},
    {WAIT_QOS, "its QOS", FATE_WAITS},
    {WAIT_ARRAY_TASK_LIMIT, "the limit of its array", FATE_WAITS},
    {FAIL_BAD_CONSTRAINTS, "no nodes could ever satisfy it there", FATE_NEVER},
    {FAIL_ACCOUNT, "its account is not valid", FATE_WAITS},
    {FAIL_QOS, "its QOS is not valid", FATE_WAITS},
};

const char *answers_reason(const slurm_job_info_t *j)
{
    if (j->state_desc != NULL && *j->state_desc != '\0')
        return j->state_desc;
    for (size_t i = 0; i < sizeof reasons / sizeof reasons[0]; i++)
        if (reasons[i].reason == j->state_reason)
            return reasons[i].text;
    return NULL;
}

/* Slurm numbers behind FAIL_QOS its limits, of associations and QOS, and such. */
enum fate answers_fate(uint16_t reason)
{
    for (size_t i = 0; i < sizeof reasons / sizeof reasons[0]; i++)
        if (reasons[i].reason == reason)
            return reasons[i].fate;
    return reason > FAIL_QOS ? FATE_WAITS : FATE_FAILED;
}

/* The same of an order that Slurm refuses. */
static enum rm_outcome outcome_of(int error)
{
    switch (error) {
    case EAGAIN:
    case ESLURM_TRANSITION_STATE_NO_UPDATE:
    case ESLURM_REQUESTED_NODES_NOT_IN_PARTITION: /* seen otherwise with the next poll
                                                   */
    case ESLURM_INVALID_NODE_NAME:
    case ESLURM_INVALID_JOB_ID:
        return RM_RETRY;
    case ESLURM_NODES_BUSY:
    case ESLURM_NODE_NOT_AVAIL:
    case ESLURM_REQUESTED_PART_CONFIG_UNAVAILABLE:
    case ESLURM_PARTITION_DOWN:
    case ESLURM_ACCOUNTING_POLICY:
    case ESLURM_RESERVATION_ACCESS:
    case ESLURM_RESERVATION_BUSY:
    case ESLURM_RESERVATION_NOT_USABLE:
    case ESLURM_RESERVATION_MAINT:
    case ESLURM_JOB_HELD:
        return RM_WAITS;
    default:
        return RM_REFUSED;
    }
}

/* Slurm does not have the job waiting: what it does instead was told before this
 * answer, or the next look tells. No failed start. For the scheduler it waits from now
 * on, as it asked to be run: one that runs is told with the shape that it has. */
void answers_look(struct adapter *a, const struct rm_command *c, const char *text)
{
    struct told_job *t = jobs_find(a, c->job);

    adapter_done(a, c->token, RM_WAITS, c->job, text);
    if (t == NULL)
        return;
    t->digest = 0;
    t->waiting |= !t->over;
    a->jobs_at = 0;
    adapter_look(a);
}

void answers_tell(struct adapter *a, const struct rm_command *c, int result)
{
    int error = errno;

    if (result == 0) {
        adapter_done(a, c->token, RM_OK, c->job, NULL);
        adapter_look(a);
    } else if (adapter_lost(a, "order")) {
        adapter_done(a, c->token, RM_LOST, c->job, slurm_strerror(error));
    } else if (c->action == RM_START
               && (error == ESLURM_INVALID_JOB_ID || error == ESLURM_JOB_NOT_PENDING)) {
        answers_look(a, c, slurm_strerror(error));
    } else {
        adapter_done(a, c->token,
            c->action == RM_START || outcome_of(error) == RM_RETRY ? outcome_of(error)
                                                                   : RM_REFUSED,
            c->job, slurm_strerror(error));
    }
}

/* A job that Slurm does not cancel is gone for the scheduler: it has to hear of it
 * again, though nothing of it has changed. */
void answers_again(struct adapter *a, const char *id)
{
    struct told_job *t = jobs_find(a, id);

    if (t != NULL)
        t->digest = 0;
    a->jobs_at = 0;
    adapter_look(a);
}
