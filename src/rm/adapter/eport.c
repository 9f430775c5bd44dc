/* SPDX-License-Identifier: Apache-2.0
 * The port of events. */
#include "rm/adapter/eport.h"

#include "base/xalloc.h"
#include "rm/adapter/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define CALLERS_MOST 16    /* connections at a time; the oldest gives way */
#define FRESH_MS     60000 /* from one look-up of the host's name to the next */
#define LOOK_UP_US   10000000
#define PAUSE_US     1000000 /* when no connection can be taken: no file is to be had */
#define ALLOWED_MOST 64

struct caller {
    int fd; /* -1: none */
    sd_event_source *io;
};

struct eport {
    sd_event *loop;
    sd_event_source *io, *timer;
    int fd;
    char *host; /* owned; NULL: none */
    int64_t least_ms, woken_ms, looked_up_ms;
    struct look_up *look_up; /* NULL: none is under way */
    pid_t dying; /* the process of the last, which was killed; 0: it is gone */
    sd_event_source *pause; /* the port is not listened to meanwhile; made beforehand,
                               as  it has a file too */
    struct in6_addr allowed[ALLOWED_MOST];
    size_t nallowed;
    void (*woken)(void *ctx);
    void *ctx;
    struct caller callers[CALLERS_MOST];
    unsigned next;
};

static void take_event(struct eport *e);

/* ---- who may ---- */

/* As IPv6 has it, IPv4 within. */
static struct in6_addr address_of(const struct sockaddr *from)
{
    struct in6_addr a = {0};

    if (from->sa_family == AF_INET6)
        return ((const struct sockaddr_in6 *)from)->sin6_addr;
    a.s6_addr[10] = a.s6_addr[11] = 0xff;
    memcpy(a.s6_addr + 12, &((const struct sockaddr_in *)from)->sin_addr, 4);
    return a;
}

static bool is_allowed(const struct eport *e, const struct in6_addr *a)
{
    if (IN6_IS_ADDR_LOOPBACK(a) || (IN6_IS_ADDR_V4MAPPED(a) && a->s6_addr[12] == 127))
        return true;
    for (size_t i = 0; i < e->nallowed; i++)
        if (IN6_ARE_ADDR_EQUAL(a, &e->allowed[i]))
            return true;
    return false;
}

/* ---- its name ----
 * A name server that does not answer takes a minute: the name is looked up in a process
 * of its own, which writes the addresses into a pipe. */

struct look_up {
    struct eport *eport;
    pid_t pid;
    int fd;
    sd_event_source *io, *timer;
    struct in6_addr found[ALLOWED_MOST];
    size_t len;    /* bytes of it */
    bool asked_by; /* a stranger waits to be known: */
    struct in6_addr stranger;
};

/* One that hangs in the kernel dies when that lets go: nobody waits here. */
static void reap_look_up(struct eport *e)
{
    if (e->dying > 0 && waitpid(e->dying, NULL, WNOHANG) != 0)
        e->dying = 0;
}

static void end_look_up(struct look_up *u)
{
    u->eport->look_up = NULL;
    sd_event_source_disable_unref(u->io);
    sd_event_source_disable_unref(u->timer);
    close(u->fd);
    kill(u->pid, SIGKILL);
    u->eport->dying = u->pid;
    reap_look_up(u->eport);
    free(u);
}

/* Those known before stand where none is found. */
static void take_addresses(struct look_up *u)
{
    struct eport *e = u->eport;
    struct in6_addr stranger = u->stranger;
    bool asked_by = u->asked_by;

    if (u->len >= sizeof u->found[0]) {
        e->nallowed = u->len / sizeof u->found[0];
        memcpy(e->allowed, u->found, e->nallowed * sizeof u->found[0]);
    }
    end_look_up(u);
    if (asked_by && is_allowed(e, &stranger))
        take_event(e);
}

static int on_addresses(sd_event_source *source, int fd, uint32_t events, void *ctx)
{
    struct look_up *u = ctx;
    ssize_t n = read(fd, (char *)u->found + u->len, sizeof u->found - u->len);

    (void)source;
    (void)events;
    if (n > 0)
        u->len += (size_t)n;
    else if (n == 0 || (errno != EINTR && errno != EAGAIN))
        take_addresses(u);
    return 0;
}

