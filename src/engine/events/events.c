/* SPDX-License-Identifier: Apache-2.0
 * The kinds of events: see events.h. */
#include "engine/events/events.h"

#include <stddef.h>

#define JOB_OF(member) .job_id = offsetof(struct event, u.member.id)

/* clang-format off */
static const struct event_row rows[] = {
    [EVENT_NODE] = {.name = "node", .touches = TOUCHES_ORDER,
        .apply = node_reported},
    [EVENT_NODE_STATE] = {.name = "node-state", .touches = TOUCHES_ORDER,
        .apply = node_state_reported},
    [EVENT_NODE_GONE] = {.name = "node-gone", .touches = TOUCHES_ORDER,
        .apply = node_gone},
    [EVENT_SUBMIT] = {.name = "submit",
        .apply = submit_job},
    [EVENT_JOB_STATE] = {.name = "job-state", JOB_OF(job_state),
        .touches = TOUCHES_STATE, .apply_to_job = report_state},
    [EVENT_END] = {.name = "end",
        .apply = end_job},
    [EVENT_CANCEL] = {.name = "cancel", .touches = TOUCHES_STATE,
        .apply = end_job},
    [EVENT_PREEMPT] = {.name = "preempt", JOB_OF(preempt),
        .touches = TOUCHES_STATE, .apply_to_job = order_preemption},
    [EVENT_RESUME] = {.name = "resume", JOB_OF(preempt),
        .touches = TOUCHES_STATE, .apply_to_job = order_resumption},
    [EVENT_RUN] = {.name = "run", JOB_OF(run),
        .touches = TOUCHES_STATE, .apply_to_job = run_job},
    [EVENT_MODIFY] = {.name = "modify", JOB_OF(modify),
        .touches = TOUCHES_STATE, .apply_to_job = modify_job},
    [EVENT_DEADLINE] = {.name = "deadline", JOB_OF(deadline),
        .touches = TOUCHES_STATE, .apply_to_job = order_deadline},
    [EVENT_USER_PRIORITY] = {.name = "user-priority", JOB_OF(user_priority),
        .touches = TOUCHES_STATE, .apply_to_job = order_user_priority},
    [EVENT_START_FAILED] = {.name = "start-failed", JOB_OF(failed),
        .touches = TOUCHES_STATE, .apply_to_job = start_failed},
    [EVENT_LEFT] = {.name = "left", JOB_OF(left), .apply_to_job = report_left},
    [EVENT_HOLD] = {.name = "hold", JOB_OF(hold),
        .touches = TOUCHES_STATE, .apply_to_job = order_hold},
    [EVENT_RELEASE_HOLD] = {.name = "release-hold", JOB_OF(hold),
        .touches = TOUCHES_STATE, .apply_to_job = order_release},
    [EVENT_PRIORITY] = {.name = "priority", JOB_OF(priority),
        .touches = TOUCHES_STATE, .apply_to_job = order_priority},
    [EVENT_QOS] = {.name = "qos", JOB_OF(qos),
        .touches = TOUCHES_STATE, .apply_to_job = order_qos},
    [EVENT_RESERVE] = {.name = "reserve",
        .touches = TOUCHES_ORDER | TOUCHES_WORLD, .apply = setres},
    [EVENT_CHANGE_RESERVATION] = {.name = "change-reservation",
        .touches = TOUCHES_ORDER | TOUCHES_WORLD, .apply = change_reservation},
    [EVENT_UNRESERVE] = {.name = "unreserve",
        .touches = TOUCHES_ORDER | TOUCHES_WORLD, .apply = releaseres},
    [EVENT_SETTINGS] = {.name = "settings",
        .touches = TOUCHES_ORDER | TOUCHES_WORLD, .apply = take_settings},
    [EVENT_QUOTAS] = {.name = "quotas",
        .touches = TOUCHES_ORDER | TOUCHES_WORLD, .apply = take_quotas},
    [EVENT_FUNDS] = {.name = "funds", .touches = TOUCHES_ORDER, .apply = take_funds},
    [EVENT_MANAGER] = {.name = "manager",
        .touches = TOUCHES_ORDER | TOUCHES_WORLD, .apply = report_manager},
    [EVENT_RESET_STATISTICS] = {.name = "reset-statistics", .touches = TOUCHES_ORDER,
        .apply = reset_statistics},
    [EVENT_RESET_FAIRSHARE] = {.name = "reset-fairshare", .touches = TOUCHES_ORDER,
        .apply = reset_fairshare},
    [EVENT_FAIRSHARE] = {.name = "fairshare", .touches = TOUCHES_ORDER,
        .apply = recall_fairshare},
    [EVENT_HISTORY] = {.name = "history", .touches = TOUCHES_ORDER,
        .apply = recall_history},
    [EVENT_INSTANCE] = {.name = "instance", .touches = TOUCHES_ORDER,
        .apply = setres_instance},
    [EVENT_MISSED] = {.name = "missed", .touches = TOUCHES_STATE,
        .apply = report_missed},
};
/* clang-format on */

const struct event_row *event_row_of(enum event_kind k)
{
    return (size_t)k < sizeof rows / sizeof *rows ? &rows[k] : NULL;
}

const char *event_kind_name(enum event_kind k)
{
    const struct event_row *row = event_row_of(k);

    return row ? row->name : NULL;
}
