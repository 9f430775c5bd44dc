/* SPDX-License-Identifier: Apache-2.0
 * Connections by user, each user's in the order in which they began to wait or to be
 * served. */
#include "server/http/connections.h"

#include "base/hash.h"
#include "base/xalloc.h"

#include <dirent.h>
#include <stdlib.h>
#include <sys/queue.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>

#define SECOND_US UINT64_C(1000000)
/* Room kept for newcomers: what was given up is closed only a turn later. */
#define SPARE(max) ((max) / 8 + 1)
/* Files kept for all that is no connection: jobs that start, the store, programs. */
#define FILES_SPARE(limit) ((limit) / 8 > 16 ? (limit) / 8 : 16)
/* A reply that takes longer gives way to others. */
#define SLOW_US  (10 * SECOND_US)
#define AGAIN_US (SECOND_US / 100)

TAILQ_HEAD(connection_list, connection);

struct peer {
    uid_t user;
    unsigned all; /* its connections: it lasts as long as there is one */
    unsigned n;   /* of them that have not been given up */
    size_t bytes;
    struct connection_list list; /* those, by `since_us` */
    UT_hash_handle hh;
};

struct connection {
    TAILQ_ENTRY(connection) by_time; /* among all that wait, or are to go */
    TAILQ_ENTRY(connection) next;    /* of its peer */
    struct peer *peer;
    int fd;
    bool waits, given_up;
    uint64_t since_us;
    size_t bytes;
};

struct connections {
    sd_event *loop;
    sd_event_source *timer;
    uint64_t wait_us;
    unsigned max, n, leaving;
    size_t bytes;
    struct connection_list waiting; /* by `since_us` */
    struct connection_list left;    /* given up, not closed yet */
    sd_event_source *again;
    uint64_t counted_us; /* when `others` was */
    unsigned others;
    struct peer *peers;
};

static uint64_t now_us(const struct connections *c)
{
    uint64_t now = 0;

    sd_event_now(c->loop, CLOCK_MONOTONIC, &now);
    return now;
}

/* ---- whose they are ---- */

static struct peer *peer_of(struct connections *c, uid_t user)
{
    struct peer *p;

    HASH_FIND(hh, c->peers, &user, sizeof user, p);
    if (p)
        return p;
    p = xcalloc(1, sizeof *p);
    p->user = user;
    TAILQ_INIT(&p->list);
    HASH_ADD(hh, c->peers, user, sizeof p->user, p);
    return p;
}

static void leave_peer(struct connections *c, struct connection *n)
{
    struct peer *p = n->peer;

    if (!n->given_up) {
        TAILQ_REMOVE(&p->list, n, next);
        p->n--;
    }
    p->bytes -= n->bytes;
    n->peer = NULL;
    if (--p->all == 0) {
        HASH_DEL(c->peers, p);
        free(p);
    }
}

static void join_peer(struct connections *c, struct connection *n, uid_t user)
{
    n->peer = peer_of(c, user);
    n->peer->all++;
    n->peer->bytes += n->bytes;
    if (n->given_up)
        return;
    TAILQ_INSERT_TAIL(&n->peer->list, n, next);
    n->peer->n++;
}

/* ---- who gives way ---- */

static void wait_no_more(struct connections *c, struct connection *n)
{
    if (n->waits)
        TAILQ_REMOVE(&c->waiting, n, by_time);
    n->waits = false;
}

static void give_up(struct connections *c, struct connection *n)
{
    wait_no_more(c, n);
    TAILQ_REMOVE(&n->peer->list, n, next);
    n->peer->n--;
    n->given_up = true;
    if (c->leaving++ == 0) {
        sd_event_source_set_time_relative(c->again, AGAIN_US);
        sd_event_source_set_enabled(c->again, SD_EVENT_ONESHOT);
    }
    TAILQ_INSERT_TAIL(&c->left, n, by_time);
    shutdown(n->fd, SHUT_RDWR);
}

/* Of one user: who waits longest, or is served far too slowly. */
static struct connection *victim_of(const struct connections *c, const struct peer *p)
{
    uint64_t now = now_us(c);
    struct connection *n;

    TAILQ_FOREACH(n, &p->list, next)
    if (n->waits)
        return n;
    n = TAILQ_FIRST(&p->list);
    return n && n->since_us + SLOW_US <= now ? n : NULL;
}

/* Of the user who has most; if those are all being served, of anybody. */
static bool make_room(struct connections *c)
{
    struct peer *p, *next, *most = NULL;
    struct connection *n;

    HASH_ITER(hh, c->peers, p, next)
    if (!most || p->n > most->n)
        most = p;
    n = most ? victim_of(c, most) : NULL;
    if (!n)
        n = TAILQ_FIRST(&c->waiting);
    if (n)
        give_up(c, n);
    return n;
}

/* Files that are open and no connections. Counted once a turn of the loop. */
static unsigned count_others(struct connections *c)
{
    uint64_t now = now_us(c);
    unsigned n = 0;
    DIR *dir;

    if (c->counted_us == now || !(dir = opendir("/proc/self/fd")))
        return c->others;
    while (readdir(dir))
        n++;
    closedir(dir);
    c->counted_us = now;
    n -= n > 3 ? 3 : n; /* ".", ".." and the folder itself */
    c->others = n > c->n ? n - c->n : 0;
    return c->others;
}

