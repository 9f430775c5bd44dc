/* SPDX-License-Identifier: Apache-2.0
 * HTTP: libmicrohttpd in the event loop.
 *
 * The library has an epoll descriptor of its own, which nests in the loop: when it is
 * ready, or the library's time is up, MHD_run_wait(0) does what is due and calls back.
 * A request that is kept gets its connection suspended until the reply is there. */
#include "base/xalloc.h"
#include "server/http/bind.h"
#include "server/http/browser.h"
#include "server/http/private.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

/* Turns in which the last answers go out: as many as fit into sockets' buffers. */
#define LAST_TURNS 3

/* Who is refused for want of memory may come again then, in seconds. */
#define AGAIN_S 2

#define PAGE_PER_ADDRESS 64U /* connections, each of which begins with a handshake */
#define TLS_VERSIONS     "SECURE128:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2"

/* ---- what the library calls ---- */

static enum MHD_Result queue(struct request *r)
{
    struct MHD_Response *response = r->response;

    r->response = NULL;
    enum MHD_Result done =
        MHD_queue_response(r->connection, (unsigned)r->status, response);
    MHD_destroy_response(response);
    return done;
}

/* The kernel tells who is at the other end of a unix socket. */
static uid_t user_of(int fd, gid_t *ret_gid)
{
    struct ucred peer;
    socklen_t len = sizeof peer;

    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &len) < 0)
        return CONNECTION_UNKNOWN;
    *ret_gid = peer.gid;
    return peer.uid;
}

static int descriptor_of(struct MHD_Connection *connection)
{
    return MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD)
        ->connect_fd;
}

/* ---- before its body: who asks, and is it in order? ---- */

/* Whatever its body is, the answer will be this. */
static void refuse_body(
    struct request *r, int status, const char *code, const struct err *err)
{
    r->refused = status;
    r->refused_code = code;
    snprintf(r->refused_text, sizeof r->refused_text, "%s", err->text);
}

bool request_is_abandoned(const struct request *r)
{
    struct pollfd fd = {.fd = -1, .events = POLLRDHUP};

    if (!r->connection)
        return false;
    fd.fd = descriptor_of(r->connection);
    return poll(&fd, 1, 0) > 0;
}

static enum MHD_Result find_fetch(
    void *ctx, enum MHD_ValueKind kind, const char *name, const char *value)
{
    const char **found = ctx;

    (void)kind;
    (void)value;
    if (strncasecmp(name, "Sec-Fetch-", 10) == 0)
        *found = name;
    return MHD_YES;
}

struct browser_head http_head(const struct request *r)
{
    const char *length = request_header(r, "Content-Length");
    struct browser_head head = {.method = r->method,
        .host = request_header(r, "Host"),
        .origin = request_header(r, "Origin"),
        .content_type = request_header(r, "Content-Type"),
        .has_body = (length && strcmp(length, "0") != 0)
                    || request_header(r, "Transfer-Encoding"),
        .own_name = r->listener->http->opt.host};

    MHD_get_connection_values(r->connection, MHD_HEADER_KIND, find_fetch, &head.fetch);
    return head;
}

static int examine_local(struct request *r, struct err *err)
{
    struct browser_head head = http_head(r);
    gid_t group = 0;
    uid_t user = user_of(descriptor_of(r->connection), &group);

    if (user == CONNECTION_UNKNOWN) {
        err_set(err, ERR_DENIED, "the kernel does not say who calls");
        return MHD_HTTP_UNAUTHORIZED;
    }
    identity_of_uid(user, group, &r->who);
    return browser_refuse(&head, err);
}

/* A credential on TCP is made for method, target and body of this request. */
static int examine_remote(struct request *r, struct err *err)
{
    const struct http_options *opt = &r->listener->http->opt;
    const char *header = request_header(r, "Authorization");
    struct strbuf begin = {0};

    if (!header) {
        err_set(err, ERR_DENIED, "on TCP an Authorization header is needed");
        return MHD_HTTP_UNAUTHORIZED;
    }
    if (opt->authenticate(
            opt->ctx, header, &r->promised, &r->promised_len, &r->who, err)
        < 0)
        return MHD_HTTP_UNAUTHORIZED;
    strbuf_printf(&begin, "%s %s\n", r->method, r->target);
    bool same =
        r->promised_len >= begin.len && memcmp(r->promised, begin.text, begin.len) == 0;
    r->promised_head = begin.len;
    free(begin.text);
    if (!same) {
        err_set(err, ERR_DENIED, "the credential was made for another request");
        return MHD_HTTP_UNAUTHORIZED;
    }
    request_peer(r, r->who.host, sizeof r->who.host);
    connections_identify(r->listener->http->connections, r->owner, r->who.uid);
    return 0;
}

