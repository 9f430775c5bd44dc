/* SPDX-License-Identifier: Apache-2.0
 * When those that wait for nothing but room are expected to start: which they are, and
 * in which order. The rest is outlook.h's. */
#include "engine/engine_private.h"
#include "engine/outlook.h"
#include "engine/query.h"

#include <string.h>

/* Does it wait for room, and for nothing else? */
static bool waits_for_room(const struct engine *e, const struct job *j)
{
    static const uint8_t room[] = {WAIT_NONE, WAIT_RESOURCES, WAIT_RESERVATION,
        WAIT_PRIORITY, WAIT_BACKFILL_DEPTH, WAIT_BACKFILL_WINDOW, WAIT_CHUNK};

    return memchr(room, j->why.code, sizeof room) && !promises_has_any(e->promises, j);
}

/* The first `most` of the queue that do, in its order. */
static void choose_jobs(const struct engine *e, size_t most, struct indexes *ret)
{
    size_t waiting = 0;
    const uint32_t *queue = queue_admitted(e->queue, &waiting);

    for (size_t i = 0; i < waiting && ret->n < most; i++) {
        const struct job *j = queue[i] < e->c->jobs.n ? e->c->jobs.v[queue[i]] : NULL;
        if (j && job_waits(j) && waits_for_room(e, j))
            vec_push(ret, j->index);
    }
}

size_t query_forecast(
    struct engine *e, size_t most, int64_t now, query_forecast_fn *each, void *ctx)
{
    struct indexes jobs = {0};

    choose_jobs(e, most, &jobs);
    size_t n = jobs.n;
    struct outlook *f = n ? outlook_begin(e, jobs.v, n) : NULL;
    if (f)
        outlook_more(f, n);
    for (size_t i = 0; f && i < n; i++)
        if (outlook_start(f, i) > now)
            each(ctx, e->c->jobs.v[jobs.v[i]], outlook_start(f, i));
    outlook_end(f);
    vec_fini(&jobs);
    return n;
}
