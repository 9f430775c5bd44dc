/* SPDX-License-Identifier: Apache-2.0
 * Running sums against what is counted from nothing. */
#include "engine/check.h"

#include "engine/engine_private.h"
#include "policy/fairshare.h"
#include "policy/priority.h"
#include "policy/rsvuse.h"

void engine_check(struct engine *e)
{
    cluster_check(e->c);
    limits_check(e->limits, e->c, e->now);
    fs_check(e->c);
    prio_check(e->c, e->now);
    rsvuse_check(e->c);
    statistics_check(e->learned.statistics, e->c);
    queue_check(e->queue);
    promises_check(e->promises, e->c);
    charging_check(e);
}
