/* SPDX-License-Identifier: Apache-2.0
 * See wakeups.h. */
#include "engine/wakeups.h"

#include "base/timeval.h"
#include "base/xalloc.h"
#include "engine/engine_private.h"

#include <stdlib.h>

struct wakeups {
    int64_t next;
    int64_t deferral; /* the first that ends */
    int64_t ended_at; /* the last cycle in which one did by itself; INT64_MIN = none */
};

struct wakeups *wakeups_create(void)
{
    struct wakeups *w = xmalloc(sizeof *w);

    *w = (struct wakeups){TIME_NEVER, TIME_NEVER, INT64_MIN};
    return w;
}

void wakeups_destroy(struct wakeups *w)
{
    free(w);
}

void wakeups_begin_cycle(struct wakeups *w)
{
    w->next = w->deferral = TIME_NEVER;
}

void wakeups_add(struct wakeups *w, int64_t now, int64_t at)
{
    if (at > now && at < w->next)
        w->next = at;
}

void wakeups_add_deferral(struct wakeups *w, int64_t at)
{
    if (at < w->deferral)
        w->deferral = at;
}

void wakeups_deferral_ended(struct wakeups *w, int64_t now)
{
    w->ended_at = now;
}

void wakeups_end_cycle(struct wakeups *w, int64_t now, int64_t poll_interval_s)
{
    int64_t soonest =
        w->ended_at > INT64_MIN ? time_add(w->ended_at, poll_interval_s) : w->deferral;

    if (w->deferral < TIME_NEVER)
        wakeups_add(w, now, w->deferral > soonest ? w->deferral : soonest);
}

int64_t wakeups_next(const struct wakeups *w)
{
    return w->next;
}

void wake_at(struct engine *e, int64_t at)
{
    wakeups_add(e->wakeups, e->now, at);
}