static void examine(struct request *r)
{
    struct err err = {0};
    int status = r->listener->door == DOOR_LOCAL ? examine_local(r, &err)
                 : r->listener->door == DOOR_TCP ? examine_remote(r, &err)
                                                 : page_examine(r, &err);

    if (status == MHD_HTTP_TOO_MANY_REQUESTS)
        r->again_s = AGAIN_S;
    if (status)
        refuse_body(r, status,
            status == MHD_HTTP_UNAUTHORIZED        ? "unauthenticated"
            : status == MHD_HTTP_TOO_MANY_REQUESTS ? "busy"
            : err.code == ERR_DENIED               ? "forbidden"
                                                   : "invalid",
            &err);
}

/* ---- its body ---- */

/* Room for so much of it; else it is refused with the reason. */
static void hold_room(struct request *r, size_t more, size_t whole)
{
    struct http *h = r->listener->http;
    size_t most = r->listener->door != DOOR_PAGE ? h->opt.body_max
                  : r->who.session[0]            ? PAGE_BODY_MAX
                                                 : PAGE_LOGIN_MAX;
    struct err err;

    if (whole > most) {
        err_set(&err, ERR_INVALID, "the request is longer than %zu bytes", most);
        refuse_body(r, 413, "too_large", &err);
    } else if (connections_hold(h->connections, r->owner, more, whole, &err) < 0) {
        r->again_s = AGAIN_S;
        refuse_body(r, MHD_HTTP_SERVICE_UNAVAILABLE, "busy", &err);
    }
}

/* As long as it will be, when that is told. True: it is refused, and too long to be
 * read for nothing. A short one is: then the client is not cut off while it sends. */
static bool expect_body(struct request *r)
{
    const char *told = request_header(r, "Content-Length");
    size_t len = told ? strtoull(told, NULL, 10) : 0;

    if (!r->refused && len)
        hold_room(r, len, len);
    r->told_len = len;
    return r->refused && len > BODY_SMALL;
}

static void take_body(struct request *r, const char *data, size_t len)
{
    if (!r->refused && !r->told_len)
        hold_room(r, len, r->body.len + len);
    if (!r->refused)
        strbuf_add_n(&r->body, data, len);
}

static bool is_as_promised(const struct request *r)
{
    return r->promised_len - r->promised_head == r->body.len
           && memcmp(r->promised + r->promised_head, request_body(r, NULL), r->body.len)
                  == 0;
}

static void dispatch(struct request *r)
{
    struct http *h = r->listener->http;
    struct err err;

    h->requests++;
    if (h->closing) {
        request_refuse_as(r, MHD_HTTP_SERVICE_UNAVAILABLE, "unavailable", NULL,
            "the scheduler is stopping");
        return;
    }
    if (!r->refused && r->promised && !is_as_promised(r)) {
        err_set(&err, ERR_DENIED, "the credential was made for another request");
        refuse_body(r, MHD_HTTP_UNAUTHORIZED, "unauthenticated", &err);
    }
    if (r->refused)
        request_refuse_as(r, r->refused, r->refused_code, NULL, r->refused_text);
    else if (r->listener->door == DOOR_PAGE)
        h->page.handle(h->page.ctx, r);
    else
        h->opt.handle(h->opt.ctx, r);
}

/* The first line has come: a request begins, with its target as it was sent. */
static void *on_target(void *ctx, const char *target, struct MHD_Connection *connection)
{
    struct request *r = xcalloc(1, sizeof *r);

    r->listener = ctx;
    r->connection = connection;
    r->target = xstrdup(target);
    return r;
}

/* Its head is complete. */
static void begin(struct request *r, const char *url, const char *method)
{
    r->owner =
        MHD_get_connection_info(r->connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT)
            ->socket_context;
    r->method = xstrdup(method);
    r->path = xstrdup(url);
    r->listener->http->open++;
    r->listener->open++;
}

