/* SPDX-License-Identifier: Apache-2.0
 * Connections, each for one question and its answer. */
#include "rm/wiki/talk.h"

#include "base/xalloc.h"
#include "rm/wiki/frame.h"

#include <errno.h>
#include <netdb.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

struct talk {
    TAILQ_ENTRY(talk) link;
    struct talks *talks;
    char *message; /* owned */
    void (*ended)(void *ctx, const struct talk_answer *a);
    void *ctx;
    int fd; /* -1: it waits for its turn */
    bool begun;
    const struct addrinfo *at; /* the address that is tried */
    sd_event_source *io, *timer;
    struct strbuf out;
    size_t sent;
    struct frame in;
    int64_t not_before; /* what the newest answer was dated when this was sent */
};

struct talks {
    sd_event *loop;
    sd_event_source *turn;
    char *host, *port, *key, *user; /* owned */
    struct seal seal;
    int64_t timeout_ms;
    unsigned at_once, running;
    struct addrinfo *addresses; /* NULL: not known */
    int64_t newest;             /* instant of the newest answer, by the clock there */
    TAILQ_HEAD(, talk) queue;
};

static int begin_next(sd_event_source *source, void *ctx);

static void schedule_next(struct talks *t)
{
    if (t->turn == NULL)
        sd_event_add_defer(t->loop, &t->turn, begin_next, t);
    sd_event_source_set_enabled(t->turn, SD_EVENT_ONESHOT);
}

/* ---- the end of one ---- */

static void close_socket(struct talk *k)
{
    k->io = sd_event_source_disable_unref(k->io);
    if (k->fd >= 0)
        close(k->fd);
    k->fd = -1;
}

static void free_talk(struct talk *k)
{
    close_socket(k);
    k->timer = sd_event_source_disable_unref(k->timer);
    TAILQ_REMOVE(&k->talks->queue, k, link);
    frame_fini(&k->in);
    free(k->out.text);
    free(k->message);
    free(k);
}

static void finish_talk(struct talk *k, const struct talk_answer *a)
{
    struct talks *t = k->talks;

    if (a->away && t->addresses != NULL) { /* it may have moved */
        freeaddrinfo(t->addresses);
        t->addresses = NULL;
        for (struct talk *other = TAILQ_FIRST(&t->queue); other != NULL;
             other = TAILQ_NEXT(other, link))
            other->at = NULL;
    }
    t->running--;
    k->ended(k->ctx, a);
    free_talk(k);
    schedule_next(t);
}

/* It has failed, after it was sent or before. */
static void fail_talk(struct talk *k, bool away, const char *why)
{
    finish_talk(
        k, &(struct talk_answer){.how = k->sent > 0 ? TALK_UNANSWERED : TALK_UNSENT,
               .away = away,
               .why = why});
}

static void fail_errno(struct talk *k, const char *what)
{
    char why[300];

    snprintf(why, sizeof why, "%.150s:%.20s: %s: %s", k->talks->host, k->talks->port,
        what, strerror(errno));
    fail_talk(k, k->sent == 0, why);
}

/* ---- the answer ---- */

static void take_payload(struct talk *k)
{
    struct talks *t = k->talks;
    struct talk_answer a = {.how = TALK_ANSWERED};
    struct err err = {0};
    const char *message;
    size_t n;
    int64_t made_at;

    if (seal_open(&t->seal, k->in.body.text, k->in.body.len, time(NULL), k->not_before,
            &message, &n, &made_at, &err)
            < 0
        || wiki_reply_read(message, n, &a.reply, &err) < 0) {
        fail_talk(k, false, err.text);
        return;
    }
    if (made_at > t->newest)
        t->newest = made_at;
    finish_talk(k, &a);
}

static void read_answer(struct talk *k)
{
    char bytes[65536], why[200];
    struct err err = {0};
    ssize_t n = recv(k->fd, bytes, sizeof bytes, MSG_DONTWAIT);
    int whole;

    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (n < 0) {
        fail_errno(k, "it broke off");
        return;
    }
    if (n == 0) {
        snprintf(why, sizeof why,
            "it closed the connection before the whole answer was there: %zu of %zu "
            "bytes",
            k->in.body.len, k->in.length);
        fail_talk(k, false,
            k->in.have == 0 ? "it closed the connection without an answer" : why);
        return;
    }
    whole = frame_take(&k->in, bytes, (size_t)n, &err);
    if (whole < 0)
        fail_talk(k, false, err.text);
    else if (whole > 0)
        take_payload(k);
}

/* ---- the question ---- */

static void try_address(struct talk *k);

static void write_question(struct talk *k)
{
    while (k->sent < k->out.len) {
        ssize_t n = send(k->fd, k->out.text + k->sent, k->out.len - k->sent,
            MSG_NOSIGNAL | MSG_DONTWAIT);

        if (n < 0 && (errno == EAGAIN || errno == EINTR))
            return;
        if (n < 0) {
            fail_errno(k, "it takes no question");
            return;
        }
        k->sent += (size_t)n;
    }
    sd_event_source_set_io_events(k->io, EPOLLIN);
}

