/* SPDX-License-Identifier: Apache-2.0
 * When those that wait for nothing but room are expected to start: which they are, and
 * in which order. The rest is outlook.h's. */
#include "engine/engine_private.h"
#include "engine/outlook.h"
#include "engine/query.h"

#include <string.h>

bool query_waits_for_room(const struct engine *e, const struct job *j)
{
    static const uint8_t room[] = {WAIT_NONE, WAIT_RESOURCES, WAIT_RESERVATION,
        WAIT_PRIORITY, WAIT_BACKFILL_DEPTH, WAIT_BACKFILL_WINDOW, WAIT_CHUNK};

    return memchr(room, j->why.code, sizeof room) && !promises_has_any(e->promises, j);
}

void query_queue(const struct engine *e, size_t most, query_wants_fn *wants, void *ctx,
    struct indexes *ret)
{
    size_t waiting = 0, room = SIZE_MAX - ret->n;
    size_t end = ret->n + (most < room ? most : room);
    const uint32_t *queue = queue_admitted(e->queue, &waiting);

    for (size_t i = 0; i < waiting && ret->n < end; i++) {
        const struct job *j = queue[i] < e->c->jobs.n ? e->c->jobs.v[queue[i]] : NULL;
        if (j && job_waits(j) && wants(ctx, j))
            vec_push(ret, j->index);
    }
}

/* Whose starts are asked for. */
struct choice {
    const struct engine *e;
    const struct query_forecast *ask;
};

static bool is_chosen(void *ctx, const struct job *j)
{
    const struct choice *c = ctx;

    return query_waits_for_room(c->e, j)
           && (!c->ask->wants || c->ask->wants(c->ask->ctx, j));
}

/* Returns how many were planned. */
static size_t plan_all(struct outlook *f, const struct query_forecast *ask)
{
    size_t planned = 1;

    while (outlook_more(f, 1)) {
        if (ask->goes_on && !ask->goes_on(ask->ctx))
            break;
        planned++;
    }
    return planned;
}

size_t query_forecast(struct engine *e, const struct query_forecast *ask)
{
    int64_t soon = e->now + 1 > ask->now ? e->now + 1 : ask->now;
    struct indexes jobs = {0};
    size_t planned = 0;

    query_queue(e, ask->most, is_chosen, &(struct choice){e, ask}, &jobs);
    struct outlook *f = jobs.n ? outlook_begin(e, jobs.v, jobs.n) : NULL;
    if (f)
        planned = plan_all(f, ask);
    for (size_t i = 0; i < planned; i++) {
        int64_t start = outlook_start(f, i);
        if (start == 0 || start > soon)
            ask->each(ask->ctx, e->c->jobs.v[jobs.v[i]], start);
    }
    outlook_end(f);
    vec_fini(&jobs);
    return planned;
}
