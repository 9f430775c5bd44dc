/* SPDX-License-Identifier: Apache-2.0
 * What Slurm's reasons and errors mean for an order: is it a wait, a failure, or is
 * trying again of no use? */
#include "rm/slurm/adapter.h"

#include <errno.h>

/* What becomes of a start that Slurm does not carry out, by its reason. */
enum fate {
    FATE_FAILED, /* tried some times more, then deferred */
    FATE_WAITS,  /* Slurm keeps it waiting as it would without us: no failed start */
    FATE_NEVER   /* trying again will not help */
};

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

const char *reasons_text(const slurm_job_info_t *j)
{
    if (j->state_desc != NULL && *j->state_desc != '\0')
        return j->state_desc;
    for (size_t i = 0; i < sizeof reasons / sizeof reasons[0]; i++)
        if (reasons[i].reason == j->state_reason)
            return reasons[i].text;
    return NULL;
}

/* Slurm numbers behind FAIL_QOS its limits, of associations and QOS, and such. */
static enum fate fate_of(uint16_t reason)
{
    for (size_t i = 0; i < sizeof reasons / sizeof reasons[0]; i++)
        if (reasons[i].reason == reason)
            return reasons[i].fate;
    return reason > FAIL_QOS ? FATE_WAITS : FATE_FAILED;
}

enum rm_outcome reasons_outcome(int error)
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

bool reasons_wait(uint16_t reason)
{
    return fate_of(reason) == FATE_WAITS;
}

bool reasons_never(uint16_t reason)
{
    return fate_of(reason) == FATE_NEVER;
}