static int on_io(sd_event_source *source, int fd, uint32_t events, void *ctx)
{
    struct talk *k = ctx;
    int error = 0;
    socklen_t len = sizeof error;

    (void)source;
    (void)events;
    if (k->sent == 0) { /* is it connected? */
        if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &len) < 0)
            error = errno;
        if (error != 0) {
            errno = error;
            if (k->at != NULL)
                k->at = k->at->ai_next;
            try_address(k);
            return 0;
        }
    }
    if (k->sent < k->out.len) /* what is said before it was asked is no answer */
        write_question(k);
    else
        read_answer(k);
    return 0;
}

/* The addresses one after the other, from `at` on; errno tells of the last. */
static void try_address(struct talk *k)
{
    struct talks *t = k->talks;

    close_socket(k);
    for (; k->at != NULL; k->at = k->at->ai_next) {
        k->fd = socket(k->at->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
        if (k->fd >= 0
            && (connect(k->fd, k->at->ai_addr, k->at->ai_addrlen) == 0
                || errno == EINPROGRESS)
            && sd_event_add_io(t->loop, &k->io, k->fd, EPOLLOUT, on_io, k) >= 0)
            return;
        close_socket(k);
    }
    fail_errno(k, "cannot connect");
}

static int on_deadline(sd_event_source *source, uint64_t usec, void *ctx)
{
    struct talk *k = ctx;
    char why[300];

    (void)source;
    (void)usec;
    snprintf(why, sizeof why, "%.150s:%.20s %s within %.0f s", k->talks->host,
        k->talks->port,
        k->sent == 0              ? "was not to be reached"
        : k->in.have < FRAME_HEAD ? "did not answer"
                                  : "did not end its answer",
        (double)k->talks->timeout_ms / 1000);
    fail_talk(k, k->sent == 0, why);
    return 0;
}

/* 0, or a code of getaddrinfo(). */
static int find_addresses(struct talks *t)
{
    struct addrinfo wanted = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM};

    return t->addresses != NULL ? 0
                                : getaddrinfo(t->host, t->port, &wanted, &t->addresses);
}

static void begin_talk(struct talk *k)
{
    struct talks *t = k->talks;
    struct strbuf message = {0};
    struct err err = {0};
    int unknown;

    t->running++;
    k->begun = true;
    k->not_before = t->newest;
    if (seal_write(&t->seal, t->user, time(NULL), k->message, &message, &err) < 0) {
        fail_talk(k, false, err.text);
        return;
    }
    if (message.len > FRAME_MOST) { /* more digits than a frame has */
        free(message.text);
        fail_talk(k, false, "the message is too long for the protocol");
        return;
    }
    frame_write(&k->out, message.text, message.len);
    free(message.text);
    unknown = find_addresses(t);
    if (unknown != 0) {
        err_set(&err, ERR_IO, "RMCFG HOST=%.150s: %s", t->host, gai_strerror(unknown));
        fail_talk(k, true, err.text);
        return;
    }
    sd_event_add_time_relative(t->loop, &k->timer, CLOCK_MONOTONIC,
        (uint64_t)t->timeout_ms * 1000, 1000, on_deadline, k);
    k->at = t->addresses;
    try_address(k);
}

static int begin_next(sd_event_source *source, void *ctx)
{
    struct talks *t = ctx;
    struct talk *k = TAILQ_FIRST(&t->queue);

    (void)source;
    while (k != NULL && t->running < t->at_once) {
        if (k->begun) {
            k = TAILQ_NEXT(k, link);
            continue;
        }
        begin_talk(k);
        k = TAILQ_FIRST(&t->queue); /* others may be gone */
    }
    return 0;
}

/* ---- all ---- */

struct talks *talks_new(sd_event *loop, const struct talks_spec *spec)
{
    const struct passwd *pw = getpwuid(geteuid());
    struct talks *t = xcalloc(1, sizeof *t);

    t->loop = sd_event_ref(loop);
    t->host = xstrdup(spec->host);
    t->port = xstrdup(spec->port);
    t->key = xstrdup(spec->seal.key != NULL ? spec->seal.key : "");
    t->user = xstrdup(pw != NULL ? pw->pw_name : "nobody");
    t->seal = (struct seal){spec->seal.kind, t->key};
    t->timeout_ms = spec->timeout_ms;
    t->at_once = spec->at_once;
    TAILQ_INIT(&t->queue);
    return t;
}

void talks_destroy(struct talks *t)
{
    struct talk *k;

    if (t == NULL)
        return;
    while ((k = TAILQ_FIRST(&t->queue)) != NULL)
        free_talk(k);
    sd_event_source_disable_unref(t->turn);
    sd_event_unref(t->loop);
    if (t->addresses != NULL)
        freeaddrinfo(t->addresses);
    free(t->host);
    free(t->port);
    free(t->key);
    free(t->user);
    free(t);
}

void talk_ask(struct talks *t, const char *message,
    void (*ended)(void *ctx, const struct talk_answer *a), void *ctx)
{
    struct talk *k = xcalloc(1, sizeof *k);

    k->talks = t;
    k->message = xstrdup(message);
    k->ended = ended;
    k->ctx = ctx;
    k->fd = -1;
    TAILQ_INSERT_TAIL(&t->queue, k, link);
    schedule_next(t);
}
