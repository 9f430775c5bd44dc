/* SPDX-License-Identifier: Apache-2.0
 * When each of those that wait would start if nothing else came: in their order, each
 * where those before it leave room, as if there were a reservation for every one. */
#include "engine/engine_private.h"
#include "engine/query.h"
#include "plan/plan.h"

#include <string.h>

/* Does it wait for room, and for nothing else? */
static bool waits_for_room(const struct engine *e, const struct job *j)
{
    static const uint8_t room[] = {WAIT_NONE, WAIT_RESOURCES, WAIT_RESERVATION,
        WAIT_PRIORITY, WAIT_BACKFILL_DEPTH, WAIT_BACKFILL_WINDOW, WAIT_CHUNK};

    return memchr(room, j->why.code, sizeof room) && !promises_has_any(e->promises, j);
}

size_t query_forecast(
    struct engine *e, size_t most, int64_t now, query_forecast_fn *each, void *ctx)
{
    size_t waiting = 0, asked = 0;
    const uint32_t *queue = queue_admitted(e->queue, &waiting);

    if (!e->stats.cycles || !waiting || !most)
        return 0;
    struct plan *plan = plan_fork(e->plan);
    for (size_t i = 0; i < waiting && asked < most; i++) {
        const struct job *j = queue[i] < e->c->jobs.n ? e->c->jobs.v[queue[i]] : NULL;
        struct slot slot;
        if (!j || !job_waits(j) || !waits_for_room(e, j))
            continue;
        asked++;
        if (!plan_first_fit(plan, j, now, &slot))
            continue;
        plan_reserve(plan, j, &slot);
        if (slot.at > now)
            each(ctx, j, slot.at);
    }
    plan_destroy(plan);
    return asked;
}