/* How many are to go. */
static unsigned excess(struct connections *c)
{
    struct rlimit files;
    rlim_t room = c->max - SPARE(c->max);

    if (getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur != RLIM_INFINITY
        && c->n >= files.rlim_cur / 8) {
        rlim_t kept = count_others(c) + FILES_SPARE(files.rlim_cur);
        rlim_t left = files.rlim_cur > kept ? files.rlim_cur - kept : 0;
        room = left < room ? left : room;
    }
    return c->n > room ? c->n - (unsigned)room : 0;
}

/* The library reads what has come and forgets that it saw the end behind that: it is
 * told again until it has closed. */
static int on_again(sd_event_source *source, uint64_t at, void *ctx)
{
    struct connections *c = ctx;
    struct connection *n;

    (void)at;
    TAILQ_FOREACH(n, &c->left, by_time)
    shutdown(n->fd, SHUT_RDWR);
    if (TAILQ_EMPTY(&c->left))
        return 0;
    sd_event_source_set_time_relative(source, AGAIN_US);
    return sd_event_source_set_enabled(source, SD_EVENT_ONESHOT);
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

/* ---- come and go ---- */

int connections_open(sd_event *loop, unsigned wait_s, unsigned max,
    struct connections **ret, struct err *err)
{
    struct connections *c = xcalloc(1, sizeof *c);

    c->loop = sd_event_ref(loop);
    c->wait_us = wait_s * SECOND_US;
    c->max = max;
    TAILQ_INIT(&c->waiting);
    TAILQ_INIT(&c->left);
    *ret = c;
    if (sd_event_add_time(loop, &c->timer, CLOCK_MONOTONIC, 0, 0, on_time, c) < 0
        || sd_event_source_set_enabled(c->timer, SD_EVENT_OFF) < 0
        || sd_event_add_time(loop, &c->again, CLOCK_MONOTONIC, 0, 0, on_again, c) < 0
        || sd_event_source_set_enabled(c->again, SD_EVENT_OFF) < 0)
        return err_set(err, ERR_IO, "the event loop takes no more sources");
    return 0;
}

void connections_close(struct connections *c)
{
    if (!c)
        return;
    sd_event_source_disable_unref(c->timer);
    sd_event_source_disable_unref(c->again);
    sd_event_unref(c->loop);
    free(c);
}

/* It waits from now on, or is served from now on. */
static void begin_anew(struct connections *c, struct connection *n, bool waits)
{
    wait_no_more(c, n);
    n->since_us = now_us(c);
    if (n->given_up)
        return;
    TAILQ_REMOVE(&n->peer->list, n, next);
    TAILQ_INSERT_TAIL(&n->peer->list, n, next);
    if (!waits)
        return;
    if (TAILQ_EMPTY(&c->waiting)) {
        sd_event_source_set_time(c->timer, n->since_us + c->wait_us);
        sd_event_source_set_enabled(c->timer, SD_EVENT_ONESHOT);
    }
    n->waits = true;
    TAILQ_INSERT_TAIL(&c->waiting, n, by_time);
}

struct connection *connections_add(struct connections *c, int fd, uid_t user)
{
    struct connection *n = xcalloc(1, sizeof *n);

    n->fd = fd;
    c->n++;
    while (excess(c) > c->leaving && make_room(c))
        continue;
    join_peer(c, n, user);
    begin_anew(c, n, true);
    return n;
}

void connections_remove(struct connections *c, struct connection *n)
{
    connections_let_go(c, n);
    wait_no_more(c, n);
    leave_peer(c, n);
    if (n->given_up) {
        TAILQ_REMOVE(&c->left, n, by_time);
        c->leaving--;
    }
    c->n--;
    free(n);
}

void connections_identify(struct connections *c, struct connection *n, uid_t user)
{
    leave_peer(c, n);
    join_peer(c, n, user);
}

void connections_cut(struct connections *c, struct connection *n)
{
    if (!n->given_up)
        give_up(c, n);
}

void connections_serve(struct connections *c, struct connection *n)
{
    begin_anew(c, n, false);
}

void connections_served(struct connections *c, struct connection *n)
{
    begin_anew(c, n, true);
}

/* ---- memory ---- */

int connections_hold(struct connections *c, struct connection *n, size_t more,
    size_t whole, struct err *err)
{
    bool small = (whole > n->bytes + more ? whole : n->bytes + more) <= BODY_SMALL;
    size_t all = small ? BODIES_MAX : BODIES_MAX - BODIES_SPARE;

    if (n->peer->bytes + more > BODIES_SHARE)
        return err_set(err, ERR_IO,
            "the scheduler holds %zu MB of unfinished requests of yours, the most it "
            "does; try again when they are done",
            n->peer->bytes >> 20);
    if (c->bytes + more > all)
        return err_set(err, ERR_IO,
            "the scheduler holds %zu MB of unfinished requests, the most it does; try "
            "again in a moment",
            c->bytes >> 20);
    n->bytes += more;
    n->peer->bytes += more;
    c->bytes += more;
    return 0;
}

void connections_let_go(struct connections *c, struct connection *n)
{
    n->peer->bytes -= n->bytes;
    c->bytes -= n->bytes;
    n->bytes = 0;
}