/* NOLINTNEXTLINE(readability-function-size): the library's callback has 8 parameters */
static enum MHD_Result on_request(void *ctx, struct MHD_Connection *connection,
    const char *url, const char *method, const char *version, const char *data,
    size_t *io_len, void **io_request)
{
    struct listener *l = ctx;
    struct request *r = *io_request;

    (void)version;
    if (!r->method) {
        begin(r, url, method);
        examine(r);
        if (!expect_body(r))
            return MHD_YES;
        dispatch(r);
        return queue(r);
    }
    if (*io_len) {
        take_body(r, data, *io_len);
        *io_len = 0;
        return MHD_YES;
    }
    if (r->response)
        return queue(r);
    connections_serve(l->http->connections, r->owner);
    r->handling = true;
    dispatch(r);
    r->handling = false;
    if (r->response)
        return queue(r);
    r->suspended = true;
    TAILQ_INSERT_TAIL(&l->http->kept, r, next);
    MHD_suspend_connection(connection);
    return MHD_YES;
}

static void on_completed(void *ctx, struct MHD_Connection *connection,
    void **io_request, enum MHD_RequestTerminationCode how)
{
    struct request *r = *io_request;

    (void)connection;
    (void)how;
    (void)ctx;
    if (!r)
        return;
    if (r->method) {
        r->listener->http->open--;
        r->listener->open--;
        connections_let_go(r->listener->http->connections, r->owner);
        connections_served(r->listener->http->connections, r->owner);
    }
    if (r->response)
        MHD_destroy_response(r->response);
    request_drop(r);
    *io_request = NULL;
}

static void on_connection(void *ctx, struct MHD_Connection *connection, void **io_owner,
    enum MHD_ConnectionNotificationCode what)
{
    struct listener *l = ctx;
    gid_t group;

    if (what == MHD_CONNECTION_NOTIFY_STARTED) {
        int fd = descriptor_of(connection);
        *io_owner = connections_add(l->http->connections, fd,
            l->door == DOOR_LOCAL ? user_of(fd, &group) : CONNECTION_UNKNOWN);
    } else {
        connections_remove(l->http->connections, *io_owner);
        l->closed = true;
    }
}

/* ---- in the loop ---- */

static void run(struct listener *l)
{
    MHD_UNSIGNED_LONG_LONG wait_ms;
    uint64_t now;

    l->closed = false;
    MHD_run(l->daemon);
    if (l->closed) { /* room came free: it may accept again, but does not look */
        http_look_soon(l);
        return;
    }
    if (MHD_get_timeout(l->daemon, &wait_ms) == MHD_NO) {
        sd_event_source_set_enabled(l->timer, SD_EVENT_OFF);
        return;
    }
    sd_event_now(l->http->loop, CLOCK_MONOTONIC, &now);
    sd_event_source_set_time(l->timer, now + wait_ms * 1000);
    sd_event_source_set_enabled(l->timer, SD_EVENT_ONESHOT);
}

static int on_ready(sd_event_source *source, int fd, uint32_t events, void *ctx)
{
    (void)source;
    (void)fd;
    (void)events;
    run(ctx);
    return 0;
}

static int on_time(sd_event_source *source, uint64_t at, void *ctx)
{
    (void)source;
    (void)at;
    run(ctx);
    return 0;
}