static int on_no_answer(sd_event_source *source, uint64_t usec, void *ctx)
{
    (void)source;
    (void)usec;
    end_look_up(ctx);
    return 0;
}

static void write_addresses(const char *host, int fd)
{
    struct addrinfo wanted = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM},
                    *found = NULL;
    size_t n = 0;

    if (getaddrinfo(host, NULL, &wanted, &found) != 0)
        _exit(1);
    for (; found != NULL && n < ALLOWED_MOST; found = found->ai_next) {
        struct in6_addr a = address_of(found->ai_addr);

        if ((found->ai_family == AF_INET || found->ai_family == AF_INET6)
            && write(fd, &a, sizeof a) != sizeof a)
            break;
        n++;
    }
    _exit(0);
}

static void look_up_host(struct eport *e)
{
    struct look_up *u;
    int fds[2];

    reap_look_up(e);
    if (e->host == NULL || e->look_up != NULL || e->dying > 0
        || pipe2(fds, O_CLOEXEC) < 0)
        return;
    e->looked_up_ms = clock_ms();
    u = xcalloc(1, sizeof *u);
    u->eport = e;
    u->fd = fds[0];
    u->pid = fork();
    if (u->pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        write_addresses(e->host, fds[1]);
    }
    close(fds[1]);
    if (u->pid < 0) {
        close(fds[0]);
        free(u);
        return;
    }
    e->look_up = u;
    sd_event_add_io(e->loop, &u->io, u->fd, EPOLLIN, on_addresses, u);
    sd_event_add_time_relative(
        e->loop, &u->timer, CLOCK_MONOTONIC, LOOK_UP_US, 1000, on_no_answer, u);
}

/* A stranger may be the host with a new address: it is known then by its name, and
 * wakes once that has been looked up. */
static bool may_wake(struct eport *e, const struct sockaddr_storage *from)
{
    struct in6_addr a = address_of((const struct sockaddr *)from);

    if (is_allowed(e, &a))
        return true;
    if (e->look_up == NULL && clock_ms() - e->looked_up_ms >= FRESH_MS)
        look_up_host(e);
    if (e->look_up != NULL) {
        e->look_up->asked_by = true;
        e->look_up->stranger = a;
    }
    return false;
}

/* ---- waking ---- */

static void wake_now(struct eport *e)
{
    e->woken_ms = clock_ms();
    e->woken(e->ctx);
}

static int on_timer(sd_event_source *source, uint64_t usec, void *ctx)
{
    struct eport *e = ctx;

    (void)source;
    (void)usec;
    e->timer = sd_event_source_disable_unref(e->timer);
    wake_now(e);
    return 0;
}

static void take_event(struct eport *e)
{
    int64_t wait_ms = e->woken_ms + e->least_ms - clock_ms();

    if (e->timer != NULL)
        return; /* it is on its way */
    if (e->woken_ms == 0 || wait_ms <= 0)
        wake_now(e);
    else
        sd_event_add_time_relative(e->loop, &e->timer, CLOCK_MONOTONIC,
            (uint64_t)wait_ms * 1000, 1000, on_timer, e);
}

/* ---- connections ---- */

static void drop_caller(struct caller *c)
{
    c->io = sd_event_source_disable_unref(c->io);
    if (c->fd >= 0)
        close(c->fd);
    c->fd = -1;
}

/* What it says is read and dropped until it ends: some say something only behind the
 * connection, and take it amiss if nobody listens. */
static int on_words(sd_event_source *source, int fd, uint32_t events, void *ctx)
{
    char words[512];
    ssize_t n = recv(fd, words, sizeof words, MSG_DONTWAIT);

    (void)source;
    (void)events;
    if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
        drop_caller(ctx);
    return 0;
}

static int on_paused(sd_event_source *source, uint64_t usec, void *ctx)
{
    struct eport *e = ctx;

    (void)source;
    (void)usec;
    sd_event_source_set_enabled(e->io, SD_EVENT_ON);
    return 0;
}

