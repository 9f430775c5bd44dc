/* SPDX-License-Identifier: Apache-2.0
 * The clock of the loop, kept from going back. */
#include "server/clock.h"

#include "base/xalloc.h"

#include <stdlib.h>
#include <time.h>

#define BACK_S 60
#define SET_S  3 /* less is rounding, or a clock that is steered */

struct clock {
    sd_event *loop;
    int64_t now;
    int64_t offset; /* of the real clock from that of the boot, seconds */
    bool stands;    /* it is told what it is */
    bool forward, ahead, wrong;
};

struct clock *clock_create(sd_event *loop)
{
    struct clock *k = xcalloc(1, sizeof *k);

    k->loop = loop;
    return k;
}

void clock_destroy(struct clock *k)
{
    free(k);
}

/* Set forward, it differs by more than before from the clock that is never set: running
 * jobs did not run meanwhile, which the resource manager has to tell before a cycle. */
static void look_at_offset(struct clock *k, int64_t now)
{
    uint64_t up;
    int64_t offset;

    if (sd_event_now(k->loop, CLOCK_BOOTTIME, &up) < 0)
        return;
    offset = now - (int64_t)(up / 1000000);
    k->forward |= k->now && offset - k->offset >= SET_S;
    k->offset = offset;
}

int64_t clock_now(struct clock *k)
{
    uint64_t us;

    if (k->stands)
        return k->now;
    int64_t now = sd_event_now(k->loop, CLOCK_REALTIME, &us) < 0
                      ? (int64_t)time(NULL)
                      : (int64_t)(us / 1000000);
    look_at_offset(k, now);
    if (now > k->now)
        k->now = now;
    k->ahead = k->now > now;
    k->wrong = k->now - now > BACK_S;
    return k->now;
}

void clock_stand_at(struct clock *k, int64_t at)
{
    k->stands = true;
    k->now = at;
}

void clock_told(struct clock *k, int64_t at)
{
    if (at > k->now)
        k->now = at;
}

bool clock_was_set_forward(struct clock *k)
{
    bool forward = k->forward;

    k->forward = false;
    return forward;
}

bool clock_is_ahead(const struct clock *k)
{
    return k->ahead;
}

bool clock_is_wrong(const struct clock *k)
{
    return k->wrong;
}

void clock_forget(struct clock *k)
{
    k->now = 0;
}

int64_t clock_monotonic_ms(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}