int http_listen(struct http *h, int fd, enum door door, struct err *err)
{
    struct listener *l = &h->listeners[door];

    *l = (struct listener){.http = h, .door = door};
    bool tls = door == DOOR_PAGE && h->page.tls;
    const struct MHD_OptionItem secrets[] = {
        {MHD_OPTION_HTTPS_MEM_CERT, 0, (void *)(uintptr_t)h->page.cert},
        {MHD_OPTION_HTTPS_MEM_KEY, 0, (void *)(uintptr_t)h->page.key},
        {MHD_OPTION_HTTPS_PRIORITIES, 0, (void *)(uintptr_t)TLS_VERSIONS},
        {MHD_OPTION_END, 0, NULL}};
    const struct MHD_OptionItem none[] = {{MHD_OPTION_END, 0, NULL}};
    l->daemon = MHD_start_daemon(MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ITC
                                     | (tls ? MHD_USE_TLS : 0),
        0, NULL, NULL, on_request, l, MHD_OPTION_LISTEN_SOCKET, fd,
        MHD_OPTION_URI_LOG_CALLBACK, on_target, l, MHD_OPTION_NOTIFY_COMPLETED,
        on_completed, NULL, MHD_OPTION_NOTIFY_CONNECTION, on_connection, l,
        MHD_OPTION_CONNECTION_LIMIT, h->opt.connections_max,
        MHD_OPTION_CONNECTION_TIMEOUT, h->opt.idle_s,
        MHD_OPTION_PER_IP_CONNECTION_LIMIT, tls ? PAGE_PER_ADDRESS : 0U,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)32 * 1024,
        MHD_OPTION_STRICT_FOR_CLIENT, door == DOOR_PAGE, MHD_OPTION_ARRAY,
        tls ? secrets : none, MHD_OPTION_END);
    if (!l->daemon) {
        close(fd);
        return err_set(err, ERR_IO, "the HTTP server does not start%s",
            tls ? ": are WEBCERT and WEBKEY a certificate and its key, in PEM?" : "");
    }
    const union MHD_DaemonInfo *info =
        MHD_get_daemon_info(l->daemon, MHD_DAEMON_INFO_EPOLL_FD);
    if (!info
        || sd_event_add_io(h->loop, &l->io, info->epoll_fd, EPOLLIN, on_ready, l) < 0
        || sd_event_add_time(h->loop, &l->timer, CLOCK_MONOTONIC, 0, 1000, on_time, l)
               < 0
        || sd_event_source_set_enabled(l->timer, SD_EVENT_OFF) < 0
        || sd_event_source_set_priority(l->io, h->opt.priority) < 0
        || sd_event_source_set_priority(l->timer, h->opt.priority) < 0)
        return err_set(err, ERR_IO, "the HTTP server does not fit into the event loop");
    return 0;
}

int http_open(
    sd_event *loop, const struct http_options *opt, struct http **ret, struct err *err)
{
    struct http *h = xcalloc(1, sizeof *h);

    h->opt = *opt;
    h->opt.connections_max = opt->connections_max ? opt->connections_max : 2000;
    h->opt.body_max = opt->body_max ? opt->body_max : 16 * 1024 * 1024;
    h->opt.idle_s = opt->idle_s ? opt->idle_s : 30;
    h->loop = sd_event_ref(loop);
    h->socket_path = xstrdup(opt->socket_path);
    TAILQ_INIT(&h->kept);
    TAILQ_INIT(&h->dozing);
    bool good = connections_open(
                    loop, h->opt.idle_s, h->opt.connections_max, &h->connections, err)
                == 0;
    int fd = good ? bind_unix(opt->socket_path, err) : -1;
    good = fd >= 0 && http_listen(h, fd, DOOR_LOCAL, err) == 0;
    if (good && opt->host) {
        fd = bind_tcp(opt->host, opt->port, "SERVERHOST", err);
        good = fd >= 0 && http_listen(h, fd, DOOR_TCP, err) == 0;
    }
    if (!good) {
        http_close(h);
        return -1;
    }
    *ret = h;
    return 0;
}

void http_stop_listening(struct listener *l)
{
    sd_event_source_disable_unref(l->io);
    sd_event_source_disable_unref(l->timer);
    if (l->daemon)
        MHD_stop_daemon(l->daemon);
    *l = (struct listener){.http = l->http};
}

/* The library cannot stop while a connection is suspended, so nobody is when this
 * returns: live streams end as the door is closing. */
static void refuse_kept(struct http *h)
{
    while (!TAILQ_EMPTY(&h->kept))
        request_refuse_as(TAILQ_FIRST(&h->kept), MHD_HTTP_SERVICE_UNAVAILABLE,
            "unavailable", NULL,
            "the scheduler is stopping; what was asked for may have been done or not");
    for (unsigned i = 0; i < DOORS * LAST_TURNS; i++)
        if (h->listeners[i / LAST_TURNS].daemon)
            MHD_run(h->listeners[i / LAST_TURNS].daemon);
}

void http_close(struct http *h)
{
    if (!h)
        return;
    h->closing = true;
    http_wake(h);
    refuse_kept(h);
    if (h->listeners[DOOR_LOCAL].daemon)
        unlink(h->socket_path);
    for (unsigned i = 0; i < DOORS; i++)
        http_stop_listening(&h->listeners[i]);
    connections_close(h->connections);
    free(h->socket_path);
    sd_event_unref(h->loop);
    free(h);
}

unsigned http_open_requests(const struct http *h)
{
    return h->open;
}

uint64_t http_requests(const struct http *h)
{
    return h->requests;
}