/* Who waits stays in the queue; without a pause the loop would do nothing else. */
static void pause_listening(struct eport *e)
{
    sd_event_source_set_time_relative(e->pause, PAUSE_US);
    sd_event_source_set_enabled(e->pause, SD_EVENT_ONESHOT);
    sd_event_source_set_enabled(e->io, SD_EVENT_OFF);
}

static int on_caller(sd_event_source *source, int fd, uint32_t events, void *ctx)
{
    struct eport *e = ctx;
    struct sockaddr_storage from = {0};
    socklen_t len = sizeof from;
    struct caller *c = &e->callers[e->next];
    int caller =
        accept4(fd, (struct sockaddr *)&from, &len, SOCK_CLOEXEC | SOCK_NONBLOCK);

    (void)source;
    (void)events;
    if (caller < 0) {
        if (errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == ENOBUFS)
            pause_listening(e);
        return 0;
    }
    if (!may_wake(e, &from)) {
        close(caller);
        return 0;
    }
    drop_caller(c);
    e->next = (e->next + 1) % CALLERS_MOST;
    c->fd = caller;
    if (sd_event_add_io(e->loop, &c->io, caller, EPOLLIN, on_words, c) < 0)
        drop_caller(c);
    take_event(e);
    return 0;
}

/* ---- the port ---- */

static int bind_port(bool v6, bool anywhere, int port)
{
    struct sockaddr_in6 six = {.sin6_family = AF_INET6,
        .sin6_port = htons((uint16_t)port),
        .sin6_addr = in6addr_any};
    struct sockaddr_in four = {.sin_family = AF_INET,
        .sin_port = htons((uint16_t)port),
        .sin_addr.s_addr = htonl(anywhere ? INADDR_ANY : INADDR_LOOPBACK)};
    const struct sockaddr *at = v6 ? (struct sockaddr *)&six : (struct sockaddr *)&four;
    int fd =
        socket(v6 ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    int yes = 1, no = 0, error;

    if (fd < 0)
        return -1;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (v6)
        setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &no, sizeof no);
    if (bind(fd, at, v6 ? sizeof six : sizeof four) == 0 && listen(fd, 64) == 0)
        return fd;
    error = errno;
    close(fd);
    errno = error;
    return -1;
}

struct eport *eport_new(sd_event *loop, const struct eport_spec *spec, struct err *err)
{
    bool anywhere = spec->host != NULL;
    int fd = anywhere ? bind_port(true, true, spec->port) : -1;
    struct eport *e;

    if (fd < 0) /* a machine without IPv6, or no need of it */
        fd = bind_port(false, anywhere, spec->port);
    if (fd < 0) {
        err_set(err, ERR_IO, "port %d: %s", spec->port, strerror(errno));
        return NULL;
    }
    e = xcalloc(1, sizeof *e);
    e->loop = sd_event_ref(loop);
    e->fd = fd;
    e->host = anywhere ? xstrdup(spec->host) : NULL;
    e->least_ms = spec->least_ms;
    e->woken = spec->woken;
    e->ctx = spec->ctx;
    for (unsigned i = 0; i < CALLERS_MOST; i++)
        e->callers[i].fd = -1;
    look_up_host(e);
    sd_event_add_io(loop, &e->io, fd, EPOLLIN, on_caller, e);
    sd_event_add_time_relative(
        loop, &e->pause, CLOCK_MONOTONIC, PAUSE_US, 1000, on_paused, e);
    sd_event_source_set_enabled(e->pause, SD_EVENT_OFF);
    return e;
}

void eport_destroy(struct eport *e)
{
    if (e == NULL)
        return;
    for (unsigned i = 0; i < CALLERS_MOST; i++)
        drop_caller(&e->callers[i]);
    sd_event_source_disable_unref(e->io);
    sd_event_source_disable_unref(e->timer);
    sd_event_source_disable_unref(e->pause);
    if (e->look_up != NULL)
        end_look_up(e->look_up);
    close(e->fd);
    sd_event_unref(e->loop);
    free(e->host);
    free(e);
}
