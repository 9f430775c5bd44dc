/* SPDX-License-Identifier: Apache-2.0
 * Connections that owe us a request, the one that waits longest first. */
#include "server/connections.h"

#include "base/xalloc.h"

#include <stdbool.h>
#include <stdlib.h>
#include <sys/queue.h>
#include <sys/socket.h>
#include <time.h>

#define SECOND_US UINT64_C(1000000)
/* Room kept for newcomers: what was given up is closed only a turn later. */
#define SPARE(max) ((max) / 8 + 1)

struct connection {
    TAILQ_ENTRY(connection) next;
    int fd;
    bool waits; /* is in the list */
    uint64_t since_us;
};

struct connections {
    sd_event *loop;
    sd_event_source *timer;
    uint64_t wait_us;
    unsigned max, n;
    TAILQ_HEAD(, connection) waiting; /* by `since_us` */
};

static uint64_t now_us(const struct connections *c)
{
    uint64_t now = 0;

    sd_event_now(c->loop, CLOCK_MONOTONIC, &now);
    return now;
}

static void leave(struct connections *c, struct connection *n)
{
    if (n->waits)
        TAILQ_REMOVE(&c->waiting, n, next);
    n->waits = false;
}

static void give_up(struct connections *c, struct connection *n)
{
    leave(c, n);
    shutdown(n->fd, SHUT_RDWR);
}

static int on_time(sd_event_source *source, uint64_t at, void *ctx)
{
    struct connections *c = ctx;
    uint64_t now = now_us(c);
    struct connection *n;

    (void)at;
    while ((n = TAILQ_FIRST(&c->waiting)) && n->since_us + c->wait_us <= now)
        give_up(c, n);
    if (!n)
        return 0; /* the next to come arms the timer */
    sd_event_source_set_time(source, n->since_us + c->wait_us);
    return sd_event_source_set_enabled(source, SD_EVENT_ONESHOT);
}

int connections_open(sd_event *loop, unsigned wait_s, unsigned max,
    struct connections **ret, struct err *err)
{
    struct connections *c = xcalloc(1, sizeof *c);

    c->loop = sd_event_ref(loop);
    c->wait_us = wait_s * SECOND_US;
    c->max = max;
    TAILQ_INIT(&c->waiting);
    *ret = c;
    if (sd_event_add_time(loop, &c->timer, CLOCK_MONOTONIC, 0, 0, on_time, c) < 0
        || sd_event_source_set_enabled(c->timer, SD_EVENT_OFF) < 0)
        return err_set(err, ERR_IO, "the event loop takes no more sources");
    return 0;
}

void connections_close(struct connections *c)
{
    if (!c)
        return;
    sd_event_source_disable_unref(c->timer);
    sd_event_unref(c->loop);
    free(c);
}

static void wait_for_request(struct connections *c, struct connection *n)
{
    if (TAILQ_EMPTY(&c->waiting)) {
        sd_event_source_set_time(c->timer, now_us(c) + c->wait_us);
        sd_event_source_set_enabled(c->timer, SD_EVENT_ONESHOT);
    }
    n->since_us = now_us(c);
    n->waits = true;
    TAILQ_INSERT_TAIL(&c->waiting, n, next);
}

struct connection *connections_add(struct connections *c, int fd)
{
    struct connection *n = xcalloc(1, sizeof *n);

    n->fd = fd;
    if (++c->n + SPARE(c->max) > c->max && !TAILQ_EMPTY(&c->waiting))
        give_up(c, TAILQ_FIRST(&c->waiting));
    wait_for_request(c, n);
    return n;
}

void connections_remove(struct connections *c, struct connection *n)
{
    leave(c, n);
    c->n--;
    free(n);
}

void connections_serve(struct connections *c, struct connection *n)
{
    leave(c, n);
}

void connections_served(struct connections *c, struct connection *n)
{
    leave(c, n);
    wait_for_request(c, n);
}
