/* SPDX-License-Identifier: Apache-2.0
 * Small things that administrators and owners ask for a job: a deadline, its place
 * among the owner's other jobs. Source: reference commands, section 3. */
#include "engine/engine_private.h"
#include "engine/events/events.h"

#define USER_PRIORITY_MAX 100

int orders_deadline(struct engine *e, struct job *j, int64_t at, struct err *err)
{
    if (at != 0 && (at < 0 || at >= TIME_NEVER))
        return err_set(err, ERR_INVALID,
            "job '%s': %lld is not an instant for a deadline, expected seconds since "
            "1970",
            j->id, (long long)at);
    if (at != 0 && at <= e->now)
        return err_set(
            err, ERR_INVALID, "job '%s': the deadline has passed already", j->id);
    if (at != 0 || j->extra)
        job_extra(j)->deadline_at = at;
    e->c->any_deadline |= at != 0;
    return 0;
}

int orders_user_priority(struct job *j, int64_t n, struct err *err)
{
    if (n < 0 || n > USER_PRIORITY_MAX)
        return err_set(err, ERR_INVALID,
            "user priority must be in the range 0 - %d, not %lld", USER_PRIORITY_MAX,
            (long long)n);
    j->user_priority = n;
    return 0;
}
