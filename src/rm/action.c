/* SPDX-License-Identifier: Apache-2.0
 * What resource managers are ordered, in words. */
#include "rm/rm.h"

const char *rm_action_name(enum rm_action action)
{
    static const char *const words[] = {
        [RM_START] = "start",
        [RM_CANCEL] = "cancel",
        [RM_SUSPEND] = "suspend",
        [RM_RESUME] = "resume",
        [RM_REQUEUE] = "requeue",
        [RM_CHECKPOINT] = "checkpoint",
        [RM_HOLD] = "hold",
        [RM_RELEASE] = "release",
        [RM_SIGNAL] = "signal",
        [RM_MODIFY] = "modify",
    };

    return words[action];
}
