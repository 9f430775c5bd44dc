/* SPDX-License-Identifier: Apache-2.0
 * See world.h. */
#include "engine/world.h"

#include "engine/engine_private.h"

uint64_t world_stamp(const struct engine *e)
{
    return e->c->node_epoch + e->c->rsv_epoch
           + e->c->config_epoch; /* none ever falls */
}

bool engine_restless(const struct engine *e)
{
    return e->stats.cycles ? e->world.seen != world_stamp(e) : e->world.reordered;
}

bool world_invites(const struct engine *e, const struct job *j)
{
    return j->holds == HOLD_DEFER && j->hold_reason == REASON_NORESOURCES
           && j->defer_until < TIME_NEVER
           && (!j->extra || j->extra->deferred_in != world_stamp(e));
}
