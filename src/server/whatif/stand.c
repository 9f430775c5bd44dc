/* SPDX-License-Identifier: Apache-2.0
 * What a change comes to for a job. */
#include "server/whatif/stand.h"

#include <stddef.h>

const char *stand_name(enum stand s)
{
    static const char *const names[STANDS] = {[STAND_NONE] = "none",
        [STAND_RUNNING] = "running",
        [STAND_PROMISED] = "promised",
        [STAND_FORECAST] = "forecast",
        [STAND_BEYOND] = "beyond",
        [STAND_WAITING] = "waiting",
        [STAND_NEVER] = "never",
        [STAND_HELD] = "held"};

    return names[s];
}

const char *shift_name(enum shift s)
{
    static const char *const names[SHIFTS] = {[SHIFT_EARLIER] = "earlier",
        [SHIFT_LATER] = "later",
        [SHIFT_CUT] = "cut",
        [SHIFT_HELD] = "held",
        [SHIFT_FREED] = "freed",
        [SHIFT_NEVER] = "never",
        [SHIFT_GONE] = "gone",
        [SHIFT_PLACED] = "placed"};

    return names[s];
}

static bool is_known(struct standing s)
{
    return s.stand == STAND_RUNNING || s.stand == STAND_PROMISED
           || s.stand == STAND_FORECAST;
}

bool shift_delta(struct standing before, struct standing after, int64_t *ret_s)
{
    if (!is_known(before) || !is_known(after) || before.stand == STAND_RUNNING)
        return false;
    *ret_s = after.at - before.at;
    return true;
}

/* It waited before, and is still there. */
static enum shift shift_of_waiting(struct standing before, struct standing after)
{
    int64_t delta;

    if (before.unreached && after.stand != STAND_HELD)
        return after.stand == STAND_RUNNING ? SHIFT_EARLIER : SHIFT_NONE;
    if (shift_delta(before, after, &delta))
        return delta == 0 ? SHIFT_NONE : delta < 0 ? SHIFT_EARLIER : SHIFT_LATER;
    if (is_known(after))
        return before.stand == STAND_BEYOND ? SHIFT_EARLIER : SHIFT_FREED;
    if (is_known(before) && after.stand == STAND_BEYOND)
        return SHIFT_LATER;
    if (after.stand == before.stand || after.stand == STAND_WAITING
        || after.stand == STAND_BEYOND)
        return SHIFT_NONE;
    if (after.stand == STAND_NEVER)
        return SHIFT_NEVER;
    return before.stand == STAND_NEVER ? SHIFT_NONE : SHIFT_HELD;
}

enum shift shift_of(struct standing before, struct standing after)
{
    if (before.stand == STAND_NONE)
        return after.stand == STAND_NONE ? SHIFT_NONE : SHIFT_PLACED;
    if (before.stand == STAND_RUNNING)
        return after.stand == STAND_RUNNING ? SHIFT_NONE : SHIFT_CUT;
    if (after.stand == STAND_NONE)
        return SHIFT_GONE;
    return shift_of_waiting(before, after);
}

bool shift_breaks(struct standing before, struct standing after)
{
    int64_t promised_at = before.promised_at;

    if (!promised_at || after.stand == STAND_NONE)
        return false;
    if (is_known(before) ? before.at > promised_at : before.stand != STAND_BEYOND)
        return false; /* it was not kept before either */
    if (after.stand == STAND_BEYOND)
        return after.at >= promised_at && before.stand != STAND_BEYOND;
    return !is_known(after) || after.at > promised_at;
}
